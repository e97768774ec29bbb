/** How the rows that a machine wrote before it joined get into a team's journal, as history. */

export const importRowsSql = `
-- Adds rows of the journal of one machine: [{type, intent, attempt, number, time, operator, sendBy, rest, body, seq, hash}, …],
-- verdicts with their number among those of their attempt. Rows that are there are left out, so whoever did not hear the answer
-- asks again. Imported attempts count for all that is sent later; they are over, and never block an order by themselves.
-- Only attempts are history that a machine can bring: requests, limits and settings of the team come from its own functions.
create function {schema}.import_rows(p_writer int, p_rows text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  x {schema}.attempts;
  r {schema}.rows;
  e json;
  added int := 0;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  t := {schema}.lock_head();
  for e in select value from json_array_elements(p_rows::json) loop
    perform {schema}.refuse_no_history(e);
    select * into x from {schema}.attempts where intent = e ->> 'intent' and attempt = (e ->> 'attempt')::int;
    if e ->> 'type' = 'sent' then
      if found and (x.order_id is distinct from e ->> 'order'
        or x.sent_at <> (e ->> 'time')::bigint and not {schema}.is_known_import(x, e)) then
        raise exception 'the journal has another attempt called %', e ->> 'intent' using errcode = 'PD012';
      end if;
      continue when found;
      r := {schema}.append_imported(e, t);
      insert into {schema}.attempts (intent, attempt, subject, order_id, given, operator, run, kind, sent_at, send_by, horizon_ms,
          open, newest_row, livemode, amount, currency)
        select r.intent, r.attempt, {schema}.subject_of(j, r.intent), r.order_id, j ->> 'given', {schema}.operator(), 'imported',
          coalesce(j #>> '{proof,kind}', ''), r.time, (r.row::jsonb ->> 'sendBy')::bigint, (j ->> 'horizonMs')::bigint, false, r.seq,
          (j #>> '{proof,livemode}')::boolean, {schema}.counted_amount(j, e ->> 'body'), upper(j ->> 'currency')
        from (select (e ->> 'rest')::jsonb as j) rest;
      added := added + 1;
    else
      if not found then
        raise exception 'a verdict on % has no attempt', e ->> 'intent' using errcode = 'PD012';
      end if;
      -- What the team itself knows of an attempt is never changed by what a machine brings.
      continue when x.run <> 'imported' or (e ->> 'number')::int <= x.verdicts;
      if (e ->> 'number')::int > x.verdicts + 1 then
        raise exception 'the verdict before this one is missing' using errcode = 'PD013';
      end if;
      perform {schema}.refuse_other_end(x, (e ->> 'rest')::jsonb);
      r := {schema}.append_imported(e, t);
      update {schema}.attempts a set verdict = (e ->> 'rest')::json ->> 'verdict', verdicts = x.verdicts + 1,
          first_verdict_at = coalesce(x.first_verdict_at, r.time), newest_row = r.seq
        where a.intent = x.intent and a.attempt = x.attempt;
      perform {schema}.note_outcome(x, (e ->> 'rest')::jsonb);
      added := added + 1;
    end if;
  end loop;
  return to_json(added);
end $$;

-- Refuses what no machine has recorded of its attempts. The amounts are what limits count.
create function {schema}.refuse_no_history(e json) returns void language plpgsql immutable as $$
declare j jsonb := (e ->> 'rest')::jsonb;
begin
  if not coalesce(e ->> 'type' in ('sent', 'verdict'), false) then
    raise exception 'only the attempts of a machine and their verdicts can be brought in' using errcode = 'PD017';
  end if;
  if not coalesce((e ->> 'time')::numeric >= 0 and (e ->> 'time')::numeric < 253402300800000, false) then
    raise exception 'a row that is brought in has no time' using errcode = 'PD017';
  end if;
  if e ->> 'type' = 'sent' and (j #>> '{proof,kind}' = 'refund' and {schema}.amount_of(j, e ->> 'body') <= 0) then
    raise exception 'a refund pays something back, and % does not', e ->> 'intent' using errcode = 'PD017';
  end if;
end $$;

-- How an attempt ended is said by the machine that has it, or by the functions that record a verdict and check who says so: a
-- machine of somebody else does not bring another end.
create function {schema}.refuse_other_end(x {schema}.attempts, j jsonb) returns void language plpgsql stable as $$
begin
  if x.operator <> {schema}.operator() and x.verdict in ('applied', 'rejected', 'not_sent') and j ->> 'verdict' is distinct from x.verdict then
    raise exception '% brought in how % ended, and that stays', x.operator, x.intent using errcode = 'PD013';
  end if;
end $$;

-- Whether this very row was brought in before. What came from a clock that was ahead has another time now.
create function {schema}.is_known_import(x {schema}.attempts, e json) returns boolean language sql stable as $$
  select exists (select from {schema}.rows r where r.type = 'sent' and r.intent = x.intent and r.attempt = x.attempt
    and r.row::jsonb #>> '{imported,hash}' = e ->> 'hash') $$;

-- When it happened. A machine whose clock is ahead can join too: what it did in the future counts as done at p_time, or limits
-- would count it until that day comes.
create function {schema}.time_of_import(e json, p_time bigint) returns bigint language sql immutable as $$
  select case when (e ->> 'time')::bigint <= p_time + 300000 then (e ->> 'time')::bigint else p_time end $$;

-- The row says where it was before, and keeps its own time and operator. The stamp says who imported it. As in record_sent
-- (record-sent.ts) nothing leaves later than an hour after its row.
create function {schema}.append_imported(e json, p_time bigint) returns {schema}.rows language sql volatile as $$
  select {schema}.append_row({schema}.time_of_import(e, p_time), e ->> 'type', e ->> 'intent', (e ->> 'attempt')::int,
    case when e ->> 'operator' is null then '' else ',"operator":' || {schema}.json_text(e ->> 'operator') end
    || case when e ->> 'sendBy' is null then '' else ',"sendBy":' || {schema}.time_of_import(e, p_time)
      + least(greatest((e ->> 'sendBy')::bigint - (e ->> 'time')::bigint, 0), 3600000) end
    || ',"imported":{"seq":' || (e ->> 'seq')::bigint || ',"hash":' || {schema}.json_text(e ->> 'hash') || '}',
    e ->> 'rest', e ->> 'body') $$;
`;
