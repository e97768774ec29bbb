/** `orders find`: orders that show a text, as their pages come, within a bound. */

import type { Page, Service, WireRecord } from '../../api/api.ts';
import { type Column, orderColumns, resources } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../command.ts';
import { defineCommand, flag } from '../command.ts';
import { brokeOff, widePages } from '../walk.ts';
import { filterFlags, orderFilters } from './filters.ts';
import { brokenOff, type Ending, foundLines, noMatch, type Search } from './find-words.ts';
import { createMatcher, type Matcher } from './matching.ts';
import { type OrderOnlooker, orderOnlooker } from './onlooker.ts';

const defaultMax = 5_000;

export const find = defineCommand({
  description:
    'Looks through id, email, phone, names, last4, reference, amount, auth code and metadata of each order, and shows what it found as pages come. Every word must be there; case and accents do not count. Ids by any four characters of theirs, amounts and auth codes whole. It stops after --max orders and prints the command to look further back.',
  arguments: [
    {
      name: 'text',
      summary: 'words to look for; quote a phone number or a name to keep its words together',
      required: true,
      variadic: true,
      parse: (text: string): string => text,
    },
  ],
  flags: {
    ...filterFlags,
    max: flag.integer(1, Number.MAX_SAFE_INTEGER, {
      value: 'N',
      summary: 'orders to read at most',
      defaultText: String(defaultMax),
    }),
    next: flag.id('orders', { value: 'ID', summary: 'look through what comes after this order' }),
    limit: flag.integer(1, 1000, { value: 'N', summary: 'orders a page' }),
  },
  examples: [
    'paydesk -p demo orders find 4242 torres',
    'paydesk -p demo orders find buyer1@example.com --refundable',
    'paydesk -p demo orders find A-99998 --json --no-input',
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [texts], flags }) {
    const matcher = createMatcher(texts);
    const service = await ctx.service();
    const asked = orderFilters(ctx, flags);
    const { filters } = asked;
    const search: Search = {
      profile: service.profile,
      texts,
      filters,
      max: flags.max ?? defaultMax,
      paging: flags,
      onlooker: orderOnlooker(ctx, service.profile, asked),
      outputWords: ctx.options.outputWords,
    };
    const accepts = ({ value }: WireRecord): boolean =>
      filters.every((filter) => filter.accepts(value)) && matcher(value) !== undefined;
    const { found, ending } = await look(ctx, service, search, matcher, accepts);
    const { onlooker } = search;
    for (const line of onlooker.closing()) ctx.notes.note(line);
    if (found === 0) throw noMatch(ctx, search, ending);
    for (const line of foundLines(ctx, search, found, ending)) ctx.notes.note(line);
    return undefined;
  },
});

interface Looked {
  readonly found: number;
  readonly ending: Ending;
}

async function look(
  ctx: Context,
  service: Service,
  search: Search,
  matcher: Matcher,
  accepts: (record: WireRecord) => boolean,
): Promise<Looked> {
  const { onlooker, max, paging } = search;
  const sink = ctx.out.list(columnsOf(matcher, onlooker));
  let found = 0;
  const over = ctx.notes.progress(() =>
    onlooker.read === 0 ? '' : `${progressWords(ctx, onlooker)}, ${found} found`,
  );
  let ending: Ending = 'end';
  try {
    const query = { next: paging.next, limit: paging.limit ?? (max < 250 ? max : undefined) };
    for await (const page of widePages(service, 'orders', query)) {
      const part = upTo(page, max - onlooker.read);
      onlooker.see(part);
      const hits = part.records.filter(accepts);
      if (hits.length > 0) await sink.page(hits);
      onlooker.shown(hits);
      found += hits.length;
      ending = endingAfter(search, part, hits);
      if (ending !== 'end') break;
    }
  } catch (error) {
    if (onlooker.read === 0 || !(error instanceof CliError) || !brokeOff(error)) throw error;
    await sink.end(true);
    throw brokenOff(error, search, found);
  } finally {
    over();
  }
  await sink.end(ending === 'bound');
  return { found, ending };
}

// What is left of a page within a bound; the rest of it follows.
function upTo(page: Page, most: number): Page {
  return {
    ...page,
    records: page.records.slice(0, most),
    hasMore: page.hasMore || page.records.length > most,
  };
}

function endingAfter({ texts, max, onlooker }: Search, page: Page, hits: readonly WireRecord[]): Ending {
  const [text, second] = texts;
  // A whole id is the id of one order.
  const isId = second === undefined && text !== undefined && resources.orders.idPattern.test(text.trim());
  if (isId && hits.some(({ value }) => value.id === text.trim())) return 'found';
  if (onlooker.over()) return 'date';
  return page.hasMore && onlooker.read >= max ? 'bound' : 'end';
}

function progressWords(ctx: Context, { read, days }: OrderOnlooker): string {
  const back = days === undefined ? '' : `, ${ctx.days.between(days.first, days.last)}`;
  return `${read} orders read${back}`;
}

// What was found stands where a list says what went back and how it was paid.
function columnsOf(matcher: Matcher, { columns, twins }: OrderOnlooker): readonly Column[] {
  const matched: Column = {
    name: 'matched',
    title: 'MATCHED',
    kind: 'text',
    tableFrom: 0,
    value: (order) => {
      const words = (matcher(order) ?? []).map(
        ({ label, value }) => `${shortened(label)} ${shortened(value)}`,
      );
      return [...(twins.of(order) === undefined ? [] : ['twin']), ...words].join(', ');
    },
  };
  const later = new Map([
    ['refunded', 120],
    ['card', 100],
  ]);
  const own = orderColumns.map((column): Column => {
    const tableFrom = later.get(column.name) ?? column.tableFrom;
    return tableFrom === undefined ? column : { ...column, tableFrom };
  });
  return [...own, matched, ...columns];
}

// Metadata may hold a book.
function shortened(value: string): string {
  return value.length > 80 ? `${value.slice(0, 79)}…` : value;
}
