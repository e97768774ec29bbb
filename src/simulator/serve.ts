/** The simulator on a loopback port: only for programs of this machine that know its key. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { CliError, systemCode } from '../errors.ts';
import { type App, createApp } from './app.ts';
import type { Serving } from './control.ts';
import { deliver } from './delivery.ts';
import type { Failure } from './failures.ts';
import { forbidden } from './failures.ts';
import type { DrawFault } from './faults.ts';
import type { Random } from './random.ts';
import type { Store } from './store.ts';

/** What a listening simulator is made of. */
export interface ServerOptions {
  readonly port: number;
  readonly store: Store;
  readonly vendors: readonly [string, ...string[]];
  readonly drawFault: DrawFault | undefined;
  readonly latencyMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: Random;
}

const hostname = '127.0.0.1';

/** Listens on 127.0.0.1 and nowhere else. Throws CliError 'refused' when the port cannot be had. */
export async function serveStore(options: ServerOptions): Promise<Serving> {
  const app = createApp(options);
  const server = createServer();
  const port = await listen(server, options.port);
  server.on('request', (incoming, outgoing) => {
    const answer = answerTo({ incoming, outgoing, app, port, options });
    // The globals of this process stay as they are.
    void getRequestListener(answer, { overrideGlobalObjects: false, hostname })(incoming, outgoing);
  });
  const closed = closeOf(server).finally(() => options.store.close());
  const { key, mode, instance, orders } = options.store.identity();
  return {
    url: `http://${hostname}:${port}`,
    key,
    mode,
    instance,
    vendors: options.vendors,
    orders,
    closed,
    close: () => {
      server.close();
      server.closeAllConnections();
      return closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, hostname);
    await once(server, 'listening');
  } catch (error) {
    throw portError(port, error);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function portError(port: number, cause: unknown): CliError {
  const code = systemCode(cause);
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
  return new CliError('refused', `port ${port} of ${hostname} ${why}`, {
    certain: 'nothing was started',
    now: ['take any free one: paydesk simulator serve --port 0'],
    cause,
  });
}

async function closeOf(server: Server): Promise<void> {
  await once(server, 'close');
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly app: App;
  readonly port: number;
  readonly options: ServerOptions;
}

function answerTo({ incoming, outgoing, app, port, options }: Exchange) {
  return async (request: Request): Promise<Response> => {
    const refused = checkSender(incoming, port);
    if (refused !== undefined) return app.refuse(request, refused);
    // Only a signal that was read aborts when the other side goes away.
    const { signal } = request;
    try {
      const delivered = await deliver(request, { ...options, app });
      if (delivered.kind === 'whole') return delivered.response;
      if (delivered.kind === 'cut') await sendHalf(delivered.response, outgoing);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  };
}

// A page in a browser can reach a loopback port, under a name of its own and with its Origin.
function checkSender({ headers }: IncomingMessage, port: number): Failure | undefined {
  if (headers.origin !== undefined) {
    return forbidden('origin', 'Web pages are not served.', 'No se atienden páginas web.');
  }
  const allowed = [`${hostname}:${port}`, `localhost:${port}`];
  if (port === 80) allowed.push(hostname, 'localhost');
  if (allowed.includes(headers.host?.toLowerCase() ?? '')) return undefined;
  return forbidden('host', `The host is ${hostname}:${port}.`, `El host es ${hostname}:${port}.`);
}

// The head says how long the body is, and half of it comes.
async function sendHalf(response: Response, outgoing: ServerResponse): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  outgoing.writeHead(response.status, {
    'content-type': response.headers.get('content-type') ?? 'application/json',
    'content-length': bytes.length,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  outgoing.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => resolve());
  await promise;
}
