/** JSON as a reply brings it: strict about its text, exact about its numbers. */

import { isUtf8 } from 'node:buffer';
import { parseExactly } from './exact-json.ts';
import type { DataSpan } from './scan.ts';
import { scan } from './scan.ts';

/** Deeper nesting than any reply of the service; a parser would follow a million levels. */
export const maxDepth = 64;

/** More numbers beyond 2^53-1 than any reply of the service. It limits memory: each is shown as a long text. */
const maxInexact = 100_000;

/** Why bytes are no JSON for us, in words that follow "HTTP 200, ". */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** A parsed reply. */
export interface JsonDocument {
  readonly value: unknown;
  /** The bytes as UTF-8, without a byte order mark: the received ones wherever they were that. */
  readonly bytes: Uint8Array;
}

/** A parsed reply whose list of items is read one by one. */
export interface JsonList extends JsonDocument {
  /** How many items the top-level `data` has; undefined when the document has no such array. */
  readonly size: number | undefined;
  /** An item and its own bytes. Throws NotJson. */
  readonly item: (index: number) => JsonDocument & { readonly plain: boolean };
}

/**
 * Parses the bytes of a reply. An integer beyond 2^53-1 becomes a bigint, a number beyond all range its own text,
 * invalid UTF-8 becomes U+FFFD. Throws NotJson for anything else that is no JSON, UTF-16 and deep nesting included.
 */
export function readJson(received: Uint8Array): JsonDocument {
  const { bytes, parse } = open(received);
  return { value: parse(bytes), bytes };
}

/**
 * As `readJson`, but the items of the top-level `data` are parsed when they are asked for: in `value` it is empty.
 * What the whole is worth is known only when every item was read.
 */
export function readList(received: Uint8Array): JsonList {
  const { bytes, data, parse } = open(received);
  if (data === undefined) return { ...readJson(bytes), size: undefined, item: () => noItem() };
  const around = Buffer.concat([bytes.subarray(0, data.start), emptyArray, bytes.subarray(data.end)]);
  const value = parse(around);
  return {
    value,
    bytes,
    size: data.items.length,
    item: (index) => {
      const span = data.items[index];
      if (span === undefined) return noItem();
      const own = bytes.subarray(span.start, span.end);
      return { value: parse(own), bytes: own, plain: span.plain };
    },
  };
}

const emptyArray = Buffer.from('[]');

function noItem(): never {
  throw new RangeError('there is no such item');
}

function open(received: Uint8Array): {
  readonly bytes: Uint8Array;
  readonly data: DataSpan | undefined;
  readonly parse: (bytes: Uint8Array) => unknown;
} {
  const bytes = toUtf8(received);
  const { depth, inexact, data } = scan(bytes);
  if (depth > maxDepth) throw new NotJson(`JSON nested deeper than ${maxDepth} levels`);
  if (inexact > maxInexact) throw new NotJson(`JSON with more than ${maxInexact} numbers beyond 2^53-1`);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parse = (part: Uint8Array): unknown => {
    try {
      return inexact > 0 ? parseExactly(part) : JSON.parse(decoder.decode(part));
    } catch {
      // The parser's own words quote the text, so they are not kept.
      throw new NotJson('text that is no JSON');
    }
  };
  return { bytes, data, parse };
}

function toUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second, third] = bytes;
  const mark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // JSON begins with two characters of ASCII, so a zero byte among them is the other half of a UTF-16 character.
  if (mark || first === 0 || second === 0) throw new NotJson('UTF-16 text, where JSON is UTF-8');
  const body = first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
  return isUtf8(body) ? body : new TextEncoder().encode(new TextDecoder().decode(body));
}
