/** A stored key is bound to one exact origin, whoever changes the base URL. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { startServer } from '../harness/server.ts';
import { emptyList } from '../harness/service.ts';

const profilesOf = (home: Home) => join(home.path, '.config', 'paydesk', 'profiles.json');

function add(home: Home, baseUrl: string): Promise<void> {
  return storeProfile(home, { name: 'a', baseUrl, mode: 'sandbox', settings: {} }, crypto.randomUUID());
}

function edit(home: Home, from: string, to: string): void {
  const text = readFileSync(profilesOf(home), 'utf8');
  expect(text).toContain(from);
  writeFileSync(profilesOf(home), text.replace(from, to));
}

describe.concurrent('a base URL that the key was not stored for is refused (3) with 0 connections (F71)', () => {
  test.each([
    { name: 'another port', to: (_: number, other: number) => `http://127.0.0.1:${other}` },
    { name: 'another name of the same host', to: (port: number) => `http://localhost:${port}` },
    { name: 'another scheme', to: (port: number) => `https://127.0.0.1:${port}` },
    { name: 'a dot at the end of the host', to: (port: number) => `http://localhost.:${port}` },
    { name: 'a user before the host', to: (port: number) => `http://a@127.0.0.1:${port}` },
    {
      name: 'a user that looks like the host',
      to: (port: number, other: number) => `http://127.0.0.1:${port}@127.0.0.1:${other}`,
    },
    { name: 'a host that begins like it', to: (port: number) => `http://127.0.0.1.example.com:${port}` },
    {
      name: 'a backslash',
      to: (port: number, other: number) => `http://127.0.0.1:${other}\\\\@127.0.0.1:${port}`,
    },
  ])('the profile file edited to $name', async ({ to }) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await using other = await startServer(emptyList);
    await add(home, server.url);
    edit(home, server.url, to(server.port, other.port));
    const ran = await paydesk(['-p', 'a', 'orders', 'list'], { home });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('nothing was sent');
    expect(server.connections + other.connections).toBe(0);
  });

  test.each([
    ['PAYDESK_BASE_URL'],
    ['PAYDESK_BASE_URL', 'PAYDESK_MODE'],
    ['PAYDESK_MODE'],
    ['PAYDESK_API_KEY'],
    ['PAYDESK_VENDOR'],
  ])('%s beside a named profile', async (...names) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await using other = await startServer(emptyList);
    await add(home, server.url);
    const values: Readonly<Record<string, string>> = {
      PAYDESK_BASE_URL: other.url,
      PAYDESK_MODE: 'sandbox',
      PAYDESK_API_KEY: crypto.randomUUID(),
      PAYDESK_VENDOR: 'other',
    };
    const env = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
    edit(home, '"version": 1', '"version": 1,"default":"a"');
    const runs = [
      await paydesk(['-p', 'a', 'orders', 'list'], { home, env }),
      await paydesk(['orders', 'list'], { home, env }),
    ];
    for (const ran of runs) {
      expect(ran.code).toBe(3);
      for (const name of names) expect(ran.stderr).toContain(name);
    }
    expect(server.connections + other.connections).toBe(0);
  });

  test('nor does a refund go there', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await using other = await startServer(emptyList);
    await add(home, server.url);
    edit(home, server.url, other.url);
    expect((await paydesk(['-p', 'a', 'orders', 'refund', 'ord_1', '--yes'], { home })).code).toBe(3);
    expect(server.connections + other.connections).toBe(0);
  });

  test('another path of the same origin keeps its key', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await add(home, server.url);
    edit(home, server.url, `${server.url}/v2`);
    expect((await paydesk(['-p', 'a', 'orders', 'list'], { home })).code).toBe(0);
    expect(server.requests.map(({ url }) => url)).toEqual(['/v2/orders?limit=20']);
  });

  test('an edited profile is told of by profile show, and a new key for the new origin works', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await using other = await startServer(emptyList);
    await add(home, server.url);
    edit(home, server.url, other.url);
    const shown = await paydesk(['profile', 'show', 'a', '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ key_last4: null });
    const replaced = await paydesk(['profile', 'key', 'a', '--key-stdin'], {
      home,
      input: crypto.randomUUID(),
    });
    expect(replaced.code).toBe(0);
    expect((await paydesk(['-p', 'a', 'orders', 'list'], { home })).code).toBe(0);
    expect(server.connections).toBe(0);
    expect(other.requests.length).toBeGreaterThan(0);
  });
});
