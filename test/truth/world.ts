/** A service with a will of its own, and the desks that work with it: what a situation is built of. */

import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standingAt } from '../harness/clock.ts';
import { chargesOf, type Json, listOf, notReturnable, refundOf } from '../harness/orders.ts';
import { copyOf, type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { json, reset } from '../harness/server.ts';
import { environment, type Service, startService } from '../harness/service.ts';

/**
 * What the service does with the next refund that it is asked for.
 *
 * - `made`, `pending`: it answers with the order; the record of a pending one has the status `pending`
 * - `lost`: nothing is made, and no reply comes
 * - `reply lost`: it is made, and no reply comes
 * - `late`: nothing is made before `arrive()`, and no reply comes
 * - `twice`: two records are made, and the reply shows only the first
 * - `refused`: the documented error, and nothing is made
 */
export type Fate = 'made' | 'pending' | 'lost' | 'reply lost' | 'late' | 'twice' | 'refused';

/** A command of a situation ended otherwise than it says. */
export class Unbuilt extends Error {}

/** One state folder, with the person who works there. */
export interface Desk {
  readonly name: string;
  readonly home: Home;
}

/** The day on which everything happens. */
export const day = '2040-11-21';

export interface World extends AsyncDisposable {
  readonly service: Service;
  readonly ana: Desk;
  readonly bob: Desk;
  /** The time of day of the next run: HH:MM:SS. */
  at(time: string): void;
  now(): string;
  fate(next: Fate): void;
  /** Makes what came late, the oldest first. */
  arrive(): void;
  /** Adds a refund record to a charge, and moves the sums of the order as the service does. Returns its id. */
  record(order: string, charge: string, amount: number, changes?: Json): string;
  /** Changes a refund record, such as its status; a failed one is taken out of the sums. */
  turn(refund: string, status: string, sums?: 'sums follow' | 'sums stay'): void;
  /** Takes a refund record away, with its money. */
  vanish(refund: string): void;
  /** Changes fields of an order, or of its charges. */
  change(order: string, changes: Json): void;
  changeCharges(order: string, changes: Json): void;
  changeCharge(order: string, charge: string, changes: Json): void;
  /** Leaves out fields of an order. */
  drop(order: string, fields: readonly string[]): void;
  /** The ids of all refunds that an order shows. */
  records(order: string): readonly string[];
  /** What the journal of a desk has, the newest first. */
  attempts(desk: Desk): Promise<readonly { readonly change: string; readonly state?: string }[]>;
  run(desk: Desk, args: readonly string[], columns?: number): Promise<Ran>;
  /** The same, and it must end with this exit code. */
  must(desk: Desk, line: string, ...codes: readonly number[]): Promise<Ran>;
  /** A person who says no to the first question. */
  declines(desk: Desk, args: readonly string[], columns?: number): Promise<Ran>;
  write(desk: Desk, name: string, lines: readonly string[]): void;
  read(desk: Desk, name: string): string;
  /** A copy of a desk that can be copied any number of times. */
  snapshot(desk: Desk): Desk;
  /** A snapshot with files of its own, so that what a screen writes is seen by no other screen. */
  copied(snapshot: Desk): Desk;
}

interface RefundRecord {
  readonly id: string;
  readonly amount: number;
  readonly status?: string;
}

export async function startWorld(orders: readonly Json[]): Promise<World> {
  let clock = '09:00:00';
  let next: Fate = 'made';
  let count = 0;
  const late: (() => void)[] = [];
  const seconds = () => Date.parse(`${day}T${clock}Z`) / 1000;
  const service = await startService({
    orders,
    sendsDate: false,
    onPost: (order, _, { body }) => {
      const id = String(order?.id);
      const [fate] = [next];
      next = 'made';
      if (fate === 'refused') return json(notReturnable, 428);
      const make = () => refund(id, body, fate === 'pending' ? { status: 'pending' } : {});
      if (fate === 'late') late.push(make);
      if (fate === 'lost' || fate === 'late') return reset;
      make();
      const reply = find(id);
      if (fate === 'twice') make();
      return fate === 'reply lost' ? reset : json(reply);
    },
  });
  const find = (id: string): Json => {
    const found = service.orders.find((order) => order.id === id);
    if (found === undefined) throw new Error(`there is no order ${id}`);
    return found;
  };
  const put = (id: string, order: Json) => {
    service.orders = service.orders.map((one) => (one.id === id ? order : one));
  };
  const refund = (id: string, body: string, changes: Json) => {
    const { charge_id: charge, amount } = JSON.parse(body || '{}') as {
      readonly charge_id?: string;
      readonly amount?: number;
    };
    for (const one of chargesOf(find(id)))
      if (charge === undefined || one.id === charge)
        record(id, String(one.id), amount ?? leftOf(one), changes);
  };
  const record = (id: string, charge: string, amount: number, changes: Json = {}): string => {
    count += 1;
    const refundId = `rf_${count}`;
    const added = refundOf(refundId, amount, { created_at: seconds() + 1, ...changes });
    put(
      id,
      summed({
        ...find(id),
        charges: listOf(
          ...chargesOf(find(id)).map((one) =>
            one.id === charge ? { ...one, refunds: listOf(...recordsOf(one), added) } : one,
          ),
        ),
        updated_at: seconds() + 1,
      }),
    );
    return refundId;
  };
  // Of the order that shows this refund; the others stay as they are.
  const mapRefund = (id: string, change: (refund: Json) => readonly Json[], isSummed: boolean) => {
    service.orders = service.orders.map((order) => {
      if (!JSON.stringify(order).includes(`"${id}"`)) return order;
      const charges = chargesOf(order).map((one) => {
        const before = recordsOf(one);
        const after = before.flatMap((refund) => (refund.id === id ? change(refund) : [refund]));
        return before.length === 0 ? one : { ...one, refunds: after.length === 0 ? null : listOf(...after) };
      });
      const changed = { ...order, charges: listOf(...charges) };
      return isSummed ? summed(changed) : changed;
    });
  };
  const changeSome = (id: string, isMeant: (charge: Json) => boolean, changes: Json) => {
    const charges = chargesOf(find(id)).map((one) => (isMeant(one) ? { ...one, ...changes } : one));
    put(id, { ...find(id), charges: listOf(...charges) });
  };
  const ana: Desk = { name: 'ana', home: newHome() };
  const bob: Desk = { name: 'bob', home: newHome() };
  const copies: Home[] = [];
  const kept = (home: Home): Home => {
    for (const folder of privateFolders) chmodIfThere(join(home.path, folder));
    copies.push(home);
    return home;
  };
  const envOf = ({ name }: Desk) => ({
    ...environment(service.url),
    ...standingAt(`${day}T${clock}Z`),
    TZ: 'UTC',
    PAYDESK_OPERATOR: name,
    PAYDESK_RECONCILE_AFTER: '0',
  });
  const run = (desk: Desk, args: readonly string[], columns?: number) =>
    paydesk(args, { home: desk.home, env: envOf(desk), ...(columns === undefined ? {} : { columns }) });
  return {
    service,
    ana,
    bob,
    at: (time) => {
      clock = time;
    },
    now: () => clock,
    fate: (fate) => {
      next = fate;
    },
    arrive: () => {
      late.shift()?.();
    },
    record,
    turn: (id, status, sums = 'sums follow') =>
      mapRefund(id, (one) => [{ ...one, status }], sums === 'sums follow'),
    vanish: (id) => mapRefund(id, () => [], true),
    change: (id, changes) => put(id, { ...find(id), ...changes }),
    changeCharges: (id, changes) => changeSome(id, () => true, changes),
    changeCharge: (id, charge, changes) => changeSome(id, (one) => one.id === charge, changes),
    drop: (id, fields) =>
      put(id, Object.fromEntries(Object.entries(find(id)).filter(([name]) => !fields.includes(name)))),
    records: (id) => chargesOf(find(id)).flatMap((charge) => refundsOf(charge).map((one) => one.id)),
    async attempts(desk) {
      const { stdout } = await run(desk, ['journal', 'list', '--all', '--json', '--all-profiles']);
      return (
        JSON.parse(stdout) as {
          readonly data: readonly { readonly change: string; readonly state?: string }[];
        }
      ).data;
    },
    run,
    async must(desk, line, ...codes) {
      const ran = await run(desk, line.split(' '));
      if (!codes.includes(ran.code ?? -1))
        throw new Unbuilt(`${line}: exit ${ran.code}, not ${codes.join(' or ')}\n${ran.stdout}${ran.stderr}`);
      return ran;
    },
    async declines(desk, args, columns = 120) {
      const person = sit(args, { home: desk.home, env: { ...envOf(desk), NO_COLOR: '1' } }, columns);
      // Where orders can be picked, every key would search.
      const isAsked = person.waitFor(/\(y\/N\)|Type |all \d+ orders/).then(
        () => person.type(person.transcript.includes('Which order?') ? '\x03' : 'n\r\x03'),
        () => undefined,
      );
      const { code, screen } = await person.leaves;
      await isAsked;
      return { code, signal: null, stdout: screen, stderr: '' };
    },
    write: (desk, name, lines) =>
      writeFileSync(join(desk.home.path, name), lines.map((line) => `${line}\n`).join('')),
    read: (desk, name) => readFileSync(join(desk.home.path, name), 'utf8'),
    snapshot: (desk) => ({ ...desk, home: kept(copyOf(desk.home)) }),
    copied(snapshot) {
      const home = kept(newHome());
      cpSync(snapshot.home.path, home.path, { recursive: true });
      for (const folder of privateFolders) chmodIfThere(join(home.path, folder));
      return { ...snapshot, home };
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      for (const home of [ana.home, bob.home, ...copies]) home[Symbol.dispose]();
    },
  };
}

// A copy has the modes of this process.
const privateFolders = [
  '.config/paydesk',
  '.local/state/paydesk/index',
  '.local/state/paydesk',
  '.local/state/paydesk/journal',
  '.local/state/paydesk/locks',
  '.local/share/paydesk',
  '.local/share/paydesk/witness',
];

function chmodIfThere(folder: string): void {
  if (existsSync(folder)) chmodSync(folder, 0o700);
}

function recordsOf({ refunds }: Json): readonly Json[] {
  return (refunds as { readonly data: readonly Json[] } | null)?.data ?? [];
}

function refundsOf(charge: Json): readonly RefundRecord[] {
  return recordsOf(charge).map(({ id, amount, status }) => ({
    id: String(id),
    amount: Number(amount),
    ...(typeof status === 'string' ? { status } : {}),
  }));
}

// What went back, or is on its way: a failed refund did not.
function backOf(charge: Json): number {
  return refundsOf(charge)
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amount }) => sum - amount, 0);
}

function leftOf(charge: Json): number {
  return Number(charge.amount) - backOf(charge);
}

// The order as the service shows it after its refunds changed (service: order, charge).
function summed(order: Json): Json {
  const charges = chargesOf(order).map((charge) => {
    if (charge.status !== 'paid' && charge.status !== 'refunded' && charge.status !== 'partially_refunded')
      return charge;
    return { ...charge, ...statusOf(backOf(charge), Number(charge.amount), 'status') };
  });
  const back = charges.reduce((sum, charge) => sum + backOf(charge), 0);
  return {
    ...order,
    charges: listOf(...charges),
    amount_refunded: back,
    ...statusOf(back, Number(order.amount), 'payment_status'),
  };
}

function statusOf(back: number, amount: number, field: string): Json {
  const status = back === 0 ? 'paid' : back >= amount ? 'refunded' : 'partially_refunded';
  return { [field]: status, is_refundable: back < amount };
}
