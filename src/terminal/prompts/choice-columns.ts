/** Sets the rows of a list to choose from in columns that fit the terminal. */

import type { SearchedList } from '../terminal.ts';
import { cut } from '../text-lines.ts';
import { widthOf } from '../width.ts';

/** Lines of one width: a heading, and one line for each row. */
interface ChoiceLines {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Paints a cell of a row; the heading has the row -1. */
type PaintCell = (text: string, row: number, column: number) => string;

const asItIs: PaintCell = (text) => text;

const space = 2;
// A column that may be cut keeps at least this many cells.
const narrowest = 6;

/**
 * Returns the function that draws rows for a width. Its columns only grow from one drawing to the next; a column that has
 * been empty so far is left out.
 */
export function createChoiceColumns(
  { titles, right, shrink, least = {} }: Pick<SearchedList<unknown>, 'titles' | 'right' | 'shrink' | 'least'>,
  room: number,
): (rows: readonly (readonly string[])[], paintCell?: PaintCell) => ChoiceLines {
  const widest = titles.map(() => 0);
  return (rows, paintCell = asItIs) => {
    for (const row of rows)
      for (const [index, cell] of row.entries())
        if (cell !== '')
          widest[index] = Math.max(widest[index] ?? 0, widthOf(cell), widthOf(titles[index] ?? ''));
    const widths = fittingWidths(widest, { shrink, least }, room);
    const line = (cells: readonly string[], row: number): string => {
      const shown = cells.flatMap((cell, index) => {
        const width = widths[index] ?? 0;
        return width === 0 ? [] : [{ index, text: fill(cell, width, right.includes(index)) }];
      });
      const between = ' '.repeat(space);
      const plain = shown
        .map(({ text }) => text)
        .join(between)
        .trimEnd();
      if (widthOf(plain) > room) return cut(plain, room);
      return shown
        .map(({ text, index }) => paintCell(text, row, index))
        .join(between)
        .trimEnd();
    };
    return { heading: line(titles, -1), lines: rows.map(line) };
  };
}

// Takes one cell at a time from the widest of the columns that may be cut.
function fittingWidths(
  widest: readonly number[],
  { shrink, least = {} }: Pick<SearchedList<unknown>, 'shrink' | 'least'>,
  room: number,
): readonly number[] {
  const widths = [...widest];
  const shown = widths.filter((width) => width > 0);
  let over = shown.reduce((sum, width) => sum + width + space, -space) - room;
  while (over > 0) {
    const shrinking = shrink.filter((index) => (widths[index] ?? 0) > (least[index] ?? narrowest));
    if (shrinking.length === 0) break;
    const index = shrinking.reduce((one, other) => ((widths[other] ?? 0) > (widths[one] ?? 0) ? other : one));
    widths[index] = (widths[index] ?? 0) - 1;
    over -= 1;
  }
  // If the last column had so few cells left that they would say nothing, it is left out.
  const last = widths.findLastIndex((width) => width > 0);
  const isCutAway = over > 0 && last > 0 && (widths[last] ?? 0) - over < narrowest;
  return isCutAway ? fittingWidths(widest.with(last, 0), { shrink, least }, room) : widths;
}

function fill(cell: string, width: number, toTheRight: boolean): string {
  const text = cut(cell, width);
  const rest = ' '.repeat(Math.max(0, width - widthOf(text)));
  return toTheRight ? rest + text : text + rest;
}
