/** The rules of `Locks` as tests: every implementation passes them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Busy, Held, LockOwner, Locks } from '../../src/locks/locks.ts';
import { isLong } from '../harness/long.ts';

/** What the locks of an implementation are shared through: a folder, a server, a memory. */
export interface SharedPlace {
  /** Locks as a process of its own would open them. */
  readonly open: (owner: Omit<LockOwner, 'since'>) => Locks;
  readonly remove: () => void;
}

const wanting = isLong ? 20 : 6;
const asking = { operator: 'op8', command: 'journal reconcile' };
const holding = { operator: 'op7', command: 'orders refund' };

/** The rules that can be seen in one process: each `open` stands for a process. */
export function locksContract(implementation: string, prepare: () => SharedPlace): void {
  let place: SharedPlace;
  let opened: Locks[];
  beforeEach(() => {
    const { open, remove } = prepare();
    opened = [];
    place = {
      // A process keeps its locks for as long as it lives.
      open: (owner) => {
        const locks = open(owner);
        opened.push(locks);
        return locks;
      },
      remove,
    };
  });
  afterEach(() => {
    place.remove();
  });

  describe(`${implementation}: a name has one holder`, () => {
    test('a name that another process holds is busy at once, with its owner, however long one would wait', async () => {
      await taken(place.open(holding), 'order ord_1');
      const asked = Date.now();
      const second = await place.open(asking).take('order ord_1', { waitMs: 60_000 });
      expect(second).toEqual({ held: false, owner: { ...holding, since: expect.any(Number) } });
      expect(Date.now() - asked).toBeLessThan(30_000);
    });

    test('a released lock can be taken by another process', async () => {
      const lock = await taken(place.open(holding), 'order ord_1');
      await lock.release();
      await (await taken(place.open(asking), 'order ord_1')).release();
      await taken(place.open(holding), 'order ord_1');
    });

    test('to release a lock again does not take it from who holds it by then', async () => {
      const first = await taken(place.open(holding), 'order ord_1');
      await first.release();
      await taken(place.open(asking), 'order ord_1');
      await first.release();
      expect(await place.open(holding).take('order ord_1', { waitMs: 0 })).toMatchObject({
        held: false,
        owner: asking,
      });
    });

    test('of 20 processes that ask at once exactly one gets the lock', async () => {
      const processes = Array.from({ length: 20 }, () => place.open(holding));
      const all = await Promise.all(processes.map((locks) => locks.take('order ord_1', { waitMs: 0 })));
      expect(all.filter(({ held }) => held)).toHaveLength(1);
    });

    test('names that differ in one letter or its case are different locks', async () => {
      const locks = place.open(holding);
      for (const name of ['order ord_1', 'order ord_2', 'order ORD_1', 'order ord_1 ', 'é'])
        await taken(locks, name, 60_000);
      expect(await place.open(asking).take('order ORD_1', { waitMs: 0 })).toMatchObject({ held: false });
    });

    test('names that are taken alone do not share a lock with any other name, and each has one holder', async () => {
      const names = Array.from({ length: 200 }, (_, index) => `export ${index}`);
      const alone = { waitMs: 0, alone: true } as const;
      const locks = place.open(holding);
      const all = await Promise.all(names.map((name) => locks.take(name, alone)));
      expect(all.every(({ held }) => held)).toBe(true);
      expect(await place.open(asking).take('order ord_1', { waitMs: 0 })).toMatchObject({ held: true });
      expect(await place.open(asking).take('export 7', alone)).toMatchObject({ held: false, owner: holding });
      const [, , third] = all;
      if (third?.held) await third.release();
      expect(await place.open(asking).take('export 2', alone)).toMatchObject({ held: true });
    });

    test('to open locks once more, and to take and release another name, does not drop a lock that is held', async () => {
      await taken(place.open(holding), 'order ord_1');
      await (await taken(place.open(holding), 'another order')).release();
      expect(await place.open(asking).take('order ord_1', { waitMs: 0 })).toMatchObject({ held: false });
    });
  });

  describe(`${implementation}: in one process`, () => {
    test('a lock is held until it is released, also when nobody keeps what `take` returned', async () => {
      await taken(place.open(holding), 'a');
      await collectGarbage();
      expect(await place.open(asking).take('a', { waitMs: 0 })).toMatchObject({ held: false });
      expect(opened).toHaveLength(2);
    });

    test('those who wait for a name get it in the order of asking', async () => {
      const locks = place.open(holding);
      const order: number[] = [];
      await Promise.all(
        [1, 2, 3, 4].map(async (n) => {
          const lock = await taken(locks, 'order ord_1', 60_000);
          order.push(n);
          await lock.release();
        }),
      );
      expect(order).toEqual([1, 2, 3, 4]);
    });

    test('one that gives up is told that the lock is busy, and the next one does not get it earlier', async () => {
      const locks = place.open(holding);
      const first = await taken(locks, 'a');
      expect(await locks.take('a', { waitMs: 10 })).toMatchObject({ held: false });
      const third = locks.take('a', { waitMs: 60_000 });
      expect(await place.open(asking).take('a', { waitMs: 0 })).toMatchObject({ held: false });
      await first.release();
      expect(await third).toMatchObject({ held: true });
    });

    test('an aborted wait rejects with the reason, and the next one gets the lock', async () => {
      const locks = place.open(holding);
      const first = await taken(locks, 'a');
      const stop = new AbortController();
      const waiting = locks.take('a', { waitMs: 60_000, signal: stop.signal });
      stop.abort(new Error('Ctrl-C'));
      await expect(waiting).rejects.toThrow('Ctrl-C');
      await first.release();
      await (await taken(locks, 'a')).release();
    });

    test('with a signal that was aborted before, nothing is taken', async () => {
      const signal = AbortSignal.abort(new Error('Ctrl-C'));
      await expect(place.open(holding).take('a', { waitMs: 0, signal })).rejects.toThrow('Ctrl-C');
      await taken(place.open(asking), 'a');
    });
  });
}

/** A place that processes share: `holder WORDS… name waitMs` takes the lock and prints what came of it. */
export interface PlaceOfProcesses extends SharedPlace {
  readonly holder: readonly string[];
}

/** The rules that only processes show: what happens when one of them is killed or stopped. */
export function locksContractOfProcesses(implementation: string, prepare: () => PlaceOfProcesses): void {
  let place: PlaceOfProcesses;
  let started: ChildProcess[];
  beforeEach(() => {
    place = prepare();
    started = [];
  });
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL');
    place.remove();
  });
  const hold = async (name: string): Promise<{ child: ChildProcess; result: Held | Busy }> => {
    const found = await startHolder(place, name);
    started.push(found.child);
    return found;
  };

  describe(`${implementation}: between processes`, () => {
    test('SIGKILL of the holder frees the lock', async () => {
      const { child } = await hold('order ord_1');
      child.kill('SIGKILL');
      await ended(child);
      await taken(place.open(asking), 'order ord_1');
    });

    test('a holder that is stopped keeps the lock', async () => {
      const { child } = await hold('order ord_1');
      child.kill('SIGSTOP');
      expect(await place.open(asking).take('order ord_1', { waitMs: 0 })).toMatchObject({
        held: false,
        owner: holding,
      });
      child.kill('SIGCONT');
      child.stdin?.end();
      await ended(child);
      await taken(place.open(asking), 'order ord_1');
    });

    test(`of ${wanting} processes that want the lock of a killed holder exactly one gets it`, async () => {
      const { child } = await hold('order ord_1');
      child.kill('SIGKILL');
      await ended(child);
      const all = await Promise.all(Array.from({ length: wanting }, () => hold('order ord_1')));
      expect(all.filter(({ result }) => result.held)).toHaveLength(1);
      const owners = all.map(({ result }) => (result.held ? undefined : result.owner?.operator));
      expect(owners.filter((operator) => operator === 'op7')).toHaveLength(wanting - 1);
    });
  });
}

/** Starts a process that takes the lock and holds it until its input ends; resolves when it said what came of it. */
export async function startHolder(
  { holder }: PlaceOfProcesses,
  name: string,
  waitMs = 0,
): Promise<{ readonly child: ChildProcess; readonly result: Held | Busy }> {
  const child = spawn(process.execPath, [...holder, name, String(waitMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, result: JSON.parse(String(line)) };
}

/** The lock; throws when it is busy. */
export async function taken(locks: Locks, name: string, waitMs = 0): Promise<Held> {
  const lock = await locks.take(name, { waitMs });
  if (!lock.held) throw new Error(`${name} is busy`);
  return lock;
}

// What was collected is closed in a later turn of the event loop, so each collection gets one.
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: (how: { readonly type: 'major'; readonly execution: 'async' }) => Promise<void> =
    runInNewContext('gc');
  for (let time = 0; time < 3; time += 1) {
    await collect({ type: 'major', execution: 'async' });
    await setImmediate();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
