/** What a report out of the index says of itself: how old it is, what may be missing in it, and what makes it exact. Pure. */

import type { IndexStatus } from '../index/index.ts';
import { counted } from './counted.ts';
import { readWords } from './orders/index-words.ts';
import type { AsOfLine, Needs } from './report-source.ts';
import type { TimeRange } from './typed-time.ts';

/** What the lines are made of, besides the status of the index. */
export interface Told {
  readonly needs: Needs;
  /** The classes of orders that matter for the report. */
  readonly reads: IndexStatus['reads'];
  /** How many refunds the journal of this machine knows that the index does not show. */
  readonly missing: number;
  /** How many orders a live walk would read. */
  readonly liveOrders: number;
}

/** The lines below a report: `as of`, notes, and `exact`. */
export function indexLines(
  ctx: Parameters<typeof readWords>[0],
  { floor, forgotten, headReadAt = 0 }: IndexStatus,
  { needs: { kind, marginSeconds = 0 }, reads, missing, liveOrders }: Told,
): readonly AsOfLine[] {
  const newest = [{ words: 'the newest orders', readAt: headReadAt, from: 0, under: 0 }];
  const since =
    kind === 'orders'
      ? 'orders made since then are missing, and what was changed since then is shown as it was'
      : 'refunds made on these orders since then may be missing, so the sums are a lower bound';
  const are = missing === 1 ? 'refund that this machine made is' : 'refunds that this machine made are';
  const lines: readonly (AsOfLine | undefined)[] = [
    [
      'as of',
      `${readWords(ctx, { reads: reads.length === 0 ? newest : reads })}, in the index of this machine: ${since}`,
    ],
    missing === 0
      ? undefined
      : ['note', `${missing} ${are} not in these sums yet; to read the newest: paydesk index refresh`],
    floor === undefined
      ? undefined
      : ['note', `orders made before ${ctx.days.show(floor, 'date')} are not in the index`],
    marginSeconds > 0 && forgotten > 0
      ? ['note', `${counted(forgotten, 'order')} without a buyer (index forget): no twin of them is found`]
      : undefined,
    ['exact', `the same with --live (about ${counted(requestsFor(liveOrders), 'request')})`],
  ];
  return lines.filter((line) => line !== undefined);
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
