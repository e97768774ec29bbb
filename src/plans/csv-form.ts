/** Finds out how a CSV file is written: its delimiter, and what its lines end with. Pure. */

import { isInputTitle } from './meant-titles.ts';
import { type Delimiter, delimiters } from './plan-types.ts';

/** The delimiter that gives the first line the most known titles, or else the most titles. */
export function delimiterOf(bytes: Uint8Array): Delimiter {
  const line = firstLine(bytes);
  const scores = delimiters.map((delimiter) => {
    const titles = line.split(delimiter);
    const known = titles.filter((title) => isInputTitle(title.trim().replace(/^"(.*)"$/s, '$1')));
    return { delimiter, known: known.length, all: titles.length };
  });
  const [best] = scores.toSorted((a, b) => b.known - a.known || b.all - a.all);
  return best?.delimiter ?? ',';
}

/**
 * The delimiter that a spreadsheet names in a first line (`sep=;`), and where that line ends. The line break stays, so every row
 * keeps its line number. Undefined if there is no such line.
 */
export function saidDelimiter(
  bytes: Uint8Array,
): { readonly delimiter: Delimiter; readonly end: number } | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, 16));
  const [line = '', said] = /^"?sep=([,;\t|:])"?(?=[\r\n])/i.exec(start) ?? [];
  const delimiter = delimiters.find((one) => one === said);
  return delimiter === undefined ? undefined : { delimiter, end: line.length };
}

/** The line ending at the file's first line feed. */
export function lineEndOf(bytes: Uint8Array): '\n' | '\r\n' {
  const end = bytes.indexOf(10);
  return end > 0 && bytes[end - 1] === 13 ? '\r\n' : '\n';
}

function firstLine(bytes: Uint8Array): string {
  const isBreak = (byte: number): boolean => byte === 10 || byte === 13;
  const start = bytes.findIndex((byte) => !isBreak(byte));
  const end = bytes.findIndex((byte, index) => index > start && isBreak(byte));
  return new TextDecoder().decode(bytes.subarray(Math.max(start, 0), end === -1 ? bytes.length : end));
}
