/** Compares the journal with its witness row by row, for `journal verify`. */

import type { DatabaseSync } from 'node:sqlite';
import type { Finding } from './chain.ts';
import type { WitnessVerification } from './journal.ts';
import type { StoredRow } from './stored-row.ts';
import { readWitness } from './witness-file.ts';
import { type Mismatch, mismatchOf, type WitnessPlace } from './witnessed.ts';

/** How they compare, and how they do not match; `db` is undefined when the journal cannot be opened. */
export function compareWitness(
  rows: readonly StoredRow[],
  db: DatabaseSync | undefined,
  place: WitnessPlace,
): { readonly witness: WitnessVerification; readonly mismatches: readonly Finding[] } {
  const text = readWitness(place.witness, place.rules);
  const of = { file: place.witness, lines: text?.lines.length ?? 0 };
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  const found = orUnreadable(() => mismatchOf(db, place));
  // Where the first line is damaged, that says it all.
  const brokenLines = text?.key === undefined ? [] : text.broken;
  const broken = brokenLines.map((line) => `line ${line} of the witness is damaged`);
  const others = (text?.lines ?? [])
    .filter(({ seq, head }) => hashes.has(seq) && hashes.get(seq) !== head)
    .map(({ seq }) => `row ${seq} is not the one that the witness knows`);
  const problems = [...(found === undefined ? [] : [found.problem]), ...broken, ...others];
  const mismatches = problems.map((problem) => ({ seq: 0, problem }));
  const behind = others.length > 0 || found?.state === 'journal behind';
  if (behind) return { witness: { ...of, state: 'journal behind' }, mismatches };
  if (found !== undefined || broken.length > 0) return { witness: { ...of, state: 'damaged' }, mismatches };
  if (text === undefined) return { witness: { ...of, state: 'none yet' }, mismatches };
  const state = of.lines < rows.length ? 'witness behind' : 'agrees';
  return { witness: { ...of, state }, mismatches };
}

// Damage of the journal itself was found before; here it only prevents the comparison.
function orUnreadable(look: () => Mismatch | undefined): Mismatch | undefined {
  try {
    return look();
  } catch (error) {
    return { state: 'damaged', problem: `cannot be compared with its witness: ${String(error)}` };
  }
}
