/** Finds the records in the bytes of an exported file: NDJSON, or one JSON list. The file may be of any size. Pure. */

import { Buffer } from 'node:buffer';

const [quote, backslash, openObject, closeObject, openArray, closeArray] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/**
 * Yields the text of each record. `depth` is how deep the records lie: 0 in NDJSON, 2 in a list, whose envelope and `data` are
 * around them.
 */
export async function* objectsIn(
  chunks: AsyncIterable<Uint8Array>,
  depth: 0 | 2,
): AsyncGenerator<string, undefined> {
  let rest = Buffer.alloc(0);
  let level = 0;
  let isText = false;
  let isEscaped = false;
  // Where the record that is being read begins in `rest`; -1 between two records.
  let start = -1;
  for await (const chunk of chunks) {
    const from = rest.length;
    rest = from === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (let at = from; at < rest.length; at += 1) {
      const byte = rest[at];
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
      else if (byte === openObject || byte === openArray) {
        if (level === depth && byte === openObject) start = at;
        level += 1;
      } else if (byte === closeObject || byte === closeArray) {
        level -= 1;
        if (level === depth && start !== -1) {
          yield rest.toString('utf8', start, at + 1);
          start = -1;
        }
      }
    }
    rest = start === -1 ? Buffer.alloc(0) : rest.subarray(start);
    if (start !== -1) start = 0;
  }
  return undefined;
}

/** Parses a record. An integer beyond 2^53-1 becomes a bigint, so that nothing is rounded. */
export function parseRecord(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, exactNumber);
}

// TypeScript's types lack the third parameter.
function exactNumber(_key: string, value: unknown, ...[context]: readonly unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = sourceOf(context);
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function sourceOf(context: unknown): string | undefined {
  if (typeof context !== 'object' || context === null || !('source' in context)) return undefined;
  return typeof context.source === 'string' ? context.source : undefined;
}
