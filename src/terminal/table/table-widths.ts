/** Decides how wide the columns of a table are, and which of them a terminal has room for. Pure. */

import type { Column, ValueKind } from '../../api/resources.ts';
import { statuses } from '../../api/spec.ts';

/** How many cells are between two columns. */
export const gap = 2;

// If not all columns fit, these kinds stay first.
const importance: readonly ValueKind[] = [
  'id',
  'money',
  'status',
  'time',
  'localTime',
  'figure',
  'sum',
  'integer',
  'card',
  'link',
  'text',
  'flag',
];
// In a list that is complete, columns of these kinds are shown only if no column that stays has to be cut for them.
const extras: ReadonlySet<ValueKind> = new Set<ValueKind>(['text', 'flag', 'link']);
// Cells of these kinds may be cut. Ids, links, amounts and times are shown whole or not at all.
const shrinkable: ReadonlySet<ValueKind> = new Set<ValueKind>(['text', 'status', 'card', 'flag']);
/** A text that is cut keeps at least this many cells. */
export const smallest = 6;
// With fewer cells, `refunded` and other words cannot be told apart. A column that stays needs even more.
export const smallestStatus = 8;
const smallestStays = 11;
/** A card keeps at least this many cells: `split` or `*4242`. */
export const smallestCard = 5;
// If a page has longer amounts than usual, texts are cut further before a column is dropped.
const bareText = 3;
const bareStatus = 6;

/**
 * A column, and the width of the widest of its cells that are never cut. `short`: the same for words of a status that are so short
 * that cutting them saves next to nothing, such as `refunded`.
 */
export type FittedColumn = Column & { readonly uncut?: number; readonly short?: number };

const rightAligned: ReadonlySet<ValueKind> = new Set<ValueKind>(['money', 'figure', 'sum', 'integer']);

/** Whether a value of this kind is right-aligned in its column. */
export function isRightAligned(kind: ValueKind): boolean {
  return rightAligned.has(kind);
}

/** Whether a value of this kind may be cut. */
export function mayShrink(kind: ValueKind): boolean {
  return shrinkable.has(kind);
}

/**
 * Fits columns into a terminal. `natural` are the widths that they would need. Text is cut; if that is not enough, columns
 * are left out. With `usual` (`usualWidths`), the widths that pages usually have decide which columns there are, so that all
 * pages of a list have the same ones.
 */
export function fitColumns(
  columns: readonly FittedColumn[],
  natural: readonly number[],
  { width, usual }: { readonly width: number; readonly usual: readonly number[] | undefined },
) {
  const least = columns.map((column, index) => leastOf(column, natural[index] ?? 0));
  const barely = columns.map((column, index) => barelyOf(column, natural[index] ?? 0));
  const chosen: number[] = [];
  for (const index of mostImportant(columns)) {
    const isExtra = extras.has(kindAt(columns, index)) && columns[index]?.stays !== true;
    const inFull = (one: number) => isExtra && columns[one]?.stays === true;
    const needed = (one: number): number => (inFull(one) ? natural[one] : least[one]) ?? 0;
    const all = [...chosen, index];
    const fits =
      usual === undefined
        ? total(all.map(needed)) <= width
        : total(all.map((one) => usual[one] ?? 0)) <= width &&
          total(all.map((one) => barely[one] ?? 0)) <= width;
    // The first column is shown even if it is wider than the terminal, because an id is never cut.
    if (chosen.length === 0 || fits) chosen.push(index);
  }
  const shown = chosen.toSorted((a, b) => a - b);
  const shownColumns = shown.flatMap((index) => columns[index] ?? []);
  const widths = shown.map((index) => natural[index] ?? 0);
  return {
    /** Indexes of the columns that are shown. */
    shown,
    /** The width of each shown column. */
    widths: shrunk(shownColumns, widths, width),
  };
}

/** What cells say, as far as it changes how wide they usually are. */
export interface UsualCells {
  /** The currency is in the heading. */
  readonly brief: boolean;
  /** The profile declares decimals, and cells show them next to the service's integer, or only them. */
  readonly decimals: 'none' | 'beside' | 'alone';
  /** A time with a short title is only a clock or only a day. */
  readonly dayOrClock: boolean;
}

/**
 * How wide columns must be for what the pages of a list usually show, apart from the text that may be cut. Ids and headings
 * count with the widths that they have (`natural`, `titles`): they are alike on all pages.
 */
export function usualWidths(
  columns: readonly Column[],
  cells: UsualCells,
  { natural, titles }: { readonly natural: readonly number[]; readonly titles: readonly number[] },
): readonly number[] {
  return columns.map((column, index) => {
    const { kind, stays, least } = column;
    if (kind === 'id' || kind === 'link') return natural[index] ?? 0;
    const dayOrClock = cells.dayOrClock && hasShortTime(column);
    const own = usualCell(kind, { ...cells, dayOrClock }).length;
    if (!mayShrink(kind)) return Math.max(own, titles[index] ?? 0);
    return Math.max(own, least ?? (stays === true ? smallestStays : 0));
  });
}

/** Whether the times of a column may lose their clock or their day. */
export function hasShortTime({ kind, brief }: Column): boolean {
  return kind === 'time' && brief?.title !== undefined;
}

function usualCell(
  kind: Exclude<ValueKind, 'id' | 'link'>,
  { brief, decimals, dayOrClock }: UsualCells,
): string {
  switch (kind) {
    case 'money':
      if (decimals === 'alone') return '12345.67';
      return `${brief ? '1234567' : '1234567 MXN'}${decimals === 'none' ? '' : ' (12345.67)'}`;
    case 'figure':
    case 'sum':
      if (decimals === 'alone') return '-1234.56';
      return `${brief ? '-123456' : '-1234567'}${decimals === 'none' ? '' : ' (-1234.56)'}`;
    case 'time':
      return dayOrClock ? '20 Nov' : '20 Nov 18:42';
    case 'localTime':
      return '2026-11-20T18:42:51-06:00';
    case 'integer':
    case 'percent':
      return '1234';
    case 'status':
      return 'part_ref';
    case 'card':
      return 'split';
    case 'text':
    case 'flag':
      return 'Ana T…';
  }
}

function leastOf({ kind, stays, least: wanted, uncut = 0 }: FittedColumn, own: number): number {
  if (!mayShrink(kind)) return own;
  const usual =
    kind === 'card'
      ? smallestCard
      : stays === true
        ? smallestStays
        : kind === 'status'
          ? smallestStatus
          : smallest;
  return Math.min(own, Math.max(wanted ?? usual, uncut));
}

function barelyOf(column: FittedColumn, own: number): number {
  const { kind, uncut = 0, short = 0 } = column;
  if (!mayShrink(kind) || kind === 'card') return leastOf(column, own);
  return Math.min(own, Math.max(kind === 'status' ? bareStatus : bareText, uncut, short));
}

function kindAt(columns: readonly Column[], index: number): ValueKind {
  return columns[index]?.kind ?? 'text';
}

/** The width of a line with columns of these widths. */
export function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

// The indexes of the columns, the most important ones first: columns that always stay, early ones, then by kind, then in their order.
function mostImportant(columns: readonly Column[]): readonly number[] {
  const rank = (index: number): number =>
    columns[index]?.stays === true
      ? -2
      : columns[index]?.early === true
        ? -1
        : importance.indexOf(kindAt(columns, index));
  return columns.map((_, index) => index).toSorted((a, b) => rank(a) - rank(b) || a - b);
}

/**
 * Shrinks columns until a line fits: the widest one that may shrink loses one cell at a time. Columns that stay lose theirs
 * last. If that is not enough, all of them lose more.
 */
export function shrunk(
  columns: readonly FittedColumn[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const least = columns.map((column, index) => leastOf(column, natural[index] ?? 0));
  const barely = columns.map((column, index) => barelyOf(column, natural[index] ?? 0));
  return shrunkTo(columns, shrunkTo(columns, natural, least, width), barely, width);
}

function shrunkTo(
  columns: readonly Column[],
  from: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...from];
  let over = total(widths) - width;
  while (over > 0) {
    const shrinking = columns.flatMap(({ kind }, index) =>
      mayShrink(kind) && (widths[index] ?? 0) > (least[index] ?? 0) ? [index] : [],
    );
    const passing = shrinking.filter((index) => columns[index]?.stays !== true);
    const [widest] = (passing.length > 0 ? passing : shrinking).toSorted(
      (a, b) => (widths[b] ?? 0) - (widths[a] ?? 0) || a - b,
    );
    if (widest === undefined) break;
    // A column wider than the terminal is shrunk to its width in one step, so that a megabyte does not take a million steps.
    const step = Math.max(1, (widths[widest] ?? 0) - width);
    widths[widest] = (widths[widest] ?? 0) - step;
    over -= step;
  }
  return widths;
}

// What later pages may show that the first page does not: the year of a time, the longest documented status, more digits, a longer text.
const roomFor: Readonly<Record<ValueKind, (natural: number) => number>> = {
  id: (natural) => natural,
  time: (natural) => Math.max(natural, '20 Nov 2026 18:42'.length),
  localTime: (natural) => natural,
  status: (natural) => Math.max(natural, statuses.partiallyRefunded.length),
  money: (natural) => Math.max(natural + 2, '123456789 MXN'.length),
  figure: (natural) => Math.max(natural + 2, '-123456789'.length),
  sum: (natural) => natural,
  integer: (natural) => natural + 2,
  percent: (natural) => natural + 2,
  card: (natural) => Math.max(natural, 'split'.length),
  text: (natural) => Math.max(natural, 24),
  flag: (natural) => Math.max(natural, 'false'.length),
  link: (natural) => natural,
};

/**
 * Widens columns for what later pages may show, the most important columns first, as far as the terminal has room. Without a
 * terminal there is room for all.
 */
export function withReserve(
  columns: readonly Column[],
  widths: readonly number[],
  width = Number.POSITIVE_INFINITY,
): readonly number[] {
  const wider = [...widths];
  for (const index of mostImportant(columns.map(({ early: _, ...column }) => column))) {
    const own = widths[index] ?? 0;
    const left = Math.max(0, width - total(wider));
    wider[index] = Math.min(roomFor[kindAt(columns, index)](own), own + left);
  }
  return wider;
}
