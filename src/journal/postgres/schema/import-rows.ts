/** How the rows that a machine wrote before it joined get into a team's journal, as history. */

export const importRowsSql = `
-- Adds rows of the journal of one machine: [{type, intent, attempt, number, time, operator, sendBy, rest, body, seq, hash}, …],
-- verdicts with their number among those of their attempt. Rows that are there are left out, so whoever did not hear the answer
-- asks again. Imported attempts count for all that is sent later; they are over, and never block an order by themselves.
create function {schema}.import_rows(p_writer int, p_rows text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  x {schema}.attempts;
  r {schema}.rows;
  e json;
  added int := 0;
begin
  perform {schema}.refuse_unsafe(p_writer);
  perform {schema}.lock_head();
  for e in select value from json_array_elements(p_rows::json) loop
    select * into x from {schema}.attempts where intent = e ->> 'intent' and attempt = (e ->> 'attempt')::int;
    if e ->> 'type' = 'sent' then
      if found and (x.order_id is distinct from e ->> 'order' or x.sent_at <> (e ->> 'time')::bigint) then
        raise exception 'the journal has another attempt called %', e ->> 'intent' using errcode = 'PD012';
      end if;
      continue when found;
      r := {schema}.append_imported(e);
      insert into {schema}.attempts (intent, attempt, subject, order_id, given, operator, run, kind, sent_at, send_by, horizon_ms,
          open, newest_row, livemode, amount, currency)
        select r.intent, r.attempt, {schema}.subject_of(j, r.intent), r.order_id, j ->> 'given', {schema}.operator(), 'imported',
          coalesce(j #>> '{proof,kind}', ''), r.time, (e ->> 'sendBy')::bigint, (j ->> 'horizonMs')::bigint, false, r.seq,
          (j #>> '{proof,livemode}')::boolean, {schema}.amount_of(j, e ->> 'body'), upper(j ->> 'currency')
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
      r := {schema}.append_imported(e);
      update {schema}.attempts a set verdict = (e ->> 'rest')::json ->> 'verdict', verdicts = x.verdicts + 1,
          first_verdict_at = coalesce(x.first_verdict_at, r.time), newest_row = r.seq
        where a.intent = x.intent and a.attempt = x.attempt;
      perform {schema}.note_outcome(x, (e ->> 'rest')::jsonb);
      added := added + 1;
    end if;
  end loop;
  return to_json(added);
end $$;

-- The row says where it was before, and keeps its own time and operator. The stamp says who imported it.
create function {schema}.append_imported(e json) returns {schema}.rows language sql volatile as $$
  select {schema}.append_row((e ->> 'time')::bigint, e ->> 'type', e ->> 'intent', (e ->> 'attempt')::int,
    case when e ->> 'operator' is null then '' else ',"operator":' || {schema}.json_text(e ->> 'operator') end
    || case when e ->> 'sendBy' is null then '' else ',"sendBy":' || (e ->> 'sendBy')::bigint end
    || ',"imported":{"seq":' || (e ->> 'seq')::bigint || ',"hash":' || {schema}.json_text(e ->> 'hash') || '}',
    e ->> 'rest', e ->> 'body') $$;
`;
