/** The SQL for the server of a journal. */

import { storedColumns } from '../rows/chain.ts';
import type { CopiedJournal } from '../sqlite/sqlite-store.ts';
import type { Transaction } from './server.ts';
import { openIn, pageMax } from './verify-server.ts';

/**
 * What the server says about itself, whether it has the row that this sender saw last (`seq`, or a placeholder), and the rows
 * after it.
 */
export const headText = (
  seq: string,
): string => `with head as materialized (select id, seq as head_seq, hash as head_hash,
    (select max(number) from paydesk.migrations) as schema, pg_is_in_recovery() as standby,
    current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    (select hash from paydesk.rows where seq = ${seq}) as known,
    concat_ws(' ', id, (select system_identifier from pg_control_system()),
      (select oid from pg_database where datname = current_database()),
      case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end) as identity
    from paydesk.head)
  select head.*, ${storedColumns.map((name) => `r.${name}`).join(', ')}
  from head left join paydesk.rows r on r.seq > ${seq} order by r.seq limit ${pageMax}`;
/** While the head is locked nobody adds rows. */
export const lockText = 'select 1 from paydesk.head for update';

const columns = storedColumns.join(', ');
const places = storedColumns.map((_, index) => `$${index + 1}`).join(', ');
const [nameAt, numberAt] = [storedColumns.length + 1, storedColumns.length + 2].map((at) => `$${at}`);
/**
 * Adds a row, with the name of its lock and its lease number. `is_held`: whether this sender still has the lease; true without a
 * lease.
 */
export const addText = `with added as (insert into paydesk.rows (${columns}) values (${places}) returning seq, hash, type, change, attempt),
  noted as (update paydesk.head set seq = added.seq, hash = added.hash from added),
  opened as (insert into paydesk.open_changes select seq, ${nameAt}::text, ${numberAt}::bigint from added where ${nameAt}::text is not null),
  closed as (delete from paydesk.open_changes where sent in (select r.seq from paydesk.rows r join added on r.type = 'sent'
    and added.type = 'verdict' and r.change = added.change and r.attempt = added.attempt))
  select ${numberAt}::bigint is null or exists (select 1 from paydesk.leases
    where name = ${nameAt} and number = ${numberAt}::bigint and until > clock_timestamp()) as is_held`;

/** Adds the copy's rows after a number, and rebuilds the list of open changes. Returns how many. */
export async function pushRows(transaction: Transaction, copy: CopiedJournal, from: number): Promise<number> {
  let at = from;
  for (;;) {
    const rows = await copy.rowsAfter(at, pageMax);
    const last = rows.at(-1);
    if (last === undefined) break;
    await transaction.ask(
      `insert into paydesk.rows (${columns}) select ${columns} from json_populate_recordset(null::paydesk.rows, $1)`,
      [JSON.stringify(rows)],
    );
    await transaction.ask('update paydesk.head set seq = $1, hash = $2', [last.seq, last.hash]);
    at = last.seq;
  }
  const open = await openIn(copy);
  const sents = open.map(({ sent }) => String(sent));
  await transaction.ask('delete from paydesk.open_changes where sent <> all ($1::bigint[])', [sents]);
  await transaction.ask(
    'insert into paydesk.open_changes (sent, name) select * from unnest($1::bigint[], $2::text[]) on conflict do nothing',
    [sents, open.map(({ name }) => name)],
  );
  return at - from;
}
