/** What it does to an order when somebody pays it with test cards, or is declined. Pure. */

import type { Random } from '../random.ts';
import type { Card, ChargeCase } from '../seed/cases.ts';
import { chargesFor, paymentOf } from '../seed/order-parts.ts';
import { chargesOf, nestedList, type StoredOrder } from '../stored-records.ts';
import type { RuleInputs } from './refund-and-capture.ts';

/** An attempt to pay: with how much of each card. */
interface Payment extends RuleInputs {
  readonly random: Random;
  readonly cards: readonly { readonly amount: number; readonly card: Card }[];
  readonly outcome: Extract<ChargeCase, 'paid' | 'declined'>;
}

/** The order with one more charge for each card (service: order, charge). */
export function payOrder(order: StoredOrder, payment: Payment): StoredOrder {
  const { now, cards, outcome, random, ids } = payment;
  const buyer = order.customer_info;
  const made = chargesFor({ charges: cards.map(() => outcome), fields: 'usual' }, order.amount, {
    random,
    ids,
    orderId: order.id,
    customerId: '',
    buyer: isNamed(buyer) ? buyer.name : '',
    livemode: order.livemode === true,
    currency: String(order.currency),
    // A charge is paid some seconds after it was made.
    createdAt: now - 60,
    example: { charges: cards },
  });
  const charges = [...chargesOf(order), ...made];
  return { ...order, ...paymentOf(charges), updated_at: now, charges: nestedList(charges) };
}

function isNamed(buyer: unknown): buyer is { readonly name: string } {
  return typeof buyer === 'object' && buyer !== null && 'name' in buyer && typeof buyer.name === 'string';
}
