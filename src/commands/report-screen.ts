/** The screens of reports: a title with the period, sums for each currency, the lines of a split, and where the numbers come from. */

import { type AmountStyle, figureWords, plainAmounts } from '../amounts.ts';
import { CliError } from '../errors.ts';
import {
  bar,
  calendar,
  type DaysByCurrency,
  type Dimension,
  type Figure,
  type Gaps,
  isTimeUnit,
  type Line,
  largestOf,
  legendOf,
  percent,
  type RefundSum,
  type Series,
  type Signs,
  sparklineOf,
  unitOf,
} from '../reports/reports.ts';
import type { Block, Cell } from '../terminal/terminal.ts';
import type { Context, Days } from './command.ts';
import type { Chart } from './report-flags.ts';
import type { AsOfLine, Source } from './report-source.ts';

/** What is drawn, and with which signs; undefined if nothing is. */
export interface Drawing {
  readonly kind: Exclude<Chart, 'none'>;
  readonly signs: Signs;
}

export function drawingOf({ out }: Pick<Context, 'out'>, chart: Chart = 'auto'): Drawing | undefined {
  return chart === 'none' || out.charts === 'none' ? undefined : { kind: chart, signs: out.charts };
}

/** The first line: what this is about, when, and whose numbers these are. */
export function titleLine(ctx: Context, title: string, source: Source): Block {
  const about = aboutWords(ctx, source);
  const words = about === '' ? [] : [`  ${about}`];
  return { line: [{ text: title, style: 'strong' }, ...words, '    ', ...cells(source.label)] };
}

/** What a report is about: its period, and its currency if it has only one. Empty if it is about everything. */
export function aboutWords(ctx: Pick<Context, 'clock'>, source: Source): string {
  const { currency } = source;
  return [spanWords(ctx, source), currency === undefined ? undefined : `only ${currency}`]
    .filter((words) => words !== undefined)
    .join(', ');
}

/** ` in USD` for a report about one currency, so that its `none` is not taken for none at all. */
export function inCurrency({ currency }: Pick<Source, 'currency'>): string {
  return currency === undefined ? '' : ` in ${currency}`;
}

/**
 * The period in words, as far as it has passed: `1 Nov to 21 Nov 2026 (UTC-6), so far`. With its hours if it does not begin and
 * end at midnight. Undefined if it is all of time.
 */
function spanWords(
  { clock }: Pick<Context, 'clock'>,
  { days, range, reachesTo }: Source,
): string | undefined {
  const { since, until } = range;
  if (since === undefined && until === undefined) return undefined;
  if (since === undefined) return `until ${days.full(until ?? reachesTo)}`;
  const now = Math.max(reachesTo, clock.now());
  const last = Math.min(until ?? reachesTo, now);
  const soFar = until !== undefined && until > now ? ', so far' : '';
  if (![since, until].every((at) => at === undefined || isMidnight(days, at)))
    return `${days.full(since)} to ${days.full(last)}${soFar}`;
  const lastSecond = Math.max(Math.ceil(last / 1000) - 1, Math.ceil(since / 1000));
  return `${days.between(Math.ceil(since / 1000), lastSecond)}${soFar}`;
}

// Some zones begin a day of the year at 1 o'clock, so this does not look at the clock.
function isMidnight(days: Days, ms: number): boolean {
  const second = Math.ceil(ms / 1000);
  return days.day(second - 1) !== days.day(second);
}

/** The name of a bucket. A day, a week or a month of which the period has only a part says so, and so does the current one. */
export function bucketWords(
  { days, range, reachesTo }: Pick<Source, 'days' | 'range' | 'reachesTo'>,
  bucket: string,
  by: Dimension,
): string {
  if (!isTimeUnit(by)) return bucket;
  const outside = [
    ...(range.since === undefined ? [] : [Math.ceil(range.since / 1000) - 1]),
    Math.ceil(Math.min(range.until ?? reachesTo, reachesTo) / 1000),
  ];
  const isPart = outside.some((second) => {
    const day = days.day(second);
    return day !== undefined && unitOf(day, by) === bucket;
  });
  return isPart ? `${bucket} (part)` : bucket;
}

/** The account, or the file, without its colour. */
export function labelWords({ label }: Source): string {
  return cells(label)
    .map((part) =>
      typeof part === 'object' && 'text' in part ? part.text : typeof part === 'string' ? part : '',
    )
    .join('');
}

function cells(label: Cell): readonly Exclude<Cell, readonly unknown[]>[] {
  return Array.isArray(label) ? label : [label as Exclude<Cell, readonly unknown[]>];
}

/** How this report writes amounts. */
export function amountsOf({ settings }: Source): AmountStyle {
  return settings ?? plainAmounts;
}

/** The code of a currency in a table: never blank. */
export function currencyWord(currency: string | undefined): string {
  return currency ?? 'none';
}

/** How much of the payments of the period went back until now: `MXN 3.49 %, USD 5.11 %`. Undefined without payments. */
export function ratesOfPaid(totals: readonly Line<RefundSum>[]): string | undefined {
  const rates = totals.flatMap(({ currency, sums }) => {
    const rate = percent(sums.refunded_of_paid, sums.paid);
    return rate === undefined ? [] : [`${currencyWord(currency)} ${rate} %`];
  });
  return rates.length === 0 ? undefined : rates.join(', ');
}

/** A column of figures. A figure with a currency is an amount. */
export interface FigureColumn<Name extends string> {
  readonly title: string;
  readonly cell: (line: Line<Name>) => string;
}

/** A column for the sums of a name: a count, or an amount. */
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

/** A line for each currency, with a sparkline of its days beside it. */
export function totalsGrid<Name extends string>(
  totals: readonly Line<Name>[],
  columns: readonly FigureColumn<Name>[],
  sparks: {
    readonly series: (currency: string) => Series | undefined;
    readonly drawing: Drawing | undefined;
  },
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
  const block = { grid, right, indent: 2, narrow: oneLineEach(grid, 2) };
  const { series, drawing } = sparks;
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

// A grid for a narrow screen: the name of each row, and below it one line for each of its figures. The figures end in one column.
function oneLineEach(grid: readonly (readonly string[])[], indent: number): readonly Block[] {
  const [[, ...titles] = [], ...rows] = grid;
  const figures = (row: readonly string[]) => titles.map((title, index) => [title, row[index + 1] ?? '']);
  const widths = [0, 1].map((column) =>
    Math.max(...rows.flatMap((row) => figures(row).map((cells) => cells[column]?.length ?? 0))),
  );
  return rows.flatMap((row): Block[] => [
    { line: row[0]?.trimStart() ?? '', indent },
    ...figures(row).map(([title = '', figure = '']): Block => {
      const text = `${title.padEnd(widths[0] ?? 0)}  ${figure.padStart(widths[1] ?? 0)}`;
      return { line: text, indent: indent + 2 };
    }),
  ]);
}

const titles = { day: 'A DAY', week: 'A WEEK', month: 'A MONTH', none: '' } as const;

function withLegend(title: string, signs: Signs, room = Number.POSITIVE_INFINITY): string {
  const whole = title + legendOf(signs);
  return title === '' || whole.length > room ? title : whole;
}

/** The days of a currency as a series; undefined for a period of one day. */
export function seriesOf(
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

// The most cells of a bar: a longer one is no easier to read.
const longestBar = 24;

// With fewer cells, a name that is cut cannot be told from another one.
const leastName = 18;

/** The lines of a split, one grid for each currency, with a bar beside each line. */
export function bucketsGrids<Name extends string>(
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
    const narrow: readonly Block[] = [{ line: heading }, ...oneLineEach(grid, 2)];
    // The heading has the currency, so it is never cut.
    const least = Math.max(heading.length, leastName);
    const block = { grid, right: columns.map((_, index) => index + 1), shrink: [0], least, narrow };
    if (!isDrawn) return ['blank', block];
    const draw = (figure: Figure) => (room: number) =>
      bar(figure, largest, Math.min(room, longestBar), drawing.signs);
    return ['blank', { ...block, beside: [() => '', ...lines.map(({ sums }) => draw(sums[by]))] }];
  });
}

/** A calendar for each currency, if one was asked for. */
export function calendarGrids(
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

/** The last lines: when the numbers were true, what was read, and how else they must be read. */
export function closingBlocks({ asOfLines }: Source, lines: readonly AsOfLine[]): readonly Block[] {
  const all = [...asOfLines(), ...lines];
  return ['blank', ...all.map(([label, text]): Block => ({ line: `${label.padEnd(7)}${text}`, hang: 7 }))];
}

/** Whether nothing is missing in the sums. */
export function isComplete({ undated, hidden }: Gaps): boolean {
  return undated + hidden === 0;
}

/** What is missing in the sums, in words. */
export function gapWords({ undated, hidden, firstHidden }: Gaps, records: string): string {
  const words = [
    ...(hidden === 0
      ? []
      : [`${hidden} ${hidden === 1 ? 'order does' : 'orders do'} not show all refunds (${firstHidden})`]),
    ...(undated === 0 ? [] : [`${undated} of the ${records} show no date and were left out`]),
  ];
  return words.join('; ');
}

/**
 * Throws CliError 'incomplete' if something is missing in the sums that were just printed. `records`: what has no date.
 */
export function refuseGaps(gaps: Gaps, records: string): void {
  if (isComplete(gaps)) return;
  throw new CliError('incomplete', `the sums may be too low: ${gapWords(gaps, records)}`, {
    certain: 'what was printed counts only what the service shows',
    now: ['ask whoever runs the service about these orders before you rely on the sums'],
  });
}
