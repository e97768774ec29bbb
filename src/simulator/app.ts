/** The simulated service over HTTP: routes, in front of them the gate, behind them the operations on a store. */

import { Hono } from 'hono';
import type { JsonObject, ResourceName } from '../api/spec.ts';
import { paths, resourceNames, resources } from '../api/spec.ts';
import { readBody } from './bodies.ts';
import type { Failure, Ruled } from './failures.ts';
import { internal, notFound } from './failures.ts';
import { checkAccept, checkKey, languageOf } from './gate.ts';
import { idsFrom } from './ids.ts';
import { capture, makeCharge, makeCheckout, makeOrder, refund } from './operations.ts';
import { pageRequestOf } from './paging.ts';
import type { Random } from './random.ts';
import { errorReply, jsonReply, listReply } from './replies.ts';
import type { RuleInputs } from './rules/refund.ts';
import type { Store } from './store.ts';

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
  const post = (path: string, operation: (id: string) => Operation): void => {
    app.post(path, ({ req }) => change(req.raw, operation(req.param('id') ?? ''), options));
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
