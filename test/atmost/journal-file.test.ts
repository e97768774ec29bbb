/** A journal that cannot be written, or is damaged: no journal, no refund. */

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bin, copyOf, type Home } from '../harness/paydesk.ts';
import { endOf } from '../harness/ran.ts';
import { reset } from '../harness/server.ts';
import { changeArgs, journalFile, ledgerAndDesk, stateOf, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { hasStrace } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();
/** A home whose journal is whole: the first run made its folder and sent a refund (rows 1 and 2); another refund is open. */
let sound: Home;
let done: LedgerOrder;
let lost: LedgerOrder;
beforeAll(async () => {
  sound = desk.newHome();
  expect(existsSync(dirname(journalFile(sound)))).toBe(false);
  done = ledger.add('refund');
  lost = ledger.add('refund', () => reset);
  expect((await desk.run(sound, changeArgs(done))).code).toBe(0);
  expect((await desk.run(sound, changeArgs(lost))).code).toBe(7);
});
afterAll(() => {
  sound[Symbol.dispose]();
});

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** Runs as another user, for whom permissions count, and whose home it is by then. */
function runAsNobody(home: Home, args: readonly string[]) {
  const child = spawn(process.execPath, [bin, '-p', 't', ...args], {
    // The shared cache of compiled code is not theirs.
    env: desk.env(home, { XDG_CACHE_HOME: join(home.path, '.cache') }),
    cwd: home.path,
    stdio: ['ignore', 'ignore', 'pipe'],
    uid: nobody,
    gid: nobody,
  });
  return endOf(child);
}

function giveAway(path: string, id = nobody): void {
  chownSync(path, id, id);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name), id);
}

describe.concurrent('no journal, no refund (F38)', () => {
  test('a folder that is missing is made, for this user only', () => {
    const file = journalFile(sound);
    expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test.skipIf(!isRoot)('a folder that cannot be written', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const folder = dirname(journalFile(home));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o500);
    giveAway(home.path);
    const { code, stderr } = await runAsNobody(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
    expect(stderr).toMatch(/the journal .*\s+cannot\s+be\s+used:\s+permission denied/);
    expect(stderr).toContain('nothing was sent');
  });

  test.skipIf(!isRoot)('a journal of another user', async () => {
    using home = copyOf(sound);
    const order = ledger.add('refund');
    const file = journalFile(home);
    const mine = readFileSync(file);
    rmSync(file);
    giveAway(home.path);
    writeFileSync(file, mine, { mode: 0o600 });
    const { code, stderr } = await runAsNobody(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
    expect(stderr).toContain('nothing was sent');
  });

  test('a folder whose name is a file', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    mkdirSync(stateOf(home), { recursive: true });
    writeFileSync(dirname(journalFile(home)), '');
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
  });

  test.each(['8k', '24k'])('a disk of %s that is full before SENT', async (size) => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const folder = dirname(journalFile(home));
    mkdirSync(folder, { recursive: true });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    if (mounted.status !== 0) {
      console.log('no disk can be mounted here: a full one is tried by failing system calls only');
      return;
    }
    try {
      // A process that ends lets go of the disk.
      const { code, stderr } = await desk.runProcess(home, changeArgs(order));
      expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
      expect(stderr).toMatch(
        /the journal (\S+ )?cannot be (written|used): (Error: )?database or disk is full/,
      );
      const [, free] = [spawnSync('umount', [folder]), await desk.run(home, changeArgs(order))];
      expect({ code: free.code, posts: order.posts.length }, free.stderr).toEqual({ code: 0, posts: 1 });
    } finally {
      spawnSync('umount', [folder]);
    }
  });

  test.skipIf(!hasStrace())(
    'the folder of a new journal cannot be synced, by whoever uses it first (F39)',
    async () => {
      using home = desk.newHome();
      const order = ledger.add('refund');
      const folder = dirname(journalFile(home));
      const fails = ['-P', folder, '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO'];
      const words = ['-f', '-o', '/dev/null', ...fails];
      const run = () => {
        const child = spawn('strace', [...words, process.execPath, bin, '-p', 't', ...changeArgs(order)], {
          env: desk.env(home, { NODE_COMPILE_CACHE: '' }),
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        return endOf(child);
      };
      for (const { code, stderr } of [await run(), await run()]) {
        expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
        expect(stderr).toMatch(/the journal .*\s+cannot\s+be\s+used:\s+.*EIO/);
      }
      const listed = await desk.run(home, ['journal', 'list']);
      expect(listed.code, listed.stderr).toBe(0);
      // Nothing was written to it, not by the reading either: the next one has to make sure again.
      expect(statSync(journalFile(home)).size).toBe(0);
      expect((await desk.run(home, changeArgs(order))).code).toBe(0);
      expect(story(home)).toBe('sent applied');
    },
  );
});

// ── Damage ──────────────────────────────────────────────────────────────────────────────────────

interface Damage {
  readonly name: string;
  readonly how: (file: string) => void;
  /** Which changes it stops. */
  readonly stops: 'its order' | 'every change';
  /** What the refusal says. */
  readonly says: RegExp;
  /** Exit code of the repair: 7 where rows are lost, 3 where this program cannot repair it. */
  readonly repair: 0 | 3 | 7;
}

const pageSize = 4096;

function edit(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

function sql(file: string, statement: string): void {
  const db = new DatabaseSync(file);
  db.exec(statement);
  db.close();
}

const damages: readonly Damage[] = [
  {
    name: 'a flipped bit in a row',
    stops: 'its order',
    how: (file) =>
      edit(file, (bytes) => {
        const at = bytes.indexOf('"verdict":"applied"') + 11;
        bytes[at] = (bytes[at] ?? 0) ^ 0x02;
      }),
    says: /is damaged: row \d+/,
    repair: 7,
  },
  {
    name: 'a torn tail',
    stops: 'every change',
    how: (file) => truncateSync(file, statSync(file).size - pageSize),
    says: /is damaged/,
    repair: 7,
  },
  {
    name: 'a block of zeros',
    stops: 'every change',
    how: (file) => edit(file, (bytes) => bytes.fill(0, pageSize, 2 * pageSize)),
    says: /is damaged/,
    repair: 7,
  },
  {
    name: 'a row that is gone',
    stops: 'its order',
    how: (file) => sql(file, 'DELETE FROM rows WHERE seq = 1'),
    says: /is damaged: row \d+/,
    repair: 7,
  },
  {
    name: 'two rows that changed places',
    stops: 'its order',
    how: (file) =>
      sql(
        file,
        'UPDATE rows SET seq = -1 WHERE seq = 1; UPDATE rows SET seq = 1 WHERE seq = 2; UPDATE rows SET seq = 2 WHERE seq = -1',
      ),
    says: /is damaged: row \d+/,
    repair: 0,
  },
  {
    name: 'a file that is no journal',
    stops: 'every change',
    how: (file) => writeFileSync(file, 'order,amount\n'.repeat(900)),
    says: /is damaged/,
    repair: 7,
  },
  {
    name: 'an older version',
    stops: 'every change',
    how: (file) => sql(file, 'PRAGMA user_version = 2'),
    says: /was written by an older paydesk \(version 2\) .* mv \S+journal\.db/,
    repair: 3,
  },
  {
    name: 'a newer version',
    stops: 'every change',
    how: (file) => sql(file, 'PRAGMA user_version = 99'),
    says: /was written by a newer paydesk \(version 99\)/,
    repair: 3,
  },
];

/** Refunds it, and says whether it was sent. */
async function refund(home: Home, order: LedgerOrder) {
  const before = order.posts.length;
  const { code, stderr } = await desk.run(home, changeArgs(order));
  return { code, sent: order.posts.length - before, words: stderr.replaceAll(/\s+/g, ' ') };
}

describe('a damaged journal blocks changes until it is repaired (F41)', () => {
  test.concurrent.each(damages.map((one) => [one.name, one] as const))('%s', async (_, damage) => {
    using home = copyOf(sound);
    damage.how(journalFile(home));
    const isEvery = damage.stops === 'every change';
    const refused = await refund(home, isEvery ? ledger.add('refund') : done);
    expect(refused, refused.words).toMatchObject({ code: 3, sent: 0 });
    expect(refused.words).toMatch(damage.says);
    expect(refused.words).toContain('nothing was sent');
    const open = await refund(home, lost);
    expect(open, open.words).toMatchObject({ code: 3, sent: 0 });
    const other = await refund(home, ledger.add('refund'));
    expect(other, other.words).toMatchObject(isEvery ? { code: 3, sent: 0 } : { code: 0, sent: 1 });
    expect((await desk.run(home, ['journal', 'verify'])).code).toBe(3);
    const repair = await desk.run(home, ['journal', 'verify', '--repair', '--yes']);
    expect(repair.code, repair.stderr).toBe(damage.repair);
    if (damage.repair === 3) return;
    const names = readdirSync(dirname(journalFile(home)));
    expect(names.some((name) => name.includes('.damaged-'))).toBe(true);
    for (const order of [done, lost]) expect(await refund(home, order)).toMatchObject({ code: 3, sent: 0 });
    const again = await refund(home, ledger.add('refund'));
    expect(again, again.words).toMatchObject({ code: 0, sent: 1 });
  });

  test.concurrent('an older copy is put back: a head noted elsewhere finds it', async () => {
    using home = copyOf(sound);
    const order = ledger.add('refund');
    await desk.run(home, changeArgs(order));
    const { head } = JSON.parse((await desk.run(home, ['journal', 'verify', '--json'])).stdout) as {
      head: string;
    };
    cpSync(journalFile(sound), journalFile(home));
    expect((await desk.run(home, ['journal', 'verify', '--head', head])).code).toBe(3);
    // The service still shows what was done: the same refund is not sent again.
    const again = await desk.run(home, changeArgs(order));
    expect(
      { code: again.code, posts: order.posts.length, story: story(home).split(' ').length },
      again.stderr,
    ).toEqual({ code: 3, posts: 1, story: 5 });
  });
});
