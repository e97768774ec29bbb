/** The server of a sender: identifies, counts and limits requests before any route sees them, and logs each as a line. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { CliError, refused, systemCode } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import { isLoopback } from '../../profiles/profiles.ts';
import { errorToWire, hopHeaders, hopPaths, hopVersion, mediaTypes } from '../wire.ts';
import type { SenderConfig } from './config.ts';
import type { Members } from './members.ts';
import { addReads } from './reads.ts';
import {
  errorReply,
  type HopEnv,
  RefusedRequest,
  type SenderAccount,
  type SenderApp,
  stopping,
  tooMany,
} from './routes.ts';
import { createShares, createSockets, type Share } from './shares.ts';
import { addJoin, createSignIn, factsOf, type LastUses, notTaken, tokenIn } from './sign-in.ts';

export interface ServerParts {
  readonly config: SenderConfig;
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly accounts: ReadonlyMap<string, SenderAccount>;
  readonly members: Members;
  readonly uses: LastUses;
  readonly clock: ClockWithTimers;
  readonly version: string;
  /** Adds the routes of the journal, changes and plans. */
  readonly addRoutes: (hop: SenderApp) => void;
  readonly log: (line: RequestLine) => void;
}

/** A request in the log: no personal name, key, customer id or query. */
export interface RequestLine {
  readonly time: string;
  readonly request: string;
  /** 0: the connection broke before a reply. */
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  /** The token's public id; `paydesk sender members` says whose it is. */
  readonly token: string | null;
}

/** Throws CliError 'refused' if the address cannot be used. */
export async function startServer(parts: ServerParts) {
  const { config, certificate, clock, uses } = parts;
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
  };
  const server: Server =
    certificate === undefined
      ? createServer(limits)
      : createTlsServer({ ...limits, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 });
  server.keepAliveTimeout = 65_000;
  const state = { draining: false };
  const sockets = createSockets();
  const hop = createSenderApp(parts, sockets, state);
  server.on('connection', (socket: Socket) => sockets.opened(socket));
  const answer = answerer(parts, hop, sockets);
  server.on('request', answer);
  // Without this, Node would ask for the body before the token was checked.
  server.on('checkContinue', answer);
  const port = await listen(server, config.listen);
  const stopSaving = clock.every(5_000, () => void uses.save());
  return {
    port,
    drain() {
      state.draining = true;
    },
    async close() {
      state.draining = true;
      stopSaving();
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const stopTimer = clock.after(10_000, () => server.closeAllConnections());
      await closed;
      stopTimer();
      await uses.save();
    },
  };
}

async function listen(server: Server, { host, port }: SenderConfig['listen']): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new CliError('refused', `${host} port ${port} cannot be used: ${systemCode(cause)}`, {
      certain: 'nothing was started',
      now: ['is another sender running? if not, choose another port: paydesk sender init --listen HOST:PORT'],
      cause,
    });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

// ── Before the routes ───────────────────────────────────────────────────────────────────────────

// Paths have no escapes, so a proxy or the service cannot read them differently.
const targetPattern = /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,200}){1,6}(?:\?[\x21-\x7e]{0,1000})?$/;

function answerer(parts: ServerParts, hop: SenderApp, sockets: ReturnType<typeof createSockets>) {
  const listener = getRequestListener(hop.fetch, { overrideGlobalObjects: false, hostname: 'sender' });
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const started = { at: parts.clock.monotonic(), written: incoming.socket.bytesWritten };
    const ended = sockets.busy(incoming.socket);
    // If the service sends no Date, none must be added here: desks check their clocks by it.
    outgoing.sendDate = false;
    outgoing.once('close', () => {
      ended();
      parts.log(lineOf(parts, incoming, outgoing, started));
    });
    const target = incoming.url ?? '';
    const isKnown = targetPattern.test(target) && ['GET', 'POST'].includes(incoming.method ?? '');
    const isOpen = target === hopPaths.health || target === hopPaths.join;
    if (!isKnown) outgoing.writeHead(400, { connection: 'close', [hopHeaders.error]: 'usage' }).end();
    // Refused at once: this is cheap, however many come. It is not a guess, so there is no delay.
    else if (!isOpen && tokenIn(incoming) === undefined)
      outgoing.writeHead(401, noToken.headers).end(noToken.body);
    else void listener(incoming, outgoing);
  };
}

const noToken = {
  headers: {
    'content-type': mediaTypes.json,
    [hopHeaders.error]: 'auth',
    [hopHeaders.version]: String(hopVersion),
  },
  body: JSON.stringify({ error: errorToWire(notTaken()) }),
};

function lineOf(
  { clock }: ServerParts,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  started: { readonly at: number; readonly written: number },
): RequestLine {
  const path = incoming.url?.split('?')[0] ?? '';
  const shown = targetPattern.test(path) ? path.replaceAll(/\/(?:cus|pdt|pdi)_[^/]*/g, '/:id') : '?';
  const token = /^Bearer pdt_([a-z0-9]{10})_/.exec(incoming.headers.authorization ?? '')?.[1];
  return {
    time: new Date(clock.now()).toISOString(),
    request: `${incoming.method} ${shown}`,
    status: outgoing.headersSent ? outgoing.statusCode : 0,
    ms: Math.round(clock.monotonic() - started.at),
    bytes: incoming.socket.bytesWritten - started.written,
    token: token ?? null,
  };
}

/** The address that wrong tokens count against. Behind a proxy on this machine it is the last in the proxy's header. */
function addressOf(
  { socket, headers }: IncomingMessage,
  { behind_proxy: behindProxy }: SenderConfig,
): string {
  const address = socket.remoteAddress ?? '';
  if (behindProxy !== true || !isLoopback(address.replace(/^::ffff:/, ''))) return address;
  return headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() ?? address;
}

// ── The app ─────────────────────────────────────────────────────────────────────────────────────

// The time limits for reading a whole reply, and between two bytes.
const replyMs = 60_000;
const silentMs = 15_000;

function createSenderApp(
  parts: ServerParts,
  sockets: ReturnType<typeof createSockets>,
  state: { readonly draining: boolean },
): SenderApp {
  const { config, accounts } = parts;
  const hop: SenderApp = new Hono<HopEnv>();
  const signIn = createSignIn(parts);
  const shares = createShares();
  hop.get(hopPaths.health, () => Response.json({ status: 'ok' }));
  hop.use(async (context, next) => {
    await next();
    context.res.headers.set(hopHeaders.version, String(hopVersion));
  });
  addJoin(hop, parts, (incoming) => signIn.wrong(addressOf(incoming, config)));
  hop.use('/v1/:part/:account/*', async (context, next) => {
    const { incoming, outgoing } = context.env;
    const { asker, token } = await signIn.check(incoming, addressOf(incoming, config));
    sockets.belongsTo(incoming.socket, asker.member);
    const account = accounts.get(context.req.param('account'));
    // A token for another account must not reveal whether this one exists.
    if (account === undefined || token.account !== account.name)
      throw new RefusedRequest(
        403,
        refused('the token of this desk is for another account of the sender', [
          'ask your lead for an invitation to this account: paydesk sender invite NAME --account ACCOUNT',
        ]),
      );
    refuseOtherMode(incoming, account);
    const share = shareOf(context.req.param('part'));
    if (state.draining && share === 'changes' && context.req.method === 'POST') throw stopping();
    const giveBack = await shares.take(asker.member, share);
    if (giveBack === undefined) throw tooMany();
    outgoing.once('close', giveBack);
    if (outgoing.destroyed) giveBack();
    if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
    context.set('asker', asker);
    context.set('account', account);
    await next();
    if (share !== 'changes') cutWhenUnread(outgoing, parts.clock);
  });
  hop.get(hopPaths.account(':account'), (context) =>
    Response.json(factsOf(parts, context.var.account, context.var.asker)),
  );
  addReads(hop);
  parts.addRoutes(hop);
  hop.notFound(() => errorReply(unknownPath(), 404));
  hop.onError((thrown) => {
    const error = isStop(thrown) ? stopping() : thrown;
    if (!(error instanceof RefusedRequest)) return errorReply(error);
    const { status } = error;
    // The rest of such a body is not read.
    const close = status === 413 ? { connection: 'close' } : {};
    const wait = status === 429 || status === 503 ? { 'retry-after': '1' } : {};
    return errorReply(error.error, status, { ...close, ...wait });
  });
  return hop;
}

// The sender's run is stopping: the desk's run must not end as if it were interrupted itself.
function isStop(error: unknown): boolean {
  return error instanceof CliError && ['terminated', 'interrupted', 'hangup'].includes(error.kind);
}

function shareOf(part: string): Share {
  if (part === 'service') return 'reads';
  return part === 'changes' || part === 'plans' ? 'changes' : 'questions';
}

// Cuts a reply that nobody reads, or reads too slowly.
function cutWhenUnread(outgoing: ServerResponse, clock: ClockWithTimers): void {
  outgoing.setTimeout(silentMs, () => outgoing.destroy());
  const stop = clock.after(replyMs, () => outgoing.destroy());
  outgoing.once('close', stop);
}

// Somebody edited the desk's file: the desk would not ask before moving real money, or would show practice as real.
function refuseOtherMode({ headers }: IncomingMessage, { service }: SenderAccount): void {
  const said = headers[hopHeaders.mode]?.toString();
  const { mode } = service.profile;
  if (said === undefined || said === mode) return;
  throw new RefusedRequest(
    403,
    refused(
      `the profile of this desk says ${said}, and its account at the sender is ${mode}`,
      [
        `write "mode": "${mode}" into its file, or join again with a new invitation; the file: paydesk profile show`,
      ],
      'wrong_mode',
    ),
  );
}

function unknownPath(): CliError {
  return refused('this sender has nothing under that path; is it another version?', [
    'compare the versions: paydesk --version here, and at the sender',
  ]);
}
