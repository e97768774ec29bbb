/** Draws the lines of a list's table: places cells in their columns, and cuts what may be cut. */

import type { Column } from '../../api/resources.ts';
import { shortStatuses } from '../../api/spec.ts';
import type { Paint } from '../color.ts';
import type { Style } from '../terminal.ts';
import { cut, cutInMiddle } from '../text-lines.ts';
import { widthOf } from '../width.ts';
import {
  type FittedColumn,
  gap,
  isRightAligned,
  mayShrink,
  shrunk,
  smallest,
  smallestCard,
  smallestStatus,
  total,
} from './table-widths.ts';

/** A clean text in one style. */
export interface DrawnCell {
  readonly text: string;
  readonly style: Style | undefined;
  /** Whether the cell is never cut. */
  readonly whole?: boolean | undefined;
}

/** A cell without a text. */
export const empty: DrawnCell = { text: '', style: undefined };

/** The columns that are shown, and how wide they are. */
export interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

/** How lines are drawn. */
export interface LineStyle {
  /** The width of the terminal. Undefined if there is none: then nothing is cut. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

/**
 * Draws lines, each with its line end. cli-table3 draws only tables of a fixed size (blocks.ts): for a page of 20 rows of a list
 * it takes 21 ms of CPU and more (measured: 21 to 38), and the time grows with the square of the rows.
 */
export function drawLines(
  lines: readonly (readonly DrawnCell[])[],
  layout: Layout,
  style: LineStyle,
): readonly string[] {
  return lines.map((line) => `${drawLine(line, layout, style)}\n`);
}

/**
 * Draws what does not fit into a row on lines below it: as many texts side by side as fit, starting under the second column. A
 * text that is too long to start there begins further left; no text is cut.
 */
export function drawBelow(cells: readonly DrawnCell[], indent: number, { width, paint }: LineStyle): string {
  const room = width ?? Number.POSITIVE_INFINITY;
  const lines: DrawnCell[][] = [];
  let used = 0;
  for (const cell of cells) {
    const size = shownWidth(cell);
    const isNext = lines.length > 0 && indent + used + gap + size <= room;
    if (isNext) lines.at(-1)?.push(cell);
    else lines.push([cell]);
    used = isNext ? used + gap + size : size;
  }
  return lines
    .map((line) => {
      const texts = line.map(({ text, style }) => (style === undefined ? text : paint(text, style)));
      const size = line.reduce((sum, cell) => sum + shownWidth(cell) + gap, -gap);
      return `${' '.repeat(Math.max(0, Math.min(indent, room - size)))}${texts.join(' '.repeat(gap))}\n`;
    })
    .join('');
}

/** How many cells a cell takes. */
export function shownWidth(cell: DrawnCell = empty): number {
  return widthOf(shownText(cell));
}

/**
 * The columns with the room that these lines need for cells that are never cut, and for short ones. A column with a cell that is
 * never cut stays.
 */
export function withRoomForWhole(
  columns: readonly Column[],
  lines: readonly (readonly DrawnCell[])[],
): readonly FittedColumn[] {
  return columns.map((column, index) => {
    const uncut = Math.max(
      0,
      ...lines.map((line) => (line[index]?.whole === true ? shownWidth(line[index]) : 0)),
    );
    if (uncut > 0) return { ...column, stays: true, uncut };
    if (column.kind !== 'status') return column;
    const short = lines.map((line) => shownWidth(line[index])).filter((width) => width <= smallestStatus);
    return { ...column, short: Math.max(0, ...short) };
  });
}

// A cell that is longer than its column, and may not be cut, takes the space around it; a text after it is cut. If the line is then
// still longer than the terminal, only this row gets widths of its own. All other rows stay in their places.
function drawLine(line: readonly DrawnCell[], layout: Layout, style: LineStyle): string {
  const { columns, widths } = layout;
  const { width } = style;
  const drawn = placeCells(line, layout, style);
  if (width === undefined || drawn.width <= Math.max(width, total(widths))) return drawn.text;
  const own = widths.map((one, index) =>
    isCut(columns[index], line[index], width) ? one : Math.max(one, shownWidth(line[index])),
  );
  const fitting = shrunk(withRoomForWhole(columns, [line]), own, width);
  return placeCells(line, { columns, widths: fitting }, style).text;
}

function placeCells(line: readonly DrawnCell[], { columns, widths }: Layout, style: LineStyle) {
  let text = '';
  // How many cells of the line are taken, and where this column begins and ends if everything before it fits.
  let at = 0;
  let place = 0;
  for (const [index, cell] of line.entries()) {
    const kind = columns[index]?.kind ?? 'text';
    const end = place + (widths[index] ?? 0);
    const from = index === 0 ? 0 : Math.max(place, at + gap);
    const room = isCut(columns[index], cell, style.width)
      ? roomBefore(line[index + 1], columns[index + 1], {
          from,
          end,
          nextEnd: end + gap + (widths[index + 1] ?? 0),
          least: kind === 'card' ? smallestCard : 1,
        })
      : Number.POSITIVE_INFINITY;
    const whole = shownText(cell);
    const wholeSize = widthOf(whole);
    const shown = wholeSize <= room ? whole : cutCell(cell, room, columns[index]);
    const size = wholeSize <= room ? wholeSize : widthOf(shown);
    const start = Math.max(index === 0 ? 0 : at + gap, isRightAligned(kind) ? end - size : place);
    text += ' '.repeat(start - at) + (cell.style === undefined ? shown : style.paint(shown, cell.style));
    at = start + size;
    place = end + gap;
  }
  const rest = Math.max(0, total(widths) - at);
  return { text: text + ' '.repeat(rest), width: at + rest };
}

function cutCell(cell: DrawnCell, room: number, column: Column | undefined): string {
  const whole = shownText(cell);
  const word = column?.kind === 'status' ? shortStatuses.get(whole) : undefined;
  if (word !== undefined && word.length <= room) return word;
  return (column?.isCutInMiddle === true ? cutInMiddle : cut)(whole, room);
}

// The room of a text that may be cut. It gives way to a number after it that is longer than the number's own column.
function roomBefore(
  next: DrawnCell | undefined,
  nextColumn: Column | undefined,
  {
    from,
    end,
    nextEnd,
    least,
  }: { readonly from: number; readonly end: number; readonly nextEnd: number; readonly least: number },
): number {
  const isNumber = nextColumn !== undefined && isRightAligned(nextColumn.kind);
  const until = isNumber ? Math.min(end, nextEnd - shownWidth(next) - gap) : end;
  return Math.max(until - from, Math.min(smallest, end - from), least);
}

function isCut(column: Column | undefined, cell: DrawnCell | undefined, width: number | undefined): boolean {
  return width !== undefined && cell?.whole !== true && mayShrink(column?.kind ?? 'text');
}

// A text that has only marks has no width, and would be drawn on top of the text before it.
function shownText({ text }: DrawnCell): string {
  return text !== '' && widthOf(text) === 0 ? '\ufffd' : text;
}
