/** Makes the state folder of a desk whose journal has so many changes, through the door of the store. Large ones are kept. */

import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { localJournal } from '../../src/cli/choose-store.ts';
import type { SettingRow } from '../../src/journal/journal-rows.ts';
import { journalKind } from '../../src/journal/sqlite/journal-tables.ts';
import { witnessKind } from '../../src/journal/sqlite/witness-file.ts';
import { type DeskAccount, rowsOfYears } from './desk-rows.ts';

const root = join(import.meta.dirname, '../..');
// Making more than these takes longer than a minute.
const kept = 50_000;

/**
 * A folder for `openDesk` whose journal has so many changes. A small journal is made anew in `place`. A large one stays in the
 * project for the next runs, until the code that made it changes: what a run adds to it is little beside what is there.
 */
export async function oldJournal(changes: number, account: DeskAccount, place: string): Promise<string> {
  if (changes < kept) return await made(join(place, `age-${changes}`), changes, account);
  const folders = join(root, '.bench/journals');
  const folder = join(folders, `${changes}-${hashOfMakers(account)}`);
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return folder;
  for (const older of globSync(`${changes}-*`, { cwd: folders }))
    rmSync(join(folders, older), { recursive: true });
  renameSync(await made(`${folder}-unfinished`, changes, account), folder);
  return folder;
}

async function made(folder: string, changes: number, account: DeskAccount): Promise<string> {
  const stateFolder = join(folder, 'home/.local/state/paydesk');
  // A run that was stopped may have left one.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const witness = join(folder, 'home/.local/share/paydesk/witness');
  const place = { folder: stateFolder, witness, from: 'state_folder', rules };
  const store = localJournal({ place, cwd: () => folder, onNetwork: true });
  const began = performance.now();
  let rows = 0;
  for (const piece of rowsOfYears(changes, account, Date.now()))
    rows += 1 + (await store.takeIn(piece, raisedLimit(account, piece.at(-1)?.time ?? 0)));
  store.close();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stderr.write(`  a journal of ${changes} changes: ${rows} rows in ${seconds} s\n`);
  return folder;
}

function raisedLimit({ origin, account, profile }: DeskAccount, time: number): SettingRow {
  const of = { origin, account, profile, name: 'refund.max_amount.MXN' };
  return { type: 'setting', time, operator: 'lea', ...of, from: '500000', to: '600000' };
}

// Whatever decides how the files look.
function hashOfMakers(account: DeskAccount): string {
  const hash = createHash('sha256').update(JSON.stringify([account, journalKind, witnessKind]));
  const files = ['src/journal/{chain,journal-rows}.ts', 'tools/bench/{desk-rows,old-journal}.ts'];
  for (const file of globSync(files, { cwd: root }).sort()) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}
