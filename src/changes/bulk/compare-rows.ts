/** Compares the rows of a file with what the orders show: which refunds were made, in part, twice, or not at all. Pure. */

import { type OrderMoney, type RefundRecord, readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import { anyWord, fullWord, type InputRow } from '../../plans/plans.ts';
import { chargesNamed } from '../refund/refund-plan.ts';

export const compareVerdicts = [
  'refunded',
  'in_part',
  'more',
  'not',
  'unconfirmed',
  'by_hand',
  'not_found',
  'not_in_file',
] as const;
/**
 * - `refunded`: just what the row says went back
 * - `in_part`, `more`: less or more than that
 * - `not`: nothing of it
 * - `unconfirmed`: this machine sent a refund of the order, and nobody knows yet whether it was made, or the order shows what it
 *   probably made
 * - `by_hand`: a person recorded a refund as made, and the order does not show it
 * - `not_found`: there is no such order or charge, or its money cannot be read
 * - `not_in_file`: the service shows a refund that no row of the file is about
 */
export type CompareVerdict = (typeof compareVerdicts)[number];

/** A row and what became of it. */
export interface Compared {
  /** Undefined for a refund that is in no row. */
  readonly row: InputRow | undefined;
  readonly orderId: string;
  readonly verdict: CompareVerdict;
  readonly why: string | undefined;
  /** What should have gone back; undefined if that is not known. */
  readonly wanted: number | undefined;
  readonly refunded: number;
  readonly currency: string | undefined;
  readonly refunds: readonly RefundOfCharge[];
}

/** A refund record, and the charge that it belongs to. */
export interface RefundOfCharge extends RefundRecord {
  readonly chargeId: string;
}

/** What the journal of this machine knows of an order. */
export interface KnownOfOrder {
  /** The intent of an unconfirmed refund of the order, if there is one. */
  readonly unconfirmed: string | undefined;
  /** The refunds that unconfirmed attempts probably made: the intent by the id of the refund. */
  readonly probable: ReadonlyMap<string, string>;
  /** The refunds that a person recorded as made and that the order does not show. */
  readonly byHand: readonly HandMade[];
}

/** A refund of a charge that a person recorded as made. `words` says so; `amount` is negative. */
export interface HandMade {
  readonly chargeId: string;
  readonly amount: number;
  readonly words: string;
}

/** All refunds of an order. */
export function refundsOf({ charges }: OrderMoney): readonly RefundOfCharge[] {
  return charges.flatMap(({ id, refunds }) => refunds.map((refund) => ({ ...refund, chargeId: id })));
}

/**
 * Compares the rows of one order. Every refund of the order counts for one row only: first for a row with just its amount, then
 * what is left for the rows in their order.
 */
export function compareOrder(
  orderId: string,
  rows: readonly InputRow[],
  order: JsonObject,
  known: KnownOfOrder,
): readonly Compared[] {
  const reading = readMoney(order);
  if ('problem' in reading) return rows.map((row) => notFound(orderId, row, reading.problem));
  const { money } = reading;
  const free = new Set(refundsOf(money));
  const claims = rows.map((row) => claimOf(row, money));
  // Rows whose amount is just that of a refund come first, or a smaller row would take it from them.
  for (const claim of claims) if ('scope' in claim) takeExact(claim, free);
  for (const claim of claims) if ('scope' in claim) takeRest(claim, free);
  for (const claim of claims.toReversed()) if ('scope' in claim) takeAll(claim, free);
  const byHand = new Set(known.byHand);
  for (const claim of claims) if ('scope' in claim) takeByHand(claim, byHand);
  return claims.map((claim) =>
    'problem' in claim
      ? notFound(orderId, claim.row, claim.problem)
      : comparedOf(orderId, claim, money, known),
  );
}

/** The rows of an order that was not found. */
export function notFound(orderId: string, row: InputRow, why: string): Compared {
  return {
    row,
    orderId,
    verdict: 'not_found',
    why,
    wanted: undefined,
    refunded: 0,
    currency: undefined,
    refunds: [],
  };
}

// What a row is about, and the refunds that were found for it.
interface Claim {
  readonly row: InputRow;
  /** The charges that it may be about. */
  readonly scope: ReadonlySet<string>;
  readonly wanted: number;
  readonly taken: RefundOfCharge[];
  readonly byHand: HandMade[];
}

function claimOf(
  row: InputRow,
  money: OrderMoney,
): Claim | { readonly row: InputRow; readonly problem: string } {
  const { charge, amount } = row;
  const isWhole = charge === anyWord || charge === fullWord;
  const charges = isWhole ? money.charges : chargesNamed(charge, money);
  const [only, second] = charges;
  if (!isWhole && (only === undefined || second !== undefined))
    return {
      row,
      problem: only === undefined ? `it has no charge ${charge}` : `it has several charges ${charge}`,
    };
  const paid = charges.filter(({ refunded, counts }) => counts || refunded > 0);
  const all = paid.reduce((sum, one) => sum + one.amount, 0);
  const wanted = amount === undefined || amount === fullWord ? all : amount;
  return { row, scope: new Set(charges.map(({ id }) => id)), wanted, taken: [], byHand: [] };
}

function takenSum({ taken }: Claim): number {
  return taken.reduce((sum, { amount }) => sum - amount, 0);
}

function takeExact(claim: Claim, free: Set<RefundOfCharge>): void {
  const found = [...free].find((one) => claim.scope.has(one.chargeId) && -one.amount === claim.wanted);
  if (found === undefined) return;
  free.delete(found);
  claim.taken.push(found);
}

function takeRest(claim: Claim, free: Set<RefundOfCharge>): void {
  for (const one of free) {
    if (takenSum(claim) >= claim.wanted) return;
    if (!claim.scope.has(one.chargeId) || takenSum(claim) - one.amount > claim.wanted) continue;
    free.delete(one);
    claim.taken.push(one);
  }
}

// What no row has claimed is more than the file says. The last row about its charge shows it.
function takeAll(claim: Claim, free: Set<RefundOfCharge>): void {
  for (const one of [...free].filter(({ chargeId }) => claim.scope.has(chargeId))) {
    free.delete(one);
    claim.taken.push(one);
  }
}

// Of a row that is short of money, what a person recorded may be the rest.
function takeByHand(claim: Claim, free: Set<HandMade>): void {
  for (const one of free) {
    if (takenSum(claim) + byHandSum(claim) >= claim.wanted) return;
    if (!claim.scope.has(one.chargeId)) continue;
    free.delete(one);
    claim.byHand.push(one);
  }
}

function byHandSum({ byHand }: Claim): number {
  return byHand.reduce((sum, { amount }) => sum - amount, 0);
}

function comparedOf(orderId: string, claim: Claim, { currency }: OrderMoney, known: KnownOfOrder): Compared {
  const { row, wanted, taken, byHand } = claim;
  const refunded = takenSum(claim);
  const probable = taken.flatMap(({ id }) => known.probable.get(id) ?? [])[0];
  const sent = refunded < wanted ? known.unconfirmed : undefined;
  const open = shownWhy(probable) ?? (sent === undefined ? undefined : sentWhy(sent));
  const why = [...(open === undefined ? [] : [open]), ...byHand.map(({ words }) => words)].join('; ');
  const verdict = verdictOf(refunded, wanted, { isOpen: open !== undefined, isByHand: byHand.length > 0 });
  return { row, orderId, verdict, why: why || undefined, wanted, refunded, currency, refunds: taken };
}

/** Why a refund that the order shows is unconfirmed; `intent` is that of the attempt that probably made it. */
export function shownWhy(intent: string | undefined): string | undefined {
  if (intent === undefined) return undefined;
  return `probably ours and not confirmed yet: paydesk journal reconcile ${intent}`;
}

function sentWhy(intent: string): string {
  return `a refund sent from here is unconfirmed: paydesk journal reconcile ${intent}`;
}

function verdictOf(
  refunded: number,
  wanted: number,
  { isOpen, isByHand }: { readonly isOpen: boolean; readonly isByHand: boolean },
): CompareVerdict {
  if (refunded > wanted) return 'more';
  if (isOpen) return 'unconfirmed';
  if (refunded === wanted && wanted > 0) return 'refunded';
  if (isByHand) return 'by_hand';
  return refunded === 0 ? 'not' : 'in_part';
}
