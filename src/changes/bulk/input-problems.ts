/** What is wrong with an input file: says all of it, writes the file of errors, and refuses the file. */

import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { errorsCsv, type InputFile, type InputProblem, type InputRow } from '../../plans/plans.ts';
import type { ReadOrders } from './found-orders.ts';

/** The file that is refused, and where its rows go with the errors beside them. */
interface RefusedFile {
  readonly file: string;
  readonly errors: string | undefined;
  readonly force: boolean;
}

/** References that no order has, or several. */
export function referenceProblems(
  rows: readonly InputRow[],
  { byReference }: ReadOrders,
): readonly InputProblem[] {
  return rows.flatMap(({ line, reference }) => {
    const ids = reference === undefined ? undefined : (byReference.get(reference) ?? []);
    if (ids === undefined || ids.length === 1) return [];
    const words =
      ids.length === 0
        ? `no order has the reference ${reference}`
        : `${ids.length} orders have the reference ${reference}: ${ids.slice(0, 3).join(', ')}`;
    return [{ line, column: 'reference', words }];
  });
}

// More lines than this are no help on a screen; --errors has them all.
const shownProblems = 200;

/** Throws CliError 'usage' if there are problems, after it has said all of them. */
export async function refuseProblems(
  ctx: Context,
  input: InputFile,
  found: readonly InputProblem[],
  { file, errors, force }: RefusedFile,
): Promise<void> {
  if (found.length === 0) return;
  const problems = found.toSorted((one, other) => one.line - other.line);
  for (const { line, words } of problems.slice(0, shownProblems)) ctx.notes.warn(`line ${line}: ${words}`);
  if (problems.length > shownProblems)
    ctx.notes.warn(`and ${problems.length - shownProblems} more: --errors FILE.csv writes all of them`);
  const many = counted(problems.length, 'error');
  const title = `${file === '-' ? 'standard input' : file} has ${many}`;
  // What cannot be read cannot be corrected either: a file of errors would hold broken characters, and be accepted with them.
  if (!input.canCorrect) {
    const none = errors === undefined ? [] : [`${errors} was not written: it could not be corrected there`];
    throw usage(title, [...none, 'correct the file itself, or save it anew; then run the command again']);
  }
  if (errors === undefined)
    throw usage(title, ['correct the file; --errors FILE.csv writes it with the errors beside the rows']);
  try {
    await ctx.plans.write(errors, errorsCsv(input, problems), force);
  } catch (error) {
    // However that ends, the file is wrong.
    if (!(error instanceof CliError)) throw error;
    throw usage(`${title}, and the file for them was not written: ${error.message}`, error.parts.now ?? []);
  }
  throw usage(title, [`correct the rows in ${errors}; then run the command with that file`]);
}
