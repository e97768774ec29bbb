/**
 * Writes a file of errors: the input file again, with what is wrong beside each row. It is made to be corrected in a spreadsheet
 * and read again. Pure.
 */

import { cleanCell, csvLine, formulaSafe } from '../terminal/terminal.ts';
import { addedColumns } from './input-titles.ts';
import type { InputFile, InputProblem } from './plan-types.ts';

/**
 * The text of the file. Every row is in it; the error of a row that is right is blank. What is wrong with the titles or with the
 * whole file stands in rows of their own, which have no other cells and are skipped when the file is read again.
 */
export function errorsCsv(
  {
    columns,
    lines,
    delimiter,
    hasBom,
    lineEnd,
  }: Pick<InputFile, 'columns' | 'lines' | 'delimiter' | 'hasBom' | 'lineEnd'>,
  problems: readonly InputProblem[],
): string {
  const errors = Map.groupBy(problems, ({ line }) => line);
  // The cells stay as they are, or they would be other rows. The words may be of the service, and are for people.
  const wordsOf = (line: number): string =>
    cleanCell((errors.get(line) ?? []).map(({ words }) => words).join('; '));
  const rows = new Map(lines.map((row) => [row.line, row.cells]));
  const blank = columns.map(() => '');
  const allLines = [...new Set([...errors.keys(), ...rows.keys()])].toSorted((a, b) => a - b);
  const text = [
    [...addedColumns, ...columns],
    ...allLines.map((line) => [String(line), wordsOf(line), ...(rows.get(line) ?? blank)]),
  ]
    .map((cells) => csvLine(cells.map(formulaSafe), delimiter).slice(0, -1))
    .map((line) => `${line}${lineEnd}`)
    .join('');
  return `${hasBom ? '\ufeff' : ''}${text}`;
}
