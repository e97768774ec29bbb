/** Draws the lines of a table: places cells in their columns, cuts what may be cut, and lets cli-table3 draw slices of them. */

import Table from 'cli-table3';
import type { Column } from '../api/resources.ts';
import type { Paint } from './color.ts';
import { gap, isRightAligned, mayShrink, shrunk, smallest, total } from './table-widths.ts';
import type { Style } from './terminal.ts';
import { cut, widthOf } from './text-lines.ts';

// cli-table3 gets slow with many rows (its layout is quadratic), so it draws a few at a time.
const sliceRows = 25;
// Stands for one line. cli-table3 gets no other text, so everything like it in the drawing is a stand-in.
const standIn = '#';

/** A clean text in one style. */
export interface DrawnCell {
  readonly text: string;
  readonly style: Style | undefined;
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

/** Draws lines, one after the other, each with its line end. */
export function drawLines(
  lines: readonly (readonly DrawnCell[])[],
  layout: Layout,
  style: LineStyle,
): string {
  let text = '';
  for (let start = 0; start < lines.length; start += sliceRows) {
    const slice = lines.slice(start, start + sliceRows);
    text += drawSlice(slice, layout, style);
  }
  return text;
}

/** How many cells a cell takes. */
export function shownWidth(cell: DrawnCell = empty): number {
  return widthOf(shownText(cell));
}

// cli-table3 gets one stand-in per line. With the real cells it would print the same bytes, but would copy its settings and
// measure for each cell: 20 orders would take 44 ms of CPU instead of 28, and 5,000 would take 2,050 ms instead of 550.
function drawSlice(lines: readonly (readonly DrawnCell[])[], layout: Layout, style: LineStyle): string {
  const drawn = lines.map((line) => drawLine(line, layout, style));
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: [standIn.length],
  });
  table.push(...drawn.map(() => [standIn]));
  return `${table.toString().replaceAll(standIn, () => drawn.shift() ?? '')}\n`;
}

// A cell that is longer than its column, and may not be cut, takes the space around it; a text behind it is cut. If the line is
// longer than the terminal then, this row alone gets widths of its own. All other rows stay in their places.
function drawLine(line: readonly DrawnCell[], layout: Layout, style: LineStyle): string {
  const { columns, widths } = layout;
  const { width } = style;
  const drawn = placeCells(line, layout, style);
  if (width === undefined || drawn.width <= Math.max(width, total(widths))) return drawn.text;
  const own = widths.map((one, index) =>
    isCut(columns[index], width) ? one : Math.max(one, shownWidth(line[index])),
  );
  return placeCells(line, { columns, widths: shrunk(columns, own, width) }, style).text;
}

function placeCells(
  line: readonly DrawnCell[],
  { columns, widths }: Layout,
  style: LineStyle,
): { readonly text: string; readonly width: number } {
  let text = '';
  // How many cells of the line are taken, and where this column begins and ends if everything before it fits.
  let at = 0;
  let place = 0;
  for (const [index, cell] of line.entries()) {
    const kind = columns[index]?.kind ?? 'text';
    const end = place + (widths[index] ?? 0);
    const from = index === 0 ? 0 : Math.max(place, at + gap);
    const room = isCut(columns[index], style.width)
      ? roomBefore(line[index + 1], columns[index + 1], {
          from,
          end,
          nextEnd: end + gap + (widths[index + 1] ?? 0),
        })
      : Number.POSITIVE_INFINITY;
    const shown = widthOf(shownText(cell)) <= room ? shownText(cell) : cut(shownText(cell), room);
    const size = widthOf(shown);
    const start = Math.max(index === 0 ? 0 : at + gap, isRightAligned(kind) ? end - size : place);
    text += ' '.repeat(start - at) + (cell.style === undefined ? shown : style.paint(shown, cell.style));
    at = start + size;
    place = end + gap;
  }
  const rest = Math.max(0, total(widths) - at);
  return { text: text + ' '.repeat(rest), width: at + rest };
}

// The room of a text that may be cut. It gives way to a number behind it that is longer than its own column.
function roomBefore(
  next: DrawnCell | undefined,
  nextColumn: Column | undefined,
  { from, end, nextEnd }: { readonly from: number; readonly end: number; readonly nextEnd: number },
): number {
  const isNumber = nextColumn !== undefined && isRightAligned(nextColumn.kind);
  const until = isNumber ? Math.min(end, nextEnd - shownWidth(next) - gap) : end;
  return Math.max(until - from, Math.min(smallest, end - from), 1);
}

function isCut(column: Column | undefined, width: number | undefined): boolean {
  return width !== undefined && mayShrink(column?.kind ?? 'text');
}

// A text of marks alone has no width, and would be drawn on top of the text before it.
function shownText({ text }: DrawnCell): string {
  return text !== '' && widthOf(text) === 0 ? '\ufffd' : text;
}

const edges = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((edge) => [edge, `${edge}-mid`]);
const corners = ['top', 'bottom'].flatMap((edge) => [`${edge}-left`, `${edge}-right`]);
const borderless = Object.fromEntries([...edges, ...corners].map((name) => [name, '']));
