/** Walking pages of a resource: filters of ours, bounds, and where to go on. */

import type { JsonObject, ResourceName } from '../api/spec.ts';
import type { Page, PageQuery, Service, WireRecord } from '../ports.ts';

/** What to read: one page by default; with a filter until a page of matches; all of it, or up to `max` records. */
export interface Walk {
  readonly query: PageQuery;
  readonly all: boolean;
  readonly max: number | undefined;
  readonly filter: ((record: JsonObject) => boolean) | undefined;
}

/** A page of matches, and what was read for it. */
export interface WalkedPage {
  readonly records: readonly WireRecord[];
  /** More may follow in the direction travelled. */
  readonly hasMore: boolean;
  readonly read: number;
}

// Assumed: where no --limit was given a page of matches is this long, since the service's own default is not documented.
const defaultPageLength = 20;

/** The id of a record as text; undefined when it shows none. */
export function idOf(record: WireRecord | undefined): string | undefined {
  const id = record?.value.id;
  return typeof id === 'string' ? id : undefined;
}

/** Walks forwards and yields matches as their pages arrive; the last one says whether more may follow. */
export async function* walkForwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): AsyncGenerator<WalkedPage> {
  let wanted = wantedRecords(walk);
  for await (const page of service.pages(resource, walk.query)) {
    const matches = matching(page, walk);
    const records = matches.slice(0, wanted);
    wanted -= records.length;
    const done = wanted <= 0 || (walk.filter === undefined && !walk.all && walk.max === undefined);
    yield { records, hasMore: page.hasMore || matches.length > records.length, read: page.records.length };
    if (done) return;
  }
}

/** One page of matches before `previous`, in the order of the list; memory holds that page only. */
export async function walkBackwards(
  service: Service,
  resource: ResourceName,
  walk: Walk,
): Promise<WalkedPage> {
  const wanted = walk.query.limit ?? defaultPageLength;
  let records: readonly WireRecord[] = [];
  let read = 0;
  let hasMore = false;
  for await (const page of service.pages(resource, walk.query)) {
    const matches = [...matching(page, walk), ...records];
    records = matches.slice(-Math.max(wanted, walk.filter === undefined ? matches.length : wanted));
    read += page.records.length;
    hasMore = page.hasMore || matches.length > records.length;
    if (walk.filter === undefined || records.length >= wanted) break;
  }
  return { records, hasMore, read };
}

function wantedRecords({ all, max, filter, query }: Walk): number {
  if (max !== undefined) return max;
  return all || filter === undefined ? Number.POSITIVE_INFINITY : (query.limit ?? defaultPageLength);
}

function matching(page: Page, { filter }: Walk): readonly WireRecord[] {
  return filter === undefined ? page.records : page.records.filter(({ value }) => filter(value));
}
