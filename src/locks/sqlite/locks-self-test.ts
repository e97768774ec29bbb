/** Tests once per boot that locks hold on this disk: while one handle has the lock, a second one must not get it. */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import type { Clock } from '../../io.ts';
import { type FileRules, modesOf, openOwnFile, variableOf } from '../../profiles/profiles.ts';
import { selfTestFile, tryLock } from './slot-files.ts';

/**
 * Runs the test, unless this folder has passed it since the machine was started. `node` is the node program: with it, the
 * second lock may be tried in another process. Throws CliError 'refused' when a lock does not hold.
 */
export async function testLocksOnce(
  folder: string,
  rules: FileRules,
  clock: Clock,
  node: string | undefined,
): Promise<void> {
  const passed = join(folder, 'tested.json');
  const here = `${JSON.stringify({ boot: bootName(clock), folder: placeOf(folder) })}\n`;
  if (textOf(passed, rules) === here) return;
  await testLocks(folder, rules, node);
  remember(passed, here, rules);
}

// If the system has no id for the boot, the minute in which the machine was started takes its place.
function bootName(clock: Clock): string {
  return clock.boot?.()?.id ?? String(Math.round((clock.now() - (clock.uptime?.() ?? 0)) / 60_000));
}

// A copy of the folder on another disk has another device and inode, so it is tested again.
function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev} ${ino}`;
}

function textOf(path: string, rules: FileRules): string | undefined {
  const handle = openOwnFile(path, constants.O_RDONLY, rules);
  if (handle === undefined) return undefined;
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

// If the note cannot be written, or a power cut takes it away, the next run tests again.
function remember(path: string, text: string, rules: FileRules): void {
  const whole = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(whole, text, { flag: 'wx', mode: modesOf(rules).file });
    renameSync(whole, path);
  } catch {
    rmSync(whole, { force: true });
  }
}

async function testLocks(folder: string, rules: FileRules, node: string | undefined): Promise<void> {
  const file = selfTestFile(folder);
  const first = await tryLock(file);
  // Another run is testing right now, and its lock kept this handle out. So locks hold.
  if (first === undefined) return;
  try {
    const second = await tryLock(file);
    second?.release();
    const holds = second === undefined && (isInKernel(file) || node === undefined || isFoundBy(node, file));
    if (holds) return;
  } finally {
    first.release();
  }
  throw new CliError(
    'refused',
    `locks do not hold in ${folder}: two locks on one file were granted at the same time`,
    {
      certain: 'nothing was sent and nothing was changed',
      now: [`set ${variableOf(rules)} to a folder on a disk of this machine`],
    },
  );
}

// Two handles in one process prove nothing about the disk, because SQLite compares them by itself. So the kernel's list of
// locks must show the lock, or a second process must not get it.
function isInKernel(file: string): boolean {
  try {
    const { dev, ino } = statSync(file);
    const hex = (number: number) => number.toString(16).padStart(2, '0');
    const at = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}:${ino}`;
    const lines = readFileSync('/proc/locks', 'latin1').split('\n');
    return lines.some((line) => line.includes(' WRITE ') && line.split(' ').includes(at));
  } catch {
    return false;
  }
}

// The second lock must fail with SQLITE_BUSY: exit code 55. Anything else fails the test.
const secondProcess = `
  const { DatabaseSync } = require('node:sqlite');
  try {
    new DatabaseSync(globalThis.process.argv[1], { timeout: 0 }).exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    globalThis.process.exitCode = (error.errcode & 0xff) === 5 ? 55 : 1;
  }`;

function isFoundBy(node: string, file: string): boolean {
  const options = { env: {}, stdio: 'ignore', timeout: 10_000 } as const;
  return spawnSync(node, ['--no-warnings', '-e', secondProcess, file], options).status === 55;
}
