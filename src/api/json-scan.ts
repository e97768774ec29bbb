/** Scans JSON bytes once: how deep they nest, and where the top-level `data` and its items begin and end. */

import { parsedJson } from './json-values.ts';

// No reply of the service is this deep. Without a limit, a parser would follow a million levels.
const maxDepth = 64;

// No reply of the service has this many values, and each takes more memory than it has bytes: the scan of `data` stops there.
const maxValues = 2_000_000;

interface Scan {
  /** Levels of arrays and objects inside each other. */
  readonly depth: number;
  /** How many numbers do not fit into a JavaScript number. If any, the text needs `parseExactly`. */
  readonly inexact: number;
  /** How many values there are, more or less: brackets that open, and commas. */
  readonly values: number;
  /** The last top-level `data` that is an array. */
  readonly data: DataSpan | undefined;
}

/** Where an array of items is in the bytes. */
interface DataSpan {
  /** The position of the opening bracket. */
  readonly start: number;
  /** The position after the closing bracket. */
  readonly end: number;
  readonly items: readonly ItemSpan[];
}

interface ItemSpan {
  readonly start: number;
  readonly end: number;
  /** Whether the item is one line without control or invisible characters. */
  readonly plain: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
// A brace is a bracket with this bit set.
const brace = 0x20;

// An integer beyond 2^53-1 has at least 16 digits. Without an exponent, a number overflows at about 300 digits.
const unsafeDigits = 16;
const overflowDigits = 300;

// The first UTF-8 bytes of all control and invisible characters, and of many harmless ones.
const doubtful = [0x7f, 0xc2, 0xd8, 0xdb, 0xdc, 0xe0, 0xe1, 0xe2, 0xef, 0xf0, 0xf3];
// The invisible ones of one, two or three bytes. Joiners are left out: some scripts need them, and they move nothing on a screen.
const unseen =
  /[\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

// 1 for each byte that does not end a string and needs no second look. A table, because every byte of a reply is looked up.
const ordinary = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === quote || byte === backslash || doubtful.includes(byte) ? 0 : 1,
);

// 1 for each byte that does not end a number or a word.
const inScalar = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= 0x20 || byte === comma || byte === colon || byte === quote || (byte | brace) === closeObject
    ? 0
    : 1,
);

interface Seen {
  depth: number;
  inexact: number;
  values: number;
  plain: boolean;
}

/**
 * Why JSON would take too much memory, in words that follow `HTTP 200, ` or `a body of`; undefined for a reply that may be
 * parsed.
 */
export function tooMuchJson({ depth, values }: Pick<Scan, 'depth' | 'values'>): string | undefined {
  if (depth > maxDepth) return `JSON nested deeper than ${maxDepth} levels`;
  return values > maxValues ? `JSON with more than ${maxValues} values` : undefined;
}

/** Never throws. If the bytes are not JSON, the result is meaningless. */
export function scan(bytes: Uint8Array): Scan {
  const seen: Seen = { depth: 1, inexact: 0, values: 0, plain: true };
  let data: DataSpan | undefined;
  let at = spaceEnd(bytes, 0);
  if (bytes[at] !== openObject) {
    valueEnd(bytes, at, 0, seen);
    return { ...seen, data };
  }
  at = spaceEnd(bytes, at + 1);
  while (bytes[at] === quote) {
    const end = valueEnd(bytes, at, 1, seen);
    const isData = isDataKey(bytes, at, end);
    at = spaceEnd(bytes, end);
    if (bytes[at] !== colon) break;
    at = spaceEnd(bytes, at + 1);
    if (isData && bytes[at] === openArray) {
      data = itemsOf(bytes, at, seen);
      if (data === undefined) break;
      at = data.end;
    } else at = valueEnd(bytes, at, 1, seen);
    at = spaceEnd(bytes, at);
    if (bytes[at] !== comma) break;
    at = spaceEnd(bytes, at + 1);
  }
  return { ...seen, data };
}

// The array that opens at `open`, with its items; undefined if it does not end like an array.
function itemsOf(bytes: Uint8Array, open: number, seen: Seen): DataSpan | undefined {
  const items: ItemSpan[] = [];
  let at = spaceEnd(bytes, open + 1);
  if (bytes[at] === closeArray) return { start: open, end: at + 1, items };
  for (;;) {
    seen.plain = true;
    const end = valueEnd(bytes, at, 2, seen);
    if (seen.values > maxValues) return undefined;
    items.push({ start: at, end, plain: seen.plain });
    at = spaceEnd(bytes, end);
    if (bytes[at] === closeArray) return { start: open, end: at + 1, items };
    if (bytes[at] !== comma) return undefined;
    at = spaceEnd(bytes, at + 1);
  }
}

function spaceEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// The position after the value at `from`, which is `levels` deep. Only strings and brackets decide where it ends. Every byte of a
// reply passes through here, so other functions are called only for numbers and rare cases.
function valueEnd(bytes: Uint8Array, from: number, levels: number, seen: Seen): number {
  const size = bytes.length;
  let depth = levels;
  let deepest = seen.depth;
  let plain = seen.plain;
  let values = 1;
  let at = from;
  while (at < size) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at += 1;
      for (;;) {
        while (ordinary[bytes[at] ?? quote] === 1) at += 1;
        const inner = bytes[at] ?? quote;
        if (inner === quote) break;
        if (inner !== backslash && isUnseen(bytes, at)) plain = false;
        at += inner === backslash ? 2 : 1;
      }
      at += 1;
    } else if ((byte | brace) === openObject) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
      at += 1;
    } else if ((byte | brace) === closeObject) {
      // A value is missing and the surrounding bracket closes: the caller reads that bracket.
      if (depth === levels) break;
      depth -= 1;
      at += 1;
    } else if (depth > levels && (byte === comma || byte === colon || byte === 0x20)) {
      if (byte === comma) values += 1;
      at += 1;
      continue;
    } else if (byte <= 0x20 || byte === comma || byte === colon) {
      if (depth === levels) break;
      plain = false;
      at += 1;
      continue;
    } else {
      const start = at;
      while (inScalar[bytes[at] ?? comma] === 1) at += 1;
      if (losesValue(bytes, start, at)) seen.inexact += 1;
    }
    if (depth === levels) break;
  }
  seen.depth = deepest;
  seen.plain = plain;
  seen.values += values;
  return Math.min(at, size);
}

// Whether a character of valid UTF-8 that begins with a doubtful byte is a control or invisible one. Of the four-byte ones, only
// the plane of emoji certainly has none.
function isUnseen(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (first >= 0xf0) return first !== 0xf0 || second !== 0x9f;
  const two = ((first & 0x1f) << 6) | (second & 0x3f);
  const three = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
  return unseen.test(String.fromCharCode(first < 0x80 ? first : first < 0xe0 ? two : three));
}

function losesValue(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start >= overflowDigits) return true;
  const first = bytes[start] ?? 0;
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return false;
  let whole = true;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === 0x65 || byte === 0x45) return true;
    if (byte === 0x2e) whole = false;
  }
  return whole && end - start >= unsafeDigits;
}

function isDataKey(bytes: Uint8Array, start: number, end: number): boolean {
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  return text.includes('\\') ? parsedJson(text) === 'data' : text === '"data"';
}
