/** One pass over JSON bytes: how deep they nest, and where the top-level `data` and each of its items begin and end. */

export interface Scan {
  /** Levels of arrays and objects inside each other. */
  readonly depth: number;
  /** Some number loses its value as a JavaScript number, so numbers must be read from their digits. */
  readonly exact: boolean;
  /** The last top-level `data`, when it is an array; absent when there is none. */
  readonly data: DataSpan | undefined;
}

/** Where an array of items lies in the bytes. */
export interface DataSpan {
  /** Of its opening bracket. */
  readonly start: number;
  /** Just after its closing bracket. */
  readonly end: number;
  /** Start and end of each item, in turn. An item that is missing between two commas is an empty one. */
  readonly items: readonly number[];
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

// The shortest integers beyond 2^53-1 have 16 digits; a plain decimal overflows from some 300 on.
const unsafeDigits = 16;
const overflowDigits = 300;

// Just after the closing quote of the string that begins at `at`.
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let next = at + 1; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (byte === quote) return next + 1;
    if (byte === backslash) next += 1;
  }
  return bytes.length;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// Just after the number or word that begins at `at`.
function scalarEnd(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  for (; next < bytes.length; next += 1) {
    const byte = bytes[next] ?? 0;
    if (byte === comma || byte === closeArray || byte === closeObject || byte === colon || isSpace(byte))
      break;
  }
  return next;
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
  if (!text.includes('\\')) return text === '"data"';
  try {
    return JSON.parse(text) === 'data';
  } catch {
    return false;
  }
}

/** Scans bytes that should be JSON. Never throws: what it says about bytes that are no JSON means nothing. */
export function scan(bytes: Uint8Array): Scan {
  let depth = 0;
  let deepest = 0;
  let exact = false;
  let data: DataSpan | undefined;
  let items: number[] = [];
  let opened = 0;
  let inData = false;
  let dataNext = false;
  let string = { start: 0, end: 0 };
  // The item being read: where it began, and where its last token ended.
  let start = -1;
  let end = -1;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) {
      at += 1;
      continue;
    }
    const ofData = inData && depth === 2;
    if (ofData && (byte === comma || byte === closeArray)) {
      const empty = byte === closeArray && items.length === 0 && start === -1;
      if (!empty) items.push(...(start === -1 ? [at, at] : [start, end]));
      start = -1;
      at += 1;
      if (byte === closeArray) {
        inData = false;
        depth = 1;
        data = { start: opened, end: at, items };
      }
      continue;
    }
    if (ofData && start === -1) start = at;
    if (byte === quote) {
      const after = stringEnd(bytes, at);
      if (depth === 1) string = { start: at, end: after };
      at = after;
    } else if (byte === openObject || byte === openArray) {
      if (depth === 1 && byte === openArray && dataNext) {
        inData = true;
        items = [];
        opened = at;
        start = -1;
      }
      depth += 1;
      if (depth > deepest) deepest = depth;
      at += 1;
    } else if (byte === closeObject || byte === closeArray) {
      depth -= 1;
      at += 1;
    } else if (byte === colon) {
      if (depth === 1) dataNext = isDataKey(bytes, string.start, string.end);
      at += 1;
    } else if (byte === comma) {
      if (depth === 1) dataNext = false;
      at += 1;
    } else {
      const after = scalarEnd(bytes, at);
      exact ||= losesValue(bytes, at, after);
      at = after;
    }
    if (ofData || (inData && depth === 2)) end = at;
  }
  return { depth: deepest, exact, data };
}
