/** What a seeded order holds besides its money: who bought, where it goes, what was bought. */

import type { JsonObject } from '../../api/spec.ts';
import type { Ids } from '../ids.ts';
import type { OrderCase } from './cases.ts';
import type { Goods } from './people.ts';

/** A line of an order: goods and how many. */
export interface Line extends Goods {
  readonly quantity: number;
}

/** Who buys (service: customer_info). */
export function customerInfo(buyer: JsonObject, { fields }: OrderCase, createdAt: number) {
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

/** Where an order goes and who is invoiced (service: shipping_contact, fiscal_entity). */
export function contactsOf({ fields }: OrderCase, createdAt: number, ids: Ids) {
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

/** Shipping, taxes and discounts, which have lines of their own (service: order). */
export function linesOf({ fields }: OrderCase) {
  return fields === 'full'
    ? { shipping_lines: [{ amount: 0 }], tax_lines: [], discount_lines: [] }
    : { shipping_lines: null, tax_lines: null, discount_lines: null };
}

/** A line as the service shows it (service: line_item). */
export function lineItem({ name, price, quantity }: Line, orderId: string, { fields }: OrderCase, ids: Ids) {
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
