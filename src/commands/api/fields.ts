/** `--field` and `--raw-field`: single values of a query or a body, as typed. Pure. */

import type { JsonObject } from '../../api/spec.ts';
import { firstRepeated, usage } from '../command.ts';
import { parsePair } from '../creation/flags.ts';

/** A name and its value, read. */
export type Field = readonly [name: string, value: string | number | boolean | null];

const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads `KEY=VALUE`: true, false, null and whole numbers are that, everything else is text. Throws CliError 'usage'. */
export function parseField(text: string, name: string): Field {
  const [key, value] = parsePair(text, name);
  const word = words.get(value);
  if (word !== undefined) return [key, word];
  if (!/^(0|-?[1-9][0-9]*)$/.test(value)) return [key, value];
  if (Number.isSafeInteger(Number(value))) return [key, Number(value)];
  throw usage(`${name} ${text}: too large to be sent exactly as a number; --raw-field sends it as text`);
}

/** Fields as a JSON object. Throws CliError 'usage' when one is given twice. */
export function fieldsBody(fields: readonly Field[]): JsonObject {
  const twice = firstRepeated(fields.map(([name]) => name));
  if (twice !== undefined) throw usage(`the field ${twice} is given twice`);
  return Object.fromEntries(fields);
}

/** A path with the fields in its query. */
export function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}
