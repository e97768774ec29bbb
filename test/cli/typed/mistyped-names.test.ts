/** Names that were mistyped or cut: the error names what was probably meant, or the command that finds it. */

import { expect, test } from 'vitest';
import { chargeOf, orderOf } from '../../harness/orders.ts';
import { newHome, paydesk } from '../../harness/paydesk.ts';
import { startService, storeShop } from '../../harness/service.ts';

test.each([
  ['ammounts.grouping', 'did you mean amounts.grouping?'],
  ['reference.key', 'did you mean reference.keys?'],
  ['ammounts.decimals.mxn', 'did you mean amounts.decimals.MXN?'],
])('the setting %s: %s', async (name, meant) => {
  await using service = await startService({});
  await storeShop(service.home, service);
  const ran = await paydesk(['profile', 'set', 'shop', name, 'on'], { home: service.home });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`there is no setting ${name}`);
  expect(ran.stderr).toContain(meant);
});

test.each([
  ['dmo', 'did you mean demo?'],
  ['shopp', 'did you mean shop?'],
])('the profile %s: %s, and no command adds it', async (name, meant) => {
  await using service = await startService({});
  await storeShop(service.home, service);
  const ran = await paydesk(['-p', name, 'orders', 'list'], { home: service.home });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain(meant);
  expect(ran.stderr).not.toContain('profile add');
});

test('a profile that is like no other may be a new one', async () => {
  await using service = await startService({});
  const { stderr } = await paydesk(['-p', 'test-mx', 'orders', 'list'], { home: service.home });
  expect(stderr).toContain('paydesk profile add test-mx');
  expect(stderr).not.toContain('did you mean');
});

test('a cut order id leads to orders find, which finds the order; a whole one to the list', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  await using service = await startService({ orders: [orderOf(id, [chargeOf('ch_1', 20_000)])] });
  const cut = await service.run(['orders', 'show', 'ord_2tQ7']);
  expect(cut.code).toBe(5);
  expect(cut.stderr).toContain('         paydesk orders find ord_2tQ7\n');
  expect((await service.run(['orders', 'find', 'ord_2tQ7', '--csv', '--columns', 'id'])).stdout).toContain(
    id,
  );
  const word = await service.run(['orders', 'show', 'ord_none']);
  expect(word.stderr).toContain('         paydesk orders list\n');
  const whole = await service.run(['orders', 'show', 'ord_2tQ7zRk9PwE5xNvAn']);
  expect(whole.stderr).toContain('         paydesk orders list\n');
});

test.each([
  [
    'journal verify --period today',
    '--period is an option of journal list, orders list, orders find, orders export, orders summary, orders waiting, orders compare, orders twins, refunds compare, refunds list, refunds summary, report',
  ],
  ['prove --period today', 'did you mean: paydesk prove today'],
  ['orders refund ord_1 --reason duplicate', 'did you mean --reason duplicated_transaction?'],
  ['orders list --limit 0', 'leave --limit out, or type --limit 1 or more'],
])('%s: what may have been meant is a line to act on', async (line, says) => {
  await using service = await startService({});
  const ran = await service.run(line.split(' '));
  expect({ code: ran.code, requests: service.requests.length }).toEqual({ code: 2, requests: 0 });
  expect(ran.stderr).toContain(`now:     ${says}\n`);
});

test('a wrong reason shows the whole line with a reason near it, or all reasons as they are typed', async () => {
  await using service = await startService({});
  const near = await service.run(['orders', 'refund', 'ord_1', '--reason', 'fraude', '--yes']);
  expect([near.code, near.stderr]).toEqual([
    2,
    expect.stringContaining(
      'did you mean --reason suspected_fraud?\n         paydesk orders refund ord_1 --reason suspected_fraud --yes\n',
    ),
  ]);
  const none = await service.run(['orders', 'refund', 'ord_1', '--reason=zzz']);
  expect(none.stderr.match(/--reason \w+: .+/g)?.slice(1)).toEqual([
    '--reason requested_by_client: the buyer asked for it',
    '--reason cannot_be_fulfilled: the order cannot be fulfilled',
    '--reason duplicated_transaction: the buyer was charged twice',
    '--reason suspected_fraud: fraud is suspected',
    '--reason other: another reason',
  ]);
  expect(service.requests).toEqual([]);
});

test('a search for a word such as yesterday says how a time is typed', async () => {
  await using service = await startService({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 20_000)], { customer_info: { name: 'Ana' } })],
  });
  const { code, stderr } = await service.run(['orders', 'find', 'ana', 'Yesterday', '--refundable']);
  expect(code).toBe(5);
  expect(stderr).toContain(
    'Yesterday is a time; type it like this:\n         paydesk orders find ana --refundable --since yesterday\n',
  );
  expect(stderr).toContain('ids, buyers, cards, amounts, auth codes, items, metadata');
  expect((await service.run(['orders', 'find', 'monday'])).stderr).toContain(
    '         paydesk orders list --since monday\n',
  );
});

const names = [
  'Ana Torres',
  'ana torres',
  'María Íñiguez',
  'Zoë O’Connor-Smith',
  'Лариса Петрова',
  'Γιώργος Παπαδόπουλος',
];
const buyers = names.map((name, index) =>
  orderOf(`ord_${index}`, [chargeOf(`ch_${index}`, 20_000)], { customer_info: { name } }),
);

test.each([['page by page'], ['with the index']])(
  'a misspelt buyer is answered with the nearest names, %s',
  async (way) => {
    await using service = await startService({ orders: buyers });
    if (way === 'with the index') expect((await service.run(['index', 'build', '--yes'])).code).toBe(0);
    for (const [typed, meant, words] of [
      ['Torrse', 'Ana Torres (2 orders)', 'ana torres'],
      ['ana tores', 'Ana Torres (2 orders)', 'ana torres'],
      ['maria iñiges', 'María Íñiguez (1 order)', 'maria iniguez'],
      ['Petrova', 'Лариса Петрова (1 order)', "'лариса' 'петрова'"],
      ['Papadopoulos', 'Γιώργος Παπαδόπουλος (1 order)', "'γιωργοσ' 'παπαδοπουλοσ'"],
    ] as const) {
      const { code, stderr } = await service.run(['orders', 'find', ...typed.split(' ')]);
      expect(code).toBe(5);
      expect(stderr).toContain(`did you mean ${meant}?\n         paydesk orders find ${words}\n`);
    }
    expect((await service.run(['orders', 'find', 'nobody'])).stderr).not.toContain('did you mean');
    // No order has the number, so the buyer's orders are named.
    expect((await service.run(['orders', 'find', 'torres', '4243'])).stderr).toContain(
      'did you mean Ana Torres, without 4243 (2 orders)?\n         paydesk orders find ana torres\n',
    );
    const found = await service.run(['orders', 'find', 'zoe', 'oconnor', '--csv', '--columns', 'id']);
    expect(found.stdout).toBe('id\nord_3\n');
    const masked = await service.run(['orders', 'find', 'Torrse', '--redact']);
    expect(masked.stderr).not.toContain('did you mean');
  },
);

test('two ids in one search: all words must be in one order', async () => {
  const orders = ['ord_A', 'ord_B'].map((id) => orderOf(id, [chargeOf(`ch_${id}`, 20_000)]));
  await using service = await startService({ orders });
  const words = 'all words must be in one and the same order; search for several orders one at a time, or';
  const two = await service.run(['orders', 'find', 'ord_A', 'ord_B']);
  expect(two.code).toBe(5);
  expect(two.stderr).toContain(words);
  expect(two.stderr).toContain('paydesk orders find ord_A\n');
  expect((await service.run(['orders', 'find', 'ord_A', '20000'])).code).toBe(0);
  expect((await service.run(['orders', 'find', 'nobody'])).stderr).not.toContain(words);
});

test('journal show takes the id of a refund that the journal knows', async () => {
  using home = newHome();
  const demo = (...args: readonly string[]) => paydesk(['-p', 'demo', ...args], { home });
  const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '1', '--amount', '700', '--yes'];
  expect((await demo(...refund)).code).toBe(0);
  const list = JSON.parse((await demo('journal', 'list', '--json')).stdout) as {
    readonly data: readonly { readonly change: string; readonly refunds: string }[];
  };
  const { change, refunds = '' } = list.data[0] ?? {};
  const shown = await demo('journal', 'show', refunds, '--json');
  expect(shown.code, shown.stderr).toBe(0);
  expect(JSON.parse(shown.stdout)).toMatchObject({ change });
  expect((await demo('journal', 'show', `${refunds}0`)).code).toBe(5);
});
