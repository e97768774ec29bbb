/** Takes the facts of a report from the index of this machine, if the index can answer. */

import { isWithin, secondsOf, statuses, type TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, withParts } from '../../errors.ts';
import { clockAndZoneOf, dayBegan } from '../../flags/typed-time.ts';
import type { IndexedOrder, IndexStatus, OrderIndex } from '../../index/index.ts';
import { turn } from '../../io.ts';
import { ownRefunds, pagesOf } from '../../journal/journal.ts';
import { shownIndexed } from '../../orders/orders.ts';
import { accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import { type Facts, factsOfOrder, hasCurrency } from '../../reports/reports.ts';
import { timesBefore } from './report-period.ts';
import {
  type Asked,
  isOfAccount,
  type Makers,
  makersOf,
  type Needs,
  type OpenedSource,
  timeOf,
} from './report-source.ts';
import { indexLines, indexLinesOfFile, knowsAllRefunds, readsThatMatter } from './report-words.ts';

/**
 * Opens the index of the account as the source of a report. Undefined if there is none, or if it cannot answer; then a note says
 * why. Throws CliError 'refused' if there is one that does not open.
 */
export async function openIndex(ctx: Context, asked: Asked): Promise<OpenedSource | undefined> {
  const { profile } = await ctx.profiles.open();
  const index = await openedIndex(ctx, profile);
  if (index === undefined) return undefined;
  const status = index.status();
  const time = timeOf(ctx, asked);
  const when = (seconds: number): string => time.days.full(seconds * 1000);
  const here = clockAndZoneOf(ctx);
  const now = { now: here.now, dayBegan: dayBegan(here) };
  const doubt = doubtOf(status, asked.needs, { range: time.range, when, ...now });
  if (doubt === undefined) return await sourceOf(ctx, asked, { index, status, profile, ...time });
  const fix = doubt.fix === undefined ? '' : `; so that it can: ${commandLine(profile, ...doubt.fix)}`;
  ctx.notes.note(`the index of this machine cannot answer: ${doubt.why}. Every order is read instead${fix}`);
  return undefined;
}

async function openedIndex(ctx: Context, profile: Profile): Promise<OrderIndex | undefined> {
  try {
    return await ctx.index.open(profile);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    const now = ['ask without it: the same command with --live', ...(error.parts.now ?? [])];
    throw withParts(error, { now });
  }
}

/** Why an index cannot answer: a sentence, and the command after which it can. */
interface Doubt {
  readonly why: string;
  readonly fix?: readonly string[];
}

interface AskedTime {
  readonly range: TimeRange;
  /** Unix milliseconds. */
  readonly now: number;
  readonly when: (seconds: number) => string;
  /** When today began in the zone of the profile, Unix milliseconds. */
  readonly dayBegan: number;
}

const hour = 3_600_000;
const day = 24 * hour;

// How long the newest orders may be unread. Nobody wants the numbers from nine o'clock at six; for a month, those
// from the evening before are good enough.
function longestUnread(since: number | undefined, now: number): number {
  return since !== undefined && now - since < 2 * day ? 2 * hour : day;
}

function doubtOf(
  { isComplete, goesOnAfter, orders, rises, headReadAt, floor, reads }: IndexStatus,
  { names = false }: Needs,
  { range: { since, until }, now, when, dayBegan }: AskedTime,
): Doubt | undefined {
  const refresh = ['index', 'refresh'];
  if (!isComplete)
    return goesOnAfter === undefined
      ? { why: 'there may be orders between those that it knows', fix: refresh }
      : {
          why: `it knows ${counted(orders, 'order')}, and there are more`,
          fix: ['index', 'build', '--resume'],
        };
  if (rises > 0) return { why: 'this list is not newest first, so a new order may be anywhere in it' };
  if (floor !== undefined && (since === undefined || since < floor * 1000))
    return { why: `it has no orders from before ${when(floor)}` };
  if (headReadAt === undefined) return { why: 'the newest orders were not read into it', fix: refresh };
  const isStale = (readAt: number): boolean => {
    const readMs = readAt * 1000;
    const unread = Math.min(until ?? now, now) - readMs;
    return unread > longestUnread(since, now) || (since !== undefined && readMs <= since);
  };
  if (isStale(headReadAt))
    return { why: `the newest orders were last read into it on ${when(headReadAt)}`, fix: refresh };
  // A search reads only what is new. Refunds and captures of older orders may have been made since.
  const newest = reads.find(({ from }) => from === Number.NEGATIVE_INFINITY)?.readAt;
  if (newest !== undefined && isStale(newest)) {
    const why = `its orders of the newest 3 days were last read on ${when(newest)}`;
    // A refresh skips what was read in the last hour, unless a new day has begun since.
    const isDue = now - newest * 1000 >= hour || newest * 1000 <= dayBegan;
    return isDue ? { why, fix: refresh } : { why };
  }
  return names ? { why: "it keeps no buyers and none of the shop's own numbers" } : undefined;
}

interface Opened extends ReturnType<typeof timeOf> {
  readonly index: OrderIndex;
  readonly status: IndexStatus;
  readonly profile: Profile;
}

async function sourceOf(
  ctx: Context,
  { needs, flags, see }: Asked,
  { index, status, profile, ...time }: Opened,
): Promise<OpenedSource> {
  const service = await ctx.service();
  const { journal } = ctx;
  const headReadAt = status.headReadAt ?? 0;
  const attemptsOf = (orders: ReadonlySet<string>) => journal.attemptsOf(service, orders);
  const makers = await makersOf(needs, attemptsOf, journal);
  // Refunds that this machine made in the period. Those that the index shows are removed below.
  const { refunds: missing, orders } =
    needs.kind === 'orders'
      ? { refunds: new Set<string>(), orders: new Set<string>() }
      : await madeHere(journal, profile, time.range, flags.currency);
  const reachesTo = headReadAt * 1000;
  const reachesBackTo = status.floor === undefined ? undefined : status.floor * 1000;
  const before = needs.before === true ? timesBefore({ ...time, reachesTo, reachesBackTo }) : [];
  const read = readOrders(ctx, index, {
    needs,
    range: { ...time.range, since: before[0]?.span.since ?? time.range.since },
    looksAt: see && orders,
    async look(some) {
      if (see !== undefined) see(await shownIndexed(ctx, service, some));
    },
    each(facts) {
      for (const { id = '' } of facts.refunds) missing.delete(id);
    },
    makers,
  });
  const reads = readsThatMatter(status, needs, time.range, ctx.clock.now());
  const times = { clock: ctx.clock, days: time.days };
  const told = () => ({
    needs,
    range: time.range,
    reads,
    missing: missing.size,
    liveOrders: (isShortWalk(needs, profile) ? read.inPeriod() : undefined) ?? status.orders,
    refresh: commandLine(profile, 'index', 'refresh'),
  });
  return {
    kind: 'index',
    label: accountSpan(profile),
    profile,
    ...time,
    asOf: Math.min(headReadAt, ...reads.map(({ readAt }) => readAt)) * 1000,
    reachesTo,
    reachesBackTo,
    isWhole: () => knowsAllRefunds(status, told()),
    knowsPayments: true,
    facts: read.facts,
    origin: profile.origin,
    attemptsOf,
    readWords: () => `${counted(status.orders, 'order')} in the index of this machine`,
    asOfLines: () => indexLines(times, status, told()),
    asOfLinesOfFile: () => indexLinesOfFile(times, status, told()),
  };
}

// A live walk for orders ends where they are too old, if the profile says that the newest come first.
function isShortWalk({ kind }: Needs, { settings }: Profile): boolean {
  return kind === 'orders' && settings['orders.order'] === 'newest-first';
}

// After this many orders the journal is asked about them, and the event loop gets its turn, for Ctrl-C and for the progress.
const ordersAtATime = 2_000;

interface Reading {
  readonly needs: Needs;
  readonly range: TimeRange;
  readonly makers: Makers;
  /** Orders that matter too, whenever they were made. */
  readonly looksAt: ReadonlySet<string> | undefined;
  readonly look: (orders: readonly IndexedOrder[]) => Promise<void>;
  readonly each: (facts: Facts) => void;
}

function readOrders(ctx: Context, index: OrderIndex, { needs, range, looksAt, makers, look, each }: Reading) {
  const { waiting, marginSeconds = 0 } = needs;
  const from = range.since === undefined ? undefined : secondsOf(range.since) - marginSeconds;
  const to = range.until === undefined ? undefined : Math.ceil(range.until / 1000) + marginSeconds;
  const asked = {
    since: waiting === 'only' ? Number.POSITIVE_INFINITY : from,
    until: to,
    status: waiting === undefined ? undefined : statuses.preAuthorized,
    looksAt,
  };
  let read = 0;
  let inPeriod = 0;
  async function* facts(): AsyncGenerator<Facts> {
    const endProgress = ctx.notes.progress(() => (read === 0 ? '' : `${read} orders read from the index`));
    try {
      for (const some of inParts(index.facts(asked), ordersAtATime)) {
        await turn();
        const makerOf = await makers(some.map(({ order }) => order));
        await look(some);
        for (const { order, purchase } of some) {
          read += 1;
          const purchaseOf = () => (purchase === undefined ? undefined : String(purchase));
          const one = factsOfOrder(order, { makerOf, purchaseOf });
          if ((one.order?.createdAt ?? 0) >= (from ?? 0)) inPeriod += 1;
          each(one);
          yield one;
        }
      }
    } finally {
      endProgress();
    }
  }
  return { facts: facts(), inPeriod: () => (waiting === 'only' ? undefined : inPeriod) };
}

function* inParts<T>(all: Iterable<T>, size: number): Generator<readonly T[]> {
  let part: T[] = [];
  for (const one of all) {
    part.push(one);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

// A refund may be made long after it was sent, and two clocks may differ.
const marginMs = 24 * hour;

// The ids of the refunds of the period that the journal knows, and the orders on which it tried one. A report that does not need
// the journal works without it.
async function madeHere(
  journal: Context['journal'],
  profile: Profile,
  range: TimeRange,
  currency: string | undefined,
): Promise<{ readonly refunds: Set<string>; readonly orders: Set<string> }> {
  const made = { refunds: new Set<string>(), orders: new Set<string>() };
  const filter = {
    kind: 'refund',
    since: range.since === undefined ? undefined : range.since - marginMs,
    until: range.until === undefined ? undefined : range.until + marginMs,
  } as const;
  try {
    for await (const page of pagesOf(journal, filter))
      for (const record of page.filter((one) => isOfAccount(profile, one))) {
        if (!hasCurrency(currency, record.sent.currency)) continue;
        if (record.sent.proof.orderId !== undefined) made.orders.add(record.sent.proof.orderId);
        // A refund without a time was made when it was sent.
        for (const { id, createdAt = secondsOf(record.sent.time) } of ownRefunds(record))
          if (id !== undefined && isWithin(range, createdAt)) made.refunds.add(id);
      }
    return made;
  } catch (error) {
    if (error instanceof CliError) return { refunds: new Set(), orders: new Set() };
    throw error;
  }
}
