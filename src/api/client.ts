/** The client of one account: reads, and the one function that sends a change, once. */

import type { Clock, Dispatcher } from '../io.ts';
import type { Client, ClientParts, OpenService, PageQuery, SendOnce, SendReport } from './api.ts';
import { locate } from './locate.ts';
import { type Evidence, watchDispatch } from './one-dispatch.ts';
import { createExchange, type Exchange } from './one-request.ts';
import { walkPages } from './page-walk.ts';
import { createReader } from './read.ts';
import { type ListReply, pagePath, readPage } from './reply-json.ts';

/** Makes the client of one account (api.ts, `openClient`). */
export function createClient(parts: ClientParts): Client {
  const { profile, transport } = parts;
  const exchange = createExchange(parts);
  const reader = createReader({ ...parts, exchange, overNetwork: transport === undefined });
  const service: OpenService = {
    profile,
    pages(resource, query, { ahead = false, quick, maxPerSecond, before, signal: left } = {}) {
      const pace = maxPerSecond === undefined ? undefined : createPace(maxPerSecond, parts.clock);
      let asked = 0;
      const fetchPage = async (one: PageQuery, over: AbortSignal): Promise<ListReply> => {
        const signal = left === undefined ? over : AbortSignal.any([over, left]);
        asked += 1;
        if (asked === stopGrowthAtPage) parts.stopHeapGrowth?.();
        return readPage(await reader.getList(pagePath(resource, one), { signal, pace, quick }));
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

interface SendParts {
  readonly exchange: Exchange;
  readonly overNetwork: boolean;
  readonly route?: Dispatcher | undefined;
  /** Aborts when the user does not want to wait for the reply any more. */
  readonly leave?: AbortSignal | undefined;
  /** How far the last read got. If Node's channels did not report it, their silence about a change proves nothing. */
  readonly lastRead: () => Evidence | undefined;
}

// Makes the function that sends a change once and never again. It has one deadline and reads the reply to its last byte. It
// reports "not sent" only if that is proved.
function createSendOnce({ exchange, overNetwork, route, leave, lastRead }: SendParts): SendOnce {
  return async (request, { timeoutMs }) => {
    const read = lastRead();
    const watch = overNetwork ? await watchDispatch(1, route) : undefined;
    try {
      const dispatcher = watch?.dispatcher;
      const exchanged = await exchange({ ...request, timeoutMs, signal: leave, dispatcher });
      if ('reply' in exchanged) return { kind: 'reply', reply: exchanged.reply };
      return report(exchanged.failure, watch?.end(), read);
    } catch (error) {
      if (leave?.aborted !== true) throw error;
      const cause = new Error('stopped');
      return report({ reason: 'you left before it answered', cause }, watch?.end(), read);
    } finally {
      watch?.end();
    }
  };
}

function report(
  failure: { readonly reason: string; readonly cause: Error },
  evidence: Evidence | undefined,
  read: Evidence | undefined,
): SendReport {
  const { reason, cause } = failure;
  // A transport inside this process has no channel, so every call counts as sent.
  if (evidence === undefined) return { kind: 'no_reply', reason, cause };
  if (evidence.dispatches > 1) {
    return {
      kind: 'no_reply',
      reason: 'the service replied HTTP 421, which asks to send again; paydesk sent it only once',
      cause,
    };
  }
  const channelSpeaks = read?.created === true && read.headersSent;
  const provablyNot = channelSpeaks && evidence.created && !evidence.headersSent;
  return { kind: provablyNot ? 'not_sent' : 'no_reply', reason, cause };
}

// While pages are read, V8 doubles its space for young objects again and again: 280 MB after 100,000 orders of 3 kB,
// although 132 MB are enough. If it stops before the first page, the space is smaller than a page, and an export takes a
// seventh longer.
const stopGrowthAtPage = 8;

// Resolves when the next request may be sent. Rejects with the signal's reason when that aborts.
type Pace = (signal: AbortSignal) => Promise<void>;

// Spreads requests evenly over each second.
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
