/** What a desk may read of a team's journal, and how bodies are erased. */

export const readSql = `
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
