/** 10 A build and a refresh that are killed at any moment go on, and end with what an uninterrupted one has. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import { randomNumbers } from '../harness/seed.ts';
import { type Service, startService } from '../harness/service.ts';
import { contentsOf } from './contents.ts';
import { newestTime, ok, orderMadeNow, ordersOf, statusOf } from './shop.ts';

const kills = isLong ? 25 : 2;
// So many that a build takes a dozen requests.
const count = isLong ? 4_000 : 2_000;
const random = randomNumbers();
const newest = newestTime();
const orders = ordersOf(count, { newest, apart: 1_200 });
const accountOf = (service: Service): string => `${service.url} service sandbox`;

async function built(): Promise<Service> {
  const service = await startService({ orders });
  await ok(service.run(['index', 'build', '--yes']));
  return service;
}

/** Starts it, and kills it a little after one of its requests. Returns whether it had ended before. */
async function killed(service: Service, args: readonly string[], env = {}): Promise<boolean> {
  const { home } = service;
  const child = spawn(process.execPath, [bin, ...args], {
    env: cleanEnv({ home, env: { ...service.env, ...env } }),
  });
  const ended = once(child, 'exit');
  const seen = service.requests.length;
  const moment = service.server.waitFor(seen + Math.floor(random() * 18));
  await Promise.race([moment.then(() => wait(random() * 40)), ended]);
  child.kill('SIGKILL');
  const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return signal === null;
}

test('a build', { timeout: 600_000 }, async () => {
  await using whole = await built();
  const expected = contentsOf(whole.home, accountOf(whole));
  expect(expected).toHaveLength(count);
  for (let time = 0; time < kills; time += 1) {
    await using service = await startService({ orders });
    for (let again = 0; again < 3; again += 1)
      if (await killed(service, ['index', 'build', '--yes', '--resume'])) break;
    const last = await service.run(['index', 'build', '--yes', '--resume']);
    // It may have been complete before.
    expect([0, 3]).toContain(last.code);
    expect(contentsOf(service.home, accountOf(service))).toEqual(expected);
    expect(await statusOf(service)).toMatchObject({
      complete: true,
      gaps: 0,
      newest_first: true,
      inserted: 0,
    });
  }
});

test('a refresh', { timeout: 600_000 }, async () => {
  await using service = await built();
  for (let time = 0; time < kills; time += 1) {
    const made = Array.from({ length: 300 }, (_, index) =>
      orderMadeNow(`ord_t${time}n${index}`, { created_at: newest + 60 + time * 300 + (300 - index) }),
    );
    const changed = service.orders.map((order, index) =>
      index % 500 === time ? { ...order, metadata: { time } } : order,
    );
    service.orders = [...made, ...changed];
    const env = later((time + 1) * 40 * 86_400_000);
    await killed(service, ['index', 'refresh'], env);
    await ok(service.run(['index', 'refresh'], { env }));
    await using whole = await startService({ orders: service.orders });
    await ok(whole.run(['index', 'build', '--yes']));
    expect(contentsOf(service.home, accountOf(service))).toEqual(contentsOf(whole.home, accountOf(whole)));
  }
});
