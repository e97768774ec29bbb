/** Says what reports know about orders, payments and refunds, wherever that was read, and reads it from an order. */

import { paidBy } from '../api/charges.ts';
import { filledText, type JsonObject, valueAt } from '../api/json-values.ts';
import { hiddenRefunds, shownCharges, shownRefunds, tookMoney, wentBack } from '../api/payment.ts';
import { referenceOf } from '../api/resources.ts';
import { isTime, meaningOfRefund, meaningOfStatus, type RefundMeaning } from '../api/spec.ts';
import type { ApprovalFields } from '../journal/journal.ts';
import { moneyFields, type RefundState, refundStates } from '../orders/orders.ts';
import { type Figure, magnitude, wholeNumber } from './exact-sum.ts';

/** Stands for something that the service does not show. It is never blank. */
export const notShown = 'not shown';
/** Stands for the reason and the operator of a refund that this machine did not send. */
export const elsewhere = 'elsewhere';
/** Stands for the reason of a refund that this machine sent without one. */
export const noReason = 'no reason given';

/** Who made a refund, and why, as far as this machine knows. Origin, reason and operator are never empty. */
export interface Maker {
  readonly origin: 'this machine' | 'probably this machine' | typeof elsewhere;
  readonly reason: string;
  readonly operator: string;
  /** Undefined if this machine did not make it. */
  readonly approval?: ApprovalFields | undefined;
  /** The change in the journal that sent it. */
  readonly change?: string | undefined;
}

interface PaidWith {
  readonly brand: string;
  readonly method: string;
}

/** One order. Times are Unix seconds. */
export interface OrderFact extends PaidWith {
  readonly id: string | undefined;
  readonly createdAt: number | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** Undefined if the order shows no whole number. */
  readonly amount: Figure | undefined;
  /** What the order says was refunded. */
  readonly refunded: Figure | undefined;
  /** Buyer and amount as one text: possible twins have the same. Undefined if the order does not show both. */
  readonly purchase: string | undefined;
  readonly buyer: string | undefined;
  /** The buyer's address. */
  readonly email: string | undefined;
  /** The shop's own number. */
  readonly reference: unknown;
  /** Why it may have more charges than it shows; undefined if it does not. */
  readonly hidesCharges: string | undefined;
  /** The fields that are about its money, by which a twin is judged. */
  readonly money: JsonObject;
  /** How the charges that were not declined were paid: `*4242`. */
  readonly cards: readonly string[];
}

/** Money that came in: one charge that was paid. */
export interface PaymentFact extends PaidWith {
  readonly orderId: string | undefined;
  readonly chargeId: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  readonly amount: Figure | undefined;
  readonly paidAt: number | undefined;
  readonly authCode: string | undefined;
  /** The shop's own number of its order. */
  readonly reference: unknown;
}

/**
 * Money that went back: one refund record. `amount`: as a positive figure. `status`: the present status of its order. `paidAt`:
 * when its charge was paid. `reference`: only if the source of the facts shows it.
 */
export interface RefundFact extends Omit<PaymentFact, 'authCode'>, Maker {
  readonly id: string | undefined;
  readonly last4: string | undefined;
  readonly madeAt: number | undefined;
  /** What the record says about itself. Only refunds that were made are in a sum of what went back. */
  readonly meaning: RefundMeaning | 'recorded_made' | 'recorded_not_made';
  /** No order shows it, and only the journal knows it: it is unconfirmed, or a person recorded whether it was made. */
  readonly isUnshown?: true;
  /** Its state, if the journal was asked. */
  readonly state: RefundState | undefined;
  readonly buyer: string | undefined;
  readonly note: string | undefined;
  /** The buyer's address, where the source of the facts shows it. */
  readonly email: string | undefined;
  /** How much of its order can still be refunded, where the source of the facts shows that. */
  readonly left?: number | undefined;
}

/** Everything that one record tells. */
export interface Facts {
  readonly order: OrderFact | undefined;
  readonly payments: readonly PaymentFact[];
  readonly refunds: readonly RefundFact[];
  /** Why sums of these facts may miss something; undefined if they miss nothing. */
  readonly problem: string | undefined;
}

/**
 * Who sent a refund and why, in the form of rows. Both are unknown, so null, if `origin` says that the refund is not from this
 * machine. The reason is also null if none was given.
 */
export function sentHere({ origin, operator, reason }: RefundFact) {
  if (origin === elsewhere) return { operator: null, reason: null };
  return { operator, reason: reason === noReason ? null : reason };
}

/** What an order alone cannot tell. */
export interface Known {
  readonly makerOf: (
    refund: JsonObject,
    order: JsonObject,
  ) => Maker & Pick<RefundFact, 'state' | 'left'> & { readonly note?: string | undefined };
  readonly referenceKeys?: readonly string[] | undefined;
  /** Buyer and amount as one text. */
  readonly purchaseOf: (order: JsonObject) => string | undefined;
}

export function factsOfOrder(order: JsonObject, known: Known): Facts {
  const { items, problem } = shownCharges(order);
  const charges = items.map((charge) => factsOfCharge(order, charge, known));
  const refunds = charges.flatMap((charge) => charge.refunds);
  const payments = charges.flatMap((charge) => charge.payments);
  const problems = [nameProblem(order, problem), ...charges.map((charge) => charge.problem)];
  return {
    order: orderFact(order, items, known),
    payments,
    refunds,
    problem: problems.find((one) => one !== undefined) ?? nameProblem(order, hiddenRefunds(order)),
  };
}

export function factsOfCharge(order: JsonObject, charge: JsonObject, known: Known): Facts {
  const { items, problem } = shownRefunds(order, charge);
  const shared = {
    orderId: filledText(order.id) ?? filledText(charge.order_id),
    chargeId: filledText(charge.id),
    currency: filledText(charge.currency) ?? filledText(order.currency),
    ...paidWith(charge),
  };
  const paidAt = time(charge.paid_at);
  const reference = referenceOf(order, known.referenceKeys ?? []);
  const payment: PaymentFact = {
    ...shared,
    status: filledText(charge.status),
    amount: wholeNumber(charge.amount),
    paidAt,
    authCode: filledText(valueAt(charge, ['payment_method', 'auth_code'])),
    reference,
  };
  return {
    order: undefined,
    payments: tookMoney(charge) ? [payment] : [],
    refunds: items.map((refund): RefundFact => {
      const amount = wholeNumber(refund.amount);
      const status = filledText(refund.status);
      const { note, ...maker } = known.makerOf(refund, order);
      return {
        ...shared,
        ...maker,
        note,
        id: filledText(refund.id),
        last4: filledText(valueAt(charge, ['payment_method', 'last4'])),
        status: filledText(order.payment_status),
        amount: amount === undefined ? undefined : magnitude(amount),
        madeAt: time(refund.created_at),
        paidAt,
        meaning: meaningIn(maker.state, status),
        buyer: buyerName(order),
        email: filledText(valueAt(order, ['customer_info', 'email'])),
        reference,
      };
    }),
    problem: nameProblem(order, problem),
  };
}

const notMade = ['pending', 'failed', 'unconfirmed'] as const;

/** How a refund counts in sums. One that its order shows and that the journal has not confirmed counts as `unconfirmed`. */
export function meaningIn(state: unknown, status?: unknown): RefundMeaning {
  return notMade.find((one) => one === state) ?? meaningOfRefund(status);
}

/** What of a refund went back, positive: nothing of one that failed, is pending or is not certain. Undefined if no amount is shown. */
export function wentBackOf({ meaning, amount }: Pick<RefundFact, 'meaning' | 'amount'>): Figure | undefined {
  return meaning === 'made' ? amount : 0;
}

function nameProblem(order: JsonObject, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${filledText(order.id) ?? 'an order'}: ${problem}`;
}

function orderFact(
  order: JsonObject,
  charges: readonly JsonObject[],
  { purchaseOf, referenceKeys = [] }: Known,
): OrderFact {
  const paying = charges.filter(({ status }) => meaningOfStatus(status) !== 'none');
  const used = (paying.length > 0 ? paying : charges).map(paidWith);
  return {
    id: filledText(order.id),
    createdAt: time(order.created_at),
    currency: filledText(order.currency),
    status: filledText(order.payment_status),
    amount: wholeNumber(order.amount),
    refunded: wentBack(order),
    purchase: purchaseOf(order),
    buyer: buyerName(order),
    email: filledText(valueAt(order, ['customer_info', 'email'])),
    reference: referenceOf(order, referenceKeys),
    hidesCharges: shownCharges(order).problem,
    money: moneyFields(order),
    cards: paying.map(paidBy),
    brand: only(used.map(({ brand }) => brand)) ?? 'several brands',
    method: only(used.map(({ method }) => method)) ?? 'several methods',
  };
}

function buyerName(order: JsonObject): string | undefined {
  return filledText(valueAt(order, ['customer_info', 'name']));
}

// Undefined if there are several: an order has one amount, whatever cards paid it.
function only(names: readonly string[]): string | undefined {
  const [first = notShown, second] = new Set(names);
  return second === undefined ? first : undefined;
}

function paidWith(charge: JsonObject): PaidWith {
  return {
    brand: filledText(valueAt(charge, ['payment_method', 'brand'])) ?? notShown,
    method: filledText(valueAt(charge, ['payment_method', 'type'])) ?? notShown,
  };
}

function time(value: unknown): number | undefined {
  return isTime(value) ? value : undefined;
}

/** The facts of a row of `orders export --rows refunds`. The row itself says who made the refund. */
export function factsOfRefundRow(row: JsonObject): Facts {
  const amount = wholeNumber(row.amount);
  const operator = filledText(row.operator);
  const state = refundStates.find((one) => one === row.state);
  const refund: RefundFact = {
    id: filledText(row.id),
    orderId: filledText(row.order_id),
    chargeId: filledText(row.charge_id),
    last4: filledText(valueAt(row, ['charge', 'payment_method', 'last4'])),
    currency: filledText(row.currency),
    status: filledText(valueAt(row, ['order', 'payment_status'])),
    amount: amount === undefined ? undefined : magnitude(amount),
    madeAt: time(row.created_at) ?? time(row.refunded_at),
    paidAt: undefined,
    // A CSV has the status of the service only if somebody named that column.
    meaning: meaningIn(state, filledText(row.status)),
    state,
    brand: notShown,
    method: notShown,
    origin: operator === undefined ? elsewhere : 'this machine',
    reason: filledText(row.reason) ?? (operator === undefined ? elsewhere : noReason),
    operator: operator ?? elsewhere,
    note: filledText(row.note),
    approval: {
      asked_by: filledText(row.asked_by) ?? null,
      asked_at: time(row.asked_at) ?? null,
      approved_by: filledText(row.approved_by) ?? null,
      approved_at: time(row.approved_at) ?? null,
      request: filledText(row.request) ?? null,
      ticket: filledText(row.ticket) ?? null,
    },
    buyer: filledText(row.buyer),
    email: filledText(row.email),
    reference: row.reference,
  };
  return { order: undefined, payments: [], refunds: [refund], problem: undefined };
}
