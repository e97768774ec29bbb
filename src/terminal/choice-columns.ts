/** Sets the rows of a list to choose from in columns that stay where they are while a person scrolls and types. Pure. */

import type { SearchedList } from './terminal.ts';
import { cut, widthOf } from './text-lines.ts';

/** Lines of one width: a heading, and one line for each row. */
interface ChoiceLines {
  readonly heading: string;
  readonly lines: readonly string[];
}

const space = 2;
// A column that may be cut keeps so many cells.
const narrowest = 6;

/**
 * Returns the function that draws rows for a width. Its columns only grow from one drawing to the next; a column that has
 * been empty so far is left out.
 */
export function createChoiceColumns(
  { titles, right, shrink, least = {} }: Pick<SearchedList<unknown>, 'titles' | 'right' | 'shrink' | 'least'>,
  room: number,
): (rows: readonly (readonly string[])[]) => ChoiceLines {
  const widest = titles.map(() => 0);
  return (rows) => {
    for (const row of rows)
      for (const [index, cell] of row.entries())
        if (cell !== '')
          widest[index] = Math.max(widest[index] ?? 0, widthOf(cell), widthOf(titles[index] ?? ''));
    const widths = fittingWidths(widest, { shrink, least }, room);
    const line = (cells: readonly string[]): string => {
      const shown = cells.flatMap((cell, index) => {
        const width = widths[index] ?? 0;
        return width === 0 ? [] : [fill(cell, width, right.includes(index))];
      });
      return cut(shown.join(' '.repeat(space)).trimEnd(), room);
    };
    return { heading: line(titles), lines: rows.map(line) };
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
  return widths;
}

function fill(cell: string, width: number, toTheRight: boolean): string {
  const text = cut(cell, width);
  const rest = ' '.repeat(Math.max(0, width - widthOf(text)));
  return toTheRight ? rest + text : text + rest;
}
