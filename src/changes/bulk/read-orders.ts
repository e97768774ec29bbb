/**
 * Reads the orders of many rows with as few requests as it can: it walks the pages while they show more than looking up each
 * order would, and looks up the rest by their ids.
 */

import { longPages, type Page, type Service } from '../../api/api.ts';
import { referenceOf, resources } from '../../api/resources.ts';
import { idOf, isObject, type JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { purchaseOf, type Twin, twinOf, twinSeconds } from '../../orders/orders.ts';
import type { InputRow } from '../../plans/plans.ts';
import { twinReach } from '../refund/look-for-twins.ts';

/** Which orders are wanted: by their ids, or by the shop's own numbers. */
export interface Wanted {
  readonly ids: ReadonlySet<string>;
  readonly references: ReadonlySet<string>;
}

/** The orders that rows name. */
export function ordersOf(
  rows: readonly { readonly orderId: string | undefined; readonly reference?: string | undefined }[],
): Wanted {
  return {
    ids: new Set(rows.flatMap(({ orderId }) => orderId ?? [])),
    references: new Set(rows.flatMap(({ reference }) => reference ?? [])),
  };
}

/** An order that was found, and the one before it in the list. */
interface FoundOrder {
  readonly order: JsonObject;
  readonly neighbour: string | undefined;
}

/** The orders that were read. */
export interface ReadOrders {
  /** Returns an order and forgets it, since a file may name thousands. Undefined if it was not found: `missing` says why. */
  take(id: string): FoundOrder | undefined;
  readonly missing: ReadonlyMap<string, string>;
  /** The ids of the orders with a reference; all orders were read for that. */
  readonly byReference: ReadonlyMap<string, readonly string[]>;
  /** Possible twins of an order, among all orders that were read. */
  twinsOf(order: JsonObject): readonly Twin[];
  /** Whether the orders next to this one were read, so that `twinsOf` knows all its twins. */
  sawNeighbours(id: string): boolean;
  readonly requests: number;
}

// Looking up one order takes two requests: one for the order before it, one for itself.
const requestsPerOrder = 2;
// The orders of a file may begin a few pages back, so a walk is not given up at once.
const pagesBeforeDoubt = 4;

/** Reads orders. Throws CliError as `pages` and `locate` do, when a request fails. */
export async function readOrders(ctx: Context, service: Service, wanted: Wanted): Promise<ReadOrders> {
  const reading = new Reading(wanted, service.profile.settings['reference.keys']);
  const end = ctx.notes.progress(() => reading.words(ctx.clock.monotonic()));
  try {
    reading.begin(ctx.clock.monotonic());
    await walkWhileWorthIt(ctx, service, reading);
    for (const id of reading.left()) {
      ctx.signal.throwIfAborted();
      reading.located(id, await service.locate('orders', id));
    }
    return reading;
  } finally {
    end();
  }
}

/** The id of the order that a row names. Every reference was found once, or the file was refused. */
export function orderIdOf(
  { orderId, reference = '' }: Pick<InputRow, 'orderId' | 'reference'>,
  { byReference }: ReadOrders,
): string {
  return orderId ?? byReference.get(reference)?.[0] ?? '';
}

// References need the whole list: only then is it certain that one order has each.
async function walkWhileWorthIt(ctx: Context, service: Service, reading: Reading): Promise<void> {
  if (!reading.needsWalk) return;
  for await (const page of longPages(service, 'orders', {})) {
    ctx.signal.throwIfAborted();
    reading.add(page);
    if (!reading.needsWholeList && !reading.isWorthIt()) return;
  }
  reading.listEnded = true;
}

class Reading implements ReadOrders {
  readonly #found = new Map<string, FoundOrder>();
  readonly missing = new Map<string, string>();
  readonly byReference = new Map<string, string[]>();
  readonly #wanted: Wanted;
  readonly #keys: readonly string[];
  readonly #purchases = new Map<string, Twin[]>();
  #before: string | undefined;
  readonly #places = new Map<string, number>();
  #pages = 0;
  #walked = 0;
  #foundByWalk = 0;
  #startedAt = 0;
  requests = 0;
  /** The walk reached the end of the list, so an order that was not seen does not exist. */
  listEnded = false;

  constructor(wanted: Wanted, keys: readonly string[]) {
    this.#wanted = wanted;
    this.#keys = keys;
  }

  begin(now: number): void {
    this.#startedAt = now;
  }

  get needsWholeList(): boolean {
    return this.#wanted.references.size > 0;
  }

  // One or two orders are looked up sooner than found on a page.
  get needsWalk(): boolean {
    return this.needsWholeList || this.#wanted.ids.size > 1;
  }

  // As many orders before and after it as a single refund looks at.
  sawNeighbours(id: string): boolean {
    const place = this.#places.get(id);
    return place !== undefined && (this.listEnded || this.#walked - place > twinReach);
  }

  add({ records }: Page): void {
    this.#pages += 1;
    this.requests += 1;
    for (const record of records) {
      const id = idOf(record);
      if (id === undefined) continue;
      this.#keep(record.value);
      this.#take(id, record.value);
      this.#before = id;
      this.#walked += 1;
    }
  }

  #take(id: string, order: JsonObject): void {
    const reference = referenceOf(order, this.#keys);
    const isReferenced = typeof reference === 'string' && this.#wanted.references.has(reference);
    if (isReferenced) this.byReference.set(reference, [...(this.byReference.get(reference) ?? []), id]);
    if (!isReferenced && !this.#wanted.ids.has(id)) return;
    if (!this.#found.has(id)) this.#foundByWalk += 1;
    this.#places.set(id, this.#walked);
    this.#found.set(id, { order: kept(order), neighbour: this.#before });
  }

  /** Whether the walk has paid so far, and can still find more than looking up each order would. */
  isWorthIt(): boolean {
    const left = this.#wanted.ids.size - this.#found.size;
    if (left === 0) return false;
    return this.#pages <= this.#foundByWalk * requestsPerOrder + pagesBeforeDoubt;
  }

  left(): readonly string[] {
    const rest = [...this.#wanted.ids].filter((id) => !this.#found.has(id));
    if (!this.listEnded) return rest;
    for (const id of rest) this.missing.set(id, `there is no order ${id}`);
    return [];
  }

  take(id: string): FoundOrder | undefined {
    const found = this.#found.get(id);
    this.#found.delete(id);
    return found;
  }

  located(id: string, located: Awaited<ReturnType<Service['locate']>>): void {
    this.requests += requestsPerOrder;
    if ('found' in located) {
      this.#keep(located.found.value);
      this.#found.set(id, { order: kept(located.found.value), neighbour: located.neighbour });
    } else if ('missing' in located) this.missing.set(id, `there is no order ${id}`);
    else this.missing.set(id, `${id} is not among the newest ${located.read} ${resources.orders.many}`);
  }

  #keep(order: JsonObject): void {
    const purchase = purchaseOf(order);
    const twin = purchase === undefined ? undefined : twinOf(order);
    if (purchase === undefined || twin === undefined) return;
    const same = this.#purchases.get(purchase);
    if (same === undefined) this.#purchases.set(purchase, [twin]);
    else if (!same.some(({ id }) => id === twin.id)) same.push(twin);
  }

  twinsOf(order: JsonObject): readonly Twin[] {
    const { id, created_at: createdAt } = order;
    const purchase = purchaseOf(order);
    if (purchase === undefined || typeof createdAt !== 'number') return [];
    return (this.#purchases.get(purchase) ?? []).filter(
      (twin) => twin.id !== id && Math.abs(twin.createdAt - createdAt) <= twinSeconds,
    );
  }

  words(now: number): string {
    const total = this.#wanted.ids.size + this.#wanted.references.size;
    const done = this.#found.size + this.missing.size;
    const passed = now - this.#startedAt;
    const left = done === 0 ? '' : `, some ${seconds((passed / done) * (total - done))} left`;
    return `reading the orders: ${done} of ${total}${left}`;
  }
}

// What a refund needs of an order: its money, its buyer and its charges. What was bought and where it went is most of an
// order, and a file may name thousands of them.
function kept(order: JsonObject): JsonObject {
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

function seconds(ms: number): string {
  const all = Math.ceil(ms / 1000);
  return all < 120 ? `${all} s` : `${Math.ceil(all / 60)} min`;
}
