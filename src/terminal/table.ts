/** Draws tables for people: columns two spaces apart, without boxes, page by page. */

import Table from 'cli-table3';
import type { Column, ValueKind } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
import type { Paint } from './color.ts';
import { type Reading, showValue } from './columns.ts';
import type { ListFormat } from './list-format.ts';
import { cut, ellipsis, widthOf } from './text-lines.ts';

// cli-table3 gets slow with many rows (its layout is quadratic), so it draws a few at a time.
const sliceRows = 25;
// Stands for one line. cli-table3 gets no other text, so everything like it in the drawing is a stand-in.
const standIn = '#';

/** How a table is drawn. */
export interface TableStyle {
  readonly header: boolean;
  /** The width of the terminal. Undefined if there is none: then nothing is cut. */
  readonly width: number | undefined;
  readonly paint: Paint;
  readonly reading: Reading;
  readonly clean: (text: string) => string;
  /** Called with the titles of the columns that do not fit on the terminal. */
  readonly onLeftOut?: ((titles: readonly string[]) => void) | undefined;
}

interface DrawnCell {
  readonly text: string;
  readonly style: 'strong' | 'faint' | 'warn' | undefined;
}

interface Layout {
  readonly columns: readonly Column[];
  widths: readonly number[];
}

/** A table that is drawn page by page. The first page sets the widths; later pages can only make them wider. */
export function drawTable(columns: readonly Column[], style: TableStyle): ListFormat {
  let layout: Layout | undefined;
  let offset: string | undefined;

  return {
    page(page) {
      if (page.length === 0) return '';
      const records = page.map(({ value }) => value);
      offset ??= headingOffset(columns, records, style.reading);
      const heading = columns.map((column): DrawnCell => ({ text: title(column, offset), style: 'strong' }));
      const rows = records.map((record) => columns.map((column) => cellOf(column, record, offset, style)));
      const first = layout === undefined;
      layout ??= firstLayout(columns, [heading, ...rows], style.width);
      const shown = layout.columns.map((column) => columns.indexOf(column));
      if (first && shown.length < columns.length)
        style.onLeftOut?.(columns.filter((_, index) => !shown.includes(index)).map((one) => one.title));
      const lines = first && style.header ? [heading, ...rows] : rows;
      return draw(
        lines.map((line) => shown.map((index) => line[index] ?? empty)),
        layout,
        style,
      );
    },
    end: () => '',
  };
}

const empty: DrawnCell = { text: '', style: undefined };

function title(column: Column, offset: string | undefined): string {
  return column.kind === 'time' && offset !== undefined ? `${column.title} ${offset}` : column.title;
}

// The offset of times, shown once in the heading.
function headingOffset(
  columns: readonly Column[],
  records: readonly JsonObject[],
  { times, referenceKeys }: Reading,
): string {
  const seconds = columns
    .filter((column) => column.kind === 'time')
    .flatMap((column) => records.map((record) => column.value(record, referenceKeys)))
    .find((value) => times.valid(value));
  return times.offset(times.valid(seconds) ? seconds : times.now());
}

function cellOf(
  column: Column,
  record: JsonObject,
  offset: string | undefined,
  style: TableStyle,
): DrawnCell {
  const value = column.value(record, style.reading.referenceKeys);
  const shown = showValue(value, column.kind, record, style.reading);
  const { times } = style.reading;
  // Summer and winter may have two offsets. A time with another offset than the heading says its own.
  const ownOffset = column.kind === 'time' && times.valid(value) ? times.offset(value) : offset;
  const text = ownOffset === offset ? shown.text : `${shown.text} ${ownOffset}`;
  const styled = shown.missing ? 'faint' : shown.odd ? 'warn' : undefined;
  return { text: cleanText(text, column, style), style: styled };
}

// A text that will be cut is not measured to its end, so that a megabyte costs no more than a line.
function cleanText(text: string, column: Column, { width, clean }: TableStyle): string {
  if (width === undefined || !mayShrink(column.kind)) return clean(text);
  const start = text.slice(0, width * 40);
  return start.length === text.length ? clean(text) : cut(clean(start) + ellipsis, width);
}

function firstLayout(
  columns: readonly Column[],
  lines: readonly (readonly DrawnCell[])[],
  width: number | undefined,
): Layout {
  const natural = columns.map((_, index) =>
    Math.max(...lines.map((line) => widthOf(line[index]?.text ?? ''))),
  );
  if (width === undefined) return { columns, widths: natural };
  const { shown, widths } = fitColumns(columns, natural, width);
  return { columns: shown.flatMap((index) => columns[index] ?? []), widths };
}

// Later rows may have longer cells. A column that may not be cut grows, and the others make room.
function widen(layout: Layout, lines: readonly (readonly DrawnCell[])[], width: number | undefined): void {
  const { columns, widths } = layout;
  const grown = widths.map((own, index) =>
    isCut(columns[index], width) ? own : Math.max(own, ...lines.map((line) => shownWidth(line[index]))),
  );
  layout.widths = width === undefined ? grown : shrunk(columns, grown, width);
}

function isCut(column: Column | undefined, width: number | undefined): boolean {
  return width !== undefined && mayShrink(column?.kind ?? 'text');
}

function draw(lines: readonly (readonly DrawnCell[])[], layout: Layout, style: TableStyle): string {
  let text = '';
  for (let start = 0; start < lines.length; start += sliceRows) {
    const slice = lines.slice(start, start + sliceRows);
    widen(layout, slice, style.width);
    text += drawSlice(slice, layout, style);
  }
  return text;
}

// cli-table3 gets one stand-in per line. With the real cells it would print the same bytes, but would copy its settings and
// measure for each cell: 20 orders would take 44 ms of CPU instead of 28, and 5,000 would take 2,050 ms instead of 550.
function drawSlice(lines: readonly (readonly DrawnCell[])[], layout: Layout, style: TableStyle): string {
  const cells = lines.map((line) => line.map((cell, index) => fitCell(cell, index, layout, style)));
  const drawn = cells.map((line) =>
    line.map((cell, index) => pad(cell, index, layout, style)).join(' '.repeat(gap)),
  );
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: [standIn.length],
  });
  table.push(...drawn.map(() => [standIn]));
  return `${table.toString().replaceAll(standIn, () => drawn.shift() ?? '')}\n`;
}

function pad(cell: DrawnCell, index: number, { columns, widths }: Layout, style: TableStyle): string {
  const drawn = cell.style === undefined ? cell.text : style.paint(cell.text, cell.style);
  const space = ' '.repeat((widths[index] ?? 0) - widthOf(cell.text));
  const kind = columns[index]?.kind;
  return kind === 'money' || kind === 'integer' ? space + drawn : drawn + space;
}

function fitCell(cell: DrawnCell, index: number, { columns, widths }: Layout, style: TableStyle): DrawnCell {
  const width = widths[index] ?? 0;
  const text = shownText(cell);
  const fits = widthOf(text) <= width || !isCut(columns[index], style.width);
  return { ...cell, text: fits ? text : cut(text, width) };
}

// A text of marks alone has no width, and would be drawn on top of the text before it.
function shownText({ text }: DrawnCell): string {
  return text !== '' && widthOf(text) === 0 ? '\ufffd' : text;
}

function shownWidth(cell: DrawnCell = empty): number {
  return widthOf(shownText(cell));
}

const edges = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((edge) => [edge, `${edge}-mid`]);
const corners = ['top', 'bottom'].flatMap((edge) => [`${edge}-left`, `${edge}-right`]);
const borderless = Object.fromEntries([...edges, ...corners].map((name) => [name, '']));

// The cells between two columns.
const gap = 2;

// If not all columns fit, these kinds stay first.
const importance: readonly ValueKind[] = ['id', 'money', 'status', 'time', 'integer', 'card', 'text', 'flag'];
// Cells of these kinds may be cut. Ids, amounts and times are shown whole or not at all.
const shrinkable: ReadonlySet<ValueKind> = new Set<ValueKind>(['text', 'status', 'card', 'flag']);
const smallest = 6;

interface Fitted {
  /** Indexes of the columns that are shown. */
  readonly shown: readonly number[];
  /** The width of each shown column. */
  readonly widths: readonly number[];
}

function mayShrink(kind: ValueKind): boolean {
  return shrinkable.has(kind);
}

// Fits columns into a terminal. `natural` are the widths that they would need. Text is cut; if that is not enough, columns are
// left out.
function fitColumns(columns: readonly Column[], natural: readonly number[], width: number): Fitted {
  const least = columns.map((column, index) => leastOf(column, natural[index] ?? 0));
  const chosen: number[] = [];
  for (const index of mostImportant(columns)) {
    // The first column is shown even if it is wider than the terminal, because an id is never cut.
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

// The indexes of the columns, the most important ones first: columns that always stay, then by kind, then in their order.
function mostImportant(columns: readonly Column[]): readonly number[] {
  const rank = (index: number): number =>
    columns[index]?.stays === true ? -1 : importance.indexOf(kindAt(columns, index));
  return columns.map((_, index) => index).toSorted((a, b) => rank(a) - rank(b) || a - b);
}

// Shrinks columns until a line fits: the widest one that may shrink loses one cell at a time.
function shrunk(columns: readonly Column[], natural: readonly number[], width: number): readonly number[] {
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
    // A column wider than the terminal comes down to it in one step, so that a megabyte takes no million steps.
    const step = Math.max(1, (widths[widest] ?? 0) - width);
    widths[widest] = (widths[widest] ?? 0) - step;
    over -= step;
  }
  return widths;
}
