/** Who may call what in a team's journal. */

export const rightsSql = `
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
