/** The profile file under many writers, damage and kill -9. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';

const configOf = (home: Home) => join(home.path, '.config', 'paydesk');
const profilesOf = (home: Home) => join(configOf(home), 'profiles.json');
const keysOf = (home: Home) => join(configOf(home), 'keys.json');
const key = (index: number) => `test_${index}_${crypto.randomUUID()}`;

const where = 'http://127.0.0.1:9';

function add(home: Home, name: string, input: string) {
  return paydesk(
    [
      'profile',
      'add',
      name,
      '--base-url',
      where,
      '--mode',
      'sandbox',
      '--key-stdin',
      '--key-store',
      'file',
      '--no-check',
    ],
    {
      home,
      input,
    },
  );
}

const storeA = (home: Home, text: string) =>
  storeProfile(home, { name: 'a', baseUrl: where, mode: 'sandbox' }, text);

test('of 20 profiles added at the same time none is lost, and every file stays JSON (F58)', async () => {
  using home = newHome();
  const keys = Array.from({ length: 20 }, (_, index) => key(index));
  const runs = await Promise.all(keys.map((text, index) => add(home, `p${index}`, text)));
  expect(runs.map(({ code }) => code)).toEqual(keys.map(() => 0));
  const file = JSON.parse(readFileSync(profilesOf(home), 'utf8')) as { profiles: object };
  expect(Object.keys(file.profiles).sort()).toEqual(keys.map((_, index) => `p${index}`).sort());
  const kept = readFileSync(keysOf(home), 'utf8');
  expect(() => JSON.parse(kept)).not.toThrow();
  for (const text of keys) expect(kept).toContain(text);
  const list = await paydesk(['profile', 'list', '--ndjson'], { home });
  expect(list.stdout.match(/"name":"p\d+"/g)).toHaveLength(20);
});

const damages = [
  { name: 'half a file', text: '{"version":1,"profiles":{"a":{"mode":"sand' },
  { name: 'an empty file', text: '' },
  { name: 'null', text: 'null' },
  {
    name: 'a profile of no known mode',
    text: '{"version":1,"profiles":{"a":{"mode":"live","base_url":"x"}}}',
  },
];

describe.concurrent('a damaged profile file is named with its fix, exits 3 and is left as it was (F59)', () => {
  test.each(damages)('$name', async ({ text }) => {
    using home = newHome();
    mkdirSync(configOf(home), { recursive: true, mode: 0o700 });
    writeFileSync(profilesOf(home), text, { mode: 0o600 });
    for (const args of [
      ['-p', 'a', 'orders', 'list'],
      ['profile', 'use', 'a'],
    ]) {
      const ran = await paydesk(args, { home });
      expect(ran.code, args.join(' ')).toBe(3);
      expect(ran.stderr).toContain(profilesOf(home));
      expect(ran.stderr).toMatch(/mv |by hand/);
      expect(ran.stderr).not.toMatch(/\n\s+at |SyntaxError/);
    }
    expect(readFileSync(profilesOf(home), 'utf8')).toBe(text);
  });

  test('a damaged key file', async () => {
    using home = newHome();
    await storeA(home, key(1));
    const secret = key(2);
    const text = `{"version":1,"keys":[["a",{"key":"${secret}"`;
    writeFileSync(keysOf(home), text);
    const ran = await paydesk(['-p', 'a', 'orders', 'list'], { home });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(keysOf(home));
    expect(ran.stderr).not.toContain(secret);
    expect(readFileSync(keysOf(home), 'utf8')).toBe(text);
  });

  test('and no profile is added to it', async () => {
    using home = newHome();
    mkdirSync(configOf(home), { recursive: true, mode: 0o700 });
    writeFileSync(profilesOf(home), '{"version":1,', { mode: 0o600 });
    expect((await add(home, 'b', key(0))).code).toBe(3);
    expect(readFileSync(profilesOf(home), 'utf8')).toBe('{"version":1,');
  });

  test('the demo works beside it', async () => {
    using home = newHome();
    mkdirSync(configOf(home), { recursive: true, mode: 0o700 });
    writeFileSync(profilesOf(home), '{', { mode: 0o600 });
    expect((await paydesk(['-p', 'demo', 'orders', 'list'], { home })).code).toBe(0);
  });
});

// Kills the program at the given sign of work in the configuration folder; it may well be done before.
async function setAndKill(home: Home, value: number, atEvent: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [bin, 'profile', 'set', 'a', 'refund.max_amount.MXN', String(value), '--yes'],
    {
      env: cleanEnv({ home }),
      stdio: 'ignore',
    },
  );
  let seen = 0;
  const watcher = watch(configOf(home), () => {
    seen += 1;
    if (seen === atEvent) child.kill('SIGKILL');
  });
  await once(child, 'exit');
  watcher.close();
}

test('kill -9 during a write leaves the old or the new file, whole, and the next write works (F59)', async () => {
  using home = newHome();
  await storeA(home, key(0));
  let before: string | undefined;
  for (const round of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await setAndKill(home, round, round);
    const { profiles } = JSON.parse(readFileSync(profilesOf(home), 'utf8')) as {
      profiles: { a: { settings: Record<string, string> } };
    };
    const now = profiles.a.settings['refund.max_amount.MXN'];
    expect([before, String(round)]).toContain(now);
    before = now;
  }
  expect(
    (await paydesk(['profile', 'set', 'a', 'refund.max_amount.MXN', '99', '--yes'], { home })).code,
  ).toBe(0);
  const shown = await paydesk(['profile', 'show', 'a', '--json'], { home });
  expect(JSON.parse(shown.stdout)).toMatchObject({ 'refund.max_amount.MXN': '99', key_problem: null });
  expect(existsSync(keysOf(home))).toBe(true);
});
