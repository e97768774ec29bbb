/** Turns the values of columns into text for people and for CSV. */

import {
  type AmountStyle,
  amountWords,
  briefFigure,
  digits,
  figureWords,
  placesOf,
  scaled,
} from '../../amounts.ts';
import { filledText, type JsonObject } from '../../api/json-values.ts';
import type { Column, ValueKind } from '../../api/resources.ts';
import { isTime } from '../../api/spec.ts';
import { createTimes, isoTime, type Times } from '../local-time.ts';
import { toJson } from '../sanitise.ts';
import type { Locale } from '../streams.ts';

/** Shown instead of a value that the service did not send. */
export const absent = '-';
/** Added to an amount in the service's units if others are shown only in decimals. */
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

/** How values are shortened: amounts do not repeat the currency in their heading, and old times of another year have no hour. */
export interface Brief {
  readonly currency: string | undefined;
  /** The only form of an amount with declared decimals, if there is no room for both. */
  readonly alone: 'decimals' | 'units' | undefined;
  /** Today's times are shown without the day, all others without the clock. */
  readonly dayOrClock: boolean;
}

/** A value as people read it, not cleaned yet. Never throws. */
export function showValue(
  value: unknown,
  column: Pick<Column, 'kind' | 'amountsOf' | 'inDecimals' | 'currencyIn'>,
  record: JsonObject,
  reading: Reading,
  brief?: Brief,
): Shown {
  const { amountsOf, inDecimals } = column;
  const money = moneyRecord(column, record);
  const isOther = currencyOf(money) !== currencyOf(record);
  const kind = isOther ? 'money' : column.kind;
  if (isMissing(value)) return { text: absent, odd: false, missing: true };
  if (inDecimals === true) {
    const text = decimalOf(value, column, record, reading);
    return { text: text ?? absent, odd: false, missing: text === undefined };
  }
  const own = amountsOf === undefined ? reading : { ...reading, amounts: amountsOf(record) };
  const isAmount = kind === 'money' || kind === 'figure';
  const fitting =
    brief !== undefined && isAmount && Number.isSafeInteger(value)
      ? briefAmount(Number(value), kind, money, {
          amounts: own.amounts,
          ...brief,
          currency: isOther ? undefined : brief.currency,
        })
      : brief !== undefined && kind === 'time' && isTime(value)
        ? briefTime(value, own.times, brief)
        : fits(value, kind, money, own);
  return fitting === undefined
    ? { text: asReceived(value) + mark, odd: true, missing: false }
    : { text: fitting, odd: false, missing: false };
}

/** Whether a column holds times. */
export function isMoment(kind: ValueKind): boolean {
  return kind === 'time' || kind === 'localTime';
}

/**
 * An amount with the decimals that are declared for its currency, `149522.45`; undefined if none are declared, and for what is
 * not a whole number.
 */
export function decimalOf(
  value: unknown,
  column: Pick<Column, 'amountsOf' | 'currencyIn'>,
  record: JsonObject,
  { amounts }: Reading,
): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return scaled(value, currencyOf(moneyRecord(column, record)), {
    ...(column.amountsOf?.(record) ?? amounts),
    'amounts.grouping': 'off',
  });
}

// The record with the currency of the amount in this column.
function moneyRecord({ currencyIn }: Pick<Column, 'currencyIn'>, record: JsonObject): JsonObject {
  return currencyIn === undefined ? record : { ...record, currency: record[currencyIn] };
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
    case 'percent':
      return typeof value === 'number' ? String(value) : undefined;
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
  // The same day one year ago would look the same. For times that are clearly more recent, the clock says more than the year.
  const needsYear = day !== date && Math.abs(times.now() - seconds) > recently;
  return needsYear ? date : `${day} ${times.show(seconds, 'minute')}`;
}

const recently = 300 * 86_400;

// An amount in another currency than the heading's shows its own, and one without a currency has a mark. Next to amounts in
// decimals, one in the service's units has another mark.
function briefAmount(
  value: number,
  kind: 'money' | 'figure',
  record: JsonObject,
  { amounts, currency: heading, alone }: Brief & { readonly amounts: AmountStyle },
): string {
  const currency = currencyOf(record);
  const write = alone === undefined ? figureWords : briefFigure;
  const text = alone === 'units' ? digits(value, amounts) : write(value, currency, amounts);
  const marked = alone === 'decimals' && placesOf(currency, amounts) === undefined ? text + unitsMark : text;
  if (kind === 'figure' || currency === heading) return marked;
  return currency === undefined ? marked + mark : `${marked} ${currency}`;
}

export function currencyOf({ currency }: JsonObject): string | undefined {
  return filledText(currency);
}
