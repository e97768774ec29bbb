/** A loopback server of the tests' own: records every request, and answers as badly as a test wants. */

import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createSocketServer } from 'node:net';

/** A request as it arrived, read to its last byte. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as sent; the absolute URL for a plain request through a proxy. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Its place among the requests of the server, from 0. */
  readonly index: number;
}

/** Answers one request, or does something worse with its socket. */
export type Handler = (
  request: SeenRequest,
  response: ServerResponse,
  socket: Socket,
) => void | Promise<void>;

export interface TestServer {
  /** `http://127.0.0.1:PORT`, no trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Connections accepted so far, also those that sent no request. */
  readonly connections: number;
  /** Requests whose connection the client closed before the answer was complete. */
  readonly aborted: number;
  /** Resolves once so many requests have arrived. */
  waitFor(requests: number): Promise<void>;
  /** Ends every open connection; the server goes on listening. */
  dropConnections(): void;
  /** Resolves once the client has given up so many requests. */
  waitForAborted(requests: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ServerOptions {
  /** PEM of a certificate: serves https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Replies have no `Date`, so a run may have any clock. */
  readonly sendsDate?: false;
}

/** Starts a server on a free loopback port. */
export async function startServer(handler: Handler, options: ServerOptions = {}): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const counters = { connections: 0, aborted: 0 };
  const events = new Waiting();
  const listener: Parameters<typeof createServer>[1] = (incoming, response) => {
    const chunks: Buffer[] = [];
    response.sendDate = options.sendsDate !== false;
    response.on('close', () => {
      if (response.writableFinished) return;
      counters.aborted += 1;
      events.happened();
    });
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        index: requests.length,
      };
      requests.push(request);
      events.happened();
      void Promise.resolve(handler(request, response, incoming.socket)).catch(() =>
        incoming.socket.destroy(),
      );
    });
  };
  const server =
    options.tls === undefined ? createServer(listener) : createTlsServer({ ...options.tls }, listener);
  server.keepAliveTimeout = 60_000;
  const sockets = track(server, counters);
  const port = await listen(server);
  const close = () => stop(server, sockets);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return counters.connections;
    },
    get aborted() {
      return counters.aborted;
    },
    waitFor: (count) => events.until(() => requests.length >= count),
    dropConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    waitForAborted: (count) => events.until(() => counters.aborted >= count),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a server of bare connections: what `onConnection` does is all that happens. */
export async function startSocketServer(onConnection: (socket: Socket) => void): Promise<{
  readonly url: string;
  readonly port: number;
  readonly connections: number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const counters = { connections: 0 };
  const server = createSocketServer(onConnection);
  const sockets = track(server, counters);
  const port = await listen(server);
  const close = () => stop(server, sockets);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return counters.connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A loopback proxy: tunnels CONNECT to this machine, whatever the host, forwards plain requests, and records both as they arrived. */
export async function startProxy(tls?: ServerOptions['tls']): Promise<{
  readonly url: string;
  readonly requests: readonly Pick<SeenRequest, 'method' | 'url' | 'headers'>[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const requests: Pick<SeenRequest, 'method' | 'url' | 'headers'>[] = [];
  const listener: Parameters<typeof createServer>[1] = (incoming, response) => {
    const { headers } = incoming;
    requests.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers });
    const onward = httpRequest(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('connect', (incoming, socket: Socket) => {
    requests.push({ method: 'CONNECT', url: incoming.url ?? '', headers: incoming.headers });
    const at = new URL(`http://${incoming.url ?? ''}`);
    const onward = connect(Number(at.port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  const sockets = track(server, { connections: 0 });
  const port = await listen(server);
  const close = () => stop(server, sockets);
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return { url, requests, close, [Symbol.asyncDispose]: close };
}

/** A port that nothing listens on: connections to it are refused. While it is held the system gives it to nobody. */
export async function closedPort(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createSocketServer();
  const sockets = track(server, { connections: 0 });
  // The near end of a connection has a port of its own, on which nobody is let in.
  const holder = connect(await listen(server), '127.0.0.1');
  await once(holder, 'connect');
  holder.on('error', () => undefined);
  return {
    port: holder.localPort ?? 0,
    [Symbol.asyncDispose]: () => {
      holder.destroy();
      return stop(server, sockets);
    },
  };
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────

type Headers = Readonly<Record<string, string | number>>;

/** Answers with JSON; a string is sent as it is. */
export function json(body: unknown, status = 200, headers: Headers = {}): Handler {
  return reply(typeof body === 'string' ? body : JSON.stringify(body), status, {
    'content-type': 'application/json',
    ...headers,
  });
}

/** Answers with these bytes and headers, and a correct Content-Length. */
export function reply(body: string | Uint8Array, status = 200, headers: Headers = {}): Handler {
  return (_, response) => {
    const bytes = Buffer.from(body);
    response.writeHead(status, { 'content-length': bytes.length, ...headers });
    response.end(bytes);
  };
}

/** Answers with these very bytes, status line and all, then closes the connection. */
export function rawReply(text: string | Uint8Array): Handler {
  return (_request, _response, socket) => {
    socket.end(text);
  };
}

/** Promises a longer body than it sends, then closes. */
export function cutBody(part: string, status = 200, contentType = 'application/json'): Handler {
  return rawReply(
    `HTTP/1.1 ${status} OK\r\ncontent-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(part) + 100}\r\n\r\n${part}`,
  );
}

/** Sends one chunk and closes without the last one. */
export function cutChunked(part: string, status = 200): Handler {
  return rawReply(
    `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`,
  );
}

/** Sends head and part of a body, then nothing more, for ever. */
export function stallAfter(part: string, status = 200): Handler {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write(part);
  };
}

/** Never answers. */
export const stall: Handler = () => undefined;

/** Closes the connection with RST, having read the request. */
export const reset: Handler = (_request, _response, socket) => {
  socket.resetAndDestroy();
};

/** Closes the connection with FIN and no answer. */
export const hangUp: Handler = (_request, _response, socket) => {
  socket.end();
};

/** Answers the first request with the first handler, and so on; the last one answers all the rest. */
export function inTurn(...handlers: readonly [Handler, ...Handler[]]): Handler {
  let turn = 0;
  return (request, response, socket) => {
    const handler = handlers[Math.min(turn, handlers.length - 1)] ?? handlers[0];
    turn += 1;
    return handler(request, response, socket);
  };
}

// ── Inside ──────────────────────────────────────────────────────────────────────────────────────

class Waiting {
  #waiters: { readonly done: () => boolean; readonly resolve: () => void }[] = [];

  until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (done()) resolve();
      else this.#waiters.push({ done, resolve });
    });
  }

  happened(): void {
    for (const waiter of this.#waiters.filter(({ done }) => done())) waiter.resolve();
    this.#waiters = this.#waiters.filter(({ done }) => !done());
  }
}

function track(server: Server, counters: { connections: number }): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    counters.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.on('clientError', () => undefined);
  return sockets;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
