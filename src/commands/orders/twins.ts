/** `orders twins`: pairs of payments of a period that may be one purchase, paid twice. */

import { amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { isWithin, statuses, type TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { readHits } from '../../index/index.ts';
import {
  backWord,
  isNewestBack,
  type KnownTwin,
  knownOrder,
  knownTwin,
  purchaseOf,
  surelyBack,
  type TwinPair,
  twinOf,
  twinPairs,
  twinSeconds,
  twinSpan,
  withChargeIds,
} from '../../orders/orders.ts';
import {
  elsewhere,
  type Figure,
  factsOfOrder,
  hasCurrency,
  type OrderFact,
  sumOf,
} from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { openSource, sourceFlags, sumsExits } from '../report/report-flags.ts';
import { lastColumnsOfList, lastFieldsOfList, onlyToday, sayAsOf } from '../report/report-rows.ts';
import { nobodyAsked, type Source } from '../report/report-source.ts';
import { amountsOf, inCurrency } from '../report/report-words.ts';

const usualPeriod = 'today';

export const twins = defineCommand({
  description: `Lists pairs of payments by the same buyer, of the same amount, of orders that were created within ${twinSpan} of each other. Once all of one payment went back, the pair is settled, and shown only with --settled.`,
  flags: {
    ...timeFlags(usualPeriod),
    settled: flag.switch('also pairs with one payment that went back'),
    ...sourceFlags,
  },
  examples: [
    'paydesk -p demo orders twins --period this-month',
    'paydesk -p demo orders twins --period yesterday --settled --json --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }): Promise<undefined> {
    ctx.out.checkColumns([...pairColumns, outcomeColumn]);
    const period = periodOf(flags, usualPeriod);
    const source = await openSource(ctx, {
      flags,
      period,
      needs: { kind: 'orders', makers: false, marginSeconds: twinSeconds },
    });
    const orders: OrderFact[] = [];
    for await (const { order } of source.facts) {
      if (
        order !== undefined &&
        isOfPeriod(source.range, order) &&
        hasCurrency(flags.currency, order.currency)
      )
        orders.push(order);
    }
    const found = await pairsIn(ctx, orders, source);
    const pairs = source.kind === 'index' ? await readPairsAgain(ctx, orders, source, found) : found;
    const open = pairs.filter((pair) => !pair.isSettled);
    const shown = flags.settled === true ? pairs : open;
    const named = ctx.options.columns?.some((typed) => /^(reference|email)$/i.test(typed.trim())) ?? false;
    const rows = shown.map((pair) => ({ ...rowOf(pair, source), ...(named ? namesOf(pair) : {}) }));
    await ctx.out.ownList(
      rows.some(({ became }) => became !== null) ? [...pairColumns, outcomeColumn] : pairColumns,
      rows,
      source,
    );
    ctx.notes.note(
      open.length === 0
        ? `no twins${inCurrency(source)} in this period`
        : `${counted(open.length, 'pair')} of twins${inCurrency(source)}: two payments of the same buyer and amount within ${twinSpan}; ${twiceWords(open, (amount, currency) => amountWords(amount, currency, amountsOf(source)))} may have been paid twice and did not go back`,
    );
    if (periodOf(flags) === undefined) ctx.notes.note(onlyToday);
    const settled = pairs.length - open.length;
    if (settled > 0)
      ctx.notes.note(
        `${counted(settled, 'pair')} more ${settled === 1 ? 'is' : 'are'} settled: all of one payment went back${flags.settled === true ? '' : ' (--settled)'}`,
      );
    sayAsOf(ctx, source);
  },
});

/** How much money the pairs are about, each pair counted once, without what went back of it: `36000 MXN and 900 USD`. */
export function twiceWords(
  pairs: readonly Pair[],
  write: (amount: Figure, currency: string | undefined) => string,
): string {
  return [...Map.groupBy(pairs, ({ first }) => first.currency)]
    .map(([currency, own]) =>
      write(
        sumOf(own, ({ first, second }) => Math.max(0, first.amount - surelyBack(first) - surelyBack(second))),
        currency,
      ),
    )
    .join(' and ');
}

// At most this many orders of pairs are read again.
const mostReadAgain = 200;

// An index keeps no names or cards that could be shown, and only the service is asked about money, so the orders of pairs are read
// again.
async function readPairsAgain(
  ctx: Context,
  orders: readonly OrderFact[],
  source: Source,
  pairs: readonly Pair[],
): Promise<readonly Pair[]> {
  const service = await ctx.service();
  const index = await ctx.index.open(service.profile);
  const ids = [...new Set(pairs.flatMap(({ first, second }) => [first.id, second.id]))];
  if (index === undefined || ids.length === 0) return pairs;
  const hits = ids
    .map((id) => ({ id, place: index.placeOf(id) ?? 0, neighbour: index.before(id, 1)[0] }))
    .toSorted((one, other) => one.place - other.place);
  const read = new Map<string | undefined, OrderFact>();
  try {
    const makerOf = await nobodyAsked([]);
    const { 'reference.keys': referenceKeys } = service.profile.settings;
    for await (const some of readHits(service, hits.slice(0, mostReadAgain)).orders)
      for (const { record } of some) {
        const { order } = factsOfOrder(record.value, { makerOf, purchaseOf, referenceKeys });
        if (order !== undefined) read.set(order.id, order);
      }
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
    ctx.notes.warn(`the orders of these pairs could not be read again: ${error.message}`);
  }
  const bought = new Map(orders.map(({ id, purchase }) => [id, purchase]));
  const fresh = orders.map((order) => {
    const again = read.get(order.id);
    return again === undefined ? order : { ...again, purchase: bought.get(order.id) };
  });
  if (hits.length > mostReadAgain)
    ctx.notes.note(`buyers and cards of only ${mostReadAgain} orders were read; all of them: --live`);
  return await pairsIn(ctx, fresh, source);
}

/** A twin with what a list shows about it. */
type ListedTwin = KnownTwin &
  Pick<OrderFact, 'buyer' | 'email' | 'reference' | 'cards' | 'currency'> & { readonly purchase: string };

/** The pairs with at least one order that was created in the period, and what the journal knows about them. */
export async function pairsIn(
  ctx: Pick<Context, 'journal'>,
  orders: readonly OrderFact[],
  { kind, asOf, range, attemptsOf }: Pick<Source, 'kind' | 'asOf' | 'range' | 'attemptsOf'>,
): Promise<readonly Pair[]> {
  const bought = [...Map.groupBy(orders, ({ purchase }) => purchase).values()];
  const alike = bought.filter((some) => some.length > 1).flatMap((some) => some.flatMap(listedTwin));
  if (twinPairs(alike).length === 0) return [];
  const now = await ctx.journal.now();
  const attempts = await attemptsOf(new Set(alike.map(({ id }) => id)));
  // A refund may have been sent after the index was made: it is not gone because the orders of the index do not show it yet.
  const read = attempts.filter(
    ({ sent, verdicts }) => kind !== 'index' || (verdicts.at(-1) ?? sent).time <= asOf,
  );
  const byOrder = Map.groupBy(read, ({ sent }) => sent.proof.orderId);
  const known = alike.map((twin) => {
    const own = byOrder.get(twin.id) ?? [];
    const order = kind === 'index' ? withChargeIds(twin.order, own) : twin.order;
    return { ...twin, ...knownTwin(twin, knownOrder(order, own, now)) };
  });
  return twinPairs(known).filter(({ first, second }) =>
    [first, second].some(({ createdAt }) => isWithin(range, createdAt)),
  );
}

// An order that does not show its id, its time, its buyer or its amount is not a twin.
function listedTwin({ purchase, money, ...shown }: OrderFact): readonly ListedTwin[] {
  const twin = twinOf(money);
  if (twin === undefined || purchase === undefined) return [];
  const { buyer, email, reference, cards, currency } = shown;
  return [{ ...twin, purchase, buyer, email, reference, cards, currency }];
}

/** Whether an order was created in the period, or so near to it that it may be the twin of one that was. */
export function isOfPeriod({ since, until }: TimeRange, { createdAt }: OrderFact): boolean {
  const margin = twinSeconds * 1000;
  const wider = {
    since: since === undefined ? undefined : since - margin,
    until: until === undefined ? undefined : until + margin,
  };
  return createdAt !== undefined && isWithin(wider, createdAt);
}

// A column with the values of both orders of a pair in one cell, the earlier order first.
function pairColumn(name: string, title: string, of: string, none: string): Column {
  return column(name, 'text', {
    title,
    tableFrom: 0,
    derived: true,
    below: () => title.toLowerCase(),
    value: (row) =>
      [row[`first_${of}`], row[`second_${of}`]]
        .map((one) => (typeof one === 'string' ? one : none))
        .join(', '),
  });
}

// Shown only where --columns names it.
const { tableFrom: _, ...referenceColumn } = pairColumn('reference', 'REFERENCE', 'reference', 'none');
type Pair = TwinPair<ListedTwin>;

const pairColumns: readonly (Column | Field<Pair>)[] = [
  field('first_created_at', 'time', ({ first }) => first.createdAt, {
    title: 'CREATED',
    tableFrom: 0,
    below: () => 'created',
  }),
  field('first', 'id', ({ first }) => first.id, { tableFrom: 0 }),
  field('second', 'id', ({ second }) => second.id, { tableFrom: 0, below: () => 'second' }),
  field('amount', 'money', ({ first }) => first.amount, { tableFrom: 0 }),
  field('currency', 'text', ({ first }) => first.currency),
  {
    ...pairColumn('status', 'STATUS', 'status', 'not shown'),
    // Which of them was refunded is the question, so this is never cut.
    least: `${statuses.partiallyRefunded}, ${statuses.partiallyRefunded}`.length,
  },
  {
    ...pairColumn('refunds', 'REFUNDS', 'state', 'none'),
    least: 'recorded not made, recorded not made'.length,
  },
  field('buyer', 'text', ({ first, second }) => first.buyer ?? second.buyer, {
    tableFrom: 0,
    below: () => 'buyer',
  }),
  pairColumn('card', 'CARD', 'card', 'not shown'),
  referenceColumn,
  column('email', 'text', { derived: true }),
  field('first_status', 'status', ({ first }) => first.status),
  field('second_status', 'status', ({ second }) => second.status),
  field('first_state', 'text', ({ first }) => first.state),
  field('second_state', 'text', ({ second }) => second.state),
  field('first_card', 'text', ({ first }) => first.cards.join(' ') || null),
  field('second_card', 'text', ({ second }) => second.cards.join(' ') || null),
  field('settled', 'flag', ({ isSettled }) => isSettled),
  field('seconds_apart', 'integer', ({ apart }) => apart, { tableFrom: 160 }),
  field('first_refunded', 'sum', ({ first }) => first.refunded && surelyBack(first), { tableFrom: 160 }),
  field('second_refunded', 'sum', ({ second }) => second.refunded && surelyBack(second), { tableFrom: 160 }),
  ...lastColumnsOfList,
];

// What went back for a pair, when and by whom: below its row where a terminal is narrow.
const outcomeColumn = column('became', 'text', {
  title: 'OUTCOME',
  tableFrom: 0,
  derived: true,
  below: () => 'outcome:',
});

function becameWords(which: string, twin: ListedTwin, source: Source): string {
  const { refund, currency, fact, byHand = [], paidTwice } = twin;
  const recorded = byHand.map(({ sent }) => `${which} was recorded as made by ${sent.operator}`);
  const back = backWord(twin);
  if (back === undefined) return recorded.join('; ');
  const when = refund?.createdAt === undefined ? '' : ` ${source.days.show(refund.createdAt, 'day')}`;
  const amount = `, ${amountWords(surelyBack(twin), currency, amountsOf(source))}`;
  const who = fact?.by ?? paidTwice?.operator;
  const by = `, ${who === undefined ? elsewhere : `by ${who}`}`;
  const isNewest = isNewestBack(twin);
  const went = `${which} went back${back === 'refunded' ? '' : ' in part'}${isNewest ? when : ''}${amount}${isNewest ? by : ''}`;
  return [went, ...recorded].join('; ');
}

function rowOf(pair: Pair, source: Source): JsonObject {
  const { first, second } = pair;
  const became = Object.entries({ first, second }).map(([which, twin]) => becameWords(which, twin, source));
  return {
    ...recordFrom('possible_twins', pairColumns, pair),
    became: became.filter((words) => words !== '').join('; ') || null,
    ...lastFieldsOfList(source, true),
  };
}

// What a row says about the buyer, only in columns that somebody names.
function namesOf({ first, second }: Pair): JsonObject {
  return {
    email: first.email ?? second.email ?? null,
    first_reference: first.reference ?? null,
    second_reference: second.reference ?? null,
  };
}
