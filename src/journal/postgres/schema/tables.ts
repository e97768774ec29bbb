/** The tables of a team's journal. */

export const tablesSql = `
-- What this schema is, and the oldest program that may write to it. Whoever writes reads it first, in the same transaction.
-- So an upgrade begins with LOCK TABLE version IN ACCESS EXCLUSIVE MODE: then all who wrote have ended, and the others see
-- the new version.
create table {schema}.version (
  one boolean primary key default true check (one), n int not null, min_writer int not null);
insert into {schema}.version values (true, {version}, {min_writer});

-- The newest row. Whoever appends locks it first, so rows are added one after the other. The journal's id is drawn once.
create table {schema}.head (
  one boolean primary key default true check (one), journal uuid not null default gen_random_uuid(),
  seq bigint not null, hash text not null, time bigint not null);
insert into {schema}.head (seq, hash, time) values (0, repeat('0', 64), 0);

-- The rows, in the very form of a journal in a file: the hash of a row covers the hash of the row before it.
-- Rows are only ever added (see the triggers). Times are Unix milliseconds.
create table {schema}.rows (
  seq bigint primary key, row text not null, body text, body_hash text, prev text not null, hash text not null,
  type text not null check (type in ('sent', 'verdict', 'setting', 'void', 'limit', 'approval')),
  time bigint not null, intent text not null, attempt int not null,
  origin text, order_id text, plan text, ref text);
create index rows_of_attempt on {schema}.rows (intent, attempt);

-- What the rows say of each attempt. Nothing is read from here but by the rules below.
create table {schema}.attempts (
  intent text not null, attempt int not null,
  -- What may have one open attempt: the order, else the script's own id, else the intent. As the names of locks.
  subject text not null, order_id text, given text,
  operator text not null, run text not null, kind text not null,
  sent_at bigint not null, send_by bigint not null, horizon_ms bigint not null,
  verdict text, verdicts int not null default 0, first_verdict_at bigint,
  open boolean not null, open_until bigint,
  newest_row bigint not null,
  -- Of a refund: what limits count. Not any more if it was certainly not made.
  livemode boolean, amount bigint, currency text, counts boolean not null default true,
  -- A reply or a read has shown that it was made. Nobody takes that back.
  shown boolean not null default false,
  -- The digest of a plan and the number of its row, if it was sent by a claim.
  plan text, plan_row int,
  primary key (intent, attempt));

-- THE RULE of the whole journal: an order has at most one open attempt, whatever connections and programs do.
create unique index one_open_attempt on {schema}.attempts (subject) where open;
create index attempts_of_order on {schema}.attempts (order_id, newest_row);
create index attempts_of_member on {schema}.attempts (operator, currency, sent_at) where amount is not null;
create index attempts_of_subject on {schema}.attempts (subject, sent_at) where amount is not null;
create index attempts_of_plan_row on {schema}.attempts (plan, plan_row) where plan is not null;
create index attempts_of_script on {schema}.attempts (given, newest_row) where given is not null;

-- A body may be erased; everything else stays as it is.
create function {schema}.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    old.body := null;
    if new is not distinct from old then return new; end if;
  end if;
  raise exception 'the rows of the journal are only ever added' using errcode = 'PD030';
end $$;
create trigger rows_stay before update or delete on {schema}.rows for each row execute function {schema}.refuse_change();
create trigger rows_stay_all before truncate on {schema}.rows execute function {schema}.refuse_change();
`;
