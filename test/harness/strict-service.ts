/** A service that is driven by its description: every header, method, path, query and field that is not in it is refused. */

import { captured, type Json, newRefundOf, refundedWhole, withRefund } from './orders.ts';
import { type Handler, json, type SeenRequest } from './server.ts';
import { pageOf } from './service.ts';

export interface StrictService {
  readonly handler: Handler;
  /** What it refused, in its own words. */
  readonly refusals: readonly string[];
  /** The orders it holds, newest first. */
  readonly orders: readonly Json[];
}

/** A service with these orders. It answers a refusal in a form of its own, as generated servers do. */
export function strictService(first: readonly Json[], customers: readonly Json[] = []): StrictService {
  const refusals: string[] = [];
  let orders = first;
  const put = (order: Json) => {
    orders = orders.map((one) => (one.id === order.id ? order : one));
    return json(order);
  };
  const answer = (request: SeenRequest): Handler => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    if (pathname === '/customers') return json(pageOf(customers, searchParams));
    if (request.method === 'GET') return json(pageOf(orders, searchParams));
    const body = bodyOf(request) as Json;
    if (pathname === '/checkouts') return json({ id: 'chk_1', object: 'checkout', livemode: false, ...body });
    if (pathname === '/orders') {
      const made = createdOrder(`ord_new${orders.length}`, body);
      orders = [made, ...orders];
      return json(made);
    }
    const order = orders.find(({ id }) => pathname.startsWith(`/orders/${String(id)}/`)) ?? {};
    return put(pathname.endsWith('/capture') ? captured(order) : refunded(order, body));
  };
  return {
    handler(request, response, socket) {
      const problems = problemsOf(request);
      refusals.push(...problems);
      const refuse = json({ statusCode: 400, error: 'Bad Request', message: problems.join('; ') }, 400);
      return (problems.length > 0 ? refuse : answer(request))(request, response, socket);
    },
    refusals,
    get orders() {
      return orders;
    },
  };
}

// ── What the description holds ──────────────────────────────────────────────────────────────────

// The first row is what every HTTP client sends; the others are documented (service: Authentication 3 and 7, Versioning 1).
const headers: Readonly<Record<string, RegExp>> = {
  host: /./,
  connection: /^keep-alive$/,
  'accept-encoding': /^[a-z, ]+$/,
  'user-agent': /^paydesk\//,
  'content-length': /^\d+$/,
  authorization: /^Bearer \S+$/,
  accept: /^application\/vnd\.service-v(?:2\.0\.0|2\.1\.0|2\.3\.0)\+json$/,
  'content-type': /^application\/json$/,
  'accept-language': /^[a-z]{2}$/,
};

/** The type of each field; `map` takes any fields, a list has the type of its items. */
type Shape = Json;

const item = { name: 'string', unit_price: 'number', quantity: 'number' };
const paymentOptions = {
  allowed_payment_methods: ['string'],
  needs_shipping_contact: 'boolean',
  monthly_installments_enabled: 'boolean',
  monthly_installments_options: ['number'],
};
const refundBody = { reason: 'string', charge_id: 'string', amount: 'number' };
const orderBody = {
  currency: 'string',
  customer_info: { customer_id: 'string' },
  line_items: [{ ...item, description: 'string', sku: 'string', category: 'string', tags: ['string'] }],
  shipping_lines: [{ amount: 'number' }],
  shipping_contact: {
    phone: 'string',
    receiver: 'string',
    address: { street1: 'string', country: 'string', postal_code: 'string' },
  },
  metadata: 'map',
  checkout: {
    name: 'string',
    type: 'string',
    success_url: 'string',
    failure_url: 'string',
    expires_at: 'number',
    ...paymentOptions,
    on_demand_enabled: 'boolean',
    planId: 'string',
  },
};
const checkoutBody = {
  name: 'string',
  type: 'string',
  recurrent: 'boolean',
  expired_at: 'number',
  ...paymentOptions,
  plan_id: 'string',
  order_template: {
    line_items: [item],
    currency: 'string',
    customer_info: { customer_id: 'string', name: 'string', email: 'string', phone: 'string' },
  },
};

// A path without a body takes none, not even an empty one.
const operations: readonly { readonly method: string; readonly path: RegExp; readonly body?: Shape }[] = [
  { method: 'GET', path: /^\/orders$/ },
  { method: 'GET', path: /^\/customers$/ },
  { method: 'POST', path: /^\/orders$/, body: orderBody },
  { method: 'POST', path: /^\/checkouts$/, body: checkoutBody },
  { method: 'POST', path: /^\/orders\/ord_\w+\/refunds$/, body: refundBody },
  { method: 'POST', path: /^\/orders\/ord_\w+\/capture$/ },
];
const queries: Readonly<Record<string, RegExp>> = {
  limit: /^\d+$/,
  next: /^(?:ord|cus)_\w+$/,
  previous: /^(?:ord|cus)_\w+$/,
};

// ── The check ───────────────────────────────────────────────────────────────────────────────────

function problemsOf(request: SeenRequest): readonly string[] {
  const { pathname, searchParams } = new URL(request.url, 'http://service');
  const own = operations.find(({ method, path }) => method === request.method && path.test(pathname));
  if (own === undefined) return [`${request.method} ${pathname} is not described`];
  return [
    ...Object.entries(request.headers).flatMap(([name, value]) =>
      headers[name]?.test(String(value)) === true ? [] : [`header ${name}: ${String(value)}`],
    ),
    ...[...searchParams].flatMap(([name, value]) =>
      request.method === 'GET' && queries[name]?.test(value) === true ? [] : [`query ${name}=${value}`],
    ),
    ...bodyProblems(request, own.body),
  ];
}

function bodyProblems(request: SeenRequest, shape: Shape | undefined): readonly string[] {
  if (shape === undefined) {
    const { 'content-type': type } = request.headers;
    return request.body === '' && type === undefined ? [] : ['no body is described'];
  }
  return request.headers['content-type'] === undefined
    ? ['no content-type']
    : wrongIn(bodyOf(request), shape, 'body');
}

function bodyOf({ body }: SeenRequest): unknown {
  return body === '' ? {} : JSON.parse(body);
}

// The fields of a value that the shape does not have, or has with another type.
function wrongIn(value: unknown, shape: unknown, at: string): readonly string[] {
  if (Array.isArray(shape))
    return Array.isArray(value)
      ? value.flatMap((one, index) => wrongIn(one, shape[0], `${at}[${index}]`))
      : [at];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (shape === 'map') return isObject ? [] : [at];
  if (typeof shape === 'string') return typeof value === shape ? [] : [at];
  if (!isObject) return [at];
  const known = shape as Shape;
  return Object.entries(value).flatMap(([name, one]) =>
    Object.hasOwn(known, name)
      ? wrongIn(one, known[name], `${at}.${name}`)
      : [`${at}.${name} is not described`],
  );
}

// ── What it does ────────────────────────────────────────────────────────────────────────────────

// The order of a part has one charge.
function refunded(order: Json, { amount, charge_id }: Json): Json {
  if (charge_id === undefined) return refundedWhole(order);
  const part = Number(amount ?? order.amount);
  return withRefund(order, newRefundOf('rf_1', part), part);
}

function createdOrder(id: string, body: Json): Json {
  const items = body.line_items as readonly { readonly unit_price: number; readonly quantity: number }[];
  return {
    id,
    object: 'order',
    livemode: false,
    amount: items.reduce((sum, { unit_price, quantity }) => sum + unit_price * quantity, 0),
    amount_refunded: 0,
    currency: body.currency,
    created_at: Math.floor(Date.now() / 1000),
    metadata: body.metadata ?? {},
  };
}
