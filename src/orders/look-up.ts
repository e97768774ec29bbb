/** Asks the journal about orders that were read. */

import type { Service } from '../api/api.ts';
import { isObject, type JsonObject, valueAt } from '../api/json-values.ts';
import { CliError } from '../errors.ts';
import { type AttemptRecord, type Journal, type Moment, mayBeOf } from '../journal/journal.ts';
import { type KnownOrder, knownOrder } from './known-order.ts';
import { type KnownTwin, knownTwin, type Twin } from './twins.ts';

/** What is needed to ask. */
interface OrderLookUp {
  readonly journal: Journal;
  readonly notes: { warn(line: string): void };
}

type Account = Pick<Service, 'profile' | 'keyFingerprint'>;

/** What is known about each of these orders. Throws CliError if the journal cannot be read. */
export async function knownOrders(
  { journal }: Pick<OrderLookUp, 'journal'>,
  service: Account,
  orders: readonly JsonObject[],
): Promise<readonly KnownOrder[]> {
  const attempts = await journal.attemptsOf(service, new Set(orders.map(({ id }) => String(id))));
  return together(orders, attempts, await journal.now(), service);
}

/** The same for a screen: if the journal cannot be read, it warns, and the orders stand for themselves. */
export async function shownOrders(
  { journal, notes }: OrderLookUp,
  service: Account,
  orders: readonly JsonObject[],
): Promise<readonly KnownOrder[]> {
  try {
    return await knownOrders({ journal }, service, orders);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    notes.warn(`unconfirmed changes are not shown: ${error.message}`);
    return together(orders, [], await journal.now(), service);
  }
}

/**
 * The same for orders of an index, which keeps only their figures. Left out are those on which something was sent or found out
 * after they were read: the journal knows more of them. `readAt`: Unix seconds.
 */
export async function shownIndexed(
  { journal, notes }: OrderLookUp,
  service: Account,
  read: readonly { readonly order: JsonObject; readonly readAt: number }[],
): Promise<readonly KnownOrder[]> {
  const known = await shownOrders(
    { journal, notes },
    service,
    read.map(({ order }) => order),
  );
  const now = await journal.now();
  return known.flatMap(({ order, attempts }, index) => {
    const readAt = (read[index]?.readAt ?? 0) * 1000;
    const isOlder = attempts.some(({ sent, verdicts }) => (verdicts.at(-1) ?? sent).time > readAt);
    return isOlder ? [] : [knownOrder(withChargeIds(order, attempts), attempts, now, service.profile.mode)];
  });
}

/**
 * An order of an index, which keeps the id of a charge only if it has refunds. The journal compares an order charge by charge, so a
 * missing id is taken from the order as it was before the sending, or else is the number of the charge.
 */
export function withChargeIds(order: JsonObject, attempts: readonly AttemptRecord[]): JsonObject {
  const { charges } = order;
  const data = valueAt(charges, ['data']);
  if (!isObject(charges) || !Array.isArray(data)) return order;
  const before = attempts.at(-1)?.sent.proof.before?.charges ?? [];
  const whole = data.map((charge, index) => ({ id: before[index]?.id ?? String(index + 1), ...charge }));
  return { ...order, charges: { ...charges, data: whole } };
}

function together(
  orders: readonly JsonObject[],
  attempts: readonly AttemptRecord[],
  now: Moment,
  { profile }: Account,
): readonly KnownOrder[] {
  const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId);
  return orders.map((order) => knownOrder(order, byOrder.get(String(order.id)) ?? [], now, profile.mode));
}

/** Twins with what is known of their orders, asked for once. Throws CliError if the journal cannot be read. */
export async function knownTwins(
  { journal }: Pick<OrderLookUp, 'journal'>,
  service: Account,
  twins: readonly Twin[],
): Promise<readonly KnownTwin[]> {
  if (twins.length === 0) return [];
  const known = await knownOrders(
    { journal },
    service,
    twins.map(({ order }) => order),
  );
  return twins.flatMap((twin, index) => {
    const one = known[index];
    return one === undefined ? [] : [knownTwin(twin, one)];
  });
}

/** What is unconfirmed of an account, and what has an alarm that nobody acknowledged. */
export async function unconfirmedOf(
  { journal }: Pick<OrderLookUp, 'journal'>,
  service: Account,
): Promise<readonly AttemptRecord[]> {
  const unconfirmed = await journal.attempts({ open: await journal.now() });
  return unconfirmed.filter((record) => mayBeOf(service, record));
}
