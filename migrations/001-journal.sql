-- The journal of senders. Its rows, their hashes and their chain are those of the embedded journal.
create schema paydesk;

create table paydesk.migrations (number integer primary key, at timestamptz not null default now());

-- Rows are only ever added. `body` can be erased.
create table paydesk.rows (
  seq bigint primary key, row text not null, body text, body_hash text, prev text not null, hash text not null,
  type text not null, "time" bigint not null, change text not null, attempt integer not null,
  origin text, order_id text, plan text, ref text
);
create unique index one_sent on paydesk.rows (change, attempt) where type = 'sent';

-- One line: the newest row. Who adds a row locks it first. `id` is drawn once: another journal has another one.
create table paydesk.head (
  line integer primary key default 1 check (line = 1), id text not null, seq bigint not null, hash text not null
);
insert into paydesk.head (id, seq, hash) values (gen_random_uuid()::text, 0, repeat('0', 64));

-- Who may act under a name, such as an order, until when by the clock of the server. The number grows with each holder.
create sequence paydesk.fence;
create table paydesk.leases (
  name text primary key, holder text not null, number bigint not null, until timestamptz not null,
  operator text not null, command text not null, since timestamptz not null default clock_timestamp()
);

-- Attempts without a verdict, by the number of their SENT row. `lease`: the number under which it was recorded; null in history
-- that was brought here. Of one name, such as an order, at most one is recorded under a lease.
create table paydesk.open_changes (sent bigint primary key, name text not null, lease bigint);
create unique index one_open on paydesk.open_changes (name) where lease is not null;
