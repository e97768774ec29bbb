/** Finds a record by its id. The document shows no request for that, so it searches the list (service: Endpoints 2). */

import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Located, LocateOptions, PageQuery, WireRecord } from './api.ts';
import { idOf } from './json-values.ts';
import { walkPages } from './page-walk.ts';
import type { Reader } from './read.ts';
import { type ListReply, pagePath, readPage, recordOf } from './reply-json.ts';
import type { ResourceName } from './resources.ts';
import { resources } from './resources.ts';

// The most records to read when searching from the start.
const defaultBound = 5_000;
// Assumed: no service gives larger pages. If a service refuses this size, its default is used.
const walkLimit = 250;
// A record that was first in the list is looked for among this many of the newest.
const newestPage = 50;
// If an order is created between two reads, it becomes first in the list. Then both reads are repeated once.
const rounds = 2;

interface Access extends Pick<Reader, 'get' | 'getList'> {
  readonly profile: Profile;
}

type Found = Extract<Located, { found: WireRecord }>;
type Fetch = (query: PageQuery) => Promise<ListReply>;

/** Finds a record. Every step checks the id in the reply. If it differs, searches the list from its start, up to `max` records. */
export async function locate(
  access: Access,
  resource: ResourceName,
  id: string,
  options: LocateOptions,
): Promise<Located> {
  if (access.profile.settings[`${resource}.get`] === 'direct') return await direct(access, resource, id);
  const fetchPage: Fetch = async (query) => readPage(await access.getList(pagePath(resource, query)));
  if (options.once === true) return await atOnce(fetchPage, options.neighbour, id);
  const byHint = await afterNeighbour(fetchPage, options.neighbour, id);
  if (byHint !== undefined) return byHint;
  return (await betweenNeighbours(fetchPage, id)) ?? (await walk(fetchPage, id, options));
}

// Assumed: GET RESOURCE/ID gives one record. Used only if the profile says so.
async function direct(access: Access, resource: ResourceName, id: string): Promise<Located> {
  const document = await unless404(access.get(`${resources[resource].path}/${encodeURIComponent(id)}`));
  if (document === undefined) return { missing: true };
  const found = recordOf(document);
  if (idOf(found) !== id || found === undefined) {
    throw new CliError('reply', `paydesk asked for ${id}, but the service sent another record`, {
      certain: 'nothing was changed',
    });
  }
  return { found };
}

// Returns the error if the service refuses this very request. Throws any other error.
async function unlessRejected<T>(reading: Promise<T>): Promise<T | CliError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'rejected') return error;
    throw error;
  }
}

// Assumed: a service answers 404 for a missing record. The document names no status.
async function unless404<T>(reading: Promise<T>): Promise<T | undefined> {
  const result = await unlessRejected(reading);
  if (!(result instanceof CliError)) return result;
  if (result.parts.httpStatus === 404) return undefined;
  throw result;
}

function foundIn(records: readonly WireRecord[], id: string, before: string | undefined): Found | undefined {
  const at = records.findIndex((record) => idOf(record) === id);
  const found = records[at];
  if (found === undefined) return undefined;
  return { found, neighbour: at === 0 ? before : idOf(records[at - 1]) };
}

async function afterNeighbour(
  fetchPage: Fetch,
  neighbour: string | undefined,
  id: string,
): Promise<Found | undefined> {
  if (neighbour === undefined) return undefined;
  const page = await unlessRejected(fetchPage({ limit: 1, next: neighbour }));
  return page instanceof CliError ? undefined : foundIn(page.records(), id, neighbour);
}

// A single request, so it misses a record that moved in the list.
async function atOnce(fetchPage: Fetch, neighbour: string | undefined, id: string): Promise<Located> {
  const query = neighbour === undefined ? { limit: newestPage } : { limit: 1, next: neighbour };
  const page = await unlessRejected(fetchPage(query));
  const records = page instanceof CliError ? [] : page.records();
  return foundIn(records, id, neighbour) ?? { boundReached: true, read: records.length };
}

async function betweenNeighbours(fetchPage: Fetch, id: string): Promise<Located | undefined> {
  for (let round = 0; round < rounds; round += 1) {
    const before = await unlessRejected(fetchPage({ limit: 1, previous: id }));
    // The service does not know the cursor, or the parameter.
    if (before instanceof CliError) return await afterRefusal(fetchPage, before, id);
    const neighbour = before.edge('last');
    const here =
      foundIn(before.records(), id, undefined) ??
      (neighbour === undefined
        ? foundIn((await fetchPage({ limit: 1 })).records(), id, undefined)
        : await afterNeighbour(fetchPage, neighbour, id));
    if (here !== undefined) return here;
    // The neighbour is not next to the record: the service does not page as documented.
    if (neighbour !== undefined) return undefined;
  }
  return undefined;
}

// Assumed: 404 for the cursor means a missing record, if the list itself can be read.
async function afterRefusal(fetchPage: Fetch, refusal: CliError, id: string): Promise<Located | undefined> {
  if (refusal.parts.httpStatus !== 404) return undefined;
  const page = await fetchPage({ limit: 1 });
  const found = foundIn(page.records(), id, undefined);
  return found ?? (page.saysHasMore ? { missing: true } : undefined);
}

async function walk(fetchPage: Fetch, id: string, options: LocateOptions): Promise<Located> {
  const bound = options.max ?? defaultBound;
  // If the service refuses the page size, it chooses its own from then on.
  let asked: number | undefined = Math.min(walkLimit, bound);
  const lenient: Fetch = async (query) => {
    const page = await unlessRejected(fetchPage({ ...query, limit: asked }));
    if (!(page instanceof CliError)) return page;
    if (asked === undefined) throw page;
    asked = undefined;
    return await fetchPage({ ...query, limit: asked });
  };
  let read = 0;
  let before: string | undefined;
  const received = async (query: PageQuery) => {
    const page = await lenient(query);
    return { read: () => page };
  };
  for await (const page of walkPages(received, {})) {
    const here = foundIn(page.records, id, before);
    if (here !== undefined) return here;
    read += page.records.length;
    options.progress?.(read);
    if (page.hasMore && read >= bound) return { boundReached: true, read };
    before = idOf(page.records.at(-1)) ?? before;
  }
  return { missing: true };
}
