/** The transport at the wire: the very bytes of a request, and which connection carries it. */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { json, rawReply, reply, startServer, startSocketServer } from '../harness/server.ts';
import { clock, collect, idsOf, key, list, openClient, rejection } from './open-client.ts';

const refund = { method: 'POST', path: 'orders/ord_1/refunds', body: { reason: 'other' } } as const;
const body = JSON.stringify(list([{ id: 'ord_1' }]));
const okay = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** Answers every request on a connection with these bytes, and keeps what came. */
async function startTap(answer: (request: string, socket: Socket) => string) {
  const heard: string[] = [];
  const server = await startSocketServer((socket) => {
    socket.on('data', (chunk: Buffer) => {
      heard.push(chunk.toString('latin1'));
      socket.write(answer(chunk.toString('latin1'), socket));
    });
  });
  return { heard, server, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

const read = (client: ReturnType<typeof openClient>) =>
  collect(client.service.pages('orders', { limit: 1 })).then(idsOf);

/** The lines of a request; its headers in the order of the alphabet. */
function linesOf(request = ''): readonly string[] {
  const [head = '', ...body] = request.split('\r\n\r\n');
  const [first = '', ...headers] = head.split('\r\n');
  return [
    first,
    ...headers.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)),
    ...body,
  ];
}

describe('the bytes of a request', () => {
  test('GET: these headers and no other', async () => {
    await using tap = await startTap(() => okay(body));
    await read(openClient(tap.server));
    expect(linesOf(tap.heard.join(''))).toEqual([
      'GET /orders?limit=1 HTTP/1.1',
      'accept-encoding: gzip, br',
      'accept: application/vnd.service-v2.3.0+json',
      `authorization: Bearer ${key}`,
      'Connection: keep-alive',
      `Host: 127.0.0.1:${tap.server.port}`,
      'user-agent: paydesk/9.9.9',
      '',
    ]);
  });

  test('POST: these headers, no other, and the body', async () => {
    await using tap = await startTap(() => okay('{"object":"order"}'));
    await openClient(tap.server, { lang: 'es' }).send(refund, { timeoutMs: 5_000 });
    expect(linesOf(tap.heard.join(''))).toEqual([
      'POST /orders/ord_1/refunds HTTP/1.1',
      'accept-encoding: gzip, br',
      'accept-language: es',
      'accept: application/vnd.service-v2.3.0+json',
      `authorization: Bearer ${key}`,
      'Connection: keep-alive',
      'content-length: 18',
      'content-type: application/json',
      `Host: 127.0.0.1:${tap.server.port}`,
      'user-agent: paydesk/9.9.9',
      '{"reason":"other"}',
    ]);
  });

  test('DELETE with a body says how long that is, one without says nothing', async () => {
    await using server = await startServer(json({}));
    const { send } = openClient(server);
    await send({ method: 'DELETE', path: 'a', body: { note: 'é' } }, { timeoutMs: 5_000 });
    await send({ method: 'DELETE', path: 'a' }, { timeoutMs: 5_000 });
    expect(server.requests).toMatchObject([
      { body: '{"note":"é"}', headers: { 'content-length': '13' } },
      { body: '' },
    ]);
    expect(server.requests[1]?.headers).not.toHaveProperty('content-length');
    expect(server.requests[1]?.headers).not.toHaveProperty('transfer-encoding');
  });
});

describe('the connection', () => {
  test('is kept for the next read, and closed with the client', async () => {
    await using server = await startServer(json(body));
    const client = openClient(server);
    await read(client);
    await read(client);
    expect(server.connections).toBe(1);
    client.close();
    await read(client);
    expect(server.connections).toBe(2);
  });

  test('of a change is its own, and closed after its reply', async () => {
    const ended = Promise.withResolvers<void>();
    await using server = await startServer((request, response, socket) => {
      if (request.method === 'POST') socket.on('close', ended.resolve);
      return json(body)(request, response, socket);
    });
    const client = openClient(server);
    await read(client);
    await client.send(refund, { timeoutMs: 5_000 });
    expect(server.connections).toBe(2);
    await ended.promise;
    await read(client);
    expect(server.connections).toBe(2);
  });

  test('that was kept is not used for a change, so no change is lost when the service drops it', async () => {
    // What a load balancer does to a connection that was idle for too long.
    const used = new Set<Socket>();
    await using tap = await startTap((_, socket) => {
      if (used.has(socket)) socket.resetAndDestroy();
      used.add(socket);
      return okay(body);
    });
    const client = openClient(tap.server);
    await read(client);
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({ kind: 'reply' });
    expect(tap.heard.filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('that brought more than one reply is not used again', async () => {
    const forged = JSON.stringify(list([{ id: 'ord_forged' }]));
    await using tap = await startTap(() => okay(body) + okay(forged));
    const client = openClient(tap.server);
    expect([await read(client), await read(client)]).toEqual([['ord_1'], ['ord_1']]);
    expect(tap.server.connections).toBe(2);
  });

  test('that is not ready after 10 seconds is given up: a change was certainly not sent', async () => {
    await using server = await startSocketServer(() => undefined);
    const hurried = { ...clock, after: (ms: number, act: () => void) => clock.after(ms / 50, act) };
    const client = openClient({ url: server.url.replace('http:', 'https:') }, {}, { clock: hurried });
    expect(await client.send(refund, { timeoutMs: 60_000 })).toMatchObject({
      kind: 'not_sent',
      reason: `127.0.0.1:${server.port} did not answer in time (ETIMEDOUT)`,
    });
  });

  test('is tried for each address of a name, and the request is sent on one of them', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end(okay(body))));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await read(openClient({ url: `http://localhost:${port}` }))).toEqual(['ord_1']);
    server.close();
  });
});

describe('a reply', () => {
  test.each([
    ['100 and 103 first', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['102 without end first', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)],
  ])('with %s is read', async (_, before) => {
    await using server = await startServer(rawReply(before + okay(body)));
    expect(await read(openClient(server))).toEqual(['ord_1']);
  });

  test.each([
    ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a length that is no number', 'content-length: two\r\n\r\n{}'],
    ['a folded header', 'x-a: b\r\n c\r\n\r\n{}'],
    ['a header of 20 kB', `x-a: ${'b'.repeat(20_000)}\r\n\r\n{}`],
  ])('with %s is not HTTP', async (_, rest) => {
    await using server = await startServer(rawReply(`HTTP/1.1 200 OK\r\n${rest}`));
    expect(await rejection(read(openClient(server)))).toMatchObject({
      kind: 'reply',
      message: expect.stringContaining('is not HTTP'),
    });
  });

  test('that switches protocols is no reply: a change says so at once, and is not sent again', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
    await using server = await startServer(rawReply(upgrade));
    expect(await openClient(server).send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'no_reply',
      reason: expect.stringContaining('was closed before a reply came'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('whose packed body lacks its checksum is read', async () => {
    const packed = gzipSync(body).subarray(0, -8);
    await using server = await startServer(reply(packed, 200, { 'content-encoding': 'x-gzip' }));
    expect(await read(openClient(server))).toEqual(['ord_1']);
  });

  test('with an empty Content-Encoding is not packed', async () => {
    await using server = await startServer(reply(body, 200, { 'content-encoding': '' }));
    expect(await read(openClient(server))).toEqual(['ord_1']);
  });

  test.each(['gzip', 'br'])('without a body is empty, also when %s is to unpack it', async (encoding) => {
    await using server = await startServer(reply('', 500, { 'content-encoding': encoding }));
    expect(await rejection(read(openClient(server)))).toMatchObject({
      message: expect.stringContaining('HTTP 500, an empty body'),
    });
  });
});
