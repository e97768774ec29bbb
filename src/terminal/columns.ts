/** Which columns are shown: those named by --columns, or those that a width has room for. */

import type { Column, JsonObject } from '../api/spec.ts';
import { CliError } from '../errors.ts';

/** The columns a person named, in that order. Throws CliError 'usage' for a name that is none, with those that are. */
export function namedColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names.map((name) => {
    const found = columns.find((column) => column.name === name.trim());
    if (found !== undefined) return found;
    throw new CliError('usage', `--columns ${name}: there is no such column`, {
      certain: 'nothing was changed',
      now: [
        `the columns here are ${columns.map((column) => column.name).join(', ')}`,
        '-o list shows every field of a record, -o json the service’s own objects',
      ],
    });
  });
}

/** The columns of a table of so many cells, before anybody names some. */
export function tableColumns(columns: readonly Column[], width: number): readonly Column[] {
  return columns.filter(({ tableFrom }) => tableFrom !== undefined && tableFrom <= width);
}

/** The columns of CSV: all that the service sends, in a stable order; a derived one only by name. */
export function csvColumns(columns: readonly Column[]): readonly Column[] {
  return columns.filter((column) => column.derived === undefined);
}

/** Columns of a flat record of our own: its fields. */
export function ownColumns(record: JsonObject): readonly Column[] {
  return Object.keys(record).map((name) => ({
    name,
    title: name.toUpperCase(),
    kind: kindOf(name, record[name]),
    value: (from: JsonObject): unknown => from[name],
    tableFrom: 0,
  }));
}

/** The columns named once for all lists: those that this one has; undefined where it has none of them. */
export function usualColumns(
  columns: readonly Column[],
  names: readonly string[] = [],
): readonly Column[] | undefined {
  const known = names.filter((name) => columns.some((column) => column.name === name.trim()));
  return known.length === 0 ? undefined : namedColumns(columns, known);
}

/** The same for the result of what was done: a name that it does not have is an empty column. */
export function resultColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return names.map((name) => {
    const found = columns.find((column) => column.name === name.trim());
    return (
      found ?? { name: name.trim(), title: name.trim().toUpperCase(), kind: 'text', value: () => undefined }
    );
  });
}

// Our own times are Unix seconds in fields that end in _at, as the service's are, or in _until.
function kindOf(name: string, value: unknown): Column['kind'] {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value !== 'number') return name === 'id' || name.endsWith('_id') ? 'id' : 'text';
  return /_(at|until)$/.test(name) ? 'time' : 'integer';
}
