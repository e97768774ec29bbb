/** Decides which refunds of an order count for which rows of a file: every refund counts for one row only. Pure. */

import type { ChargeMoney, OrderMoney } from '../../api/charges.ts';
import { valueAt } from '../../api/json-values.ts';
import { tookMoney } from '../../api/payment.ts';
import { isWithin } from '../../api/spec.ts';
import { chargesNamed, notOneCharge } from '../../changes/changes.ts';
import type { ExpectedRefund } from '../../journal/journal.ts';
import type { KnownRefund } from '../../orders/orders.ts';
import { anyWord, fullWord, type InputRow } from '../../plans/plans.ts';
import { meaningIn } from '../../reports/reports.ts';
import type { CompareRules } from './refund-rows.ts';

/**
 * Which refunds of an order its rows claim. First each row takes the refund that it names, then what the journal sent for it,
 * since an older refund of the same amount must not be taken for it. Then come rows with just the amount of a refund. What is
 * left goes to the rows in their order.
 */
export function claimsOf(
  rows: readonly InputRow[],
  refunds: readonly KnownRefund[],
  money: OrderMoney,
  rules: CompareRules,
): readonly (Claim | Unclaimed)[] {
  const unshown = new Set(unshownIn(refunds));
  const shown = refunds.filter(isShown);
  const free = new Set(shown.filter(({ state }) => state !== 'failed'));
  const failed = new Set(shown.filter(({ state }) => state === 'failed'));
  const claims = rows.map((row) => claimOf(row, money, rules));
  const found = claims.filter((claim) => 'scope' in claim);
  for (const { row, taken } of found)
    for (const from of [free, failed]) take(from, taken, ({ record }) => record.id === row.refundId);
  for (const one of free) if (isOfOtherTime(one, rules)) free.delete(one);
  // Of several rows that are the same, the first one gets it.
  for (const { key, unshown: own } of found) take(unshown, own, ({ keys }) => keys.includes(key));
  const open = found.filter(({ row }) => row.refundId === undefined);
  const takeShown = (claim: Claim, fits: (amount: number, missing: number) => boolean) =>
    take(free, claim.taken, (one) => mayBeOf(claim, one) && fits(amountOf(one), missingSum(claim)));
  // Rows whose amount is just that of a refund come first, or a smaller row would take it from them.
  for (const claim of open) takeShown(claim, (amount, missing) => amount === missing);
  for (const claim of open) takeShown(claim, (amount, missing) => missing > 0 && amount <= missing);
  // What no row has claimed is more than the file says. The last row about its charge shows it. With a range, what no row lacks is
  // found as a refund that is not in the file.
  const isFound = ({ state }: KnownRefund) => rules.range !== undefined && isCertain(state);
  for (const claim of open.toReversed())
    take(free, claim.taken, (one) => mayBeOf(claim, one) && (missingSum(claim) > 0 || !isFound(one)));
  // If a row is short of money, a refund that the order does not show may be the rest. If no row is short of money, the refund
  // that the order shows may be another one, so the last row about its charge is not certain.
  const isOf = ({ scope }: Claim, { chargeId }: Unshown) => scope.has(chargeId);
  for (const claim of found) take(unshown, claim.unshown, (one) => missingSum(claim) > 0 && isOf(claim, one));
  for (const claim of found.toReversed())
    take(unshown, claim.unshown, (one) => one.isNews && isOf(claim, one));
  // A refund that failed gave nothing back, but it says why a row is short of money.
  for (const claim of open)
    if (missingSum(claim) > 0) take(failed, claim.taken, (one) => mayBeOf(claim, one));
  return claims;
}

/** If the refund that this row is about was counted for another row: that row. Of two rows that are the same, only one has it. */
export function countedFor(claim: Claim, others: readonly Claim[]): InputRow | undefined {
  const { row, scope, wanted } = claim;
  if (wanted === 0 || claim.taken.length + claim.unshown.length > 0) return undefined;
  return others.find(({ taken, unshown }) => {
    const back = taken.filter(({ state }) => state !== 'failed');
    const amounts = [
      ...back.filter(({ charge }) => charge !== undefined && scope.has(charge.id)).map(amountOf),
      ...unshown.filter(({ chargeId }) => scope.has(chargeId)).map(({ amount }) => amount),
    ];
    const isNamed = back.some(({ record }) => record.id === row.refundId);
    return isNamed || [...amounts, total(amounts)].includes(wanted);
  })?.row;
}

export type ShownRefund = KnownRefund & { readonly record: NonNullable<KnownRefund['record']> };

/** Whether money went back at a time that is not asked about. What a person must look at belongs to any time. */
export function isOfOtherTime(
  { state, record }: ShownRefund,
  { range }: Pick<CompareRules, 'range'>,
): boolean {
  const { createdAt } = record;
  if (range === undefined || createdAt === undefined || isWithin(range, createdAt)) return false;
  return isCertain(state);
}

// Whether money went back, and nobody must look.
function isCertain(state: KnownRefund['state']): boolean {
  return state === 'made' || state === 'elsewhere';
}

/** Whether the order shows a refund. */
export function isShown(refund: KnownRefund): refund is ShownRefund {
  return refund.record !== undefined;
}

/** A refund of one charge that was sent from here and that the order does not show. */
export interface Unshown extends ExpectedRefund {
  readonly refund: KnownRefund;
  /** The keys of the row that sent it, and of the row that this one is a part of. */
  readonly keys: readonly string[];
  /** The refunds that the order had when it was sent. */
  readonly before: ReadonlySet<string>;
  /** False if it is too old to move money: then only a row that is short of money needs to know about it. */
  readonly isNews: boolean;
}

/** The refunds that were sent from here and that the order does not show, by their charges. */
export function unshownIn(refunds: readonly KnownRefund[]): readonly Unshown[] {
  return refunds.filter(({ record }) => record === undefined).flatMap(unshownOf);
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

/** What a row is about, and the refunds that were found for it. */
export interface Claim {
  readonly row: InputRow;
  /** The charges that it may be about. */
  readonly scope: ReadonlySet<string>;
  readonly wanted: number;
  /** The key under which it would be sent. */
  readonly key: string;
  readonly taken: ShownRefund[];
  readonly unshown: Unshown[];
}

/** A row that names no charge of the order, or several. */
interface Unclaimed {
  readonly row: InputRow;
  readonly problem: string;
}

function claimOf(row: InputRow, money: OrderMoney, { keyOf }: CompareRules): Claim | Unclaimed {
  const { charge, amount = fullWord, ref } = row;
  const isWhole = charge === anyWord || charge === fullWord;
  const named = isWhole ? money.charges : chargesNamed(charge, money);
  // A row that names its refund needs no other name.
  const code = row.refundId === undefined ? row.authCode : undefined;
  const charges = code === undefined ? named : named.filter((one) => hasCode(one, code));
  if (code !== undefined && charges.length === 0 && named.length > 0)
    return { row, problem: `it has no charge and no refund with the auth_code ${code}` };
  const [only, second] = charges;
  if (!isWhole && (only === undefined || second !== undefined))
    return { row, problem: `it ${notOneCharge(charge, charges)}` };
  const paid = paidOf(charges);
  const asked = amount === fullWord ? total(paid.map((one) => one.amount)) : amount;
  const wanted = row.isFailed === true ? 0 : asked;
  const key = keyOf({ chargeId: isWhole ? undefined : only?.id, amount, ref });
  return { row, scope: new Set(charges.map(({ id }) => id)), wanted, key, taken: [], unshown: [] };
}

function hasCode({ value, refunds }: ChargeMoney, code: string): boolean {
  return codeOf(value) === code || refunds.some(({ authCode }) => authCode === code);
}

function codeOf(charge: ChargeMoney['value']): unknown {
  return valueAt(charge, ['payment_method', 'auth_code']);
}

// A charge with which no money came in cannot be refunded. If no charge shows whether it was paid, each one that can be refunded
// counts.
function paidOf(charges: readonly ChargeMoney[]): readonly ChargeMoney[] {
  const paid = charges.filter(({ value, refunds }) => tookMoney(value) || refunds.length > 0);
  return paid.length > 0 ? paid : charges.filter(({ counts }) => counts);
}

function amountOf({ amount = 0 }: KnownRefund): number {
  return amount;
}

export function wentBack(refund: ShownRefund): number {
  return meaningIn(refund.state) === 'made' ? amountOf(refund) : 0;
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

// How much a row is short of.
function missingSum({ wanted, taken, unshown }: Claim): number {
  return wanted - total(taken.map(amountOf)) - total(unshown.map(({ amount }) => amount));
}

// A refund that was there before the row was sent is not the row's own.
function mayBeOf({ row, scope, unshown }: Claim, { charge, record }: ShownRefund): boolean {
  const { authCode = record.authCode } = row;
  if (authCode !== record.authCode && charge !== undefined && authCode !== codeOf(charge.value)) return false;
  return charge !== undefined && scope.has(charge.id) && !unshown.some(({ before }) => before.has(record.id));
}

/** Moves the refunds that fit from those that no row has yet (`free`) to a row (`taken`). `fits` sees what the row has by then. */
export function take<Refund>(free: Set<Refund>, taken: Refund[], fits: (one: Refund) => boolean): void {
  for (const one of free)
    if (fits(one)) {
      free.delete(one);
      taken.push(one);
    }
}
