/** The landmark: where it lies, who may write it, and that nothing about it ever stops a refund. */

import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { landmarkFolders, readLandmark, writeLandmark } from '../../../src/journal/sqlite/copy-marks.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'paydesk-landmark-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const id = '0123456789abcdef0123456789abcdef';
const uid = process.getuid?.();
const rules = { uid, notice: () => undefined };
const row = (seq: number) => ({ seq, hash: 'a'.repeat(64), time: 1_793_702_520_000 + seq });
const own = () => join(root, 'paydesk-own');
const place = (...folders: readonly string[]) => ({
  folders: folders.length === 0 ? [own()] : folders,
  rules,
});
const file = () => join(own(), id);

describe('a landmark', () => {
  it('is read as it was written last', () => {
    expect(readLandmark(place(), id)).toBeUndefined();
    for (const seq of [9, 10, 812, 811]) {
      writeLandmark(place(), id, row(seq));
      expect(readLandmark(place(), id)).toEqual(row(seq));
    }
  });

  it('is a private file in a private folder', () => {
    writeLandmark(place(), id, row(1));
    expect([statSync(own()).mode & 0o777, statSync(file()).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('of another journal is not touched', () => {
    const other = 'f'.repeat(32);
    writeLandmark(place(), other, row(7));
    writeLandmark(place(), id, row(1));
    expect(readLandmark(place(), other)).toEqual(row(7));
    writeFileSync(file(), readFileSync(join(own(), other)));
    expect(readLandmark(place(), id)).toBeUndefined();
  });

  it('that is torn at any place counts as missing, and the next one is whole', () => {
    writeLandmark(place(), id, row(811));
    const before = readFileSync(file());
    writeLandmark(place(), id, row(97_812));
    const after = readFileSync(file());
    for (let at = 0; at < after.length; at += 1) {
      const torn = Buffer.concat([after.subarray(0, at), before.subarray(at)]);
      writeFileSync(file(), torn);
      const whole = torn.equals(after) ? row(97_812) : torn.equals(before) ? row(811) : undefined;
      expect({ at, row: readLandmark(place(), id) }).toEqual({ at, row: whole });
      truncateSync(file(), at);
      expect(readLandmark(place(), id)).toBeUndefined();
    }
    writeLandmark(place(), id, row(5));
    expect(readLandmark(place(), id)).toEqual(row(5));
  });

  it('is made in the first folder, kept up to date in each that has one, and the newest counts', () => {
    const [first, second] = [join(root, 'first'), join(root, 'second')];
    writeLandmark(place(first, second), id, row(1));
    expect(existsSync(second)).toBe(false);
    writeLandmark(place(second), id, row(2));
    expect(readLandmark(place(first, second), id)).toEqual(row(2));
    writeLandmark(place(first, second), id, row(3));
    expect([readLandmark(place(first), id), readLandmark(place(second), id)]).toEqual([row(3), row(3)]);
  });
});

describe('what somebody else may have put there', () => {
  const strange: readonly (readonly [string, () => void])[] = [
    ['a link in place of the folder', () => symlinkSync(mkdtempSync(join(root, 'x-')), own())],
    ['a file in place of the folder', () => writeFileSync(own(), '')],
    ['a link in place of the file', () => symlinkSync(join(root, 'aim'), inOwn())],
    ['a folder in place of the file', () => mkdirSync(inOwn())],
    [
      'a second name of another file',
      () => {
        writeFileSync(join(root, 'aim'), 'precious');
        linkSync(join(root, 'aim'), inOwn());
      },
    ],
  ];
  const inOwn = () => {
    mkdirSync(own(), { mode: 0o700 });
    return file();
  };

  it.each(strange)('is not used and no error: %s', (_, put) => {
    put();
    writeLandmark(place(), id, row(1));
    expect(readLandmark(place(), id)).toBeUndefined();
    const aim = join(root, 'aim');
    expect(existsSync(aim) ? readFileSync(aim, 'utf8') : 'precious').toBe('precious');
  });

  it.runIf(uid === 0)('is not used and no error: the folder or the file of another user', () => {
    mkdirSync(own(), { mode: 0o700 });
    writeLandmark(place(), id, row(1));
    chownSync(file(), 65_534, 65_534);
    writeLandmark(place(), id, row(2));
    expect(readLandmark(place(), id)).toBeUndefined();
    rmSync(file());
    chownSync(own(), 65_534, 65_534);
    writeLandmark(place(), id, row(2));
    expect(readLandmark(place(), id)).toBeUndefined();
    expect(readdirSync(own())).toEqual([]);
  });

  it('gets private again when it is open to others', () => {
    writeLandmark(place(), id, row(1));
    chmodSync(file(), 0o644);
    chmodSync(own(), 0o755);
    writeLandmark(place(), id, row(2));
    expect([statSync(own()).mode & 0o777, statSync(file()).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('is no error: a folder that is not there, a journal’s id that is a path', () => {
    const nowhere = place(join(root, 'no/such/folder'));
    writeLandmark(nowhere, id, row(1));
    writeLandmark(place(), '../outside', row(1));
    expect(readLandmark(nowhere, id)).toBeUndefined();
    expect(readLandmark(place(), '../outside')).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('the folders for landmarks', () => {
  const parts = { env: {}, platform: 'linux', uid: 1000, userName: () => 'mia' };

  it.each([
    [{}, ['/var/tmp/paydesk-1000']],
    [{ env: { TMPDIR: '/scratch/mia' } }, ['/scratch/mia/paydesk-1000', '/var/tmp/paydesk-1000']],
    // Emptied at each restart.
    [{ env: { TMPDIR: '/tmp' } }, ['/var/tmp/paydesk-1000']],
    [{ env: { TMPDIR: 'here' } }, ['/var/tmp/paydesk-1000']],
    [{ env: { TMPDIR: '' } }, ['/var/tmp/paydesk-1000']],
    [{ env: { TMPDIR: '/var/folders/x9/1/T/' }, platform: 'darwin' }, ['/var/tmp/paydesk-1000']],
    [
      { platform: 'win32', uid: undefined, env: { ProgramData: 'D:\\Data' } },
      ['D:\\Data\\paydesk-landmarks-mia'],
    ],
  ])('%j: %j', (changed, folders) => {
    expect(landmarkFolders({ ...parts, ...changed })).toEqual(folders);
  });
});
