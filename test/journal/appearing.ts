/** A refund whose reply was lost, that somebody recorded by hand, and that may appear at the service later. For black-box tests. */

import { expect, onTestFinished } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';

const created = Date.parse('2040-11-20T18:42:00Z') / 1000;
const secondsOf = (time: string) => Date.parse(`2040-11-21T${time}Z`) / 1000;
const secondAfter = (time: string) => new Date(secondsOf(time) * 1000 + 1000).toISOString().slice(11, 19);
export const id = 'ord_2tQ8mVxK4nRz7LcWp';

export const refund = (more = '') =>
  `orders refund ${id} --charge 1 --amount 900 --yes${more === '' ? '' : ` ${more}`}`;

/** The command that records by hand what became of a change: `--applied` or `--not-applied`. */
export const settle = (change: string, ...how: readonly string[]) => [
  'journal',
  'settle',
  change,
  ...how,
  '--note',
  'Ana at the bank looked: nothing',
  '--confirm',
  id,
];

type Run = (time: string, args: string | readonly string[], day?: string) => Promise<Ran>;

export interface Appearing {
  readonly service: Service;
  /** Runs at a time of 21 November, or of another day. */
  readonly run: Run;
  /** One more refund of the first charge at the service. */
  readonly apply: (amount?: number, time?: string) => Json;
  /** A refund of 900 whose reply was lost, and that somebody recorded as not made at 05:10. Its change. */
  readonly recordedAsNotMade: (more?: string) => Promise<string>;
  /** From now on the service answers a refund: it makes one of that amount. */
  readonly answers: (amount?: number) => void;
  readonly rowsOf: (change: string) => ReturnType<typeof journalRows>;
  /** The changes of what was sent, in that order. */
  readonly changes: () => readonly string[];
}

export async function startAppearing(): Promise<Appearing> {
  let made = 0;
  let answer: number | undefined;
  // When the newest run began: it sends within a second.
  let began = '05:05:12';
  const apply = (amount = 900, time = '05:05:13'): Json => {
    made += 1;
    const record = refundOf(`rf_${made}`, amount, { created_at: secondsOf(time) });
    service.orders = service.orders.map((order) => withRefund(order, record, amount));
    return service.orders[0] ?? {};
  };
  const service = await startService({
    orders: [orderOf(id, [chargeOf('ch_1', 35_000)], { created_at: created, updated_at: created + 30 })],
    sendsDate: false,
    onPost: () => (answer === undefined ? reset : json(apply(answer, secondAfter(began)))),
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const run: Run = async (time, args, day = '21') => {
    began = time;
    const env = { ...standingAt(`2040-11-${day}T${time}Z`), PAYDESK_OPERATOR: 'root' };
    return await service.run(typeof args === 'string' ? args.split(' ') : args, { env });
  };
  const rows = () => journalRows(service.home);
  return {
    service,
    run,
    apply,
    async recordedAsNotMade(more) {
      expect((await run('05:05:12', refund(more))).code).toBe(7);
      const change = rows()[0]?.change ?? '';
      expect((await run('05:10:00', settle(change, '--not-applied'))).code).toBe(0);
      answer = 900;
      return change;
    },
    answers(amount = 900) {
      answer = amount;
    },
    rowsOf: (change) => rows().filter((row) => row.change === change),
    changes: () => rows().flatMap((row) => (row.type === 'sent' ? [row.change ?? ''] : [])),
  };
}
