/** The simulator on its port: who may talk to it, its options, its files. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningSimulator, ServeOptions } from '../../src/simulator/simulator.ts';
import { createSimulatorControl } from '../../src/simulator/simulator.ts';
import { recordsIn } from './fixtures.ts';

let home = '';
const running: RunningSimulator[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-serve-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((serving) => serving.close()));
  rmSync(home, { recursive: true });
});

async function serve(options: ServeOptions = {}): Promise<RunningSimulator> {
  const control = createSimulatorControl({ folder: home, cwd: () => home, now: () => 1_790_000_000_000 });
  const serving = await control.serve({ orders: 20, ...options });
  running.push(serving);
  return serving;
}

const authorized = ({ key }: RunningSimulator) => ({ authorization: `Bearer ${key}` });

async function firstOrder(serving: RunningSimulator) {
  const reply = await fetch(`${serving.url}/orders?limit=1`, { headers: authorized(serving) });
  const [order] = recordsIn(await reply.json());
  if (order === undefined) throw new Error('no orders');
  return order;
}

/** A request as no `fetch` can send it: any Host, any Origin. */
async function rawPost(serving: RunningSimulator, path: string, headers: Record<string, string>) {
  const sent = httpRequest(`${serving.url}${path}`, {
    method: 'POST',
    headers: { ...authorized(serving), ...headers },
  });
  sent.end();
  const [reply] = await once(sent, 'response');
  return { status: reply.statusCode, body: JSON.parse(await text(reply)) };
}

test('listens on a free loopback port and says where, with a key of its own', async () => {
  const [first, second] = [await serve(), await serve()];
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(first.key).not.toBe(second.key);
  expect(first.instance).not.toBe(second.instance);
  expect(await firstOrder(first)).toMatchObject({ object: 'order', livemode: false });
});

test('cannot be reached by another address of this machine', async () => {
  const serving = await serve();
  const other = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  const port = new URL(serving.url).port;
  await expect(fetch(`http://${other ?? '127.0.0.2'}:${port}/orders`)).rejects.toThrow('fetch failed');
});

test('a port that is taken is refused by its number', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(serve({ port })).rejects.toMatchObject({
    kind: 'refused',
    message: `port ${port} of 127.0.0.1 is taken by another program`,
  });
  other.close();
});

test.each([
  ['a strange Host', { host: 'evil.example' }],
  ['a strange Host with the port', { host: 'evil.example:80' }],
  ['an Origin', { origin: 'https://shop.example' }],
  ['the Origin of a local page', { origin: 'null' }],
  ['an Origin that looks like ours', { origin: 'http://127.0.0.1' }],
])('%s is answered 403 and changes nothing', async (_name, headers) => {
  const serving = await serve();
  const order = await firstOrder(serving);
  const reply = await rawPost(serving, `/orders/${order.id}/refunds`, headers);
  expect(reply.status).toBe(403);
  expect(reply.body).toMatchObject({ object: 'error', type: 'forbidden_error' });
  expect(await firstOrder(serving)).toEqual(order);
});

test('localhost is as good a name as 127.0.0.1', async () => {
  const serving = await serve();
  const reply = await fetch(`${serving.url.replace('127.0.0.1', 'localhost')}/orders`, {
    headers: authorized(serving),
  });
  expect(reply.status).toBe(200);
});

test('a body of many megabytes is refused before it is read', async () => {
  const serving = await serve();
  const order = await firstOrder(serving);
  const reply = await fetch(`${serving.url}/orders/${order.id}/refunds`, {
    method: 'POST',
    headers: { ...authorized(serving), 'content-type': 'application/json' },
    body: new Uint8Array(32 * 1024 * 1024),
  });
  expect(reply.status).toBe(413);
  expect(await firstOrder(serving)).toEqual(order);
});

describe('a fault', () => {
  const post = async (serving: RunningSimulator, signal?: AbortSignal) =>
    fetch(`${serving.url}/orders/${(await firstOrder(serving)).id}/refunds`, {
      method: 'POST',
      headers: authorized(serving),
      signal: signal ?? null,
    });

  test.each([
    ['drop', 'paid'],
    ['apply-drop', 'refunded'],
  ])('%s closes the connection unanswered; the order is %s', async (faults, status) => {
    const serving = await serve({ faults });
    await expect(post(serving)).rejects.toThrow('fetch failed');
    expect(await firstOrder(serving)).toMatchObject({ payment_status: status });
  });

  test('apply-cut breaks off in the middle of the body', async () => {
    const serving = await serve({ faults: 'apply-cut' });
    const reply = await post(serving);
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(await firstOrder(serving)).toMatchObject({ payment_status: 'refunded' });
  });

  test('stall never answers, and does not keep the simulator from ending', async () => {
    const serving = await serve({ faults: 'stall' });
    await expect(post(serving, AbortSignal.timeout(300))).rejects.toMatchObject({ name: 'TimeoutError' });
    await serving.close();
    await expect(fetch(serving.url)).rejects.toThrow('fetch failed');
  });

  test('meets reads only when asked to', async () => {
    const serving = await serve({ faults: '429', faultReads: true });
    const reply = await fetch(`${serving.url}/orders`, { headers: authorized(serving) });
    expect(reply.status).toBe(429);
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  test('without --fault, --fault-reads and --fault-seed are refused', async () => {
    await expect(serve({ faultReads: true })).rejects.toMatchObject({ kind: 'usage' });
    await expect(serve({ faultSeed: 2 })).rejects.toMatchObject({ kind: 'usage' });
  });
});

describe('a file', () => {
  test('keeps key, instance and what was done, readable by its owner only', async () => {
    const db = join(home, 'sim.db');
    const first = await serve({ db, mode: 'production' });
    const order = await firstOrder(first);
    await rawPost(first, `/orders/${order.id}/refunds`, {});
    await first.close();
    const second = await serve({ db });
    expect({ ...second, url: '' }).toMatchObject({
      key: first.key,
      instance: first.instance,
      mode: 'production',
    });
    expect(await firstOrder(second)).toMatchObject({ payment_status: 'refunded', livemode: true });
    expect(statSync(db).mode & 0o777).toBe(0o600);
  });

  test('of something else is refused and left as it is', async () => {
    const db = join(home, 'notes.txt');
    writeFileSync(db, 'my notes');
    await expect(serve({ db })).rejects.toMatchObject({ kind: 'refused' });
    expect(statSync(db).size).toBe(8);
  });

  test.each<[string, ServeOptions]>([
    ['another mode', { mode: 'production' }],
    ['another number of orders', { orders: 21 }],
  ])('made with %s than asked for is refused', async (_name, options) => {
    const db = join(home, 'sim.db');
    await (await serve({ db })).close();
    await expect(serve({ db, ...options })).rejects.toMatchObject({ kind: 'usage' });
  });

  test('in a folder that is not there is refused', async () => {
    await expect(serve({ db: join(home, 'none', 'sim.db') })).rejects.toMatchObject({ kind: 'usage' });
  });
});

test('answers late by --latency', async () => {
  const serving = await serve({ latencyMs: 120 });
  const start = performance.now();
  await firstOrder(serving);
  expect(performance.now() - start).toBeGreaterThan(110);
});
