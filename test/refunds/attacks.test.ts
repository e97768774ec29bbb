/** Attacks on bulk refunds: ways in which more money could go back than the file says, or in which a row could be lost. */

import { expect, it } from 'vitest';
import { clockOff } from '../harness/clock.ts';
import { chargesOf, listOf, notReturnable } from '../harness/orders.ts';
import { json } from '../harness/server.ts';
import { order, orders, type RefundService, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

const titles = 'order_id,charge_id,amount,ref';

function sumOf({ made }: Pick<RefundService, 'made'>): number {
  return made.reduce((sum, { amount }) => sum + amount, 0);
}

/** The service lists the charges of its only order the other way round from now on. */
function turnCharges(service: RefundService): void {
  const [found = {}] = service.orders;
  service.change(String(found.id), { charges: listOf(...chargesOf(found).toReversed()) });
}

// ── Which charge is meant ───────────────────────────────────────────────────────────────────────

it('F26 an amount for any charge is not sent once more when its parts went back as rows of their own', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 200, 100, 500)]);
  await service.plan([titles, 'ord_s,ch_1,200,', 'ord_s,ch_2,100,']);
  await service.apply();

  const planned = await service.plan([titles, 'ord_s,any,300,'], '--allocate', 'in-order', '--json');
  const applied = await service.apply();

  expect([planned.code, applied.code]).toEqual([8, 8]);
  expect(recordsIn(planned)).toMatchObject([
    {
      verdict: 'impossible',
      why: expect.stringMatching(
        /rf_1 refunded charge ch_1 of this order before with 200 \(plan p_\w+\): .* --again rf_1$/,
      ),
    },
  ]);
  expect(sumOf(service)).toBe(300);
});

it('F26 the rest of a spread amount that went back by the file of --rest is not spread over a third charge', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 200, 100, 500)], {
    // The second part fails at first.
    instead: (_, apply) => (service.posts.length === 2 ? json(notReturnable, 428) : json(apply())),
  });
  const spread = [titles, 'ord_s,any,300,'];
  await service.plan(spread, '--allocate', 'in-order');
  await service.apply();
  await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv']);
  await service.plan('rest.csv');
  const rest = await service.apply();

  const planned = await service.plan(spread, '--allocate', 'in-order', '--json');
  await service.apply();

  expect(rest.code).toBe(0);
  expect(recordsIn(planned).map(({ verdict }) => verdict)).toEqual(['done', 'done']);
  expect(sumOf(service)).toBe(300);
});

it('F27 a row whose charge was edited from any to an id needs --again when the old file is planned', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 100, 500)]);
  await service.plan([titles, 'ord_s,ch_1,100,']);
  await service.apply();
  const old = [titles, 'ord_s,any,100,'];

  await service.plan(old);
  await service.apply();
  expect(sumOf(service)).toBe(100);

  await service.plan(old, '--again', 'rf_1');
  const sent = await service.apply();
  expect(sent.code).toBe(0);
  expect(sumOf(service)).toBe(200);
});

it('a part of a spread amount that is like a row of an earlier plan is not reported as applied', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 200, 400)]);
  await service.plan([titles, 'ord_s,ch_2,100,']);
  await service.apply();
  const more = ['--allocate', 'in-order', '--again', 'rf_1', '--json'];

  const planned = await service.plan([titles, 'ord_s,any,300,'], ...more);
  await service.apply();
  expect(recordsIn(planned)).toMatchObject([
    {
      verdict: 'impossible',
      why: 'this would repeat an earlier row, 100 MXN of charge ch_2: give it a ref of its own',
    },
  ]);
  expect(sumOf(service)).toBe(100);

  await service.plan([titles, 'ord_s,any,300,friday'], ...more);
  const sent = await service.apply();
  expect(sent.code).toBe(0);
  expect(sumOf(service)).toBe(400);
});

it('a number of a charge means the same charge in a refreshed plan, however the service lists them now', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
  await service.plan([titles, 'ord_s,1,500,', 'ord_s,2,700,']);
  turnCharges(service);

  await service.run(['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan']);
  const applied = await service.run(['refunds', 'apply', 'new.plan', '--yes']);

  expect(applied.code).toBe(0);
  expect(service.made).toEqual([
    { order: 'ord_s', charge: 'ch_1', amount: 500 },
    { order: 'ord_s', charge: 'ch_2', amount: 700 },
  ]);
});

it('F26 a row that was applied is done in a refreshed plan, although its number is another charge now', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
  await service.plan([titles, 'ord_s,1,500,']);
  await service.apply();
  turnCharges(service);

  const refreshed = await service.run([
    'refunds',
    'plan',
    '--refresh',
    'refunds.plan',
    '--to',
    'new.plan',
    '--json',
  ]);
  await service.run(['refunds', 'apply', 'new.plan', '--yes']);
  // The same file once more: here the number is all that there is.
  const planned = await service.plan('refunds.csv', '--json');
  await service.apply();

  expect(recordsIn(refreshed)).toMatchObject([{ verdict: 'done', charge_id: 'ch_1' }]);
  expect(recordsIn(planned)).toMatchObject([
    { verdict: 'impossible', why: expect.stringMatching(/ refunded charge ch_1 of this order before /) },
  ]);
  expect(sumOf(service)).toBe(500);
});

it.each([
  ['two ways of writing the same letter', 'caf\u00e9', 'cafe\u0301'],
  ['a sign that joins two letters', 'a', 'a\u034f'],
  ['a blank letter', 'a', 'a\u3164'],
])('F51 a ref that only looks like another one is refused: %s', async (_, one, other) => {
  await using service = await startRefunds(orders(1));

  const ran = await service.plan([titles, `ord_1,any,100,${one}`, `ord_1,any,100,${other}`]);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 3: ref ');
});

// ── Totals and clocks ───────────────────────────────────────────────────────────────────────────

it('F52 a total counts all rows in a currency, whether the service writes mxn or MXN', async () => {
  await using service = await startRefunds([order('ord_1', { currency: 'mxn' }), order('ord_2')]);
  const rows = [titles, 'ord_1,any,5000,', 'ord_2,any,100,'];

  const less = await service.plan(rows, '--expect-total', 'MXN=100');
  const right = await service.plan(rows, '--expect-total', 'MXN=5100');

  expect(less.code).toBe(2);
  expect(less.stderr).toContain('--expect-total MXN=100: the rows add up to 5100 MXN');
  expect(right.code).toBe(0);
});

it('a row that the service refused stays refused, although the clock of the machine is an hour ahead', async () => {
  await using service = await startRefunds(orders(1), {
    instead: () => json(notReturnable, 428),
    env: clockOff(3_600_000),
  });
  await service.plan([titles, 'ord_1,any,full,']);

  await service.apply();
  const second = await service.apply('--json');

  expect(recordsIn(second)).toMatchObject([{ verdict: 'refused' }]);
  expect(service.posts).toHaveLength(1);
});

it('F53 a plan that was made by a clock far ahead does not stay young: it is refused', async () => {
  await using service = await startRefunds(orders(1));
  service.write('refunds.csv', `${titles}\nord_1,any,full,\n`);
  await service.run(['refunds', 'plan', 'refunds.csv', '--to', 'refunds.plan'], {
    env: clockOff(7 * 86_400_000),
  });

  const ran = await service.apply();

  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('which is later than now');
  expect(service.posts).toEqual([]);
});

// ── What is said ────────────────────────────────────────────────────────────────────────────────

it('compare: a refund too many is said, although the last row of its order is about another charge', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
  for (const amount of [100, 50]) service.refund('ord_s', 'ch_1', amount);
  service.refund('ord_s', 'ch_2', 300);
  service.write('list.csv', 'order_id,charge_id,amount\nord_s,ch_1,100\nord_s,ch_2,300\n');

  const ran = await service.run(['refunds', 'compare', 'list.csv', '--json']);

  expect(ran.code).toBe(8);
  expect(recordsIn(ran)).toMatchObject([
    { verdict: 'more', refunded: 150 },
    { verdict: 'refunded', refunded: 300 },
  ]);
});

it('compare --since finds a refund of a charge that no row is about, also of an order in the file', async () => {
  await using service = await startRefunds([splitOrder('ord_s', 1000, 2000)]);
  service.refund('ord_s', 'ch_1', 100);
  const other = service.refund('ord_s', 'ch_2', 300);
  service.write('list.csv', 'order_id,charge_id,amount\nord_s,ch_1,100\n');

  const ran = await service.run(['refunds', 'compare', 'list.csv', '--since', '1d', '--json']);

  expect(ran.code).toBe(8);
  expect(recordsIn(ran)).toMatchObject([
    { verdict: 'refunded' },
    { verdict: 'not_in_file', refund_id: other, refunded: 300 },
  ]);
});

it('a command to copy quotes the name of the plan', async () => {
  await using service = await startRefunds(orders(1));
  service.write('refunds.csv', `${titles}\nord_1,any,full,\n`);
  const path = 'x; touch pwned.plan';

  const ran = await service.run(['refunds', 'plan', 'refunds.csv', '--to', path]);

  expect(ran.stderr).toContain(`refunds apply '${path}'`);
});

it('a title and the words of the service bring no escape sequence into a CSV', async () => {
  const status = 'x\u001b[2J';
  await using service = await startRefunds([order('ord_1', { payment_status: status })]);

  const planned = await service.plan(['order_id,amount,seat\u001b[2J', 'ord_1,full,A1'], '--csv');
  await service.run(['refunds', 'status', 'refunds.plan', '--rest', 'rest.csv']);

  expect(planned.stdout).toContain('input.seat\u241b[2J\n');
  expect(planned.stdout).not.toContain('\u001b');
  expect(service.read('rest.csv')).toContain('payment_status x\u241b[2J');
});
