/** Carries out the effects that the protocol and resolve.ts share: lock, look up attempts, read, write, release. */

import type { ChangeRequest, Service } from '../api/api.ts';
import type { Clock } from '../io.ts';
import type { Held, Locks } from '../locks/locks.ts';
import { newestIds } from './created-order.ts';
import type { AccountMarks, Intent } from './journal.ts';
import type { AttemptRecord, JournalRow, Moment } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { momentOf } from './journal-time.ts';
import type { Event } from './protocol-types.ts';
import { type LastRead, readTarget } from './read-target.ts';
import { lockName, marksOf, mayBeSameAccount } from './same-account.ts';
import { asksForSame } from './same-request.ts';

export interface EffectParts {
  readonly service: Service;
  readonly locks: Locks;
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What one run locks, looks up and reads. */
interface Subject {
  readonly kind: Intent['kind'];
  readonly account: AccountMarks;
  readonly orderId?: string | undefined;
  readonly given?: string | undefined;
  /** The journal's id; the name of the lock when there is no order and no script's id. */
  readonly intent: string;
  /** For a creation that was sent: ids of the newest orders before it. */
  readonly before?: readonly string[] | undefined;
  /** The request to be sent. Without an order, open attempts at the same change are found by it. */
  readonly request?: ChangeRequest | undefined;
  /** What was typed for it. */
  readonly asked?: Intent['asked'];
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

  /** For steps before the sending: an error or a signal becomes the event `stopped`. */
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
    const { account, orderId, given, intent } = this.#subject;
    const taken = await locks.take(lockName(account, orderId ?? given ?? intent), {
      waitMs: timeoutMs,
      ...(signal && { signal }),
    });
    if (!taken.held) return { is: 'busy', owner: taken.owner };
    this.#held = taken;
    return { is: 'locked' };
  }

  async look(): Promise<Event> {
    const { store } = this.#parts;
    const { orderId, given, intent, account } = this.#subject;
    const found = [
      ...(await store.attempts({ intent })),
      ...(orderId === undefined ? [] : await store.attempts({ orderId })),
      ...(given === undefined ? [] : await store.attempts({ given })),
      ...(orderId === undefined ? await this.#ofNoOrder() : []),
    ];
    const keys = found.map(({ sent }) => `${sent.intent} ${sent.attempt}`);
    const attempts = found
      .filter((_, index) => keys.indexOf(keys[index] ?? '') === index)
      .filter(({ sent }) => sent.intent === intent || mayBeSameAccount(marksOf(sent), account));
    return { is: 'known', attempts, moment: await this.moment() };
  }

  // Open attempts at the same request; and every creation of an order, since the order that each one made is not ours.
  async #ofNoOrder(): Promise<readonly AttemptRecord[]> {
    const { kind, request } = this.#subject;
    const { store } = this.#parts;
    const open = request === undefined ? [] : await store.attempts({ unsettled: true });
    const ofNone = open.filter(({ sent }) => sent.proof.orderId === undefined);
    return [
      ...ofNone.filter((record) => asksForSame(record.sent, this.#subject)),
      ...(kind === 'order' ? await this.#creations() : []),
    ];
  }

  async #creations(): Promise<readonly AttemptRecord[]> {
    const { account } = this.#subject;
    const made = await this.#parts.store.attempts({});
    return made.filter(({ sent }) => sent.proof.kind === 'order' && mayBeSameAccount(marksOf(sent), account));
  }

  async read(): Promise<Event> {
    this.#before = undefined;
    await this.#readTarget();
    this.#before = newestIds(this.last?.value);
    return {
      is: 'fresh',
      value: this.last?.value,
      neighbour: this.last?.neighbour,
      moment: await this.moment(),
    };
  }

  async reread(): Promise<Event> {
    try {
      await this.#readTarget();
      // Looked up after the read: a creation that was not sent by then cannot have made an order that the read shows.
      const creations = this.#subject.kind === 'order' ? await this.#creations() : undefined;
      return { is: 'seen', value: this.last?.value, creations, moment: await this.moment() };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { is: 'unseen', why, moment: await this.moment() };
    }
  }

  /** Called before the sending: what was read so far does not show what became of the change. */
  forget(): void {
    this.last = undefined;
  }

  async #readTarget(): Promise<void> {
    const { kind, orderId, once } = this.#subject;
    const [neighbour, before] = [this.#neighbour, this.#before];
    this.last = await readTarget(this.#parts.service, { kind, orderId, neighbour, before, once });
    this.#neighbour = this.last.neighbour ?? this.#neighbour;
  }

  async record(row: JournalRow): Promise<Event> {
    try {
      await this.#parts.store.append(row);
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
