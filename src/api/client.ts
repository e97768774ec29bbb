/** The client of one account: ky, with everything it does by itself turned off, behind reads and one sending function. */

import ky from 'ky';
import type { Clock, Dispatcher } from '../io.ts';
import type { Profile } from '../profiles/profiles.ts';
import { baseOf, headersOf, urlUnder } from './account.ts';
import type { KeyGate, OpenService, PageQuery, RawReply, SendOnce } from './api.ts';
import { readBody } from './body.ts';
import { startDeadline } from './deadline.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import { failureOf, timedOut } from './failure.ts';
import { headOf, withoutKeys } from './headers.ts';
import { locate } from './locate.ts';

import { createPace } from './pace.ts';
import { walkPages } from './pages.ts';
import { createReader } from './read.ts';
import { createSendOnce } from './send.ts';
import { type ListReply, pagePath, readPage } from './service-page.ts';

/** What the client of an account is made of. */
export interface ClientParts {
  readonly profile: Profile;
  readonly key: string;
  /** Masks known keys in every reply before anything reads it. */
  readonly gate: KeyGate;
  /** Of this program, for User-Agent. */
  readonly version: string;
  /** One read from connect to last byte. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** 0 to 1, for the jitter between tries. */
  readonly random: () => number;
  /** Ends reads at once; a change that is on its way is never aborted. */
  readonly signal: AbortSignal;
  /** Ends the waiting for the answer to a change: somebody insists on leaving. */
  readonly leave?: AbortSignal | undefined;
  /** An in-process service instead of the network. */
  readonly transport?: typeof fetch | undefined;
  /** The dispatcher to go through, for a proxy; absent: fetch's own. */
  readonly route?: Dispatcher | undefined;
  /** Called once, when many pages were read. */
  readonly stopHeapGrowth?: () => void;
  /** One line a request: method, URL, status, milliseconds. */
  readonly debug?: ((line: string) => void) | undefined;
  /** The `Date` header of every reply, Unix milliseconds. */
  readonly onDate?: ((date: number) => void) | undefined;
}

/** Both halves of a client: reads, and the one function that sends a change. */
export interface Client {
  readonly service: OpenService;
  /** Only journal/make-change.ts is handed this. */
  readonly send: SendOnce;
}

/**
 * Opens the client of one account. Throws CliError 'auth' for a key that no header can carry, 'refused' when the
 * key would leave its origin or the machine unencrypted. Sends nothing yet.
 */
export function createClient(parts: ClientParts): Client {
  const { profile, transport } = parts;
  const exchange = createExchange(parts);
  const reader = createReader({ ...parts, exchange, overNetwork: transport === undefined });
  const service: OpenService = {
    profile,
    pages(resource, query, { ahead = false, maxPerSecond, before } = {}) {
      const pace = maxPerSecond === undefined ? undefined : createPace(maxPerSecond, parts.clock);
      let asked = 0;
      const fetchPage = async (one: PageQuery, signal: AbortSignal): Promise<ListReply> => {
        asked += 1;
        if (asked === stopGrowthAtPage) parts.stopHeapGrowth?.();
        return readPage(await reader.getList(pagePath(resource, one), { signal, pace }));
      };
      return walkPages(fetchPage, query, { ahead, before });
    },
    locate: (resource, id, options = {}) => locate({ profile, ...reader }, resource, id, options),
    get: reader.getAny,
  };
  const send = createSendOnce({
    exchange,
    overNetwork: transport === undefined,
    route: parts.route,
    leave: parts.leave,
    lastRead: reader.lastEvidence,
  });
  return { service, send };
}

// V8 doubles the space of young objects again and again while pages are read: 280 MB after 100,000 orders of 3 kB, where
// 132 MB do. Stopped before the first page, the space is smaller than a page, and an export takes a seventh longer.
const stopGrowthAtPage = 8;

function createExchange(parts: ClientParts): Exchange {
  const { profile, clock, transport, gate } = parts;
  const base = baseOf(profile, transport === undefined);
  const api = ky.create({
    baseUrl: base,
    headers: headersOf(profile, parts.key, parts.version),
    redirect: 'manual',
    throwHttpErrors: false,
    // Tries and deadlines are ours: ky neither retries a cut body nor puts one deadline on all of it.
    retry: 0,
    timeout: false,
    ...(transport === undefined ? {} : { fetch: transport }),
  });
  return async ({ method, path, body, headers, timeoutMs, signal, dispatcher }) => {
    const url = urlUnder(base, path);
    const deadline = startDeadline(timeoutMs, signal);
    const started = clock.monotonic();
    let status: number | undefined;
    const work = async (): Promise<RawReply> => {
      const response = await api(path, {
        method,
        signal: deadline.signal,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(dispatcher === undefined ? {} : { dispatcher }),
      });
      status = response.status;
      const head = headOf(response, url, clock.now());
      if (head.date !== undefined) parts.onDate?.(head.date);
      return withoutKeys({ ...head, body: await readBody(response) }, gate);
    };
    const conclude = async (): Promise<Exchanged> => {
      try {
        return { reply: await deadline.over(work()) };
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        return {
          failure: deadline.passed
            ? timedOut(timeoutMs, url.host, status)
            : failureOf(error, url.host, status),
        };
      } finally {
        deadline.end();
      }
    };
    const exchanged = await conclude();
    const ended = 'reply' in exchanged ? `HTTP ${exchanged.reply.status}` : exchanged.failure.reason;
    parts.debug?.(`${method} ${url.href}  ${ended}  ${Math.round(clock.monotonic() - started)} ms`);
    return exchanged;
  };
}
