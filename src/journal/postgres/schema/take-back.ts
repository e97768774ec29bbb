/** How a SENT row is taken back when its writer does not know whether it was recorded. */

export const takeBackSql = `
-- The writer sends nothing, and this makes that final. A SENT row that is there gets the verdict p_rest. One that is still
-- on its way (in a socket, in a backend that waits) is kept out by the key of attempts. Asked again, it answers the same.
-- That somebody else looked meanwhile and did not see it is in nobody's way: the writer knows more.
create function {schema}.take_back(p_writer int, p_intent text, p_attempt int, p_rest text)
returns json language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  x {schema}.attempts;
  old {schema}.rows;
  r {schema}.rows;
  t bigint;
begin
  perform {schema}.refuse_unsafe(p_writer);
  if p_rest::jsonb ->> 'verdict' is distinct from 'not_sent' then
    raise exception 'what is taken back was not sent' using errcode = 'PD017';
  end if;
  t := {schema}.lock_head();
  select * into x from {schema}.attempts where intent = p_intent and attempt = p_attempt;
  if not found then
    r := {schema}.append_row(t, 'void', p_intent, p_attempt, '', '{"why":"it was not recorded, and cannot be any more"}', null);
    insert into {schema}.attempts (intent, attempt, subject, operator, run, kind, sent_at, send_by, horizon_ms,
        verdict, open, newest_row)
      values (p_intent, p_attempt, p_intent, {schema}.operator(), {schema}.run(), 'void', t, t, 0,
        'void', false, r.seq);
    return row_to_json(r);
  end if;
  if {schema}.is_ours(x.operator, x.run) and (x.verdict is null or x.verdict = 'not_seen') then
    return row_to_json({schema}.append_verdict(t, x, p_rest, null));
  end if;
  if {schema}.is_ours(x.operator, x.run) and x.verdict in ('void', 'not_sent') then
    select * into old from {schema}.rows where seq = x.newest_row;
    return row_to_json(old);
  end if;
  raise exception '% is not yours, or has a verdict', p_intent using errcode = 'PD015';
end $$;
`;
