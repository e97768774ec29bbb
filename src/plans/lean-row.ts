/** A row of a plan as it is kept in memory: a plan may have many thousands. Pure. */

import type { PlanRow } from './plan-types.ts';

const emptyList: readonly never[] = [];

/** The same row. Most lists of most rows are empty, so all of these become one and the same list. */
export function leanRow<Row extends Omit<PlanRow, 'number'>>(row: Row): Row {
  return {
    ...row,
    more: listOf(row.more),
    marks: listOf(row.marks),
    tolerated: listOf(row.tolerated),
    again: listOf(row.again),
    named: listOf(row.named),
  };
}

function listOf<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? emptyList : items;
}
