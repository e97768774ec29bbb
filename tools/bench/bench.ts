// Measures paydesk beside what people would use instead, and prints one table of ratios:
//   npm run bench                         everything, some 10 minutes on two cores
//   node tools/bench/bench.ts --rows start,exports --rounds 5
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { costOfSafety } from '../bench-safety.ts';
import { type Desk, openDesk } from './desk.ts';
import { exportRows, memoryRows, tableRows } from './exports.ts';
import { linearRows } from './linear.ts';
import { machineLines } from './machine.ts';
import type { Place } from './measure.ts';
import { type Row, tableOf } from './row.ts';
import { startRows } from './start.ts';

/** Groups of rows, each with the rounds that make it steady. */
const groups: Readonly<
  Record<string, { readonly rounds: number; readonly rows: (desk: Desk, place: Place) => Promise<Row[]> }>
> = {
  start: { rounds: 40, rows: startRows },
  exports: { rounds: 7, rows: exportRows },
  memory: { rounds: 3, rows: memoryRows },
  tables: { rounds: 9, rows: tableRows },
  safety: { rounds: 20, rows: async (_desk, { rounds, folder }) => [await costOfSafety(rounds, folder)] },
  linear: { rounds: 2, rows: linearRows },
};

const { values } = parseArgs({ options: { rows: { type: 'string' }, rounds: { type: 'string' } } });
const wanted = values.rows?.split(',') ?? Object.keys(groups);
const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
try {
  const rows: Row[] = [];
  for (const name of wanted) {
    const group = groups[name];
    if (group === undefined) throw new Error(`--rows ${name}: not one of ${Object.keys(groups).join(', ')}`);
    process.stderr.write(`${name} …\n`);
    const rounds = values.rounds === undefined ? group.rounds : Number(values.rounds);
    rows.push(...(await group.rows(openDesk(folder), { folder, rounds })));
  }
  process.stdout.write(`${tableOf(rows)}\n${machineLines(join(folder, 'axios')).join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
