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
import { readSql } from './schema/read.ts';
import { recordSentSql } from './schema/record-sent.ts';
import { recordVerdictSql } from './schema/record-verdict.ts';
import { tablesSql } from './schema/tables.ts';
import { takeBackSql } from './schema/take-back.ts';

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
