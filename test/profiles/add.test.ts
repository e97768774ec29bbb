/** profile add: where a key is kept is somebody's word, and so is a host that does not read as it is written. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { atTerminal } from '../harness/terminal.ts';

const folderOf = (home: Home) => join(home.path, '.config', 'paydesk');
const profilesOf = (home: Home) => readFileSync(join(folderOf(home), 'profiles.json'), 'utf8');
const keysOf = (home: Home) => join(folderOf(home), 'keys.json');
const key = 'key_test_4u9fQ2';
const down = '\x1b[B';

function add(home: Home, words: readonly string[], baseUrl = 'https://api.example.com'): Promise<Ran> {
  return paydesk(
    [
      'profile',
      'add',
      'a',
      '--base-url',
      baseUrl,
      '--mode',
      'sandbox',
      '--key-stdin',
      '--no-check',
      ...words,
    ],
    {
      home,
      input: key,
    },
  );
}

// No test has a keyring: there is no session bus.
describe.concurrent('a script keeps a key in a file only with --key-store file', () => {
  test.each([
    ['without a terminal', []],
    ['with --no-input', ['--no-input']],
    ['with --json', ['--json']],
  ])('%s: without the flag it is refused, the flag is named, and nothing is kept', async (_how, words) => {
    using home = newHome();
    const ran = await add(home, words);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('--key-store file');
    expect(ran.stderr).not.toContain(key);
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test('at a terminal with --no-input too', async () => {
    using home = newHome();
    const file = join(home.path, 'key.txt');
    writeFileSync(file, key);
    const words = ['--base-url', 'https://api.example.com', '--mode', 'sandbox', '--key-file', file];
    const ended = await atTerminal(['profile', 'add', 'a', ...words, '--no-input'], { home }).end;
    expect(ended.exitCode).toBe(3);
    expect(ended.transcript).toContain('--key-store file');
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test('with the flag the key is kept there', async () => {
    using home = newHome();
    const ran = await add(home, ['--key-store', 'file']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(readFileSync(keysOf(home), 'utf8')).toContain(`"${key}"`);
  });

  test('a new key is kept where the old one was, without the flag', async () => {
    using home = newHome();
    await add(home, ['--key-store', 'file']);
    const words = ['profile', 'key', 'a', '--key-stdin', '--key-store', 'keyring'];
    expect((await paydesk(words, { home, input: `${key}2` })).code).toBeGreaterThan(0);
    expect(readFileSync(keysOf(home), 'utf8')).toContain(`"${key}"`);
  });
});

describe.concurrent('a host with letters beyond ASCII is shown in both forms and asked about', () => {
  const lookalike = 'https://xn--pi-6kc.example.com/v1';
  const [ascii, unicode] = ['xn--pi-6kc.example.com', 'аpi.example.com'];

  test('a script that does not confirm it is refused, and nothing is kept', async () => {
    using home = newHome();
    const ran = await add(home, ['--key-store', 'file'], lookalike);
    expect(ran.code, ran.stderr).toBe(3);
    for (const text of [ascii, unicode, `--confirm ${ascii}`]) expect(ran.stderr).toContain(text);
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test('a script confirms it with --confirm and its xn-- form', async () => {
    using home = newHome();
    const words = ['--key-store', 'file', '--confirm'];
    expect((await add(home, [...words, 'api.example.com'], lookalike)).code).toBe(2);
    expect((await add(home, [...words, ascii], lookalike)).code).toBe(0);
    expect(JSON.parse(profilesOf(home))).toMatchObject({ profiles: { a: { base_url: lookalike } } });
    const shown = await paydesk(['profile', 'show', 'a', '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ base_url: lookalike, host_reads: unicode });
  });

  const atLookalike = (home: Home) =>
    atTerminal(['profile', 'add', 'a', '--base-url', lookalike, '--mode', 'sandbox', '--key-store', 'file'], {
      home,
    });

  test('at a terminal a bare Enter is No, and nothing is kept', async () => {
    using home = newHome();
    const terminal = atLookalike(home);
    await terminal.answer(`send the key to ${ascii}?`, '\r');
    const ended = await terminal.end;
    expect(ended.exitCode).toBe(3);
    expect(withoutEscapes(ended.transcript).replaceAll(/\s+/g, ' ')).toContain(`${ascii} reads ${unicode}`);
    expect(existsSync(folderOf(home))).toBe(false);
  });

  test('at a terminal a yes goes on to the key', async () => {
    using home = newHome();
    const terminal = atLookalike(home);
    await terminal.answer(`send the key to ${ascii}?`, 'y\r');
    await terminal.answer('private key of a', `${key}\r`);
    await terminal.answer('try the key before it is kept?', `${down}\r`);
    await terminal.answer('whenever no -p is given', '\r');
    expect((await terminal.end).exitCode).toBe(0);
    expect(readFileSync(keysOf(home), 'utf8')).toContain(`"${key}"`);
  });

  test('an ordinary host is not asked about', async () => {
    using home = newHome();
    expect((await add(home, ['--key-store', 'file'])).stderr).not.toContain('reads');
  });
});
