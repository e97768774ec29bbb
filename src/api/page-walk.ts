/** Walks pages by the ids of their records, and notices when the service leads it in a circle (service: Endpoints 2). */

import { CliError } from '../errors.ts';
import type { Page, PageQuery, PagesHow, WalkedBefore, WireRecord } from './api.ts';
import type { ListReply } from './reply-json.ts';
import { idOf } from './spec.ts';

// Records repeat near the border of a page, so only the newest ids are kept. All cursors are kept: a longer circle is found
// where a page begins as an earlier one did.
const idsOfAGeneration = 20_000;

/** Where a page leads. */
interface Way {
  /** The query of the page after it; absent at the end. */
  readonly following: PageQuery | undefined;
  /** Why the walk cannot go on although there is more, or may be. */
  readonly stuck: string | undefined;
}

/** A walk in one direction; it remembers cursors and ids. */
interface PageWalk {
  /** Where a page leads: known before its records are read. */
  way(query: PageQuery, page: ListReply): Way;
  /** The records of a page that were not there before. */
  fresh(page: ListReply): readonly WireRecord[];
}

function createWalk(start: PageQuery, before: readonly WalkedBefore[]): PageWalk {
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
    way({ limit }, page) {
      const end = (stuck?: string): Way => ({ following: undefined, stuck });
      if (!page.saysHasMore)
        return end('the service does not say whether more follow (a list has object and has_more)');
      if (!page.hasMore) return end();
      if (page.size === 0) return end('the service says that there is more, and gives nothing');
      const cursor = page.edge(backwards ? 'first' : 'last');
      if (cursor === undefined) return end(`the ${backwards ? 'first' : 'last'} record of a page has no id`);
      if (cursors.has(cursor)) return end(`the service leads back to ${cursor}`);
      cursors.add(cursor);
      return {
        following: backwards ? { limit, previous: cursor } : { limit, next: cursor },
        stuck: undefined,
      };
    },
    fresh: (page) =>
      page.records().filter((record) => {
        const id = idOf(record);
        return id === undefined || ids.add(id);
      }),
  };
}

// Ids of the last pages, in two generations: the memory of a walk stays flat.
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

/** Asks for one page; the signal ends a request that nobody waits for any more. */
type FetchPage = (query: PageQuery, signal: AbortSignal) => Promise<ListReply>;

/**
 * Yields pages from the query on. With `ahead`, the page after it is asked for before the records of a page are read.
 * Throws what `fetchPage` throws, and CliError 'incomplete' when there is no progress, after everything that could
 * be yielded.
 */
export async function* walkPages(
  fetchPage: FetchPage,
  start: PageQuery,
  { ahead = false, before = [] }: Pick<PagesHow, 'ahead' | 'before'> = {},
): AsyncGenerator<Page, void, undefined> {
  const walk = createWalk(start, before);
  const over = new AbortController();
  let read = 0;
  let coming: Promise<ListReply> | undefined;
  try {
    for (let query: PageQuery | undefined = start; query !== undefined; ) {
      const reply: ListReply = await (coming ?? fetchPage(query, over.signal));
      const { following, stuck }: Way = walk.way(query, reply);
      coming = ahead && following !== undefined ? fetchPage(following, over.signal) : undefined;
      if (coming !== undefined) await untilLeft(coming);
      const records = walk.fresh(reply);
      const standing = reply.hasMore && reply.size > 0 && records.length === 0;
      const broken = standing ? 'the service gives the same page again' : stuck;
      // A walk to the end is continued later from the last page that was handed on. So a page that leads nowhere is not handed on.
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

// A request leaves after two turns of the event loop. If it fails, the one who waits for the page gets the error.
async function untilLeft(coming: Promise<unknown>): Promise<void> {
  coming.catch(() => undefined);
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function brokenWalk(why: string, read: number): CliError {
  return new CliError('incomplete', `paging broke: ${why}`, {
    certain: `${read} records were read; more may exist`,
    now: ['run the same command again; if it breaks again, tell the service which page this was'],
  });
}
