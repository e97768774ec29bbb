/** Records as `field: value` blocks: every field the service sent, nested ones by their dotted names. */

import type { Column, JsonObject } from '../api/spec.ts';
import { absent, asReceived, mark, type Reading, showValue } from './columns.ts';
import type { ListFormat } from './list-format.ts';

/** A list of blocks, an empty line between two. `named`: only these columns; otherwise every field. */
export function fieldList(
  named: readonly Column[] | undefined,
  known: readonly Column[],
  reading: Reading,
  clean: (text: string) => string,
): ListFormat {
  let first = true;
  return {
    page: (rows) =>
      rows
        .map(({ value }) => {
          const fields =
            named === undefined ? allFields(value, known, reading) : namedFields(value, named, reading);
          const gap = first ? '' : '\n';
          first = false;
          return gap + fields.map(([name, text]) => `${clean(name)}: ${clean(text)}\n`).join('');
        })
        .join(''),
    end: () => '',
  };
}

type Field = readonly [name: string, text: string];

function namedFields(record: JsonObject, columns: readonly Column[], reading: Reading): readonly Field[] {
  return columns.map((column) => [column.name, knownText(record, column, reading)]);
}

// Known fields come first and in their order, so that the blocks of a list read alike.
function allFields(record: JsonObject, known: readonly Column[], reading: Reading): readonly Field[] {
  // A known field whose value is an object is left out here: its members are listed below, one per line.
  const shown = known.filter(
    (column) => column.derived === undefined && members(column.value(record)) === undefined,
  );
  const names = new Set(shown.map((column) => column.name));
  const rest = fieldsOf(record, '').filter(([name]) => !names.has(name));
  return [
    ...namedFields(record, shown, reading),
    ...rest.map(([name, value]): Field => [name, text(name, value, reading)]),
  ];
}

function knownText(record: JsonObject, column: Column, reading: Reading): string {
  const value = column.value(record);
  return column.kind === 'time' && reading.times.valid(value)
    ? reading.times.show(value, 'full')
    : showValue(value, column.kind, record, reading).text;
}

function fieldsOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const inside = members(value);
  if (inside === undefined || inside.length === 0) return [[name, inside === undefined ? value : undefined]];
  return inside.flatMap(([key, member]) => fieldsOf(member, name === '' ? key : `${name}.${key}`));
}

// The items of a nested list count from 1, as `--charge 2` does (service: List envelope).
function members(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [String(index + 1), item]);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).flatMap(([key, member]): (readonly [string, unknown])[] =>
    key === 'data' && Array.isArray(member) ? [...(members(member) ?? [])] : [[key, member]],
  );
}

// Fields that spec.ts has no column for: times are known by their name, and every other value is as received.
function text(name: string, value: unknown, reading: Reading): string {
  if (value === undefined || value === null || value === '') return absent;
  if (!name.endsWith('_at') || typeof value !== 'number') return asReceived(value);
  return reading.times.valid(value) ? reading.times.show(value, 'full') : asReceived(value) + mark;
}
