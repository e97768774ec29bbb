/** How wide the columns of a table are, and which are left out where a terminal is too narrow. Pure. */

import type { Column, ValueKind } from '../api/spec.ts';

/** Cells between two columns. */
export const gap = 2;

// Which columns keep their place where there is not room for all of them.
const importance: readonly ValueKind[] = ['id', 'money', 'status', 'time', 'integer', 'card', 'text', 'flag'];
// Cells of these kinds may end in `…`; ids, amounts and times are whole or not there.
const shrinkable: ReadonlySet<ValueKind> = new Set<ValueKind>(['text', 'status', 'card', 'flag']);
const smallest = 6;

/** Which columns there is room for. */
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

/** Fits columns of these natural widths into a terminal: text is cut, and what has no room at all is left out. */
export function fitColumns(columns: readonly Column[], natural: readonly number[], width: number): Fitted {
  const least = columns.map((column, index) => leastOf(column, natural[index] ?? 0));
  const chosen: number[] = [];
  for (const index of mostImportant(columns)) {
    // The first one is there even where it is wider than the terminal: an id is never cut.
    if (chosen.length === 0 || total([...chosen, index].map((one) => least[one] ?? 0)) <= width)
      chosen.push(index);
  }
  const shown = chosen.toSorted((a, b) => a - b);
  const shownColumns = shown.flatMap((index) => columns[index] ?? []);
  const widths = shown.map((index) => natural[index] ?? 0);
  return { shown, widths: shrunk(shownColumns, widths, width) };
}

function leastOf({ kind }: Column, own: number): number {
  return mayShrink(kind) ? Math.min(own, smallest) : own;
}

function kindAt(columns: readonly Column[], index: number): ValueKind {
  return columns[index]?.kind ?? 'text';
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

// Indexes, those that are missed most first: those that stay, then by kind; of one kind, as they stand.
function mostImportant(columns: readonly Column[]): readonly number[] {
  const rank = (index: number): number =>
    columns[index]?.stays === true ? -1 : importance.indexOf(kindAt(columns, index));
  return columns.map((_, index) => index).toSorted((a, b) => rank(a) - rank(b) || a - b);
}

/** The widths of columns on a terminal: cell after cell is taken from the widest that may shrink, until a line fits. */
export function shrunk(
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...natural];
  const least = columns.map((column, index) => leastOf(column, natural[index] ?? 0));
  let over = total(widths) - width;
  while (over > 0) {
    const widest = columns.reduce(
      (best, { kind }, index) =>
        mayShrink(kind) &&
        (widths[index] ?? 0) > (least[index] ?? 0) &&
        (best === -1 || (widths[index] ?? 0) > (widths[best] ?? 0))
          ? index
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
