/** What a sender bears: floods of connections, huge and slow requests, and a member who asks too much, while others work on. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLong } from '../harness/long.ts';
import { listOf, paidOrder } from '../harness/orders.ts';
import { startSender, type TestDesk, type TestSender } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startAnswering, startService } from '../harness/service.ts';

let service: Service;
let sender: TestSender;
let desk: TestDesk;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await startService({ orders: [paidOrder('ord_1')] });
  sender = await startSender({ url: service.url });
  desk = await sender.desk('ana');
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await sender[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

// Much longer than it takes: other programs of this machine may want the processor too.
const enoughMs = 40_000;
const list = ['-p', 'shop', 'orders', 'list'];

it.each([
  ['idle', ''],
  ['with half a request', 'GET /v1/service/shop/orders HTTP/1.1\r\nhost: sender\r\nx-slow: '],
  ['with a request that is refused', 'GET /v1/service/shop/orders HTTP/1.1\r\nhost: sender\r\n\r\n'],
])('connections without end, %s, do not keep a desk out', async (_, start) => {
  const opened = await Promise.all(Array.from({ length: isLong ? 1000 : 200 }, () => open(sender, start)));
  for (const socket of opened) socket.resume();

  const began = performance.now();
  const ran = await desk.run(list);

  expect(ran.code).toBe(0);
  expect(performance.now() - began).toBeLessThan(enoughMs);
  await expect
    .poll(() => opened.filter((socket) => !socket.closed).length, { timeout: enoughMs })
    .toBeLessThanOrEqual(128);
});

it.each([
  ['that says how long it is', `content-length: ${50 * 1024 * 1024}`],
  ['that does not say it', 'transfer-encoding: chunked'],
])('a body of 50 MB, %s, is refused and not kept', async (_, header) => {
  const socket = await open(sender, `POST /v1/join HTTP/1.1\r\nhost: sender\r\n${header}\r\n\r\n`);
  const reply = text(socket).catch(() => 'cut');
  const part = Buffer.alloc(64 * 1024, '0');
  const chunk = header.startsWith('content')
    ? part
    : Buffer.concat([Buffer.from('10000\r\n'), part, Buffer.from('\r\n')]);
  for (let sent = 0; sent < 800 && socket.writable; sent += 1) {
    if (!socket.write(chunk)) await drained(socket);
  }
  socket.end();

  expect(await reply).toMatch(/^HTTP\/1\.1 413 |^cut$/);
  expect((await desk.run(list)).code).toBe(0);
});

it('a body is not asked for before the token is known', async () => {
  const head =
    'POST /v1/changes/shop HTTP/1.1\r\nhost: sender\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n';
  const reply = await text(await open(sender, head));

  expect(reply).toMatch(/^HTTP\/1\.1 401 /);
  expect(reply).not.toContain('100 Continue');
});

it('a member has six reads at the service at once, sixty wait, others are refused, and another member is served', async () => {
  const held: (() => void)[] = [];
  await using slow = await startAnswering(async (request, response, socket) => {
    if (request.headers['accept-language'] !== 'es') await new Promise<void>((resolve) => held.push(resolve));
    await json(listOf(paidOrder('ord_1')))(request, response, socket);
  });
  await using other = await startSender({ url: slow.url });
  const [ana, ben] = [await other.desk('ana'), await other.desk('ben')];
  const ask = async () => {
    const reply = await fetch(`${other.url}/v1/service/shop/orders`, {
      headers: { authorization: `Bearer ${ana.token}` },
    });
    await reply.arrayBuffer();
    return reply.status;
  };
  const asked = Array.from({ length: 80 }, ask);
  const refused = await Promise.race(asked);

  expect(refused).toBe(429);
  expect(await ben.run([...list, '--lang', 'es'])).toMatchObject({ code: 0 });
  expect(slow.requests.filter(({ headers }) => headers['accept-language'] === undefined)).toHaveLength(6);
  const ended = Promise.all(asked);
  await expect
    .poll(
      () => {
        for (const release of held.splice(0)) release();
        return slow.requests.length;
      },
      { timeout: enoughMs },
    )
    .toBe(67);
  for (const release of held.splice(0)) release();
  const statuses = await ended;
  expect(statuses.filter((status) => status === 200)).toHaveLength(66);
  expect(statuses.filter((status) => status === 429)).toHaveLength(14);
});

it('replies that a member does not read keep only the places of that member', async () => {
  const big = json(listOf(...Array.from({ length: 1000 }, (_, index) => paidOrder(`ord_${index}`))));
  await using large = await startAnswering(big);
  await using other = await startSender({ url: large.url });
  const [ana, ben] = [await other.desk('ana'), await other.desk('ben')];
  const head = `GET /v1/service/shop/orders HTTP/1.1\r\nhost: sender\r\nauthorization: Bearer ${ana.token}\r\n\r\n`;
  for (let count = 0; count < (isLong ? 40 : 10); count += 1) (await open(other, head.repeat(10))).pause();

  expect((await ben.run([...list, '--limit', '1'])).code).toBe(0);
  expect(large.requests.length).toBeLessThan(100);
});

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close']) socket.once(event, () => resolve());
  });
}

async function open({ port }: TestSender, start: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  // It may be cut at any time.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (start !== '') socket.write(start);
  return socket;
}
