/** Every documented field of orders and payment links reaches the service: from flags, from a file, from questions. */

import { describe, expect, test } from 'vitest';
import { paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Service, sentTo, startCreations } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

// Names and types as the service's document has them (service: Endpoints 4).
const wholeOrder = {
  currency: 'MXN',
  customer_info: { customer_id: 'cus_2sZp8LmQ4tVx' },
  line_items: [
    {
      name: 'Lamp: brass',
      unit_price: 30_000,
      quantity: 1,
      description: 'A lamp',
      sku: 'L-9',
      category: 'home',
      tags: ['sale'],
    },
    { name: 'Bulb', unit_price: 500, quantity: 2 },
  ],
  shipping_lines: [{ amount: 9900 }],
  shipping_contact: {
    phone: '+5215555555555',
    receiver: 'Ana Pérez',
    address: { street1: 'Calle 1', country: 'MX', postal_code: '06100' },
  },
  metadata: { shop_order: 'A=1' },
  checkout: {
    name: 'Order A-1',
    type: 'HostedPayment',
    success_url: 'https://shop.example.com/thanks',
    failure_url: 'https://shop.example.com/sorry',
    expires_at: 1_900_000_000,
    allowed_payment_methods: ['cash', 'card', 'bank_transfer'],
    needs_shipping_contact: true,
    monthly_installments_enabled: true,
    monthly_installments_options: [3, 6, 9],
    on_demand_enabled: true,
    planId: 'plan_1',
  },
};

const orderArgs = [
  ['--currency', 'MXN', '--customer', 'cus_2sZp8LmQ4tVx'],
  ['--item', 'Lamp: brass:30000:1', '--item', 'Bulb:500:2'],
  [
    '--item-description',
    '1=A lamp',
    '--item-sku',
    '1=L-9',
    '--item-category',
    '1=home',
    '--item-tag',
    '1=sale',
  ],
  ['--shipping', '9900', '--ship-phone', '+5215555555555', '--ship-receiver', 'Ana Pérez'],
  ['--ship-street', 'Calle 1', '--ship-country', 'MX', '--ship-postal-code', '06100'],
  ['--metadata', 'shop_order=A=1', '--checkout', 'HostedPayment', '--name', 'Order A-1'],
  ['--success-url', 'https://shop.example.com/thanks', '--failure-url', 'https://shop.example.com/sorry'],
  ['--expires', '1900000000', '--method', 'cash', '--method', 'card', '--method', 'bank_transfer'],
  ['--needs-shipping', '--installments', '3,6,9', '--on-demand', '--plan', 'plan_1'],
].flat();

// A question as it is shown, and what is typed.
const orderAnswers: readonly (readonly [string, string])[] = [
  ['Currency', 'MXN'],
  ['Item: its name, or NAME:PRICE:QTY', 'Lamp: brass:30000:1'],
  ['Another item', 'Bulb:500:2'],
  ['Another item', ''],
  ['Id of the customer', 'cus_2sZp8LmQ4tVx'],
  ['type a number', '2'],
  ['What is the charge for?', 'Order A-1'],
  ['URL after success', 'https://shop.example.com/thanks'],
  ['URL after failure', 'https://shop.example.com/sorry'],
  ['Expires', '1900000000'],
  ['Allowed ways to pay', 'cash,card,bank_transfer'],
  ['Monthly installments', '3,6,9'],
  ['Id of the plan', 'plan_1'],
  ['Ask for the shipping address?', 'y'],
  ['May the checkout keep the card?', 'y'],
  ['Add item details, shipping or metadata?', 'y'],
  ['Description', '1=A lamp'],
  ['Description', ''],
  ['Sku', '1=L-9'],
  ['Sku', ''],
  ['Category', '1=home'],
  ['Category', ''],
  ['Tag', '1=sale'],
  ['Tag', ''],
  ['Amount of a shipping line', '9900'],
  ['Amount of a shipping line', ''],
  ['Who receives it', 'Ana Pérez'],
  ['Phone of the receiver', '+5215555555555'],
  ['Street and number', 'Calle 1'],
  ['Country', 'MX'],
  ['Postal code', '06100'],
  ['Metadata', 'shop_order=A=1'],
  ['Metadata', ''],
  ['Send it?', 'y'],
];

// (service: Endpoints 5)
const wholeLink = {
  name: 'Blanket',
  type: 'PaymentLink',
  recurrent: true,
  expired_at: 1_900_000_000,
  allowed_payment_methods: ['cash', 'card'],
  needs_shipping_contact: true,
  monthly_installments_enabled: true,
  monthly_installments_options: [3, 12],
  plan_id: 'plan_1',
  order_template: {
    line_items: [{ name: 'Wool blanket', unit_price: 16_000, quantity: 2 }],
    currency: 'USD',
    customer_info: { name: 'Ana Pérez', email: 'ana@example.com', phone: '+5215555555555' },
  },
};

const linkArgs = [
  ['--name', 'Blanket', '--item', 'Wool blanket:16000:2', '--currency', 'USD', '--recurrent'],
  ['--expires', '2030-03-17T17:46:40Z', '--method', 'cash', '--method', 'card', '--needs-shipping'],
  ['--installments', '3,12', '--plan', 'plan_1', '--customer-name', 'Ana Pérez'],
  ['--customer-email', 'ana@example.com', '--customer-phone', '+5215555555555'],
].flat();

const linkAnswers: readonly (readonly [string, string])[] = [
  ['What is the charge for?', 'Blanket'],
  ['Currency', 'USD'],
  ['Item: its name, or NAME:PRICE:QTY', '16000'],
  ['this is a price: type the name of the item first', 'Wool blanket'],
  ['Price of Wool blanket', 'cheap'],
  ['the price cheap is no amount: type digits', '16000'],
  ['How many? (Enter: 1)', '0'],
  ['the quantity 0 is no whole number above 0', '2'],
  ['Another item', ''],
  ['Expires', '1900000000'],
  ['Allowed ways to pay', 'cash,card'],
  ['Add a customer, installments or a plan?', 'y'],
  ['Id of the customer', ''],
  ['Name of the customer', 'Ana Pérez'],
  ['E-mail of the customer', 'ana@example.com'],
  ['Phone of the customer', '+5215555555555'],
  ['Monthly installments', '3,12'],
  ['Id of the plan', 'plan_1'],
  ['May the link be paid more than once?', 'y'],
  ['Ask for the shipping address?', 'y'],
  ['Send it?', 'y'],
];

async function answerAll(
  desk: Service,
  args: readonly string[],
  answers: readonly (readonly [string, string])[],
) {
  const person = atTerminal(args, {
    home: desk.home,
    env: { ...desk.env, PAYDESK_ACCESSIBLE: '1' },
    columns: 120,
  });
  for (const [question, answer] of answers) await person.answer(question, `${answer}\r`);
  return person.end;
}

const script = ['--yes', '--json', '--no-input'];

describe.concurrent.each([
  ['orders create', ['orders', 'create'], '/orders', wholeOrder, orderArgs, orderAnswers],
  ['checkout create', ['checkout', 'create'], '/checkouts', wholeLink, linkArgs, linkAnswers],
] as const)('%s sends every documented field', (_, words, path, whole, args, answers) => {
  const sent = [{ method: 'POST', path, body: whole }];

  test('from flags', async () => {
    await using desk = await startCreations();
    const ran = await desk.run([...words, ...args, ...script]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(sentTo(desk)).toEqual(sent);
  });

  test('from a body on standard input', async () => {
    await using desk = await startCreations();
    const ran = await desk.run([...words, '--body', '-', ...script], {
      input: JSON.stringify(whole, null, 2),
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(sentTo(desk)).toEqual(sent);
  });

  test('from questions, with nothing given', async () => {
    await using desk = await startCreations();
    const ended = await answerAll(desk, words, answers);
    expect(ended.exitCode, ended.transcript).toBe(0);
    expect(sentTo(desk)).toEqual(sent);
  });
});

test.each([
  ['Lamp:300', 'sent'],
  ['Lamp:1.5:0', 'the quantity 0 is no whole number above 0'],
  ['Lamp', 'it has no price'],
  [':300:1', 'it has no name'],
  ['Lamp:-300', 'type it without a sign: 300'],
])('--item %s: one without a quantity, and what is wrong is said', async (item, says) => {
  await using desk = await startCreations();
  const ran = await desk.run([
    'checkout',
    'create',
    '--name',
    'A',
    '--item',
    item,
    '--currency',
    'MXN',
    ...script,
  ]);
  if (says !== 'sent') expect(inOneLine(ran.stderr)).toContain(says);
  expect(sentTo(desk).map(({ body }) => body)).toMatchObject(
    says === 'sent'
      ? [{ order_template: { line_items: [{ name: 'Lamp', unit_price: 300, quantity: 1 }] } }]
      : [],
  );
});

// A zone other than UTC: one that took the day to begin in UTC would be six hours off.
test('--expires with a date is the start of that day in the zone of the machine', async () => {
  await using desk = await startCreations();
  const { home, env } = desk;
  const link = ['--name', 'A', '--item', 'A:1:1', '--currency', 'MXN', '--expires', '2030-12-31', '--yes'];
  const ran = await paydesk(['checkout', 'create', ...link], {
    home,
    env: { ...env, TZ: 'America/Mexico_City' },
  });
  expect(ran.code, ran.stderr).toBe(0);
  expect(sentTo(desk)).toMatchObject([{ body: { expired_at: 1_924_927_200 } }]);
});

test('a path in the settings is where payment links are created', async () => {
  await using desk = await startCreations();
  const { home } = desk;
  const settings = { 'checkouts.path': '/payment/links' };
  const profile = { name: 'shop', baseUrl: desk.server.url, mode: 'sandbox', settings } as const;
  await storeProfile(home, profile, 'key_test_4u9fQ2');
  const link = ['--name', 'A', '--item', 'A:1:1', '--currency', 'MXN', '--yes'];
  const ran = await paydesk(['-p', 'shop', 'checkout', 'create', ...link], { home });
  expect(ran.code, ran.stderr).toBe(0);
  expect(sentTo(desk).map(({ path }) => path)).toEqual(['/payment/links']);
});

describe('prices where the profile declares decimals', () => {
  const open = async () => {
    const desk = await startCreations();
    const settings = { 'amounts.decimals.MXN': '2' };
    const profile = { name: 'shop', baseUrl: desk.server.url, mode: 'sandbox', settings } as const;
    await storeProfile(desk.home, profile, 'key_test_4u9fQ2');
    return desk;
  };
  const create = async ({ home }: Service, noun: 'orders' | 'checkout', ...flags: readonly string[]) => {
    const name = noun === 'checkout' ? ['--name', 'Lamp'] : [];
    return await paydesk(['-p', 'shop', noun, 'create', ...name, ...flags, '--yes'], { home });
  };

  test('may be typed with them, and with the currency in any case; whole numbers are sent', async () => {
    await using desk = await open();
    const link = await create(desk, 'checkout', '--item', 'Lamp: tall:300.00:2', '--currency', 'mxn');
    expect(link.code, link.stderr).toBe(0);
    const flags = ['--item', 'Lamp:300.00:1', '--item', 'Gift:0:1', '--shipping', '25.50'];
    const order = await create(desk, 'orders', ...flags, '--currency', 'MXN');
    expect(order.code, order.stderr).toBe(0);
    for (const { stderr } of [link, order]) expect(stderr).not.toContain("in the service's units");
    expect(sentTo(desk).map(({ body }) => body)).toMatchObject([
      {
        order_template: {
          currency: 'MXN',
          line_items: [{ name: 'Lamp: tall', unit_price: 30_000, quantity: 2 }],
        },
      },
      {
        line_items: [{ unit_price: 30_000 }, { unit_price: 0 }],
        shipping_lines: [{ amount: 2_550 }],
      },
    ]);
  });

  test('and are warned of without them, as the amount of a refund is', async () => {
    await using desk = await open();
    const ran = await create(desk, 'checkout', '--item', 'Lamp:300:1', '--currency', 'MXN');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      "note: 300 is in the service's units: 3.00 MXN. If you mean 300.00 MXN, send nothing (press Enter) and run it again with 300.00",
    );
    const dry = await create(desk, 'checkout', '--item', 'Lamp:300:1', '--currency', 'MXN', '--dry-run');
    expect(dry.stderr.replaceAll(/\s+/g, ' ')).toContain("note: 300 is in the service's units: 3.00 MXN");
    expect(sentTo(desk)).toHaveLength(1);
  });

  test.each([
    [['--item', 'Lamp:300.0:1', '--currency', 'MXN'], 'type 300.00'],
    [['--item', 'Lamp:300.00:1', '--currency', 'USD'], 'the profile declares no decimals for USD'],
    [['--item', 'Lamp:300.00 USD:1', '--currency', 'MXN'], 'the order is in MXN'],
    [['--item', 'Lamp:300:1', '--shipping', '1.5', '--currency', 'MXN'], 'type 1.50'],
    [['--item', 'Lamp:3,00:1', '--currency', 'MXN'], 'the price 3,00 is no amount: type it without commas'],
  ])('%j is refused, and nothing is sent', async (flags, words) => {
    await using desk = await open();
    const ran = await create(desk, 'orders', ...flags);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
    expect(sentTo(desk)).toEqual([]);
  });
});

test('metadata under names of JavaScript is sent like any other, by flag and in a body', async () => {
  await using desk = await startCreations();
  const metadata = '{"constructor":"a","__proto__":"b","prototype":"c","toString":"d"}';
  const pairs = ['constructor=a', '__proto__=b', 'prototype=c', 'toString=d'];
  const flags = ['--item', 'A:1:1', '--currency', 'MXN', ...pairs.flatMap((pair) => ['--metadata', pair])];
  await desk.run(['orders', 'create', ...flags, '--yes']);
  const body = `{"currency":"MXN","line_items":[{"name":"A","unit_price":1,"quantity":1}],"metadata":${metadata}}`;
  await desk.run(['orders', 'create', '--body', '-', '--yes'], { input: body });
  const sent = desk.server.requests.filter(({ method }) => method === 'POST').map((request) => request.body);
  expect(sent).toEqual([expect.stringContaining(metadata), expect.stringContaining(metadata)]);
});
