/** Rows of age: what a command takes with a journal of years, beside the same with the journal of a day. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from '../../src/profiles/key-store.ts';
import {
  type AgedDesk,
  type Commands,
  commands,
  newOrders,
  openAgedDesk,
  wholeCommands,
} from './age-desk.ts';
import { benchKey, startDeskService } from './desk.ts';
import { watched, watchedRows } from './desk-rows.ts';
import { type Place, type Program, peakMemories, printedFile, run, type Taken, timesOf } from './measure.ts';
import { addRows, makeOldJournal } from './old-journal.ts';
import { type Row, tableOf, timesRow } from './row.ts';

/** How many changes the journals have. All others are compared with the first. */
export const usualAges: readonly number[] = [100, 10_000, 100_000, 1_000_000];

const leastSpeed = 50_000;

/** Rows of every command that an operator waits for, for each of these ages but the first. */
export function ageRows(place: Place, ages: readonly number[]): Promise<Row[]> {
  return rowsOf(commands, commandRows, place, ages);
}

/** The same of the commands that read all of the journal. */
export function wholeJournalRows(place: Place, ages: readonly number[]): Promise<Row[]> {
  return rowsOf(wholeCommands, wholeRows, place, ages);
}

async function rowsOf(
  measured: Commands,
  measure: typeof commandRows,
  place: Place,
  ages: readonly number[],
): Promise<Row[]> {
  const service = await startDeskService(200, 2 * watched);
  try {
    const { baseUrl: origin } = service;
    const account = `${origin} service sandbox`;
    const owner = { origin, account, profile: 'environment', keyFingerprint: fingerprint(benchKey) };
    const orders = newOrders();
    const desks = ages.map((changes) => {
      const folder = join(place.folder, `age-${changes}`);
      return openAgedDesk({ changes, folder, newOrders: orders }, service);
    });
    for (const { folder, changes } of desks) await makeOldJournal(folder, changes, owner, Date.now());
    // All desks made them at the same time, and the service knows none from before that.
    const now = Date.now();
    for (const { folder, changes } of desks) await addRows(folder, owner, [watchedRows(changes, owner, now)]);
    await fetch(`${origin}/reset`);
    return Object.entries(measured).flatMap(([name, command]) => {
      const programs = desks.map((desk) => [String(desk.changes), command(desk)] as const);
      const rows = measure({ name, desks, programs: Object.fromEntries(programs) }, place);
      // It takes long until the last one.
      process.stderr.write(tableOf(rows));
      return rows;
    });
  } finally {
    await service.stop();
  }
}

/** A command, as each desk runs it; the programs by the number of changes. */
interface Aged {
  readonly name: string;
  readonly desks: readonly AgedDesk[];
  readonly programs: Readonly<Record<string, Program>>;
}

function commandRows(aged: Aged, place: Place): Row[] {
  const pairs = pairsOf(aged, timesOf(place, aged.programs));
  const rows = pairs.map(({ name, old, young }) => timesRow(name, { wall: 1.15 }, old, young));
  return [...rows, ...memoryRows(aged, place)];
}

function memoryRows(aged: Aged, place: Place): Row[] {
  const peaks = peakMemories({ ...place, rounds: Math.min(place.rounds, 3) }, aged.programs);
  return pairsOf(aged, peaks).map(({ name, old, young }) => {
    return { name: `${name}, peak memory`, goal: 1.1, samplesA: old, samplesB: young, unit: 'MB' };
  });
}

// What reads every row takes longer with more of them, but needs no more memory.
function wholeRows(aged: Aged, place: Place): Row[] {
  const few = { ...place, rounds: 1 };
  const pairs = pairsOf(aged, timesOf(few, aged.programs));
  const speeds = pairs.map(({ desk, youngest, old, young }): Row => {
    const name = `50,000 rows a second ÷ ${aged.name}, ${shown(desk)} changes`;
    const rows = countRows(desk, place) - countRows(youngest, place);
    const speed = ({ wall }: Taken, round: number) => rows / ((wall - (young[round]?.wall ?? 0)) / 1000);
    const samples = { samplesA: old.map(() => leastSpeed), samplesB: old.map(speed) };
    return { name, goal: 1, unit: 'rows/s', ...samples };
  });
  return [...speeds, ...memoryRows(aged, few)];
}

/** The samples of each older desk, beside those of the first. */
function pairsOf<Sample>(
  { name, desks: [youngest, ...older] }: Aged,
  samples: Readonly<Record<string, Sample[]>>,
) {
  if (youngest === undefined) return [];
  return older.map((desk) => ({
    name: `${name}, ${shown(desk)} changes ÷ ${shown(youngest)}`,
    desk,
    youngest,
    old: samples[desk.changes] ?? [],
    young: samples[youngest.changes] ?? [],
  }));
}

function shown({ changes }: AgedDesk): string {
  return changes.toLocaleString('en');
}

function countRows({ paydesk }: AgedDesk, place: Place): number {
  run(paydesk(['journal', 'verify', '--json']), place);
  const found: { readonly rows: number } = JSON.parse(readFileSync(printedFile(place), 'utf8'));
  return found.rows;
}
