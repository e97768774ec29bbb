/** Refunds of people whose account has a team: each at a desk of their own, with one journal for all. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { newTeamDatabase, type TeamDatabase } from '../harness/team-database.ts';
import { joinTeam } from './joined.ts';

let desk: Desk;
let database: TeamDatabase;

beforeAll(async () => {
  [desk, database] = await Promise.all([startDesk(), newTeamDatabase()]);
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const isWhole = ({ payment_status: status, charges, amount_refunded: refunded }: Order) =>
  status === 'paid' &&
  refunded === 0 &&
  charges?.data.length === 1 &&
  charges.data[0]?.is_refundable === true;

const rowsOf = async (orderId: string) =>
  (
    await database.query(
      `select r.type || coalesce(' ' || (r.row::jsonb ->> 'verdict'), '') || ' ' || (r.row::jsonb #>> '{stamp,operator}') as told
       from paydesk.rows r where (r.intent, r.attempt) in (select intent, attempt from paydesk.attempts where order_id = $1)
       order by seq`,
      [orderId],
    )
  ).map(({ told }) => told);

describe('with the journal of a team', () => {
  test('a refund is recorded at the server under the name of who signed in, and another desk knows it', async () => {
    using ana = newHome();
    using ben = newHome();
    await joinTeam(ana, desk.url, database, { person: 'ana' });
    await joinTeam(ben, desk.url, database, { person: 'ben' });
    const { id } = await desk.take(isWhole);
    const env = { ...desk.env, PAYDESK_OPERATOR: 'somebody else' };
    const made = await paydesk(['orders', 'refund', id, '--yes'], { home: ana, env });
    expect(made).toMatchObject({ code: 0 });
    expect(await rowsOf(id)).toEqual(['sent ana', 'verdict applied ana']);
    const list = await paydesk(['journal', 'list', '--order', id, '--json'], { home: ben, env });
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(list.stdout).toContain('"operator":"ana"');
  });

  test('the same refund at two desks at the same moment leaves once', async () => {
    using ana = newHome();
    using ben = newHome();
    await joinTeam(ana, desk.url, database, { person: 'ana' });
    await joinTeam(ben, desk.url, database, { person: 'ben' });
    const { id } = await desk.take(isWhole);
    const before = desk.changes().length;
    const ran = await Promise.all(
      [ana, ben].map((home) => paydesk(['orders', 'refund', id, '--yes'], { home, env: desk.env })),
    );
    expect(desk.changes().length - before).toBe(1);
    expect(new Set(ran.map(({ code }) => code))).toEqual(new Set([0, 3]));
  });

  test('while the server is away nothing is sent, and the list shows what this machine knows', async () => {
    using home = newHome();
    await using proxy = await startCuttingProxy(database.server.port);
    await joinTeam(home, desk.url, database, { person: 'ana', port: proxy.port });
    const { id } = await desk.take(isWhole);
    await paydesk(['orders', 'refund', id, '--yes'], { home, env: desk.env });
    proxy.refuse(true);
    proxy.cut();
    const { id: other } = await desk.take(isWhole);
    const before = desk.changes().length;
    const refused = await paydesk(['orders', 'refund', other, '--yes'], { home, env: desk.env });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("nothing is sent without the team's journal");
    expect(desk.changes().length).toBe(before);
    const list = await paydesk(['journal', 'list', '--order', id, '--json'], { home, env: desk.env });
    expect(list.stdout).toContain('"operator":"ana"');
    const table = await paydesk(['journal', 'list', '--order', id], { home, env: desk.env });
    expect(table.stderr).toMatch(
      /cannot be used: .*; what is shown is as of \d\d:\d\d:\d\d, and nothing is sent/s,
    );
  });

  test.each([
    ['orders show', (id: string) => ['orders', 'show', id]],
    ['orders list', () => ['orders', 'list', '--limit', '3']],
    ['journal list', () => ['journal', 'list', '--open']],
  ])('%s asks a server that is silent once, and then shows what this machine knows', async (_, words) => {
    using home = newHome();
    await using proxy = await startCuttingProxy(database.server.port);
    await joinTeam(home, desk.url, database, { person: 'ana', port: proxy.port });
    const { id } = await desk.take(isWhole);
    await paydesk(['orders', 'refund', id, '--yes'], { home, env: desk.env });
    proxy.mute(true);
    const before = proxy.connections;
    const shown = await paydesk(words(id), { home, env: desk.env });
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stderr).toMatch(
      /no answer within 5 s; what is shown is as of \d\d:\d\d:\d\d, and nothing is/,
    );
    expect(proxy.connections - before).toBe(1);
  });

  test('a desk that has seen no row yet says so while the server is away', async () => {
    using home = newHome();
    await using proxy = await startCuttingProxy(database.server.port);
    await joinTeam(home, desk.url, database, { person: 'ana', port: proxy.port });
    proxy.refuse(true);
    const { id } = await desk.take(isWhole);
    const shown = await paydesk(['orders', 'show', id], { home, env: desk.env });
    expect(shown.stderr).toContain('this machine has no copy of it, and nothing is sent without the team');
    expect(shown.stderr).not.toMatch(/as of|repaired/);
  });

  test('if the answer to SENT is lost, nothing is sent, and the order is free again', async () => {
    using home = newHome();
    await using proxy = await startCuttingProxy(database.server.port);
    await joinTeam(home, desk.url, database, { person: 'ana', port: proxy.port });
    const { id } = await desk.take(isWhole);
    const before = desk.changes().length;
    proxy.at('record_sent', 'cut after');
    const refused = await paydesk(['orders', 'refund', id, '--yes'], { home, env: desk.env });
    expect(refused.code).toBe(3);
    expect(desk.changes().length).toBe(before);
    expect(await rowsOf(id)).toEqual(['sent ana', 'verdict not_sent ana']);
    const again = await paydesk(['orders', 'refund', id, '--yes'], { home, env: desk.env });
    expect(again.code).toBe(0);
  });
});
