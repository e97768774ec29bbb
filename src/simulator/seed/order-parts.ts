/** Parts of an order in the simulator's data: charges, buyer, addresses and lines. */

import type { JsonObject } from '../../api/json-values.ts';
import { statuses } from '../../api/spec.ts';
import type { Ids, Random } from '../random.ts';
import { feeOf } from '../rules/refund-and-capture.ts';
import type { StoredCharge } from '../stored-records.ts';
import { type Card, type ChargeCase, cards, type Line, type OrderExample, type SeedCase } from './cases.ts';

interface ChargeInputs {
  readonly random: Random;
  readonly ids: Ids;
  readonly orderId: string;
  readonly customerId: string;
  readonly buyer: string;
  readonly livemode: boolean;
  readonly currency: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** An example order sets the amount and card of each charge. */
  readonly example: Pick<OrderExample, 'charges'> | undefined;
}

/** A charge for each entry of the case. Those not declined add up to `amount`. */
export function chargesFor(orderCase: SeedCase, amount: number, inputs: ChargeInputs): StoredCharge[] {
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
      // Assumed: the status of a failed charge, and the fields that say why.
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

/** The payment fields of an order. With nothing paid there is no payment_status. */
export function paymentOf(charges: readonly StoredCharge[]) {
  const accepted = charges.filter(({ status }) => status !== 'declined');
  if (accepted.length === 0) return { is_refundable: false };
  const authorized = accepted.some(({ status }) => status === statuses.preAuthorized);
  return {
    payment_status: authorized ? statuses.preAuthorized : statuses.paid,
    ...(accepted.length > 1 ? { split_payment: true } : {}),
    is_refundable: charges.some(({ is_refundable: refundable }) => refundable),
  };
}

/** The buyer of an order (service: customer_info). */
export function customerInfo(buyer: JsonObject, { fields }: SeedCase, createdAt: number) {
  return {
    object: 'customer_info',
    customer_id: fields === 'null' ? null : buyer.id,
    name: buyer.name,
    email: buyer.email,
    phone: buyer.phone,
    corporate: buyer.corporate,
    antifraud_info:
      fields === 'full'
        ? {
            account_created_at: createdAt - 9_000_000,
            first_paid_at: createdAt - 5_000_000,
            paid_transactions: 4,
          }
        : {},
  };
}

/** The shipping and invoice contacts (service: shipping_contact, fiscal_entity). */
export function contactsOf({ fields }: SeedCase, createdAt: number, ids: Ids) {
  if (fields !== 'full') return { shipping_contact: null, fiscal_entity: null };
  const address = {
    street1: 'Calle Mayor 12',
    city: 'Mérida',
    state: 'YUC',
    country: 'mx',
    postal_code: '97000',
  };
  return {
    shipping_contact: {
      id: ids.shippingContact(),
      object: 'shipping_contact',
      created_at: createdAt,
      address: { object: 'shipping_address', ...address, residential: true },
    },
    fiscal_entity: {
      id: ids.fiscalEntity(),
      object: 'fiscal_entity',
      created_at: createdAt,
      address: { object: 'fiscal_entity_address', ...address },
    },
  };
}

/** The lines for shipping, taxes and discounts (service: order). */
export function linesOf({ fields }: SeedCase) {
  return fields === 'full'
    ? { shipping_lines: [{ amount: 0 }], tax_lines: [], discount_lines: [] }
    : { shipping_lines: null, tax_lines: null, discount_lines: null };
}

/** The line for some goods (service: line_item). */
export function lineItem({ name, price, quantity }: Line, orderId: string, { fields }: SeedCase, ids: Ids) {
  const full = fields === 'full';
  return {
    id: ids.lineItem(),
    object: 'line_item',
    parent_id: orderId,
    name,
    description: full ? `${name}, gift wrapped` : null,
    unit_price: price,
    quantity,
    sku: fields === 'null' ? null : `SKU-${price}`,
    tags: full ? ['gift', 'fragile'] : null,
    brand: full ? 'Taller Sur' : null,
    type: full ? 'physical' : null,
    metadata: {},
    antifraud_info: full ? { trip_id: 'T-12', ticket_class: 'economy' } : {},
  };
}
