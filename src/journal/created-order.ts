/** Finds a created order: one that was not among the newest orders before, and that equals the request body. */

import { isDeepStrictEqual } from 'node:util';
import { isObject, itemsOf, type JsonObject, valueAt } from '../api/json-values.ts';
import type { Proof } from './rows/journal-rows.ts';

export interface NewestOrders {
  readonly data: readonly JsonObject[];
  /** Why an order that is not in this list may have been made all the same. */
  readonly gap?: string | undefined;
}

export function newestIds(orders: unknown): string[] {
  return listOf(orders).map(({ id }) => id);
}

/** Why the newest orders may lack one that was made since; undefined when they lack none. */
export function gapOf(orders: unknown): string | undefined {
  const gap = valueAt(orders, ['gap']);
  return typeof gap === 'string' ? gap : undefined;
}

interface CreatedOrder {
  readonly id: string;
  readonly link?: string | undefined;
  /** The order's time is a little before the sending: the service's clock is slow, or somebody else made it. */
  readonly early: boolean;
}

// Clocks of one service differ by less than this. An order that is older still is another one.
const doubtfulMs = 120_000;

/**
 * The new order that equals the request body; undefined when there is none. The request was not sent before `earliest`
 * (Unix milliseconds). An order that was made after that time is preferred to one that was made just before it.
 */
export function createdIn(
  proof: Proof,
  orders: unknown,
  claimed: Pick<ReadonlySet<string>, 'has'>,
  earliest: number,
): CreatedOrder | undefined {
  const before = new Set(proof.before.newest);
  const equal = listOf(orders).filter(
    (order) => !before.has(order.id) && !claimed.has(order.id) && equals(proof.body ?? {}, order),
  );
  const madeSince = (time: number) =>
    equal.find(({ created_at: at }) => !(typeof at === 'number' && at * 1000 < time));
  const [order, doubtful] = [madeSince(earliest), madeSince(earliest - doubtfulMs)];
  if (order !== undefined) return { id: order.id, link: linkOf(order), early: false };
  return doubtful === undefined ? undefined : { id: doubtful.id, early: true };
}

/** The id and the link in the reply to a creation, as far as it shows them. */
export function madeIn(reply: unknown) {
  const id = valueAt(reply, ['id']);
  const isId = typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id);
  return { created: isId ? id : undefined, link: linkOf(reply) };
}

// Where a buyer pays: the link of a payment link, or that of the checkout inside an order (service: Endpoints 4 and 5).
// Assumed: `url`, as the document shows neither reply.
function linkOf(record: unknown): string | undefined {
  const url = valueAt(record, ['checkout', 'url']) ?? valueAt(record, ['url']);
  return typeof url === 'string' && /^https?:\/\/[^\s\p{C}]{1,2000}$/u.test(url) ? url : undefined;
}

type Identified = JsonObject & { readonly id: string };

// An order without an id is left out: nobody can tell it from those that were there before.
function listOf(orders: unknown): readonly Identified[] {
  return itemsOf(orders).filter((order): order is Identified => typeof order.id === 'string');
}

// Compares the parts of the body that the service repeats (service: order, line_item). It may drop the rest.
function equals(body: JsonObject, order: JsonObject): boolean {
  const customer = valueAt(body, ['customer_info', 'customer_id']);
  const metadata = isObject(body.metadata) ? Object.entries(body.metadata) : [];
  return (
    upper(order.currency) === upper(body.currency) &&
    isDeepStrictEqual(lines(itemsOf(order.line_items)), lines(itemsOf({ data: body.line_items }))) &&
    (customer === undefined || valueAt(order, ['customer_info', 'customer_id']) === customer) &&
    metadata.every(([key, value]) => isDeepStrictEqual(valueAt(order, ['metadata', key]), value))
  );
}

function upper(value: unknown): string {
  return typeof value === 'string' ? value.toUpperCase() : '';
}

// Absent and null are the same. A number of the service may be a bigint.
function lines(items: readonly JsonObject[]): readonly (readonly unknown[])[] {
  return items.map(({ name, unit_price, quantity }) => [name ?? null, unit_price ?? null, quantity ?? null]);
}
