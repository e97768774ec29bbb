/** A commit at the server of a team that nobody confirms, or that fails: standbys that are gone, full disks, conflicts, upgrades. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ledger, startLedger } from '../atmost/ledger.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { databaseOn, makeTemplate, signIn } from '../harness/team-database.ts';
import { startTranslatingRelay } from '../harness/translating-relay.ts';
import { newTeam, type Team, teamOn } from '../journal/postgres/desks.ts';
import { type SendingDesk, sendingDesk } from './sending-desk.ts';

// What is waited for takes as long as a busy machine needs.
const patiently = { timeout: 60_000 };

let server: PostgresServer;
let ledger: Ledger;
let team: Team;
beforeAll(async () => {
  [server, ledger] = await Promise.all([startPostgres(), startLedger()]);
  await makeTemplate(server.address);
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What became of every attempt, in the order of the rows: `sent`, `not_sent`. */
async function told({ database }: Team): Promise<readonly unknown[]> {
  const rows = await database.query(
    `select coalesce(row::jsonb ->> 'verdict', type) as word from paydesk.rows order by seq`,
  );
  return rows.map(({ word }) => word);
}

async function backendsIn(event: string): Promise<readonly unknown[]> {
  const found = await team.database.query(
    `select pid from pg_stat_activity where wait_event = '${event}' and datname = current_database()`,
  );
  return found.map(({ pid }) => pid);
}

const refused = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) });

describe('a server that commits only with its standby', () => {
  let desk: SendingDesk;
  beforeEach(async () => {
    team = teamOn(await databaseOn(server.address));
    desk = await sendingDesk(team, ledger, { deadlineMs: 60_000 });
    return async () => {
      desk.close();
      await standbys('');
      await team[Symbol.asyncDispose]();
    };
  });

  async function standbys(names: string): Promise<void> {
    await using admin = await signIn(server.address);
    await admin.query(`alter system set synchronous_standby_names = '${names}'`);
    await admin.query('select pg_reload_conf()');
    const isSo = async () =>
      (await admin.query('show synchronous_standby_names'))[0]?.synchronous_standby_names;
    await expect.poll(isSo, patiently).toBe(names);
  }

  test.each([
    ['20 is told to wait no longer: the warning counts as unknown', 'pg_cancel_backend'],
    ['21 loses the backend that waits', 'pg_terminate_backend'],
  ])('%s, so nothing is sent, and the row is taken back', async (_, end) => {
    const order = ledger.add('refund');
    await standbys('nobody');
    const ended = desk.refund(order).catch((error: unknown) => error);
    await expect.poll(() => backendsIn('SyncRep'), patiently).toHaveLength(1);
    const [pid] = await backendsIn('SyncRep');
    await team.database.query(`select ${end}(${String(pid)})`);
    await expect.poll(() => told(team), patiently).toContain('sent');
    await standbys('');
    expect(await ended).toMatchObject({ kind: 'refused' });
    expect(order.posts).toHaveLength(0);
    expect(await told(team)).toEqual(['sent', 'not_sent']);
  });

  test('20 the warning counts as unknown in every language of the server', async () => {
    await using relay = await startTranslatingRelay(server.address.port);
    const german = await sendingDesk(team, ledger, { deadlineMs: 60_000, port: relay.port });
    const order = ledger.add('refund');
    await standbys('nobody');
    const ended = german.refund(order).catch((error: unknown) => error);
    await expect.poll(() => backendsIn('SyncRep'), patiently).toHaveLength(1);
    const [pid] = await backendsIn('SyncRep');
    await team.database.query(`select pg_cancel_backend(${String(pid)})`);
    await expect.poll(() => told(team), patiently).toContain('sent');
    await standbys('');
    expect(await ended).toMatchObject({ kind: 'refused' });
    expect(order.posts).toHaveLength(0);
    expect(await told(team)).toEqual(['sent', 'not_sent']);
    german.close();
  });
});

test('a refusal of the server is certain in every language, and says what it says in English', async () => {
  await using other = await newTeam();
  await using relay = await startTranslatingRelay(other.database.server.port);
  const desk = await sendingDesk(other, ledger, { port: relay.port });
  const order = ledger.add('refund');
  order.onRead = async () => {
    await other.database.query('update paydesk.version set min_writer = 99');
    return undefined;
  };
  await expect(desk.refund(order)).rejects.toMatchObject(refused('refused it: the journal needs a newer'));
  expect(order.posts).toHaveLength(0);
  desk.close();
});

describe('a conflict with another transaction (40001)', () => {
  let desk: SendingDesk;
  beforeEach(async () => {
    team = await newTeam();
    desk = await sendingDesk(team, ledger);
    return async () => {
      desk.close();
      await team[Symbol.asyncDispose]();
    };
  });

  /** The first so many rows of this kind meet it. What a sequence counted stays counted when its transaction is rolled back. */
  const conflicts = (type: 'sent' | 'verdict', times: number) =>
    team.database.query(`
      create sequence paydesk.conflicts;
      alter sequence paydesk.conflicts owner to paydesk_owner;
      create function paydesk.conflict() returns trigger language plpgsql as $$
      begin
        if new.type = '${type}' and nextval('paydesk.conflicts') <= ${times} then
          raise exception 'conflict' using errcode = '40001';
        end if;
        return new;
      end $$;
      create trigger conflict before insert on paydesk.rows for each row execute function paydesk.conflict()`);

  test('29 before the POST: SENT is recorded a second time, and sent once', async () => {
    const order = ledger.add('refund');
    await conflicts('sent', 1);
    expect(await desk.refund(order)).toMatchObject({ verdict: 'applied' });
    expect({ rows: await told(team), posts: order.posts.length }).toEqual({
      rows: ['sent', 'applied'],
      posts: 1,
    });
  });

  test('29 before the POST, twice: refused, and nothing is sent', async () => {
    const order = ledger.add('refund');
    await conflicts('sent', 2);
    await expect(desk.refund(order)).rejects.toMatchObject({ kind: 'refused' });
    expect({ rows: await told(team), posts: order.posts.length }).toEqual({ rows: [], posts: 0 });
  });

  test('29 after the POST: only the verdict is recorded again', async () => {
    const order = ledger.add('refund');
    await conflicts('verdict', 3);
    expect(await desk.refund(order)).toMatchObject({ verdict: 'applied' });
    expect({ rows: await told(team), posts: order.posts.length }).toEqual({
      rows: ['sent', 'applied'],
      posts: 1,
    });
  });
});

describe('an upgrade while others send', () => {
  beforeEach(async () => {
    team = await newTeam();
    return () => team[Symbol.asyncDispose]();
  });

  /** As every upgrade begins and ends (see the table `version`). */
  const upgrade = `begin; lock table paydesk.version in access exclusive mode;
    alter table paydesk.rows add column more text;
    update paydesk.version set n = 2, min_writer = 2`;

  test('38 a SENT row that came first is there before it, and is sent', async () => {
    const order = ledger.add('refund');
    const desk = await sendingDesk(team, ledger);
    await using holder = await signIn(team.database.server, team.database.name);
    await holder.query('begin; select from paydesk.head for update');
    const refund = desk.refund(order);
    await expect.poll(() => backendsIn('transactionid'), patiently).toHaveLength(1);
    await using lead = await signIn(team.database.server, team.database.name);
    const upgraded = lead.query(upgrade);
    await expect.poll(() => backendsIn('relation'), patiently).toHaveLength(1);
    await holder.query('rollback');
    await upgraded;
    expect(await lead.query('select type from paydesk.rows')).toEqual([{ type: 'sent' }]);
    await lead.query('commit');
    // What became of it is recorded by the newer program: this one may not write any more.
    expect(await refund).toMatchObject({ verdict: 'applied', unrecorded: expect.anything() });
    expect(order.posts).toHaveLength(1);
    desk.close();
  });

  test('38 a SENT row that came later waits for it, and is refused if its program is too old then', async () => {
    const order = ledger.add('refund');
    const desk = await sendingDesk(team, ledger);
    await using lead = await signIn(team.database.server, team.database.name);
    order.onRead = async () => {
      await lead.query(upgrade);
      return undefined;
    };
    const refund = desk.refund(order).catch((error: unknown) => error);
    await expect.poll(() => backendsIn('relation'), patiently).toHaveLength(1);
    await lead.query('commit');
    expect(await refund).toMatchObject(refused('a newer paydesk'));
    expect({ rows: await told(team), posts: order.posts.length }).toEqual({ rows: [], posts: 0 });
    desk.close();
  });
});

// A file system of its own that is soon full. Only root may mount one.
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  else console.log('no file system can be mounted here: a full disk of the server is not tried');
  rmSync(folder, { recursive: true });
  return mounted;
})();

describe.skipIf(!canMount)('a disk of the server that is full', () => {
  let disk: string;
  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), 'paydesk-disk-'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700,uid=65534', 'tmpfs', disk]);
    team = teamOn(await databaseOn(server.address));
    return async () => {
      await team[Symbol.asyncDispose]();
      spawnSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    };
  });

  test('41 SENT is refused and nothing is sent, until there is room again', async () => {
    const filler = join(disk, 'filler');
    const desk = await sendingDesk(team, ledger);
    await team.database.query(`create tablespace full_disk location '${disk}'`);
    await team.database.query('alter table paydesk.rows set tablespace full_disk');
    await desk.refund(ledger.add('refund'));
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
    const orders = Array.from({ length: 20 }, () => ledger.add('refund'));
    const ends: unknown[] = [];
    for (const order of orders) ends.push(await desk.refund(order).catch((error: unknown) => error));
    const last = orders.at(-1);
    expect(ends.at(-1)).toMatchObject(refused('No space left on device'));
    expect(last?.posts).toHaveLength(0);
    const [{ sent } = { sent: undefined }] = await team.database.query(
      `select count(*)::int as sent from paydesk.attempts`,
    );
    expect(sent).toBe(1 + orders.reduce((sum, { posts }) => sum + posts.length, 0));
    rmSync(filler);
    if (last !== undefined) expect(await desk.refund(last)).toMatchObject({ verdict: 'applied' });
    desk.close();
  });
});
