/** The simulated service over HTTP: checks of each request, routes, the operations on a store, replies. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type ResourceName, resourceNames, resources } from '../api/resources.ts';
import { type JsonObject, paths } from '../api/spec.ts';
import { errorKinds, type Language, maxBodyBytes } from './assumptions.ts';
import { bodyTooLarge, type Failure, internal, notFound, type Ruled } from './failures.ts';
import { capture, makeCharge, makeCheckout, makeOrder, refund } from './operations.ts';
import type { Random } from './random.ts';
import { idsFrom } from './random.ts';
import { checkAccept, checkKey, languageOf, pageRequestOf, readBody } from './requests.ts';
import type { RuleInputs } from './rules/refund-and-capture.ts';
import type { Store, StoredPage } from './store.ts';

/** What the service is made of. */
export interface AppOptions {
  readonly store: Store;
  /** Vendor segments that are answered; the first one is the brand of error codes. */
  readonly vendors: readonly [string, ...string[]];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: Random;
}

/** The service, answering. */
export interface App {
  /** Never rejects: what goes wrong inside is an error reply. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** An error in the document's form, in the request's language. */
  readonly refuse: (request: Request, failure: Failure) => Response;
}

/** The service as a fetch function. */
export function createApp(options: AppOptions): App {
  const app = new Hono();
  app.use(async (context, next) => {
    const refused = checkRequest(context.req.raw, options);
    return refused === undefined ? next() : failed(refused, context.req.raw, options);
  });
  for (const resource of resourceNames) addReads(app, resource, options);
  addChanges(app, options);
  // Assumed: an unknown path, or a method that a path does not have, is not found.
  app.notFound(({ req }) => failed(notFound('path', `${req.method} ${req.path}`), req.raw, options));
  app.onError((_error, { req }) => failed(internal(), req.raw, options));
  return {
    fetch: async (request) => app.fetch(request),
    refuse: (request, failure) => failed(failure, request, options),
  };
}

function addReads(app: Hono, resource: ResourceName, options: AppOptions): void {
  const { path, one } = resources[resource];
  app.get(`/${path}`, ({ req }) => list(req.raw, resource, options));
  // Assumed: one record by id; the document shows no such operation.
  app.get(`/${path}/:id`, ({ req }) => {
    const id = req.param('id');
    const text = options.store.get(resource, id);
    return text === undefined ? failed(notFound(one, id), req.raw, options) : jsonReply(text);
  });
}

type Operation = (body: JsonObject, inputs: RuleInputs) => Ruled<JsonObject>;

function addChanges(app: Hono, options: AppOptions): void {
  const { store } = options;
  const limit = bodyLimit({
    maxSize: maxBodyBytes,
    onError: ({ req }) => failed(bodyTooLarge(maxBodyBytes), req.raw, options),
  });
  const post = (path: string, operation: (id: string) => Operation): void => {
    app.post(path, limit, ({ req }) => change(req.raw, operation(req.param('id') ?? ''), options));
  };
  const { orders } = paths;
  post(`/${orders}/:id/refunds`, (id) => (body, inputs) => refund(store, id, body, inputs));
  post(`/${orders}/:id/capture`, (id) => (body, inputs) => capture(store, id, body, inputs));
  post(`/${orders}/:id/charges`, (id) => (body) => makeCharge(store, id, body));
  post(`/${orders}`, () => (body, inputs) => makeOrder(store, body, inputs));
  post(`/${paths.checkouts}`, () => (body, inputs) => makeCheckout(store, body, inputs));
  post(`/${paths.charges}`, () => (body) => makeCharge(store, undefined, body));
}

function checkRequest({ headers }: Request, { store, vendors }: AppOptions): Failure | undefined {
  return (
    checkKey(headers.get('authorization'), store.identity().key) ??
    checkAccept(headers.get('accept'), vendors)
  );
}

function list(request: Request, resource: ResourceName, options: AppOptions): Response {
  const url = new URL(request.url);
  const asked = pageRequestOf(url.searchParams);
  if ('failure' in asked) return failed(asked.failure, request, options);
  const page = options.store.page(resource, asked.value);
  if (page !== undefined) return listReply(page, url, asked.value.previous !== undefined);
  const { next, previous } = asked.value;
  const param = next === undefined ? 'previous' : 'next';
  return failed(notFound(resources[resource].one, next ?? previous ?? '', param), request, options);
}

async function change(request: Request, operation: Operation, options: AppOptions): Promise<Response> {
  const body = await readBody(request);
  if ('failure' in body) return failed(body.failure, request, options);
  const now = Math.floor(options.now() / 1000);
  const result = operation(body.value, { now, ids: idsFrom(options.random) });
  return 'failure' in result
    ? failed(result.failure, request, options)
    : jsonReply(JSON.stringify(result.value));
}

function failed(failure: Failure, request: Request, { vendors, random }: AppOptions): Response {
  const language = languageOf(request.headers.get('accept-language'));
  return errorReply(failure, { brand: vendors[0], language, logId: random.hex(24) });
}

/** What the words of an error depend on. */
interface ReplyWords {
  /** The first segment of every code. */
  readonly brand: string;
  readonly language: Language;
  readonly logId: string;
}

// Assumed: replies are application/json, even if Accept named a vendor type.
const headers = { 'content-type': 'application/json' } as const;

/** A reply of JSON text. */
function jsonReply(text: string): Response {
  return new Response(text, { status: 200, headers });
}

/** An error body (service: Errors). */
function errorReply({ kind, details, data }: Failure, words: ReplyWords): Response {
  const { status, type } = errorKinds[kind];
  const body = {
    object: 'error',
    type,
    log_id: words.logId,
    details: details.map(({ code, param, words: texts, debug }) => ({
      debug_message: debug ?? texts.en,
      message: texts[words.language],
      param,
      code: `${words.brand}.errors.${code}`,
    })),
    ...(data === undefined ? {} : { data }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** A page (service: List envelope). Records are joined as they are kept, not read. */
function listReply(page: StoredPage, url: URL, backwards: boolean): Response {
  const next = page.after ? pageUrl(url, 'next', page.lastId) : null;
  const previous = page.before ? pageUrl(url, 'previous', page.firstId) : null;
  const head = JSON.stringify({
    object: 'list',
    // Assumed: has_more is about the direction travelled.
    has_more: backwards ? page.before : page.after,
    next_page_url: next,
    previous_page_url: previous,
  });
  return jsonReply(`${head.slice(0, -1)},"data":[${page.bodies.join(',')}]}`);
}

// Assumed: a page URL repeats `limit` only where it was given, and is null where there is no such page.
function pageUrl(url: URL, direction: 'next' | 'previous', id: string | undefined): string | null {
  if (id === undefined) return null;
  const page = new URL(url.pathname, url);
  const limit = url.searchParams.get('limit');
  if (limit !== null) page.searchParams.set('limit', limit);
  page.searchParams.set(direction, id);
  return page.href;
}
