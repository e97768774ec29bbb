/** The rows of a report for scripts: tidy, one for each bucket and currency, each with `complete` and `as_of`. */

import type { Column, ValueKind } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Source } from './report-source.ts';

/** A column of such rows. All of them are in CSV, and in a table if somebody names columns. */
export function rowColumn(name: string, kind: ValueKind): Column {
  return { name, title: name.toUpperCase(), kind, value: (row) => row[name], tableFrom: 0 };
}

/** The columns that every row begins with. */
export const firstColumns: readonly Column[] = [
  rowColumn('since', 'time'),
  rowColumn('until', 'time'),
  rowColumn('zone', 'text'),
];

/** The columns that every row ends with. */
export const lastColumns: readonly Column[] = [
  rowColumn('source', 'text'),
  rowColumn('complete', 'flag'),
  rowColumn('as_of', 'time'),
  rowColumn('only_currency', 'text'),
];

/** The same for a list of orders or refunds: its table has no room for them, and no row says its source. */
export const lastColumnsOfList: readonly Column[] = lastColumns
  .filter(({ name }) => name !== 'source')
  .map((column) => ({ ...column, tableFrom: 10_000 }));

/** The fields that every row begins with: the period, in Unix seconds. */
export function firstFields({ range, zone }: Source): JsonObject {
  return { since: seconds(range.since), until: seconds(range.until), zone };
}

/**
 * The fields that every row ends with. Of an index nothing is complete: it knows what was so when the orders were read.
 * `only_currency`: the row was made with --currency, so other currencies may have more.
 */
export function lastFields({ kind, asOf, currency }: Source, complete: boolean): JsonObject {
  return {
    source: kind,
    complete: complete && kind !== 'index',
    as_of: Math.floor(asOf / 1000),
    only_currency: currency ?? null,
  };
}

/** The same for a list of orders or refunds. */
export function lastFieldsOfList(source: Source, isComplete: boolean): JsonObject {
  const { source: _, ...fields } = lastFields(source, isComplete);
  return fields;
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.ceil(ms / 1000);
}

/** Prints a report: as a screen for people, as rows for everything else, and also where somebody named columns. */
export async function showReport(
  { out, options, notes }: Pick<Context, 'out' | 'options' | 'notes'>,
  columns: readonly Column[],
  rows: readonly JsonObject[],
  source: Source,
  screen: () => readonly Block[],
): Promise<void> {
  if (out.format === 'table' && options.columns === undefined) return out.own({}, screen);
  await out.ownList(columns, rows, { zone: source.zone });
  if (source.kind === 'index' || source.currency !== undefined) sayAsOf({ notes }, source);
}

/** Says below a list when the facts were true. */
export function sayAsOf({ notes }: Pick<Context, 'notes'>, { asOfLines }: Source): void {
  for (const [label, text] of asOfLines()) notes.note(`${label}${label === 'as of' ? '' : ':'} ${text}`);
}
