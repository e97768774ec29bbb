/** Columns of flat records of our own. Pure. */

import { type Column, valueAt } from '../api/spec.ts';

/** A column that shows a field, or `a.b` inside one; `tableFrom` as in `Column`. */
export function fieldColumn(name: string, title: string, kind: Column['kind'], tableFrom?: number): Column {
  const from = tableFrom === undefined ? {} : { tableFrom };
  return { name, title, kind, value: (record) => valueAt(record, name.split('.')), ...from };
}
