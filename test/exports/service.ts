/** A service with many orders, and how paydesk exports them: written from the service's document alone. */

import { type Home, paydesk, type Ran } from '../harness/paydesk.ts';
import { type Handler, startServer, type TestServer } from '../harness/server.ts';

const newest = 1_795_000_000;

/** An order with a refund now and then, in two currencies, one every seven minutes back from November 2026. */
export function orderAt(index: number, count: number): Readonly<Record<string, unknown>> {
  const id = `ord_${String(count - index).padStart(12, '0')}`;
  const created = newest - index * 420;
  const amount = 10_000 + (index % 97) * 100;
  const currency = index % 5 === 0 ? 'USD' : 'MXN';
  const refunded = index % 3 === 0 ? 1_000 + (index % 7) : 0;
  const refund = {
    id: `re_${id}`,
    object: 'refund',
    amount: -refunded,
    created_at: created + 86_400 * (index % 40),
    auth_code: '123456',
  };
  return {
    id,
    object: 'order',
    livemode: false,
    amount,
    amount_refunded: refunded,
    currency,
    payment_status: refunded > 0 ? 'partially_refunded' : 'paid',
    is_refundable: true,
    customer_info: { object: 'customer_info', name: index % 2 === 0 ? 'Ana Ortiz' : 'José Núñez' },
    metadata: { text: 'x'.repeat(40) },
    created_at: created,
    updated_at: created,
    charges: {
      object: 'list',
      has_more: false,
      total: 1,
      data: [
        {
          id: `ch_${id}`,
          object: 'charge',
          amount,
          currency,
          status: 'paid',
          created_at: created,
          paid_at: created + 30,
          order_id: id,
          refunds: refunded === 0 ? null : { object: 'list', has_more: false, total: 1, data: [refund] },
        },
      ],
    },
  };
}

/** The orders of a service, newest first. */
export function orders(count: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, index) => orderAt(index, count));
}

/** Pages of the orders as documented; `instead` answers some pages (by their number, from 1) in another way. */
export function ordersService(
  all: readonly Readonly<Record<string, unknown>>[],
  instead: (page: number, url: URL) => Handler | undefined = () => undefined,
): Handler {
  const texts = all.map((order) => JSON.stringify(order));
  const places = new Map(all.map(({ id }, index) => [String(id), index]));
  let page = 0;
  return (request, response, socket) => {
    const url = new URL(request.url, 'http://service');
    page += 1;
    const other = instead(page, url);
    if (other !== undefined) return other(request, response, socket);
    const limit = Number(url.searchParams.get('limit') ?? 20);
    const next = url.searchParams.get('next');
    const start = next === null ? 0 : (places.get(next) ?? all.length) + 1;
    const data = texts.slice(start, start + limit);
    const more = start + limit < all.length;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"object":"list","has_more":${more},"data":[${data.join(',')}]}`);
  };
}

/** Starts a service with so many orders. */
export function startOrders(
  count: number,
  instead?: Parameters<typeof ordersService>[1],
): Promise<TestServer> {
  return startServer(ordersService(orders(count), instead));
}

/** The environment that reaches it. */
export function reaching(server: { readonly url: string }): Record<string, string> {
  return { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: 'key_test_0123456789' };
}

/** Runs `paydesk orders export WORDS` in its home folder. */
export function exporting(
  server: { readonly url: string },
  home: Home,
  ...words: readonly string[]
): Promise<Ran> {
  return paydesk(['orders', 'export', ...words], { home, env: reaching(server) });
}
