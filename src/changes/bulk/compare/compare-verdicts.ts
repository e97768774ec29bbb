/** The verdicts of `refunds compare`, and which one a row has, by its refunds and by what went back. Pure. */

import type { KnownOrder, KnownRefund, RefundState } from '../../../orders/orders.ts';
import type { Figure } from '../../../reports/reports.ts';

export const compareVerdicts = [
  'refunded',
  'in_part',
  'more',
  'other_currency',
  'not_refunded',
  'twice_in_file',
  'pending',
  'failed',
  'unconfirmed',
  'made_twice',
  'appeared',
  'gone',
  'recorded_made',
  'not_shown',
  'not_found',
  'not_in_file',
] as const;
/**
 * - `refunded`: just what the row says went back
 * - `in_part`, `more`: less or more than that
 * - `other_currency`: the file says a currency other than that of the order, so no amounts are compared
 * - `not_refunded`: none of it went back
 * - `twice_in_file`: its refund counts for another row
 * - `pending`, `failed`, `unconfirmed`, `made_twice`, `appeared`, `recorded_made`: a refund of the row has that state, or a
 *   refund of its order if the row is short of money. A row is `unconfirmed` too if the figures of its order contradict each
 *   other
 * - `gone`: a refund was made, and the order does not show it any more
 * - `not_shown`: the order is there, but its charges are not shown or cannot be read, so nothing shows a refund
 * - `not_found`: there is no such order or charge
 * - `not_in_file`: the service shows a refund that no row of the file is about
 */
export type CompareVerdict = (typeof compareVerdicts)[number];

type Stated = readonly Pick<KnownRefund, 'state'>[];

/** The verdict for refunds that a person must know about before any sum; undefined if there are none. */
export function verdictByStates(refunds: Stated, cases: KnownOrder['cases']): CompareVerdict | undefined {
  const has = (state: RefundState) => refunds.some((one) => one.state === state);
  if (has('unconfirmed')) return 'unconfirmed';
  // Once somebody has dealt with it, the sums decide.
  const isOpen = (state: RefundState) => has(state) && cases.some(({ is }) => is === state);
  if (isOpen('made twice')) return 'made_twice';
  if (has('appeared')) return 'appeared';
  if (isOpen('gone')) return 'gone';
  return undefined;
}

/** The verdict if only the sums, and what failed or is under way, decide. */
export function verdictBySum(refunded: Figure, wanted: Figure, refunds: Stated): CompareVerdict {
  const has = (state: RefundState) => refunds.some((one) => one.state === state);
  if (refunded > wanted) return 'more';
  if (has('recorded made')) return 'recorded_made';
  // A row that failed stays failed, whatever smaller refund is on its way.
  if (has('failed') && (refunded < wanted || wanted === 0)) return 'failed';
  if (has('pending')) return 'pending';
  if (refunded === wanted && wanted > 0) return 'refunded';
  return refunded === 0 ? 'not_refunded' : 'in_part';
}
