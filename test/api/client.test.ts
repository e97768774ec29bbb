import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CliError } from '../../src/errors.ts';
import type { Handler } from '../harness/server.ts';
import {
  closedPort,
  cutBody,
  cutChunked,
  inTurn,
  json,
  rawReply,
  reply,
  reset,
  stall,
  stallAfter,
  startServer,
} from '../harness/server.ts';
import { collect, idsOf, key, list, openClient, rejection } from './open-client.ts';

const firstPage = async (client: ReturnType<typeof openClient>) =>
  await collect(client.service.pages('orders', { limit: 5 }));

async function errorOf(handler: Handler, parts: Parameters<typeof openClient>[2] = {}): Promise<CliError> {
  await using server = await startServer(handler);
  return (await rejection(firstPage(openClient(server, {}, parts)))) as CliError;
}

describe('a request', () => {
  test('carries key, version, language and program, under a base URL with a path prefix', async () => {
    await using server = await startServer(json(list([{ id: 'ord_1' }])));
    const client = openClient(server, {
      baseUrl: `${server.url}/pay/v9/`,
      vendor: 'acme',
      apiVersion: '2.1.0',
      lang: 'es',
    });
    expect(idsOf(await firstPage(client))).toEqual(['ord_1']);
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        url: '/pay/v9/orders?limit=5',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/vnd.acme-v2.1.0+json',
          'accept-language': 'es',
          'user-agent': 'paydesk/9.9.9',
        },
        body: '',
      },
    ]);
    expect(server.requests[0]?.headers['content-type']).toBeUndefined();
  });

  test('carries the key as Basic user name where the profile says so', async () => {
    await using server = await startServer(json(list([])));
    await firstPage(openClient(server, { auth: 'basic' }));
    expect(server.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    );
  });

  test('shows up in --debug output without the key', async () => {
    await using server = await startServer(json(list([])));
    const lines: string[] = [];
    await firstPage(openClient(server, {}, { debug: (line) => lines.push(line) }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/orders\?limit=5 {2}HTTP 200 {2}\d+ ms$/);
  });

  test('tells the time of the service', async () => {
    await using server = await startServer(json(list([]), 200, { date: 'Sat, 21 Nov 2026 09:31:40 GMT' }));
    const dates: number[] = [];
    await firstPage(openClient(server, {}, { onDate: (date) => dates.push(date) }));
    expect(dates).toEqual([Date.UTC(2026, 10, 21, 9, 31, 40)]);
  });

  test.each([
    ['an http URL of another machine', { baseUrl: 'http://pay.example' }],
    ['a base URL that moved away from the origin of the key', { origin: 'https://pay.example' }],
    ['a user name in the base URL', { baseUrl: 'https://a:b@pay.example' }],
  ])('is refused for %s, before any connection', async (_, profile) => {
    await using server = await startServer(json(list([])));
    expect(() => openClient(server, profile)).toThrowError(
      expect.objectContaining({ kind: 'refused', exitCode: 3 }),
    );
    expect(server.connections).toBe(0);
  });

  test.each([['line\nbreak'], ['a space in it'], ['nón-ascii'], ['']])(
    'is refused for the key %j, which is not shown',
    async (bad) => {
      await using server = await startServer(json(list([])));
      const open = () => openClient(server, {}, { key: bad });
      expect(open).toThrowError(expect.objectContaining({ kind: 'auth', exitCode: 4 }));
      const error = await rejection((async () => open())());
      expect(inspect(error).includes(bad) && bad !== '').toBe(false);
      expect(server.connections).toBe(0);
    },
  );
});

describe('a reply that is no answer', () => {
  test.each<[string, Handler, string]>([
    ['HTML', reply('<!doctype html><p>hi', 200, { 'content-type': 'text/html' }), 'HTTP 200, an HTML page'],
    ['an HTML 404', reply('<html></html>', 404), 'HTTP 404, an HTML page'],
    ['nothing', reply(''), 'HTTP 200, an empty body'],
    ['204', rawReply('HTTP/1.1 204 No Content\r\n\r\n'), 'HTTP 204, an empty body'],
    ['half of JSON', reply('{"object":"list","data":['), 'HTTP 200, text that is not JSON'],
    ['words', reply('ok'), 'HTTP 200, text that is not JSON'],
    ['null', reply('null'), 'JSON that is not a list'],
    ['a number', reply('123'), 'JSON that is not a list'],
    ['an array', reply('[]'), 'JSON that is not a list'],
    ['an empty object', reply('{}'), 'JSON that is not a list'],
    ['a list without data', json({ object: 'list' }), 'JSON that is not a list'],
    ['a list of numbers', json(list([1, 2])), 'JSON that is not a list'],
    ['an order', json({ object: 'order', id: 'ord_1', data: [] }), 'JSON that is not a list'],
    ['UTF-16', reply(Buffer.from('\ufeff{"data":[]}', 'utf16le')), 'UTF-16 text'],
    ['a million brackets', reply('['.repeat(1_000_000)), 'nested deeper than 64 levels'],
    [
      'brackets inside a list',
      reply(`{"object":"list","data":[${'['.repeat(99)}${']'.repeat(99)}]}`),
      'nested deeper than 64 levels',
    ],
    ['control characters in a header', rawReply('HTTP/1.1 200 OK\r\nx: a\u0001b\r\n\r\n{}'), 'is not HTTP'],
    ['no HTTP at all', rawReply('SSH-2.0-x\r\n'), 'is not HTTP'],
    [
      'encodings inside each other',
      reply(gzipSync(gzipSync('{}')), 200, { 'content-encoding': 'gzip, gzip' }),
      'compressed more than once',
    ],
    [
      'an unknown encoding',
      reply('x', 200, { 'content-encoding': 'zstd' }),
      'compressed in a way that paydesk does not know',
    ],
    ['broken gzip', reply('{"data":[]}', 200, { 'content-encoding': 'gzip' }), 'cannot be decompressed'],
    [
      'a gzip bomb',
      reply(gzipSync(Buffer.alloc(64 * 1024 * 1024)), 200, { 'content-encoding': 'gzip' }),
      'larger than 32 MiB',
    ],
    [
      'a promise of gigabytes',
      rawReply('HTTP/1.1 200 OK\r\ncontent-length: 5000000000\r\n\r\n{'),
      'larger than 32 MiB',
    ],
  ])('%s: one clear line, exit 1, not asked again', async (_, handler, words) => {
    await using server = await startServer(handler);
    const error = (await rejection(firstPage(openClient(server)))) as CliError;
    expect(error).toMatchObject({ kind: 'reply', exitCode: 1, parts: { certain: 'nothing was changed' } });
    expect(error.message).toContain(words);
    expect(server.requests).toHaveLength(1);
  });

  test('a gzip bomb of 5 GB is left at 32 MiB and costs little memory', async () => {
    const member = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 80 }, () => member));
    await using server = await startServer(reply(bomb, 200, { 'content-encoding': 'gzip' }));
    const before = process.memoryUsage.rss();
    const error = await rejection(firstPage(openClient(server)));
    expect(error).toMatchObject({ kind: 'reply', message: expect.stringContaining('larger than 32 MiB') });
    expect(process.memoryUsage.rss() - before).toBeLessThan(160 * 1024 * 1024);
  });

  test('a body without end is left at 32 MiB', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    await using server = await startServer((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    const error = await rejection(firstPage(openClient(server)));
    expect(error).toMatchObject({ kind: 'reply', message: expect.stringContaining('larger than 32 MiB') });
    await server.waitForAborted(1);
  });

  test.each([[301], [302], [303], [307], [308]])(
    'HTTP %i is not followed: the target sees neither request nor key',
    async (status) => {
      await using target = await startServer(json(list([])));
      await using server = await startServer(
        reply('', status, { location: `${target.url}/secret-path?x=1` }),
      );
      const error = (await rejection(firstPage(openClient(server)))) as CliError;
      expect(error).toMatchObject({ kind: 'reply', exitCode: 1 });
      expect(error.message).toContain(`HTTP ${status}, a redirect to 127.0.0.1:${target.port}`);
      expect(error.message).not.toContain('secret-path');
      expect(target.connections).toBe(0);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('a reply with oddities that are no harm', () => {
  test('a byte order mark, bytes that are no UTF-8 and lone surrogates are read', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff{"object":"list","has_more":false,"data":[{"id":"ord_1","name":"a'),
      Buffer.from([0xff]),
      Buffer.from('b","x":"\\ud800\\u0000"}]}'),
    ]);
    await using server = await startServer(reply(bytes));
    const [page] = await firstPage(openClient(server));
    expect(page?.records[0]?.value).toEqual({ id: 'ord_1', name: 'a\ufffdb', x: '\ud800\0' });
    expect(Buffer.from(page?.records[0]?.bytes ?? []).toString()).toBe(
      '{"id":"ord_1","name":"a\ufffdb","x":"\\ud800\\u0000"}',
    );
  });

  test('large integers keep their digits, __proto__ is a key like others', async () => {
    const body =
      '{"object":"list","has_more":false,"data":[{"id":"ord_1","amount":9007199254740993,"__proto__":{"a":1}}]}';
    await using server = await startServer(json(body));
    const [page] = await firstPage(openClient(server));
    const value = page?.records[0]?.value ?? {};
    expect(value.amount).toBe(9007199254740993n);
    expect(Object.keys(value)).toEqual(['id', 'amount', '__proto__']);
    expect(Reflect.get({}, 'a')).toBeUndefined();
  });

  test.each([['gzip'], ['deflate'], ['br']])('%s is unpacked', async (encoding) => {
    const { brotliCompressSync, deflateSync } = await import('node:zlib');
    const pack = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding] ?? gzipSync;
    const body = pack(JSON.stringify(list([{ id: 'ord_1' }])));
    await using server = await startServer(reply(body, 200, { 'content-encoding': encoding }));
    expect(idsOf(await firstPage(openClient(server)))).toEqual(['ord_1']);
  });

  test('a key that the service echoes is masked before anything else sees it', async () => {
    const basic = Buffer.from(`${key}:`).toString('base64');
    await using server = await startServer(json(list([{ id: 'ord_1', a: key, b: basic }])));
    const [page] = await firstPage(openClient(server));
    const text = Buffer.from(page?.records[0]?.bytes ?? []).toString();
    expect(text).toMatch(/^\{"id":"ord_1","a":"\[key\]","b":"\[key\]"\}$/);
    expect(JSON.stringify(page?.records[0]?.value)).toBe(text);
  });
});

describe('an error of the service', () => {
  const body = {
    object: 'error',
    type: 'parameter_validation_error',
    log_id: '5f2c81',
    details: [
      { debug_message: 'limit is too large', message: 'El límite', param: 'limit', code: 'acme.errors.x' },
      { message: 'otra', param: null },
    ],
  };

  test('is told with every detail, the code, the log id and the status, and not asked again', async () => {
    await using server = await startServer(json(body, 422));
    const error = (await rejection(firstPage(openClient(server)))) as CliError;
    expect(error).toMatchObject({
      kind: 'rejected',
      exitCode: 5,
      message: 'El límite',
      parts: {
        type: 'parameter_validation_error',
        code: 'acme.errors.x',
        logId: '5f2c81',
        httpStatus: 422,
        certain: 'nothing was changed by GET /orders?limit=5',
        details: [
          { message: 'El límite', debugMessage: 'limit is too large', param: 'limit', code: 'acme.errors.x' },
          { message: 'otra' },
        ],
      },
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['no details', { object: 'error' }],
    ['details of another form', { object: 'error', details: 'no' }],
    ['log_id null', { object: 'error', log_id: null, details: [{ message: null, code: 'x.errors.y' }] }],
    ['a nested param', { object: 'error', details: [{ message: 'm', param: 'card[number]' }] }],
    ['an order without status', { object: 'error', type: 't', data: { id: 'ord_1', object: 'order' } }],
  ])('with %s is an error all the same', async (_, error) => {
    const caught = await errorOf(json(error, 402));
    expect(caught).toMatchObject({ kind: 'rejected', exitCode: 5 });
    expect(caught.message).not.toMatch(/undefined|null|object Object/);
  });

  test('decides with a 2xx status too', async () => {
    expect(await errorOf(json(body, 200))).toMatchObject({ kind: 'rejected', exitCode: 5 });
  });

  test.each([[401], [403]])('HTTP %i names the profile and the command that sets the key', async (status) => {
    expect(await errorOf(json(body, status))).toMatchObject({
      kind: 'auth',
      exitCode: 4,
      message: `the service did not accept the key of profile shop-mx (HTTP ${status})`,
      parts: { now: ['ask for the new key, then:', 'paydesk profile key shop-mx'], logId: '5f2c81' },
    });
  });

  test('HTTP 403 with HTML is not the voice of the service', async () => {
    expect(await errorOf(reply('<html>', 403))).toMatchObject({ kind: 'reply', exitCode: 1 });
  });
});

describe('a read that may fare better is tried again', () => {
  test.each<[string, Handler]>([
    ['429', json({ object: 'error' }, 429)],
    ['500 with nothing', reply('', 500)],
    ['502 with HTML', reply('<html>', 502)],
    ['503 with Retry-After 0', reply('', 503, { 'retry-after': 0 })],
    ['503 with Retry-After -5', reply('', 503, { 'retry-after': '-5' })],
    ['503 with Retry-After words', reply('', 503, { 'retry-after': 'soon' })],
    ['504', reply('', 504)],
    ['a reset', reset],
    ['a cut body', cutBody('{"object":"list",')],
    ['chunks without end', cutChunked('{"object":"list",')],
  ])('%s: three times at most, then exit 6', async (_, handler) => {
    await using failing = await startServer(handler);
    const error = await rejection(firstPage(openClient(failing)));
    expect(error).toMatchObject({ kind: 'network', exitCode: 6 });
    expect(inspect(error)).toContain('4 times');
    expect(failing.requests).toHaveLength(4);

    await using healing = await startServer(inTurn(handler, handler, json(list([{ id: 'ord_1' }]))));
    expect(idsOf(await firstPage(openClient(healing)))).toEqual(['ord_1']);
    expect(healing.requests).toHaveLength(3);
  });

  test.each<[string, Record<string, string>]>([
    ['Retry-After: 3600', { 'retry-after': '3600' }],
    ['a far date', { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }],
    ['Retry-After: 1000000000', { 'retry-after': '1000000000' }],
    ['a far X-RateLimit-Reset', { 'x-ratelimit-reset': '4102444800' }],
    ['RateLimit-Reset: 90', { 'ratelimit-reset': '90' }],
  ])('%s ends it with a message instead of a long sleep', async (_, headers) => {
    await using server = await startServer(reply('', 429, headers));
    const error = (await rejection(firstPage(openClient(server)))) as CliError;
    expect(error).toMatchObject({ kind: 'network', exitCode: 6, parts: { httpStatus: 429 } });
    expect(error.message).toMatch(/it asks us to wait \d+ s/);
    expect(server.requests).toHaveLength(1);
  });

  test('a Retry-After of some seconds is kept to', async () => {
    await using server = await startServer(inTurn(reply('', 429, { 'retry-after': '7' }), json(list([]))));
    const waits: number[] = [];
    const { clock } = await import('./open-client.ts');
    await firstPage(
      openClient(server, {}, { clock: { ...clock, sleep: async (ms) => void waits.push(ms) } }),
    );
    expect(waits).toEqual([7000]);
  });

  test('a run has a budget of tries: a service that always fails is asked less and less', async () => {
    await using server = await startServer(reply('', 503));
    const client = openClient(server);
    for (let read = 0; read < 20; read += 1) await rejection(firstPage(client));
    expect(server.requests).toHaveLength(20 + 20);
  });

  test('Ctrl-C during the wait ends it at once', async () => {
    const stop = new AbortController();
    await using server = await startServer(reply('', 503, { 'retry-after': '9' }));
    const reading = rejection(firstPage(openClient(server, {}, { signal: stop.signal })));
    await server.waitFor(1);
    stop.abort(new Error('interrupted'));
    expect(await reading).toMatchObject({ message: 'interrupted' });
    expect(server.requests).toHaveLength(1);
  });

  test('Ctrl-C during a slow answer aborts the request', async () => {
    const stop = new AbortController();
    await using server = await startServer(stall);
    const reading = rejection(firstPage(openClient(server, {}, { signal: stop.signal })));
    await server.waitFor(1);
    stop.abort(new Error('interrupted'));
    expect(await reading).toMatchObject({ message: 'interrupted' });
    await server.waitForAborted(1);
  });
});

describe('no answer', () => {
  test.each<[string, Handler, string]>([
    ['a silent server', stall, 'no answer from 127.0.0.1'],
    ['a body that stops', stallAfter('{"object":'), 'HTTP 200, a reply that was not complete'],
  ])('%s: the deadline ends it, exit 6, and the request is seen aborted', async (_, handler, words) => {
    await using server = await startServer(handler);
    const error = (await rejection(firstPage(openClient(server, {}, { timeoutMs: 1_000 })))) as CliError;
    expect(error).toMatchObject({ kind: 'network', exitCode: 6 });
    expect(error.message).toContain(words);
    expect(error.message).toContain('within 1 s');
    await server.waitForAborted(1);
    expect(server.requests).toHaveLength(1);
  });

  test('a body that comes byte by byte for ever ends at the deadline too', async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200);
      const dripping = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(dripping));
    });
    const error = await rejection(firstPage(openClient(server, {}, { timeoutMs: 1_000 })));
    expect(error).toMatchObject({ kind: 'network', message: expect.stringContaining('not complete') });
  });

  test('a closed port is named in words, at once', async () => {
    await using closed = await closedPort();
    const { port } = closed;
    const error = await rejection(firstPage(openClient({ url: `http://127.0.0.1:${port}` })));
    expect(error).toMatchObject({
      kind: 'network',
      exitCode: 6,
      message: `127.0.0.1:${port} refused the connection (ECONNREFUSED)`,
    });
  });

  test('a name that does not exist is named in words', async () => {
    const error = (await rejection(
      firstPage(openClient({ url: 'https://no-such-host.invalid' })),
    )) as CliError;
    expect(error).toMatchObject({ kind: 'network', exitCode: 6 });
    expect(error.message).toMatch(/the name no-such-host\.invalid/);
  });

  test('an in-process service that never answers ends at the deadline', async () => {
    const transport = () => new Promise<Response>(() => undefined);
    const client = openClient(
      { url: 'http://demo.invalid' },
      { kind: 'demo', origin: 'demo:1' },
      { inProcess: transport, timeoutMs: 50 },
    );
    expect(await rejection(firstPage(client))).toMatchObject({ kind: 'network', exitCode: 6 });
  });
});

test('no error of a read holds the key, however it is printed', async () => {
  const basic = Buffer.from(`${key}:`).toString('base64');
  await using closed = await closedPort();
  const echo = { object: 'error', log_id: key, details: [{ message: `Bearer ${key}`, code: basic }] };
  const errors = await Promise.all([
    errorOf(json(echo, 401)),
    errorOf(json(echo, 422)),
    errorOf(json(echo, 500)),
    errorOf(reply(`<html>${key}`, 200, { 'content-type': 'text/html' })),
    errorOf(reply('', 302, { location: `https://other.example/?k=${key}` })),
    errorOf(rawReply(`${key}\r\n`)),
    errorOf(reset),
    errorOf(cutBody(key)),
    errorOf(stall, { timeoutMs: 100 }),
    rejection(firstPage(openClient({ url: `http://127.0.0.1:${closed.port}` }))),
  ]);
  for (const error of errors) {
    const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
    expect(shown).not.toContain(key);
    expect(shown).not.toContain(basic);
  }
});
