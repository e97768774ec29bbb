/** The demo inside a process: kept between commands, safe among processes, its lost replies. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/simulator/demo.ts';
import { openDemo, resetDemo } from '../../src/simulator/demo.ts';
import { recordsIn } from './fixtures.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-demo-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const now = () => 1_790_000_000_000;
const file = () => join(home, 'simulator', 'demo.db');
const open = (fault?: string) => openDemo(file(), { now, fault });

function send(
  demo: Demo,
  method: string,
  path: string,
  signal?: AbortSignal,
  body?: string,
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${demo.key}`,
    accept: 'application/vnd.service-v2.3.0+json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const init = { method, headers, signal: signal ?? null, body: body ?? null };
  return demo.fetch(new Request(`http://demo.invalid${path}`, init));
}

async function firstOrder(demo: Demo) {
  const reply = await send(demo, 'GET', '/orders?limit=1');
  const [order] = recordsIn(await reply.json());
  if (order === undefined) throw new Error('no orders');
  return order;
}

test('keeps what was done for the next command', async () => {
  const demo = open();
  const order = await firstOrder(demo);
  expect((await send(demo, 'POST', `/orders/${order.id}/refunds`)).status).toBe(200);
  demo.close();
  const again = open();
  expect(await firstOrder(again)).toMatchObject({ id: order.id, payment_status: 'refunded' });
  expect(again.instance).toBe(demo.instance);
  expect(again.key).toBe(demo.key);
  again.close();
});

describe('a refund', () => {
  const [early, at] = [now() + 2_000, now() + 3_000];
  const on = (fault: string | undefined, time: number) => openDemo(file(), { now: () => time, fault });
  const shown = async (time: number) => {
    const demo = on(undefined, time);
    const order = await firstOrder(demo);
    demo.close();
    const [charge = {}] = (order.charges as { readonly data: readonly Record<string, unknown>[] }).data;
    const { payment_status, amount_refunded, is_refundable } = order;
    const refunds = (charge.refunds as { readonly data: readonly { readonly status?: string }[] }).data;
    return {
      payment_status,
      amount_refunded,
      is_refundable,
      charge: [charge.status, charge.is_refundable],
      refunds: refunds.map(({ status }) => status),
    };
  };

  test('that fails later is made at first, and then out of all sums', async () => {
    const demo = on('fails-later', now());
    const order = await firstOrder(demo);
    expect((await send(demo, 'POST', `/orders/${order.id}/refunds`)).status).toBe(200);
    demo.close();
    expect(await shown(early)).toEqual({
      payment_status: 'refunded',
      amount_refunded: order.amount,
      is_refundable: false,
      charge: ['refunded', false],
      refunds: [undefined],
    });
    expect(await shown(at)).toEqual({
      payment_status: 'paid',
      amount_refunded: 0,
      is_refundable: true,
      charge: ['paid', true],
      refunds: ['failed'],
    });
    const second = on(undefined, at);
    expect((await send(second, 'POST', `/orders/${order.id}/refunds`)).status).toBe(200);
    second.close();
    expect(await shown(at)).toMatchObject({ payment_status: 'refunded', refunds: ['failed', undefined] });
  });

  test('that is pending is made later', async () => {
    const demo = on('pending', now());
    const order = await firstOrder(demo);
    await send(demo, 'POST', `/orders/${order.id}/refunds`);
    demo.close();
    expect(await shown(early)).toMatchObject({ amount_refunded: order.amount, refunds: ['pending'] });
    expect(await shown(at)).toMatchObject({ amount_refunded: order.amount, refunds: ['succeeded'] });
  });

  test('that fails later leaves the refunds before it as they are', async () => {
    const first = on(undefined, now());
    const order = await firstOrder(first);
    const { data } = order.charges as { readonly data: readonly { readonly id: string }[] };
    const body = JSON.stringify({ charge_id: data[0]?.id, amount: 1 });
    await send(first, 'POST', `/orders/${order.id}/refunds`, undefined, body);
    first.close();
    const demo = on('fails-later', now());
    await send(demo, 'POST', `/orders/${order.id}/refunds`);
    demo.close();
    expect(await shown(at)).toMatchObject({
      payment_status: 'partially_refunded',
      amount_refunded: 1,
      charge: ['partially_refunded', true],
      refunds: [undefined, 'failed'],
    });
  });
});

test('keeps its folder and its file to their owner', () => {
  open().close();
  expect(statSync(join(home, 'simulator')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, 'simulator'))).toEqual(['demo.db']);
  expect(statSync(join(home, 'simulator', 'demo.db')).mode & 0o777).toBe(0o600);
});

describe('a reset', () => {
  test('starts again from the first data under a new instance and key', async () => {
    const demo = open();
    const order = await firstOrder(demo);
    await send(demo, 'POST', `/orders/${order.id}/refunds`);
    demo.close();
    resetDemo(file(), now);
    const after = open();
    expect(await firstOrder(after)).toEqual(order);
    expect(after.instance).not.toBe(demo.instance);
    expect(after.key).not.toBe(demo.key);
    after.close();
  });

  test('takes the key from a program that opened the demo before it, so that nothing of it is applied', async () => {
    const demo = open();
    const order = await firstOrder(demo);
    resetDemo(file(), now);
    expect((await send(demo, 'POST', `/orders/${order.id}/refunds`)).status).toBe(401);
    demo.close();
  });

  test.each<[string, (whole: Buffer) => string | Buffer]>([
    ['that is no database', () => 'this is no database'.repeat(500)],
    // Its first page opens, and says that there is more of it than there is.
    [
      'without some bytes of its second page',
      (whole) => Buffer.concat([whole.subarray(0, 5824), whole.subarray(5827)]),
    ],
  ])('mends a file %s, which is refused before', (_, damaged) => {
    open().close();
    const path = join(home, 'simulator', 'demo.db');
    writeFileSync(path, damaged(readFileSync(path)));
    expect(() => open()).toThrow(/is not the file of a simulator, or it is damaged/);
    resetDemo(file(), now);
    open().close();
  });
});

describe('a lost reply', () => {
  test('to an applied change rejects as fetch does, and the change is there', async () => {
    const demo = open('apply-drop');
    const order = await firstOrder(demo);
    await expect(send(demo, 'POST', `/orders/${order.id}/refunds`)).rejects.toThrow(TypeError);
    expect(await firstOrder(demo)).toMatchObject({ payment_status: 'refunded' });
    demo.close();
  });

  test('to a change that was dropped leaves the order alone', async () => {
    const demo = open('drop');
    const order = await firstOrder(demo);
    await expect(send(demo, 'POST', `/orders/${order.id}/refunds`)).rejects.toThrow(TypeError);
    expect(await firstOrder(demo)).toEqual(order);
    demo.close();
  });

  test('that is cut breaks off in the middle of the body', async () => {
    const demo = open('apply-cut');
    const order = await firstOrder(demo);
    const reply = await send(demo, 'POST', `/orders/${order.id}/refunds`);
    expect(reply.status).toBe(200);
    const reader = reply.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(100);
    await expect(reader?.read()).rejects.toThrow(TypeError);
    demo.close();
  });

  test('that stalls ends when the client gives up', async () => {
    const demo = open('apply-stall');
    const order = await firstOrder(demo);
    const sent = send(demo, 'POST', `/orders/${order.id}/refunds`, AbortSignal.timeout(50));
    await expect(sent).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await firstOrder(demo)).toMatchObject({ payment_status: 'refunded' });
    demo.close();
  });

  test.each([
    ['500', 500, ''],
    ['html', 502, '<!doctype html>'],
    ['429', 429, '{"object":"error","type":"too_many_requests_error"'],
  ])('may come as %s', async (fault, status, start) => {
    const demo = open(fault);
    const order = await firstOrder(demo);
    const reply = await send(demo, 'POST', `/orders/${order.id}/refunds`);
    expect(reply.status).toBe(status);
    expect((await reply.text()).startsWith(start)).toBe(true);
    demo.close();
  });
});

test('six processes at once open it, refund the same charge in small parts, and no refund is lost or doubled', async () => {
  const program = `
    import { openDemo } from ${JSON.stringify(new URL('../../src/simulator/demo.ts', import.meta.url).href)};
    const demo = openDemo(${JSON.stringify(file())}, { now: () => 1790000000000 });
    const headers = { authorization: 'Bearer ' + demo.key, 'content-type': 'application/json' };
    const list = await demo.fetch(new Request('http://demo.invalid/orders?limit=1', { headers }));
    const [order] = (await list.json()).data;
    const body = JSON.stringify({ charge_id: order.charges.data[0].id, amount: 1 });
    for (let sent = 0; sent < 10; sent += 1) {
      const url = 'http://demo.invalid/orders/' + order.id + '/refunds';
      const reply = await demo.fetch(new Request(url, { method: 'POST', headers, body }));
      if (reply.status !== 200) throw new Error(await reply.text());
    }`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  await Promise.all(Array.from({ length: 6 }, run));
  const demo = open();
  expect(await firstOrder(demo)).toMatchObject({
    payment_status: 'partially_refunded',
    amount_refunded: 60,
    charges: { data: [{ refunds: { total: 60 } }] },
  });
  demo.close();
});
