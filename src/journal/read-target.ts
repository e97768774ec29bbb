/** Reads what a change is about: its order, or the newest orders for one that is being created. */

import type { Service, WireRecord } from '../api/api.ts';
import { CliError } from '../errors.ts';
import type { NewestOrders } from './created-order.ts';
import type { Intent } from './journal.ts';
import { repeatsKey } from './judge-reply.ts';

/** What a read gave. */
export interface LastRead {
  /** What is judged: the order, or NewestOrders. */
  readonly value: unknown;
  readonly record?: WireRecord | undefined;
  /** The newest orders, for one that is being created. */
  readonly newest?: readonly WireRecord[] | undefined;
  readonly neighbour?: string | undefined;
}

/** What is read. */
export interface Target {
  readonly kind: Intent['kind'];
  readonly orderId?: string | undefined;
  /** The record before the order when it was last located. */
  readonly neighbour?: string | undefined;
  /** Ids of the orders that were the newest before a creation was sent; absent before that. */
  readonly before?: readonly string[] | undefined;
  /** Find the order with one request only. */
  readonly once?: boolean | undefined;
}

const pageSize = 50;
const walkMax = 5000;
const pagesMax = 100;
const bytesMax = 64 * 1024 * 1024;

/** Throws CliError 'not_found' or 'refused' when it is not there, and what the reads throw. */
export async function readTarget(service: Service, target: Target): Promise<LastRead> {
  const { kind, orderId, neighbour, once } = target;
  if (kind === 'order') {
    const { records, gap } = await newestOrders(service, target.before);
    const value: NewestOrders = { data: records.map((record) => record.value), gap };
    return { value, newest: records };
  }
  if (orderId === undefined) return { value: undefined };
  const located = await service.locate('orders', orderId, { neighbour, max: walkMax, once });
  if ('found' in located) {
    refuseAmbiguous(located.found);
    return { value: located.found.value, record: located.found, neighbour: located.neighbour };
  }
  const profile = service.profile.name;
  const now = [`paydesk -p ${profile} orders list`];
  const certain = 'nothing was sent';
  if ('missing' in located) throw new CliError('not_found', `there is no order ${orderId}`, { certain, now });
  const message = `${orderId} is not among the newest ${located.read} orders`;
  throw new CliError('refused', message, { certain, now });
}

interface Newest {
  readonly records: readonly WireRecord[];
  readonly gap?: string | undefined;
}

// Before the sending one page is enough: a later read goes on until it meets one of those orders, or the end.
async function newestOrders(service: Service, before: readonly string[] | undefined): Promise<Newest> {
  const records: WireRecord[] = [];
  let pages = 0;
  let bytes = 0;
  let met = before?.length === 0;
  for await (const page of service.pages('orders', { limit: pageSize })) {
    page.records.forEach(refuseAmbiguous);
    records.push(...page.records);
    if (before === undefined) return { records };
    met ||= page.records.some(({ value }) => before.includes(String(value.id)));
    if (page.saysHasMore && !page.hasMore)
      return met ? { records } : { records, gap: 'its list shows no order that was there before' };
    if (met && isNewestFirst(service, records)) return { records };
    pages += 1;
    bytes += page.records.reduce((sum, record) => sum + record.bytes.length, 0);
    if (pages >= pagesMax || bytes >= bytesMax)
      return { records, gap: `its first ${records.length} orders do not tell` };
  }
  return { records, gap: 'its list of orders does not say that it ends' };
}

// Assumed: a list whose first orders are sorted by `created_at`, the latest first, is sorted to its end; the document does
// not show how lists are sorted.
function isNewestFirst({ profile }: Service, records: readonly WireRecord[]): boolean {
  if (profile.settings['orders.order'] === 'newest-first') return true;
  const times = records.map(({ value }) => Number(value.created_at ?? Number.NaN));
  const [first = Number.NaN] = times;
  const falls = times.every((time, index) => time <= (times[index - 1] ?? Number.POSITIVE_INFINITY));
  return falls && first > (times.at(-1) ?? Number.NaN);
}

// If an object has a key twice, paydesk may read one value and the service the other.
function refuseAmbiguous({ bytes, value }: WireRecord): void {
  if (!repeatsKey(new TextDecoder().decode(bytes))) return;
  throw new CliError('reply', `what the service shows of ${String(value.id)} says something twice`, {
    certain: 'nothing was sent',
    now: ['tell the service: an object of its reply has a key twice'],
  });
}

/** The record that an outcome is about: the order read, or the created one among the newest. */
export function recordIn(last: LastRead | undefined, created: string | undefined): WireRecord | undefined {
  if (last?.record !== undefined || created === undefined) return last?.record;
  return last?.newest?.find(({ value }) => value.id === created);
}
