/** Folders, who decides, empty variables, and homes that cannot be written. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { startDesk } from '../harness/desk.ts';
import { giveHome, ordinaryUser } from '../harness/ordinary-user.ts';
import { type Home, newHome, paydesk, paydeskProcess, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { startServer } from '../harness/server.ts';
import { emptyList, orderPages } from '../harness/service.ts';

const newKey = () => `test_${crypto.randomUUID()}`;

function environment(url: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PAYDESK_BASE_URL: url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: newKey(), ...more };
}

const nowhere = 'http://127.0.0.1:9';

function add(home: Home, env: Readonly<Record<string, string>>): Promise<Ran> {
  const words = [
    'profile',
    'add',
    'a',
    '--base-url',
    nowhere,
    '--mode',
    'sandbox',
    '--key-stdin',
    '--key-store',
    'file',
    '--no-check',
  ];
  return paydesk(words, { home, input: newKey(), env });
}

function store(home: Home, name: string, more: Partial<ProfileDraft> = {}): Promise<void> {
  return storeProfile(home, { name, baseUrl: nowhere, mode: 'sandbox', ...more }, newKey());
}

async function show(home: Home, words: readonly string[], env = {}): Promise<Record<string, unknown>> {
  const ran = await paydesk(['profile', 'show', '--json', ...words], { home, env });
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}

describe.concurrent('the configuration folder (G60)', () => {
  const usual = (home: Home) => join(home.path, '.config', 'paydesk');
  test.each([
    {
      name: 'is $XDG_CONFIG_HOME/paydesk',
      xdg: (home: Home) => join(home.path, 'xdg'),
      folder: (home: Home) => join(home.path, 'xdg', 'paydesk'),
    },
    { name: 'is ~/.config/paydesk when XDG_CONFIG_HOME is relative', xdg: () => 'xdg', folder: usual },
    { name: 'is ~/.config/paydesk when XDG_CONFIG_HOME is empty', xdg: () => '', folder: usual },
    { name: 'is ~/.config/paydesk without XDG_CONFIG_HOME', xdg: () => undefined, folder: usual },
  ])('$name, and profile show --json has it', async ({ xdg, folder }) => {
    using home = newHome();
    const value = xdg(home);
    const env: Record<string, string> = value === undefined ? {} : { XDG_CONFIG_HOME: value };
    expect((await add(home, env)).code).toBe(0);
    expect(existsSync(join(folder(home), 'profiles.json'))).toBe(true);
    expect(existsSync(join(home.path, '.config'))).toBe(folder(home) === usual(home));
    expect(existsSync(join(home.path, 'xdg'))).toBe(folder(home) !== usual(home));
    expect(await show(home, ['a'], env)).toMatchObject({ config_folder: folder(home) });
  });

  test('profile show prints it', async () => {
    using home = newHome();
    await store(home, 'a');
    expect((await paydesk(['profile', 'show', 'a'], { home })).stdout).toContain(usual(home));
  });
});

describe.concurrent('flag, environment, profile, default (G61)', () => {
  test('the version and the language that are sent, and where profile show says they come from', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    await store(home, 'plain', { baseUrl: server.url });
    await store(home, 'own', { baseUrl: server.url, apiVersion: '2.1.0', lang: 'fr' });
    const env = { PAYDESK_API_VERSION: '2.2.0', PAYDESK_LANG: 'de' };
    const flags = ['--api-version', '2.0.0', '--lang', 'es'];
    const cases = [
      { profile: 'plain', env: {}, flags: [], version: '2.3.0', lang: undefined, from: 'default' },
      { profile: 'own', env: {}, flags: [], version: '2.1.0', lang: 'fr', from: 'profile' },
      { profile: 'own', env, flags: [], version: '2.2.0', lang: 'de', from: 'environment' },
      { profile: 'own', env, flags, version: '2.0.0', lang: 'es', from: 'flag' },
    ];
    for (const one of cases) {
      const ran = await paydesk(['-p', one.profile, 'orders', 'list', ...one.flags], { home, env: one.env });
      expect(ran.code).toBe(0);
      const { accept, 'accept-language': lang } = server.requests.at(-1)?.headers ?? {};
      expect(accept).toBe(`application/vnd.service-v${one.version}+json`);
      expect(lang).toBe(one.lang);
      const shown = await show(home, [one.profile, ...one.flags], one.env);
      expect(shown).toMatchObject({ api_version: one.version, lang: one.lang ?? null });
      expect(shown.api_version_from).toMatch(new RegExp(`^${one.from}`));
      expect(shown.lang_from).toMatch(new RegExp(`^${one.from}`));
    }
  });

  test('the profile itself: -p, PAYDESK_PROFILE, profile use', async () => {
    using home = newHome();
    for (const name of ['a', 'b', 'c']) await store(home, name);
    await paydesk(['profile', 'use', 'c'], { home });
    expect(await show(home, [])).toMatchObject({ name: 'c', name_from: 'profile use' });
    const env = { PAYDESK_PROFILE: 'b' };
    expect(await show(home, [], env)).toMatchObject({ name: 'b', name_from: 'environment PAYDESK_PROFILE' });
    expect(await show(home, ['-p', 'a'], env)).toMatchObject({ name: 'a', name_from: 'flag -p' });
  });

  test('a format: flag, environment, default', async () => {
    using home = newHome();
    const env = { PAYDESK_OUTPUT: 'csv' };
    await store(home, 'a');
    const list = ['profile', 'list'];
    expect((await paydesk(list, { home })).stdout).toMatch(/^NAME /);
    expect((await paydesk(list, { home, env })).stdout).toMatch(/^name,/);
    expect((await paydesk([...list, '--json'], { home, env })).stdout).toMatch(/^\{"object":"list"/);
  });

  test('no file of the current folder sets anything', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const cwd = join(home.path, 'project');
    mkdirSync(cwd);
    const variables = environment(server.url, { PAYDESK_PROFILE: 'environment' });
    const asEnv = Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
    const asJson = JSON.stringify({
      ...variables,
      base_url: server.url,
      mode: 'sandbox',
      key: variables.PAYDESK_API_KEY,
      profile: 'demo',
      default: 'demo',
    });
    for (const name of ['.env', '.env.local', '.npmrc', '.paydeskrc']) writeFileSync(join(cwd, name), asEnv);
    for (const name of ['paydesk.json', '.paydesk.json', 'profiles.json', '.paydeskrc.json', 'config.json'])
      writeFileSync(join(cwd, name), asJson);
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ paydesk: JSON.parse(asJson) }));
    const ran = await paydesk(['orders', 'list'], { home, cwd });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('profile add');
    expect(ran.stderr).toContain('-p demo');
    expect(server.connections).toBe(0);
  });
});

describe.concurrent('an empty variable counts as unset (G62)', () => {
  const names = [
    'PROFILE',
    'OUTPUT',
    'COLUMNS',
    'NO_HEADER',
    'NO_INPUT',
    'QUIET',
    'DEBUG',
    'COLOR',
    'TIMEOUT',
    'API_VERSION',
    'LANG',
    'UTC',
    'ACCESSIBLE',
    'BASE_URL',
    'MODE',
    'API_KEY',
    'KEY_FILE',
    'VENDOR',
    'AUTH',
    'OPERATOR',
    'DEMO_FAULT',
  ];
  const empty = Object.fromEntries(names.map((name) => [`PAYDESK_${name}`, '']));

  test('all of them at once change nothing', async () => {
    using home = newHome();
    const args = ['-p', 'demo', 'orders', 'list', '--limit', '3'];
    const without = await paydesk(args, { home });
    expect(without.code).toBe(0);
    expect(await paydesk(args, { home, env: empty })).toEqual(without);
  });

  test('all of them at once form no profile', async () => {
    using home = newHome();
    const ran = await paydesk(['orders', 'list'], { home, env: empty });
    expect(ran.code).toBe(4);
  });

  test('beside a profile of the environment they are its defaults', async () => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const ran = await paydesk(['orders', 'list'], { home, env: { ...empty, ...environment(server.url) } });
    expect(ran.code).toBe(0);
    expect(server.requests[0]?.headers.accept).toBe('application/vnd.service-v2.3.0+json');
    expect(server.requests[0]?.headers.authorization).toMatch(/^Bearer /);
  });
});

describe.concurrent('what cannot or must not be written (G64)', () => {
  test('with a read-only HOME and the profile environment, read commands work and leave nothing', async () => {
    using home = newHome();
    using user = ordinaryUser();
    await using server = await startServer(orderPages({ pages: 1, count: 3 }));
    giveHome(home, user);
    chmodSync(home.path, 0o555);
    const env = environment(server.url);
    for (const args of [
      ['orders', 'list', '--all'],
      ['orders', 'show', 'ord_00000000000000000'],
      ['profile', 'show'],
    ]) {
      const ran = await paydeskProcess(args, { home, env, user });
      expect(ran, args.join(' ')).toMatchObject({ code: 0 });
    }
    expect(readdirSync(home.path)).toEqual([]);
    chmodSync(home.path, 0o755);
  });

  test('a change is refused before anything is sent, naming the folder that cannot be written', async () => {
    using home = newHome();
    using user = ordinaryUser();
    await using desk = await startDesk({ args: ['--orders', '20'] });
    const paid = (await desk.orders()).find(({ payment_status }) => payment_status === 'paid');
    giveHome(home, user);
    chmodSync(home.path, 0o555);
    const ran = await paydeskProcess(['orders', 'refund', paid?.id ?? '', '--yes'], {
      home,
      env: desk.env,
      user,
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(join(home.path, '.local'));
    expect(ran.stderr).toContain('nothing was sent');
    expect(desk.changes()).toEqual([]);
    chmodSync(home.path, 0o755);
  });

  test.each(['profiles.json', 'keys.json'])('%s of a newer version is named and left alone', async (name) => {
    using home = newHome();
    await store(home, 'a');
    const path = join(home.path, '.config', 'paydesk', name);
    const text = readFileSync(path, 'utf8').replace(/"version":\s*1/, '"version":2,"new":true');
    writeFileSync(path, text);
    const { mtimeMs, ino } = statSync(path);
    for (const args of [
      ['-p', 'a', 'orders', 'list'],
      ['profile', 'key', 'a', '--key-stdin'],
      ['profile', 'remove', 'a', '--yes'],
    ]) {
      const ran = await paydesk(args, { home, input: newKey() });
      expect(ran.code, args.join(' ')).toBe(3);
      expect(ran.stderr).toContain(path);
      expect(ran.stderr).toContain('newer');
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path)).toMatchObject({ mtimeMs, ino });
  });
});
