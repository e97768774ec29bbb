/** What services of this family are seen to send: nothing fails, and nothing is printed that nobody meant. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chargeOf, type Json, listOf, newRefundOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type Handler, json, reply, startServer } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

const without = (record: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

const nullsOf = (record: Json, ...kept: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, kept.includes(name) ? value : null]),
  );

const charge = chargeOf('ch_1', 35000);
const plain = orderOf('ord_plain', [charge]);

const states = [
  'pending_payment',
  'partially_refunded',
  'partially_paid',
  'declined',
  'expired',
  'canceled',
  'voided',
  'a_state_of_tomorrow',
];

const orderIdOf = (state: string): string => `ord_${state.replaceAll('_', '')}`;

/** Orders that can be looked at; none of them may make anything fail. */
const orders: readonly Json[] = [
  without(plain, 'payment_status', 'charges', 'line_items', 'is_refundable'),
  { ...without(plain, 'payment_status'), id: 'ord_nostatus' },
  ...states.map((state) => ({ ...plain, id: orderIdOf(state), payment_status: state })),
  orderOf('ord_absent', [without(charge, 'is_refundable', 'refunds')]),
  orderOf(
    'ord_mixed',
    [chargeOf('ch_1', 35000, { status: 'declined', is_refundable: false }), chargeOf('ch_2', 35000)],
    {
      amount: 35000,
    },
  ),
  {
    ...plain,
    id: 'ord_objects',
    channel: { object: 'channel', segment: 'Checkout', checkout_request_type: 'HostedPayment' },
    shipping_lines: listOf({ id: 'ship_1', amount: 0, carrier: null }),
    tax_lines: listOf({ id: 'tax_1', amount: 100, description: 'VAT' }),
    discount_lines: listOf(),
    checkout: { id: 'chk_1', url: null },
    metadata: { shop_order: null, tags: ['a'], nested: { deep: 1 } },
  },
  orderOf('ord_cash', [
    chargeOf('ch_1', 35000, {
      payment_method: {
        object: 'cash_payment',
        type: 'cash',
        reference: '93000262280678',
        barcode_url: null,
        service_name: 'shops',
        expires_at: 1_790_600_000,
      },
    }),
  ]),
  orderOf('ord_bank', [
    chargeOf('ch_1', 35000, {
      payment_method: {
        object: 'bank_transfer_payment',
        type: 'spei',
        clabe: '646180111812345678',
        issuing_account_bank: null,
      },
    }),
  ]),
  orderOf('ord_nomethod', [chargeOf('ch_1', 35000, { payment_method: null })]),
  orderOf(
    'ord_part',
    [
      chargeOf('ch_1', 35000, {
        status: 'partially_refunded',
        refunds: listOf(refundOf('rf_1', 12000, { status: 'pending', expires_at: 1_790_009_999 })),
      }),
    ],
    { payment_status: 'partially_refunded', amount_refunded: 12000 },
  ),
  { ...nullsOf(plain, 'id', 'object', 'livemode'), id: 'ord_nulls' },
  orderOf('ord_nullcharge', [nullsOf(charge, 'id', 'amount', 'object')]),
  { id: 'ord_bare' },
  orderOf('ord_empty', [chargeOf('ch_1', 35000, { reference_id: '', customer_id: '', description: '' })], {
    customer_info: { object: 'customer_info', name: '', email: '', phone: '', customer_id: null },
    line_items: listOf({ id: 'line_item_1', name: null, unit_price: null, quantity: null, sku: null }),
  }),
];

const customers: readonly Json[] = [
  {
    id: 'cus_plain',
    object: 'customer',
    livemode: false,
    name: 'Ana',
    email: 'a@example.com',
    phone: '+52155',
    created_at: 1_790_000_000,
  },
  {
    id: 'cus_nulls',
    object: 'customer',
    livemode: false,
    name: 'Ana',
    email: null,
    phone: null,
    corporate: null,
    custom_reference: null,
    payment_sources: null,
    default_payment_source_id: null,
  },
  { id: 'cus_bare' },
];

const unmeant = /null|undefined|NaN|\[object|Invalid Date/;
const formats = ['table', 'list', 'csv', 'json', 'ndjson'];

/** Ends well, and shows people nothing that is no word of the service or of ours. */
function expectClean(ran: Ran, format: string): void {
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(unmeant);
  // JSON is the service's own object: its nulls are its own. `ord_nulls` is a name.
  if (format.includes('json')) return;
  expect(ran.stdout.replaceAll(/(ord|cus)_\w+/g, '')).not.toMatch(unmeant);
}

describe('reads', () => {
  let service: Service;
  let home: Home;
  beforeAll(async () => {
    service = await startService({ orders, customers });
    home = newHome();
  });
  afterAll(async () => {
    home[Symbol.dispose]();
    await service[Symbol.asyncDispose]();
  });

  test.each(formats)('orders list and customers list as %s show every record', async (format) => {
    for (const [resource, records] of [
      ['orders', orders],
      ['customers', customers],
    ] as const) {
      const ran = await paydesk([resource, 'list', '--all', '-o', format], { home, env: service.env });
      expectClean(ran, format);
      for (const { id } of records) expect(ran.stdout).toContain(String(id));
    }
  });

  // Of the orders that differ in their status alone, the one whose word nobody knows.
  const shown = orders
    .map(({ id }) => String(id))
    .filter((id) => !states.slice(0, -1).some((state) => id === orderIdOf(state)));

  test.concurrent.each(shown)('orders show %s works', async (id) => {
    const ran = await paydesk(['orders', 'show', id], { home, env: service.env });
    expectClean(ran, 'table');
    expect(ran.stdout).toContain(id);
  });

  test.concurrent.each(['cus_nulls', 'cus_bare'])('customers show %s works', async (id) => {
    expectClean(await paydesk(['customers', 'show', id], { home, env: service.env }), 'table');
  });

  test('a state that nobody knows can be filtered by', async () => {
    const args = ['orders', 'list', '--status', 'a_state_of_tomorrow', '--all', '--ndjson'];
    const ran = await paydesk(args, { home, env: service.env });
    expect(ran.stdout.trim().split('\n')).toHaveLength(1);
  });

  test('absent is not "false": an order that does not show whether it can be refunded is listed as refundable', async () => {
    const ran = await paydesk(['orders', 'list', '--refundable', '--all'], { home, env: service.env });
    expect(ran.stdout).toContain('ord_absent');
  });
});

test('page URLs may be absent, null, in any order or of another host; `total` may be there', async () => {
  const pages: readonly Json[] = [
    { next_page_url: 'http://internal.test/orders?next=ord_1&limit=1', total: 3 },
    { next_page_url: 'http://internal.test/orders?next=ord_2', previous_page_url: null },
    { next_page_url: null, previous_page_url: 'http://internal.test/orders?previous=ord_3' },
  ];
  await using server = await startServer((request, response, socket) => {
    const next = new URL(request.url, 'http://service.test').searchParams.get('next');
    const index = next === null ? 0 : Number(next.slice('ord_'.length));
    const data = [{ ...plain, id: `ord_${index + 1}` }];
    return json({ object: 'list', has_more: index < 2, ...pages[index], data })(request, response, socket);
  });
  using home = newHome();
  const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: 'key_wild_1' };
  const ran = await paydesk(['orders', 'list', '--limit', '1', '--all', '--columns', 'id', '--no-header'], {
    home,
    env,
  });
  expect(ran).toMatchObject({ code: 0, stdout: 'ord_1\nord_2\nord_3\n' });
});

describe('refunds', () => {
  test.concurrent.each([
    ['ord_nostatus', 0],
    ['ord_absent', 0],
    ['ord_mixed', 0],
    ['ord_cash', 0],
    ['ord_bank', 0],
    ['ord_nomethod', 0],
    ['ord_part', 0],
    ['ord_astateoftomorrow', 0],
    ['ord_empty', 0],
    ['ord_plain', 3],
    ['ord_nulls', 3],
    ['ord_bare', 3],
  ])('of %s end with %i and print nothing that nobody meant', async (id, code) => {
    await using service = await startService({
      orders,
      onPost: (order = {}, held, { body }) => {
        const refunded = refundedBy(order, JSON.parse(body) as Json);
        held.orders = held.orders.map((one) => (one.id === order.id ? refunded : one));
        return json(refunded);
      },
    });
    using home = newHome();
    const ran = await paydesk(['orders', 'refund', id, '--yes'], { home, env: service.env });
    expect(ran.stderr.replaceAll(/ord_\w+/g, '')).not.toMatch(unmeant);
    expect(ran.stdout).not.toMatch(unmeant);
    expect(ran).toMatchObject({ code });
    expect(service.posts).toHaveLength(code === 0 ? 1 : 0);
  });
});

/** The order with the refund that a body asks for on its last charge. */
function refundedBy(order: Json, { amount }: Json): Json {
  const { data } = order.charges as { readonly data: readonly Json[] };
  const last = data.at(-1) ?? {};
  const before = (last.refunds ?? listOf()) as { readonly data: readonly Json[] };
  const taken = Number(amount ?? last.amount);
  const refunds = listOf(
    ...before.data,
    newRefundOf('rf_new', taken, { status: 'pending', expires_at: null }),
  );
  return {
    ...order,
    amount_refunded: Number(order.amount_refunded) + taken,
    charges: listOf(...data.slice(0, -1), { ...last, refunds }),
  };
}

describe('error bodies', () => {
  const code = 'acme.errors.parameter_validation.order.refund.amount';
  const bodies: readonly (readonly [string, number, unknown, readonly string[]])[] = [
    [
      'several details, param absent, null and nested',
      422,
      {
        object: 'error',
        type: 'parameter_validation_error',
        log_id: null,
        details: [
          { message: 'El monto no es válido.', code },
          {
            message: 'La tarjeta no es válida.',
            param: 'card[number]',
            code,
            debug_message: 'Invalid card.',
          },
          { debug_message: 'No localized text.', param: null, code: null },
        ],
      },
      ['El monto no es válido.', 'param card[number]', 'No localized text.'],
    ],
    [
      'an order in data without payment_status',
      402,
      {
        object: 'error',
        type: 'processing_error',
        details: [
          {
            message: 'Falta el cargo.',
            param: null,
            code: 'acme.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
          },
        ],
        data: without(plain, 'payment_status'),
      },
      ['Falta el cargo.'],
    ],
  ];

  test.concurrent.each(bodies)('%s: the refusal is told in its words (5)', async (_, status, body, words) => {
    const ran = await refundAnswered(json(body, status));
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain('refused by the service:');
    expect(ran.stderr).toContain(`HTTP ${status}`);
    expect(ran.stderr).not.toMatch(unmeant);
    for (const each of words) expect(ran.stderr).toContain(each);
  });

  test.concurrent.each<[string, Handler]>([
    ['a 500 with an empty body', reply('', 500)],
    ['an error without details', json({ object: 'error', type: 'parameter_validation_error' }, 422)],
    ['an error of nulls', json({ object: 'error', type: null, details: null, log_id: null }, 422)],
  ])('%s is no proof: the outcome is unknown (7)', async (_name, handler) => {
    const ran = await refundAnswered(handler);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain('unconfirmed: no usable answer');
    expect(ran.stderr).not.toMatch(/null|undefined/);
  });
});

async function refundAnswered(handler: Handler): Promise<Ran> {
  await using service = await startService({ orders: [plain], onPost: () => handler });
  using home = newHome();
  await storeShop(home, service, { 'reconcile.after': '0' });
  return await paydesk(['-p', 'shop', 'orders', 'refund', 'ord_plain', '--yes'], { home });
}
