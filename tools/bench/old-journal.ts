/** Makes the state folder of a desk whose journal has so many changes, through the door of the store. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localJournal } from '../../src/cli/choose-store.ts';
import type { AttemptRow, SettingRow } from '../../src/journal/rows/journal-rows.ts';
import { addAtOnce } from '../../test/harness/rows-at-once.ts';
import { type DeskAccount, rowsOfYears } from './desk-rows.ts';

/** Gives the journal of a folder for `openDesk` so many changes of the years before `now` (Unix milliseconds). */
export async function makeOldJournal(
  folder: string,
  changes: number,
  account: DeskAccount,
  now: number,
): Promise<void> {
  const began = performance.now();
  const rows = await addRows(folder, account, rowsOfYears(changes, account, now));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stderr.write(`  a journal of ${changes} changes: ${rows} rows in ${seconds} s\n`);
}

/** Adds rows to the journal of such a folder, piece by piece, and returns how many. */
export async function addRows(
  folder: string,
  account: DeskAccount,
  pieces: Iterable<readonly AttemptRow[]>,
): Promise<number> {
  const stateFolder = join(folder, 'home/.local/state/paydesk');
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const rules = { uid: process.getuid?.(), notice: () => undefined };
  const witness = join(folder, 'home/.local/share/paydesk/witness');
  const place = { folder: stateFolder, witness, from: 'state_folder', rules };
  const store = localJournal({ place, cwd: () => folder, onNetwork: true });
  let rows = 0;
  for (const piece of pieces) {
    await addAtOnce(store, [...piece, raisedLimit(account, piece.at(-1)?.time ?? 0)]);
    rows += piece.length + 1;
  }
  store.close();
  return rows;
}

function raisedLimit({ origin, account, profile }: DeskAccount, time: number): SettingRow {
  const of = { origin, account, profile, name: 'refund.max_amount.MXN' };
  return { type: 'setting', time, operator: 'lea', ...of, from: '500000', to: '600000' };
}
