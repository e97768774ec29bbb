/** Chooses where a report takes its facts from: a file that was named, the index of this machine, or the service itself. */

import type { Context } from '../context/context.ts';
import { type Facts, hasCurrency } from '../reports/reports.ts';
import { openFile } from './report-file.ts';
import { openIndex } from './report-index.ts';
import { openLive } from './report-live.ts';
import type { Asked, AsOfLine, OpenedSource, Source } from './report-source.ts';

/**
 * Opens the source of a report. Without `--live` and `--from-file` the index of this machine answers, if the account has one that
 * can; otherwise the service does. Throws CliError 'usage' for a file that cannot answer, and 'refused' for an index that does
 * not open.
 */
export async function openSource(ctx: Context, asked: Asked): Promise<Source> {
  const source = await openFirst(ctx, asked);
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
