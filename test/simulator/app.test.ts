/** The simulated service as a client meets it: key, version, lists, errors, every operation. */

import { describe, expect, test } from 'vitest';
import { itemsOf, valueAt } from '../../src/api/json-values.ts';
import { idsIn, orderWhere, startSimulator } from './fixtures.ts';

describe('a key', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test.each([
    ['as Bearer', (key: string) => `Bearer ${key}`, 200],
    ['as the user name of Basic with an empty password', (key: string) => basic(`${key}:`), 200],
    ['with a password', (key: string) => basic(`${key}:x`), 401],
    ['that is another', () => 'Bearer key_other', 401],
    ['that is public', () => 'Bearer pub_123', 401],
    ['under another scheme', (key: string) => `Digest ${key}`, 401],
    ['that is missing', () => '', 401],
  ])('%s', async (_name, authorization, status) => {
    const simulator = startSimulator({ orders: 1 });
    const reply = await simulator.send('GET', '/orders', undefined, {
      authorization: authorization(simulator.key),
    });
    expect(reply.status).toBe(status);
    expect(reply.contentType).toBe('application/json');
  });

  test('that is refused is answered in the form of the document, without the key', async () => {
    const reply = await startSimulator().send('GET', '/orders', undefined, {
      authorization: 'Bearer key_wrong',
    });
    expect(reply.body).toEqual({
      object: 'error',
      type: 'authentication_error',
      log_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      details: [
        {
          debug_message: 'The API key is not valid.',
          message: 'The API key is not valid.',
          param: null,
          code: 'service.errors.authentication.invalid_key',
        },
      ],
    });
  });
});

describe('a version', () => {
  test.each([
    ['application/vnd.service-v2.0.0+json', 200],
    ['application/vnd.service-v2.1.0+json', 200],
    ['application/vnd.service-v2.3.0+json', 200],
    ['application/vnd.acme-v2.3.0+json', 200],
    ['text/html, application/vnd.Acme-v2.3.0+json;q=0.5', 200],
    ['*/*', 200],
    ['application/vnd.service-v9.9.9+json', 406],
    ['application/vnd.other-v2.3.0+json', 406],
    ['text/html', 406],
  ])('%s is answered with %i', async (accept, status) => {
    const simulator = startSimulator({ orders: 1, vendors: ['service', 'acme'] });
    expect((await simulator.send('GET', '/orders', undefined, { accept })).status).toBe(status);
  });

  test('that is refused carries the first vendor in its code', async () => {
    const simulator = startSimulator({ vendors: ['acme', 'service'] });
    const reply = await simulator.send('GET', '/orders', undefined, { accept: 'text/html' });
    expect(reply.body).toMatchObject({
      details: [{ code: 'acme.errors.not_acceptable.version', param: 'Accept' }],
    });
  });
});

describe('a list', () => {
  test('has 20 records, the newest first, and absolute URLs without a limit that was not given', async () => {
    const reply = await startSimulator().send('GET', '/orders');
    const ids = idsIn(reply);
    expect(ids).toHaveLength(20);
    expect(reply.body).toMatchObject({
      object: 'list',
      has_more: true,
      next_page_url: `http://simulator.test/orders?next=${ids[19]}`,
      previous_page_url: null,
    });
  });

  test.each(['/orders', '/customers'])('%s walked by next covers every record once', async (path) => {
    const simulator = startSimulator({ orders: 130 });
    const seen: string[] = [];
    let query = '?limit=7';
    while (query !== '') {
      const reply = await simulator.send('GET', `${path}${query}`);
      seen.push(...idsIn(reply));
      query = valueAt(reply.body, ['has_more']) === true ? `?limit=7&next=${seen.at(-1)}` : '';
    }
    expect(seen).toHaveLength(path === '/orders' ? 130 : 65);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('goes back by previous to the very page before', async () => {
    const simulator = startSimulator();
    const first = idsIn(await simulator.send('GET', '/orders?limit=5'));
    const second = await simulator.send('GET', `/orders?limit=5&next=${first[4]}`);
    expect(second.body).toMatchObject({
      previous_page_url: `http://simulator.test/orders?limit=5&previous=${idsIn(second)[0]}`,
    });
    const back = await simulator.send('GET', `/orders?limit=5&previous=${idsIn(second)[0]}`);
    expect(idsIn(back)).toEqual(first);
  });

  test('says has_more about the direction travelled', async () => {
    const simulator = startSimulator();
    const ids = idsIn(await simulator.send('GET', '/orders?limit=3'));
    const back = await simulator.send('GET', `/orders?limit=5&previous=${ids[2]}`);
    expect(idsIn(back)).toEqual(ids.slice(0, 2));
    expect(back.body).toMatchObject({
      has_more: false,
      previous_page_url: null,
      next_page_url: `http://simulator.test/orders?limit=5&next=${ids[1]}`,
    });
  });

  test('ends after the last record, and is empty beyond it', async () => {
    const simulator = startSimulator({ orders: 3 });
    const all = await simulator.send('GET', '/orders?limit=3');
    expect(all.body).toMatchObject({ has_more: false, next_page_url: null });
    const beyond = await simulator.send('GET', `/orders?next=${idsIn(all)[2]}`);
    expect(beyond.body).toMatchObject({ has_more: false, data: [], next_page_url: null });
  });

  test.each(['limit=0', 'limit=251', 'limit=x', 'limit=', 'limit=1.5', 'next=a&previous=b'])(
    'refuses ?%s',
    async (query) => {
      const reply = await startSimulator({ orders: 1 }).send('GET', `/orders?${query}`);
      expect(reply.status).toBe(422);
      expect(reply.body).toMatchObject({ type: 'parameter_validation_error' });
    },
  );

  test('by the id of no record says that there is none', async () => {
    const reply = await startSimulator({ orders: 1 }).send('GET', '/orders?next=ord_none');
    expect(reply.status).toBe(404);
    expect(reply.body).toMatchObject({ type: 'resource_not_found_error', details: [{ param: 'next' }] });
  });
});

describe('a refund', () => {
  const isPaid = (order: object) =>
    valueAt(order, ['payment_status']) === 'paid' && valueAt(order, ['is_refundable']) === true;
  const isSplit = (order: object) => isPaid(order) && valueAt(order, ['split_payment']) === true;

  test.each([
    ['nothing', undefined],
    ['{}', {}],
    ['a reason', { reason: 'requested_by_client' }],
  ])('with %s as its body gives all of the order back, and the list shows it', async (_name, body) => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, isPaid);
    const reply = await simulator.send('POST', `/orders/${order.id}/refunds`, body);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id: order.id,
      payment_status: 'refunded',
      amount_refunded: order.amount,
      is_refundable: false,
    });
    expect(await orderWhere(simulator, ({ id }) => id === order.id)).toEqual(reply.body);
  });

  test('of a split order by amount alone is answered 402 with the order as it is', async () => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, isSplit);
    const reply = await simulator.send('POST', `/orders/${order.id}/refunds`, { amount: 100 });
    expect(reply.status).toBe(402);
    expect(reply.body).toMatchObject({
      type: 'processing_error',
      details: [
        { code: 'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required' },
      ],
      data: order,
    });
  });

  test('of an order with a charge that is not refundable is answered 428, without data', async () => {
    const simulator = startSimulator();
    const order = await orderWhere(
      simulator,
      (candidate) =>
        itemsOf(candidate.charges)
          .map((charge) => charge.is_refundable)
          .join() === 'true,false',
    );
    const reply = await simulator.send('POST', `/orders/${order.id}/refunds`, {});
    expect(reply.status).toBe(428);
    expect(reply.body).toMatchObject({
      type: 'precondition_required_error',
      details: [{ code: 'service.errors.precondition_required.combo.order.is_not_returnable', param: null }],
    });
    expect(reply.body).not.toHaveProperty('data');
  });

  test('with a bad body is answered 422 with one detail for each fault, and changes nothing', async () => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, isPaid);
    const body = { reason: 'because', amount: 1.5, note: 'x' };
    const reply = await simulator.send('POST', `/orders/${order.id}/refunds`, body);
    expect(reply.status).toBe(422);
    expect(itemsOf({ data: valueAt(reply.body, ['details']) }).map(({ param }) => param)).toEqual([
      'reason',
      'amount',
      'note',
    ]);
    expect(await orderWhere(simulator, ({ id }) => id === order.id)).toEqual(order);
  });

  test('of no order is answered 404', async () => {
    const reply = await startSimulator({ orders: 1 }).send('POST', '/orders/ord_none/refunds');
    expect(reply.status).toBe(404);
  });

  test('is explained in the language asked for, with English for developers', async () => {
    const reply = await startSimulator({ orders: 1 }).send('POST', '/orders/ord_none/refunds', undefined, {
      'accept-language': 'fr, es-MX;q=0.8, en;q=0.5',
    });
    expect(reply.body).toMatchObject({
      details: [{ message: 'No existe: orden ord_none.', debug_message: 'There is no order ord_none.' }],
    });
  });
});

describe('a capture', () => {
  test('makes a pre-authorized order paid, with {} or with no body', async () => {
    const simulator = startSimulator();
    for (const body of [undefined, {}]) {
      const order = await orderWhere(simulator, (one) => one.payment_status === 'pre_authorized');
      const reply = await simulator.send('POST', `/orders/${order.id}/capture`, body);
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ id: order.id, payment_status: 'paid', amount_refunded: 0 });
    }
  });

  test('of a paid order is answered 428', async () => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, (one) => one.payment_status === 'paid');
    expect((await simulator.send('POST', `/orders/${order.id}/capture`)).status).toBe(428);
  });

  test('with anything in its body is answered 422', async () => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, (one) => one.payment_status === 'pre_authorized');
    const reply = await simulator.send('POST', `/orders/${order.id}/capture`, { amount: 5 });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ details: [{ param: 'amount' }] });
  });
});

describe('a new order', () => {
  const body = {
    currency: 'mxn',
    line_items: [{ name: 'Lamp', unit_price: 20000, quantity: 2, sku: 'L-9', category: 'home', tags: ['a'] }],
    shipping_lines: [{ amount: 500 }],
    metadata: { shop_order: 'A-1' },
  };

  test('is the first of the list, with nothing paid', async () => {
    const simulator = startSimulator();
    const reply = await simulator.send('POST', '/orders', body);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      object: 'order',
      livemode: false,
      currency: 'MXN',
      amount: 40500,
      amount_refunded: 0,
      line_items: { total: 1, data: [{ object: 'line_item', name: 'Lamp', quantity: 2 }] },
      metadata: { shop_order: 'A-1' },
    });
    expect(reply.body).not.toHaveProperty('payment_status');
    expect(reply.body).not.toHaveProperty('charges');
    expect(idsIn(await simulator.send('GET', '/orders?limit=1'))).toEqual([valueAt(reply.body, ['id'])]);
  });

  test('takes a checkout, with plan_id as some examples of the document write it', async () => {
    const checkout = {
      type: 'HostedPayment',
      success_url: 'https://shop.example/ok',
      plan_id: 'plan_1',
      expires_at: 1800000000,
    };
    const reply = await startSimulator().send('POST', '/orders', { ...body, checkout });
    expect(reply.body).toMatchObject({
      checkout: {
        object: 'checkout',
        type: 'HostedPayment',
        status: 'Issued',
        planId: 'plan_1',
        expires_at: 1800000000,
      },
    });
  });

  test('carries the customer that it names', async () => {
    const simulator = startSimulator();
    const [customer] = itemsOf((await simulator.send('GET', '/customers?limit=1')).body);
    const reply = await simulator.send('POST', '/orders', {
      ...body,
      customer_info: { customer_id: customer?.id },
    });
    expect(reply.body).toMatchObject({ customer_info: { customer_id: customer?.id, name: customer?.name } });
  });

  test('with faults in it is refused with the place of each', async () => {
    const reply = await startSimulator().send('POST', '/orders', {
      currency: 'pesos',
      line_items: [{ name: 'Lamp', unit_price: -1 }],
      customer_info: { customer_id: 'x' },
    });
    expect(reply.status).toBe(422);
    expect(itemsOf({ data: valueAt(reply.body, ['details']) }).map(({ param }) => param)).toEqual([
      'currency',
      'customer_info[customer_id]',
      'line_items[0][unit_price]',
      'line_items[0][quantity]',
    ]);
  });

  test('of a customer who does not exist is refused', async () => {
    const order = { ...body, customer_info: { customer_id: 'cus_none' } };
    expect((await startSimulator().send('POST', '/orders', order)).status).toBe(404);
  });
});

test.each(['expired_at', 'expires_at'])('a payment link takes %s and answers with its page', async (name) => {
  const reply = await startSimulator().send('POST', '/checkouts', {
    name: 'Lamp',
    type: 'PaymentLink',
    recurrent: false,
    [name]: 1_800_000_000,
    allowed_payment_methods: ['cash', 'card', 'bank_transfer'],
    order_template: { currency: 'MXN', line_items: [{ name: 'Lamp', unit_price: 20000, quantity: 1 }] },
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    id: expect.any(String),
    object: 'checkout',
    type: 'PaymentLink',
    status: 'Issued',
    expires_at: 1_800_000_000,
    url: expect.stringMatching(/^http:\/\/simulator\.test\/link\//),
  });
});

test('charges are not made here: both paths of the document answer 422', async () => {
  const simulator = startSimulator();
  const order = await orderWhere(simulator, () => true);
  expect((await simulator.send('POST', '/charges', { amount: 1 })).status).toBe(422);
  expect((await simulator.send('POST', `/orders/${order.id}/charges`, {})).status).toBe(422);
});

describe('a body', () => {
  test.each([
    ['that is no JSON', '{', 'application/json', 400],
    ['that is sent as text', '{}', 'text/plain', 400],
    ['that is a list', '[]', 'application/json', 422],
    ['of more than a megabyte', `{"reason":"${'x'.repeat(1_100_000)}"}`, 'application/json', 413],
  ])('%s is refused and changes nothing', async (_name, body, contentType, status) => {
    const simulator = startSimulator();
    const order = await orderWhere(simulator, (one) => one.is_refundable === true);
    const reply = await simulator.send('POST', `/orders/${order.id}/refunds`, body, {
      'content-type': contentType,
    });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ object: 'error' });
    expect(await orderWhere(simulator, ({ id }) => id === order.id)).toEqual(order);
  });
});

test.each([
  ['GET', '/nope'],
  ['DELETE', '/orders'],
  ['GET', '/orders/ord_none'],
  ['GET', '/'],
])('%s %s is answered 404 in JSON', async (method, path) => {
  const reply = await startSimulator({ orders: 1 }).send(method, path);
  expect(reply.status).toBe(404);
  expect(reply.body).toMatchObject({ object: 'error', type: 'resource_not_found_error' });
});

test('production mode marks every record as real money', async () => {
  const simulator = startSimulator({ mode: 'production' });
  const order = await orderWhere(simulator, () => true);
  expect(order.livemode).toBe(true);
  expect(itemsOf(order.charges).every((charge) => charge.livemode === true)).toBe(true);
});
