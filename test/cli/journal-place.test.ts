/** Who may not use the common journal of a machine, or not by its configuration, is refused before anything is read or sent. */

import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineFileOf } from '../../bin/process-io.ts';
import { changeArgs, ledgerAndDesk } from '../atmost/desk.ts';
import { inOneLine, type Ran } from '../harness/ran.ts';
import { type MachineUser, newSharedMachine, type SharedMachine } from '../harness/shared-machine.ts';

const { ledger, desk } = await ledgerAndDesk();
const isRoot = process.getuid?.() === 0;
/** A user and a group that have nothing to do with the machine. */
const stranger = 65_000;

const run = (user: MachineUser, args: readonly string[]) => user.start(['-p', 't', ...args]).end;

describe.skipIf(!isRoot)('a user who may not use the common journal', () => {
  /** What a user is told who tries a refund; no request of it arrives. */
  const refused = (user: MachineUser): Promise<string> => refusal((args) => run(user, args));

  async function refusal(runs: (args: readonly string[]) => Promise<Ran>): Promise<string> {
    const order = ledger.add('refund');
    const { code, stderr } = await runs(changeArgs(order));
    expect({ code, reads: order.reads, posts: order.posts.length }, stderr).toEqual({
      code: 3,
      reads: 0,
      posts: 0,
    });
    return inOneLine(stderr);
  }

  test('is no member of its group: refused, with what to ask for', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    const said = await refused(machine.user(home, { isMember: false }));
    expect(said).toContain(`only the group 61000 may use the journal of this machine, ${machine.folder}`);
    expect(said).toContain('ask an administrator to add you: usermod -aG 61000 USER');
  });

  test('has sent something with a journal of their own: refused until that is kept under another name', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    expect((await desk.run(home, changeArgs(ledger.add('refund')))).code).toBe(0);
    const user = machine.user(home);
    const own = join(home.path, '.local/state/paydesk/journal');
    const said = await refused(user);
    expect(said).toContain('you have a journal of your own, and this machine has a common one');
    expect(said).toContain(`mv ${own} ${own}-before`);
    renameSync(own, `${own}-before`);
    const order = ledger.add('refund');
    expect((await run(user, changeArgs(order))).code).toBe(0);
  });

  type Spoil = (machine: SharedMachine) => void;
  const badFolder = 'must be a folder of root and of the group of its users, with mode 2770';
  type Wrong = readonly [what: string, said: string, spoil: Spoil];
  const wrong: readonly Wrong[] = [
    ['the folder is missing', 'common, cannot be used', ({ folder }) => rmdirSync(folder)],
    ['the folder is open to everybody', badFolder, ({ folder }) => chmodSync(folder, 0o2777)],
    ['new files would not get the group', badFolder, ({ folder }) => chmodSync(folder, 0o770)],
    [
      'the folder is of a user',
      badFolder,
      ({ folder, group }) => {
        chownSync(folder, stranger, group);
        chmodSync(folder, 0o2770);
      },
    ],
    [
      'the configuration is of a user',
      'config.json belongs to another user than root',
      ({ machineFile }) => chownSync(machineFile, stranger, 0),
    ],
    [
      'a group may write the configuration',
      'config.json can be written by other users than root',
      ({ machineFile }) => chmodSync(machineFile, 0o664),
    ],
    [
      'everybody may write the folder of the configuration',
      'etc can be written by other users than root',
      ({ machineFile }) => chmodSync(dirname(machineFile), 0o777),
    ],
    [
      'the configuration is a link',
      'config.json is a symbolic link',
      ({ machineFile }) => {
        renameSync(machineFile, `${machineFile}.moved`);
        symlinkSync(`${machineFile}.moved`, machineFile);
      },
    ],
    ...(
      [
        ['{ journal.folder', 'holds no JSON object'],
        ['[]', 'holds no JSON object'],
        ['{ "journal_folder": "/var/lib/paydesk" }', 'has an unknown setting: journal_folder'],
        ['{ "journal.folder": "var/lib/paydesk" }', 'must give journal.folder as the full path'],
      ] as const
    ).map(
      ([text, said]): Wrong => [
        `the configuration is ${text}`,
        said,
        ({ machineFile }) => writeFileSync(machineFile, text),
      ],
    ),
  ];

  // Whoever runs it: this is seen before it matters who that is.
  test.each(wrong)('%s: refused, and an administrator is asked', async (_, problem, spoil) => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    spoil(machine);
    const said = await refusal((args) => desk.run(home, args, {}, machine));
    expect(said).toContain(problem);
    expect(said).toContain('ask an administrator');
  });

  test('cannot read the configuration: refused, and an administrator is asked', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    const user = machine.user(home);
    chmodSync(machine.machineFile, 0o600);
    const said = await refused(user);
    expect(said).toContain('to let everybody read it: chmod a+rX');
    expect(said).toContain('ask an administrator');
  });

  test.each([
    ['belongs to another group', stranger, 0o660],
    ['is closed to its group, and that cannot be changed', undefined, 0o600],
  ])('a file in the folder %s: nothing is sent', async (problem, gid, mode) => {
    using machine = newSharedMachine();
    using anaHome = desk.newHome();
    using benHome = desk.newHome();
    expect((await run(machine.user(anaHome), changeArgs(ledger.add('refund')))).code).toBe(0);
    const file = join(machine.folder, 'journal/journal.db');
    chownSync(file, stranger, gid ?? machine.group);
    chmodSync(file, mode);
    const order = ledger.add('refund');
    const { code, stderr } = await run(machine.user(benHome), changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 3, posts: 0 });
    expect(inOneLine(stderr)).toContain(`${file} ${problem}`);
  });

  test('a configuration without a folder changes nothing', async () => {
    using machine = newSharedMachine();
    using home = desk.newHome();
    writeFileSync(machine.machineFile, '{}');
    const user = machine.user(home, { isMember: false });
    const order = ledger.add('refund');
    expect((await run(user, changeArgs(order))).code).toBe(0);
    expect(readdirSync(join(home.path, '.local/state/paydesk')).toSorted()).toEqual(['journal', 'locks']);
    expect(readdirSync(machine.folder)).toEqual([]);
  });
});

test.each([
  ['linux', '/etc/paydesk/config.json'],
  ['darwin', '/Library/Application Support/paydesk/config.json'],
  ['win32', 'C:\\ProgramData\\paydesk\\config.json'],
])('on %s the configuration is %s, whatever the environment says', (platform, file) => {
  expect(machineFileOf(platform)).toBe(file);
});

test('a configuration that others than root can write is refused by every user', async () => {
  using home = desk.newHome();
  const machineFile = join(home.path, 'etc/config.json');
  mkdirSync(join(home.path, 'etc'));
  writeFileSync(machineFile, '{ "journal.folder": "/var/lib/paydesk" }');
  chmodSync(machineFile, 0o666);
  const order = ledger.add('refund');
  const { code, stderr } = await desk.run(home, changeArgs(order), {}, { machineFile });
  expect({ code, reads: order.reads, posts: order.posts.length }, stderr).toEqual({
    code: 3,
    reads: 0,
    posts: 0,
  });
  expect(inOneLine(stderr)).toContain('the configuration of this machine is not used');
});
