/** Whether an input file is UTF-8, and where it is not. Pure. */

import { isUtf8 } from 'node:buffer';

/** What is wrong with the encoding of a whole file, so that nothing in it can be read. Undefined if it can be read. */
export function encodingProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'the file is empty';
  return isUtf16(bytes) ? 'the file is UTF-16: save it as UTF-8 (in a spreadsheet: CSV UTF-8)' : undefined;
}

/** The bytes behind the byte order mark, if there is one. */
export function withoutBom(bytes: Uint8Array): Uint8Array {
  const [a, b, c] = bytes;
  return a === 0xef && b === 0xbb && c === 0xbf ? bytes.subarray(3) : bytes;
}

/** The line with the first byte that is not UTF-8, from 1; undefined if all of the file is UTF-8. */
export function firstBadLine(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
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

// With a byte order mark, or because every second byte at its start is 0.
function isUtf16(bytes: Uint8Array): boolean {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  const start = bytes.subarray(0, 64);
  if (start.length < 4) return false;
  const zeros = [0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  return zeros.some((count) => count > start.length / 4) && zeros.includes(0);
}
