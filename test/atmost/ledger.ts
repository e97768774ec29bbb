/** A service of the tests' own that keeps the money: it applies refunds and captures, then answers as a test says. */

import type { ServerResponse } from 'node:http';
import { slotCount, slotOf } from '../../src/locks/sqlite/slot-files.ts';
import { captured, chargeOf, type Json, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import { type Handler, json, type SeenRequest, startServer, type TestServer } from '../harness/server.ts';
import { notFound, pageOf } from '../harness/service.ts';

/** What a test does with a request that changes something; `apply` does what it asks for. */
export type OnPost = (order: LedgerOrder, apply: () => Json) => Handler;

export interface Ledger extends AsyncDisposable {
  readonly server: TestServer;
  readonly url: string;
  /** The service's clock: how far off it is, milliseconds, and whether a `Date` tells it. */
  readonly clock: { offMs: number; told: boolean };
  /** Adds an order that nobody has seen before, of a buyer of its own, with neighbours on both sides; an id of the test's own may be given. */
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
              (order === undefined
                ? json(
                    pageOf(
                      orders.map(({ value }) => value),
                      url.searchParams,
                    ),
                  )
                : json(order.value)))
            : order !== undefined && (verb === 'refunds' || verb === 'capture')
              ? order.answer(request)
              : notFound;
      return handler(request, response, socket);
    },
    tls === undefined ? {} : { tls },
  );
  return {
    server,
    url: server.url,
    clock,
    add(kind, onPost = honest, id = idWithOwnLock(orders.length)) {
      const order = new Entry(id, kind, clock, onPost);
      orders.push(new Entry(`${id}before`, 'refund', clock), order, new Entry(`${id}after`, 'refund', clock));
      return order;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

// Of the orders in a row no two share a lock: they would wait for each other, and a test is seldom about that.
function idWithOwnLock(before: number): string {
  const idOf = (tries: number) =>
    `ord_L${String(before + 1).padStart(6, '0')}${String(tries).padStart(3, '0')}x`;
  let tries = 0;
  while (slotOf(idOf(tries)) !== before % slotCount) tries += 1;
  return idOf(tries);
}

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
    // No order is the twin of another.
    const own = { customer_info: { name: 'Buyer', email: `${id}@example.com` } };
    this.value =
      kind === 'refund'
        ? orderOf(id, [chargeOf(charge.id, chargeAmount, charge)], own)
        : orderOf(id, [chargeOf(charge.id, chargeAmount, { ...charge, status: 'pre_authorized' })], {
            ...own,
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
    return captured(this.value);
  }

  #refund(body: { readonly amount?: number }): Json {
    this.#refunds += 1;
    const amount = body.amount ?? chargeAmount;
    const made = { created_at: Math.floor((Date.now() + this.#clock.offMs) / 1000) };
    return withRefund(this.value, refundOf(`rf_${this.id}_${this.#refunds}`, amount, made), amount);
  }
}
