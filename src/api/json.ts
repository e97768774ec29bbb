/** JSON as a reply brings it: strict about its text, exact about its numbers. */

import { isUtf8 } from 'node:buffer';
import type { Scan } from './scan.ts';
import { scan } from './scan.ts';

/** Deeper nesting than any reply of the service; a parser would follow a million levels. */
export const maxDepth = 64;

/** Why bytes are no JSON for us, in words that follow "HTTP 200, ". */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** A parsed reply. */
export interface JsonDocument {
  readonly value: unknown;
  /** The bytes as UTF-8, without a byte order mark: the received ones wherever they were that. */
  readonly bytes: Uint8Array;
  readonly scan: Scan;
}

/**
 * Parses the bytes of a reply. An integer beyond 2^53-1 becomes a bigint, a number beyond all range its own text,
 * invalid UTF-8 becomes U+FFFD. Throws NotJson for anything else that is no JSON, UTF-16 and deep nesting included.
 */
export function readJson(received: Uint8Array): JsonDocument {
  const bytes = toUtf8(received);
  const scanned = scan(bytes);
  if (scanned.depth > maxDepth) throw new NotJson(`JSON nested deeper than ${maxDepth} levels`);
  const text = new TextDecoder().decode(bytes);
  try {
    return {
      value: scanned.exact ? JSON.parse(text, exactNumber) : JSON.parse(text),
      bytes,
      scan: scanned,
    };
  } catch {
    // The parser's own words quote the text, so they are not kept.
    throw new NotJson('text that is no JSON');
  }
}

function toUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second, third] = bytes;
  const mark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // JSON begins with two characters of ASCII, so a zero byte among them is the other half of a UTF-16 character.
  if (mark || first === 0 || second === 0) throw new NotJson('UTF-16 text, where JSON is UTF-8');
  const body = first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
  return isUtf8(body) ? body : new TextEncoder().encode(new TextDecoder().decode(body));
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) return source;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : BigInt(source);
}
