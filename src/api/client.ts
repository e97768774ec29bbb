/** The client of one account: reads, and the one function that sends a change. */

import type { Clock } from '../io.ts';
import type { Client, ClientParts, OpenService, PageQuery } from './api.ts';
import { locate } from './locate.ts';
import { createExchange } from './one-request.ts';
import { walkPages } from './page-walk.ts';
import { createReader } from './read.ts';
import { type ListReply, pagePath, readPage } from './reply-json.ts';
import { createSendOnce } from './send.ts';

/** Makes the client of one account (api.ts, `openClient`). */
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

// Resolves when the next request may leave; rejects with the signal's reason when it aborts.
type Pace = (signal: AbortSignal) => Promise<void>;

// Not more than so many requests a second, evenly.
function createPace(perSecond: number, clock: Clock): Pace {
  const apartMs = 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const now = clock.monotonic();
    const at = Math.max(now, next);
    next = at + apartMs;
    if (at > now) await clock.sleep(at - now, signal);
  };
}
