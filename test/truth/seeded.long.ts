/** The contradiction test notices a screen that judges by itself: one that is changed in one word, sum or exit. */

import { expect, it } from 'vitest';
import type { Ran } from '../harness/paydesk.ts';
import { lineOf } from './compare.ts';
import { look } from './look.ts';
import { screens } from './screens.ts';
import { situations } from './situations.ts';

interface Defect {
  readonly defect: string;
  readonly situation: string;
  readonly screen: string;
  /** What it says instead. */
  readonly instead: (ran: Ran) => Partial<Ran>;
  /** The kind of contradiction that it must be. */
  readonly kind: string;
}

const says = (from: string | RegExp, to: string) => (ran: Ran) => ({ stdout: ran.stdout.replace(from, to) });

const defects: readonly Defect[] = [
  {
    defect: 'orders show calls an unconfirmed order refundable',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders show, 120 columns',
    instead: says('refund unconfirmed', 'can be refunded'),
    kind: 'state',
  },
  {
    defect: 'orders show offers a refund beside an unconfirmed one',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders show, 120 columns',
    instead: says(/paydesk journal reconcile i_\w+\n*$/, 'paydesk orders refund ord_2tMain0000000001\n'),
    kind: 'next step',
  },
  {
    defect: 'orders show leaves too much to refund',
    situation: 'made, part, by hand',
    screen: 'orders show, 80 columns',
    instead: says(/^(order .*) 700$/m, '$1 1000'),
    kind: 'sum',
  },
  {
    defect: 'orders show does not know whose refund it is',
    situation: 'made, part, by hand',
    screen: 'orders show, 120 columns',
    instead: says(/490215 {2}ana$/m, '490215  elsewhere'),
    kind: 'state',
  },
  {
    defect: 'orders list keeps the word of the service',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders list, 80 columns',
    instead: says('unconfirmed', 'paid       '),
    kind: 'state',
  },
  {
    defect: 'orders list has another sum',
    situation: 'made, part, by hand',
    screen: 'orders list, 120 columns',
    instead: says(/-300/, '-301'),
    kind: 'sum',
  },
  {
    defect: 'a word that nobody knows',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders list, 120 columns',
    instead: says('unconfirmed', 'doubtful   '),
    kind: 'unreadable',
  },
  {
    defect: '--refundable lists an order that is stopped',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders list --refundable --json',
    instead: says('"data":[', '"data":[{"id":"ord_2tMain0000000001"},'),
    kind: 'next step',
  },
  {
    defect: 'a refund is previewed beside an unconfirmed one',
    situation: 'unconfirmed, part, by hand',
    screen: 'orders refund --dry-run',
    instead: () => ({
      code: 0,
      stdout: 'would send: POST /orders/ord_2tMain0000000001/refunds\n',
      stderr: '',
    }),
    kind: 'next step',
  },
  {
    defect: 'refunds compare ends with 0',
    situation: 'unconfirmed, part, by hand',
    screen: 'refunds compare',
    instead: () => ({ code: 0 }),
    kind: 'exit',
  },
  {
    defect: 'refunds compare takes an unconfirmed refund as made',
    situation: 'unconfirmed, part, by hand',
    screen: 'refunds compare --json',
    instead: says(
      /"verdict":"unconfirmed"(.*?)"state":"unconfirmed"/,
      '"verdict":"refunded"$1"state":"made"',
    ),
    kind: 'state',
  },
  {
    defect: 'refunds summary is wrong by one',
    situation: 'made, part, by hand',
    screen: 'refunds summary --json',
    instead: says('"refunded":300', '"refunded":299'),
    kind: 'sum',
  },
  {
    defect: 'refunds status ends with 0',
    situation: 'unconfirmed, part, by plan',
    screen: 'refunds status',
    instead: () => ({ code: 0 }),
    kind: 'exit',
  },
  {
    defect: 'journal reconcile has nothing to do',
    situation: 'unconfirmed, part, by hand',
    screen: 'journal reconcile --all --json',
    instead: () => ({ code: 0, stdout: '{"object":"list","data":[],"has_more":false}' }),
    kind: 'exit',
  },
  {
    defect: 'today counts nothing unconfirmed',
    situation: 'unconfirmed, part, by hand',
    screen: 'today',
    instead: says(/^unconfirmed +1 .*$/m, 'unconfirmed     none'),
    kind: 'state',
  },
  {
    defect: 'journal list calls it made',
    situation: 'unconfirmed, part, by hand',
    screen: 'journal list, 80 columns',
    instead: says(/unconfirmed|not known yet.*?(?= {2})/, 'made'),
    kind: 'state',
  },
];

it.each(defects)('$defect', async ({ situation: name, screen: asked, instead, kind }) => {
  const situation = situations.find((one) => one.name === name);
  if (situation === undefined) throw new Error(`there is no situation ${name}`);
  const only = screens.filter((screen) => screen.name === asked);
  const before = new Set((await look(situation, only)).contradictions.map(lineOf));
  const after = await look(situation, only, (ran) => ({ ...ran, ...instead(ran) }));
  expect(after.contradictions.filter((one) => !before.has(lineOf(one))).map((one) => one.kind)).toContain(
    kind,
  );
});

it('the defects are of ten kinds, on ten screens', () => {
  expect(new Set(defects.map(({ kind, screen }) => `${kind} ${screen}`)).size).toBeGreaterThanOrEqual(10);
});
