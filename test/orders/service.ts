/** A service for tests, written from the service's document alone: holds the orders it is given, answers as a test says. */

import type { Home } from '../harness/paydesk.ts';
import { storeProfile as store } from '../harness/profile.ts';
import { type Handler, json, type SeenRequest, startServer } from '../harness/server.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Service extends AsyncDisposable {
  /** What a profile calls its base URL, prefix included. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** The requests that change something. */
  readonly posts: readonly SeenRequest[];
  /** The orders it holds, newest first; a test may change them at any time. */
  orders: readonly Json[];
  /** The environment of a run against it. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ServiceOptions {
  readonly orders: readonly Json[];
  /** Path before `/orders`, such as `/pay/v1`. */
  readonly prefix?: string;
  /** The host that page URLs name. */
  readonly pageHost?: string;
  /** Answers every request that changes something. */
  readonly onPost?: (order: Json | undefined, service: Service, request: SeenRequest) => Handler;
  /** Called before each GET is answered. */
  readonly onGet?: (service: Service, request: SeenRequest) => void;
  readonly mode?: 'sandbox' | 'production';
  readonly customers?: readonly Json[];
}

/** The key of every run against it. */
export const testKey = 'key_test_4u9fQ2';

export async function startService(options: ServiceOptions): Promise<Service> {
  const { prefix = '' } = options;
  const server = await startServer((request, response, socket) => {
    const url = new URL(request.url, 'http://service.test');
    if (!url.pathname.startsWith(`${prefix}/`))
      return json({ object: 'error' }, 404)(request, response, socket);
    const path = url.pathname.slice(prefix.length + 1);
    if (request.method === 'GET') options.onGet?.(service, request);
    return answer(path, url.searchParams, request)(request, response, socket);
  });
  const answer = (path: string, query: URLSearchParams, request: SeenRequest): Handler => {
    if (request.method === 'GET' && path === 'orders')
      return json(pageOf(service.orders, path, query, options));
    if (request.method === 'GET' && path === 'customers')
      return json(pageOf(options.customers ?? [], path, query, options));
    const order = service.orders.find(({ id }) => path.startsWith(`orders/${String(id)}/`));
    return (
      options.onPost?.(order, service, request) ??
      json({ object: 'error', type: 'not_offered', details: [] }, 404)
    );
  };
  const service: Service = {
    url: `${server.url}${prefix}`,
    requests: server.requests,
    get posts() {
      return server.requests.filter(({ method }) => method !== 'GET');
    },
    orders: options.orders,
    env: {
      PAYDESK_BASE_URL: `${server.url}${prefix}`,
      PAYDESK_MODE: options.mode ?? 'sandbox',
      PAYDESK_API_KEY: testKey,
      TZ: 'UTC',
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  return service;
}

/** Stores the profile `shop` for a service, with these settings. */
export async function storeProfile(
  home: Home,
  service: Service,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const mode = service.env.PAYDESK_MODE === 'production' ? 'production' : 'sandbox';
  await store(home, { name: 'shop', baseUrl: service.url, mode, settings }, testKey);
}

// `next=ID`: strictly after it. `previous=ID`: those right before it (service: Endpoints 2).
function pageOf(
  records: readonly Json[],
  path: string,
  query: URLSearchParams,
  options: ServiceOptions,
): Json {
  const limit = Number(query.get('limit') ?? 20);
  const at = (name: string): number => records.findIndex(({ id }) => id === query.get(name));
  const backwards = query.has('previous');
  const end = backwards ? at('previous') : records.length;
  const start = backwards ? Math.max(0, end - limit) : at('next') + 1;
  const data = records.slice(start, backwards ? end : start + limit);
  const base = `${options.pageHost ?? 'http://service.test'}${options.prefix ?? ''}/${path}`;
  return {
    object: 'list',
    has_more: backwards ? start > 0 : start + limit < records.length,
    next_page_url: `${base}?limit=${limit}&next=${String(data.at(-1)?.id)}`,
    previous_page_url: `${base}?limit=${limit}&previous=${String(data[0]?.id)}`,
    data,
  };
}

// ── Orders ──────────────────────────────────────────────────────────────────────────────────────

/** A charge that was paid by card, changed as a test says. */
export function chargeOf(id: string, amount: number, changes: Json = {}): Json {
  return {
    id,
    object: 'charge',
    livemode: false,
    created_at: 1_790_000_005,
    paid_at: 1_790_000_025,
    currency: 'MXN',
    amount,
    fee: 900,
    status: 'paid',
    is_refundable: true,
    description: 'Payment from order',
    payment_method: {
      object: 'card_payment',
      type: 'credit',
      name: 'BUYER NAME',
      auth_code: '490215',
      last4: '4242',
      brand: 'visa',
    },
    refunds: null,
    ...changes,
  };
}

/** A refund record; its amount is negative (service: refund). */
export function refundOf(id: string, amount: number, changes: Json = {}): Json {
  return {
    id,
    object: 'refund',
    amount: -amount,
    created_at: 1_790_003_600,
    auth_code: '490215',
    ...changes,
  };
}

/** The record of a refund that is made now. */
export function newRefundOf(id: string, amount: number, changes: Json = {}): Json {
  return refundOf(id, amount, { created_at: Math.floor(Date.now() / 1000), ...changes });
}

export function listOf(...data: readonly Json[]): Json {
  return { object: 'list', has_more: false, total: data.length, data };
}

/** A paid order with these charges, changed as a test says. */
export function orderOf(id: string, charges: readonly Json[], changes: Json = {}): Json {
  const amount = charges.reduce((sum, charge) => sum + Number(charge.amount), 0);
  return {
    id,
    object: 'order',
    livemode: false,
    amount,
    amount_refunded: 0,
    currency: 'MXN',
    payment_status: 'paid',
    is_refundable: true,
    customer_info: { object: 'customer_info', name: 'Buyer Name', email: 'buyer@example.com' },
    channel: null,
    metadata: {},
    created_at: 1_790_000_000,
    updated_at: 1_790_000_030,
    line_items: listOf({
      id: 'line_item_1',
      name: 'Wool blanket',
      unit_price: amount,
      quantity: 1,
      sku: 'WB-2',
    }),
    charges: listOf(...charges),
    ...(charges.length > 1 ? { split_payment: true } : {}),
    ...changes,
  };
}

/** The order after this refund, as the document shows it for a whole order (service: Endpoints 1). */
export function refundedWhole(order: Json): Json {
  const { data } = order.charges as { readonly data: readonly Json[] };
  const charges = data.map((charge) => ({
    ...charge,
    status: 'refunded',
    is_refundable: false,
    refunds: listOf(newRefundOf(`rf_${String(charge.id)}`, Number(charge.amount))),
  }));
  return {
    ...order,
    payment_status: 'refunded',
    amount_refunded: order.amount,
    is_refundable: false,
    charges: listOf(...charges),
  };
}
