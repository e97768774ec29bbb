/** Draws tables for people, page by page: what headings and cells say, and what goes below a row. */

import { placesOf } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { Column } from '../../api/resources.ts';
import { currencyPattern } from '../../api/spec.ts';
import type { ListFormat } from '../list-format.ts';
import type { Style } from '../terminal.ts';
import { cut, ellipsis, isOutgoing, statusStyle } from '../text-lines.ts';
import { absent, type Brief, currencyOf, type Reading, showValue, unitsMark } from './shown-values.ts';
import { firstLayout, type Level, type LevelLayout, type PagesStyle, short } from './table-levels.ts';
import { type DrawnCell, drawBelow, drawLines, empty, type LineStyle } from './table-lines.ts';
import { gap, hasShortTime, mayShrink, smallest } from './table-widths.ts';

/** How a table is drawn. */
export interface TableStyle extends LineStyle, PagesStyle {
  readonly header: boolean;
  readonly clean: (text: string) => string;
  /** Called if some amounts are shown with `unitsMark`, or all of them only in the service's units. */
  readonly onUnits?: ((which: 'marked' | 'all') => void) | undefined;
  /** The titles of columns that only a wider terminal has, and about which a reader is told. */
  readonly unseen: readonly string[];
  /** Called with the titles of the columns that do not fit on the terminal. */
  readonly onLeftOut?: ((titles: readonly string[]) => void) | undefined;
}

/** What headings say about all rows, so that a row says only what is different. */
interface Heading {
  /** The offset of times. */
  readonly offset: string;
  readonly currency: string | undefined;
}

/** A table that is drawn page by page. The first page sets the places of the columns, and later pages keep to them. */
export function drawTable(columns: readonly Column[], style: TableStyle): ListFormat {
  let layout: LevelLayout | undefined;
  let heading: Heading | undefined;

  return {
    page(page) {
      if (page.length === 0) return '';
      const records = page.map(({ value }) => value);
      heading ??= {
        offset: headingOffset(columns, records, style.reading),
        currency: headingCurrency(columns, records, style.reading),
      };
      const says = heading;
      const titlesAt = (level: Level): readonly DrawnCell[] =>
        columns.map((column) => ({ text: title(column, says, level), style: 'strong' }));
      const rowsAt = (level: Level) =>
        records.map((record) => columns.map((column) => cellOf(column, record, { says, style, level })));
      const first = layout === undefined;
      layout ??= firstLayout(columns, (level) => [titlesAt(level), ...rowsAt(level)], {
        ...style,
        alone: formAlone(columns, records, style.reading),
      });
      const { level } = layout;
      const shown = layout.columns.map((column) => columns.indexOf(column));
      const leftOut = columns.filter((_, index) => !shown.includes(index));
      const below = leftOut.filter(({ below: words, isAsked }) => words !== undefined || isAsked === true);
      const missed = leftOut.filter((column) => !below.includes(column)).map((column) => column.title);
      const unseen = [...missed, ...style.unseen];
      if (first && unseen.length > 0) style.onLeftOut?.(unseen);
      const rows = rowsAt(level);
      if (level.alone === 'units') style.onUnits?.('all');
      else if (
        level.alone === 'decimals' &&
        rows.some((row) => row.some((cell, index) => isMarked(cell, columns[index])))
      )
        style.onUnits?.('marked');
      const inLine = (line: readonly DrawnCell[]) => shown.map((index) => line[index] ?? empty);
      const drawn = drawLines([titlesAt(level), ...rows].map(inLine), layout, style);
      const [titles = '', ...lines] = drawn;
      const indent = (layout.widths[0] ?? 0) + gap;
      const whole = lines.map((line, at) => line + belowRow(below, records[at] ?? {}, indent, style));
      return `${first && style.header ? titles : ''}${whole.join('')}`;
    },
    end: () => '',
  };
}

// What has no room in the row, under its second column.
function belowRow(columns: readonly Column[], record: JsonObject, indent: number, style: TableStyle): string {
  const says = { offset: '', currency: undefined };
  const room = Math.max(smallest, (style.width ?? Number.POSITIVE_INFINITY) - indent);
  const parts = columns.flatMap((column): readonly DrawnCell[] => {
    const { text, style: own } = cellOf(column, record, { says, style, level: short });
    const words = `${column.below?.(record) ?? column.title.toLowerCase()} ${text}`;
    return text === absent && column.isAsked !== true
      ? []
      : [{ text: mayShrink(column.kind) ? cut(words, room) : words, style: own }];
  });
  return drawBelow(parts, indent, style);
}

function isMarked({ text }: DrawnCell, column: Column | undefined): boolean {
  return (column?.kind === 'money' || column?.kind === 'figure') && text.includes(unitsMark);
}

function title(column: Column, { offset, currency }: Heading, level: Level): string {
  const { kind, title: whole, brief } = column;
  if (kind === 'time') return `${level.dayOrClock && hasShortTime(column) ? brief?.title : whole} ${offset}`;
  if (kind === 'money')
    return level.isBrief && currency !== undefined ? [brief?.title ?? [], currency].flat().join(' ') : whole;
  return level.isShort ? (brief?.title ?? whole) : whole;
}

function briefAt(level: Level, column: Column, currency: string | undefined): Brief | undefined {
  const { isBrief, alone } = level;
  if (!isBrief) return undefined;
  return { currency, alone, dayOrClock: level.dayOrClock && hasShortTime(column) };
}

// No heading may cover amounts in decimals and in the service's units: then each cell has its currency.
function headingCurrency(
  columns: readonly Column[],
  records: readonly JsonObject[],
  reading: Reading,
): string | undefined {
  const currency = mostCommon(records.map(currencyOf));
  const alike = records.filter((record) => currencyOf(record) === currency);
  return hasTwoForms(alike, placesBy(columns, reading)) ? undefined : currency;
}

// Amounts that are shown only in decimals would be misread next to others in the service's units. Amounts of one currency have both
// forms if profiles declare different decimals for it.
function formAlone(
  columns: readonly Column[],
  records: readonly JsonObject[],
  reading: Reading,
): Level['alone'] {
  const places = placesBy(columns, reading);
  if (hasTwoForms(records, places)) return undefined;
  const withCurrency = records.filter((record) => currencyOf(record) !== undefined);
  return new Set(withCurrency.map((record) => places(record) !== undefined)).size > 1 ? 'units' : 'decimals';
}

type Places = (record: JsonObject) => number | undefined;

// How many decimals are declared for the amounts of a record: those of another profile may have others.
function placesBy(columns: readonly Column[], { amounts }: Reading): Places {
  const styleOf = columns.find(({ kind }) => kind === 'money')?.amountsOf ?? (() => amounts);
  return (record) => placesOf(currencyOf(record), styleOf(record));
}

// Whether amounts of one currency are shown with different decimals.
function hasTwoForms(records: readonly JsonObject[], places: Places): boolean {
  const byCurrency = Map.groupBy(records, currencyOf);
  return [...byCurrency.values()].some((alike) => new Set(alike.map(places)).size > 1);
}

// A text that is not a currency code stays in its own cell.
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
  const read = (level.isShort ? column.brief?.value : undefined) ?? column.value;
  const value = read(record, style.reading.referenceKeys);
  const shown = showValue(value, column, record, style.reading, briefAt(level, column, currency));
  const { times } = style.reading;
  // Summer and winter may have two offsets. A time with another offset than the heading says its own.
  const ownOffset = column.kind === 'time' && times.valid(value) ? times.offset(value) : offset;
  const text = ownOffset === offset ? shown.text : `${shown.text} ${ownOffset}`;
  const warning = column.warning?.(record);
  const styled = shown.missing ? 'faint' : shown.odd ? 'warn' : byMeaning(column.kind, text, warning);
  return { text: cleanText(text, column, style), style: styled, whole: warning !== undefined };
}

function byMeaning(kind: Column['kind'], text: string, warning: Style | undefined): Style | undefined {
  if (kind === 'status') return warning ?? statusStyle(text);
  return (kind === 'money' || kind === 'figure') && isOutgoing(text) ? 'out' : undefined;
}

// A text that will be cut is not measured to its end, so that a megabyte costs no more than a line.
function cleanText(text: string, column: Column, { width, clean }: TableStyle): string {
  if (width === undefined || !mayShrink(column.kind)) return clean(text);
  const start = text.slice(0, width * 40);
  return start.length === text.length ? clean(text) : cut(clean(start) + ellipsis, width);
}
