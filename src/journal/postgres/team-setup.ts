/** Makes a team's journal on a server, and its members: what leads and administrators do, with roles of their own rights. */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { CliError } from '../../errors.ts';
import { type Connection, type ConnectParts, connectTo, isCertain, type ServerPlace } from './connection.ts';
import { nameOf } from './place-name.ts';
import { rolesOf, schemaText, schemaVersion, writerVersion } from './schema.ts';
import { problemOf, readIdentity, type ServerIdentity } from './server-check.ts';
import { refusedByServer, serverAway, serverDiffers } from './server-errors.ts';

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

/** Makes a role that may sign in, and makes it a member. An existing member gets the new password and rights. */
export async function addTeamMember(
  place: ServerPlace,
  parts: ConnectParts,
  member: NewMember,
): Promise<void> {
  await connected(place, parts, (connection) => connection.run(addMemberSql(place.schema, member)));
}

/** The statements of `addTeamMember`. They hold no password, only what proves it (SCRAM-SHA-256). */
export function addMemberSql(schema: string, { name, password, isLead }: NewMember): string {
  const role = quotedName(name);
  const { operator, lead } = rolesOf(schema);
  return `do $$ begin
  if not exists (select from pg_roles where rolname = '${name}') then create role ${role}; end if;
end $$;
alter role ${role} login password '${scramVerifier(password)}';
grant ${operator} to ${role};
${isLead ? 'grant' : 'revoke'} ${lead} ${isLead ? 'to' : 'from'} ${role};`;
}

/** Takes the rights of a member away, and the right to sign in. The role stays: its name is in the rows. */
export async function removeTeamMember(place: ServerPlace, parts: ConnectParts, name: string): Promise<void> {
  await connected(place, parts, (connection) => connection.run(removeMemberSql(place.schema, name)));
}

/** The statements of `removeTeamMember`. */
export function removeMemberSql(schema: string, name: string): string {
  const role = quotedName(name);
  const { operator, lead } = rolesOf(schema);
  return `revoke ${operator}, ${lead} from ${role};\nalter role ${role} nologin;
select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}';`;
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
    throw isCertain(error) ? refusedByServer(error, nameOf(place)) : serverAway(error, nameOf(place));
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

// What the server would make of the password itself; so the password is in no statement, and in no log of the server.
function scramVerifier(password: string): string {
  const [salt, iterations] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${server}`;
}
