/** Which file systems count as network file systems, and what they stop. */

import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountTypeOf, networkName } from '../../../src/journal/sqlite/journal-file.ts';
import { changeArgs, type Desk, openDesk } from '../../atmost/desk.ts';
import { type Ledger, startLedger } from '../../atmost/ledger.ts';
import { hasStrace } from '../../atmost/strace.ts';
import { bin, type Home } from '../../harness/paydesk.ts';
import { endOf } from '../../harness/ran.ts';

const noMount = () => undefined;

describe('a file system', () => {
  it.each([
    [0x6969, 'NFS'],
    [0x517b, 'SMB'],
    [0xff534d42, 'CIFS'],
    // As a 32-bit number with a sign.
    [0xff534d42 - 2 ** 32, 'CIFS'],
    [0xfe534d42, 'SMB2'],
    [0x01021997, '9p'],
    [0x5346414f, 'AFS'],
    [0x00c36400, 'Ceph'],
  ])('of the type %i is a network’s: %s', (type, name) => {
    expect(networkName(type, noMount)).toBe(name);
  });

  it.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['btrfs', 0x9123683e],
    ['xfs', 0x58465342],
    ['overlay', 0x794c7630],
    ['zfs', 0x2fc12fc1],
  ])('%s is local', (_, type) => {
    expect(networkName(type, noMount)).toBeUndefined();
  });

  it('of FUSE is judged by the name in the list of mounts', () => {
    const mounts = [
      '22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw',
      '40 22 0:40 / /home rw - fuse.gocryptfs /enc rw',
      '41 40 0:41 / /home/op/far\\040away rw shared:1 - fuse.sshfs host: rw',
    ].join('\n');
    const at = (path: string) => networkName(0x65735546, () => mountTypeOf(mounts, path));
    expect(at('/home/op/.local/state')).toBeUndefined();
    expect(at('/home/op/far away/state')).toBe('fuse.sshfs');
    expect(mountTypeOf(mounts, '/homes')).toBe('ext4');
  });
});

describe.skipIf(!hasStrace())('a journal on a network file system', () => {
  let ledger: Ledger;
  let desk: Desk;
  beforeAll(async () => {
    ledger = await startLedger();
    desk = await openDesk({ url: ledger.url });
  });
  afterAll(async () => {
    desk[Symbol.dispose]();
    await ledger[Symbol.asyncDispose]();
  });

  // No such mount can be made here, so the system is made to answer as one would: f_type is the first word of statfs.
  function onNfs(home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const words = ['-f', '-o', '/dev/null', '-e', 'inject=statfs:poke_exit=@arg2=6969000000000000'];
    const child = spawn('strace', [...words, process.execPath, bin, '-p', 't', ...args], {
      env: desk.env(home, env),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return endOf(child);
  }

  it('stops every change and no read, unless its locks were tested', async () => {
    const poke = ['-o', '/dev/null', '-e', 'inject=statfs:poke_exit=@arg2=6969', 'true'];
    if (spawnSync('strace', poke).status !== 0) {
      console.log('this strace cannot change what statfs answers: a journal on NFS is not tried');
      return;
    }
    using home = desk.newHome();
    const order = ledger.add('refund');
    const refused = await onNfs(home, changeArgs(order));
    expect({ code: refused.code, posts: order.posts.length }, refused.stderr).toEqual({ code: 3, posts: 0 });
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /the journal is on a network file system \(NFS\): .* PAYDESK_STATE_ON_NETWORK=1/,
    );
    expect((await onNfs(home, ['journal', 'list'])).code).toBe(0);
    const tested = await onNfs(home, changeArgs(order), { PAYDESK_STATE_ON_NETWORK: '1' });
    expect({ code: tested.code, posts: order.posts.length }, tested.stderr).toEqual({ code: 0, posts: 1 });
  });
});
