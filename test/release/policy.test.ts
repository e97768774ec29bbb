/** The enrolled keys in the file that the policy of the machine names: an agent of the same account enrols none there. */

import { chmodSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readPolicy, releaseKeysOf } from '../../src/cli/machine/policy.ts';
import { journalRows } from '../atmost/desk.ts';
import { paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { newPolicy, type PolicyMachine } from '../harness/policy.ts';
import { lastRecord } from '../harness/ran.ts';
import type { RefundService } from '../refunds/refund-service.ts';
import { asAgent, asAna, digestOf, keysFile, passphrase, proposed } from './released.ts';

const isRoot = process.getuid?.() === 0;

function machineWith(keys: string): PolicyMachine & { readonly keys: string } {
  const machine = newPolicy({});
  const file = join(dirname(machine.file), 'release-keys');
  machine.write({ 'release.keys': file });
  writeFileSync(file, keys, { mode: 0o644 });
  return { ...machine, keys: file };
}

const at = (machine: PolicyMachine, service: RefundService, ...args: readonly string[]) =>
  sit(args, { home: service.home, env: { ...service.env, ...asAna }, machineFile: machine.machineFile }, 300);

async function releaseOn(machine: PolicyMachine, service: RefundService) {
  const person = at(machine, service, 'release', 'refunds.plan');
  await person.answer('Type the digest', `${digestOf(service)}\r`);
  await person.answer('Passphrase of', `${passphrase}\r`);
  return await person.leaves;
}

const applyOn = ({ machineFile }: PolicyMachine, { home, env }: RefundService) =>
  paydesk(['refunds', 'apply', 'refunds.plan', '--json'], { home, env: { ...env, ...asAgent }, machineFile });

test.skipIf(!isRoot)(
  'a key counts once the administrator has added the line that --enrol prints, and a key of the user no more',
  async () => {
    await using service = await proposed();
    using machine = machineWith('');

    const enrolling = at(machine, service, 'release', '--enrol');
    await enrolling.answer('New passphrase', `${passphrase}\r`);
    await enrolling.answer('The same again', `${passphrase}\r`);
    const { screen } = await enrolling.leaves;
    // The file of this user has a key of the same person with the same passphrase.
    const before = await at(machine, service, 'release', 'refunds.plan').leaves;
    writeFileSync(machine.keys, `${/\{"by".*\}\}/.exec(screen)?.[0]}\n`);
    const released = await releaseOn(machine, service);
    const here = service.read('refunds.plan.release');
    const applied = await applyOn(machine, service);

    expect(screen).toContain('for whoever administers this machine');
    expect([before.code, released.code], released.screen).toEqual([3, 0]);
    expect(before.screen).toContain('no passphrase of ana is enrolled');
    expect(applied.code, applied.stderr).toBe(0);
    expect(service.made).toHaveLength(2);
    expect(journalRows(service.home)[0]).toMatchObject({ released: { by: 'ana', with: 'passphrase' } });
    expect(here).not.toContain(passphrase);
  },
);

test.skipIf(!isRoot)(
  'what an agent signs with a key of its own folder does not count on such a machine',
  async () => {
    await using service = await proposed();
    using machine = machineWith('');
    const person = sit(
      ['release', 'refunds.plan'],
      { home: service.home, env: { ...service.env, ...asAna } },
      300,
    );
    await person.answer('Type the digest', `${digestOf(service)}\r`);
    await person.answer('Passphrase of', `${passphrase}\r`);
    expect((await person.leaves).code).toBe(0);

    const applied = await applyOn(machine, service);

    expect(applied.code).toBe(3);
    expect(lastRecord(applied.stderr).message).toContain('not from an enrolled key');
    expect(service.posts).toEqual([]);
  },
);

test.skipIf(!isRoot).each<[string, (file: string) => void, RegExp]>([
  ['others can write', (file) => chmodSync(file, 0o666), /can be written by other users than root/],
  [
    'others can write the folder of',
    (file) => chmodSync(dirname(file), 0o777),
    /can be written by other users than root|policy/,
  ],
  [
    'is a link instead of',
    (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
    /is a symbolic link/,
  ],
  ['holds a line that is no key in', (file) => writeFileSync(file, 'ana\n'), /has no enrolled key in line 1/],
])('nothing is sent where something that %s the file of the keys', async (_, change, why) => {
  await using service = await proposed();
  using machine = machineWith(service.read(keysFile));
  expect((await releaseOn(machine, service)).code).toBe(0);
  change(machine.keys);

  const applied = await applyOn(machine, service);

  expect(applied.code, applied.stderr).toBe(3);
  expect(lastRecord(applied.stderr).message).toMatch(why);
  expect(service.posts).toEqual([]);
});

test.skipIf(!isRoot)(
  'a release is a rail for root and where no policy names a file, and for nobody else',
  async () => {
    using machine = machineWith('');
    const weaknessOf = async (machineFile: string, uid: number) =>
      releaseKeysOf(await readPolicy({ machineFile, uid }), '/home/ana/keys', {
        uid,
        notice: () => undefined,
      }).weakness;
    expect(await weaknessOf(machine.machineFile, 1000)).toBeUndefined();
    expect(await weaknessOf(machine.machineFile, 0)).toBe('paydesk runs as root');
    expect(await weaknessOf('/nonexistent/config.json', 1000)).toContain('names no file of enrolled keys');
  },
);
