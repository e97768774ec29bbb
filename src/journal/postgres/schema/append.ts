/** The functions on which all others stand: the check of the server, who asks, what time it is, and how a row is added. */

export const appendSql = `
-- Nothing is recorded on a server that may forget it. What is set here lasts until the commit, whatever role and database say.
create function {schema}.refuse_unsafe(p_writer int) returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit',
    case when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on' end, true);
  if pg_is_in_recovery() then
    raise exception 'this server is a standby' using errcode = 'PD001';
  end if;
  if current_setting('fsync') <> 'on' or current_setting('full_page_writes') <> 'on' then
    raise exception 'this server may lose what it commits: fsync or full_page_writes is off' using errcode = 'PD002';
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the transaction is not "read committed"' using errcode = 'PD003';
  end if;
  if exists (select from pg_class where relnamespace = '{schema}'::regnamespace and relkind = 'r' and relpersistence <> 'p') then
    raise exception 'a table of the journal is unlogged' using errcode = 'PD002';
  end if;
  if p_writer < (select min_writer from {schema}.version) then
    raise exception 'the journal needs a newer paydesk' using errcode = 'PD004';
  end if;
end $$;

-- The process that asks, whatever its connections: it gives a secret uuid when it connects. The rows have only the hash of
-- that, so nobody who reads them can speak for the process. Not the operator: one person may have two desks.
create function {schema}.run() returns text language plpgsql stable as $$
begin
  if coalesce(current_setting('paydesk.run', true), '') = '' then
    raise exception 'paydesk.run is not set' using errcode = 'PD005';
  end if;
  return left(encode(sha256(convert_to(current_setting('paydesk.run'), 'UTF8')), 'hex'), 32);
end $$;

-- The operator: who signed in, not what a program says.
create function {schema}.operator() returns text language sql stable as $$ select session_user::text $$;

-- Whether the process that asks did it: this person, and this process of theirs.
create function {schema}.is_ours(p_operator text, p_run text) returns boolean language sql stable as $$
  select coalesce(p_operator = {schema}.operator() and p_run = {schema}.run(), false) $$;

-- Whether a role is a member of this team. A superuser may do anything, and is none by that.
create function {schema}.is_member(p_role oid) returns boolean language sql stable as $$
  select coalesce((select not rolsuper from pg_roles where oid = p_role), false)
    and (pg_has_role(p_role, '{operator}', 'usage') or pg_has_role(p_role, '{lead}', 'usage')) $$;

-- The time of the next row. It never goes back.
create function {schema}.row_time(p_newest bigint) returns bigint language sql volatile as $$
  select greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, p_newest) $$;

-- Locks the newest row, so that nobody else appends until the commit, and gives the time of the next one.
create function {schema}.lock_head() returns bigint language plpgsql as $$
declare h {schema}.head;
begin
  select * into strict h from {schema}.head for update;
  return {schema}.row_time(h.time);
end $$;

create function {schema}.json_text(p_text text) returns text language sql immutable as $$
  select coalesce(to_json(p_text)::text, 'null') $$;

-- The name that the desk gave itself, if it did. It proves nothing, and screens show it, so it must not look like more.
create function {schema}.desk_member() returns text language plpgsql stable as $$
declare desk text := coalesce(current_setting('paydesk.desk', true), '');
begin
  if desk = '' then return ''; end if;
  if desk !~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,40}$' then
    raise exception 'a desk cannot be called that: take letters, digits and . _ -' using errcode = 'PD018';
  end if;
  return ',"desk":' || {schema}.json_text(desk);
end $$;

-- A SENT row without an account may be any change, so it would block every order of every desk.
create function {schema}.refuse_no_account(p_type text, p_intent text, j jsonb) returns void language plpgsql immutable as $$
begin
  if p_type = 'sent' and not coalesce(j ->> 'origin' ~ '^(https?://[^[:space:]/]+|demo:[^[:space:]]+)$', false)
    or p_type in ('sent', 'verdict') and p_intent = '' then
    raise exception 'this is no row of the journal: it names no account or no attempt' using errcode = 'PD017';
  end if;
end $$;

-- Adds a row. The caller has locked the head and has p_time from there. p_members: what else the server states, each with a
-- comma before it. p_rest: the row as the program wrote it, without what the server states.
create function {schema}.append_row(
  p_time bigint, p_type text, p_intent text, p_attempt int, p_members text, p_rest text, p_body text)
returns {schema}.rows language plpgsql as $$
declare
  h {schema}.head;
  r {schema}.rows;
  j jsonb := p_rest::jsonb;
begin
  if left(p_rest, 2) <> '{"' or jsonb_typeof(j) <> 'object'
    or j ?| array['columns', 'type', 'intent', 'attempt', 'time', 'operator', 'sendBy', 'stamp', 'approvedBy', 'imported', 'step', 'until']
    and p_type in ('sent', 'verdict', 'setting')
    or p_type = 'approval' and j ?| array['columns', 'type', 'intent', 'attempt', 'time', 'operator', 'sendBy', 'stamp', 'approvedBy', 'imported'] then
    raise exception 'this is not the rest of a row' using errcode = 'PD017';
  end if;
  perform {schema}.refuse_no_account(p_type, p_intent, j);
  perform {schema}.refuse_form(p_type, j, p_body);
  select * into strict h from {schema}.head;
  r.seq := h.seq + 1;
  r.prev := h.hash;
  r.type := p_type;
  r.time := p_time;
  r.intent := p_intent;
  r.attempt := p_attempt;
  if p_type in ('sent', 'setting') then r.origin := j ->> 'origin'; end if;
  if p_type = 'sent' then
    r.order_id := j #>> '{proof,orderId}';
    r.plan := j ->> 'plan';
    r.ref := j ->> 'ref';
  end if;
  r.row := '{"columns":{"type":' || {schema}.json_text(r.type) || ',"time":' || r.time
    || ',"intent":' || {schema}.json_text(r.intent) || ',"attempt":' || r.attempt
    || ',"origin":' || {schema}.json_text(r.origin) || ',"order_id":' || {schema}.json_text(r.order_id)
    || ',"plan":' || {schema}.json_text(r.plan) || ',"ref":' || {schema}.json_text(r.ref)
    || '},"type":' || {schema}.json_text(r.type)
    || case when p_intent = '' then '' else
         ',"intent":' || {schema}.json_text(r.intent) || ',"attempt":' || r.attempt end
    || ',"time":' || r.time || p_members
    || ',"stamp":{"operator":' || {schema}.json_text({schema}.operator())
    || ',"run":' || {schema}.json_text({schema}.run()) || {schema}.desk_member() || '},' || substr(p_rest, 2);
  r.body := p_body;
  r.body_hash := encode(sha256(convert_to(p_body, 'UTF8')), 'hex');
  r.hash := encode(sha256(convert_to(r.prev || E'\\n' || coalesce(r.body_hash, '') || E'\\n' || r.row, 'UTF8')), 'hex');
  insert into {schema}.rows select r.*;
  -- An imported row keeps its own time. It must not put the clock of the journal forward.
  update {schema}.head set seq = r.seq, hash = r.hash, time = greatest(h.time, least(r.time, {schema}.row_time(0)));
  return r;
end $$;

-- A row about a setting, or of a kind that is about no attempt.
create function {schema}.record_setting(p_writer int, p_rest text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare r {schema}.rows;
begin
  perform {schema}.refuse_unsafe(p_writer);
  -- Where changes of an account are recorded is said in the journal of a machine.
  if p_rest::jsonb ->> 'name' = 'team.journal' then
    raise exception 'such a row belongs in the journal of a machine' using errcode = 'PD017';
  end if;
  r := {schema}.append_row({schema}.lock_head(), 'setting', '', 0, ',"operator":' || {schema}.json_text({schema}.operator()), p_rest, null);
  return row_to_json(r);
end $$;
`;
