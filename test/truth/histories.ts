/** Histories of one order: lost replies, alarms that somebody dealt with, records by hand, refunds that fail later, and several refunds. */

import {
  acknowledge,
  again,
  at,
  byPlan,
  doubted,
  failsNow,
  hand,
  id,
  inTurn,
  isMade,
  look,
  notMade,
  own,
  plan,
  planRow,
  second,
  send,
  settle,
} from './happenings.ts';
import { truthOf } from './truth.ts';

export const lostReplies = [
  own('made, its reply lost', 5, truthOf('made 300'), hand('reply lost', 0)),
  own('made, its reply lost, by plan', 5, truthOf('made 300'), plan('reply lost', 0), byPlan),
  own(
    'refused',
    1,
    { ...truthOf('nothing', { mayRefund: 'not judged' }), attempts: 'refused' },
    hand('refused', 5),
  ),
  own(
    'never arrived',
    5,
    truthOf('unconfirmed 1000 never arrived'),
    (world) => send('lost', 7)(world, 'whole', 'hand'),
    { scope: 'whole', lookedAt: '09:30:00' },
  ),
  own(
    'never arrived, as a read has shown, by plan',
    5,
    truthOf('unconfirmed 1000 never arrived'),
    inTurn((world) => send('lost', 7)(world, 'whole', 'plan'), look('09:20:00', 0)),
    { ...byPlan, scope: 'whole', lookedAt: '09:30:00' },
  ),
  own(
    'never arrived, and refunded elsewhere',
    5,
    // The row is refunded in part, which is no state.
    truthOf('elsewhere 100, unconfirmed 1000 never arrived', { row: { compare: 8, state: 'doubt' } }),
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:25:00'), second(100)),
    { scope: 'whole', lookedAt: '09:30:00' },
  ),
  own(
    'a part of it made elsewhere, settled as not made',
    5,
    // The row is refunded in part, which is no state.
    {
      ...truthOf('elsewhere 700', { mayRefund: 'not judged', row: { compare: 8, state: 'doubt' } }),
      attempts: 'recorded not made',
    },
    inTurn(
      (world) => send('lost', 7)(world, 'whole', 'hand'),
      at('09:05:00'),
      second(700),
      look('09:06:00', 7),
      (world) => notMade(world, '09:25:00'),
    ),
    { scope: 'whole', lookedAt: '09:30:00' },
  ),
  own(
    'never arrived, and sent again',
    5,
    { ...truthOf('made 1000'), attempts: 'made + unconfirmed' },
    inTurn(
      (world) => send('lost', 7)(world, 'whole', 'hand'),
      at('09:25:00'),
      async (world) => {
        const [attempt] = await world.attempts(world.ana);
        await again('made', 'ticket-2', `--again ${attempt?.change ?? ''}`, 0)(world);
      },
    ),
    { scope: 'whole', lookedAt: '09:30:00' },
  ),
  own('nothing happened', 8, truthOf('nothing'), async () => undefined),
];

export const acknowledged = [
  own(
    'made twice, acknowledged',
    3,
    truthOf('made twice 600 acknowledged', { left: 400 }),
    inTurn(hand('made', 0), at('09:00:08'), second(300), look('09:05:00', 7), (world) =>
      acknowledge(world, '09:06:00'),
    ),
  ),
  own(
    'made twice, acknowledged, by plan',
    3,
    truthOf('made twice 600 acknowledged', { left: 400 }),
    inTurn(plan('made', 0), at('09:00:08'), second(300), look('09:05:00', 7), (world) =>
      acknowledge(world, '09:06:00'),
    ),
    byPlan,
  ),
  own(
    'made twice, acknowledged, and another part elsewhere',
    3,
    truthOf('made twice 600 acknowledged, elsewhere 20', { left: 380 }),
    inTurn(
      hand('made', 0),
      at('09:00:08'),
      second(300),
      look('09:05:00', 7),
      (world) => acknowledge(world, '09:06:00'),
      at('09:07:00'),
      second(20),
    ),
  ),
  own(
    'made twice, recorded',
    3,
    truthOf('made twice 600'),
    inTurn(hand('made', 0), at('09:00:08'), second(300), look('09:05:00', 7)),
  ),
  own(
    'made twice, recorded, by plan',
    3,
    truthOf('made twice 600'),
    inTurn(plan('made', 0), at('09:00:08'), second(300), look('09:05:00', 7)),
    byPlan,
  ),
  own('made twice in one second', 3, truthOf('made twice 600'), hand('twice', 0, 7)),
  own('made twice in one second, by plan', 3, truthOf('made twice 600'), plan('twice', 0, 7, 8), byPlan),
  own(
    'appeared, acknowledged',
    1,
    truthOf('made 300'),
    inTurn(
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
    inTurn(
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
    inTurn(hand('late', 7), notMade, at('09:05:00'), (world) => world.arrive(), look('09:06:00', 7)),
  ),
  own(
    'failed, acknowledged',
    2,
    truthOf('failed 300 acknowledged'),
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), (world) =>
      acknowledge(world, '09:07:00'),
    ),
  ),
  own(
    'failed, acknowledged, by plan',
    2,
    truthOf('failed 300 acknowledged'),
    inTurn(plan('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), (world) =>
      acknowledge(world, '09:07:00'),
    ),
    byPlan,
  ),
  own(
    'failed, seen by a read',
    2,
    truthOf('failed 300'),
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7)),
  ),
];

export const settledByHand = [
  own(
    'corrected: not made, then made',
    5,
    truthOf('recorded made 300'),
    inTurn(hand('lost', 7), notMade, (world) =>
      settle(
        world,
        '09:05:00',
        `settle CHANGE --correct --applied --note it-was-made-after-all --confirm ${id}`,
      ),
    ),
  ),
  own(
    'corrected: made, then not made',
    5,
    truthOf('recorded not made 300'),
    inTurn(hand('lost', 7), isMade, (world) =>
      settle(
        world,
        '09:05:00',
        `settle CHANGE --correct --not-applied --note it-was-not-made --confirm ${id}`,
      ),
    ),
  ),
  own(
    'recorded as made, then it appears',
    5,
    truthOf('made 300'),
    inTurn(hand('late', 7), isMade, at('09:05:00'), (world) => world.arrive()),
  ),
  own(
    'recorded as made, then it appears, by plan',
    5,
    truthOf('made 300'),
    inTurn(plan('late', 7), isMade, at('09:05:00'), (world) => world.arrive()),
    byPlan,
  ),
  own(
    'recorded as not made, sent again, and both are made',
    3,
    { ...truthOf('made twice 600'), attempts: 'made + made twice' },
    inTurn(hand('late', 7), notMade, at('09:05:00'), async (world) => {
      const [attempt] = await world.attempts(world.ana);
      await again(
        'made',
        'ticket-2',
        `--charge ch_1 --amount 300 --again ${attempt?.change ?? ''}`,
        0,
      )(world);
      world.at('09:06:00');
      world.arrive();
    }),
  ),
];

export const laterStates = [
  own(
    'pending, then made',
    2,
    truthOf('made 300'),
    inTurn(hand('pending', 0, 7), at('09:05:00'), (world) => world.turn('rf_1', 'succeeded')),
  ),
  own(
    'pending, then made, by plan',
    2,
    truthOf('made 300'),
    inTurn(plan('pending', 0, 7, 8), at('09:05:00'), (world) => world.turn('rf_1', 'succeeded')),
    byPlan,
  ),
  own(
    'pending, then failed',
    2,
    truthOf('failed 300'),
    inTurn(hand('pending', 0, 7), at('09:05:00'), failsNow),
  ),
  own(
    'pending, then failed, by plan',
    2,
    truthOf('failed 300'),
    inTurn(plan('pending', 0, 7, 8), at('09:05:00'), failsNow),
    byPlan,
  ),
  own(
    'a status that nobody knows',
    2,
    truthOf('unconfirmed 300', { back: 'nobody knows', left: 'nobody knows' }),
    inTurn(hand('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'on_hold')),
  ),
  own(
    'a status that nobody knows, by plan',
    2,
    truthOf('unconfirmed 300', { back: 'nobody knows', left: 'nobody knows' }),
    inTurn(plan('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'on_hold')),
    byPlan,
  ),
  own(
    'failed, and refunded again',
    2,
    truthOf('made 300, failed 300 acknowledged', { row: { state: 'made', compare: 0 } }),
    inTurn(
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
    truthOf('failed 300', doubted),
    inTurn(hand('made', 0), at('09:05:00'), (world) => world.turn('rf_1', 'failed', 'sums stay')),
  ),
  own(
    'failed, refunded elsewhere instead',
    2,
    // As much went back since: that comes first, and somebody must look all the same.
    truthOf('failed 300, elsewhere 300', { first: 'none', row: { compare: 0, state: 'elsewhere' } }),
    inTurn(hand('made', 0), at('09:05:00'), failsNow, second(300)),
  ),
  own(
    'failed, as the journal knows, refunded elsewhere instead',
    2,
    // As much went back since: that comes first, and somebody must look all the same.
    truthOf('failed 300, elsewhere 300', { first: 'none', row: { compare: 0, state: 'elsewhere' } }),
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), second(300)),
  ),
  own(
    'one of two charges fails',
    2,
    { ...truthOf('failed 700, made 300'), attempts: 'failed' },
    inTurn((world) => send('made', 0)(world, 'whole', 'hand'), at('09:05:00'), failsNow),
    { scope: 'whole' },
  ),
];

export const combined = [
  own(
    'made, and another part elsewhere',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    inTurn(hand('made', 0), at('09:05:00'), second(100)),
  ),
  own(
    'made by plan, and another part by hand',
    3,
    truthOf('made 300, made 100', { row: { state: 'more', ofPlan: 'made', compare: 8, status: 0 } }),
    inTurn(plan('made', 0), at('09:05:00'), again('made', 'ticket-2', '--charge ch_1 --amount 100', 0)),
    byPlan,
  ),
  own(
    'a single refund that fits the row of a plan',
    3,
    truthOf('made 300', { row: { ofPlan: 'none', compare: 0, status: 8 } }),
    inTurn((world) => planRow(world, 'part'), again('made', 'ticket-2', '--charge ch_1 --amount 300', 0)),
    byPlan,
  ),
  own(
    'made, and then an unconfirmed part',
    5,
    // Nobody knows whether more went back of the charge than the row says.
    truthOf('made 300, unconfirmed 100', { row: { state: 'unconfirmed', compare: 7 } }),
    inTurn(hand('made', 0), at('09:05:00'), again('lost', 'ticket-2', '--charge ch_1 --amount 100', 7)),
  ),
  own(
    'elsewhere before ours',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    inTurn(second(100), at('09:02:00'), hand('made', 0)),
  ),
  own(
    'made on both charges by two refunds',
    1,
    truthOf('made 700, made 300', { row: { back: 700 } }),
    inTurn(
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
    inTurn(
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
    inTurn(hand('lost', 7), isMade, at('09:05:00'), second(300)),
  ),
  own(
    'refused, and an equal refund elsewhere',
    1,
    { ...truthOf('elsewhere 300', { mayRefund: 'not judged' }), attempts: 'refused' },
    inTurn(hand('refused', 5), at('09:05:00'), second(300)),
  ),
  own(
    'of the other desk, and ours besides',
    1,
    truthOf('made 300, elsewhere 100', { row: { state: 'more', compare: 8 } }),
    inTurn(
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
    inTurn(
      async (world) => {
        world.fate('reply lost');
        await world.must(world.bob, `orders refund ${id} --charge ch_1 --amount 100 --reason other --yes`, 0);
      },
      at('09:03:00'),
      hand('lost', 7),
    ),
  ),
];
