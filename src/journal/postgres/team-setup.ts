/** Makes a team's journal on a server, and its members: what leads and administrators do, with roles of their own rights. */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { CliError } from '../../errors.ts';
import {
  type Connection,
  type ConnectParts,
  codeOf,
  connectTo,
  isCertain,
  type ServerPlace,
} from './connection.ts';
import { nameOf } from './place-name.ts';
import { rolesOf, schemaText, schemaVersion, writerVersion } from './schema.ts';
import { problemOf, readIdentity, type ServerIdentity } from './server-check.ts';
import { refusedByServer, serverAway, serverDiffers, typedWrong } from './server-errors.ts';

// A member of a team: a role of the server that may sign in.
interface NewMember {
  readonly name: string;
  readonly password: string;
  readonly isLead: boolean;
}

/** Whether a name can be that of a member. It is the name of a role, and stands in every row. */
export function isMemberName(name: string): boolean {
  return /^[a-z][a-z0-9_.-]{0,40}$/.test(name) && !name.startsWith('pg_');
}

/**
 * Makes the schema, its functions and its roles in one transaction. `place.user` must be allowed to create schemas and roles.
 * Throws CliError 'refused' when the server may not keep what it commits, or has such a schema already.
 */
export async function createTeamJournal(place: ServerPlace, parts: ConnectParts): Promise<ServerIdentity> {
  return await connected(place, parts, async (connection) => {
    await connection.run(settingsCheck);
    await connection.run(schemaText(place.schema));
    return readIdentity(await connection.call('identity'));
  });
}

/** The statements of `createTeamJournal`, for an administrator. */
export function createTeamSql(schema: string): string {
  return `begin;\n${settingsCheck}\n${schemaText(schema)}commit;\n`;
}

/**
 * Makes a role that may sign in, and makes it a member. A member, or somebody who was one, gets the new password and rights.
 * Throws CliError 'refused' for any other role of the server, and when a lead stays one although it should not.
 */
export async function addTeamMember(
  place: ServerPlace,
  parts: ConnectParts,
  member: NewMember,
): Promise<void> {
  const sql = addMemberSql(place.schema, member);
  await connected(place, parts, (connection) => connection.run(sql));
}

/** The statements of `addTeamMember`. They hold no password, only what proves it (SCRAM-SHA-256). */
export function addMemberSql(schema: string, { name, password, isLead }: NewMember): string {
  const role = quotedName(name);
  const { operator, lead, former } = rolesOf(schema);
  const howToo = `choose another name; or, if it is the same person, let an administrator run: GRANT ${operator} TO ${role}`;
  return `do $$ begin
  if not exists (select from pg_roles where rolname = '${name}') then create role ${role};
  elsif not ${isOneOf(name, [operator, lead, former])} then
    raise exception 'the server has a role ${name} already, and it is no member of this team: ${howToo}' using errcode = 'PD007';
  end if;
  alter role ${role} login password '${scramVerifier(checkedPassword(password))}';
  grant ${operator} to ${role};
  ${isLead ? `grant ${lead} to ${role};` : ''}
end $$;
${revokeSql(name, isLead ? [former] : [former, lead])}`;
}

/** What became of the connections of somebody who was removed: whether the administrator was allowed to end them. */
interface RemovedMember {
  readonly connectionsEnded: boolean;
}

/**
 * Takes the rights of a member away, and the right to sign in. The role stays: its name is in the rows. A connection that
 * cannot be ended may do nothing more either: the server looks at the rights in every statement. Throws CliError 'refused' for
 * whoever is no member.
 */
export async function removeTeamMember(
  place: ServerPlace,
  parts: ConnectParts,
  name: string,
): Promise<RemovedMember> {
  const sql = revokeMemberSql(place.schema, name);
  return await connected(place, parts, async (connection) => {
    await connection.run(sql);
    try {
      await connection.run(endConnectionsSql(name));
      return { connectionsEnded: true };
    } catch (error) {
      // Only a superuser, or who has that person's rights, may end connections.
      if (codeOf(error) !== '42501') throw error;
      return { connectionsEnded: false };
    }
  });
}

/** The statements of `removeTeamMember`: the rights are gone even if the last one is refused. */
export function removeMemberSql(schema: string, name: string): string {
  return `begin;\n${revokeMemberSql(schema, name)}\ncommit;\n${endConnectionsSql(name)}`;
}

// A role that belongs to something else too, such as to another team, may still sign in there.
function revokeMemberSql(schema: string, name: string): string {
  const role = quotedName(name);
  const { operator, lead, former } = rolesOf(schema);
  return `do $$ begin
  if not ${isOneOf(name, [operator, lead])} then
    raise exception '${name} is no member of this team' using errcode = 'PD007';
  end if;
  grant ${former} to ${role};
end $$;
${revokeSql(name, [operator, lead])}
do $$ begin
  if not exists (select from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member
      where u.rolname = '${name}' and g.rolname <> '${former}') then
    alter role ${role} nologin;
  end if;
end $$;`;
}

function endConnectionsSql(name: string): string {
  return `select pg_terminate_backend(pid) from pg_stat_activity
  where usename = '${name}' and datname = current_database();`;
}

// A superuser has every right, and an administrator may have those of others: neither is a member by that.
function isOneOf(name: string, roles: readonly string[]): string {
  const has = roles.map((role) => `pg_has_role(u.oid, '${role}', 'usage')`).join(' or ');
  return `exists (select from pg_roles u where u.rolname = '${name}' and not u.rolsuper and (${has}))`;
}

// Since PostgreSQL 16 a right has the name of who gave it, and REVOKE takes away only one's own unless it names the other.
function revokeSql(name: string, roles: readonly string[]): string {
  const role = quotedName(name);
  const list = roles.map((one) => `'${one}'`).join(', ');
  return `do $$
declare given record;
begin
  for given in select g.rolname as role, coalesce(o.rolname, current_user) as grantor from pg_auth_members m
      join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member left join pg_roles o on o.oid = m.grantor
      where u.rolname = '${name}' and g.rolname in (${list}) loop
    begin
      execute format('revoke %I from ${role} granted by %I', given.role, given.grantor);
    exception when insufficient_privilege then
      raise exception '% gave ${name} the right %, so only % or a superuser can take it away', given.grantor, given.role, given.grantor
        using errcode = 'PD008';
    end;
  end loop;
  if ${isOneOf(name, roles)} then
    raise exception '${name} still has that right, by way of another role' using errcode = 'PD008';
  end if;
end $$;`;
}

/**
 * Signs in as a member and checks the server, for joining. `journal`: the id that the invitation names. Throws CliError
 * 'refused' when something is wrong with the server, or it has another journal.
 */
export async function checkTeamServer(
  place: ServerPlace,
  parts: ConnectParts,
  journal?: string,
): Promise<ServerIdentity> {
  return await connected(place, parts, async (connection) => {
    const identity = readIdentity(await connection.call('identity'));
    const { backend } = connection;
    const problem = problemOf(identity, {
      memory: undefined,
      backend,
      schemaVersion,
      writerVersion,
      journal,
    });
    if (problem !== undefined) throw serverDiffers(problem, nameOf(place));
    return identity;
  });
}

async function connected<T>(
  place: ServerPlace,
  parts: ConnectParts,
  act: (connection: Connection) => Promise<T>,
): Promise<T> {
  let connection: Connection | undefined;
  try {
    connection = await connectTo(place, parts);
    return await act(connection);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (isCertain(error)) throw refusedByServer(error, nameOf(place));
    const now = codeOf(error) === '28P01' ? typedWrong(place.user) : undefined;
    throw serverAway(error, nameOf(place), now);
  } finally {
    connection?.close();
  }
}

// What no journal is made on, in words that say what to change.
const settingsCheck = `do $$ begin
  if current_setting('server_version_num')::int < 140000 then
    raise exception 'PostgreSQL 14 or newer is needed' using errcode = 'PD002'; end if;
  if pg_is_in_recovery() then raise exception 'this server is a standby' using errcode = 'PD001'; end if;
  if current_setting('fsync') <> 'on' then raise exception 'fsync is off' using errcode = 'PD002'; end if;
  if current_setting('full_page_writes') <> 'on' then
    raise exception 'full_page_writes is off' using errcode = 'PD002'; end if;
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database is not in UTF8' using errcode = 'PD002'; end if;
end $$;`;

function quotedName(name: string): string {
  if (!isMemberName(name)) throw new CliError('usage', `${name} cannot be the name of a member`);
  return `"${name}"`;
}

// Before a password is compared, these become a space or nothing, and whoever types them does not see them.
function checkedPassword(password: string): string {
  if (!/\p{Default_Ignorable_Code_Point}|\p{C}|(?! )\p{Z}/u.test(password)) return password;
  throw new CliError('usage', 'the password has a character that cannot be seen, such as a soft hyphen', {
    certain: 'nothing was changed',
    now: ['choose another password, without it'],
  });
}

// What the server would make of the password itself; so the password is in no statement, and in no log of the server.
function scramVerifier(password: string): string {
  const [salt, iterations] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${server}`;
}
