import { afterEach, expect, test } from 'vitest';
import { useProxies } from '../../src/api/proxy.ts';
import { json, reply, startProxy, startServer } from '../harness/server.ts';
import { collect, idsOf, list, openClient } from './open-client.ts';

const dispatcher = Symbol.for('undici.globalDispatcher.1');
const before: unknown = Reflect.get(globalThis, dispatcher);
const refund = { method: 'POST', path: 'orders/ord_1/refunds', body: { reason: 'other' } } as const;

afterEach(() => {
  Reflect.set(globalThis, dispatcher, before);
});

test('requests go through the proxy that the environment names', async () => {
  await using server = await startServer(json(list([{ id: 'ord_1' }])));
  await using proxy = await startProxy();
  await useProxies({ HTTP_PROXY: proxy.url });
  expect(idsOf(await collect(openClient(server).service.pages('orders', {})))).toEqual(['ord_1']);
  expect(proxy.requests).toHaveLength(1);
  expect(proxy.requests[0]?.url).toContain(`127.0.0.1:${server.port}`);
});

test('NO_PROXY is kept to', async () => {
  await using server = await startServer(json(list([{ id: 'ord_1' }])));
  await using proxy = await startProxy();
  await useProxies({ HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' });
  await collect(openClient(server).service.pages('orders', {}));
  expect(proxy.requests).toEqual([]);
});

test('421 to a change is one POST through a proxy too', async () => {
  await using server = await startServer((request, response, socket) =>
    (request.method === 'GET' ? json(list([])) : reply('', 421))(request, response, socket),
  );
  await using proxy = await startProxy();
  await useProxies({ http_proxy: proxy.url });
  const client = openClient(server);
  await collect(client.service.pages('orders', {}));
  expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({ kind: 'no_reply' });
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a proxy that refuses to connect is named as the network, and the change as not sent', async () => {
  await using server = await startServer(json(list([])));
  await using proxy = await startProxy();
  await useProxies({ HTTP_PROXY: proxy.url });
  const client = openClient(server);
  await collect(client.service.pages('orders', {}));
  server.dropConnections();
  await proxy.close();
  expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({ kind: 'not_sent' });
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
});

test('a proxy variable that is no URL is refused by name, without its value', async () => {
  await expect(useProxies({ HTTPS_PROXY: 'user:secret@' })).rejects.toMatchObject({
    kind: 'usage',
    message: 'HTTPS_PROXY is no URL of a proxy',
  });
});

test('without proxy variables nothing is changed', async () => {
  await useProxies({ HTTP_PROXY: '', NO_PROXY: '*' });
  expect(Reflect.get(globalThis, dispatcher)).toBe(before);
});
