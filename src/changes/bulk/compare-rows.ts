/** Compares the rows of a file with what the orders show: which refunds were made, in part, twice, or not at all. Pure. */

import { hasNoCharges, type OrderMoney, type RefundRecord, readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import { anyWord, fullWord, type InputRow, type PlanRow } from '../../plans/plans.ts';
import { chargesNamed } from '../refund/refund-plan.ts';

export const compareVerdicts = [
  'refunded',
  'in_part',
  'more',
  'not',
  'unconfirmed',
  'by_hand',
  'not_shown',
  'not_found',
  'not_in_file',
] as const;
/**
 * - `refunded`: just what the row says went back
 * - `in_part`, `more`: less or more than that
 * - `not`: nothing of it
 * - `unconfirmed`: this machine sent a refund of the row or the order, and nobody knows yet whether it was made, or the order shows
 *   what it probably made
 * - `by_hand`: a person recorded a refund as made, and the order does not show it
 * - `not_shown`: the order is there, but its charges are not shown or cannot be read, so nothing shows a refund
 * - `not_found`: there is no such order or charge
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
  /** The refunds that are unconfirmed, or that a person recorded as made, and that the order does not show. */
  readonly unshown: readonly Unshown[];
  /** The refunds that unconfirmed attempts probably made: the intent by the id of the refund. */
  readonly probable: ReadonlyMap<string, string>;
  /** The key under which `refunds apply` sends a row. */
  readonly keyOf: (row: Pick<PlanRow, 'chargeId' | 'amount' | 'ref'>) => string;
}

/** A refund of a charge that was sent from here, and that the order does not show. */
export interface Unshown {
  readonly is: 'unconfirmed' | 'by_hand';
  readonly chargeId: string;
  /** Negative, as in a refund record. */
  readonly amount: number;
  /** A sentence about it. */
  readonly words: string;
  /** The keys of the row that sent it, and of the row that this one is a part of. */
  readonly keys: readonly string[];
  /** The refunds that the order had when this one was sent. */
  readonly before: ReadonlySet<string>;
  /** It may still move money. If it is too old for that, only its own row needs to know of it. */
  readonly isOpen: boolean;
}

/** All refunds of an order. */
export function refundsOf({ charges }: OrderMoney): readonly RefundOfCharge[] {
  return charges.flatMap(({ id, refunds }) => refunds.map((refund) => ({ ...refund, chargeId: id })));
}

/**
 * Compares the rows of one order. Every refund of the order counts for one row only: first for a row with just its amount, then
 * what is left for the rows in their order. What the journal sent for a row counts for that row before anything else: an older
 * refund of the same amount must not stand for it.
 */
export function compareOrder(
  orderId: string,
  rows: readonly InputRow[],
  order: JsonObject,
  known: KnownOfOrder,
): readonly Compared[] {
  const reading = readMoney(order);
  if ('problem' in reading) {
    const why = hasNoCharges(order) ? 'the order shows no charges' : reading.problem;
    return rows.map((row) => notShown(orderId, row, order, why, known));
  }
  const { money } = reading;
  const free = new Set(refundsOf(money));
  const unshown = new Set(known.unshown);
  const claims = rows.map((row) => claimOf(row, money, known));
  const found = claims.filter((claim) => 'scope' in claim);
  for (const claim of found) takeOwn(claim, unshown);
  // Rows whose amount is just that of a refund come first, or a smaller row would take it from them.
  for (const claim of found) takeExact(claim, free);
  for (const claim of found) takeRest(claim, free);
  for (const claim of found.toReversed()) takeAll(claim, free);
  for (const claim of found) takeUnshown(claim, unshown);
  for (const claim of found.toReversed()) takeAllUnshown(claim, unshown);
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
    // What full means is known only with the order.
    wanted: typeof row.amount === 'number' ? row.amount : undefined,
    refunded: 0,
    currency: undefined,
    refunds: [],
  };
}

// The order is there, so nobody should look for a wrong id.
function notShown(
  orderId: string,
  row: InputRow,
  { amount_refunded: refunded }: JsonObject,
  why: string,
  { unshown }: KnownOfOrder,
): Compared {
  const sum = typeof refunded === 'number' && refunded !== 0 ? `amount_refunded is ${refunded}` : undefined;
  const open = unshown.filter(({ isOpen }) => isOpen);
  const words = [...new Set(open.map((one) => one.words))];
  return {
    ...notFound(orderId, row, [`${why}: ${sum ?? 'nothing shows a refund'}`, ...words].join('; ')),
    verdict: open.find(({ is }) => is === 'unconfirmed')?.is ?? open[0]?.is ?? 'not_shown',
  };
}

// What a row is about, and the refunds that were found for it.
interface Claim {
  readonly row: InputRow;
  /** The charges that it may be about. */
  readonly scope: ReadonlySet<string>;
  readonly wanted: number;
  /** The key under which it would be sent. */
  readonly key: string;
  readonly taken: RefundOfCharge[];
  readonly unshown: Unshown[];
}

function claimOf(
  row: InputRow,
  money: OrderMoney,
  { keyOf }: KnownOfOrder,
): Claim | { readonly row: InputRow; readonly problem: string } {
  const { charge, amount = fullWord, ref } = row;
  const isWhole = charge === anyWord || charge === fullWord;
  const charges = isWhole ? money.charges : chargesNamed(charge, money);
  const [only, second] = charges;
  if (!isWhole && (only === undefined || second !== undefined))
    return {
      row,
      problem: only === undefined ? `it has no charge ${charge}` : `it has several charges ${charge}`,
    };
  const paid = charges.filter(({ refunded, counts }) => counts || refunded > 0);
  // Of a declined charge the file wants the whole too, and nothing of it can go back.
  const whole = paid.length === 0 ? charges : paid;
  const all = whole.reduce((sum, one) => sum + one.amount, 0);
  const wanted = amount === fullWord ? all : amount;
  const key = keyOf({ chargeId: isWhole ? undefined : only?.id, amount, ref });
  return { row, scope: new Set(charges.map(({ id }) => id)), wanted, key, taken: [], unshown: [] };
}

function takenSum({ taken }: Claim): number {
  return taken.reduce((sum, { amount }) => sum - amount, 0);
}

// How much a row is short of.
function missingSum(claim: Claim): number {
  return claim.unshown.reduce((sum, { amount }) => sum + amount, claim.wanted - takenSum(claim));
}

// A refund that was there before the row was sent is not the row's own.
function mayBeOf({ scope, unshown }: Claim, { id, chargeId }: RefundOfCharge): boolean {
  return scope.has(chargeId) && !unshown.some(({ before }) => before.has(id));
}

function takeOwn(claim: Claim, free: Set<Unshown>): void {
  for (const one of free) {
    // Of rows that are the same, the first one has it.
    if (!one.keys.includes(claim.key)) continue;
    free.delete(one);
    claim.unshown.push(one);
  }
}

function takeExact(claim: Claim, free: Set<RefundOfCharge>): void {
  const found = [...free].find((one) => mayBeOf(claim, one) && -one.amount === missingSum(claim));
  if (found === undefined) return;
  free.delete(found);
  claim.taken.push(found);
}

function takeRest(claim: Claim, free: Set<RefundOfCharge>): void {
  for (const one of free) {
    if (missingSum(claim) <= 0) return;
    if (!mayBeOf(claim, one) || -one.amount > missingSum(claim)) continue;
    free.delete(one);
    claim.taken.push(one);
  }
}

// What no row has claimed is more than the file says. The last row about its charge shows it.
function takeAll(claim: Claim, free: Set<RefundOfCharge>): void {
  for (const one of [...free].filter((some) => mayBeOf(claim, some))) {
    free.delete(one);
    claim.taken.push(one);
  }
}

// Of a row that is short of money, what the order does not show may be the rest.
function takeUnshown(claim: Claim, free: Set<Unshown>): void {
  for (const one of free) {
    if (missingSum(claim) <= 0) return;
    if (!one.isOpen || !claim.scope.has(one.chargeId)) continue;
    free.delete(one);
    claim.unshown.push(one);
  }
}

// No row is short of it. But what the order shows may be another refund, so the last row about its charge is not certain.
function takeAllUnshown(claim: Claim, free: Set<Unshown>): void {
  for (const one of [...free].filter(({ chargeId, isOpen }) => isOpen && claim.scope.has(chargeId))) {
    free.delete(one);
    claim.unshown.push(one);
  }
}

function comparedOf(orderId: string, claim: Claim, { currency }: OrderMoney, known: KnownOfOrder): Compared {
  const { row, wanted, taken, unshown } = claim;
  const refunded = takenSum(claim);
  const shown = shownWhy(taken.flatMap(({ id }) => known.probable.get(id) ?? [])[0]);
  // An unconfirmed refund of another charge makes no row of the order certain that is short of money.
  const other =
    refunded < wanted ? known.unshown.filter(({ is, isOpen }) => isOpen && is === 'unconfirmed') : [];
  const open = unshown.length > 0 ? unshown : other.slice(0, 1);
  const why = [...new Set([...(shown === undefined ? [] : [shown]), ...open.map(({ words }) => words)])].join(
    '; ',
  );
  const isOpen = shown !== undefined || open.some(({ is }) => is === 'unconfirmed');
  const verdict = verdictOf(refunded, wanted, { isOpen, isByHand: unshown.length > 0 });
  return { row, orderId, verdict, why: why || undefined, wanted, refunded, currency, refunds: taken };
}

/** Why a refund that the order shows is unconfirmed; `intent` is that of the attempt that probably made it. */
export function shownWhy(intent: string | undefined): string | undefined {
  if (intent === undefined) return undefined;
  return `probably ours and not confirmed yet: paydesk journal reconcile ${intent}`;
}

function verdictOf(
  refunded: number,
  wanted: number,
  { isOpen, isByHand }: { readonly isOpen: boolean; readonly isByHand: boolean },
): CompareVerdict {
  // As everywhere, what is not known comes before what is known.
  if (isOpen) return 'unconfirmed';
  if (refunded > wanted) return 'more';
  if (isByHand) return 'by_hand';
  if (refunded === wanted && wanted > 0) return 'refunded';
  return refunded === 0 ? 'not' : 'in_part';
}
