/** `refunds compare` beside the journal: refunds recorded by hand, refunds that are probably ours, and files with errors. */

import { expect, it } from 'vitest';
import { later } from '../harness/clock.ts';
import { chargesOf, listOf } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import { journalOf } from './batch.ts';
import {
  csvOf,
  order,
  orders,
  type RefundService,
  recordsIn,
  splitOrder,
  startRefunds,
} from './refund-service.ts';
import { openIn } from './settle-all.ts';

const file = ['order_id,amount', 'ord_1,5000', 'ord_2,5000'];

function compare(service: RefundService, ...more: readonly string[]) {
  return service.run(['refunds', 'compare', 'refunds.csv', ...more]);
}

function changeOfRow(service: RefundService): string {
  return openIn(journalOf(service.home))[0]?.sent.change ?? '';
}

it('a row that somebody settled as made is not "not refunded": compare, status and apply say by hand', async () => {
  await using service = await startRefunds(orders(2), {
    instead: (id) => (id === 'ord_1' ? reset : undefined),
  });
  await service.plan(file);
  expect((await service.apply()).code).toBe(7);
  const change = changeOfRow(service);
  const settle = ['journal', 'settle', change, '--applied', '--note', 'the bank says so', '--yes'];
  const settled = await service.run([...settle, '--confirm', 'ord_1'], { env: later(200_000) });
  expect(settled.code, settled.stderr).toBe(0);

  const compared = await compare(service, '--json');
  const table = await compare(service);
  const status = await service.run(['refunds', 'status', 'refunds.plan', '--json']);
  const counted = await service.run(['refunds', 'status', 'refunds.plan']);
  const again = await service.apply();

  expect(compared.code).toBe(8);
  expect(recordsIn(compared).map(({ verdict, refunded }) => [verdict, refunded])).toEqual([
    ['recorded_made', 0],
    ['refunded', 5000],
  ]);
  expect(inOneLine(table.stderr)).toContain(
    `line 2: 5000 MXN was recorded as made by ${String(recordsIn(status)[0]?.operator)}, and the order does not show it: paydesk journal show ${change}`,
  );
  expect(table.stderr).toContain('1 recorded as made; the order does not show it\n');
  expect(table.stderr).not.toContain('not refunded');
  expect(recordsIn(status)[0]).toMatchObject({
    verdict: 'recorded_made',
    why: expect.stringMatching(/^recorded as made by \S+ \(the bank says so\)$/) as string,
    refund_id: null,
    after: null,
  });
  expect(recordsIn(status)[1]).toMatchObject({ verdict: 'made', why: null, after: 5000 });
  expect(counted.stderr).toContain('of 2 rows 1 made (5000 MXN), 1 recorded made (5000 MXN)');
  expect([again.code, service.posts.length]).toEqual([0, 2]);
});

it.each([
  ['the same amount', 5000],
  ['another amount', 1200],
])('an older refund of %s does not stand for a row whose own refund is unconfirmed', async (_, older) => {
  await using service = await startRefunds(orders(1), { instead: () => reset });
  const id = service.refund('ord_1', 'ch_ord_1', older);
  const row = ['order_id,charge_id,amount,reason', 'ord_1,1,5000,other'];
  const planned = await service.plan(row, ...(older === 5000 ? ['--again', id] : []));
  expect(planned.code, planned.stderr).toBe(0);
  expect((await service.apply()).code).toBe(7);
  const change = changeOfRow(service);

  const before = await compare(service, '--json');
  const settle = ['journal', 'settle', change, '--applied', '--note', 'the bank says so', '--yes'];
  const settled = await service.run([...settle, '--confirm', 'ord_1'], { env: later(200_000) });
  expect(settled.code, settled.stderr).toBe(0);
  const after = await compare(service, '--json');

  expect([before.code, after.code]).toEqual([7, 8]);
  expect(recordsIn(before)).toMatchObject([{ verdict: 'unconfirmed', refunded: 0, refund_id: null }]);
  expect(recordsIn(after)).toMatchObject([{ verdict: 'recorded_made', refunded: 0, refund_id: null }]);
  expect(service.posts).toHaveLength(1);
});

it('an order whose charges are not shown is not "not found"', async () => {
  const { charges: _, payment_status: __, ...unpaid } = order('ord_1');
  await using service = await startRefunds([unpaid, order('ord_2')]);
  service.write('refunds.csv', 'order_id,charge_id,amount\nord_1,1,1500\nord_9,1,1500\n');

  const ran = await compare(service, '--json');

  expect(ran.code).toBe(8);
  expect(recordsIn(ran).map(({ verdict }) => verdict)).toEqual(['not_shown', 'not_found']);
  expect(ran.stderr).toContain('1 on orders that do not show their charges, so nothing shows a refund\n');
  expect(ran.stderr).toContain('1 not found (the file says 1500, currency unknown)\n');
});

it('a refund that we sent and nobody confirmed is "probably ours" and unconfirmed, exit 7', async () => {
  let away = false;
  await using service = await startRefunds([...orders(2), order('ord_3')], {
    instead: (id, apply) => {
      if (id !== 'ord_1') return undefined;
      apply();
      away = true;
      return reset;
    },
    onPage: () => (away ? json({}, 503) : undefined),
  });
  await service.plan(['order_id,amount', 'ord_1,5000']);
  expect((await service.apply()).code).toBe(7);
  away = false;
  service.refund('ord_2', 'ch_ord_2', 5000);
  const change = changeOfRow(service);
  service.write('refunds.csv', 'order_id,amount\nord_1,5000\nord_2,5000\n');

  const list = await compare(service, '--json');
  const table = await compare(service);
  service.write('refunds.csv', 'order_id,amount\nord_2,5000\n');
  const elsewhere = await compare(service, '--since', '1d', '--json');

  expect([list.code, table.code, elsewhere.code]).toEqual([7, 7, 7]);
  const ours = expect.stringMatching(/^probably ours: sent at .*, not confirmed yet$/) as string;
  expect(recordsIn(list).map(({ verdict, operator }) => [verdict, operator])).toEqual([
    ['unconfirmed', ours],
    ['refunded', null],
  ]);
  expect(inOneLine(table.stderr)).toContain(
    `line 2: probably ours and not confirmed yet: paydesk journal reconcile ${change}`,
  );
  expect(recordsIn(elsewhere)[1]).toMatchObject({
    verdict: 'not_in_file',
    state: 'unconfirmed',
    operator: ours,
  });
  expect((await service.run(['journal', 'reconcile', change])).code).toBe(0);
});

it.each([
  [80, 'this terminal has no room for BY, REFUND ID: -o list shows every field'],
  [100, 'this terminal has no room for REFUND ID: -o list shows every field'],
  [120, 'elsewhere'],
])('a comparison at %i columns says which columns it has no room for', async (columns, words) => {
  await using service = await startRefunds([order('ord_1'), order('ord_2')]);
  service.refund('ord_2', 'ch_ord_2', 5);
  service.write('refunds.csv', 'order_id,amount\nord_1,600\nord_2,5\n');

  const { screen } = await onScreen(['refunds', 'compare', 'refunds.csv'], {
    home: service.home,
    env: service.env,
    columns,
  });

  expect(screen).toContain(words);
  expect(screen.includes('no room for')).toBe(columns < 120);
});

it.each([
  [80, 'MADE UTC'],
  [120, ' rf_1 +19'],
])('twenty refunds of a row leave room for its money at %i columns', async (columns, shown) => {
  await using service = await startRefunds([order('ord_2abcdefghijkLMNOP'), order('ord_2')]);
  for (const amount of Array.from({ length: 20 }, () => 30))
    service.refund('ord_2abcdefghijkLMNOP', 'ch_ord_2abcdefghijkLMNOP', amount);
  service.write('refunds.csv', 'order_id,amount\nord_2abcdefghijkLMNOP,600\nord_2,5\n');

  const { screen } = await onScreen(['refunds', 'compare', 'refunds.csv'], {
    home: service.home,
    env: service.env,
    columns,
  });
  const whole = await compare(service, '--csv');

  const [titles = '', first = ''] = screen.replaceAll('\r', '').split('\n');
  expect(titles).toMatch(/IN FILE +(REFUNDED|MXN) +VERDICT/);
  expect(first).toMatch(/ord_2abcdefghijkLMNOP +600 +600/);
  expect(screen).toContain(shown);
  expect(whole.stdout).toContain('rf_1 rf_2 rf_3');
});

it('compare --errors writes the rows with their errors, as its hint says', async () => {
  await using service = await startRefunds(orders(1));
  service.write('refunds.csv', 'order_id,amount\nord_1,5000\n,12\nord_1,x\n');

  const without = await compare(service);
  const ran = await compare(service, '--errors', 'errors.csv');
  const twice = await compare(service, '--errors', 'errors.csv');
  const forced = await compare(service, '--errors', 'errors.csv', '--force');

  expect([without.code, ran.code, twice.code, forced.code]).toEqual([2, 2, 2, 2]);
  expect(without.stderr).toContain('--errors FILE.csv writes it with the errors beside the rows');
  expect(service.read('errors.csv').split('\n')).toHaveLength(5);
  expect(inOneLine(twice.stderr)).toContain('refunds.csv has 2 errors');
  expect(inOneLine(twice.stderr)).toContain('errors.csv exists already');
  expect(inOneLine(twice.stderr)).toContain('--force replaces it');
});

it('IN FILE is what the file says, also of an order that is not there; nothing of a declined charge can be refunded', async () => {
  const declined = splitOrder('ord_s', 1000, 2000);
  const charges = chargesOf(declined).map((charge, index) =>
    index === 0 ? { ...charge, status: 'declined', is_refundable: false } : charge,
  );
  await using service = await startRefunds([{ ...declined, charges: listOf(...charges) }]);
  service.write(
    'refunds.csv',
    csvOf([
      'order_id,charge_id,amount',
      'ord_s,1,full',
      'ord_s,9,1019',
      'ord_gone,any,45600',
      'ord_s,2,full',
    ]),
  );
  const ran = await compare(service, '--json');
  const since = await compare(service, '--since', '1d');
  expect(recordsIn(ran).map(({ wanted, verdict }) => [wanted, verdict])).toEqual([
    [0, 'not_refunded'],
    [1019, 'not_found'],
    [45600, 'not_found'],
    [2000, 'not_refunded'],
  ]);
  expect(ran.stderr).not.toContain('not in the file');
  // Whoever asked for other refunds wants to hear that there are none.
  expect(since.stderr).toContain('0 not in the file');
});
