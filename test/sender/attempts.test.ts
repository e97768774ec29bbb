/**
 * What somebody tries who has a token, a shell and the network, or no token at all: each attempt is refused or bounded, another desk's
 * refund goes through meanwhile, and nothing that comes back holds the key of the service.
 */

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Json, paidOrder } from '../harness/orders.ts';
import { type TestDesk, type TestSender, testKey } from '../harness/sender.ts';
import { type Ledger, startLedger } from './ledger.ts';
import { applyRaw, handOver, lastLine, post, type RawReply, withdraw } from './raw-hop.ts';

const dayMs = 24 * 60 * 60_000;
const other = 'A'.repeat(43);
let ledger: Ledger;
let sender: TestSender;
/** An operator, who tries. */
let ana: TestDesk;
let ben: TestDesk;
/** The tokens of others who try, by their role. */
const tokens = { viewer: '', proposer: '', revoked: '' };
/** Secrets of invitations, by what became of them. */
const invitations = { used: '', replaced: '', old: '', fresh: '' };
const sockets: Socket[] = [];

const ordersOfBen = Array.from({ length: 110 }, (_, at) => `ord_B${at}`);
let sentByBen = 0;

beforeAll(async () => {
  const orders = ['ord_A1', 'ord_A2', ...ordersOfBen].map((id) =>
    paidOrder(id, { metadata: { note: `the key is ${testKey}` } }),
  );
  ledger = await startLedger({ orders });
  ({ sender } = ledger);
  [ana, ben] = [await sender.desk('ana'), await sender.desk('ben', 'operator', 'desk-2')];
  tokens.viewer = (await sender.desk('vic', 'viewer')).token;
  tokens.proposer = (await sender.desk('pia', 'proposer')).token;
  tokens.revoked = (await sender.desk('rex')).token;
  await sender.run(['sender', 'revoke', 'rex', '--yes']);
  const used = await sender.invite('uma');
  await sender.join(used);
  const replaced = await sender.invite('ron');
  const fresh = await sender.invite('ron');
  const old = await sender.invite('old', 'operator', {
    env: { TEST_WALL_CLOCK_AHEAD_MS: `${-dayMs - 1000}` },
  });
  Object.assign(invitations, {
    used: used.invitation,
    replaced: replaced.invitation,
    fresh: fresh.invitation,
    old: old.invitation,
  });
  // What ben has sent, and the others try to take for their own.
  const shown = order('ord_B109');
  const sent = await handOver(sender.url, ben.token, 'i_ofBen', shown, (what) => ({
    ...what,
    idempotencyKey: 'ben-1',
  }));
  expect(lastLine(sent)).toMatchObject({ end: { verdict: 'applied' } });
  sentByBen += 1;
}, 120_000);

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
});

function order(id: string): Json {
  const found = ledger.service.orders.find((one) => one.id === id) ?? {};
  // As a desk is shown it.
  return JSON.parse(JSON.stringify(found).replaceAll(testKey, '[key]')) as Json;
}

// ── Attempts ────────────────────────────────────────────────────────────────────────────────────

/** What came back; status 0: the connection was cut. */
type Replies = Promise<RawReply | readonly RawReply[]>;
type Attempt = readonly [what: string, act: () => Replies, check?: (replies: readonly RawReply[]) => void];

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ofAna = () => bearer(ana.token);
const get = (path: string, headers: Readonly<Record<string, string>> = ofAna()) =>
  raw(`GET ${path} HTTP/1.1`, headers);
const ask = (path: string, body: unknown, token = ana.token) => post(sender.url, token, path, body);
const hand = (forge?: (what: Json) => Json, id = 'i_forged', more: object = {}) =>
  handOver(sender.url, ana.token, id, order('ord_A1'), forge, 'shop', more);
const withBody = (body: Json) => (what: Json) => ({ ...what, request: { ...(what.request as Json), body } });
const withRequest = (more: Json) => (what: Json) => ({
  ...what,
  request: { ...(what.request as Json), ...more },
});
const api = (method: string, path: string, body: Json = { amount: 300 }) =>
  hand((what) => ({ kind: 'api', request: { method, path, body }, again: what.again }), 'i_api', {
    shown: undefined,
  });
const joinWith = (invitation: string, more: object = {}) =>
  ask('/v1/join', { hop: 1, invitation, desk: 'desk-9', ...more });
// On a connection of its own: the sender cuts it before it has read all.
const large = (start: string, token: string, size: number) =>
  raw(`${start} HTTP/1.1`, { ...bearer(token), 'content-length': String(size) }, '['.repeat(size));
const wanted = (more: object = {}) => ({
  origin: 'o',
  account: 'a',
  profile: 'shop',
  request: { method: 'POST', path: 'orders/ord_A1/refunds', body: { charge_id: 'ch_ord_A1', amount: 300 } },
  proof: {
    kind: 'refund',
    orderId: 'ord_A1',
    livemode: false,
    body: { charge_id: 'ch_ord_A1', amount: 300 },
    expected: [{ chargeId: 'ch_ord_A1', amount: -300 }],
    tolerated: [],
  },
  amount: 300,
  currency: 'MXN',
  ...more,
});
const decide = (id: string, token = ana.token) =>
  ask('/v1/rules/shop/decide', { id, step: 'approved', validMs: dayMs }, token);
const headOfPlan = (digest: string) => ({ digest, rows: 1, sums: [] });
const refusedOrCut = (replies: readonly RawReply[]) => {
  for (const reply of replies) expect(whyTaken(reply)).toBe(undefined);
};

// Why an attempt was not refused; undefined if it was.
function whyTaken({ status, text }: RawReply): string | undefined {
  if (status === 0 || (status >= 400 && status < 500)) return undefined;
  // The reply to a hand-over begins before its end is known.
  const last = status === 200 ? lastLine({ status, text }) : {};
  return 'refused' in last || 'changed' in last ? undefined : `${status} ${text.slice(0, 300)}`;
}

const withoutToken: readonly Attempt[] = [
  ['no token', () => get('/v1/service/shop/orders', {})],
  ['a change without a token', () => raw('POST /v1/changes/shop HTTP/1.1', { 'content-length': '2' }, '{}')],
  ['the key of the service as a token', () => get('/v1/service/shop/orders', bearer(testKey))],
  ['a token that nobody has', () => get('/v1/account/shop', bearer(`pdt_abcdefghij_${other}`))],
  [
    'a known token with another secret',
    () => get('/v1/account/shop', bearer(`${ana.token.slice(0, 15)}${other}`)),
  ],
  [
    'the id of one token with the secret of another',
    () => get('/v1/account/shop', bearer(`${ben.token.slice(0, 15)}${ana.token.slice(15)}`)),
  ],
  [
    'two tokens in one request',
    () =>
      get('/v1/service/shop/orders', {
        authorization: `Bearer ${ana.token}\r\nauthorization: Bearer ${ana.token}`,
      }),
  ],
  ['a token in the query', () => get(`/v1/service/shop/orders?token=${ana.token}`, {})],
  [
    'a token by another scheme',
    () => get('/v1/service/shop/orders', { authorization: `Basic ${ana.token}` }),
  ],
  ['a revoked token', () => get('/v1/service/shop/orders', bearer(tokens.revoked))],
  ['a thousand letters as a token', () => get('/v1/service/shop/orders', bearer('A'.repeat(1000)))],
  ['an invitation as a token', () => get('/v1/service/shop/orders', bearer(invitations.fresh))],
  ['a token as an invitation', () => joinWith(ana.token)],
  ['an invitation that was used', () => joinWith(invitations.used)],
  ['an invitation that was replaced', () => joinWith(invitations.replaced)],
  ['an invitation of the day before', () => joinWith(invitations.old)],
  ['an invitation with another secret', () => joinWith(`${invitations.fresh.slice(0, 15)}${other}`)],
  ['an invitation with another id', () => joinWith(`pdi_aaaaaaaaaa${invitations.fresh.slice(14)}`)],
  ['an invitation with a role of its own', () => joinWith(invitations.fresh, { role: 'lead' })],
  ['an invitation for another version', () => joinWith(invitations.fresh, { hop: 99 })],
  [
    'one invitation ten times at once',
    () =>
      Promise.all(Array.from({ length: 10 }, (_, at) => joinWith(invitations.fresh, { desk: `desk-${at}` }))),
    (replies) => expect(replies.filter(({ status }) => status === 200)).toHaveLength(1),
  ],
];

const connections: readonly Attempt[] = [
  ['a thousand idle connections', () => thousandConnections('')],
  [
    'a thousand half requests',
    () => thousandConnections('GET /v1/account/shop HTTP/1.1\r\nhost: sender\r\nx: '),
  ],
  ['a hundred requests on one connection', () => raw(`${line('GET /v1/account/shop')}\r\n`.repeat(100), {})],
  ['a body that comes byte by byte', () => slowBody()],
  [
    'a body of 50 MB',
    () => raw('POST /v1/join HTTP/1.1', { 'content-length': '52428800' }, 'x'.repeat(200_000)),
  ],
  [
    'a body of 5 MB without its length',
    () =>
      raw('POST /v1/join HTTP/1.1', { 'transfer-encoding': 'chunked' }, `4c4b40\r\n${'x'.repeat(5_000_000)}`),
  ],
  ['a header of 100 KB', () => get('/health', { x: 'x'.repeat(100_000) })],
  [
    'a length beside a body in parts',
    () =>
      raw('POST /v1/join HTTP/1.1', { 'content-length': '5', 'transfer-encoding': 'chunked' }, '0\r\n\r\n'),
  ],
  [
    'two lengths',
    () => raw('POST /v1/join HTTP/1.1', { 'content-length': '5\r\ncontent-length: 6' }, 'hello'),
  ],
  ['a header with a line break inside', () => get('/health', { x: 'a\r\n b\u0000' })],
  ['bytes that are no request', () => raw('\u0016\u0003\u0001\u0002\u0000\u0001', {})],
  ['the preface of HTTP/2', () => raw('PRI * HTTP/2.0\r\n\r\nSM\r\n', {})],
  ['a tunnel to another host', () => raw('CONNECT other.example:443 HTTP/1.1', ofAna())],
  [
    'another protocol',
    () => get('/v1/stream', { ...ofAna(), connection: 'upgrade, close', upgrade: 'websocket' }),
  ],
  ['a method that says what was sent', () => raw('TRACE /v1/account/shop HTTP/1.1', ofAna())],
];

const paths: readonly Attempt[] = [
  ['a change as a read', () => raw('POST /v1/service/shop/orders/ord_1/refunds HTTP/1.1', ofAna())],
  ['another method', () => raw('DELETE /v1/service/shop/orders HTTP/1.1', ofAna())],
  ['another path of the service', () => get('/v1/service/shop/charges')],
  ['one order, while the profile pages', () => get('/v1/service/shop/orders/ord_1')],
  ['a path below', () => get('/v1/service/shop/orders/ord_1/refunds')],
  ['a path that decodes to one below', () => get('/v1/service/shop/orders%2Ford_1%2Frefunds')],
  ['a path with dots', () => get('/v1/service/shop/orders/../charges')],
  ['a path with encoded dots', () => get('/v1/service/shop/orders/%2e%2e/charges')],
  ['a path with a backslash', () => get('/v1/service/shop/orders\\..\\charges')],
  ['a path with two slashes', () => get('/v1/service/shop//other.example/orders')],
  ['a path with a line break', () => get('/v1/service/shop/orders%0d%0ahost:other.example')],
  ['an absolute form', () => get('http://other.example/v1/service/shop/orders')],
  ['an absolute form without a scheme', () => get('//other.example/v1/service/shop/orders')],
  ['another query', () => get('/v1/service/shop/orders?limit=1&expand=charges')],
  ['a query twice', () => get('/v1/service/shop/orders?limit=1&limit=1')],
  ['a query with an escape', () => get('/v1/service/shop/orders?next=ord_1%26x')],
  ['another account', () => get('/v1/service/other/orders')],
  ['a change of another account', () => ask('/v1/changes/other', {})],
  [
    'a read that is called a change by a header',
    () => get('/v1/service/shop/orders?limit=1', { ...ofAna(), 'x-http-method-override': 'POST' }),
    ([reply]) => expect(reply?.status).toBe(200),
  ],
  [
    'a desk that says that its account is production',
    () => get('/v1/account/shop', { ...ofAna(), 'paydesk-mode': 'production' }),
  ],
  ['a question that is none', () => ask('/v1/journal/shop/constructor', {})],
  ['a question about all attempts', () => ask('/v1/journal/shop/attempts', { query: {} })],
];

const roles: readonly Attempt[] = [
  ['a viewer hands a refund over', () => handOver(sender.url, tokens.viewer, 'i_viewer', order('ord_A1'))],
  ['a viewer takes a change back', () => withdraw(sender.url, tokens.viewer, 'i_ofBen')],
  [
    'a viewer asks for an approval',
    () => ask('/v1/rules/shop/ask', { id: 'r_v', what: wanted() }, tokens.viewer),
  ],
  ['a viewer stops a plan', () => ask(`/v1/plans/shop/${'a'.repeat(64)}/stop`, {}, tokens.viewer)],
  [
    'a viewer records what became of a change',
    () =>
      ask(
        '/v1/changes/shop/i_ofBen/resolve',
        { profile: 'shop', attempt: 1, statement: { applied: false, note: 'x', corrects: true } },
        tokens.viewer,
      ),
  ],
  [
    'a proposer hands a refund over',
    () => handOver(sender.url, tokens.proposer, 'i_proposer', order('ord_A1')),
  ],
  ['a proposer approves', () => decide('r_none', tokens.proposer)],
  [
    'an operator sets a limit',
    () => ask('/v1/rules/shop/setLimits', { member: '*', currency: 'MXN', values: { max: null } }),
  ],
  [
    'an operator approves a request of their own',
    async () => {
      expect(await ask('/v1/rules/shop/ask', { id: 'r_own', what: wanted() })).toMatchObject({ status: 200 });
      return await decide('r_own');
    },
  ],
  [
    'a request of 250 KB',
    () => ask('/v1/rules/shop/ask', { id: 'r_big', what: wanted({ note: 'x'.repeat(250_000) }) }),
  ],
];

const changes: readonly Attempt[] = [
  ["another member's change again", () => hand(undefined, 'i_ofBen')],
  ["what became of another member's change", () => get('/v1/changes/shop/i_ofBen')],
  ["another member's change taken back", () => withdraw(sender.url, ana.token, 'i_ofBen')],
  ["another member's idempotency key", () => hand((what) => ({ ...what, idempotencyKey: 'ben-1' }), 'i_key')],
  [
    'an id that was closed',
    async () => {
      expect((await withdraw(sender.url, ana.token, 'i_closed')).status).toBe(200);
      return await hand(undefined, 'i_closed');
    },
  ],
  ['an id with a path in it', () => hand(undefined, 'i_../../x')],
  ['an id of 10,000 letters', () => hand(undefined, `i_${'x'.repeat(10_000)}`)],
  [
    'a verdict on an attempt that is not there',
    () => ask('/v1/changes/shop/i_ofBen/resolve', { profile: 'shop', attempt: 99 }),
  ],
  ['a body of more than is said', () => hand(withBody({ charge_id: 'ch_ord_A1', amount: 30_000 }))],
  ['a body that takes money', () => hand(withBody({ charge_id: 'ch_ord_A1', amount: -300 }))],
  ['a body with more in it', () => hand(withBody({ charge_id: 'ch_ord_A1', amount: 300, to: 'me' }))],
  ['the path of another order', () => hand(withRequest({ path: 'orders/ord_A2/refunds' }))],
  [
    'a path with dots in a change',
    () => hand(withRequest({ path: 'orders/ord_A1/refunds/../../ord_A2/refunds' })),
  ],
  ['an address as a path', () => hand(withRequest({ path: 'https://other.example/orders/ord_A1/refunds' }))],
  ['another method in a change', () => hand(withRequest({ method: 'DELETE' }))],
  ['headers in a change', () => hand(withRequest({ headers: { authorization: 'Bearer x' } }))],
  [
    'a refund that calls itself a new order',
    () => hand((what) => ({ ...what, kind: 'order', orderId: undefined })),
  ],
  ['a refund as a request of its own', () => api('POST', 'orders/ord_A1/refunds')],
  ['the same with an escape', () => api('POST', 'orders/ord_A1/%72efunds')],
  ['the same with two slashes', () => api('POST', 'orders//ord_A1/refunds')],
  ['the same with dots', () => api('POST', 'customers/../orders/ord_A1/refunds')],
  ['the same in a query', () => api('POST', 'customers?x=/../orders/ord_A1/refunds#')],
  ['the same by an address', () => api('POST', '//other.example/orders/ord_A1/refunds')],
  ['an operator of their own choice', () => hand(undefined, 'i_forged', { operator: 'ben' })],
  ['an approval that nobody gave', () => hand((what) => ({ ...what, approval: 'r_none' }))],
  ['an approval that waits', () => hand((what) => ({ ...what, approval: 'r_own' }))],
  [
    'an order that looked different',
    () => hand(undefined, 'i_forged', { shown: { text: JSON.stringify({ ...order('ord_A1'), amount: 1 }) } }),
  ],
  [
    'a change that is nested 5,000 deep',
    () => ask('/v1/changes/shop', `{"change":${'['.repeat(5000)}${']'.repeat(5000)}}`),
  ],
  ['a change of 1 MB', () => large('POST /v1/changes/shop', ana.token, 1024 * 1024)],
  ['a change that is no JSON', () => ask('/v1/changes/shop', '{"change":')],
  ['a plan that is none', () => applyRaw(sender.url, ana.token, headOfPlan('a'.repeat(64)), '{}\n')],
  ['a plan that is one line of 2 MB', () => large('POST /v1/plans/shop', tokens.viewer, 2 * 1024 * 1024)],
  [
    'eighty reads at once',
    () => Promise.all(Array.from({ length: 80 }, () => ask('/v1/journal/shop/newest', {}))),
    (replies) => {
      for (const { status } of replies) expect([200, 429]).toContain(status);
    },
  ],
];

const attempts = [...withoutToken, ...connections, ...paths, ...roles, ...changes].map(
  ([what, act, check = refusedOrCut], at) => ({ what, at, act, check }),
);

test.each(attempts)(
  '$what ($at) is refused or bounded, and meanwhile another desk refunds',
  async ({ at, act, check }) => {
    const before = ledger.service.posts.length;
    const trying = act();
    const refund = await handOver(sender.url, ben.token, `i_ben${at}`, order(`ord_B${at}`));
    expect(lastLine(refund)).toMatchObject({ end: { verdict: 'applied' } });
    sentByBen += 1;
    const replies = [await trying].flat();

    check(replies);
    for (const { text } of [refund, ...replies]) expect(text).not.toContain(testKey);
    expect(ledger.service.posts.slice(before).map(({ url }) => url)).toEqual([`/orders/ord_B${at}/refunds`]);
    expect(
      ledger.service.requests.every(({ url }) => url === '/orders' || /^\/orders(\?|\/ord_B)/.test(url)),
    ).toBe(true);
  },
  60_000,
);

test('after all of them the journal is whole and has what was sent, and the key is nowhere on a desk', async () => {
  expect(attempts.length).toBeGreaterThanOrEqual(80);
  expect(ledger.service.posts).toHaveLength(sentByBen);
  const shown = await ana.run(['-p', 'shop', 'orders', 'show', 'ord_A1', '--json']);
  expect(shown).toMatchObject({ code: 0 });
  const verified = await sender.run(['sender', 'verify', '--json']);
  expect(JSON.parse(verified.stdout)).toMatchObject({ findings: [], unconfirmed: 0 });
  const list = ['-p', 'shop', 'journal', 'list', '--all', '--json'];
  const { data } = JSON.parse((await sender.run(list)).stdout) as { data: readonly { operator: string }[] };
  expect(data.filter(({ operator }) => operator !== 'ben')).toEqual([]);
  expect(data).toHaveLength(sentByBen);
  for (const { home } of [ana, ben]) {
    const files = readdirSync(home.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
    expect(files.filter((file) => file.includes(testKey))).toEqual([]);
  }
  expect(shown.stdout).not.toContain(testKey);
}, 60_000);

// ── On a connection of one's own ────────────────────────────────────────────────────────────────

const line = (request: string) => `${request} HTTP/1.1\r\nhost: sender\r\n`;

/** A request byte by byte as it is given. */
async function raw(start: string, headers: Readonly<Record<string, string>>, body = ''): Promise<RawReply> {
  const socket = open();
  const lines = Object.entries({ host: 'sender', connection: 'close', ...headers });
  socket.write(`${start}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
  return await replyOn(socket);
}

async function replyOn(socket: Socket): Promise<RawReply> {
  const received = await text(socket).catch(() => '');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), text: received };
}

async function thousandConnections(start: string): Promise<readonly RawReply[]> {
  const opened = Array.from({ length: 1000 }, () => open());
  await Promise.all(opened.map(async (socket) => await once(socket, 'connect').catch(() => undefined)));
  for (const socket of opened) socket.write(start);
  return [];
}

async function slowBody(): Promise<RawReply> {
  const socket = open();
  socket.write(`${line('POST /v1/join')}content-length: 1000\r\n\r\n`);
  const reply = replyOn(socket);
  for (let at = 0; at < 20; at += 1) {
    socket.write('{');
    await get('/v1/account/shop');
  }
  socket.destroy();
  return await reply;
}

function open(): Socket {
  const socket = connect(sender.port, '127.0.0.1');
  sockets.push(socket);
  // It may be cut at any time.
  socket.on('error', () => undefined);
  return socket;
}
