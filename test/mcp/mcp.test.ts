/** A software agent, by the official client of its protocol: it reads with personal data masked, and proposes; it never sends. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { chargeOf, inProduction, orderOf, refundedWhole, refundOf, withRefund } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';
import { agentAt, agentProcess, type Era } from './agent.ts';

let shop: Service;
beforeEach(async () => {
  shop = await startService({
    orders: [
      orderOf('ord_1', [chargeOf('ch_1', 900)], {
        customer_info: {
          object: 'customer_info',
          customer_id: 'cus_1',
          name: 'Ana Torres Ruiz',
          email: 'ana.torres@example.com',
          phone: '+52 55 1234 5678',
        },
        shipping_contact: {
          receiver: 'Luis Torres',
          address: { street1: 'Calle Luna 7', postal_code: '06600' },
        },
        metadata: { shop_order: 'A-10023', gift_for: 'Marta Sol' },
      }),
    ],
    onPost: (order) => json(refundedWhole(order ?? {})),
  });
});
afterEach(() => shop[Symbol.asyncDispose]());

const row = { order_id: 'ord_1', charge_id: 'ch_1', amount: '300', reason: 'requested_by_client' };

test.each<Era>(['legacy', 'auto'])('an agent of either era reads an order (%s)', async (era) => {
  await using agent = await agentProcess(shop, era);
  const { tools } = await agent.tools();
  const writing = tools
    .filter(({ annotations }) => annotations?.readOnlyHint !== true)
    .map(({ name }) => name);
  expect(writing).toEqual(['propose_refunds']);
  const shown = await agent.call('orders_show', { id: 'ord_1' });
  expect(shown).toMatchObject({
    isError: false,
    exit_code: 0,
    data: { result: { id: 'ord_1', amount: 900, metadata: { shop_order: 'A-10023' } } },
  });
});

test('personal data is masked, in lists and errors too', async () => {
  await using agent = await agentAt(shop);
  const answers = [
    await agent.call('orders_show', { id: 'ord_1' }),
    await agent.call('orders_list', { limit: 5 }),
    await agent.call('orders_find', { text: ['torres'] }),
    await agent.call('orders_show', { id: 'ana.torres@example.com' }),
  ];
  const personal = /Ana|Torres|Ruiz|Luis|Luna|06600|1234 5678|Marta|Sol\b|4242/;
  for (const { text } of answers) expect(text).not.toMatch(personal);
  expect(answers[0]?.text).toMatch(/masked-[0-9a-f]{12}/);
  expect(answers[3]).toMatchObject({ isError: true, exit_code: 2 });
});

test('a proposal is a plan: nothing is sent until a person applies it', async () => {
  await using agent = await agentAt(shop);
  const proposed = await agent.call('propose_refunds', { rows: [{ ...row, amount: '900' }], for: 'Lea' });
  expect(proposed).toMatchObject({ isError: false, exit_code: 0 });
  expect(shop.posts).toEqual([]);
  const [plan = ''] = readdirSync(shop.home.path).filter((name) => /^proposed-.*\.plan$/.test(name));
  expect(readFileSync(join(shop.home.path, plan), 'utf8')).toContain('"operator":"agent mcp for Lea"');
  expect(proposed.data.notes?.join('\n')).toContain(`refunds apply ${plan}`);
  const applied = await paydesk(['refunds', 'apply', plan, '--yes'], { home: shop.home, env: shop.env });
  expect(applied.code, applied.stderr).toBe(0);
  expect(shop.posts).toHaveLength(1);
});

test('a row that cannot be sent is said, and another total than the rows have is refused', async () => {
  await using agent = await agentAt(shop);
  const much = await agent.call('propose_refunds', { rows: [{ ...row, amount: '5000' }] });
  expect(much).toMatchObject({ isError: true, exit_code: 8 });
  const other = await agent.call('propose_refunds', { rows: [row], totals: { MXN: '301' } });
  expect(other.isError).toBe(true);
  expect(other.text).toContain('301');
  expect(shop.posts).toEqual([]);
});

test('what is wrong with a call is said by its rows and fields, with the reason', async () => {
  await using agent = await agentAt(shop);
  const propose = (rows: readonly object[], more = {}) => agent.call('propose_refunds', { rows, ...more });
  const much = await propose(
    [
      { ...row, ref: 'a' },
      { ...row, amount: '5000', ref: 'b' },
    ],
    { totals: { MXN: '5' } },
  );
  const twice = await propose([row, row]);
  const field = await propose([row, { ...row, again: 're_1' }]);
  const top = await agent.call('orders_show', { id: 'ord_1', profile: 'x' });
  const { reason: _, ...rest } = row;
  const form = await propose([row, { ...rest, amount: 5 }]);
  expect(form.text).toContain(
    'row 2 needs the field reason; row 2: amount must be string; correct that, then call the tool again',
  );
  const choice = await propose([{ ...row, reason: 'because' }]);
  expect(choice.text).toMatch(/row 1: reason must be one of [a-z_]+, .*; correct that/);
  const asker = await propose([row], { for: 'ana, approved by lea' });
  expect(asker.data.error).toMatchObject({
    message: 'for ana, approved by lea: not the name of a person',
    certain: 'no plan was written',
    now: [expect.stringContaining('letters of one script')],
  });
  shop.orders = shop.orders.map((one) => withRefund(one, refundOf('re_1', 300), 300));
  const repeat = await propose([
    { ...row, amount: '200', ref: 'a' },
    { ...row, ref: 'b' },
  ]);
  expect(Object(much.data.error)).toMatchObject({
    message: 'totals.MXN 5: the rows add up to 5300 MXN',
    now: [
      'impossible row: row 2',
      expect.stringMatching(/^row 2: .*900/),
      'find out which is right, the rows or totals; then call the tool again',
    ],
  });
  expect(Object(twice.data.error)).toMatchObject({
    message: 'this call has 1 error',
    notes: [expect.stringMatching(/^row 2: row 1 may refund the same money/)],
    now: ['correct the rows, then call the tool again'],
  });
  expect(field.text).toContain('row 2: there is no field again; the fields are order_id, charge_id, amount');
  expect(top.text).toContain('there is no field profile; the fields are id');
  expect(repeat.data.result).toMatchObject({ data: [{ row: 1 }, { row: 2 }] });
  expect(repeat.text).toContain('a person refunds it, at a terminal, with --again');
  expect([much, twice, repeat].map(({ text }) => text).join()).not.toMatch(/lines? \d|the file|add --/);
});

test('an agent is told at the start what it can do here', async () => {
  await using agent = await agentAt(shop);
  expect(agent.instructions()).toContain('Nothing here moves money');
});

describe('no attempt to move money succeeds', () => {
  const attempts: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[] = [
    ['orders_refund', { id: 'ord_1', yes: true }],
    ['orders_capture', { id: 'ord_1', yes: true }],
    ['refunds_apply', { plan: 'a.plan', yes: true }],
    ['api', { method: 'POST', path: 'orders/ord_1/refunds' }],
    ['journal_settle', { change: 'i_7f3k2m9x', applied: true }],
    ['approvals_approve', { request: 'r_7f3k2m9q' }],
    ['profile_set', { name: 'x', setting: 'refund.max_amount.MXN', value: '900000' }],
    ['sender_limits', { who: 'all' }],
    ['simulator_reset', {}],
    ['mcp', {}],
    ['orders_show', { id: 'ord_1', yes: true }],
    ['orders_show', { id: '--yes' }],
    ['orders_show', { id: 'ord_1\n--yes' }],
    ['orders_show', { id: '; paydesk orders refund ord_1 --yes' }],
    ['orders_show', { id: 'ord_1/refunds' }],
    ['orders_show', { id: '../orders/ord_1/refunds' }],
    ['orders_find', { text: ['--yes', 'orders', 'refund', 'ord_1'] }],
    ['orders_list', { limit: '5 --yes' }],
    ['orders_list', { status: 'paid --yes' }],
    ['orders_list', { 'base-url': 'https://other.example' }],
    ['orders_list', { profile: 'other' }],
    ['orders_list', { next: '--to=/tmp/x' }],
    ['journal_show', { change: '--repair' }],
    ['journal_list', { from: '/etc/passwd' }],
    ['today', { watch: true }],
    ['refunds_list', { to: 'journal.db' }],
    ['propose_refunds', { rows: [] }],
    ['propose_refunds', { rows: [{ ...row, again: 'rf_1' }] }],
    ['propose_refunds', { rows: [row], apply: true }],
    ['propose_refunds', { rows: [row], to: '/etc/passwd' }],
    ['propose_refunds', { rows: [{ ...row, order_id: 'ord_1","ch_1","300","other"\n"ord_1' }] }],
    ['propose_refunds', { rows: [{ ...row, amount: '-300' }] }],
    ['propose_refunds', { rows: [{ ...row, amount: '=300' }] }],
    ['propose_refunds', { rows: [{ ...row, charge_id: 'any' }] }],
    ['propose_refunds', { rows: [row], totals: { 'MXN=300 --force': '1' } }],
    ['propose_refunds', { rows: [row], for: 'x'.repeat(200) }],
    ['propose_refunds', { rows: 'ord_1' }],
    ['propose_refunds', {}],
    ['orders_summary', { period: 'today; rm -rf' }],
    ['customers_show', { id: 'cus_1', unmasked: true }],
  ];

  test(`of ${attempts.length}, by tool and input: none is sent, none is written but a plan`, async () => {
    await using agent = await agentAt(shop);
    // A tool that is not there is an error of the protocol. Some inputs only find nothing.
    for (const [name, input] of attempts) await agent.call(name, input).catch(() => undefined);
    expect(shop.posts).toEqual([]);
    expect(new Set(shop.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(
      readdirSync(shop.home.path).filter((name) => !name.startsWith('.') && !name.endsWith('.plan')),
    ).toEqual([]);
  });
});

test('an agent is not answered at a terminal, and the end of its input ends the run', async () => {
  using home = newHome();
  const piped = await paydesk(['mcp'], { home, env: shop.env, input: '' });
  expect(piped).toMatchObject({ code: 0, stdout: '' });
  const atTerminal = sit(['mcp'], { home, env: shop.env });
  expect(await atTerminal.leaves).toMatchObject({
    code: 2,
    screen: expect.stringContaining('mcp is started by an agent'),
  });
});

describe('a run that says that an agent started it', () => {
  const words = ['orders', 'refund', 'ord_1', '--yes', '--reason', 'requested_by_client', '--json'];

  test.each(['PAYDESK_AGENT', 'AI_AGENT'])(
    'with %s sends nothing in production, whatever it confirms',
    async (name) => {
      await using real = await startService({
        mode: 'production',
        orders: [inProduction(orderOf('ord_1', [chargeOf('ch_1', 900)]))],
      });
      const ran = await paydesk([...words, '--confirm', 'ord_1'], {
        home: real.home,
        env: { ...real.env, [name]: 'helper' },
      });
      expect(ran.code, ran.stderr).toBe(3);
      expect(JSON.parse(ran.stderr)).toMatchObject({
        message: 'agent helper started this run, and in production a person sends',
        certain: 'nothing was sent',
      });
      expect(real.posts).toEqual([]);
    },
  );

  test('stands in the journal of a sandbox as an agent for its user', async () => {
    const ran = await paydesk(words, {
      home: shop.home,
      env: { ...shop.env, PAYDESK_AGENT: 'helper', PAYDESK_OPERATOR: 'Lea' },
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(journalRows(shop.home)[0]).toMatchObject({ type: 'sent', operator: 'agent helper for Lea' });
  });
});

test('a shell of an agent sees what its tools see: personal data only if the account shows it to agents; its user sees all', async () => {
  const home = shop.home;
  await storeShop(home, shop);
  const see = async (env: Readonly<Record<string, string>>) => {
    const lines = [
      ['orders', 'list', '--columns', 'id,buyer,email'],
      ['orders', 'show', 'ord_1'],
      ['orders', 'refund', 'ord_1', '--dry-run'],
      ['orders', 'show', 'ord_1', '--json'],
    ];
    const ran = await Promise.all(lines.map((line) => paydesk(['-p', 'shop', ...line], { home, env })));
    for (const { code, stderr } of ran) expect(code, stderr).toBe(0);
    return ran.map(({ stdout, stderr }) => /Torres/.test(stdout + stderr));
  };
  const person = await see({});
  expect(person).toContain(true);
  expect(await see({ PAYDESK_AGENT: 'helper' })).toEqual([false, false, false, false]);
  expect(await see({ AI_AGENT: 'helper' })).toEqual([false, false, false, false]);

  const set = ['profile', 'set', 'shop', 'agents.personal_data', 'shown', '--yes'];
  expect(await paydesk(set, { home })).toMatchObject({ code: 0 });
  expect(await see({ PAYDESK_AGENT: 'helper' })).toEqual(person);
});

test('in production a proposal needs its totals, in words of the tool, and what is next is a release by a person', async () => {
  await using live = await startService({
    orders: [inProduction(orderOf('ord_1', [chargeOf('ch_1', 900)]))],
    mode: 'production',
  });
  await using agent = await agentAt(live);
  const without = await agent.call('propose_refunds', { rows: [row] });
  expect(without.isError).toBe(true);
  expect(without.text).toContain('totals');
  expect(without.text).not.toContain('--');
  const wrong = await agent.call('propose_refunds', { rows: [row], totals: { MXN: '301' } });
  expect(wrong.text).toContain('totals.MXN 301: the rows add up to 300 MXN');
  expect(wrong.text).not.toContain('--expect');

  const right = await agent.call('propose_refunds', { rows: [row], totals: { MXN: '300' } });

  expect(right.exit_code, right.text).toBe(0);
  expect(right.data.notes?.join('\n')).toMatch(
    /next: a person runs paydesk .*release proposed-\S+\.plan at a terminal, then: paydesk .*refunds apply proposed-/,
  );
  const { tools } = await agent.tools();
  const { description = '' } = tools.find(({ name }) => name === 'propose_refunds') ?? {};
  expect(description).toContain('An amount is a string, in the units of amount in orders_show');
});

test('personal data is shown to an agent only if the account says so, and more than before is asked for', async () => {
  const home = shop.home;
  await storeShop(home, shop);
  const set = ['profile', 'set', 'shop', 'agents.personal_data', 'shown'];
  expect(await paydesk(set, { home })).toMatchObject({ code: 2 });
  expect(await paydesk([...set, '--yes'], { home })).toMatchObject({ code: 0 });
  await using agent = await agentAt(shop);
  expect((await agent.call('orders_show', { id: 'ord_1' })).text).toContain('Ana Torres Ruiz');
});
