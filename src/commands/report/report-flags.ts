/**
 * The flags of every report: which period, currency, zone and charts; and the source of facts that they choose, usually the
 * service itself.
 */

import { incomplete, longPages, type OpenService } from '../../api/api.ts';
import { currencyPattern, type TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { orElse } from '../../errors.ts';
import { flag, type Input, listFileFlags, maxPerSecondFlag, usage } from '../../flags/flags.ts';
import { noteLeftOut } from '../../flags/typed-period.ts';
import { purchaseOf, recordShown, shownOrders } from '../../orders/orders.ts';
import { accountSpan, tallyModes } from '../../profiles/profiles.ts';
import { type Dimension, type Facts, factsOfOrder, hasCurrency, type Split } from '../../reports/reports.ts';
import { feedIndex } from '../index/index-walk.ts';
import { lostRecords, lostWords } from '../journal/journal-scope.ts';
import { stopAtDate } from '../orders/order-observer.ts';
import { openFile } from './report-file.ts';
import { openIndex } from './report-index.ts';
import { timesBefore } from './report-period.ts';
import {
  type Asked,
  type AsOfLine,
  asOfReading,
  type Makers,
  makersOf,
  type Needs,
  type OpenedSource,
  type ShownRefunds,
  type Source,
  timeOf,
  unshownFacts,
} from './report-source.ts';

const charts = ['auto', 'none', 'bars', 'spark', 'calendar'] as const;
export type Chart = (typeof charts)[number];

/** What an exit code of every report means. */
export const sumsExits = {
  9: 'incomplete: an order hides its refunds, a refund has no date, or the output was lost',
} as const;

/** `--by` of a summary: one word, or two with a comma between them. */
export function byFlag<const T extends Dimension>(
  choices: readonly ['brand' | T, ...T[]],
  defaultText: string,
) {
  const approver = choices.find((one) => one === 'approver');
  const summary = 'split the sums by this, or by a pair, month,operator; brand is that of the card';
  const by = flag.choice(choices, 'WHAT', summary, {
    otherWords: {
      card: 'brand',
      cards: 'brand',
      'card-brand': 'brand',
      ...(approver && { 'approved-by': approver, approved_by: approver }),
    },
    defaultText,
  });
  const one = (text: string, name: string) => {
    if (text === 'currency')
      throw usage(`${name} currency: each sum is of one currency already`, [
        `leave ${name} out; --currency MXN shows one currency alone`,
      ]);
    if (text === 'buyer' || text === 'customer')
      throw usage(`${name} ${text}: sums are not split by buyers, and lists have them`, [
        'paydesk refunds list --period this-month --columns order_id,amount,buyer',
        'all of one buyer, with the sum: paydesk refunds list --customer NAME',
      ]);
    return by.parse(text, name);
  };
  return {
    ...by,
    takesList: true as const,
    parse(text: string, name: string): Split<'brand' | T> {
      const words = text.split(',').map((word) => one(word.trim(), name));
      const [first = choices[0], second] = words;
      if (words.length > 2 || first === second)
        throw usage(`${name} ${text}: not one word, or two different ones`);
      return second === undefined ? first : [first, second];
    },
  };
}

/** How the sums are shown. */
export const chartFlag = flag.choice(charts, 'CHART', 'the chart beside the numbers of a table', {
  meanings: {
    auto: 'bars, and a sparkline of the days',
    bars: 'a bar for each line',
    spark: 'one sign for each day',
    calendar: 'a line for each week',
  },
  defaultText: 'auto',
});

const liveWords = 'read every order from the service, also if this machine has an index of them';

/** `--live` of a report that cannot read a file. */
export const liveFlag = flag.switch(liveWords);

/** Where the facts come from, and which of them count. */
export const sourceFlags = {
  currency: flag.of<string>({
    value: 'CUR',
    summary: 'only this currency, such as MXN',
    parse: (text, name) => {
      if (currencyPattern.test(text)) return text;
      throw usage(`${name} ${text}: not a currency of three letters, such as MXN`);
    },
  }),
  tz: flag.text('ZONE', 'the time zone of the days, such as America/Mexico_City', {
    defaultText: "the profile's time.zone, or this machine's",
  }),
  live: flag.switch(liveWords, { conflicts: ['from-file'] }),
  'from-file': flag.text(
    'FILE',
    'take the numbers from an export instead, and send no request; its manifest is checked first',
    { conflicts: ['max-rps'] },
  ),
  'max-rps': maxPerSecondFlag,
  ...listFileFlags,
} as const;

export type SourceInput = Input<readonly [], typeof sourceFlags>['flags'];

/**
 * Opens the source of a report. Without `--live` and `--from-file` the index of this machine answers, if the account has one that
 * can; otherwise the service does. Throws CliError 'usage' for a file that cannot answer, and 'refused' for an index that does
 * not open.
 */
export async function openSource(ctx: Context, asked: Asked): Promise<Source> {
  noteLeftOut(ctx, asked.period);
  const opened = await openFirst(ctx, asked);
  const whole =
    asked.needs.unshown === true ? { ...opened, facts: withUnshown(ctx, asked.needs, opened) } : opened;
  const source = ctx.redaction.isOn() ? { ...whole, facts: learned(ctx, whole.facts) } : whole;
  const currency = asked.flags.currency?.toUpperCase();
  if (currency === undefined) return { ...source, currency };
  const seen = new Set<string>();
  const only = (): AsOfLine => ['only', onlyWords(currency, seen)];
  return {
    ...source,
    currency,
    facts: noteCurrencies(ctx, source.facts, currency, seen),
    asOfLines: () => [...source.asOfLines(), only()],
    asOfLinesOfFile: () => [...source.asOfLinesOfFile(), only()],
  };
}

// The journal is asked at the end: by then, a read of an order may have confirmed its refund.
async function* withUnshown(ctx: Context, needs: Needs, source: OpenedSource): AsyncGenerator<Facts> {
  const shown: ShownRefunds = new Map();
  for await (const facts of source.facts) {
    for (const { id, change, amount = 0 } of facts.refunds)
      if (id !== undefined && change !== undefined) shown.set(id, { change, amount });
    yield facts;
  }
  const { profile, range } = source;
  if (profile === undefined) return;
  const [before] = needs.before === true ? timesBefore(source) : [];
  const since = before?.span.since ?? range.since;
  const refunds = await unshownFacts(ctx, profile, { ...range, since }, shown).catch(
    orElse(({ message }) => {
      ctx.notes.warn(`refunds that no order shows are not counted: ${message}`);
      return [];
    }),
  );
  yield { order: undefined, payments: [], refunds, problem: undefined };
  if (!needs.makers) return;
  const lost = await lostRecords(ctx, profile, range).catch(orElse(() => []));
  if (lost.length > 0) ctx.notes.warn(lostWords(lost, 'what they made counts as made elsewhere'));
}

// Facts from an export or an index were not in any reply of this run.
async function* learned({ redaction }: Context, facts: AsyncIterable<Facts>): AsyncGenerator<Facts> {
  for await (const one of facts) {
    for (const of of [one.order, ...one.refunds, ...one.payments])
      if (of !== undefined) redaction.learn({ brand: of.brand, type: of.method });
    if (one.order !== undefined) redaction.learn({ buyer: one.order.buyer });
    yield one;
  }
}

async function openFirst(ctx: Context, asked: Asked): Promise<OpenedSource> {
  const { live = false, 'from-file': file } = asked.flags;
  if (file !== undefined) return await openFile(ctx, asked, file);
  const index = live ? undefined : await openIndex(ctx, asked);
  return index ?? (await openLive(ctx, asked));
}

// A person who asks for one currency sees which others there are. Otherwise a mistyped one would look like one in which nothing
// was paid.
async function* noteCurrencies(
  { notes }: Context,
  facts: AsyncIterable<Facts>,
  currency: string,
  seen: Set<string>,
): AsyncGenerator<Facts> {
  for await (const one of facts) {
    for (const of of [one.order, ...one.refunds, ...one.payments])
      if (of?.currency !== undefined) seen.add(of.currency);
    yield one;
  }
  if (seen.size === 0 || [...seen].some((one) => hasCurrency(currency, one))) return;
  notes.warn(`nothing that was read is in ${currency}; currencies here: ${[...seen].toSorted().join(', ')}`);
}

function onlyWords(currency: string, seen: ReadonlySet<string>): string {
  const others = [...seen].filter((one) => !hasCurrency(currency, one)).toSorted();
  return others.length === 0 ? currency : `${currency}; left out: ${others.join(', ')}`;
}

/** Opens the service itself as the source: every order is read when the facts are asked for. */
async function openLive(ctx: Context, asked: Asked): Promise<OpenedSource> {
  const { flags, needs, see } = asked;
  const service = await ctx.service({ maxPerSecond: flags['max-rps'] });
  const time = timeOf(ctx, asked);
  const { journal } = ctx;
  const attemptsOf = (orders: ReadonlySet<string>) => journal.attemptsOf(service, orders);
  const makers = await makersOf(needs, attemptsOf, journal);
  const walked = walk(ctx, service, { makers, see, since: stopOf(needs, time.range) });
  const asOf = ctx.clock.now();
  return {
    kind: 'live',
    label: accountSpan(service.profile),
    profile: service.profile,
    ...time,
    asOf,
    reachesTo: asOf,
    isWhole: () => true,
    knowsPayments: true,
    facts: walked.facts,
    origin: service.profile.origin,
    attemptsOf,
    readWords: walked.words,
    ...asOfReading({ days: time.days, asOf, readWords: walked.words }),
  };
}

// Orders are listed by their creation, so a walk for orders can end at the first one that is too old. A refund may belong to an
// order of any age.
function stopOf({ kind, marginSeconds = 0 }: Needs, { since }: TimeRange): number | undefined {
  return kind !== 'orders' || since === undefined ? undefined : since - marginSeconds * 1000;
}

interface Walk {
  readonly makers: Makers;
  readonly see: Asked['see'];
  /** Orders from before this time are not needed, Unix milliseconds; undefined: all are. */
  readonly since: number | undefined;
}

function walk(ctx: Context, service: OpenService, { makers, see, since }: Walk) {
  const { profile } = service;
  const { 'reference.keys': referenceKeys } = profile.settings;
  const dates = stopAtDate(profile.settings['orders.order'] === 'newest-first', since);
  let read = 0;
  let ended = false;
  const modes = tallyModes(profile);
  async function* facts(): AsyncGenerator<Facts> {
    const endProgress = ctx.notes.progress(() => (read === 0 ? '' : `${read} orders read`));
    const feed = feedIndex(ctx, service, undefined);
    try {
      for await (const page of longPages(service, 'orders', {}, { ahead: true })) {
        const { records } = page;
        feed.page(page);
        dates.add(records);
        const warning = dates.warning();
        if (warning !== undefined) ctx.notes.warn(warning);
        read += records.length;
        const orders = records.map(({ value }) => value);
        modes.add(orders);
        if (see === undefined) await recordShown(ctx, service, orders);
        else see(await shownOrders(ctx, service, orders));
        const makerOf = await makers(orders);
        for (const order of orders) yield factsOfOrder(order, { makerOf, purchaseOf, referenceKeys });
        ended = dates.reached;
        if (ended) break;
      }
      for (const line of modes.lines()) ctx.notes.warn(line);
    } catch (error) {
      const certain = `${read} orders were read, but not all: nothing was added up, so no wrong sum is shown`;
      throw incomplete(error, read, certain, ({ parts: { now = [] } }) => [...now, 'run it again']);
    } finally {
      endProgress();
      await feed.end();
    }
  }
  return {
    facts: facts(),
    words: () =>
      `${counted(read, 'order')} read from the service${ended ? ', back to the start of the period' : ''}`,
  };
}
