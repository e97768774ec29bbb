/** Repairs a journal: keeps copies, and builds a new journal and witness from all that can be read of the old two. */

import { readFileSync, rmSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { writeOwnFile } from '../profiles/profiles.ts';
import { chainStart, link } from './chain.ts';
import type { Repair } from './journal.ts';
import { recollect } from './recollect.ts';
import { buildJournal, dropJournal, holdJournal, replaceJournal } from './replace-journal.ts';
import type { JournalRow } from './rows.ts';
import { salvage } from './salvage.ts';
import { anyOwner, type StoreParts } from './store.ts';
import type { StoredRow } from './stored-row.ts';
import { newWitnessKey, readWitness, readWitnessBytes, writeWitness } from './witness-file.ts';

/**
 * Builds the new journal, renames it over the old one, then writes its witness. `now` in Unix milliseconds. Waits for runs
 * that write to the old one, then keeps them out. Throws CliError 'refused' when such a run does not end, and when the new
 * journal cannot be written: the old one stays then.
 */
export async function repairStore(file: string, now: number, parts: StoreParts = {}): Promise<Repair> {
  const { rules = anyOwner, witness } = parts;
  const fresh = `${file}.repaired-${now}`;
  const held = await holdJournal(file, rules);
  try {
    const bytes = held === undefined ? undefined : readFileSync(held.handle);
    const remembered = witness === undefined ? undefined : readWitness(witness, rules);
    const found = salvage(bytes ?? new Uint8Array());
    const { rows, blocked, ...counts } = recollect(found, remembered, now);
    const copies: Copies = {
      copy: bytes && `${file}.damaged-${now}`,
      witnessCopy: remembered && witness && `${witness}.before-${now}`,
    };
    const text = await orCleanUp(
      file,
      [fresh, `${fresh}-journal`, copies.copy, copies.witnessCopy],
      async () => {
        const built = await buildJournal(fresh, chained(rows), remembered?.key ?? newWitnessKey());
        if (copies.copy && bytes) writeOwnFile(copies.copy, bytes, rules);
        if (copies.witnessCopy && witness)
          writeOwnFile(copies.witnessCopy, readWitnessBytes(witness, rules), rules);
        return built;
      },
    );
    // The journal first: without the new witness changes are refused, and the repair can run again.
    await replaceJournal(file, fresh);
    if (witness !== undefined) writeWitness(witness, text, rules);
    const names = blocked.map(({ intent, proof }) => ({ intent, orderId: proof.orderId }));
    return { ...copies, ...counts, unreadable: found.unreadable, blocked: names };
  } finally {
    held?.letGo();
    await dropJournal(fresh);
  }
}

type Copies = Pick<Repair, 'copy' | 'witnessCopy'>;

function chained(rows: readonly JournalRow[]): readonly StoredRow[] {
  let prev = chainStart;
  return rows.map((row, index) => {
    const stored = link(row, index + 1, prev);
    prev = stored.hash;
    return stored;
  });
}

// A failure leaves the old journal in its place, so the files made so far are removed.
async function orCleanUp<T>(
  file: string,
  made: readonly (string | undefined)[],
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    for (const path of made) if (path !== undefined) rmSync(path, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('refused', `the journal ${file} cannot be rebuilt: ${why}`, {
      certain: 'nothing was changed: the damaged file is in its place',
      now: ['free some space there, then:', 'paydesk journal verify --repair'],
      cause,
    });
  }
}
