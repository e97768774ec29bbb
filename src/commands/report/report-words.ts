/** What every report says in words: what it is about, whose numbers these are, when they were true, and what is missing in them. */

import { type AmountStyle, amountWords, plainAmounts } from '../../amounts.ts';
import type { TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted, percent } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import type { IndexStatus } from '../../index/index.ts';
import {
  type Dimension,
  type Figure,
  type Gaps,
  groupOf,
  isTimeUnit,
  type Line,
  namesOf,
  type RefundFact,
  type RefundSum,
  type Split,
  sumRefunds,
  unitOf,
} from '../../reports/reports.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { readWords } from '../orders/search/find-indexed.ts';
import { aboutWords } from './report-period.ts';
import type { AsOfLine, Needs, Source } from './report-source.ts';

/** The first line: what this is about, when, and whose numbers these are. */
export function titleLine(ctx: Context, title: string, source: Source): Block {
  const about = aboutWords(ctx, source);
  const words = about === '' ? [] : [`  ${about}`];
  return { line: [{ text: title, style: 'strong' }, ...words, '    ', ...cells(source.label)] };
}

/** ` in USD` for a report about one currency, so that its `none` does not look like none in any currency. */
export function inCurrency({ currency }: Pick<Source, 'currency'>): string {
  return currency === undefined ? '' : ` in ${currency}`;
}

/** The name of a bucket; of a pair both names. */
export function bucketsWords(source: Parameters<typeof bucketWords>[0], bucket: string, by: Split): string {
  const names = namesOf(bucket);
  return [by]
    .flat()
    .map((one, at) => bucketWords(source, names[at] ?? '', one))
    .join(', ');
}

/**
 * The name of a bucket of one dimension. If the period covers only a part of a day, week or month, its name says so; the current one says so too.
 */
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

export function amountsOf({ profile }: Pick<Source, 'profile'>): AmountStyle {
  return profile?.settings ?? plainAmounts;
}

/** The code of a currency in a table: never blank. */
export function currencyWord(currency: string | undefined): string {
  return currency ?? 'none';
}

/** How much of the payments of the period has gone back until now: `MXN 3.49 %, USD 5.11 %`. Undefined without payments. */
export function ratesOfPaid(totals: readonly Line<RefundSum>[]): string | undefined {
  const rates = totals.flatMap(({ currency, sums }) => {
    const rate = percent(sums.refunded_of_paid, sums.paid);
    return rate === undefined ? [] : [`${currencyWord(currency)} ${rate} %`];
  });
  return rates.length === 0 ? undefined : rates.join(', ');
}

/** The last lines: when the numbers were true, what was read, and what else must be known to read them. */
export function closingBlocks({ asOfLines }: Source, lines: readonly AsOfLine[]): readonly Block[] {
  const all = [...asOfLines(), ...lines];
  return ['blank', ...all.map(([label, text]): Block => ({ line: `${label.padEnd(7)}${text}`, hang: 7 }))];
}

/** How many records are in no sum; nothing if there are none. */
export function unsummedLines(totals: readonly Line<'unsummed'>[]): readonly AsOfLine[] {
  const unsummed = totals.reduce((sum, { sums }) => sum + Number(sums.unsummed), 0);
  return unsummed === 0 ? [] : [['note', `unsummed ${unsummed}: no amount is shown, so no sum has them`]];
}

/** Whether nothing is missing from the sums. */
export function isComplete({ undated, hidden }: Gaps): boolean {
  return undated.length + hidden.length === 0;
}

/** What is missing from the sums, in words. */
export function gapWords({ undated, hidden }: Gaps, records: string): string {
  const words = [
    ...(hidden.length === 0
      ? []
      : [`${hidden.length} ${hidden.length === 1 ? 'order does' : 'orders do'} not show all refunds`]),
    ...(undated.length === 0 ? [] : [`${undated.length} of the ${records} show no date and were left out`]),
  ];
  return words.join('; ');
}

// Nobody would read an error with more lines than this.
const mostNamed = 50;

/** Names each order that has something missing in the sums. */
export function gapLines({ undated, hidden }: Gaps): readonly string[] {
  const lines = [...hidden, ...undated];
  if (lines.length <= mostNamed) return lines;
  const more = lines.length - mostNamed;
  return [
    ...lines.slice(0, mostNamed),
    `and ${more} more; orders export --rows refunds --to FILE names all of them in FILE.problems.csv`,
  ];
}

/** Throws CliError 'incomplete' if something is missing in the printed sums. `records`: what has no date. */
export function refuseGaps(gaps: Gaps, records: string): void {
  if (isComplete(gaps)) return;
  throw new CliError('incomplete', `the sums may be too low: ${gapWords(gaps, records)}`, {
    certain: 'what was printed counts only what the service shows',
    now: ['ask whoever runs the service about these orders before you rely on the sums:', ...gapLines(gaps)],
  });
}

type Write = (amount: Figure, currency: string | undefined) => string;

/** How many refunds went back and how much, and after them those that did not: `41 went back, 1361322 MXN; 1 failed, 300 MXN`. */
export function wentBackWords(totals: readonly Line<RefundSum>[], write: Write): string {
  const back = refundsWords(totals, ['refunds', 'refunded', 'went back'], write);
  return [back ?? '0 went back', ...apartWords(totals, write)].join('; ');
}

/** The same for the last lines of a screen. */
export function apartLines(totals: readonly Line<RefundSum>[], style: AmountStyle): readonly AsOfLine[] {
  const words = apartWords(totals, (amount, currency) => amountWords(amount, currency, style));
  return words.map((one) => ['note', `${one}: in no sum`]);
}

/** What is in no sum: refunds that have moved no money yet, never will, or of which nobody knows whether they did. */
export function apartWords(totals: readonly Line<RefundSum>[], write: Write): readonly string[] {
  return apartStates.flatMap(([state, words]) => {
    return refundsWords(totals, [`${state}_refunds`, state, words], write) ?? [];
  });
}

export type ApartState = (typeof apartStates)[number][0];
export const apartStates = [
  ['pending', 'pending'],
  ['failed', 'failed'],
  ['unconfirmed', 'unconfirmed'],
  ['recorded_made', 'recorded made'],
  ['recorded_not_made', 'recorded as not made that may still go through'],
] as const;

/** The sums of some refunds, one for each currency. */
export function totalsOf(refunds: readonly RefundFact[]): readonly Line<RefundSum>[] {
  return sumRefunds(refunds.map(groupOf));
}

/** What became of the refunds of an export, in the words of `refunds list`, and what none of the rows has. */
export function refundLines(
  totals: readonly Line<RefundSum>[],
  unshown: readonly RefundFact[],
  style: AmountStyle,
): readonly string[] {
  const back = wentBackWords(totals, (amount, currency) => amountWords(amount, currency, style));
  const unsummed = unsummedLines(totals).map(([, words]) => words);
  return [...(totals.length === 0 ? [] : [back]), ...unsummed, ...notAmongLines(unshown, style)];
}

/** What no row of a list or an export has, since only the journal knows it. */
export function notAmongLines(unshown: readonly RefundFact[], style: AmountStyle): readonly string[] {
  const words = apartWords(totalsOf(unshown), (amount, currency) => amountWords(amount, currency, style));
  return words.length === 0 ? [] : [`not among them, since no order shows it: ${words.join('; ')}`];
}

function refundsWords(
  totals: readonly Line<RefundSum>[],
  [counts, amounts, words]: readonly [counts: RefundSum, amounts: RefundSum, words: string],
  write: Write,
): string | undefined {
  const some = totals.filter(({ sums }) => Number(sums[counts]) > 0);
  const count = some.reduce((sum, { sums }) => sum + Number(sums[counts]), 0);
  const figures = some.map(({ currency, sums }) => write(sums[amounts], currency)).join(' and ');
  return count === 0 ? undefined : `${count} ${words}, ${figures}`;
}

/** What the lines are made from, besides the status of the index. */
interface Told {
  readonly needs: Needs;
  /** The time that the report is about. */
  readonly range: TimeRange;
  /** The classes of orders that matter for the report. */
  readonly reads: IndexStatus['reads'];
  /** How many refunds the journal of this machine knows that the index does not show. */
  readonly missing: number;
  /** How many orders a live walk would read. */
  readonly liveOrders: number;
  /** The command that brings the index up to date. */
  readonly refresh: string;
}

type Times = Parameters<typeof readWords>[0];

/** The lines below a report: `as of`, notes, and `exact`. */
export function indexLines(ctx: Times, status: IndexStatus, told: Told): readonly AsOfLine[] {
  const { headReadAt = 0 } = status;
  const newest = [{ words: 'the newest orders', readAt: headReadAt, from: 0, under: 0 }];
  const reads = told.reads.length === 0 ? newest : told.reads;
  return [
    ['as of', `${readWords(ctx, { reads })}, in the index of this machine: ${lackWords(status, told)}`],
    ...noteLines(ctx, status, told, `; to read the newest: ${told.refresh}`),
    [
      'exact',
      `the same with --live (about ${counted(Math.max(1, Math.ceil(told.liveOrders / ordersOfAPage)), 'request')})`,
    ],
  ];
}

/** The same for a file that somebody reads elsewhere and on another day: with whole dates, and without commands. */
export function indexLinesOfFile(ctx: Times, status: IndexStatus, told: Told): readonly AsOfLine[] {
  const { orders, headReadAt = 0 } = status;
  const times = [...new Set(told.reads.map(({ readAt }) => readAt))];
  const full = (seconds: number): string => ctx.days.full(seconds * 1000);
  const words =
    times.length <= 1
      ? `${full(times[0] ?? headReadAt)}, when ${counted(orders, 'order')} had been read`
      : told.reads.map((read) => `${ageOf(read)} were read on ${full(read.readAt)}`).join(', ');
  return [['as of', `${words}: ${lackWords(status, told)}`], ...noteLines(ctx, status, told, '')];
}

function ageOf({ words, from, under }: IndexStatus['reads'][number]): string {
  if (under === Number.POSITIVE_INFINITY) return 'older ones';
  return from === Number.NEGATIVE_INFINITY ? `orders of the ${words}` : `those of the last ${words}`;
}

/**
 * Whether an index knows all refunds of a period: it was over when the oldest order was read, no order is too old for the index, and
 * no refund of this machine is missing there.
 */
export function knowsAllRefunds(status: IndexStatus, told: Told): boolean {
  return (
    told.needs.kind === 'refunds' && wasOver(status, told) && status.floor === undefined && told.missing === 0
  );
}

function wasOver({ headReadAt = 0 }: IndexStatus, { range: { until }, reads }: Told): boolean {
  const readAt = Math.min(headReadAt, ...reads.map((read) => read.readAt));
  return until !== undefined && readAt * 1000 >= until;
}

// What a report can lack because orders changed after they were read.
function lackWords(status: IndexStatus, told: Told): string {
  const isOver = wasOver(status, told);
  if (told.needs.kind === 'orders')
    return `${isOver ? '' : 'orders made since then are missing, and '}what was changed since then is shown as it was`;
  return isOver
    ? 'this period was over by then, so none of its refunds is missing; what went back later is not known here'
    : 'refunds made on these orders since then may be missing, so the sums are a lower bound';
}

function noteLines(
  { days }: Times,
  { floor, forgotten }: IndexStatus,
  { needs: { marginSeconds = 0 }, missing }: Told,
  remedy: string,
): readonly AsOfLine[] {
  const are = missing === 1 ? 'refund that this machine made is' : 'refunds that this machine made are';
  return [
    missing === 0 ? undefined : `${missing} ${are} not in these sums yet${remedy}`,
    floor === undefined ? undefined : `orders made before ${days.full(floor * 1000)} are not in the index`,
    marginSeconds > 0 && forgotten > 0
      ? `${counted(forgotten, 'order')} without a buyer (index forget): no twin of them is found`
      : undefined,
  ].flatMap((text): AsOfLine[] => (text === undefined ? [] : [['note', text]]));
}

const ordersOfAPage = 250;

/**
 * The classes of orders that a report is made from. Refunds can belong to orders of any age; the orders of a period have only a
 * few ages.
 */
export function readsThatMatter(
  { reads }: Pick<IndexStatus, 'reads'>,
  { kind, marginSeconds = 0 }: Needs,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: TimeRange,
  now: number,
): IndexStatus['reads'] {
  if (kind !== 'orders') return reads;
  const margin = marginSeconds * 1000;
  return reads.filter(
    ({ from, under }) => now - from * 1000 >= since - margin && now - under * 1000 < until + margin,
  );
}
