/**
 * The schema of a team's journal: tables, and the functions that are all an operator may use. The text is what
 * `team create` runs, or prints for an administrator.
 */

import { appendSql } from './schema/append.ts';
import { approvalsSql } from './schema/approvals.ts';
import { formsSql } from './schema/forms.ts';
import { importRowsSql } from './schema/import-rows.ts';
import { limitsSql } from './schema/limits.ts';
import { planClaimsSql } from './schema/plan-claims.ts';
import { recordSentSql } from './schema/record-sent.ts';
import { recordVerdictSql } from './schema/record-verdict.ts';
import { tablesSql } from './schema/tables.ts';

/** The version of the schema that this program makes and knows. */
export const schemaVersion = 1;

/** The version that this program shows to the server, which refuses writers that are too old (`version.min_writer`). */
export const writerVersion = 1;

/** The usual name of the schema. Its roles are called after it: `paydesk_owner`, `paydesk_operator`, … */
export const usualSchema = 'paydesk';

/** Whether a name can be that of a schema: it stands in statements as it is, so it needs no quotes. */
export function isSchemaName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,40}$/.test(name) && !name.startsWith('pg_');
}

/**
 * The roles of a schema. Nobody signs in as one of these; people are members of them. `former`: who was removed. It may do
 * nothing, and says that the name was once one of the team.
 */
export function rolesOf(schema: string): Record<'owner' | 'operator' | 'lead' | 'former', string> {
  const [owner, operator, lead] = [`${schema}_owner`, `${schema}_operator`, `${schema}_lead`];
  return { owner, operator, lead, former: `${schema}_former` };
}

/** Everything that makes an empty journal, to be run in one transaction by a role that may create roles and schemas. */
export function schemaText(schema: string = usualSchema): string {
  if (!isSchemaName(schema)) throw new Error(`${schema} cannot be the name of a schema`);
  const record = [formsSql, appendSql, recordSentSql, recordVerdictSql, takeBackSql];
  const rules = [limitsSql, approvalsSql, planClaimsSql];
  const parts = [tablesSql, ...record, ...rules, importRowsSql, readSql, statusSql, rightsSql];
  const text = [beginSql, ...parts, `reset role;`].join('\n').trim();
  const named = Object.entries(rolesOf(schema)).reduce(
    (sql, [name, role]) => sql.replaceAll(`{${name}}`, role),
    text,
  );
  return `${named
    .replaceAll('{schema}', schema)
    .replaceAll('{version}', `${schemaVersion}`)
    .replaceAll('{min_writer}', `${writerVersion}`)}\n`;
}

const beginSql = `
-- The journal of a team, for PostgreSQL 14 or newer. Run it in one transaction (psql --single-transaction).
-- The owner is a role that nobody signs in as. Operators may only call functions; the tables are closed to them.
do $$
declare name text;
begin
  if exists (select from pg_namespace where nspname = '{schema}') then
    raise exception 'schema "{schema}" already exists' using errcode = 'PD006';
  end if;
  -- Roles belong to all databases of a server. The members of another journal must not be members here by that.
  foreach name in array array['{owner}', '{operator}', '{lead}', '{former}'] loop
    if exists (select from pg_roles where rolname = name) then
      raise exception 'the server has the role % already, of a journal in another database', name using errcode = 'PD006';
    end if;
    execute format('create role %I nologin', name);
  end loop;
  -- Before PostgreSQL 16 a role that creates others is no member of them. It needs to be one to act as the owner.
  execute format('grant {owner} to %I', current_user);
end $$;
create schema {schema} authorization {owner};
set role {owner};
`;

const rightsSql = `
revoke all on schema {schema} from public;
revoke all on all functions in schema {schema} from public;
grant usage on schema {schema} to {operator}, {lead};
grant execute on function {schema}.identity, {schema}.rows_after, {schema}.record_sent, {schema}.record_verdict,
  {schema}.take_back, {schema}.record_setting, {schema}.list_limits, {schema}.check_limits, {schema}.ask_approval,
  {schema}.decide_approval, {schema}.list_approvals, {schema}.add_plan, {schema}.check_plan, {schema}.start_plan,
  {schema}.claim_orders, {schema}.end_order, {schema}.leave_plan, {schema}.plan_progress,
  {schema}.import_rows, {schema}.status to {operator}, {lead};
grant execute on function {schema}.erase_bodies, {schema}.set_limits to {lead};
`;

const statusSql = `
create function {schema}.status()
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select json_build_object(
    'members', coalesce((select json_agg(json_build_object('name', m.rolname,
        'lead', pg_has_role(m.oid, '{lead}', 'usage'),
        'last', (select max(a.sent_at) from {schema}.attempts a where a.operator = m.rolname and a.run <> 'imported'),
        'desks', (select count(distinct s.pid) from pg_stat_activity s
          where s.usename = m.rolname and s.datname = current_database())) order by m.rolname)
      from pg_roles m where m.rolcanlogin and {schema}.is_member(m.oid)), '[]'),
    'standbys', coalesce((select json_agg(json_build_object('name', s.application_name, 'state', s.sync_state)
      order by s.application_name) from pg_stat_replication s), '[]'),
    'synchronous', current_setting('synchronous_standby_names'),
    'server', current_setting('server_version'),
    'tls', (select ssl from pg_stat_ssl where pid = pg_backend_pid())) $$;
`;

const readSql = `
-- Who the server is and what it remembers. A desk compares that with what it saw the last time.
create function {schema}.identity()
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select json_build_object('journal', h.journal, 'version', v.n, 'min_writer', v.min_writer,
    'database', (select oid::text from pg_database where datname = current_database()),
    'system', (select system_identifier::text from pg_control_system()),
    'timeline', case when pg_is_in_recovery() then null else
      ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end,
    'lsn', case when pg_is_in_recovery() then null else pg_current_wal_lsn() - '0/0'::pg_lsn end,
    'standby', pg_is_in_recovery(), 'backend', pg_backend_pid(), 'operator', {schema}.operator(),
    'lead', pg_has_role(session_user, '{lead}', 'usage'))
  from {schema}.head h, {schema}.version v $$;

-- The rows after one that the desk has, and whether the journal still has that one.
create function {schema}.rows_after(p_seq bigint, p_hash text, p_max int)
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select json_build_object('now', {schema}.row_time(0), 'seq', h.seq, 'hash', h.hash,
    'lsn', case when pg_is_in_recovery() then null else pg_current_wal_lsn() - '0/0'::pg_lsn end,
    'knows', p_seq = 0 or exists (select from {schema}.rows r where r.seq = p_seq and r.hash = p_hash),
    'rows', coalesce((select json_agg(row_to_json(n) order by n.seq)
      from (select * from {schema}.rows where seq > p_seq order by seq limit p_max) n), '[]'))
  from {schema}.head h $$;

-- Erases the bodies of attempts, and those of requests for an approval (attempt 0), for leads. The hash of a body stays, so the
-- chain does too. Returns how many attempts had one.
create function {schema}.erase_bodies(p_writer int, p_intents text[], p_attempts int[])
returns int language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare n int;
begin
  perform {schema}.refuse_unsafe(p_writer);
  with erased as (
    update {schema}.rows r set body = null from unnest(p_intents, p_attempts) as t (intent, attempt)
      where r.intent = t.intent and r.attempt = t.attempt and r.body is not null returning r.intent, r.attempt)
  select count(distinct (intent, attempt)) into n from erased where attempt > 0;
  return n;
end $$;
`;

const takeBackSql = `
-- The writer sends nothing, and this makes that final. A SENT row that is there gets the verdict p_rest. One that is still
-- on its way (in a socket, in a backend that waits) is kept out by the key of attempts. Asked again, it answers the same.
-- That somebody else looked meanwhile and did not see it is in nobody's way: the writer knows more.
create function {schema}.take_back(p_writer int, p_intent text, p_attempt int, p_rest text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  x {schema}.attempts;
  old {schema}.rows;
  r {schema}.rows;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  if p_rest::jsonb ->> 'verdict' is distinct from 'not_sent' then
    raise exception 'what is taken back was not sent' using errcode = 'PD017';
  end if;
  t := {schema}.lock_head();
  select * into x from {schema}.attempts where intent = p_intent and attempt = p_attempt;
  if not found then
    r := {schema}.append_row(t, 'void', p_intent, p_attempt, '', '{"why":"it was not recorded, and cannot be any more"}', null);
    insert into {schema}.attempts (intent, attempt, subject, operator, run, kind, sent_at, send_by, horizon_ms,
        verdict, open, newest_row)
      values (p_intent, p_attempt, p_intent, {schema}.operator(), {schema}.run(), 'void', t, t, 0,
        'void', false, r.seq);
    return row_to_json(r);
  end if;
  if {schema}.is_ours(x.operator, x.run) and (x.verdict is null or x.verdict = 'not_seen') then
    return row_to_json({schema}.append_verdict(t, x, p_rest, null));
  end if;
  if {schema}.is_ours(x.operator, x.run) and x.verdict in ('void', 'not_sent') then
    select * into old from {schema}.rows where seq = x.newest_row;
    return row_to_json(old);
  end if;
  raise exception '% is not yours, or has a verdict', p_intent using errcode = 'PD015';
end $$;
`;
