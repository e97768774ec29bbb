/** Amounts, and which charge they are for. */

import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/typed/command-line.ts';
import { each } from '../harness/each.ts';
import { chargeOf, listOf, paidOrder } from '../harness/orders.ts';
import { json } from '../harness/server.ts';
import { changing, startAnswering } from '../harness/service.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';

// Each says what is wrong with it.
const refused =
  /not an amount|no commas|declares no decimals|type it |is no amount|the largest is|shortened it|without (?:a sign|marks)/;

const refund = (amount: string) => ['orders', 'refund', id, '--charge', '1', '--yes', '--amount', amount];

test.each(['-5', '1.5', '1,000', '100,00', '', '٣', '9007199254740992'])(
  '--amount %j is no amount: exit 2, nothing is asked for (C18)',
  async (amount) => {
    await using desk = await startAnswering(json({}));
    const ran = await desk.run(refund(amount));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`--amount ${amount}`.trimEnd());
    expect(ran.stderr).toMatch(refused);
    expect(desk.server.connections).toBe(0);
  },
);

test.each(
  ['+5', '0', '007', '1e3', '0x10', '1_000', '100.', 'NaN', 'Infinity', '$5', '٣٠٠'].concat(
    '99999999999999999',
  ),
)('--amount %j is refused where every command line is read: no amount either (C18)', async (amount) => {
  const error = await readCommandLine(refund(amount), 80).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(/^--amount /) });
  expect(String(error)).toMatch(refused);
});

test.each(['1', '9007199254740990'])(
  '--amount %s reaches the service as exactly that integer, beside its charge_id (C18)',
  async (amount) => {
    const whole = { amount: 9_007_199_254_740_991 };
    await using desk = await startAnswering(
      changing(paidOrder(id, { ...whole, charges: listOf(chargeOf('ch_1', Number(whole.amount), whole)) })),
    );
    const ran = await desk.run(['orders', 'refund', id, '--amount', amount, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const sent = desk.server.requests.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => body)).toEqual([`{"charge_id":"ch_1","amount":${amount}}`]);
  },
);

test('--amount on an order with several charges that count exits 3, lists them, and sends nothing (C16)', async () => {
  const charges = listOf(
    chargeOf('ch_1', 35_000),
    chargeOf('ch_2', 17_000, { payment_method: { object: 'card_payment', last4: '5100' } }),
  );
  await using desk = await startAnswering(
    changing(paidOrder(id, { amount: 52_000, split_payment: true, charges })),
  );
  const ran = await desk.run(['orders', 'refund', id, '--amount', '300', '--yes']);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain('*4242');
  expect(ran.stderr).toContain(`paydesk orders refund ${id} --charge 1 --amount 300`);
  expect(ran.stderr).toContain('*5100');
  expect(ran.stderr).toContain(`paydesk orders refund ${id} --charge 2 --amount 300`);
  expect(desk.posts.length).toBe(0);
});

test('a declined charge beside a paid one does not count: --amount goes to the paid one (C16)', async () => {
  const charges = listOf(
    chargeOf('ch_1', 35_000, {
      status: 'declined',
      is_refundable: false,
      failure_code: 'insufficient_funds',
    }),
    chargeOf('ch_2', 35_000),
  );
  await using desk = await startAnswering(changing(paidOrder(id, { charges })));
  await desk.run(['orders', 'refund', id, '--amount', '300', '--yes']);
  const sent = desk.server.requests.filter(({ method }) => method === 'POST');
  expect(sent.map(({ body }) => body)).toEqual(['{"charge_id":"ch_2","amount":300}']);
});

test('more than is left of a charge exits 3 with the figures and sends nothing (C18)', async () => {
  await using desk = await startAnswering(changing(paidOrder(id)));
  const cases = ['35001', '9007199254740991'];
  for (const ran of await each(cases, (amount) =>
    desk.run(['orders', 'refund', id, '--amount', amount, '--yes']),
  )) {
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('35000');
    // A line to copy would pay back everything.
    expect(ran.stderr).not.toContain('orders refund');
  }
  expect(desk.posts.length).toBe(0);
});
