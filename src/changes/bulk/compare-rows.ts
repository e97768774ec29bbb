/** Compares the rows of a file with what is known of their orders: which refunds were made, in part, twice, or not at all. Pure. */

import { hasNoCharges, type OrderMoney } from '../../api/charges.ts';
import {
  type KnownOrder,
  type KnownRefund,
  mostUrgent,
  type RefundState,
  stateWhy,
} from '../../orders/orders.ts';
import { anyWord, fullWord, type InputRow, type PlanRow } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { chargesNamed } from '../refund/refund-plan.ts';

export const compareVerdicts = [
  'refunded',
  'in_part',
  'more',
  'not',
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
 * - `not`: nothing of it
 * - `pending`, `failed`, `unconfirmed`, `made_twice`, `appeared`, `recorded_made`: a refund of the row has that state, or of its
 *   order if the row is short of money. The figures of an order that contradict each other make it `unconfirmed` too
 * - `gone`: a refund was made, and the order does not show it any more
 * - `not_shown`: the order is there, but its charges are not shown or cannot be read, so nothing shows a refund
 * - `not_found`: there is no such order or charge
 * - `not_in_file`: the service shows a refund that no row of the file is about
 */
type CompareVerdict = (typeof compareVerdicts)[number];

/** A row and what became of it. */
export interface Compared {
  /** Undefined for a refund that is in no row. */
  readonly row: InputRow | undefined;
  readonly orderId: string;
  readonly verdict: CompareVerdict;
  /** The state of the refunds of the row, the most urgent one, `unconfirmed` if the figures tell nothing; undefined if there is none. */
  readonly state: RefundState | undefined;
  readonly why: string | undefined;
  /** What should have gone back; undefined if that is not known. */
  readonly wanted: number | undefined;
  /** What went back. A refund that failed, or is pending, is not in it. */
  readonly refunded: number;
  readonly currency: string | undefined;
  readonly refunds: readonly ComparedRefund[];
}

/** A refund that the order shows. */
interface ComparedRefund {
  readonly id: string;
  readonly chargeId: string | undefined;
  readonly createdAt: number | undefined;
  /** Who sent it, in words. */
  readonly by: string;
}

/** What is needed besides the order and the rows. */
export interface CompareRules {
  /** The key under which `refunds apply` sends a row. */
  readonly keyOf: (row: Pick<PlanRow, 'chargeId' | 'amount' | 'ref'>) => string;
  /** Who sent a refund that the order shows. */
  readonly senderOf: (refund: KnownRefund) => string;
  readonly settings: Profile['settings'];
}

/**
 * Compares the rows of one order. Every refund of the order counts for one row only: first for a row with just its amount, then
 * what is left for the rows in their order. What the journal sent for a row counts for that row before anything else: an older
 * refund of the same amount must not stand for it.
 */
export function compareOrder(
  orderId: string,
  rows: readonly InputRow[],
  known: KnownOrder,
  rules: CompareRules,
): readonly Compared[] {
  const { order, reading } = known;
  const unshown = new Set(known.refunds.filter(({ record }) => record === undefined).flatMap(unshownOf));
  if ('problem' in reading) {
    const why = hasNoCharges(order) ? 'the order shows no charges' : reading.problem;
    return rows.map((row) => notShown(orderId, row, why, [...unshown], known, rules));
  }
  const { money } = reading;
  const shown = known.refunds.filter(isShown);
  const free = new Set(shown.filter(({ state }) => state !== 'failed'));
  const failed = new Set(shown.filter(({ state }) => state === 'failed'));
  const claims = rows.map((row) => claimOf(row, money, rules));
  const found = claims.filter((claim) => 'scope' in claim);
  for (const claim of found) takeOwn(claim, unshown);
  // Rows whose amount is just that of a refund come first, or a smaller row would take it from them.
  for (const claim of found) takeExact(claim, free);
  for (const claim of found) takeRest(claim, free);
  for (const claim of found.toReversed()) takeAll(claim, free);
  for (const claim of found) takeUnshown(claim, unshown);
  for (const claim of found.toReversed()) takeAllUnshown(claim, unshown);
  for (const claim of found) takeFailed(claim, failed);
  return claims.map((claim) =>
    'problem' in claim
      ? notFound(orderId, claim.row, claim.problem)
      : comparedOf(orderId, claim, money, known, rules),
  );
}

/** The rows of an order that was not found. */
export function notFound(orderId: string, row: InputRow, why: string): Compared {
  return {
    row,
    orderId,
    verdict: 'not_found',
    state: undefined,
    why,
    // What full means is known only with the order.
    wanted: typeof row.amount === 'number' ? row.amount : undefined,
    refunded: 0,
    currency: undefined,
    refunds: [],
  };
}

/** A refund of an order that no row of the file is about. */
export function notInFile(
  orderId: string,
  refund: ShownRefund,
  currency: string | undefined,
  rules: CompareRules,
): Compared {
  return {
    row: undefined,
    orderId,
    verdict: 'not_in_file',
    state: refund.state,
    why: stateWhy(refund, currency, rules.settings),
    wanted: undefined,
    refunded: wentBack(refund),
    currency,
    refunds: [comparedRefund(refund, rules)],
  };
}

/** A refund that the order shows. */
export type ShownRefund = KnownRefund & { readonly record: NonNullable<KnownRefund['record']> };

export function isShown(refund: KnownRefund): refund is ShownRefund {
  return refund.record !== undefined;
}

// A refund of one charge that was sent from here and that the order does not show.
interface Unshown {
  readonly refund: KnownRefund;
  readonly chargeId: string;
  readonly amount: number;
  /** The keys of the row that sent it, and of the row that this one is a part of. */
  readonly keys: readonly string[];
  /** The refunds that the order had when it was sent. */
  readonly before: ReadonlySet<string>;
  /** If it is too old to move money, only its own row needs to know of it. */
  readonly isNews: boolean;
}

function unshownOf(refund: KnownRefund): readonly Unshown[] {
  const { attempt, state, mayAppear } = refund;
  if (attempt === undefined) return [];
  const { proof, idempotencyKey, asked } = attempt.sent;
  const keys = [idempotencyKey, asked?.part_of].filter((key) => typeof key === 'string');
  const before = new Set(proof.before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  const isNews = mayAppear || (state !== 'unconfirmed' && state !== 'recorded not made');
  return proof.expected.map(({ chargeId, amount }) => ({
    refund,
    chargeId,
    amount: -amount,
    keys,
    before,
    isNews,
  }));
}

// The order is there, so nobody should look for a wrong id.
function notShown(
  orderId: string,
  row: InputRow,
  why: string,
  unshown: readonly Unshown[],
  { order }: KnownOrder,
  { settings }: CompareRules,
): Compared {
  const { amount_refunded: refunded, currency } = order;
  const sum = typeof refunded === 'number' && refunded !== 0 ? `amount_refunded is ${refunded}` : undefined;
  const news = unshown.filter(({ isNews }) => isNews).map(({ refund }) => refund);
  const words = news.map((refund) => stateWhy(refund, textOf(currency), settings));
  return {
    ...notFound(orderId, row, sentences([`${why}: ${sum ?? 'nothing shows a refund'}`, ...words]) ?? why),
    state: mostUrgent(news),
    verdict:
      verdictOf(news, []) ??
      (news.some(({ state }) => state === 'recorded made') ? 'recorded_made' : 'not_shown'),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

// What a row is about, and the refunds that were found for it.
interface Claim {
  readonly row: InputRow;
  /** The charges that it may be about. */
  readonly scope: ReadonlySet<string>;
  readonly wanted: number;
  /** The key under which it would be sent. */
  readonly key: string;
  readonly taken: ShownRefund[];
  readonly unshown: Unshown[];
}

function claimOf(
  row: InputRow,
  money: OrderMoney,
  { keyOf }: CompareRules,
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
  // Nothing of a declined charge can be refunded.
  const paid = charges.filter(({ refunds, counts }) => counts || refunds.length > 0);
  const wanted = amount === fullWord ? paid.reduce((sum, one) => sum + one.amount, 0) : amount;
  const key = keyOf({ chargeId: isWhole ? undefined : only?.id, amount, ref });
  return { row, scope: new Set(charges.map(({ id }) => id)), wanted, key, taken: [], unshown: [] };
}

function amountOf({ amount = 0 }: KnownRefund): number {
  return amount;
}

function wentBack(refund: ShownRefund): number {
  return refund.record.meaning === 'made' ? amountOf(refund) : 0;
}

function sumOf<T>(all: readonly T[], amount: (one: T) => number): number {
  return all.reduce((sum, one) => sum + amount(one), 0);
}

// How much a row is short of.
function missingSum({ wanted, taken, unshown }: Claim): number {
  return wanted - sumOf(taken, amountOf) - sumOf(unshown, ({ amount }) => amount);
}

// A refund that was there before the row was sent is not the row's own.
function mayBeOf({ scope, unshown }: Claim, { charge, record }: ShownRefund): boolean {
  return charge !== undefined && scope.has(charge.id) && !unshown.some(({ before }) => before.has(record.id));
}

function takeOwn(claim: Claim, free: Set<Unshown>): void {
  for (const one of free) {
    // Of rows that are the same, the first one has it.
    if (!one.keys.includes(claim.key)) continue;
    free.delete(one);
    claim.unshown.push(one);
  }
}

function takeExact(claim: Claim, free: Set<ShownRefund>): void {
  const found = [...free].find((one) => mayBeOf(claim, one) && amountOf(one) === missingSum(claim));
  if (found === undefined) return;
  free.delete(found);
  claim.taken.push(found);
}

function takeRest(claim: Claim, free: Set<ShownRefund>): void {
  for (const one of free) {
    if (missingSum(claim) <= 0) return;
    if (!mayBeOf(claim, one) || amountOf(one) > missingSum(claim)) continue;
    free.delete(one);
    claim.taken.push(one);
  }
}

// What no row has claimed is more than the file says. The last row about its charge shows it.
function takeAll(claim: Claim, free: Set<ShownRefund>): void {
  for (const one of [...free].filter((some) => mayBeOf(claim, some))) {
    free.delete(one);
    claim.taken.push(one);
  }
}

// Of a row that is short of money, what the order does not show may be the rest.
function takeUnshown(claim: Claim, free: Set<Unshown>): void {
  for (const one of free) {
    if (missingSum(claim) <= 0) return;
    if (!one.isNews || !claim.scope.has(one.chargeId)) continue;
    free.delete(one);
    claim.unshown.push(one);
  }
}

// No row is short of it. But what the order shows may be another refund, so the last row about its charge is not certain.
function takeAllUnshown(claim: Claim, free: Set<Unshown>): void {
  for (const one of [...free].filter(({ chargeId, isNews }) => isNews && claim.scope.has(chargeId))) {
    free.delete(one);
    claim.unshown.push(one);
  }
}

// A refund that failed gave nothing back, but the row that is short of money wants to know why.
function takeFailed(claim: Claim, failed: Set<ShownRefund>): void {
  if (missingSum(claim) <= 0) return;
  for (const one of [...failed].filter((some) => mayBeOf(claim, some))) {
    failed.delete(one);
    claim.taken.push(one);
  }
}

function comparedOf(
  orderId: string,
  claim: Claim,
  { currency, doubt }: OrderMoney,
  known: KnownOrder,
  rules: CompareRules,
): Compared {
  const { row, wanted, taken } = claim;
  const refunded = sumOf(taken, wentBack);
  const own = claim.unshown.map(({ refund }) => refund);
  // An unconfirmed refund of another charge makes no row of the order certain that is short of money.
  const other = known.refunds.filter(
    ({ state, record, mayAppear }) => state === 'unconfirmed' && record === undefined && mayAppear,
  );
  const unshown = own.length === 0 && refunded < wanted ? other.slice(0, 1) : own;
  const refunds = [...taken, ...unshown];
  const words = refunds.map((refund) => stateWhy(refund, currency, rules.settings));
  const verdict = verdictOf(refunds, known.cases);
  return {
    row,
    orderId,
    // As everywhere, what is not known comes before what is known.
    verdict: doubt === undefined ? (verdict ?? bySum(refunded, wanted, refunds)) : 'unconfirmed',
    state: doubt === undefined ? mostUrgent(refunds) : 'unconfirmed',
    why: sentences([doubt, ...(wanted === 0 ? ['nothing of it was paid'] : []), ...words]),
    wanted,
    refunded,
    currency,
    refunds: taken.map((refund) => comparedRefund(refund, rules)),
  };
}

function comparedRefund(refund: ShownRefund, { senderOf }: CompareRules): ComparedRefund {
  const { record, charge } = refund;
  return { id: record.id, chargeId: charge?.id, createdAt: record.createdAt, by: senderOf(refund) };
}

function sentences(words: readonly (string | undefined)[]): string | undefined {
  return [...new Set(words.filter((one) => one !== undefined))].join('; ') || undefined;
}

// Of refunds that a person must know of before any sum.
function verdictOf(refunds: readonly KnownRefund[], cases: KnownOrder['cases']): CompareVerdict | undefined {
  const has = (state: RefundState) => refunds.some((one) => one.state === state);
  if (has('unconfirmed')) return 'unconfirmed';
  // Once somebody has dealt with it, it is just more than the file says.
  if (has('made twice') && cases.some(({ is }) => is === 'made twice')) return 'made_twice';
  if (has('appeared')) return 'appeared';
  if (has('gone')) return 'gone';
  return undefined;
}

function bySum(refunded: number, wanted: number, refunds: readonly KnownRefund[]): CompareVerdict {
  const has = (state: RefundState) => refunds.some((one) => one.state === state);
  if (refunded > wanted) return 'more';
  if (has('recorded made')) return 'recorded_made';
  // What failed stays failed, whatever smaller refund is on its way.
  if (has('failed') && refunded < wanted) return 'failed';
  if (has('pending')) return 'pending';
  if (refunded === wanted && wanted > 0) return 'refunded';
  return refunded === 0 ? 'not' : 'in_part';
}
