import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { isLong } from '../harness/long.ts';
import { canary, createTestUser, type TestUser } from './test-user.ts';

const writerPath = fileURLToPath(new URL('writer.ts', import.meta.url));
const draft = (name: string, more: Partial<ProfileDraft> = {}): ProfileDraft => ({
  name,
  baseUrl: 'https://api.example.com/v1/',
  mode: 'sandbox',
  ...more,
});
const key = { text: `${canary}\n`, where: '--key-stdin', place: 'file' } as const;

// Its compiled code is kept for the twenty that start at once.
beforeAll(() => {
  const once = createTestUser();
  execFileSync(process.execPath, [writerPath, once.home, 'open']);
  once.remove();
});

let user: TestUser;
beforeEach(() => {
  user = createTestUser();
});
afterEach(() => {
  user.remove();
});

const profilesFile = () => join(user.config, 'profiles.json');
const keysFile = () => join(user.config, 'keys.json');
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a profile that was added is opened with its key and its defaults', async () => {
  const { keptIn } = await user.run().add(draft('test-mx'), key);
  expect(keptIn).toBe(keysFile());
  const opened = await user.run({ given: { profile: 'test-mx' } }).open();
  expect(opened.profile).toMatchObject({
    name: 'test-mx',
    kind: 'stored',
    mode: 'sandbox',
    baseUrl: 'https://api.example.com/v1',
    origin: 'https://api.example.com',
    vendor: 'service',
    apiVersion: '2.3.0',
    lang: undefined,
    auth: 'bearer',
    account: 'https://api.example.com service sandbox',
  });
  expect(opened.chosenBy).toBe('name');
  expect(await opened.key()).toBe(canary);
});

test('the folder is 0700 and its files 0600, and the profile file holds no key', async () => {
  await user.run().add(draft('test-mx'), key);
  expect([modeOf(user.config), modeOf(profilesFile()), modeOf(keysFile())]).toEqual([0o700, 0o600, 0o600]);
  expect(readFileSync(profilesFile(), 'utf8')).not.toContain(canary);
  expect(JSON.parse(readFileSync(profilesFile(), 'utf8'))).toEqual({
    version: 1,
    profiles: {
      'test-mx': {
        mode: 'sandbox',
        base_url: 'https://api.example.com/v1',
        settings: {},
        key_in: 'file',
      },
    },
  });
});

test('files that others could read are repaired, with a notice', async () => {
  await user.run().add(draft('test-mx'), key);
  chmodSync(profilesFile(), 0o644);
  chmodSync(keysFile(), 0o664);
  chmodSync(user.config, 0o777);
  const opened = await user.run().open('test-mx');
  expect(await opened.key()).toBe(canary);
  await user.run().use('test-mx');
  expect([modeOf(user.config), modeOf(profilesFile()), modeOf(keysFile())]).toEqual([0o700, 0o600, 0o600]);
  expect(user.notices.some((line) => line.includes(keysFile()))).toBe(true);
});

test('a second profile of the same name is refused', async () => {
  await user.run().add(draft('test-mx'), key);
  await expect(user.run().add(draft('test-mx'), key)).rejects.toMatchObject({ kind: 'refused' });
  await expect(user.run().checkFree('test-mx')).rejects.toMatchObject({ kind: 'refused' });
});

test.each(['demo', 'Environment', 'simulator'])('%s is built in: it cannot be added', async (name) => {
  await expect(user.run().add(draft(name), key)).rejects.toMatchObject({ kind: 'refused' });
});

test.each(['', '-x', '__proto__', 'a b', '../x', 'x'.repeat(64), 'ñ'])(
  '%j is no name of a profile',
  async (name) => {
    await expect(user.run().add(draft(name), key)).rejects.toMatchObject({ kind: 'usage' });
  },
);

test('profiles may be called constructor, toString or acme.mx[0]-like names with dots', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'acme.mx', 'valueOf'];
  for (const name of names) await user.run().add(draft(name), { ...key, text: `${canary}${name}` });
  expect((await user.run().list()).map(({ name }) => name)).toEqual([...names, 'demo']);
  for (const name of names) expect(await (await user.run().open(name)).key()).toBe(`${canary}${name}`);
  await user.run().remove('constructor');
  expect((await user.run().list()).map(({ name }) => name)).not.toContain('constructor');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['http://api.example.com', 'refused'],
  ['https://api.example.com.', 'refused'],
  ['nonsense', 'usage'],
])('a profile with the base URL %s is not stored, and neither is its key', async (baseUrl, kind) => {
  await expect(user.run().add(draft('x', { baseUrl }), key)).rejects.toMatchObject({ kind });
  await user.run().add(draft('y'), key);
  expect(readFileSync(keysFile(), 'utf8')).not.toContain('"x"');
});

test.each(['', 'with space', 'with\nbreak', 'with-ñ', '\u0000', `${'k'.repeat(5000)}`])(
  'a malformed key is refused and never repeated: %j',
  async (text) => {
    const bad = `sEcReT${text}sEcReT`.replace(/^sEcReTsEcReT$/, '');
    const error = await user
      .run()
      .add(draft('x'), { ...key, text: bad })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'usage' });
    expect(JSON.stringify([error, String(error)])).not.toContain('sEcReT');
  },
);

test('a setting that does not exist in the profile file is refused, and the command in the hint removes it', async () => {
  await user.run().add(draft('x'), key);
  const wrong = '"refund.max_amout.MXN": "500", "refund.max_amount.mxn": "500", "plan.max_sum.MXN": "500"';
  const text = readFileSync(profilesFile(), 'utf8').replace('"settings": {}', `"settings": {${wrong}}`);
  writeFileSync(profilesFile(), text);
  for (const name of ['refund.max_amout.MXN', 'refund.max_amount.mxn', 'plan.max_sum.MXN']) {
    const now = [`paydesk profile set x ${name} default`];
    await expect(user.run().open('x')).rejects.toMatchObject({ kind: 'refused', parts: { now } });
    await user.run().set('x', name, 'default');
  }
  expect((await user.run().open('x')).profile.name).toBe('x');
});

const writers = isLong ? 20 : 8;

test(`${writers} processes that add a profile at once lose none`, async () => {
  const children = Array.from({ length: writers }, (_, n) =>
    spawn(process.execPath, [writerPath, user.home, 'add', `p${n}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(children.map((child) => readAll(child.stdout)));
  const names = (await user.run().list()).map(({ name }) => name);
  expect(names).toHaveLength(writers + 1);
  expect(await (await user.run().open('p7')).key()).toBe(`${canary}p7`);
});

test.each([1, 2, 3, 5, 8, 13])('kill -9 after write %s leaves a whole file', async (writes) => {
  await user.run().add(draft('x'), key);
  const child = spawn(process.execPath, [writerPath, user.home, 'set', 'x'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    seen += 1;
    if (seen === writes) child.kill('SIGKILL');
  }
  const { settings } = await user.run().describe('x');
  const kept = settings.find(({ name }) => name === 'index.keep')?.value;
  const count = kept === 'all' ? 0 : Number(kept?.slice(0, -1));
  expect(count === seen || count === seen + 1).toBe(true);
  await user.run().set('x', 'orders.order', 'newest-first');
});

test('a full disk leaves the old files whole, and no key of the profile that was not stored', async () => {
  await user.run().add(draft('x'), key);
  const before = [readFileSync(profilesFile(), 'utf8'), readFileSync(keysFile(), 'utf8')];
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, writerPath, user.home, 'add', 'y'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [, complaint] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  expect(complaint).toMatch(/cannot be written: .*\((EFBIG|ENOSPC)\)/);
  expect([readFileSync(profilesFile(), 'utf8'), readFileSync(keysFile(), 'utf8')]).toEqual(before);
  expect(readdirSync(user.config).sort()).toEqual(['keys.json', 'profiles.json']);
});

test.each([
  ['no JSON', '{"version": 1, '],
  ['an array', '[]'],
  ['nothing', ''],
  ['no version', '{"profiles": {}}'],
  ['a profile that is none', '{"version":1,"profiles":{"x":3}}'],
  ['an unknown field', '{"version":1,"profiles":{},"key":"k"}'],
  ['a profile called __proto__', '{"version":1,"profiles":{"__proto__":{}}}'],
  [
    'http to another machine',
    '{"version":1,"profiles":{"x":{"mode":"sandbox","base_url":"http://a.example","key_in":"file"}}}',
  ],
])(
  'a damaged profile file (%s) is refused with its path and a fix, and stays as it is',
  async (_what, text) => {
    mkdirSync(user.config, { recursive: true, mode: 0o700 });
    writeFileSync(profilesFile(), text, { mode: 0o600 });
    const refusal = {
      kind: 'refused',
      message: expect.stringContaining(profilesFile()),
      parts: { now: expect.arrayContaining([expect.stringContaining('mv ')]) },
    };
    await expect(user.run().list()).rejects.toMatchObject(refusal);
    await expect(user.run().add(draft('y'), key)).rejects.toMatchObject(refusal);
    expect(readFileSync(profilesFile(), 'utf8')).toBe(text);
  },
);

test('a profile file of a newer paydesk is refused and not rewritten', async () => {
  mkdirSync(user.config, { recursive: true, mode: 0o700 });
  const text = '{"version":2,"profiles":[]}';
  writeFileSync(profilesFile(), text, { mode: 0o600 });
  await expect(user.run().use('demo')).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('newer'),
  });
  expect(readFileSync(profilesFile(), 'utf8')).toBe(text);
});

test('a damaged profile file does not stop -p demo', async () => {
  mkdirSync(user.config, { recursive: true, mode: 0o700 });
  writeFileSync(profilesFile(), 'x', { mode: 0o600 });
  const opened = await user.run({ given: { profile: 'demo' } }).open();
  expect(opened.profile).toMatchObject({ kind: 'demo', origin: 'demo:i1', mode: 'sandbox' });
});

test('a stored key goes to its own origin only, whatever the file says later', async () => {
  await user.run().add(draft('x'), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('https://api.example.com', 'https://api.example.co'));
  const opened = await user.run().open('x');
  await expect(opened.key()).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('https://api.example.com'),
  });
  await user.run().replaceKey('x', { text: `${canary}2`, where: 'a test' });
  expect(await (await user.run().open('x')).key()).toBe(`${canary}2`);
});

test('a path prefix may change without a new key', async () => {
  await user.run().add(draft('x'), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('/v1', '/v2'));
  expect(await (await user.run().open('x')).key()).toBe(canary);
});

test('a removed profile loses its key and is no longer the default', async () => {
  await user.run().add(draft('x'), key);
  await user.run().use('x');
  await user.run().remove('x');
  expect(readFileSync(keysFile(), 'utf8')).not.toContain(canary);
  await expect(user.run().open()).rejects.toMatchObject({ kind: 'auth' });
  await expect(user.run().remove('x')).rejects.toMatchObject({ kind: 'auth' });
  await expect(user.run().remove('demo')).rejects.toMatchObject({ kind: 'refused' });
});

test('when a profile has no key, the error names the command that stores one', async () => {
  await user.run().add(draft('x'), key);
  writeFileSync(keysFile(), '{"version":1,"keys":[]}');
  await expect((await user.run().open('x')).key()).rejects.toMatchObject({
    kind: 'auth',
    parts: { now: ['paydesk profile key x'] },
  });
});

test('a damaged key file is refused and its text is never repeated', async () => {
  await user.run().add(draft('x'), key);
  writeFileSync(keysFile(), `{"version":1,"keys":[["x",{"key":"${canary}"}]`);
  const error = await (await user.run().open('x')).key().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'refused' });
  expect(String(error) + JSON.stringify(error)).not.toContain('Canary');
});

test('profile set changes one setting within the limits of production, and default removes it', async () => {
  await user.run().add(draft('shop', { mode: 'production' }), key);
  expect(await user.run().set('shop', 'amounts.decimals.mxn', '2')).toEqual({
    setting: 'amounts.decimals.MXN',
    before: undefined,
    after: '2',
  });
  await user.run().set('shop', 'lang', 'es');
  const { profile } = await user.run().open('shop');
  expect(profile.settings['amounts.decimals'].MXN).toBe(2);
  expect(profile.lang).toBe('es');
  await user.run().set('shop', 'amounts.decimals.MXN', 'default');
  expect((await user.run().open('shop')).profile.settings['amounts.decimals'].MXN).toBeUndefined();
});

test.each([
  ['refund.send_within', '11s', 'refused'],
  ['reconcile.after', '0', 'refused'],
  ['amounts.decimals.MXN', '1.5', 'usage'],
  ['refund.max_amount.MXN', '50000', 'refused'],
  ['no.such', '1', 'usage'],
  ['__proto__', '1', 'usage'],
  ['api-version', '2', 'usage'],
  ['auth', 'digest', 'usage'],
  ['base-url', 'https://b.example', 'refused'],
  ['mode', 'sandbox', 'refused'],
])('set %s %s is refused for a production profile', async (setting, value, kind) => {
  await user.run().add(draft('shop', { mode: 'production' }), key);
  const before = readFileSync(profilesFile(), 'utf8');
  await expect(user.run().set('shop', setting, value)).rejects.toMatchObject({ kind });
  expect(readFileSync(profilesFile(), 'utf8')).toBe(before);
});

test('a setting that production may not have is refused also when the file was edited by hand', async () => {
  await user.run().add(draft('shop', { mode: 'production' }), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('"settings": {}', '"settings": {"refund.horizon_part": "1h"}'));
  await expect(user.run().open('shop')).rejects.toMatchObject({
    kind: 'refused',
    parts: { now: ['paydesk profile set shop refund.horizon_part default'] },
  });
  await user.run().set('shop', 'refund.horizon_part', 'default');
  await user.run().open('shop');
});

test("a lead's file makes a profile, and its digest is stored", async () => {
  const lead =
    '{"base_url":"https://pay.example","mode":"production","vendor":"acme","settings":{"refund.require":"reason","amounts.grouping":"on"}}';
  const from = user.run().readLead(lead, '--from lead.json');
  await user.run().add({ ...from, name: 'shop' }, key);
  const told = await user.run().describe('shop');
  expect(told.profile).toMatchObject({ vendor: 'acme', mode: 'production' });
  expect(told.profile.settings['amounts.grouping']).toBe('on');
  // The limits are for its account, and not stored with it.
  expect(from.limits).toEqual({ 'refund.require': 'reason' });
  expect(readFileSync(profilesFile(), 'utf8')).not.toContain('refund.require');
  expect(told.fromDigest).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['with a key in it', '{"base_url":"https://pay.example","mode":"sandbox","key":"sEcReT"}', 'key'],
  ['without a mode', '{"base_url":"https://pay.example"}', 'mode'],
  ['that is no JSON', 'sEcReT', 'JSON'],
])("a lead's file %s is refused", (_what, text, word) => {
  const read = () => user.run().readLead(text, '--from lead.json');
  expect(read).toThrow(expect.objectContaining({ kind: 'usage', message: expect.stringContaining(word) }));
  expect(read).not.toThrow(/sEcReT/);
});

test('profile show tells where each value comes from, and shows no more of the key than its last four characters', async () => {
  await user.run().add(draft('x', { lang: 'es' }), key);
  await user.run().use('x');
  const told = await user
    .run({
      given: { apiVersion: '2.0.0' },
      env: { PAYDESK_API_VERSION: '2.0.0', PAYDESK_PROFILE: '' },
    })
    .describe();
  const from = Object.fromEntries(told.values.map((value) => [value.name, value.from]));
  expect(from).toEqual({
    name: 'profile use',
    mode: 'profile',
    base_url: 'profile',
    origin: 'base_url',
    vendor: 'default',
    api_version: 'environment PAYDESK_API_VERSION',
    lang: 'profile',
    auth: 'default',
  });
  expect(told.key).toMatchObject({ keptIn: keysFile(), lastFour: 'wxyz', problem: undefined });
  expect(JSON.stringify(told)).not.toContain('Canary');
});

test('with several profiles, a change in production is refused when only profile use chose the profile', async () => {
  await user.run().add(draft('shop', { mode: 'production' }), key);
  await user.run().use('shop');
  const alone = await user.run().open();
  expect(() => alone.allowChange()).not.toThrow();
  await user.run().add(draft('test'), key);
  const byDefault = await user.run().open();
  expect(() => byDefault.allowChange()).toThrow(expect.objectContaining({ kind: 'refused' }));
  const named = await user.run({ given: { profile: 'shop' } }).open();
  expect(() => named.allowChange()).not.toThrow();
});

test('an order that a profile has shown is remembered, and the profiles of an account are found', async () => {
  await user.run().add(draft('a'), key);
  await user.run().add(draft('b'), key);
  await user.run().rememberOrder('a', 'ord_2tQ7zRk9PwE5xNvAm');
  await user.run().rememberOrder('demo', 'ord_1');
  expect(await user.run().seenOrder('a')).toBe('ord_2tQ7zRk9PwE5xNvAm');
  expect(await user.run().seenOrder('b')).toBeUndefined();
  expect(await user.run().reaching('https://api.example.com service sandbox')).toEqual(['a', 'b']);
  expect(await user.run().reaching('demo:i1 service sandbox')).toEqual(['demo']);
});

test('with a read-only HOME the profile of the environment works, and a write says why it failed', async () => {
  chmodSync(user.home, 0o555);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, [writerPath, user.home, 'open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  const output = await readAll(child.stdout);
  if (child.exitCode === null) await once(child, 'exit');
  chmodSync(user.home, 0o755);
  expect(output).toContain('environment true\n');
  expect(output).toMatch(/not written: .*(EACCES|EROFS)/);
});
