/**
 * The one way to the network: sends a request over node:http and returns the reply, both in the shape of fetch. It follows
 * no redirect, repeats nothing, and sends no header that nobody asked for.
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

/** A request as ky makes it. */
interface WebRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  text(): Promise<string>;
}

/** How one request is sent. */
interface Sending {
  /** Takes a connection that nothing was sent on before. A kept connection may be dead, and nobody noticed it yet. */
  readonly fresh: boolean;
  /**
   * Called right before the first byte of the request is given to a connection. Without this call, nothing was sent. If it
   * throws, nothing is sent either, and the request rejects with that error.
   */
  readonly onSent: () => void;
  /** Aborts when nobody waits for the rest of the reply any more. What is still open is closed then. */
  readonly over: AbortSignal;
}

/** Sends requests to one service. */
export interface Transport {
  /** Sends a request once. Rejects with the reason of `over`, or with the error of the connection. */
  send(request: WebRequest, sending: Sending): Promise<Response>;
  /** Closes the connections that were kept for more requests. */
  close(): void;
}

/** Makes the transport to a service on the network. No connection is opened yet. */
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
      // After an answer that it cannot use, such as 101, Node closes the connection without an error.
      outgoing.on('close', () => reject(closed()));
      // The request has its connection. No byte is written before this.
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

/** Makes the transport to a service inside this process, such as the demo. Every request counts as sent. */
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

// A DELETE may have a body. By itself, Node would not say how long it is.
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
  // ky returns this as it is. A real Response would load all of fetch, which takes longer than the request.
  return { status, ok, headers, body } as unknown as Response;
}

// Nothing is unpacked before the first read.
async function* unpacked(reply: IncomingMessage, encoding: string): AsyncGenerator<Uint8Array> {
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // As in a browser, a body counts even if it is empty, or its checksum is missing.
  const [create, flush] =
    encoding === 'br'
      ? ([createBrotliDecompress, constants.BROTLI_OPERATION_FLUSH] as const)
      : ([createUnzip, constants.Z_SYNC_FLUSH] as const);
  const unpack = create({ flush, finishFlush: flush });
  // An error of the reply ends `unpack` with the same error, so nobody has to look at it here.
  yield* pipeline(reply, unpack, () => undefined);
}
