/** The verdicts of `refunds compare`, and which one a row has, by its refunds and by what went back, exactly too. Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { shownCharges, shownRefunds, tookMoney } from '../../api/payment.ts';
import { isWithin } from '../../api/spec.ts';
import {
  type KnownOrder,
  type KnownRefund,
  mostUrgent,
  type RefundState,
  toldRefunds,
} from '../../orders/orders.ts';
import { anyWord, fullWord, type InputRow } from '../../plans/plans.ts';
import { type Figure, magnitude, meaningIn, sumOf, wholeNumber } from '../../reports/reports.ts';
import { sharedVerdicts } from './compared.ts';
import { take } from './refund-claims.ts';
import type { Compared, CompareRules } from './refund-rows.ts';

/**
 * The verdicts with their words, in the order of the lines below a comparison:
 * - `refunded`: just what the row says went back
 * - `in_part`, `more`: less or more than that
 * - `not_refunded`: none of it went back
 * - `pending`, `failed`, `unconfirmed`, `made_twice`, `appeared`, `recorded_made`: a refund of the row has that state, or a
 *   refund of its order if the row is short of money. A row is `unconfirmed` too if the figures of its order contradict each
 *   other
 * - `gone`: a refund was made, and the order does not show it any more
 * - `not_shown`: the order is there, but its charges are not shown or cannot be read, so nothing shows a refund
 */
export const refundVerdicts = {
  refunded: 'refunded as the file says',
  in_part: 'in part',
  more: 'more than the file says',
  other_currency: sharedVerdicts.other_currency,
  not_refunded: 'not refunded',
  twice_in_file: sharedVerdicts.twice_in_file,
  pending: 'pending: the service has taken it up',
  failed: 'failed',
  unconfirmed: 'unconfirmed: paydesk journal reconcile --all',
  made_twice: 'made twice',
  appeared: 'appeared',
  gone: 'gone',
  recorded_made: 'recorded as made; the order does not show it',
  not_shown: 'on orders that do not show their charges, so nothing shows a refund',
  not_found: sharedVerdicts.not_found,
  not_in_file: sharedVerdicts.not_in_file,
} as const;
export type CompareVerdict = keyof typeof refundVerdicts;

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

// ── Amounts beyond 2^53-1 ────────────────────────────────────────────────────────────────────────

/** A refund with the exact amount that went back, and its charge. */
interface ExactRefund {
  readonly id: string;
  readonly chargeId: string;
  readonly state: RefundState;
  readonly amount: Figure;
  readonly createdAt: number | undefined;
}

/**
 * Compares the rows of one order by the refunds that it shows. Undefined if none of its amounts is beyond 2^53-1, or if it does not
 * show all of them.
 */
export function compareExactly(
  orderId: string,
  rows: readonly InputRow[],
  known: KnownOrder,
  { range }: Pick<CompareRules, 'range'>,
): readonly Compared[] | undefined {
  const { order, cases } = known;
  const { items: charges, problem } = shownCharges(order);
  const lists = charges.map((charge) => ({ charge, ...shownRefunds(order, charge) }));
  const amounts = lists.flatMap(({ charge, items }) =>
    [charge, ...items].map(({ amount }) => wholeNumber(amount)),
  );
  const isLarge = amounts.some((amount) => typeof amount === 'bigint');
  const isWhole = problem === undefined && lists.every((list) => list.problem === undefined);
  if (!isLarge || !isWhole || amounts.includes(undefined)) return undefined;
  const told = toldRefunds(known);
  const refunds = lists.flatMap(({ charge, items }) =>
    items.flatMap((refund) => exactRefund(charge, refund, told(refund))),
  );
  const isMeant = ({ id, createdAt: at }: ExactRefund) =>
    range === undefined || at === undefined || isWithin(range, at) || rows.some((row) => row.refundId === id);
  return claimed(rows, charges, new Set(refunds.filter(isMeant))).map(({ row, wanted, taken }): Compared => {
    const refunded = sumOf(taken, ({ amount }) => amount);
    return {
      row,
      orderId,
      verdict: verdictByStates(taken, cases) ?? verdictBySum(refunded, wanted, taken),
      state: mostUrgent(taken),
      why: 'beyond 2^53-1: compared by what the order shows alone',
      wanted,
      refunded,
      currency: typeof order.currency === 'string' ? order.currency : undefined,
      refunds: taken.map((refund) => ({ ...refund, by: 'not looked up' })),
    };
  });
}

// The amount is what went back, so it is 0 for a refund that failed, is pending, or is unknown.
function exactRefund(
  { id: chargeId }: JsonObject,
  { id, amount: shown, created_at: createdAt }: JsonObject,
  { state }: ReturnType<ReturnType<typeof toldRefunds>>,
): readonly ExactRefund[] {
  const figure = wholeNumber(shown);
  if (figure === undefined) return [];
  const at = typeof createdAt === 'number' ? createdAt : undefined;
  const amount = meaningIn(state) === 'made' ? magnitude(figure) : 0;
  return [{ id: String(id), chargeId: String(chargeId), state, amount, createdAt: at }];
}

// As elsewhere, a row takes first the refund that it names, then one of just its amount. What is left goes to the last row about
// its charge.
function claimed(rows: readonly InputRow[], charges: readonly JsonObject[], free: Set<ExactRefund>) {
  const claims = rows.map((row) => {
    const isWhole = row.charge === anyWord || row.charge === fullWord;
    const scope = charges.filter(({ id }) => isWhole || id === row.charge);
    const paid = sumOf(scope.filter(tookMoney), ({ amount }) => wholeNumber(amount) ?? 0);
    const { amount = fullWord } = row;
    const asked = row.exact ?? (amount === fullWord ? paid : amount);
    const wanted = row.isFailed === true ? 0 : asked;
    return { row, ids: new Set(scope.map(({ id }) => id)), wanted, taken: [] as ExactRefund[] };
  });
  const takeOwn = ({ ids, taken }: (typeof claims)[number], fits: (refund: ExactRefund) => boolean): void =>
    take(free, taken, (refund) => ids.has(refund.chargeId) && fits(refund));
  for (const claim of claims) takeOwn(claim, ({ id }) => id === claim.row.refundId);
  const open = claims.filter(({ row }) => row.refundId === undefined);
  for (const claim of open)
    takeOwn(claim, ({ amount }) => claim.taken.length === 0 && amount === claim.wanted);
  for (const claim of open.toReversed()) takeOwn(claim, () => true);
  return claims;
}
