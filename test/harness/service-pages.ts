/** Pages of made-up orders, as large and as many as a test wants; written from the service's document alone. */

import type { Handler } from './server.ts';

/** An order with everything that fits, about 2.5 kB. */
export function bigOrder(index: number): Readonly<Record<string, unknown>> {
  return {
    id: `ord_${String(index).padStart(17, '0')}`,
    object: 'order',
    livemode: false,
    amount: 35_000,
    amount_refunded: 0,
    currency: 'MXN',
    payment_status: 'paid',
    is_refundable: true,
    customer_info: { object: 'customer_info', name: `Buyer ${index}`, email: `buyer${index}@example.com` },
    metadata: { note: 'n'.repeat(2_000) },
    created_at: 1_790_000_000 - index,
    updated_at: 1_790_000_000 - index,
  };
}

/** One page: `count` orders from `first` on. */
export function pageOfOrders(
  first: number,
  count: number,
  hasMore: boolean,
): Readonly<Record<string, unknown>> {
  return {
    object: 'list',
    has_more: hasMore,
    data: Array.from({ length: count }, (_, index) => bigOrder(first + index)),
  };
}

/** Answers `GET /orders` with `pages` pages of `count` orders each. */
export function orderPages({ pages, count }: { readonly pages: number; readonly count: number }): Handler {
  return (request, response) => {
    const next = new URL(request.url, 'http://service').searchParams.get('next');
    const first = next === null ? 0 : Number(next.replace('ord_', '')) + 1;
    const body = JSON.stringify(pageOfOrders(first, count, first + count < pages * count));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  };
}
