/**
 * Decides whether the final read lets a refund be sent: equal refunds, refunds recorded by hand, an old copy of the order. Pure.
 */

import { newestEqual } from '../api/charges.ts';
import { isFailed } from './agreement.ts';
import { usesUp, verdictOf } from './attempt-state.ts';
import { type Asked, isOtherRow, namedBy, type Refusal } from './guards.ts';
import { type AttemptRecord, attemptName, type PreImage } from './rows/journal-rows.ts';
import { isEqual, isOtherMode } from './same-request.ts';

/**
 * Refuses a refund of a charge while the order does not show another refund of it that a person recorded as made. Whatever its
 * amount, that money counts as paid back, so `--again` must name that refund or, if later refunds have named it already, the last
 * of these. A refund of another row of the same plan does not count: it was meant to be paid as well. `unshown`: what
 * `unshownRefunds` found.
 */
export function unshownRefund(
  asked: Asked,
  unshown: readonly AttemptRecord[],
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const named = namedBy(asked.again, known);
  const attempt = unshown.find(
    (record) => touches(asked, record) && !isOtherRow(asked, record) && !named.has(attemptName(record)),
  );
  if (attempt === undefined) return undefined;
  const { again, orderId, request } = asked;
  return { why: 'unshown', attempt, name: lastNamed(attempt, known), again, orderId, request };
}

/** Whether an attempt was about one of these charges. */
export function touches({ expected }: Pick<Asked, 'expected'>, { sent }: AttemptRecord): boolean {
  return sent.proof.expected.some((one) => expected?.some(({ chargeId }) => chargeId === one.chargeId));
}

// Each name works for one sending only. After that, the name of that sending stands for both.
function lastNamed(attempt: AttemptRecord, known: readonly AttemptRecord[]): string {
  let name = attemptName(attempt);
  for (const record of known) if (usesUp(record, name)) name = attemptName(record);
  return name;
}

/**
 * Refuses a refund if the charge already has one of the same amount, whoever made it and however long ago, and --again does not name
 * it. One that another row of the same plan made does not count.
 */
export function unnamedEqual(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const ofOthers = refundsOf(known.filter((record) => isOtherRow(asked, record)));
  const equal = refundToName(asked, before.charges, known, ofOthers);
  if (equal === undefined) return undefined;
  const { again, orderId, request } = asked;
  const at = before.charges.findIndex(({ id }) => id === equal.chargeId);
  const { createdAt } = before.charges[at]?.refunds.find(({ id }) => id === equal.refundId) ?? {};
  const maker = known.find((record) => refundsOf([record]).has(equal.refundId));
  return { why: 'equal', ...equal, charge: at + 1, createdAt, maker, again, orderId, request };
}

/**
 * The refund of the same amount on the same charge that `--again` must name; undefined if there is none. If there are several, it is
 * the newest; if the times do not show which one that is, all must be named. A refund does not count when it failed, when it is
 * `excused`, or when another equal refund was made to repeat it. `known`: the attempts on the order.
 */
export function refundToName(
  { expected = [], again }: Pick<Asked, 'expected' | 'again'>,
  charges: readonly { readonly id: string; readonly refunds: readonly Made[] }[],
  known: readonly AttemptRecord[],
  excused: ReadonlySet<string>,
): { readonly chargeId: string; readonly refundId: string; readonly amount: number } | undefined {
  const named = namedBy(again, known);
  for (const { chargeId, amount } of expected) {
    const all = charges
      .filter(({ id }) => id === chargeId)
      .flatMap(({ refunds }) => refunds)
      .filter((one) => one.amount === amount && !isFailed(one));
    const equal = all.filter(({ id }) => !excused.has(id));
    const meant = equal.filter(({ id }) => named.has(id));
    const unnamed = equal.filter(
      (one) =>
        !named.has(one.id) &&
        !meant.some((other) => isOlder(one, other)) &&
        !all.some((other) => repeats(known, one, other)),
    );
    const newest = newestEqual(unnamed, amount);
    if (newest !== undefined) return { chargeId, refundId: newest.id, amount };
  }
  return undefined;
}

type Made = Pick<PreImage['charges'][number]['refunds'][number], 'id' | 'amount' | 'createdAt' | 'status'>;

// A time that is not shown is neither before nor after another one.
function isOlder({ createdAt: one = Number.NaN }: Made, { createdAt: other = Number.NaN }: Made): boolean {
  return one < other;
}

// Whether the other refund was made with --again and the id of this one, or the name of an attempt that repeated this one.
function repeats(known: readonly AttemptRecord[], one: Made, other: Made): boolean {
  const repeating = known.filter(({ sent }) => namedBy(sent.again ?? [], known).has(one.id));
  return refundsOf(repeating).has(other.id);
}

/** Refuses a name in `--again` that fits no change like this one, such as a typing error. It would be used up for nothing. */
export function nothingToRepeat(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
  unshown: readonly AttemptRecord[],
): Refusal | undefined {
  const isMeant = (chargeId: string, amount: number) =>
    asked.expected?.some((one) => one.chargeId === chargeId && one.amount === amount);
  const there = new Set([
    ...before.charges.flatMap(({ id, refunds }) =>
      refunds.filter(({ amount }) => isMeant(id, amount)).map((refund) => refund.id),
    ),
    ...known.filter((record) => isEqual(asked, record)).map(attemptName),
    ...unshown.filter((record) => touches(asked, record)).map((record) => lastNamed(record, known)),
  ]);
  const name = asked.again.find((one) => !there.has(one));
  return name === undefined ? undefined : { why: 'nothing_to_repeat', name };
}

/**
 * The problem when the final read lacks a refund that the journal has, because it shows an old copy of the order. If the order
 * shows its `livemode`, refunds of the other mode were made on another order. A refund that somebody acknowledged as gone does
 * not count.
 */
export function oldRead(
  { orderId, livemode }: { readonly orderId: string | undefined; readonly livemode?: unknown },
  before: PreImage,
  known: readonly AttemptRecord[],
): string | undefined {
  const shown = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const isGone = (record: AttemptRecord) => verdictOf(record)?.acknowledged === 'gone';
  const made = refundsOf(
    known.filter(
      (record) =>
        record.sent.proof.orderId === orderId && !isOtherMode({ livemode }, record.sent) && !isGone(record),
    ),
  );
  const missing = [...made].find((id) => !shown.has(id));
  return missing === undefined ? undefined : `refund ${missing} was made, and the order does not show it yet`;
}

function refundsOf(records: readonly AttemptRecord[]): ReadonlySet<string> {
  const made = records
    .map(verdictOf)
    .flatMap((row) => (row?.verdict === 'applied' ? row.refunds : undefined));
  return new Set(made.map((refund) => refund?.id).filter((id) => id !== undefined));
}
