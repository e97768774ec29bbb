/** A service that holds the orders of a test and refunds what it is asked to refund; and the plans that are made for it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  chargeOf,
  chargesOf,
  type Json,
  listOf,
  newRefundOf,
  orderOf,
  paidOrder,
} from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { type Handler, json } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';

/** A refund that the service made, in the order in which it made them. `amount` is positive. */
export interface Made {
  readonly order: string;
  readonly charge: string;
  readonly amount: number;
}

/** The service, with what a test of bulk refunds does all the time. */
export interface RefundService extends Service {
  readonly made: readonly Made[];
  /** Refunds a charge as somebody at another desk would. Returns the id of the refund. */
  refund(order: string, charge: string, amount: number): string;
  /** Changes an order as somebody else would. */
  change(order: string, changes: Json): void;
  /** Writes a file into the folder of the runs. */
  write(name: string, text: string | Uint8Array): void;
  read(name: string): string;
  /** Plans a file of these rows (the titles first), or the file that stands there already. */
  plan(rows: readonly string[] | string, ...more: readonly string[]): Promise<Ran>;
  /**
   * Applies `refunds.plan` as a script in the sandbox does, one order at a time. While a row whose reply was lost waits, the
   * clock of a run in memory is put forward, and another row that is just being sent would be too late (refund.send_within).
   */
  apply(...more: readonly string[]): Promise<Ran>;
}

export interface RefundServiceOptions extends Omit<ServiceOptions, 'onPost' | 'orders'> {
  /** Answers a refund in place of the service, if it returns a handler; `apply` makes the refund. */
  readonly instead?: (id: string, apply: () => Json) => Handler | undefined;
  /** When its refunds are made, Unix seconds; absent: now. */
  readonly madeAt?: number;
  /** Added to the environment of every run. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startRefunds(
  orders: readonly Json[],
  { instead, env = {}, madeAt, ...options }: RefundServiceOptions = {},
): Promise<RefundService> {
  const made: Made[] = [];
  const service = await startService({
    ...options,
    orders,
    onPost: (order, _, { body }) => {
      const id = String(order?.id);
      const apply = (): Json => {
        const { charge_id, amount } = JSON.parse(body || '{}') as {
          readonly charge_id?: string;
          readonly amount?: number;
        };
        const charges = chargesOf(find(id)).filter((one) => charge_id === undefined || one.id === charge_id);
        for (const charge of charges) refund(id, String(charge.id), amount ?? leftOf(charge));
        return find(id);
      };
      return instead?.(id, apply) ?? json(apply());
    },
  });
  const find = (id: string): Json => {
    const found = service.orders.find((order) => order.id === id);
    if (found === undefined) throw new Error(`there is no order ${id}`);
    return found;
  };
  const change = (id: string, changes: Json): void => {
    const changed = { ...find(id), ...changes };
    service.orders = service.orders.map((order) => (order.id === id ? changed : order));
  };
  const refund = (id: string, charge: string, amount: number): string => {
    made.push({ order: id, charge, amount });
    const refundId = `rf_${made.length}`;
    change(
      id,
      withRefundOn(
        find(id),
        charge,
        newRefundOf(refundId, amount, madeAt === undefined ? {} : { created_at: madeAt }),
      ),
    );
    return refundId;
  };
  const folder = service.home.path;
  const run: Service['run'] = (args, more = {}) =>
    service.run(args, { ...more, env: { ...env, ...more.env } });
  return {
    ...service,
    get posts() {
      return service.posts;
    },
    get orders() {
      return service.orders;
    },
    set orders(next) {
      service.orders = next;
    },
    run,
    made,
    refund,
    change,
    write: (name, text) => writeFileSync(join(folder, name), text),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    plan(rows, ...more) {
      if (typeof rows !== 'string') writeFileSync(join(folder, 'refunds.csv'), csvOf(rows));
      const file = typeof rows === 'string' ? rows : 'refunds.csv';
      const to = more.includes('--to') ? [] : ['--to', 'refunds.plan', '--force'];
      return run(['refunds', 'plan', file, ...to, ...more]);
    },
    apply(...more) {
      const one = more.includes('--concurrency') ? [] : ['--concurrency', '1'];
      return run(['refunds', 'apply', 'refunds.plan', '--yes', ...one, ...more]);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The text of a file: the lines, each with its end. */
export function csvOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Orders `ord_1` to `ord_N` of 350.00, each with one charge `ch_ord_N` and a buyer of its own. */
export function orders(count: number): readonly Json[] {
  return Array.from({ length: count }, (_, index) => order(`ord_${index + 1}`));
}

/** An order of 350.00 with one charge; nobody else bought the same. */
export function order(id: string, changes: Json = {}): Json {
  return paidOrder(id, {
    customer_info: { object: 'customer_info', name: 'Buyer Name', email: `${id}@example.com` },
    ...changes,
  });
}

/** An order with these charges, `ch_1`, `ch_2`, ... */
export function splitOrder(id: string, ...amounts: readonly number[]): Json {
  const charges = amounts.map((amount, index) => chargeOf(`ch_${index + 1}`, amount, { order_id: id }));
  return orderOf(id, charges, {
    customer_info: { object: 'customer_info', name: 'Buyer Name', email: `${id}@example.com` },
  });
}

/** The records of a list. */
export function recordsIn({ stdout }: Ran): readonly Json[] {
  return (JSON.parse(stdout) as { readonly data: readonly Json[] }).data;
}

/** The sums beside the rows of a comparison: currency, rows, what the file says, the difference, what is not in the file. */
export function sumsIn({ stdout }: Ran): readonly (readonly unknown[])[] {
  const { sums } = JSON.parse(stdout) as { readonly sums: readonly Json[] };
  return sums.map((row) => [
    row.currency,
    row.rows,
    row.wanted,
    row.refunded ?? row.charged,
    row.difference,
    row.not_in_file,
  ]);
}

function leftOf({ amount, refunds }: Json): number {
  const { data } = (refunds ?? { data: [] }) as { readonly data: readonly Json[] };
  return Number(amount) + data.reduce((sum, one) => sum + Number(one.amount), 0);
}

// What the document shows of a charge that was refunded in part, or whole (service: charge).
function withRefundOn(from: Json, chargeId: string, refund: Json): Json {
  const charges = chargesOf(from).map((charge) => {
    if (charge.id !== chargeId) return charge;
    const before = (charge.refunds as { readonly data: readonly Json[] } | null)?.data ?? [];
    const after = { ...charge, refunds: listOf(...before, refund) };
    const isWhole = leftOf(after) === 0;
    return { ...after, status: isWhole ? 'refunded' : 'partially_refunded', is_refundable: !isWhole };
  });
  const refunded = Number(from.amount_refunded) - Number(refund.amount);
  const isWhole = refunded === from.amount;
  return {
    charges: listOf(...charges),
    amount_refunded: refunded,
    payment_status: isWhole ? 'refunded' : 'partially_refunded',
    is_refundable: !isWhole,
  };
}
