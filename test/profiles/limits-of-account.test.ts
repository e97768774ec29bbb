/** The limits of an account hold whatever its profile is called. Ways around them: rails.test.ts. */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockOff } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import {
  chargeOf,
  type Json,
  listOf,
  newRefundOf,
  orderOf,
  withCharge,
  withRefund,
} from '../harness/orders.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, type ServiceOptions, startRefunding, storeShop, testKey } from '../harness/service.ts';

const limit = 'refund.max_amount.MXN';
const order = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);
/** The order with a refund that was made an hour ago. */
const refundedBefore = (amount: number, changes: Json = {}): Json =>
  withRefund(
    order,
    newRefundOf('rf_0', amount, { created_at: Math.floor(Date.now() / 1000) - 3600, ...changes }),
    amount,
  );

/** The order with a refund that failed, so that all of its money is still there. */
const failedBefore = (amount: number): Json =>
  withCharge(order, { refunds: listOf(newRefundOf('rf_0', amount, { status: 'failed' })) });

/** A service that makes every refund, behind the profile `shop`, whose account has these limits. */
async function startShop(
  limits: Readonly<Record<string, string>>,
  held: Json = order,
  more: Partial<ServiceOptions> = {},
): Promise<Service> {
  const service = await startRefunding(held, more);
  await storeShop(service.home, service);
  for (const [name, value] of Object.entries(limits)) {
    const done = await set(service, name, value, '--yes');
    if (done.code !== 0) throw new Error(done.stderr);
  }
  return service;
}

const asShop = (service: Service, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  paydesk(args, { home: service.home, env: { TZ: 'UTC', ...env } });
const set = (service: Service, name: string, value: string, ...more: readonly string[]) =>
  asShop(service, ['profile', 'set', 'shop', name, value, ...more]);
const refund = (amount: number, ...more: readonly string[]) => [
  'orders',
  'refund',
  'ord_1',
  '--amount',
  String(amount),
  '--yes',
  ...more,
];
const addAgain = async (service: Service, name: string, baseUrl = service.url): Promise<void> =>
  storeProfile(service.home, { name, baseUrl, mode: 'sandbox' }, testKey);

describe('a limit of 500 holds', () => {
  test.each([
    ['', {}],
    [', at a service that sends no date', { sendsDate: false }],
  ] as const)('with a clock that is 26 hours ahead%s', async (_, more) => {
    await using service = await startShop({ [limit]: '500' }, refundedBefore(400), more);
    const line = ['-p', 'shop', ...refund(101, '--again', 'rf_0')];
    const ran = await asShop(service, line, clockOff(26 * 3_600_000));
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain(`${limit} is 500`);
    expect(service.posts).toEqual([]);
  });

  test('a limit that is lowered while a command waits for its yes stops that command', async () => {
    await using service = await startShop({ [limit]: '900' });
    const line = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--amount', '800', '--only-confirm'];
    const person = sit(line, { home: service.home, env: { TZ: 'UTC' } });
    await person.waitFor(/Send back .*\?/);
    await set(service, limit, '500');
    person.type('y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(inOneLine(screen)).toContain('somebody set a limit of this account');
    expect(service.posts).toEqual([]);
  });

  test('what an older paydesk wrote into the profile file is set by the command of the refusal', async () => {
    await using service = await startShop({});
    const file = join(service.home.path, '.config/paydesk/profiles.json');
    const held = JSON.parse(readFileSync(file, 'utf8'));
    held.profiles.shop.settings = { [limit]: '500' };
    writeFileSync(file, JSON.stringify(held));
    const refused = await asShop(service, ['-p', 'shop', 'orders', 'list']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`paydesk profile set shop ${limit} 500`);
    expect(await set(service, limit, '500')).toMatchObject({ code: 0 });
    expect((await asShop(service, ['-p', 'shop', ...refund(501)])).stderr).toContain(`${limit} is 500`);
    expect(readFileSync(file, 'utf8')).not.toContain(limit);
  });

  test('profile remove says which limits stay, and profile add which hold', async () => {
    await using service = await startShop({ [limit]: '500' });
    const removed = await asShop(service, ['profile', 'remove', 'shop', '--yes']);
    expect(removed.stderr).toContain(`the limits of its account stay`);
    expect(removed.stderr).toContain(`${limit} 500`);
    writeFileSync(join(service.home.path, 'key'), testKey);
    const flags = [
      '--base-url',
      service.url,
      '--mode',
      'sandbox',
      '--key-file',
      'key',
      '--key-store',
      'file',
    ];
    const added = await asShop(service, ['profile', 'add', 'again', ...flags]);
    expect(added.code, added.stderr).toBe(0);
    expect(added.stderr).toContain(`limits of this account: ${limit} 500`);
  });

  test("a lead's file that allows more is asked for like any raise, and the profile is not kept without a yes", async () => {
    await using service = await startShop({ [limit]: '500' });
    const lead = { base_url: service.url, mode: 'sandbox', settings: { [limit]: 900 } };
    writeFileSync(join(service.home.path, 'lead.json'), JSON.stringify(lead));
    writeFileSync(join(service.home.path, 'key'), testKey);
    const line = ['profile', 'add', 'b', '--from', 'lead.json', '--key-file', 'key', '--key-store', 'file'];
    const ran = await asShop(service, line);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('would allow more: 900 instead of 500');
    expect((await asShop(service, ['profile', 'list'])).stdout).not.toContain(' b ');
  });

  test('and a refund within it passes under each of them', async () => {
    await using service = await startShop({ [limit]: '500' });
    await addAgain(service, 'other');
    expect(await asShop(service, ['-p', 'other', ...refund(300)])).toMatchObject({ code: 0 });
    const more = await service.run(refund(201));
    expect(more.code).toBe(3);
    expect(inOneLine(more.stderr)).toContain('300 of ord_1 was refunded in the last 24 hours');
    expect(await service.run(refund(200))).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(2);
  });
});

describe('what counts', () => {
  test('a refund that failed does not', async () => {
    await using service = await startShop({ [limit]: '500' }, failedBefore(400));
    const ran = await asShop(service, ['-p', 'shop', ...refund(450)]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(service.posts).toHaveLength(1);
  });

  test('a refund that somebody recorded as made by hand does', async () => {
    await using service = await startShop({ [limit]: '500' }, order, {
      onPost: () => json({}, 502),
    });
    const lost = await asShop(service, ['-p', 'shop', ...refund(300), '--json']);
    expect(lost.code).toBe(7);
    const [change = ''] = /i_[a-z0-9]+/.exec(lost.stderr + lost.stdout) ?? [];
    const said = ['--applied', '--note', 'the bank shows that it was paid', '--confirm', 'ord_1'];
    const later = { TEST_WALL_CLOCK_AHEAD_MS: '60000', TEST_UPTIME_AHEAD_MS: '60000' };
    const settled = await asShop(service, ['journal', 'settle', change, ...said], later);
    expect(settled.code, settled.stderr).toBe(0);
    const ran = await asShop(service, ['-p', 'shop', ...refund(201, '--again', change)], later);
    expect(ran.code, ran.stderr).toBe(3);
    expect(inOneLine(ran.stderr)).toContain('300 of ord_1 was recorded as made by hand');
    expect(service.posts).toHaveLength(1);
  });

  test('rows of a plan that are not sent yet are planned, and never called refunded', async () => {
    await using service = await startShop({ [limit]: '500' });
    writeFileSync(join(service.home.path, 'r.csv'), 'order_id,amount,ref\nord_1,300,a\nord_1,201,b\n');
    const planned = await asShop(service, ['-p', 'shop', 'refunds', 'plan', 'r.csv', '--to', 'r.plan']);
    const words = inOneLine(planned.stdout + planned.stderr);
    expect(words).toContain('rows before it in this plan refund 300 of ord_1');
    expect(words).not.toContain('was refunded in the last 24 hours');
  });
});

test('a limit can be 0: then nothing is refunded', async () => {
  await using service = await startShop({});
  const done = await set(service, limit, '0');
  expect(done.code, done.stderr).toBe(0);
  const ran = await asShop(service, ['-p', 'shop', ...refund(1)]);
  expect(ran.code).toBe(3);
  expect(inOneLine(ran.stderr)).toContain(`${limit} is 0`);
  expect(service.posts).toEqual([]);
});

test('a limit of production is not raised by --yes in a script (3), only by a person at a terminal', async () => {
  await using service = await startShop({}, order, { mode: 'production' });
  await set(service, limit, '500');
  const raised = await set(service, limit, '900000', '--yes');
  expect(raised.code).toBe(3);
  expect(raised.stderr).toContain('nothing was changed');
  const shown = JSON.parse((await asShop(service, ['profile', 'show', 'shop', '--json'])).stdout);
  expect(shown).toMatchObject({
    [limit]: '500',
    [`${limit}_from`]: expect.stringMatching(/^account, set by /),
  });
});

test('a plan whose currency was rewritten, with a digest that fits, is refused at the sending', async () => {
  await using service = await startShop({ 'plan.max_total.MXN': '500', 'plan.max_total.USD': '90000' });
  const plan = join(service.home.path, 'r.plan');
  writeFileSync(join(service.home.path, 'r.csv'), 'order_id,amount\nord_1,400\n');
  const made = await asShop(service, ['-p', 'shop', 'refunds', 'plan', 'r.csv', '--to', 'r.plan']);
  expect(made.code, made.stderr).toBe(0);
  const [head = '', row = '', last = ''] = readFileSync(plan, 'utf8').trimEnd().split('\n');
  const text = `${head}\n${JSON.stringify({ ...JSON.parse(row), currency: 'USD' })}\n`;
  const { totals, ...kept } = JSON.parse(last);
  const rewritten = totals.map((total: Json) => ({ ...total, currency: 'USD' }));
  const digest = createHash('sha256').update(text).digest('hex');
  const end = { object: kept.object, rows: kept.rows, totals: rewritten, digest };
  writeFileSync(plan, `${text}${JSON.stringify(end)}\n`);
  const applied = await asShop(service, ['-p', 'shop', 'refunds', 'apply', 'r.plan', '--yes']);
  expect(applied.code, applied.stderr).toBe(8);
  expect(applied.stdout).toContain('the refund would not be the same any more');
  expect(service.posts).toEqual([]);
});

describe('a note that is required has letters or digits', () => {
  test.each([
    ['blank', '  '],
    ['a no-break space', '\u00a0\u00a0\u00a0'],
    ['U+200B', '\u200b\u200b\u200b'],
    ['U+3164', '\u3164\u3164\u3164'],
    ['blank hieroglyphs', '\u{13441}\u{13442}\u{13441}'],
    ['U+2800', '\u2800\u2800\u2800'],
    ['two letters', 'ok'],
    ['dots', '.....'],
  ])('%s is none', async (_, note) => {
    await using service = await startShop({ 'refund.require': 'note' });
    const ran = await asShop(service, ['-p', 'shop', ...refund(100, '--note', note)]);
    expect(ran.code, ran.stderr).toBe(2);
    expect(service.posts).toEqual([]);
    expect(await asShop(service, ['-p', 'shop', ...refund(100, '--note', 'T-8')])).toMatchObject({ code: 2 });
    expect(await asShop(service, ['-p', 'shop', ...refund(100, '--note', 'T-88')])).toMatchObject({
      code: 0,
    });
  });
});

// Five fit in.
const runs = isLong ? 20 : 5;

test(`${runs} runs at once under two profiles of an account refund just as much as its limit allows`, async () => {
  await using service = await startShop({ [limit]: '500' });
  await addAgain(service, 'other');
  const runOf = async (at: number): Promise<Ran> => {
    const ran = await asShop(service, [
      '-p',
      at % 2 === 0 ? 'shop' : 'other',
      ...refund(90 + at, '--idempotency-key', `k${at}`),
    ]);
    // Whoever came second at the order decides again.
    return ran.code === 3 && !ran.stderr.includes(limit) ? runOf(at) : ran;
  };
  const ended = await Promise.all(Array.from({ length: runs }, (_, at) => runOf(at)));
  const sent = service.posts.map(({ body }) => (JSON.parse(body) as { amount: number }).amount);
  const sum = sent.reduce((all, amount) => all + amount, 0);
  expect(sum).toBeLessThanOrEqual(500);
  // What was refused was too much beside what had gone back by the end.
  expect(sum + 109).toBeGreaterThan(500);
  expect(ended.filter(({ code }) => code === 0)).toHaveLength(sent.length);
  expect(ended.filter(({ code }) => code === 3)).toHaveLength(runs - sent.length);
});

test('profile show has its times in the zone of the profile that it shows, however that was named', async () => {
  await using service = await startShop({ [limit]: '50000' });
  await asShop(service, ['profile', 'set', 'shop', 'time.zone', 'America/Mexico_City']);
  for (const words of [
    ['profile', 'show', 'shop'],
    ['-p', 'shop', 'profile', 'show'],
    ['-p', 'demo', 'profile', 'show', 'shop'],
  ])
    expect((await asShop(service, words)).stdout, words.join(' ')).toMatch(/account, set by .* UTC-6\n/);
  expect((await asShop(service, ['profile', 'show', 'shop', '--utc'])).stdout).toMatch(/set by .* UTC\n/);
});
