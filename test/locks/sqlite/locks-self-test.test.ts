/** The self-test of the locks: what happens where the file system takes a lock and does not hold it. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasStrace } from '../../atmost/strace.ts';

const holder = join(import.meta.dirname, 'holder.ts');

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'locks-')), 'locks');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const held = { code: 0, stdout: '{"held":true}\n' };

function take(before: readonly string[] = []) {
  const [program, ...words] = [...before, process.execPath, holder, folder, 'order ord_1', '0'];
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    input: '',
    timeout: 60_000,
    env: { PATH: process.env.PATH ?? '' },
  });
  return { ran: { code: status, stdout }, stderr };
}

/** The system says yes to every lock on the file of the self-test, and holds none. */
function takeWithoutLocks() {
  const strace = ['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-P', join(folder, 'self-test.lock')];
  return take([...strace, '-e', 'trace=fcntl', '-e', 'inject=fcntl:retval=0']);
}

describe('the self-test of the locks', () => {
  test('passes on a disk of this machine, and is remembered for this boot and this folder', () => {
    const { ran, stderr } = take();
    expect(ran, stderr).toEqual(held);
    const passed: unknown = JSON.parse(readFileSync(join(folder, 'tested.json'), 'utf8'));
    expect(passed).toEqual({ boot: expect.any(String), folder: expect.stringMatching(/^\d+ \d+$/) });
  });

  test.skipIf(!hasStrace())('refuses a file system whose locks do not hold, and remembers nothing', () => {
    for (let time = 0; time < 2; time += 1) {
      const { ran, stderr } = takeWithoutLocks();
      expect(ran.stdout).toBe('');
      expect(stderr).toContain('locks do not hold in ');
    }
  });

  test.skipIf(!hasStrace())('runs once per boot', () => {
    expect(take().ran).toEqual(held);
    expect(takeWithoutLocks().ran).toEqual(held);
    const passed = join(folder, 'tested.json');
    writeFileSync(passed, readFileSync(passed, 'utf8').replace(/"boot":"[^"]+"/, '"boot":"before"'));
    expect(takeWithoutLocks().stderr).toContain('locks do not hold in ');
  });
});
