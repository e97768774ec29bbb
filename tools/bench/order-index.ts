/** Rows of the index: a search in a fresh process beside reading the segments, and the memory of a build. */

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
    // The reference of an order near the end of the list.
    const reference = `A-${10_000_000 - orders + 777}`;
    const queries = timesOf(place, {
      find: desk.paydesk(many, ['orders', 'find', reference, '--ndjson']),
      read: desk.other(many, 'read-segments.ts'),
    });
    return [
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
