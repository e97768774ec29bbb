/** How several desks share the orders of a plan: which desk has which order, and the check that only that desk sends its rows. */

export const planClaimsSql = `
-- A plan by its digest, and its rows that are sent. Only what must be compared is kept of them: no names and no notes.
create table {schema}.plans (
  digest text primary key, id text not null, origin text not null, added_by text not null, added_at bigint not null,
  -- By currency.
  totals jsonb not null default '{}',
  -- What a second person is shown of it.
  planned jsonb not null default '{}');
create index plans_of_id on {schema}.plans (id);

-- The orders of a plan. Whoever claims one works on all its rows, one after the other.
create table {schema}.plan_orders (
  plan text not null, number int not null,
  -- look: somebody claimed it, sent something and was not heard of again. It is looked up before anything else is sent.
  state text not null default 'ready' check (state in ('ready', 'claimed', 'look', 'ended')),
  -- Another one with every claim: a SENT row names it.
  token int not null default 0,
  run text, operator text, lease_ms bigint, until bigint,
  primary key (plan, number));
create index plan_orders_free on {schema}.plan_orders (plan, number) where state in ('ready', 'look');
create index plan_orders_claimed on {schema}.plan_orders (plan, until) where state = 'claimed';

create table {schema}.plan_rows (
  plan text not null, number int not null, plan_order int not null,
  what jsonb not null, subject text not null, amount bigint not null, currency text,
  sent boolean not null default false,
  -- How it ended in this round, and who had it.
  ended text check (ended in ('applied', 'refused', 'unconfirmed', 'not_sent')), operator text, run text,
  primary key (plan, number));
create index plan_rows_of_order on {schema}.plan_rows (plan, plan_order);

-- Claims are not part of the journal, and nobody waits until they are on the disk: if a crash loses a claim, the server refuses the
-- SENT row of the desk that had it.
create function {schema}.commit_soon(p_writer int) returns void language plpgsql as $$
begin
  perform {schema}.refuse_unsafe(p_writer);
  perform set_config('synchronous_commit', 'off', true);
end $$;

-- Adds a plan: its file without the last line. The digest is made of that text here, so nobody can add other rows under it.
create function {schema}.add_plan(p_writer int, p_text text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  of_text text := encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
  head json := split_part(p_text, E'\\n', 1)::json;
begin
  perform {schema}.refuse_unsafe(p_writer);
  insert into {schema}.plans (digest, id, origin, added_by, added_at)
    values (of_text, head ->> 'id', head ->> 'origin', {schema}.operator(), {schema}.row_time(0)) on conflict do nothing;
  if not found then return to_json(of_text); end if;
  if exists (select from {schema}.lines_of_plan(p_text) as line group by line ->> 'number' having count(*) > 1) then
    raise exception 'two rows of this plan have one number' using errcode = 'PD017';
  end if;
  insert into {schema}.plan_rows (plan, number, plan_order, what, subject, amount, currency)
    select of_text, (line ->> 'number')::int, dense_rank() over (order by first), {schema}.what_of(sent, body),
        {schema}.subject_of(sent, ''), greatest({schema}.amount_of(sent, body), (line ->> 'refunds')::bigint), upper(line ->> 'currency')
      from (select line, first_value((line ->> 'number')::int) over (partition by line ->> 'order_id' order by (line ->> 'number')::int) as first,
          {schema}.sent_of_plan(head, line) as sent, json_build_object('body', line -> 'body')::text as body
        from {schema}.lines_of_plan(p_text) as line where line ->> 'state' in ('ready', 'unconfirmed')) rows;
  -- A row that takes money would lower the sum of the others, and the limits look at that sum. What was sent before may have
  -- lost its figures when a journal was repaired.
  if exists (select from {schema}.plan_rows r where r.plan = of_text and coalesce(r.amount, 0) < 0)
    or exists (select from {schema}.lines_of_plan(p_text) as line where line ->> 'state' in ('ready', 'unconfirmed')
        and ((line ->> 'refunds')::bigint < 0 or (line #>> '{body,amount}')::bigint <= 0
          or (line ->> 'state' = 'ready' and (line ->> 'refunds')::bigint = 0)
          or exists (select from json_array_elements(line -> 'expected') e where (e ->> 'amount')::bigint >= 0))) then
    raise exception 'a row of this plan takes money instead of paying it back' using errcode = 'PD017';
  end if;
  update {schema}.plans set totals = coalesce((select jsonb_object_agg(currency, amount)
      from (select coalesce(currency, '') as currency, sum(amount) as amount from {schema}.plan_rows where plan = of_text group by 1) t), '{}')
    where digest = of_text;
  update {schema}.plans p set planned = jsonb_build_object('id', p.id, 'file', head -> 'file', 'madeAt', head -> 'made_at',
      'mode', head -> 'mode', 'rows', (select count(*) from {schema}.plan_rows r where r.plan = of_text), 'sums', p.totals)
    where digest = of_text;
  insert into {schema}.plan_orders (plan, number)
    select distinct plan, plan_order from {schema}.plan_rows where plan = of_text;
  return to_json(of_text);
end $$;

-- The lines of a plan that are rows.
create function {schema}.lines_of_plan(p_text text) returns setof json language sql immutable as $$
  select text::json from string_to_table(p_text, E'\\n') as text where text like '{"object":"plan_row"%' $$;

-- The SENT row of a row of a plan, as far as what_of looks at it.
create function {schema}.sent_of_plan(head json, line json) returns jsonb language sql immutable as $$
  select jsonb_build_object('origin', head -> 'origin', 'currency', line -> 'currency',
    'request', jsonb_build_object('method', 'POST', 'path', 'orders/' || (line ->> 'order_id') || '/refunds'),
    'proof', jsonb_build_object('kind', 'refund', 'orderId', line -> 'order_id', 'livemode', head ->> 'mode' = 'production',
      'expected', (select jsonb_agg(jsonb_build_object('chargeId', e -> 'charge_id', 'amount', e -> 'amount'))
        from json_array_elements(line -> 'expected') e))) $$;

create function {schema}.plan_total(p_digest text, p_currency text) returns bigint language sql stable as $$
  select coalesce((select (totals ->> p_currency)::bigint from {schema}.plans where digest = p_digest), 0) $$;

-- What the limits say to a plan, or null if the plan was never added. second: somebody else must approve it as a whole,
-- because of its sum (total), or because of what would go back on some of its orders within 24 hours (orders: the first ones,
-- each by the number of its first row).
create function {schema}.check_plan(p_digest text)
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  with t as (select {schema}.row_time(h.time) as now from {schema}.head h),
  of_orders as (
    select r.subject, r.currency, sum(r.amount) + (select coalesce(sum(a.amount), 0) from {schema}.attempts a, t
        where a.subject = r.subject and a.amount is not null and a.counts and a.sent_at > t.now - 86400000
          and a.plan is distinct from p_digest) as amount,
      sum(r.amount) as planned, min(r.number) as row
      from {schema}.plan_rows r where r.plan = p_digest group by r.subject, r.currency),
  totals as (select currency, sum(amount) as amount, 0 as row from {schema}.plan_rows where plan = p_digest group by currency
    union all select currency, max(amount), min(row) from of_orders group by currency),
  -- The sum of the plan comes before its orders.
  second as (select l, s.currency, s.amount as total, s.row from totals s, {schema}.limit_of(s.currency, 'second') l
    where s.amount >= l.value order by s.row limit 1)
  select json_build_object('approvedBy', {schema}.approver_of_plan(p_digest, (select now from t)),
    'second', (select row_to_json(l) from second),
    'total', (select total from second where row = 0),
    'orders', (select coalesce(json_agg(o order by o.row), '[]') from (
      select o.row, o.planned, o.amount - o.planned as earlier from of_orders o, second s
        where o.currency = s.currency and o.amount >= (s.l).value order by o.row limit 10) o))
    where exists (select from {schema}.plans where digest = p_digest) $$;

-- Begins a run of a plan: it tries again what was not applied. When nobody works on the plan and nothing is left, it looks at
-- all of it once more, since somebody may have corrected what was recorded.
create function {schema}.start_plan(p_writer int, p_digest text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  is_over boolean;
begin
  perform {schema}.refuse_unsafe(p_writer);
  perform 1 from {schema}.plans where digest = p_digest for update;
  is_over := not exists (select from {schema}.plan_orders where plan = p_digest and state <> 'ended');
  update {schema}.plan_orders o set state = 'ready', run = null
    where o.plan = p_digest and o.state = 'ended' and (is_over or exists (select from {schema}.plan_rows r
      where r.plan = o.plan and r.plan_order = o.number and r.ended is distinct from 'applied'));
  update {schema}.plan_rows r set sent = false, ended = null, operator = null, run = null
    from {schema}.plan_orders o where r.plan = p_digest and o.plan = r.plan and o.number = r.plan_order and o.state = 'ready';
  return to_json(is_over);
end $$;

-- Orders that a run works on next; none if all are taken or ended. First those of runs that were not heard of in time come
-- back: what they sent is looked up, the rest is ready again. p_lease_ms: how long without a word this run may work on one.
create function {schema}.claim_orders(p_writer int, p_digest text, p_count int, p_lease_ms bigint)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  t bigint := {schema}.row_time(0);
  -- Nobody else can work on them in that time, so it is short, and they are few.
  lease bigint := least(greatest(p_lease_ms, 0), 600000);
  answer json;
begin
  perform {schema}.commit_soon(p_writer);
  perform {schema}.give_back(p_digest, t);
  with free as (
    select plan, number, state from {schema}.plan_orders where plan = p_digest and state in ('ready', 'look')
      order by state = 'look', number limit least(greatest(p_count, 0), 100) for update skip locked),
  claimed as (
    update {schema}.plan_orders o set state = 'claimed', token = o.token + 1, run = {schema}.run(), operator = {schema}.operator(),
        lease_ms = lease, until = t + lease
      from free where o.plan = free.plan and o.number = free.number returning o.number, o.token, free.state as was)
  select json_agg(json_build_object('order', c.number, 'token', c.token, 'look', c.was = 'look', 'rows',
      (select json_agg(r.number order by r.number) from {schema}.plan_rows r where r.plan = p_digest and r.plan_order = c.number))
    order by c.number) into answer from claimed c;
  return json_build_object('claimed', coalesce(answer, '[]'), 'others', (select count(*) from {schema}.plan_orders
    where plan = p_digest and state = 'claimed' and run <> {schema}.run()));
end $$;

-- Gives back claims: those whose time ran out at p_time; if that is null, those of this run.
create function {schema}.give_back(p_digest text, p_time bigint) returns void language sql as $$
  update {schema}.plan_orders o set run = null, operator = null, until = null,
      state = case when exists (select from {schema}.plan_rows r where r.plan = o.plan and r.plan_order = o.number
        and r.sent and r.ended is null) then 'look' else 'ready' end
    where o.plan = p_digest and o.state = 'claimed' and case when p_time is null then {schema}.is_ours(o.operator, o.run) else o.until <= p_time end $$;

-- Notes how the rows of a claimed order ended: {"7": "applied"}. Says whether this run still had it.
create function {schema}.end_order(p_writer int, p_digest text, p_order int, p_token int, p_ends json)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  perform {schema}.commit_soon(p_writer);
  update {schema}.plan_orders set state = 'ended', until = null
    where plan = p_digest and number = p_order and token = p_token and state = 'claimed' and {schema}.is_ours(operator, run);
  if not found then return to_json(false); end if;
  update {schema}.plan_rows r set ended = e.value, operator = {schema}.operator(), run = {schema}.run()
    from json_each_text(p_ends) e where r.plan = p_digest and r.plan_order = p_order and r.number = e.key::int;
  return to_json(true);
end $$;

-- Ends a run of a plan: what it claimed and did not end is for others.
create function {schema}.leave_plan(p_writer int, p_digest text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  perform {schema}.commit_soon(p_writer);
  perform {schema}.give_back(p_digest, null);
  return to_json(true);
end $$;

-- How far the other runs are: their ended rows by how they ended, and how many orders each member works on; since when nothing
-- was heard of that member, and when the last of those orders is for others to take.
create function {schema}.plan_progress(p_digest text)
returns json language sql stable security definer set search_path = {schema}, pg_temp as $$
  select json_build_object(
    'ended', coalesce((select json_agg(e) from (select operator as member, ended as how, coalesce(currency, '?') as currency, count(*) as rows, sum(amount) as amount
      from {schema}.plan_rows where plan = p_digest and ended is not null and run <> {schema}.run() group by 1, 2, 3) e), '[]'),
    'working', coalesce((select json_agg(w) from (select operator as member, count(*) as orders,
        {schema}.row_time(0) - max(until - lease_ms) as "silentMs", max(until) - {schema}.row_time(0) as "takenInMs"
      from {schema}.plan_orders where plan = p_digest and state = 'claimed' and run <> {schema}.run() group by 1 order by 1) w), '[]')) $$;

-- A SENT row of a plan needs the claim of its order, and must be just that row. Every one makes the claim last longer.
create function {schema}.use_claim(j jsonb, p_body text, p_time bigint) returns void language plpgsql as $$
declare
  c jsonb := j -> 'claim';
  o {schema}.plan_orders;
begin
  if c is null then
    if exists (select from {schema}.plans where id = j ->> 'plan') then
      raise exception 'several desks may work on this plan, so its rows are claimed first' using errcode = 'PD016';
    end if;
    return;
  end if;
  select * into o from {schema}.plan_orders where plan = c ->> 'plan' and number = (c ->> 'order')::int for update;
  if o.state is distinct from 'claimed' or o.token is distinct from (c ->> 'token')::int
    or not {schema}.is_ours(o.operator, o.run) then
    raise exception 'another desk took this row over' using errcode = 'PD016';
  end if;
  -- Whoever approved the plan approved each row once. It is sent again only if it certainly was not made.
  if exists (select from {schema}.attempts a where a.plan = o.plan and a.plan_row = (c ->> 'row')::int and a.counts) then
    raise exception 'this row of the plan was sent already' using errcode = 'PD016';
  end if;
  update {schema}.plan_rows set sent = true
    where plan = o.plan and number = (c ->> 'row')::int and plan_order = o.number and what = {schema}.what_of(j, p_body);
  if not found then raise exception 'this is not the row of the plan' using errcode = 'PD016'; end if;
  update {schema}.plan_orders set until = p_time + lease_ms where plan = o.plan and number = o.number;
end $$;
`;
