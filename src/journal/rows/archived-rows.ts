/**
 * Makes the rows of an archived journal: the one short SENT row, with its verdicts, that `journal archive` leaves of an attempt
 * that ended long ago; and the row that says from which journal the new one comes. Pure.
 */

import { dayMs } from '../../api/spec.ts';
import { horizonOf, isUnsettled } from '../attempt-state.ts';
import type { AttemptRecord, SentRow, SettingRow, VerdictRow } from './journal-rows.ts';

/** Nobody archives what was sent in the last 30 days. */
export const keptAtLeastMs = 30 * dayMs;

/**
 * Whether the attempts on an order can be archived: each was sent before a time (Unix milliseconds), its horizon had ended by
 * then, and nothing about it is unfinished. A refund that a person recorded is compared with what its order shows, and an alarm
 * with the refunds that were there; both need the order as it was, so all attempts on such an order stay as they are.
 */
export function areOver(attempts: readonly AttemptRecord[], before: number): boolean {
  return attempts.every((record) => isOverBefore(record, before));
}

function isOverBefore(record: AttemptRecord, before: number): boolean {
  const { sent, verdicts } = record;
  const isPlain = verdicts.every(
    ({ by, alarm, acknowledged }) => by !== 'person' && alarm === undefined && acknowledged === undefined,
  );
  return (
    isPlain &&
    sent.lost === undefined &&
    sent.time < before &&
    horizonOf(record) < before &&
    !isUnsettled(record) &&
    // It must count as finished without the clocks of its rows too, since the short row leaves them out.
    !isUnsettled({ sent, verdicts: verdicts.map(withoutClocks) })
  );
}

/** The row instead of all rows of an attempt. `at`: when it was archived, Unix milliseconds. */
export function inShort({ sent, verdicts }: AttemptRecord, at: number): SentRow {
  const { clocks: _, note: __, neighbour: ___, version: ____, request, proof, ...kept } = sent;
  const { body: _____, ...target } = request;
  const { body: ______, before, ...asked } = proof;
  // Refunds that were there before are never taken for those of another attempt.
  const isRefunded = before.charges.some(({ refunds }) => refunds.length > 0);
  const charges = (isRefunded ? before.charges : []).map(({ id, refunds }) => ({
    id,
    refunds: refunds.map(({ id: refund, amount, status }) => ({ id: refund, amount, status })),
  }));
  return {
    ...kept,
    request: target,
    proof: { ...asked, before: { amountRefunded: before.amountRefunded, charges } },
    archived: {
      at,
      verdicts: verdicts.map((row, index) => verdictInShort(row, index === verdicts.length - 1)),
    },
  };
}

// Only the last verdict is shown to people again.
function verdictInShort(
  row: VerdictRow,
  isLast: boolean,
): NonNullable<SentRow['archived']>['verdicts'][number] {
  const { type: _, change: __, attempt: ___, note: ____, link: _____, ...kept } = withoutClocks(row);
  const { why, error, refunds, ...rest } = kept;
  return {
    ...rest,
    refunds: refunds?.map(({ id, chargeId, amount, status }) => ({ id, chargeId, amount, status })),
    ...(isLast ? { why, error } : {}),
  };
}

function withoutClocks({ clocks: _, ...row }: VerdictRow): VerdictRow {
  return row;
}

/** The verdicts in such a row; none in any other SENT row. */
export function verdictsIn({ change, attempt, archived }: SentRow): readonly VerdictRow[] {
  const verdicts = archived?.verdicts ?? [];
  return verdicts.map(({ why = '', refunds, ...row }) => ({
    type: 'verdict',
    change,
    attempt,
    ...row,
    why,
    refunds: refunds?.map((refund) => ({ createdAt: undefined, authCode: undefined, ...refund })),
  }));
}

// ── The row about the archive ───────────────────────────────────────────────────────────────────

const archiveName = 'journal.archive';

/** A file to which attempts were moved, and the end of the journal that it holds. */
interface ArchivedIn {
  /** When, Unix milliseconds. */
  readonly at: number;
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly sha256: string;
  readonly rows: number;
  readonly head: string;
}

/** The first row of the journal that took the place of an older one. */
export function archiveRow(
  said: Pick<SettingRow, 'operator' | 'skewed' | 'clocks'>,
  { at, file, sha256, rows, head }: ArchivedIn,
): SettingRow {
  const of = { profile: '', origin: '', account: '', name: archiveName };
  return { type: 'setting', time: at, ...said, ...of, from: `${head} ${rows}`, to: `${sha256} ${file}` };
}

/** What such a row says; undefined for any other row. */
export function archivedBy(row: Pick<SettingRow, 'name' | 'time' | 'from' | 'to'>): ArchivedIn | undefined {
  if (row.name !== archiveName) return undefined;
  const [head = '', rows = ''] = (row.from ?? '').split(' ');
  const [sha256 = '', ...words] = (row.to ?? '').split(' ');
  return { at: row.time, file: words.join(' '), sha256, rows: Number(rows), head };
}
