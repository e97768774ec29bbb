// The year of a desk: 200 changes a day by four operators on the demo, some of whose replies are lost, in the memory of this
// process; then every screen of the last day beside the same on the first (after npm run build):
//   TMPDIR=/dev/shm node tools/bench/year-of-a-desk.ts --days 250
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemRandom } from '../../src/simulator/random.ts';
import { openStore } from '../../src/simulator/store.ts';
import { standingAt } from '../../test/harness/clock.ts';
import { newHome, startInMemory } from '../../test/harness/paydesk.ts';
import type { Ran } from '../../test/harness/ran.ts';
import { type Row, tableOf } from './row.ts';

const operators = ['ana', 'lea', 'luis', 'noor'];
const screens = [
  'orders list, orders show ORDER, orders find ORDER, orders waiting, orders twins, today, journal list',
  'refunds list --period today, refunds summary --period today, journal list --open, journal show CHANGE',
  'journal reconcile CHANGE, journal list --all --since today, journal verify, __complete bash 2 orders show ord_',
].flatMap((line) => line.split(', '));
const rounds = 5;
const dayMs = 86_400_000;

const { values } = parseArgs({
  options: { days: { type: 'string', default: '250' }, changes: { type: 'string', default: '200' } },
});
const [days, perDay] = [Number(values.days), Number(values.changes)];
using home = newHome();
// All clocks of the runs are ahead of this machine's, or no clock would be trusted.
const firstDay = Math.ceil(Date.now() / dayMs + 1) * dayMs + 9 * 3_600_000;
const ends = new Map<number | null, number>();

async function paydesk(at: number, words: readonly string[], change = 0, fault?: string): Promise<Ran> {
  const env = {
    ...standingAt(new Date(at).toISOString()),
    TZ: 'UTC',
    ...(fault && { PAYDESK_DEMO_FAULT: fault }),
  };
  const args = words[0] === '__complete' ? words : ['-p', 'demo', ...words];
  return await startInMemory(args, { home, env }, { userName: operators[change % 4] }).end;
}

// Half of the orders are paid and not refunded, and a tenth waits for its capture.
async function openDemo(): Promise<{ readonly paid: string[]; readonly waiting: string[] }> {
  const folder = join(home.path, '.local/state/paydesk/simulator');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const now = Math.floor(firstDay / 1000);
  const orders = 120 + Math.ceil(2.6 * days * perDay);
  openStore({ file: join(folder, 'demo.db'), mode: 'sandbox', orders, now, random: systemRandom() }).close();
  const columns = 'id,payment_status,is_refundable';
  const listed = await paydesk(firstDay, ['orders', 'export', '--csv', '--columns', columns, '--quiet']);
  const idsOf = (end: string) =>
    listed.stdout.split('\n').flatMap((line) => (line.endsWith(end) ? (line.split(',')[0] ?? []) : []));
  return { paid: idsOf(',paid,true'), waiting: idsOf(',pre_authorized,false') };
}

// Of a hundred replies one is lost although the refund was made, one before it, and one says nothing.
function faultOf(change: number): string | undefined {
  return { 17: 'apply-drop', 43: 'drop', 71: '500' }[change % 100];
}

// Returns the order of the last change that was made.
async function workADay(
  day: number,
  { paid, waiting }: Awaited<ReturnType<typeof openDemo>>,
): Promise<string> {
  let last = '';
  for (let number = 0; number < perDay; number += 1) {
    const change = day * perDay + number;
    const isCapture = change % 10 === 3;
    const id = (isCapture ? waiting : paid).pop() ?? '';
    const words = isCapture
      ? ['capture', id]
      : ['refund', id, ...(change % 10 > 6 ? ['--charge', '1', '--amount', '70'] : [])];
    const { code } = await paydesk(
      firstDay + day * dayMs + number * 144_000,
      ['orders', ...words, '--yes', '--no-input'],
      change,
      faultOf(change),
    );
    ends.set(code, (ends.get(code) ?? 0) + 1);
    if (code === 0) last = id;
  }
  return last;
}

/** Milliseconds that each screen takes at the end of a day, one sample a round. */
async function timesOfScreens(day: number, order: string): Promise<Record<string, number[]>> {
  const at = firstDay + day * dayMs + 10 * 3_600_000;
  const found = await paydesk(at, ['journal', 'list', '--order', order, '--json']);
  const change = /i_[0-9a-f]+/.exec(found.stdout)?.[0] ?? '';
  const times: Record<string, number[]> = Object.fromEntries(screens.map((screen) => [screen, []]));
  for (let round = -1; round < rounds; round += 1)
    for (const screen of screens) {
      const began = performance.now();
      const words = screen.replace('ORDER', order).replace('CHANGE', change).split(' ');
      const { code, stderr } = await paydesk(at, words);
      if (code !== 0 && code !== 7) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
      if (round >= 0) times[screen]?.push(performance.now() - began);
    }
  return times;
}

const orders = await openDemo();
await paydesk(firstDay, ['index', 'build', '--yes', '--quiet']);
const first = await timesOfScreens(0, await workADay(0, orders));
let last = first;
for (let day = 1; day < days; day += 1) {
  const began = performance.now();
  const order = await workADay(day, orders);
  process.stderr.write(
    `day ${day + 1}: ${((performance.now() - began) / perDay).toFixed(0)} ms per change\n`,
  );
  if (day === days - 1) last = await timesOfScreens(day, order);
}
const rows = screens.map((screen): Row => {
  const samples = { samplesA: last[screen] ?? [], samplesB: first[screen] ?? [] };
  return { name: `\`${screen}\`, day ${days} ÷ day 1`, ...samples };
});
const exits = [...ends].map(([code, count]) => `${count} with ${code}`).join(', ');
process.stdout.write(`${tableOf(rows)}${days * perDay} changes ended: ${exits}\n`);
