/** Chooses the columns of a record, and turns their values into text for people and for CSV. */

import { type AmountStyle, amountWords, briefFigure, figureWords, placesOf, scaled } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { Column, ValueKind } from '../../api/resources.ts';
import { isTime } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import { closestNames } from '../closest-names.ts';
import { createTimes, isoTime, type Times } from '../local-time.ts';
import { toJson } from '../sanitise.ts';
import type { Locale } from '../streams.ts';

/**
 * The columns that a person named, in their order. Throws CliError 'usage' for a name that is no column, and suggests
 * the names that are spelled like it.
 */
export function namedColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names.map((name) => {
    const found = columnNamed(columns, name.trim());
    if (found !== undefined) return asWanted(found);
    const usual = columns.filter((column) => column.family === undefined).map((column) => column.name);
    const more = columns.flatMap(({ family }) => family?.names() ?? []);
    const close = closestNames(name.trim(), [...usual, ...more]);
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

// Somebody who names columns wants all of them, so none takes the room of another, and what has no room in a row stands below it.
function asWanted({ early: _, least, ...column }: Column): Column {
  const asked = { ...column, isAsked: true };
  return least === undefined || column.stays !== true ? asked : { ...asked, least };
}

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

// Another one is called as the column that it stands for, whose sum is the same.
function decimalColumn({ tableFrom: _, brief: __, ...amount }: Column): Column {
  const name = amount.name + decimalEnding;
  const summed = amount.summed ?? ((record) => [amount.name, amount.value(record, [])]);
  return { ...amount, name, title: name.toUpperCase(), inDecimals: true, summed };
}

/** Whether the column says the same amount as one of these, which adds it up already. */
export function isBesideItsAmount({ name, inDecimals }: Column, columns: readonly Column[]): boolean {
  const own = name.slice(0, -decimalEnding.length);
  return inDecimals === true && columns.some((column) => column.name === own);
}

/** Whether values of this kind are amounts. */
export function isAmountKind(kind: ValueKind): boolean {
  return kind === 'money' || kind === 'figure' || kind === 'sum';
}

function localColumn({ tableFrom: _, ...time }: Column): Column {
  const name = time.name + localEnding;
  return { ...time, name, title: name.toUpperCase(), kind: 'localTime' };
}

/** The columns of a table of this width, if nobody named any. Without a terminal no column is dropped. */
export function tableColumns(
  columns: readonly Column[],
  width = Number.POSITIVE_INFINITY,
): readonly Column[] {
  return columns.filter(({ tableFrom }) => tableFrom !== undefined && tableFrom <= width);
}

/** The titles of columns that only wider terminals have, and of which a reader is told so. */
export function titlesBeyond(
  columns: readonly Column[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  return columns
    .filter((column) => column.isMissed === true && (column.tableFrom ?? 0) > width)
    .map(({ title }) => title);
}

/**
 * The columns of CSV: everything that the service sends. A derived column has to be named. With `localTimes`, a local time
 * follows each time.
 */
export function csvColumns(columns: readonly Column[], localTimes = false): readonly Column[] {
  return columns
    .filter((column) => column.derived === undefined)
    .flatMap((column) =>
      localTimes && column.kind === 'time' && column.local !== false
        ? [column, localColumn(column)]
        : [column],
    );
}

/** The fields of a record that paydesk made itself, as columns. `known` has the columns of some of its fields. */
export function ownColumns(record: JsonObject, known: readonly Column[] = []): readonly Column[] {
  return Object.keys(record).map(
    (name) => known.find((column) => column.name === name) ?? ownColumn(name, record[name]),
  );
}

function ownColumn(name: string, value: unknown): Column {
  return {
    name,
    title: name.toUpperCase(),
    kind: kindOf(name, value),
    value: (from) => from[name],
    tableFrom: 0,
  };
}

/** The columns of PAYDESK_COLUMNS that this list has; undefined if it has none of them. */
export function usualColumns(
  columns: readonly Column[],
  names: readonly string[] = [],
): readonly Column[] | undefined {
  const known = names.filter((name) => columnNamed(columns, name.trim()) !== undefined);
  return known.length === 0 ? undefined : namedColumns(columns, known);
}

/** The named columns of a result. If the result does not have a column, its cells are empty. */
export function resultColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names.map((typed) => {
    const name = typed.trim();
    return (
      columnNamed(columns, name) ?? { name, title: name.toUpperCase(), kind: 'text', value: () => undefined }
    );
  });
}

// Times are Unix seconds in fields whose names end in `_at` or `_until`.
function kindOf(name: string, value: unknown): Column['kind'] {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value !== 'number') return name === 'id' || name.endsWith('_id') ? 'id' : 'text';
  return /_(at|until)$/.test(name) ? 'time' : 'integer';
}

/** Stands for a value that the service did not send. */
export const absent = '-';
/** Added to an amount in the service's units where others are shown in decimals alone. */
export const unitsMark = '*';
/** Added to a value that does not have the kind of its column. */
export const mark = ' ?';

/** How this run shows amounts and times. */
export interface Reading {
  readonly times: Times;
  readonly amounts: AmountStyle;
  /** The metadata keys that may hold the shop's own number (`reference.keys`). */
  readonly referenceKeys: readonly string[];
}

export function readingOf({
  locale,
  now,
}: {
  readonly locale: () => Locale;
  readonly now: () => number;
}): Reading {
  const { zone, ...rest } = locale();
  return { ...rest, times: createTimes(zone, now) };
}

// A value as people read it. An odd value does not have the kind of its column, so it has a mark.
interface Shown {
  readonly text: string;
  readonly odd: boolean;
  readonly missing: boolean;
}

/** Amounts are shown without the currency that stands in their heading, old times of another year without the hour. */
export interface Brief {
  readonly currency: string | undefined;
  /** Where decimals are declared, the service's own integer is left out. */
  readonly decimalsAlone: boolean;
  /** Today's times are shown without the day, all others without the clock. */
  readonly dayOrClock: boolean;
}

/** A value as people read it, not cleaned yet. Never throws. */
export function showValue(
  value: unknown,
  column: Pick<Column, 'kind' | 'amountsOf' | 'inDecimals'>,
  record: JsonObject,
  reading: Reading,
  brief?: Brief,
): Shown {
  const { kind, amountsOf, inDecimals } = column;
  if (isMissing(value)) return { text: absent, odd: false, missing: true };
  if (inDecimals === true) {
    const text = decimalOf(value, column, record, reading);
    return { text: text ?? absent, odd: false, missing: text === undefined };
  }
  const own = amountsOf === undefined ? reading : { ...reading, amounts: amountsOf(record) };
  const isAmount = kind === 'money' || kind === 'figure';
  const fitting =
    brief !== undefined && isAmount && Number.isSafeInteger(value)
      ? briefAmount(Number(value), kind, record, { amounts: own.amounts, ...brief })
      : brief !== undefined && kind === 'time' && isTime(value)
        ? briefTime(value, own.times, brief)
        : fits(value, kind, record, own);
  return fitting === undefined
    ? { text: asReceived(value) + mark, odd: true, missing: false }
    : { text: fitting, odd: false, missing: false };
}

/** Whether a column holds times. */
export function isMoment(kind: ValueKind): boolean {
  return kind === 'time' || kind === 'localTime';
}

/** An amount with the decimals that are declared for its currency, `149522.45`; undefined where none are, and for what is no whole number. */
export function decimalOf(
  value: unknown,
  { amountsOf }: Pick<Column, 'amountsOf'>,
  record: JsonObject,
  { amounts }: Reading,
): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return scaled(value, currencyOf(record), {
    ...(amountsOf?.(record) ?? amounts),
    'amounts.grouping': 'off',
  });
}

/** A value for CSV. A missing value is empty, a time is ISO 8601, everything else is as received. */
export function csvValue(value: unknown, kind: ValueKind, { times }: Reading): string {
  if (isMissing(value)) return '';
  if (kind === 'time' && isTime(value)) return isoTime(value);
  return kind === 'localTime' && isTime(value) ? times.iso(value) : asReceived(value);
}

/** A value as the service sent it. Text has no quotes; everything else is JSON. */
export function asReceived(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function fits(value: unknown, kind: ValueKind, record: JsonObject, reading: Reading): string | undefined {
  switch (kind) {
    case 'money':
      return Number.isSafeInteger(value)
        ? amountWords(Number(value), currencyOf(record), reading.amounts)
        : undefined;
    case 'figure':
      return Number.isSafeInteger(value)
        ? figureWords(Number(value), currencyOf(record), reading.amounts)
        : undefined;
    case 'sum':
      return typeof value === 'bigint' || typeof value === 'number'
        ? figureWords(value, currencyOf(record), reading.amounts)
        : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case 'time':
      return isTime(value) ? reading.times.show(value, 'day') : undefined;
    case 'localTime':
      return isTime(value) ? reading.times.iso(value) : undefined;
    case 'flag':
      return typeof value === 'boolean' ? String(value) : undefined;
    // The service sends some objects where its document shows text (channel), so an object gets no mark.
    case 'text':
      return asReceived(value);
    case 'id':
    case 'status':
    case 'card':
    case 'link':
      return typeof value === 'string' ? value : undefined;
  }
}

function briefTime(seconds: number, times: Times, { dayOrClock }: Brief): string {
  const date = times.show(seconds, 'date');
  if (dayOrClock) return times.sameDay(seconds, times.now()) ? times.show(seconds, 'minute') : date;
  const day = date.slice(0, '20 Nov'.length);
  // A year ago would be the same day. Of what is clearly later, the clock says more than the year.
  const needsYear = day !== date && Math.abs(times.now() - seconds) > recently;
  return needsYear ? date : `${day} ${times.show(seconds, 'minute')}`;
}

const recently = 300 * 86_400;

// An amount of another currency than the heading says its own, and one that shows no currency has a mark. Beside amounts in
// decimals, one in the service's units has another mark.
function briefAmount(
  value: number,
  kind: 'money' | 'figure',
  record: JsonObject,
  { amounts, currency: heading, decimalsAlone }: Brief & { readonly amounts: AmountStyle },
): string {
  const currency = currencyOf(record);
  const write = decimalsAlone ? briefFigure : figureWords;
  const text = write(value, currency, amounts);
  const marked = decimalsAlone && placesOf(currency, amounts) === undefined ? text + unitsMark : text;
  if (kind === 'figure' || currency === heading) return marked;
  return currency === undefined ? marked + mark : `${marked} ${currency}`;
}

export function currencyOf({ currency }: JsonObject): string | undefined {
  return typeof currency === 'string' && currency !== '' ? currency : undefined;
}
