import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import type { Json } from '../harness/orders.ts';
import { newHome } from '../harness/paydesk.ts';
import { directDesk } from './direct-desk.ts';
import { type Ledger, startLedger } from './ledger.ts';
import { handOver, lastLine, withdraw } from './raw-hop.ts';

const shop = ['-p', 'shop'];

function orderIn({ service }: Ledger, id: string): Json {
  return service.orders.find((one) => one.id === id) ?? {};
}

test('one id over ten connections at once is one request to the service, and ten times the same end', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  const order = orderIn(ledger, 'ord_A1');
  const ends = await Promise.all(
    Array.from({ length: 10 }, () => handOver(ledger.sender.url, token, 'i_tenatonce', order)),
  );
  expect(ledger.posts('ord_A1')).toBe(1);
  expect(ends.map((end) => lastLine(end).end?.verdict)).toEqual(Array.from({ length: 10 }, () => 'applied'));
});

test('fifteen ids for one refund at once are one request to the service', async () => {
  await using ledger = await startLedger();
  using home = newHome();
  const { token } = await ledger.sender.desk('ana');
  // No connection breaks here, so it waits as long as the desk of a person does.
  const desk = directDesk({ url: ledger.sender.url, token, folder: home.path, clock: systemClock });
  const order = orderIn(ledger, 'ord_A1');
  const said = await Promise.all(
    Array.from({ length: 15 }, async (_, at) => (await desk.refund(order, `i_one${at}of15`)).said),
  );
  expect(ledger.posts('ord_A1')).toBe(1);
  expect(said.toSorted()).toEqual(['made', ...Array.from({ length: 14 }, () => 'refused')]);
});

test('an id that was taken back is closed for good: a later hand-over of it gets 410, and nothing is sent', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  expect(lastLine(await withdraw(ledger.sender.url, token, 'i_takenback'))).toEqual({ closed: true });
  const late = await handOver(ledger.sender.url, token, 'i_takenback', orderIn(ledger, 'ord_A1'));
  expect(late.status).toBe(410);
  expect(ledger.posts('ord_A1')).toBe(0);
});

test('an id that was sent is not taken back: what became of it is the answer', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  await handOver(ledger.sender.url, token, 'i_sentbefore', orderIn(ledger, 'ord_A1'));
  const answer = lastLine(await withdraw(ledger.sender.url, token, 'i_sentbefore'));
  expect(answer.end).toMatchObject({ verdict: 'applied', change: 'i_sentbefore' });
});

test('the id of somebody else is neither joined nor taken back', async () => {
  await using ledger = await startLedger();
  const [ana, ben] = [await ledger.sender.desk('ana'), await ledger.sender.desk('ben')];
  const order = orderIn(ledger, 'ord_A1');
  await handOver(ledger.sender.url, ana.token, 'i_ofana', order);
  expect((await handOver(ledger.sender.url, ben.token, 'i_ofana', order)).status).toBe(409);
  expect((await withdraw(ledger.sender.url, ben.token, 'i_ofana')).status).toBe(409);
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('the same id with another change is refused', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  await handOver(ledger.sender.url, token, 'i_twochanges', orderIn(ledger, 'ord_A1'));
  const other = await handOver(ledger.sender.url, token, 'i_twochanges', orderIn(ledger, 'ord_A2'));
  expect(other.status).toBe(409);
  expect(ledger.posts('ord_A2')).toBe(0);
});

const forged: readonly [string, (what: Json) => Json][] = [
  ['another amount for people than is sent', (what) => ({ ...what, amount: 1 })],
  [
    'less than is sent to be expected',
    (what) => ({ ...what, expected: [{ chargeId: 'ch_ord_A1', amount: -1 }] }),
  ],
  ['nothing to be expected', (what) => ({ ...what, expected: [] })],
  ['another currency', (what) => ({ ...what, currency: 'USD' })],
  ['charges that may get a refund besides', (what) => ({ ...what, tolerated: ['ch_ord_A1'] })],
  [
    'the path of another order',
    (what) => ({ ...what, request: { ...(what.request as Json), path: 'orders/ord_A2/refunds' } }),
  ],
  ['another order than the path', (what) => ({ ...what, orderId: 'ord_A2' })],
  ['no order', ({ orderId: _orderId, ...what }) => what],
  [
    'a path that decodes to another one',
    (what) => ({ ...what, request: { ...(what.request as Json), path: 'orders/ord_A1%2Frefunds' } }),
  ],
  [
    'a whole address as path',
    (what) => ({
      ...what,
      request: { ...(what.request as Json), path: 'http://other.test/orders/ord_A1/refunds' },
    }),
  ],
  ['another method', (what) => ({ ...what, request: { ...(what.request as Json), method: 'DELETE' } })],
  [
    'more than is left',
    (what) => ({
      ...what,
      amount: 99_999,
      expected: [{ chargeId: 'ch_ord_A1', amount: -99_999 }],
      request: { ...(what.request as Json), body: { charge_id: 'ch_ord_A1', amount: 99_999 } },
    }),
  ],
  [
    'a negative amount',
    (what) => ({
      ...what,
      amount: -300,
      expected: [{ chargeId: 'ch_ord_A1', amount: 300 }],
      request: { ...(what.request as Json), body: { charge_id: 'ch_ord_A1', amount: -300 } },
    }),
  ],
  [
    'a field that no refund has',
    (what) => ({
      ...what,
      request: { ...(what.request as Json), body: { charge_id: 'ch_ord_A1', amount: 300, extra: 1 } },
    }),
  ],
  [
    'a header',
    (what) => ({
      ...what,
      request: { ...(what.request as Json), headers: { 'x-http-method-override': 'DELETE' } },
    }),
  ],
  ['a capture with the path of a refund', (what) => ({ ...what, kind: 'capture' })],
  ['an order with the path of a refund', ({ orderId: _orderId, ...what }) => ({ ...what, kind: 'order' })],
  [
    'a request of its own with the path of a refund',
    (what) => ({ ...what, kind: 'api', expected: undefined, amount: undefined }),
  ],
  [
    'a request of its own with an escaped path of a refund',
    (what) => ({
      ...what,
      kind: 'api',
      expected: undefined,
      amount: undefined,
      request: { ...(what.request as Json), path: 'orders/ord_A1/%72efunds' },
    }),
  ],
  ['a field that nobody knows', (what) => ({ ...what, approve: true })],
];

test.for(forged)('a desk that makes up %s sends nothing', async ([, forge]) => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  const reply = await handOver(ledger.sender.url, token, 'i_forged', orderIn(ledger, 'ord_A1'), forge);
  expect(reply.status === 200 ? lastLine(reply).end : undefined).toBeUndefined();
  expect(ledger.service.posts).toEqual([]);
});

test('an order that is not as the person saw it is not refunded, and comes back as it is', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  const shown = { ...orderIn(ledger, 'ord_A1'), amount_refunded: 1 };
  const { changed } = lastLine(await handOver(ledger.sender.url, token, 'i_changed', shown));
  expect(JSON.parse(changed?.text ?? '')).toEqual(orderIn(ledger, 'ord_A1'));
  expect(ledger.service.posts).toEqual([]);
});

test('a change of another account of the same sender is refused', async () => {
  await using ledger = await startLedger();
  const { token } = await ledger.sender.desk('ana');
  const reply = await handOver(
    ledger.sender.url,
    token,
    'i_elsewhere',
    orderIn(ledger, 'ord_A1'),
    (what) => what,
    'other',
  );
  expect(reply.status).toBe(403);
  expect(ledger.service.posts).toEqual([]);
});

test('what was handed over leaves no file at the desk once its end was shown', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  await ana.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  expect(readdirSync(join(ana.home.path, '.local/state/paydesk/handed-over'))).toEqual([]);
});
