/** What an export says of its rows besides writing them: what is missing, what is odd, what a spreadsheet would round. */

import { fileUnitsNote } from '../../amounts.ts';
import type { OpenService, WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import type { ExportProblem, ExportRow } from '../../exports/exports.ts';
import { datesNote, isForSpreadsheet } from '../../terminal/terminal.ts';
import type { ExportForm } from './export-flags.ts';

/** An export that is run. */
interface Noted {
  readonly ctx: Pick<Context, 'notes'>;
  readonly job: { readonly rowsWord: string };
}

/** Throws CliError 'incomplete' once everything that the service shows is written. `file` names the problems of an export into a file. */
export function refuseGaps(
  { ctx, job }: Noted,
  problems: readonly ExportProblem[],
  file: string | undefined,
): never {
  const named = file === undefined ? problems : problems.slice(0, mostNamed);
  for (const { order_id: id, why } of named)
    ctx.notes.warn(`${id === '' ? 'an order without an id' : id}: ${why}`);
  const more = problems.length - named.length;
  if (more > 0) ctx.notes.warn(`and ${more} more`);
  const orders = new Set(problems.map(({ order_id: id }) => id)).size;
  throw new CliError(
    'incomplete',
    `the service does not show all of ${counted(orders, 'order')}, so some ${job.rowsWord} may be missing`,
    {
      certain: `all ${job.rowsWord} that it shows were written`,
      now: [
        file === undefined
          ? 'with --to FILE the orders are named in FILE.problems.csv'
          : `${file} names each of these orders and what is missing`,
        'ask whoever runs the service about them; --strict stops at the first such order instead',
      ],
    },
  );
}

// So many problems are on the screen; their file has all.
const mostNamed = 5;

// A spreadsheet keeps 15 digits of a number, and makes 0 of the others without a word.
const longest = 10n ** 15n;

/** Says how many amounts of a CSV a spreadsheet would round. `rows`: those that this run wrote. */
export function noteLongAmounts({ ctx, job }: Noted, { format }: ExportForm, rows: number): void {
  if (format !== 'csv' || rows === 0) return;
  ctx.notes.warn(
    `${counted(rows, 'amount')} of these ${job.rowsWord} ${rows === 1 ? 'has' : 'have'} more than 15 digits: a spreadsheet rounds such a number, unless its column is read as text`,
  );
}

/** Says in which unit the amounts of a file for a spreadsheet are, where the profile declares another one for people, and in which zone its times. */
export function noteForSpreadsheet(
  {
    ctx,
    service,
    input,
  }: {
    readonly ctx: Pick<Context, 'notes' | 'options' | 'zone'>;
    readonly service: OpenService;
    readonly input: { readonly tz?: string | undefined };
  },
  { format }: ExportForm,
): void {
  const { csv } = ctx.options;
  const units = isForSpreadsheet(format, csv) ? fileUnitsNote(service.profile.settings) : undefined;
  for (const note of [units, datesNote(format, csv, input.tz ?? ctx.zone())])
    if (note !== undefined) ctx.notes.note(note);
}

/** How many of these rows have such an amount. */
export function countLong(rows: readonly ExportRow[]): number {
  return rows.filter(
    ({ amount }) =>
      (typeof amount === 'bigint' || typeof amount === 'number') && (amount >= longest || amount <= -longest),
  ).length;
}

/** Names records that are not as the document says. */
export function warnOfOdd({ notes }: Context, odd: readonly WireRecord[]): void {
  const [first] = odd;
  const more = odd.length === 1 ? '' : ` and ${odd.length - 1} more`;
  notes.warn(
    `${idOf(first) ?? 'a record without an id'}${more}: not as the service's document says; exported as received`,
  );
}
