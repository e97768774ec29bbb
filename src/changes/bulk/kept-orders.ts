/** What is kept of the orders that are read for a file, which may name thousands: what a refund needs, and what shows twins. Pure. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import { isNear, purchaseOf, type Twin, twinOf } from '../../orders/orders.ts';

/**
 * What a refund needs from an order: its money, its buyer and its charges. Most of an order is about what was bought and where it
 * went.
 */
export function keptOrder(order: JsonObject): JsonObject {
  const { customer_info: buyer, charges } = order;
  const { email, customer_id } = isObject(buyer) ? buyer : {};
  return { ...plainOf(order), customer_info: { email, customer_id }, charges: keptCharges(charges) };
}

function keptCharges(charges: unknown): unknown {
  if (!isObject(charges) || !Array.isArray(charges.data)) return charges;
  return { ...charges, data: charges.data.map(keptCharge) };
}

function keptCharge(charge: unknown): unknown {
  if (!isObject(charge)) return charge;
  const { payment_method: method, refunds } = charge;
  return { ...plainOf(charge), payment_method: isObject(method) ? plainOf(method) : method, refunds };
}

function plainOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isObject(value)));
}

/** All orders that were read, by what was bought. */
export class Purchases {
  readonly #twins = new Map<string, Twin[]>();

  add(order: JsonObject): void {
    const purchase = purchaseOf(order);
    const twin = purchase === undefined ? undefined : twinOf(order);
    if (purchase === undefined || twin === undefined) return;
    const same = this.#twins.get(purchase);
    if (same === undefined) this.#twins.set(purchase, [twin]);
    else if (!same.some(({ id }) => id === twin.id)) same.push(twin);
  }

  /** Possible twins of one of the orders. */
  twinsOf(order: JsonObject): readonly Twin[] {
    const { id, created_at: createdAt } = order;
    const purchase = purchaseOf(order);
    if (purchase === undefined || typeof createdAt !== 'number') return [];
    return (this.#twins.get(purchase) ?? []).filter(
      (twin) => twin.id !== id && isNear(twin.createdAt, createdAt),
    );
  }

  /** Forgets the purchases of which only one order was read: it has no twin. Call it when nothing more is read. */
  forgetSingle(): void {
    for (const [purchase, same] of this.#twins) if (same.length === 1) this.#twins.delete(purchase);
  }
}
