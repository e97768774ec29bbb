/** What single screens say of an order in an odd state: the words that the comparison of all screens does not read. */

import { expect, it } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, newRefundOf, notReturnable, orderOf, withRefund } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import { environment, startService, storeShop } from '../harness/service.ts';
import {
  acknowledge,
  again,
  at,
  bystander,
  failsNow,
  hand,
  id,
  inTurn,
  isMade,
  look,
  main,
  notMade,
  other,
  plan,
  type Situation,
  second,
  send,
  settle,
  twin,
  twinOf,
} from './happenings.ts';
import { day, startWorld, type World } from './world.ts';

type Build = Situation['build'];

const byBob: Build = async (world) => {
  await world.must(world.bob, `orders refund ${id} --charge ch_1 --amount 300 --reason other --yes`, 0);
};
const byAna: Build = async (world) => {
  await world.must(world.ana, `orders refund ${id} --charge ch_1 --amount 300 --reason other --yes`, 0);
};
const file: Build = async (world) =>
  world.write(world.ana, 'r.csv', ['order_id,charge_id,amount', `${id},ch_1,300`]);
const twice = inTurn(hand('made', 0), at('09:00:08'), second(300), look('09:05:00', 7));
const wholeFile: Build = async (world) =>
  world.write(world.ana, 'r.csv', ['order_id,charge_id,amount', `${id},full,full`]);
const partLate = inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:25:00'), second(700));
const twinLost: Build = async (world) => {
  world.fate('lost');
  await world.must(world.ana, `orders refund ${twin} --reason other --yes`, 7);
};
const twinSaid = async (world: World, said: string) => {
  world.at('09:05:00');
  const [attempt] = await world.attempts(world.ana);
  const words = `${said} --note asked-the-bank --confirm ${twin}`;
  await world.must(world.ana, `journal settle ${attempt?.change ?? ''} ${words}`, 0);
};
const twinByHand = inTurn(twinLost, (world) => twinSaid(world, '--applied'));
const twinPart: Build = async (world) => void world.record(twin, 'ch_5', 400);
const twinLate = inTurn(twinLost, (world) => twinSaid(world, '--not-applied'));
const twinShows = inTurn(
  async (world) => {
    world.fate('late');
    await world.must(world.ana, `orders refund ${twin} --charge 1 --amount 600 --reason other --yes`, 7);
  },
  at('09:05:00'),
  (world) => world.arrive(),
);
const pendingAgain: Build = async (world) => {
  world.fate('pending');
  await world.must(world.ana, `orders refund ${id} --charge ch_1 --amount 300 --reason other --yes`, 0, 7, 8);
};
const partBesides = inTurn(twinByHand, twinPart);

it.each<[claim: string, build: Build, line: string, says: string]>([
  [
    'a refund that failed and was not sent from here stands in the first block',
    inTurn(byBob, at('09:05:00'), failsNow),
    `orders show ${id}`,
    'FAILED refund rf_1 of 300 MXN failed after it was made; not sent from here that money did not go back: tell the buyer',
  ],
  [
    'no more is left of what was recorded as made by hand than the charge has',
    inTurn((world) => send('lost', 7)(world, 'charge', 'hand'), isMade, second(500)),
    `orders show ${id}`,
    '700 was recorded as made by hand, more than the 200 that was left of it',
  ],
  [
    'a refund that the service refused stands in the first block, with its reason, while nothing was sent since',
    hand('refused', 5),
    `orders show ${id}`,
    'REFUSED refund of 300 MXN, sent at 09:00:00 by ana: HTTP 4',
  ],
  [
    'and beside what is offered, why it was refused',
    hand('refused', 5),
    `orders show ${id}`,
    'the refund of 300 MXN of 09:00:00 was refused: The order is not refundable. either refund all of it, 1000:',
  ],
  [
    'what is recorded as not made stops only the same',
    inTurn(hand('lost', 7), notMade),
    `orders show ${id}`,
    'until tomorrow 09:00 the refund of 300 MXN may still go through: if it is sent again before then, the buyer may be paid twice',
  ],
  [
    'and what is left besides it is offered',
    inTurn(hand('lost', 7), notMade),
    `orders show ${id}`,
    `refund 400 of charge 1 (safe: it leaves the 300 that may still go through): paydesk orders refund ${id} --charge 1 --amount 400 refund charge 2, 300: paydesk orders refund ${id} --charge 2`,
  ],
  [
    'and once the same was sent again, that stands there',
    inTurn(hand('lost', 7), notMade, byAna),
    `orders show ${id}`,
    'may still go through: ana sent the same again at 09:04:00 (i_',
  ],
  [
    'the same, and what the order shows comes first',
    inTurn(hand('lost', 7), notMade, byAna),
    `orders show ${id}`,
    'partially_refunded, can be refunded',
  ],
  [
    'the same, and the rest is offered',
    inTurn(hand('lost', 7), notMade, byAna),
    `orders show ${id}`,
    `refund the rest of charge 1, 400: paydesk orders refund ${id} --charge 1`,
  ],
  [
    'the same of a whole order in a list',
    inTurn(
      (world) => send('lost', 7)(world, 'whole', 'hand'),
      notMade,
      again('made', 'ticket-2', '--note twice', 0),
    ),
    'orders list',
    'refunded 1000 MXN 1000',
  ],
  [
    'what failed and was sent again is not the first word of its order',
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), byAna),
    `orders show ${id}`,
    'partially_refunded, can be refunded',
  ],
  [
    'nor in a list',
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), byAna),
    'orders list',
    'partially_refunded 1000 MXN 300',
  ],
  [
    'what failed after as much had gone back is not answered by that',
    inTurn(
      second(300),
      at('09:02:00'),
      async (world) => {
        await world.must(
          world.ana,
          `orders refund ${id} --charge ch_1 --amount 300 --reason other --again rf_1 --yes`,
          0,
        );
      },
      at('09:05:00'),
      (world) => world.turn('rf_2', 'failed'),
    ),
    `orders show ${id}`,
    'partially_refunded, refund failed',
  ],
  [
    'what was sent before another refund was seen to fail was meant besides it, and does not replace it',
    inTurn(
      hand('made', 0),
      at('09:04:00'),
      again('made', 'ticket-2', '--charge ch_1 --amount 300 --again rf_1', 0),
      at('09:05:00'),
      failsNow,
      look('09:06:00', 7),
    ),
    `orders show ${id}`,
    'FAILED refund rf_1 of 300 MXN failed after it was made that money did not go back: tell the buyer',
  ],
  [
    'the same, before anybody has looked',
    inTurn(
      hand('made', 0),
      at('09:04:00'),
      again('made', 'ticket-2', '--charge ch_1 --amount 300 --again rf_1', 0),
      at('09:05:00'),
      failsNow,
    ),
    `orders show ${id} --dry-run`,
    'FAILED refund rf_1 of 300 MXN failed after it was made that money did not go back: tell the buyer',
  ],
  [
    'a refund that is under way in place of one that failed has not gone back, and nobody sends a third one',
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), pendingAgain),
    `orders show ${id}`,
    'FAILED refund rf_1 of 300 MXN failed after it was made the same amount is on its way, as rf_2: check that it replaces this refund, and tell the buyer PENDING',
  ],
  [
    'the history of a refund that is pending says so, and not that it was made',
    hand('pending', 0),
    `journal show ${id}`,
    'UTC pending the reply confirms it as pending',
  ],
  [
    'a repeat of a refund of which a part failed says so, also once somebody has acknowledged that',
    inTurn(
      again('made', 'ticket-2', '--note whole', 0),
      at('09:05:00'),
      (world) => world.turn('rf_1', 'failed'),
      look('09:06:00', 7),
      (world) => acknowledge(world, '09:07:00'),
    ),
    `orders refund ${id} --note whole --reason other --idempotency-key ticket-2 --yes`,
    'FAILED after it was made: a part of the refund of 1000 MXN',
  ],
  [
    'the next refund says that the one before it is pending, once its order shows that',
    inTurn(
      (world) => send('late', 7)(world, 'charge', 'hand'),
      at('09:05:00'),
      (world) => world.arrive(),
      (world) => world.turn('rf_1', 'pending'),
    ),
    `orders refund ${id} --charge 2 --reason other --yes`,
    'the earlier refund of 700 MXN, looked up again: pending: paydesk journal show',
  ],
  [
    'a repeat under the same key says what is left as the refund did, less what a person recorded as made',
    inTurn(hand('lost', 7), isMade, again('made', 'ticket-2', '--charge ch_2 --amount 100', 0)),
    `orders refund ${id} --charge ch_2 --amount 100 --reason other --idempotency-key ticket-2 --yes`,
    'money 100 refunded of 1000; 300 recorded as made; 600 left',
  ],
  [
    'the history of what was recorded as not made, and appeared later, does not say that the service refused it',
    inTurn(
      (world) => send('late', 7)(world, 'whole', 'hand'),
      notMade,
      look('09:30:00', 0),
      (world) => settle(world, '09:31:00', `settle CHANGE --correct --applied --note seen --confirm ${id}`),
      (world) => world.arrive(),
      async (world) => {
        const [attempt] = await world.attempts(world.ana);
        await world.must(world.ana, `journal reconcile ${attempt?.change}`, 0, 7);
      },
    ),
    `journal show ${id}`,
    'UTC not made checked after the waiting period',
  ],
  [
    'that it was made twice is in the first line once it is acknowledged',
    inTurn(twice, (world) => acknowledge(world, '09:06:00')),
    `orders show ${id}`,
    'partially_refunded, ask your lead first',
  ],
  [
    'a twin that is only recorded as refunded was not refunded',
    twinByHand,
    `orders show ${id}`,
    'paid, its twin is recorded as refunded',
  ],
  [
    'of two that are there only one was sent by the operator',
    twice,
    'refunds summary --by operator --json',
    '"bucket":"ana","currency":"MXN","refunds":1,"refunded":300',
  ],
  [
    'and in the list of orders',
    inTurn(twice, (world) => acknowledge(world, '09:06:00')),
    'orders list',
    `${id} 20 Nov 18:42 ask your lead 1000 MXN`,
  ],
  [
    'a pair of twins that a person settled by hand is settled in lists, too',
    twinByHand,
    'orders list',
    `twins, settled: ${id} and ${twin} (recorded as refunded)`,
  ],
  [
    'and where orders are found',
    twinByHand,
    'orders find mario@example.com',
    `twins, settled: ${id} and ${twin} (recorded as refunded)`,
  ],
  [
    'a pair of which one has an unconfirmed refund is not settled by it',
    twinLost,
    'orders list',
    `possible twins, same buyer and amount within 10 minutes: ${id} and ${twin} (a refund may go through)`,
  ],
  [
    'compare says who has acknowledged that more went back',
    inTurn(file, twice, (world) => acknowledge(world, '09:06:00')),
    'refunds compare r.csv',
    'made twice, acknowledged by ana: paydesk journal show',
  ],
  [
    'of an order of which nothing is left, compare does not say that one more refund may still go through',
    inTurn(
      wholeFile,
      (world) => send('lost', 7)(world, 'whole', 'hand'),
      notMade,
      again('made', 'ticket-2', '--note twice', 0),
    ),
    'refunds compare r.csv',
    'recorded that 1000 MXN was not made, and nothing is left, so the service should refuse it',
  ],
  [
    'compare says who has acknowledged that it is gone, and that it is not refunded',
    inTurn(
      file,
      hand('made', 0),
      (world) => world.vanish('rf_1'),
      look('09:05:00', 7),
      (world) => acknowledge(world, '09:06:00'),
    ),
    'refunds compare r.csv',
    'does not show it any more, acknowledged by ana: paydesk journal show',
  ],
  [
    'a part of what was sent shows after its time, and nobody has read it since',
    partLate,
    `orders show ${id}`,
    'partially_refunded, refund unconfirmed',
  ],
  [
    'the same, and a dry run sends nothing either',
    partLate,
    `orders refund ${id} --charge 2 --dry-run`,
    'stop: refund of 1000 MXN',
  ],
  [
    'a row that never arrived: no read helps, and the screen of its order offers what does',
    inTurn(wholeFile, (world) => send('lost', 7)(world, 'whole', 'plan'), at('09:30:00')),
    'refunds status r.plan',
    `it never arrived; whether to send it again: paydesk orders show ${id}`,
  ],
  [
    'a payment whose twin has an unconfirmed refund is not offered before that is clear',
    twinLost,
    `orders show ${id}`,
    'paid, check its twin first',
  ],
  [
    'a twin of which a refund may still go through is not simply not refunded',
    twinLate,
    `orders show ${id}`,
    'recorded as not made and may still go through: if you refund both, the buyer may get both payments back',
  ],
  [
    'what was recorded as made of a twin counts besides the part that its order shows',
    partBesides,
    `orders show ${id}`,
    'paid, its twin is recorded as refunded',
  ],
  [
    'the same, and both stand in its line',
    partBesides,
    `orders show ${id}`,
    'was refunded in part (400 of 1000) less than a minute ago, and has a refund of 1000 MXN that ana sent, recorded as made by hand: settled; if you refund both, the buyer gets both payments back',
  ],
  [
    'the same, and a refund of the other is asked about',
    partBesides,
    `orders refund ${id} --reason other --yes`,
    'if the buyer should get both back, name its twin in --again',
  ],
  [
    'the same in the list of twins',
    partBesides,
    'orders twins --period 2d --settled --json',
    '"became":"first went back in part 21 Nov 09:05, 400 MXN, elsewhere; first was recorded as made by ana"',
  ],
  [
    'what nobody has confirmed of a twin is not among what went back',
    twinShows,
    'orders twins --period 2d --json',
    '"first_refunded":0,"second_refunded":0,"became":null',
  ],
  [
    'the same beside a part that did',
    inTurn(twinPart, twinShows),
    'orders twins --period 2d --json',
    '"first_refunded":400,"second_refunded":0,"became":"first went back in part, 400 MXN"',
  ],
  [
    'a part of a twin that was recorded as made and a part that it shows are all of it',
    inTurn(
      async (world) => {
        world.fate('lost');
        await world.must(world.ana, `orders refund ${twin} --charge 1 --amount 600 --reason other --yes`, 7);
      },
      (world) => twinSaid(world, '--applied'),
      twinPart,
    ),
    `orders show ${id}`,
    'paid, its twin is recorded as refunded',
  ],
  [
    'while a part of a twin went back, another refund of it may still go through',
    inTurn(twinLost, twinPart, (world) => twinSaid(world, '--not-applied')),
    `orders show ${id}`,
    'was refunded in part (400 of 1000) 4 min ago, and has a refund that was recorded as not made and may still go through: if you refund both, the buyer may get both payments back',
  ],
  [
    'the same, and it is not offered before that is clear',
    inTurn(twinLost, twinPart, (world) => twinSaid(world, '--not-applied')),
    `orders show ${id}`,
    'paid, check its twin first',
  ],
  [
    'an unconfirmed refund of a twin does not hide the part that went back',
    inTurn(twinLost, twinPart),
    `orders show ${id}`,
    'was refunded in part (400 of 1000) less than a minute ago, and has an unconfirmed refund of 1000 MXN',
  ],
  [
    'once a payment went back, a refund of its twin may still go through',
    inTurn(twinLate, async (world) => {
      await world.must(world.ana, `orders refund ${id} --reason other --yes`, 0);
    }),
    `orders show ${id}`,
    `has a refund that was recorded as not made and may still go through, and ${id} was refunded less than a minute ago as other, by ana: the buyer may get both payments back`,
  ],
  [
    'the same, and the list of twins has the pair',
    inTurn(twinLate, async (world) => {
      await world.must(world.ana, `orders refund ${id} --reason other --yes`, 0);
    }),
    'orders twins --period 2d --json',
    '"settled":false',
  ],
  [
    'of two payments of which one is only recorded as refunded nobody knows that both went back',
    inTurn(twinByHand, async (world) => {
      const [attempt] = await world.attempts(world.ana);
      const more = `--again ${attempt?.change ?? ''} --yes`;
      await world.must(world.ana, `orders refund ${id} --reason other ${more}`, 0);
    }),
    `orders show ${twin}`,
    'recorded as made by hand: if that is right, the buyer got both payments back',
  ],
  [
    'what was recorded as made stops its own charge, and the other one is offered',
    inTurn((world) => send('lost', 7)(world, 'charge', 'hand'), isMade),
    `orders show ${id}`,
    `refund charge 2, 300: paydesk orders refund ${id} --charge 2`,
  ],
  [
    'of what only a read has found, nobody knows for sure who sent it',
    hand('reply lost', 0),
    `orders show ${id}`,
    'ana (probably: the reply was lost)',
  ],
  [
    'of an order that was paid on two cards, each of them can be refunded by a command that is offered',
    async () => undefined,
    `orders show ${id}`,
    `either refund all of it, 1000: paydesk orders refund ${id} or instead, refund charge 1, 700: paydesk orders refund ${id} --charge 1 or instead, refund charge 2, 300:`,
  ],
  [
    'of two that were paid, which one is meant is asked before a command that refunds',
    async () => undefined,
    `orders show ${id}`,
    'if it is this order, and not its twin, that the buyer wants refunded: either refund all of it, 1000:',
  ],
  [
    'and what is left of a charge says what of it may have gone back',
    hand('lost', 7),
    `orders show ${id}`,
    'unconfirmed 300: may have gone back',
  ],
  ['the same in a list of refunds', hand('reply lost', 0), 'refunds list --period 2d', 'probably ana other'],
  [
    'what a reply named is surely ours, even if a read says that it was made',
    inTurn(
      hand('pending', 0, 7),
      at('09:05:00'),
      (world) => world.turn('rf_1', 'succeeded'),
      look('09:06:00', 0),
    ),
    'journal list --json',
    '"outcome":"made"',
  ],
  [
    'what never arrived is called so in every line',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:30:00')),
    `orders show ${id}`,
    'can be refunded sandbox environment NOT MADE refund of 1000 MXN',
  ],
  [
    'of two that went back, no command looks like the next step before the lead was asked',
    inTurn(twice, (world) => acknowledge(world, '09:06:00')),
    `orders show ${id}`,
    `ask your lead before you refund more of it if your lead says so, refund the rest of charge 1, 100, or refund charge 2, 300: paydesk orders refund ${id} --charge 1 paydesk orders refund ${id} --charge 2`,
  ],
  [
    'of what failed, the same money is not offered twice without a word that it is one or the other',
    inTurn(hand('made', 0), at('09:05:00'), failsNow),
    `orders show ${id}`,
    `either send the failed 300 of charge 1 again: paydesk orders refund ${id} --charge 1 --amount 300 or instead, refund charge 1, 700: paydesk orders refund ${id} --charge 1 refund charge 2, 300: paydesk`,
  ],
  [
    'what never arrived is sent again, or the order is refunded otherwise',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:30:00')),
    `orders show ${id}`,
    'either send again the 1000 that never arrived: paydesk orders refund',
  ],
  [
    'of what is gone, the lead is the one who looks',
    inTurn(hand('made', 0), (world) => world.vanish('rf_1'), look('09:05:00', 7)),
    `orders show ${id}`,
    'do not refund this order; show your lead. For your lead: what was sent, what the service replied, and how to resolve this: paydesk journal show',
  ],
  [
    'an order of which all went back has nothing left',
    (world) => send('made', 0)(world, 'whole', 'hand'),
    `orders show ${id}`,
    'refunded, nothing left',
  ],
  [
    'of a charge with a pending refund, what is neither refunded nor kept is named',
    hand('pending', 0, 7),
    `orders show ${id}`,
    'charge 1 ch_1 *4242 700 0 400 pending 300: neither refunded nor kept',
  ],
  [
    'and of one with a refund that a person recorded as made',
    inTurn(hand('lost', 7), isMade),
    `orders show ${id}`,
    'charge 1 ch_1 *4242 700 0 400 recorded made 300: neither refunded nor kept',
  ],
  [
    'and of one with a refund of a status that nobody knows',
    inTurn(hand('made', 0), (world) => world.turn('rf_1', 'on_hold')),
    `orders show ${id}`,
    'charge 1 ch_1 *4242 700 0 400 unconfirmed 300: neither refunded nor kept',
  ],
  [
    'beside a warning, nothing says that the sums agree',
    inTurn(hand('made', 0), at('09:05:00'), failsNow),
    `orders show ${id}`,
    'order 1000 0 1000 REFUNDS',
  ],
  [
    'nor beside what never arrived',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:30:00')),
    `orders show ${id}`,
    'order 1000 0 1000 ITEMS',
  ],
  [
    'with a declined charge stand no fee and no code of the bank',
    async (world) => world.changeCharge(id, 'ch_2', { status: 'declined', paid_at: null }),
    `orders show ${id}`,
    'visa, BUYER NAME, declined order',
  ],
  [
    'of a refund that is not from here, its line says that nobody knows who sent it',
    inTurn(second(300)),
    `orders show ${id}`,
    'elsewhere id rf_1 not sent from here: ask your lead who did',
  ],
  [
    'a twin is told as what it is, with the command that shows it',
    async () => undefined,
    `orders show ${id}`,
    `twin ${twin}, another order of this buyer, same amount, 4 min earlier, was paid and not refunded: ask which of the two the buyer wants to keep paydesk orders show ${twin} `,
  ],
  [
    'a note stands there as the note of the one who typed it',
    inTurn(hand('lost', 7), isMade),
    `orders show ${id}`,
    "was made (ana's note: ",
  ],
  [
    'what to tell the buyer of a refund that was recorded as made',
    inTurn(hand('lost', 7), isMade),
    `orders show ${id}`,
    'tell the buyer: "According to our records, a refund of 300 MXN to your Visa card ending in 4242 was made."',
  ],
  [
    'of one that was recorded as not made and may still go through',
    inTurn(hand('lost', 7), notMade),
    `orders show ${id}`,
    'tell the buyer: "We are checking a refund of 300 MXN to your Visa card ending in 4242. We cannot confirm yet whether it went through."',
  ],
  [
    'of one that appeared',
    inTurn(hand('late', 7), notMade, at('09:05:30'), (world) => world.arrive()),
    `orders show ${id}`,
    'tell the buyer: "On 21 November 2040 we refunded 300 MXN to your Visa card ending in 4242."',
  ],
  [
    'of two, also once somebody has acknowledged that',
    inTurn(twice, (world) => acknowledge(world, '09:06:00')),
    `orders show ${id}`,
    'tell the buyer: "On 21 November 2040 we refunded 300 MXN to your Visa card ending in 4242. This was done twice."',
  ],
  [
    'of one that never arrived',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), at('09:30:00')),
    `orders show ${id}`,
    'tell the buyer: "A refund of 1000 MXN to your Visa card ending in 4242 was not made, so you have not received that money."',
  ],
  [
    'of an order that is of no mode for certain',
    async (world) => world.changeCharges(id, { livemode: true }),
    `orders show ${id}`,
    'tell the buyer: "Nothing has been refunded for this order."',
  ],
  [
    'of an order whose charges cannot be read',
    async (world) => world.changeCharge(id, 'ch_1', { amount: 'seven' }),
    `orders show ${id}`,
    'tell the buyer: "We are checking what was refunded for this order, and cannot confirm an amount yet."',
  ],
  [
    'a charge whose refund failed is offered as that',
    inTurn((world) => send('made', 0)(world, 'charge', 'hand'), at('09:05:00'), failsNow),
    `orders show ${id}`,
    'send the failed 700 of charge 1 again: paydesk orders refund',
  ],
  [
    'the history of what failed says so in its column',
    inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7)),
    `journal show ${id}`,
    'UTC failed the order now shows',
  ],
  [
    'the service refused nothing of which a person said that it was not made',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), notMade, look('09:30:00', 0)),
    `journal show ${id}`,
    'UTC not made checked after the waiting period',
  ],
  [
    'the buyer does not hear that a refund was not made while it may still go through',
    inTurn(hand('lost', 7), notMade),
    `orders show ${id} --for-buyer`,
    'We are checking a refund of 300 MXN',
  ],
  [
    'both of two that are there went back, and the buyer hears of both',
    inTurn(twice, (world) => acknowledge(world, '09:06:00')),
    `orders show ${id} --for-buyer`,
    'we refunded 300 MXN to your Visa card ending in 4242. On 21 November 2040 we refunded 300 MXN to your Visa card ending in 4242. If your bank asks',
  ],
  [
    'a twin of which a part went back is not called refunded',
    twinPart,
    'orders list',
    `${twin} (already refunded in part)`,
  ],
  ['nor where an order is found', twinPart, 'orders find 4242 -o list', 'twin refunded in part'],
  [
    'the words for a buyer do not say that it was made twice: stderr does',
    twice,
    `orders show ${id} --for-buyer`,
    `this order, ${id}: made twice: show your lead: paydesk orders show ${id}`,
  ],
  [
    'nor do the fields of an order',
    twice,
    `orders show ${id} --json`,
    `this order, ${id}: made twice: show your lead: paydesk orders show ${id}`,
  ],
  [
    'nor that a refund is unconfirmed',
    hand('lost', 7),
    `orders show ${id} --json`,
    `this order, ${id}: unconfirmed: paydesk orders show ${id}`,
  ],
  [
    'nor that one was recorded as made',
    inTurn(hand('lost', 7), isMade),
    `orders show ${id} --for-buyer`,
    `this order, ${id}: recorded made: paydesk orders show ${id}`,
  ],
  [
    'what never arrived is not among the unconfirmed refunds that a list counts',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), look('09:20:00', 0), twinLost),
    'refunds list --state unconfirmed --period 2d',
    'the journal has 1 refund of this period that is unconfirmed',
  ],
  [
    'a refund that never arrived was not made, and is in no sum',
    inTurn((world) => send('lost', 7)(world, 'whole', 'hand'), look('09:20:00', 0)),
    'refunds list --json',
    '"sums":[]',
  ],
  [
    'a plan says of a row that was sent before that its refund failed, and what sends it again',
    inTurn(file, plan('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7)),
    'refunds plan r.csv --to s.plan',
    'on 2040-11-21 by ana, and it failed; a row with another ref sends it again: paydesk journal show',
  ],
  [
    'a plan calls a row unconfirmed whose figures contradict each other, as its status does',
    inTurn(
      file,
      plan('made', 0),
      at('09:00:08'),
      (world) => world.turn('rf_1', 'on_hold'),
      look('09:06:00', 7),
    ),
    'refunds plan r.csv --to s.plan',
    'by ana and unconfirmed: paydesk journal reconcile',
  ],
  [
    'and until when it is unconfirmed at the latest',
    inTurn(file, plan('lost', 7)),
    'refunds plan r.csv --to s.plan -o list',
    '(until 2040-11-22 09:00 UTC at the latest)',
  ],
  [
    'the command that ends the alarm about a refund that failed comes after everything else',
    inTurn(
      hand('made', 0),
      at('09:05:00'),
      failsNow,
      look('09:06:00', 7),
      again('made', 'ticket-2', '--charge ch_1 --amount 300', 0),
    ),
    `orders show ${id}`,
    `--charge 2 last of all, once that is checked and the buyer knows, end the alarm about what failed: paydesk journal acknowledge`,
  ],
  [
    'the list says why a part went back, although the other part failed',
    inTurn((world) => send('made', 0)(world, 'whole', 'hand'), at('09:05:00'), failsNow, look('09:06:00', 7)),
    'orders list --csv --columns id,reason',
    `${id},other`,
  ],
])('%s', async (_, build, line, says) => {
  await using world = await startWorld([main(), twinOf(), other()]);
  await build(world);
  const { stdout, stderr } = await world.run(world.ana, line.split(' '), 160);
  expect(inOneLine(`${stdout} ${stderr}`)).toContain(says);
});

it.each([
  ['--applied', 'already certain (failed); nothing to settle'],
  ['--not-applied', 'is settled: failed'],
])('a refund that failed is not settled as made: %s', async (said, says) => {
  await using world = await startWorld([main()]);
  await inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7))(world);
  const [attempt] = await world.attempts(world.ana);
  const words = `journal settle ${attempt?.change ?? ''} ${said} --note asked-the-bank --confirm ${id}`;
  expect(inOneLine((await world.run(world.ana, words.split(' '))).stderr)).toContain(says);
});

it('a refund that is pending is read again, and was not made before', async () => {
  await using world = await startWorld([main()]);
  await inTurn(hand('pending', 0), at('09:05:00'))(world);
  const { stdout, stderr } = await world.run(world.ana, ['journal', 'reconcile', '--all'], 160);
  expect(stdout).toContain('pending');
  expect(stderr).not.toContain('made before');
});

it('a refund that is a row of an export is not said to be missing from it, also while it is unconfirmed', async () => {
  await using world = await startWorld([main()]);
  await inTurn(hand('late', 7), at('09:05:00'), (to) => to.arrive())(world);
  const { stdout, stderr } = await world.run(world.ana, 'orders export --rows refunds -o csv'.split(' '));
  expect(stdout).toMatch(/,unconfirmed,/);
  expect(stderr).not.toContain('not among them');
});

it.each([
  ['refunds summary --period 2d', '1000 '],
  ['refunds list --period 2d', '2 went back, 1000 MXN'],
  ['orders export --rows refunds -o csv', '2 went back, 1000 MXN'],
  ['journal list', 'recorded not made, by ana'],
])(
  '%s does not say that a refund may still go through once all of its order went back',
  async (line, shows) => {
    await using world = await startWorld([main(), other()]);
    await inTurn((to) => send('lost', 7)(to, 'whole', 'hand'), notMade)(world);
    const said = async () => inOneLine(Object.values(await world.run(world.ana, line.split(' '))).join(' '));
    expect(await said()).toContain('may still go through');
    await world.must(world.ana, `orders refund ${id} --reason other --yes`, 0);
    const after = await said();
    expect(after).toContain(shows);
    expect(after).not.toContain('may still go through');
  },
);

it('of an unconfirmed refund that an order shows in part, no sum has the part, and the rest stands beside them', async () => {
  await using world = await startWorld([main()]);
  await inTurn((to) => send('lost', 7)(to, 'whole', 'hand'), at('09:00:08'), second(700))(world);
  const { stderr } = await world.run(world.ana, 'orders export --rows refunds -o csv'.split(' '));
  expect(stderr).toContain('0 went back; 1 unconfirmed, 700 MXN\n');
  expect(stderr).toContain('not among them, since no order shows it: 1 unconfirmed, 300 MXN');
  const { stdout } = await world.run(world.ana, 'refunds summary --period 2d --json'.split(' '));
  expect(stdout).toContain('"refunded":0,');
  expect(stdout).toContain('"unconfirmed":1000,');
});

it.each<[claim: string, isSettled: boolean, shows: string]>([
  ['stands in the first block once its time is over', false, 'was refused, which no read has confirmed:'],
  ['is no refusal once somebody has recorded that it was not made', true, 'SETTLED BY HAND'],
])('a refusal that no read has confirmed %s', async (_, isSettled, shows) => {
  using home = newHome();
  await using service = await startService({
    orders: [main()],
    sendsDate: false,
    onPost: (_order, own) => {
      own.orders = [];
      return json(notReturnable, 428);
    },
  });
  const run = (time: string, line: string) =>
    paydesk(line.split(' '), {
      home,
      env: { ...environment(service.url), ...standingAt(`${day}T${time}Z`), PAYDESK_RECONCILE_AFTER: '0' },
      columns: 120,
    });
  const { code } = await run('09:00:00', `orders refund ${id} --reason other --yes`);
  expect(code).not.toBe(0);
  const change = /i_\w+/.exec((await run('09:05:00', 'journal list')).stdout)?.[0] ?? '';
  const words = `--not-applied --note asked-the-bank --confirm ${id}`;
  if (isSettled) await run('09:05:00', `journal settle ${change} ${words}`);
  service.orders = [main()];
  if (isSettled) await run('09:30:00', 'journal reconcile --all');
  const { stdout } = await run('09:30:00', `orders show ${id}`);
  expect(inOneLine(stdout)).toContain(shows);
  expect(stdout).not.toContain('REFUSED');
});

it.each<[limit: string, says: string]>([
  ['400', 'paid, can be refunded up to a limit'],
  ['0', 'paid, over a limit'],
  ['0', 'over a limit sandbox shop tell the buyer: "Nothing has been refunded for this order."'],
  ['400', `refund charge 2, 300: paydesk -p shop orders refund ${id} --charge 2`],
  [
    '200',
    `refund.max_amount.MXN is 200 per order in 24 hours; ask your lead, or refund a part of it: 200 at most refund as much of charge 1 as the limit allows, 200: paydesk -p shop orders refund ${id} --charge 1 --amount 200`,
  ],
])('a limit of %s stands in the first line, and the screen offers what it allows', async (limit, says) => {
  using home = newHome();
  await using service = await startService({ orders: [main()] });
  await storeShop(home, service, { 'refund.max_amount.MXN': limit });
  const { stdout } = await paydesk(['-p', 'shop', 'orders', 'show', id], { home, columns: 120 });
  expect(inOneLine(stdout)).toContain(says);
});

it('while a capture is unconfirmed, nobody tells the buyer that no money was taken', async () => {
  using home = newHome();
  await using service = await startService({
    orders: [main()].map((order) => ({ ...order, payment_status: 'pre_authorized' })),
    sendsDate: false,
    onPost: () => reset,
  });
  const run = async (line: string) => {
    const at = standingAt(`${day}T09:00:00Z`);
    const env = { ...environment(service.url), ...at, PAYDESK_RECONCILE_AFTER: '0' };
    const { code, stdout, stderr } = await paydesk(line.split(' '), { home, env, columns: 120 });
    return `${code} ${inOneLine(`${stdout} ${stderr}`)}`;
  };
  const buyer = `orders show ${id} --for-buyer`;
  const dry = `orders refund ${id} --reason other --dry-run --no-input`;
  expect(await run(buyer)).toContain('but you have not been charged');
  expect(await run(`orders capture ${id} --yes`)).toMatch(/^7 /);
  expect(await run(`orders show ${id}`)).toContain('it may have been made');
  expect(await run(dry)).toMatch(/^3 .*an earlier capture of 1000 MXN on .* is still unconfirmed/);
  expect(await run(buyer)).toContain('We are checking whether you have been charged.');
  service.orders = [main()];
  const shown = await run(`orders show ${id} --dry-run`);
  expect(shown).toContain('paid, capture unconfirmed');
  expect(shown).toContain('the order now shows such a capture, see below; do not capture it again');
  expect(shown).toContain('the order shows such a capture; confirm it first: paydesk journal reconcile');
  expect(await run(`${buyer} --dry-run`)).toContain(
    'A charge of 1000 MXN on your card shows for this order.',
  );
});

it('a capture that an order shows is made on every screen once the order was read', async () => {
  await using world = await startWorld([{ ...main(), payment_status: 'pre_authorized' }]);
  world.fate('lost');
  await world.must(world.ana, `orders capture ${id} --yes`, 7);
  world.at('09:25:00');
  world.change(id, { payment_status: 'paid' });
  const read = async (line: string) => inOneLine((await world.run(world.ana, line.split(' '))).stdout);
  expect(await read(`orders show ${id}`)).toContain('paid, can be refunded');
  expect(await read(`journal show ${id}`)).toContain('capture of 1000 MXN: made');
});

it('an order that cannot be read now names what the journal has open of it', async () => {
  using home = newHome();
  let isDown = false;
  await using service = await startService({
    orders: [main()],
    sendsDate: false,
    onPost: () => reset,
    onPage: () => (isDown ? reset : undefined),
  });
  const at = standingAt(`${day}T09:00:00Z`);
  const env = { ...environment(service.url), ...at, PAYDESK_RECONCILE_AFTER: '0', PAYDESK_OPERATOR: 'ana' };
  const run = async (line: string) => {
    const { code, stdout, stderr } = await paydesk(line.split(' '), { home, env, columns: 120 });
    return `${code} ${inOneLine(`${stdout} ${stderr}`)}`;
  };
  expect(await run(`orders refund ${id} --reason other --yes`)).toMatch(/^7 /);
  isDown = true;
  const own = /refund of 1000 MXN, sent at 09:00:00 by ana: unconfirmed: paydesk journal show i_/;
  expect(await run(`orders show ${id}`)).toMatch(own);
  expect(await run(`orders refund ${id} --charge 1 --amount 1 --reason other --yes`)).toContain(
    `an earlier refund of 1000 MXN on ${id} (09:00:00, by ana) is still unconfirmed`,
  );
});

it('a refund that never arrived is in no sum once its time is over, and its story says so', async () => {
  await using world = await startWorld([main(), other()]);
  await send('lost', 7)(world, 'whole', 'hand');
  const summed = async () => (await world.run(world.ana, ['refunds', 'list', '--json'])).stdout;
  expect(await summed()).toContain('"unconfirmed":1000');
  world.at('09:30:00');
  expect(await summed()).not.toContain('"unconfirmed":1000');
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const { stdout } = await world.run(world.ana, ['journal', 'show', change]);
  expect(inOneLine(stdout)).toContain('unconfirmed: it never arrived: the order does not show it');
});

it('the story of what was recorded as not made says what was sent again, and calls nothing refused', async () => {
  await using world = await startWorld([main(), other()]);
  await inTurn(hand('lost', 7), notMade, byAna)(world);
  const [again, first] = await world.attempts(world.ana);
  const shown = async () =>
    inOneLine((await world.run(world.ana, ['journal', 'show', first?.change ?? ''])).stdout);
  expect(await shown()).toContain(`sent again as ${again?.change} by ana`);
});

it('of a refund that was sent twice from here, the story of neither says that the order shows it once', async () => {
  await using world = await startWorld([main(), other()]);
  const late = inTurn(at('09:05:00'), (to) => to.arrive(), look('09:06:00', 7));
  await inTurn(hand('late', 7), notMade, byAna, late)(world);
  const [again] = await world.attempts(world.ana);
  const { stdout } = await world.run(world.ana, ['journal', 'show', again?.change ?? '']);
  expect(inOneLine(stdout)).toContain('checked again: the service shows it refund rf_1');
});

it('who sent what only a read has found is probable, and the reply was lost only if none came', async () => {
  using home = newHome();
  await using service = await startService({
    orders: [orderOf(id, [chargeOf('ch_1', 1000)])],
    sendsDate: false,
    onPost: (before = {}, own) => {
      own.orders = [withRefund(before, newRefundOf('rf_1', 300, {}), 300)];
      return json({}, 500);
    },
  });
  const run = async (line: string) => {
    const env = { ...environment(service.url), PAYDESK_RECONCILE_AFTER: '0', PAYDESK_OPERATOR: 'ana' };
    const { stdout } = await paydesk(line.split(' '), { home, env, columns: 160 });
    return inOneLine(stdout);
  };
  await run(`orders refund ${id} --charge 1 --amount 300 --reason other --yes`);
  expect(await run(`orders show ${id}`)).toContain('ana (probably: the reply did not confirm it)');
  expect(await run(`journal show ${id}`)).toContain('made: the reply did not confirm it, the order shows');
});

it('today counts refunds that failed, one currency and one kind of change in a sum', async () => {
  await using world = await startWorld([main(), twinOf(), other()]);
  await send('made', 0)(world, 'whole', 'hand');
  world.at('09:05:00');
  for (const record of world.records(id)) world.turn(record, 'failed');
  world.change(twin, { payment_status: 'pre_authorized' });
  for (const line of [`refund ${bystander} --reason other`, `capture ${twin}`]) {
    world.fate('lost');
    await world.must(world.ana, `orders ${line} --yes`, 7);
  }
  const { stdout } = await world.run(world.ana, ['today'], 160);
  expect(inOneLine(stdout)).toMatch(
    /unconfirmed 1 refund 2000 MXN \S+, nobody .* 1 capture 1000 MXN \S+, nobody .* failed 2 refunds 1000 MXN/,
  );
});

it.each<[money: string, isTwice: boolean]>([
  ['--charge 1 --amount 400', false],
  ['--charge 2', false],
  ['--charge 1 --amount 300', true],
  ['', true],
])(
  'beside what was recorded as not made, the preview of %s says that it pays twice: %s',
  async (money, isTwice) => {
    await using world = await startWorld([main(), other()]);
    await inTurn(hand('lost', 7), notMade)(world);
    const { stderr } = await world.must(
      world.ana,
      `orders refund ${id} ${money} --reason other --dry-run`.replace('  ', ' '),
      0,
    );
    expect(inOneLine(stderr)).toContain('was NOT made');
    expect(inOneLine(stderr).includes('this pays the buyer twice')).toBe(isTwice);
  },
);

it('a report shows of a refund that failed in part how much failed', async () => {
  await using world = await startWorld([main(), other()]);
  await send('made', 0)(world, 'whole', 'hand');
  world.at('09:05:00');
  world.turn('rf_1', 'failed');
  await world.must(world.ana, 'report --period 2d --to out.html', 0);
  expect(world.read(world.ana, 'out.html')).toMatch(
    /"open_cases":\s*\[\{[^}]*"state":"failed"[^}]*"amount":700\b/,
  );
});

it('a wide list says once of a refund that it was made elsewhere', async () => {
  await using world = await startWorld([main(), other()]);
  second(300)(world);
  const { stdout } = await world.run(world.ana, ['refunds', 'list', '--period', '2d'], 240);
  expect(stdout.match(/elsewhere/g)).toHaveLength(1);
});

it('what is open is the same in journal list --open, a report and today: what needs a person, and not what a person recorded', async () => {
  await using world = await startWorld([main(), other()]);
  await inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), second(300))(world);
  world.fate('lost');
  const { stderr } = await world.must(world.ana, `orders refund ${bystander} --reason other --yes`, 7);
  const [sent = ''] = /i_\w+/.exec(stderr) ?? [];
  world.at('09:20:00');
  await world.must(
    world.ana,
    `journal settle ${sent} --applied --note asked-the-bank --confirm ${bystander}`,
    0,
  );
  const read = async (line: string) =>
    JSON.parse((await world.must(world.ana, `${line} --json`, 0)).stdout) as Readonly<
      Record<string, unknown>
    >;
  const listed = await read('journal list --open');
  expect(listed.data).toMatchObject([{ state: 'failed', open: true }]);
  expect((await read('journal list')).data).toMatchObject([
    { state: 'failed', open: true },
    { state: 'recorded made', open: false },
  ]);
  expect(await read('report --period 2d --to out.html')).toMatchObject({ open_cases: 1 });
  expect(world.read(world.ana, 'out.html')).toMatch(
    /"open_cases":\s*\[\{[^}]*"state":"failed"[^}]*\}\],\s*"recorded":\s*\[\{[^}]*"state":"recorded made"[^}]*\}\]/,
  );
  expect((await read('today')).data).toContainEqual(expect.objectContaining({ what: 'failed', count: 1 }));
});

it('the receipt of a refund that failed and was sent again says both', async () => {
  await using world = await startWorld([main(), other()]);
  await inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7), byAna)(world);
  const { change } = (await world.attempts(world.ana)).at(-1) ?? { change: '' };
  const { stdout } = await world.must(world.ana, `refunds receipt ${change}`, 0);
  expect(inOneLine(stdout)).toMatch(
    /The first refund of 300 MXN .* so we sent it again: .* we refunded 300 MXN/,
  );
});

it('the receipt of a refund that was sent twice, and made twice, says both', async () => {
  await using world = await startWorld([main(), other()]);
  const late = inTurn(at('09:05:00'), (to) => to.arrive(), look('09:06:00', 7));
  await inTurn(hand('late', 7), notMade, byAna, late)(world);
  for (const { change } of await world.attempts(world.ana)) {
    const { stdout } = await world.must(world.ana, `refunds receipt ${change}`, 0);
    expect(stdout.match(/we refunded 300 MXN/g)).toHaveLength(2);
  }
});

it('of a whole order that was recorded as not made and sent again, no screen says that it may still go through', async () => {
  await using world = await startWorld([main(), other()]);
  await inTurn(
    (to) => send('lost', 7)(to, 'whole', 'hand'),
    notMade,
    again('made', 'ticket-2', '--note twice', 0),
  )(world);
  const { change } = (await world.attempts(world.ana)).find(({ state }) => state === 'recorded not made') ?? {
    change: '',
  };
  const read = async (line: string) => inOneLine((await world.run(world.ana, line.split(' '), 160)).stdout);
  expect(await read('today')).not.toContain('recorded not made');
  expect(await read(`journal show ${change}`)).toMatch(/recorded not made, by ana(?!.*may still go through)/);
  expect(await read(`orders show ${id}`)).not.toMatch(/may still go through until today 09:15 created/);
  const told = await read(`refunds receipt ${change}`);
  expect(told).toMatch(/we refunded 700 MXN .* we refunded 300 MXN/);
  expect(told).not.toContain('We are checking');
});

it('today counts a refund that failed and went back since until somebody acknowledges it, as journal list --open does', async () => {
  await using world = await startWorld([main(), other()]);
  const failed = inTurn(hand('made', 0), at('09:05:00'), failsNow, look('09:06:00', 7));
  await failed(world);
  const today = async () => inOneLine((await world.run(world.ana, ['today'], 160)).stdout);
  expect(await today()).toContain('failed 1 refund 300 MXN');
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const told = async () =>
    inOneLine((await world.run(world.ana, `journal show ${change}`.split(' '), 160)).stdout);
  expect(await told()).toContain('whether it can go back now');
  await byAna(world);
  expect(await today()).toContain('failed 1 refund 300 MXN');
  expect(await today()).toContain('the same amount went back since then');
  expect(await told()).toContain('it was sent again; when somebody has dealt with it');
  await world.must(world.ana, `journal acknowledge ${change} --note the-bank-recalls-it --yes`, 0);
  expect(await today()).not.toContain('failed 1');
});

it('today tells on one day what never arrived', async () => {
  await using world = await startWorld([main(), other()]);
  await send('lost', 7)(world, 'whole', 'hand');
  world.at('09:30:00');
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const today = async () => inOneLine((await world.run(world.ana, ['today'], 160)).stdout);
  expect(await today()).toContain(
    `never arrived 1 refund 1000 MXN ${id}, sent, and not made: paydesk journal show ${change}`,
  );
  await again('made', 'ticket-2', `--again ${change}`, 0)(world);
  expect(await today()).not.toContain('never arrived');
});

it('the receipt of what was recorded as not made says whose words it has', async () => {
  await using world = await startWorld([main(), other()]);
  await inTurn(hand('lost', 7), notMade, byAna)(world);
  const [again, first] = await world.attempts(world.ana);
  const { stdout, stderr } = await world.must(world.ana, `refunds receipt ${first?.change}`, 0);
  expect(inOneLine(stdout)).toContain('we refunded 300 MXN');
  expect(inOneLine(stderr)).toContain(
    `the order shows no refund of ${first?.change}: these words are about ${again?.change}`,
  );
});

it('of a plan whose last row somebody else refunded in two parts, status names both and offers no apply', async () => {
  await using world = await startWorld([main(), other()]);
  world.write(world.ana, 'r.csv', ['order_id,charge_id,amount', `${bystander},ch_9,100`, `${id},ch_1,300`]);
  await world.must(world.ana, 'refunds plan r.csv --to r.plan', 0);
  await inTurn(second(100), second(200))(world);
  await world.must(world.ana, 'refunds apply r.plan --yes', 8);
  const { stdout, stderr } = await world.must(world.ana, 'refunds status r.plan', 8);
  const status = inOneLine(`${stdout} ${stderr}`);
  expect(status).toContain('has 2 refunds, together 300, that this plan did not make: rf_1 rf_2');
  expect(status).toContain('next: paydesk refunds plan --refresh r.plan');
  expect(status).not.toContain('next: paydesk refunds apply');
});

it('a refund by somebody else that failed takes no money of a row: the file of the rest does not ask about it', async () => {
  await using world = await startWorld([main(), other()]);
  await file(world);
  await world.must(world.ana, 'refunds plan r.csv --to r.plan', 0);
  world.record(id, 'ch_1', 300, { status: 'failed' });
  const { stdout, stderr } = await world.must(world.ana, 'refunds status r.plan --rest rest.csv', 8);
  expect(inOneLine(`${stdout} ${stderr}`)).not.toContain('that this plan did not make');
  expect(stderr).not.toContain('somebody else');
});

it('a correction that comes too early names the command that corrects it later', async () => {
  await using world = await startWorld([main(), other()]);
  await hand('lost', 7)(world);
  await isMade(world, '09:00:30');
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const words = `--correct --not-applied --note asked-again --confirm ${id}`;
  const { stderr } = await world.must(world.ana, `journal settle ${change} ${words}`, 3);
  expect(stderr).toContain(`paydesk journal settle ${change} --correct --not-applied --note asked-again`);
});

it('of a refund that failed, the first line says that a limit stops it', async () => {
  using home = newHome();
  const whole = orderOf(id, [chargeOf('ch_1', 1000)]);
  await using service = await startService({
    orders: [whole],
    onPost: (before = {}, own) => {
      own.orders = [withRefund(before, newRefundOf('rf_1', 300, {}), 300)];
      return json(own.orders[0]);
    },
  });
  await storeShop(home, service, {});
  const run = async (line: string) =>
    await paydesk(['-p', 'shop', ...line.split(' ')], { home, columns: 120 });
  await run(`orders refund ${id} --charge 1 --amount 300 --reason other --yes`);
  service.orders = [withRefund(whole, newRefundOf('rf_1', 300, { status: 'failed' }), 0)];
  expect(inOneLine((await run(`orders show ${id}`)).stdout)).toContain(' failed sandbox');
  await run('profile set shop refund.max_amount.MXN 0');
  expect(inOneLine((await run(`orders show ${id}`)).stdout)).toContain(' failed, over a limit');
});

it('what never arrived and was sent again is not offered to be sent again', async () => {
  await using world = await startWorld([main(), other()]);
  await send('lost', 7)(world, 'whole', 'hand');
  await look('09:20:00', 0)(world);
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const shown = async () => inOneLine((await world.run(world.ana, ['journal', 'show', change])).stdout);
  expect(await shown()).toContain(
    `to send it again: paydesk orders refund ${id} --reason other --again ${change}`,
  );
  await again('made', 'ticket-2', `--again ${change}`, 0)(world);
  expect(await shown()).not.toContain('--again');
  const [second] = await world.attempts(world.ana);
  const order = inOneLine((await world.run(world.ana, ['orders', 'show', id])).stdout);
  expect(order).toMatch(
    new RegExp(
      `SENT AGAIN refund of 1000 MXN of .*, sent by ana, never arrived; ana sent it again on .*: paydesk journal show ${second?.change}`,
    ),
  );
});
