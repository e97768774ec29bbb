import { connect as socketTo } from 'node:net';
import tls from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Client, SendReport } from '../../src/api/api.ts';
import { certificate } from '../harness/certificate.ts';
import type { Handler, TestServer } from '../harness/server.ts';
import {
  closedPort,
  cutBody,
  cutChunked,
  hangUp,
  json,
  rawReply,
  reply,
  reset,
  stall,
  stallAfter,
  startServer,
  startSocketServer,
} from '../harness/server.ts';
import { collect, key, list, openClient } from './open-client.ts';

const refund = {
  method: 'POST',
  path: 'orders/ord_1/refunds',
  body: { reason: 'requested_by_client' },
} as const;

/** Reads with GET as the final read does, answers the change with `handler`. */
function changesWith(handler: Handler): Handler {
  const read = json(list([{ id: 'ord_1', object: 'order' }]));
  return (request, response, socket) =>
    (request.method === 'GET' ? read : handler)(request, response, socket);
}

async function readThenSend(client: Client, timeoutMs = 5_000): Promise<SendReport> {
  await collect(client.service.pages('orders', { limit: 1 }));
  return await client.send(refund, { timeoutMs });
}

function posts(server: TestServer): number {
  return server.requests.filter(({ method }) => method !== 'GET').length;
}

describe('a change', () => {
  test('is one POST with its body, and its reply is handed on as it came', async () => {
    await using server = await startServer(
      changesWith(
        json('{"object": "order"}', 200, {
          'content-type': 'Application/JSON; charset=utf-8',
          date: 'Sat, 21 Nov 2026 09:31:40 GMT',
        }),
      ),
    );
    const report = await readThenSend(openClient(server, { baseUrl: `${server.url}/v9` }));
    expect(report).toMatchObject({
      kind: 'reply',
      reply: { status: 200, contentType: 'application/json', date: Date.UTC(2026, 10, 21, 9, 31, 40) },
    });
    const body = report.kind === 'reply' ? report.reply.body : [];
    expect(Buffer.from(body).toString()).toBe('{"object": "order"}');
    expect(server.requests[1]).toMatchObject({
      method: 'POST',
      url: '/v9/orders/ord_1/refunds',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/vnd.service-v2.3.0+json',
        'content-type': 'application/json',
        'content-length': '32',
      },
      body: '{"reason":"requested_by_client"}',
    });
  });

  test('without a body carries no content type', async () => {
    await using server = await startServer(changesWith(json({ object: 'order' })));
    const client = openClient(server);
    await client.send({ method: 'POST', path: 'orders/ord_1/capture' }, { timeoutMs: 5_000 });
    expect(server.requests[0]?.headers['content-type']).toBeUndefined();
    expect(server.requests[0]?.headers['content-length']).toBe('0');
    expect(server.requests[0]?.body).toBe('');
  });

  test.each([['../customers'], ['/orders'], ['//other.example/x'], ['https://other.example/x'], ['a#b']])(
    'with the path %s is refused, nothing is sent',
    async (path) => {
      await using server = await startServer(json({}));
      const client = openClient(server, { baseUrl: `${server.url}/v9` });
      await expect(client.send({ method: 'POST', path }, { timeoutMs: 1_000 })).rejects.toMatchObject({
        kind: 'usage',
      });
      expect(server.connections).toBe(0);
    },
  );
});

describe('a change is sent once, and its reply handed on,', () => {
  test.each<[string, Handler]>([
    ['408', json({ object: 'error' }, 408)],
    ['409', json({ object: 'error' }, 409)],
    ['423', json({ object: 'error' }, 423)],
    ['425', json({ object: 'error' }, 425)],
    ['429 with Retry-After', reply('', 429, { 'retry-after': '1' })],
    ['500', json({ object: 'error' }, 500)],
    ['502', reply('<html>', 502)],
    ['503', reply('', 503, { 'retry-after': '0' })],
    ['504', reply('', 504)],
    ['421, on which fetch would send again by itself', reply('', 421)],
    ['401', json({ object: 'error' }, 401)],
    ['an empty 200', reply('')],
  ])('for %s', async (_, handler) => {
    await using server = await startServer(changesWith(handler));
    expect(await readThenSend(openClient(server))).toMatchObject({ kind: 'reply' });
    expect(posts(server)).toBe(1);
  });

  test.each([[301], [302], [303], [307], [308]])('for the redirect %i, not followed', async (status) => {
    await using target = await startServer(json({ object: 'order' }));
    await using server = await startServer(changesWith(reply('', status, { location: target.url })));
    expect(await readThenSend(openClient(server))).toMatchObject({
      kind: 'reply',
      reply: { status, redirectTo: `127.0.0.1:${target.port}` },
    });
    expect(posts(server)).toBe(1);
    expect(target.connections).toBe(0);
  });

  test('with the wait that the service asks for', async () => {
    await using server = await startServer(changesWith(reply('', 429, { 'retry-after': '7' })));
    expect(await readThenSend(openClient(server))).toMatchObject({
      kind: 'reply',
      reply: { retryAfterMs: 7000 },
    });
  });
});

test('a change without a body is sent once for 421 as well', async () => {
  await using server = await startServer(changesWith(reply('', 421)));
  const request = { method: 'POST', path: 'orders/ord_1/capture' } as const;
  expect(await openClient(server).send(request, { timeoutMs: 5_000 })).toMatchObject({
    kind: 'reply',
    reply: { status: 421 },
  });
  expect(posts(server)).toBe(1);
});

describe('no usable reply to a change leaves it open, sent once:', () => {
  test.each<[string, Handler, string]>([
    ['a reset after reading', reset, 'was closed before a reply came'],
    ['a hang-up after reading', hangUp, 'was closed before a reply came'],
    ['silence', stall, 'no answer from'],
    ['a body that stops', stallAfter('{"object":'), 'HTTP 200, a reply that was not complete within 0.4 s'],
    ['a short body', cutBody('{"object":"order"'), 'HTTP 200, a reply that was cut off'],
    ['chunks without end', cutChunked('{"object":"order"}'), 'HTTP 200, a reply that was cut off'],
    ['no HTTP', rawReply('SSH-2.0-x\r\n'), 'is not HTTP'],
    ['a body too large', rawReply('HTTP/1.1 200 OK\r\ncontent-length: 5000000000\r\n\r\n{'), '32 MiB'],
  ])('%s', async (_, handler, words) => {
    await using server = await startServer(changesWith(handler));
    const report = await readThenSend(openClient(server), 400);
    expect(report).toMatchObject({ kind: 'no_reply', reason: expect.stringContaining(words) });
    expect(posts(server)).toBe(1);
    expect(inspect(report, { depth: 20, showHidden: true })).not.toContain(key);
  });

  test('a reset at its first byte', async () => {
    await using server = await startSocketServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect(await openClient(server).send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'no_reply',
      reason: expect.stringContaining('was closed before a reply came (ECONNRESET)'),
    });
    expect(server.connections).toBe(1);
  });

  test('Ctrl-C does not abort a change that is on its way', async () => {
    const stop = new AbortController();
    await using server = await startServer(
      changesWith((request, response, socket) => {
        stop.abort(new Error('interrupted'));
        return json({ object: 'order' })(request, response, socket);
      }),
    );
    const report = await readThenSend(openClient(server, {}, { signal: stop.signal }));
    expect(report).toMatchObject({ kind: 'reply', reply: { status: 200 } });
  });
});

describe('a change is known not to have left', () => {
  test('when nobody listens, with no read before', async () => {
    await using closed = await closedPort();
    const client = openClient({ url: `http://127.0.0.1:${closed.port}` });
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'not_sent',
      reason: `127.0.0.1:${closed.port} refused the connection (ECONNREFUSED)`,
    });
  });

  test('when the name of the service is not known', async () => {
    const client = openClient({ url: 'https://no-such-host.invalid' });
    expect(await client.send(refund, { timeoutMs: 60_000 })).toMatchObject({
      kind: 'not_sent',
      reason: expect.stringContaining('the name no-such-host.invalid'),
    });
  });

  test('when the operator leaves before the connection is ready', async () => {
    const leave = new AbortController();
    await using server = await startSocketServer(() => leave.abort());
    const url = server.url.replace('http:', 'https:');
    const client = openClient({ url }, {}, { leave: leave.signal });
    expect(await client.send(refund, { timeoutMs: 60_000 })).toMatchObject({ kind: 'not_sent' });
  });

  test('when the connection is ready too late', async () => {
    await using server = await startServer(changesWith(json({ object: 'order' })));
    const client = openClient(server);
    expect(await client.send(refund, { timeoutMs: 5_000, isTooLate: () => true })).toMatchObject({
      kind: 'not_sent',
      reason: 'it took too long to connect, or this machine was asleep or frozen in the meantime',
    });
    expect(posts(server)).toBe(0);
    expect(await client.send(refund, { timeoutMs: 5_000, isTooLate: () => false })).toMatchObject({
      kind: 'reply',
    });
  });

  test('when the port was closed after the last read', async () => {
    const server = await startServer(changesWith(json({ object: 'order' })));
    const client = openClient(server);
    await collect(client.service.pages('orders', { limit: 1 }));
    await server.close();
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'not_sent',
      reason: `127.0.0.1:${server.port} refused the connection (ECONNREFUSED)`,
    });
    expect(posts(server)).toBe(0);
  });

  test.each([
    ['reset before TLS is made', 'reset', 'was closed before a reply came (ECONNRESET)'],
    ['left in the middle of TLS', 'silent', 'no answer from 127.0.0.1'],
    ['answered with a certificate that is not accepted', 'untrusted', '(DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ])('when the next connection is %s', async (_, how, words) => {
    const known = tls.getCACertificates('default');
    const handler = changesWith(json({ object: 'order' }));
    await using server = await startServer(handler, { tls: certificate });
    await using other = await startServer(handler, { tls: certificate });
    let first = true;
    await using front = await startSocketServer((socket) => {
      const pipeTo = (port: number) => {
        const onward = socketTo(port, '127.0.0.1');
        onward.on('error', () => socket.destroy());
        socket.on('close', () => onward.destroy());
        socket.pipe(onward).pipe(socket);
      };
      if (first) pipeTo(server.port);
      else if (how === 'untrusted') pipeTo(other.port);
      else if (how === 'reset') socket.resetAndDestroy();
      first = false;
    });
    const client = openClient({ url: front.url.replace('http:', 'https:') });
    tls.setDefaultCACertificates([certificate.cert]);
    try {
      await collect(client.service.pages('orders', { limit: 1 }));
    } finally {
      tls.setDefaultCACertificates(known);
    }
    server.dropConnections();
    // Who is told something is told it in time, on a busy machine too.
    expect(await client.send(refund, { timeoutMs: how === 'silent' ? 400 : 60_000 })).toMatchObject({
      kind: 'not_sent',
      reason: expect.stringContaining(words),
    });
    expect(posts(server) + posts(other)).toBe(0);
    expect(front.connections).toBe(2);
  });
});

test('a change that is called unsent does not leave afterwards, when its connection is ready at last', async () => {
  const known = tls.getCACertificates('default');
  await using server = await startServer(changesWith(json(list([]))), { tls: certificate });
  const held: (() => void)[] = [];
  const hold = { next: false };
  await using front = await startSocketServer((socket) => {
    const open = () => {
      const onward = socketTo(server.port, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    };
    if (hold.next) held.push(open);
    else open();
    hold.next = false;
  });
  const client = openClient({ url: front.url.replace('http:', 'https:') });
  const read = async () => await collect(client.service.pages('orders', { limit: 1 }));
  tls.setDefaultCACertificates([certificate.cert]);
  try {
    await read();
    server.dropConnections();
    hold.next = true;
    expect(await client.send(refund, { timeoutMs: 300 })).toMatchObject({ kind: 'not_sent' });
    expect(held).toHaveLength(1);
    for (const open of held) open();
    // Its connection is made while these go over the same server.
    await read();
    await read();
  } finally {
    tls.setDefaultCACertificates(known);
  }
  expect(server.connections).toBeGreaterThanOrEqual(2);
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

describe('a change is not called unsent', () => {
  test('when the operator leaves after it was sent', async () => {
    const leave = new AbortController();
    await using server = await startServer(() => leave.abort());
    const client = openClient(server, {}, { leave: leave.signal });
    expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'no_reply',
      reason: 'you stopped waiting before the service answered',
    });
    await server.waitForAborted(1);
    expect(posts(server)).toBe(1);
  });

  test('when it went to a service in this process, whatever that does', async () => {
    const transport: typeof fetch = async (input) => {
      const request = new Request(input);
      if (request.method === 'GET') return Response.json(list([{ id: 'ord_1' }]));
      throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    };
    const client = openClient(
      { url: 'http://demo.invalid' },
      { kind: 'demo', origin: 'demo:1' },
      { inProcess: transport },
    );
    expect(await readThenSend(client)).toMatchObject({ kind: 'no_reply' });
  });
});

test('a service in this process answers a change without any port', async () => {
  const seen: string[] = [];
  const transport: typeof fetch = async (input) => {
    const request = new Request(input);
    seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    return Response.json({ object: 'order', id: 'ord_1' });
  };
  const client = openClient(
    { url: 'http://demo.invalid' },
    { kind: 'demo', origin: 'demo:1' },
    { inProcess: transport },
  );
  expect(await client.send(refund, { timeoutMs: 5_000 })).toMatchObject({
    kind: 'reply',
    reply: { status: 200, contentType: 'application/json' },
  });
  expect(seen).toEqual(['POST /orders/ord_1/refunds {"reason":"requested_by_client"}']);
});
