/** One value of a record as text, by its kind: for people, and for CSV. What does not fit its kind is shown as received. */

import type { JsonObject, ValueKind } from '../api/spec.ts';
import { toJson } from './sanitise.ts';
import { isoTime, type Times, valid } from './time.ts';

/** What stands in a cell that the service did not fill. */
export const absent = '-';
/** What follows a value that is not of its kind. */
export const mark = ' ?';

/** How the figures of this run are shown. */
export interface Reading {
  readonly times: Times;
  /** Currency → decimals of the scaled figure shown after the service's integer; display only. */
  readonly decimals: Readonly<Record<string, number>>;
}

/** A value as people read it. `odd`: it is not of its kind and marked. */
export interface Shown {
  readonly text: string;
  readonly odd: boolean;
  readonly missing: boolean;
}

/** A value of some kind for people; not yet cleaned. Never throws. */
export function showValue(value: unknown, kind: ValueKind, record: JsonObject, reading: Reading): Shown {
  if (isMissing(value)) return { text: absent, odd: false, missing: true };
  const fitting = fits(value, kind, record, reading);
  return fitting === undefined
    ? { text: asReceived(value) + mark, odd: true, missing: false }
    : { text: fitting, odd: false, missing: false };
}

/** A value of some kind for CSV: absent is empty, times are ISO 8601 in UTC, the rest is as received. */
export function csvValue(value: unknown, kind: ValueKind): string {
  if (isMissing(value)) return '';
  return kind === 'time' && valid(value) ? isoTime(value) : asReceived(value);
}

/** A value as the service sent it: text without quotes, everything else as JSON. */
export function asReceived(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

/** An amount with its currency, and the scaled figure where the profile declares decimals: `35000 MXN (350.00)`. */
export function money(amount: number, currency: unknown, decimals: Reading['decimals']): string {
  const code = typeof currency === 'string' && currency !== '' ? currency : undefined;
  const places = code !== undefined && Object.hasOwn(decimals, code) ? decimals[code] : undefined;
  const scaled = places === undefined ? '' : ` (${withPoint(amount, places)})`;
  return code === undefined ? String(amount) : `${amount} ${code}${scaled}`;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function fits(value: unknown, kind: ValueKind, record: JsonObject, reading: Reading): string | undefined {
  switch (kind) {
    case 'money':
      return Number.isSafeInteger(value)
        ? money(Number(value), record.currency, reading.decimals)
        : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case 'time':
      return valid(value) ? reading.times.show(value, 'day') : undefined;
    case 'flag':
      return typeof value === 'boolean' ? String(value) : undefined;
    // The service sends objects where its document shows text (channel); they are no mistake worth a mark.
    case 'text':
      return asReceived(value);
    case 'id':
    case 'status':
    case 'card':
      return typeof value === 'string' ? value : undefined;
  }
}

// The point is set into the digits: dividing would round.
function withPoint(amount: number, places: number): string {
  if (places === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(places + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
