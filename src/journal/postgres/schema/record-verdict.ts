/** How a verdict gets into a team's journal: who may write it, when, and what it opens or closes. */

export const recordVerdictSql = `
-- Whether an attempt with this verdict may still move money. As isOpen (attempt-state.ts).
create function {schema}.is_open(p_verdict text, p_confirmed text, p_kind text) returns boolean language sql immutable as $$
  select p_verdict in ('unknown', 'not_seen')
    or (p_verdict = 'rejected' and p_confirmed is not distinct from 'false' and p_kind in ('refund', 'capture', 'order')) $$;

-- Whether this row itself acknowledges an alarm. A later read only carries on what somebody acknowledged before: it has no
-- note, and whoever looked must not stand there as who dealt with it.
create function {schema}.acknowledges(x {schema}.attempts, j jsonb, p_body text) returns boolean language sql stable as $$
  select j ? 'acknowledged' and (coalesce(p_body::json ->> 'note', '') <> '' or not exists (select from {schema}.rows r
    where r.seq = x.newest_row and r.row::jsonb ->> 'acknowledged' = j ->> 'acknowledged')) $$;

-- Adds a verdict and notes what it says of its attempt.
create function {schema}.append_verdict(p_time bigint, x {schema}.attempts, p_rest text, p_body text)
returns {schema}.rows language plpgsql as $$
declare
  r {schema}.rows;
  j jsonb := p_rest::jsonb;
  first bigint;
  stays boolean;
begin
  r := {schema}.append_row(p_time, 'verdict', x.intent, x.attempt,
    case when j ->> 'by' = 'person' or {schema}.acknowledges(x, j, p_body) then ',"operator":' || {schema}.json_text({schema}.operator()) else '' end, p_rest, p_body);
  -- The horizon is counted from the first verdict that was written while the clocks agreed.
  first := coalesce(x.first_verdict_at, case when j ? 'skewed' then null else p_time end);
  stays := {schema}.is_open(j ->> 'verdict', j ->> 'confirmed', x.kind)
    and not exists (select from {schema}.attempts o where o.subject = x.subject and o.open
      and (o.intent, o.attempt) <> (x.intent, x.attempt));
  update {schema}.attempts a set
    verdict = j ->> 'verdict', verdicts = x.verdicts + 1, first_verdict_at = first, open = stays,
    open_until = case when j ->> 'verdict' = 'unknown' then null else first + x.horizon_ms end, newest_row = r.seq
    where a.intent = x.intent and a.attempt = x.attempt;
  perform {schema}.note_outcome(x, j);
  return r;
end $$;

-- What a reply or a read has shown stays: whoever looks again writes "applied" again, with or without an alarm. Only what a
-- person recorded can be corrected, by a person or by a read.
create function {schema}.refuse_lesser(x {schema}.attempts, j jsonb) returns void language plpgsql as $$
begin
  if x.verdict is distinct from 'applied' or j ->> 'verdict' = 'applied' then return; end if;
  if x.shown or not coalesce(j ->> 'by' = 'read' or j ->> 'by' = 'person' and j ->> 'corrects' = 'true', false) then
    raise exception '% was made, and nobody can record less than that', x.intent using errcode = 'PD013';
  end if;
end $$;

-- p_number: 1 for the first verdict of the attempt. The same verdict of the same process is not added twice, so whoever did
-- not hear the answer asks again.
create function {schema}.record_verdict(p_writer int, p_intent text, p_attempt int, p_number int, p_rest text, p_body text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  x {schema}.attempts;
  old {schema}.rows;
  j jsonb := p_rest::jsonb;
  is_ours boolean;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  t := {schema}.lock_head();
  select * into x from {schema}.attempts where intent = p_intent and attempt = p_attempt and verdict is distinct from 'void';
  if not found then
    raise exception 'there is no such attempt' using errcode = 'PD012';
  end if;
  select v.* into old from {schema}.rows v where v.type = 'verdict' and v.intent = p_intent and v.attempt = p_attempt
    and {schema}.is_same_verdict(v, j, p_body) limit 1;
  if found then return row_to_json(old); end if;
  is_ours := {schema}.is_ours(x.operator, x.run);
  if p_number > x.verdicts + 1 then
    raise exception 'the verdict before this one is missing' using errcode = 'PD013';
  end if;
  -- Whoever judged without the verdict that came first judges again. What the sender knows is added all the same, unless
  -- somebody has seen that it was made: then nothing less may follow.
  if p_number <= x.verdicts and (not is_ours
    or x.verdict = 'applied' and j ->> 'verdict' is distinct from 'applied') then
    raise exception 'another verdict on % came first', p_intent using errcode = 'PD013';
  end if;
  perform {schema}.refuse_lesser(x, j);
  if not is_ours then
    -- Another desk may still be about to send. What the order shows before send_by proves nothing.
    if x.verdict is null and t < x.send_by + 5000 then
      raise exception '% may still send %', x.operator, p_intent using errcode = 'PD014';
    end if;
    if j ->> 'verdict' = 'not_sent' then
      raise exception 'only the sender knows that nothing left' using errcode = 'PD015';
    end if;
  end if;
  return row_to_json({schema}.append_verdict(t, x, p_rest, p_body));
end $$;

create function {schema}.is_same_verdict(old {schema}.rows, j jsonb, p_body text) returns boolean language sql stable as $$
  select (old.row::jsonb - array['columns', 'type', 'intent', 'attempt', 'time', 'operator', 'stamp']) = j
    and old.row::jsonb #>> '{stamp,run}' = {schema}.run()
    and old.body_hash is not distinct from encode(sha256(convert_to(p_body, 'UTF8')), 'hex') $$;
`;
