/**
 * A process that works at a desk of a team until it is told to end (SIGTERM): one refund after another, on orders that other
 * desks refund too, each of another amount, and now and then a look at what is unconfirmed. Prints the exit code of each run.
 */

import { paydesk } from '../harness/paydesk.ts';

/** What it is told. */
export interface Work {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Orders, which all desks take in the same order. */
  readonly orders: readonly string[];
  /** Its number among all processes, by which its amounts differ from those of others on the same order. */
  readonly number: number;
}

const work: Work = JSON.parse(process.argv[2] ?? '');
const amountOf = (run: number) => String(1 + (work.number % 50) + 50 * (run % 100));
const home = { path: work.home, [Symbol.dispose]: () => undefined };
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});
// Whoever started it is gone.
process.stdout.on('error', () => process.exit());

// Every order three times, and some of those around it.
for (let run = 0; !isOver && run < 3 * work.orders.length; run += 1) {
  const at = Math.floor(run / 3) + Math.floor(Math.random() * 3);
  const order = work.orders[at % work.orders.length] ?? '';
  const refund = ['orders', 'refund', order, '--charge', '1', '--amount', amountOf(run), '--yes'];
  const words = Math.random() < 0.15 ? ['journal', 'reconcile'] : refund;
  const { code } = await paydesk(['-p', 't', ...words], { home, env: work.env });
  process.stdout.write(`${code}\n`);
}
