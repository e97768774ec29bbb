/** Against a service that refuses whatever its description does not hold: no header, field or method of ours is too much. */

import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { chargeOf, customerOf, type Json, orderOf } from '../harness/orders.ts';
import { startSocketServer } from '../harness/server.ts';
import { startAnswering } from '../harness/service.ts';
import { strictService } from '../harness/strict-service.ts';

const authorized = chargeOf('ch_auth', 7450, { status: 'pre_authorized', paid_at: null });
const orders: readonly Json[] = [
  orderOf('ord_paid', [chargeOf('ch_1', 35_000)]),
  orderOf('ord_split', [chargeOf('ch_2', 20_000), chargeOf('ch_3', 15_100)]),
  orderOf('ord_part', [chargeOf('ch_4', 52_000)]),
  orderOf('ord_auth', [authorized], { payment_status: 'pre_authorized', is_refundable: false }),
];

const items = ['--item', 'Wool blanket:16000:2', '--currency', 'MXN'];
const pay = [
  '--method',
  'card',
  '--installments',
  '3,6',
  '--needs-shipping',
  '--expires',
  '2027-12-31',
  '--name',
  'Sale',
];

const commands: readonly (readonly string[])[] = [
  ['orders', 'list'],
  ['orders', 'list', '--limit', '2', '--all'],
  ['orders', 'show', 'ord_split'],
  ['customers', 'list'],
  ['customers', 'show', 'cus_1'],
  ['orders', 'find', 'buyer'],
  ['orders', 'refund', 'ord_paid', '--reason', 'requested_by_client'],
  ['orders', 'refund', 'ord_split'],
  ['orders', 'refund', 'ord_part', '--charge', '1', '--amount', '1000', '--reason', 'other'],
  ['orders', 'capture', 'ord_auth'],
  ['orders', 'create', ...items],
  [
    'orders',
    'create',
    ...items,
    ...pay,
    '--checkout',
    'HostedPayment',
    '--success-url',
    'https://shop.example.com/yes',
  ],
  ['checkout', 'create', ...items, ...pay],
];

describe('a service with strict headers, queries and bodies', () => {
  test.each([[[]], [['--lang', 'es']]])(
    'list, show, find, refund, capture, create and checkout go through %j',
    async (lang) => {
      const strict = strictService(orders, [customerOf('cus_1')]);
      await using service = await startAnswering(strict.handler);
      for (const command of commands) {
        const ran = await service.run([...command, '--yes', ...lang]);
        expect({ command, code: ran.code, refusals: strict.refusals }, ran.stderr).toEqual({
          command,
          code: 0,
          refusals: [],
        });
      }
      expect(service.posts.map(({ url }) => url)).toEqual([
        '/orders/ord_paid/refunds',
        '/orders/ord_split/refunds',
        '/orders/ord_part/refunds',
        '/orders/ord_auth/capture',
        '/orders',
        '/orders',
        '/checkouts',
      ]);
      expect(
        strict.orders.map(({ id, payment_status }) => `${String(id)} ${String(payment_status)}`),
      ).toEqual([
        'ord_new5 undefined',
        'ord_new4 undefined',
        'ord_paid refunded',
        'ord_split refunded',
        'ord_part partially_refunded',
        'ord_auth paid',
      ]);
    },
  );

  test('it refuses a header that fetch adds by itself, and an unknown field', async () => {
    const strict = strictService(orders);
    await using service = await startAnswering(strict.handler);
    const reply = await fetch(`${service.url}/orders?page=2`, { headers: { 'user-agent': 'paydesk/1' } });
    expect(reply.status).toBe(400);
    expect(strict.refusals).toEqual([
      'header accept: */*',
      'header accept-language: *',
      'header sec-fetch-mode: cors',
      'query page=2',
    ]);
    const ran = await service.run(['api', 'POST', '/checkouts', '--field', 'nmae=Sale', '--yes']);
    expect(ran.code).not.toBe(0);
    expect(strict.refusals.at(-1)).toBe('body.nmae is not described');
  });
});

describe('the bytes on the wire', () => {
  /** Passes a run's connections on to a service, and keeps what the run sent. */
  async function sentBytes(args: readonly string[]): Promise<readonly string[]> {
    const strict = strictService(orders);
    await using service = await startAnswering(strict.handler);
    const chunks: Buffer[] = [];
    await using tap = await startSocketServer((socket) => {
      const onward = connect(service.server.port, '127.0.0.1');
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.pipe(onward).pipe(socket);
    });
    const ran = await service.run(args, { env: { PAYDESK_BASE_URL: tap.url } });
    expect(ran.code, ran.stderr).toBe(0);
    const text = Buffer.concat(chunks).toString('latin1');
    const heads = [...text.matchAll(/(?:GET|POST) .*? HTTP\/1\.1\r\n(.*?)\r\n\r\n/gs)];
    return [...new Set(heads.map(([head, lines = '']) => `${head.slice(0, 4).trim()}: ${namesOf(lines)}`))];
  }

  const namesOf = (lines: string) =>
    lines
      .split('\r\n')
      .map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
      .toSorted((one, other) => one.localeCompare(other))
      .join(', ');

  const usual = 'accept, accept-encoding, authorization, connection';

  test.each<[string, readonly string[], string]>([
    ['without a language there is none', [], ''],
    ['with --lang there is one', ['--lang', 'es'], 'accept-language, '],
  ])('%s, for GET and for POST', async (_, more, language) => {
    const bytes = await sentBytes(['orders', 'refund', 'ord_paid', '--yes', ...more]);
    const before = usual.replace('accept-encoding, ', `accept-encoding, ${language}`);
    expect(bytes).toEqual([
      `GET: ${before}, host, user-agent`,
      `POST: ${before}, content-length, content-type, host, user-agent`,
    ]);
  });

  test('a capture has no body, and says so', async () => {
    expect(await sentBytes(['orders', 'capture', 'ord_auth', '--yes'])).toEqual([
      `GET: ${usual}, host, user-agent`,
      `POST: ${usual}, content-length, host, user-agent`,
    ]);
  });
});
