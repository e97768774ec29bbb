/**
 * The facts of `today`: what a person has to look at, what was refunded and paid, what waits for its capture, and how many
 * possible twins there are.
 */

import type { JsonObject } from '../api/json-values.ts';
import { isWithin } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { orElse } from '../errors.ts';
import { type AttemptRecord, type ChangeKind, openAttempts } from '../journal/journal.ts';
import { isOpenState, type StateWord, stateWord } from '../orders/orders.ts';
import { commandLine, type Profile, plainCommand } from '../profiles/profiles.ts';
import {
  type Figure,
  hasCurrency,
  type Line,
  largestFirst,
  type OrderFact,
  type RefundFact,
  type RefundSum,
  summariseRefunds,
  summariseWaiting,
  sumOf,
} from '../reports/reports.ts';
import { type OpenCase, type OpenCases, type ToldState, toldStates } from './open-cases.ts';
import { isOfPeriod, pairsIn } from './orders/twins.ts';
import type { Source } from './report/report-source.ts';

/** The state that a line counts: a person has to look at such orders. The journal knows these states, whatever the currency is. */
export function stateOfLine(what: TodayLine['what']): ToldState | undefined {
  return toldStates.find((state) => stateWord(state) === what);
}

/** One fact of the day: how many, and how much in one currency. */
export interface TodayLine extends JsonObject {
  readonly what:
    | StateWord<ToldState>
    | 'never_arrived'
    | 'refunded'
    | 'refunded_by'
    | 'paid'
    | 'waiting'
    | 'twins';
  readonly bucket: string | null;
  /** What was sent: a refund, a capture; null where that does not matter. */
  readonly kind: ChangeKind | null;
  readonly currency: string | null;
  readonly count: Figure;
  readonly amount: Figure | null;
  /** How many failed refunds were followed by a refund of the same amount; null for other lines. */
  readonly went_back_since: Figure | null;
  readonly largest: Figure | null;
  readonly largest_order: string | null;
  /** The order that somebody must look at; null if there is none, or more than one. */
  readonly order: string | null;
  /** The command that shows more; null if there is nothing to look at. */
  readonly next: string | null;
}

/** What `today` shows. */
export type TodayFacts = Awaited<ReturnType<typeof gatherToday>>;

/**
 * Reads everything that the source has, and counts it. `open` sees the orders meanwhile. `isTeam`: the lines also name who sent
 * it.
 */
export async function gatherToday(
  ctx: Context,
  source: Source,
  {
    currency,
    open,
    isTeam,
  }: { readonly currency: string | undefined; readonly open: OpenCases; readonly isTeam: boolean },
) {
  const rules = { dayOf: (at: number) => source.days.day(at), now: source.reachesTo / 1000 };
  const shared = { currency, rules };
  const money = summariseRefunds({ ...shared, span: source.range, by: 'day' });
  const people = summariseRefunds({ ...shared, span: source.range, by: 'operator' });
  const waiting = summariseWaiting(shared);
  const near: OrderFact[] = [];
  const largest = new Map<string, RefundFact>();
  for await (const facts of source.facts) {
    money.add(facts);
    if (isTeam) people.add(facts);
    waiting.add(facts);
    const { order } = facts;
    if (order !== undefined && isOfPeriod(source.range, order) && hasCurrency(currency, order.currency))
      near.push(order);
    for (const refund of facts.refunds) keepLargest(largest, refund, source);
  }
  const { totals, gaps } = money.result();
  const twins = await pairsIn(ctx, near, source);
  const { profile } = await ctx.profiles.open();
  return {
    gaps,
    /** The refunds of the day. */
    refunds: totals,
    lines: [
      ...(await openLines(source, open, { isTeam, profile, journal: ctx.journal })),
      ...totals.filter(({ sums }) => sums.refunds > 0).map((line) => refundedLine(line, largest)),
      ...people
        .result()
        .buckets.filter(({ sums }) => sums.refunds > 0)
        .map(({ bucket, currency: of, sums }) =>
          lineOf('refunded_by', bucket, of, sums.refunds, sums.refunded),
        ),
      ...totals
        .filter(({ sums }) => sums.payments > 0)
        .map(({ currency: of, sums }) => lineOf('paid', null, of, sums.payments, sums.paid)),
      ...waiting
        .result()
        .buckets.map(({ bucket, currency: of, sums }) =>
          lineOf('waiting', bucket, of, sums.orders, sums.amount),
        ),
      twinLine(profile, twins.filter(({ isSettled }) => !isSettled).length),
    ],
  };
}

function twinLine(profile: Profile, count: number): TodayLine {
  const next = commandLine(profile, 'orders', 'twins', '--period', 'today');
  return { ...lineOf('twins', null, undefined, count, null), next: count === 0 ? null : next };
}

function keepLargest(largest: Map<string, RefundFact>, refund: RefundFact, { range }: Source): void {
  if (refund.meaning !== 'made' || refund.madeAt === undefined || !isWithin(range, refund.madeAt)) return;
  const before = largest.get(refund.currency ?? '');
  if (before === undefined || largestFirst(before.amount ?? 0, refund.amount ?? 0) > 0)
    largest.set(refund.currency ?? '', refund);
}

// How much is in each of these states; in a team, also who sent it. An unconfirmed change may belong to no order, such as a payment
// link.
async function openLines(source: Source, open: OpenCases, asked: LineAsked): Promise<readonly TodayLine[]> {
  const all = open.all(await openAttempts(asked.journal, { origin: source.origin }).catch(orElse(() => [])));
  const lines = toldStates.flatMap((state) => {
    // Two alarms may be about the same refund that was made twice.
    const orders = new Set<string | undefined>();
    const told = all.filter(
      ({ state: is, orderId }) =>
        is === state && (is !== 'made twice' || !orders.has(orderId)) && orders.add(orderId),
    );
    const list = plainCommand('journal', 'list', ...(isOpenState(state) ? ['--open'] : []));
    return told.length === 0
      ? [lineOf(stateWord(state), null, undefined, 0, null)]
      : linesOf(stateWord(state), told, list, asked);
  });
  return [...lines, ...linesOf('never_arrived', open.lost(), plainCommand('journal', 'list'), asked)];
}

interface LineAsked extends Pick<Context, 'journal'> {
  readonly isTeam: boolean;
  readonly profile: Profile;
}

// Refunds and captures are not added up together, nor are two currencies, nor what has no amount. `list`: the command that lists
// them.
function linesOf(
  what: TodayLine['what'],
  told: readonly OpenCase[],
  list: string,
  { isTeam, profile }: LineAsked,
): readonly TodayLine[] {
  const groups = Map.groupBy(told, ({ record, currency }) =>
    JSON.stringify(
      record?.sent.amount === undefined ? [record?.sent.proof.kind] : [record.sent.proof.kind, currency],
    ),
  );
  return [...groups.values()].map((own) => {
    const [first, second] = own;
    const sent = own.flatMap(({ record }) => record?.sent ?? []);
    const names = isTeam ? [...new Set(sent.map(({ operator }) => operator))].toSorted() : [];
    const who = names.length === 0 ? null : names.join(', ');
    const isKnown = sent.some(({ amount }) => amount !== undefined);
    const count = own.reduce((sum, one) => sum + one.count, 0);
    const amount = isKnown ? sumOf(own, (one) => one.amount ?? 0) : null;
    const line = lineOf(what, who, isKnown ? first?.currency : undefined, count, amount);
    const only = second === undefined ? first : undefined;
    const next = only?.orderId === undefined ? list : nextOf(profile, only.orderId, only.record);
    const since =
      what === 'failed'
        ? sumOf(
            own.filter(({ isFollowed: is }) => is === true),
            (one) => one.count,
          )
        : null;
    const kind = sent[0]?.proof.kind ?? null;
    return { ...line, kind, went_back_since: since, order: only?.orderId ?? null, next };
  });
}

// For a change, the command that shows its history; for an order whose figures are in doubt, the command that shows the order.
function nextOf(profile: Profile, orderId: string, record: AttemptRecord | undefined): string {
  return record === undefined
    ? commandLine(profile, 'orders', 'show', orderId)
    : plainCommand('journal', 'show', record.sent.change);
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
  const none = {
    kind: null,
    went_back_since: null,
    largest: null,
    largest_order: null,
    order: null,
    next: null,
  };
  return { what, bucket, currency: currency ?? null, count, amount, ...none };
}
