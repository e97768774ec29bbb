/** The limits of a team at its server: what each of them refuses, who may set them, and that they hold when many ask at once. */

import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';
import type { LimitChanges } from '../../src/journal/team-rules.ts';
import { passwordOf, signIn } from '../harness/team-database.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { verdict } from '../journal/rows.ts';
import { record, refundOf, rulesOf, setLimits } from './rows.ts';

let team: Team;
let orders = 0;

// Each test has an empty journal without limits.
const teams: Team[] = [];
beforeEach(async () => {
  team = await newTeam();
  teams.push(team);
});
afterAll(async () => {
  for (const one of teams) await one[Symbol.asyncDispose]();
});

function newOrder(): string {
  orders += 1;
  return `ord_${orders}`;
}

const refund = (amount: number, more: Partial<SentRow> = {}, orderId = newOrder()) =>
  refundOf(amount, orderId, more);
const limit = (values: LimitChanges['values'], member?: string) => setLimits(team, values, member);
const refused = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) });

describe('the limits of a team', () => {
  test('without any limit everything passes', async () => {
    await record(team.desk(), refund(1_000_000));
    expect(await (await rulesOf(team, 'ana')).limits()).toEqual([]);
  });

  test('once there is a limit, a currency without one is refused', async () => {
    await limit({ max: 500 });
    await expect(record(team.desk(), refund(1, { currency: 'USD' }))).rejects.toMatchObject(
      refused('the team has limits, and none for USD'),
    );
    await expect(record(team.desk(), refund(1, { currency: undefined }))).rejects.toMatchObject(
      refused('the order does not show its currency'),
    );
  });

  test('a limit of one member is none for the others, who have none', async () => {
    await limit({ max: 500 }, 'ana');
    await expect(record(team.desk(), refund(1, { currency: 'USD' }))).rejects.toMatchObject(
      refused('the team has limits, and none for USD'),
    );
    await record(team.desk({ person: 'ben' }), refund(1_000_000));
  });

  test('max: the refunds of one order within 24 hours, whoever makes them', async () => {
    await limit({ max: 500 });
    const order = newOrder();
    const first = refund(300, {}, order);
    await record(team.desk({ person: 'ana' }), first);
    const ben = team.desk({ person: 'ben' });
    // Otherwise it would be refused because the first is unconfirmed.
    await team.database.query('update paydesk.attempts set open = false');
    await expect(record(ben, refund(201, {}, order))).rejects.toMatchObject({
      ...refused(
        "201 MXN is over the team's limit for one order within 24 hours: 500 MXN for everybody, set by lea; 300 of this order went back",
      ),
      parts: { now: expect.arrayContaining(['paydesk team limits']) },
    });
    await record(ben, refund(200, {}, order));
    await expect(record(ben, refund(501))).rejects.toMatchObject(refused('501 MXN is over'));
  });

  test('day: the refunds of one person within 24 hours; those of the day before, of others and of the sandbox count no more', async () => {
    await limit({ day: 500 });
    const [ana, ben] = [team.desk({ person: 'ana' }), team.desk({ person: 'ben' })];
    await record(ana, refund(300));
    await expect(record(ana, refund(201))).rejects.toMatchObject(
      refused(
        "201 MXN is over the team's limit for one person within 24 hours: 500 MXN for everybody, set by lea; you refunded 300 in the last 24 hours",
      ),
    );
    await record(ben, refund(500));
    const inSandbox = refund(500);
    await record(ana, { ...inSandbox, proof: { ...inSandbox.proof, livemode: false } });
    await team.database.query('update paydesk.attempts set sent_at = sent_at - 24 * 60 * 60 * 1000');
    await record(ana, refund(500));
  });

  test.each<[string, Partial<VerdictRow>, boolean]>([
    ['was not sent', { verdict: 'not_sent', by: 'sender' }, false],
    ['was refused, and a read showed so', { verdict: 'rejected', confirmed: true }, false],
    ['was refused, and nobody has looked', { verdict: 'rejected', confirmed: false }, true],
    ['was not seen', { verdict: 'not_seen', by: 'read' }, true],
    ['is unknown', { verdict: 'unknown', by: 'sender' }, true],
    ['was made', {}, true],
  ])('a refund that %s: counts or not', async (_, last, counts) => {
    await limit({ day: 500 });
    const ana = team.desk({ person: 'ana' });
    const row = refund(500);
    await record(ana, row);
    await ana.append({ ...verdict(row.intent, 6), ...last });
    const next = record(ana, refund(1));
    await (counts ? expect(next).rejects.toMatchObject(refused('one person within 24 hours')) : next);
  });

  test('reason and note are required where a lead says so', async () => {
    await limit({ reason: 1, note: 1 });
    const ana = team.desk();
    await expect(record(ana, refund(1))).rejects.toMatchObject(
      refused('the team wants a reason with every refund in MXN (set by lea)'),
    );
    await expect(record(ana, refund(1, { reason: 'other' }))).rejects.toMatchObject({
      ...refused('the team wants a note'),
      parts: { now: ['add it to the command: --note TEXT'] },
    });
    await record(ana, refund(1, { reason: 'other', note: 'ticket 8840' }));
  });

  test("a member's own limit counts in place of everybody's, one by one", async () => {
    await limit({ max: 500, day: 1000 });
    await limit({ max: 900 }, 'ana');
    await limit({ day: 'none' }, 'ben');
    const [ana, ben] = [team.desk({ person: 'ana' }), team.desk({ person: 'ben' })];
    await record(ana, refund(900));
    await expect(record(ana, refund(101))).rejects.toMatchObject(refused('one person'));
    for (let count = 0; count < 3; count += 1) await record(ben, refund(500));
    await expect(record(ben, refund(501))).rejects.toMatchObject(refused('one order'));
  });

  test('a body, a row or a proof that name different amounts are refused', async () => {
    await limit({ max: 500 });
    const honest = refund(700);
    await expect(record(team.desk(), { ...honest, amount: 5 })).rejects.toMatchObject(
      refused('different amounts'),
    );
    const { proof } = honest;
    const said = { ...honest, amount: 5, proof: { ...proof, expected: [{ chargeId: 'ch_1', amount: -5 }] } };
    await expect(record(team.desk(), said)).rejects.toMatchObject(refused('different amounts'));
  });

  test('a refund that takes money is recorded by nobody: it would lower the sums of the limits, also of those set later', async () => {
    const honest = refund(700);
    const rowOf = (...amounts: readonly number[]) => ({
      ...honest,
      proof: { ...honest.proof, expected: amounts.map((amount) => ({ chargeId: 'ch_1', amount })) },
    });
    const takes = {
      ...rowOf(700),
      amount: -700,
      request: { ...honest.request, body: { charge_id: 'ch_1' } },
    };
    for (const row of [
      takes,
      rowOf(-1000, 300),
      rowOf(-700, 0),
      { ...rowOf(), amount: 0, request: takes.request },
    ])
      await expect(record(team.desk(), row)).rejects.toMatchObject(refused('takes money'));
  });

  test('a request that pays nothing back has no limit', async () => {
    await limit({ max: 0, day: 0, second: 0 });
    const row = refund(700);
    const capture = { ...row, request: { method: 'POST', path: 'orders/ord_1/capture' } } as const;
    await record(team.desk(), {
      ...capture,
      proof: { ...row.proof, kind: 'capture', expected: [] },
      amount: undefined,
    });
  });

  test('every change is a row of the journal, and what is so already adds none', async () => {
    const lea = await rulesOf(team, 'lea');
    const change: LimitChanges = { member: 'ana', currency: 'MXN', values: { max: 500, day: 'none' } };
    expect(await lea.setLimits(change)).toMatchObject([
      { type: 'limit', operator: 'lea', member: 'ana', currency: 'MXN', name: 'day', from: null, to: 'none' },
      { type: 'limit', name: 'max', from: null, to: '500' },
    ]);
    expect(await lea.setLimits(change)).toEqual([]);
    expect(await lea.setLimits({ ...change, values: { max: null } })).toMatchObject([
      { from: '500', to: null },
    ]);
    expect(await lea.limits()).toMatchObject([{ member: 'ana', name: 'day', value: 'none', setBy: 'lea' }]);
    expect(await team.desk().verify()).toMatchObject({ rows: 3, findings: [] });
  });

  test('only leads set limits, and only of members', async () => {
    const ana = await rulesOf(team, 'ana');
    const change: LimitChanges = { member: 'ana', currency: 'MXN', values: { max: 9 } };
    await expect(ana.setLimits(change)).rejects.toMatchObject(refused('permission denied'));
    const lea = await rulesOf(team, 'lea');
    await expect(lea.setLimits({ ...change, member: 'anna' })).rejects.toMatchObject(
      refused('nobody of this team is called anna'),
    );
    expect(await lea.limits()).toEqual([]);
  });

  test.each([
    'select * from paydesk.limits',
    "update paydesk.approvals set state = 'approved'",
    'delete from paydesk.plan_orders',
    "select paydesk.use_approval('{}', '', 'i_1', 1, 0)",
    "select paydesk.append_approval(0, 'r_1', 'approved', '{}', null)",
    "select paydesk.give_back('', 9e15::bigint)",
    "select paydesk.set_limits(1, 'ana', 'MXN', '{}')",
  ])('an operator may not: %s', async (statement) => {
    const { server, name } = team.database;
    await using ana = await signIn({ ...server, user: 'ana', password: passwordOf('ana') }, name);
    await expect(ana.query(statement)).rejects.toThrow('permission denied');
  });

  test('what a person is told before sending is what the server says then', async () => {
    await limit({ max: 500, second: 400 });
    const ana = await rulesOf(team, 'ana');
    expect(await ana.checkRefund(refund(501))).toMatchObject({
      problem: 'max',
      amount: 501,
      limit: { value: 500 },
    });
    expect(await ana.checkRefund(refund(400))).toMatchObject({ problem: undefined, needsSecond: true });
    expect(await ana.checkRefund(refund(399))).toMatchObject({ problem: undefined, needsSecond: false });
  });

  test('35 of 20 attempts at once just as many pass as the limit of a day allows', async () => {
    await limit({ day: 1000 });
    const desks = Array.from({ length: 20 }, () => team.desk({ person: 'ana' }));
    const ends = await Promise.all(
      desks.map((desk) =>
        record(desk, refund(100)).then(
          () => 'recorded',
          (error: unknown) => String(error),
        ),
      ),
    );
    expect(ends.filter((end) => end === 'recorded')).toHaveLength(10);
    expect(ends.filter((end) => end.includes('one person within 24 hours'))).toHaveLength(10);
    expect(await team.desk().verify()).toMatchObject({ findings: [] });
  });
});
