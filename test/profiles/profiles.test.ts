import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { canary, createDesk, type Desk } from './desk.ts';

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
  const once = createDesk();
  execFileSync(process.execPath, [writerPath, once.home, 'open']);
  once.remove();
});

let desk: Desk;
beforeEach(() => {
  desk = createDesk();
});
afterEach(() => {
  desk.remove();
});

const profilesFile = () => join(desk.config, 'profiles.json');
const keysFile = () => join(desk.config, 'keys.json');
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a profile that was added is opened with its key and its defaults', async () => {
  const { keptIn } = await desk.run().add(draft('test-mx'), key);
  expect(keptIn).toBe(keysFile());
  const opened = await desk.run({ given: { profile: 'test-mx' } }).open();
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
  expect(await opened.fingerprint()).toMatch(/^[0-9a-f]{16}$/);
});

test('the folder is 0700 and its files 0600, and the profile file holds no key', async () => {
  await desk.run().add(draft('test-mx'), key);
  expect([modeOf(desk.config), modeOf(profilesFile()), modeOf(keysFile())]).toEqual([0o700, 0o600, 0o600]);
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
  await desk.run().add(draft('test-mx'), key);
  chmodSync(profilesFile(), 0o644);
  chmodSync(keysFile(), 0o664);
  chmodSync(desk.config, 0o777);
  const opened = await desk.run().open('test-mx');
  expect(await opened.key()).toBe(canary);
  await desk.run().use('test-mx');
  expect([modeOf(desk.config), modeOf(profilesFile()), modeOf(keysFile())]).toEqual([0o700, 0o600, 0o600]);
  expect(desk.notices.some((line) => line.includes(keysFile()))).toBe(true);
});

test('a second profile of the same name is refused', async () => {
  await desk.run().add(draft('test-mx'), key);
  await expect(desk.run().add(draft('test-mx'), key)).rejects.toMatchObject({ kind: 'refused' });
  await expect(desk.run().checkFree('test-mx')).rejects.toMatchObject({ kind: 'refused' });
});

test.each(['demo', 'Environment', 'simulator'])('%s is built in: it cannot be added', async (name) => {
  await expect(desk.run().add(draft(name), key)).rejects.toMatchObject({ kind: 'refused' });
});

test.each(['', '-x', '__proto__', 'a b', '../x', 'x'.repeat(64), 'ñ'])(
  '%j is no name of a profile',
  async (name) => {
    await expect(desk.run().add(draft(name), key)).rejects.toMatchObject({ kind: 'usage' });
  },
);

test('profiles may be called constructor, toString or acme.mx[0]-like names with dots', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'acme.mx', 'valueOf'];
  for (const name of names) await desk.run().add(draft(name), { ...key, text: `${canary}${name}` });
  expect((await desk.run().list()).map(({ name }) => name)).toEqual([...names, 'demo']);
  for (const name of names) expect(await (await desk.run().open(name)).key()).toBe(`${canary}${name}`);
  await desk.run().remove('constructor');
  expect((await desk.run().list()).map(({ name }) => name)).not.toContain('constructor');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['http://api.example.com', 'refused'],
  ['https://api.example.com.', 'refused'],
  ['nonsense', 'usage'],
])('a profile with the base URL %s is not kept, and neither is its key', async (baseUrl, kind) => {
  await expect(desk.run().add(draft('x', { baseUrl }), key)).rejects.toMatchObject({ kind });
  await desk.run().add(draft('y'), key);
  expect(readFileSync(keysFile(), 'utf8')).not.toContain('"x"');
});

test.each(['', 'with space', 'with\nbreak', 'with-ñ', '\u0000', `${'k'.repeat(5000)}`])(
  'a malformed key is refused and never repeated: %j',
  async (text) => {
    const bad = `sEcReT${text}sEcReT`.replace(/^sEcReTsEcReT$/, '');
    const error = await desk
      .run()
      .add(draft('x'), { ...key, text: bad })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'usage' });
    expect(JSON.stringify([error, String(error)])).not.toContain('sEcReT');
  },
);

test.each(['redact', 'plan.max_count', 'plan.max_age', 'plan.max_total.MXN'])(
  'there is no setting %s: it would be a protection that is not there',
  async (name) => {
    await desk.run().add(draft('x'), key);
    const refusal = { kind: 'usage', message: `there is no setting ${name}` };
    await expect(desk.run().set('x', name, '5')).rejects.toMatchObject(refusal);
    await expect(desk.run().add({ ...draft('y'), settings: { [name]: '5' } }, key)).rejects.toMatchObject(
      refusal,
    );
  },
);

test('a profile that holds a setting of before opens, says that nothing reads it, and can be rid of it', async () => {
  await desk.run().add(draft('x'), key);
  const before = '"plan.max_total.MXN": "500000"';
  const text = readFileSync(profilesFile(), 'utf8').replace('"settings": {}', `"settings": {${before}}`);
  writeFileSync(profilesFile(), text);
  expect((await desk.run().open('x')).profile.name).toBe('x');
  expect((await desk.run().describe('x')).settings.at(-1)).toEqual({
    name: 'plan.max_total.MXN',
    value: '500000',
    from: 'profile, read by nothing',
  });
  await desk.run().set('x', 'orders.get', 'direct');
  expect(readFileSync(profilesFile(), 'utf8')).toContain(before);
  await desk.run().set('x', 'plan.max_total.MXN', 'default');
  expect(readFileSync(profilesFile(), 'utf8')).not.toContain('plan.max_total');
});

test('what a profile file holds by mistake is refused, and each of it can be taken back as is said', async () => {
  await desk.run().add(draft('x'), key);
  const wrong = '"refund.max_amout.MXN": "500", "refund.max_amount.mxn": "500"';
  const text = readFileSync(profilesFile(), 'utf8').replace('"settings": {}', `"settings": {${wrong}}`);
  writeFileSync(profilesFile(), text);
  for (const name of ['refund.max_amout.MXN', 'refund.max_amount.mxn']) {
    const now = [`paydesk profile set x ${name} default`];
    await expect(desk.run().open('x')).rejects.toMatchObject({ kind: 'refused', parts: { now } });
    await desk.run().set('x', name, 'default');
  }
  expect((await desk.run().open('x')).profile.name).toBe('x');
});

test('20 processes that add a profile at once lose none', async () => {
  const children = Array.from({ length: 20 }, (_, n) =>
    spawn(process.execPath, [writerPath, desk.home, 'add', `p${n}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(children.map((child) => readAll(child.stdout)));
  const names = (await desk.run().list()).map(({ name }) => name);
  expect(names).toHaveLength(21);
  expect(await (await desk.run().open('p17')).key()).toBe(`${canary}p17`);
});

test.each([1, 2, 3, 5, 8, 13])('kill -9 after write %s leaves a whole file', async (writes) => {
  await desk.run().add(draft('x'), key);
  const child = spawn(process.execPath, [writerPath, desk.home, 'set', 'x'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    seen += 1;
    if (seen === writes) child.kill('SIGKILL');
  }
  const { settings } = await desk.run().describe('x');
  const count = Number(settings.find(({ name }) => name === 'refund.max_amount.MXN')?.value);
  expect(count === seen || count === seen + 1).toBe(true);
  await desk.run().set('x', 'orders.order', 'newest-first');
});

test('a disk that takes no more leaves the old files whole, and no key of the profile that was not kept', async () => {
  await desk.run().add(draft('x'), key);
  const before = [readFileSync(profilesFile(), 'utf8'), readFileSync(keysFile(), 'utf8')];
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, writerPath, desk.home, 'add', 'y'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [, complaint] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  expect(complaint).toMatch(/cannot be written: .*\((EFBIG|ENOSPC)\)/);
  expect([readFileSync(profilesFile(), 'utf8'), readFileSync(keysFile(), 'utf8')]).toEqual(before);
  expect(readdirSync(desk.config).sort()).toEqual(['keys.json', 'profiles.json']);
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
    mkdirSync(desk.config, { recursive: true, mode: 0o700 });
    writeFileSync(profilesFile(), text, { mode: 0o600 });
    const refusal = {
      kind: 'refused',
      message: expect.stringContaining(profilesFile()),
      parts: { now: expect.arrayContaining([expect.stringContaining('mv ')]) },
    };
    await expect(desk.run().list()).rejects.toMatchObject(refusal);
    await expect(desk.run().add(draft('y'), key)).rejects.toMatchObject(refusal);
    expect(readFileSync(profilesFile(), 'utf8')).toBe(text);
  },
);

test('a profile file of a newer paydesk is refused and not rewritten', async () => {
  mkdirSync(desk.config, { recursive: true, mode: 0o700 });
  const text = '{"version":2,"profiles":[]}';
  writeFileSync(profilesFile(), text, { mode: 0o600 });
  await expect(desk.run().use('demo')).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('newer'),
  });
  expect(readFileSync(profilesFile(), 'utf8')).toBe(text);
});

test('a damaged profile file does not stop -p demo', async () => {
  mkdirSync(desk.config, { recursive: true, mode: 0o700 });
  writeFileSync(profilesFile(), 'x', { mode: 0o600 });
  const opened = await desk.run({ given: { profile: 'demo' } }).open();
  expect(opened.profile).toMatchObject({ kind: 'demo', origin: 'demo:i1', mode: 'sandbox' });
});

test('a stored key goes to its own origin only, whatever the file says later', async () => {
  await desk.run().add(draft('x'), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('https://api.example.com', 'https://api.example.co'));
  const opened = await desk.run().open('x');
  await expect(opened.key()).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('https://api.example.com'),
  });
  await desk.run().replaceKey('x', { text: `${canary}2`, where: 'a test' });
  expect(await (await desk.run().open('x')).key()).toBe(`${canary}2`);
});

test('a path prefix may change without a new key', async () => {
  await desk.run().add(draft('x'), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('/v1', '/v2'));
  expect(await (await desk.run().open('x')).key()).toBe(canary);
});

test('remove takes the key and the default with it', async () => {
  await desk.run().add(draft('x'), key);
  await desk.run().use('x');
  await desk.run().remove('x');
  expect(readFileSync(keysFile(), 'utf8')).not.toContain(canary);
  await expect(desk.run().open()).rejects.toMatchObject({ kind: 'auth' });
  await expect(desk.run().remove('x')).rejects.toMatchObject({ kind: 'auth' });
  await expect(desk.run().remove('demo')).rejects.toMatchObject({ kind: 'refused' });
});

test('a profile without its key says which command gives it', async () => {
  await desk.run().add(draft('x'), key);
  writeFileSync(keysFile(), '{"version":1,"keys":[]}');
  await expect((await desk.run().open('x')).key()).rejects.toMatchObject({
    kind: 'auth',
    parts: { now: ['paydesk profile key x'] },
  });
});

test('a damaged key file is refused and its text is never repeated', async () => {
  await desk.run().add(draft('x'), key);
  writeFileSync(keysFile(), `{"version":1,"keys":[["x",{"key":"${canary}"}]`);
  const error = await (await desk.run().open('x')).key().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'refused' });
  expect(String(error) + JSON.stringify(error)).not.toContain('Canary');
});

test('set changes one setting, in the production limits, and default takes it back', async () => {
  await desk.run().add(draft('shop', { mode: 'production' }), key);
  expect(await desk.run().set('shop', 'refund.max_amount.mxn', '50000')).toEqual({
    setting: 'refund.max_amount.MXN',
    before: undefined,
    after: '50000',
  });
  await desk.run().set('shop', 'lang', 'es');
  const { profile } = await desk.run().open('shop');
  expect(profile.settings['refund.max_amount'].MXN).toBe(50_000);
  expect(profile.lang).toBe('es');
  await desk.run().set('shop', 'refund.max_amount.MXN', 'default');
  expect((await desk.run().open('shop')).profile.settings['refund.max_amount'].MXN).toBeUndefined();
});

test.each([
  ['refund.send_within', '11s', 'refused'],
  ['reconcile.after', '0', 'refused'],
  ['refund.max_amount.MXN', '1.5', 'usage'],
  ['no.such', '1', 'usage'],
  ['__proto__', '1', 'usage'],
  ['api-version', '2', 'usage'],
  ['auth', 'digest', 'usage'],
  ['base-url', 'https://b.example', 'refused'],
  ['mode', 'sandbox', 'refused'],
])('set %s %s on a production profile is not done', async (setting, value, kind) => {
  await desk.run().add(draft('shop', { mode: 'production' }), key);
  const before = readFileSync(profilesFile(), 'utf8');
  await expect(desk.run().set('shop', setting, value)).rejects.toMatchObject({ kind });
  expect(readFileSync(profilesFile(), 'utf8')).toBe(before);
});

test('a setting that production may not have is refused also when the file was edited by hand', async () => {
  await desk.run().add(draft('shop', { mode: 'production' }), key);
  const text = readFileSync(profilesFile(), 'utf8');
  writeFileSync(profilesFile(), text.replace('"settings": {}', '"settings": {"refund.horizon_part": "1h"}'));
  await expect(desk.run().open('shop')).rejects.toMatchObject({
    kind: 'refused',
    parts: { now: ['paydesk profile set shop refund.horizon_part default'] },
  });
  await desk.run().set('shop', 'refund.horizon_part', 'default');
  await desk.run().open('shop');
});

test("a lead's file makes a profile, and its digest is kept", async () => {
  const lead =
    '{"base_url":"https://pay.example","mode":"production","vendor":"acme","settings":{"refund.require":"reason"}}';
  const from = desk.run().readLead(lead, '--from lead.json');
  await desk.run().add({ ...from, name: 'shop' }, key);
  const told = await desk.run().describe('shop');
  expect(told.profile).toMatchObject({ vendor: 'acme', mode: 'production' });
  expect(told.profile.settings['refund.require']).toEqual(['reason']);
  expect(told.fromDigest).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['with a key in it', '{"base_url":"https://pay.example","mode":"sandbox","key":"sEcReT"}', 'key'],
  ['without a mode', '{"base_url":"https://pay.example"}', 'mode'],
  ['that is no JSON', 'sEcReT', 'JSON'],
])("a lead's file %s is refused", (_what, text, word) => {
  const read = () => desk.run().readLead(text, '--from lead.json');
  expect(read).toThrow(expect.objectContaining({ kind: 'usage', message: expect.stringContaining(word) }));
  expect(read).not.toThrow(/sEcReT/);
});

test('profile show tells where each value comes from, and of the key its last four at most', async () => {
  await desk.run().add(draft('x', { lang: 'es' }), key);
  await desk.run().use('x');
  const told = await desk
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

test('a change in production does not take its profile from profile use when there are several', async () => {
  await desk.run().add(draft('shop', { mode: 'production' }), key);
  await desk.run().use('shop');
  const alone = await desk.run().open();
  expect(() => alone.approveChange()).not.toThrow();
  await desk.run().add(draft('test'), key);
  const byDefault = await desk.run().open();
  expect(() => byDefault.approveChange()).toThrow(expect.objectContaining({ kind: 'refused' }));
  const named = await desk.run({ given: { profile: 'shop' } }).open();
  expect(() => named.approveChange()).not.toThrow();
});

test('an order that a profile saw is remembered, and profiles that reach an account are found', async () => {
  await desk.run().add(draft('a'), key);
  await desk.run().add(draft('b'), key);
  await desk.run().rememberOrder('a', 'ord_2tQ7zRk9PwE5xNvAm');
  await desk.run().rememberOrder('demo', 'ord_1');
  expect(await desk.run().seenOrder('a')).toBe('ord_2tQ7zRk9PwE5xNvAm');
  expect(await desk.run().seenOrder('b')).toBeUndefined();
  expect(await desk.run().reaching('https://api.example.com service sandbox')).toEqual(['a', 'b']);
  expect(await desk.run().reaching('demo:i1 service sandbox')).toEqual(['demo']);
});

test('with a read-only HOME the environment is enough for reading, and a write says why it fails', async () => {
  chmodSync(desk.home, 0o555);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, [writerPath, desk.home, 'open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  const output = await readAll(child.stdout);
  if (child.exitCode === null) await once(child, 'exit');
  chmodSync(desk.home, 0o755);
  expect(output).toContain('environment true\n');
  expect(output).toMatch(/not written: .*(EACCES|EROFS)/);
});
