/** What a new order looks like (service: Endpoints 4), as a pure function. */

import type { JsonObject, OrderRequest } from '../../api/spec.ts';
import type { Ruled } from '../failures.ts';
import { amountTooLarge } from '../failures.ts';
import type { StoredOrder } from '../records.ts';
import { nestedList } from '../records.ts';
import { createOrderCheckout } from './checkout.ts';
import type { RuleInputs } from './refund.ts';

/** What making an order takes from outside. */
export interface OrderInputs extends RuleInputs {
  readonly livemode: boolean;
  /** The customer that the body names. */
  readonly customer: JsonObject | undefined;
}

/** The order, with nothing paid yet, or why there is none. */
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
    // Assumed: no payment_status and no charges until something is paid.
    is_refundable: false,
    customer_info: customerInfo(inputs.customer),
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

// Assumed: an order's amount is its lines and its shipping.
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

function customerInfo(customer: JsonObject | undefined): JsonObject {
  return {
    object: 'customer_info',
    customer_id: customer?.id ?? null,
    name: customer?.name ?? '',
    email: customer?.email ?? '',
    phone: customer?.phone ?? '',
    corporate: customer?.corporate ?? false,
    antifraud_info: {},
  };
}
