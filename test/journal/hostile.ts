/** A machine with two operators and a hostile service: runs are interleaved, killed, and lied to. The ledger knows. */

import type { Scheduler } from 'fast-check';
import { CliError } from '../../src/errors.ts';
import { fold } from '../../src/journal/fold.ts';
import { attemptName } from '../../src/journal/guards.ts';
import { resolveOne } from '../../src/journal/reconcile.ts';
import type { AttemptRecord, JournalRow, Moment } from '../../src/journal/rows.ts';
import { createChange } from '../../src/journal/run.ts';
import { isOpen, verdictOf } from '../../src/journal/standing.ts';
import type { ChangeRequest, JournalStore, Locks, SendReport, Service } from '../../src/ports.ts';
import { createMemoryStore } from './memory-store.ts';
import { Ledger, MemoryLocks, reply, serviceOf, testProfile, VirtualClock } from './world.ts';

export const fates = [
  'ok',
  'apply-drop',
  'drop',
  'apply-late',
  'apply-502',
  '502',
  'reject',
  'apply-reject',
  'contradict',
  'apply-contradict',
  'not-sent',
] as const;

/** One run of a person. */
export interface Planned {
  readonly does: 'refund' | 'reconcile' | 'settle';
  readonly fate: (typeof fates)[number];
  /** Time that passes before it starts. */
  readonly afterMs: number;
  /** It starts while the one before still runs. */
  readonly overlaps: boolean;
  /** Reads that fail, and reads that show the order as it was before the last effect. */
  readonly failingReads: number;
  readonly staleReads: number;
  /** Dies at this call of anything outside, before or after it is done. */
  readonly dies: { readonly call: number; readonly after: boolean } | undefined;
  /** The journal cannot be written from this row on. */
  readonly fullAfter: number | undefined;
  /** Somebody else refunds the same before it starts. */
  readonly foreign: boolean;
}

export interface Tally {
  posts: number;
  effects: number;
  applied: number;
}

interface Late {
  readonly due: number;
  readonly attempt: string;
}

/** What a schedule came to; throws when something happened that must never happen. */
export async function live(plan: readonly Planned[], scheduler: Scheduler): Promise<Tally> {
  const machine = new Machine(scheduler);
  let running: Promise<void>[] = [];
  for (const planned of plan) {
    if (!planned.overlaps) {
      await scheduler.waitFor(Promise.all(running));
      running = [];
    }
    machine.pass(planned.afterMs);
    if (planned.foreign) machine.foreignRefund();
    running.push(machine.start(planned));
  }
  await scheduler.waitFor(Promise.all(running));
  machine.pass(testProfile.settings['refund.horizon_part']);
  return machine.check();
}

class Machine {
  readonly #scheduler: Scheduler;
  readonly #ledger = new Ledger();
  readonly #clock = new VirtualClock();
  readonly #locks = new MemoryLocks();
  readonly #rows: JournalRow[] = [];
  readonly #store: JournalStore = createMemoryStore(this.#rows);
  readonly #late: Late[] = [];
  /** Attempts whose request arrived, and refunds they made. */
  readonly #posts = new Set<string>();
  readonly #made = new Map<string, string>();
  #before: Record<string, unknown> = this.#ledger.order();
  #changedAt = 0;
  #ids = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  pass(ms: number): void {
    this.#clock.pass(ms);
    for (const late of this.#late.filter(({ due }) => due <= this.#clock.wall)) {
      this.#late.splice(this.#late.indexOf(late), 1);
      this.#takeEffect(late.attempt, late.due);
    }
  }

  foreignRefund(): void {
    this.#rememberOld();
    this.#ledger.refund('ch_1', 5000);
  }

  start(planned: Planned): Promise<void> {
    return new Life(this.#scheduler, planned.dies).live((life) => this.#run(planned, life));
  }

  async #run(planned: Planned, life: Life): Promise<void> {
    const locks: Locks = { take: life.port(async (name: string) => life.keep(await this.#locks.take(name))) };
    const parts = {
      locks,
      service: this.#serviceOf(planned, life),
      store: this.#storeOf(planned, life),
      clock: {
        now: () => this.#clock.now(),
        monotonic: () => this.#clock.monotonic(),
        sleep: life.port(async (ms: number) => this.pass(ms)),
      },
    };
    try {
      if (planned.does === 'refund') await this.#refund(planned, life, parts);
      else await this.#lookAt(planned.does, parts);
    } catch (error) {
      // Being refused, and not being able to read, is what may happen; anything else is a bug.
      if (!(error instanceof CliError) || error.kind === 'internal') throw error;
    }
  }

  async #refund(
    planned: Planned,
    life: Life,
    parts: {
      locks: Locks;
      service: Service;
      store: JournalStore;
      clock: VirtualClock | Parameters<typeof createChange>[0]['clock'];
    },
  ): Promise<void> {
    const shown = JSON.stringify(
      ((await parts.service.locate('orders', 'ord_1')) as { found: { value: unknown } }).found.value,
    );
    const change = createChange({
      ...parts,
      send: life.port((request: ChangeRequest) => this.#receive(planned, request)),
      operator: 'op',
      options: { dryRun: false, timeoutMs: 60_000 },
      notes: { note: () => undefined, warn: () => undefined, progress: () => () => undefined },
      ids: () => `i_${++this.#ids}`,
    });
    // A person asks again only for what was not seen in its time, and where the order shows no refund.
    const doubtful = this.#attempts().findLast(
      (one) => verdictOf(one)?.verdict === 'not_seen' && !isOpen(one, this.#moment()),
    );
    const outcome = await change({
      kind: 'refund',
      orderId: 'ord_1',
      request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5000 } },
      expected: [{ chargeId: 'ch_1', amount: -5000 }],
      again: doubtful !== undefined && shown.includes('"refunds":null') ? [attemptName(doubtful)] : [],
      approve: async ({ value }) => {
        if (JSON.stringify(value) !== shown) throw new CliError('refused', 'money changed');
      },
    });
    if (outcome.verdict === 'applied' && this.#ledger.charges[0]?.refunds.length === 0) {
      throw new Error('false applied: it was said to be made');
    }
  }

  async #lookAt(
    does: 'reconcile' | 'settle',
    parts: Parameters<typeof resolveOne>[0] extends infer P ? Omit<P & object, 'timeoutMs'> : never,
  ): Promise<void> {
    const record = this.#attempts().find((one) => isOpen(one, this.#moment()));
    if (record === undefined) return;
    const attempt = keyOf(record);
    const under = { ...parts, timeoutMs: 1 } as Parameters<typeof resolveOne>[0];
    if (does === 'reconcile') {
      await resolveOne(under, record);
      return;
    }
    // A person states what is so, and only once nothing is under way any more.
    if (this.#late.some((late) => late.attempt === attempt)) return;
    const applied = this.#made.has(attempt);
    await resolveOne(under, record, {
      statement: { applied, operator: 'op', note: 'n' },
      confirm: async () => {
        const still =
          this.#made.has(attempt) === applied && !this.#late.some((late) => late.attempt === attempt);
        if (!still) throw new CliError('refused', 'not so any more');
      },
    });
  }

  #serviceOf(planned: Planned, life: Life): Service {
    let [failing, stale] = [planned.failingReads, planned.staleReads];
    const read = life.port(async () => {
      if (failing-- > 0) throw new CliError('network', 'no answer');
      // A read may be old by half a minute.
      const old = stale-- > 0 && this.#clock.wall - this.#changedAt <= 30_000;
      return old ? this.#before : this.#ledger.order();
    });
    return serviceOf(read);
  }

  #storeOf(planned: Planned, life: Life): JournalStore {
    let written = 0;
    return {
      ...this.#store,
      append: life.port(async (row: JournalRow) => {
        written += 1;
        if (planned.fullAfter !== undefined && written > planned.fullAfter) throw new Error('no space');
        await this.#store.append(row);
      }),
    };
  }

  // The service: what it does, and what it says, are two things.
  async #receive({ fate }: Planned, request: ChangeRequest): Promise<SendReport> {
    if (fate === 'not-sent') return { kind: 'not_sent', reason: 'closed port' };
    const sent = this.#attempts().findLast(({ verdicts }) => verdicts.length === 0);
    if (sent === undefined) throw new Error('lost outcome: a request left and the journal does not know it');
    const attempt = keyOf(sent);
    if (this.#posts.has(attempt)) throw new Error('double: one attempt was sent twice');
    this.#posts.add(attempt);
    if (request.path !== 'orders/ord_1/refunds') throw new Error('another request than asked for');
    if (fate === 'apply-late') this.#late.push({ due: this.#clock.wall + 3_600_000, attempt });
    else if (fate === 'ok' || fate.startsWith('apply-')) this.#takeEffect(attempt);
    switch (fate) {
      case 'ok':
        return reply(200, this.#ledger.order());
      case 'reject':
      case 'apply-reject':
        return reply(422, {
          object: 'error',
          type: 'parameter_validation_error',
          details: [{ message: 'no' }],
        });
      case 'apply-502':
      case '502':
        return reply(502, '<html>', 'text/html');
      case 'contradict':
      case 'apply-contradict':
        return reply(200, { ...this.#ledger.order(), id: 'ord_other' });
      default:
        return { kind: 'no_reply', reason: 'reset' };
    }
  }

  #takeEffect(attempt: string, at = this.#clock.wall): void {
    this.#rememberOld(at);
    this.#made.set(attempt, this.#ledger.refund('ch_1', 5000));
  }

  #rememberOld(at = this.#clock.wall): void {
    this.#before = this.#ledger.order();
    this.#changedAt = at;
  }

  #attempts(): AttemptRecord[] {
    return fold(this.#rows);
  }

  #moment(): Moment {
    const time = this.#clock.wall;
    return { time, wall: time, mono: this.#clock.mono, skewed: false };
  }

  check(): Tally {
    if (this.#made.size > 1) throw new Error(`double: ${this.#made.size} of our refunds took effect`);
    const attempts = this.#attempts();
    for (const attempt of this.#posts) {
      const record = attempts.find((one) => keyOf(one) === attempt);
      if (record === undefined) throw new Error(`lost outcome: ${attempt} is not in the journal`);
      const last = verdictOf(record);
      const closed =
        last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed !== false);
      if (this.#made.has(attempt) && closed)
        throw new Error(`lost outcome: ${attempt} was made, closed as ${last.verdict}`);
    }
    const applied = attempts.flatMap((record) =>
      record.verdicts.filter(({ verdict }) => verdict === 'applied'),
    );
    const known = this.#ledger.charges[0]?.refunds.map(({ id }) => id) ?? [];
    for (const { refunds = [], by, intent } of applied) {
      const real = refunds.some(({ id = '', amount }) => known.includes(id) && amount === -5000);
      if (!real && by !== 'person') throw new Error(`false applied: ${intent}`);
    }
    return { posts: this.#posts.size, effects: this.#made.size, applied: applied.length };
  }
}

function keyOf({ sent }: AttemptRecord): string {
  return `${sent.intent} ${sent.attempt}`;
}

/** A process: everything it calls outside is scheduled, and at one of the calls it may die, with what it held. */
class Life {
  readonly #scheduler: Scheduler;
  readonly #dies: Planned['dies'];
  readonly #held: { release(): Promise<void> }[] = [];
  #calls = 0;
  #dead = false;
  #end: () => void = () => undefined;

  constructor(scheduler: Scheduler, dies: Planned['dies']) {
    this.#scheduler = scheduler;
    this.#dies = dies;
  }

  async live(run: (life: Life) => Promise<void>): Promise<void> {
    const death = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    await Promise.race([run(this), death]);
  }

  keep<T extends { held: boolean }>(taken: T): T {
    if ('release' in taken) this.#held.push(taken as unknown as { release(): Promise<void> });
    return taken;
  }

  port<A extends unknown[], R>(act: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      await this.#scheduler.schedule(Promise.resolve());
      this.#calls += 1;
      const last = this.#dies?.call === this.#calls;
      if (this.#dead || (last && this.#dies?.after === false)) return this.#die();
      const result = await act(...args);
      return last ? this.#die() : result;
    };
  }

  // The kernel releases what a dead process held; nothing it called ever answers.
  #die(): Promise<never> {
    this.#dead = true;
    for (const held of this.#held) void held.release();
    this.#end();
    return new Promise(() => undefined);
  }
}
