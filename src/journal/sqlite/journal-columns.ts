/** The columns of a journal's tables, and what they hold for looking up rows and attempts. Pure. */

import { hash } from 'node:crypto';
import {
  countedAmount,
  dueAt,
  isDoubted,
  isPast,
  mayBeOpen,
  type YoungUntil,
  youngUntil,
} from '../attempt-state.ts';
import { verdictsIn } from '../rows/archived-rows.ts';
import { chainStart } from '../rows/chain.ts';
import {
  type AttemptRecord,
  attemptKey,
  type JournalRow,
  type SentRow,
  type VerdictRow,
} from '../rows/journal-rows.ts';
import type { FileKind } from './database.ts';

/**
 * `rows`: only ever added. `about`: the order of the row, or else its idempotency key, or else its change id (as the name of its
 * lock), or the setting, or the approval request. `attempts`: one line per SENT row, with its number and the number of the
 * attempt's newest row. `is_doubted`, `by_hand` (of one without an order): 1 or null. `is_open`: 1 or null, and 0 for one that is
 * unconfirmed for good (`isPast`). `due`: when a watched one is read again; `young_until`, `young_boot`: `youngUntil`; null for
 * all others. `counted`: what counts towards limits; `live`: 1 for real money, 2 if the row that said so is lost. `made`: ids of
 * refunds, and ids and links of creations. `again`: what `--again` named. `head`: one line. `id`: the name of its landmark, the
 * same as that of its witness until somebody accepts a copy; `mark`: see copy-marks.ts.
 */
export const journalKind: FileKind = {
  name: 'journal',
  tables: `
CREATE TABLE rows (
  seq INTEGER PRIMARY KEY, row TEXT NOT NULL, body TEXT, body_hash TEXT, prev TEXT NOT NULL, hash TEXT NOT NULL,
  type TEXT NOT NULL, time INTEGER NOT NULL, change TEXT NOT NULL, attempt INTEGER NOT NULL,
  origin TEXT, order_id TEXT, plan TEXT, ref TEXT, about TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_sent ON rows (change, attempt) WHERE type = 'sent';
CREATE INDEX row_about ON rows (about);
CREATE INDEX row_approval ON rows (time) WHERE type = 'approval';
CREATE TABLE attempts (
  sent INTEGER PRIMARY KEY, last INTEGER NOT NULL, about TEXT NOT NULL, has_order INTEGER NOT NULL,
  change TEXT NOT NULL, attempt INTEGER NOT NULL, origin TEXT NOT NULL, profile TEXT NOT NULL,
  idempotency_key INTEGER, kind TEXT NOT NULL, operator TEXT NOT NULL, desk TEXT, time INTEGER NOT NULL,
  amount INTEGER, currency TEXT, counted INTEGER NOT NULL, live INTEGER NOT NULL, is_open INTEGER, is_doubted INTEGER, due INTEGER,
  young_until INTEGER, young_boot TEXT, by_hand INTEGER
) STRICT;
CREATE INDEX attempt_about ON attempts (about);
CREATE INDEX attempt_time ON attempts (time, change, attempt);
CREATE INDEX attempt_origin ON attempts (origin, time, change, attempt);
CREATE INDEX attempt_operator ON attempts (operator, time, change, attempt);
CREATE INDEX attempt_kind ON attempts (kind, time, change, attempt) WHERE kind <> 'refund';
CREATE INDEX attempt_desk ON attempts (desk, time, change, attempt) WHERE desk IS NOT NULL;
CREATE INDEX attempt_key ON attempts (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX attempt_open ON attempts (is_open) WHERE is_open IS NOT NULL;
CREATE INDEX attempt_doubted ON attempts (is_doubted) WHERE is_doubted IS NOT NULL;
CREATE INDEX attempt_due ON attempts (due) WHERE due IS NOT NULL;
CREATE INDEX attempt_young ON attempts (young_until) WHERE young_until IS NOT NULL;
CREATE INDEX attempt_young_boot ON attempts (young_boot) WHERE young_boot IS NOT NULL;
CREATE INDEX attempt_by_hand ON attempts (by_hand) WHERE by_hand IS NOT NULL;
CREATE TABLE made (id TEXT NOT NULL, sent INTEGER NOT NULL, PRIMARY KEY (id, sent)) STRICT, WITHOUT ROWID;
CREATE TABLE again (name TEXT NOT NULL, sent INTEGER NOT NULL, PRIMARY KEY (name, sent)) STRICT, WITHOUT ROWID;
CREATE TABLE head (
  seq INTEGER NOT NULL, hash TEXT NOT NULL, witness TEXT, time INTEGER NOT NULL, id TEXT NOT NULL, mark TEXT
) STRICT;
INSERT INTO head VALUES (0, '${chainStart}', NULL, 0, lower(hex(randomblob(8))), NULL);`,
  steps: [],
};

/** Groups rows into attempts, in the order of their SENT rows. Skips a verdict without its SENT row. */
export function attemptsIn(
  rows: readonly { readonly seq: number; readonly row: JournalRow }[],
): readonly NumberedAttempt[] {
  const found = new Map<string, { seq: number; sent: SentRow; verdicts: VerdictRow[]; last: number }>();
  for (const { seq, row } of rows) {
    if (row.type === 'sent')
      found.set(attemptKey(row), { seq, sent: row, verdicts: [...verdictsIn(row)], last: seq });
    const known = row.type === 'verdict' ? found.get(attemptKey(row)) : undefined;
    if (known === undefined || row.type !== 'verdict') continue;
    known.verdicts.push(row);
    known.last = seq;
  }
  return [...found.values()];
}

/** An attempt with the numbers of its SENT row and its newest row. */
export interface NumberedAttempt extends AttemptRecord {
  readonly seq: number;
  readonly last: number;
}

/** The same, while rows are added to it. */
export interface OpenAttempt extends NumberedAttempt {
  readonly verdicts: VerdictRow[];
  last: number;
}

export const attemptColumns = [
  'sent',
  'last',
  'about',
  'has_order',
  'change',
  'attempt',
  'origin',
  'profile',
  'idempotency_key',
  'kind',
  'operator',
  'desk',
  'time',
  'amount',
  'currency',
  'counted',
  'live',
  'is_open',
  'is_doubted',
  'due',
  'young_until',
  'young_boot',
  'by_hand',
] as const;

/** The line of an attempt in the table `attempts`. */
export function listedOf(
  record: NumberedAttempt,
): Readonly<Record<(typeof attemptColumns)[number], string | number | null>> {
  const { seq, last, sent: row, verdicts } = record;
  const { change, attempt, origin, profile, proof, operator, time, stamp, idempotencyKey } = row;
  const { amount, currency, lost } = row;
  const young = youngUntil(record);
  const mark = (is: boolean) => (is ? 1 : null);
  return {
    sent: seq,
    last,
    about: aboutOf(row),
    has_order: proof.orderId === undefined ? 0 : 1,
    change,
    attempt,
    origin,
    profile,
    idempotency_key: idempotencyKey === undefined ? null : numberOfKey(idempotencyKey),
    kind: proof.kind,
    operator,
    desk: stamp?.desk ?? null,
    time,
    amount: amount ?? null,
    currency: currency ?? null,
    counted: countedAmount(record),
    live: lost === undefined ? Number(proof.livemode) : 2,
    is_open: mayBeOpen(verdicts.at(-1)) ? (isPast(record) ? 0 : 1) : null,
    is_doubted: mark(isDoubted(record)),
    due: dueAt(record) ?? null,
    young_until: young === undefined ? null : Math.min(young.time, Number.MAX_SAFE_INTEGER),
    young_boot: young?.boot === undefined ? null : bootText(young.boot),
    by_hand: mark(isCreationByHand(record)),
  };
}

/** The time since the machine started, as text that sorts by time within one start. */
export function bootText({ id, ms }: NonNullable<YoungUntil['boot']>): string {
  return `${id} ${String(Math.ceil(ms)).padStart(17, '0')}`;
}

/** Whether it has no order, and a person gave the last verdict. */
export function isCreationByHand({ sent, verdicts }: AttemptRecord): boolean {
  return sent.proof.orderId === undefined && verdicts.at(-1)?.by === 'person';
}

/** The ids of refunds, and the ids and links of creations, in a verdict. */
export function madeBy({ refunds = [], created, link }: VerdictRow): readonly string[] {
  return [...refunds.map(({ id }) => id), created, link].filter((id) => id !== undefined);
}

export function latestIn(row: SentRow | VerdictRow): number {
  const verdicts = row.type === 'sent' ? verdictsIn(row) : [];
  return Math.max(row.time, ...verdicts.map(({ time }) => time));
}

/** What a row that is not a verdict is about. Each setting has its own value, so reading one does not read all. */
export function aboutOfOther(row: Exclude<JournalRow, VerdictRow>): string {
  if (row.type === 'sent') return aboutOf(row);
  return row.type === 'approval' ? aboutOfApproval(row.requestId) : aboutOfSetting(row.name);
}

export function aboutOfApproval(id: string): string {
  return `approval ${id}`;
}

export function aboutOfSetting(name: string): string {
  return `setting ${name}`;
}

/** The range of `about` values of settings with this prefix (`` or `member/`). */
export function settingRange(prefix: string): readonly [string, string] {
  return [aboutOfSetting(prefix), prefix === '' ? 'setting!' : aboutOfSetting(`${prefix.slice(0, -1)}0`)];
}

/** What a change is about: its order, or else the idempotency key, or else its id. */
export function aboutOf({ proof, idempotencyKey, change }: SentRow): string {
  return proof.orderId ?? idempotencyKey ?? change;
}

/** The number used to look up an idempotency key. Two keys may share one, so the rows decide. */
export function numberOfKey(idempotencyKey: string): number {
  return Number.parseInt(hash('sha256', idempotencyKey).slice(0, 12), 16);
}
