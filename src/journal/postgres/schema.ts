/**
 * The schema of a team's journal: tables, and the functions that are all an operator may use. The text is what
 * `team create` runs, or prints for an administrator.
 */

import { appendSql } from './schema/append.ts';
import { approvalsSql } from './schema/approvals.ts';
import { importRowsSql } from './schema/import-rows.ts';
import { limitsSql } from './schema/limits.ts';
import { planClaimsSql } from './schema/plan-claims.ts';
import { readSql } from './schema/read.ts';
import { recordSentSql } from './schema/record-sent.ts';
import { recordVerdictSql } from './schema/record-verdict.ts';
import { rightsSql } from './schema/rights.ts';
import { statusSql } from './schema/status.ts';
import { tablesSql } from './schema/tables.ts';
import { takeBackSql } from './schema/take-back.ts';

/** The version of the schema that this program makes and knows. */
export const schemaVersion = 1;

/** The version that this program shows to the server, which refuses writers that are too old (`version.min_writer`). */
export const writerVersion = 1;

/** The usual name of the schema. Its roles are called after it: `paydesk_owner`, `paydesk_operator`, `paydesk_lead`. */
export const usualSchema = 'paydesk';

/** Whether a name can be that of a schema: it stands in statements as it is, so it needs no quotes. */
export function isSchemaName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,40}$/.test(name) && !name.startsWith('pg_');
}

/** The roles of a schema. Nobody signs in as one of these; people are members of them. */
export function rolesOf(schema: string): { owner: string; operator: string; lead: string } {
  return { owner: `${schema}_owner`, operator: `${schema}_operator`, lead: `${schema}_lead` };
}

/** Everything that makes an empty journal, to be run in one transaction by a role that may create roles and schemas. */
export function schemaText(schema: string = usualSchema): string {
  if (!isSchemaName(schema)) throw new Error(`${schema} cannot be the name of a schema`);
  const { owner } = rolesOf(schema);
  const record = [appendSql, recordSentSql, recordVerdictSql, takeBackSql];
  const rules = [limitsSql, approvalsSql, planClaimsSql];
  const parts = [tablesSql, ...record, ...rules, importRowsSql, readSql, statusSql, rightsSql];
  const text = [beginSql, ...parts, `reset role;`].join('\n').trim();
  return `${text
    .replaceAll('{schema}', schema)
    .replaceAll('{owner}', owner)
    .replaceAll('{version}', `${schemaVersion}`)
    .replaceAll('{min_writer}', `${writerVersion}`)}\n`;
}

const beginSql = `
-- The journal of a team, for PostgreSQL 14 or newer. Run it in one transaction (psql --single-transaction).
-- The owner is a role that nobody signs in as. Operators may only call functions; the tables are closed to them.
do $$
declare name text;
begin
  foreach name in array array['{schema}_owner', '{schema}_operator', '{schema}_lead'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
  -- Before PostgreSQL 16 a role that creates others is no member of them. It needs to be one to act as the owner.
  execute format('grant {schema}_owner to %I', current_user);
end $$;
create schema {schema} authorization {owner};
set role {owner};
`;
