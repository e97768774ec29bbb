/** The first part of the screen of a summary: sums for each currency and the lines of a split, with their charts where there is room. */

import { type AmountStyle, figureWords } from '../../amounts.ts';
import type { Context } from '../../context/context.ts';
import {
  bar,
  calendar,
  type DaysByCurrency,
  type Figure,
  isTimeUnit,
  type Line,
  largestOf,
  legendOf,
  type Series,
  type Signs,
  type Split,
  type Summary,
  sparklineOf,
} from '../../reports/reports.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Chart } from './report-flags.ts';
import type { Source } from './report-source.ts';
import { bucketsWords, currencyWord, titleLine } from './report-words.ts';

/** What kind of chart is drawn, and with which characters. */
interface Drawing {
  readonly kind: Exclude<Chart, 'none'>;
  readonly signs: Signs;
}

/** What is summed up, and how it is shown. */
interface Summed<Name extends string> {
  readonly title: string;
  readonly by: Split;
  readonly chart: Chart | undefined;
  readonly columns: readonly FigureColumn<Name>[];
  /** The columns for the lines of the split, if they differ from the others. */
  readonly split?: readonly FigureColumn<Name>[];
  readonly bars: Name;
}

/** The title, the sums and their split. Without `days`, no days are drawn. */
export function summaryBlocks<Name extends string>(
  ctx: Context,
  source: Source,
  { title, by, chart = 'auto', columns, split = columns, bars }: Summed<Name>,
  { totals, buckets, days }: Pick<Summary<Name>, 'totals' | 'buckets'> & Partial<Pick<Summary<Name>, 'days'>>,
): readonly Block[] {
  const { charts } = ctx.out;
  const drawing = chart === 'none' || charts === 'none' ? undefined : { kind: chart, signs: charts };
  const series = days === undefined ? () => undefined : seriesOf(days, source);
  const isBeside = days !== undefined && !(isTimeUnit(by) && drawing?.kind === 'auto');
  return [
    titleLine(ctx, title, source),
    totalsGrid(totals, columns, series, isBeside ? drawing : undefined),
    ...bucketsGrids(`BY ${[by].flat().join(', ').toUpperCase()}`, buckets, split, {
      by: bars,
      drawing,
      nameOf: (bucket) => bucketsWords(source, bucket, by),
    }),
    ...calendarGrids(
      totals.map(({ currency }) => currency),
      series,
      drawing,
    ),
  ];
}

/** A column of figures. A figure with a currency is an amount. */
export interface FigureColumn<Name extends string> {
  readonly title: string;
  readonly cell: (line: Line<Name>) => string;
}

/** A column that shows the sums with this name as they are: a count, or an amount. */
export function countColumn<Name extends string>(title: string, name: Name): FigureColumn<Name> {
  return { title, cell: ({ sums }) => String(sums[name]) };
}

export function amountColumn<Name extends string>(
  title: string,
  name: Name,
  style: AmountStyle,
): FigureColumn<Name> {
  return { title, cell: ({ sums, currency }) => figureWords(sums[name], currency, style) };
}

// A line for each currency, with a sparkline of its days next to it.
function totalsGrid<Name extends string>(
  totals: readonly Line<Name>[],
  columns: readonly FigureColumn<Name>[],
  series: (currency: string) => Series | undefined,
  drawing: Drawing | undefined,
): Block {
  const none: readonly string[] = [
    '-',
    '0',
    ...columns.slice(1).map((_, index) => (index === 0 ? '0' : '-')),
  ];
  const grid: readonly (readonly string[])[] = [
    ['', ...columns.map(({ title }) => title)],
    ...(totals.length === 0
      ? [none]
      : totals.map((line) => [currencyWord(line.currency), ...columns.map(({ cell }) => cell(line))])),
  ];
  const right = columns.map((_, index) => index + 1);
  const block = { grid, right, indent: 2, narrow: oneLineEach(grid) };
  if (drawing === undefined || !['auto', 'spark'].includes(drawing.kind)) return block;
  const drawn = totals.map((line) => series(line.currency ?? ''));
  const unitAt = (room: number) =>
    drawn.map((one) => one && sparklineOf(one, room, drawing.signs)?.unit).find((unit) => unit !== undefined);
  return {
    ...block,
    beside: [
      (room) => withLegend(titles[unitAt(room) ?? 'none'], drawing.signs, room),
      ...drawn.map((one) => (room: number) => (one && sparklineOf(one, room, drawing.signs)?.text) ?? ''),
    ],
  };
}

// A grid for a narrow screen: the name of each row, and below it one line for each of its figures. The figures are right-aligned.
function oneLineEach(grid: readonly (readonly string[])[]): readonly Block[] {
  const [[, ...titles] = [], ...rows] = grid;
  const figures = (row: readonly string[]) => titles.map((title, index) => [title, row[index + 1] ?? '']);
  const widths = [0, 1].map((column) =>
    Math.max(...rows.flatMap((row) => figures(row).map((cells) => cells[column]?.length ?? 0))),
  );
  return rows.flatMap((row): Block[] => [
    { line: row[0]?.trimStart() ?? '', indent: 2 },
    ...figures(row).map(([title = '', figure = '']): Block => {
      const text = `${title.padEnd(widths[0] ?? 0)}  ${figure.padStart(widths[1] ?? 0)}`;
      return { line: text, indent: 4 };
    }),
  ]);
}

const titles = { day: 'A DAY', week: 'A WEEK', month: 'A MONTH', none: '' } as const;

function withLegend(title: string, signs: Signs, room = Number.POSITIVE_INFINITY): string {
  const whole = title + legendOf(signs);
  return title === '' || whole.length > room ? title : whole;
}

// The days of a currency as a series; undefined for a period of one day.
function seriesOf(
  days: DaysByCurrency,
  { days: zone, range, reachesTo }: Source,
): (currency: string) => Series | undefined {
  const known = [...days.values()].flatMap((figures) => [...figures.keys()]).toSorted();
  const first = range.since === undefined ? known[0] : zone.day(Math.ceil(range.since / 1000));
  const end = Math.min(range.until ?? reachesTo, reachesTo);
  const last = zone.day(Math.max(0, Math.ceil(end / 1000) - 1));
  return (currency) =>
    first === undefined || last === undefined || first >= last
      ? undefined
      : { first, last, figures: days.get(currency) ?? new Map() };
}

// The most cells of a bar: a longer bar is not easier to read.
const longestBar = 24;

// With fewer cells, a name that is cut may look like another one.
const leastName = 18;

// The lines of a split, one grid for each currency, with a bar next to each line.
function bucketsGrids<Name extends string>(
  title: string,
  buckets: readonly Line<Name>[],
  columns: readonly FigureColumn<Name>[],
  bars: {
    readonly by: Name;
    readonly drawing: Drawing | undefined;
    /** The name of a bucket as it is shown. */
    readonly nameOf: (bucket: string) => string;
  },
): readonly Block[] {
  const { by, drawing, nameOf } = bars;
  const isDrawn = drawing !== undefined && ['auto', 'bars'].includes(drawing.kind);
  return [...Map.groupBy(buckets, ({ currency }) => currency)].flatMap(([currency, lines]): Block[] => {
    const largest = largestOf(lines.map(({ sums }) => sums[by]));
    const heading = `${title}, ${currencyWord(currency)}`;
    const grid = [
      [heading, ...columns.map((column) => column.title)],
      ...lines.map((line) => [`  ${nameOf(line.bucket)}`, ...columns.map(({ cell }) => cell(line))]),
    ];
    const narrow: readonly Block[] = [{ line: heading }, ...oneLineEach(grid)];
    // The heading has the currency, so it is never cut.
    const least = Math.max(heading.length, leastName);
    const block = { grid, right: columns.map((_, index) => index + 1), shrink: [0], least, narrow };
    if (!isDrawn) return ['blank', block];
    const draw = (figure: Figure) => (room: number) =>
      bar(figure, largest, Math.min(room, longestBar), drawing.signs);
    return ['blank', { ...block, beside: [() => '', ...lines.map(({ sums }) => draw(sums[by]))] }];
  });
}

// A calendar for each currency, if one was asked for.
function calendarGrids(
  currencies: readonly (string | undefined)[],
  series: (currency: string) => Series | undefined,
  drawing: Drawing | undefined,
): readonly Block[] {
  if (drawing?.kind !== 'calendar') return [];
  return currencies.flatMap((currency): Block[] => {
    const one = series(currency ?? '');
    if (one === undefined) return [];
    const weeks = calendar(one, drawing.signs).map(({ week, days }) => [`  ${week}`, ...days]);
    const heading = withLegend(`A DAY, ${currencyWord(currency)}`, drawing.signs);
    return ['blank', { grid: [[heading, ...weekdays], ...weeks] }];
  });
}

const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
