/** Creates orders and payment links from requests, and pays an order with test cards (service: Endpoints 4 and 5). Pure. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import type { CheckoutCreateRequest, OrderRequest } from '../../api/request-bodies.ts';
import { hostedPayment } from '../../api/spec.ts';
import type { AppOptions } from '../app.ts';
import { amountTooLarge, type Ruled } from '../failures.ts';
import type { Random } from '../random.ts';
import type { Card, ChargeCase } from '../seed/cases.ts';
import { chargesFor, paymentOf } from '../seed/order-parts.ts';
import { chargesOf, nestedList, type StoredOrder } from '../stored-records.ts';
import type { RuleInputs } from './refund-and-capture.ts';

// Assumed: the state of a new checkout, and its lifetime if the request sets none.
const checkoutDefaults = {
  status: 'Issued',
  lifeSeconds: 3 * 24 * 3600,
} as const;

// Assumed: the service accepts both spellings of these names, since the document uses both (service: Endpoints 4 and 5).
const checkoutAliases = {
  order: { plan_id: 'planId', expired_at: 'expires_at' },
  link: { planId: 'plan_id' },
} as const;

type SaleInputs = RuleInputs & Pick<AppOptions, 'pageOrigin'>;

interface OrderInputs extends SaleInputs {
  readonly livemode: boolean;
  readonly customer: JsonObject | undefined;
}

/** A new unpaid order, or the error. */
export function createOrder(request: OrderRequest, inputs: OrderInputs): Ruled<StoredOrder> {
  const { now, ids, livemode } = inputs;
  const amount = totalOf(request);
  if (!Number.isSafeInteger(amount)) return { failure: amountTooLarge('line_items') };
  const id = ids.order();
  const order = {
    id,
    object: 'order',
    livemode,
    amount,
    amount_refunded: 0,
    currency: request.currency.toUpperCase(),
    // Assumed: an order has no payment_status and no charges until something is paid.
    is_refundable: false,
    customer_info: {
      object: 'customer_info',
      customer_id: inputs.customer?.id ?? null,
      name: inputs.customer?.name ?? '',
      email: inputs.customer?.email ?? '',
      phone: inputs.customer?.phone ?? '',
      corporate: inputs.customer?.corporate ?? false,
      antifraud_info: {},
    },
    shipping_contact: shippingContact(request, inputs),
    fiscal_entity: null,
    channel: null,
    metadata: request.metadata ?? {},
    created_at: now,
    updated_at: now,
    line_items: nestedList(request.line_items.map((item) => lineItem(item, id, inputs))),
    shipping_lines: request.shipping_lines ?? null,
    tax_lines: null,
    discount_lines: null,
  } as const;
  if (request.checkout === undefined) return { value: order };
  return { value: { ...order, checkout: createOrderCheckout(request.checkout, livemode, inputs) } };
}

// Assumed: the amount of an order is the sum of its lines and its shipping.
function totalOf(request: OrderRequest): number {
  const lines = request.line_items.reduce((sum, line) => sum + line.unit_price * line.quantity, 0);
  return (request.shipping_lines ?? []).reduce((sum, line) => sum + line.amount, lines);
}

function lineItem(item: OrderRequest['line_items'][number], orderId: string, { ids }: RuleInputs) {
  return {
    id: ids.lineItem(),
    object: 'line_item',
    parent_id: orderId,
    description: null,
    sku: null,
    tags: null,
    brand: null,
    type: null,
    metadata: {},
    antifraud_info: {},
    ...item,
  };
}

function shippingContact({ shipping_contact: contact }: OrderRequest, { now, ids }: RuleInputs) {
  if (contact === undefined) return null;
  return {
    id: ids.shippingContact(),
    object: 'shipping_contact',
    created_at: now,
    ...contact,
    address: { object: 'shipping_address', residential: true, ...contact.address },
  };
}

type OrderCheckout = NonNullable<OrderRequest['checkout']>;

export function createLink(
  request: CheckoutCreateRequest,
  livemode: boolean,
  inputs: SaleInputs,
): JsonObject & { readonly id: string } {
  const { expired_at: one, expires_at: other, ...fields } = request;
  const checkout = { ...issued(livemode, one ?? other, inputs), ...fields };
  return { ...checkout, url: `${inputs.pageOrigin}/link/${checkout.slug}` };
}

// The checkout inside an order. With type Integration it has no page.
function createOrderCheckout(request: OrderCheckout, livemode: boolean, inputs: SaleInputs): JsonObject {
  const { expires_at: expiry, ...fields } = request;
  const checkout = { ...issued(livemode, expiry, inputs), ...fields };
  return request.type === hostedPayment
    ? { ...checkout, url: `${inputs.pageOrigin}/checkout/${checkout.slug}` }
    : checkout;
}

function issued(livemode: boolean, expiry: number | undefined, { now, ids }: RuleInputs) {
  const id = ids.checkout();
  return {
    id,
    object: 'checkout',
    livemode,
    status: checkoutDefaults.status,
    slug: id.slice(0, 12),
    created_at: now,
    // Assumed: the reply has expires_at, even if the request has expired_at.
    expires_at: expiry ?? now + checkoutDefaults.lifeSeconds,
  };
}

/** The body of a payment link, with the schema's names. */
export function withoutLinkAliases(body: unknown): unknown {
  return withoutAliases(body, checkoutAliases.link);
}

/** The body of an order; `checkout` has the schema's names. */
export function withoutOrderAliases(body: unknown): unknown {
  if (!isObject(body) || body.checkout === undefined) return body;
  return { ...body, checkout: withoutAliases(body.checkout, checkoutAliases.order) };
}

// If a body has both spellings of a name, both stay, and the schema refuses it.
function withoutAliases(body: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const name = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
      return [name === undefined || Object.hasOwn(body, name) ? key : name, value];
    }),
  );
}

/** An attempt to pay: the amount on each card. */
interface Payment extends RuleInputs {
  readonly random: Random;
  readonly cards: readonly { readonly amount: number; readonly card: Card }[];
  readonly outcome: Extract<ChargeCase, 'paid' | 'declined'>;
}

/** The order with another charge for each card (service: order, charge). */
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
    // Paid some seconds after creation.
    createdAt: now - 60,
    example: { charges: cards },
  });
  const charges = [...chargesOf(order), ...made];
  return { ...order, ...paymentOf(charges), updated_at: now, charges: nestedList(charges) };
}

function isNamed(buyer: unknown): buyer is { readonly name: string } {
  return typeof buyer === 'object' && buyer !== null && 'name' in buyer && typeof buyer.name === 'string';
}
