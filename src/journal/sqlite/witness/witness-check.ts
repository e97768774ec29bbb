/** Compares the journal with its witness: both ends before every change, and an order's rows whenever they are used. */

import { CliError, refused } from '../../../errors.ts';
import { writeAtOnce } from '../../../sqlite.ts';
import { mayBeOpen } from '../../attempt-state.ts';
import { verdictsIn } from '../../rows/archived-rows.ts';
import { chainStart, checkChain, type StoredRow, written } from '../../rows/chain.ts';
import { attemptKey, type VerdictRow } from '../../rows/journal-rows.ts';
import { type Finding, newestMissing } from '../../rows/journal-store.ts';
import { hashUnder, type LineAt, nameOf, type WitnessLine } from '../../rows/witness-lines.ts';
import { isBroken } from '../database.ts';
import { aboutOf, aboutOfOther, numberOfKey } from '../journal-columns.ts';
import type { JournalFile } from '../journal-file.ts';
import { begunMax, type JournalTables, type SentAt } from '../journal-tables.ts';
import type { RowProof } from '../known-journal.ts';
import type { NewLine, Witness } from './witness.ts';
import { type FoundWitness, unwritten } from './witness-file.ts';

export interface Mismatch {
  readonly state: 'journal behind' | 'damaged';
  readonly problem: string;
}

/** Where the two files are. */
export interface Places {
  readonly journal: string;
  readonly witness: JournalFile;
}

/**
 * How journal and witness differ; undefined if they match. `tables` is undefined if there is no journal file. Read the end of the
 * witness before that of the journal: another run writes its row before its line.
 */
export function mismatchOf(
  found: FoundWitness,
  tables: JournalTables | undefined,
  { journal, witness }: Places,
): Mismatch | undefined {
  const named = `the witness ${witness.path} of the journal`;
  const damaged = (problem: string): Mismatch => ({ state: 'damaged', problem: `${named} ${problem}` });
  if (found.is === 'damaged') return damaged(found.problem);
  if (found.is === 'missing') return tables?.end().witness === undefined ? undefined : damaged('is missing');
  const last = orDamaged(() => found.witness.end());
  if (last === 'damaged') return damaged('has a damaged end');
  const end = tables?.end();
  if (last !== undefined && tables?.at(last.seq)?.hash !== last.head)
    return behind(end?.seq ?? 0, last, journal);
  if (end?.witness !== undefined && end.witness !== nameOf(found.witness.key))
    return damaged('belongs to another journal');
  return undefined;
}

function orDamaged<T>(read: () => T): T | 'damaged' {
  try {
    return read();
  } catch (error) {
    if (isBroken(error)) return 'damaged';
    throw error;
  }
}

function behind(rows: number, last: LineAt, journal: string): Mismatch {
  const missing = last.seq - rows;
  const problem =
    missing > 0
      ? `the journal ${journal} is older than its witness: ${missing} of ${last.seq} rows ${missing === 1 ? 'is' : 'are'} missing`
      : `the journal ${journal} does not belong to its witness: row ${last.seq} differs`;
  return { state: 'journal behind', problem };
}

/** The refusal of changes while journal and witness differ. */
export function refusalOf(
  { state, problem }: Mismatch,
  found: FoundWitness,
  tables: JournalTables | undefined,
): CliError {
  const way =
    state === 'damaged'
      ? ['put the witness back, or rebuild it from the journal:']
      : [
          ...unprovenWords(found, tables),
          'put the right journal back; or, so that the orders of the missing rows stay blocked until you settle them:',
        ];
  const certain = 'nothing was sent, and no change is made until this is repaired';
  return refused(problem, [...way, 'paydesk journal verify --repair'], { certain });
}

const shown = 5;
// The most missing rows to read when naming what people must look at first.
const looked = 10_000;

function unprovenWords(found: FoundWitness, tables: JournalTables | undefined): readonly string[] {
  if (found.is !== 'whole') return [];
  const lines = found.witness
    .after(Math.max(0, (tables?.end().seq ?? 0) - shown), looked)
    .flatMap(({ line }) => line ?? []);
  const missing = lines.flatMap((line) =>
    line.type === 'setting' || tables?.at(line.seq)?.hash === line.head ? [] : [line],
  );
  const ended = new Set(missing.filter((line) => line.type === 'verdict' && line.final).map(attemptKey));
  const open = new Map(
    missing.filter((line) => !ended.has(attemptKey(line))).map((line) => [attemptKey(line), line] as const),
  );
  if (open.size === 0) return [];
  const names = [...open.values()]
    .slice(0, shown)
    .map(({ change, order }) => `${order ?? 'no order'} (${change})`);
  const more = open.size > shown ? ` and ${open.size - shown} more` : '';
  return [`unconfirmed, and missing in the journal: ${names.join(', ')}${more}`];
}

// ── The rows that are used ──────────────────────────────────────────────────────────────────────

/**
 * Proves rows of the journal with its witness. Rows after the newest line count if they follow it without a gap: another run is
 * adding its line, or was killed before it did. If they do not, the answer to each question about rows is that finding.
 */
export function proofOf(witness: Witness, tables: JournalTables): RowProof {
  const last = witness.end();
  const known = last === undefined || last === 'damaged' ? { seq: 0, head: chainStart } : last;
  const tail = tables.after(known.seq);
  const chain = checkChain(tail, known.seq, known.head);
  const [gap] = [...chain.findings, ...newestMissing(chain, tables.end().noted)];
  const differs = (seq: number | undefined, problem: string) =>
    gap ?? (seq === undefined ? undefined : { seq, problem });
  // Read by number, so that a lost index entry hides none of them.
  let lines: readonly NewLine[] | undefined;
  const unwitnessed = () => {
    lines ??= tail.map((stored) => lineFor(stored, (row) => tables.sentOf(row), undefined));
    return lines;
  };
  return {
    about: (about, rows) => {
      if (gap !== undefined) return gap;
      const later = unwitnessed().flatMap((one) => (one.about === about ? [one.line] : []));
      return differenceOf([...witness.about(about), ...later], rows);
    },
    settingAbouts: (prefix) => witness.settingAbouts(prefix),
    end: () => gap,
    open: (sents) =>
      differs(
        differenceIn(openAfter(witness.openSents(), unwitnessed()), sents),
        'is about a change that may be open, but the journal does not list it as the witness does',
      ),
    idempotencyKey: (number, sents) => {
      const later = unwitnessed().flatMap((one) => (one.idempotencyKey === number ? [one.line.seq] : []));
      return differs(
        differenceIn([...witness.sentsUnderKey(number), ...later], sents),
        'is not found by its idempotency key as in the witness',
      );
    },
  };
}

/** Proves rows by the witness. While the two differ, rows are shown unproven: nothing is sent, and every command warns. */
export function proofBy(
  found: FoundWitness,
  tables: JournalTables,
  places: Places | undefined,
): RowProof & { readonly mismatch: Mismatch | undefined } {
  const mismatch = places && mismatchOf(found, tables, places);
  const isWhole = found.is === 'whole' && mismatch === undefined;
  return { ...(isWhole ? proofOf(found.witness, tables) : proofOfEnd(tables)), mismatch };
}

// The checks possible without a witness: whether the newest row is the one that the journal noted and, before a change, whether
// the rows follow each other.
function proofOfEnd(tables: JournalTables): RowProof {
  const { seq, hash, noted } = tables.end();
  const finding = () => newestMissing({ seq, head: hash }, noted)[0];
  const end = () => {
    const chain = checkChain(tables.each());
    return [...chain.findings, ...newestMissing(chain, noted)][0];
  };
  return { about: finding, settingAbouts: () => [], end, open: finding, idempotencyKey: finding };
}

// The first row that only one of the two has, or that differs.
function differenceOf(lines: readonly LineAt[], rows: readonly StoredRow[]): Finding | undefined {
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  for (const { seq, head } of lines) {
    const hash = hashes.get(seq);
    if (hash === undefined) return { seq, problem: 'is missing' };
    if (hash !== head) return { seq, problem: 'differs from the witness' };
    hashes.delete(seq);
  }
  const [added] = hashes.keys();
  return added === undefined ? undefined : { seq: added, problem: 'is not known to the witness' };
}

function differenceIn(known: readonly number[], found: readonly number[]): number | undefined {
  const [ofKnown, ofFound] = [new Set(known), new Set(found)];
  return known.find((seq) => !ofFound.has(seq)) ?? found.find((seq) => !ofKnown.has(seq));
}

// What may be open once the rows without a line are counted too.
function openAfter(open: readonly number[], later: readonly NewLine[]): readonly number[] {
  const all = new Set(open);
  for (const { attempt } of later) {
    if (attempt?.isOpen === true) all.add(attempt.sent);
    else if (attempt !== undefined) all.delete(attempt.sent);
  }
  return [...all];
}

// ── Lines for new rows ──────────────────────────────────────────────────────────────────────────

/** Adds a line for every row that the witness lacks. Throws CliError 'refused' if they do not follow its newest line. */
export function catchUp(witness: Witness, tables: JournalTables, places: Places): void {
  const isBehind = () => {
    const last = witness.end();
    return last !== 'damaged' && (last?.seq ?? 0) < tables.end().seq;
  };
  if (!isBehind()) return;
  try {
    writeAtOnce(witness.db, () => {
      const found = mismatchOf({ is: 'whole', witness }, tables, places);
      if (found !== undefined) throw refusalOf(found, { is: 'whole', witness }, tables);
      const last = witness.end();
      if (last !== 'damaged') witness.add(linesAfter(tables, last?.seq ?? 0, witness.key));
    });
  } catch (error) {
    throw error instanceof CliError ? error : unwritten(places.witness.path, error);
  }
}

/** `key`: that of the witness. */
export function* linesAfter(tables: JournalTables, seq: number, key: string): Generator<NewLine> {
  // Most verdicts soon follow their SENT row.
  const begun = new Map<string, SentAt>();
  const sentOf = (row: VerdictRow) => begun.get(attemptKey(row)) ?? tables.sentOf(row);
  for (const stored of tables.each(seq)) {
    const added = lineFor(stored, sentOf, key);
    yield added;
    const { line, about } = added;
    if (line.type !== 'sent') continue;
    if (begun.size >= begunMax) begun.clear();
    begun.set(attemptKey(line), { seq: line.seq, about, orderId: line.order ?? undefined });
  }
}

// Without a key there is no hash of the body.
function lineFor(
  stored: StoredRow,
  sentOf: (row: VerdictRow) => SentAt | undefined,
  key: string | undefined,
): NewLine {
  const row = written(stored);
  const { seq, hash: head } = stored;
  if (row.type !== 'sent' && row.type !== 'verdict') {
    // A team's limits and approval requests count as settings: losing them loses no attempt.
    const named =
      row.type === 'setting' ? { profile: row.profile, name: row.name } : { profile: '', name: row.type };
    return {
      line: { type: 'setting', seq, head, time: row.time, ...named },
      about: aboutOfOther(row),
      idempotencyKey: undefined,
    };
  }
  const { change, attempt, time } = row;
  const of = { seq, head, change, attempt, time };
  if (row.type === 'verdict') {
    const { verdict, by } = row;
    const sent = sentOf(row);
    const final = !mayBeOpen(row);
    const line: WitnessLine = { type: 'verdict', ...of, order: sent?.orderId ?? null, verdict, by, final };
    return {
      line,
      about: sent?.about ?? '',
      idempotencyKey: undefined,
      attempt: sent && { sent: sent.seq, isOpen: !final },
    };
  }
  const { origin, account, profile, proof, keyFingerprint = null, idempotencyKey } = row;
  const line: WitnessLine = {
    type: 'sent',
    ...of,
    order: proof.orderId ?? null,
    kind: row.lost ?? proof.kind,
    origin,
    account,
    profile,
    livemode: proof.livemode,
    key: keyFingerprint,
    // The journal keeps this hash when it erases a body, so it can always be compared.
    body: stored.body_hash === null || key === undefined ? null : hashUnder(key, stored.body_hash),
  };
  return {
    line,
    about: aboutOf(row),
    idempotencyKey: idempotencyKey === undefined ? undefined : numberOfKey(idempotencyKey),
    attempt: { sent: seq, isOpen: mayBeOpen(verdictsIn(row).at(-1)) },
  };
}
