import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileRules, readOwnFile, writeOwnFile } from '../../src/profiles/own-file.ts';
import { failingSync, hasStrace } from '../atmost/strace.ts';

const ownFile = pathToFileURL(fileURLToPath(new URL('../../src/profiles/own-file.ts', import.meta.url))).href;
let folder: string;
let notices: string[];
let rules: FileRules;
let path: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'own-')), 'paydesk');
  path = join(folder, 'keys.json');
  notices = [];
  rules = { uid: process.getuid?.(), notice: (line) => notices.push(line) };
});
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true });
});

const modeOf = (name: string) => statSync(name).mode & 0o777;

test('a missing file is read as undefined', () => {
  expect(readOwnFile(path, rules)).toBeUndefined();
});

test('a written file can be read, and nothing else is left in the folder', () => {
  writeOwnFile(path, 'one', rules);
  writeOwnFile(path, 'two', rules);
  expect(readOwnFile(path, rules)).toBe('two');
  expect(readdirSync(folder)).toEqual(['keys.json']);
  expect(notices).toEqual([]);
});

test.each(['000', '022', '077', '777'])('under umask %s the folder is 0700 and the file 0600', (umask) => {
  const code = `
    const { writeOwnFile } = await import(${JSON.stringify(ownFile)});
    process.umask(0o${umask});
    writeOwnFile(${JSON.stringify(path)}, 'one', { uid: process.getuid?.(), notice: console.log });
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  expect(said).toBe('');
  expect([modeOf(folder), modeOf(path)]).toEqual([0o700, 0o600]);
});

test('a file that others can read is repaired, with a notice', () => {
  writeOwnFile(path, 'one', rules);
  chmodSync(path, 0o644);
  expect(readOwnFile(path, rules)).toBe('one');
  expect(modeOf(path)).toBe(0o600);
  expect(notices).toEqual([`${path} was open to other users; it is 600 now`]);
});

test('a folder that others can write to is repaired, with a notice', () => {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeOwnFile(path, 'one', rules);
  expect(modeOf(folder)).toBe(0o700);
  expect(notices).toEqual([`${folder} was open to other users; it is 700 now`]);
});

test.each([
  ['a symbolic link', () => symlinkSync('target', path)],
  ['a folder', () => mkdirSync(path)],
  ['a hard link', () => linkSync(join(folder, 'target'), path)],
])('%s is refused', (_what, make) => {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'target'), 'x', { mode: 0o600 });
  make();
  expect(() => readOwnFile(path, rules)).toThrow(
    expect.objectContaining({ kind: 'refused', message: expect.stringContaining(path) }),
  );
});

test('a named pipe is refused at once', () => {
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('mkfifo', ['-m', '600', path]);
  expect(() => readOwnFile(path, rules)).toThrow(expect.objectContaining({ kind: 'refused' }));
});

test('a file or folder of another user is refused', () => {
  writeOwnFile(path, 'one', rules);
  // Root can give them away; anybody else looks at them as somebody else would.
  const isRoot = process.getuid?.() === 0;
  const asAnother = isRoot ? rules : { ...rules, uid: 65_534 };
  if (isRoot) chownSync(path, 65_534, 65_534);
  expect(() => readOwnFile(path, asAnother)).toThrow(expect.objectContaining({ kind: 'refused' }));
  if (isRoot) chownSync(folder, 65_534, 65_534);
  expect(() => writeOwnFile(path, 'two', asAnother)).toThrow(expect.objectContaining({ kind: 'refused' }));
});

test('a write that fails leaves the old file and no other', () => {
  writeOwnFile(path, 'one', rules);
  mkdirSync(`${path}.d`);
  expect(() => writeOwnFile(`${path}.d`, 'two', rules)).toThrow(expect.objectContaining({ kind: 'refused' }));
  expect(readFileSync(path, 'utf8')).toBe('one');
  expect(readdirSync(folder).sort()).toEqual(['keys.json', 'keys.json.d']);
});

describe('files that a group shares', () => {
  const group = process.getgid?.() ?? 0;
  let shared: FileRules;
  beforeEach(() => {
    shared = { ...rules, group };
  });

  test.each(['000', '022', '077', '777'])('under umask %s the file is 0660', (umask) => {
    const code = `
      const { writeOwnFile } = await import(${JSON.stringify(ownFile)});
      process.umask(0o${umask});
      writeOwnFile(${JSON.stringify(path)}, 'one', { uid: process.getuid?.(), group: ${group}, notice: () => undefined });
    `;
    execFileSync(process.execPath, ['--input-type=module', '--eval', code]);
    expect([statSync(folder).mode & 0o7777, modeOf(path)]).toEqual([0o2770, 0o660]);
  });

  test('what is closed to the group is opened to it, and what is open to others is closed, with a notice', () => {
    writeOwnFile(path, 'one', shared);
    notices = [];
    chmodSync(path, 0o600);
    expect(readOwnFile(path, shared)).toBe('one');
    chmodSync(path, 0o666);
    expect(readOwnFile(path, shared)).toBe('one');
    expect(modeOf(path)).toBe(0o660);
    expect(notices).toEqual([
      `${path} was closed to its group; it is 660 now`,
      `${path} was open to other users; it is 660 now`,
    ]);
  });

  test('a folder of another group is refused', () => {
    writeOwnFile(path, 'one', shared);
    expect(() => readOwnFile(path, { ...shared, group: group + 1 })).toThrow(
      `${folder} belongs to another group, so it is not used`,
    );
  });
});

test.skipIf(!hasStrace())('a disk that fails to keep the name of what was written is not passed over', () => {
  writeOwnFile(path, 'one', rules);
  const code = `
    const { writeOwnFile } = await import(${JSON.stringify(ownFile)});
    try {
      writeOwnFile(${JSON.stringify(path)}, 'two', { uid: process.getuid?.(), notice: console.log });
    } catch ({ kind, message }) {
      console.log(kind, message);
    }
  `;
  const run = (error: string) =>
    execFileSync(
      'strace',
      [...failingSync(folder, error), process.execPath, '--input-type=module', '--eval', code],
      { encoding: 'utf8' },
    );
  expect(run('EIO')).toBe(`refused the change to ${path} may be lost in a power cut: i/o error (EIO)\n`);
  // A system that cannot sync a folder says so: nothing is wrong then.
  expect(run('EINVAL')).toBe('');
  expect(readFileSync(path, 'utf8')).toBe('two');
});
