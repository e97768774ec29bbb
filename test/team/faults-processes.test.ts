/** Desks of a team that are killed, frozen, or raced by another desk: real processes, and what is left at the server and the service. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeArgs, type Desk, ledgerAndDesk, openDesk } from '../atmost/desk.ts';
import type { LedgerOrder } from '../atmost/ledger.ts';
import { start } from '../atmost/running.ts';
import { later } from '../harness/clock.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { isLong } from '../harness/long.ts';
import type { Home } from '../harness/paydesk.ts';
import {
  newTeamDatabase,
  type Person,
  passwordOf,
  signIn,
  type TeamDatabase,
} from '../harness/team-database.ts';
import { joinTeam } from './joined.ts';

// What is waited for takes as long as a busy machine needs.
const patiently = { timeout: 60_000 };

const { ledger, desk } = await ledgerAndDesk();
/** Its profile sends within a second of the final read, or not at all. */
let hasty: Desk;
let database: TeamDatabase;
let proxy: CuttingProxy;
let ana: Home;
let ben: Home;

beforeAll(async () => {
  hasty = await openDesk({ url: ledger.url, settings: { 'refund.send_within': '1s' } });
});
afterAll(() => hasty[Symbol.dispose]());
beforeEach(async () => {
  database = await newTeamDatabase();
  proxy = await startCuttingProxy(database.server.port);
  [ana, ben] = [await atDesk('ana', proxy.port), await atDesk('ben')];
  return async () => {
    for (const home of [ana, ben]) home[Symbol.dispose]();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

async function atDesk(person: Person, port = database.server.port, of = desk): Promise<Home> {
  const home = of.newHome();
  await joinTeam(home, ledger.url, database, { person, port });
  return home;
}

/** The rows about an order at the server: `sent ana`, `applied ben`. */
async function told({ id }: LedgerOrder): Promise<readonly unknown[]> {
  const found = await database.query(
    `select coalesce(r.row::jsonb ->> 'verdict', r.type) || ' ' || (r.row::jsonb #>> '{stamp,operator}') as words
     from paydesk.rows r join paydesk.attempts a using (intent, attempt) where a.order_id = $1 order by seq`,
    [id],
  );
  return found.map(({ words }) => words);
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** Runs something so much later: by the clocks of the server, of the service, and of the desk (the variables). */
async function after<T>(ms: number, act: (env: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
  await database.query(`create or replace function paydesk.row_time(p_newest bigint) returns bigint language sql volatile as
    $$ select greatest((extract(epoch from clock_timestamp()) * 1000)::bigint + ${ms}, p_newest) $$`);
  ledger.clock.offMs = ms;
  try {
    return await act(later(ms));
  } finally {
    ledger.clock.offMs = 0;
  }
}

test('4 killed between INSERT and COMMIT: the server commits without it, nothing was sent, and the order is blocked', async () => {
  const order = ledger.add('refund');
  await using other = await signIn(database.server, database.name);
  // An open attempt that is not committed yet lets the next one wait at the index, after its row was inserted.
  await other.query(
    `begin; insert into paydesk.attempts (intent, attempt, subject, operator, run, kind, sent_at, send_by, horizon_ms, open, newest_row)
     values ('i_other', 1, '${order.id}', 'lea', 'r', 'refund', 0, 0, 0, true, 0)`,
  );
  const killed = start(desk, ana, changeArgs(order));
  await expect.poll(waitingBackends, patiently).toBe(1);
  killed.kill('SIGKILL');
  await killed.end;
  expect(await told(order)).toEqual([]);
  await other.query('rollback');
  await expect.poll(() => told(order), patiently).toEqual(['sent ana']);
  expect(await desk.run(ben, changeArgs(order))).toMatchObject({ code: 3 });
  expect(order.posts).toHaveLength(0);
});

async function waitingBackends(): Promise<number> {
  const waiting = await database.query(
    `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%record_sent%' and datname = '${database.name}'`,
  );
  return waiting.length;
}

test('5 killed after the COMMIT and before the POST: nothing was sent, and the order is free when nothing can come any more', async () => {
  const order = ledger.add('refund');
  proxy.at('record_sent', 'hold reply');
  const killed = start(desk, ana, changeArgs(order));
  await proxy.happened();
  killed.kill('SIGKILL');
  await killed.end;
  await proxy.release();
  expect(await told(order)).toEqual(['sent ana']);
  expect(await desk.run(ben, changeArgs(order))).toMatchObject({ code: 3 });
  const early = await after(minute, (env) => desk.run(ben, changeArgs(order), env));
  expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining('unconfirmed') });
  expect(order.posts).toHaveLength(0);
  expect(await told(order)).toEqual(['sent ana', 'not_seen ben']);
  // Two days later that request cannot take effect any more.
  const words = [...changeArgs(order), '--again', await intentOf(order)];
  expect(await after(2 * day, (env) => desk.run(ben, words, env))).toMatchObject({ code: 0 });
  expect(order.posts).toHaveLength(1);
});

async function intentOf({ id }: LedgerOrder): Promise<string> {
  const [row] = await database.query('select intent from paydesk.attempts where order_id = $1', [id]);
  return String(row?.intent);
}

test('6 killed after the POST and before the verdict: another desk finds that it was made, and nobody sends it again', async () => {
  const order = ledger.add('refund');
  const posted = Promise.withResolvers<void>();
  order.onPost = (_, apply) => () => {
    apply();
    posted.resolve();
  };
  const killed = start(desk, ana, changeArgs(order));
  await posted.promise;
  killed.kill('SIGKILL');
  await killed.end;
  expect(await told(order)).toEqual(['sent ana']);
  expect(await desk.run(ben, changeArgs(order))).toMatchObject({ code: 3 });
  expect(await told(order)).toEqual(['sent ana']);
  expect(await after(minute, (env) => desk.run(ben, changeArgs(order), env))).toMatchObject({ code: 3 });
  expect(await told(order)).toEqual(['sent ana', 'applied ben']);
  expect({ posts: order.posts.length, done: order.done() }).toEqual({ posts: 1, done: 1 });
});

test('12 the same person in another process can neither send it, nor judge it, nor take it back', async () => {
  const order = ledger.add('refund');
  using second = await atDesk('ana');
  proxy.at('record_sent', 'hold reply');
  const first = start(desk, ana, changeArgs(order));
  await proxy.happened();
  expect((await start(desk, second, changeArgs(order)).end).code).toBe(3);
  await start(desk, second, ['journal', 'reconcile']).end;
  expect(await told(order)).toEqual(['sent ana']);
  const login = { ...database.server, user: 'ana', password: passwordOf('ana') };
  await using raw = await signIn(login, database.name);
  await raw.query(`set paydesk.run = 'another process'`);
  const back = raw.query(`select paydesk.take_back(1, $1, 1, '{"verdict":"not_sent"}')`, [
    await intentOf(order),
  ]);
  await expect(back).rejects.toMatchObject({ code: 'PD015' });
  await proxy.release();
  expect((await first.end).code).toBe(0);
  expect(await told(order)).toEqual(['sent ana', 'applied ana']);
});

test('16 frozen until it may no longer send, it sends nothing when it wakes up, and says so to all', async () => {
  const order = ledger.add('refund');
  using home = await atDesk('ana', proxy.port, hasty);
  proxy.at('record_sent', 'hold reply');
  const frozen = start(hasty, home, changeArgs(order));
  await proxy.happened();
  frozen.kill('SIGSTOP');
  await proxy.release();
  await expect.poll(() => isTooLate(order), patiently).toBe(true);
  frozen.kill('SIGCONT');
  expect((await frozen.end).code).toBe(6);
  expect(order.posts).toHaveLength(0);
  expect(await told(order)).toEqual(['sent ana', 'not_sent ana']);
  expect(await desk.run(ben, changeArgs(order))).toMatchObject({ code: 0 });
});

async function isTooLate({ id }: LedgerOrder): Promise<unknown> {
  const [row] = await database.query(
    'select extract(epoch from clock_timestamp()) * 1000 > send_by as late from paydesk.attempts where order_id = $1',
    [id],
  );
  return row?.late;
}

const races = isLong ? 50 : 5;
test(`two desks, the same refund at the same moment, ${races} times with two processes: one POST each`, async () => {
  for (let race = 0; race < races; race += 1) {
    const order = ledger.add('refund');
    order.onRead = togetherInPairs();
    const runs = [start(desk, ana, changeArgs(order)), start(desk, ben, changeArgs(order))];
    const codes = (await Promise.all(runs.map(({ end }) => end))).map(({ code }) => code);
    expect({ codes: new Set(codes), posts: order.posts.length }).toEqual({
      codes: new Set([0, 3]),
      posts: 1,
    });
  }
});

/** Answers the first read of the two desks at one moment, and so their final reads: none has recorded anything by then. */
function togetherInPairs(): LedgerOrder['onRead'] {
  const both = new Map([1, 3].map((read) => [read, Promise.withResolvers<void>()]));
  return async (read) => {
    both.get(read - 1)?.resolve();
    await both.get(read)?.promise;
    return undefined;
  };
}
