/** The simulator as a server on a loopback port, for programs on this machine that know its key. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { defaultVendor } from '../api/spec.ts';
import { CliError, systemCode } from '../errors.ts';
import { fullPath } from '../io.ts';
import { type App, type AppOptions, createApp } from './app.ts';
import { type Failure, forbidden } from './failures.ts';
import { createFaults, type DrawFault, deliver, parseFaults } from './faults.ts';
import { createPayPages, isPayPage } from './pay-page.ts';
import { systemRandom } from './random.ts';
import { defaultOrders } from './seed/seed.ts';
import type { ControlOptions, RunningSimulator, ServeOptions } from './simulator.ts';
import { openStore, type Store } from './store.ts';
import { memory } from './store-file.ts';

const hostname = '127.0.0.1';

/** Checks the options, opens the store and listens (simulator.ts, `SimulatorControl`). */
export async function serve(
  asked: ServeOptions,
  { now, cwd }: Pick<ControlOptions, 'now' | 'cwd'>,
): Promise<RunningSimulator> {
  const plan = asked.faults === undefined ? undefined : parseFaults(asked.faults, '--fault');
  if (plan === undefined && (asked.faultReads === true || asked.faultSeed !== undefined)) {
    throw new CliError(
      'usage',
      `${asked.faultReads === true ? '--fault-reads' : '--fault-seed'} needs --fault`,
      {
        now: ['paydesk simulator serve --fault apply-drop:0.2'],
      },
    );
  }
  const [brand = defaultVendor, ...vendors] = asked.vendors ?? [];
  const random = systemRandom();
  const store = openChecked(asked, now, cwd);
  try {
    return await serveStore({
      port: asked.port ?? 0,
      store,
      vendors: [brand, ...vendors],
      drawFault: plan && createFaults(plan, { seed: asked.faultSeed ?? 1, reads: asked.faultReads ?? false }),
      latencyMs: asked.latencyMs ?? 0,
      now,
      random,
    });
  } catch (error) {
    store.close();
    throw error;
  }
}

// An old file keeps its mode and number of orders. Asking for others is an error.
function openChecked({ db, mode, orders }: ServeOptions, now: () => number, cwd: () => string): Store {
  const store = openStore({
    file: db === undefined || db === memory ? db : fullPath(cwd, db),
    mode: mode ?? 'sandbox',
    orders: orders ?? defaultOrders,
    now: Math.floor(now() / 1000),
    random: systemRandom(),
  });
  const held = store.identity();
  const differing =
    mode !== undefined && mode !== held.mode
      ? `holds a simulator in ${held.mode} mode, not ${mode}`
      : orders !== undefined && orders !== held.orders
        ? `was made with ${held.orders} orders, not ${orders}`
        : undefined;
  if (differing === undefined) return store;
  store.close();
  throw new CliError('usage', `${db ?? 'memory'} ${differing}`, {
    certain: 'nothing was started',
    now: ['name another file with --db, or leave the option out'],
  });
}

interface ServerOptions extends Omit<AppOptions, 'pageOrigin'> {
  readonly port: number;
  readonly drawFault: DrawFault | undefined;
  readonly latencyMs: number;
}

async function serveStore(options: ServerOptions): Promise<RunningSimulator> {
  const server = createServer();
  const port = await listen(server, options.port);
  const parts = { ...options, pageOrigin: `http://${hostname}:${port}` };
  const app = createApp(parts);
  const pages = createPayPages(parts);
  server.on('request', (incoming, outgoing) => {
    const answer = answerTo({ incoming, outgoing, app, pages, port, options });
    // By default, this function replaces the globals Request and Response of the process.
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
  readonly pages: ReturnType<typeof createPayPages>;
  readonly port: number;
  readonly options: ServerOptions;
}

function answerTo({ incoming, outgoing, app, pages, port, options }: Exchange) {
  return async (request: Request): Promise<Response> => {
    const isPage = isPayPage(new URL(request.url).pathname);
    const refused = checkSender(incoming, port, isPage);
    if (refused === undefined && isPage) return pages.fetch(request);
    if (refused !== undefined) return app.refuse(request, refused);
    // The signal aborts when the client disconnects, but only if `request.signal` was read before.
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

// A web page can reach a loopback port too, but sends an Origin header or another host name. This server's only pages are the
// checkouts, and each sends only to itself.
function checkSender({ headers }: IncomingMessage, port: number, isPage: boolean): Failure | undefined {
  const isOwn = isPage && headers.origin === `http://${headers.host}`;
  if (headers.origin !== undefined && !isOwn) {
    return forbidden('origin', 'Web pages are not served.', 'No se atienden páginas web.');
  }
  const allowed = [`${hostname}:${port}`, `localhost:${port}`];
  if (port === 80) allowed.push(hostname, 'localhost');
  if (allowed.includes(headers.host?.toLowerCase() ?? '')) return undefined;
  return forbidden('host', `The host is ${hostname}:${port}.`, `El host es ${hostname}:${port}.`);
}

// Announces the whole length, but sends only half of the body.
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
