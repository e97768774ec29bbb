/** Who may read the key's file, where the key is sent, and how little of it is shown. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newCanary } from '../harness/canary.ts';
import { startDesk } from '../harness/desk.ts';
import { customerOf, paidOrder } from '../harness/orders.ts';
import { giveHome, ordinaryUser } from '../harness/ordinary-user.ts';
import { bin, cleanEnv, type Home, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { json, reply, startServer } from '../harness/server.ts';
import { emptyList } from '../harness/service.ts';

const configOf = (home: Home) => join(home.path, '.config', 'paydesk');
const keysOf = (home: Home) => join(configOf(home), 'keys.json');

async function withProfile(home: Home, baseUrl = 'http://127.0.0.1:9', key = newCanary()): Promise<string> {
  await storeProfile(home, { name: 'a', baseUrl, mode: 'sandbox' }, key);
  return key;
}

// `0600 .config/paydesk/keys.json`, for all that lies under a home.
function modes(folder: string, under = ''): readonly string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = join(under, entry.name);
    const mode = `${(statSync(join(folder, path)).mode & 0o777).toString(8)} ${path}`;
    return entry.isDirectory() ? [mode, ...modes(folder, path)] : [mode];
  });
}

async function underUmask(umask: string, args: readonly string[], home: Home, input = ''): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, bin, ...args], {
    env: cleanEnv({ home }),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(input);
  expect(await once(child, 'exit')).toEqual([0, null]);
}

describe.concurrent('folders are 0700 and files 0600 (I70)', () => {
  test.each(['022', '000'])('under umask %s', async (umask) => {
    using home = newHome();
    const words = [
      '--base-url',
      'http://127.0.0.1:9',
      '--mode',
      'sandbox',
      '--key-stdin',
      '--key-store',
      'file',
      '--no-check',
    ];
    await underUmask(umask, ['profile', 'add', 'a', ...words], home, newCanary());
    await underUmask(umask, ['profile', 'set', 'a', 'orders.order', 'newest-first'], home);
    await underUmask(umask, ['-p', 'demo', 'orders', 'list'], home);
    const own = modes(home.path).filter((line) => line.includes('paydesk'));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((line) => !/^(600 .*\.\w+(-\w+)?|700 [^.]*(\.\w+\/[^.]*)+)$/.test(line))).toEqual([]);
    expect(own).toContain('700 .config/paydesk');
    expect(own).toContain('600 .config/paydesk/keys.json');
    expect(own).toContain('600 .config/paydesk/profiles.json');
  });

  test('a file and a folder that others may read are repaired, with a message', async () => {
    using home = newHome();
    await withProfile(home);
    chmodSync(keysOf(home), 0o644);
    const first = await paydesk(['profile', 'show', 'a'], { home });
    expect(first.stderr).toContain(keysOf(home));
    expect(statSync(keysOf(home)).mode & 0o777).toBe(0o600);
    chmodSync(configOf(home), 0o755);
    const second = await paydesk(['profile', 'set', 'a', 'orders.order', 'newest-first'], { home });
    expect(second.code).toBe(0);
    expect(second.stderr).toContain(configOf(home));
    expect(statSync(configOf(home)).mode & 0o777).toBe(0o700);
  });

  test('a key file that cannot be repaired is refused, and nothing is sent', async () => {
    using home = newHome();
    using user = ordinaryUser();
    await using server = await startServer(emptyList);
    await withProfile(home, server.url);
    giveHome(home, user);
    // For others it is another user's file; for the one user of a suite that is not root, it is a link.
    if (user.uid !== undefined) {
      chownSync(keysOf(home), 0, 0);
      chmodSync(keysOf(home), 0o644);
    } else {
      const { linkSync } = await import('node:fs');
      linkSync(keysOf(home), join(home.path, 'second-name'));
    }
    const ran = await paydeskProcess(['-p', 'a', 'orders', 'list'], { home, user });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(keysOf(home));
    expect(server.connections).toBe(0);
  });
});

describe.concurrent('the key goes to the configured origin only (I71)', () => {
  const elsewhere = (port: number) => [
    `http://127.0.0.1:${port}/orders?limit=1&next=ord_1`,
    `http://localhost:${port}/orders`,
    `https://127.0.0.1:${port}/orders`,
    `//127.0.0.1:${port}/orders`,
    `http://user:pass@127.0.0.1:${port}/orders`,
    `ftp://127.0.0.1:${port}/orders`,
    `http:\\\\127.0.0.1:${port}\\orders`,
  ];
  test('a page URL out of a reply is never requested, whatever its host, port or scheme', async () => {
    using home = newHome();
    await using other = await startServer(emptyList);
    const urls = elsewhere(other.port);
    // Each page of one walk names another of them as the page after it.
    await using server = await startServer((request, response, socket) =>
      json({
        object: 'list',
        has_more: request.index < urls.length,
        next_page_url: urls[request.index],
        previous_page_url: urls[request.index],
        data: [paidOrder(`ord_${request.index}`)],
      })(request, response, socket),
    );
    const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: newCanary() };
    expect((await paydesk(['orders', 'list', '--all'], { home, env })).code).toBe(0);
    expect(server.requests.map((request) => request.url)).toEqual([
      '/orders',
      ...urls.map((_, index) => `/orders?next=ord_${index}`),
    ]);
    expect(other.connections).toBe(0);
  });

  test.each([302, 308])('a redirect with %i is not followed', async (status) => {
    using home = newHome();
    await using other = await startServer(emptyList);
    await using server = await startServer(reply('', status, { location: `${other.url}/orders` }));
    const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: newCanary() };
    expect((await paydesk(['orders', 'list'], { home, env })).code).toBe(1);
    expect(server.requests).toHaveLength(1);
    expect(other.connections).toBe(0);
  });

  test.each([
    'http://example.com',
    'http://192.168.1.4',
    'http://0.0.0.0',
    'http://localhost.example.com',
    'http://127.0.0.1@example.com',
  ])('plain http to %s is refused', async (url) => {
    using home = newHome();
    const words = ['--base-url', url, '--mode', 'sandbox', '--key-stdin', '--key-store', 'file'];
    const added = await paydesk(['profile', 'add', 'a', ...words], { home, input: newCanary() });
    expect(added.code).toBe(3);
    expect(existsSync(keysOf(home))).toBe(false);
  });

  test('plain http in the environment is refused as well', async () => {
    using home = newHome();
    const env = { PAYDESK_BASE_URL: 'http://example.com', PAYDESK_MODE: 'sandbox' };
    const ran = await paydesk(['orders', 'list'], { home, env: { ...env, PAYDESK_API_KEY: newCanary() } });
    expect(ran.code).toBe(3);
  });
});

describe.concurrent('how little is shown (I72)', () => {
  // The last four may be shown, not the fifth.
  const tooMuch = (key: string, text: string) => {
    const random = key.slice(key.lastIndexOf('_') + 1);
    return Array.from({ length: random.length - 4 }, (_, at) => random.slice(at, at + 5)).filter((part) =>
      text.includes(part),
    );
  };

  test('profile show, list and check, and --dry-run, show at most the last four characters', async () => {
    using home = newHome();
    await using desk = await startDesk({ args: ['--orders', '20'] });
    await withProfile(home, desk.url, desk.key);
    const paid = (await desk.orders()).find(({ payment_status }) => payment_status === 'paid');
    for (const args of [
      ['profile', 'show', 'a'],
      ['profile', 'list'],
      ['profile', 'check', 'a'],
      ['-p', 'a', 'orders', 'refund', paid?.id ?? '', '--dry-run'],
      ['profile', 'remove', 'a', '--dry-run'],
    ]) {
      for (const format of ['table', 'json']) {
        const ran = await paydesk([...args, '-o', format, '--debug'], { home });
        expect(ran.code, args.join(' ')).toBe(0);
        expect(tooMuch(desk.key, ran.stdout + ran.stderr)).toEqual([]);
        if (args[1] === 'show') expect(ran.stdout).toContain(desk.key.slice(-4));
      }
    }
    expect(desk.changes()).toEqual([]);
  });

  test.each([
    { resource: 'orders', record: paidOrder('ord_1', { amount: 100, unknown_field: { a: [1, null, 'x'] } }) },
    { resource: 'customers', record: customerOf('cus_1', { payment_sources: null, unknown_field: '' }) },
  ])('--json of $resource holds what the service sent and no more', async ({ resource, record }) => {
    using home = newHome();
    await using server = await startServer(json({ object: 'list', has_more: false, data: [record] }));
    const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: newCanary() };
    const list = await paydesk([resource, 'list', '--json'], { home, env });
    expect(JSON.parse(list.stdout)).toEqual({ object: 'list', data: [record], has_more: false });
    const one = await paydesk([resource, 'show', String(record.id), '--json'], { home, env });
    expect(JSON.parse(one.stdout)).toEqual(record);
  });

  test('of a card the screen shows brand and last four digits, and the file of a key holds nothing else', async () => {
    using home = newHome();
    const key = await withProfile(home);
    const ran = await paydesk(['-p', 'demo', 'orders', 'list', '--all'], { home });
    expect(ran.stdout).toMatch(/\*\d{4}\b/);
    expect(ran.stdout).not.toMatch(/\b\d{12,19}\b/);
    expect(JSON.parse(readFileSync(keysOf(home), 'utf8'))).toMatchObject({ keys: [['a', { key }]] });
  });
});
