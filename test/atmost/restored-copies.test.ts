/** A home that is restored from a copy: the refund that was sent meanwhile is not sent again, and a home that is moved goes on. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { type Home, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import type { Ran } from '../harness/ran.ts';
import { reset } from '../harness/server.ts';
import { changeArgs, journalFile, journalRows, ledgerAndDesk, refundAmount, witnessFile } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();
const times = Array.from({ length: isLong ? 30 : 1 }, (_, index) => index);

/** A folder with the home, and beside it what a restore of the home leaves as it is: copies, and what is temporary. */
interface Machine extends Disposable {
  readonly root: string;
  readonly home: Home;
}

/** On the disk, not in memory: ext4 gives a restored file the inode of the one that was just removed. */
function newMachine(fileSystem?: FileSystem): Machine {
  const machine = machineAt(mkdtempSync('/var/tmp/paydesk-restored-'));
  mkdirSync(machine.home.path);
  mkdirSync(join(machine.root, 'tmp'));
  if (fileSystem !== undefined) mountNew(machine, fileSystem);
  using template = desk.newHome();
  cpSync(template.path, machine.home.path, { recursive: true });
  return machine;
}

function machineAt(root: string): Machine {
  const path = join(root, 'home');
  return {
    root,
    home: { path, [Symbol.dispose]: () => undefined },
    [Symbol.dispose]: () => {
      spawnSync('umount', [path]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function sh({ root }: Machine, command: string): void {
  execFileSync('/bin/sh', ['-ec', command], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
}

function run({ root, home }: Machine, args: readonly string[]): Promise<Ran> {
  return desk.run(home, args, { TMPDIR: join(root, 'tmp') });
}

/** Changes an order that nobody has changed before: as if nothing had happened. */
async function changesAnOrder(machine: Machine, what: string): Promise<void> {
  const order = ledger.add('refund');
  const { code, stderr } = await run(machine, changeArgs(order));
  expect({ what, code, posts: order.posts.length }, stderr).toEqual({ what, code: 0, posts: 1 });
}

// ── Restores ────────────────────────────────────────────────────────────────────────────────────

/** How a copy is made, and how it is put back; both are commands for the folder that holds the home. */
type Restore = readonly [name: string, copy: string, putBack: string];

function has(program: string, debian = program): boolean {
  const works = () => spawnSync(program, ['--version']).error === undefined;
  if (works()) return true;
  if (isLong) spawnSync('apt-get', ['install', '-y', '--no-install-recommends', debian], { stdio: 'ignore' });
  if (isLong && works()) return true;
  console.log(`${program} is not on this machine: restores with it are not tried`);
  return false;
}

const restores: readonly Restore[] = [
  ['cp -a, into an emptied place', 'cp -a home copy', 'rm -r home; cp -a copy home'],
  ['cp -a, over the files', 'cp -a home copy', 'cp -a copy/. home'],
  ['tar, into an emptied place', 'tar -cf copy.tar home', 'rm -r home; tar -xpf copy.tar'],
  ['tar, over the files', 'tar -cf copy.tar home', 'tar -xpf copy.tar'],
  ['tar --overwrite', 'tar -cf copy.tar home', 'tar --overwrite -xpf copy.tar'],
  ['a rename of the parent folder', 'cp -a home copy', 'mv home broken; mv copy home'],
  ['the state folder alone', 'cp -a home/.local copy', 'rm -r home/.local; cp -a copy home/.local'],
];

const restoresWithRsync: readonly Restore[] = [
  ['rsync, into an emptied place', 'rsync -a home/ copy/', 'rm -r home; rsync -a copy/ home/'],
  ['rsync, over the files', 'rsync -a home/ copy/', 'rsync -a copy/ home/'],
  ['rsync --inplace', 'rsync -a home/ copy/', 'rsync -a --inplace --delete copy/ home/'],
];

/** An unconfirmed refund is sent between copy and restore. Afterwards nothing is sent, that one or another. */
async function refusedAfter([name, copy, putBack]: Restore, machine: Machine): Promise<void> {
  await changesAnOrder(machine, `${name}: before the copy`);
  const rows = journalRows(machine.home).length;
  sh(machine, copy);
  // Not applied: if it were sent again, the service would do it.
  const lost = ledger.add('refund', () => reset);
  const first = await run(machine, changeArgs(lost));
  expect({ name, code: first.code, posts: lost.posts.length }, first.stderr).toEqual({
    name,
    code: 7,
    posts: 1,
  });
  sh(machine, putBack);
  expect({ name, rows: journalRows(machine.home).length }).toEqual({ name, rows });
  for (const [order, posts] of [[lost, 1] as const, [ledger.add('refund'), 0] as const, [lost, 1] as const]) {
    const { code, stderr } = await run(machine, changeArgs(order));
    expect({ name, code, posts: order.posts.length }, stderr).toEqual({ name, code: 3, posts });
    // rsync passes over a witness that is as long as in the copy, and of the same second.
    expect(stderr.replaceAll(/\s+/g, ' '), name).toMatch(/is a copy|is older than its witness/);
  }
}

describe('a home that is restored from a copy', () => {
  test.each([...restores, ...(has('rsync') ? restoresWithRsync : [])])(
    'sends nothing: %s',
    async (...restore) => {
      await each(times, async () => {
        using machine = newMachine();
        await refusedAfter(restore, machine);
      });
    },
    1_800_000,
  );
});

/** A machine whose home was put back: a refund that was sent since the copy is not in its journal. */
async function restoredMachine(): Promise<{ readonly machine: Machine; readonly lost: LedgerOrder }> {
  const machine = newMachine();
  await changesAnOrder(machine, 'before the copy');
  sh(machine, 'cp -a home copy');
  const lost = ledger.add('refund', () => reset);
  expect((await run(machine, changeArgs(lost))).code).toBe(7);
  sh(machine, 'cp -a copy/. home');
  return { machine, lost };
}

describe('what is done with a copy does not make forgotten that it is one', () => {
  const repair = ['journal', 'verify', '--repair', '--yes'];
  test.each<[string, (machine: Machine) => Promise<unknown>]>([
    ['a look at every change', (machine) => run(machine, ['journal', 'reconcile', '--all', '--quiet'])],
    ['a list of changes', (machine) => run(machine, ['journal', 'list'])],
    [
      'a witness that is lost, and a repair',
      async (machine) => {
        rmSync(witnessFile(machine.home));
        expect((await run(machine, repair)).code).toBe(7);
      },
    ],
    [
      'a journal that is lost, and a repair from the old witness',
      async (machine) => {
        rmSync(journalFile(machine.home));
        expect((await run(machine, repair)).code).toBe(7);
      },
    ],
  ])('%s', async (_, act) => {
    const { machine, lost } = await restoredMachine();
    using _machine = machine;
    await act(machine);
    const again = await run(machine, changeArgs(lost));
    expect({ code: again.code, posts: lost.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
    expect(again.stderr.replaceAll(/\s+/g, ' ')).toContain('this journal is a copy');
    const other = ledger.add('refund');
    const refused = await run(machine, changeArgs(other));
    expect({ code: refused.code, posts: other.posts.length }, refused.stderr).toEqual({ code: 3, posts: 0 });
  });

  test('verify says so, and nothing is exported from it', async () => {
    const { machine } = await restoredMachine();
    using _machine = machine;
    const verified = await run(machine, ['journal', 'verify', '--json']);
    expect(verified.code, verified.stderr).toBe(3);
    expect(JSON.parse(verified.stdout)).toMatchObject({ copy: expect.stringContaining('is a copy') });
    expect(verified.stderr).toContain('paydesk journal verify --accept-copy');
    const exported = await run(machine, ['journal', 'export', '--to', join(machine.root, 'copied')]);
    expect(exported.code, exported.stderr).toBe(3);
    expect(existsSync(join(machine.root, 'copied'))).toBe(false);
  });

  test('neither an agent nor a script of production accepts it; a person at a terminal does', async () => {
    const { machine, lost } = await restoredMachine();
    using _machine = machine;
    const { home } = machine;
    const env = { TMPDIR: join(machine.root, 'tmp') };
    const accept = ['journal', 'verify', '--accept-copy', '--yes'];
    const profile = {
      name: 'shop',
      baseUrl: 'https://pay.example',
      mode: 'production',
      settings: {},
    } as const;
    for (const line of [accept, [...repair]]) {
      const byAgent = await paydesk(line, { home, env: { ...env, PAYDESK_AGENT: 'helper' } });
      expect([byAgent.code, byAgent.stderr], line.join(' ')).toEqual([
        3,
        expect.stringContaining('agent helper started this run'),
      ]);
    }
    await storeProfile(home, profile, 'key_CANARYxyz0123456789');
    for (const line of [accept, [...repair]])
      expect(await paydesk(line, { home, env }), line.join(' ')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('only a person at a terminal'),
      });
    expect(await run(machine, changeArgs(lost))).toMatchObject({ code: 3 });
    const person = sit(accept, { home, env });
    await person.answer('allow it? (y/N)', 'y\r');
    expect(await person.leaves).toMatchObject({ code: 0 });
    expect(lost.posts).toHaveLength(1);
  });

  test('a journal with a limit of production is accepted by no script, also where no such profile is', async () => {
    using machine = newMachine();
    const { home } = machine;
    const env = { TMPDIR: join(machine.root, 'tmp') };
    const profile = {
      name: 'shop',
      baseUrl: 'https://pay.example',
      mode: 'production',
      settings: {},
    } as const;
    await storeProfile(home, profile, 'key_CANARYxyz0123456789');
    const set = (amount: string) =>
      paydesk(['profile', 'set', 'shop', 'refund.max_amount.MXN', amount], { home, env });
    expect((await set('900')).code).toBe(0);
    sh(machine, 'cp -a home/.local copy');
    expect((await set('50')).code).toBe(0);
    sh(machine, 'rm -r home/.local; cp -a copy home/.local');
    const elsewhere = { ...env, XDG_CONFIG_HOME: join(machine.root, 'tmp') };
    const accepted = await paydesk(['journal', 'verify', '--accept-copy', '--yes'], { home, env: elsewhere });
    expect([accepted.code, accepted.stderr]).toEqual([
      3,
      expect.stringContaining('only a person at a terminal'),
    ]);
  });

  test('once it is accepted, a plan is refused, and a refund goes with the id of its order', async () => {
    const { machine } = await restoredMachine();
    using _machine = machine;
    const accepted = await run(machine, ['journal', 'verify', '--accept-copy', '--yes']);
    expect(accepted.code, accepted.stderr).toBe(0);
    const said = accepted.stderr.replaceAll(/\s+/g, ' ');
    expect(said.split('this journal is a copy')).toHaveLength(2);
    expect(said).not.toContain('until somebody has looked');
    const order = ledger.add('refund');
    const [rows, plan] = [join(machine.root, 'rows.csv'), join(machine.root, 'rows.plan')];
    writeFileSync(rows, `order_id,charge_id,amount\n${order.id},1,${refundAmount}\n`);
    expect((await run(machine, ['refunds', 'plan', rows, '--to', plan])).code).toBe(0);
    const applied = await run(machine, ['refunds', 'apply', plan, '--yes']);
    expect({ code: applied.code, posts: order.posts.length }, applied.stderr).toEqual({ code: 3, posts: 0 });
    expect(applied.stderr).toContain('refunds are sent one by one');
    const made = await run(machine, [...changeArgs(order), '--confirm', order.id]);
    expect({ code: made.code, posts: order.posts.length }, made.stderr).toEqual({ code: 0, posts: 1 });
  });
});

// ── Images ──────────────────────────────────────────────────────────────────────────────────────

type FileSystem = 'ext4' | 'xfs' | 'btrfs';

// Each is a package of Debian too. xfs takes no smaller one.
const makers = { ext4: 'e2fsprogs', xfs: 'xfsprogs', btrfs: 'btrfs-progs' } as const;
const imageSize = '320M';

function mountNew(machine: Machine, fileSystem: FileSystem): void {
  sh(machine, `truncate -s ${imageSize} disk; mkfs.${fileSystem} -q disk; mount -o loop disk home`);
}

function mountable(): readonly FileSystem[] {
  if (!isLong || process.getuid?.() !== 0) return [];
  return (['ext4', 'xfs', 'btrfs'] as const).filter((fileSystem) => {
    using machine = machineAt(mkdtempSync('/var/tmp/paydesk-image-'));
    mkdirSync(machine.home.path);
    try {
      if (has(`mkfs.${fileSystem}`, makers[fileSystem])) mountNew(machine, fileSystem);
      return spawnSync('mountpoint', ['-q', machine.home.path]).status === 0;
    } catch (error) {
      console.log(`${fileSystem} cannot be mounted here, so its image is not restored: ${String(error)}`);
      return false;
    }
  });
}

const offline = (command: string) => `umount home; ${command}; mount -o loop disk home`;
const image: Restore = [
  'an image of the disk',
  offline('cp --sparse=always disk copy'),
  offline('cp --sparse=always copy disk'),
];

for (const fileSystem of mountable())
  describe(`a home on a disk with ${fileSystem}`, () => {
    test('sends nothing after an image of the disk was put back', async () => {
      await each(times, async () => {
        using machine = newMachine(fileSystem);
        await refusedAfter(image, machine);
      });
    });

    test('goes on after a restart', async () => {
      using machine = newMachine(fileSystem);
      for (const time of times) {
        await changesAnOrder(machine, `restart ${time}`);
        sh(machine, offline('sync'));
      }
    });
  });

// ── Moves ───────────────────────────────────────────────────────────────────────────────────────

const state = 'home/.local/state/paydesk';
const moves: readonly (readonly [name: string, command: string])[] = [
  ['the state folder is moved away and back', `mv ${state} away; mv away ${state}`],
  ['the home is renamed and named back', 'mv home other; mv other home'],
  ['the folder of the journal is renamed and named back', `mv ${state}/journal j; mv j ${state}/journal`],
  ['the journal has a second name for a while', `ln ${state}/journal/journal.db second; rm second`],
  ['all rights change and change back', `chmod -R g+rX ${state}; chmod -R go-rwx ${state}`],
  ['all times change', `find ${state} -exec touch {} +`],
  ['a backup reads everything', 'tar -cf backup.tar home; rm -rf copied; cp -a home copied'],
  ['what is temporary is cleaned', 'rm -r tmp; mkdir tmp'],
];

/** The whole folder gets another name for good, and so the home another path. */
function renamed({ root }: Machine): Machine {
  renameSync(root, `${root}x`);
  return machineAt(`${root}x`);
}

describe('a home that is moved', () => {
  const homes = Array.from({ length: isLong ? 20 : 1 }, (_, index) => index);
  const count = isLong ? 10 : moves.length + 1;

  test('goes on after every move', async () => {
    const done = await each(homes, async (first) => {
      let machine = newMachine();
      try {
        await changesAnOrder(machine, 'before a move');
        for (let at = 0; at < count; at += 1) {
          const [name, command] = moves[(first + at) % (moves.length + 1)] ?? [];
          if (command === undefined) machine = renamed(machine);
          else sh(machine, command);
          await changesAnOrder(machine, name ?? 'the folder above the home is renamed');
        }
        return count;
      } finally {
        machine[Symbol.dispose]();
      }
    });
    console.log(`moves that changed nothing: ${done.reduce((sum, one) => sum + one, 0)}`);
  }, 1_800_000);
});
