/** What an order received and what went back, read leniently, even if the order hides some of it. */

import { hasNoCharges, newestOf, type RefundRecord, refundSums, refundsOf } from './charges.ts';
import { type CompleteItems, completeItems, isWholeNumber, itemsOf, type JsonObject } from './json-values.ts';
import { isTime, meaningOfRefund, meaningOfStatus, type RefundMeaning, statuses } from './spec.ts';

// Assumed: money came in with a charge that was paid at some time, unless its status says that it did not.
/** Whether money came in with a charge. */
export function tookMoney({ status, paid_at: paidAt }: JsonObject): boolean {
  const meaning = meaningOfStatus(status);
  if (meaning === 'in' || meaning === 'back') return true;
  return meaning === undefined && typeof paidAt === 'number';
}

/** What an order received and what went back, as far as it shows. */
export interface Payment {
  /** Money came in, or may have. */
  readonly isPaid: boolean;
  /** What went back, positive; undefined if the order does not show it. A failed refund does not count. */
  readonly refunded: number | undefined;
  /** Everything that came in went back. */
  readonly isBack: boolean;
  /** The newest refund that did not fail; undefined if none is shown. `createdAt` in Unix seconds. */
  readonly refund: Pick<RefundRecord, 'id' | 'createdAt'> | undefined;
}

/** Charges and refunds that are not shown count by the order's own figures. */
export function paymentOf(order: JsonObject): Payment {
  const { amount_refunded: said, payment_status: status } = order;
  const paid = itemsOf(order.charges).filter(tookMoney);
  const isPaid = paid.length > 0 || mayBePaid(order);
  const shown = paid.flatMap(({ refunds }) => itemsOf(refunds).flatMap(shownRefund));
  const made = refundSums(shown).refunded;
  const isAllMade = shown.every(({ meaning }) => meaning === 'made');
  const figures = [
    ...(shown.length === 0 ? [] : [made]),
    ...(typeof said === 'number' && isAllMade ? [said] : []),
    ...(status === statuses.refunded && isAllMade ? [amountPaid(order, paid)] : []),
  ];
  const refunded = figures.length === 0 ? undefined : Math.max(...figures);
  const standing = shown.filter(({ meaning }) => meaning !== 'failed');
  return {
    isPaid,
    refunded,
    isBack: isPaid && (refunded ?? 0) > 0 && (refunded ?? 0) >= amountPaid(order, paid),
    refund: newestOf(standing),
  };
}

/**
 * What went back by the order's `amount_refunded`. A pending refund, or one with an unknown status, may not have gone back, but
 * the service may count it. Undefined if the order shows no whole number.
 */
export function wentBack(order: JsonObject): number | bigint | undefined {
  const { amount_refunded: said } = order;
  if (!isWholeNumber(said)) return undefined;
  const refunds = itemsOf(order.charges).flatMap((charge) => itemsOf(charge.refunds));
  const made = exactSum(refunds, ['made']);
  const isCounted =
    BigInt(said) !== made && BigInt(said) === exactSum(refunds, ['made', 'pending', 'unconfirmed']);
  return isCounted ? Number(made) : said;
}

/** What went back of a charge by the refunds that it shows, positive. Only refunds that were made count. */
export function wentBackOfCharge({ refunds }: JsonObject): bigint {
  return exactSum(itemsOf(refunds), ['made']);
}

function exactSum(refunds: readonly JsonObject[], meanings: readonly RefundMeaning[]): bigint {
  return refunds
    .filter(({ status }) => meanings.includes(meaningOfRefund(status)))
    .reduce((sum, { amount }) => sum + exactOf(amount), 0n);
}

interface ShownItems {
  readonly items: readonly JsonObject[];
  /** Why some are missing; undefined if none are. */
  readonly problem: string | undefined;
}

const withCharges: readonly unknown[] = Object.values(statuses);

/** The charges that an order shows. An order that was never paid may have none. */
export function shownCharges({ charges, payment_status: status }: JsonObject): ShownItems {
  if ((charges === undefined || charges === null) && !withCharges.includes(status))
    return { items: [], problem: undefined };
  return shownItems(charges, completeItems(charges, 'the charges'));
}

export function shownRefunds(order: JsonObject, charge: JsonObject): ShownItems {
  return shownItems(charge.refunds, refundsOf(order, charge));
}

function shownItems(list: unknown, all: CompleteItems): ShownItems {
  const items = itemsOf(list);
  if ('problem' in all) return { items, problem: all.problem };
  const isComplete = items.length === all.items.length;
  return { items, problem: isComplete ? undefined : 'a charge or a refund has no fields' };
}

/** How an order shows that it hides refunds: `amount_refunded` is more than they add up to (service: order). Undefined if not. */
export function hiddenRefunds(order: JsonObject): string | undefined {
  const { amount_refunded: said } = order;
  if (!isWholeNumber(said)) return undefined;
  const refunds = itemsOf(order.charges).flatMap((charge) => itemsOf(charge.refunds));
  const shown = exactSum(refunds, ['made', 'pending', 'unconfirmed']);
  if (BigInt(said) <= shown) return undefined;
  const records = refunds.length === 0 ? 'it shows no refund' : `its refunds add up to ${shown}`;
  return `${records}, although its amount_refunded is ${said}`;
}

function exactOf(amount: unknown): bigint {
  const exact = isWholeNumber(amount) ? BigInt(amount) : 0n;
  return exact < 0n ? -exact : exact;
}

type ShownRefund = Pick<RefundRecord, 'id' | 'createdAt' | 'amount' | 'meaning'>;

function shownRefund({ id, amount, created_at: createdAt, status }: JsonObject): readonly ShownRefund[] {
  if (typeof id !== 'string' || typeof amount !== 'number') return [];
  return [
    {
      id,
      createdAt: isTime(createdAt) ? createdAt : undefined,
      amount: Math.abs(amount),
      meaning: meaningOfRefund(status),
    },
  ];
}

// Without charges, only the order's status tells.
function mayBePaid(order: JsonObject): boolean {
  if (hasNoCharges(order) || itemsOf(order.charges).length > 0) return false;
  const meaning = meaningOfStatus(order.payment_status);
  return meaning !== 'none' && meaning !== 'awaited';
}

function amountPaid({ amount }: JsonObject, paid: readonly JsonObject[]): number {
  const sums = paid.map((charge) => charge.amount);
  if (sums.length > 0 && sums.every((one) => typeof one === 'number'))
    return sums.reduce((all, one) => all + one, 0);
  return typeof amount === 'number' ? amount : Number.POSITIVE_INFINITY;
}
