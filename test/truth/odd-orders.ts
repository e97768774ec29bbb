/** Orders that are odd by themselves: twins, figures that contradict each other, no mode, nothing that can be refunded. */

import { acts, byPlan, doubted, hand, id, main, other, own, plan, send, twin, twinOf } from './happenings.ts';
import { type Besides, truthOf } from './truth.ts';

const pair = () => [main(), twinOf(), other()];
export const twins = [
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

export const contradictory = [
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
export const modes = [
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

export const unrefundable = [
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
    'all charges were declined, and the service allows no refund',
    1,
    truthOf('nothing', { left: 'nobody knows', mayRefund: false }),
    async (world) => {
      world.change(id, { payment_status: null, is_refundable: false });
      world.changeCharges(id, { status: 'declined', is_refundable: false });
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
  own(
    'declined, then paid',
    4,
    truthOf('nothing', { left: 'nobody knows', mayRefund: true }),
    async (world) => {
      world.changeCharge(id, 'ch_2', {
        status: 'declined',
        is_refundable: false,
        failure_code: 'card_declined',
      });
      world.change(id, { amount: 700 });
    },
  ),
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
  own('one of two charges is not refundable', 1, truthOf('nothing', { left: 700 }), async (world) => {
    world.changeCharge(id, 'ch_2', { is_refundable: false });
  }),
  own(
    'none of its charges is refundable',
    1,
    truthOf('nothing', { left: 0, mayRefund: false }),
    async (world) => {
      world.changeCharges(id, { is_refundable: false });
    },
  ),
  own('a charge in another currency', 8, truthOf('made 300', { ...doubted }), async (world) => {
    await hand('made', 0)(world);
    world.at('09:05:00');
    world.changeCharges(id, { currency: 'USD' });
  }),
];
