/** Which records of which pages a list shows: with filters, with --max, forwards or backwards. */

import { longPages, type Page, type PageQuery, type Service, type WireRecord } from '../api/api.ts';
import type { ResourceName } from '../api/resources.ts';

/**
 * How far to read: one page, or with a filter until a page is full of matches; everything with `all`; or up to `max` records.
 */
export interface Walk {
  readonly query: PageQuery;
  readonly length: number;
  readonly all: boolean;
  readonly max: number | undefined;
  /** Returns those records of a page that match. */
  readonly filter: ((records: readonly WireRecord[]) => Promise<readonly WireRecord[]>) | undefined;
  /** Whether to ask for the longest pages that the service gives, unless there is a `limit`. */
  readonly readsLongPages?: boolean | undefined;
  /** Is called with each page as it was read. */
  readonly onPage?: ((page: Page) => void) | undefined;
  /** True when no later record can match. */
  readonly isDone?: (() => boolean) | undefined;
}

/** A page of matches. `read`: how many records were read for it. */
export interface WalkedPage extends Pick<Page, 'records' | 'hasMore' | 'saysHasMore'> {
  readonly read: number;
}

/** Walks forwards and yields matches as pages arrive. The last one says whether more may follow. */
export async function* walkForwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): AsyncGenerator<WalkedPage> {
  let wanted = wantedRecords(walk);
  const pages =
    walk.readsLongPages === true
      ? longPages(service, resource, walk.query)
      : service.pages(resource, walk.query);
  for await (const page of pages) {
    walk.onPage?.(page);
    const isDone = walk.isDone?.() === true;
    const matches = await matching(page, walk);
    const records = matches.slice(0, wanted);
    wanted -= records.length;
    const done = isDone || wanted <= 0 || (walk.filter === undefined && !walk.all && walk.max === undefined);
    const hasMore = (page.hasMore && !isDone) || matches.length > records.length;
    yield { records, hasMore, saysHasMore: page.saysHasMore || hasMore, read: page.records.length };
    if (done) return;
  }
}

/** Reads one page of matches before `previous`, in the order of the list. Keeps only that page in memory. */
export async function walkBackwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): Promise<WalkedPage> {
  const wanted = walk.length;
  let records: readonly WireRecord[] = [];
  let read = 0;
  let hasMore = false;
  let saysHasMore = true;
  for await (const page of service.pages(resource, walk.query)) {
    walk.onPage?.(page);
    const matches = [...(await matching(page, walk)), ...records];
    records = walk.filter === undefined ? matches : matches.slice(-wanted);
    read += page.records.length;
    hasMore = page.hasMore || matches.length > records.length;
    saysHasMore = page.saysHasMore || hasMore;
    if (walk.filter === undefined || records.length >= wanted) break;
  }
  return { records, hasMore, saysHasMore, read };
}

function wantedRecords({ all, max, filter, length }: Walk): number {
  if (max !== undefined) return max;
  return all || filter === undefined ? Number.POSITIVE_INFINITY : length;
}

async function matching({ records }: Page, { filter }: Walk): Promise<readonly WireRecord[]> {
  return filter === undefined ? records : await filter(records);
}
