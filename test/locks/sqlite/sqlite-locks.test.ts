/** The locks of one machine: the rules of all locks, and what belongs to their files. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../bin/process-io.ts';
import type { Locks } from '../../../src/locks/locks.ts';
import { ownerFile, slotCount, slotFile, slotOf } from '../../../src/locks/sqlite/slot-files.ts';
import { createSqliteLocks } from '../../../src/locks/sqlite/sqlite-locks.ts';
import {
  locksContract,
  locksContractOfProcesses,
  type PlaceOfProcesses,
  startHolder,
  taken,
} from '../contract.ts';

const holder = join(import.meta.dirname, 'holder.ts');

/** A folder that is not there yet. */
function newFolder(): PlaceOfProcesses & { readonly folder: string } {
  const parent = mkdtempSync(join(tmpdir(), 'locks-'));
  const folder = join(parent, 'locks');
  return {
    folder,
    holder: [holder, folder],
    open: (owner) =>
      createSqliteLocks({
        folder,
        clock: systemClock,
        owner,
        rules: { uid: process.getuid?.(), notice: () => undefined, movedBy: 'XDG_STATE_HOME' },
      }),
    remove: () => rmSync(parent, { recursive: true }),
  };
}

// One that ends by itself keeps its compiled code for the others, most of which are killed.
beforeAll(() => {
  const place = newFolder();
  execFileSync(process.execPath, [...place.holder, 'any', '0'], { input: '' });
  place.remove();
});

locksContract('SQLite', newFolder);
locksContractOfProcesses('SQLite', newFolder);

describe('the files of SQLite locks', () => {
  let place: ReturnType<typeof newFolder>;
  let folder: string;
  beforeEach(() => {
    place = newFolder();
    ({ folder } = place);
  });
  afterEach(() => {
    place.remove();
  });
  const open = (): Locks => place.open({ operator: 'op8', command: 'journal reconcile' });

  test('a process that dies leaves its owner file, and the next one takes the lock all the same', async () => {
    const { child } = await startHolder(place, 'order ord_1');
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(readdirSync(folder).filter((name) => name.endsWith('.owner.json'))).toHaveLength(1);
    await (await taken(open(), 'order ord_1')).release();
  });

  test('a slot in use for another name is waited for', async () => {
    const { child } = await startHolder(place, neighbourOf('order ord_1'));
    const waiting = open().take('order ord_1', { waitMs: 30_000 });
    child.stdin?.end();
    expect(await waiting).toMatchObject({ held: true });
  });

  test('a wait for a slot in use for another name ends busy, without an owner', async () => {
    const lock = await taken(open(), neighbourOf('order ord_1'));
    expect(await open().take('order ord_1', { waitMs: 50 })).toEqual({ held: false, owner: undefined });
    await lock.release();
  });

  test('an owner file that cannot be parsed is not trusted: the lock is busy, and waited for', async () => {
    const lock = await taken(open(), 'order ord_1');
    writeFileSync(ownerFile(folder, slotOf('order ord_1')), '{"name":"order ord_1"');
    expect(await open().take('order ord_1', { waitMs: 50 })).toEqual({ held: false, owner: undefined });
    const waiting = open().take('order ord_1', { waitMs: 30_000 });
    await lock.release();
    expect(await waiting).toMatchObject({ held: true });
  });

  test('a lock of this process is seen by another process, also after this one opened its locks again', async () => {
    const lock = await taken(open(), 'order ord_1');
    await (await taken(open(), 'order of another slot')).release();
    expect((await startHolder(place, 'order ord_1')).result).toMatchObject({
      held: false,
      owner: { operator: 'op8' },
    });
    await lock.release();
  });

  test('the folder is 0700 and every file in it 0600, also when they were looser before', async () => {
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(slotFile(folder, 3), '');
    chmodSync(slotFile(folder, 3), 0o666);
    const lock = await taken(open(), 'order ord_1');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder);
    expect(files.filter((name) => /^slot-\d\d\.lock$/.test(name))).toHaveLength(slotCount);
    expect(files.filter((name) => !name.endsWith('.lock'))).toEqual([
      expect.stringMatching(/\.owner\.json$/),
      'tested.json',
    ]);
    expect(files.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual(files.map(() => 0o600));
    await lock.release();
  });

  test.each([
    ['a symbolic link', (path: string) => symlinkSync('/dev/null', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'a hard link',
      (path: string) => {
        writeFileSync(`${path}.first`, '');
        linkSync(`${path}.first`, path);
      },
    ],
  ])('%s in the place of a slot file is refused', async (_what, make) => {
    mkdirSync(folder, { mode: 0o700 });
    make(slotFile(folder, 5));
    await expect(open().take('a', { waitMs: 0 })).rejects.toMatchObject({ kind: 'refused' });
  });

  test('a slot file that is no SQLite file is refused with what to do', async () => {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(slotFile(folder, slotOf('a')), 'x'.repeat(5000));
    await expect(open().take('a', { waitMs: 0 })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(slotFile(folder, slotOf('a'))),
    });
  });
});

/** Another name on the slot of this one. */
function neighbourOf(name: string): string {
  for (let n = 0; ; n += 1) if (slotOf(`other ${n}`) === slotOf(name)) return `other ${n}`;
}
