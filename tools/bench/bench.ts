// Measures paydesk beside what people would use instead, and prints one table of ratios (npm run bench builds first):
//   npm run bench                                      everything but age and whole, some 12 minutes on two cores
//   npm run bench -- --rows start,exports --rounds 5
//   npm run bench -- --rows start --compare main       the start, beside the same commands at another commit
//   npm run bench -- --rows age --ages 100,10000       commands with journals of so many changes, beside the first of them;
//                                                      `whole`: what reads all of the journal
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ageRows, usualAges, wholeJournalRows } from './age.ts';
import { bulkRows } from './bulk.ts';
import { comparedRows } from './compare.ts';
import { type Desk, openDesk } from './desk.ts';
import { exportRows, memoryRows, tableRows, walkRows } from './exports.ts';
import { linearRows } from './linear.ts';
import { machineLines } from './machine.ts';
import type { Place } from './measure.ts';
import { indexRows } from './order-index.ts';
import { type Row, tableOf } from './row.ts';
import { safetyRows } from './safety.ts';
import { senderRows } from './sender.ts';
import { startRows } from './start.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    compare: { type: 'string' },
    ages: { type: 'string' },
  },
});
const ages = values.ages?.split(',').map(Number) ?? usualAges;

/** Groups of rows, each with the rounds that make it steady. */
const groups: Readonly<
  Record<string, { readonly rounds: number; readonly rows: (desk: Desk, place: Place) => Promise<Row[]> }>
> = {
  start: { rounds: 40, rows: startRows },
  exports: { rounds: 7, rows: exportRows },
  memory: { rounds: 3, rows: memoryRows },
  tables: { rounds: 9, rows: tableRows },
  walking: { rounds: 7, rows: walkRows },
  safety: { rounds: 20, rows: safetyRows },
  sender: { rounds: 10, rows: senderRows },
  bulk: { rounds: 3, rows: bulkRows },
  linear: { rounds: 2, rows: linearRows },
  index: { rounds: 10, rows: indexRows },
  age: { rounds: 7, rows: (_desk, place) => ageRows(place, ages) },
  whole: { rounds: 2, rows: (_desk, place) => wholeJournalRows(place, ages) },
};

const wanted =
  values.rows?.split(',') ?? Object.keys(groups).filter((name) => !['age', 'whole'].includes(name));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));

async function rowsOf(name: string): Promise<Row[]> {
  const group = groups[name];
  if (group === undefined) throw new Error(`--rows ${name}: not one of ${Object.keys(groups).join(', ')}`);
  process.stderr.write(`${name} …\n`);
  const place = { folder, rounds: values.rounds === undefined ? group.rounds : Number(values.rounds) };
  if (values.compare === undefined) return await group.rows(openDesk(folder), place);
  if (name !== 'start') throw new Error('--compare measures the start only: add --rows start');
  return await comparedRows(values.compare, place);
}

try {
  const rows: Row[] = [];
  for (const name of wanted) rows.push(...(await rowsOf(name)));
  process.stdout.write(`${tableOf(rows)}\n${machineLines(join(folder, 'axios')).join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
