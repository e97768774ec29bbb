/** Parses JSON replies with exact numbers, and reads pages of records, each with its bytes. */

import { isUtf8 } from 'node:buffer';
import { CliError } from '../errors.ts';
import type { PageQuery, WireRecord } from './api.ts';
import { scan, tooMuchJson } from './json-scan.ts';
import { idOf, isObject, valueAt } from './json-values.ts';
import { type ResourceName, resources } from './resources.ts';

// No reply of the service has this many numbers beyond 2^53-1, and each takes much memory.
const maxInexact = 100_000;

/** The bytes are not accepted as JSON. The message gives the reason and follows "HTTP 200, ". */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

export interface JsonDocument {
  readonly value: unknown;
  /** The bytes as UTF-8 without a byte order mark: the received ones if they already were. */
  readonly bytes: Uint8Array;
}

/** A parsed reply whose list items are parsed one by one. */
export interface JsonList extends JsonDocument {
  /** How many items the top-level `data` has; undefined if it is not an array. */
  readonly size: number | undefined;
  /** An item and its bytes. Throws NotJson. */
  readonly item: (index: number) => JsonDocument & { readonly plain: boolean };
}

/**
 * Parses a reply. An integer beyond 2^53-1 becomes a bigint, a number too large for JavaScript stays text, and invalid UTF-8
 * becomes U+FFFD. Throws NotJson for anything else that is not JSON, and for UTF-16 and deep nesting.
 */
export function readJson(received: Uint8Array): JsonDocument {
  const { bytes, parse } = open(received);
  return { value: parse(bytes), bytes };
}

/**
 * Like `readJson`, but items of the top-level `data` are parsed on demand, and `value` has an empty `data`. The whole reply is
 * known to be JSON only after all items were read.
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

function open(received: Uint8Array) {
  const bytes = toUtf8(received);
  const { inexact, data, ...seen } = scan(bytes);
  const tooMuch = tooMuchJson(seen);
  if (tooMuch !== undefined) throw new NotJson(tooMuch);
  if (inexact > maxInexact)
    throw new NotJson(`JSON with more than ${maxInexact} numbers too large to keep exactly`);
  const parse = (part: Uint8Array): unknown => {
    try {
      return inexact > 0 ? parseExactly(part) : JSON.parse(textOf(part));
    } catch {
      // The parser's message quotes the text, so it is dropped.
      throw new NotJson('text that is not JSON');
    }
  };
  return { bytes, data, parse };
}

// A string, even an unfinished one, or a number that may not fit into a JavaScript number.
const doubtful =
  /"[^"\\]*(?:\\.[^"\\]*)*"?|(?<![\d.])-?\d+(?:(?<=\d{16})(?:\.\d+)?|(?:\.\d+)?(?=[eE]))(?:[eE][+-]?\d+)?/gs;

/**
 * Like JSON.parse, but an integer beyond 2^53-1 becomes a bigint, and a number too large for JavaScript stays text. Such a number
 * is a marked string while parsing: JSON.parse with a reviver takes three times the memory.
 */
export function parseExactly(part: Uint8Array): unknown {
  const mark = crypto.randomUUID();
  const marked = textOf(part).replace(doubtful, (text) => {
    const value = /^-?(?:0(?!\d)|[1-9])/.test(text) ? Number(text) : 0;
    const isKept = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text));
    return isKept ? text : `"${mark}${text}"`;
  });
  const exactly = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(exactly);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(exactMember));
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    const text = value.slice(mark.length);
    return Number.isFinite(Number(text)) ? BigInt(text) : text;
  };
  const exactMember = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    if (name.startsWith(mark)) throw new SyntaxError('a number is no name');
    return [name, exactly(value)];
  };
  return exactly(JSON.parse(marked));
}

// A Buffer decodes short texts faster than a TextDecoder, and keeps a byte order mark too.
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

function toUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second, third] = bytes;
  const mark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // JSON begins with two ASCII characters, so a zero byte among them is half of a UTF-16 character.
  if (mark || first === 0 || second === 0) throw new NotJson('UTF-16 text, where JSON is UTF-8');
  const body = first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
  return isUtf8(body) ? body : new TextEncoder().encode(new TextDecoder().decode(body));
}

/** The path and query of a page (service: Endpoints 2). */
export function pagePath(resource: ResourceName, query: PageQuery): string {
  const parameters = new URLSearchParams();
  if (query.limit !== undefined) parameters.set('limit', String(query.limit));
  if (query.next !== undefined) parameters.set('next', query.next);
  if (query.previous !== undefined) parameters.set('previous', query.previous);
  const text = parameters.toString();
  return resources[resource].path + (text && `?${text}`);
}

/** A page of a list (service: List envelope), without its page URLs. */
export type ListReply = ReturnType<typeof readPage>;

/** Throws CliError 'reply' if it is not a page of a list. */
export function readPage(list: JsonList) {
  const object = valueAt(list.value, ['object']);
  const { size } = list;
  const isList = (object === undefined || object === 'list') && Array.isArray(valueAt(list.value, ['data']));
  if (!isList || size === undefined) throw noList();
  const known = new Map<number, WireRecord>();
  const record = (index: number): WireRecord => {
    const one = known.get(index) ?? readRecord(list, index);
    known.set(index, one);
    return one;
  };
  const more = valueAt(list.value, ['has_more']);
  return {
    size,
    /** `has_more`. Anything but true counts as false. */
    hasMore: more === true,
    /** Whether `object` says that it is a list and `has_more` is true or false. Only then is the end of the list known. */
    saysHasMore: object === 'list' && typeof more === 'boolean',
    /** The id of the first or last record, if any, parsing only that record. Throws CliError 'reply'. */
    edge: (which: 'first' | 'last') =>
      size === 0 ? undefined : idOf(record(which === 'first' ? 0 : size - 1)),
    /** Throws CliError 'reply' if one is not a JSON object. */
    records: () => Array.from({ length: size }, (_, index) => record(index)),
  };
}

function readRecord(list: JsonList, index: number): WireRecord {
  try {
    const { value, bytes, plain } = list.item(index);
    if (isObject(value)) return { value, bytes, plain };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new CliError(
      'reply',
      `this is not a reply of the service (a list, but record ${index + 1} is ${error.message})`,
      {
        certain: 'nothing was changed',
      },
    );
  }
  throw noList();
}

function noList(): CliError {
  return new CliError('reply', 'the service answered with JSON that is not a list', {
    certain: 'nothing was changed',
    now: ['is this the base URL of the service? paydesk profile show'],
  });
}

/** The record of a document, without white space around it; undefined if the document is not an object. */
export function recordOf({ value, bytes }: JsonDocument): WireRecord | undefined {
  if (!isObject(value)) return undefined;
  return { value, bytes: bytes.subarray(bytes.indexOf(0x7b), bytes.lastIndexOf(0x7d) + 1) };
}
