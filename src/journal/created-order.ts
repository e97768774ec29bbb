/** Finds a created order among the newest orders: one that was not there before and equals the body. */

import { isDeepStrictEqual } from 'node:util';
import { isObject, itemsOf, type JsonObject, valueAt } from '../api/spec.ts';
import type { Proof } from './journal-rows.ts';

/** The newest orders, as they were read. */
export interface NewestOrders {
  readonly data: readonly JsonObject[];
  /** Why an order that is not among them may have been made after all. */
  readonly gap?: string | undefined;
}

/** Their ids. */
export function newestIds(orders: unknown): string[] {
  return listOf(orders).map(({ id }) => id);
}

/** Why they do not show all orders made since; undefined when they do. */
export function gapOf(orders: unknown): string | undefined {
  const gap = valueAt(orders, ['gap']);
  return typeof gap === 'string' ? gap : undefined;
}

/** A new order that equals the body. */
interface CreatedOrder {
  readonly id: string;
  /** Its time is a little before the sending: either the clock of the service is behind, or somebody else made it. */
  readonly early: boolean;
}

// Clocks of one service differ by less than this; what is older is another order.
const doubtfulMs = 120_000;

/**
 * The new order that equals the body; undefined when none of those read does. `earliest` (Unix milliseconds): it was not
 * sent before that. An order that was made after that time is preferred to one that was made just before it.
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
    equal.find(({ created_at: at }) => !(typeof at === 'number' && at * 1000 < time))?.id;
  const [id, doubtful] = [madeSince(earliest), madeSince(earliest - doubtfulMs)];
  if (id !== undefined) return { id, early: false };
  return doubtful === undefined ? undefined : { id: doubtful, early: true };
}

type Identified = JsonObject & { readonly id: string };

// Without an id an order cannot be told from those that were there before.
function listOf(orders: unknown): readonly Identified[] {
  return itemsOf(orders).filter((order): order is Identified => typeof order.id === 'string');
}

// Compares what the service repeats of the body (service: order, line_item); it may drop the rest.
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
