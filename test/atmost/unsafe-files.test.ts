/** What keeps the journal must be this user's own plain files: anything else is refused before it is opened, with a sentence. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { copyOf, type Home, paydesk } from '../harness/paydesk.ts';
import { changeArgs, journalFile, ledgerAndDesk, stateOf, story, witnessFile } from './desk.ts';

const { ledger, desk } = await ledgerAndDesk();
/** A home that sent a refund: all its files are there. */
let sound: Home;
beforeAll(async () => {
  sound = desk.newHome();
  expect((await desk.run(sound, changeArgs(ledger.add('refund')))).code).toBe(0);
});
afterAll(() => {
  sound[Symbol.dispose]();
});

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

const files: Readonly<Record<string, (home: Home) => string>> = {
  'the journal': journalFile,
  'the journal of SQLite': (home) => `${journalFile(home)}-journal`,
  'the witness': witnessFile,
  'a lock file': (home) => join(stateOf(home), 'locks/slot-63.lock'),
};
const folders: Readonly<Record<string, (home: Home) => string>> = {
  'the state folder': stateOf,
  'the folder of the journal': (home) => dirname(journalFile(home)),
  'the folder of the witness': (home) => dirname(witnessFile(home)),
  'the folder of the locks': (home) => join(stateOf(home), 'locks'),
  'the configuration folder': (home) => join(home.path, '.config/paydesk'),
};

/** Puts something in the place of a file, as an attacker or a careless copy may. */
const inPlace: Readonly<Record<string, (path: string) => void>> = {
  'a FIFO': (path) => {
    rmSync(path);
    spawnSync('mkfifo', ['-m', '600', path]);
  },
  'a symbolic link': (path) => {
    renameSync(path, `${path}.moved`);
    symlinkSync(`${path}.moved`, path);
  },
  'a file with a second name': (path) => linkSync(path, `${path}.second`),
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path, { mode: 0o700 });
  },
  'a device': (path) => {
    rmSync(path);
    // Only root may make one; a link to one is refused as a link.
    if (spawnSync('mknod', ['-m', '600', path, 'c', '1', '3']).status !== 0) symlinkSync('/dev/null', path);
  },
};

// Each file is checked by the same function before it is opened: the journal shows all that may stand in its place, the others one.
const kinds = Object.keys(inPlace);
const cases = Object.keys(files).flatMap((file, index) =>
  (index === 0 || isLong ? kinds : kinds.slice(index, index + 1)).map((what) => [file, what] as const),
);

describe('a file of the state folder', () => {
  test.concurrent.each(cases)(
    '%s that is %s is refused with its name, and nothing is sent',
    async (file, what) => {
      using home = copyOf(sound);
      const path = files[file]?.(home) ?? '';
      inPlace[what]?.(path);
      const order = ledger.add('refund');
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
      expect(stderr.replaceAll(/\s+/g, '')).toContain(path.replaceAll(/\s+/g, ''));
      expect(stderr).toMatch(/nothing\s+was\s+sent/);
    },
  );

  test.concurrent.each(['the journal', 'the journal of SQLite'])(
    '%s that is a FIFO stops no read for ever: it is refused, exit 3',
    async (file) => {
      using home = copyOf(sound);
      inPlace['a FIFO']?.(files[file]?.(home) ?? '');
      const { code, stderr } = await desk.run(home, ['journal', 'list']);
      expect(code, stderr).toBe(3);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('is not a plain file');
      const words = ['__complete', 'bash', '3', 'paydesk', 'journal', 'show', ''];
      expect(await paydesk(words, { home })).toMatchObject({
        signal: null,
        stdout: expect.not.stringContaining('i_'),
      });
    },
  );

  test.concurrent('a FIFO in place of the note that says who holds a lock makes no run wait', async () => {
    using home = copyOf(sound);
    const locks = join(stateOf(home), 'locks');
    const slots = Array.from({ length: 64 }, (_, slot) => String(slot).padStart(2, '0'));
    spawnSync(
      'mkfifo',
      slots.map((slot) => join(locks, `slot-${slot}.owner.json`)),
    );
    const order = ledger.add('refund');
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 1 });
  });

  test.concurrent.each(Object.keys(files))(
    '%s that others may read is closed to them, and that is said',
    async (file) => {
      using home = copyOf(sound);
      const path = files[file]?.(home) ?? '';
      chmodSync(path, 0o644);
      const order = ledger.add('refund');
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 1 });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('was open to other users; it is 600 now');
    },
  );

  test.skipIf(!isRoot).concurrent.each([...Object.entries(files), ...Object.entries(folders)])(
    '%s of another user is refused',
    async (_, pathOf) => {
      using home = copyOf(sound);
      chownSync(pathOf(home), nobody, nobody);
      const order = ledger.add('refund');
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('belongs to another user');
    },
  );
});

describe('a folder of ours', () => {
  test.concurrent.each(Object.entries(folders))(
    '%s that is a symbolic link is refused',
    async (_, pathOf) => {
      using home = copyOf(sound);
      const path = pathOf(home);
      renameSync(path, `${path}.moved`);
      symlinkSync(`${path}.moved`, path);
      const order = ledger.add('refund');
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('is a symbolic link');
    },
  );

  test.concurrent.each(Object.entries(folders))(
    '%s that others may enter is closed to them',
    async (_, pathOf) => {
      using home = copyOf(sound);
      chmodSync(pathOf(home), 0o755);
      const order = ledger.add('refund');
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 1 });
      expect(statSync(pathOf(home)).mode & 0o777).toBe(0o700);
    },
  );

  test.concurrent('a command that only reads checks the configuration folder too', async () => {
    using home = copyOf(sound);
    const path = join(home.path, '.config/paydesk');
    chmodSync(path, 0o777);
    const listed = await desk.run(home, ['profile', 'list']);
    expect(listed.code, listed.stderr).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    renameSync(path, `${path}.moved`);
    symlinkSync(`${path}.moved`, path);
    expect((await desk.run(home, ['profile', 'list'])).code).toBe(3);
  });
});

test('a repair keeps the damaged journal as a copy of its own: no file has a second name afterwards', async () => {
  using home = copyOf(sound);
  writeFileSync(journalFile(home), 'no journal\n'.repeat(900));
  expect((await desk.run(home, ['journal', 'verify', '--repair', '--yes'])).code).toBe(7);
  const folder = dirname(journalFile(home));
  for (const name of readdirSync(folder)) {
    const { nlink, mode } = statSync(join(folder, name));
    expect({ name, nlink, mode: mode & 0o777 }).toEqual({ name, nlink: 1, mode: 0o600 });
  }
  expect(readdirSync(folder).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
  expect(existsSync(journalFile(home))).toBe(true);
  // The witness gets the line of a first verdict with the next row: the refund is unconfirmed until its order is read.
  expect(story(home)).toBe('sent');
});
