/** What stands between a desk and its team's server, or is wrong at the desk itself: poolers, and clocks that differ. */

import { beforeEach, describe, expect, test } from 'vitest';
import { changeArgs, ledgerAndDesk } from '../atmost/desk.ts';
import { clockOff } from '../harness/clock.ts';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import type { Home } from '../harness/paydesk.ts';
import { type Relay, startRelay } from '../harness/relay.ts';
import { reset } from '../harness/server.ts';
import { newTeamDatabase, type Person, type TeamDatabase } from '../harness/team-database.ts';
import { newTeam } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';

const { ledger, desk } = await ledgerAndDesk();
let database: TeamDatabase;
beforeEach(async () => {
  database = await newTeamDatabase();
  return () => database[Symbol.asyncDispose]();
});

async function atDesk(person: Person, port = database.server.port): Promise<Home> {
  const home = desk.newHome();
  await joinTeam(home, ledger.url, database, { person, port });
  return home;
}

const rows = () =>
  database.query(`select type, time, row::jsonb ->> 'verdict' as verdict from paydesk.rows order by seq`);

test('27 a pooler that may change the backend between two transactions is refused, and nothing is sent', async () => {
  await using pooler = await startPooler(database.server.port);
  using home = await atDesk('ana', pooler.port);
  const order = ledger.add('refund');
  expect(await desk.run(home, changeArgs(order))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('stands behind a pooler'),
  });
  expect({ posts: order.posts.length, rows: await rows() }).toEqual({ posts: 0, rows: [] });
});

/** In front of a server, as a pooler is: it tells its clients a process id of its own (BackendKeyData), not the backend's. */
function startPooler(target: number): Promise<Relay> {
  const replies = () => {
    let isTold = false;
    return (bytes: Buffer): Buffer => {
      const at = bytes.indexOf('K\0\0\0\x0c', 'latin1');
      if (!isTold && at >= 0) {
        isTold = true;
        bytes.writeInt32BE(bytes.readInt32BE(at + 5) + 1, at + 5);
      }
      return bytes;
    };
  };
  return startRelay(target, { replies });
}

test('however many questions come at once, a desk has one connection, also after it was cut', async () => {
  await using team = await newTeam();
  await using proxy = await startCuttingProxy(team.database.server.port);
  const store = team.desk({ port: proxy.port });
  const askAll = () => Promise.all(Array.from({ length: 8 }, () => store.list({}, { limit: 1 })));
  await askAll();
  expect(proxy.connections).toBe(1);
  proxy.cut();
  // Those that ask first may meet the cut, and answer with what this machine knows.
  await askAll();
  await askAll();
  expect(proxy.connections).toBe(2);
});

describe('39 clocks that are wrong', () => {
  const hour = 3_600_000;
  const serverIs = (ahead: number) =>
    database.query(`create or replace function paydesk.row_time(p_newest bigint) returns bigint language sql volatile as
      $$ select greatest((extract(epoch from clock_timestamp()) * 1000)::bigint + ${ahead}, p_newest) $$`);

  test.each([
    ['ahead', 48 * hour],
    ['behind', -48 * hour],
  ])('of a desk, %s: the rows have the time of the server', async (_, off) => {
    using home = await atDesk('ana');
    const order = ledger.add('refund');
    const start = Date.now();
    expect(await desk.run(home, changeArgs(order), clockOff(off))).toMatchObject({ code: 0 });
    expect(order.posts).toHaveLength(1);
    for (const { time } of await rows()) expect(Math.abs(Number(time) - start)).toBeLessThan(hour);
  });

  test.each([
    ['the server, ahead by more than every horizon', 48 * hour, 0],
    ['a desk, ahead by more than every horizon', 0, 48 * hour],
    ['the server, behind', -48 * hour, 0],
  ])('of %s: what may still take effect stays unconfirmed, and is not sent again', async (_, server, own) => {
    using ana = await atDesk('ana');
    using ben = await atDesk('ben');
    const order = ledger.add('refund', () => reset);
    expect((await desk.run(ana, changeArgs(order))).code).toBe(7);
    await serverIs(server);
    // Who repeats it names it, which is enough once its horizon is over.
    const [{ intent } = { intent: '' }] = await database.query('select intent from paydesk.attempts');
    for (const words of [changeArgs(order), [...changeArgs(order), '--again', String(intent)]])
      expect((await desk.run(ben, words, clockOff(own))).code).toBe(3);
    expect(order.posts).toHaveLength(1);
    expect((await rows()).at(-1)).toMatchObject({ verdict: 'not_seen' });
  });

  test('of a server that was ahead and was set right: the time does not go back, and refunds of other orders are made', async () => {
    using home = await atDesk('ana');
    await serverIs(48 * hour);
    expect(await desk.run(home, changeArgs(ledger.add('refund')))).toMatchObject({ code: 0 });
    await serverIs(0);
    const order = ledger.add('refund');
    expect(await desk.run(home, changeArgs(order))).toMatchObject({ code: 0 });
    expect(order.posts).toHaveLength(1);
    const times = (await rows()).map(({ time }) => Number(time));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});
