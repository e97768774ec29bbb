/** Rows of the index: a search in a fresh process beside reading the segments, a report beside a live one, and memory. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, type Service, startManyOrders } from './desk.ts';
import { type Place, type Program, peakMemories, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';

const orders = 100_000;
const few = 10_000;

export async function indexRows(desk: Desk, place: Place): Promise<Row[]> {
  const [many, less] = [await startManyOrders(orders), await startManyOrders(few)];
  try {
    const build = (service: Service): Program => built(desk, service, place);
    const memory = peakMemories({ ...place, rounds: 1 }, { many: build(many), less: build(less) });
    run(build(many), place);
    run(desk.paydesk(less, ['index', 'build', '--yes', '--quiet']), place);
    // The reference of an order near the end of the list.
    const reference = `A-${10_000_000 - orders + 777}`;
    const queries = timesOf(place, {
      find: desk.paydesk(many, ['orders', 'find', reference, '--ndjson']),
      read: desk.other(many, 'read-segments.ts'),
    });
    const month = (service: Service, ...words: readonly string[]) =>
      desk.paydesk(service, ['refunds', 'summary', '--period', lastDays(30), '--csv', '--quiet', ...words]);
    const reports = timesOf(
      { ...place, rounds: Math.min(place.rounds, 5) },
      { indexed: month(many), live: month(many, '--live') },
    );
    const reporting = peakMemories({ ...place, rounds: 3 }, { many: month(many), less: month(less) });
    return [
      timesRow(
        '`refunds summary` of 30 days in an index of 100,000 orders ÷ with `--live`',
        {},
        reports.indexed,
        reports.live,
      ),
      {
        name: '`refunds summary` from an index, peak memory at 100,000 orders ÷ at 10,000',
        unit: 'MB',
        samplesA: reporting.many,
        samplesB: reporting.less,
      },
      timesRow(
        '`orders find` in an index of 100,000 orders ÷ reading its segments',
        { wall: 2 },
        queries.find,
        queries.read,
      ),
      {
        name: '`index build`, peak memory at 100,000 orders ÷ at 10,000',
        unit: 'MB',
        goal: 1.3,
        samplesA: memory.many,
        samplesB: memory.less,
      },
    ];
  } finally {
    await many.stop();
    await less.stop();
  }
}

// The days as a period: `2026-10-22..2026-11-22`.
function lastDays(days: number): string {
  const [since, until] = [-days, 1].map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
  return `${since?.slice(0, 10)}..${until?.slice(0, 10)}`;
}

// Every run builds an index of its own.
function built(desk: Desk, service: Service, { folder }: Place): Program {
  const program = desk.paydesk(service, []);
  const state = join(folder, 'home/.local/state/paydesk/index');
  return {
    ...program,
    args: () => {
      rmSync(state, { recursive: true, force: true });
      const [file = ''] = typeof program.args === 'function' ? program.args() : program.args;
      return [file, 'index', 'build', '--yes', '--quiet'];
    },
  };
}
