/** Bytes of input files, and what is wrong with them, for tests. */

import { plainAmounts } from '../../src/amounts.ts';
import { readInputFile } from '../../src/plans/input-file.ts';
import type { InputFile, InputHow } from '../../src/plans/plan-types.ts';

export const id = 'ord_2tQ7zRk9PwE5xNvAm';

/** Reads a text as an input file for a plan. */
export function read(text: string, how: Partial<InputHow> = {}): InputFile {
  return readInputFile(Buffer.from(text), { for: 'plan', amounts: plainAmounts, ...how });
}

/** The problems of a file: `LINE COLUMN: words`. */
export function problemsOf(file: InputFile): readonly string[] {
  return file.problems.map(({ line, column, words }) => `${line} ${column ?? '(row)'}: ${words}`);
}
