/**
 * Makes the rows of a repaired journal: from the rows that can be read, and from what the witness knows about the others. If
 * neither proves the outcome of an attempt, it is unconfirmed in the new journal, so its order stays blocked. Pure.
 */

import { changeKinds } from '../change.ts';
import type { StoredRow } from './chain.ts';
import { attemptKey, type JournalRow, type SentRow, type VerdictRow } from './journal-rows.ts';
import type { NamedChange, Repair } from './journal-store.ts';
import type { WitnessLine, WitnessSent, WitnessText, WitnessVerdict } from './witness-lines.ts';

/** A row that is just as it was written. */
export interface Salvaged {
  readonly seq: number;
  readonly hash: string;
  readonly row: JournalRow;
}

/** What is left of a journal. */
export interface Salvage {
  readonly rows: readonly Salvaged[];
  /** Rows that were changed, but whose columns and text still name the same order. */
  readonly changed: readonly StoredRow[];
  /** The number of the newest row, as far as the store tells. */
  readonly last: number;
  /** Parts of the store, such as pages of a file, that could not be read. */
  readonly unreadable: number;
}

/** The rows of the new journal, and which rows of the old one it lacks. */
interface Rebuilt extends Pick<Repair, 'kept' | 'doubtful' | 'lost' | 'blocked' | 'unblocked'> {
  /** Every SENT row comes before its verdicts. */
  readonly rows: readonly JournalRow[];
}

interface Attempt {
  readonly sent: SentRow;
  readonly from: 'journal' | 'changed row' | 'witness' | 'nothing';
  readonly verdicts: VerdictRow[];
}

/** Puts journal and witness together. Unreadable rows become one attempt with the time `now` (Unix milliseconds). */
export function rebuildRows(found: Salvage, witness: WitnessText | undefined, now: number): Rebuilt {
  const lines = new Map((witness?.lines ?? []).map((line) => [line.seq, line] as const));
  const attempts = attemptsFrom(found, lines);
  for (const { row } of found.rows)
    if (row.type === 'verdict') attempts.get(attemptKey(row))?.verdicts.push(row);
  const hashes = new Set(found.rows.map(({ hash }) => hash));
  const lastLines = lastVerdicts(lines);
  for (const [key, last] of lastLines) addLostVerdict(attempts.get(key), last, hashes.has(last.head));
  for (const changed of found.changed) if (!lines.has(changed.seq)) doubtVerdict(attempts, changed);
  // A verdict without its SENT row has no place.
  const kept = found.rows.filter(({ row }) => row.type !== 'verdict' || attempts.has(attemptKey(row)));
  const others = kept.flatMap(({ row }) => (row.type === 'sent' || row.type === 'verdict' ? [] : [row]));
  const unknown = unaccounted(found, witness, lines, attempts);
  if (unknown !== undefined) attempts.set('nothing', strayAttempt(unknown, now));
  const doubtful = changedSents(found, lines, attempts);
  const accounted = new Set([...kept, ...doubtful].map(({ seq }) => seq));
  const damaged = new Set(found.changed.filter(({ type }) => type === 'verdict').map(attemptKey));
  // Whether its last verdict is still there, as far as anything tells.
  const isWhole = ({ sent, from }: Attempt): boolean => {
    const last = lastLines.get(attemptKey(sent));
    const isThere = last === undefined ? !damaged.has(attemptKey(sent)) : hashes.has(last.head);
    return from === 'journal' && isThere;
  };
  const isBlocked = (one: Attempt) => one.from === 'nothing' || (hasOpenEnd(one) && !isWhole(one));
  const all = [...attempts.values()];
  return {
    rows: inOrder(all, others),
    kept: kept.length,
    doubtful: doubtful.length,
    lost: upTo(newestOf(found, witness, lines)).filter((seq) => !accounted.has(seq)),
    blocked: all.filter(isBlocked).map(named),
    unblocked: all.filter((one) => one.from !== 'journal' && !isBlocked(one)).map(named),
  };
}

function named({ sent: { change, proof } }: Attempt): NamedChange {
  return { change, orderId: proof.orderId };
}

function attemptsFrom(found: Salvage, lines: ReadonlyMap<number, WitnessLine>): Map<string, Attempt> {
  const attempts = new Map<string, Attempt>();
  for (const { row } of found.rows)
    if (row.type === 'sent') attempts.set(attemptKey(row), { sent: row, from: 'journal', verdicts: [] });
  for (const line of lines.values())
    if (line.type === 'sent' && !attempts.has(attemptKey(line)))
      attempts.set(attemptKey(line), { sent: lostRow(remembered(line)), from: 'witness', verdicts: [] });
  for (const changed of found.changed)
    if (changed.type === 'sent' && !lines.has(changed.seq) && !attempts.has(attemptKey(changed)))
      attempts.set(attemptKey(changed), {
        sent: lostRow(guessed(changed)),
        from: 'changed row',
        verdicts: [],
      });
  return attempts;
}

function remembered({ seq: _, head: __, type: ___, body: ____, order, key, ...of }: WitnessSent): Remembered {
  return { ...of, orderId: order ?? undefined, keyFingerprint: key ?? undefined };
}

// A row that lacks its account or its order may be any change, so it gets no account.
function guessed({ change, attempt, time, origin, order_id }: StoredRow): Remembered {
  const account = origin === null || order_id === null ? '' : origin;
  const of = { change, attempt, time, kind: 'unknown', orderId: order_id ?? undefined } as const;
  return { ...of, origin: account, account, profile: '', livemode: false };
}

interface Remembered
  extends Pick<SentRow, 'change' | 'attempt' | 'time' | 'origin' | 'account' | 'profile' | 'keyFingerprint'> {
  readonly kind: NonNullable<SentRow['lost']>;
  readonly orderId: string | undefined;
  readonly livemode: boolean;
}

// Stands in for a lost SENT row. No read can prove its outcome, so a person must settle it. Until then it blocks its
// order, or every change that it may have been.
function lostRow(known: Remembered): SentRow {
  const { kind, orderId, livemode, ...of } = known;
  return {
    ...of,
    type: 'sent',
    lost: kind,
    sendBy: known.time,
    // The horizon was lost with the row, so it never ends.
    horizonMs: Number.MAX_SAFE_INTEGER,
    operator: 'not known, the row was damaged',
    request: { method: 'POST', path: '' },
    proof: { kind: 'api', orderId, livemode, expected: [], tolerated: [], before: { charges: [] } },
  };
}

function lastVerdicts(lines: ReadonlyMap<number, WitnessLine>): ReadonlyMap<string, WitnessVerdict> {
  const last = new Map<string, WitnessVerdict>();
  for (const line of lines.values()) if (line.type === 'verdict') last.set(attemptKey(line), line);
  return last;
}

// The last verdict counts. If it is lost, the one before it must not count instead.
function addLostVerdict(attempt: Attempt | undefined, last: WitnessVerdict, isThere: boolean): void {
  if (attempt === undefined) return;
  const { sent, from, verdicts } = attempt;
  const isEnd = last.final && (last.verdict !== 'applied' || !changeKinds[sent.proof.kind].provable);
  if (isEnd && !isThere) verdicts.push(endRow(sent, last));
  else if (hasVerdict(attempt) && (!isThere || (from === 'witness' && !last.final)))
    verdicts.push(unknownRow(sent, last.time));
}

// The verdicts of an archived attempt are in its SENT row.
function hasVerdict({ sent, verdicts }: Attempt): boolean {
  return verdicts.length > 0 || sent.archived !== undefined;
}

// A verdict that was changed proves nothing, so its attempt is unconfirmed.
function doubtVerdict(attempts: ReadonlyMap<string, Attempt>, changed: StoredRow): void {
  const attempt = changed.type === 'verdict' ? attempts.get(attemptKey(changed)) : undefined;
  if (attempt === undefined || !hasVerdict(attempt)) return;
  attempt.verdicts.push(
    unknownRow(attempt.sent, Math.max(attempt.sent.time, ...attempt.verdicts.map(({ time }) => time))),
  );
}

function endRow({ change, attempt }: SentRow, { time, verdict, by }: WitnessVerdict): VerdictRow {
  const why = 'the row was lost; the witness of the journal has its result';
  return {
    type: 'verdict',
    change,
    attempt,
    time,
    verdict,
    by,
    why,
    confirmed: verdict === 'rejected' || undefined,
  };
}

function unknownRow({ change, attempt }: SentRow, time: number): VerdictRow {
  const why = 'a later result was lost with a damaged row';
  return { type: 'verdict', change, attempt, time, verdict: 'unknown', by: 'sender', why };
}

function hasOpenEnd({ verdicts }: Attempt): boolean {
  const last = verdicts.at(-1)?.verdict;
  return last === undefined || last === 'unknown' || last === 'not_seen';
}

// The number of a row that neither file knows. It may have been a SENT row on any order.
function unaccounted(
  found: Salvage,
  witness: WitnessText | undefined,
  lines: ReadonlyMap<number, WitnessLine>,
  attempts: ReadonlyMap<string, Attempt>,
): number | undefined {
  const whole = new Set(found.rows.map(({ seq }) => seq));
  // A changed row about no attempt was not a SENT row: columns and text still say so.
  const isKnown = (row: StoredRow) =>
    ['setting', 'limit', 'approval'].includes(row.type) || attempts.has(attemptKey(row));
  const named = new Set(found.changed.filter(isKnown).map(({ seq }) => seq));
  const newest = newestOf(found, witness, lines);
  const gap = upTo(newest).find((seq) => !whole.has(seq) && !named.has(seq) && !lines.has(seq));
  if (gap !== undefined && !(gap === newest && mayWait(gap, witness, attempts))) return gap;
  // Without a readable witness nobody knows how many rows there were. Unreadable pages may have held some. So may a
  // journal that is gone while its witness is still there.
  const isCut = witness !== undefined && mayLackEnd(witness, found, newest);
  if (witness?.key !== undefined && !isCut) return undefined;
  const gone = witness !== undefined && newest === 0;
  return found.unreadable > 0 || gone || isCut ? newest + 1 : undefined;
}

// Whether a whole witness knows every row before this one, so that this one is a SENT row whose request was not sent, or the
// first verdict on a change, which is unconfirmed without it.
function mayWait(
  seq: number,
  witness: WitnessText | undefined,
  attempts: ReadonlyMap<string, Attempt>,
): boolean {
  if (witness?.key === undefined || witness.unreadable > 0 || witness.lines.length !== seq - 1) return false;
  return [...attempts.values()].some((one) => !hasVerdict(one));
}

// What is left of a witness may have known rows that nobody knows now, unless the journal is whole and ends where its lines do.
function mayLackEnd(
  { key, lines, broken, unreadable }: WitnessText,
  found: Salvage,
  newest: number,
): boolean {
  const isWitness = key !== undefined || broken.length > 0;
  if (!isWitness || unreadable === 0) return false;
  const end = newestIn([lines.at(-1)?.seq ?? 0, ...broken]);
  return newest === 0 || end < newest || found.unreadable > 0 || found.rows.length < newest;
}

function newestOf(
  found: Salvage,
  witness: WitnessText | undefined,
  lines: ReadonlyMap<number, WitnessLine>,
): number {
  return newestIn([found.last, ...lines.keys(), lines.size + (witness?.broken.length ?? 0)]);
}

// A number above this one is damaged.
const mostRows = 20_000_000;

/** The largest of these numbers of rows. Leaves out those that damage has made too large. */
export function newestIn(numbers: readonly number[]): number {
  return numbers.reduce((newest, seq) => (seq > newest && seq <= mostRows ? seq : newest), 0);
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

function strayAttempt(seq: number, now: number): Attempt {
  const of = {
    change: `i_lost${now}x${seq}`,
    attempt: 1,
    time: now,
    kind: 'unknown',
    orderId: undefined,
  } as const;
  const sent = lostRow({ ...of, origin: '', account: '', profile: '', livemode: false });
  return { sent, from: 'nothing', verdicts: [] };
}

// Changed SENT rows that became unconfirmed attempts. The witness names the attempt, or else the columns do.
function changedSents(
  found: Salvage,
  lines: ReadonlyMap<number, WitnessLine>,
  attempts: ReadonlyMap<string, Attempt>,
): readonly { readonly seq: number; readonly change: string; readonly attempt: number }[] {
  return found.changed
    .map(({ seq, type, change, attempt }) => {
      const line = lines.get(seq);
      return line === undefined || line.type === 'setting' ? { seq, type, change, attempt } : line;
    })
    .filter((row) => {
      const attempt = attempts.get(attemptKey(row));
      return row.type === 'sent' && attempt !== undefined && attempt.from !== 'journal';
    });
}

// Sorted by time. A damaged time must not put a verdict before its SENT row.
function inOrder(attempts: readonly Attempt[], others: readonly JournalRow[]): readonly JournalRow[] {
  const ofAttempts = attempts.flatMap(({ sent, verdicts }) => {
    const rows: readonly JournalRow[] = [sent, ...verdicts];
    return rows.map((row) => ({ at: Math.max(sent.time, row.time), row }));
  });
  const timed = [...ofAttempts, ...others.map((row) => ({ at: row.time, row }))];
  return timed.toSorted((one, other) => one.at - other.at).map(({ row }) => row);
}
