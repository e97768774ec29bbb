/** What a server may do to the journal of a team: it crashes, forgets, is replaced, or is told to keep nothing. */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SentRow } from '../../src/journal/journal-rows.ts';
import { type PostgresServer, startPostgres, startStandbyOf } from '../harness/postgres.ts';
import { databaseOn, makeTemplate, signIn, type TeamDatabase } from '../harness/team-database.ts';
import { newTeam, type Team, teamOn } from '../journal/postgres/desks.ts';
import { sent, verdict } from '../journal/rows.ts';

// What is waited for takes as long as a busy machine needs.
const patiently = { timeout: 60_000 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await makeTemplate(server.address);
});
afterAll(() => server[Symbol.asyncDispose]());

/** A team on this server, whose connections may break with it. */
async function ownTeam(): Promise<Team> {
  return teamOn(await databaseOn(server.address));
}

const onOrder = (orderId: string): SentRow => {
  const row = sent(`i_${crypto.randomUUID().slice(0, 8)}`, 5);
  return { ...row, proof: { ...row.proof, orderId } };
};

/** Looks and records a refund of this order that was made. */
async function refund(team: Team, orderId: string, home?: string): Promise<SentRow> {
  const desk = team.desk(home === undefined ? {} : { home });
  const row = onOrder(orderId);
  await desk.attempts({ orderId });
  await desk.append(row);
  await desk.append(verdict(row.intent, 6));
  desk.close();
  return row;
}

const intents = async (team: Team): Promise<readonly string[]> =>
  (await team.desk().history('https://pay.example')).map((record) => record.sent.intent);

/** Stops the server, does something to its files, and starts it again. */
async function whileStopped(act: () => void): Promise<void> {
  await server.stop();
  act();
  await server.start();
}

const copyAll = (from: string, to: string): void => {
  rmSync(to, { recursive: true, force: true });
  expect(spawnSync('cp', ['-a', from, to]).status).toBe(0);
};

test('17 a server that is killed has every row that it has confirmed', async () => {
  const team = await ownTeam();
  const made = [await refund(team, 'ord_1'), await refund(team, 'ord_2')];
  await server.stop('SIGKILL');
  await server.start();
  expect(await intents(team)).toEqual(made.map(({ intent }) => intent));
});

test('18 a role and a database that do not wait for the disk lose nothing either', async () => {
  const team = await ownTeam();
  await team.database.query(`alter role ana in database ${team.database.name} set synchronous_commit = off`);
  await team.database.query(`alter database ${team.database.name} set synchronous_commit = off`);
  const desk = team.desk();
  await desk.attempts({ orderId: 'ord_1' });
  const row = onOrder('ord_1');
  await desk.append(row);
  await server.stop('SIGKILL');
  await server.start();
  expect(await intents(team)).toEqual([row.intent]);
});

test('19 nothing is recorded on an unlogged table', async () => {
  await using team = await newTeam();
  const desk = team.desk();
  await desk.attempts({ orderId: 'ord_1' });
  await team.database.query('alter table paydesk.attempts set unlogged');
  await expect(desk.append(onOrder('ord_1'))).rejects.toMatchObject({
    message: expect.stringContaining('unlogged'),
  });
});

test('19 nothing is recorded while fsync is off', async () => {
  const team = await ownTeam();
  const desk = team.desk();
  await desk.attempts({ orderId: 'ord_1' });
  await team.database.query('alter system set fsync = off');
  await team.database.query('select pg_reload_conf()');
  const refusal = { message: expect.stringContaining('fsync or full_page_writes is off') };
  await expect
    .poll(async () => await desk.append(onOrder('ord_1')).catch((error) => error), patiently)
    .toMatchObject(refusal);
  await team.database.query('alter system reset fsync');
  await team.database.query('select pg_reload_conf()');
});

test('22 what a role sets for its transactions does not count', async () => {
  await using team = await newTeam();
  const { name } = team.database;
  for (const [setting, value] of [
    ['default_transaction_isolation', 'serializable'],
    ['default_transaction_read_only', 'on'],
    ['statement_timeout', '1'],
    ['search_path', 'nowhere'],
  ])
    await team.database.query(`alter role ana in database ${name} set ${setting} = '${value}'`);
  const made = await refund(team, 'ord_1');
  expect(await intents(team)).toEqual([made.intent]);
});

test('25 a copy that was put back: the desk that saw the lost rows stops, a new one cannot know', async () => {
  const team = await ownTeam();
  const [home, copy] = [team.home(), join(server.root, 'copy')];
  await refund(team, 'ord_1', home);
  await whileStopped(() => copyAll(server.data, copy));
  await refund(team, 'ord_2', home);
  await whileStopped(() => copyAll(copy, server.data));
  await expect(team.desk({ home }).ready()).rejects.toMatchObject({ kind: 'refused' });
  await expect(team.desk({ home }).append(onOrder('ord_3'))).rejects.toMatchObject({ kind: 'refused' });
  await team.desk().ready();
});

describe('a standby of the server', () => {
  let standby: PostgresServer;

  /** A standby that has all rows of now and gets the next ones as they come. */
  async function startStandby(): Promise<void> {
    const { host, port, user, password } = server.address;
    await server.stop();
    standby = await startStandbyOf(
      server.data,
      `host=${host} port=${port} user=${user} password=''${password}''`,
    );
    await server.start();
  }
  afterEach(() => standby[Symbol.asyncDispose]());

  /** Resolves when the standby shows so many rows of the team. */
  async function streamed(team: Team, rows: number): Promise<void> {
    await using there = await signIn(standby.address, team.database.name);
    await expect
      .poll(async () => (await there.query('select from paydesk.rows')).length, patiently)
      .toBe(rows);
  }

  test('23 is refused, whatever it shows', async () => {
    const team = await ownTeam();
    const home = team.home();
    await refund(team, 'ord_1', home);
    await startStandby();
    await streamed(team, 2);
    await expect(team.desk({ home, port: standby.address.port }).ready()).rejects.toMatchObject({
      message: expect.stringContaining('is a standby'),
    });
    const row = onOrder('ord_2');
    await expect(team.desk({ port: standby.address.port }).append(row)).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test('24 is promoted without the newest row: who saw that row stops, who saw older ones stops until somebody accepts the server, a new desk cannot know', async () => {
    const team = await ownTeam();
    const [sawIt, older] = [team.home(), team.home()];
    await refund(team, 'ord_1', older);
    await startStandby();
    await refund(team, 'ord_2', older);
    await streamed(team, 4);
    // From here on the standby hears nothing any more.
    await using there = await signIn(standby.address);
    await there.query(`alter system set primary_conninfo = ''`);
    await there.query('select pg_reload_conf()');
    await expect
      .poll(async () => (await there.query('select from pg_stat_wal_receiver')).length, patiently)
      .toBe(0);
    const lost = await refund(team, 'ord_3', sawIt);
    await server.stop('SIGKILL');
    await there.query('select pg_promote()');
    const { port } = standby.address;
    const promoted = { message: expect.stringContaining('was a standby that was promoted') };
    await expect(team.desk({ home: sawIt, port }).ready()).rejects.toMatchObject(promoted);
    await expect(team.desk({ home: sawIt, port }).append(onOrder('ord_3'))).rejects.toMatchObject(promoted);
    await expect(team.desk({ home: older, port }).ready()).rejects.toMatchObject(promoted);
    const fresh = team.desk({ port });
    await fresh.ready();
    expect(await fresh.attempts({ orderId: 'ord_3' })).toEqual([]);
    // The rows that the first desk keeps prove what was lost.
    expect((await team.desk({ home: sawIt, port }).verify()).findings).toContainEqual({
      seq: 5,
      problem: `is missing, and this machine's copy has it: the sending of ${lost.intent} on ord_3`,
    });
    // Whoever misses nothing may go on with it; whoever misses a row may not.
    expect(await team.desk({ home: older, port }).verifyServer({ accept: true })).toMatchObject({
      findings: [],
      isAccepted: true,
    });
    const goesOn = team.desk({ home: older, port });
    await goesOn.attempts({ orderId: 'ord_4' });
    await goesOn.append(onOrder('ord_4'));
    expect(await team.desk({ home: sawIt, port }).verifyServer({ accept: true })).toMatchObject({
      isAccepted: false,
      findings: expect.arrayContaining([expect.objectContaining({ seq: 5 })]),
    });
    await expect(team.desk({ home: sawIt, port }).ready()).rejects.toMatchObject(promoted);
    expect(lost.proof.orderId).toBe('ord_3');
    await server.start();
  });
});

test('26 another database under the same name is noticed, though its rows are the same', async () => {
  await using team = await newTeam();
  const home = team.home();
  await refund(team, 'ord_1', home);
  const { name, server: shared }: TeamDatabase = team.database;
  await using admin = await signIn(shared);
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await admin.query(`create database ${name}_copy template ${name}`);
  await admin.query(`alter database ${name} rename to ${name}_old`);
  await admin.query(`alter database ${name}_copy rename to ${name}`);
  await expect(team.desk({ home }).ready()).rejects.toMatchObject({
    message: expect.stringContaining('another database under the same name'),
  });
  await admin.query(`drop database ${name}_old`);
});
