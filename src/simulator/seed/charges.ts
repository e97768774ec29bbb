/** The charges of a seeded order. */

import { statuses } from '../../api/spec.ts';
import type { Ids } from '../ids.ts';
import type { Random } from '../random.ts';
import type { StoredCharge } from '../records.ts';
import { feeOf } from '../rules/capture.ts';
import type { ChargeCase, OrderCase } from './cases.ts';
import type { OrderExample } from './examples.ts';
import { type Card, cards } from './people.ts';

/** What the charges of an order are made from. */
export interface ChargeInputs {
  readonly random: Random;
  readonly ids: Ids;
  readonly orderId: string;
  readonly customerId: string;
  readonly buyer: string;
  readonly livemode: boolean;
  readonly currency: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** A named order says what each charge is. */
  readonly example: OrderExample | undefined;
}

/** One charge for each word of the case; what was paid or authorized adds up to the amount. */
export function chargesFor(orderCase: OrderCase, amount: number, inputs: ChargeInputs): StoredCharge[] {
  const shares = orderCase.charges.filter((word) => word !== 'declined').length;
  const share = Math.floor(amount / Math.max(1, shares));
  let left = amount;
  let open = shares;
  return orderCase.charges.map((word, index) => {
    const named = inputs.example?.charges[index];
    const part = named?.amount ?? (open === 1 ? left : share);
    if (word !== 'declined') {
      left -= part;
      open -= 1;
    }
    return chargeFor(word, part, index, {
      ...inputs,
      full: orderCase.fields === 'full',
      card: named?.card ?? inputs.random.pick(cards),
    });
  });
}

interface OneCharge extends ChargeInputs {
  readonly full: boolean;
  readonly card: Card;
}

function chargeFor(word: ChargeCase, amount: number, index: number, inputs: OneCharge): StoredCharge {
  const createdAt = inputs.createdAt + 5 + index;
  const { full } = inputs;
  return {
    id: inputs.ids.plain(),
    object: 'charge',
    livemode: inputs.livemode,
    created_at: createdAt,
    currency: inputs.currency,
    amount,
    ...stateOf(word, amount, createdAt),
    description: 'Payment from order',
    reference_id: full ? `R-${inputs.random.integer(1000, 9999)}` : null,
    customer_id: full ? inputs.customerId : '',
    order_id: inputs.orderId,
    monthly_installments: full ? 3 : null,
    device_fingerprint: full ? inputs.random.hex(16) : null,
    channel: full ? 'web' : null,
    payment_method: paymentMethod(inputs),
    refunds: null,
  };
}

function stateOf(word: ChargeCase, amount: number, createdAt: number) {
  const fine = { failure_code: null, failure_message: null };
  if (word === 'declined') {
    return {
      // Assumed: the state of a charge that failed, and how it says why.
      status: 'declined',
      is_refundable: false,
      failure_code: 'insufficient_funds',
      failure_message: 'The card was declined: insufficient funds',
    };
  }
  if (word === 'pre_authorized') return { status: statuses.preAuthorized, is_refundable: false, ...fine };
  return {
    status: statuses.paid,
    is_refundable: word === 'paid',
    paid_at: createdAt + 20,
    fee: feeOf(amount),
    ...fine,
  };
}

function paymentMethod({ random, buyer, full, card: { brand, type, last4, issuer } }: OneCharge) {
  return {
    object: 'card_payment',
    type,
    name: buyer.toUpperCase(),
    exp_month: String(random.integer(1, 12)).padStart(2, '0'),
    exp_year: String(random.integer(28, 33)),
    auth_code: String(random.integer(100_000, 999_999)),
    last4,
    brand,
    issuer,
    account_type: issuer === '' ? '' : 'Credit',
    country: 'MX',
    fraud_score: full ? 12.5 : null,
    fraud_indicators: [],
    normalized_device_fingerprint: full ? random.hex(16) : null,
    ...(full
      ? {
          address: {
            object: 'address',
            street1: 'Calle Mayor 12',
            city: 'Ciudad de México',
            state: 'CDMX',
            zip: '06100',
            country: 'MX',
          },
        }
      : {}),
  };
}
