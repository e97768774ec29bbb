/**
 * A world for the journal's tests: a ledger that knows what was really made, a virtual clock, and a network that loses
 * messages.
 */

import type { ChangeRequest, RawReply, SendReport, Service, WireRecord } from '../../src/api/api.ts';
import type { Clock } from '../../src/io.ts';
import type { Profile } from '../../src/profiles/profiles.ts';
import { defaultSettings, profileInUse } from '../harness/profile-in-use.ts';

export function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

export function wire(value: Record<string, unknown>): WireRecord {
  return { value, bytes: encode(value) };
}

interface LedgerRefund {
  id: string;
  amount: number;
  created_at: number;
}
interface LedgerCharge {
  id: string;
  amount: number;
  refunds: LedgerRefund[];
}

/** When virtual clocks begin, Unix milliseconds. */
const virtualStart = 1_800_000_000_000;

/** One order at the service, and what really happened to it. */
export class Ledger {
  readonly id: string;
  status = 'paid';
  charges: LedgerCharge[];
  /** How many changes were received, and how many took effect. */
  posts = 0;
  effects = 0;
  /** What the order says was refunded, and shows no record of. */
  hidden = 0;
  #refunds = 0;
  readonly #now: () => number;

  constructor(
    id = 'ord_1',
    charges: readonly [string, number][] = [['ch_1', 35000]],
    now: () => number = () => virtualStart,
  ) {
    this.#now = now;
    this.id = id;
    this.charges = charges.map(([chargeId, amount]) => ({ id: chargeId, amount, refunds: [] }));
  }

  /** Refunds without asking whether anything is left: a hostile service. */
  refund(chargeId: string, amount: number): string {
    this.#refunds += 1;
    const id = `ref_${this.#refunds}`;
    this.charges
      .find((charge) => charge.id === chargeId)
      ?.refunds.push({
        id,
        amount: -amount,
        created_at: Math.floor(this.#now() / 1000),
      });
    return id;
  }

  /** Does what a request asks for. */
  apply(request: ChangeRequest): void {
    this.effects += 1;
    if (request.path.endsWith('/capture')) {
      this.status = 'paid';
      return;
    }
    const { charge_id, amount } = (request.body ?? {}) as { charge_id?: string; amount?: number };
    for (const charge of this.charges) {
      if (charge_id === undefined || charge.id === charge_id) this.refund(charge.id, amount ?? charge.amount);
    }
  }

  /** The order as the service shows it. */
  order(): Record<string, unknown> {
    const refunded = this.charges
      .flatMap(({ refunds }) => refunds)
      .reduce((sum, { amount }) => sum - amount, 0);
    return {
      id: this.id,
      object: 'order',
      livemode: false,
      amount: this.charges.reduce((sum, { amount }) => sum + amount, 0),
      amount_refunded: refunded + this.hidden,
      currency: 'MXN',
      payment_status: this.status,
      is_refundable: true,
      charges: {
        object: 'list',
        has_more: false,
        total: this.charges.length,
        data: this.charges.map(({ id, amount, refunds }) => ({
          id,
          object: 'charge',
          amount,
          status: this.status,
          refunds:
            refunds.length === 0
              ? null
              : {
                  object: 'list',
                  has_more: false,
                  total: refunds.length,
                  data: refunds.map((refund) => ({
                    ...refund,
                    object: 'refund',
                    auth_code: '1',
                  })),
                },
        })),
      },
    };
  }
}

/** The order of a ledger in which these refunds were made on its only charge. */
export function orderWith(...amounts: readonly number[]) {
  const ledger = new Ledger();
  for (const amount of amounts) ledger.refund('ch_1', amount);
  return ledger.order();
}

/** A clock that moves when something sleeps, or when a test says so. */
export class VirtualClock implements Clock {
  wall = virtualStart;
  mono = 1000;

  now(): number {
    return this.wall;
  }
  monotonic(): number {
    return this.mono;
  }
  pass(ms: number): void {
    this.wall += ms;
    this.mono += ms;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.pass(ms);
    return Promise.resolve();
  }
}

export const testProfile = profileInUse('http://127.0.0.1:1', {
  name: 'test-mx',
  settings: { ...defaultSettings, 'reconcile.after': [0, 2000, 5000, 15_000] },
});

/** Reads of the ledger; `read` may throw, or show something else. */
export function serviceOf(read: () => Promise<unknown>, profile: Profile = testProfile): Service {
  return {
    profile,
    async *pages() {
      yield {
        records: ((await read()) as Record<string, unknown>[]).map(wire),
        hasMore: false,
        saysHasMore: true,
        repeated: 0,
      };
    },
    async locate() {
      return { found: wire((await read()) as Record<string, unknown>), neighbour: 'ord_0' };
    },
  };
}

export function reply(status: number, body: unknown, contentType = 'application/json'): SendReport {
  const raw: RawReply = { status, contentType, body: encode(body) };
  return { kind: 'reply', reply: raw };
}
