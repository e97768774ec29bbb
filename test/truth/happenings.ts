/** What a situation is, and what can happen to an order in one: orders, refunds that end in some way, and what people do. */

import { chargeOf, type Json, orderOf } from '../harness/orders.ts';
import type { Besides, State, Truth } from './truth.ts';
import type { Fate, World } from './world.ts';

/** The order that every situation is about, and one that nothing ever happens to. */
export const id = 'ord_2tMain0000000001';
export const bystander = 'ord_2tOther000000002';
export const twin = 'ord_2tTwin0000000003';

export interface Situation {
  readonly name: string;
  /** The part of issue 30 that it belongs to. */
  readonly part: number;
  readonly orders: readonly Json[];
  readonly build: (world: World) => Promise<void>;
  /** Whose screens are looked at. */
  readonly seenBy: 'ana' | 'bob';
  readonly scope: Scope;
  readonly by: By;
  readonly truth: Truth;
  /** Whether the order has a twin that may have been paid by mistake; undefined if it has none at all. */
  readonly twins?: 'open' | 'settled' | 'none';
  /** When its screens are looked at; absent: `lookedAt`. */
  readonly lookedAt?: string;
  /** What went back on other orders. */
  readonly otherBack?: number;
}

/** What the refund is of: all of the order, one charge of two, or a part of a charge. */
export type Scope = 'whole' | 'charge' | 'part';
/** `hand`: one command for one refund. `plan`: a row of a file. */
export type By = 'hand' | 'plan';

export const sums: Readonly<Record<Scope, number>> = { whole: 1000, charge: 700, part: 300 };

const words: Readonly<Record<Scope, string>> = {
  whole: '',
  charge: ' --charge ch_1',
  part: ' --charge ch_1 --amount 300',
};

/** The row of a file that means the same. */
export const fileRow: Readonly<Record<Scope, string>> = {
  whole: `${id},full,full,A`,
  charge: `${id},ch_1,full,A`,
  part: `${id},ch_1,300,A`,
};

/** A further refund that the order has room for: what the previews ask for. */
export const further: Readonly<Record<Scope, readonly string[]>> = {
  whole: ['--charge', 'ch_1', '--amount', '50'],
  charge: ['--charge', 'ch_2', '--amount', '50'],
  part: ['--charge', 'ch_1', '--amount', '50'],
};

// ── Orders ──────────────────────────────────────────────────────────────────────────────────────

const created = Date.parse('2040-11-20T18:42:00Z') / 1000;

/** An order of this buyer. */
export function bought(orderId: string, charges: readonly Json[], email: string, secondsAgo: number): Json {
  const at = created - secondsAgo;
  return orderOf(
    orderId,
    charges.map((charge) => ({ ...charge, order_id: orderId, created_at: at + 5, paid_at: at + 20 })),
    {
      created_at: at,
      updated_at: at + 30,
      customer_info: { object: 'customer_info', name: 'Mario Perez', email },
    },
  );
}

export const main = () => bought(id, [chargeOf('ch_1', 700), chargeOf('ch_2', 300)], 'mario@example.com', 0);
export const other = () => bought(bystander, [chargeOf('ch_9', 2000)], 'other@example.com', 9000);
// Of the same buyer and amount, four minutes before.
export const twinOf = (changes: Json = {}) => ({
  ...bought(twin, [chargeOf('ch_5', 1000)], 'mario@example.com', 240),
  ...changes,
});

// ── What is done ────────────────────────────────────────────────────────────────────────────────

type Act = (world: World, scope: Scope, by: By) => Promise<void>;

/** Sends the refund, which ends in this way. */
export function send(fate: Fate, ...codes: readonly number[]): Act {
  return async (world, scope, by) => {
    world.fate(fate);
    if (by === 'hand') {
      await world.must(
        world.ana,
        `orders refund ${id}${words[scope]} --reason other --idempotency-key ticket-1 --yes`,
        ...codes,
      );
      return;
    }
    await planRow(world, scope);
    await world.must(
      world.ana,
      'refunds apply r.plan --yes',
      ...codes.map((code) => (code === 5 ? 8 : code)),
    );
  };
}

export async function planRow(world: World, scope: Scope): Promise<void> {
  await world.must(world.ana, 'refunds plan r.csv --to r.plan', 0);
  if (scope === 'whole' && world.service.posts.length > 0) throw new Error('a plan sent something');
}

/** Does something to the first attempt of the journal. */
export async function settle(world: World, time: string, line: string): Promise<void> {
  world.at(time);
  const attempt = (await world.attempts(world.ana)).at(-1);
  if (attempt === undefined) throw new Error('nothing was sent');
  await world.must(world.ana, `journal ${line.replace('CHANGE', attempt.change)}`, 0);
}

export const notMade = (world: World, time = '09:04:00') =>
  settle(world, time, `settle CHANGE --not-applied --note asked-the-bank --confirm ${id}`);
export const isMade = (world: World, time = '09:04:00') =>
  settle(world, time, `settle CHANGE --applied --note asked-the-bank --confirm ${id}`);
export const acknowledge = (world: World, time: string) =>
  settle(world, time, 'acknowledge CHANGE --note the-bank-recalls-it --yes');

// The same refund, made by somebody else.
function recordAll(world: World, scope: Scope): void {
  world.record(id, 'ch_1', scope === 'part' ? 300 : 700);
  if (scope === 'whole') world.record(id, 'ch_2', 300);
}

/** What happens so that the refund is in this state. */
export const acts: Readonly<Record<State, Act>> = {
  made: send('made', 0),
  pending: send('pending', 0, 7, 8),
  async failed(world, scope, by) {
    await send('made', 0)(world, scope, by);
    world.at('09:05:00');
    for (const record of world.records(id)) world.turn(record, 'failed');
  },
  unconfirmed: send('lost', 7),
  async 'recorded made'(world, scope, by) {
    await send('lost', 7)(world, scope, by);
    await isMade(world);
  },
  async 'recorded not made'(world, scope, by) {
    await send('lost', 7)(world, scope, by);
    await notMade(world);
  },
  async appeared(world, scope, by) {
    await send('late', 7)(world, scope, by);
    await notMade(world);
    world.at('09:05:00');
    world.arrive();
  },
  'made twice': async (world, scope, by) => {
    await send('made', 0)(world, scope, by);
    world.at('09:00:08');
    recordAll(world, scope);
  },
  async elsewhere(world, scope, by) {
    if (by === 'plan') await planRow(world, scope);
    recordAll(world, scope);
  },
  async gone(world, scope, by) {
    await send('made', 0)(world, scope, by);
    world.at('09:05:00');
    for (const record of world.records(id)) world.vanish(record);
  },
};

// ── A situation of its own ──────────────────────────────────────────────────────────────────────

/** A situation of its own: by hand and of a part, unless it says otherwise. */
export function own(
  name: string,
  part: number,
  truth: Truth,
  build: (world: World) => Promise<void>,
  more: Partial<Situation> = {},
): Situation {
  const { scope = 'part', by = 'hand' } = more;
  return { name, part, orders: [main(), other()], build, seenBy: 'ana', scope, by, truth, ...more };
}

export const byPlan = { by: 'plan' } as const;
export const hand =
  (fate: Fate, ...codes: readonly number[]) =>
  (world: World) =>
    send(fate, ...codes)(world, 'part', 'hand');
export const plan =
  (fate: Fate, ...codes: readonly number[]) =>
  (world: World) =>
    send(fate, ...codes)(world, 'part', 'plan');
export const inTurn =
  (...steps: readonly ((world: World) => void | Promise<void>)[]) =>
  async (world: World) => {
    for (const step of steps) await step(world);
  };
export const at = (time: string) => (world: World) => world.at(time);
export const second = (amount: number) => (world: World) => void world.record(id, 'ch_1', amount);
export const failsNow = (world: World) => world.turn('rf_1', 'failed');
export const look =
  (time: string, ...codes: readonly number[]) =>
  async (world: World) => {
    world.at(time);
    await world.must(world.ana, 'journal reconcile --all', ...codes);
  };
export const again =
  (fate: Fate, name: string, words: string, ...codes: readonly number[]) =>
  async (world: World) => {
    world.fate(fate);
    await world.must(
      world.ana,
      `orders refund ${id} ${words} --reason other --idempotency-key ${name} --yes`,
      ...codes,
    );
  };

export const doubted: Besides = {
  // A list may call it unconfirmed, too.
  first: ['doubt', 'unconfirmed'],
  back: 'nobody knows',
  left: 'nobody knows',
  row: { state: 'doubt', compare: 7, status: 7 },
};

/** When screens are looked at. */
export const lookedAt = '09:10:00';
