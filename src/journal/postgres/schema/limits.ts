/** The limits of a team: how they are set, and how a SENT row is checked against them in its transaction. */

export const limitsSql = `
-- A limit of a member, or of everybody ('*'), in a currency. A member's own limit counts in place of everybody's.
--   max: the most that the refunds of one order may add up to within 24 hours
--   day: the most that the refunds of one member may add up to within 24 hours
--   second: from this sum of an order within 24 hours on, a second person must approve
--   reason, note: 1 where a refund needs one
-- value null: there is no such limit for this member, whatever everybody's is.
create table {schema}.limits (
  member text not null, currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null check (name in ('max', 'day', 'second', 'reason', 'note')),
  value bigint check (value >= 0), set_by text not null, set_at bigint not null,
  primary key (member, currency, name));

create function {schema}.limit_in_words(l {schema}.limits) returns text language sql immutable as $$
  select case when l.member is null then null else coalesce(l.value::text, 'none') end $$;

-- Sets limits of a member in a currency, for leads: {"max": "5000", "day": "none", "note": null}; null takes a limit away.
-- Every change is a row of the journal. What is so already adds no row, so whoever did not hear the answer asks again.
create function {schema}.set_limits(p_writer int, p_member text, p_currency text, p_changes json)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  change record;
  old {schema}.limits;
  r {schema}.rows;
  added json[] := '{}';
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  if p_member <> '*' and not exists (select from pg_roles where rolname = p_member and rolcanlogin and {schema}.is_member(oid)) then
    raise exception 'nobody of this team is called %', p_member using errcode = 'PD040';
  end if;
  for change in select key as name, value #>> '{}' as wanted from json_each(p_changes) order by key loop
    t := {schema}.lock_head();
    select * into old from {schema}.limits where member = p_member and currency = p_currency and name = change.name;
    continue when {schema}.limit_in_words(old) is not distinct from change.wanted;
    delete from {schema}.limits where member = p_member and currency = p_currency and name = change.name;
    if change.wanted is not null then
      insert into {schema}.limits
        values (p_member, p_currency, change.name, nullif(change.wanted, 'none')::bigint, {schema}.operator(), t);
    end if;
    r := {schema}.append_row(t, 'limit', '', 0, ',"operator":' || {schema}.json_text({schema}.operator()),
      '{"member":' || {schema}.json_text(p_member) || ',"currency":' || {schema}.json_text(p_currency)
      || ',"name":' || {schema}.json_text(change.name) || ',"from":' || {schema}.json_text({schema}.limit_in_words(old))
      || ',"to":' || {schema}.json_text(change.wanted) || '}', null);
    added := added || row_to_json(r);
  end loop;
  return array_to_json(added);
end $$;

create function {schema}.list_limits()
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select coalesce(json_agg(row_to_json(l) order by l.member, l.currency, l.name), '[]') from {schema}.limits l $$;

create function {schema}.is_refund(j jsonb) returns boolean language sql immutable as $$
  select j #>> '{proof,kind}' = 'refund' or j #>> '{request,path}' ~ '/refunds' $$;

-- What a refund pays back: the sum of the records that must appear. If the body or the row names another amount, the largest.
create function {schema}.amount_of(j jsonb, p_body text) returns bigint language sql immutable as $$
  select case when {schema}.is_refund(j) then greatest(
    (select -sum((e ->> 'amount')::bigint) from jsonb_array_elements(j #> '{proof,expected}') e),
    ((p_body::json -> 'body') ->> 'amount')::bigint, (j ->> 'amount')::bigint) end $$;

-- What limits add up. A refund without a right amount pays nothing in: it never makes room for others.
create function {schema}.counted_amount(j jsonb, p_body text) returns bigint language sql immutable as $$
  select case when {schema}.amount_of(j, p_body) < 0 then 0 else {schema}.amount_of(j, p_body) end $$;

-- Whether they name one amount, as far as they name any.
create function {schema}.amounts_agree(j jsonb, p_body text) returns boolean language sql immutable as $$
  select a = (select -sum((e ->> 'amount')::bigint) from jsonb_array_elements(j #> '{proof,expected}') e)
      and coalesce(((p_body::json -> 'body') ->> 'amount')::bigint, a) = a and coalesce((j ->> 'amount')::bigint, a) = a
    from {schema}.amount_of(j, p_body) a $$;

create function {schema}.limit_of(p_currency text, p_name text) returns {schema}.limits language sql stable as $$
  select * from {schema}.limits where member in ({schema}.operator(), '*') and currency = p_currency and name = p_name
    order by member = '*' limit 1 $$;

-- What the limits say to a refund at a time. problem: the first limit that forbids it; second: whether somebody else must
-- approve it. Null if no limit is set for this member or for everybody, or if it is no refund.
create function {schema}.limits_on(j jsonb, p_body text, p_time bigint) returns json language plpgsql stable as $$
declare
  amount bigint := {schema}.amount_of(j, p_body);
  code text := upper(coalesce(j ->> 'currency', ''));
  live boolean := (j #>> '{proof,livemode}')::boolean;
  since bigint := p_time - 24 * 60 * 60 * 1000;
  of_order bigint;
  of_member bigint;
  l {schema}.limits;
  two {schema}.limits;
  name text;
  forbids boolean;
begin
  -- It would lower the sums that every limit looks at, also those that are set later.
  if {schema}.is_refund(j) and (coalesce(amount, 1) <= 0
      or exists (select from jsonb_array_elements(j #> '{proof,expected}') e where (e ->> 'amount')::bigint >= 0)) then
    raise exception 'this request takes money instead of paying it back' using errcode = 'PD024';
  end if;
  if not {schema}.is_refund(j) or not exists (select from {schema}.limits where member in ({schema}.operator(), '*')) then
    return null;
  end if;
  if not coalesce({schema}.amounts_agree(j, p_body), false) then
    raise exception 'the request, its row and its proof name different amounts' using errcode = 'PD024';
  end if;
  select coalesce(sum(a.amount), 0) into of_order from {schema}.attempts a
    where a.subject = {schema}.subject_of(j, '') and a.amount is not null and a.counts and a.sent_at > since;
  select coalesce(sum(a.amount), 0) into of_member from {schema}.attempts a
    where a.operator = {schema}.operator() and a.currency = code and a.amount is not null and a.counts and a.sent_at > since
      and a.livemode is not distinct from live;
  two := {schema}.limit_of(code, 'second');
  foreach name in array array['currency', 'max', 'day', 'reason', 'note'] loop
    l := {schema}.limit_of(code, name);
    forbids := case name
      when 'currency' then not exists (select from {schema}.limits
        where member in ({schema}.operator(), '*') and currency = code)
      when 'max' then amount is null or amount <= 0 or of_order + amount > l.value
      when 'day' then of_member + amount > l.value
      when 'reason' then l.value = 1 and coalesce(j ->> 'reason', '') = ''
      when 'note' then l.value = 1 and coalesce(p_body::json ->> 'note', '') = ''
      end;
    if forbids then
      return json_build_object('problem', name, 'limit', case when l.member is null then null else row_to_json(l) end,
        'amount', amount, 'currency', code, 'ofOrder', of_order, 'ofMember', of_member, 'second', false);
    end if;
  end loop;
  return json_build_object('problem', null, 'limit', case when two.member is null then null else row_to_json(two) end,
    'amount', amount, 'currency', code, 'ofOrder', of_order, 'ofMember', of_member,
    'second', coalesce(greatest(of_order + amount, {schema}.plan_total(j #>> '{claim,plan}', code)) >= two.value, false));
end $$;

-- The same for a person who is still deciding. Binds nobody: record_sent checks again.
create function {schema}.check_limits(p_rest text, p_body text)
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select {schema}.limits_on(p_rest::jsonb, p_body, (select {schema}.row_time(h.time) from {schema}.head h)) $$;

-- Returns who approved it, if somebody did.
create function {schema}.refuse_over_limits(j jsonb, p_body text, p_intent text, p_attempt int, p_time bigint)
returns text language plpgsql as $$
declare
  found_out json := {schema}.limits_on(j, p_body, p_time);
  approver text;
begin
  if found_out ->> 'problem' is not null then
    raise exception 'a limit of the team forbids it: %', found_out ->> 'problem'
      using errcode = 'PD020', detail = found_out::text;
  end if;
  if j ? 'approval' then
    return {schema}.use_approval(j, p_body, p_intent, p_attempt, p_time);
  end if;
  approver := {schema}.approver_of_plan(j #>> '{claim,plan}', p_time);
  if approver is null and (found_out ->> 'second')::boolean then
    raise exception 'somebody else must approve it first' using errcode = 'PD023', detail = found_out::text;
  end if;
  return approver;
end $$;

-- What a verdict changes for limits and approvals: what was certainly not made counts no more, and what was not sent has
-- not used its approval. What a reply or a read has shown counts for good, whatever is recorded later.
create function {schema}.note_outcome(x {schema}.attempts, j jsonb) returns void language plpgsql as $$
declare
  was_shown boolean := x.shown or j ->> 'verdict' = 'applied' and j ->> 'by' is distinct from 'person';
begin
  update {schema}.attempts a
    set shown = was_shown, counts = was_shown
      or not (j ->> 'verdict' = 'not_sent' or (j ->> 'verdict' = 'rejected' and j ->> 'confirmed' is distinct from 'false'))
    where a.intent = x.intent and a.attempt = x.attempt;
  if j ->> 'verdict' = 'not_sent' and not was_shown then
    update {schema}.approvals set state = 'approved', used_by = null, used_attempt = null
      where used_by = x.intent and used_attempt = x.attempt and state = 'used';
  end if;
end $$;
`;
