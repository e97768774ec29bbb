/** A service with one order. It does and shows what a schedule demands: late, twice, hidden, refused, pending or failing. */

import type { ChangeRequest, SendReport } from '../../src/api/api.ts';
import { reply } from './world.ts';

/** What becomes of a request, and what is answered. `unsure`: 402 with a code that the document does not name. */
export const fates = [
  'ok',
  'apply-drop',
  'drop',
  'apply-502',
  '502',
  'apply-unsure',
  'unsure',
  'reject',
  'apply-reject',
  'contradict',
  'apply-contradict',
  'not-sent',
] as const;

/** One request, as a schedule has it. */
export interface Treatment {
  readonly fate: (typeof fates)[number];
  /** What is made is made so much later, milliseconds; only where the answer is no plain one. */
  readonly lateMs: number;
  /** The record is not shown for so long; `sumToo`: nor is the sum of what was refunded. */
  readonly hiddenMs: number;
  readonly sumToo: boolean;
  /** It is made once more so much after the first time; undefined: it is not. */
  readonly twiceAfterMs: number | undefined;
  /** It is pending for so long. `pendingCounts`: it is in the sum meanwhile. */
  readonly pendingMs: number;
  readonly pendingCounts: boolean;
  /** It fails so much after it was taken up; undefined: it does not. */
  readonly failsAfterMs: number | undefined;
}

/** A refund that is made, or will be. Times are Unix milliseconds, the true ones. */
export interface Made {
  readonly id: string;
  readonly amount: number;
  /** The attempt that asked for it; undefined: somebody else. */
  readonly attempt: string | undefined;
  readonly at: number;
  readonly shownFrom: number;
  readonly sumFrom: number;
  readonly pendingUntil: number;
  readonly pendingCounts: boolean;
  /** Never: infinity. */
  readonly failsAt: number;
}

/** How much of the charge is refunded here. */
export const amount = 5_000;
const total = 350_000;

/** The one order, and every refund of it, whether shown or not. */
export class HostileService {
  readonly #made: Made[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What is made by now. */
  made(): readonly Made[] {
    return this.#made.filter(({ at }) => at <= this.#now());
  }

  /** Whether one of these stands now: it has not failed. */
  stands({ failsAt }: Made): boolean {
    return failsAt > this.#now();
  }

  /** Whether something of it is still to be made, or to be shown. */
  isUnderWay(attempt: string): boolean {
    const now = this.#now();
    return this.#made.some(
      (one) => one.attempt === attempt && Math.max(one.at, one.shownFrom, one.pendingUntil) > now,
    );
  }

  /** Until when something will still be made or shown. */
  quietFrom(): number {
    return Math.max(
      0,
      ...this.#made.map(({ at, shownFrom, sumFrom, pendingUntil, failsAt }) =>
        Math.max(at, shownFrom, sumFrom, pendingUntil, Number.isFinite(failsAt) ? failsAt : 0),
      ),
    );
  }

  /** Somebody else refunds. */
  foreign(sum: number): void {
    const now = this.#now();
    this.#add({ attempt: undefined, at: now, shownFrom: now, sumFrom: now, sum });
  }

  /** Takes a request, does with it what the schedule says, and answers. */
  receive(attempt: string, request: ChangeRequest, how: Treatment): SendReport {
    if (request.path !== 'orders/ord_1/refunds') throw new Error('another request than asked for');
    if (how.fate === 'ok' || how.fate.startsWith('apply-')) this.#make(attempt, how);
    switch (how.fate) {
      case 'ok':
        return reply(200, this.order());
      case 'reject':
      case 'apply-reject':
        return reply(422, error('parameter_validation_error', 'service.errors.parameter'));
      case 'unsure':
      case 'apply-unsure':
        return reply(402, error('processing_error', 'service.errors.processing.bank.timeout'));
      case '502':
      case 'apply-502':
        return reply(502, '<html>', 'text/html');
      case 'contradict':
      case 'apply-contradict':
        return reply(200, { ...this.order(), id: 'ord_other' });
      default:
        return { kind: 'no_reply', reason: 'reset' };
    }
  }

  #make(attempt: string, how: Treatment): void {
    const { fate, lateMs, hiddenMs, sumToo, twiceAfterMs, pendingMs, pendingCounts, failsAfterMs } = how;
    const now = this.#now();
    // A reply that shows it shows it at once. A refusal is a word that it was not taken up, for good (an assumption).
    const at = fate === 'ok' || fate === 'apply-reject' ? now : now + lateMs;
    const shownFrom = fate === 'ok' ? at : at + hiddenMs;
    this.#add({
      attempt,
      at,
      shownFrom,
      sumFrom: sumToo && fate !== 'apply-reject' ? shownFrom : at,
      sum: amount,
      pendingUntil: at + pendingMs,
      // What a service refuses and hides altogether no client can see.
      pendingCounts: pendingCounts || fate === 'apply-reject',
      failsAt: at + (failsAfterMs ?? Number.POSITIVE_INFINITY),
    });
    if (twiceAfterMs === undefined) return;
    const second = at + twiceAfterMs;
    this.#add({ attempt, at: second, shownFrom: second, sumFrom: second, sum: amount });
  }

  #add({
    sum,
    ...one
  }: Pick<Made, 'attempt' | 'at' | 'shownFrom' | 'sumFrom'> &
    Partial<Made> & { readonly sum: number }): void {
    const id = `ref_${this.#made.length + 1}`;
    const plain = { pendingUntil: 0, pendingCounts: true, failsAt: Number.POSITIVE_INFINITY };
    this.#made.push({ ...plain, ...one, id, amount: -sum });
  }

  /** The order as it is shown now, or as it was shown then. */
  order(when = this.#now()): Record<string, unknown> {
    const shown = this.#made.filter(({ at, shownFrom }) => Math.max(at, shownFrom) <= when);
    const counted = this.#made.filter(
      ({ at, sumFrom, pendingUntil, pendingCounts, failsAt }) =>
        Math.max(at, sumFrom) <= when && failsAt > when && (pendingCounts || pendingUntil <= when),
    );
    const refunds = shown.map(({ id, amount: of, at, ...one }) => ({
      id,
      object: 'refund',
      amount: of,
      created_at: Math.floor(at / 1000),
      auth_code: '1',
      ...statusOf(one, when),
    }));
    const charge = { id: 'ch_1', object: 'charge', amount: total, status: 'paid' };
    return {
      id: 'ord_1',
      object: 'order',
      livemode: false,
      amount: total,
      amount_refunded: counted.reduce((sum, { amount: of }) => sum - of, 0),
      currency: 'MXN',
      payment_status: 'paid',
      is_refundable: true,
      charges: listOf([{ ...charge, refunds: refunds.length === 0 ? null : listOf(refunds) }]),
    };
  }
}

function statusOf(
  { pendingUntil, failsAt }: Pick<Made, 'pendingUntil' | 'failsAt'>,
  when: number,
): { readonly status?: string } {
  if (failsAt <= when) return { status: 'failed' };
  return pendingUntil > when ? { status: 'pending' } : {};
}

function listOf(data: readonly object[]): object {
  return { object: 'list', has_more: false, total: data.length, data };
}

function error(type: string, code: string): object {
  return { object: 'error', type, details: [{ message: 'no', code }] };
}
