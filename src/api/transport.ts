/**
 * The only way to the network: sends a request over node:http and returns the reply, both in fetch's form. Follows no redirect,
 * repeats nothing, and sends no header that nobody asked for.
 */

import type { EventEmitter } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIP, connect as openTcp, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect as openTls } from 'node:tls';
import type { ClockWithTimers } from '../io.ts';
import { Headers } from './light-web.ts';
import { ProxyError } from './network-failure.ts';

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

// ── Connections, kept for further requests ──────────────────────────────────────────────────────

interface Route {
  /** The proxy for https; undefined if there is none. */
  readonly proxy?: URL | undefined;
  readonly clock: Pick<ClockWithTimers, 'after'>;
}

interface OptionsForAgent extends RequestOptions {
  readonly to: URL;
  readonly over: AbortSignal;
}

/**
 * Keeps connections and gives them to requests, like Node's agent. A request gets its connection only when it is ready, including
 * TLS and proxy, so earlier failures are certainly unsent.
 */
class Connections extends Agent {
  readonly #route: Route;

  constructor(route: Route) {
    super({ keepAlive: true, timeout: idleMs });
    this.#route = route;
  }

  override createConnection(
    { to, over }: OptionsForAgent,
    done?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    connect(to, this.#route, over).then(
      (socket) => done?.(null, socket),
      // After an error, Node ignores the socket.
      (error) => done?.(error, new Socket()),
    );
  }
}

// How long an unused connection is kept. Many services close theirs after 5 seconds.
const idleMs = 4_000;
const connectMs = 10_000;

// Opens a connection to a service. Rejects after 10 seconds, or with the reason of `over`.
async function connect(to: URL, { proxy, clock }: Route, over: AbortSignal): Promise<Socket> {
  const tooLate = new AbortController();
  const late = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
  const stopTimer = clock.after(connectMs, () => tooLate.abort(late));
  const ended = AbortSignal.any([over, tooLate.signal]);
  try {
    const isProxied = proxy !== undefined && to.protocol === 'https:';
    return await open(to, ended, isProxied ? await openTunnel(to, proxy, ended) : undefined);
  } finally {
    stopTimer();
  }
}

// Opens a connection and waits until it is ready. TLS goes through `tunnel`, if given.
async function open(to: URL, ended: AbortSignal, tunnel?: Socket): Promise<Socket> {
  const address = addressOf(to);
  const isTls = to.protocol === 'https:';
  const socket = isTls
    ? openTls({
        ...address,
        ...(tunnel === undefined ? {} : { socket: tunnel }),
        servername: isIP(address.host) === 0 ? address.host : '',
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: true,
      })
    : openTcp(address);
  // An error on an unused connection must not end the program.
  socket.on('error', () => undefined);
  await until(socket, isTls ? 'secureConnect' : 'connect', socket, ended);
  socket.setNoDelay(true);
  return socket;
}

// Asks a proxy for a connection. The proxy learns the service's name, and nothing about a request.
async function openTunnel(to: URL, proxy: URL, ended: AbortSignal): Promise<Socket> {
  const failed = (cause: unknown): never => {
    throw ended.aborted ? ended.reason : new ProxyError(proxy.host, undefined, { cause });
  };
  const socket = await open(proxy, ended).catch(failed);
  const name = `${to.hostname}:${addressOf(to).port}`;
  const asking = httpRequest({
    method: 'CONNECT',
    path: name,
    headers: { host: name, ...loginOf(proxy) },
    createConnection: () => socket,
    insecureHTTPParser: false,
  });
  asking.end();
  const reply = await until<IncomingMessage>(asking, 'connect', socket, ended).catch(failed);
  const { statusCode: status = 0 } = reply;
  if (status >= 200 && status <= 299) return socket;
  socket.destroy();
  throw new ProxyError(proxy.host, status);
}

// Waits for an event on something that uses a socket. Destroys the socket on failure, or if `ended` aborts first.
async function until<T>(one: EventEmitter, event: string, socket: Socket, ended: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(ended.reason);
  ended.addEventListener('abort', onAbort);
  if (ended.aborted) onAbort();
  one.on('error', reject);
  one.once('close', () => reject(closed()));
  one.once(event, resolve);
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    ended.removeEventListener('abort', onAbort);
  }
}

/** The error for a connection that closed without one. */
function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

function loginOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** Host and port of a URL. Without the brackets that an IPv6 address has only in a URL. */
function addressOf(url: URL): { readonly host: string; readonly port: number } {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? usualPort(url) : Number(url.port),
  };
}

function usualPort({ protocol }: URL): number {
  return protocol === 'https:' ? 443 : 80;
}
