/**
 * The only way to the network: sends a request over node:http and returns the reply, both in fetch's form. Follows no redirect,
 * repeats nothing, and sends no header that nobody asked for.
 */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import {
  addressOf,
  Connections,
  closed,
  type OptionsForAgent,
  type Route,
  usualPort,
} from './connections.ts';
import { Headers } from './light-web.ts';

/** A request from ky. */
interface WebRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  text(): Promise<string>;
}

interface Sending {
  /** Uses a new connection. A kept one may have died unnoticed. */
  readonly fresh: boolean;
  /**
   * Called right before the first byte is given to a connection. Without this call, nothing was sent. If it throws, nothing is
   * sent, and the request rejects with that error.
   */
  readonly onSent: () => void;
  /** Aborts when the rest of the reply is no longer needed, and closes what is open. */
  readonly over: AbortSignal;
}

export interface Transport {
  /** Rejects with the reason of `over`, or with the connection's error. */
  send(request: WebRequest, sending: Sending): Promise<Response>;
  close(): void;
}

/** Opens no connection yet. */
export function createTransport(route: Route): Transport {
  const kept = new Connections(route);
  return {
    async send(request, { fresh, onSent, over }) {
      const content = await request.text();
      over.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const agent = fresh ? new Connections(route) : kept;
      const to = new URL(request.url);
      const options: OptionsForAgent = {
        agent,
        ...addressOf(to),
        defaultPort: usualPort(to),
        method: request.method,
        path: `${to.pathname}${to.search}`,
        headers: headersOf(request, content),
        insecureHTTPParser: false,
        to,
        over,
      };
      const outgoing = httpRequest(options);
      outgoing.on('error', reject);
      // After an answer that Node cannot use, such as 101, it closes the connection without an error.
      outgoing.on('close', () => reject(closed()));
      // The request has its connection. Nothing was written before this.
      outgoing.on('socket', () => {
        try {
          onSent();
        } catch (error) {
          reject(error);
          outgoing.destroy();
          return;
        }
        outgoing.end(content);
      });
      outgoing.on('response', (reply) => resolve(responseOf(reply)));
      const end = () => {
        outgoing.destroy();
        if (fresh) agent.destroy();
        reject(over.reason);
      };
      over.addEventListener('abort', end, { once: true });
      return await promise;
    },
    close: () => kept.destroy(),
  };
}

/** A transport to a service inside this process, such as the demo. Every request counts as sent. */
export function transportInside(fetchInside: (request: Request) => Promise<Response>): Transport {
  return {
    async send(request, { onSent, over }) {
      const { url, method, headers } = request;
      const content = await request.text();
      over.throwIfAborted();
      onSent();
      const body = content === '' ? null : content;
      return await fetchInside(
        new Request(url, { method, headers: Object.fromEntries(headers), body, signal: over }),
      );
    },
    close: () => undefined,
  };
}

// A DELETE may have a body, and Node would not send its length by itself.
function headersOf({ method, headers }: WebRequest, content: string): Record<string, string | number> {
  const hasLength = content !== '' || method === 'POST' || method === 'PUT';
  return {
    'accept-encoding': 'gzip, br',
    ...Object.fromEntries(headers),
    ...(hasLength ? { 'content-length': Buffer.byteLength(content) } : {}),
  };
}

function responseOf(reply: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at < reply.rawHeaders.length; at += 2) {
    headers.append(reply.rawHeaders[at] ?? '', reply.rawHeaders[at + 1] ?? '');
  }
  const status = reply.statusCode ?? 0;
  const ok = status >= 200 && status <= 299;
  const packed = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  const body = ['', 'identity'].includes(packed) ? reply : unpacked(reply, packed);
  // ky returns this unchanged. A real Response would load all of fetch, which takes longer than the request.
  return { status, ok, headers, body } as unknown as Response;
}

// Unpacks nothing before the first read.
async function* unpacked(reply: IncomingMessage, encoding: string): AsyncGenerator<Uint8Array> {
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // As in a browser, a body counts even if it is empty or has no checksum.
  const [create, flush] =
    encoding === 'br'
      ? ([createBrotliDecompress, constants.BROTLI_OPERATION_FLUSH] as const)
      : ([createUnzip, constants.Z_SYNC_FLUSH] as const);
  const unpack = create({ flush, finishFlush: flush });
  // An error of the reply ends `unpack` with the same error, so it can be ignored here.
  yield* pipeline(reply, unpack, () => undefined);
}
