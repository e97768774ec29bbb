/**
 * Two operators on one machine with a hostile service. Their runs are interleaved, killed and deceived; the service
 * knows what was really made.
 */

import type { Scheduler } from 'fast-check';
import type { ChangeRequest, SendReport, Service } from '../../src/api/api.ts';
import { CliError } from '../../src/errors.ts';
import type { Clock } from '../../src/io.ts';
import { isDue, isOpen, verdictOf } from '../../src/journal/attempt-state.ts';
import { momentOf } from '../../src/journal/journal-time.ts';
import { createChange } from '../../src/journal/make-change.ts';
import { resolveOne } from '../../src/journal/read-again.ts';
import type { AttemptRecord, JournalRow } from '../../src/journal/rows/journal-rows.ts';
import { attemptName } from '../../src/journal/rows/journal-rows.ts';
import type { JournalStore } from '../../src/journal/rows/journal-store.ts';
import type { LockOwner, Locks } from '../../src/locks/locks.ts';
import { attemptsIn, createMemoryStore, Memory } from '../harness/memory-store.ts';
import { MemoryLocks } from '../locks/memory-locks.ts';
import { amount, HostileService, type Made, type Treatment } from './hostile-service.ts';
import { type Death, Life } from './life.ts';
import { checkOutcome, keyOf, type Tally, tallyOf } from './oracle.ts';
import { serviceOf, testProfile, VirtualClock } from './world.ts';

/** One run of a person, and what the service does with its request. */
export interface Planned extends Treatment {
  readonly does: 'refund' | 'reconcile' | 'settle';
  /** Time that passes before it starts. */
  readonly afterMs: number;
  /** It starts while the one before still runs. */
  readonly overlaps: boolean;
  /** Reads after the sending (or, where nothing is sent, all of them) that fail, and that show the order as it was. */
  readonly failingReads: number;
  readonly staleReads: number;
  /** Dies at this call of anything outside, before or after it is done. */
  readonly dies: Death | undefined;
  /** The journal cannot be written from this row on. */
  readonly fullAfter: number | undefined;
  /** How much somebody else refunds before it starts. */
  readonly foreign: number | undefined;
  /** The wall clock of this run is so far off. */
  readonly clockOffMs: number;
}

/** Several runs, and whether the service's replies carry a `Date`. */
export interface Schedule {
  readonly runs: readonly Planned[];
  readonly dated: boolean;
}

type Parts = Pick<Parameters<typeof createChange>[0], 'locks' | 'service' | 'store' | 'clock'>;

/** What a schedule came to; throws when something happened that must never happen. */
export async function live({ runs, dated }: Schedule, scheduler: Scheduler): Promise<Tally> {
  const machine = new Machine(scheduler, dated);
  let running: Promise<void>[] = [];
  for (const planned of runs) {
    if (!planned.overlaps) {
      await scheduler.waitFor(Promise.all(running));
      running = [];
    }
    machine.pass(planned.afterMs);
    if (planned.foreign !== undefined) machine.service.foreign(planned.foreign);
    running.push(machine.start(planned));
  }
  await scheduler.waitFor(Promise.all(running));
  return machine.end();
}

const horizonMs = testProfile.settings['refund.horizon_part'];

class Machine {
  readonly #scheduler: Scheduler;
  readonly #clock = new VirtualClock();
  readonly service = new HostileService(() => this.#clock.wall);
  readonly #dated: boolean;
  /** What is locked on the machine, and by whom. */
  readonly #locked = new Map<string, LockOwner>();
  readonly #memory = new Memory();
  readonly #store: JournalStore = createMemoryStore(this.#memory);
  /** Attempts whose request arrived, and when. */
  readonly #posts = new Map<string, number>();
  #ids = 0;

  constructor(scheduler: Scheduler, dated: boolean) {
    this.#scheduler = scheduler;
    this.#dated = dated;
  }

  pass(ms: number): void {
    this.#clock.pass(ms);
  }

  start(planned: Planned): Promise<void> {
    return new Life(this.#scheduler, planned.dies).live((life) => this.#run(planned, life));
  }

  /** All that is under way comes to its end, what is due is read, and then the service is asked. */
  async end(): Promise<Tally> {
    this.pass(Math.max(horizonMs, this.service.quietFrom() - this.#clock.wall) + 1);
    const parts = {
      locks: new MemoryLocks(this.#locked),
      store: this.#store,
      clock: this.#clockOf(0),
      timeoutMs: 1,
      shortTime: String,
    };
    const service = this.#readBy(async () => this.service.order());
    const moment = await momentOf(parts.clock, this.#store, service);
    // What is found of one attempt can be what another waits for.
    for (let looks = 0; looks <= this.#posts.size; looks += 1) {
      const due = this.#attempts().filter((record) => isDue(record, moment));
      for (const record of due) await resolveOne({ ...parts, service }, record);
    }
    return tallyOf(this.#attempts(), this.#posts, this.service.made());
  }

  async #run(planned: Planned, life: Life): Promise<void> {
    const own = new MemoryLocks(this.#locked);
    const take: Locks['take'] = async (name, options) => life.keep(await own.take(name, options));
    const locks: Locks = { take: life.port(take) };
    const sleep = life.port(async (ms: number) => this.pass(ms));
    const parts: Parts = {
      locks,
      service: this.#serviceOf(planned, life),
      store: this.#storeOf(planned, life),
      clock: { ...this.#clockOf(planned.clockOffMs), sleep },
    };
    try {
      if (planned.does === 'refund') await this.#refund(planned, life, parts);
      else await this.#lookAt(planned.does, parts);
    } catch (error) {
      // Being refused, and not being able to read, is what may happen; anything else is a bug.
      if (!(error instanceof CliError) || error.kind === 'internal') throw error;
    }
  }

  async #refund(planned: Planned, life: Life, parts: Parts): Promise<void> {
    const located = await parts.service.locate('orders', 'ord_1');
    const shown = JSON.stringify('found' in located ? located.found.value : undefined);
    const change = createChange({
      ...parts,
      send: life.port((request: ChangeRequest) => this.#receive(planned, request)),
      operator: 'op',
      shortTime: String,
      options: { dryRun: false, timeoutMs: 60_000 },
      notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
      ids: () => `i_${++this.#ids}`,
    });
    // A person asks again only for what was not seen in its time, and where the order shows no refund.
    const moment = await momentOf(parts.clock, this.#store, parts.service);
    const doubtful = this.#attempts().findLast(
      (one) => verdictOf(one)?.verdict === 'not_seen' && !isOpen(one, moment),
    );
    const refund = {
      kind: 'refund',
      orderId: 'ord_1',
      request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount } },
      expected: [{ chargeId: 'ch_1', amount: -amount }],
      again: doubtful !== undefined && shown.includes('"refunds":null') ? [attemptName(doubtful)] : [],
    } as const;
    const outcome = await change(refund, {
      checkFresh: async ({ value }) => {
        if (JSON.stringify(value) !== shown) throw new CliError('refused', 'money changed');
      },
    });
    const told = this.#attempts().find(({ sent }) => 'change' in outcome && sent.change === outcome.change);
    const stands = (one: Made) => this.service.stands(one);
    checkOutcome(outcome, told === undefined ? undefined : keyOf(told), this.service.made(), stands);
  }

  async #lookAt(does: 'reconcile' | 'settle', parts: Parts): Promise<void> {
    const moment = await momentOf(parts.clock, this.#store, parts.service);
    const record = this.#attempts().find((one) => isOpen(one, moment));
    const attempt = record && keyOf(record);
    if (record === undefined || attempt === undefined) return;
    const under = { ...parts, timeoutMs: 1, shortTime: String };
    if (does === 'reconcile') {
      await resolveOne(under, record);
      return;
    }
    // A person states what is so, and only once nothing is under way any more.
    if (this.service.isUnderWay(attempt)) return;
    const wasMade = () =>
      this.service.made().some((one) => one.attempt === attempt && this.service.stands(one));
    const applied = wasMade();
    await resolveOne(under, record, {
      statement: { applied, operator: 'op', note: 'n' },
      confirm: async () => {
        const still = wasMade() === applied && !this.service.isUnderWay(attempt);
        if (!still) throw new CliError('refused', 'not so any more');
      },
    });
  }

  // What no wall clock moves is the time since this machine was started.
  #clockOf(offMs: number): Clock {
    return {
      now: () => this.#clock.wall + offMs,
      monotonic: () => this.#clock.mono,
      boot: () => ({ id: 'boot', ms: this.#clock.mono }),
      sleep: async (ms) => this.pass(ms),
    };
  }

  #serviceOf(planned: Planned, life: Life): Service {
    let [failing, stale] = [planned.failingReads, planned.staleReads];
    const before = planned.does === 'refund' ? this.#posts.size : -1;
    const read = life.port(async () => {
      const isAfter = this.#posts.size > before;
      if (isAfter && failing-- > 0) throw new CliError('network', 'no answer');
      // A read may be old by half a minute.
      return this.service.order(stale-- > 0 ? this.#clock.wall - 30_000 : undefined);
    });
    return this.#readBy(read, planned.clockOffMs);
  }

  #readBy(read: () => Promise<unknown>, offMs = 0): Service {
    const seen = () => ({ date: Math.floor(this.#clock.wall / 1000) * 1000, wall: this.#clock.wall + offMs });
    return { ...serviceOf(read), ...(this.#dated && { seenDate: seen }) };
  }

  #storeOf(planned: Planned, life: Life): JournalStore {
    const store = createMemoryStore(this.#memory);
    let written = 0;
    return {
      ...store,
      append: life.port(async (row: JournalRow) => {
        written += 1;
        if (planned.fullAfter !== undefined && written > planned.fullAfter) throw new Error('no space');
        await store.append(row);
      }),
    };
  }

  async #receive(planned: Planned, request: ChangeRequest): Promise<SendReport> {
    if (planned.fate === 'not-sent') return { kind: 'not_sent', reason: 'closed port' };
    const sent = this.#attempts().findLast(({ verdicts }) => verdicts.length === 0);
    if (sent === undefined) throw new Error('lost outcome: a request left and the journal does not know it');
    const attempt = keyOf(sent);
    if (this.#posts.has(attempt)) throw new Error('double: one attempt was sent twice');
    this.#posts.set(attempt, this.#clock.wall);
    return this.service.receive(attempt, request, planned);
  }

  #attempts(): AttemptRecord[] {
    return attemptsIn(this.#memory.rows);
  }
}
