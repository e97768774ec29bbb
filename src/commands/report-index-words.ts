/** What a report out of the index says of itself: how old it is, what may be missing in it, and what makes it exact. Pure. */

import { counted } from '../counted.ts';
import type { TimeRange } from '../flags/typed-time.ts';
import type { IndexStatus } from '../index/index.ts';
import { readWords } from './orders/index-words.ts';
import type { AsOfLine, Needs } from './report-source.ts';

/** What the lines are made of, besides the status of the index. */
export interface Told {
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
    ['exact', `the same with --live (about ${counted(requestsFor(told.liveOrders), 'request')})`],
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

// What a report can lack because orders changed after they were read.
function lackWords({ headReadAt = 0 }: IndexStatus, { needs, range: { until }, reads }: Told): string {
  const readAt = Math.min(headReadAt, ...reads.map((read) => read.readAt));
  const wasOver = until !== undefined && readAt * 1000 >= until;
  if (needs.kind === 'orders')
    return `${wasOver ? '' : 'orders made since then are missing, and '}what was changed since then is shown as it was`;
  return wasOver
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

function requestsFor(orders: number): number {
  return Math.max(1, Math.ceil(orders / ordersOfAPage));
}

/** The classes of orders that a report is made of. Refunds can be of orders of any age, orders of a period have a few ages only. */
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
