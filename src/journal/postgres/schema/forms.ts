/** The form that each kind of row has: a row of another form would stop every desk that reads it, so the server takes none. */

import { bodyForm, rowForms } from '../row-forms.ts';

function formOf(type: keyof typeof rowForms): string {
  return JSON.stringify(rowForms[type]);
}

export const formsSql = `
-- Where a value has not the form: its name, as in "proof.before"; null if it has it. A form is
--   a text: the types that it may have, "string|null"; or its words, "=read|person"; "integer": a whole number that is exact
--   a list with one form: a list of such values
--   an object: the forms of its members; "?" at the end of a name says that it may be missing. Other members may be anything.
create function {schema}.wrong_in(p_value jsonb, p_form jsonb, p_name text) returns text language plpgsql immutable as $$
declare
  words text := p_form #>> '{}';
  is_right boolean;
  name text;
  form jsonb;
  part jsonb;
  wrong text;
begin
  if jsonb_typeof(p_form) = 'string' then
    is_right := case
      when words = 'integer' then jsonb_typeof(p_value) = 'number' and abs((p_value #>> '{}')::numeric) <= 9007199254740991
        and trunc((p_value #>> '{}')::numeric) = (p_value #>> '{}')::numeric
      when words like '=%' then jsonb_typeof(p_value) = 'string' and p_value #>> '{}' = any (string_to_array(substr(words, 2), '|'))
      else jsonb_typeof(p_value) = any (string_to_array(words, '|')) end;
    return case when is_right then null else p_name end;
  end if;
  if jsonb_typeof(p_value) <> jsonb_typeof(p_form) then return p_name; end if;
  if jsonb_typeof(p_form) = 'array' then
    for part in select value from jsonb_array_elements(p_value) loop
      wrong := {schema}.wrong_in(part, p_form -> 0, p_name);
      if wrong is not null then return wrong; end if;
    end loop;
    return null;
  end if;
  for name, form in select key, value from jsonb_each(p_form) loop
    if name like '%?' then
      name := left(name, -1);
      continue when not p_value ? name;
    end if;
    if not p_value ? name then return p_name || '.' || name; end if;
    wrong := {schema}.wrong_in(p_value -> name, form, p_name || '.' || name);
    if wrong is not null then return wrong; end if;
  end loop;
  return null;
end $$;

create function {schema}.form_of(p_type text, j jsonb) returns jsonb language sql immutable as $$
  select case
    when p_type = 'sent' then '${formOf('sent')}'::jsonb
    when p_type = 'verdict' then '${formOf('verdict')}'::jsonb
    when p_type = 'setting' then '${formOf('setting')}'::jsonb
    when p_type = 'approval' and j ->> 'step' <> 'asked' then '${formOf('decided')}'::jsonb
    when p_type = 'approval' and j ? 'claim' then '${formOf('askedPlan')}'::jsonb
    when p_type = 'approval' then '${formOf('askedRefund')}'::jsonb
    else '{}' end $$;

-- Refuses a row that no desk could read. The body is what may be erased.
create function {schema}.refuse_form(p_type text, j jsonb, p_body text) returns void language plpgsql immutable as $$
declare wrong text := coalesce({schema}.wrong_in(j, {schema}.form_of(p_type, j), 'row'),
  case when p_body is not null then
    {schema}.wrong_in(p_body::jsonb, '${JSON.stringify(bodyForm)}', 'body') end);
begin
  if wrong is not null then
    raise exception 'this is no row of the journal: % has another form', wrong using errcode = 'PD017';
  end if;
end $$;
`;
