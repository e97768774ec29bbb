/** What writing and reading a workbook both know: its parts, and the address, the day, the digits and the signs of a cell. Pure. */

import { dayMs } from '../api/spec.ts';

/** The part that lists the sheets, and the one that says in which parts they are. */
export const workbookPart = 'xl/workbook.xml';
export const relationsPart = 'xl/_rels/workbook.xml.rels';

/** The letters by which a spreadsheet names a column, from 0: A, Z, AA. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** Why a file is not read. */
export class Unreadable extends Error {}

/** The line and the column, from 0, of an address such as `AB12`. Throws Unreadable if it is none. */
export function placeOf(address: string): { readonly line: number; readonly index: number } {
  const [, letters = '', line = ''] = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/.exec(address) ?? [];
  if (letters === '') throw new Unreadable('the file is damaged: a cell has no place');
  const index = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { line: Number(line), index };
}

// The day of 1 January 1970.
const day1970 = 25_569;

// Spreadsheets know the days up to 31 December 9999. They count a 29 February 1900, which never existed.
function isDay(day: number): boolean {
  return day >= 61 && day < 2_958_466;
}

/** A time as spreadsheets count it: in days since 1900. `ms`: as a clock shows it. Undefined if they do not know that day. */
export function dayOf(ms: number): number | undefined {
  const day = ms / dayMs + day1970;
  return isDay(day) ? day : undefined;
}

/** The same day as a date, without its time. */
export function dateOf(day: number): string | undefined {
  if (!isDay(day)) return undefined;
  return new Date(Math.floor(day) * dayMs - day1970 * dayMs).toISOString().slice(0, 10);
}

/** A spreadsheet keeps this many digits of a number. */
export const keptDigits = 15;

/** What XML cannot hold is written as `_xNNNN_`. A text that already looks like that is escaped too. */
export function encoded(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}

/** The text again. */
export function decoded(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
