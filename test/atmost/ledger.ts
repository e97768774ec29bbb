/** A service of the tests' own that keeps the money: it applies refunds and captures, then answers as a test says. */

import type { ServerResponse } from 'node:http';
import { type Handler, json, type SeenRequest, startServer, type TestServer } from '../harness/server.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../orders/service.ts';

/** What a test does with a request that changes something; `apply` does what it asks for. */
export type OnPost = (order: LedgerOrder, apply: () => Json) => Handler;

export interface Ledger extends AsyncDisposable {
  readonly server: TestServer;
  readonly url: string;
  /** The service's clock: how far off it is, milliseconds, and whether a `Date` tells it. */
  readonly clock: { offMs: number; told: boolean };
  /** Adds an order that nobody has seen before, with neighbours on both sides; an id of the test's own may be given. */
  add(kind: 'refund' | 'capture', onPost?: OnPost, ownId?: string): LedgerOrder;
}

/** One order and what happened to it. */
export interface LedgerOrder {
  readonly id: string;
  readonly kind: 'refund' | 'capture';
  /** As the service would show it now; a test may change it. */
  value: Json;
  /** Answers requests that change it. */
  onPost: OnPost;
  /** Called with its number, from 1, before a read of this order is answered; may answer instead. */
  onRead: ((read: number) => Handler | undefined | Promise<Handler | undefined>) | undefined;
  reads: number;
  readonly posts: readonly SeenRequest[];
  /** Does what a body asks for (service: Endpoints 1 and 3). */
  apply(body: string): Json;
  /** How often it was done: refund records, or captures. */
  done(): number;
}

/** Applies and says so. */
export const honest: OnPost = (_, apply) => json(apply());

export const chargeAmount = 35_000;

/** Starts it on a free port of this machine. */
export async function startLedger(tls?: { readonly key: string; readonly cert: string }): Promise<Ledger> {
  const orders: Entry[] = [];
  const clock: Ledger['clock'] = { offMs: 0, told: true };
  const find = (id: string | null): Entry | undefined => orders.find((order) => order.id === id);
  const server = await startServer(
    async (request, response, socket) => {
      const url = new URL(request.url, 'http://ledger.test');
      const [, resource, id = '', verb] = url.pathname.split('/');
      const order = find(id);
      stampDate(response, clock);
      const handler =
        resource !== 'orders'
          ? notFound
          : request.method === 'GET'
            ? ((await readAnswer(order)) ??
              (order === undefined ? json(page(url.searchParams)) : json(order.value)))
            : order !== undefined && (verb === 'refunds' || verb === 'capture')
              ? order.answer(request)
              : notFound;
      return handler(request, response, socket);
    },
    tls === undefined ? {} : { tls },
  );
  const page = (query: URLSearchParams): Json => {
    const limit = Number(query.get('limit') ?? 20);
    const backwards = query.has('previous');
    const end = backwards ? orders.indexOf(find(query.get('previous')) ?? missing) : orders.length;
    const next = query.get('next');
    const start = backwards
      ? Math.max(0, end - limit)
      : next === null
        ? 0
        : orders.indexOf(find(next) ?? missing) + 1;
    const data = orders.slice(start, backwards ? end : start + limit);
    return {
      object: 'list',
      has_more: backwards ? start > 0 : start + limit < orders.length,
      data: data.map(({ value }) => value),
    };
  };
  const missing = new Entry('ord_missing', 'refund', clock);
  return {
    server,
    url: server.url,
    clock,
    add(kind, onPost = honest, id = `ord_L${String(orders.length + 1).padStart(6, '0')}x`) {
      const order = new Entry(id, kind, clock, onPost);
      orders.push(new Entry(`${id}before`, 'refund', clock), order, new Entry(`${id}after`, 'refund', clock));
      return order;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const notFound = json({ object: 'error', type: 'resource_not_found_error', details: [] }, 404);

function stampDate(response: ServerResponse, { offMs, told }: Ledger['clock']): void {
  response.sendDate = false;
  if (told) response.setHeader('date', new Date(Date.now() + offMs).toUTCString());
}

async function readAnswer(order: Entry | undefined): Promise<Handler | undefined> {
  if (order === undefined) return undefined;
  order.reads += 1;
  return await order.onRead?.(order.reads);
}

class Entry implements LedgerOrder {
  readonly id: string;
  readonly kind: 'refund' | 'capture';
  value: Json;
  onPost: OnPost;
  onRead: LedgerOrder['onRead'];
  reads = 0;
  readonly posts: SeenRequest[] = [];
  #captures = 0;
  #refunds = 0;

  readonly #clock: Ledger['clock'];

  constructor(id: string, kind: 'refund' | 'capture', clock: Ledger['clock'], onPost: OnPost = honest) {
    this.#clock = clock;
    this.id = id;
    this.kind = kind;
    this.onPost = onPost;
    const charge = { id: `ch_${id}`, order_id: id };
    this.value =
      kind === 'refund'
        ? orderOf(id, [chargeOf(charge.id, chargeAmount, charge)])
        : orderOf(id, [chargeOf(charge.id, chargeAmount, { ...charge, status: 'pre_authorized' })], {
            payment_status: 'pre_authorized',
            is_refundable: false,
          });
  }

  answer(request: SeenRequest): Handler {
    this.posts.push(request);
    return this.onPost(this, () => this.apply(request.body));
  }

  apply(body: string): Json {
    this.value =
      this.kind === 'capture' ? this.#capture() : this.#refund(body === '' ? {} : JSON.parse(body));
    return this.value;
  }

  done(): number {
    return this.#captures + this.#refunds;
  }

  #capture(): Json {
    this.#captures += 1;
    const charge = chargeOf(`ch_${this.id}`, chargeAmount, { order_id: this.id });
    return { ...this.value, payment_status: 'paid', is_refundable: true, charges: listOf(charge) };
  }

  #refund(body: { readonly amount?: number }): Json {
    this.#refunds += 1;
    const amount = body.amount ?? chargeAmount;
    const made = { created_at: Math.floor((Date.now() + this.#clock.offMs) / 1000) };
    return withRefund(this.value, refundOf(`rf_${this.id}_${this.#refunds}`, amount, made), amount);
  }
}

/** The order with one more refund record on its charge. */
export function withRefund(order: Json, refund: Json, amount: number): Json {
  const [charge] = (order.charges as { readonly data: readonly Json[] }).data;
  const before = (charge?.refunds as { readonly data: readonly Json[] } | null)?.data ?? [];
  const refunded = Number(order.amount_refunded) + amount;
  const whole = refunded >= chargeAmount;
  const status = whole ? 'refunded' : 'partially_refunded';
  return {
    ...order,
    payment_status: status,
    amount_refunded: refunded,
    is_refundable: !whole,
    charges: listOf({ ...charge, status, is_refundable: !whole, refunds: listOf(...before, refund) }),
  };
}
