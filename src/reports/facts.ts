/** What reports know of orders, payments and refunds, wherever it was read: from the service, from an export file, or from an index. */

import type { JsonObject } from '../api/json-values.ts';
import type { RefundMeaning } from '../api/spec.ts';
import type { ApprovalFields } from '../journal/journal.ts';
import type { RefundState } from '../orders/orders.ts';
import type { Figure } from './exact-sum.ts';

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
  /** The change of the journal by which it was sent. */
  readonly change?: string | undefined;
}

export interface PaidWith {
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
  /** The fields that are about its money, as a twin is judged by them. */
  readonly money: JsonObject;
  /** How the charges were paid that were not declined: `*4242`. */
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

/** One refund record. `amount`: positive. `status`: of its order, now. `paidAt`: of its charge. */
export interface RefundFact extends Omit<PaymentFact, 'authCode'>, Maker {
  readonly id: string | undefined;
  readonly last4: string | undefined;
  readonly madeAt: number | undefined;
  /** What the record says of itself. Only what was made is in a sum of what went back. */
  readonly meaning: RefundMeaning | 'recorded_made' | 'recorded_not_made';
  /** No order shows it, the journal alone knows it: it is unconfirmed, or a person recorded whether it was made. */
  readonly isUnshown?: true;
  /** Its state, if the journal was asked. */
  readonly state: RefundState | undefined;
  readonly buyer: string | undefined;
  readonly note: string | undefined;
  /** The buyer's address, where the source of the facts shows it. */
  readonly email: string | undefined;
}

/** Everything that one record tells. */
export interface Facts {
  readonly order: OrderFact | undefined;
  readonly payments: readonly PaymentFact[];
  readonly refunds: readonly RefundFact[];
  /** Why sums made of these facts may miss something; undefined if they do not. */
  readonly problem: string | undefined;
}

/** Who sent a refund and why, as rows have it: unknown, so null, if it is not from this machine, as `origin` says. No reason is null too. */
export function sentHere({ origin, operator, reason }: RefundFact): {
  readonly operator: string | null;
  readonly reason: string | null;
} {
  if (origin === elsewhere) return { operator: null, reason: null };
  return { operator, reason: reason === noReason ? null : reason };
}
