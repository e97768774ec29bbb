/** Checks rows of the journal one after the other: all of them for `verify`, and a few in passing while a command waits. */

import type { DatabaseSync } from 'node:sqlite';
import { archivedBy, verdictsIn } from '../archived-rows.ts';
import { mayBeOpen } from '../attempt-state.ts';
import { chainStart, checkChain, damageOf, type StoredRow, unlink } from '../chain.ts';
import {
  type Finding,
  newestMissing,
  type Verification,
  type WitnessVerification,
} from '../journal-store.ts';
import { asOfOneMoment } from './database.ts';
import { type JournalTables, numberOfGiven } from './journal-tables.ts';
import { mismatchOf, type Places } from './witness-check.ts';
import type { Checked, FoundWitness, LineAt, Witness } from './witness-file.ts';

// As many rows are read at once, so a long journal needs no more memory than a short one; and so many findings are told.
const atOnce = 1000;
const told = 1000;

/** Reads every row and every line of the witness. Damage is a finding, not an error. `head`: a hash noted elsewhere. */
export function verifyFiles(
  tables: JournalTables | undefined,
  found: FoundWitness,
  places: Places | undefined,
  head: string | undefined,
): Verification {
  const rows = tables === undefined ? noRows(head) : readAll(tables, found, head);
  const compared =
    places === undefined ? none : compareWitness(rows.count, rows.differing, tables, found, places);
  return {
    rows: rows.count,
    settings: rows.settings,
    head: rows.head,
    findings: [...rows.findings, ...compared.mismatches].slice(0, told),
    knowsHead: head === undefined ? undefined : rows.knowsHead,
    witness: compared.witness,
  };
}

interface ReadRows {
  readonly count: number;
  readonly settings: number;
  readonly head: string;
  readonly knowsHead: boolean;
  readonly findings: readonly Finding[];
  /** What is wrong with lines of the witness, in words. */
  readonly differing: readonly string[];
}

const none = { witness: { file: '', lines: 0, state: 'none yet' }, mismatches: [] } as const;

function noRows(head: string | undefined): ReadRows {
  return {
    count: 0,
    settings: 0,
    head: chainStart,
    knowsHead: head === chainStart,
    findings: [],
    differing: [],
  };
}

function readAll(tables: JournalTables, found: FoundWitness, head: string | undefined): ReadRows {
  const findings = orFinding(() => pageFindings(tables.db));
  const differing: string[] = [];
  let [count, settings, at, last] = [0, 0, 0, chainStart];
  let knowsHead = head === chainStart;
  const read = (): readonly Finding[] => {
    for (let rows = tables.after(0, atOnce); rows.length > 0; rows = tables.after(at, atOnce)) {
      const chain = checkChain(rows, at, last);
      findings.push(...chain.findings, ...lookedUpOtherwise(rows, tables));
      if (found.is === 'whole') differing.push(...differences(rows, at, found.witness));
      count += rows.length;
      settings += rows.filter(({ type }) => type === 'setting').length;
      knowsHead ||= rows.some((row) => row.hash === head || headBefore(row) === head);
      [at, last] = [chain.seq, chain.head];
    }
    return newestMissing({ seq: at, head: last }, tables.end().noted);
  };
  findings.push(...orFinding(() => [...asOfOneMoment(tables.db, read)]));
  return { count, settings, head: last, knowsHead, findings, differing };
}

// The head of the journal that was archived, if a row says so.
function headBefore(stored: StoredRow): string | undefined {
  const row = stored.type === 'setting' && damageOf(stored) === undefined ? unlink(stored) : undefined;
  return row?.type === 'setting' ? archivedBy(row)?.head : undefined;
}

function differences(rows: readonly StoredRow[], after: number, witness: Witness): readonly string[] {
  const last = rows.at(-1)?.seq ?? after;
  const lines = new Map(witness.after(after, last - after).map(({ seq, line }) => [seq, line] as const));
  const broken = [...lines].flatMap(([seq, line]) =>
    line === undefined ? [`line ${seq} of the witness is damaged`] : [],
  );
  const others = rows.flatMap(({ seq, hash }) => {
    const line = lines.get(seq);
    return line === undefined || line.head === hash ? [] : [`row ${seq} differs from the witness`];
  });
  return [...broken, ...others];
}

// What is looked up of attempts must be what their rows say.
function lookedUpOtherwise(rows: readonly StoredRow[], tables: JournalTables): readonly Finding[] {
  const wrong = rows.filter(
    (row) =>
      (row.type === 'sent' && !isListed(row, tables)) ||
      ((row.type === 'verdict' || row.row.includes('"archived":{')) && !isListedState(row, tables)),
  );
  return wrong.map(({ seq }) => ({ seq, problem: 'is looked up by other words than its own' }));
}

function isListed({ seq, intent, attempt, origin, time, row }: StoredRow, tables: JournalTables): boolean {
  const listed = tables
    .sql('SELECT intent, attempt, origin, time, given, about FROM attempts WHERE sent = ?')
    .get(seq);
  const given = /"given":("(?:[^"\\]|\\.)*")/.exec(row)?.[1];
  const number = given === undefined ? null : numberOfGiven(String(JSON.parse(given)));
  const isSame =
    listed?.intent === intent &&
    listed.attempt === attempt &&
    listed.origin === origin &&
    listed.time === time;
  return isSame && (listed.given === number || unlinkedGiven(row) === listed.given);
}

// The words `"given":` may stand deeper in the row as well, so then the row itself is read.
function unlinkedGiven(row: string): number | null {
  const { given }: { given?: unknown } = JSON.parse(row);
  return typeof given === 'string' ? numberOfGiven(given) : null;
}

function isListedState(stored: StoredRow, tables: JournalTables): boolean {
  const sent = tables.sentOf(stored);
  if (sent === undefined) return true;
  const listed = tables.sql('SELECT last, is_open, by_hand FROM attempts WHERE sent = ?').get(sent.seq);
  if (listed === undefined) return false;
  if (Number(listed.last) > stored.seq) return true;
  const row = unlink({ ...stored, body: null });
  const last = row.type === 'sent' ? verdictsIn(row).at(-1) : row.type === 'verdict' ? row : undefined;
  return (
    listed.last === stored.seq &&
    mayBeOpen(last) === (listed.is_open === 1) &&
    (last?.by === 'person') === (listed.by_hand === 1)
  );
}

function pageFindings(db: DatabaseSync): Finding[] {
  const lines = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((line) => String(Object.values(line)[0]));
  return lines.filter((line) => line !== 'ok').map((problem) => ({ seq: 0, problem }));
}

function orFinding(look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (error) {
    return [{ seq: 0, problem: String(error) }];
  }
}

function compareWitness(
  rows: number,
  differing: readonly string[],
  tables: JournalTables | undefined,
  found: FoundWitness,
  places: Places,
): { readonly witness: WitnessVerification; readonly mismatches: readonly Finding[] } {
  const mismatch = orUncompared(() => mismatchOf(found, tables, places));
  const pages = found.is === 'whole' ? orFinding(() => pageFindings(found.witness.db)) : [];
  const lines = found.is === 'whole' ? countOf(found.witness) : 0;
  const of = { file: places.witness.path, lines };
  const problems = [...(mismatch === undefined ? [] : [mismatch.problem]), ...differing];
  const mismatches = [
    ...problems.map((problem) => ({ seq: 0, problem })),
    ...pages.map(({ problem }) => ({ seq: 0, problem: `the witness is damaged: ${problem}` })),
  ];
  const isOther = mismatch?.state === 'journal behind' || differing.some((words) => words.startsWith('row '));
  if (isOther) return { witness: { ...of, state: 'journal behind' }, mismatches };
  if (mismatches.length > 0) return { witness: { ...of, state: 'damaged' }, mismatches };
  if (found.is !== 'whole') return { witness: { ...of, state: 'none yet' }, mismatches };
  return { witness: { ...of, state: lines < rows ? 'witness behind' : 'agrees' }, mismatches };
}

function countOf(witness: Witness): number {
  try {
    return witness.count();
  } catch {
    return 0;
  }
}

// Damage of the journal itself is reported elsewhere; here it only prevents the comparison.
function orUncompared(look: () => ReturnType<typeof mismatchOf>): ReturnType<typeof mismatchOf> {
  try {
    return look();
  } catch (error) {
    return { state: 'damaged', problem: `cannot be compared with its witness: ${String(error)}` };
  }
}

// ── In passing ──────────────────────────────────────────────────────────────────────────────────

/**
 * Checks the next rows, at most `limit`: their chain, and that the witness knows just these. Begins again after the newest one.
 * `now`: Unix milliseconds.
 */
export function checkSome(
  tables: JournalTables,
  witness: Witness,
  { limit, now }: { readonly limit: number; readonly now: number },
): {
  readonly finding: Finding | undefined;
  /** How far it came; undefined if that is nothing new. */
  readonly checked: Checked | undefined;
} {
  const { upTo, wholeAt } = witness.checked();
  // A short journal is not checked again by each run.
  if (upTo === 0 && wholeAt !== undefined && now - wholeAt < againAfterMs)
    return { finding: undefined, checked: undefined };
  const [lines, rows] = [witness.after(upTo, limit), tables.after(upTo, limit)];
  const before = tables.at(upTo)?.hash ?? chainStart;
  const last = lines.at(-1)?.seq ?? upTo;
  const chain = checkChain(
    rows.filter(({ seq }) => seq <= last),
    upTo,
    before,
  );
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  const differing = lines.find(({ seq, line }) => line === undefined || line.head !== hashes.get(seq));
  const finding =
    chain.findings[0] ?? (differing && { seq: differing.seq, problem: 'differs from the witness' });
  if (finding !== undefined) return { finding, checked: undefined };
  const isEnd = lines.length < limit;
  return { finding, checked: { upTo: isEnd ? 0 : last, wholeAt: isEnd ? now : wholeAt } };
}

const againAfterMs = 60 * 60_000;

/** What is wrong with the newest rows: they do not follow the row before them, or the last is not the one that the file noted. */
export function endFinding(tables: JournalTables, after: LineAt | undefined): Finding | undefined {
  const from = after ?? { seq: 0, head: chainStart };
  const chain = checkChain(tables.after(from.seq), from.seq, from.head);
  return [...chain.findings, ...newestMissing(chain, tables.end().noted)][0];
}
