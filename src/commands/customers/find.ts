/** `customers find`: searches customers for words and shows the matches page by page, up to --max customers. */

import { incomplete, longPages, type Service, upTo } from '../../api/api.ts';
import { idOf, itemsOf, type JsonObject } from '../../api/json-values.ts';
import { customerColumns } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { accountLabel, accountSpan, commandLine } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { customerNamesOf, type NearBuyers, nearBuyers } from '../orders/search/near-buyers.ts';
import { createSearch } from '../orders/search/order-matching.ts';
import { foldedTexts, metadataTexts, type SearchableOrder, textOf } from '../orders/search/order-texts.ts';
import {
  isBlind,
  type SearchPaging,
  searchCommand,
  searchFlags,
  searchMax,
  textArgument,
} from '../search-flags.ts';

export const find = defineCommand({
  description:
    'Looks through id, name, e-mail, phone, reference, payment sources and metadata of each customer. Every word must be there; capitals and accents do not matter. The orders of a customer: paydesk orders find --customer ID.',
  arguments: [textArgument(true)],
  flags: searchFlags('customers'),
  examples: ['paydesk -p demo customers find torres', 'paydesk -p demo customers find ana --json --no-input'],
  async run(ctx, { args: [texts], flags }): Promise<undefined> {
    // A text without a word is refused before anything is read.
    createSearch(texts);
    const service = await ctx.service();
    await searchPages(ctx, service, { texts, paging: flags });
  },
});

interface Search {
  readonly texts: readonly string[];
  readonly paging: SearchPaging;
}

interface Tally {
  read: number;
  found: number;
  last: string | undefined;
  hasMore: boolean;
}

async function searchPages(ctx: Context, service: Service, search: Search): Promise<void> {
  const { paging, texts } = search;
  const finds = createSearch(texts, isBlind(ctx));
  const near = ctx.redaction.isOn() ? undefined : nearBuyers(texts, 'customer');
  const sink = ctx.out.list(customerColumns, { pages: 'many' });
  const tally: Tally = { read: 0, found: 0, last: paging.next, hasMore: false };
  const endProgress = ctx.notes.progress(() =>
    tally.read === 0 ? '' : `${tally.read} customers read, ${tally.found} found`,
  );
  try {
    const { max = searchMax, next, limit = Number.POSITIVE_INFINITY, 'page-size': size } = paging;
    for await (const page of longPages(service, 'customers', { next, limit: size })) {
      const { records, hasMore } = upTo(page, max - tally.read);
      for (const record of records) near?.see(idOf(record), customerNamesOf(record.value));
      const found = records.filter(({ value }) => finds(customerFields(value)) !== undefined);
      const hits = found.slice(0, limit - tally.found);
      if (hits.length > 0) await sink.page(hits);
      tally.read += records.length;
      tally.found += hits.length;
      tally.last = idOf(records.at(-1)) ?? tally.last;
      tally.hasMore = hasMore;
      if (tally.found >= limit) {
        tally.last = idOf(hits.at(-1)) ?? tally.last;
        tally.hasMore = hasMore || tally.last !== idOf(records.at(-1));
        break;
      }
      if (tally.read >= max) break;
    }
  } catch (error) {
    const certain = `${tally.read} customers were read and ${tally.found} found; there may be more`;
    const now = () => ['go on from there:', onwards(service, search, tally)];
    const failed = incomplete(error, tally.read, certain, now);
    if (failed !== error) await sink.end(true);
    throw failed;
  } finally {
    endProgress();
  }
  await sink.end(tally.hasMore);
  tellEnd(ctx, service, search, { ...tally, offers: near?.offers() ?? [] });
}

// Says how the search ended. Throws if nothing was found: exit 9 if there is more to read, 5 after a complete walk.
function tellEnd(
  ctx: Context,
  service: Service,
  search: Search,
  tally: Tally & { readonly offers: ReturnType<NearBuyers['offers']> },
): void {
  const { profile } = service;
  const { read, found, hasMore } = tally;
  const what = counted(read, 'customer');
  const next = onwards(service, search, tally);
  if (found > 0) {
    ctx.notes.note([
      `${found} found in ${what}, `,
      accountSpan(profile),
      hasMore ? '' : '. There are no more',
    ]);
    if (hasMore) ctx.notes.note(`further customers: ${next}`);
    return;
  }
  const after = search.paging.next === undefined ? '' : ` after ${search.paging.next}`;
  throw new CliError(hasMore ? 'incomplete' : 'not_found', `"${search.texts.join(' ')}" in ${what}`, {
    opening: 'no match for',
    certain: hasMore
      ? `all ${read} were read; the account has more`
      : `all customers of ${accountLabel(profile)}${after} were searched`,
    now: [
      ...tally.offers.flatMap(({ who, words }) => [
        `did you mean ${who}?`,
        searchCommand(profile, 'customers', words, search.paging),
      ]),
      'a buyer may have paid without being a customer; search the orders:',
      commandLine(profile, 'orders', 'find', ...(tally.offers[0]?.words ?? search.texts)),
      ...(hasMore ? ['or search further customers:', next] : []),
    ],
  });
}

function onwards({ profile }: Service, { texts, paging }: Search, { last }: Tally): string {
  return searchCommand(profile, 'customers', texts, { ...paging, next: last });
}

// The fields of a customer (service: customer), each also without case and accents.
function customerFields(customer: JsonObject): SearchableOrder {
  return foldedTexts([
    ...textOf('name', customer.name, 'part'),
    ...textOf('email', customer.email, 'part'),
    ...textOf('phone', customer.phone, 'phone'),
    ...textOf('id', customer.id, 'idPart'),
    ...textOf('reference', customer.custom_reference, 'part'),
    ...itemsOf(customer.payment_sources).flatMap((source) => [
      ...textOf('source', source.reference, 'part'),
      ...textOf('source', source.id, 'idPart'),
    ]),
    ...metadataTexts(customer.metadata),
  ]);
}
