/** What copies and moves do to the mark of a file, and when a journal counts as a copy. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CopyFacts,
  copyFound,
  fileMark,
  isSameFile,
  repairedMark,
} from '../../../src/journal/sqlite/copy-marks.ts';
import { hasStrace } from '../../atmost/strace.ts';

// In memory, and on the disk: ext4 gives a copy the inode of the file that was just removed.
const roots = [tmpdir(), '/var/tmp'].map((folder) => mkdtempSync(join(folder, 'paydesk-marks-')));
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

function sh(folder: string, command: string): void {
  execFileSync('/bin/sh', ['-ec', command], { cwd: folder });
}

const hasRsync = spawnSync('rsync', ['--version']).status === 0;

describe.each(roots)('the mark of a file in %s', (root) => {
  let home: string;
  let recorded: string | undefined;
  const file = () => join(home, 'state/journal/journal.db');
  const tellsBirth = statSync(root, { bigint: true }).birthtimeNs !== 0n;

  beforeEach(() => {
    home = mkdtempSync(join(root, 'home-'));
    mkdirSync(join(home, 'state/journal'), { recursive: true });
    writeFileSync(file(), 'row 1\n');
    sh(home, 'cp -a state copy; tar -cf copy.tar state; echo row 2 >> state/journal/journal.db');
    recorded = fileMark(file());
  });

  it('says the inode and the birth', () => {
    expect(recorded).toMatch(tellsBirth ? /^ino=\d+ birth=\d+$/ : /^ino=\d+$/);
    expect(fileMark(join(home, 'no-such-file'))).toBeUndefined();
  });

  it.each([
    ['the state folder is moved', 'mv state other; mv other state'],
    ['the folder above it is renamed', 'mkdir up; mv state up; mv up down; mv down/state state'],
    ['it gets a second name', 'ln state/journal/journal.db second; rm second'],
    ['its rights and times change', 'chmod 640 state/journal/journal.db; touch state/journal/journal.db'],
    ['a backup reads it', 'tar -cf backup.tar state; cp -a state backup'],
    ['rows are added', 'echo row 3 >> state/journal/journal.db'],
  ])('stays when %s', (_, command) => {
    sh(home, command);
    expect(isSameFile(recorded, fileMark(file()))).toBe(true);
  });

  const copies: readonly (readonly [string, string])[] = [
    ['cp -a into an emptied place', 'rm -r state; cp -a copy state'],
    ['tar into an emptied place', 'rm -r state; tar -xpf copy.tar'],
    ['tar over the files', 'tar -xpf copy.tar'],
    ['a rename of the copied folder', 'mv state broken; mv copy state'],
    ...(hasRsync ? ([['rsync over the files', 'rsync -a copy/ state/']] as const) : []),
  ];
  it.runIf(tellsBirth).each(copies)('changes by %s', (_, command) => {
    sh(home, command);
    expect(isSameFile(recorded, fileMark(file()))).toBe(false);
  });

  const unnoticed: readonly (readonly [string, string])[] = [
    ['cp -a over the files', 'cp -a copy/. state'],
    ['tar --overwrite', 'tar --overwrite -xpf copy.tar'],
    ...(hasRsync ? ([['rsync --inplace', 'rsync -a --inplace copy/ state/']] as const) : []),
  ];
  it.each(unnoticed)('stays by %s: only the landmark notices that', (_, command) => {
    sh(home, command);
    expect(isSameFile(recorded, fileMark(file()))).toBe(true);
  });

  it.runIf(hasStrace())('leaves out a birth that Node made up, where the system cannot tell one', () => {
    const program = join(import.meta.dirname, '../../../src/journal/sqlite/copy-marks.ts');
    const script = `import(${JSON.stringify(program)}).then(({ fileMark }) => console.log(fileMark(${JSON.stringify(file())})))`;
    const words = [
      '-f',
      '-o',
      '/dev/null',
      '-e',
      'inject=statx:error=ENOSYS',
      process.execPath,
      '-e',
      script,
    ];
    const { stdout } = spawnSync('strace', words, { encoding: 'utf8' });
    expect(stdout.trim()).toBe(`ino=${statSync(file()).ino}`);
    expect(isSameFile(recorded, stdout.trim())).toBe(true);
  });
});

describe('two marks', () => {
  it.each([
    ['ino=5 birth=7', 'ino=5 birth=7', true],
    ['ino=5 birth=7', 'ino=6 birth=7', false],
    ['ino=5 birth=7', 'ino=5 birth=8', false],
    ['ino=5 birth=7', 'ino=5', true],
    ['ino=5', 'ino=5 birth=7', true],
    ['ino=5', 'birth=7', true],
    ['ino=5', 'ino=55', false],
    [undefined, 'ino=5 birth=7', true],
    ['ino=5 birth=7', undefined, true],
  ])('%s and %s are of the same file: %s', (recorded, now, same) => {
    expect(isSameFile(recorded, now)).toBe(same);
  });
});

describe('a journal', () => {
  const same = { recorded: 'ino=5 birth=7', now: 'ino=5 birth=7' };
  const other = { recorded: 'ino=5 birth=7', now: 'ino=5 birth=9' };
  const time = Date.UTC(2026, 10, 3, 10, 42);
  const row = (seq: number, hash = `hash${seq}`) => ({ seq, hash, time: time + seq * 60_000 });
  const whole: CopyFacts = {
    journal: same,
    witness: same,
    landmark: row(810),
    atLandmark: 'hash810',
    newest: row(810),
  };
  const found = (facts: Partial<CopyFacts>) =>
    copyFound({ ...whole, ...facts }, (ms) => new Date(ms).toISOString().slice(11, 16));

  it.each<readonly [string, Partial<CopyFacts>]>([
    ['is where it was', {}],
    ['has no landmark', { landmark: undefined }],
    ['is ahead of its landmark', { landmark: row(800), atLandmark: 'hash800' }],
    ['lacks the newest row, which its witness has', { landmark: row(812), atLandmark: 'hash812' }],
    ['is new', { landmark: undefined, newest: undefined }],
    ['recorded no marks', { journal: { recorded: undefined, now: 'ino=5' } }],
  ])('that %s is no copy', (_, facts) => {
    expect(found(facts)).toBeUndefined();
  });

  it.each<readonly [Partial<CopyFacts>, string]>([
    [{ journal: other, witness: other }, 'the journal and its witness are other files than paydesk wrote'],
    [{ journal: other }, 'the journal is another file than paydesk wrote'],
    [{ witness: other }, 'its witness is another file than paydesk wrote'],
    [
      { landmark: row(812), atLandmark: undefined },
      'this machine wrote row 812 at 00:14, and the journal ends at row 810',
    ],
    [
      { landmark: row(810, 'another') },
      'this machine wrote row 810 at 00:12, and the journal has another row there',
    ],
    [
      { landmark: row(800, 'another') },
      'this machine wrote row 800 at 00:02, and the journal has another row there',
    ],
    [
      { journal: { recorded: repairedMark, now: same.now }, landmark: undefined },
      'it was repaired, and its newest rows may have been lost before',
    ],
    [
      { journal: other, landmark: row(812), atLandmark: undefined },
      'the journal is another file than paydesk wrote; this machine wrote row 812 at 00:14, and the journal ends at row 810',
    ],
  ])('with %j is a copy', (facts, reason) => {
    expect(found(facts)).toBe(`this journal is a copy: what was sent after 00:12 is unknown (${reason})`);
  });

  it('without a row is a copy when this machine wrote rows', () => {
    expect(found({ atLandmark: undefined, newest: undefined })).toBe(
      'this journal is a copy: what was sent before now is unknown (this machine wrote row 810 at 00:12, and the journal ends at row 0)',
    );
  });
});
