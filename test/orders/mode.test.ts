/** The mode of an order: reads show an order of no mode with a warning, changes refuse it, and in a plan it is looked at. */

import { afterEach, describe, expect, test } from 'vitest';
import { chargeOf, inProduction, type Json, orderOf } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';
import { startRefunds } from '../refunds/refund-service.ts';

let service: Service;
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

const paid = (livemode: unknown, ofCharge: unknown = false, changes: Json = {}): Json => ({
  ...orderOf('ord_1', [chargeOf('ch_1', 900, { livemode: ofCharge })], changes),
  livemode,
});

async function serve(order: Json): Promise<void> {
  service = await startService({ orders: [order] });
}

const run = (words: string) => service.run(words.split(' '));
const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

describe.each<[string, Json, string]>([
  ['is absent', paid(undefined), 'its livemode is not shown'],
  ['is null', paid(null), 'its livemode is not shown'],
  ['is 0', paid(0), 'its livemode is 0'],
  ['is a text', paid('false'), 'its livemode is "false"'],
  [
    'is false, and that of a charge true',
    paid(false, true),
    'its livemode is false, and that of its charge 1 is true',
  ],
  [
    'is true, and that of a charge false',
    paid(true, false),
    'its livemode is true, and that of its charge 1 is false',
  ],
])('an order whose livemode %s', (_, order, why) => {
  const problem = `nobody can tell whether ord_1 is real money: ${why}`;

  test('is shown with a first line that says what that means for whoever wants to refund it', async () => {
    await serve(order);
    expect(inOneLine((await run('orders show ord_1')).stdout)).toContain(
      `NO MODE ${why}: nobody can tell whether it is real money paydesk refunds and captures nothing of it: ask whoever runs the service`,
    );
  });

  test.each(['orders show ord_1 --json', 'orders list', 'orders find 4242'])(
    'is shown with a warning: %s',
    async (words) => {
      await serve(order);
      const { code, stdout, stderr } = await run(words);
      expect([code, stdout]).toEqual([0, expect.stringContaining('ord_1')]);
      expect(inOneLine(stderr)).toContain(`${problem}; nothing of it is refunded or captured`);
    },
  );

  test('is warned of below refunds list', async () => {
    await serve(order);
    expect(inOneLine((await run('refunds list --live')).stderr)).toContain(problem);
  });

  test.each([
    'orders refund ord_1 --yes',
    'orders refund ord_1 --dry-run',
    'orders refund ord_1 --charge 1 --amount 5 --yes',
  ])('is not refunded (3): %s', async (words) => {
    await serve(order);
    const { code, stderr } = await run(words);
    expect(code).toBe(3);
    expect(inOneLine(stderr)).toContain(`refused: ${problem} certain: nothing was sent`);
    expect(stderr).toContain('paydesk orders show ord_1');
    expect(service.posts).toEqual([]);
  });

  test('is not captured (3), and nothing is sent for it with api', async () => {
    await serve({ ...order, payment_status: 'pre_authorized' });
    const captured = await run('orders capture ord_1 --yes');
    expect([captured.code, inOneLine(captured.stderr)]).toEqual([3, expect.stringContaining(problem)]);
    const posted = await run('api POST orders/ord_1/notes --yes');
    expect([posted.code, inOneLine(posted.stderr)]).toEqual([3, expect.stringContaining(problem)]);
    expect(service.posts).toEqual([]);
  });

  test('is none that can be refunded', async () => {
    await serve(order);
    const { stdout } = await run('orders show ord_1');
    expect(stdout).toMatch(/^ord_1 {2}paid, no mode/);
    expect(stdout).not.toContain('orders refund');
    expect((await run('orders list --refundable --json')).stdout).not.toContain('ord_1');
  });
});

test('an order of the other mode: warned of, not refunded, and none that can be', async () => {
  await serve(inProduction(paid(false)));
  const other = 'profile environment says sandbox, but ord_1 is real money (livemode true)';
  const shown = await run('orders show ord_1');
  expect([shown.code, inOneLine(shown.stderr)]).toEqual([0, expect.stringContaining(other)]);
  expect(shown.stdout).toContain('cannot be refunded');
  expect((await run('orders list --refundable --json')).stdout).not.toContain('ord_1');
  const refused = await run('orders refund ord_1 --yes');
  expect([refused.code, inOneLine(refused.stderr)]).toEqual([3, expect.stringContaining(other)]);
  expect(service.posts).toEqual([]);
});

test.each([
  ['of no mode', paid('false')],
  ['of the other mode', inProduction(paid(false))],
])('in a plan the row of an order %s is to be looked at, and not sent', async (_, order) => {
  const refunds = await startRefunds([order]);
  service = refunds;
  const planned = await refunds.plan(['order_id,amount', 'ord_1,full'], '--json');
  const row = {
    verdict: 'look',
    why: expect.stringMatching(/nobody can tell whether .* is real money|says sandbox, but/),
  };
  expect([planned.code, JSON.parse(planned.stdout)]).toMatchObject([8, { data: [row] }]);
  const applied = await refunds.apply();
  expect(applied.code, applied.stderr + planned.stdout).toBe(8);
  expect(refunds.made).toEqual([]);
});
