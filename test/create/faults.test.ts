/** Wrong values of creations: exit 2, the flag or the path of the fault is named, and nothing is sent. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startCreations } from '../harness/service.ts';

let desk: Service;
beforeAll(async () => {
  desk = await startCreations();
});
afterAll(() => desk[Symbol.asyncDispose]());

const order = ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN'];
const link = ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN'];
const hosted = [...order, '--checkout', 'HostedPayment'];

const wrongFlags: readonly (readonly [says: string, args: readonly string[]])[] = [
  ['missing --item, --currency', ['orders', 'create']],
  ['missing --name, --item, --currency', ['checkout', 'create']],
  ['--item Lamp', [...order, '--item', 'Lamp']],
  ['--item :300:1', [...order, '--item', ':300:1']],
  ['--item Lamp:-1:1', [...order, '--item', 'Lamp:-1:1']],
  ['--item Lamp:1.5:1', [...order, '--item', 'Lamp:1.5:1']],
  ['--item Lamp:300:0', [...order, '--item', 'Lamp:300:0']],
  ['--item Lamp:9007199254740993:1', [...order, '--item', 'Lamp:9007199254740993:1']],
  ['--currency PESOS', ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'PESOS']],
  ['--customer ord_1', [...order, '--customer', 'ord_1']],
  ['--item-sku 2=L-9: there is no item 2', [...order, '--item-sku', '2=L-9']],
  ['--item-sku is given twice for item 1', [...order, '--item-sku', '1=a', '--item-sku', '1=b']],
  ['--item-tag sale', [...order, '--item-tag', 'sale']],
  ['--shipping 1e3', [...order, '--shipping', '1e3']],
  ['param shipping_contact[address][country]', [...order, '--ship-street', 'Calle 1']],
  ['shipping_contact[address]: missing', [...order, '--ship-phone', '1']],
  ['--metadata test', [...order, '--metadata', 'test']],
  ['--metadata a is given twice', [...order, '--metadata', 'a=1', '--metadata', 'a=2']],
  ['--checkout Hosted', [...order, '--checkout', 'Hosted']],
  ['--plan needs --checkout', [...order, '--plan', 'plan_1']],
  [
    'checkout[success_url]: applies to HostedPayment only',
    [...order, '--checkout', 'Integration', '--success-url', 'https://a.example'],
  ],
  ['checkout[failure_url]: not a URL', [...hosted, '--failure-url', 'nowhere']],
  ['--method oxxo', [...hosted, '--method', 'oxxo']],
  ['--installments 3,', [...hosted, '--installments', '3,']],
  ['looks like milliseconds; in Unix seconds it is 1900000000', [...hosted, '--expires', '1900000000000']],
  ['the service takes Unix seconds up to 2147483647', [...link, '--expires', '2147483648']],
  ['the service takes Unix seconds up to 2147483647', [...link, '--expires', '2039-01-01']],
  ['--expires 2030-02-31', [...link, '--expires', '2030-02-31']],
  ['it would expire in the past, at 1577836800', [...link, '--expires', '2020-01-01T00:00:00Z']],
  ['it would expire in the past, at 1577836800', [...hosted, '--expires', '1577836800']],
  ['--expires tomorrow', [...link, '--expires', 'tomorrow']],
  ['--customer-name and --customer contradict', [...link, '--customer', 'cus_1', '--customer-name', 'Ana']],
  ['--body and --item contradict', [...link, '--body', '-']],
];

describe.concurrent('a wrong flag', () => {
  test.each(wrongFlags)('%s', async (says, args) => {
    const ran = await desk.run([...args, '--yes', '--no-input']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
  });
});

const item = { name: 'Lamp', unit_price: 300, quantity: 1 };
const goodOrder = { currency: 'MXN', line_items: [item] };
const goodLink = { name: 'Lamp', type: 'PaymentLink', order_template: goodOrder };

const wrongBodies: readonly (readonly [command: string, faults: readonly string[], body: unknown])[] = [
  ['orders', ['currency: missing', 'line_items: missing'], {}],
  [
    'orders',
    [
      'currency: not a currency code such as MXN',
      'line_items: empty: an order needs at least one item',
      'customer_info[customer_id]: missing',
      'shipping_lines[1][amount]: not a whole number of 0 or more',
      'shipping_contact[phone]: not text',
      'metadata: not an object',
      'checkout[type]: not one of Integration, HostedPayment',
      'one: not a documented field',
      'two: not a documented field',
    ],
    {
      currency: 'M',
      line_items: [],
      customer_info: {},
      shipping_lines: [{ amount: 0 }, { amount: -1 }],
      shipping_contact: { phone: 5, address: { street1: 'a', country: 'MX', postal_code: '1' } },
      metadata: ['a'],
      checkout: { type: 'PaymentLink' },
      one: 1,
      two: 2,
    },
  ],
  [
    'orders',
    ['line_items: not a list', 'checkout[plan_id]: not a documented field: here it is planId'],
    { ...goodOrder, line_items: item, checkout: { type: 'Integration', plan_id: 'p' } },
  ],
  [
    'orders',
    [
      'line_items[0][name]: empty',
      'line_items[0][unit_price]: not a whole number of 0 or more',
      'line_items[0][quantity]: not a whole number of 1 or more',
      'line_items[0][tags]: not a list',
      'line_items[0][color]: not a documented field',
      'checkout[expires_at]: looks like milliseconds; in Unix seconds it is 1900000000',
      'checkout[allowed_payment_methods][1]: not one of cash, card, bank_transfer',
      'checkout[needs_shipping_contact]: not true or false',
      'checkout[monthly_installments_options][0]: not a whole number of 1 or more',
      'checkout[success_url]: applies to HostedPayment only',
    ],
    {
      currency: 'MXN',
      line_items: [{ name: '', unit_price: 1.5, quantity: '1', tags: 'sale', color: 'red' }],
      checkout: {
        type: 'Integration',
        success_url: 'https://shop.example.com/',
        expires_at: 1_900_000_000_000,
        allowed_payment_methods: ['card', 'oxxo'],
        needs_shipping_contact: 'yes',
        monthly_installments_options: ['3'],
      },
    },
  ],
  [
    'checkout',
    [
      'type: not PaymentLink',
      'name: missing',
      'recurrent: not true or false',
      'plan_id: not text',
      'order_template[line_items][0][sku]: not a documented field',
    ],
    {
      type: 'Integration',
      recurrent: 1,
      plan_id: 7,
      expires_at: 1_900_000_000,
      order_template: { ...goodOrder, line_items: [{ ...item, sku: 'a' }] },
    },
  ],
];

describe.concurrent('a wrong body names every fault by its path', () => {
  test.each(wrongBodies)('%s create: %j', async (noun, faults, body) => {
    const ran = await desk.run([noun, 'create', '--body', '-', '--yes', '--json'], {
      input: JSON.stringify(body),
    });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const { details } = JSON.parse(ran.stderr) as { details: { param: string; message: string }[] };
    expect(details.map(({ param, message }) => `${param}: ${message}`).sort()).toEqual([...faults].sort());
  });

  test('names of JavaScript are fields like any other', async () => {
    const body = `{"constructor":1,"__proto__":{"a":1},"toString":2,${JSON.stringify(goodOrder).slice(1)}`;
    const ran = await desk.run(['orders', 'create', '--body', '-', '--yes'], { input: body });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('3 faults');
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(ran.stderr).toContain(`not a documented field (param ${name})`);
  });

  test('text of another encoding is not sent with its letters replaced', async () => {
    const file = join(desk.home.path, 'latin1.json');
    writeFileSync(file, Buffer.from(JSON.stringify({ ...goodLink, name: 'Pérez' }), 'latin1'));
    const ran = await desk.run(['checkout', 'create', '--body', file, '--yes']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${file} is not UTF-8 text`);
  });

  test('a flag with a page pasted into it is answered in a few lines', async () => {
    const ran = await desk.run([...order, '--expires', 'x'.repeat(100_000), '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr.length).toBeLessThan(1_000);
    expect(ran.stderr).toContain('not a time such as 7d');
  });

  test.each([
    ['does not contain JSON', '{'],
    [
      'amount appears twice in one object of standard input',
      '{"a":[{"amount":1},{"amount":2,"am\\u006funt":3}]}',
    ],
    ['contains JSON that is not an object', '[1]'],
    ['cannot be sent exactly', '{"currency":"MXN","line_items":[],"metadata":{"n":9007199254740993}}'],
  ])('text that %s', async (says, text) => {
    const ran = await desk.run(['orders', 'create', '--body', '-', '--yes'], { input: text });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
  });
});

test('after all of these nothing was sent', () => {
  expect(desk.server.requests).toEqual([]);
});
