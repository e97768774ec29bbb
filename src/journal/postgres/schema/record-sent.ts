/** How a SENT row gets into a team's journal: the rules that are checked in its transaction, in their order. */

export const recordSentSql = `
-- What may have one open attempt. As the lock names of a machine (same-account.ts).
create function {schema}.subject_of(j jsonb, p_intent text) returns text language sql immutable as $$
  select case when j ->> 'origin' like 'demo:%' then (j ->> 'origin') || ' ' else '' end
    || coalesce(j #>> '{proof,orderId}', j ->> 'given', p_intent) $$;

-- Whether somebody added a row about this order, or under this script's id, after the caller had looked.
create function {schema}.refuse_unseen(j jsonb, p_seen bigint, p_seen_given bigint) returns void language plpgsql as $$
begin
  if exists (select from {schema}.attempts where order_id = j #>> '{proof,orderId}' and newest_row > p_seen) then
    raise exception 'somebody changed % in the meantime', j #>> '{proof,orderId}' using errcode = 'PD010';
  end if;
  if exists (select from {schema}.attempts where given = j ->> 'given' and newest_row > p_seen_given) then
    raise exception 'somebody used the script id % in the meantime', j ->> 'given' using errcode = 'PD010';
  end if;
end $$;

-- An attempt that was not seen stops being open at the end of its horizon.
create function {schema}.refuse_open(p_subject text) returns void language plpgsql as $$
declare blocker {schema}.attempts;
begin
  update {schema}.attempts set open = false
    where subject = p_subject and open and open_until <= {schema}.row_time(0);
  select * into blocker from {schema}.attempts where subject = p_subject and open;
  if found then
    raise exception '% of % is unconfirmed', blocker.intent, blocker.operator using errcode = 'PD011';
  end if;
end $$;

-- p_seen, p_seen_given: the number of the newest row when the caller looked at the order, and under the script's id.
-- p_send_within: milliseconds from now on in which the request may leave.
create function {schema}.record_sent(p_writer int, p_intent text, p_attempt int, p_seen bigint, p_seen_given bigint,
  p_send_within bigint, p_rest text, p_body text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  r {schema}.rows;
  j jsonb := p_rest::jsonb;
  s text := {schema}.subject_of(j, p_intent);
  approver text;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  if p_seen is null or p_seen_given is null or p_send_within is null then
    raise exception 'a SENT row needs what its writer has seen' using errcode = 'PD017';
  end if;
  -- Until then nobody else may say what became of it, so nobody may take longer than a profile can say.
  if p_send_within not between 0 and 3600000 or (j ->> 'horizonMs')::numeric not between 0 and 365 * 86400000::numeric then
    raise exception 'a request leaves within an hour, and its horizon is a year at most' using errcode = 'PD018';
  end if;
  -- From here on nobody else appends.
  t := {schema}.lock_head();
  if exists (select from {schema}.attempts where intent = p_intent and attempt = p_attempt) then
    raise exception 'the journal has this attempt already' using errcode = 'PD012';
  end if;
  perform {schema}.refuse_unseen(j, p_seen, p_seen_given);
  perform {schema}.refuse_open(s);
  perform {schema}.use_claim(j, p_body, t);
  approver := {schema}.refuse_over_limits(j, p_body, p_intent, p_attempt, t);
  r := {schema}.append_row(t, 'sent', p_intent, p_attempt, ',"operator":' || {schema}.json_text({schema}.operator())
    || ',"sendBy":' || t + p_send_within
    || case when approver is null then '' else ',"approvedBy":' || {schema}.json_text(approver) end, p_rest, p_body);
  insert into {schema}.attempts (intent, attempt, subject, order_id, given, operator, run, kind, sent_at, send_by, horizon_ms,
      open, newest_row, livemode, amount, currency, plan, plan_row)
    values (p_intent, p_attempt, s, r.order_id, j ->> 'given', {schema}.operator(), {schema}.run(), j #>> '{proof,kind}',
      t, t + p_send_within, (j ->> 'horizonMs')::bigint, true, r.seq,
      (j #>> '{proof,livemode}')::boolean, {schema}.counted_amount(j, p_body), upper(j ->> 'currency'),
      j #>> '{claim,plan}', (j #>> '{claim,row}')::int);
  return row_to_json(r);
end $$;
`;
