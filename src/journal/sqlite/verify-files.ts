/** Checks the rows of the journal in order: all of them for `verify`, or a few in passing while a command waits. */

import type { DatabaseSync } from 'node:sqlite';
import { orUndefined } from '../../errors.ts';
import { archivedBy } from '../rows/archived-rows.ts';
import { chainStart, checkChain, type StoredRow, unlink } from '../rows/chain.ts';
import {
  type Finding,
  newestMissing,
  type Verification,
  type WitnessVerification,
} from '../rows/journal-store.ts';
import { isInUse } from './database.ts';
import type { NumberedAttempt } from './journal-columns.ts';
import type { JournalTables, RowsEnd } from './journal-tables.ts';
import { LookedUp } from './looked-up.ts';
import type { Checked, Witness } from './witness/witness.ts';
import { mismatchOf, type Places, proofOf } from './witness/witness-check.ts';
import type { FoundWitness } from './witness/witness-file.ts';

// The most findings to report.
const told = 1000;

/**
 * Reads both files as they are at one moment, the witness first. Nobody writes meanwhile, so a long check reads in many short
 * moments: a refund need not wait for its end.
 */
export type AtOneMoment = <T>(read: () => T) => T;

/** For files that nobody writes to. */
export const untouched: AtOneMoment = (read) => read();

interface Verifying {
  /** A hash noted elsewhere. */
  readonly head?: string | undefined;
  readonly moment: AtOneMoment;
  /** Is given each attempt when its last row was read. */
  readonly attempt?: ((record: NumberedAttempt) => void) | undefined;
}

/** Reads every row and witness line, also those that others add meanwhile. Damage is a finding. */
export function verifyFiles(
  tables: JournalTables | undefined,
  found: FoundWitness,
  places: Places | undefined,
  how: Verifying,
): Verification {
  const parts = verifiedParts(tables, found, places, how);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** The same, and gives the rows on the way, part by part: only the end says whether they are whole. */
export function* verifiedParts(
  tables: JournalTables | undefined,
  found: FoundWitness,
  places: Places | undefined,
  how: Verifying,
): Generator<readonly StoredRow[], Verification> {
  const { head, moment } = how;
  const rows = tables === undefined ? noRows(head) : yield* readAll(tables, found, how);
  const compared =
    places === undefined
      ? none
      : moment(() => compareWitness(rows.count, rows.differing, tables, found, places));
  const findings = [...rows.findings, ...compared.mismatches];
  return {
    rows: rows.count,
    settings: rows.settings,
    head: rows.head,
    findings: (findings.length === 0 ? moment(() => openOtherwise(tables, found)) : findings).slice(0, told),
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
  /** Problems with witness lines, in words. */
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

function* readAll(
  tables: JournalTables,
  found: FoundWitness,
  { head, moment, attempt }: Verifying,
): Generator<readonly StoredRow[], ReadRows> {
  const findings = moment(() => orFinding(() => pageFindings(tables.db)));
  const differing: string[] = [];
  let [count, settings, at, last] = [0, 0, 0, chainStart];
  let knowsHead = head === chainStart;
  let isRead = false;
  let part: readonly StoredRow[] = [];
  const lookedUp = new LookedUp(tables, attempt);
  const readPart = (): Finding[] => {
    const { rows, isLast } = tables.part(at);
    part = rows;
    const chain = checkChain(rows, at, last);
    findings.push(...chain.findings, ...lookedUp.read(rows));
    if (found.is === 'whole') differing.push(...differences(rows, at, found.witness));
    count += rows.length;
    settings += rows.filter(({ type }) => type === 'setting').length;
    knowsHead ||= head !== undefined && rows.some((row) => row.hash === head || headBefore(row) === head);
    [at, last, isRead] = [chain.seq, chain.head, isLast];
    return isLast ? [...newestMissing({ seq: at, head: last }, tables.end().noted), ...lookedUp.end()] : [];
  };
  // Nothing is read after an unreadable part.
  const readNext = () => {
    [part, isRead] = [[], true];
    return orFinding(readPart);
  };
  while (!isRead) {
    findings.push(...moment(readNext));
    yield part;
  }
  return { count, settings, head: last, knowsHead, findings, differing };
}

/**
 * The rows up to `end`, oldest first. Calls `refuse`, which throws, at the first row that was changed or differs from the witness.
 * Does not check the lookup tables: they are rebuilt from these rows.
 */
export function* wholeRows(
  tables: JournalTables,
  found: FoundWitness,
  places: Places | undefined,
  { end, moment, refuse }: WholeRows,
): Generator<StoredRow> {
  const mismatch = () => places && orUncompared(() => mismatchOf(found, tables, places));
  if (moment(mismatch) !== undefined) refuse();
  let [at, last] = [0, chainStart];
  for (let isRead = false; !isRead; ) {
    const { rows, isLast, differing } = moment(() => {
      const part = tables.part(at);
      return { ...part, differing: found.is === 'whole' ? differences(part.rows, at, found.witness) : [] };
    });
    const own = rows.filter(({ seq }) => seq <= end.seq);
    const chain = checkChain(own, at, last);
    if (chain.findings.length > 0 || differing.length > 0) refuse();
    yield* own;
    [at, last, isRead] = [chain.seq, chain.head, isLast || chain.seq === end.seq];
  }
  if (newestMissing({ seq: at, head: last }, end.noted).length > 0) refuse();
}

interface WholeRows {
  /** The end of the rows at the start. Rows added later are skipped. */
  readonly end: RowsEnd;
  readonly moment: AtOneMoment;
  readonly refuse: () => never;
}

// The head of the archived journal, if a row names it.
function headBefore(stored: StoredRow): string | undefined {
  const row = stored.type === 'setting' ? orUndefined(() => unlink(stored)) : undefined;
  return row?.type === 'setting' ? archivedBy(row)?.head : undefined;
}

// Whether the attempts that may be open are those in the witness.
function openOtherwise(tables: JournalTables | undefined, found: FoundWitness): Finding[] {
  if (tables === undefined || found.is !== 'whole') return [];
  const { witness } = found;
  return orFinding(() => {
    const open = tables.sql('SELECT sent FROM attempts WHERE is_open IS NOT NULL').all();
    return [proofOf(witness, tables).open(open.map(({ sent }) => Number(sent))) ?? []].flat();
  });
}

function differences(rows: readonly StoredRow[], after: number, witness: Witness): readonly string[] {
  const last = rows.at(-1)?.seq ?? after;
  const heads = witness.headsAfter(after, last - after);
  const isSame = rows.every(({ seq, hash }, at) => heads[at]?.seq === seq && heads[at].head === hash);
  if (isSame && heads.length === rows.length) return [];
  const lines = new Map(heads.map(({ seq, head }) => [seq, head]));
  const end = witness.end();
  const known = end === undefined || end === 'damaged' ? 0 : end.seq;
  const broken = [...lines].flatMap(([seq, head]) =>
    head === undefined ? [`line ${seq} of the witness is damaged`] : [],
  );
  const others = rows.flatMap(({ seq, hash }) => {
    if (!lines.has(seq)) return seq <= known ? [`line ${seq} of the witness is missing`] : [];
    const head = lines.get(seq);
    return head === undefined || head === hash ? [] : [`row ${seq} differs from the witness`];
  });
  return [...broken, ...others];
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
    // The caller waits for its turn and asks again.
    if (isInUse(error)) throw error;
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
  const lines = found.is === 'whole' ? (orUndefined(() => found.witness.count()) ?? 0) : 0;
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

// Damage to the journal is reported elsewhere; here it only prevents the comparison.
function orUncompared(look: () => ReturnType<typeof mismatchOf>): ReturnType<typeof mismatchOf> {
  try {
    return look();
  } catch (error) {
    return { state: 'damaged', problem: `cannot be compared with its witness: ${String(error)}` };
  }
}

// ── In passing ──────────────────────────────────────────────────────────────────────────────────

/**
 * Checks at most `limit` next rows: their chain, and that the witness has exactly these. After the newest it starts again. `now`:
 * Unix milliseconds.
 */
export function checkSome(
  tables: JournalTables,
  witness: Witness,
  { limit, now }: { readonly limit: number; readonly now: number },
): {
  readonly finding: Finding | undefined;
  /** How far it got; undefined if no further than before. */
  readonly checked: Checked | undefined;
} {
  const { upTo, wholeAt } = witness.checked();
  // Not every run checks a short journal again.
  if (upTo === 0 && wholeAt !== undefined && now - wholeAt < againAfterMs)
    return { finding: undefined, checked: undefined };
  const [lines, rows] = [witness.headsAfter(upTo, limit), tables.after(upTo, limit)];
  const before = tables.at(upTo)?.hash ?? chainStart;
  const last = lines.at(-1)?.seq ?? upTo;
  const chain = checkChain(
    rows.filter(({ seq }) => seq <= last),
    upTo,
    before,
  );
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  const differing = lines.find(({ seq, head }) => head === undefined || head !== hashes.get(seq));
  const finding =
    chain.findings[0] ?? (differing && { seq: differing.seq, problem: 'differs from the witness' });
  if (finding !== undefined) return { finding, checked: undefined };
  const isEnd = lines.length < limit;
  return { finding, checked: { upTo: isEnd ? 0 : last, wholeAt: isEnd ? now : wholeAt } };
}

const againAfterMs = 60 * 60_000;
