/** Services that do everything wrong on the wire, at every command that reads or sends: each run ends in time, in words, in 256 MiB, and talks to nobody else. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { exitMeanings } from '../../src/errors.ts';
import { listOf, paidOrder } from '../harness/orders.ts';
import { newHome, paydeskProcess } from '../harness/paydesk.ts';
import {
  cutBody,
  cutChunked,
  type Handler,
  hangUp,
  json,
  rawReply,
  reply,
  reset,
  stall,
  stallAfter,
  startServer,
} from '../harness/server.ts';
import { emptyList, environment, pages } from '../harness/service.ts';

const other = await startServer(emptyList);
afterAll(() => other.close());

const whole = JSON.stringify(listOf(paidOrder('ord_1')));
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const mebibyte = 2 ** 20;

/** Writes the same piece again and again, until the other side has enough. */
const endless =
  (first: string, piece: string): Handler =>
  (_request, _response, socket) => {
    socket.write(first);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  };

const wrong: Readonly<Record<string, Handler>> = {
  'a reset': reset,
  'a hang-up': hangUp,
  silence: stall,
  'half a head': rawReply('HTTP/1.1 200 O'),
  'no HTTP': rawReply('SSH-2.0-OpenSSH_9.6\r\n'),
  'binary noise': rawReply(Buffer.alloc(4096, 0xd5)),
  'another version': rawReply(`HTTP/9.9 200 OK\r\n\r\n${whole}`),
  'a status of five digits': rawReply(`HTTP/1.1 20000 OK\r\n\r\n${whole}`),
  'a head without end': endless('HTTP/1.1 200 OK\r\n', `x-a: ${'a'.repeat(1000)}\r\n`),
  'a header of a mebibyte': rawReply(`${head}x-a: ${'a'.repeat(mebibyte)}\r\n\r\n${whole}`),
  '100,000 headers': rawReply(`${head}${'x: y\r\n'.repeat(100_000)}\r\n${whole}`),
  'continue for ever': endless('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'two lengths': rawReply(`${head}content-length: 2\r\ncontent-length: 900\r\n\r\n{}`),
  'a length below zero': rawReply(`${head}content-length: -1\r\n\r\n${whole}`),
  'a length and chunks': rawReply(
    `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ),
  'a chunk of 2^64 bytes': rawReply(`${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{`),
  'chunks without end': endless(
    `${head}transfer-encoding: chunked\r\n\r\n`,
    `10000\r\n${' '.repeat(65_536)}\r\n`,
  ),
  'a body without end': endless(`${head}\r\n`, ' '.repeat(65_536)),
  'a cut body': cutBody(whole.slice(0, 80)),
  'a cut chunk': cutChunked(whole.slice(0, 80)),
  'a body that stops': stallAfter(whole.slice(0, 80)),
  'a gzip bomb': reply(gzipSync(Buffer.alloc(1024 * mebibyte, 32)), 200, { 'content-encoding': 'gzip' }),
  'broken gzip': reply('not gzip', 200, { 'content-encoding': 'gzip' }),
  'an unknown encoding': reply(whole, 200, { 'content-encoding': 'x-evil' }),
  'nesting of 30 million': json('['.repeat(30 * mebibyte)),
  '31 MiB of one text': json(`{"object":"list","data":["${'a'.repeat(31 * mebibyte)}"]}`),
  '31 MiB of empty objects': json(
    `{"object":"list","has_more":false,"data":[${'{},'.repeat(10 * mebibyte)}{}]}`,
  ),
  'a page that leads to itself': json({ ...listOf(paidOrder('ord_1')), has_more: true }),
  'a redirect to another server': reply('', 302, { location: `${other.url}/orders` }),
  'a redirect that keeps the method': reply('', 308, { location: `${other.url}/orders` }),
  'a page elsewhere': json({
    ...listOf(paidOrder('ord_1')),
    has_more: true,
    next_page_url: `${other.url}/x`,
  }),
  'a link and a refresh elsewhere': reply(whole, 200, {
    'content-type': 'application/json',
    link: `<${other.url}/x>; rel=next`,
    refresh: `0; url=${other.url}`,
    'alt-svc': `h2="127.0.0.1:${other.port}"`,
  }),
  'an upgrade': rawReply(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  ),
  'wait for a year': reply('{}', 429, { 'retry-after': '31536000' }),
  'UTF-16': reply(Buffer.from(whole, 'utf16le'), 200, { 'content-type': 'application/json; charset=utf-16' }),
};

const timeoutS = 3;
const commands = [
  { line: 'orders list --limit 20', reads: false },
  { line: 'orders show ord_1', reads: false },
  { line: 'customers export --ndjson', reads: false },
  // The order is read as it should be, and only the refund is answered so.
  { line: 'orders refund ord_1 --yes --reason other --note n', reads: true },
];

test('there are more than 100', () => {
  expect(Object.keys(wrong).length * commands.length).toBeGreaterThan(100);
});

describe.each(commands)('paydesk $line', ({ line, reads }) => {
  test.each(Object.entries(wrong))('%s', async (_, handler) => {
    using home = newHome();
    const honest = pages([paidOrder('ord_1')]);
    await using server = await startServer((request, ...rest) =>
      (reads && request.method === 'GET' ? honest : handler)(request, ...rest),
    );
    const elsewhere = other.connections;
    const rss = join(home.path, 'rss');
    const started = performance.now();
    const ran = await paydeskProcess([...line.split(' '), '--timeout', String(timeoutS)], {
      home,
      env: { ...environment(server.url), PEAK_MEMORY_FILE: rss },
      nodeArgs: ['--import', join(import.meta.dirname, '../find/peak-memory.mjs')],
    });
    const seconds = (performance.now() - started) / 1000;
    expect([...exitMeanings.keys()]).toContain(ran.code);
    expect(ran.stderr).not.toContain('report it to whoever gave you paydesk');
    expect(other.connections).toBe(elsewhere);
    expect(server.requests.filter(({ method }) => method !== 'GET').length).toBeLessThanOrEqual(
      reads ? 1 : 0,
    );
    expect(Number(readFileSync(rss, 'utf8')) / 1024).toBeLessThanOrEqual(256);
    // A read is tried four times, and a refund is looked for four times.
    expect(seconds).toBeLessThan(8 * timeoutS + 30);
  });
});
