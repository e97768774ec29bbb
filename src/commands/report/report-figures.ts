/** All figures of the HTML report, taken in one reading of the facts. */

import { isWithin, secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import {
  changeKinds,
  isOpen,
  type Moment,
  openAttempts,
  pagesOf,
  recordedState,
} from '../../journal/journal.ts';
import { acknowledgementOf, isOpenState } from '../../orders/orders.ts';
import {
  daysFrom,
  type Figure,
  hasCurrency,
  type Line,
  largestFirst,
  type OrderFact,
  type OrderSum,
  type RefundFact,
  type RefundSum,
  type Summary,
  summariseRefunds,
  summariseWaiting,
  sumOf,
  type TimeUnit,
  unitsFrom,
} from '../../reports/reports.ts';
import { outcomeWords } from '../journal/attempt-words.ts';
import { caseOf, type OpenCase, type OpenCases, toldStates } from '../open-cases.ts';
import { isOfPeriod, pairsIn } from '../orders/twins.ts';
import { endsOf, timesBefore } from './report-period.ts';
import type { Source } from './report-source.ts';

/** How many orders or changes in a currency wait for somebody, and their sum. */
export interface WaitingSum {
  readonly currency: string | undefined;
  readonly count: number;
  readonly amount: Figure;
}

/** How many of the largest refunds a report lists for each currency. */
const largestCount = 10;

export type ReportFigures = Awaited<ReturnType<typeof gatherFigures>>;

/** Reads all facts of a source and adds them up, the refunds just as `refunds summary` does. `open` sees the orders meanwhile. */
export async function gatherFigures(
  ctx: Context,
  source: Source,
  currency: string | undefined,
  open: OpenCases,
) {
  const { range: span, days, reachesTo } = source;
  const unit = unitFor(source);
  const shared = { span, currency, rules: { dayOf: (at: number) => days.day(at), now: reachesTo / 1000 } };
  const splits = {
    time: summariseRefunds({ ...shared, by: unit }),
    reasons: summariseRefunds({ ...shared, by: 'reason' }),
    operators: summariseRefunds({ ...shared, by: 'operator' }),
    approvers: summariseRefunds({ ...shared, by: 'approver' }),
    cards: summariseRefunds({ ...shared, by: 'brand' }),
    waiting: summariseWaiting(shared),
  };
  const before = timesBefore(source).map((time) => ({
    ...time,
    sums: summariseRefunds({ ...shared, span: time.span, by: 'month' }),
  }));
  const near: OrderFact[] = [];
  const largest = createLargest();
  for await (const facts of source.facts) {
    for (const split of Object.values(splits)) split.add(facts);
    for (const { sums } of before) sums.add(facts);
    const { order } = facts;
    if (order !== undefined && isOfPeriod(span, order) && hasCurrency(currency, order.currency))
      near.push(order);
    for (const refund of facts.refunds)
      if (
        refund.meaning === 'made' &&
        refund.isUnshown === undefined &&
        refund.madeAt !== undefined &&
        isWithin(span, refund.madeAt) &&
        hasCurrency(currency, refund.currency)
      )
        largest.add(refund);
  }
  const [time, waiting] = [splits.time.result(), splits.waiting.result()];
  const cases = await openCases(ctx, source, currency, open);
  const pairs = await pairsIn(ctx, near, source);
  const twins = pairs.filter((pair) => !pair.isSettled);
  return {
    unit,
    /** Every unit of the period as far as it has passed, also those without refunds. */
    units: unitsOf(source, unit, time),
    time,
    /** The sums of the times that the period is compared with. */
    before: before.map(({ words, span: of, sums }) => ({ words, span: of, totals: sums.result().totals })),
    reasons: splits.reasons.result(),
    operators: splits.operators.result(),
    approvers: splits.approvers.result(),
    cards: splits.cards.result(),
    waiting,
    /** What waits, whatever the period is. */
    waits: { notCaptured: waiting.totals.map(waitingSum), unconfirmed: unconfirmedSums(cases) },
    /** The largest refunds that went back, for each currency. */
    largest: largest.all(),
    /** The pairs of which neither payment went back. */
    twins,
    settledTwins: pairs.length - twins.length,
    openCases: cases.filter(({ state }) => isOpenState(state)),
    /** What a person recorded but no order shows. */
    recorded: cases.filter(({ state }) => !isOpenState(state)),
    /** The changes sent in the period whose alarm somebody has dealt with. */
    acknowledged: await acknowledgedCases(ctx, source, currency),
  };
}

function waitingSum({ currency, sums: { orders, amount } }: Line<OrderSum>): WaitingSum {
  return { currency, count: Number(orders), amount };
}

function unconfirmedSums(cases: readonly ReportedCase[]): readonly WaitingSum[] {
  const own = cases.filter(({ state }) => state === 'unconfirmed');
  return [...Map.groupBy(own, ({ currency }) => currency)].map(([currency, changes]) => ({
    currency,
    count: changes.length,
    amount: sumOf(changes, ({ amount = 0 }) => amount),
  }));
}

// A chart with more columns says little, and the table next to it would be pages long.
const mostDays = 62;
const mostWeeks = 62 * 7;

function unitFor(source: Source): TimeUnit {
  const ends = endsOf(source);
  if (ends === undefined) return 'month';
  const count = daysFrom(...ends).length;
  if (count <= mostDays) return 'day';
  return count <= mostWeeks ? 'week' : 'month';
}

function unitsOf(source: Source, unit: TimeUnit, { days }: Summary<RefundSum>): readonly string[] {
  const made = [...days.values()].flatMap((figures) => [...figures.keys()]).toSorted();
  const [first, last] = endsOf(source) ?? [made[0], made.at(-1)];
  return first === undefined || last === undefined ? [] : unitsFrom(first, last, unit);
}

function createLargest() {
  const kept = new Map<string, readonly RefundFact[]>();
  return {
    // All refunds of a period may be millions, so only the largest are kept.
    add(refund: RefundFact): void {
      const key = refund.currency ?? '';
      const before = kept.get(key) ?? [];
      const least = before.at(-1);
      if (before.length === largestCount && least !== undefined && bySize(refund, least) > 0) return;
      kept.set(key, [...before, refund].toSorted(bySize).slice(0, largestCount));
    },
    all: (): readonly RefundFact[] =>
      [...kept].toSorted(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, refunds]) => refunds),
  };
}

function bySize(one: RefundFact, other: RefundFact): number {
  return (
    largestFirst(one.amount ?? 0, other.amount ?? 0) ||
    (other.madeAt ?? 0) - (one.madeAt ?? 0) ||
    ((one.id ?? '') < (other.id ?? '') ? -1 : 1)
  );
}

async function openCases(
  ctx: Context,
  source: Source,
  currency: string | undefined,
  open: OpenCases,
): Promise<readonly ReportedCase[]> {
  const now = await ctx.journal.now();
  const cases = open.all(await openAttempts(ctx.journal, { origin: source.origin }));
  return cases
    .filter((one) => one.currency === undefined || hasCurrency(currency, one.currency))
    .map((one) => reported(one, now));
}

/** What somebody has to look at: a change in the journal of this machine, or an order whose figures prove nothing. */
type ReportedCase = ReturnType<typeof reported>;

function reported({ state, orderId, currency, amount, record, doubt }: OpenCase, now: Moment) {
  const sent = record?.sent;
  // The journal may not know yet what the order shows.
  const isKnown = record !== undefined && recordedState(record) === state;
  const seen = doubt === undefined ? state : `${state}: ${doubt}`;
  return {
    orderId,
    what: sent === undefined ? 'order' : changeKinds[sent.proof.kind].noun,
    state,
    outcome: isKnown ? outcomeWords(record, isOpen(record, now)) : seen,
    amount,
    currency,
    /** Unix seconds; undefined if nothing was sent. */
    sentAt: secondsOf(sent?.time),
    operator: sent?.operator,
  };
}

async function acknowledgedCases(
  { journal }: Context,
  { origin, range: { since, until } }: Source,
  currency: string | undefined,
): Promise<readonly ReportedCase[]> {
  const now = await journal.now();
  const found: ReportedCase[] = [];
  for await (const page of pagesOf(journal, { origin, since, until }))
    for (const record of page) {
      const state = toldStates.find((one) => one === recordedState(record));
      const isOver = acknowledgementOf(record) !== undefined && hasCurrency(currency, record.sent.currency);
      if (state !== undefined && isOver) found.push(reported(caseOf(state, record), now));
    }
  return found;
}
