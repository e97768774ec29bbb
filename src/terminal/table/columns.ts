/** Chooses the columns of a list, by the width of a terminal or by their names. */

import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column, type ValueKind } from '../../api/resources.ts';
import { CliError } from '../../errors.ts';
import { closestNames } from '../closest-names.ts';

/**
 * The columns that a person named, in their order. Throws CliError 'usage' for a name that is not a column, and suggests
 * the names that are spelled like it.
 */
export function namedColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names.map((name) => {
    const found = columnMeant(columns, name.trim());
    if (found !== undefined) return asWanted(found);
    const usual = columns.filter((column) => column.family === undefined).map((column) => column.name);
    const more = columns.flatMap(({ family }) => family?.names() ?? []);
    // The same path in one of the records around the row.
    const inside = more.filter((one) => one.slice(one.indexOf('.') + 1) === name.trim());
    // What was paid for the order, `order.amount`, is no amount of its row.
    const isOther = (one: string) =>
      name.includes('.') && columns.some((own) => own.name === one && own.kind === 'money');
    const like = closestNames(name.trim(), [...usual, ...more]).filter((one) => !isOther(one));
    const spoken = spokenAs.get(name.trim().toLowerCase())?.find((one) => usual.includes(one));
    const close = spoken !== undefined ? [spoken] : inside.length > 0 ? inside : like;
    throw new CliError('usage', `--columns ${name}: there is no such column`, {
      certain: 'nothing was changed',
      now: [
        ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
        `the columns here are ${usual.join(', ')}`,
        ...(more.length === 0
          ? []
          : ['also every documented field by its path, such as customer_info.phone or metadata.KEY']),
        '-o list shows every field of a record, paydesk help output says more about columns',
      ],
    });
  });
}

// What people call a column, and its names, the likeliest first.
const spokenAs: ReadonlyMap<string, readonly string[]> = new Map([
  ['approver', ['approved_by']],
  ['date', ['refunded_at', 'created_at', 'sent_at']],
  ['order', ['order_id']],
  ['who', ['operator']],
]);

// Somebody who names columns wants all of them, so none takes the room of another, and what has no room in a row goes below it.
function asWanted({ early: _, least, ...column }: Column): Column {
  const asked = { ...column, isAsked: true };
  return least === undefined || column.stays !== true ? asked : { ...asked, least };
}

// The column of this name, or of this heading in any case: people type what they see above a table. Of two columns with the same
// heading, the one that more tables have.
function columnMeant(columns: readonly Column[], typed: string): Column | undefined {
  const heading = typed.toUpperCase();
  return (
    columnNamed(columns, typed) ??
    columns
      .filter(({ name, title, brief }) =>
        [name.toUpperCase(), name.toUpperCase().replaceAll(' ', '_'), title, brief?.title].includes(heading),
      )
      .toSorted(({ tableFrom: one = widest }, { tableFrom: other = widest }) => one - other)[0]
  );
}

const widest = Number.MAX_SAFE_INTEGER;

const localEnding = '_local';
const decimalEnding = '_decimal';

/**
 * The column of this name: one of these or of their family, or the local time of one (`created_at_local`), or its amount with the
 * declared decimals (`amount_decimal`).
 */
function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const found =
    columns.find((column) => column.family === undefined && column.name === name) ??
    columns.map(({ family }) => family?.named(name)).find((column) => column !== undefined);
  if (found !== undefined) return found;
  if (name.endsWith(decimalEnding)) {
    const amount = columnNamed(columns, name.slice(0, -decimalEnding.length));
    return amount !== undefined && isAmountKind(amount.kind) ? decimalColumn(amount) : undefined;
  }
  if (!name.endsWith(localEnding)) return undefined;
  const time = columnNamed(columns, name.slice(0, -localEnding.length));
  return time?.kind === 'time' ? localColumn(time) : undefined;
}

// The column with the same amounts in decimals. Its sum has the name of the first column, because both sums are the same.
function decimalColumn({ tableFrom: _, brief: __, ...amount }: Column): Column {
  const name = amount.name + decimalEnding;
  const summed = amount.summed ?? ((record) => [amount.name, amount.value(record, [])]);
  return { ...amount, name, title: name.toUpperCase(), inDecimals: true, summed };
}

/**
 * The name of the column that shows the amounts of these columns with decimals; undefined if none has amounts, or one already has
 * decimals.
 */
export function decimalsToName(columns: readonly Column[]): string | undefined {
  const [amount] = columns.filter(({ kind }) => isAmountKind(kind));
  return amount === undefined || columns.some(({ inDecimals }) => inDecimals === true)
    ? undefined
    : amount.name + decimalEnding;
}

/** Whether the column has the same amounts as one of these, which already adds them up. */
export function isBesideItsAmount({ name, inDecimals }: Column, columns: readonly Column[]): boolean {
  const own = name.slice(0, -decimalEnding.length);
  return inDecimals === true && columns.some((column) => column.name === own);
}

// Whether values of this kind are amounts.
function isAmountKind(kind: ValueKind): boolean {
  return kind === 'money' || kind === 'figure' || kind === 'sum';
}

function localColumn({ tableFrom: _, ...time }: Column): Column {
  const name = time.name + localEnding;
  return { ...time, name, title: name.toUpperCase(), kind: 'localTime' };
}

/** The columns of a table of this width, if nobody named any. Without a terminal they are those of a wide one. */
export function tableColumns(columns: readonly Column[], width = 160): readonly Column[] {
  return columns.filter(({ tableFrom }) => tableFrom !== undefined && tableFrom <= width);
}

/** The titles of columns that only wider terminals have and that people look for, so that a reader is told about them. */
export function titlesBeyond(
  columns: readonly Column[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  return columns
    .filter((column) => column.isMissed === true && (column.tableFrom ?? 0) > width)
    .map(({ title }) => title);
}

/**
 * The columns of CSV: everything that the service sends. A derived column has to be named, or be one that sheets have (`forSheet`). With
 * `localTimes`, a local time follows each time, and with `inDecimals` the same money with its decimals follows each amount.
 */
export function csvColumns(
  columns: readonly Column[],
  {
    forSheet,
    localTimes,
    inDecimals,
  }: { readonly forSheet: boolean; readonly localTimes: boolean; readonly inDecimals: boolean },
): readonly Column[] {
  return columns
    .filter(({ derived, inSheets }) => derived === undefined || (forSheet && inSheets === true))
    .flatMap((column) => {
      if (localTimes && column.kind === 'time' && column.local !== false)
        return [column, localColumn(column)];
      return inDecimals && isAmountKind(column.kind) ? [column, decimalColumn(column)] : [column];
    });
}

/** The fields of a record that paydesk made itself, as columns. `known` has the columns of some of its fields. */
export function ownColumns(record: JsonObject, known: readonly Column[] = []): readonly Column[] {
  return Object.keys(record).map(
    (name) =>
      known.find((one) => one.name === name) ??
      column(name, kindOf(name, record[name]), { value: (from) => from[name], tableFrom: 0 }),
  );
}

/** The columns of PAYDESK_COLUMNS that this list has; undefined if it has none of them. */
export function usualColumns(
  columns: readonly Column[],
  names: readonly string[] = [],
): readonly Column[] | undefined {
  const known = names.filter((name) => columnMeant(columns, name.trim()) !== undefined);
  return known.length === 0 ? undefined : namedColumns(columns, known);
}

/** The named columns of a result. If the result does not have a column, its cells are empty. */
export function resultColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names
    .map((typed) => typed.trim())
    .map((name) => columnMeant(columns, name) ?? column(name, 'text', { value: () => undefined }));
}

// Times are Unix seconds in fields whose names end in `_at` or `_until`.
function kindOf(name: string, value: unknown): Column['kind'] {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value !== 'number') return name === 'id' || name.endsWith('_id') ? 'id' : 'text';
  return /_(at|until)$/.test(name) ? 'time' : 'integer';
}
