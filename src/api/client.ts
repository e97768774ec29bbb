/** The client of one account: reads, and the one function that sends a change. */

import type { Client, ClientParts, OpenService, PageQuery, SendOnce, SendReport } from './api.ts';
import { idOf, isObject, parsedJson, valueAt } from './json-values.ts';
import { locate } from './locate.ts';
import { createExchange, type Exchange } from './one-request.ts';
import { type ReceivedPage, walkPages } from './page-walk.ts';
import { createReader } from './read.ts';
import { pagePath, readPage } from './reply-json.ts';
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
        if (asked === smallOldAtPage) parts.keepHeapSmall?.('old');
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

// While reading pages, V8 keeps doubling its space for young objects: 280 MB after 100,000 orders of 3 kB. Stopped before the
// first pages, that space is smaller than a page, and an export takes a fifth longer. Its space for old objects grows fourfold
// before a cleanup; growing by a third, an export needs 20 MB less in the same time.
const smallOldAtPage = 2;
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
