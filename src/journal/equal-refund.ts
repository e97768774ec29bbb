/** Refunds of the same amount, as the final read shows them: which of them `--again` must name. Pure. */

import { newestEqual } from '../api/charges.ts';
import { verdictOf } from './attempt-state.ts';
import { type Asked, attemptName, isOtherRow, namedBy, type Refusal } from './guards.ts';
import type { AttemptRecord, PreImage } from './journal-rows.ts';
import { isEqual } from './same-request.ts';

/**
 * Refuses when anybody made a refund of the same amount on the same charge, however long ago, and --again
 * does not name the newest of them; if the times do not show which one is the newest, all of them must be
 * named. Rows of the same plan do not count, nor does what one of them repeated.
 */
export function equalRefund(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const named = namedBy(asked.again, known);
  const excused = refundsOf(known.filter((record) => isOtherRow(asked, record)));
  for (const { chargeId, amount } of asked.expected ?? []) {
    const refunds = before.charges.find(({ id }) => id === chargeId)?.refunds ?? [];
    const equal = refunds.filter((one) => one.amount === amount && !excused.has(one.id));
    const meant = equal.filter(({ id }) => named.has(id));
    const unnamed = equal.filter(
      (one) =>
        !named.has(one.id) &&
        !meant.some((other) => isOlder(one, other)) &&
        !equal.some((other) => repeats(known, one, other)),
    );
    const newest = newestEqual(unnamed, amount);
    if (newest !== undefined)
      return { why: 'equal', chargeId, refundId: newest.id, amount, again: asked.again };
  }
  return undefined;
}

type Made = PreImage['charges'][number]['refunds'][number];

// A time that is not shown is neither before nor after another one.
function isOlder({ createdAt: one = Number.NaN }: Made, { createdAt: other = Number.NaN }: Made): boolean {
  return one < other;
}

// Whether the other one was made by --again with this one's id.
function repeats(known: readonly AttemptRecord[], one: Made, other: Made): boolean {
  const repeating = known.filter(({ sent }) => sent.again?.includes(one.id) === true);
  return refundsOf(repeating).has(other.id);
}

/**
 * Refuses a name in `--again` that is of nothing like what is asked for: a typing error, another amount, another order. The
 * name would be used up for nothing.
 */
export function nothingToRepeat(
  asked: Asked,
  before: PreImage,
  known: readonly AttemptRecord[],
): Refusal | undefined {
  const isMeant = (chargeId: string, amount: number) =>
    (asked.expected ?? []).some((one) => one.chargeId === chargeId && one.amount === amount);
  const there = new Set([
    ...before.charges.flatMap(({ id, refunds }) =>
      refunds.filter(({ amount }) => isMeant(id, amount)).map((refund) => refund.id),
    ),
    ...known.filter((record) => isEqual(asked, record)).map(attemptName),
  ]);
  const name = asked.again.find((one) => !there.has(one));
  return name === undefined ? undefined : { why: 'nothing_to_repeat', name };
}

/** The problem when the final read lacks a refund that the journal knows was made: it shows an old copy of the order. */
export function oldRead(
  orderId: string | undefined,
  before: PreImage,
  known: readonly AttemptRecord[],
): string | undefined {
  const shown = new Set(before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const made = refundsOf(known.filter(({ sent }) => sent.proof.orderId === orderId));
  const missing = [...made].find((id) => !shown.has(id));
  return missing === undefined ? undefined : `refund ${missing} was made, and the order does not show it yet`;
}

function refundsOf(records: readonly AttemptRecord[]): ReadonlySet<string> {
  const made = records
    .map(verdictOf)
    .flatMap((row) => (row?.verdict === 'applied' ? (row.refunds ?? []) : []));
  return new Set(made.map(({ id }) => id).filter((id) => id !== undefined));
}
