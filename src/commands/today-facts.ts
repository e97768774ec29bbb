/** The facts of `today`: what is open, what was refunded and paid, what waits for its capture, and how many possible twins there are. */

import { type JsonObject, statuses } from '../api/spec.ts';
import {
  type Figure,
  type Gaps,
  hasCurrency,
  isInSpan,
  type Line,
  largestFirst,
  type OrderFact,
  type RefundFact,
  type RefundSum,
  summariseOrders,
  summariseRefunds,
} from '../reports/reports.ts';
import type { Context } from './command.ts';
import type { OpenOrders } from './orders/open-orders.ts';
import { isNear, pairsIn } from './orders/twins.ts';
import type { Source } from './report-source.ts';

/** One fact of the day: how many, and how much in one currency. */
export interface TodayLine extends JsonObject {
  readonly what:
    | 'unconfirmed'
    | 'made_twice'
    | 'has_appeared'
    | 'failed'
    | 'gone'
    | 'refunded'
    | 'paid'
    | 'waiting'
    | 'twins';
  readonly bucket: string | null;
  readonly currency: string | null;
  readonly count: Figure;
  readonly amount: Figure | null;
  readonly largest: Figure | null;
  readonly largest_order: string | null;
}

/** What `today` shows. */
export interface TodayFacts {
  readonly lines: readonly TodayLine[];
  /** Set while the server of the team cannot be used: as of when this machine has the rows of the team. */
  readonly away: Awaited<ReturnType<Context['journal']['away']>>;
  readonly gaps: Gaps;
}

/** Reads everything that the source has, and counts it. `open`: what the journal says, and what it was shown meanwhile. */
export async function gatherToday(
  ctx: Context,
  source: Source,
  currency: string | undefined,
  open: OpenOrders,
): Promise<TodayFacts> {
  const rules = { dayOf: (at: number) => source.days.day(at), now: source.reachesTo / 1000 };
  const shared = { currency, rules };
  const money = summariseRefunds({ ...shared, span: source.range, by: 'day' });
  const waiting = summariseOrders({
    ...shared,
    span: { since: undefined, until: undefined },
    by: 'age',
    counts: ({ status }) => status === statuses.preAuthorized,
  });
  const near: OrderFact[] = [];
  const largest = new Map<string, RefundFact>();
  for await (const facts of source.facts) {
    money.add(facts);
    waiting.add(facts);
    const { order } = facts;
    if (order !== undefined && isNear(source.range, order) && hasCurrency(currency, order.currency))
      near.push(order);
    for (const refund of facts.refunds) keepLargest(largest, refund, source);
  }
  const { totals, gaps } = money.result();
  const twins = await pairsIn(ctx, near, source);
  return {
    gaps,
    away: await ctx.journal.away(),
    lines: [
      ...openLines(open),
      ...totals.filter(({ sums }) => sums.refunds > 0).map((line) => refundedLine(line, largest)),
      ...totals
        .filter(({ sums }) => sums.payments > 0)
        .map(({ currency: of, sums }) => lineOf('paid', null, of, sums.payments, sums.paid)),
      ...waiting
        .result()
        .buckets.map(({ bucket, currency: of, sums }) =>
          lineOf('waiting', bucket, of, sums.orders, sums.amount),
        ),
      lineOf('twins', null, undefined, twins.filter(({ isSettled }) => !isSettled).length, null),
    ],
  };
}

function keepLargest(largest: Map<string, RefundFact>, refund: RefundFact, { range }: Source): void {
  if (refund.madeAt === undefined || !isInSpan(range, refund.madeAt)) return;
  const before = largest.get(refund.currency ?? '');
  if (before === undefined || largestFirst(before.amount ?? 0, refund.amount ?? 0) > 0)
    largest.set(refund.currency ?? '', refund);
}

function openLines({ unconfirmed, twice, appeared, failed, gone }: OpenOrders): readonly TodayLine[] {
  return [
    lineOf('unconfirmed', null, undefined, unconfirmed, null),
    lineOf('made_twice', null, undefined, twice.size, null),
    lineOf('has_appeared', null, undefined, appeared.size, null),
    lineOf('failed', null, undefined, failed.size, null),
    lineOf('gone', null, undefined, gone.size, null),
  ];
}

function refundedLine(
  { currency, sums }: Line<RefundSum>,
  largest: ReadonlyMap<string, RefundFact>,
): TodayLine {
  const most = largest.get(currency ?? '');
  return {
    ...lineOf('refunded', null, currency, sums.refunds, sums.refunded),
    largest: most?.amount ?? null,
    largest_order: most?.orderId ?? null,
  };
}

function lineOf(
  what: TodayLine['what'],
  bucket: string | null,
  currency: string | undefined,
  count: Figure,
  amount: Figure | null,
): TodayLine {
  return { what, bucket, currency: currency ?? null, count, amount, largest: null, largest_order: null };
}
