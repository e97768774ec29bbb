/** What a member may ask about the team and its server: who belongs to it, and whether commits wait for a standby. */

export const statusSql = `
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
