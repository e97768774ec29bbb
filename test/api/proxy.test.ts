/** Proxies, G63: https goes through the one that the environment names; this machine and plain http never do. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proxyFor } from '../../src/api/proxy.ts';
import { certificate, certificateOfService } from '../harness/certificate.ts';
import { type Desk, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { json, reply, startProxy, startServer, startSocketServer } from '../harness/server.ts';
import { collect, idsOf, list, openClient, rejection } from './open-client.ts';

const refund = { method: 'POST', path: 'orders/ord_1/refunds', body: { reason: 'other' } } as const;
const portOf = ({ url }: { readonly url: string }) => new URL(url).port;

// Both certificates are trusted by this process, and by those that are started.
const known = tls.getCACertificates('default');
const trusted = [certificate.cert, certificateOfService.cert];
beforeAll(() => tls.setDefaultCACertificates([...known, ...trusted]));
afterAll(() => tls.setDefaultCACertificates(known));

// Reaches the desk under `origin`: in memory, or as a process where a variable is for Node itself.
function run(home: Home, desk: Desk, origin: string, args: readonly string[], env: object): Promise<Ran> {
  const authority = join(home.path, 'authority.pem');
  writeFileSync(authority, trusted.join(''));
  const isProcess = Object.keys(env).some((name) => name.startsWith('NODE_'));
  const trusting = isProcess ? { NODE_EXTRA_CA_CERTS: authority } : {};
  return paydesk(args, { home, env: { ...desk.env, PAYDESK_BASE_URL: origin, ...trusting, ...env } });
}

const everyProxy = (url: string) => ({
  ...Object.fromEntries(
    ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].map((name) => [
      name,
      url,
    ]),
  ),
  NO_PROXY: 'example.com',
});

describe.concurrent('this machine and plain http are never proxied, whatever NO_PROXY says', () => {
  test.each([
    ['http', 'http://127.0.0.1', {}],
    ['http', 'http://localhost', {}],
    ['http', 'http://0x7f.1', { NODE_USE_ENV_PROXY: '1' }],
    ['http', 'http://127.0.0.1', { NODE_OPTIONS: '--use-env-proxy' }],
    ['https', 'https://127.0.0.1', {}],
    ['https', 'https://0x7f.1', {}],
    ['https', 'https://2130706433', { NODE_USE_ENV_PROXY: '1' }],
  ] as const)(
    '%s, %s, %j: a read and a refund arrive, and the proxy sees nothing',
    async (kind, host, more) => {
      using home = newHome();
      await using desk = await startDesk(kind === 'https' ? { tls: certificate } : {});
      await using proxy = await startProxy();
      const order = (await desk.orders()).find((one) => one.is_refundable)?.id ?? '';
      const origin = `${host}:${portOf(desk)}`;
      const env = { ...everyProxy(proxy.url), ...more };
      const read = await run(home, desk, origin, ['orders', 'list'], env);
      expect(read.code, read.stderr).toBe(0);
      const change = await run(home, desk, origin, ['orders', 'refund', order, '--yes'], env);
      expect(change.code, change.stderr).toBe(0);
      expect(desk.changes()).toHaveLength(1);
      expect(proxy.requests).toEqual([]);
    },
  );

  test.each(['https://localhost', 'https://shop.localhost', 'https://[::1]', 'https://[::ffff:127.0.0.1]'])(
    '%s: the proxy sees nothing',
    async (host) => {
      using home = newHome();
      await using desk = await startDesk({ tls: certificate });
      await using proxy = await startProxy();
      const origin = `${host}:${portOf(desk)}`;
      const env = everyProxy(proxy.url);
      // The certificate is for another name, or nothing listens there.
      expect((await run(home, desk, origin, ['orders', 'list', '--timeout', '5'], env)).code).toBe(6);
      expect(proxy.requests).toEqual([]);
    },
  );
});

describe.concurrent('https to another machine', () => {
  const withService = async (more: Parameters<typeof startDesk>[0] = {}) => {
    const desk = await startDesk({ tls: certificateOfService, ...more });
    return { desk, origin: `https://service.test:${portOf(desk)}` };
  };

  test.each([
    ['https_proxy', {}],
    ['HTTPS_PROXY', { NODE_NO_WARNINGS: '1' }],
  ])(
    'goes through a tunnel of the proxy in %s, %j, which never sees the key: a read and a refund',
    async (name, more) => {
      using home = newHome();
      const { desk, origin } = await withService();
      await using _ = desk;
      await using proxy = await startProxy();
      const order = (await desk.orders()).find((one) => one.is_refundable)?.id ?? '';
      const env = { [name]: proxy.url, ...more };
      for (const args of [
        ['orders', 'list'],
        ['orders', 'refund', order, '--yes'],
      ]) {
        const ran = await run(home, desk, origin, args, env);
        expect(ran.code, ran.stderr).toBe(0);
      }
      expect(desk.changes()).toHaveLength(1);
      expect(proxy.requests.length).toBeGreaterThan(1);
      const tunnel = { method: 'CONNECT', url: `service.test:${portOf(desk)}` };
      expect(proxy.requests).toMatchObject(proxy.requests.map(() => tunnel));
      expect(JSON.stringify(proxy.requests)).not.toContain('uthorization');
    },
  );

  test.each([
    ['where NO_PROXY names it', (url: string) => ({ HTTPS_PROXY: url, NO_PROXY: 'service.test' })],
    ['where no_proxy names its domain', (url: string) => ({ HTTPS_PROXY: url, no_proxy: '.test' })],
    ['where only HTTP_PROXY is set', (url: string) => ({ HTTP_PROXY: url, http_proxy: url })],
    [
      'where only HTTP_PROXY is set, and Node is told to proxy',
      (url: string) => ({ HTTP_PROXY: url, NODE_USE_ENV_PROXY: '1' }),
    ],
    ['where HTTPS_PROXY is empty', () => ({ HTTPS_PROXY: '' })],
  ])('is not proxied %s', async (_where, envOf) => {
    using home = newHome();
    const { desk, origin } = await withService();
    await using _ = desk;
    await using proxy = await startProxy();
    // No name server knows it.
    const ran = await run(home, desk, origin, ['orders', 'list', '--timeout', '5'], envOf(proxy.url));
    expect(ran.code, ran.stderr).toBe(6);
    expect(proxy.requests).toEqual([]);
  });

  test.each([
    ['refund', 'paid'],
    ['capture', 'pre_authorized'],
  ])('421 through a proxy, %s: one request (F11)', async (verb, status) => {
    using home = newHome();
    const { desk, origin } = await withService({
      instead: ({ method }) => (method === 'GET' ? undefined : reply('', 421)),
    });
    await using _ = desk;
    await using proxy = await startProxy();
    const order = (await desk.orders()).find(
      (one) => one.payment_status === status && one.amount_refunded === 0,
    )?.id;
    const args = ['orders', verb, order ?? '', '--yes'];
    const ran = await run(home, desk, origin, args, { HTTPS_PROXY: proxy.url });
    expect(ran.code, ran.stderr).toBe(7);
    expect(desk.changes()).toHaveLength(1);
    expect(proxy.requests.length).toBeGreaterThan(0);
  });

  test.each([
    ['that is no URL', 'user:secret@', 'HTTPS_PROXY is not the URL of a proxy'],
    [
      'whose login has a stray %',
      'http://user:secret%@127.0.0.1:1',
      'HTTPS_PROXY has a % that is not part of a valid code such as %40',
    ],
  ])('a proxy variable %s is refused by name, without its value', async (_, value, says) => {
    using home = newHome();
    const { desk, origin } = await withService();
    await using closed = desk;
    const ran = await run(home, closed, origin, ['orders', 'list'], { HTTPS_PROXY: value });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stderr).not.toContain('secret');
  });
});

describe('a client behind a proxy', () => {
  /** A proxy that answers every CONNECT with these bytes. */
  const startRefusing = (reply: string) =>
    startSocketServer((socket) => {
      socket.once('data', () => socket.end(reply));
    });
  const clientBehind = (proxy: { readonly url: string }, port = 443) => {
    const baseUrl = `https://service.test:${port}`;
    return openClient({ url: baseUrl }, {}, { proxy: proxyFor(baseUrl, { HTTPS_PROXY: proxy.url }) });
  };

  test('that is gone: the change was certainly not sent', async () => {
    await using server = await startServer(json(list([{ id: 'ord_1' }])), { tls: certificateOfService });
    await using proxy = await startProxy();
    const client = clientBehind(proxy, server.port);
    expect(idsOf(await collect(client.service.pages('orders', {})))).toEqual(['ord_1']);
    server.dropConnections();
    await proxy.close();
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'not_sent',
      reason: `no connection through the proxy: ${new URL(proxy.url).host} refused the connection (ECONNREFUSED)`,
    });
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  test.each([
    ['wants a login', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'wants a login (HTTP 407)'],
    ['forbids it', 'HTTP/1.1 403 Forbidden\r\n\r\n', 'does not connect to service.test (HTTP 403)'],
    ['does not reach it', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'does not connect to service.test (HTTP 502)'],
    ['hangs up', '', 'was closed before a reply came (ECONNRESET)'],
    ['is no proxy', 'SSH-2.0-x\r\n', 'is not HTTP'],
  ])('that %s: it is said, and the change was certainly not sent', async (_, answer, words) => {
    await using proxy = await startRefusing(answer);
    expect(await clientBehind(proxy).send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'not_sent',
      reason: expect.stringContaining(words),
    });
    expect(proxy.connections).toBe(1);
  });

  test('that wants a login: a read is not tried again, and says where the login belongs', async () => {
    await using proxy = await startRefusing('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const error = await rejection(collect(clientBehind(proxy).service.pages('orders', {})));
    expect(error).toMatchObject({
      kind: 'network',
      exitCode: 6,
      message: `the proxy ${new URL(proxy.url).host} wants a login (HTTP 407); HTTPS_PROXY can hold it: http://NAME:PASSWORD@HOST:PORT`,
    });
    expect(proxy.connections).toBe(1);
  });

  test('gives the login of HTTPS_PROXY to the proxy, and only to the proxy', async () => {
    await using server = await startServer(json(list([{ id: 'ord_1' }])), { tls: certificateOfService });
    await using proxy = await startProxy();
    const client = clientBehind({ url: proxy.url.replace('://', '://desk:p%40ss@') }, server.port);
    await collect(client.service.pages('orders', {}));
    expect(proxy.requests).toMatchObject([
      { headers: { 'proxy-authorization': `Basic ${Buffer.from('desk:p@ss').toString('base64')}` } },
    ]);
    expect(server.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('over TLS of its own: a read and a change arrive', async () => {
    await using server = await startServer(json(list([{ id: 'ord_1' }])), { tls: certificateOfService });
    await using proxy = await startProxy(certificate);
    const client = clientBehind(proxy, server.port);
    expect(idsOf(await collect(client.service.pages('orders', {})))).toEqual(['ord_1']);
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({ kind: 'reply' });
    expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT', 'CONNECT']);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test.each([
    ['says nothing', ''],
    ['opens a way that leads nowhere', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('that %s: the deadline ends the wait, and closes the connection', async (_, answer) => {
    const closed = Promise.withResolvers<void>();
    await using proxy = await startSocketServer((socket) => {
      socket.on('close', closed.resolve);
      socket.once('data', () => socket.write(answer));
      socket.resume();
    });
    const report = await clientBehind(proxy).send(refund, { timeoutMs: 300 });
    expect(report).toMatchObject({ kind: 'not_sent', reason: 'no answer from service.test within 0.3 s' });
    await closed.promise;
  });
});

describe('NO_PROXY', () => {
  test.each([
    ['service.test', 'https://service.test'],
    ['service.test', 'https://a.service.test'],
    ['.service.test', 'https://service.test'],
    ['*.service.test', 'https://a.service.test'],
    ['other.test, Service.Test', 'https://service.test'],
    ['service.test:443', 'https://service.test'],
    ['service.test:8443', 'https://service.test:8443'],
    ['*', 'https://service.test'],
  ])('%s: %s is reached directly', (except, baseUrl) => {
    expect(proxyFor(baseUrl, { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: except })).toBeUndefined();
  });

  test.each([
    ['vice.test', 'https://service.test'],
    ['a.service.test', 'https://service.test'],
    ['service.test:8443', 'https://service.test'],
    [' , ', 'https://service.test'],
    ['', 'https://service.test'],
  ])('%j: %s is reached through the proxy', (except, baseUrl) => {
    expect(proxyFor(baseUrl, { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: except })?.port).toBe('9');
  });
});
