/** Looks into JSON: values by path, items of nested lists, and the place of a syntax error. */

import { orUndefined } from '../errors.ts';

/** Fields by name, with any values. */
export type JsonObject = { readonly [key: string]: unknown };

/** Excludes arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined if a key on the way is missing. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A non-empty text; undefined for anything else. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The id of a record; undefined if it has none. */
export function idOf(record: { readonly value: JsonObject } | undefined): string | undefined {
  return filledText(valueAt(record?.value, ['id']));
}

/** The objects in a nested list; none if there is no list. */
export function itemsOf(list: unknown): readonly JsonObject[] {
  const data = valueAt(list, ['data']);
  return Array.isArray(data) ? data.filter(isObject) : [];
}

/** All items of a nested list, or the problem if some are missing: `the charges are not all shown`. */
export type CompleteItems = { readonly items: readonly unknown[] } | { readonly problem: string };

/** Reads a nested list that must be complete (service: List envelope). `what` names the list: `the charges`. */
export function completeItems(list: unknown, what: string): CompleteItems {
  const data = valueAt(list, ['data']);
  if (!isObject(list) || !Array.isArray(data)) return { problem: `${what} are not shown` };
  // A `has_more` or `total` of another type proves nothing.
  const whole = (list.has_more ?? false) === false && (list.total ?? data.length) === data.length;
  return !whole ? { problem: `${what} are not all shown` } : { items: data };
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** The first key that an object has twice. JSON.parse silently keeps one of the values. */
export function repeatedKey(json: string): string | undefined {
  // The names in each open object, and undefined for each open array.
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of json.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && names !== undefined) {
      const name = String(JSON.parse(last));
      if (names.has(name)) return name;
      names.add(name);
    }
    last = token;
  }
  return undefined;
}

/** The line where a text stops being JSON. The parser's message would quote the text. */
export function lineOfError(text: string): number {
  const problem = parseProblem(text);
  const lines = text.trimEnd().split('\n');
  const [, position] = /at position (\d+)/.exec(problem) ?? [];
  if (position !== undefined)
    return Math.min(text.slice(0, Number(position)).split('\n').length, lines.length);
  // The parser gives no position for an unexpected token. It is in the line that first makes the text so far fail.
  const at = lines.findIndex((_, index) =>
    parseProblem(`${lines.slice(0, index + 1).join('\n')}\n`).startsWith('Unexpected token'),
  );
  return at < 0 ? lines.length : at + 1;
}

function parseProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/** The value of a JSON text; undefined for other texts. */
export function parsedJson(text: string): unknown {
  return orUndefined(() => JSON.parse(text));
}

/** The object of a JSON text; an empty one for other texts. */
export function parsedObject(text: string): JsonObject {
  const value = parsedJson(text);
  return isObject(value) ? value : {};
}

/** Whether a value is a whole number, however large. */
export function isWholeNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

// TypeScript's types lack JSON.rawJSON.
declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** For JSON.stringify: a bigint becomes a number with all its digits. */
export function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}
