/** Who may call what in a team's journal. */

export const rightsSql = `
revoke all on schema {schema} from public;
revoke all on all functions in schema {schema} from public;
grant usage on schema {schema} to {schema}_operator, {schema}_lead;
grant execute on function {schema}.identity, {schema}.rows_after, {schema}.record_sent, {schema}.record_verdict,
  {schema}.take_back, {schema}.record_setting to {schema}_operator, {schema}_lead;
grant execute on function {schema}.erase_bodies to {schema}_lead;
`;
