/**
 * Searches the index of this machine and, at the same time, reads the newest and the last page of the list. What is found is read
 * again from the service before it is shown.
 */

import { longPages, type Page, type Service, type WireRecord } from '../../../api/api.ts';
import { idOf } from '../../../api/json-values.ts';
import type { Context } from '../../../context/context.ts';
import { orElse } from '../../../errors.ts';
import {
  firstPage,
  type IndexStatus,
  type OrderIndex,
  readHits,
  type WantedTexts,
} from '../../../index/index.ts';
import { purchaseOf, twinSeconds } from '../../../orders/orders.ts';
import { addPage, learnRun, newRun } from '../../index/index-walk.ts';

interface IndexSearch {
  readonly wanted: WantedTexts;
  /** Which of these orders are found, as the service shows them now. */
  readonly found: (records: readonly WireRecord[]) => Promise<readonly WireRecord[]>;
  /** Only orders after this one in the list are wanted. */
  readonly after: string | undefined;
  readonly max: number;
  /** Gets all orders that were read, before the found ones among them are shown. */
  readonly onRead: (records: readonly WireRecord[]) => void;
  /** Shows what was found, in the order of the list. */
  readonly show: (records: readonly WireRecord[]) => Promise<void>;
  /** Whether enough orders were shown. */
  readonly isFull: () => boolean;
}

// A short first page comes sooner. If it does not join what is known, longer ones follow.
const headLength = 50;
// Twins are looked for only for this many of the found orders: in a longer list nobody looks for them.
const mostTwinsLookedFor = 50;

/** How a search in the index ended. */
export type IndexFound = Awaited<ReturnType<typeof findInIndex>>;

/** Searches. Throws what the service throws, and CliError 'refused' if the index cannot be opened. */
export async function findInIndex(ctx: Context, service: Service, index: OrderIndex, search: IndexSearch) {
  const { clock } = ctx;
  const startedAt = clock.monotonic();
  const headAt = clock.now();
  const before = service.requests?.() ?? 0;
  const known = index.status();
  const from = search.after === undefined ? -1 : (index.placeOf(search.after) ?? -1);
  const [hits, head, tail] = await Promise.all([
    index.scan(search.wanted),
    firstPage(service, { limit: headLength }),
    known.isComplete && !known.endsAtFloor && known.last !== undefined
      ? firstPage(service, { limit: headLength, next: known.last })
      : undefined,
  ]);
  const newest = await readHead(ctx, service, index, head, headAt, search.max);
  const oldest = tail === undefined ? [] : learnTail(index, service, known, tail, headAt);
  const live = new Map<string, WireRecord>();
  for (const record of [...newest.records, ...oldest]) live.set(idOf(record) ?? '', record);

  const showing = startShowing(service, index, search, live);
  await showing.show(behind(newest.records, search.after));
  const wanted = search.isFull() ? [] : hits.filter(({ id, place }) => !live.has(id) && place > from);
  const reader = readHits(service, wanted.slice(0, search.max));
  const endProgress = ctx.notes.progress(() => `${reader.read} orders read again, ${showing.found} found`);
  try {
    for await (const read of reader.orders) {
      for (const { record } of read) live.set(idOf(record) ?? '', record);
      await showing.show(read.map(({ record }) => record));
      if (search.isFull()) break;
    }
  } finally {
    endProgress();
  }
  if (reader.gone.length > 0) index.drop(reader.gone);
  if (!search.isFull()) await showing.show(oldest);
  return {
    found: showing.found,
    /** Orders of the index that could not be read again. */
    unread: reader.unread,
    /** The last order that was read, if `max` ended the search. */
    stoppedAt: wanted.length > search.max ? wanted[search.max - 1]?.id : undefined,
    /** The status of the index after the search. */
    status: index.status(),
    /** When the newest page was asked for, Unix milliseconds. */
    headAt,
    /** Whether the newest orders that were read join those that are known. */
    headJoined: newest.joins,
    requests: (service.requests?.() ?? 0) - before,
    tookMs: clock.monotonic() - startedAt,
  };
}

function behind(records: readonly WireRecord[], after: string | undefined): readonly WireRecord[] {
  if (after === undefined) return records;
  const at = records.findIndex((record) => idOf(record) === after);
  return at === -1 ? [] : records.slice(at + 1);
}

// Reads on until the newest orders join those that are known.
async function readHead(
  { clock }: Context,
  service: Service,
  index: OrderIndex,
  first: Page,
  headAt: number,
  max: number,
) {
  const records: WireRecord[] = [...first.records];
  let joins = learnPage(index, service, undefined, first, headAt);
  const last = idOf(first.records.at(-1));
  if (joins || !first.hasMore || last === undefined || records.length >= max) return { records, joins };
  let after = last;
  let askedAt = clock.now();
  for await (const page of longPages(service, 'orders', { next: after })) {
    records.push(...page.records);
    joins = learnPage(index, service, after, page, askedAt);
    askedAt = clock.now();
    after = idOf(page.records.at(-1)) ?? after;
    if (joins || records.length >= max) break;
  }
  return { records, joins };
}

function learnTail(
  index: OrderIndex,
  service: Service,
  { last }: IndexStatus,
  page: Page,
  askedAt: number,
): readonly WireRecord[] {
  // A service that no longer knows the last order may send the first page instead.
  const fits = learnPage(index, service, last, page, askedAt);
  return fits ? page.records : [];
}

// Returns whether the orders are followed by known ones, or by the end of the list.
function learnPage(
  index: OrderIndex,
  service: Service,
  after: string | undefined,
  page: Page,
  askedAt: number,
): boolean {
  const run = newRun(after, askedAt);
  addPage(run, service, page);
  return learnRun(index, service, run)?.joins === true;
}

function startShowing(
  service: Service,
  index: OrderIndex,
  search: IndexSearch,
  live: ReadonlyMap<string, WireRecord>,
) {
  let found = 0;
  return {
    get found() {
      return found;
    },
    /** Shows those of the orders that are found. */
    async show(records: readonly WireRecord[]) {
      const matching = await search.found(records);
      search.onRead(records);
      if (matching.length > 0) search.onRead(await twinsOf(service, index, matching, live));
      if (matching.length > 0) await search.show(matching);
      found += matching.length;
    },
  };
}

// The twins of what was found, which are also read again: a person may refund one of the two. A twin that cannot be read is left
// out.
async function twinsOf(
  service: Service,
  index: OrderIndex,
  found: readonly WireRecord[],
  live: ReadonlyMap<string, WireRecord>,
): Promise<readonly WireRecord[]> {
  const hits = found.slice(0, mostTwinsLookedFor).flatMap(({ value }) => {
    const purchase = purchaseOf(value);
    return purchase === undefined ? [] : index.twinsOf(value, purchase, twinSeconds);
  });
  const others = new Map(hits.filter(({ id }) => !live.has(id)).map((hit) => [hit.id, hit]));
  const read = await Promise.all(
    [...others.values()].slice(0, mostTwinsLookedFor).map(async ({ id, neighbour }) => {
      const located = await service
        .locate('orders', id, { neighbour, once: true })
        .catch(orElse(() => undefined));
      return located !== undefined && 'found' in located ? [located.found] : [];
    }),
  );
  const known = hits.flatMap(({ id }) => live.get(id) ?? []);
  return [...read.flat(), ...known];
}
