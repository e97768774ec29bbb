/** What a search says in the end: what was read, what is certain, and the command to look further back. */

import { CliError } from '../../errors.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { accountLabel, commandLine } from '../account.ts';
import type { Context } from '../command.ts';
import type { Filter } from '../listing.ts';
import type { OrderOnlooker } from './onlooker.ts';

/** A search as it was asked for, and what looked on. */
export interface Search {
  readonly profile: Profile;
  readonly texts: readonly string[];
  readonly filters: readonly Filter[];
  /** Orders to read at most. */
  readonly max: number;
  readonly paging: {
    readonly max?: number | undefined;
    readonly limit?: number | undefined;
    readonly next?: string | undefined;
  };
  readonly onlooker: OrderOnlooker;
  /** The options about output as they were typed. */
  readonly outputWords: readonly string[];
}

/** Why the reading ended: nothing more, the bound, a date that nothing can be newer than, or the one order of an id. */
export type Ending = 'end' | 'bound' | 'date' | 'found';

/** `9` where more could be read, `5` after a complete walk. */
export function noMatch(ctx: Context, search: Search, ending: Ending): CliError {
  const { texts, filters, paging, profile, onlooker } = search;
  const filterWords = filters.flatMap(({ words }) => words).join(' ');
  const what = `"${texts.join(' ')}"${filterWords === '' ? '' : ` with ${filterWords}`}`;
  const message = `${what} in ${readWords(ctx, onlooker)}`;
  const opening = 'no match for';
  if (ending === 'end') {
    const after = paging.next === undefined ? '' : ` after ${paging.next}`;
    return new CliError('not_found', message, {
      opening,
      certain: `${accountLabel(profile)} has no others${after}`,
      now: [
        "ask for the e-mail or the shop's order number",
        ...(paging.next === undefined ? [] : ['or look through all:', command(search, { filters })]),
      ],
    });
  }
  return new CliError('incomplete', message, {
    opening,
    certain:
      ending === 'date'
        ? `all that are new enough were read; older ones were not`
        : `all ${onlooker.read} were read; the account has more that were not`,
    now: ["ask for the e-mail or the shop's order number, or go on:", furtherBack(search, ending)],
  });
}

/** What is said under the orders that were found. */
export function foundLines(ctx: Context, search: Search, found: number, ending: Ending): readonly string[] {
  const { onlooker, profile } = search;
  const head = `${found} found in ${readWords(ctx, onlooker)}, ${accountLabel(profile)}.`;
  if (ending === 'end') return [`${head} No more follow`];
  if (ending === 'found') return [`${head} An id is that of one order`];
  return [head.slice(0, -1), `further back: ${furtherBack(search, ending)}`];
}

/** The reading broke off in the middle. */
export function brokenOff(error: CliError, search: Search, found: number): CliError {
  const { onlooker } = search;
  return new CliError('incomplete', error.message, {
    ...error.parts,
    certain: `${onlooker.read} orders were read, ${found} of them found; more may exist`,
    now: ['go on from there:', furtherBack(search, 'bound')],
    cause: error,
  });
}

function readWords(ctx: Context, { read, days }: OrderOnlooker): string {
  const when = days === undefined ? '' : `, ${ctx.days.between(days.first, days.last)}`;
  return `${read} ${read === 1 ? 'order' : 'orders'}${when}`;
}

// Behind a date the same date would end the walk at once.
function furtherBack(search: Search, ending: Ending): string {
  const { filters, onlooker } = search;
  const kept =
    ending === 'date' ? filters.map((filter) => ({ ...filter, words: withoutSince(filter.words) })) : filters;
  return command(search, { filters: kept, next: onlooker.last ?? search.paging.next });
}

function withoutSince(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--since');
  return at === -1 ? words : words.toSpliced(at, 2);
}

function command(
  { profile, texts, paging, outputWords }: Search,
  { filters, next }: { readonly filters: readonly Filter[]; readonly next?: string | undefined },
): string {
  const options = [
    ...filters.flatMap(({ words }) => words),
    ...(paging.max === undefined ? [] : ['--max', String(paging.max)]),
    ...(paging.limit === undefined ? [] : ['--limit', String(paging.limit)]),
    ...outputWords,
    ...(next === undefined ? [] : ['--next', next]),
  ];
  // A text that begins like an option stands behind the sign that ends them.
  const dashed = texts.some((text) => text.startsWith('-'));
  const words = dashed ? [...options, '--', ...texts] : [...texts, ...options];
  return commandLine(profile, 'orders', 'find', ...words);
}
