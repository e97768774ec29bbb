/** Possible twins: other orders of the same buyer and amount within ten minutes, and what of them was refunded already. Pure. */

import { newestOf, type RefundRecord, readMoney } from '../../api/charges.ts';
import { type JsonObject, statuses, valueAt } from '../../api/spec.ts';

/** Another order of the same buyer and amount, as far as it matters for a refund. */
export interface Twin {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: string | undefined;
  readonly amount: number;
  /** How much of it went back; undefined when the order does not show that. */
  readonly refunded: number | undefined;
  /** The newest of its refunds; undefined when it shows none. `createdAt` in Unix seconds. */
  readonly refund: Pick<RefundRecord, 'id' | 'createdAt'> | undefined;
}

/** Two orders further apart are no twins. */
export const twinSeconds = 600;

/** The buyer and the amount of an order as one text: twins have the same. Undefined if the order does not show both. */
export function purchaseOf(order: JsonObject): string | undefined {
  const { amount, currency } = order;
  const customerId = valueAt(order, ['customer_info', 'customer_id']);
  const email = valueAt(order, ['customer_info', 'email']);
  // The e-mail comes first: one of the two may have been bought without an account.
  const buyer = [email, customerId].find((value) => typeof value === 'string' && value !== '');
  if (typeof buyer !== 'string' || typeof amount !== 'number') return undefined;
  const sameInAnyCase = buyer.normalize('NFKC').trim().toLowerCase();
  return JSON.stringify([sameInAnyCase, amount, typeof currency === 'string' ? currency.toUpperCase() : '']);
}

/** An order as the twin of another one. Undefined if it does not show its id, its time or its amount. */
export function twinOf(order: JsonObject): Twin | undefined {
  const { id, created_at: createdAt, amount, payment_status: status } = order;
  if (typeof id !== 'string' || typeof createdAt !== 'number' || typeof amount !== 'number') return undefined;
  const refunds = refundsIn(order);
  return {
    id,
    createdAt,
    amount,
    status: typeof status === 'string' ? status : undefined,
    refunded: refundedOf(
      order,
      refunds.map((one) => -one.amount),
    ),
    refund: newestOf(refunds),
  };
}

// Most orders of a long walk have no refund, so their charges are not read.
function refundsIn(order: JsonObject): readonly RefundRecord[] {
  const reading = order.amount_refunded === 0 ? undefined : readMoney(order);
  return reading !== undefined && 'money' in reading
    ? reading.money.charges.flatMap((charge) => charge.refunds)
    : [];
}

// The order's own figure, its refund records and its status: whichever says that most went back.
function refundedOf({ amount, amount_refunded: said, payment_status: status }: JsonObject, sums: number[]) {
  const figures = [
    ...(typeof said === 'number' ? [said] : []),
    ...(sums.length === 0 ? [] : [sums.reduce((sum, one) => sum + one, 0)]),
    ...(status === statuses.refunded && typeof amount === 'number' ? [amount] : []),
  ];
  return figures.length === 0 ? undefined : Math.max(...figures);
}

/** Whether any of a twin went back. */
export function isRefunded({ refunded, refund }: Twin): boolean {
  return refund !== undefined || (refunded ?? 0) > 0;
}

/** The twins of an order among these orders, the nearest in time first. */
export function twinsAmong(order: JsonObject, others: readonly JsonObject[]): readonly Twin[] {
  const { id, created_at: createdAt } = order;
  const bought = purchaseOf(order);
  if (bought === undefined || typeof createdAt !== 'number') return [];
  const near = ({ createdAt: at }: Twin) => Math.abs(at - createdAt);
  const twins = others
    .filter((other) => other.id !== id && purchaseOf(other) === bought)
    .map(twinOf)
    .filter((twin) => twin !== undefined)
    .filter((twin) => near(twin) <= twinSeconds);
  const first = new Map(twins.toReversed().map((twin) => [twin.id, twin]));
  return [...first.values()].toSorted((one, other) => near(one) - near(other));
}
