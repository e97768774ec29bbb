/** Walking pages by the ids of their records, and noticing when that leads nowhere (service: Endpoints 2). */

import { CliError } from '../errors.ts';
import type { Page, PageQuery } from '../ports.ts';
import { idOf } from './records.ts';

// Repeats lie near the border of a page; all cursors are kept, so that a longer circle is found too.
const rememberedIds = 20_000;

/** What a page comes to in a walk. */
interface Step {
  /** The page without records that were there before. */
  readonly page: Page;
  /** The query of the page after it; absent at the end. */
  readonly following: PageQuery | undefined;
  /** Why the walk cannot go on although the service says that there is more. */
  readonly stuck: string | undefined;
}

/** A walk in one direction: pure but for what it remembers. */
export function createWalk(start: PageQuery): (query: PageQuery, page: Page) => Step {
  const backwards = start.previous !== undefined;
  const cursors = new Set<string>();
  const ids = recentIds();
  const first = start.next ?? start.previous;
  if (first !== undefined) {
    cursors.add(first);
    ids.add(first);
  }
  return (query, page) => {
    const records = page.records.filter((record) => {
      const id = idOf(record);
      return id === undefined || ids.add(id);
    });
    const fresh = { records, hasMore: page.hasMore };
    const end = (stuck?: string): Step => ({ page: fresh, following: undefined, stuck });
    if (!page.hasMore) return end();
    if (page.records.length === 0) return end('the service says that there is more, and gives nothing');
    if (records.length === 0) return end('the service gives the same page again');
    const cursor = idOf(backwards ? page.records[0] : page.records.at(-1));
    if (cursor === undefined) return end(`the ${backwards ? 'first' : 'last'} record of a page has no id`);
    if (cursors.has(cursor)) return end(`the service leads back to ${cursor}`);
    cursors.add(cursor);
    const { limit } = query;
    return {
      page: fresh,
      following: backwards ? { limit, previous: cursor } : { limit, next: cursor },
      stuck: undefined,
    };
  };
}

// Ids of the last pages, in two generations: the memory of a walk stays flat.
function recentIds(): { add(id: string): boolean } {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    add(id) {
      if (young.has(id) || old.has(id)) return false;
      if (young.size >= rememberedIds) [old, young] = [young, new Set()];
      young.add(id);
      return true;
    },
  };
}

/**
 * Yields pages from the query on. Throws what `fetchPage` throws, and CliError 'incomplete' when there is no
 * progress, after everything that could be yielded.
 */
export async function* walkPages(
  fetchPage: (query: PageQuery) => Promise<Page>,
  start: PageQuery,
): AsyncGenerator<Page, void, undefined> {
  const step = createWalk(start);
  let read = 0;
  for (let query: PageQuery | undefined = start; query !== undefined; ) {
    // What follows is known before the page is handed on, so it could be asked for already.
    const { page, following, stuck }: Step = step(query, await fetchPage(query));
    read += page.records.length;
    yield page;
    if (stuck !== undefined) {
      throw new CliError('incomplete', `paging broke: ${stuck}`, {
        certain: `${read} records were read; the service says that more exist`,
        now: ['run the same command again; if it breaks again, tell the service which page this was'],
      });
    }
    query = following;
  }
}
