/** Draws charts as text: bars, sparklines and calendars. They work with exact figures, and even the smallest one can be seen. Pure. */

import { daysFrom, type TimeUnit, timeUnits, unitOf, unitsFrom, weekdayOf, weekOf } from './buckets.ts';
import { type Figure, largestOf, plus } from './exact-sum.ts';

/** The signs that a chart is drawn with: parts of blocks, or ASCII signs where those cannot be shown. */
export type Signs = 'blocks' | 'plain';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const levels: Readonly<Record<Signs, readonly string[]>> = {
  blocks: ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  // No digits: a row of those would be read as one more amount.
  plain: ['.', ':', '-', '=', '+', '*', '#'],
};

/** What a heading says about the signs: ASCII signs do not show by themselves which one means more, so all are named, the least first. */
export function legendOf(signs: Signs): string {
  return signs === 'blocks' ? '' : ` (${levels.plain.join('')})`;
}

/** A bar of at most `room` cells, whose full length stands for `largest`. A figure above 0 always shows. */
export function bar(figure: Figure, largest: Figure, room: number, signs: Signs): string {
  if (figure <= 0 || largest <= 0 || room <= 0) return '';
  const parts = signs === 'blocks' ? 8 : 1;
  const length = Number((BigInt(figure) * BigInt(room * parts)) / BigInt(largest));
  const shown = Math.min(Math.max(1, length), room * parts);
  if (signs === 'plain') return '#'.repeat(shown);
  return '█'.repeat(Math.floor(shown / 8)) + (eighths[shown % 8] ?? '');
}

/** One sign for each figure, from the lowest to the highest. 0 is a dot, and a figure above 0 always shows. */
export function sparkline(figures: readonly Figure[], signs: Signs): string {
  const largest = largestOf(figures);
  return figures.map((figure) => level(figure, largest, signs)).join('');
}

function level(figure: Figure, largest: Figure, signs: Signs): string {
  const marks = levels[signs];
  const top = marks.length - 1;
  if (figure <= 0 || largest <= 0) return marks[0] ?? '';
  const height = Number((BigInt(figure) * BigInt(top) + BigInt(largest) - 1n) / BigInt(largest));
  return marks[Math.min(Math.max(1, height), top)] ?? '';
}

/** Figures by day, and the days that a chart of them shows. */
export interface Series {
  readonly first: string;
  readonly last: string;
  readonly figures: ReadonlyMap<string, Figure>;
}

/**
 * A sparkline of a series in at most `room` cells: one for each day, or else for each week or month. Undefined if not even the
 * months fit.
 */
export function sparklineOf(
  series: Series,
  room: number,
  signs: Signs,
): { readonly unit: TimeUnit; readonly text: string } | undefined {
  for (const unit of timeUnits) {
    const units = unitsFrom(series.first, series.last, unit);
    if (units.length > room) continue;
    const sums = inUnits(series, unit);
    return {
      unit,
      text: sparkline(
        units.map((one) => sums.get(one) ?? 0),
        signs,
      ),
    };
  }
  return undefined;
}

function inUnits({ figures }: Series, unit: TimeUnit): ReadonlyMap<string, Figure> {
  const sums = new Map<string, Figure>();
  for (const [day, figure] of figures) {
    const key = unitOf(day, unit);
    sums.set(key, plus(sums.get(key) ?? 0, figure));
  }
  return sums;
}

/** A calendar: a line for each week, with its name, and one sign for each day from Monday on. Days outside the series are blank. */
export function calendar(
  { first, last, figures }: Series,
  signs: Signs,
): readonly { readonly week: string; readonly days: readonly string[] }[] {
  const days = daysFrom(first, last);
  const largest = largestOf(days.map((day) => figures.get(day) ?? 0));
  return [...Map.groupBy(days, weekOf)].map(([week, own]) => {
    const marks = new Map(own.map((day) => [weekdayOf(day), level(figures.get(day) ?? 0, largest, signs)]));
    return { week, days: Array.from({ length: 7 }, (_, index) => marks.get(index) ?? ' ') };
  });
}
