/** What is known about an order, and that the screens of orders say just that. */

import { describe, expect, test } from 'vitest';
import { recordedState } from '../../src/journal/journal.ts';
import type { VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { knownOrder } from '../../src/orders/orders.ts';
import { chargeOf, type Json, orderOf, refundOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { startService } from '../harness/service.ts';
import { id, refund, startAppearing } from '../journal/appearing.ts';
import { attempt } from '../journal/rows.ts';

const now = { time: 0, wall: 0, mono: 0, skewed: false };
const refunds = (...data: readonly Json[]) => ({
  refunds: { object: 'list', has_more: false, total: data.length, data },
});

function withRecord(status: string, more: Json = {}) {
  const record = refundOf('rf_1', 300, { status });
  const changes = { payment_status: 'paid', amount_refunded: 0, is_refundable: true, ...more };
  return knownOrder(orderOf(id, [chargeOf('ch_1', 1000, refunds(record))], changes), [], now);
}

describe('a refund record of the service', () => {
  test.each([
    ['failed', 'failed', 1000],
    ['Declined', 'failed', 1000],
    ['pending', 'pending', 700],
    ['succeeded', 'elsewhere', 700],
    ['word_42', 'unconfirmed', 700],
  ])('with the status %s is %s, and %i are left', (status, state, left) => {
    const { refunds: found, reading } = withRecord(
      status,
      status === 'succeeded' ? { amount_refunded: 300 } : {},
    );
    expect(found.map((one) => one.state)).toEqual([state]);
    expect(reading).toMatchObject({ money: { charges: [{ left }], doubt: undefined } });
  });

  test('that failed counts as left only if amount_refunded agrees', () => {
    expect(withRecord('failed', { amount_refunded: 300 }).reading).toMatchObject({
      money: { charges: [{ left: 700 }], doubt: 'amount_refunded is 300, and its refunds add up to 0' },
    });
  });
});

describe('a refund of this machine of which one record failed', () => {
  const found = (refundId: string, chargeId: string, amount: number, status?: string) => ({
    id: refundId,
    chargeId,
    amount,
    status,
    createdAt: 1_790_003_600,
    authCode: undefined,
  });
  const sentFor = (tolerated: readonly string[], ...verdicts: readonly Partial<VerdictRow>[]) => {
    const { proof } = attempt([]).sent;
    const expected = [{ chargeId: 'ch_1', amount: -1000 }];
    return attempt(verdicts, { proof: { ...proof, orderId: id, livemode: true, expected, tolerated } });
  };
  const own = found('rf_1', 'ch_1', -1000);

  test('and another one is in its place: it was made', () => {
    const failed = { ...own, status: 'failed' };
    const record = sentFor(
      [],
      { verdict: 'applied', refunds: [own] },
      { verdict: 'applied', alarm: 'failed', refunds: [failed] },
      { verdict: 'applied', refunds: [failed, found('rf_2', 'ch_1', -1000)] },
    );
    const records = refunds(refundOf('rf_1', 1000, { status: 'failed' }), refundOf('rf_2', 1000));
    const whole = { payment_status: 'refunded', amount_refunded: 1000, is_refundable: false };
    const known = knownOrder(orderOf(id, [chargeOf('ch_1', 1000, records)], whole), [record], now);
    expect(recordedState(record)).toBe('made');
    expect(known.cases).toEqual([]);
    expect(known.refunds.map(({ state }) => state)).toEqual(['failed', 'made']);
  });

  test('on a charge that was declined, where nothing was asked for: it was made', () => {
    const other = found('rf_2', 'ch_2', -500, 'failed');
    const record = sentFor(['ch_2'], { verdict: 'applied', refunds: [own, other] });
    const charges = [
      chargeOf('ch_1', 1000, refunds(refundOf('rf_1', 1000))),
      chargeOf('ch_2', 500, { status: 'declined', ...refunds(refundOf('rf_2', 500, { status: 'failed' })) }),
    ];
    const whole = { payment_status: 'refunded', amount_refunded: 1000, is_refundable: false };
    const known = knownOrder(orderOf(id, charges, whole), [record], now);
    expect(recordedState(record)).toBe('made');
    expect(known.cases).toEqual([]);
  });
});

describe('an order that the service calls refundable', () => {
  test.each<[string, Json, readonly Json[]]>([
    ['is not if its charges were all declined', {}, [chargeOf('ch_1', 1000, { status: 'declined' })]],
    ['is not if it is refunded', { payment_status: 'refunded' }, [chargeOf('ch_1', 1000)]],
    ['is not if it hides its refunds', { amount_refunded: 300 }, [chargeOf('ch_1', 1000)]],
    ['is not if its livemode is no boolean', { livemode: 'false' }, [chargeOf('ch_1', 1000)]],
    [
      'is not if a charge is of the other mode',
      { livemode: false },
      [chargeOf('ch_1', 1000, { livemode: true })],
    ],
  ])('%s', (_, changes, charges) => {
    const order = orderOf(id, [...charges], { is_refundable: true, ...changes });
    expect(knownOrder(order, [], now).whyNot).toBeDefined();
  });
});

test.each([
  ['refunded, and no record', { payment_status: 'refunded', amount_refunded: 1000, is_refundable: false }],
  ['amount_refunded without a record', { payment_status: 'partially_refunded', amount_refunded: 300 }],
])('%s: tables of orders say unconfirmed in place of the status', async (_, changes) => {
  using home = newHome();
  await using service = await startService({ orders: [orderOf(id, [chargeOf('ch_1', 1000)], changes)] });
  for (const line of ['orders list', `orders find ${id}`]) {
    const { stdout } = await paydesk(line.split(' '), { home, env: service.env });
    expect(stdout).toMatch(/^ord_\S+ .* unconfirmed /m);
  }
});

test('a refund that was made and that the order no longer shows: no screen offers another one', async () => {
  const { run, service, answers } = await startAppearing();
  const [before] = service.orders;
  answers();
  expect((await run('05:05:12', refund())).code).toBe(0);
  service.orders = before === undefined ? [] : [before];
  const show = await run('05:20:00', `orders show ${id}`);
  expect(inOneLine(show.stdout)).toContain('refund rf_1 was made, and the order does not show it any more');
  expect(show.stdout).not.toMatch(/orders refund|can be refunded/);
  expect((await run('05:20:00', 'orders list')).stdout).toContain(' gone ');
  for (const asked of ['orders list --refundable --ndjson', 'orders export --refundable'])
    expect((await run('05:20:00', asked)).stdout).not.toContain(id);
  expect((await run('05:20:00', `orders find ${id} --refundable --json`)).code).toBe(5);
  expect(service.posts).toHaveLength(1);
});

test('a refund that is gone: the journal says so, nothing else is sent, and once acknowledged it stops nothing', async () => {
  const { run, service, answers } = await startAppearing();
  const [before] = service.orders;
  answers();
  expect((await run('05:05:12', refund())).code).toBe(0);
  service.orders = before === undefined ? [] : [before];

  const reconciled = await run('05:20:00', 'journal reconcile --all --json');
  expect(reconciled.code).toBe(7);
  const { data } = JSON.parse(reconciled.stdout) as {
    readonly data: readonly { readonly change: string; readonly state: string; readonly alarm: string }[];
  };
  expect(data).toMatchObject([{ state: 'gone', alarm: 'gone' }]);
  const refused = await run('05:21:00', refund(`--again ${data[0]?.change}`));
  expect(refused.code).toBe(3);
  expect(inOneLine(refused.stderr)).toContain('refund rf_1 was made, and the order does not show it');

  const ended = await run(
    '05:22:00',
    `journal acknowledge ${data[0]?.change} --note the-bank-took-it-back --yes`,
  );
  expect(ended.code, ended.stderr).toBe(0);
  expect((await run('05:23:00', 'journal reconcile --all --json')).code).toBe(0);
  expect((await run('05:23:00', 'journal list')).stdout).toContain('gone');
  expect((await run('05:23:00', `orders show ${id}`)).stdout).toContain('can be refunded');
  expect(service.posts).toHaveLength(1);
  const again = await run('05:24:00', refund(`--again ${data[0]?.change}`));
  expect([again.code, service.posts.length], again.stderr).toEqual([0, 2]);
});

test('a refund of a sandbox that another mode at the same address does not show is not gone', async () => {
  const { run, service, answers } = await startAppearing();
  const [before] = service.orders;
  answers();
  expect((await run('05:05:12', refund())).code).toBe(0);
  service.orders = before === undefined ? [] : [{ ...before, livemode: before.livemode !== true }];
  expect((await run('05:20:00', `orders show ${id}`)).stdout).not.toContain('any more');
});

test('an order with an unconfirmed refund is not listed as refundable', async () => {
  const { run, service } = await startAppearing();
  expect((await run('05:05:12', refund())).code).toBe(7);
  expect((await run('05:05:30', 'orders list --refundable --all --csv --columns id')).stdout).not.toContain(
    id,
  );
  expect((await run('05:05:30', 'orders list --all --csv --columns id')).stdout).toContain(id);
  expect(service.posts).toHaveLength(1);
});

test('an order that does not show all of its refunds: orders show has those that it shows, and says that some are missing', async () => {
  const shown = refunds(
    refundOf('rf_1', 200, { created_at: 1_790_003_600 }),
    refundOf('rf_2', 100, { created_at: 1_790_090_000, status: 'failed' }),
  );
  const charges = [chargeOf('ch_1', 1000, { refunds: { ...shown.refunds, has_more: true, total: 3 } })];
  const half = { payment_status: 'partially_refunded', amount_refunded: 500, is_refundable: true };
  await using service = await startService({ orders: [orderOf(id, charges, half)] });
  const { code, stdout } = await service.run(['orders', 'show', id], { env: { TZ: 'UTC' } });
  expect(code, stdout).toBe(0);
  const view = stdout.slice(stdout.indexOf('MONEY'));
  expect(view).toMatchInlineSnapshot(`
    "MONEY  1000 MXN  refunded 500
           its charges cannot be added up: the refunds of charge ch_1 are not all shown

    REFUNDS  from charge  amount  when              auth    by
             1 *4242        -200  21 Sep 15:13 UTC  490215  elsewhere
             id rf_1  not sent from here: ask your lead who did
             1 *4242        -100  22 Sep 15:13 UTC  -       elsewhere
             id rf_2  not sent from here: ask your lead who did  failed
             this list is not complete

    ITEMS    Wool blanket  sku WB-2  1 x 1000  1000
             items 1000: equal to the order amount

    cannot be refunded: partially_refunded, but the refunds of charge ch_1 are not all shown
    ask whoever runs the service
    "
  `);
});

test('a refund that failed, and as much went back since: what is left is not said to have failed', async () => {
  const made = refundOf('rf_2', 500, { created_at: 1_790_090_000 });
  const both = refunds(refundOf('rf_1', 500, { created_at: 1_790_003_600, status: 'failed' }), made);
  const half = { payment_status: 'partially_refunded', amount_refunded: 500, is_refundable: true };
  await using service = await startService({ orders: [orderOf(id, [chargeOf('ch_1', 1000, both)], half)] });
  const { stdout } = await service.run(['orders', 'show', id]);
  expect(inOneLine(stdout)).toContain(
    `refund the rest of charge 1, 500, although rf_2 is as large: paydesk orders refund ${id} --charge 1 --again rf_2`,
  );
});
