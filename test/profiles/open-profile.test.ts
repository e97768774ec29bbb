import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keysOnFile } from '../../src/profiles/early-reads.ts';
import { canary, createTestUser, type TestUser } from './test-user.ts';

let user: TestUser;
beforeEach(async () => {
  user = createTestUser();
  await user
    .run()
    .add(
      { name: 'shop', baseUrl: 'https://api.example.com', mode: 'sandbox' },
      { text: canary, where: 'a test', place: 'file' },
    );
});
afterEach(() => {
  user.remove();
});

const variables = {
  PAYDESK_BASE_URL: 'https://pay.example/x/',
  PAYDESK_MODE: 'production',
  PAYDESK_API_KEY: `${canary}env`,
};

test('without a profile: exit 4, naming -p demo and profile add', async () => {
  await user.run().remove('shop');
  await expect(user.run().open()).rejects.toMatchObject({
    kind: 'auth',
    parts: {
      now: [expect.stringContaining('-p demo'), expect.stringContaining('paydesk profile add')],
    },
  });
});

test('without a named profile: exit 4, naming those that are stored', async () => {
  await expect(user.run().open()).rejects.toMatchObject({
    kind: 'auth',
    parts: { now: expect.arrayContaining(['stored: shop; built in: demo', 'name one: -p shop']) },
  });
});

test('the named profile wins over profile use', async () => {
  await user.run().use('shop');
  const opened = await user.run({ given: { profile: 'demo' } }).open();
  expect(opened.profile.name).toBe('demo');
  expect((await user.run().open()).chosenBy).toBe('default');
});

test('an unknown profile is refused, and the error lists the stored ones', async () => {
  await expect(user.run({ given: { profile: 'shp' } }).open()).rejects.toMatchObject({
    kind: 'auth',
    message: expect.stringContaining('shp'),
    parts: { now: expect.arrayContaining([expect.stringContaining('shop')]) },
  });
});

test('variables alone form the profile environment', async () => {
  const opened = await user
    .run({ env: { ...variables, PAYDESK_VENDOR: 'acme', PAYDESK_AUTH: 'basic' }, given: { lang: 'es' } })
    .open();
  expect(opened.profile).toMatchObject({
    name: 'environment',
    kind: 'environment',
    mode: 'production',
    baseUrl: 'https://pay.example/x',
    origin: 'https://pay.example',
    vendor: 'acme',
    auth: 'basic',
    lang: 'es',
  });
  expect(opened.chosenBy).toBe('environment');
  expect(await opened.key()).toBe(`${canary}env`);
});

test('a key file of the environment is read without the line break at its end', async () => {
  const path = join(user.home, 'key.txt');
  writeFileSync(path, `${canary}\r\n`);
  const { PAYDESK_API_KEY: _, ...others } = variables;
  const opened = await user.run({ env: { ...others, PAYDESK_KEY_FILE: path } }).open();
  expect(await opened.key()).toBe(canary);
});

test('empty variables count as unset', async () => {
  const empty = {
    PAYDESK_BASE_URL: '',
    PAYDESK_MODE: '',
    PAYDESK_API_KEY: '',
    PAYDESK_KEY_FILE: '',
    PAYDESK_VENDOR: '',
    PAYDESK_AUTH: '',
  };
  await expect(user.run({ env: empty }).open()).rejects.toMatchObject({ kind: 'auth' });
  expect((await user.run({ env: empty }).open('shop')).profile.name).toBe('shop');
});

test.each([
  'PAYDESK_BASE_URL',
  'PAYDESK_MODE',
  'PAYDESK_API_KEY',
  'PAYDESK_KEY_FILE',
  'PAYDESK_VENDOR',
  'PAYDESK_AUTH',
])('%s is refused together with a named profile, and together with the default one', async (name) => {
  const refusal = { kind: 'refused', message: expect.stringContaining(name) };
  const env = { [name]: 'sEcReT' };
  await expect(user.run({ env, given: { profile: 'shop' } }).open()).rejects.toMatchObject(refusal);
  await expect(user.run({ env }).open('demo')).rejects.toMatchObject(refusal);
  await user.run().use('shop');
  await expect(user.run({ env }).open()).rejects.toMatchObject(refusal);
  await expect(user.run({ env }).open()).rejects.not.toThrow(/sEcReT/);
});

test('-p environment means the variables, even when there is a default profile', async () => {
  await user.run().use('shop');
  const opened = await user.run({ env: variables, given: { profile: 'environment' } }).open();
  expect(opened.profile.kind).toBe('environment');
});

test.each([
  ['no base URL', { PAYDESK_BASE_URL: '' }, 'auth'],
  ['no mode', { PAYDESK_MODE: '' }, 'auth'],
  ['a mode that is none', { PAYDESK_MODE: 'live' }, 'usage'],
  ['plain http', { PAYDESK_BASE_URL: 'http://pay.example' }, 'refused'],
  ['a user in the address', { PAYDESK_BASE_URL: 'https://sEcReT@pay.example' }, 'refused'],
  ['a vendor that is none', { PAYDESK_VENDOR: 'a/b' }, 'usage'],
])('variables with %s form no profile', async (_what, change, kind) => {
  const opening = user.run({ env: { ...variables, ...change } }).open();
  await expect(opening).rejects.toMatchObject({ kind });
  await expect(opening).rejects.not.toThrow(/sEcReT/);
});

test.each([
  ['no key', { PAYDESK_API_KEY: '' }, 'auth'],
  ['two keys', { PAYDESK_KEY_FILE: '/dev/null' }, 'usage'],
  ['a key so short that it is none', { PAYDESK_API_KEY: 'sEcReT' }, 'usage'],
  ['a key with a line break', { PAYDESK_API_KEY: 'sEcReT\nsEcReT' }, 'usage'],
  ['a key file that is not there', { PAYDESK_API_KEY: '', PAYDESK_KEY_FILE: '/nonexistent' }, 'auth'],
])('variables with %s give no key', async (_what, change, kind) => {
  const opened = await user.run({ env: { ...variables, ...change } }).open();
  const error = await opened.key().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind });
  expect(String(error)).not.toContain('sEcReT');
});

test('a variable that is too short for a key is not searched for in the arguments', async () => {
  const { config } = user.run().folders;
  expect(keysOnFile(config, { PAYDESK_API_KEY: 'json' }, () => config)).toEqual([canary]);
});

test('profile show tells which variable a value comes from', async () => {
  const told = await user
    .run({ env: { ...variables, PAYDESK_LANG: 'es' }, given: { lang: 'es' } })
    .describe();
  const from = Object.fromEntries(told.values.map((value) => [value.name, value.from]));
  expect(from).toMatchObject({
    name: 'environment',
    mode: 'environment PAYDESK_MODE',
    base_url: 'environment PAYDESK_BASE_URL',
    vendor: 'default',
    api_version: 'default',
    lang: 'environment PAYDESK_LANG',
  });
  expect(told.key).toMatchObject({ keptIn: 'PAYDESK_API_KEY', lastFour: 'zenv' });
});

test('profile list has the stored profiles, the demo and, when variables are set, the environment', async () => {
  await user.run().use('demo');
  const list = await user.run({ env: variables }).list();
  expect(list.map(({ name, isDefault }) => [name, isDefault])).toEqual([
    ['shop', false],
    ['demo', true],
    ['environment', false],
  ]);
});
