/** The situations: what happened to an order, and what is true of it then, in a few words each. */

import { chargeOf, type Json, orderOf } from '../harness/orders.ts';
import { type Besides, fromElsewhere, type State, type Truth, truthOf } from './truth.ts';
import { day, type Fate, type World } from './world.ts';

/** The order that every situation is about, and one that nothing ever happens to. */
export const id = 'ord_2tMain0000000001';
const bystander = 'ord_2tOther000000002';
const twin = 'ord_2tTwin0000000003';

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

function bought(orderId: string, charges: readonly Json[], email: string, secondsAgo: number): Json {
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

const main = () => bought(id, [chargeOf('ch_1', 700), chargeOf('ch_2', 300)], 'mario@example.com', 0);
const other = () => bought(bystander, [chargeOf('ch_9', 2000)], 'other@example.com', 9000);
// Of the same buyer and amount, four minutes before.
const twinOf = (changes: Json = {}) => ({
  ...bought(twin, [chargeOf('ch_5', 1000)], 'mario@example.com', 240),
  ...changes,
});

// ── What is done ────────────────────────────────────────────────────────────────────────────────

type Act = (world: World, scope: Scope, by: By) => Promise<void>;

/** Sends the refund, which ends in this way. */
function send(fate: Fate, ...codes: readonly number[]): Act {
  return async (world, scope, by) => {
    world.fate(fate);
    if (by === 'hand') {
      await world.must(
        world.ana,
        `orders refund ${id}${words[scope]} --reason other --intent ticket-1 --yes`,
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

async function planRow(world: World, scope: Scope): Promise<void> {
  await world.must(world.ana, 'refunds plan r.csv --to r.plan', 0);
  if (scope === 'whole' && world.service.posts.length > 0) throw new Error('a plan sent something');
}

/** Does something to the first attempt of the journal. */
async function settle(world: World, time: string, line: string): Promise<void> {
  world.at(time);
  const attempt = (await world.attempts(world.ana)).at(-1);
  if (attempt === undefined) throw new Error('nothing was sent');
  await world.must(world.ana, `journal ${line.replace('INTENT', attempt.intent)}`, 0);
}

const notMade = (world: World, time = '09:04:00') =>
  settle(world, time, `settle INTENT --not-applied --note asked-the-bank --confirm ${id}`);
const isMade = (world: World, time = '09:04:00') =>
  settle(world, time, `settle INTENT --applied --note asked-the-bank --confirm ${id}`);
const acknowledge = (world: World, time: string) =>
  settle(world, time, 'acknowledge INTENT --note the-bank-recalls-it --yes');

// The same refund, made by somebody else.
function recordAll(world: World, scope: Scope): void {
  world.record(id, 'ch_1', scope === 'part' ? 300 : 700);
  if (scope === 'whole') world.record(id, 'ch_2', 300);
}

/** What happens so that the refund is in this state. */
const acts: Readonly<Record<State, Act>> = {
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

const partOf: Readonly<Record<State, number>> = {
  made: 1,
  pending: 2,
  failed: 2,
  unconfirmed: 5,
  'recorded made': 1,
  'recorded not made': 1,
  appeared: 1,
  'made twice': 3,
  elsewhere: 1,
  gone: 1,
};

// ── The matrix: each state × whole, charge, part × by hand, by plan ─────────────────────────────

const scopes: readonly Scope[] = ['whole', 'charge', 'part'];
const ways: readonly By[] = ['hand', 'plan'];

// What a plan says of a row that it never sent, because somebody else refunded the same.
const unsent: Besides = { row: { ofPlan: 'none', status: 8 } };

function truthOfOne(state: State, scope: Scope, by: By): Truth {
  const amount = state === 'made twice' ? 2 * sums[scope] : sums[scope];
  // A charge from which more went back than was paid has nothing left, and takes nothing from the others.
  const left = { whole: 0, charge: 300, part: 400 }[scope];
  return truthOf(`${state} ${amount}`, {
    ...(state === 'made twice' ? { left } : {}),
    ...(state === 'elsewhere' && by === 'plan' ? unsent : {}),
  });
}

function one(state: State, scope: Scope, by: By, more: Partial<Situation> = {}): Situation {
  return {
    name: `${state}, ${scope}, by ${by}`,
    part: partOf[state],
    orders: [main(), other()],
    build: (world) => acts[state](world, scope, by),
    seenBy: 'ana',
    scope,
    by,
    truth: truthOfOne(state, scope, by),
    ...more,
  };
}

const matrix = (Object.keys(acts) as State[]).flatMap((state) =>
  scopes.flatMap((scope) => ways.map((by) => one(state, scope, by))),
);

// The same as another desk sees it, which has sent nothing and shares no journal.
const otherDesk = (
  [
    'made',
    'pending',
    'failed',
    'unconfirmed',
    'recorded made',
    'recorded not made',
    'appeared',
    'made twice',
    'gone',
  ] as const
).flatMap((state) => {
  const scope: Scope = state === 'made' || state === 'made twice' ? 'part' : 'charge';
  const here = one(state, scope, 'hand');
  return [
    {
      ...here,
      name: `${state}, ${scope}, seen by the other desk`,
      seenBy: 'bob' as const,
      truth: fromElsewhere(here.truth),
    },
  ];
});

// ── One by one ──────────────────────────────────────────────────────────────────────────────────

/** A situation of its own: by hand and of a part, unless it says otherwise. */
function own(
  name: string,
  part: number,
  truth: Truth,
  build: (world: World) => Promise<void>,
  more: Partial<Situation> = {},
): Situation {
  const { scope = 'part', by = 'hand' } = more;
  return { name, part, orders: [main(), other()], build, seenBy: 'ana', scope, by, truth, ...more };
}

const byPlan = { by: 'plan' } as const;
const hand =
  (fate: Fate, ...codes: readonly number[]) =>
  (world: World) =>
    send(fate, ...codes)(world, 'part', 'hand');
const plan =
  (fate: Fate, ...codes: readonly number[]) =>
  (world: World) =>
    send(fate, ...codes)(world, 'part', 'plan');
const then =
  (...steps: readonly ((world: World) => void | Promise<void>)[]) =>
  async (world: World) => {
    for (const step of steps) await step(world);
  };
const at = (time: string) => (world: World) => world.at(time);
const second = (amount: number) => (world: World) => void world.record(id, 'ch_1', amount);
const failsNow = (world: World) => world.turn('rf_1', 'failed');
const look =
  (time: string, ...codes: readonly number[]) =>
  async (world: World) => {
    world.at(time);
    await world.must(world.ana, 'journal reconcile --all', ...codes);
  };
const again =
  (fate: Fate, name: string, words: string, ...codes: readonly number[]) =>
  async (world: World) => {
    world.fate(fate);
    await world.must(
      world.ana,
      `orders refund ${id} ${words} --reason other --intent ${name} --yes`,
      ...codes,
    );
  };

const lostReplies = [
  own('made, its reply lost', 5, truthOf('made 300'), hand('reply lost', 0)),
  own('made, its reply lost, by plan', 5, truthOf('made 300'), plan('reply lost', 0), byPlan),
  own(
    'refused',
    1,
    { ...truthOf('nothing', { mayRefund: 'not judged' }), attempts: 'refused' },
    hand('refused', 5),
  ),
  own('nothing happened', 8, truthOf('nothing'), async () => undefined),
];

const acknowledged = [
  own(
    'made twice, acknowledged',
    3,
    truthOf('made twice 600 acknowledged', { left: 400 }),
    then(hand('made', 0), at('09:00:08'), second(300), look('09:05:00', 7), (world) =>
      acknowledge(world, '09:06:00'),
    ),
  ),
  own(
    'made twice, acknowledged, by plan',
    3,
    truthOf('made twice 600 acknowledged', { left: 400 }),
    then(plan('made', 0), at('09:00:08'), second(300), look('09:05:00', 7), (world) =>
      acknowledge(world, '09:06:00'),
    ),
    byPlan,
  ),
  own(
    'made twice, recorded',
    3,
    truthOf('made twice 600'),
    then(hand('made', 0), at('09:00:08'), second(300), look('09:05:00', 7)),
  ),
  own(
    'made twice, recorded, by plan',
    3,
    truthOf('made twice 600'),
    then(plan('made', 0), at('09:00:08'), second(300), look('09:05:00', 7)),
    byPlan,
  ),
  own('made twice in one second', 3, truthOf('made twice 600'), hand('twice', 0, 7)),
  own('made twice in one second, by plan', 3, truthOf('made twice 600'), plan('twice', 0, 7, 8), byPlan),
  own(
    'appeared, acknowledged',
    1,
    truthOf('made 300'),
    then(
      hand('late', 7),
      notMade,
      at('09:05:00'),
      (world) => world.arrive(),
      look('09:06:00', 7),
      (world) => acknowledge(world, '09:07:00'),
    ),
  ),
  own(
    'appeared, acknowledged, by plan',
    1,
    truthOf('made 300'),
    then(
      plan('late', 7),
      notMade,
      at('09:05:00'),
      (world) => world.arrive(),
      look('09:06:00', 7),
      (world) => acknowledge(world, '09:07:00'),
    ),
    byPlan,
  ),
  own(
    'appeared, recorded',
    1,
    truthOf('appeared 300'),
    then(hand('late', 7), notMade, at('09:05:00'), (world) => world.arrive(), look('09:06:00', 7)),
  ),
  own(
    'failed, acknowledged',
    2,
    truthOf('failed 300 acknowledged'),
    then(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), (world) =>
      acknowledge(world, '09:07:00'),
    ),
  ),
  own(
    'failed, acknowledged, by plan',
    2,
    truthOf('failed 300 acknowledged'),
    then(plan('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), (world) =>
      acknowledge(world, '09:07:00'),
    ),
    byPlan,
  ),
  own(
    'failed, seen by a read',
    2,
    truthOf('failed 300'),
    then(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7)),
  ),
];

const settledByHand = [
  own(
    'corrected: not made, then made',
    5,
    truthOf('recorded made 300'),
    then(hand('lost', 7), notMade, (world) =>
      settle(
        world,
        '09:05:00',
        `settle INTENT --correct --applied --note it-was-made-after-all --confirm ${id}`,
      ),
    ),
  ),
  own(
    'corrected: made, then not made',
    5,
    truthOf('recorded not made 300'),
    then(hand('lost', 7), isMade, (world) =>
      settle(
        world,
        '09:05:00',
        `settle INTENT --correct --not-applied --note it-was-not-made --confirm ${id}`,
      ),
    ),
  ),
  own(
    'recorded as made, then it appears',
    5,
    truthOf('made 300'),
    then(hand('late', 7), isMade, at('09:05:00'), (world) => world.arrive()),
  ),
  own(
    'recorded as made, then it appears, by plan',
    5,
    truthOf('made 300'),
    then(plan('late', 7), isMade, at('09:05:00'), (world) => world.arrive()),
    byPlan,
  ),
  own(
    'recorded as not made, sent again, and both are made',
    3,
    { ...truthOf('made twice 600'), attempts: 'made + made twice' },
    then(hand('late', 7), notMade, at('09:05:00'), async (world) => {
      const [attempt] = await world.attempts(world.ana);
      await again(
        'made',
        'ticket-2',
        `--charge ch_1 --amount 300 --again ${attempt?.intent ?? ''}`,
        0,
      )(world);
      world.at('09:06:00');
      world.arrive();
    }),
  ),
];

const laterStates = [
  own(
    'pending, then made',
    2,
    truthOf('made 300'),
    then(hand('pending', 0, 7), at('09:05:00'), (world) => world.turn('rf_1', 'succeeded')),
  ),
  own(
    'pending, then made, by plan',
    2,
    truthOf('made 300'),
    then(plan('pending', 0, 7, 8), at('09:05:00'), (world) => world.turn('rf_1', 'succeeded')),
    byPlan,
  ),
  own(
    'pending, then failed',
    2,
    truthOf('failed 300'),
    then(hand('pending', 0, 7), at('09:05:00'), failsNow),
  ),
  own(
    'pending, then failed, by plan',
    2,
    truthOf('failed 300'),
    then(plan('pending', 0, 7, 8), at('09:05:00'), failsNow),
    byPlan,
  ),
  own(
    'a status that nobody knows',
    2,
    truthOf('unconfirmed 300', { back: 'nobody knows', left: 'nobody knows' }),
    then(hand('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'on_hold')),
  ),
  own(
    'a status that nobody knows, by plan',
    2,
    truthOf('unconfirmed 300', { back: 'nobody knows', left: 'nobody knows' }),
    then(plan('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'on_hold')),
    byPlan,
  ),
  own(
    'failed, and refunded again',
    2,
    truthOf('made 300, failed 300 acknowledged', { row: { state: 'made', compare: 0 } }),
    then(
      hand('made', 0),
      at('09:05:00'),
      failsNow,
      look('09:06:00', 7),
      (world) => acknowledge(world, '09:07:00'),
      again('made', 'ticket-2', '--charge ch_1 --amount 300', 0),
    ),
  ),
  own(
    'failed, and the sums of the order stay',
    2,
    truthOf('failed 300', {
      first: 'doubt',
      back: 'nobody knows',
      left: 'nobody knows',
      row: { state: 'doubt', compare: 7, status: 7 },
    }),
    then(hand('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'failed', 'sums stay')),
  ),
  own(
    'failed, refunded elsewhere instead',
    2,
    truthOf('failed 300, elsewhere 300', { row: { compare: 0, state: 'elsewhere' } }),
    then(hand('made', 0), at('09:05:00'), failsNow, second(300)),
  ),
  own(
    'one of two charges fails',
    2,
    { ...truthOf('failed 700, made 300'), attempts: 'failed' },
    then((world) => send('made', 0)(world, 'whole', 'hand'), at('09:05:00'), failsNow),
    { scope: 'whole' },
  ),
];

const combined = [
  own(
    'made, and another part elsewhere',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    then(hand('made', 0), at('09:05:00'), second(100)),
  ),
  own(
    'made by plan, and another part by hand',
    3,
    truthOf('made 300, made 100', { row: { state: 'more', ofPlan: 'made', compare: 8, status: 0 } }),
    then(plan('made', 0), at('09:05:00'), again('made', 'ticket-2', '--charge ch_1 --amount 100', 0)),
    byPlan,
  ),
  own(
    'a single refund that fits the row of a plan',
    3,
    truthOf('made 300', { row: { ofPlan: 'none', compare: 0, status: 8 } }),
    then((world) => planRow(world, 'part'), again('made', 'ticket-2', '--charge ch_1 --amount 300', 0)),
    byPlan,
  ),
  own(
    'made, and then an unconfirmed part',
    5,
    truthOf('made 300, unconfirmed 100', { row: { compare: 7 } }),
    then(hand('made', 0), at('09:05:00'), again('lost', 'ticket-2', '--charge ch_1 --amount 100', 7)),
  ),
  own(
    'elsewhere before ours',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    then(second(100), at('09:02:00'), hand('made', 0)),
  ),
  own(
    'made on both charges by two refunds',
    1,
    truthOf('made 700, made 300', { row: { back: 700 } }),
    then(
      (world) => send('made', 0)(world, 'charge', 'hand'),
      at('09:05:00'),
      again('made', 'ticket-2', '--charge ch_2', 0),
    ),
    { scope: 'charge' },
  ),
  own(
    'failed, and another part pending',
    2,
    { ...truthOf('failed 300, pending 100'), attempts: 'failed' },
    then(
      hand('made', 0),
      at('09:05:00'),
      failsNow,
      (world) => void world.record(id, 'ch_1', 100, { status: 'pending' }),
    ),
  ),
  own(
    'recorded as made, and an equal refund of later elsewhere',
    1,
    truthOf('made 300', {
      first: ['none', 'recorded made'],
      mayRefund: 'not judged',
      row: { state: 'made' },
    }),
    then(hand('lost', 7), isMade, at('09:05:00'), second(300)),
  ),
  own(
    'refused, and an equal refund elsewhere',
    1,
    { ...truthOf('elsewhere 300', { mayRefund: 'not judged' }), attempts: 'refused' },
    then(hand('refused', 5), at('09:05:00'), second(300)),
  ),
  own(
    'of the other desk, and ours besides',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    then(
      async (world) => {
        await world.must(world.bob, `orders refund ${id} --charge ch_1 --amount 100 --reason other --yes`, 0);
      },
      at('09:03:00'),
      hand('made', 0),
    ),
  ),
  own(
    'of the other desk, whose reply was lost, and ours unconfirmed',
    5,
    truthOf('unconfirmed 300, elsewhere 100', { row: { compare: 7 } }),
    then(
      async (world) => {
        world.fate('reply lost');
        await world.must(world.bob, `orders refund ${id} --charge ch_1 --amount 100 --reason other --yes`, 0);
      },
      at('09:03:00'),
      hand('lost', 7),
    ),
  ),
];

// ── Twins ───────────────────────────────────────────────────────────────────────────────────────

const pair = () => [main(), twinOf(), other()];
const twins = [
  own(
    'two payments, none refunded',
    4,
    truthOf('nothing', { mayRefund: 'not judged' }),
    async () => undefined,
    { orders: pair(), twins: 'open' },
  ),
  own(
    'two payments, the twin refunded',
    4,
    truthOf('nothing', { mayRefund: 'not judged' }),
    async (world) => void world.record(twin, 'ch_5', 1000),
    { orders: pair(), twins: 'settled', otherBack: 1000 },
  ),
  own(
    'two payments, this one refunded',
    4,
    truthOf('made 1000'),
    (world) => send('made', 0)(world, 'whole', 'hand'),
    { orders: pair(), twins: 'settled', scope: 'whole' },
  ),
  own(
    'two payments, a part of this one refunded',
    4,
    truthOf('made 300', { mayRefund: 'not judged' }),
    hand('made', 0),
    { orders: pair(), twins: 'open' },
  ),
  own(
    'the twin was declined',
    4,
    truthOf('nothing'),
    async (world) => {
      world.change(twin, { payment_status: 'declined', is_refundable: false });
      world.changeCharges(twin, { status: 'declined', is_refundable: false });
    },
    { orders: pair(), twins: 'none' },
  ),
  own(
    'the twin has no payment at all',
    4,
    truthOf('nothing'),
    async (world) => world.drop(twin, ['charges', 'payment_status', 'is_refundable']),
    { orders: pair(), twins: 'none' },
  ),
  own(
    'the twin is refunded twice over',
    4,
    truthOf('nothing', { mayRefund: 'not judged' }),
    async (world) => {
      await world.must(world.bob, `orders refund ${twin} --reason other --yes`, 0);
      world.at('09:00:08');
      world.record(twin, 'ch_5', 1000);
    },
    { orders: pair(), twins: 'settled', otherBack: 2000 },
  ),
];

// ── Orders that contradict themselves, or are of no mode ────────────────────────────────────────

const doubted: Besides = {
  first: 'doubt',
  back: 'nobody knows',
  left: 'nobody knows',
  row: { state: 'doubt', compare: 7, status: 7 },
};
const contradictory = [
  own('a record of 300, and amount_refunded 0', 8, truthOf('elsewhere 300', doubted), async (world) => {
    world.record(id, 'ch_1', 300);
    world.change(id, { amount_refunded: 0 });
  }),
  own('a record of 300, and amount_refunded 600', 8, truthOf('elsewhere 300', doubted), async (world) => {
    world.record(id, 'ch_1', 300);
    world.change(id, { amount_refunded: 600 });
  }),
  own('ours of 300, and amount_refunded 600', 8, truthOf('made 300', doubted), async (world) => {
    await hand('made', 0)(world);
    world.at('09:05:00');
    world.change(id, { amount_refunded: 600 });
  }),
  own(
    'ours of 300, and amount_refunded 0, by plan',
    8,
    truthOf('made 300', doubted),
    async (world) => {
      await plan('made', 0)(world);
      world.at('09:05:00');
      world.change(id, { amount_refunded: 0 });
    },
    byPlan,
  ),
  own('refunded without a record', 8, truthOf('nothing', doubted), async (world) => {
    world.change(id, { payment_status: 'refunded', amount_refunded: 1000, is_refundable: false });
  }),
  own('amount_refunded 300 without a record', 8, truthOf('nothing', doubted), async (world) => {
    world.change(id, { payment_status: 'partially_refunded', amount_refunded: 300 });
  }),
];

const ofNoMode: Besides = { first: 'no mode', row: { state: 'no mode', compare: 8 } };
const modes = [
  ...[
    ['false', 'true'],
    ['absent', 'true'],
    ['0', 'true'],
    ['null', 'true'],
    ['"false"', 'true'],
    ['false', 'mixed'],
  ].map(([of = '', charges = '']) =>
    own(
      `livemode ${of} on the order, ${charges} on its charges`,
      6,
      truthOf('nothing', ofNoMode),
      async (world) => {
        if (of === 'absent') world.drop(id, ['livemode']);
        else world.change(id, { livemode: JSON.parse(of) as unknown });
        if (charges === 'true') world.changeCharges(id, { livemode: true });
        else world.changeCharge(id, 'ch_2', { livemode: true });
      },
    ),
  ),
  own(
    'refunded, and then of no mode',
    6,
    truthOf('made 300', { ...ofNoMode, row: { state: 'made', compare: 0 } }),
    async (world) => {
      await hand('made', 0)(world);
      world.at('09:05:00');
      world.changeCharges(id, { livemode: true });
    },
  ),
];

const unrefundable = [
  own(
    'all charges were declined',
    1,
    truthOf('nothing', { left: 'nobody knows', mayRefund: false }),
    async (world) => {
      world.change(id, { payment_status: 'declined' });
      world.changeCharges(id, { status: 'declined' });
    },
  ),
  own(
    'paid, and all charges were declined',
    1,
    truthOf('nothing', { left: 'nobody knows', mayRefund: false }),
    async (world) => {
      world.changeCharges(id, { status: 'declined' });
    },
  ),
  own('declined, then paid', 4, truthOf('nothing', { left: 'nobody knows' }), async (world) => {
    world.changeCharge(id, 'ch_2', {
      status: 'declined',
      is_refundable: false,
      failure_code: 'card_declined',
    });
    world.change(id, { amount: 700 });
  }),
  own(
    'refunded, with is_refundable true',
    1,
    truthOf('elsewhere 1000'),
    async (world) => {
      await acts.elsewhere(world, 'whole', 'hand');
      world.change(id, { is_refundable: true });
    },
    { scope: 'whole' },
  ),
  own('not refundable, the service says', 1, truthOf('nothing', { mayRefund: false }), async (world) => {
    world.change(id, { is_refundable: false });
  }),
  own('a charge in another currency', 8, truthOf('made 300', { ...doubted }), async (world) => {
    await hand('made', 0)(world);
    world.at('09:05:00');
    world.changeCharges(id, { currency: 'USD' });
  }),
];

/** All of them; each has a name of its own. */
export const situations: readonly Situation[] = [
  ...matrix,
  ...otherDesk,
  ...lostReplies,
  ...acknowledged,
  ...settledByHand,
  ...laterStates,
  ...combined,
  ...twins,
  ...contradictory,
  ...modes,
  ...unrefundable,
];

/** When every screen is looked at. */
export const lookedAt = '09:10:00';
export { day };
