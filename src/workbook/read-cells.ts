/**
 * Reads the text of a sheet's cells. Nothing is guessed: a value that the spreadsheet rounded or could not compute counts as
 * wrong. Pure.
 */

import { dayMs } from '../api/spec.ts';
import { dateOf, decoded, keptDigits } from './workbook-facts.ts';

export interface RawCell {
  /** `n` number, `s` shared text, `str` and `inlineStr` text, `b` yes or no, `e` error, `d` date. */
  readonly type: string;
  readonly value: string;
  /** The code of its number format. */
  readonly format: string;
  readonly hasFormula: boolean;
}

/** `isDate`: the cell is a date, or the spreadsheet made it one. `isPlain`: a number without a format. */
type ReadCell =
  | { readonly text: string; readonly isDate?: boolean; readonly isPlain?: boolean }
  | { readonly wrong: string };

export function readCell(cell: RawCell, shared: readonly string[], is1904: boolean): ReadCell {
  const { type, value, hasFormula } = cell;
  if (value === '' && hasFormula && type !== 'str')
    return { wrong: 'a formula without its result: open the file in a spreadsheet and save it' };
  switch (type) {
    case 's': {
      const text = /^\d+$/.test(value) ? shared[Number(value)] : undefined;
      return text === undefined ? { wrong: 'its text is missing: the file is damaged' } : { text };
    }
    case 'str':
    case 'inlineStr':
      return { text: decoded(value) };
    case 'b':
      return { text: value === '1' || value === 'true' ? 'true' : 'false' };
    case 'e':
      return { wrong: `the spreadsheet shows ${value}: correct the formula, or type the value` };
    case 'd':
      return { text: value, isDate: true };
    default:
      return value === '' ? { text: '' } : readNumber(cell, is1904);
  }
}

function readNumber({ value, format }: RawCell, is1904: boolean): ReadCell {
  const number = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number))
    return { wrong: `${value.slice(0, 40)} is not a number that a spreadsheet can hold` };
  // The format without its quoted parts, bracketed parts and escaped signs. Brackets around h, m or s stay: they count beyond 24
  // hours.
  const plain = format.replaceAll(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (/[dyhs]|m(?!\w*0)/i.test(plain.replaceAll(/general/gi, ''))) return readDate(number, plain, is1904);
  const shown = Number(number.toPrecision(keptDigits));
  if (Math.abs(number) >= 10 ** keptDigits)
    return {
      wrong: `${value} has more than ${keptDigits} digits, which a spreadsheet rounds: type it as text`,
    };
  if (Number.isInteger(shown) !== Number.isInteger(number))
    return { wrong: `holds ${value}, and shows ${shown}: type the value that is meant` };
  // 00123 is a number shown with leading zeros.
  const zeros = /^0{2,}$/.exec(plain)?.[0].length ?? 0;
  const text = withDecimals(String(shown), plain);
  return {
    isPlain: /^(general)?$/i.test(plain),
    text: zeros > text.length && shown >= 0 && Number.isInteger(shown) ? text.padStart(zeros, '0') : text,
  };
}

// A format with decimals shows 520 as 520.00, and it is read as that.
function withDecimals(text: string, format: string): string {
  const [, decimals = ''] = /^[^;%E]*[0#]\.(0+)[^;%E]*(?:;|$)/i.exec(format) ?? [];
  const [whole = '', part = ''] = text.split('.');
  return decimals === '' || text.includes('e') ? text : `${whole}.${part.padEnd(decimals.length, '0')}`;
}

function readDate(days: number, format: string, is1904: boolean): ReadCell {
  const exact = days * dayMs;
  const ms = Math.round(exact);
  if (Math.abs(exact - ms) > 0.1)
    return { wrong: `the spreadsheet rounded its time: type it again, or as text` };
  const clock = new Date(((ms % dayMs) + dayMs) % dayMs)
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '');
  if (/\[[hms]+\]/i.test(format)) {
    const hours = Math.floor(ms / 3_600_000);
    return ms < 0 ? { wrong: 'a negative time' } : { text: `${hours}${clock.slice(2)}`, isDate: true };
  }
  if (days >= 0 && days < 1 && !is1904) return { text: clock, isDate: true };
  const serial = is1904 ? days + 1462 : days;
  const day = dateOf(serial);
  if (day === undefined) return { wrong: 'a date before March 1900, or not a date: type it as text' };
  return { text: clock === '00:00:00' ? day : `${day} ${clock}`, isDate: true };
}
