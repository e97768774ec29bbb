import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import { createIndexes } from '../../src/index/index.ts';
import { keyringScript } from '../../src/profiles/keyring.ts';
import { canary, createTestUser, type TestUser } from './test-user.ts';

let user: TestUser;
beforeEach(() => {
  user = createTestUser();
});
afterEach(() => {
  user.remove();
});

const keyring = (name: string) => fileURLToPath(new URL(`keyrings/${name}.js`, import.meta.url));
const draft = { name: 'x', baseUrl: 'https://api.example.com', mode: 'sandbox' } as const;
const key = { text: canary, where: 'a test', place: 'keyring' } as const;
const withKeyring = (name: string) =>
  user.run({
    env: { HOME: user.home, PAYDESK_API_KEY: '', SECRET: 'sEcReT' },
    keyringModule: keyring(name),
    // That one never answers, however long it is waited for.
    ...(name === 'hangs' ? { keyringLimitMs: 100 } : {}),
  });

const useless = [
  ['denies', 'denies'],
  ['answers garbage', 'garbage'],
  ['hangs', 'hangs'],
] as const;

test('a key in the keyring can be read again, is in no file of ours, and is removed with its profile', async () => {
  await withKeyring('kept').add(draft, key);
  expect(await (await withKeyring('kept').open('x')).key()).toBe(canary);
  expect(readdirSync(user.config)).toEqual(['profiles.json']);
  expect((await withKeyring('kept').describe('x')).key).toMatchObject({
    keptIn: 'system keyring',
    lastFour: 'wxyz',
  });
  expect(await withKeyring('kept').remove('x')).toBe(true);
  expect(readdirSync(user.home).filter((name) => name.startsWith('paydesk x'))).toEqual([]);
});

test('the process that asks the keyring gets no key and no secret by its arguments or environment', async () => {
  await withKeyring('kept').add(draft, key);
  const seen = readFileSync(join(user.home, 'seen.json'), 'utf8');
  expect(seen).not.toContain('Canary');
  expect(seen).not.toContain('sEcReT');
});

test.each(['PAYDESK_AGENT', 'AI_AGENT'])('what asks the keyring answers no run that has %s', (name) => {
  const script = keyringScript('class AsyncEntry { getPassword() { return "a key"; } }');
  const ask = (env: Readonly<Record<string, string>>) => {
    const words = ['--input-type=module', '--eval', script];
    const { status, stdout } = spawnSync(process.execPath, words, { env, input: '{"action":"read"}' });
    return { status, stdout: String(stdout) };
  };
  expect(ask({})).toEqual({ status: 0, stdout: '{"value":"a key"}' });
  expect(ask({ [name]: 'helper' })).toEqual({ status: 3, stdout: '' });
});

test('a key in the keyring carries the one origin it may be sent to', async () => {
  await withKeyring('kept').add(draft, key);
  const path = join(user.home, readdirSync(user.home).find((name) => name.startsWith('paydesk x')) ?? '');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ origin: 'https://api.example.com', key: canary });
});

test.each([...useless, ['is missing', 'nonexistent']] as const)(
  'when the keyring %s, the key is stored nowhere, and the error offers a file',
  async (_what, name) => {
    await expect(withKeyring(name).add(draft, key)).rejects.toMatchObject({
      kind: 'refused',
      parts: { now: [expect.stringContaining('--key-store file')] },
    });
    expect(existsSync(join(user.config, 'keys.json'))).toBe(false);
    expect((await user.run().list()).map((profile) => profile.name)).toEqual(['demo']);
  },
);

test.each(useless)('when the keyring %s, its key cannot be read: exit 4', async (_what, name) => {
  await withKeyring('kept').add(draft, key);
  const opened = await withKeyring(name).open('x');
  await expect(opened.key()).rejects.toMatchObject({
    kind: 'auth',
    message: expect.stringContaining('system keyring'),
  });
});

test('a key that moves to the file is removed from the keyring', async () => {
  await withKeyring('kept').add(draft, key);
  await withKeyring('kept').replaceKey('x', { text: `${canary}2`, where: 'a test', place: 'file' });
  expect(await (await user.run().open('x')).key()).toBe(`${canary}2`);
  expect(readdirSync(user.home).filter((name) => name.startsWith('paydesk x'))).toEqual([]);
});

test('a profile can be removed when its keyring does not answer; a notice says that the key may still be there', async () => {
  await withKeyring('kept').add(draft, key);
  expect(await withKeyring('denies').remove('x')).toBe(false);
  expect(user.notices).toEqual([expect.stringContaining('may still be in the system keyring')]);
});

test('whether there is a keyring can be asked before a key is typed', async () => {
  expect(await withKeyring('kept').keyringProblem()).toBeUndefined();
  expect(await withKeyring('denies').keyringProblem()).toEqual(expect.any(String));
});

test('the key of an index is in the keyring, where that of its profile is, and is removed with the index', async () => {
  await withKeyring('kept').add(draft, key);
  const { profile } = await withKeyring('kept').open('x');
  const indexesWith = (name: string) =>
    createIndexes({
      folder: join(user.home, 'index'),
      profiles: withKeyring(name),
      rules: { uid: process.getuid?.(), notice: () => undefined },
      clock: systemClock,
    });
  const inKeyring = () => readdirSync(user.home).filter((name) => name.startsWith('paydesk index '));
  const made = indexesWith('kept');
  await made.create(profile);
  made.close();
  expect(inKeyring()).toHaveLength(1);
  expect(existsSync(join(user.config, 'keys.json'))).toBe(false);
  const again = indexesWith('kept');
  expect((await again.open(profile))?.keptIn).toBe('the system keyring');
  again.close();
  await expect(indexesWith('denies').open(profile)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('the key of the index cannot be read'),
  });
  expect(await indexesWith('kept').erase(profile.account)).toEqual({ keyStays: false });
  expect(inKeyring()).toEqual([]);
  const last = indexesWith('kept');
  await last.create(profile);
  last.close();
  await expect(indexesWith('denies').eraseAll()).rejects.toMatchObject({ kind: 'refused' });
  expect(inKeyring()).toHaveLength(1);
  await indexesWith('kept').eraseAll();
  expect(inKeyring()).toEqual([]);
});

test('an index that does not open is erased by its account alone, and its key is said to stay', async () => {
  await withKeyring('kept').add(draft, key);
  const { profile } = await withKeyring('kept').open('x');
  const notices: string[] = [];
  const folder = join(user.home, 'index');
  const indexes = createIndexes({
    folder,
    profiles: withKeyring('kept'),
    rules: { uid: process.getuid?.(), notice: (line) => notices.push(line) },
    clock: systemClock,
  });
  await indexes.create(profile);
  indexes.close();
  for (const name of readdirSync(folder))
    if (name.endsWith('.db')) writeFileSync(join(folder, name), 'x'.repeat(5000));
  await expect(indexes.eraseAll()).rejects.toMatchObject({ kind: 'refused' });
  expect(await indexes.erase(profile.account)).toEqual({ keyStays: true });
  expect(notices).toEqual([expect.stringContaining('that key stays where it is')]);
  expect(await indexes.erase(profile.account)).toBeUndefined();
});

test.each(useless)('when the keyring %s, no index is made', async (_what, name) => {
  await withKeyring('kept').add(draft, key);
  const { profile } = await withKeyring('kept').open('x');
  const indexes = createIndexes({
    folder: join(user.home, 'index'),
    profiles: withKeyring(name),
    rules: { uid: process.getuid?.(), notice: () => undefined },
    clock: systemClock,
  });
  await expect(indexes.create(profile)).rejects.toMatchObject({
    kind: 'refused',
    parts: { now: expect.arrayContaining(['paydesk profile key x --key-store file']) },
  });
  expect(existsSync(join(user.home, 'index'))).toBe(false);
});
