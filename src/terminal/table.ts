/** Draws tables for people: columns two spaces apart, without boxes, page by page. */

import Table from 'cli-table3';
import type { Column } from '../api/resources.ts';
import { currencyPattern, type JsonObject } from '../api/spec.ts';
import type { Paint } from './color.ts';
import { type Brief, currencyOf, type Reading, showValue } from './columns.ts';
import type { ListFormat } from './list-format.ts';
import { isOutgoing, statusStyle } from './meaning.ts';
import {
  fitColumns,
  gap,
  isRightAligned,
  mayShrink,
  shrunk,
  smallest,
  total,
  withReserve,
} from './table-widths.ts';
import type { Style } from './terminal.ts';
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
  /** More than one page may follow, so columns keep room for what later pages may show. */
  readonly manyPages: boolean;
  readonly paint: Paint;
  readonly reading: Reading;
  readonly clean: (text: string) => string;
  /** Called with the titles of the columns that do not fit on the terminal. */
  readonly onLeftOut?: ((titles: readonly string[]) => void) | undefined;
}

interface DrawnCell {
  readonly text: string;
  readonly style: Style | undefined;
}

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

/**
 * How much cells say: all; or short titles and texts; or also amounts with their currency in the heading, and
 * dates of other years; or of these amounts only the decimals that are declared. A terminal gets the first of these with which it has room for the most.
 */
const levels = ['full', 'short', 'shorter', 'decimals'] as const;
type Level = (typeof levels)[number];

/** What headings say of all rows, so that a row says only what is different. */
interface Heading {
  /** The offset of times. */
  readonly offset: string;
  readonly currency: string | undefined;
}

/** A table that is drawn page by page. The first page sets the places of the columns, and later pages keep to them. */
export function drawTable(columns: readonly Column[], style: TableStyle): ListFormat {
  let layout: (Layout & { readonly level: Level }) | undefined;
  let heading: Heading | undefined;

  return {
    page(page) {
      if (page.length === 0) return '';
      const records = page.map(({ value }) => value);
      heading ??= {
        offset: headingOffset(columns, records, style.reading),
        currency: mostCommon(records.map(currencyOf)),
      };
      const says = heading;
      const titlesAt = (level: Level): readonly DrawnCell[] =>
        columns.map((column) => ({ text: title(column, says, level), style: 'strong' }));
      const rowsAt = (level: Level) =>
        records.map((record) => columns.map((column) => cellOf(column, record, { says, style, level })));
      const first = layout === undefined;
      layout ??= firstLayout(columns, (level) => [titlesAt(level), ...rowsAt(level)], style);
      const { level } = layout;
      const shown = layout.columns.map((column) => columns.indexOf(column));
      if (first && shown.length < columns.length)
        style.onLeftOut?.(missed(columns.filter((_, index) => !shown.includes(index))));
      const lines = first && style.header ? [titlesAt(level), ...rowsAt(level)] : rowsAt(level);
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

// The columns that somebody misses who knows the table. A column that only wide terminals have is not among them.
function missed(columns: readonly Column[]): readonly string[] {
  return columns.filter(({ tableFrom = 0 }) => tableFrom === 0).map((column) => column.title);
}

function title({ kind, title: full, brief }: Column, { offset, currency }: Heading, level: Level): string {
  if (kind === 'time') return `${full} ${offset}`;
  if (kind === 'money' && briefAt(level, currency) !== undefined && currency !== undefined) return currency;
  return level === 'full' ? full : (brief?.title ?? full);
}

function briefAt(level: Level, currency: string | undefined): Brief | undefined {
  if (level !== 'shorter' && level !== 'decimals') return undefined;
  return { currency, decimalsAlone: level === 'decimals' };
}

// Anything else than a currency code stays in its own cell.
function mostCommon(currencies: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const one of currencies)
    if (one !== undefined && currencyPattern.test(one)) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
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
  {
    says: { offset, currency },
    style,
    level,
  }: { readonly says: Heading; readonly style: TableStyle; readonly level: Level },
): DrawnCell {
  const read = (level === 'full' ? undefined : column.brief?.value) ?? column.value;
  const value = read(record, style.reading.referenceKeys);
  const shown = showValue(value, column, record, style.reading, briefAt(level, currency));
  const { times } = style.reading;
  // Summer and winter may have two offsets. A time with another offset than the heading says its own.
  const ownOffset = column.kind === 'time' && times.valid(value) ? times.offset(value) : offset;
  const text = ownOffset === offset ? shown.text : `${shown.text} ${ownOffset}`;
  const styled = shown.missing ? 'faint' : shown.odd ? 'warn' : byMeaning(column.kind, text);
  return { text: cleanText(text, column, style), style: styled };
}

function byMeaning(kind: Column['kind'], text: string): Style | undefined {
  if (kind === 'status') return statusStyle(text);
  return (kind === 'money' || kind === 'figure') && isOutgoing(text) ? 'out' : undefined;
}

// A text that will be cut is not measured to its end, so that a megabyte costs no more than a line.
function cleanText(text: string, column: Column, { width, clean }: TableStyle): string {
  if (width === undefined || !mayShrink(column.kind)) return clean(text);
  const start = text.slice(0, width * 40);
  return start.length === text.length ? clean(text) : cut(clean(start) + ellipsis, width);
}

// Without a terminal everything is shown in full.
function firstLayout(
  columns: readonly Column[],
  linesAt: (level: Level) => readonly (readonly DrawnCell[])[],
  { width, manyPages }: TableStyle,
): Layout & { readonly level: Level } {
  let best = fittedAt('full', columns, linesAt('full'), { width, manyPages });
  for (const level of levels.slice(1)) {
    if (best.leftOut + best.cut === 0) break;
    const other = fittedAt(level, columns, linesAt(level), { width, manyPages });
    // The service's own integers are given up for a whole column only.
    const isBetter =
      level === 'decimals'
        ? other.leftOut < best.leftOut
        : other.leftOut + other.cut < best.leftOut + best.cut;
    if (isBetter) best = other;
  }
  const { level, widths } = best;
  const fitting = best.shown.flatMap((index) => columns[index] ?? []);
  return { level, columns: fitting, widths: manyPages ? withReserve(fitting, widths, width) : widths };
}

// `leftOut`: how many columns have no room. `cut`: what part is cut of the status or of a column that stays, below 1.
function fittedAt(
  level: Level,
  columns: readonly Column[],
  lines: readonly (readonly DrawnCell[])[],
  { width, manyPages }: Pick<TableStyle, 'width' | 'manyPages'>,
) {
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => shownWidth(line[index]))));
  if (width === undefined) return { level, shown: [...columns.keys()], widths: natural, leftOut: 0, cut: 0 };
  const reserve = manyPages ? (briefAt(level, undefined) === undefined ? 'full' : 'short') : undefined;
  const { shown, widths } = fitColumns(columns, natural, { width, reserve });
  const cuts = shown.map((one, at) => {
    const matters = columns[one]?.stays === true || columns[one]?.kind === 'status';
    return matters ? 1 - (widths[at] ?? 0) / Math.max(1, natural[one] ?? 0) : 0;
  });
  return { level, shown, widths, leftOut: columns.length - shown.length, cut: Math.max(0, ...cuts) };
}

function isCut(column: Column | undefined, width: number | undefined): boolean {
  return width !== undefined && mayShrink(column?.kind ?? 'text');
}

function draw(lines: readonly (readonly DrawnCell[])[], layout: Layout, style: TableStyle): string {
  let text = '';
  for (let start = 0; start < lines.length; start += sliceRows) {
    const slice = lines.slice(start, start + sliceRows);
    text += drawSlice(slice, layout, style);
  }
  return text;
}

// cli-table3 gets one stand-in per line. With the real cells it would print the same bytes, but would copy its settings and
// measure for each cell: 20 orders would take 44 ms of CPU instead of 28, and 5,000 would take 2,050 ms instead of 550.
function drawSlice(lines: readonly (readonly DrawnCell[])[], layout: Layout, style: TableStyle): string {
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
function drawLine(line: readonly DrawnCell[], layout: Layout, style: TableStyle): string {
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
  style: TableStyle,
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
