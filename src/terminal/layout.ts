/** How wide the columns of a table are, and which are left out where a terminal is too narrow. Pure. */

import type { Column, ValueKind } from '../api/spec.ts';

export const gap = 2;

// What goes first when there is no room: an id and an amount never do while something else can.
const leavesAt: Readonly<Record<ValueKind, number>> = {
  flag: 8,
  text: 7,
  card: 6,
  integer: 5,
  time: 4,
  status: 3,
  money: 2,
  id: 1,
};
// Cells of these kinds may end in `…`; ids, amounts and times are whole or not there.
const shrinkable: ReadonlySet<ValueKind> = new Set<ValueKind>(['text', 'status', 'card', 'flag']);
const smallest = 6;

export interface Fitted {
  /** Indexes of the columns that are shown. */
  readonly shown: readonly number[];
  /** The width of each shown column. */
  readonly widths: readonly number[];
}

/** Whether a cell of this kind may be cut on a terminal. */
export function mayShrink(kind: ValueKind): boolean {
  return shrinkable.has(kind);
}

/** Fits columns of these natural widths into a terminal: cuts text, then leaves out columns, the id last of all. */
export function fitColumns(columns: readonly Column[], natural: readonly number[], width: number): Fitted {
  const shown = columns.map((_, index) => index);
  const least = (index: number): number => {
    const own = natural[index] ?? 0;
    return mayShrink(columns[index]?.kind ?? 'text') ? Math.min(own, smallest) : own;
  };
  while (shown.length > 1 && total(shown.map(least)) > width) shown.splice(nextToLeave(columns, shown), 1);
  return { shown, widths: shrink(columns, natural, shown, least, width) };
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

// The position of the column that is missed least; the last of several.
function nextToLeave(columns: readonly Column[], shown: readonly number[]): number {
  let worst = 0;
  let rank = 0;
  shown.forEach((index, position) => {
    const own = leavesAt[columns[index]?.kind ?? 'text'];
    if (own >= rank) {
      rank = own;
      worst = position;
    }
  });
  return worst;
}

// Takes cell after cell from the widest column that may shrink, until the line fits.
function shrink(
  columns: readonly Column[],
  natural: readonly number[],
  shown: readonly number[],
  least: (index: number) => number,
  width: number,
): readonly number[] {
  const widths = shown.map((index) => natural[index] ?? 0);
  let over = total(widths) - width;
  while (over > 0) {
    const widest = shown.reduce(
      (best, index, position) =>
        mayShrink(columns[index]?.kind ?? 'id') &&
        (widths[position] ?? 0) > least(index) &&
        (best === -1 || (widths[position] ?? 0) > (widths[best] ?? 0))
          ? position
          : best,
      -1,
    );
    if (widest === -1) break;
    // A column of a megabyte comes down to the terminal in one step, then evenly.
    const step = Math.max(1, (widths[widest] ?? 0) - width);
    widths[widest] = (widths[widest] ?? 0) - step;
    over -= step;
  }
  return widths;
}
