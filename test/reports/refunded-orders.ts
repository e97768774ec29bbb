/** Orders with refunds for tests of reports, and what the rows of a report are read into. */

import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import { hangUp, json } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';

/** The clock of these tests: 21 November 2040, a Wednesday. */
export const clock = standingAt('2040-11-21T15:31:12Z');

/** A service that sends no `Date`, because its clock is not the one of these tests. */
export function startDated(options: ServiceOptions): Promise<Service> {
  return startService({ sendsDate: false, ...options });
}

/**
 * A service that makes every refund it is asked for: the whole order, at the moment of `clock`. Of the order `lost` it makes none, and
 * hangs up.
 */
export function startRefunding(orders: readonly Json[], lost?: unknown): Promise<Service> {
  return startDated({
    orders,
    onPost(order, service) {
      if (lost !== undefined && order?.id === lost) return hangUp;
      const { amount, currency, customer_info } = order ?? {};
      const id = String(order?.id);
      const refunded = orderAt(id, '2040-11-21T10:00:00Z', {
        amount: Number(amount),
        currency: String(currency),
        customer_info,
        refunds: [{ amount: Number(amount), at: '2040-11-21T15:31:12Z' }],
      });
      service.orders = service.orders.map((one) => (one.id === id ? refunded : one));
      return json(refunded);
    },
  });
}

/** Two people whose names are long, and differ in their end alone. */
export const longOperators = [
  'José_Ángel_Hernández-Villaseñor_of_night_shift',
  'José_Ángel_Hernández-Villaseñor_of_night_team_B',
] as const;

/** Refunds an order as this person. */
export async function refundAs(service: Service, operator: string, id: string, env: Variables = {}) {
  const words = ['orders', 'refund', id, '--reason', 'requested_by_client', '--yes'];
  const { code, stderr } = await service.run(words, {
    env: { ...clock, ...env, PAYDESK_OPERATOR: operator },
  });
  if (code !== 0) throw new Error(stderr);
}

type Variables = Readonly<Record<string, string>>;

/** Unix seconds of a moment in UTC. */
export function at(time: string): number {
  return Date.parse(time) / 1000;
}

/** One refund of such an order. */
export interface Made {
  readonly amount: number;
  readonly at: string;
  readonly changes?: Json;
}

/** An order with one charge, which was paid when it was created, and with these refunds. */
export function orderAt(
  id: string,
  created: string,
  { amount = 10_000, currency = 'MXN', refunds = [], ...changes }: OrderParts = {},
): Json {
  const time = at(created);
  const refunded = refunds.reduce((sum, one) => sum + one.amount, 0);
  const status = refunded === 0 ? 'paid' : refunded < amount ? 'partially_refunded' : 'refunded';
  const records = refunds.map((one, index) =>
    refundOf(`rf_${id}_${index + 1}`, one.amount, { created_at: at(one.at), ...one.changes }),
  );
  const charge = chargeOf(`ch_${id}`, amount, {
    order_id: id,
    currency,
    status,
    created_at: time,
    paid_at: time,
    refunds: records.length === 0 ? null : listOf(...records),
  });
  return orderOf(id, [charge], {
    currency,
    created_at: time,
    updated_at: time,
    payment_status: status,
    amount_refunded: refunded,
    customer_info: { object: 'customer_info', name: 'Buyer Name', email: `${id}@example.com` },
    ...changes,
  });
}

interface OrderParts {
  readonly amount?: number;
  readonly currency?: string;
  readonly refunds?: readonly Made[];
  readonly [field: string]: unknown;
}

/** The rows of `-o ndjson`. */
export function rowsOf(stdout: string): readonly Json[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
}

const largest = Number.MAX_SAFE_INTEGER;

/** Orders of 2^53-1 that were refunded in full, and the sum of what went back, which no number can hold. */
export const beyondNumbers = {
  orders: [1, 2, 3].map((index) =>
    orderAt(`ord_${index}`, '2040-11-20T10:00:00Z', {
      amount: largest,
      refunds: [{ amount: largest, at: '2040-11-20T11:00:00Z' }],
    }),
  ),
  sum: String(BigInt(largest) * 3n),
};
