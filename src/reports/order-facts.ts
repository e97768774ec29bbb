/** Reads the facts of an order as the service shows it. What the order does not show whole becomes a problem, never a guess. Pure. */

import { paidBy } from '../api/charges.ts';
import { hiddenRefunds, shownCharges, shownRefunds, tookMoney, wentBack } from '../api/payment.ts';
import { referenceOf } from '../api/resources.ts';
import { isTime, type JsonObject, meaningOfRefund, meaningOfStatus, valueAt } from '../api/spec.ts';
import { moneyFields, refundStates } from '../orders/orders.ts';
import { magnitude, wholeNumber } from './exact-sum.ts';
import {
  elsewhere,
  type Facts,
  type Maker,
  noReason,
  notShown,
  type OrderFact,
  type PaidWith,
  type PaymentFact,
  type RefundFact,
} from './facts.ts';

/** What an order alone cannot tell. */
export interface Known {
  /** Who made a refund of this order, and its state. */
  readonly makerOf: (
    refund: JsonObject,
    order: JsonObject,
  ) => Maker & Pick<RefundFact, 'state'> & { readonly note?: string | undefined };
  /** The setting `reference.keys`. */
  readonly referenceKeys?: readonly string[] | undefined;
  /** Buyer and amount as one text. */
  readonly purchaseOf: (order: JsonObject) => string | undefined;
}

/** The facts of an order. */
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

/** The facts of one charge and its refunds. */
export function factsOfCharge(order: JsonObject, charge: JsonObject, known: Known): Facts {
  const { items, problem } = shownRefunds(order, charge);
  const shared = {
    orderId: text(order.id) ?? text(charge.order_id),
    chargeId: text(charge.id),
    currency: text(charge.currency) ?? text(order.currency),
    ...paidWith(charge),
  };
  const paidAt = time(charge.paid_at);
  const reference = referenceOf(order, known.referenceKeys ?? []);
  const payment: PaymentFact = {
    ...shared,
    status: text(charge.status),
    amount: wholeNumber(charge.amount),
    paidAt,
    authCode: text(valueAt(charge, ['payment_method', 'auth_code'])),
    reference,
  };
  return {
    order: undefined,
    payments: tookMoney(charge) ? [payment] : [],
    refunds: items.map((refund): RefundFact => {
      const amount = wholeNumber(refund.amount);
      const status = text(refund.status);
      const { note, ...maker } = known.makerOf(refund, order);
      return {
        ...shared,
        ...maker,
        note,
        id: text(refund.id),
        last4: text(valueAt(charge, ['payment_method', 'last4'])),
        status: text(order.payment_status),
        amount: amount === undefined ? undefined : magnitude(amount),
        madeAt: time(refund.created_at),
        paidAt,
        meaning: meaningOfRefund(status),
        buyer: buyerOf(order),
        email: text(valueAt(order, ['customer_info', 'email'])),
        reference,
      };
    }),
    problem: nameProblem(order, problem),
  };
}

function nameProblem(order: JsonObject, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${text(order.id) ?? 'an order'}: ${problem}`;
}

function orderFact(
  order: JsonObject,
  charges: readonly JsonObject[],
  { purchaseOf, referenceKeys = [] }: Known,
): OrderFact {
  const paying = charges.filter(({ status }) => meaningOfStatus(status) !== 'none');
  const used = (paying.length > 0 ? paying : charges).map(paidWith);
  return {
    id: text(order.id),
    createdAt: time(order.created_at),
    currency: text(order.currency),
    status: text(order.payment_status),
    amount: wholeNumber(order.amount),
    refunded: wentBack(order),
    purchase: purchaseOf(order),
    buyer: buyerOf(order),
    reference: referenceOf(order, referenceKeys),
    hidesCharges: shownCharges(order).problem,
    money: moneyFields(order),
    cards: paying.map(paidBy),
    brand: onlyOne(used.map(({ brand }) => brand)),
    method: onlyOne(used.map(({ method }) => method)),
  };
}

function buyerOf(order: JsonObject): string | undefined {
  return text(valueAt(order, ['customer_info', 'name']));
}

function onlyOne(names: readonly string[]): string {
  const [first = notShown, second] = new Set(names);
  return second === undefined ? first : 'several';
}

/** What a charge was paid with. */
export function paidWith(charge: JsonObject): PaidWith {
  return {
    brand: text(valueAt(charge, ['payment_method', 'brand'])) ?? notShown,
    method: text(valueAt(charge, ['payment_method', 'type'])) ?? notShown,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function time(value: unknown): number | undefined {
  return isTime(value) ? value : undefined;
}

/** The facts of a row of `orders export --rows refunds`. It says itself who made the refund. */
export function factsOfRefundRow(row: JsonObject): Facts {
  const amount = wholeNumber(row.amount);
  const operator = text(row.operator);
  const state = refundStates.find((one) => one === row.state);
  // A CSV has the status of the service only if somebody named that column.
  const isNotMade = state === 'failed' || state === 'pending' || state === 'unconfirmed';
  const refund: RefundFact = {
    id: text(row.id),
    orderId: text(row.order_id),
    chargeId: text(row.charge_id),
    last4: text(valueAt(row, ['charge', 'payment_method', 'last4'])),
    currency: text(row.currency),
    status: text(valueAt(row, ['order', 'payment_status'])),
    amount: amount === undefined ? undefined : magnitude(amount),
    madeAt: time(row.created_at) ?? time(row.refunded_at),
    paidAt: undefined,
    meaning: isNotMade ? state : meaningOfRefund(text(row.status)),
    state,
    brand: notShown,
    method: notShown,
    origin: operator === undefined ? elsewhere : 'this machine',
    reason: text(row.reason) ?? (operator === undefined ? elsewhere : noReason),
    operator: operator ?? elsewhere,
    note: text(row.note),
    approval: {
      approved_by: text(row.approved_by) ?? null,
      approved_at: time(row.approved_at) ?? null,
      request: text(row.request) ?? null,
      ticket: text(row.ticket) ?? null,
    },
    buyer: text(row.buyer),
    email: text(row.email),
    reference: row.reference,
  };
  return { order: undefined, payments: [], refunds: [refund], problem: undefined };
}
