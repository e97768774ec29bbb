/** Shows a comparison: its rows, and the reasons of those that do not agree below them. */

import type { AmountStyle } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, type Field, recordFrom } from '../../api/resources.ts';
import {
  decimalsProblems,
  inFull,
  inputOf,
  isShortList,
  lineWords,
  type RefusedFile,
  refuseProblems,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import type { InputFile } from '../../plans/plans.ts';
import type { ComparedRow } from './compared.ts';

/** The titles of the columns of the file that paydesk does not use. */
export type Titles = Pick<InputFile, 'columns'>;

/** A row of a comparison as a record. The cells of the file come last. */
export function comparedRecord<Row extends ComparedRow>(
  object: string,
  columns: readonly (Column | Field<Row>)[],
  compared: Row,
  titles: Titles,
): JsonObject {
  return { ...recordFrom(object, columns, compared), input: inputOf(compared.row?.cells, titles) };
}

/**
 * Lists the rows. If there are more than somebody reads on a terminal, only those that do not agree are listed there, unless
 * `allRows` was asked for.
 */
export async function listCompared<Row extends ComparedRow>(
  ctx: Context,
  columns: readonly Column[],
  rows: readonly Row[],
  {
    record,
    agrees,
    allRows,
    ...how
  }: {
    record: (row: Row) => JsonObject;
    agrees: (row: Row) => boolean;
    allRows: boolean;
  } & Parameters<Context['out']['ownList']>[2],
): Promise<void> {
  const isShort = await isShortList(ctx, rows, allRows);
  const shown = isShort ? rows : rows.filter((row) => !agrees(row));
  await ctx.out.ownList(columns, shown.map(record), how);
  if (!isShort)
    ctx.notes.note(`${shown.length} of ${rows.length} rows do not agree; --all-rows lists all of them`);
}

/** Says the first reasons, which a table cuts off or leaves out. `again`: makes the command that shows all of them. */
export function sayReasons(
  { notes }: Pick<Context, 'notes'>,
  all: readonly ComparedRow[],
  again: (...words: readonly string[]) => string,
): void {
  const rows = all.flatMap(({ row, why }) =>
    row === undefined || why === undefined ? [] : [{ line: row.line, why }],
  );
  for (const line of lineWords(rows, again(...inFull))) notes.note(line);
}

/** Refuses a file with amounts whose decimals do not suit the currency of their order. Of a row in another currency, no order says that. */
export async function refuseDecimals(
  ctx: Context,
  input: InputFile,
  all: readonly ComparedRow[],
  style: AmountStyle,
  asked: RefusedFile,
): Promise<void> {
  const found = all.filter(({ verdict, wantedCurrency }) => {
    return verdict !== 'not_found' && wantedCurrency === undefined;
  });
  await refuseProblems(ctx, input, decimalsProblems(found, style), asked);
}
