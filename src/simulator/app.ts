/** The simulated service over HTTP: it checks a request, carries out the operation of its path, and writes the reply. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { checkoutCreateRequest, checkRequest, orderRequest, refundRequest } from '../api/request-bodies.ts';
import { type ResourceName, resourceNames, resources } from '../api/resources.ts';
import { livemodeOf, paths } from '../api/spec.ts';
import {
  badBody,
  bodyTooLarge,
  errorKinds,
  type Failure,
  internal,
  notFound,
  type Ruled,
} from './failures.ts';
import { idsFrom, type Random } from './random.ts';
import { checkAccept, checkKey, languageOf, pageRequestOf, readBody } from './requests.ts';
import {
  createLink,
  createOrder,
  withoutLinkAliases,
  withoutOrderAliases,
} from './rules/order-and-checkout.ts';
import {
  captureOrder,
  type LaterFault,
  laterOf,
  type RuleInputs,
  refundOrder,
} from './rules/refund-and-capture.ts';
import type { Store, StoredPage } from './store.ts';
import type { StoredOrder } from './stored-records.ts';

// Assumed: a request body has at most this many bytes.
const maxBodyBytes = 1024 * 1024;

export interface AppOptions {
  readonly store: Store;
  readonly vendors: readonly [string, ...string[]];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: Random;
  /** The address of the checkout pages, `http://127.0.0.1:4010`. */
  readonly pageOrigin: string;
}

/** The service as functions, without a server. */
export interface App {
  /** Never rejects: an internal error becomes an error reply. `later`: what happens to a refund after its reply. */
  readonly fetch: (request: Request, later?: LaterFault) => Promise<Response>;
  /** The error reply for this request, in its language (service: Errors). */
  readonly refuse: (request: Request, failure: Failure) => Response;
}

export function createApp(options: AppOptions): App {
  const app: Faulty = new Hono();
  app.use(async (context, next) => {
    options.store.settle(secondsNow(options));
    const refused =
      checkKey(context.req.raw.headers.get('authorization'), options.store.identity().key) ??
      checkAccept(context.req.raw.headers.get('accept'), options.vendors);
    return refused === undefined ? next() : errorReply(refused, context.req.raw, options);
  });
  for (const resource of resourceNames) addReads(app, resource, options);
  addChanges(app, options);
  // Assumed: an unknown path, or a method that the path does not have, gets 404.
  app.notFound(({ req }) => errorReply(notFound('path', `${req.method} ${req.path}`), req.raw, options));
  app.onError((_error, { req }) => errorReply(internal(), req.raw, options));
  return {
    fetch: async (request, later) => app.fetch(request, { later }),
    refuse: (request, failure) => errorReply(failure, request, options),
  };
}

type Faulty = Hono<{ Bindings: { later: LaterFault | undefined } }>;

function secondsNow({ now }: AppOptions): number {
  return Math.floor(now() / 1000);
}

function addReads(app: Faulty, resource: ResourceName, options: AppOptions): void {
  const { path, one } = resources[resource];
  app.get(`/${path}`, ({ req }) => list(req.raw, resource, options));
  // Assumed: GET of one record by its id. The document shows no such operation.
  app.get(`/${path}/:id`, ({ req }) => {
    const id = req.param('id');
    const text = options.store.get(resource, id);
    return text === undefined ? errorReply(notFound(one, id), req.raw, options) : jsonReply(text);
  });
}

type Operation = (body: JsonObject, inputs: Inputs) => Ruled<JsonObject>;
type Inputs = RuleInputs & { readonly later: LaterFault | undefined; readonly pageOrigin: string };

function addChanges(app: Faulty, options: AppOptions): void {
  const { store } = options;
  const limit = bodyLimit({
    maxSize: maxBodyBytes,
    onError: ({ req }) => errorReply(bodyTooLarge(maxBodyBytes), req.raw, options),
  });
  const post = (path: string, operation: (id: string) => Operation): void => {
    app.post(path, limit, ({ req, env }) =>
      change(req.raw, operation(req.param('id') ?? ''), { ...options, later: env.later }),
    );
  };
  const { orders } = paths;
  post(`/${orders}/:id/refunds`, (id) => (body, inputs) => refund(store, id, body, inputs));
  post(`/${orders}/:id/capture`, (id) => (body, inputs) => capture(store, id, body, inputs));
  post(`/${orders}/:id/charges`, (id) => (body) => makeCharge(store, id, body));
  post(`/${orders}`, () => (body, inputs) => makeOrder(store, body, inputs));
  post(`/${paths.checkouts}`, () => (body, inputs) => makeCheckout(store, body, inputs));
  post(`/${paths.charges}`, () => (body) => makeCharge(store, undefined, body));
}

function list(request: Request, resource: ResourceName, options: AppOptions): Response {
  const url = new URL(request.url);
  const asked = pageRequestOf(url.searchParams);
  if ('failure' in asked) return errorReply(asked.failure, request, options);
  const page = options.store.page(resource, asked.value);
  if (page !== undefined) return listReply(page, url, asked.value.previous !== undefined);
  const { next, previous } = asked.value;
  const param = next === undefined ? 'previous' : 'next';
  return errorReply(notFound(resources[resource].one, next ?? previous ?? '', param), request, options);
}

async function change(
  request: Request,
  operation: Operation,
  options: AppOptions & Pick<Inputs, 'later'>,
): Promise<Response> {
  const body = await readBody(request);
  if ('failure' in body) return errorReply(body.failure, request, options);
  const { later, random, pageOrigin } = options;
  const result = operation(body.value, {
    now: secondsNow(options),
    ids: idsFrom(random),
    later,
    pageOrigin,
  });
  return 'failure' in result
    ? errorReply(result.failure, request, options)
    : jsonReply(JSON.stringify(result.value));
}

// POST orders/ID/refunds (service: Endpoints 1).
function refund(store: Store, id: string, body: JsonObject, inputs: Inputs): Ruled<StoredOrder> {
  if (store.get('orders', id) === undefined) return { failure: noOrder(id) };
  // The schema requires `charge_id` with `amount`, but here the rule decides, because it sees the order. So the schema always gets
  // a `charge_id`.
  const named = body.charge_id === undefined ? { ...body, charge_id: 'any' } : body;
  const checked = checkRequest(refundRequest, named);
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const { charge_id: chargeId, ...rest } = checked.body;
  const request = body.charge_id === undefined ? rest : { ...rest, charge_id: chargeId };
  const { later, now } = inputs;
  const refunded = store.changeOrder(
    id,
    (order) => refundOrder(order, request, { ...inputs, isPending: later === 'pending' }),
    (before, after) => (later === undefined ? [] : laterOf(later, before, after, now)),
  );
  return refunded ?? { failure: noOrder(id) };
}

// POST orders/ID/capture (service: Endpoints 3).
function capture(store: Store, id: string, body: JsonObject, { now }: RuleInputs): Ruled<StoredOrder> {
  if (store.get('orders', id) === undefined) return { failure: noOrder(id) };
  // Assumed: the body may be `{}`, and any field in it is refused (service: Endpoints 3).
  const faults = Object.keys(body).map((param) => unknownParameter(param));
  if (faults.length > 0) return { failure: badBody(faults) };
  return store.changeOrder(id, (order) => captureOrder(order, now)) ?? { failure: noOrder(id) };
}

// POST orders (service: Endpoints 4).
function makeOrder(store: Store, body: JsonObject, inputs: Inputs): Ruled<JsonObject> {
  const checked = checkRequest(orderRequest, withoutOrderAliases(body));
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const customerId = checked.body.customer_info?.customer_id;
  const customer = customerId === undefined ? undefined : customerIn(store, customerId);
  if (customerId !== undefined && customer === undefined) {
    return { failure: notFound('customer', customerId, 'customer_info[customer_id]') };
  }
  const livemode = livemodeOf[store.identity().mode];
  const made = createOrder(checked.body, { ...inputs, livemode, customer });
  if ('value' in made) store.add('orders', made.value);
  return made;
}

// POST of a payment link (service: Endpoints 5).
function makeCheckout(store: Store, body: JsonObject, inputs: Inputs): Ruled<JsonObject> {
  const checked = checkRequest(checkoutCreateRequest, withoutLinkAliases(body));
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const customerId = checked.body.order_template.customer_info?.customer_id;
  if (customerId !== undefined && customerIn(store, customerId) === undefined) {
    return { failure: notFound('customer', customerId, 'order_template[customer_info][customer_id]') };
  }
  const made = createLink(checked.body, livemodeOf[store.identity().mode], inputs);
  store.add('checkouts', made);
  return { value: made };
}

// Assumed: nobody can make a charge here. The document does not show the body of such a request (service: Endpoints 6).
function makeCharge(store: Store, orderId: string | undefined, body: JsonObject): Ruled<JsonObject> {
  if (orderId !== undefined && store.get('orders', orderId) === undefined) {
    return { failure: noOrder(orderId) };
  }
  const params = Object.keys(body);
  const faults = params.length === 0 ? [noPayload] : params.map((param) => unknownParameter(param));
  return { failure: badBody(faults) };
}

const noPayload = { kind: 'invalid', param: null, message: 'no payload of a charge is documented' } as const;

function unknownParameter(param: string) {
  return { kind: 'unknown', param, message: `${param} is not documented here` } as const;
}

function noOrder(id: string): Failure {
  return notFound(resources.orders.one, id);
}

function customerIn(store: Store, id: string): JsonObject | undefined {
  const text = store.get('customers', id);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(value) ? value : undefined;
}

// Assumed: a reply is application/json, even if Accept names a vendor's type.
const headers = { 'content-type': 'application/json' } as const;

function jsonReply(text: string): Response {
  return new Response(text, { status: 200, headers });
}

// An error (service: Errors).
function errorReply({ kind, details, data }: Failure, request: Request, options: AppOptions): Response {
  const { status, type } = errorKinds[kind];
  const language = languageOf(request.headers.get('accept-language'));
  const body = {
    object: 'error',
    type,
    log_id: options.random.hex(24),
    details: details.map(({ code, param, words, debug }) => ({
      debug_message: debug ?? words.en,
      message: words[language],
      param,
      code: `${options.vendors[0]}.errors.${code}`,
    })),
    ...(data === undefined ? {} : { data }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

// A page (service: List envelope). The store keeps records as JSON text, so they are simply joined.
function listReply(page: StoredPage, url: URL, backwards: boolean): Response {
  const next = page.after ? pageUrl(url, 'next', page.lastId) : null;
  const previous = page.before ? pageUrl(url, 'previous', page.firstId) : null;
  const head = JSON.stringify({
    object: 'list',
    // Assumed: has_more is about the direction of the walk.
    has_more: backwards ? page.before : page.after,
    next_page_url: next,
    previous_page_url: previous,
  });
  return jsonReply(`${head.slice(0, -1)},"data":[${page.bodies.join(',')}]}`);
}

// Assumed: the URL of a page repeats the request's `limit`. Without such a page, the URL is null.
function pageUrl(url: URL, direction: 'next' | 'previous', id: string | undefined): string | null {
  if (id === undefined) return null;
  const page = new URL(url.pathname, url);
  const limit = url.searchParams.get('limit');
  if (limit !== null) page.searchParams.set('limit', limit);
  page.searchParams.set(direction, id);
  return page.href;
}
