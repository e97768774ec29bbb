/** The journal of a team keeps the rules of the port, as every other store. */

import { afterAll, afterEach } from 'vitest';
import type { AttemptRecord, JournalRow } from '../../../src/journal/journal-rows.ts';
import type { JournalStore } from '../../../src/journal/journal-store.ts';
import { isLong } from '../../harness/long.ts';
import { storeContract } from '../store-contract.ts';
import { newTeam, type Team } from './desks.ts';

// A database takes long to make, so the next test uses those of the last one again, emptied.
const free: Team[] = [];
const used: Team[] = [];
afterEach(() => {
  for (const team of used) team.closeDesks();
  free.push(...used.splice(0));
});
afterAll(async () => {
  for (const team of free) await team[Symbol.asyncDispose]();
});

async function emptyTeam(): Promise<Team> {
  const team = free.pop() ?? (await newTeam());
  used.push(team);
  await team.database.query(`
    alter table paydesk.rows disable trigger all;
    truncate paydesk.rows, paydesk.attempts;
    update paydesk.head set journal = gen_random_uuid(), seq = 0, hash = repeat('0', 64), time = 0;
    alter table paydesk.rows enable trigger all`);
  await letRowsSayWhoAndWhen(team);
  return team;
}

storeContract(
  'a team on PostgreSQL',
  async () => {
    const team = await emptyTeam();
    const run = crypto.randomUUID();
    // Every run is another desk: what one of them changed in the database, the others must find.
    const open = () => asWritten(team, team.desk({ person: 'lea', run }));
    const unguarded = async (statement: string) => {
      await team.database.query('alter table paydesk.rows disable trigger all');
      await team.database.query(statement);
    };
    return {
      open,
      change: (seq) =>
        unguarded(
          `update paydesk.rows set row = replace(row, '"amount":-5', '"amount":-6') where seq = ${seq}`,
        ),
      lose: (seq) => unguarded(`delete from paydesk.rows where seq = ${seq}`),
    };
  },
  { repair: 'to others', restore: 'to others', stamps: 'to others', numRuns: isLong ? 25 : 5 },
);

// The rows of the contract say who wrote them and when, which the server states otherwise; and several of them are open on one
// order, follow "applied" and say less, or are of no account, which it refuses otherwise.
async function letRowsSayWhoAndWhen({ database }: Team): Promise<void> {
  await database.query(`
    drop table if exists paydesk.said;
    create table paydesk.said (operator text, time bigint);
    insert into paydesk.said values ('nobody', 0);
    alter table paydesk.said owner to paydesk_owner;
    create or replace function paydesk.operator() returns text language sql stable as
      $$ select operator from paydesk.said $$;
    create or replace function paydesk.is_ours(p_operator text, p_run text) returns boolean language sql stable as
      $$ select p_run = paydesk.run() $$;
    create or replace function paydesk.row_time(p_newest bigint) returns bigint language sql volatile as
      $$ select time from paydesk.said $$;
    create or replace function paydesk.refuse_open(p_subject text) returns void language sql as '';
    create or replace function paydesk.refuse_no_account(p_type text, p_intent text, j jsonb)
      returns void language sql as '';
    create or replace function paydesk.refuse_lesser(x paydesk.attempts, j jsonb) returns void language sql as '';
    drop index if exists paydesk.one_open_attempt;`);
}

function asWritten({ database }: Team, store: JournalStore): JournalStore {
  const append = async (row: JournalRow) => {
    const operator = 'operator' in row ? row.operator : undefined;
    await database.query('update paydesk.said set operator = $1, time = $2', [
      operator ?? 'nobody',
      row.time,
    ]);
    await store.append(row);
  };
  const plain = <Row extends { stamp?: unknown; operator?: string | undefined }>({
    stamp: _,
    ...row
  }: Row) => {
    if (row.operator === 'nobody') delete row.operator;
    return row;
  };
  const plainOnes = (records: readonly AttemptRecord[]) =>
    records.map(({ sent, verdicts }) => ({ sent: plain(sent), verdicts: verdicts.map(plain) }));
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...store,
    append(row) {
      // What is said is said for one row at a time.
      const added = last.then(() => append(row));
      last = added.catch(() => undefined);
      return added;
    },
    attempts: async (query) => plainOnes(await store.attempts(query)),
    list: async (filter, page) => plainOnes(await store.list(filter, page)),
    settings: async () => (await store.settings()).map((row) => (row.type === 'setting' ? plain(row) : row)),
    // What completions know is what the mirror of the machine has.
    async recent(...asked) {
      await store.attempts({ intent: '' });
      return await store.recent(...asked);
    },
    async newest() {
      const { serverNow: _, ...newest } = await store.newest();
      return newest;
    },
  };
}
