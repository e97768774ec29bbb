/** A shop with many orders and an index of them: buyers of several scripts, cards, references and refunds. */

import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';

const firstNames = [
  'Ana',
  'José Ángel',
  '王小明',
  'Søren',
  'สมชาย',
  'Иван',
  'Zoë',
  'Łukasz',
  'María',
  'Ngọc',
];
const lastNames = [
  'Torres',
  'Muñoz Peña',
  '小明',
  'Østergaard',
  'ใจดี',
  'Петров',
  "O'Brien",
  'Żak',
  'Hernández',
  'Trần',
];

/** When the newest order of a shop was made, Unix seconds: an hour ago. */
export function newestTime(): number {
  return Math.floor(Date.now() / 1000) - 3_600;
}

/** The order at a place of a list, 0 is the newest; `apart` seconds lie between two. */
export function orderAt(
  index: number,
  {
    apart = 420,
    newest = newestTime(),
    changes = {},
  }: {
    readonly apart?: number;
    readonly newest?: number;
    readonly changes?: Json;
  } = {},
): Json {
  const id = idAt(index);
  const created = newest - index * apart;
  const amount = 10_000 + ((index * 7_919) % 90_000);
  const name = nameAt(index);
  const refund = refundOf(`rf${index}x`, 1_000, { created_at: created + 7_200 });
  const charge = chargeOf(`ch${index}y${(index * 104_729) % 99_991}`, amount, {
    created_at: created,
    paid_at: created + 30,
    order_id: id,
    customer_id: `cus_pay${index % 50}`,
    reference_id: index % 4 === 0 ? `REF-${index}` : null,
    payment_method: {
      object: 'card_payment',
      type: index % 3 === 0 ? 'debit' : 'credit',
      name: name.toUpperCase(),
      auth_code: String(100_000 + ((index * 31) % 899_999)),
      last4: String(1_000 + ((index * 37) % 9_000)),
      brand: index % 2 === 0 ? 'visa' : 'mastercard',
    },
    refunds: index % 6 === 0 ? listOf(refund) : null,
  });
  return orderOf(id, [charge], {
    amount_refunded: index % 6 === 0 ? 1_000 : 0,
    payment_status: index % 6 === 0 ? 'partially_refunded' : 'paid',
    currency: index % 5 === 0 ? 'USD' : 'MXN',
    customer_info: {
      object: 'customer_info',
      customer_id: `cus_buyer${index % 400}`,
      name,
      email: `buyer${index % 400}@example.com`,
      phone:
        index % 2 === 0
          ? `+52 1 555 ${String(1_000_000 + (index % 400))}`
          : `+52155${20_000_000 + (index % 400)}`,
    },
    metadata:
      index % 3 === 0 ? { shop_order: `A-${100_000 + index}`, gift: { for: `Tía Fernández ${index}` } } : {},
    created_at: created,
    updated_at: created,
    ...changes,
  });
}

export function idAt(index: number): string {
  return `ord_${String((index * 2_654_435_761) % 4_294_967_291).padStart(10, '0')}X${index}`;
}

export function nameAt(index: number): string {
  return `${firstNames[index % firstNames.length]} ${lastNames[Math.floor(index / firstNames.length) % lastNames.length]} ${index % 89}`;
}

/** The orders of a shop, newest first. */
export function ordersOf(count: number, how: Parameters<typeof orderAt>[1] = {}): readonly Json[] {
  const newest = how.newest ?? newestTime();
  return Array.from({ length: count }, (_, index) => orderAt(index, { ...how, newest }));
}

/** An order that was made just now. */
export function orderMadeNow(id: string, changes: Json = {}): Json {
  return orderAt(3, { changes: { id, created_at: Math.floor(Date.now() / 1000), ...changes } });
}

export interface Shop extends Service {
  /** Runs the program, and says which ids it found and how many requests it sent. */
  find(
    ...words: readonly string[]
  ): Promise<Ran & { readonly ids: readonly string[]; readonly sent: number }>;
}

/** Starts a service with these orders and builds the index of the profile `environment`. */
export async function startShop(orders: readonly Json[], options: ServiceOptions = {}): Promise<Shop> {
  const service = await startService({ ...options, orders });
  const shop: Shop = Object.assign(service, {
    async find(...words: readonly string[]) {
      const before = service.requests.length;
      const ran = await service.run(['orders', 'find', ...words, '--ndjson']);
      const ids = ran.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => String((JSON.parse(line) as Json).id));
      return { ...ran, ids, sent: service.requests.length - before };
    },
  });
  await ok(service.run(['index', 'build', '--yes', '--quiet']));
  return shop;
}

/** The run, which must have exited with 0. */
export async function ok(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code !== 0) throw new Error(`exit ${ran.code}: ${ran.stderr}`);
  return ran;
}

/** What `index status --json` says. */
export async function statusOf(service: Service): Promise<Json> {
  return JSON.parse((await ok(service.run(['index', 'status', '--json']))).stdout) as Json;
}
