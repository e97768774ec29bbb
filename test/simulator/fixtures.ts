/** Orders for the tests of rules, and a simulator in memory to send requests to. */

import type { JsonObject } from '../../src/api/json-values.ts';
import { itemsOf } from '../../src/api/json-values.ts';
import type { App } from '../../src/simulator/app.ts';
import { createApp } from '../../src/simulator/app.ts';
import { idsFrom, seededRandom } from '../../src/simulator/random.ts';
import type { Store } from '../../src/simulator/store.ts';
import { openStore } from '../../src/simulator/store.ts';
import type { StoredCharge, StoredOrder } from '../../src/simulator/stored-records.ts';
import { nestedList } from '../../src/simulator/stored-records.ts';

export const now = 1_790_000_000;

export const inputs = { now, ids: idsFrom(seededRandom('test')) };

export interface ChargeParts {
  readonly amount: number;
  readonly status?: string;
  readonly is_refundable?: boolean;
}

export function orderOf(charges: readonly ChargeParts[], parts: Partial<StoredOrder> = {}): StoredOrder {
  const accepted = charges.filter(({ status }) => status !== 'declined');
  return {
    id: 'ord_test',
    object: 'order',
    livemode: false,
    amount: accepted.reduce((sum, { amount }) => sum + amount, 0),
    amount_refunded: 0,
    currency: 'MXN',
    is_refundable: true,
    payment_status: 'paid',
    ...(accepted.length > 1 ? { split_payment: true } : {}),
    created_at: now - 1000,
    updated_at: now - 1000,
    charges: nestedList(charges.map(chargeOf)),
    ...parts,
  };
}

function chargeOf(parts: ChargeParts, index: number): StoredCharge {
  return {
    id: `charge${index + 1}`,
    status: 'paid',
    is_refundable: true,
    payment_method: { object: 'card_payment', auth_code: `49021${index}`, last4: '4242' },
    refunds: null,
    ...parts,
  };
}

export interface Simulator {
  readonly app: App;
  readonly store: Store;
  readonly key: string;
  /** Sends with the key and an accepted version; headers may replace both. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

export interface Listed extends JsonObject {
  readonly id: string;
}

/** The records of a list. */
export function recordsIn(body: unknown): readonly Listed[] {
  return itemsOf(body).map((record) => ({ ...record, id: String(record.id) }));
}

export function idsIn(reply: Reply): readonly string[] {
  return recordsIn(reply.body).map(({ id }) => id);
}

/** The first seeded order for which a claim holds. */
export async function orderWhere(
  simulator: Simulator,
  claim: (order: JsonObject) => boolean,
): Promise<Listed> {
  const found = recordsIn((await simulator.send('GET', '/orders?limit=250')).body).find(claim);
  if (found === undefined) throw new Error('no seeded order is like this');
  return found;
}

export interface SimulatorOptions {
  readonly orders?: number;
  readonly mode?: 'sandbox' | 'production';
  readonly vendors?: readonly [string, ...string[]];
}

export function startSimulator({
  orders = 120,
  mode = 'sandbox',
  vendors = ['service'],
}: SimulatorOptions = {}) {
  const random = seededRandom('simulator');
  const store = openStore({ file: undefined, mode, orders, now, random });
  const app = createApp({
    store,
    vendors,
    now: () => now * 1000,
    random,
    pageOrigin: 'http://simulator.test',
  });
  const { key } = store.identity();
  const simulator: Simulator = {
    app,
    store,
    key,
    send: async (method, path, body, headers = {}) => {
      const reply = await app.fetch(
        new Request(`http://simulator.test${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            accept: `application/vnd.${vendors[0]}-v2.3.0+json`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      return {
        status: reply.status,
        contentType: reply.headers.get('content-type'),
        body: JSON.parse(await reply.text()),
      };
    },
  };
  return simulator;
}
