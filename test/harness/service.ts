/** The service as tests play it, written from its document alone: it holds the orders it is given, records requests, answers as a test says. */

import {
  bigOrder,
  captured,
  errorBody,
  type Json,
  listBeforeMore,
  listOf,
  newRefundOf,
  refundedWhole,
  withRefund,
} from './orders.ts';
import { type Home, newHome, paydesk, type Ran, type RunOptions } from './paydesk.ts';
import { storeProfile } from './profile.ts';
import { type Handler, json, type SeenRequest, startServer, type TestServer } from './server.ts';

/** The key of every run against it. */
export const testKey = 'key_CANARYxyz0123456789';

export interface Service extends AsyncDisposable {
  /** What a profile calls its base URL, prefix included. */
  readonly url: string;
  readonly server: TestServer;
  readonly requests: readonly SeenRequest[];
  /** The requests that change something. */
  readonly posts: readonly SeenRequest[];
  /** The orders it holds, newest first; a test may change them at any time. */
  orders: readonly Json[];
  /** A home folder for runs against it. */
  readonly home: Home;
  /** The environment of a run against it. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program as a script does, without a terminal. */
  run(args: readonly string[], more?: Pick<RunOptions, 'env' | 'input' | 'columns'>): Promise<Ran>;
}

export interface ServiceOptions {
  readonly orders?: readonly Json[];
  readonly customers?: readonly Json[];
  /** Path before `/orders`, such as `/pay/v1`. */
  readonly prefix?: string;
  /** The host that page URLs name. */
  readonly pageHost?: string;
  /** Answers every request that changes something. */
  readonly onPost?: (order: Json | undefined, service: Service, request: SeenRequest) => Handler;
  /** Called before each GET is answered. */
  readonly onGet?: (service: Service, request: SeenRequest) => void;
  /** Answers a GET in place of the service, where it returns a handler. */
  readonly onPage?: (request: SeenRequest) => Handler | undefined;
  readonly mode?: 'sandbox' | 'production';
  readonly sendsDate?: false;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { prefix = '', pageHost = 'http://service.test' } = options;
  const service: Service = await serviceWith(
    (request, response, socket) => {
      const url = new URL(request.url, pageHost);
      const path = url.pathname.slice(prefix.length);
      if (!url.pathname.startsWith(`${prefix}/`)) return notFound(request, response, socket);
      if (request.method === 'GET') options.onGet?.(service, request);
      const instead = request.method === 'GET' ? options.onPage?.(request) : undefined;
      return (instead ?? answer(path, url, request))(request, response, socket);
    },
    { ...options, prefix },
  );
  const answer = (path: string, url: URL, request: SeenRequest): Handler => {
    const records = { '/orders': service.orders, '/customers': options.customers ?? [] }[path];
    if (request.method === 'GET' && records !== undefined) return json(withPageUrls(records, url));
    const order = service.orders.find(({ id }) => path.startsWith(`/orders/${String(id)}/`));
    return options.onPost?.(order, service, request) ?? notFound;
  };
  return service;
}

/** A service all of whose answers are a test's own. */
export function startAnswering(handler: Handler): Promise<Service> {
  return serviceWith(handler, {});
}

async function serviceWith(
  handler: Handler,
  { prefix = '', mode, orders = [], sendsDate }: ServiceOptions,
): Promise<Service> {
  const server = await startServer(handler, sendsDate === undefined ? {} : { sendsDate });
  const home = newHome();
  const url = `${server.url}${prefix}`;
  const env = { ...environment(url, mode), TZ: 'UTC' };
  return {
    url,
    server,
    requests: server.requests,
    get posts() {
      return server.requests.filter(({ method }) => method !== 'GET');
    },
    orders,
    home,
    env,
    run: (args, more = {}) => paydesk(args, { home, ...more, env: { ...env, ...more.env } }),
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

/** The variables of the profile `environment`. */
export function environment(
  url: string,
  mode: 'sandbox' | 'production' = 'sandbox',
): Readonly<Record<string, string>> {
  return { PAYDESK_BASE_URL: url, PAYDESK_MODE: mode, PAYDESK_API_KEY: testKey };
}

/** A service with one order, on which it makes every refund now: `rf_1`, `rf_2`. One without an amount is of 35000. */
export async function startRefunding(held: Json, more: Partial<ServiceOptions> = {}): Promise<Service> {
  let made = 0;
  return await startService({
    orders: [held],
    onPost: (found = {}, on, { body }) => {
      const { amount = 35_000 } = JSON.parse(body) as { amount?: number };
      made += 1;
      on.orders = [withRefund(found, newRefundOf(`rf_${made}`, amount), amount)];
      return json(on.orders[0]);
    },
    ...more,
  });
}

/** Stores the profile `shop` for a service, with these settings. */
export async function storeShop(
  home: Home,
  service: Service,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const mode = service.env.PAYDESK_MODE === 'production' ? 'production' : 'sandbox';
  await storeProfile(home, { name: 'shop', baseUrl: service.url, mode, settings }, testKey);
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────

export const notFound = json(errorBody({ type: 'resource_not_found_error' }), 404);

export const emptyList = json(listOf());

/** Pages over these records, newest first; anything else is a 404. */
export function pages(orders: readonly Json[], customers: readonly Json[] = []): Handler {
  return (request, response, socket) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    const records = { '/orders': orders, '/customers': customers }[pathname];
    const answer =
      request.method !== 'GET' || records === undefined ? notFound : json(pageOf(records, searchParams));
    return answer(request, response, socket);
  };
}

/** One order that can be refunded and captured, as the last answer leaves it. */
export function changing(first: Json): Handler {
  let held = first;
  return (request, response, socket) => {
    if (request.method === 'GET') return pages([held])(request, response, socket);
    held = request.url.endsWith('/capture') ? captured(held) : refunded(held, request.body);
    return json(held)(request, response, socket);
  };
}

function refunded(order: Json, body: string): Json {
  const { amount, charge_id } = JSON.parse(body || '{}') as {
    readonly amount?: number;
    readonly charge_id?: string;
  };
  return amount === undefined
    ? refundedWhole(order, charge_id)
    : withRefund(order, newRefundOf('rf_1', amount), amount);
}

/**
 * The page that a query asks for (service: Endpoints 2). `next=ID`: strictly after it; `previous=ID`: those right
 * before it; an unknown id: the first page.
 */
export function pageOf(records: readonly Json[], query: URLSearchParams): Json {
  const limit = Number(query.get('limit') ?? 20);
  const at = (name: string): number => records.findIndex(({ id }) => id === query.get(name));
  const backwards = query.has('previous');
  const end = backwards ? Math.max(0, at('previous')) : at('next') + 1 + limit;
  const start = backwards ? Math.max(0, end - limit) : at('next') + 1;
  const list = (backwards ? start > 0 : end < records.length) ? listBeforeMore : listOf;
  return list(...records.slice(start, end));
}

// The same with the addresses of its neighbours.
function withPageUrls(records: readonly Json[], { origin, pathname, searchParams }: URL): Json {
  const page = pageOf(records, searchParams);
  const data = page.data as readonly Json[];
  const base = `${origin}${pathname}?limit=${searchParams.get('limit') ?? 20}`;
  return {
    ...page,
    next_page_url: `${base}&next=${String(data.at(-1)?.id)}`,
    previous_page_url: `${base}&previous=${String(data[0]?.id)}`,
  };
}

/** Answers `GET /orders` with `pages` pages of `count` big orders each, whatever is asked for. */
export function orderPages({ pages, count }: { readonly pages: number; readonly count: number }): Handler {
  return (request, response, socket) => {
    const next = new URL(request.url, 'http://service').searchParams.get('next');
    const first = next === null ? 0 : Number(next.replace('ord_', '')) + 1;
    const list = first + count < pages * count ? listBeforeMore : listOf;
    const data = Array.from({ length: count }, (_, index) => bigOrder(first + index));
    return json(list(...data))(request, response, socket);
  };
}

// ── Creations ───────────────────────────────────────────────────────────────────────────────────

export interface CreationOptions {
  readonly mode?: 'sandbox' | 'production';
  /** Answers every change; absent: a checkout or an order with an id. */
  readonly onChange?: Handler;
  /** The newest order of the account, as listed; absent: none. */
  readonly newest?: () => readonly object[];
  /** Its list does not say that it is one. */
  readonly unnamed?: true;
  readonly sendsDate?: false;
}

/** A service that makes what it is asked to make, and lists only its newest order. */
export function startCreations(options: CreationOptions = {}): Promise<Service> {
  const { mode = 'sandbox', onChange = made, newest = () => [], unnamed, ...more } = options;
  const kind = unnamed === true ? {} : { object: 'list' };
  return serviceWith(
    (...exchange) =>
      exchange[0].method === 'GET'
        ? json({ ...kind, has_more: false, data: newest() })(...exchange)
        : onChange(...exchange),
    { mode, ...more },
  );
}

const made: Handler = (request, response, socket) => {
  const body =
    request.url === '/orders'
      ? { id: 'ord_new1', object: 'order', livemode: false, ...totalOf(request.body) }
      : { id: 'chk_1', object: 'checkout', url: 'https://pay.example.com/link/1', expires_at: 1_900_000_000 };
  return json(body)(request, response, socket);
};

// The amount that an order of this body has (service: Endpoints 4).
function totalOf(body: string): Json {
  const { currency, line_items: items, shipping_lines: shipping = [] } = JSON.parse(body) as NewOrder;
  const sums = [
    ...items.map(({ unit_price: price, quantity }) => price * quantity),
    ...shipping.map(({ amount }) => amount),
  ];
  return { amount: sums.reduce((sum, one) => sum + one, 0), currency };
}

interface NewOrder {
  readonly currency: string;
  readonly line_items: readonly { readonly unit_price: number; readonly quantity: number }[];
  readonly shipping_lines?: readonly { readonly amount: number }[];
}

/** What a service was asked to change: method, path and body, in their order. */
export function sentTo(
  service: Service,
): readonly { readonly method: string; readonly path: string; readonly body: unknown }[] {
  return service.posts.map(({ method, url, body }) => ({
    method,
    path: url,
    body: body === '' ? undefined : JSON.parse(body),
  }));
}
