/** Approvals of a second person at the server of a team: for one refund, of one person, once, for a while. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { verdict } from '../journal/rows.ts';
import { askedOf, record, refundOf, rulesAt, rulesOf, setLimits } from './rows.ts';

let team: Team;
let orders = 0;
let ids = 0;
let order: string;
let id: string;

beforeAll(async () => {
  team = await newTeam();
  await setLimits(team, { max: 9000, second: 500 });
});
afterAll(() => team[Symbol.asyncDispose]());
beforeEach(() => {
  orders += 1;
  ids += 1;
  order = `ord_${orders}`;
  id = `r_${ids}`;
});

const refused = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) });
const hour = { validMs: 3_600_000, note: undefined };

describe('36 the approval of a second person', () => {
  test('from the limit on nothing is sent without it', async () => {
    const ana = team.desk();
    await record(ana, refundOf(499, order));
    await team.database.query('update paydesk.attempts set open = false');
    await expect(record(ana, refundOf(1, order))).rejects.toMatchObject(
      refused('nobody else has approved 1 MXN: from 500 MXN on a second person must approve (set by lea)'),
    );
    await expect(record(ana, refundOf(500, `${order}b`))).rejects.toMatchObject(
      refused('nobody else has approved 500 MXN'),
    );
  });

  test('with it the refund is recorded once, and the row says who approved it', async () => {
    const ana = team.desk();
    const row = refundOf(700, order);
    const asked = await (await rulesAt(ana)).ask(id, askedOf({ ...row, note: 'ticket 8840' }));
    expect(asked).toMatchObject({
      type: 'approval',
      step: 'asked',
      intent: id,
      operator: 'ana',
      note: 'ticket 8840',
    });
    const ben = await rulesOf(team, 'ben');
    expect((await ben.approvals()).find((one) => one.id === id)).toMatchObject({
      state: 'asked',
      asked: { operator: 'ana', amount: 700, request: { body: { charge_id: 'ch_1', amount: 700 } } },
    });
    const given = await ben.decide(id, 'approved', { ...hour, note: 'looked at it' });
    expect(given).toMatchObject({
      step: 'approved',
      operator: 'ben',
      note: 'looked at it',
      until: given.time + 3_600_000,
    });
    await record(ana, { ...row, approval: id });
    const [made] = await ana.attempts({ orderId: order });
    expect(made?.sent).toMatchObject({ approval: id, approvedBy: 'ben', operator: 'ana' });
    await ana.append(verdict(row.intent, 6));
    await expect(record(ana, { ...refundOf(700, order), approval: id })).rejects.toMatchObject({
      ...refused(`the approval ${id} does not count: it was used already`),
      parts: {
        now: [`paydesk journal show ${row.intent}`, 'to ask again, run the refund without --approved'],
      },
    });
    expect((await ben.approvals()).find((one) => one.id === id)).toMatchObject({
      state: 'used',
      usedBy: row.intent,
    });
    expect(await ana.verify()).toMatchObject({ findings: [] });
  });

  test('nobody approves a request of their own, but may take it back', async () => {
    const ana = await rulesOf(team, 'ana');
    await ana.ask(id, askedOf(refundOf(700, order)));
    await expect(ana.decide(id, 'approved', hour)).rejects.toMatchObject(
      refused('somebody else must approve it'),
    );
    await ana.decide(id, 'rejected', { ...hour, note: 'a mistake' });
    await expect((await rulesOf(team, 'ben')).decide(id, 'approved', hour)).rejects.toMatchObject(
      refused(`${id} is rejected already`),
    );
  });

  test.each<[string, string, Partial<ReturnType<typeof refundOf>>]>([
    ['another amount', 'ord_x1', refundOf(701, 'ord_x1')],
    ['another order', 'ord_x2', refundOf(700, 'ord_y2')],
    ['another account', 'ord_x3', { ...refundOf(700, 'ord_x3'), origin: 'https://other.example' }],
    ['another currency', 'ord_x4', { ...refundOf(700, 'ord_x4'), currency: 'mxp' }],
  ])('it does not count for %s', async (_, on, other) => {
    const ana = team.desk();
    await (await rulesOf(team, 'lea')).setLimits({ member: '*', currency: 'MXP', values: { second: 500 } });
    await (await rulesAt(ana)).ask(id, askedOf(refundOf(700, on)));
    await (await rulesOf(team, 'ben')).decide(id, 'approved', hour);
    await expect(record(ana, { ...refundOf(700, on), ...other, approval: id })).rejects.toMatchObject(
      refused('it was given for another refund'),
    );
    expect(await (await rulesOf(team, 'ben')).approvals()).toContainEqual(
      expect.objectContaining({ id, state: 'approved' }),
    );
  });

  test('it does not count for another person, without an answer, after a no, and after its time', async () => {
    const ana = team.desk();
    const rules = await rulesAt(ana);
    const [row, ben] = [refundOf(700, order), await rulesOf(team, 'ben')];
    await rules.ask(id, askedOf(row));
    await expect(record(ana, { ...row, approval: id })).rejects.toMatchObject(
      refused('it was not given yet'),
    );
    await ben.decide(id, 'approved', { ...hour, validMs: 0 });
    await expect(record(ana, { ...row, approval: id })).rejects.toMatchObject(refused('it has expired'));
    await rules.ask(`${id}b`, askedOf(row));
    await ben.decide(`${id}b`, 'approved', hour);
    const lea = team.desk({ person: 'lea' });
    await expect(record(lea, { ...row, approval: `${id}b` })).rejects.toMatchObject(
      refused('it was given to somebody else'),
    );
    await expect(record(ana, { ...row, approval: 'r_no' })).rejects.toMatchObject(
      refused('it is not in the journal of this team'),
    );
  });

  test('nobody approves for longer than a day', async () => {
    await (await rulesOf(team, 'ana')).ask(id, askedOf(refundOf(700, order)));
    const given = await (await rulesOf(team, 'ben')).decide(id, 'approved', { ...hour, validMs: 9e9 });
    expect(given).toMatchObject({ until: given.time + 24 * 3_600_000 });
  });

  test('a request that nobody has answered for seven days is over', async () => {
    await (await rulesOf(team, 'ana')).ask(id, askedOf(refundOf(700, order)));
    await team.database.query(
      'update paydesk.approvals set asked_at = asked_at - 7 * 86400000 where id = $1',
      [id],
    );
    await expect((await rulesOf(team, 'ben')).decide(id, 'approved', hour)).rejects.toMatchObject(
      refused(`${id} is expired already`),
    );
  });

  test('whoever asks for the same again gets the same request', async () => {
    const ana = await rulesOf(team, 'ana');
    await ana.ask(id, askedOf(refundOf(700, order)));
    expect(await ana.ask(`${id}b`, askedOf(refundOf(700, order)))).toMatchObject({ intent: id });
    const ben = await rulesOf(team, 'ben');
    expect(await ben.ask(`${id}c`, askedOf(refundOf(700, order)))).toMatchObject({ intent: `${id}c` });
  });

  test('whoever did not hear that a request was recorded, and asks again after a no, hears that', async () => {
    const ana = await rulesOf(team, 'ana');
    await ana.ask(id, askedOf(refundOf(700, order)));
    await (await rulesOf(team, 'ben')).decide(id, 'rejected', { ...hour, note: 'no' });
    for (const amount of [700, 800])
      await expect(ana.ask(id, askedOf(refundOf(amount, order)))).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringMatching(/refused it: r_\w+ was asked for already, and is rejected$/),
        parts: { certain: 'nothing was sent', now: ['look at it: paydesk approvals list'] },
      });
    expect((await ana.approvals()).filter((one) => one.id === id)).toMatchObject([{ state: 'rejected' }]);
  });

  test('what was typed for a request is erased with the bodies of that time, once it is over', async () => {
    const ana = await rulesOf(team, 'ana');
    await ana.ask(id, askedOf({ ...refundOf(700, order), note: 'ticket 8840' }));
    const lea = team.desk({ person: 'lea' });
    const noteOf = async () =>
      (await (await rulesAt(lea)).approvals()).find((one) => one.id === id)?.asked.note;
    await lea.eraseBodies(Date.now() + 60_000);
    expect(await noteOf()).toBe('ticket 8840');
    await (await rulesOf(team, 'ben')).decide(id, 'rejected', { ...hour, note: 'no' });
    await lea.eraseBodies(Date.now() + 60_000);
    expect(await noteOf()).toBe(undefined);
    expect(await lea.verify()).toMatchObject({ findings: [] });
  });

  test('what a limit forbids is not asked for', async () => {
    await expect((await rulesOf(team, 'ana')).ask(id, askedOf(refundOf(9001, order)))).rejects.toMatchObject(
      refused("9001 MXN is over the team's limit for one order"),
    );
  });

  test('it is not used by a sending that certainly did not leave', async () => {
    const ana = team.desk();
    await (await rulesAt(ana)).ask(id, askedOf(refundOf(700, order)));
    await (await rulesOf(team, 'ben')).decide(id, 'approved', hour);
    const first = refundOf(700, order);
    await record(ana, { ...first, approval: id });
    await ana.append({
      ...verdict(first.intent, 6),
      verdict: 'not_sent',
      by: 'sender',
      why: 'no connection',
    });
    await record(ana, { ...refundOf(700, order), approval: id });
  });

  test('of many that use it at once, one does', async () => {
    const rules = await rulesOf(team, 'ana');
    const row = refundOf(700, order);
    await rules.ask(id, askedOf(row));
    await (await rulesOf(team, 'ben')).decide(id, 'approved', hour);
    const desks = Array.from({ length: 10 }, () => team.desk());
    const ends = await Promise.all(
      desks.map((desk) =>
        record(desk, { ...refundOf(700, order), approval: id }).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(ends.filter(Boolean)).toHaveLength(1);
  });

  test('if the answer to a request or to a decision is lost, it is asked again, and is there once', async () => {
    await using proxy = await startCuttingProxy(team.database.server.port);
    const ana = await rulesOf(team, 'ana', { port: proxy.port });
    proxy.at('ask_approval', 'cut after');
    expect(await ana.ask(id, askedOf(refundOf(700, order)))).toMatchObject({ intent: id });
    const ben = await rulesOf(team, 'ben', { port: proxy.port });
    proxy.at('decide_approval', 'cut after');
    expect(await ben.decide(id, 'approved', hour)).toMatchObject({ step: 'approved' });
    const rows = await team.database.query(
      `select row::jsonb ->> 'step' as step from paydesk.rows where intent = $1 order by seq`,
      [id],
    );
    expect(rows).toEqual([{ step: 'asked' }, { step: 'approved' }]);
  });
});
