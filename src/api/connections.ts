/** Opens connections to a service, directly or through a proxy, and keeps them for further requests. */

import type { EventEmitter } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIP, connect as openTcp, Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import type { ClockWithTimers } from '../io.ts';
import { ProxyError } from './network-failure.ts';

export interface Route {
  /** The proxy for https; undefined if there is none. */
  readonly proxy?: URL | undefined;
  readonly clock: Pick<ClockWithTimers, 'after'>;
}

/** The request options that reach its agent. */
export interface OptionsForAgent extends RequestOptions {
  readonly to: URL;
  readonly over: AbortSignal;
}

/**
 * Keeps connections and gives them to requests, like Node's agent. A request gets its connection only when it is ready, including
 * TLS and proxy, so earlier failures are certainly unsent.
 */
export class Connections extends Agent {
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
export function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

function loginOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** Only in a URL does an IPv6 address have brackets. */
export function addressOf(url: URL): { readonly host: string; readonly port: number } {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? usualPort(url) : Number(url.port),
  };
}

/** The default port of a URL. */
export function usualPort({ protocol }: URL): number {
  return protocol === 'https:' ? 443 : 80;
}
