/** Services that differ from the simulator in every way a service may: prefix, vendor, brand, auth, page URLs, answers. */

import { describe, expect, test } from 'vitest';
import { startDesk } from '../harness/desk.ts';
import { chargeOf, orderOf, refundedWhole } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { json, reply, startServer } from '../harness/server.ts';
import { emptyList, startService, storeShop, testKey } from '../harness/service.ts';
import { chargeAt, paidTwice } from './order-kinds.ts';

const many = Array.from({ length: 45 }, (_, index) =>
  orderOf(`ord_${100 + index}`, [chargeOf(`ch_${index}`, 35000)]),
);

describe('a service under a prefix, of the vendor acme, with Basic auth and page URLs on another host', () => {
  const acme = async (onPost: Parameters<typeof startService>[0]['onPost']) => {
    const elsewhere = await startServer(emptyList);
    const service = await startService({
      orders: many,
      prefix: '/pay/v1',
      pageHost: elsewhere.url,
      ...(onPost === undefined ? {} : { onPost }),
    });
    const env = {
      ...service.env,
      PAYDESK_BASE_URL: `${service.url}/`,
      PAYDESK_VENDOR: 'acme',
      PAYDESK_AUTH: 'basic',
    };
    return {
      service,
      elsewhere,
      env,
      async [Symbol.asyncDispose]() {
        await service[Symbol.asyncDispose]();
        await elsewhere.close();
      },
    };
  };

  test('is listed to its end, and the other host sees no connection', async () => {
    await using there = await acme(undefined);
    using home = newHome();
    const ran = await paydesk(['orders', 'list', '--all', '--ndjson'], { home, env: there.env });
    expect(ran.code).toBe(0);
    expect(
      ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(many.map(({ id }) => id));
    expect(there.elsewhere.connections).toBe(0);
    for (const { url, headers } of there.service.requests) {
      expect(url).toMatch(/^\/pay\/v1\/orders(\?|$)/);
      expect(headers.accept).toBe('application/vnd.acme-v2.3.0+json');
      expect(headers.authorization).toBe(`Basic ${Buffer.from(`${testKey}:`).toString('base64')}`);
    }
  });

  test('finds one order, refunds and captures it', async () => {
    await using there = await acme((order = {}, service, { url }) => {
      const changed = url.endsWith('/capture') ? { ...order, payment_status: 'paid' } : refundedWhole(order);
      service.orders = service.orders.map((one) => (one.id === order.id ? changed : one));
      return json(changed);
    });
    using home = newHome();
    const { env, service } = there;
    expect(await paydesk(['orders', 'refund', 'ord_130', '--yes'], { home, env })).toMatchObject({ code: 0 });
    const authorized = orderOf('ord_131', [chargeOf('ch_31', 35000, { status: 'pre_authorized' })]);
    service.orders = service.orders.map((one) =>
      one.id === 'ord_131' ? { ...authorized, payment_status: 'pre_authorized' } : one,
    );
    expect(await paydesk(['orders', 'capture', 'ord_131', '--yes'], { home, env })).toMatchObject({
      code: 0,
    });
    expect(service.posts.map(({ url }) => url)).toEqual([
      '/pay/v1/orders/ord_130/refunds',
      '/pay/v1/orders/ord_131/capture',
    ]);
    expect(service.posts[1]?.body).toBe('');
    expect(there.elsewhere.connections).toBe(0);
  });

  test('its refusals are understood under its own brand', async () => {
    await using there = await acme(() =>
      json(
        {
          object: 'error',
          type: 'precondition_required_error',
          log_id: '5f2c81',
          details: [
            {
              debug_message: 'The order is not returnable.',
              message: 'La orden no se puede devolver.',
              param: null,
              code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
            },
          ],
        },
        428,
      ),
    );
    using home = newHome();
    const ran = await paydesk(['orders', 'refund', 'ord_130', '--yes'], { home, env: there.env });
    expect(ran.code).toBe(5);
    const words = ran.stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain('refused by the service: order ord_130 is not refundable');
    expect(words).toContain('acme.errors.precondition_required.combo.order.is_not_returnable');
    expect(words).toContain('La orden no se puede devolver.');
    expect(words).toContain('HTTP 428, log_id 5f2c81');
    expect(words).toContain('certain: this refund moved no money');
  });

  test('a documented refusal is explained whichever of its details names it', async () => {
    const code = 'acme.errors.precondition_required.combo.order.is_not_returnable';
    const details = [{ message: 'see below' }, { message: 'not returnable', code }];
    await using service = await startService({
      orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])],
      onPost: () => json({ object: 'error', type: 'precondition_required_error', details }, 428),
    });
    using home = newHome();
    const words = ['orders', 'refund', 'ord_1', '--yes'];
    const { code: exit, stderr } = await paydesk(words, { home, env: service.env });
    expect(exit, stderr).toBe(5);
    expect(stderr).toContain('refused by the service: order ord_1 is not refundable');
  });
});

describe('an answer of 421 Misdirected Request', () => {
  // fetch by itself sends a request again on 421.
  test.each([
    ['refund', orderOf('ord_1', [chargeOf('ch_1', 35000)])],
    [
      'capture',
      orderOf('ord_1', [chargeOf('ch_1', 35000, { status: 'pre_authorized' })], {
        payment_status: 'pre_authorized',
      }),
    ],
  ])('to a %s: the service sees one POST and no second one', async (verb, order) => {
    await using service = await startService({ orders: [order], onPost: () => reply('', 421) });
    using home = newHome();
    await storeShop(home, service, { 'reconcile.after': '0' });
    const ran = await paydesk(['-p', 'shop', 'orders', verb, 'ord_1', '--yes'], { home });
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain(`unconfirmed: no usable answer to the ${verb} of 35000 MXN on ord_1`);
    expect(service.posts).toHaveLength(1);
  });
});

describe('an amount without a charge on a split order', () => {
  test('which paydesk cannot send: its refusal is read, and each charge comes out of `data` with its command', async () => {
    await using desk = await startDesk({ args: ['--orders', '20'] });
    const split = await desk.take(paidTwice);
    const refused = await desk.request('POST', `/orders/${split.id}/refunds`, { amount: 300 });
    expect(refused.body).toMatchObject({
      object: 'error',
      type: 'processing_error',
      details: [
        {
          code: 'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
        },
      ],
      data: { object: 'order', id: split.id, payment_status: 'paid', amount_refunded: 0 },
    });
    expect(await desk.order(split.id)).toEqual(split);

    await using service = await startService({
      orders: [{ ...split }],
      onPost: () => json(refused.body, refused.status),
    });
    using home = newHome();
    const args = ['orders', 'refund', split.id, '--charge', '1', '--amount', '300', '--yes'];
    const ran = await paydesk(args, { home, env: service.env });
    expect(ran.code).toBe(5);
    for (const number of [1, 2]) {
      const { amount } = chargeAt(split, number - 1);
      expect(ran.stderr).toContain(`${amount} of ${amount} ${split.currency} left`);
      expect(ran.stderr).toContain(`paydesk orders refund ${split.id} --charge ${number} --amount 300\n`);
    }
    expect(service.posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { charge_id: chargeAt(split, 0).id, amount: 300 },
    ]);

    const asJson = await paydesk([...args, '--json'], { home, env: service.env });
    expect(asJson).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      object: 'error',
      kind: 'rejected',
      exit_code: 5,
      code: 'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
    });
  });
});
