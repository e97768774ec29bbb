/** A team's journal is made on an empty database, and gets and loses members. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

test('a second journal under the same name in another database is refused: its members would be those of the first', async () => {
  await using first = await signIn(server.address);
  await first.query('create database other');
  const other = { ...place, database: 'other' };
  await expect(createTeamJournal(other, admin())).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(
      'the server has the role paydesk_owner already, of a journal in another database',
    ),
    parts: { now: [expect.stringContaining('--schema NAME')] },
  });
  await createTeamJournal({ ...other, schema: 'prod' }, admin());
  await addTeamMember(place, admin(), { name: 'eva', password: 'p', isLead: true });
  const eva = { ...other, schema: 'prod', user: 'eva' };
  await expect(checkTeamServer(eva, as('p'))).rejects.toMatchObject({
    message: expect.stringContaining('permission denied for schema prod'),
  });
});

describe('roles that are no members', () => {
  const roleOf = async (name: string) => {
    await using inside = await signIn(server.address, 'desk');
    const [row] = await inside.query(
      'select rolcanlogin as login, rolpassword as password from pg_authid where rolname = $1',
      [name],
    );
    return row;
  };

  test.each(['shopapp', 'postgres'])('%s gets no password and is not locked', async (name) => {
    await using inside = await signIn(server.address, 'desk');
    await inside.query(
      `do $$ begin create role shopapp login password 'x'; exception when duplicate_object then null; end $$`,
    );
    const before = await roleOf(name);
    await expect(addTeamMember(place, admin(), { name, password: 'p', isLead: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(`has a role ${name} already.*GRANT paydesk_operator TO "${name}"`),
    });
    await expect(removeTeamMember(place, admin(), name)).rejects.toMatchObject({
      message: expect.stringContaining(`${name} is no member of this team`),
    });
    expect(await roleOf(name)).toEqual(before);
  });

  test('whoever was removed is added again', async () => {
    await addTeamMember(place, admin(), { name: 'joe', password: 'p', isLead: true });
    await removeTeamMember(place, admin(), 'joe');
    await expect(removeTeamMember(place, admin(), 'joe')).rejects.toThrow('is no member');
    await addTeamMember(place, admin(), { name: 'joe', password: 'q', isLead: false });
    expect(await checkTeamServer({ ...place, user: 'joe' }, as('q'))).toMatchObject({ lead: false });
  });

  test('a member of two teams who leaves one of them still signs in for the other', async () => {
    await using inside = await signIn(server.address, 'desk');
    await addTeamMember(place, admin(), { name: 'two', password: 'p', isLead: false });
    await inside.query('create role another_team; grant another_team to two');
    await removeTeamMember(place, admin(), 'two');
    expect(await roleOf('two')).toMatchObject({ login: true });
  });
});

describe('an administrator who is no superuser', () => {
  const boss = { name: 'boss', password: 'boss' };
  const asBoss = { ...as(boss.password) };
  let own: ServerPlace;
  beforeAll(async () => {
    await using first = await signIn(server.address);
    await first.query(`create role boss login createrole password 'boss'`);
    await first.query('create database managed owner boss');
    own = { ...place, user: boss.name, database: 'managed', schema: 'managed' };
    await createTeamJournal(own, asBoss);
  });

  test('removes a member who is connected: the rights are gone at once, and it is said that the connection is not', async () => {
    await addTeamMember(own, asBoss, { name: 'ned', password: 'p', isLead: false });
    await using ned = await signIn({ ...server.address, user: 'ned', password: 'p' }, 'managed');
    expect(await ned.query('select managed.identity()')).toHaveLength(1);
    expect(await removeTeamMember(own, asBoss, 'ned')).toEqual({ connectionsEnded: false });
    await expect(ned.query('select managed.identity()')).rejects.toMatchObject({ code: '42501' });
    await expect(checkTeamServer({ ...own, user: 'ned' }, as('p'))).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test('is no member by that, in no list and in no limit', async () => {
    await using inside = await signIn({ ...server.address, user: 'boss', password: 'boss' }, 'managed');
    const [row] = await inside.query(`select managed.is_member('boss'::regrole) as boss`);
    expect(row).toEqual({ boss: false });
  });

  test('made a lead: the superuser makes a member of it again, and nothing of the right is left', async () => {
    await addTeamMember(own, asBoss, { name: 'bob', password: 'p', isLead: true });
    const asSuperuser = { ...own, user: server.address.user };
    await addTeamMember(asSuperuser, admin(), { name: 'bob', password: 'p', isLead: false });
    expect(await checkTeamServer({ ...own, user: 'bob' }, as('p'))).toMatchObject({ lead: false });
  });

  test('takes away what the superuser gave, or is told that only the superuser can', async () => {
    const member = { name: 'amy', password: 'p', isLead: false };
    await addTeamMember(own, asBoss, member);
    const asSuperuser = { ...own, user: server.address.user };
    await addTeamMember(asSuperuser, admin(), { ...member, isLead: true });
    const told = await addTeamMember(own, asBoss, member).then(
      () => 'taken away',
      ({ kind, message }) => `${kind}: ${message}`,
    );
    const { lead } = await checkTeamServer({ ...own, user: 'amy' }, as('p'));
    await using inside = await signIn(server.address);
    const [version] = await inside.query(
      `select current_setting('server_version_num')::int >= 160000 as named`,
    );
    // Since PostgreSQL 16 a right belongs to who gave it.
    const left = {
      lead: true,
      told: expect.stringMatching(/^refused: .*only postgres or a superuser can take it away$/),
    };
    expect({ lead, told }).toEqual(version?.named === true ? left : { lead: false, told: 'taken away' });
  });
});

test.each(['soft\u00adhyphen', 'zero\u200bwidth', 'no\u00a0break'])(
  'a password with a character that nobody sees is refused: %j',
  (password) => {
    expect(() => addMemberSql('paydesk', { name: 'ana', password, isLead: false })).toThrow(
      'the password has a character that cannot be seen',
    );
  },
);

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
