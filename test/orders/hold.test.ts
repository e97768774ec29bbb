/** The moment after the yes (`refund.hold`): whatever happens in it, nothing was sent, or the last read is of after it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { start } from '../atmost/running.ts';
import { chargeOf, newRefundOf, orderOf, refundedWhole, withRefund } from '../harness/orders.ts';
import { cleanEnv, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';
import { startSender } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, testKey } from '../harness/service.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);

async function startShop(hold: string): Promise<Service> {
  const service = await startService({
    orders: [order],
    onPost: (held = {}, on) => {
      on.orders = [refundedWhole(held)];
      return json(on.orders[0]);
    },
  });
  const settings = { 'refund.hold': hold };
  await storeProfile(service.home, { name: 't', baseUrl: service.url, mode: 'sandbox', settings }, testKey);
  writeFileSync(join(service.home.path, 'r.csv'), 'order_id,amount\nord_1,full\n');
  const planned = await inMemory(service, ['refunds', 'plan', 'r.csv', '--to', 'r.plan']);
  expect(planned.code, planned.stderr).toBe(0);
  return service;
}

const env = { TZ: 'UTC' };
const inMemory = ({ home }: Service, args: readonly string[]) => paydesk(['-p', 't', ...args], { home, env });
const refund = ['orders', 'refund', 'ord_1', '--yes'];
const apply = ['refunds', 'apply', 'r.plan', '--yes'];
const journalOf = async (service: Service): Promise<readonly unknown[]> =>
  JSON.parse((await inMemory(service, ['journal', 'list', '--json'])).stdout).data;
const counting = 'nothing was sent yet';

describe.each([
  ['a refund', refund],
  ['a plan', apply],
])('%s', (_, args) => {
  const begin = ({ home }: Service) => start({ env: (of) => cleanEnv({ home: of, env }) }, home, args);

  test('killed while it waits has sent nothing, and the journal has nothing of it', async () => {
    await using service = await startShop('60s');
    const run = begin(service);
    await run.untilSaid(counting);
    run.kill('SIGKILL');
    await run.end;
    expect(service.posts).toEqual([]);
    expect(await journalOf(service)).toEqual([]);
  });

  test('stopped by Ctrl-C while it waits ends with 130, has sent nothing, and says so', async () => {
    await using service = await startShop('60s');
    const run = begin(service);
    await run.untilSaid(counting);
    run.kill('SIGINT');
    const { code, stderr } = await run.end;
    expect(code, stderr).toBe(130);
    expect(inOneLine(stderr)).toContain('nothing was sent, so the journal has nothing of it');
    expect(service.posts).toEqual([]);
    expect(await journalOf(service)).toEqual([]);
  });

  test('of a machine that slept while it waited reads the order again, and sends nothing if its money changed', async () => {
    await using service = await startShop('3s');
    const run = begin(service);
    await run.untilSaid(counting);
    run.kill('SIGSTOP');
    service.orders = [withRefund(order, newRefundOf('rf_0', 300), 300)];
    const before = service.requests.length;
    run.kill('SIGCONT');
    const { code, stderr } = await run.end;
    expect([3, 8], stderr).toContain(code);
    expect(inOneLine(stderr)).toMatch(/amount_refunded|changed since/);
    expect(service.requests.length).toBeGreaterThan(before);
    expect(service.posts).toEqual([]);
    expect(await journalOf(service)).toEqual([]);
  });

  test('is sent after the wait, and its last read is of after that', async () => {
    await using service = await startShop('1s');
    const run = begin(service);
    await run.untilSaid(counting);
    const before = service.requests.length;
    const { code, stderr } = await run.end;
    expect(code, stderr).toBe(0);
    const after = service.requests.slice(before).map(({ method }) => method);
    expect(after.indexOf('GET')).toBeLessThan(after.indexOf('POST'));
    expect(service.posts).toHaveLength(1);
  });

  test('is sent at once with --no-hold, and tried at once with --dry-run', async () => {
    await using service = await startShop('60s');
    const tried = await inMemory(service, [...args.slice(0, -1), '--dry-run']);
    expect(tried.stderr).not.toContain(counting);
    const ran = await inMemory(service, [...args, '--no-hold']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain(counting);
    expect(service.posts).toHaveLength(1);
    const [sent] = journalRows(service.home).filter(({ type }) => type === 'sent');
    expect(sent).toMatchObject({ skippedHoldMs: 60_000 });
    const shown = await inMemory(service, ['journal', 'show', String(sent?.change)]);
    expect(inOneLine(shown.stdout)).toContain('hold skipped with --no-hold: refund.hold was 60 s');
  });
});

test('without refund.hold nothing waits', async () => {
  await using service = await startShop('0s');
  const ran = await inMemory(service, refund);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).not.toContain(counting);
});

test('on a terminal the seconds are counted down after the yes', async () => {
  await using service = await startShop('20s');
  const line = ['-p', 't', 'orders', 'refund', 'ord_1', '--only-confirm'];
  const person = sit(line, { home: service.home, env });
  await person.answer(/Send back .*\?/, 'y\r');
  const { code, screen } = await person.leaves;
  expect(code, screen).toBe(0);
  expect(inOneLine(screen)).toContain('sending in 20 s, Ctrl-C stops it; nothing was sent yet (refund.hold)');
});

test('at a desk --no-hold is refused where the account has refund.hold (3)', async () => {
  await using service = await startService({
    orders: [order],
    onPost: (held = {}) => json(refundedWhole(held)),
  });
  await using sender = await startSender({ url: service.url });
  const ana = await sender.desk('ana');
  expect(await sender.run(['profile', 'set', 'shop', 'refund.hold', '20s'])).toMatchObject({ code: 0 });
  const ran = await ana.run(['-p', 'shop', ...refund, '--no-hold']);
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('the sender of the team wants refunds to wait');
  expect(service.posts).toEqual([]);
  expect((await ana.run(['-p', 'shop', ...refund])).stderr).toContain(counting);
  expect(service.posts).toHaveLength(1);
});
