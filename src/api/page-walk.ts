/** Reads page after page by record ids, and notices a service that goes in circles (service: Endpoints 2). */

import { CliError } from '../errors.ts';
import { turn } from '../io.ts';
import type { Page, PageQuery, PagesHow, WalkedBefore, WireRecord } from './api.ts';
import { idOf } from './json-values.ts';
import type { ListReply } from './reply-json.ts';

// Records repeat near page borders, so only the last ids are kept. A longer circle shows in the cursors, which are all kept.
const idsOfAGeneration = 5_000;

interface Way {
  /** The query of the next page; undefined at the end. */
  readonly following: PageQuery | undefined;
  /** Why the walk cannot go on although there is or may be more. */
  readonly stuck: string | undefined;
}

// A walk in one direction, with its cursors and ids.
function createWalk(start: PageQuery, before: readonly WalkedBefore[]) {
  const backwards = start.previous !== undefined;
  const cursors = new Set<string>();
  const ids = recentIds();
  for (const page of before) {
    if (page.last !== undefined) cursors.add(page.last);
    for (const id of page.ids) ids.add(id);
  }
  const first = start.next ?? start.previous;
  if (first !== undefined) {
    cursors.add(first);
    ids.add(first);
  }
  return {
    /** Whether the walk has been at this cursor. */
    knows: (cursor: string) => cursors.has(cursor),
    /** What comes after a page. Parses only its first or last record. */
    way({ limit }: PageQuery, page: ListReply): Way {
      const end = (stuck?: string): Way => ({ following: undefined, stuck });
      if (!page.saysHasMore)
        return end(
          'the service does not say whether there are more pages (a list needs object and has_more)',
        );
      if (!page.hasMore) return end();
      if (page.size === 0) return end('the service says there is more, but sends nothing');
      const cursor = page.edge(backwards ? 'first' : 'last');
      if (cursor === undefined) return end(`the ${backwards ? 'first' : 'last'} record of a page has no id`);
      if (cursors.has(cursor)) return end(`the pages of the service lead in a circle, back to ${cursor}`);
      cursors.add(cursor);
      return {
        following: backwards ? { limit, previous: cursor } : { limit, next: cursor },
        stuck: undefined,
      };
    },
    /** A page's records that are new to the walk. */
    fresh: (page: ListReply): readonly WireRecord[] =>
      page.records().filter((record) => {
        const id = idOf(record);
        return id === undefined || ids.add(id);
      }),
  };
}

// The ids of the last pages, in two generations. Dropping the older one keeps memory constant.
function recentIds(): { add(id: string): boolean } {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    add(id) {
      if (young.has(id) || old.has(id)) return false;
      if (young.size >= idsOfAGeneration) [old, young] = [young, new Set()];
      young.add(id);
      return true;
    },
  };
}

/** A received page, not parsed yet. */
export interface ReceivedPage {
  /** The id that probably requests the next page, if it can be seen at once. */
  readonly probableNext?: () => string | undefined;
  /** Throws CliError if it is not a page. */
  readonly read: () => ListReply;
}

/** The signal ends a request that is no longer needed. */
type FetchPage = (query: PageQuery, signal: AbortSignal) => Promise<ReceivedPage>;

/**
 * Yields pages from the query `start`. With `ahead`, requests the next page before reading this one if its ends show how, and uses
 * the result only if the whole page agrees. Throws what `fetchPage` throws. If the walk makes no progress, first yields what it
 * can, then throws CliError 'incomplete'.
 */
export async function* walkPages(
  fetchPage: FetchPage,
  start: PageQuery,
  { ahead = false, before = [] }: Pick<PagesHow, 'ahead' | 'before'> = {},
): AsyncGenerator<Page, void, undefined> {
  const walk = createWalk(start, before);
  const over = new AbortController();
  let read = 0;
  let coming: Coming | undefined;
  const ask = async (query: PageQuery): Promise<Coming> => {
    const page = fetchPage(query, over.signal);
    await untilLeft(page);
    return { query, page };
  };
  try {
    for (let query: PageQuery | undefined = start; query !== undefined; ) {
      const received: ReceivedPage = await (coming?.page ?? fetchPage(query, over.signal));
      const next = ahead && start.previous === undefined ? received.probableNext?.() : undefined;
      coming = next === undefined || walk.knows(next) ? undefined : await ask({ limit: query.limit, next });
      const reply = received.read();
      const { following, stuck }: Way = walk.way(query, reply);
      if (coming?.query.next !== following?.next) coming = undefined;
      if (ahead && following !== undefined) coming ??= await ask(following);
      const records = walk.fresh(reply);
      const standing = reply.hasMore && reply.size > 0 && records.length === 0;
      const broken = standing ? 'the service sends the same page again' : stuck;
      // A broken-off export continues after its last page, so it must not get a page that leads nowhere.
      if (ahead && broken !== undefined) throw brokenWalk(broken, read);
      read += records.length;
      yield {
        records,
        hasMore: reply.hasMore,
        saysHasMore: reply.saysHasMore,
        repeated: reply.size - records.length,
      };
      if (broken !== undefined) throw brokenWalk(broken, read);
      query = following;
    }
  } finally {
    over.abort(new Error('the walk is over'));
  }
}

// A page requested ahead.
interface Coming {
  readonly query: PageQuery;
  readonly page: Promise<ReceivedPage>;
}

// A request leaves within two turns of the event loop. If it fails, whoever waits for the page gets the error.
async function untilLeft(coming: Promise<unknown>): Promise<void> {
  coming.catch(() => undefined);
  for (let turns = 0; turns < 2; turns += 1) await turn();
}

function brokenWalk(why: string, read: number): CliError {
  return new CliError('incomplete', `the list could not be read to its end: ${why}`, {
    read: `${read} records were read; more may exist`,
    now: ['run the same command again; if it stops again, show these lines to whoever runs the service'],
  });
}
