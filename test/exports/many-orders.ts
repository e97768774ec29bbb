/** A service with many orders, and how paydesk exports them. */

import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { type Home, paydesk, type Ran } from '../harness/paydesk.ts';
import { type Handler, startServer, type TestServer } from '../harness/server.ts';
import { environment, pages } from '../harness/service.ts';

const newest = 1_795_000_000;

/** An order with a refund now and then, in two currencies, one every seven minutes back from November 2026. */
export function orderAt(index: number, count: number): Json {
  const id = `ord_${String(count - index).padStart(12, '0')}`;
  const created = newest - index * 420;
  const amount = 10_000 + (index % 97) * 100;
  const currency = index % 5 === 0 ? 'USD' : 'MXN';
  const refunded = index % 3 === 0 ? 1_000 + (index % 7) : 0;
  const refund = refundOf(`re_${id}`, refunded, { created_at: created + 86_400 * (index % 40) });
  const charge = chargeOf(`ch_${id}`, amount, {
    currency,
    created_at: created,
    paid_at: created + 30,
    order_id: id,
    refunds: refunded === 0 ? null : listOf(refund),
  });
  return orderOf(id, [charge], {
    amount_refunded: refunded,
    currency,
    payment_status: refunded > 0 ? 'partially_refunded' : 'paid',
    customer_info: { object: 'customer_info', name: index % 2 === 0 ? 'Ana Ortiz' : 'José Núñez' },
    created_at: created,
    updated_at: created,
  });
}

/** The orders of a service, newest first. */
export function orders(count: number): readonly Json[] {
  return Array.from({ length: count }, (_, index) => orderAt(index, count));
}

/** Pages of the orders as documented; `instead` answers some pages (by their number, from 1) in another way. */
export function ordersService(
  all: readonly Json[],
  instead: (page: number, url: URL) => Handler | undefined = () => undefined,
): Handler {
  const asDocumented = pages(all);
  let page = 0;
  return (request, response, socket) => {
    page += 1;
    const answer = instead(page, new URL(request.url, 'http://service')) ?? asDocumented;
    return answer(request, response, socket);
  };
}

/** Starts a service with so many orders. */
export function startOrders(
  count: number,
  instead?: Parameters<typeof ordersService>[1],
): Promise<TestServer> {
  return startServer(ordersService(orders(count), instead));
}

/** Runs `paydesk orders export WORDS` in its home folder. */
export function exporting(
  server: { readonly url: string },
  home: Home,
  ...words: readonly string[]
): Promise<Ran> {
  return paydesk(['orders', 'export', ...words], { home, env: environment(server.url) });
}
