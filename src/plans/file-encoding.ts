/** Reads the bytes of an input file as UTF-8, and says what is wrong with a file in another encoding. Pure. */

import { isUtf8 } from 'node:buffer';

/** The bytes of a file without a byte order mark; or why they cannot be read. */
type Decoded =
  | {
      readonly bytes: Uint8Array;
      readonly hasBom: boolean;
      /** The first line with bytes that are not UTF-8. */
      readonly badLine: number | undefined;
    }
  | { readonly unreadable: string };

/** What to do with a file that is not UTF-8. Another encoding is never guessed, since a name could be read wrong. */
export const saveAgain = 'save it as UTF-8 (in a spreadsheet: CSV UTF-8)';

/** Whatever the bytes are, it does not throw. */
export function decodeFile(bytes: Uint8Array): Decoded {
  if (bytes.length === 0) return { unreadable: 'the file is empty' };
  const wide = wideName(bytes);
  if (wide !== undefined) return { unreadable: `the file is ${wide}: ${saveAgain}` };
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const whole = hasBom ? bytes.subarray(3) : bytes;
  return { bytes: whole, hasBom, badLine: isUtf8(whole) ? undefined : firstBadLine(whole) };
}

// Encodings with several bytes for each character: with a byte order mark, or because of the zeros at the start.
function wideName(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 64));
  const mark = start.toString('hex', 0, 4);
  if (mark === 'fffe0000' || mark === '0000feff') return 'UTF-32';
  if (/^(fffe|feff)/.test(mark)) return 'UTF-16';
  if (start.length < 4) return undefined;
  const zeros = [0, 0, 0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  });
  const many = zeros.map((count) => count > start.length / 8);
  const none = zeros.filter((count) => count === 0).length;
  const [first, second, third, fourth] = many;
  if (none > 0 && second && third && (first || fourth)) return 'UTF-32';
  return none > 1 && ((first && third) || (second && fourth)) ? 'UTF-16' : undefined;
}

/** The line with the first byte that is not UTF-8, from 1. */
function firstBadLine(bytes: Uint8Array): number {
  // No byte of a longer character is a line feed or carriage return, so each line is UTF-8 by itself or not.
  let line = 1;
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const isEnd = bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10);
    if (!isEnd) continue;
    if (!isUtf8(bytes.subarray(from, at))) return line;
    from = at + 1;
    line += 1;
  }
  return line;
}
