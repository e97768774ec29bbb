/** E44 to E51 for the questions of the profile commands: a typed key is never seen, and nothing is kept of what was stopped. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helpOf } from '../harness/help-text.ts';
import { copyOf, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { startServer } from '../harness/server.ts';
import { emptyList } from '../harness/service.ts';
import { atTerminal, isCursorShown, type Terminal } from '../harness/terminal.ts';

// Letters that no path, id or sentence of the screen is made of.
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => 'GHJKLQVWXYZ'[byte % 11]).join('');
const where = ['--base-url', 'http://127.0.0.1:9', '--mode', 'sandbox'];
const profilesOf = (home: Home) => join(home.path, '.config', 'paydesk', 'profiles.json');
const keysOf = (home: Home) => join(home.path, '.config', 'paydesk', 'keys.json');

// A home with the profile `a`; each test works on a copy.
let added: Home;
let addedKey: string;
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  added = newHome();
  addedKey = newKey();
  // A new key is tried before it replaces another.
  server = await startServer(emptyList);
  await storeProfile(added, { name: 'a', baseUrl: server.url, mode: 'sandbox' }, addedKey);
});
afterAll(async () => {
  added[Symbol.dispose]();
  await server.close();
});

const styles = [
  { style: 'redrawn', env: {} },
  { style: 'lines', env: { PAYDESK_ACCESSIBLE: '1' } },
] as const;

// Any four characters in a row would be a part of it, but for those that are shown: the last four of the key that is
// kept. They may by chance stand in it twice, or in one that was typed before it.
function expectUnseen(transcript: string, key: string, kept = key): void {
  const text = withoutEscapes(transcript);
  expect(text).not.toContain(key);
  const parts = Array.from({ length: key.length - 3 }, (_, at) => key.slice(at, at + 4));
  expect(parts.filter((part) => part !== kept.slice(-4) && text.includes(part))).toEqual([]);
  expect(transcript).not.toContain(Buffer.from(key).toString('base64').slice(0, 12));
}

describe.concurrent('a key typed at a prompt never appears (E50)', () => {
  const ctrlT = '\x14';
  const ctrlU = '\x15';
  const manners: readonly {
    readonly manner: string;
    readonly type: (terminal: Terminal, key: string) => void;
  }[] = [
    { manner: 'pasted', type: (terminal, key) => terminal.type(key) },
    { manner: 'pasted in brackets', type: (terminal, key) => terminal.type(`\x1b[200~${key}\x1b[201~`) },
    {
      manner: 'typed key by key among Ctrl-T, Tab, arrows, Ctrl-R and Ctrl-L',
      type: (terminal, key) => {
        terminal.type(`\t${ctrlU}${ctrlT}`);
        for (const letter of key.slice(0, 9)) terminal.type(letter);
        terminal.type(ctrlT);
        for (const letter of key.slice(9)) terminal.type(letter);
        terminal.type('\x1b[A\x1b[B\x1b[C\x12\x0c');
        terminal.type(`${ctrlT}${ctrlT}`);
      },
    },
    {
      manner: 'resized meanwhile',
      type: (terminal, key) => {
        terminal.type(key.slice(0, 9));
        terminal.resize(40, 10);
        terminal.type(key.slice(9));
        terminal.resize(120, 40);
      },
    },
  ];
  // Among lines every key is read in the same way as on a screen that is redrawn, so one manner shows it.
  const all = styles.flatMap((style) => manners.map((manner) => ({ ...style, ...manner })));
  test.each(all.filter(({ style, manner }) => style === 'redrawn' || manner.startsWith('typed')))(
    '$manner, $style',
    async ({ env, type }) => {
      using home = copyOf(added);
      const key = newKey();
      const terminal = atTerminal(['profile', 'key', 'a'], { home, env });
      await terminal.waitFor('private key of a');
      type(terminal, key);
      terminal.type('\r');
      const ended = await terminal.end;
      expectUnseen(ended.transcript, key);
      expect(ended).toMatchObject({ exitCode: 0, sameTerminal: true, cursorShown: true });
    },
  );

  test.each(styles)('after a key that cannot be one, $style', async ({ env }) => {
    using home = copyOf(added);
    const [wrong, key] = [`${newKey()} ${newKey()}`, newKey()];
    const person = sit(['profile', 'key', 'a'], { home, env });
    await person.answer('private key of a', `${wrong}\r`);
    await person.answer('printable ASCII', `${key}\r`);
    expect((await person.leaves).code).toBe(0);
    expectUnseen(person.transcript, key);
    expectUnseen(person.transcript, wrong, key);
    expect(readFileSync(keysOf(home), 'utf8')).toContain(`"${key}"`);
  });

  test.each(styles)(
    'a whole profile added at the terminal keeps the key that was typed, $style',
    async ({ style, env }) => {
      using home = newHome();
      const key = newKey();
      const person = sit(['profile', 'add', 'a'], { home, env });
      await person.answer('address of the service', 'http://127.0.0.1:9\r');
      await person.answer('the key is for', style === 'lines' ? '1\r' : '\r');
      await person.waitFor('no system keyring available');
      await person.answer('keep the key in a file that only you can read?', 'y\r');
      await person.answer('private key of a', `${key}\r`);
      await person.answer('try the key before it is kept?', style === 'lines' ? '2\r' : '\x1b[B\r');
      await person.answer('whenever no -p is given', '\r');
      expect((await person.leaves).code).toBe(0);
      expectUnseen(person.transcript, key);
      expect(readFileSync(keysOf(home), 'utf8')).toContain(`"${key}"`);
      expect(JSON.parse(readFileSync(profilesOf(home), 'utf8'))).toMatchObject({
        profiles: { a: { base_url: 'http://127.0.0.1:9', mode: 'sandbox', key_in: 'file' } },
      });
      expect(JSON.parse(readFileSync(profilesOf(home), 'utf8'))).not.toHaveProperty('default');
      // An index is offered with what it keeps, and not built.
      const words = withoutEscapes(person.transcript).replaceAll(/\s+/g, ' ');
      expect(words).toContain('names, cards and amounts of all orders on this machine, encrypted');
      expect(words).toContain('paydesk -p a index build');
      expect(existsSync(join(home.path, '.local/state/paydesk/index'))).toBe(false);
    },
  );
});

interface Question {
  readonly name: string;
  readonly at: string;
  readonly args: readonly string[];
  /** Questions before it, and their answers. */
  readonly first?: readonly (readonly [string, string])[];
}
const questions: readonly Question[] = [
  { name: 'the address', at: 'address of the service', args: ['profile', 'add', 'b'] },
  {
    name: 'the mode',
    at: 'the key is for',
    args: ['profile', 'add', 'b', '--base-url', 'http://127.0.0.1:9'],
  },
  { name: 'where to keep the key', at: 'keep the key in', args: ['profile', 'add', 'b', ...where] },
  {
    name: 'the key',
    at: 'private key of b',
    args: ['profile', 'add', 'b', ...where, '--key-store', 'file'],
  },
  { name: 'a new key', at: 'private key of a', args: ['profile', 'key', 'a'] },
  {
    name: 'whether to try the key',
    at: 'try the key before it is kept?',
    args: ['profile', 'add', 'b', ...where, '--key-store', 'file'],
    first: [['private key of b', `${newKey()}\r`]],
  },
  {
    name: 'whether it is the default',
    at: 'whenever no -p is given',
    args: ['profile', 'add', 'b', ...where, '--key-store', 'file', '--no-check'],
    first: [['private key of b', `${newKey()}\r`]],
  },
  { name: 'removal', at: 'remove profile a', args: ['profile', 'remove', 'a'] },
];

const ways = [
  {
    claim: 'Ctrl-C exits 130 (E47)',
    keys: '\x03',
    code: 130,
    words: /\ninterrupted: Ctrl-C(\ncertain: nothing was sent or changed)?$/,
  },
  {
    claim: 'Ctrl-D exits 3 (E48)',
    keys: '\x04',
    code: 3,
    words: /\ncancelled: .{0,60}\ncertain: nothing was sent or changed$/,
  },
  {
    claim: 'SIGTERM exits 143 (E51)',
    keys: undefined,
    code: 143,
    words: /\ninterrupted: terminated$/,
  },
];

// Every question is stopped by each key, the one for the key also by a signal, at a real terminal, and among lines.
const stopped = styles.flatMap((style) =>
  questions.flatMap((question) =>
    ways
      .filter(({ code }) =>
        style.style === 'redrawn' ? code !== 143 || question.name === 'the key' : question.name === 'the key',
      )
      .map((way) => ({ ...style, ...question, ...way })),
  ),
);

describe.concurrent('a question of the profile commands that is stopped changes nothing (E47, E48, E51)', () => {
  const kept = (home: Home) => [profilesOf(home), keysOf(home)].map((path) => readFileSync(path, 'utf8'));

  test.each(stopped.filter(({ name }) => name === 'the key'))(
    '$claim: $name, $style (real terminal)',
    async ({ env, at, args, keys, code, words }) => {
      using home = copyOf(added);
      const before = kept(home);
      const terminal = atTerminal(args, { home, env, columns: 120 });
      await terminal.waitFor(at);
      if (keys === undefined) terminal.signal('SIGTERM');
      else terminal.type(keys);
      const ended = await terminal.end;
      expect(withoutEscapes(ended.transcript).replaceAll('\r\n', '\n').trimEnd()).toMatch(words);
      expect(ended).toMatchObject({ exitCode: code, sameTerminal: true, cursorShown: true });
      expect(kept(home)).toEqual(before);
    },
  );

  test.each(stopped.filter(({ name }) => name !== 'the key'))(
    '$claim: $name, $style',
    async ({ env, at, args, first = [], keys = '', code, words }) => {
      using home = copyOf(added);
      const before = kept(home);
      const person = sit(args, { home, env }, 120);
      for (const [question, answer] of first) await person.answer(question, answer);
      await person.answer(at, keys);
      const left = await person.leaves;
      expect(left.code).toBe(code);
      expect(left.screen.trimEnd()).toMatch(words);
      expect(isCursorShown(person.transcript)).toBe(true);
      expect(kept(home)).toEqual(before);
    },
  );
});

describe.concurrent('Enter at a removal means No (E49)', () => {
  test.each(styles)('$style', async ({ env }) => {
    using home = copyOf(added);
    const person = sit(['profile', 'remove', 'a'], { home, env });
    await person.answer('remove profile a', '\r');
    expect((await person.leaves).code).toBe(3);
    expect(readFileSync(profilesOf(home), 'utf8')).toBe(readFileSync(profilesOf(added), 'utf8'));
    expect(readFileSync(keysOf(home), 'utf8')).toContain(addedKey);
  });

  test('and y removes profile and key', async () => {
    using home = copyOf(added);
    const person = sit(['profile', 'remove', 'a'], { home, env: {} });
    await person.answer('remove profile a', 'y\r');
    expect((await person.leaves).code).toBe(0);
    expect(JSON.parse(readFileSync(profilesOf(home), 'utf8'))).toMatchObject({ profiles: {} });
    expect(JSON.parse(readFileSync(profilesOf(home), 'utf8'))).not.toHaveProperty('profiles.a');
    expect(existsSync(keysOf(home)) ? readFileSync(keysOf(home), 'utf8') : '').not.toContain(addedKey);
  });
});

describe.concurrent('what a profile command would ask is named as a flag where nobody can be asked (E44, E45)', () => {
  const missing = [
    { args: ['profile', 'add', 'b'], flag: '--base-url' },
    { args: ['profile', 'add', 'b', '--base-url', 'http://127.0.0.1:9'], flag: '--mode' },
    { args: ['profile', 'add', 'b', ...where], flag: '--key-stdin or --key-file' },
    { args: ['profile', 'key', 'a'], flag: '--key-stdin or --key-file' },
    { args: ['profile', 'remove', 'a'], flag: '--yes' },
  ];
  test.each(missing)('off a terminal, $args: $flag', async ({ args, flag }) => {
    using home = copyOf(added);
    const piped = await paydesk(args, { home, stdinOpen: true });
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain(`missing ${flag}`);
    expect(piped.stdout).toBe('');
  });

  // One question of each command: who may be asked is settled before which question it is.
  test.each(missing.slice(2))('on a terminal under --no-input, $args: $flag', async ({ args, flag }) => {
    using home = copyOf(added);
    const { code, screen } = await sit([...args, '--no-input'], { home, env: {} }).leaves;
    expect(code).toBe(2);
    expect(screen).toContain(`missing ${flag}`);
  });

  test('and help of its command lists every one of them', async () => {
    for (const { args, flag } of missing) {
      const help = await helpOf(args.slice(0, 2));
      for (const word of flag.split(' or ')) expect(help).toContain(word);
    }
  });
});
