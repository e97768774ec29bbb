/** How a second person approves a refund, or a whole plan: requests, decisions, and the one use of an approval. */

export const approvalsSql = `
-- What somebody asked another person to approve. Each step is a row of the journal too.
create table {schema}.approvals (
  id text primary key, wanted_by text not null, run text not null, asked_at bigint not null,
  -- Just what may be sent: see what_of. Null for a plan.
  what jsonb,
  -- The digest of a plan.
  plan text,
  state text not null check (state in ('asked', 'approved', 'rejected', 'used')),
  decided_by text, decided_at bigint, until bigint,
  -- The attempt that it was used for.
  used_by text, used_attempt int,
  check (state not in ('approved', 'used') or decided_by <> wanted_by));

-- What a request would do: two requests with the same are the same. Notes and --again move no money.
create function {schema}.what_of(j jsonb, p_body text) returns jsonb language sql immutable as $$
  select jsonb_build_object('subject', {schema}.subject_of(j, ''), 'origin', j -> 'origin', 'livemode', j #> '{proof,livemode}',
    'method', j #> '{request,method}', 'path', j #> '{request,path}', 'expected', j #> '{proof,expected}',
    'currency', upper(j ->> 'currency'), 'body', (p_body::json -> 'body')::jsonb) $$;

-- A request expires when nobody answers it for 7 days, and an approval at the time that it names.
create function {schema}.approval_state(a {schema}.approvals, p_time bigint) returns text language sql immutable as $$
  select case
    when a.state = 'asked' and a.asked_at + 7 * 86400000 <= p_time then 'expired'
    when a.state = 'approved' and a.until <= p_time then 'expired'
    else a.state end $$;

-- The row of a step that was taken here. Rows of requests have no attempt, and nobody can bring one in.
create function {schema}.approval_row(p_id text, p_step text) returns json language sql stable as $$
  select row_to_json(r) from {schema}.rows r where r.type = 'approval' and r.intent = p_id and r.attempt = 0
    and r.row::jsonb ->> 'step' = p_step and not r.row::jsonb ? 'imported' order by r.seq desc limit 1 $$;

create function {schema}.append_approval(p_time bigint, p_id text, p_step text, p_rest text, p_body text)
returns json language sql as $$
  select row_to_json({schema}.append_row(p_time, 'approval', p_id, 0, ',"operator":' || {schema}.json_text({schema}.operator()),
    '{"step":' || {schema}.json_text(p_step) || ',' || substr(p_rest, 2), p_body)) $$;

-- A request is about a refund or about a plan, and what is shown of a plan is what the server knows of it: else somebody would
-- say yes to one thing, and approve another.
create function {schema}.refuse_two_faces(j jsonb) returns void language plpgsql stable as $$
declare
  of_plan text := j #>> '{claim,plan}';
  p record;
  told jsonb;
begin
  if not j ? 'claim' then
    if j ? 'request' and j ? 'proof' and not j ? 'planned' then return; end if;
    raise exception 'a request is about a refund or about a plan' using errcode = 'PD017';
  end if;
  if of_plan is null or j ?| array['request', 'proof', 'amount', 'currency', 'reason', 'again'] then
    raise exception 'a request is about a refund or about a plan' using errcode = 'PD017';
  end if;
  select * into p from {schema}.plans where digest = of_plan;
  if not found then raise exception 'this plan is not known here' using errcode = 'PD040'; end if;
  select coalesce(jsonb_object_agg(s.currency, s.amount), '{}') into told
    from (select case when e ->> 'currency' = '?' then '' else upper(e ->> 'currency') end as currency, sum((e ->> 'amount')::bigint) as amount
      from jsonb_array_elements(j #> '{planned,sums}') e group by 1) s;
  if jsonb_set(j -> 'planned', '{sums}', told) is distinct from p.planned
    or jsonb_array_length(j #> '{planned,sums}') <> (select count(*) from jsonb_object_keys(told)) or j ->> 'origin' is distinct from p.origin then
    raise exception 'this is not what the plan says' using errcode = 'PD017';
  end if;
end $$;

-- Asks for an approval of what a SENT row with this p_rest and p_body would send, or of a plan. If the same person has asked
-- for the same already, nothing is added, and the answer is the row of that.
create function {schema}.ask_approval(p_writer int, p_id text, p_rest text, p_body text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  j jsonb := p_rest::jsonb;
  of_plan text := j #>> '{claim,plan}';
  same text;
  found_out json;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  t := {schema}.lock_head();
  if p_id !~ '^r_[a-z0-9]{1,32}$' then
    raise exception 'this cannot be the id of a request' using errcode = 'PD017';
  end if;
  perform {schema}.refuse_two_faces(j);
  select a.id into same from {schema}.approvals a
    where a.wanted_by = {schema}.operator() and {schema}.approval_state(a, t) in ('asked', 'approved')
      and case when of_plan is null then a.what = {schema}.what_of(j, p_body) else a.plan = of_plan end
    order by a.asked_at desc limit 1;
  if found then return {schema}.approval_row(same, 'asked'); end if;
  -- Whoever did not hear the answer asks again under the same id. Meanwhile somebody may have said no.
  select {schema}.approval_state(a, t) into same from {schema}.approvals a where a.id = p_id;
  if found then
    raise exception '% was asked for already, and is %', p_id, same using errcode = 'PD041';
  end if;
  if of_plan is null then
    found_out := {schema}.limits_on(j, p_body, t);
    if found_out ->> 'problem' is not null then
      raise exception 'a limit of the team forbids it: %', found_out ->> 'problem'
        using errcode = 'PD020', detail = found_out::text;
    end if;
  end if;
  insert into {schema}.approvals (id, wanted_by, run, asked_at, what, plan, state)
    values (p_id, {schema}.operator(), {schema}.run(), t,
      case when of_plan is null then {schema}.what_of(j, p_body) end, of_plan, 'asked');
  if left(p_rest, 2) <> '{"' or j ?| array['step', 'until'] then
    raise exception 'this is not the rest of a row' using errcode = 'PD017';
  end if;
  return {schema}.append_approval(t, p_id, 'asked', p_rest, p_body);
end $$;

-- Approves or rejects. Asked again by the same process it answers the same. p_valid_ms: how long the approval counts; a day at
-- most.
create function {schema}.decide_approval(p_writer int, p_id text, p_step text, p_valid_ms bigint, p_body text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  a {schema}.approvals;
  ends bigint;
  state text;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  if p_step is null or p_step not in ('approved', 'rejected') then
    raise exception 'a request is approved or rejected' using errcode = 'PD017';
  end if;
  t := {schema}.lock_head();
  select * into a from {schema}.approvals where id = p_id;
  if not found then raise exception 'there is no request %', p_id using errcode = 'PD040'; end if;
  state := {schema}.approval_state(a, t);
  if state = p_step and a.decided_by = {schema}.operator() and a.run = {schema}.run() then
    return {schema}.approval_row(p_id, p_step);
  end if;
  if p_step = 'approved' and a.wanted_by = {schema}.operator() then
    raise exception '% is your own request: somebody else must approve it', p_id using errcode = 'PD042';
  end if;
  -- What was approved and not sent yet can still be rejected.
  if state <> 'asked' and not (state = 'approved' and p_step = 'rejected') then
    raise exception '% is % already', p_id, state using errcode = 'PD041',
      detail = json_build_object('state', state, 'by', a.decided_by, 'at', a.decided_at)::text;
  end if;
  ends := case when p_step = 'approved' then t + least(greatest(p_valid_ms, 0), 86400000) end;
  update {schema}.approvals set state = p_step, decided_by = {schema}.operator(), decided_at = t, until = ends,
    run = {schema}.run() where id = p_id;
  return {schema}.append_approval(t, p_id, p_step, '{"until":' || coalesce(ends::text, 'null') || '}', p_body);
end $$;

-- The requests of the last days, oldest first, each with its row and with the row that decided it.
create function {schema}.list_approvals(p_days int)
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select coalesce(json_agg(json_build_object('id', a.id, 'state', {schema}.approval_state(a, {schema}.row_time(0)),
      'usedBy', a.used_by, 'asked', {schema}.approval_row(a.id, 'asked'),
      'decided', case when a.decided_by is not null then {schema}.approval_row(a.id, case when a.state = 'rejected' then 'rejected' else 'approved' end) end)
    order by a.asked_at, a.id), '[]') from {schema}.approvals a where a.asked_at >= {schema}.row_time(0) - p_days * 86400000::bigint $$;

-- Uses an approval for a SENT row: it was given to this person, for this very request, in time, and is not used. Returns who
-- gave it.
create function {schema}.use_approval(j jsonb, p_body text, p_intent text, p_attempt int, p_time bigint)
returns text language plpgsql as $$
declare
  a {schema}.approvals;
  why text;
begin
  select * into a from {schema}.approvals where id = j ->> 'approval';
  why := case
    when a.id is null then 'unknown'
    when a.wanted_by <> {schema}.operator() then 'of somebody else'
    when a.what is distinct from {schema}.what_of(j, p_body) then 'for something else'
    when {schema}.approval_state(a, p_time) <> 'approved' then {schema}.approval_state(a, p_time) end;
  if why is not null then
    raise exception 'the approval % does not count: it is %', j ->> 'approval', why using errcode = 'PD026',
      detail = json_build_object('id', j ->> 'approval', 'why', why, 'usedBy', a.used_by)::text;
  end if;
  update {schema}.approvals set state = 'used', used_by = p_intent, used_attempt = p_attempt where id = a.id;
  return a.decided_by;
end $$;

-- Who approved a plan; null if nobody did, or too long ago.
create function {schema}.approver_of_plan(p_digest text, p_time bigint) returns text language sql stable as $$
  select a.decided_by from {schema}.approvals a
    where a.plan = p_digest and {schema}.approval_state(a, p_time) = 'approved' order by a.decided_at desc limit 1 $$;
`;
