/** The flags of every report: which time, which currency, which zone, which charts; and the source of facts that they choose. */

import { currencyPattern } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { flag, type Input, listFileFlags, usage } from '../../flags/flags.ts';
import { type Facts, hasCurrency } from '../../reports/reports.ts';
import { openFile } from './report-file.ts';
import { openIndex } from './report-index.ts';
import { openLive } from './report-live.ts';
import type { Asked, AsOfLine, OpenedSource, Source } from './report-source.ts';

export const charts = ['auto', 'none', 'bars', 'spark', 'calendar'] as const;
export type Chart = (typeof charts)[number];

/** What an exit code of every report means. */
export const sumsExits = {
  9: 'incomplete: an order hides its refunds, a refund has no date, or the output was lost',
} as const;

/** What people may say instead of `--by brand`. */
export const wordsForBrand = { card: 'brand', cards: 'brand', 'card-brand': 'brand' } as const;

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

/** For a report that takes no file. */
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
  'max-rps': flag.integer(1, 1000, 'N', 'at most this many requests per second'),
  ...listFileFlags,
} as const;

/** The values of these flags. */
export type SourceInput = Input<readonly [], typeof sourceFlags>['flags'];

/**
 * Opens the source of a report. Without `--live` and `--from-file` the index of this machine answers, if the account has one that
 * can; otherwise the service does. Throws CliError 'usage' for a file that cannot answer, and 'refused' for an index that does
 * not open.
 */
export async function openSource(ctx: Context, asked: Asked): Promise<Source> {
  const opened = await openFirst(ctx, asked);
  const source = ctx.redaction.isOn() ? { ...opened, facts: learned(ctx, opened.facts) } : opened;
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

// Facts of an export or an index were in no reply of this run.
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

// Whoever asks for one currency sees which others there are. A currency that is mistyped would look like one in which nothing
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
