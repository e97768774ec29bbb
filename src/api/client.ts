/** The client of one account: reads, also of one record by its id, and the one function that sends a change. */

import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import type {
  Client,
  ClientParts,
  Located,
  LocateOptions,
  OpenService,
  PageQuery,
  SendOnce,
  SendReport,
  WireRecord,
} from './api.ts';
import { idOf, isObject, parsedJson, valueAt } from './json-values.ts';
import { createExchange, type Exchange } from './one-request.ts';
import { type ReceivedPage, walkPages } from './page-walk.ts';
import { createReader, type Reader } from './read.ts';
import { type ListReply, pagePath, readPage, recordOf } from './reply-json.ts';
import { type ResourceName, resources } from './resources.ts';
import { createTransport, transportInside } from './transport.ts';

export { createTransport, type Transport } from './transport.ts';

/** See `openClient` in api.ts. */
export function createClient(parts: ClientParts): Client {
  const { profile, inProcess } = parts;
  const transport =
    parts.transport ?? (inProcess === undefined ? createTransport(parts) : transportInside(inProcess));
  let requests = 0;
  const exchangeOnce = createExchange(parts, transport);
  const exchange: Exchange = (request) => {
    requests += 1;
    return exchangeOnce(request);
  };
  const reader = createReader({ ...parts, exchange });
  let located = 0;
  const service: OpenService = {
    profile,
    pages(resource, query, { ahead = false, quick, before, signal: left } = {}) {
      let asked = 0;
      const fetchPage = async (one: PageQuery, over: AbortSignal): Promise<ReceivedPage> => {
        const signal = left === undefined ? over : AbortSignal.any([over, left]);
        asked += 1;
        if (asked === smallOldAtPage) parts.keepHeapSmall?.('old', ahead ? growthOfWalk : undefined);
        if (asked === smallYoungAtPage) parts.keepHeapSmall?.('young');
        const { body, read } = await reader.receiveList(pagePath(resource, one), { signal, quick });
        return {
          probableNext: () => (body === undefined ? undefined : probableNext(body)),
          read: () => readPage(read()),
        };
      };
      return walkPages(fetchPage, query, { ahead, before });
    },
    locate: (resource, id, options = {}) => {
      located += 1;
      if (located === smallAtLocated)
        for (const space of ['old', 'young'] as const) parts.keepHeapSmall?.(space);
      return locate({ profile, ...reader }, resource, id, options);
    },
    get: reader.getAny,
    requests: () => requests,
  };
  return {
    service,
    send: createSendOnce({ ...parts, exchange }),
    async pass(path, headers, over) {
      const signal = AbortSignal.any([parts.signal, over]);
      await parts.pace?.next(signal);
      return await exchange({ method: 'GET', path, headers, timeoutMs: parts.timeoutMs, signal });
    },
    close: () => transport.close(),
  };
}

interface SendParts extends Pick<ClientParts, 'leave' | 'pace'> {
  readonly exchange: Exchange;
}

// Sends a change once, on its own connection, with one time limit, and reads the reply to its last byte. Reports "not sent" only
// if no byte was given to a connection: it failed, or was ready too late.
function createSendOnce({ exchange, leave, pace }: SendParts): SendOnce {
  return async (request, { timeoutMs, isTooLate }) => {
    let sent = false;
    let late: string | undefined;
    const onSent = () => {
      if (isTooLate?.() === true) {
        late = 'it took too long to connect, or this machine was asleep or frozen in the meantime';
        throw new Error(late);
      }
      sent = true;
      pace?.count();
    };
    const report = (reason: string, cause: Error): SendReport => ({
      kind: sent ? 'no_reply' : 'not_sent',
      reason: late ?? reason,
      cause,
    });
    try {
      const exchanged = await exchange({ ...request, timeoutMs, signal: leave, fresh: true, onSent });
      if ('reply' in exchanged) return { kind: 'reply', reply: exchanged.reply };
      return report(exchanged.failure.reason, exchanged.failure.cause);
    } catch (error) {
      if (leave?.aborted !== true) throw error;
      return report('you stopped waiting before the service answered', new Error('stopped'));
    }
  };
}

// While reading pages, V8 keeps doubling its space for young objects: 280 MB after 100,000 orders of 3 kB. If the doubling is
// stopped before the first pages, that space stays smaller than a page, and an export takes a fifth longer. The space for old
// objects grows fourfold before a cleanup. If it may only double, an export of 100,000 orders needs 15 MB less in the same time; if
// it may only grow by a third, another 5 MB less, and a sixth more CPU. A plan of 10,000 rows needs 15 MB less by that third.
const smallOldAtPage = 2;
const growthOfWalk = 100;
const smallYoungAtPage = 8;
// A batch reads each order separately.
const smallAtLocated = 50;

const opening = Buffer.from('"data":[');
// The envelope is short. Further in, these bytes belong to a record.
const longestEnvelope = 4_096;
// Objects at the end of the last record are first mistaken for records. No record has more of them side by side.
const mostTries = 16;

/**
 * The id of the last record of a page that says there is more. Undefined if that cannot be seen at once. The walk compares it with
 * the whole page, so a wrong guess costs one request.
 */
export function probableNext(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const key = bytes.subarray(0, longestEnvelope).indexOf(opening);
  const start = key + opening.length;
  const end = bytes.lastIndexOf(']');
  if (key === -1 || end < start || bytes.length - end > longestEnvelope) return undefined;
  const envelope = parsedJson(`${bytes.toString('utf8', 0, start)}${bytes.toString('utf8', end)}`);
  if (valueAt(envelope, ['has_more']) !== true) return undefined;
  let border = end;
  for (let tries = 0; tries < mostTries && border > start; tries += 1) {
    border = bytes.lastIndexOf('},{', border - 1);
    const value = parsedJson(bytes.toString('utf8', border < start ? start : border + 2, end));
    if (isObject(value)) return idOf({ value });
    if (border < start) return undefined;
  }
  return undefined;
}

// ── One record by its id. The document shows no request for that, so the list is searched (service: Endpoints 2) ─

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
async function locate(
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

// Assumed: GET RESOURCE/ID gives one record, and 404 if there is none: the document names no status. Used only if the profile says so.
async function direct(access: Access, resource: ResourceName, id: string): Promise<Located> {
  const document = await unlessRejected(access.get(`${resources[resource].path}/${encodeURIComponent(id)}`));
  if (document instanceof CliError) {
    if (document.parts.httpStatus === 404) return { missing: true };
    throw document;
  }
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
