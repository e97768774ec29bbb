/** Carries out the effects that at-most-once.ts and resolve.ts ask for: lock, look up attempts, read, write, release. */

import type { Service, WireRecord } from '../api/api.ts';
import { CliError, messageOf } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { Held, Locks } from '../locks/locks.ts';
import { type NewestOrders, newestIds } from './created-order.ts';
import { momentOf } from './journal-time.ts';
import { repeatsKey } from './judge-reply.ts';
import type { Event } from './protocol-types.ts';
import { creationsIn, knownAttempts, type SubjectOfLook } from './questions/known-attempts.ts';
import type { AttemptRecord, AttemptRow, Moment, SentRow, VerdictRow } from './rows/journal-rows.ts';
import type { JournalStore } from './rows/journal-store.ts';
import { lockName } from './same-account.ts';

export interface EffectParts {
  readonly service: Service;
  readonly locks: Locks;
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** A time for messages (Unix milliseconds): `05:05:12` today, `05:05:12 on 20 Nov` on another day. */
  readonly shortTime: (ms: number) => string;
  readonly signal?: AbortSignal | undefined;
}

/** What one run locks, looks up and reads. */
export interface Subject extends SubjectOfLook {
  /** Once a creation was sent: the ids of the newest orders before it. */
  readonly before?: readonly string[] | undefined;
  /** Find the order with one request only. */
  readonly once?: boolean | undefined;
}

/** The effects of one run. Holds at most one lock. */
export class Effects {
  readonly #parts: EffectParts;
  readonly #subject: Subject;
  #before: readonly string[] | undefined;
  #held: Held | undefined;
  #neighbour: string | undefined;
  /** The last read that succeeded since `forget`. */
  last: LastRead | undefined;

  constructor(parts: EffectParts, subject: Subject, neighbour?: string) {
    this.#parts = parts;
    this.#subject = subject;
    this.#neighbour = neighbour;
    this.#before = subject.before;
  }

  moment(): Promise<Moment> {
    const { clock, store, service } = this.#parts;
    return momentOf(clock, store, service);
  }

  /** For steps before the sending: turns an error or a signal into the event `stopped`. */
  async orStopped(act: () => Promise<Event>): Promise<Event> {
    try {
      const event = await act();
      this.#parts.signal?.throwIfAborted();
      return event;
    } catch (cause) {
      return { is: 'stopped', cause };
    }
  }

  async lock(): Promise<Event> {
    const { locks, timeoutMs, signal } = this.#parts;
    const { account, orderId, idempotencyKey, change } = this.#subject;
    const taken = await locks.take(lockName(account, orderId ?? idempotencyKey ?? change), {
      waitMs: timeoutMs,
      ...(signal && { signal }),
    });
    if (!taken.held) return { is: 'busy', owner: taken.owner };
    this.#held = taken;
    return { is: 'locked' };
  }

  async look(): Promise<Event> {
    const attempts = await knownAttempts(this.#parts.store, this.#subject, () => this.moment());
    return { is: 'known', attempts, moment: await this.moment() };
  }

  async read(): Promise<Event> {
    this.#before = undefined;
    await this.#readTarget();
    const value = this.last?.value;
    this.#before = newestIds(value);
    return {
      is: 'fresh',
      value,
      neighbour: this.last?.neighbour,
      creations: await this.#creationsIn(value),
      moment: await this.moment(),
    };
  }

  async reread(): Promise<Event> {
    try {
      await this.#readTarget();
      // Looked up after the read: a creation that was not sent by then cannot have made an order that the read shows.
      const value = this.last?.value;
      return { is: 'seen', value, creations: await this.#creationsIn(value), moment: await this.moment() };
    } catch (error) {
      const why = messageOf(error);
      return { is: 'unseen', why, moment: await this.moment() };
    }
  }

  async #creationsIn(value: unknown): Promise<readonly AttemptRecord[] | undefined> {
    if (this.#subject.kind !== 'order') return undefined;
    return await creationsIn(this.#parts.store, this.#subject, newestIds(value));
  }

  /** Called before the sending, because earlier reads do not show what becomes of the change. */
  forget(): void {
    this.last = undefined;
  }

  async #readTarget(): Promise<void> {
    const { kind, orderId, once } = this.#subject;
    const [neighbour, before] = [this.#neighbour, this.#before];
    this.last = await readTarget(this.#parts.service, { kind, orderId, neighbour, before, once });
    this.#neighbour = this.last.neighbour ?? this.#neighbour;
  }

  record(row: AttemptRow): Promise<Event> {
    return this.#written(() => this.#parts.store.append(row));
  }

  takeBack(sent: SentRow, verdict: VerdictRow): Promise<Event> {
    return this.#written(() => this.#parts.store.takeBack(sent, verdict));
  }

  async #written(write: () => Promise<void>): Promise<Event> {
    try {
      await write();
    } catch (cause) {
      return { is: 'unrecorded', cause, moment: await this.moment() };
    }
    return { is: 'recorded', moment: await this.moment() };
  }

  async release(): Promise<Event> {
    const held = this.#held;
    this.#held = undefined;
    await held?.release();
    return { is: 'released' };
  }
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────

/** What a read returned. */
export interface LastRead {
  /** What judge-read.ts looks at: the order, or NewestOrders. */
  readonly value: unknown;
  readonly record?: WireRecord | undefined;
  /** The newest orders, when an order is being created. */
  readonly newest?: readonly WireRecord[] | undefined;
  readonly neighbour?: string | undefined;
}

/** What to read. */
interface Target extends Pick<Subject, 'kind' | 'orderId' | 'before' | 'once'> {
  /** The record before the order in the list, when the order was last found. */
  readonly neighbour?: string | undefined;
}

const pageSize = 50;
const walkMax = 5000;
const pagesMax = 100;
const bytesMax = 64 * 1024 * 1024;

/**
 * Reads the order of a change; for an order that is being created, the newest orders. Throws CliError 'not_found' or
 * 'refused' when the order is not there, and whatever the reads throw.
 */
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
  throw new CliError('refused', message, { ownCode: 'order_not_found', certain, now });
}

// Before the sending one page is enough. A later read goes on until it meets one of the orders of that page, or the end of the
// list.
async function newestOrders(service: Service, before: readonly string[] | undefined) {
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
      return met ? { records } : { records, gap: 'its list shows none of the orders known before' };
    if (met && isNewestFirst(service, records)) return { records };
    pages += 1;
    bytes += page.records.reduce((sum, record) => sum + record.bytes.length, 0);
    if (pages >= pagesMax || bytes >= bytesMax)
      return { records, gap: `its first ${records.length} orders do not show whether it was made` };
  }
  return { records, gap: 'its list of orders does not say where it ends' };
}

// Assumed: if the first orders of a list are sorted by `created_at`, the newest first, the whole list is. No order is documented.
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
  throw new CliError('reply', `the service's record of ${String(value.id)} has the same key twice`, {
    certain: 'nothing was sent',
    now: ['tell the service: an object in its reply has the same key twice'],
  });
}

/** The record that an outcome shows: the order that was read, or the created one among the newest. */
export function recordIn(last: LastRead | undefined, created: string | undefined): WireRecord | undefined {
  if (last?.record !== undefined || created === undefined) return last?.record;
  return last?.newest?.find(({ value }) => value.id === created);
}
