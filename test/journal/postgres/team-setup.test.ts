/** A team's journal is made on an empty database, and gets and loses members. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../bin/process-io.ts';
import type { ConnectParts, ServerPlace } from '../../../src/journal/postgres/connection.ts';
import {
  addMemberSql,
  addTeamMember,
  checkTeamServer,
  createTeamJournal,
  createTeamSql,
  removeTeamMember,
} from '../../../src/journal/postgres/team-setup.ts';
import { type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import { signIn } from '../../harness/team-database.ts';

let server: PostgresServer;
let place: ServerPlace;
beforeAll(async () => {
  server = await startPostgres();
  const { host, port, user } = server.address;
  place = { host, port, user, database: 'desk', schema: 'paydesk' };
  await using admin = await signIn(server.address);
  await admin.query('create database desk');
});
afterAll(() => server[Symbol.asyncDispose]());

const as = (password: string): ConnectParts => ({
  clock: systemClock,
  password: () => Promise.resolve(password),
  run: 'r',
  deadlineMs: 10_000,
});
const admin = () => as(server.address.password);

test('a journal is made once; a member signs in, with a password that no statement holds, and is shut out again', async () => {
  const { journal } = await createTeamJournal(place, admin());
  await expect(createTeamJournal(place, admin())).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('already exists'),
  });
  await addTeamMember(place, admin(), { name: 'zoe', password: "o'brien $1", isLead: false });
  expect(addMemberSql('paydesk', { name: 'zoe', password: 'hidden1', isLead: false })).not.toContain(
    'hidden1',
  );
  const zoe = { ...place, user: 'zoe' };
  expect(await checkTeamServer(zoe, as("o'brien $1"), journal)).toMatchObject({
    operator: 'zoe',
    lead: false,
  });
  await addTeamMember(place, admin(), { name: 'zoe', password: 'other', isLead: true });
  expect(await checkTeamServer(zoe, as('other'), journal)).toMatchObject({ lead: true });
  await expect(checkTeamServer(zoe, as('other'), 'another journal')).rejects.toMatchObject({
    message: expect.stringContaining('another journal than the one that was joined'),
  });
  await expect(checkTeamServer(zoe, as('wrong'))).rejects.toMatchObject({ kind: 'refused' });
  await removeTeamMember(place, admin(), 'zoe');
  await expect(checkTeamServer(zoe, as('other'))).rejects.toMatchObject({ kind: 'refused' });
});

test('the statements for an administrator make the same journal', async () => {
  await using inside = await signIn(server.address, 'desk');
  await inside.query(createTeamSql('second_team'));
  const second = { ...place, schema: 'second_team' };
  expect(await checkTeamServer(second, admin())).toMatchObject({ version: 1, lead: true });
});

test('an operator may call the functions, and touch nothing else', async () => {
  await addTeamMember(place, admin(), { name: 'kim', password: 'kim', isLead: false });
  await using kim = await signIn({ ...server.address, user: 'kim', password: 'kim' }, 'desk');
  for (const statement of [
    'select * from paydesk.rows',
    "update paydesk.head set hash = ''",
    'delete from paydesk.attempts',
    "select paydesk.append_row(1, 'sent', 'i', 1, '', '{}', null)",
    "select paydesk.erase_bodies(1, '{i_a}', '{1}')",
    'set role paydesk_owner',
    'drop index paydesk.one_open_attempt',
    'alter table paydesk.rows disable trigger all',
    'create function paydesk.now_too() returns int language sql as $$ select 1 $$',
  ])
    await expect(kim.query(statement)).rejects.toMatchObject({ code: '42501' });
  expect(await kim.query('select paydesk.identity() as told')).toHaveLength(1);
});

test.each(['a b', 'x"y', 'Ana', 'pg_ana', ''])('nobody is called %j', (name) => {
  expect(() => addMemberSql('paydesk', { name, password: 'p', isLead: false })).toThrow('cannot be the name');
});
