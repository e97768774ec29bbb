/** A plain client written from the service's document alone: it lists, refunds, captures and creates over HTTP. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Server, startServer } from './server.ts';

// What a stranger's client knows of the service: the shapes of the document, and nothing of this program.
interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  created_at: number;
  auth_code: string;
}
interface Charge {
  id: string;
  amount: number;
  status: string;
  is_refundable: boolean;
  payment_method: { object: string; auth_code: string; last4: string };
  refunds: { object: 'list'; total: number; has_more: boolean; data: Refund[] } | null;
}
interface Order {
  id: string;
  object: 'order';
  livemode: boolean;
  amount: number;
  amount_refunded: number;
  currency: string;
  payment_status?: string;
  split_payment?: boolean;
  is_refundable: boolean;
  charges?: { object: 'list'; total: number; data: Charge[] };
}
interface Page<T> {
  object: 'list';
  has_more: boolean;
  next_page_url: string | null;
  previous_page_url: string | null;
  data: T[];
}
interface Failure {
  object: 'error';
  type: string;
  log_id: string;
  details: { debug_message: string; message: string; param: string | null; code: string }[];
  data?: Order;
}

let server: Server;
beforeAll(async () => {
  server = await startServer(['acme', 'service']);
});
afterAll(() => server.stop());

async function call<T>(
  method: string,
  pathOrUrl: string,
  body?: unknown,
): Promise<{ status: number; body: T }> {
  const reply = await fetch(new URL(pathOrUrl, server.url), {
    method,
    headers: {
      Authorization: `Bearer ${server.key}`,
      Accept: 'application/vnd.acme-v2.3.0+json',
      'Accept-Language': 'es',
      'Content-Type': 'application/json',
      'X-Client-User-Agent': '{"bindings_version":"7.0.0"}',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as T };
}

async function everyOrder(): Promise<Order[]> {
  const orders: Order[] = [];
  let url: string | null = '/orders?limit=50';
  while (url !== null) {
    const page: Page<Order> = (await call<Page<Order>>('GET', url)).body;
    orders.push(...page.data);
    url = page.next_page_url;
  }
  return orders;
}

async function anOrder(claim: (order: Order) => boolean): Promise<Order> {
  const found = (await everyOrder()).find(claim);
  if (found === undefined) throw new Error('there is no such order');
  return found;
}

const read = (id: string) => anOrder((order) => order.id === id);
const charges = (order: Order) => order.charges?.data ?? [];
const isWhole = (order: Order) =>
  order.payment_status === 'paid' &&
  order.is_refundable &&
  charges(order).every((charge) => charge.is_refundable);

describe('lists', () => {
  test('walks the page URLs over every order once', async () => {
    const orders = await everyOrder();
    expect(orders.length).toBeGreaterThanOrEqual(120);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
  });

  test('goes back by previous_page_url to the page before', async () => {
    const first = (await call<Page<Order>>('GET', '/orders?limit=5')).body;
    const second = (await call<Page<Order>>('GET', first.next_page_url ?? '')).body;
    const back = (await call<Page<Order>>('GET', second.previous_page_url ?? '')).body;
    expect(back.data).toEqual(first.data);
  });

  test('lists customers with their ways to pay', async () => {
    const { body } = await call<Page<{ id: string; object: string; payment_sources: object }>>(
      'GET',
      '/customers',
    );
    expect(body.data).toHaveLength(20);
    expect(body.data[0]).toMatchObject({ object: 'customer', payment_sources: { object: 'list' } });
  });

  test('takes the key as the user name of Basic', async () => {
    const reply = await fetch(`${server.url}/orders?limit=1`, {
      headers: {
        Authorization: `Basic ${btoa(`${server.key}:`)}`,
        Accept: 'application/vnd.service-v2.0.0+json',
      },
    });
    expect(reply.status).toBe(200);
  });
});

describe('refunds', () => {
  test('a whole order: the state, the sums and one negative record a charge', async () => {
    const before = await anOrder((order) => isWhole(order) && order.split_payment === true);
    const { status, body } = await call<Order>('POST', `/orders/${before.id}/refunds`, {
      reason: 'requested_by_client',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: before.id,
      payment_status: 'refunded',
      amount_refunded: before.amount,
      is_refundable: false,
    });
    for (const [index, charge] of charges(body).entries()) {
      expect(charge).toMatchObject({ status: 'refunded', is_refundable: false });
      expect(charge.refunds?.data).toEqual([
        {
          id: expect.any(String),
          object: 'refund',
          amount: -(charges(before)[index]?.amount ?? 0),
          created_at: expect.any(Number),
          auth_code: charge.payment_method.auth_code,
        },
      ]);
    }
    expect(await read(before.id)).toEqual(body);
  });

  test('one charge, then part of the other', async () => {
    const before = await anOrder(
      (order) => isWhole(order) && charges(order).length === 2 && order.split_payment === true,
    );
    const [one, two] = charges(before);
    await call('POST', `/orders/${before.id}/refunds`, { charge_id: one?.id });
    const { body } = await call<Order>('POST', `/orders/${before.id}/refunds`, {
      charge_id: two?.id,
      amount: 7,
    });
    expect(body.amount).toBe(before.amount);
    expect(body.amount_refunded).toBe((one?.amount ?? 0) + 7);
    expect(body.is_refundable).toBe(true);
    expect(charges(body).map(({ refunds }) => refunds?.data.map(({ amount }) => amount))).toEqual([
      [-(one?.amount ?? 0)],
      [-7],
    ]);
  });

  test('a split order by amount alone: the documented error with the order unchanged', async () => {
    const before = await anOrder((order) => isWhole(order) && order.split_payment === true);
    const { body } = await call<Failure>('POST', `/orders/${before.id}/refunds`, {
      amount: before.amount - 1,
    });
    expect(body).toMatchObject({ object: 'error', type: 'processing_error', data: before });
    expect(body.data).toMatchObject({ payment_status: 'paid', amount_refunded: 0 });
    expect(body.details[0]?.code).toMatch(
      /\.errors\.processing\.charge_operations\.refund\.split_payment\.charge_id_is_required$/,
    );
    expect(await read(before.id)).toEqual(before);
  });

  test('an order with a charge that is not refundable: the documented error without an order', async () => {
    const before = await anOrder(
      (order) =>
        order.is_refundable &&
        charges(order).some((charge) => charge.status === 'paid' && !charge.is_refundable),
    );
    const { body } = await call<Failure>('POST', `/orders/${before.id}/refunds`, {});
    expect(body).toMatchObject({ object: 'error', type: 'precondition_required_error' });
    expect(body).not.toHaveProperty('data');
    expect(body.details).toEqual([
      {
        debug_message: expect.any(String),
        message: 'La orden no se puede reembolsar.',
        param: null,
        code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
      },
    ]);
    expect(await read(before.id)).toEqual(before);
  });

  test('an order twice: the second is refused', async () => {
    const { id } = await anOrder(isWhole);
    await call('POST', `/orders/${id}/refunds`, {});
    const after = await read(id);
    expect((await call<Failure>('POST', `/orders/${id}/refunds`, {})).body.object).toBe('error');
    expect(await read(id)).toEqual(after);
  });
});

describe('captures', () => {
  test.each([
    ['no body', undefined],
    ['{}', {}],
  ])('an authorized order, with %s', async (_name, sent) => {
    const before = await anOrder((order) => order.payment_status === 'pre_authorized');
    const { status, body } = await call<Order>('POST', `/orders/${before.id}/capture`, sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: before.id, payment_status: 'paid', amount_refunded: 0 });
    expect(charges(body).every((charge) => charge.status === 'paid')).toBe(true);
    expect(await read(before.id)).toEqual(body);
  });
});

test('creates an order with a checkout, as the document’s payload has it', async () => {
  const { status, body } = await call<Order>('POST', '/orders', {
    currency: 'MXN',
    customer_info: {
      customer_id: (await call<Page<{ id: string }>>('GET', '/customers?limit=1')).body.data[0]?.id,
    },
    line_items: [
      {
        name: 'Lamp',
        description: 'Brass',
        unit_price: 300,
        quantity: 1,
        sku: 'c',
        category: 'food',
        tags: ['food'],
      },
    ],
    shipping_lines: [{ amount: 0 }],
    shipping_contact: {
      phone: '+5215555555555',
      receiver: 'Buyer Name',
      address: { street1: 'Calle 1', country: 'MX', postal_code: '06100' },
    },
    metadata: { test: true },
    checkout: {
      type: 'Integration',
      allowed_payment_methods: ['cash', 'card', 'bank_transfer'],
      expires_at: 1_800_000_000,
      needs_shipping_contact: true,
      monthly_installments_enabled: false,
      monthly_installments_options: [3, 6, 9, 12, 18],
      on_demand_enabled: true,
    },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'order', amount: 300, amount_refunded: 0 });
  expect((await call<Page<Order>>('GET', '/orders?limit=1')).body.data[0]?.id).toBe(body.id);
});

describe('the client and paydesk, side by side', () => {
  const listed = async <T>(resource: string): Promise<T[]> => {
    const { stdout } = await server.cli(resource, 'list', '--all', '--json');
    return (JSON.parse(stdout) as Page<T>).data;
  };

  test('agree on every order, after all that was done above', async () => {
    expect(await listed<Order>('orders')).toEqual(await everyOrder());
  });

  test('agree on every customer', async () => {
    const { body } = await call<Page<unknown>>('GET', '/customers?limit=250');
    expect(await listed<unknown>('customers')).toEqual(body.data);
  });

  test('agree on an order that paydesk refunds, in part and then whole', async () => {
    // Once one of two twins was refunded, the other needs --again.
    const all = await everyOrder();
    const isAlone = ({ id, amount }: Order) =>
      all.every((other) => other.id === id || other.amount !== amount);
    const before = await anOrder((order) => isWhole(order) && charges(order).length === 1 && isAlone(order));
    const part = await server.cli('orders', 'refund', before.id, '--amount', '7', '--yes', '--json');
    expect(part.code).toBe(0);
    expect(await read(before.id)).toEqual(JSON.parse(part.stdout));
    const rest = await server.cli('orders', 'refund', before.id, '--yes', '--json');
    expect(rest.code).toBe(0);
    const after = await read(before.id);
    expect(after).toEqual(JSON.parse(rest.stdout));
    expect(after).toMatchObject({ payment_status: 'refunded', amount_refunded: before.amount });
    expect(charges(after).map(({ refunds }) => refunds?.data.map(({ amount }) => amount))).toEqual([
      [-7, 7 - before.amount],
    ]);
  });

  test('agree on an order that the client refunds: paydesk shows it and refuses to refund it again (3)', async () => {
    const { id } = await anOrder(isWhole);
    const { body } = await call<Order>('POST', `/orders/${id}/refunds`, { reason: 'other' });
    const shown = await server.cli('orders', 'show', id, '--json');
    expect(JSON.parse(shown.stdout)).toEqual(body);
    expect((await server.cli('orders', 'refund', id, '--yes')).code).toBe(3);
    expect(await read(id)).toEqual(body);
  });

  test('agree on an order that paydesk captures and the client then refunds', async () => {
    const { id } = await anOrder((order) => order.payment_status === 'pre_authorized');
    const captured = await server.cli('orders', 'capture', id, '--yes', '--json');
    expect(captured.code).toBe(0);
    expect(await read(id)).toEqual(JSON.parse(captured.stdout));
    const { body } = await call<Order>('POST', `/orders/${id}/refunds`, {});
    expect(JSON.parse((await server.cli('orders', 'show', id, '--json')).stdout)).toEqual(body);
  });

  test('agree on an order that each of them creates from the same words', async () => {
    const request = {
      currency: 'MXN',
      line_items: [{ name: 'Lamp', unit_price: 300, quantity: 2 }],
      metadata: { shop_order: 'A-1' },
      checkout: { type: 'HostedPayment', allowed_payment_methods: ['card'], expires_at: 1_900_000_000 },
    };
    const { body } = await call<Order>('POST', '/orders', request);
    const words = ['--item', 'Lamp:300:2', '--currency', 'MXN', '--metadata', 'shop_order=A-1'];
    const checkout = ['--checkout', 'HostedPayment', '--method', 'card', '--expires', '1900000000'];
    const made = await server.cli('orders', 'create', ...words, ...checkout, '--yes', '--json');
    expect(made.code, made.stderr).toBe(0);
    const order = JSON.parse(made.stdout) as Order;
    expect(await read(order.id)).toEqual(order);
    expect(JSON.parse((await server.cli('orders', 'show', body.id, '--json')).stdout)).toEqual(body);
    expect(order.id).not.toBe(body.id);
    expect(withoutOwn(order)).toEqual(withoutOwn(body));
  });

  test('agree on a payment link that each of them creates from the same words', async () => {
    const { body } = await call<object>('POST', '/checkouts', {
      name: 'Lamp',
      type: 'PaymentLink',
      recurrent: false,
      expired_at: 1_900_000_000,
      allowed_payment_methods: ['cash'],
      needs_shipping_contact: false,
      monthly_installments_enabled: false,
      order_template: { line_items: [{ name: 'Lamp', unit_price: 300, quantity: 2 }], currency: 'MXN' },
    });
    const words = ['--name', 'Lamp', '--item', 'Lamp:300:2', '--currency', 'MXN', '--method', 'cash'];
    const made = await server.cli(
      'checkout',
      'create',
      ...words,
      '--expires',
      '1900000000',
      '--yes',
      '--json',
    );
    expect(made.code, made.stderr).toBe(0);
    expect(withoutOwn(JSON.parse(made.stdout))).toEqual(withoutOwn(body));
  });
});

// Ids, links and times are each record's own.
function withoutOwn(value: unknown): unknown {
  const own = ['id', 'parent_id', 'slug', 'url', 'created_at', 'updated_at'];
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (own.includes(key) ? undefined : inner)));
}
