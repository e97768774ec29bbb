/** Asks the journal about orders that were read. */

import type { Service } from '../api/api.ts';
import { isObject, type JsonObject, valueAt } from '../api/json-values.ts';
import { orElse } from '../errors.ts';
import {
  type AttemptRecord,
  awaitsRead,
  type Journal,
  type Moment,
  mayBeOf,
  needsLookLine,
  needsPerson,
  reconcileEach,
  recordedState,
  showsCapture,
} from '../journal/journal.ts';
import type { Notes } from '../terminal/terminal.ts';
import { type KnownOrder, knownOrder } from './known-order.ts';
import { mayHaveRoom, untilMayAppear } from './order-cases.ts';
import { ordersWithRefunds } from './recorded-refunds.ts';
import { type KnownTwin, knownTwin, type Twin } from './twins.ts';

/** What is needed to ask the journal. */
interface OrderLookUp {
  readonly journal: Journal;
  readonly notes: Pick<Notes, 'warn' | 'progress'>;
  readonly options: { readonly dryRun: boolean };
  readonly signal: AbortSignal;
}

type Account = Pick<Service, 'profile' | 'keyFingerprint'>;

/**
 * What is known about each of these orders. An order may show that a refund in the journal failed, is no longer pending or is
 * gone, or it may show a capture that nobody has confirmed. That is recorded first, so that every screen says it from then on.
 * Throws CliError if the journal cannot be read.
 */
export async function knownOrders(
  parts: OrderLookUp,
  service: Account,
  orders: readonly JsonObject[],
): Promise<readonly KnownOrder[]> {
  const { journal, options } = parts;
  const ids = new Set(orders.map(({ id }) => String(id)));
  const ask = async () =>
    together(orders, await journal.attemptsOf(service, ids), await journal.now(), service);
  const known = await ask();
  const news = options.dryRun ? [] : known.flatMap(newsOf).slice(0, recordedAtOnce);
  return news.length > 0 && (await record(parts, news)) ? ask() : known;
}

/**
 * The same as `untilMayAppear`, but also undefined if nothing is left of the order, as far as the journal knows. `now`: Unix
 * milliseconds.
 */
export async function appearsUntil(
  journal: Pick<Journal, 'onSameOrder'>,
  record: AttemptRecord,
  now: number,
): Promise<number | undefined> {
  const until = untilMayAppear(record, now);
  return until !== undefined && mayHaveRoom(record, await journal.onSameOrder(record)) ? until : undefined;
}

/** Only records what these orders show, for output that says nothing else from the journal. */
export async function recordShown(
  parts: OrderLookUp,
  service: Account,
  orders: readonly JsonObject[],
): Promise<void> {
  const ids = ordersWithRefunds(orders);
  const refunded = orders.filter(({ id }) => ids.has(String(id)));
  // If the journal cannot be read, it says so itself.
  if (refunded.length > 0) await knownOrders(parts, service, refunded).catch(orElse(() => undefined));
}

// Each takes a read of its own. The rest is recorded when somebody looks next.
const recordedAtOnce = 20;

// The attempts sent from here about which the order shows something that the journal does not know yet.
function newsOf({ cases, refunds, attempts, order }: KnownOrder): readonly AttemptRecord[] {
  const alarms = cases.flatMap((one) =>
    (one.is === 'failed' || one.is === 'gone') && one.record.verdicts.at(-1)?.alarm === undefined
      ? [one.record]
      : [],
  );
  const decided = refunds.flatMap(({ state, attempt }) =>
    attempt !== undefined && state !== 'pending' && recordedState(attempt) === 'pending' ? [attempt] : [],
  );
  const captured = attempts.filter((one) => awaitsRead(one) && showsCapture(one, order));
  return [...new Set([...alarms, ...decided, ...captured])];
}

// Returns whether anything was recorded. Warns about what a person must look at; what cannot be recorded now is shown all the
// same.
async function record(parts: OrderLookUp, news: readonly AttemptRecord[]): Promise<boolean> {
  const { journal, notes } = parts;
  const looked = await reconcileEach(parts, news);
  const recorded = looked.flatMap(({ found }) => (found?.added === undefined ? [] : [found.record]));
  const now = await journal.now();
  const line = needsLookLine(
    recorded.filter((one) => needsPerson(one, now)),
    '',
  );
  if (line !== undefined) notes.warn(line);
  return recorded.length > 0;
}

/**
 * The same as `knownOrders`, for a screen: if the journal cannot be read, it warns, and shows the orders without what the journal
 * knows.
 */
export async function shownOrders(
  parts: OrderLookUp,
  service: Account,
  orders: readonly JsonObject[],
): Promise<readonly KnownOrder[]> {
  const { journal, notes } = parts;
  return knownOrders(parts, service, orders).catch(
    orElse(async ({ message }) => {
      notes.warn(`unconfirmed changes are not shown: ${message}`);
      return together(orders, [], await journal.now(), service);
    }),
  );
}

/**
 * The same for orders from an index, which keeps only their figures. Orders on which something was sent or found out after they
 * were read are left out: the journal knows more about them. `readAt`: Unix seconds.
 */
export async function shownIndexed(
  parts: OrderLookUp,
  service: Account,
  read: readonly { readonly order: JsonObject; readonly readAt: number }[],
): Promise<readonly KnownOrder[]> {
  const known = await shownOrders(
    parts,
    service,
    read.map(({ order }) => order),
  );
  const now = await parts.journal.now();
  return known.flatMap(({ order, attempts }, index) => {
    const readAt = (read[index]?.readAt ?? 0) * 1000;
    const isOlder = attempts.some(({ sent, verdicts }) => (verdicts.at(-1) ?? sent).time > readAt);
    return isOlder ? [] : [knownOrder(withChargeIds(order, attempts), attempts, now, service.profile.mode)];
  });
}

/**
 * Adds the missing charge ids to an order from an index, which keeps the id of a charge only if the charge has refunds. The
 * journal compares an order charge by charge, so a missing id is taken from the order as it was before the last attempt, or else
 * is the number of the charge.
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

/**
 * Twins with what is known about their orders; the journal is asked once for all of them. Throws CliError if the journal cannot
 * be read.
 */
export async function knownTwins(
  parts: OrderLookUp,
  service: Account,
  twins: readonly Twin[],
): Promise<readonly KnownTwin[]> {
  if (twins.length === 0) return [];
  const known = await knownOrders(
    parts,
    service,
    twins.map(({ order }) => order),
  );
  return twins.flatMap((twin, index) => {
    const one = known[index];
    return one === undefined ? [] : [knownTwin(twin, one)];
  });
}

/** The attempts of an account that are unconfirmed or have an alarm that nobody acknowledged. */
export async function unconfirmedOf(
  { journal }: Pick<OrderLookUp, 'journal'>,
  service: Account,
): Promise<readonly AttemptRecord[]> {
  const unconfirmed = await journal.attempts({ open: await journal.now() });
  return unconfirmed.filter((record) => mayBeOf(service, record));
}
