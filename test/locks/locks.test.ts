import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Held, Locks } from '../../src/locks/locks.ts';
import { createLocks } from '../../src/locks/locks.ts';
import { slotCount, slotFile, slotOf } from '../../src/locks/slots.ts';
import { realClock } from './real-clock.ts';

const holderPath = fileURLToPath(new URL('holder.ts', import.meta.url));
let folder: string;
let started: ChildProcess[];

// One that ends by itself keeps its compiled code for the others, most of which are killed.
beforeAll(() => {
  const once = mkdtempSync(join(tmpdir(), 'locks-'));
  execFileSync(process.execPath, [holderPath, join(once, 'locks'), 'any', '0'], { input: '' });
  rmSync(once, { recursive: true });
});

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'locks-')), 'locks');
  started = [];
});

afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(join(folder, '..'), { recursive: true });
});

function locksHere(): Locks {
  return createLocks({
    folder,
    clock: realClock,
    owner: { operator: 'op8', command: 'journal reconcile' },
    uid: process.getuid?.(),
  });
}

/** Starts a process that takes the lock, and waits for what it says. */
async function holder(
  name: string,
  waitMs = 0,
): Promise<{ child: ChildProcess; said: { held: boolean; owner?: { operator: string; command: string } } }> {
  const child = spawn(process.execPath, [holderPath, folder, name, String(waitMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, said: JSON.parse(String(line)) };
}

async function taken(locks: Locks, name: string, waitMs = 0): Promise<Held> {
  const lock = await locks.take(name, { waitMs });
  if (!lock.held) throw new Error(`${name} is busy`);
  return lock;
}

async function died(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Another name on the slot of this one. */
function neighbourOf(name: string): string {
  for (let n = 0; ; n += 1) if (slotOf(`other ${n}`) === slotOf(name)) return `other ${n}`;
}

test('the same name held by another process is busy at once, with its owner', async () => {
  const { said } = await holder('order ord_1');
  expect(said).toEqual({ held: true });
  const second = await locksHere().take('order ord_1', { waitMs: 30_000 });
  expect(second).toMatchObject({ held: false, owner: { operator: 'op7', command: 'orders refund' } });
});

test('a released lock can be taken by another process', async () => {
  const lock = await taken(locksHere(), 'order ord_1');
  expect((await holder('order ord_1')).said).toMatchObject({ held: false, owner: { operator: 'op8' } });
  await lock.release();
  await lock.release();
  expect((await holder('order ord_1')).said).toEqual({ held: true });
});

test('SIGKILL releases the lock, whatever lies in its sidecar', async () => {
  const { child } = await holder('order ord_1');
  child.kill('SIGKILL');
  await died(child);
  expect(readdirSync(folder).some((name) => name.endsWith('.owner.json'))).toBe(true);
  await (await taken(locksHere(), 'order ord_1')).release();
});

test('SIGSTOP keeps the lock', async () => {
  const { child } = await holder('order ord_1');
  child.kill('SIGSTOP');
  expect(await locksHere().take('order ord_1', { waitMs: 0 })).toMatchObject({ held: false });
  child.kill('SIGCONT');
  child.stdin?.end();
  await died(child);
  await (await taken(locksHere(), 'order ord_1')).release();
});

test('of 20 contenders for the lock of a killed owner exactly one takes it', async () => {
  const first = await holder('order ord_1');
  first.child.kill('SIGKILL');
  await died(first.child);
  const all = await Promise.all(Array.from({ length: 20 }, () => holder('order ord_1')));
  expect(all.filter(({ said }) => said.held)).toHaveLength(1);
  expect(all.filter(({ said }) => !said.held && said.owner?.operator === 'op7')).toHaveLength(19);
});

test('a slot in use for another name is waited for', async () => {
  const { child } = await holder(neighbourOf('order ord_1'));
  const waiting = locksHere().take('order ord_1', { waitMs: 30_000 });
  child.stdin?.end();
  expect(await waiting).toMatchObject({ held: true });
});

test('waiting for a slot in use for another name ends busy, without an owner', async () => {
  await holder(neighbourOf('order ord_1'));
  expect(await locksHere().take('order ord_1', { waitMs: 50 })).toEqual({ held: false, owner: undefined });
});

test('an unreadable sidecar is waited for, not trusted', async () => {
  const { child } = await holder('order ord_1');
  const slot = String(slotOf('order ord_1')).padStart(2, '0');
  writeFileSync(join(folder, `slot-${slot}.owner.json`), '{"name":"order ord_1"');
  expect(await locksHere().take('order ord_1', { waitMs: 50 })).toEqual({ held: false, owner: undefined });
  child.stdin?.end();
  await (await taken(locksHere(), 'order ord_1', 30_000)).release();
});

test('in one process the same name queues, in the order of asking', async () => {
  const locks = locksHere();
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      const lock = await taken(locks, 'order ord_1', 30_000);
      order.push(n);
      await lock.release();
    }),
  );
  expect(order).toEqual([1, 2, 3, 4]);
});

test('one that gives up in the queue does not let the next one in early', async () => {
  const locks = locksHere();
  const first = await taken(locks, 'a');
  expect(await locks.take('a', { waitMs: 10 })).toMatchObject({ held: false });
  const third = locks.take('a', { waitMs: 30_000 });
  expect((await holder('a')).said).toMatchObject({ held: false });
  await first.release();
  expect(await third).toMatchObject({ held: true });
});

test('an aborted wait rejects with the reason and leaves the queue usable', async () => {
  const locks = locksHere();
  const first = await taken(locks, 'a');
  const stop = new AbortController();
  const waiting = locks.take('a', { waitMs: 30_000, signal: stop.signal });
  stop.abort(new Error('Ctrl-C'));
  await expect(waiting).rejects.toThrow('Ctrl-C');
  await first.release();
  await (await taken(locks, 'a')).release();
});

test('a second set of locks in the same process does not drop a lock that is held', async () => {
  const lock = await taken(locksHere(), 'order ord_1');
  await (await taken(locksHere(), 'order of another slot')).release();
  expect(await locksHere().take('order ord_1', { waitMs: 0 })).toMatchObject({ held: false });
  expect((await holder('order ord_1')).said).toMatchObject({ held: false });
  await lock.release();
});

test('the folder is 0700 and every file in it 0600, also when they were looser before', async () => {
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(slotFile(folder, 3), '');
  chmodSync(slotFile(folder, 3), 0o666);
  const lock = await taken(locksHere(), 'order ord_1');
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
  await expect(locksHere().take('a', { waitMs: 0 })).rejects.toMatchObject({ kind: 'refused' });
});

test('a slot file that is no SQLite file is refused with what to do', async () => {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(slotFile(folder, slotOf('a')), 'x'.repeat(5000));
  await expect(locksHere().take('a', { waitMs: 0 })).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(slotFile(folder, slotOf('a'))),
  });
});
