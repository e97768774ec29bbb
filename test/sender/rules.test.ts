/** The limits of a team at its sender: what each of them refuses, who may set them, and that they hold when many ask at once. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { dayMs, newTeam, startMs, type Team } from './team.ts';

let team: Team;
beforeEach(() => {
  team = newTeam();
});

const refused = (message: string) =>
  expect.objectContaining({ kind: 'refused', message: expect.stringContaining(message) });
const rows = () => team.memory.rows.filter(({ type }) => type === 'sent').length;

describe('the limits of a team', () => {
  test('without any limit everything passes', async () => {
    await team.send('ana', team.refund(1_000_000));
    expect(await team.rules('ana').limits()).toEqual([]);
    expect(await team.rules('ana').checkRefund(team.refund(1))).toBe(undefined);
  });

  test('once there is a limit, a currency without one is refused', async () => {
    await team.setLimits({ max: 500 });
    await expect(team.send('ana', team.refund(1, { currency: 'USD' }))).rejects.toEqual(
      refused('the team has limits, and none for USD'),
    );
    await expect(team.send('ana', team.refund(1, { currency: undefined }))).rejects.toEqual(
      refused('the order does not show its currency'),
    );
    await team.send('ana', team.refund(1, { currency: 'mxn' }));
    expect(rows()).toBe(1);
  });

  test('a limit of one member is none for the others, who have none', async () => {
    await team.setLimits({ max: 500 }, 'ana');
    await expect(team.send('ana', team.refund(1, { currency: 'USD' }))).rejects.toEqual(
      refused('none for USD'),
    );
    await team.send('ben', team.refund(1_000_000));
  });

  test('max: the refunds of one order within 24 hours, whoever makes them', async () => {
    await team.setLimits({ max: 500 });
    const first = team.refund(300, {}, 'ord_a');
    await team.send('ana', first);
    await team.ended(first);
    await expect(team.send('ben', team.refund(201, {}, 'ord_a'))).rejects.toEqual(
      refused(
        "201 MXN is over the team's limit for one order within 24 hours: 500 MXN for everybody, set by lea; 300 of this order went back",
      ),
    );
    await expect(team.send('ben', team.refund(501))).rejects.toEqual(refused('501 MXN is over'));
    const second = team.refund(200, {}, 'ord_a');
    await team.send('ben', second);
    await team.ended(second);
    await expect(team.send('ben', team.refund(1, {}, 'ord_a'))).rejects.toEqual(refused('one order'));
    team.clock.time += dayMs;
    await team.send('ben', team.refund(500, {}, 'ord_a'));
  });

  test('day: the refunds of one person within 24 hours; those of the day before, of others and of the sandbox count no more', async () => {
    await team.setLimits({ day: 500 });
    await team.send('ana', team.refund(300));
    await expect(team.send('ana', team.refund(201))).rejects.toEqual(
      refused(
        "201 MXN is over the team's limit for one person within 24 hours: 500 MXN for everybody, set by lea; you refunded 300 in the last 24 hours",
      ),
    );
    await team.send('ben', team.refund(500));
    const inSandbox = team.refund(500);
    await team.send('ana', { ...inSandbox, proof: { ...inSandbox.proof, livemode: false } });
    team.clock.time += dayMs - 1;
    await expect(team.send('ana', team.refund(201))).rejects.toEqual(refused('one person'));
    team.clock.time += 1;
    await team.send('ana', team.refund(500));
  });

  test.each(['max', 'day'] as const)(
    '%s: the refusal says from when on there is room again, and then it passes',
    async (name) => {
      await team.setLimits({ [name]: 500 });
      for (const amount of [200, 100, 150]) {
        const one = team.refund(amount, {}, 'ord_a');
        await team.send('ana', one);
        await team.ended(one);
        team.clock.time += 3_600_000;
      }
      // 450 went back, so the first two must be older than a day.
      const roomAt = Math.ceil((team.clock.time - 2 * 3_600_000 + dayMs) / 1000);
      const more = () => team.send('ana', team.refund(290, {}, 'ord_a'));
      await expect(more()).rejects.toMatchObject({ parts: { roomAt } });
      await expect(team.send('ana', team.refund(501, {}, 'ord_a'))).rejects.toMatchObject({
        parts: { roomAt: null },
      });
      team.clock.time = roomAt * 1000 - 1000;
      await expect(more()).rejects.toMatchObject({ parts: { roomAt } });
      team.clock.time = roomAt * 1000;
      await more();
    },
  );

  test('a whole order counts the charges that are not paid yet, and not those that were declined', async () => {
    await team.setLimits({ max: 500 });
    const wholeWith = (status: string): SentRow => {
      const one = team.refund(300);
      const { before, ...proof } = one.proof;
      const charges = [...before.charges, { id: 'ch_2', status, amount: 9000, refunds: [] }];
      return {
        ...one,
        request: { ...one.request, body: {} },
        proof: { ...proof, body: {}, tolerated: ['ch_2'], before: { ...before, charges } },
      };
    };
    await expect(team.send('ana', wholeWith('pending_payment'))).rejects.toEqual(
      refused("300 MXN, with up to 9000 of charges that are not paid, is over the team's limit"),
    );
    await team.send('ana', wholeWith('declined'));
  });

  test('age: an order that is older than so many days is not refunded, nor one that does not say how old it is', async () => {
    await team.setLimits({ age: 90 });
    const created = (days: number) => (team.clock.time - days * dayMs) / 1000;
    const aged = (createdAt: number | undefined) => {
      const { proof, ...refund } = team.refund(10);
      return { ...refund, proof: { ...proof, before: { ...proof.before, createdAt } } };
    };
    await team.send('ana', aged(created(90)));
    await expect(team.send('ana', aged(created(90.001)))).rejects.toEqual(
      refused(
        "the order is older than the team's limit, or does not show when it was created: 90 days for everybody, set by lea",
      ),
    );
    await expect(team.send('ana', aged(undefined))).rejects.toEqual(refused('older than the team'));
    await team.setLimits({ age: 'none' }, 'lea');
    await team.send('lea', aged(created(1000)));
    expect(await team.rules('ana').checkRefund({ ...team.refund(10), seen: undefined })).toMatchObject({
      problem: 'age',
    });
  });

  test.each<[string, Partial<VerdictRow>, boolean]>([
    ['was not sent', { verdict: 'not_sent', by: 'sender' }, false],
    ['was refused, and a read showed so', { verdict: 'rejected', confirmed: true }, false],
    ['was refused, and nobody has looked', { verdict: 'rejected', confirmed: false }, true],
    ['was not seen', { verdict: 'not_seen', by: 'read' }, true],
    ['is unknown', { verdict: 'unknown', by: 'sender' }, true],
    ['was made', {}, true],
    ['somebody recorded as made', { by: 'person', operator: 'ben' }, true],
    ['somebody recorded as not made', { verdict: 'rejected', by: 'person', operator: 'ben' }, false],
    [
      'was made and has failed',
      {
        refunds: [
          {
            id: 're_1',
            chargeId: 'ch_1',
            amount: -500,
            status: 'failed',
            createdAt: undefined,
            authCode: undefined,
          },
        ],
      },
      false,
    ],
  ])('a refund that %s: counts or not', async (_, last, counts) => {
    await team.setLimits({ day: 500 });
    const first = team.refund(500);
    await team.send('ana', first);
    await team.ended(first, last);
    const next = team.send('ana', team.refund(1));
    await (counts ? expect(next).rejects.toEqual(refused('one person within 24 hours')) : next);
  });

  test('what a read has shown counts, although its sender records that it was not made', async () => {
    await team.setLimits({ day: 500 });
    const first = team.refund(500);
    await team.send('ana', first);
    await team.ended(first, { by: 'read' });
    await team.ended(first, { verdict: 'rejected', by: 'person', operator: 'ana' });
    await expect(team.send('ana', team.refund(1))).rejects.toEqual(refused('one person'));
  });

  test('reason and note are required where a lead says so', async () => {
    await team.setLimits({ reason: 1, note: 1 });
    await expect(team.send('ana', team.refund(1))).rejects.toEqual(
      refused('the team wants a reason with every refund in MXN (set by lea)'),
    );
    await expect(team.send('ana', team.refund(1, { reason: 'other' }))).rejects.toMatchObject({
      message: expect.stringContaining('the team wants a note'),
      parts: { now: ['add it to the command: --note TEXT'] },
    });
    await team.send('ana', team.refund(1, { reason: 'other', note: 'ticket 8840' }));
  });

  test("a member's own limit counts in place of everybody's, one by one", async () => {
    await team.setLimits({ max: 500, day: 1000 });
    await team.setLimits({ max: 900 }, 'ana');
    await team.setLimits({ day: 'none' }, 'ben');
    await team.send('ana', team.refund(900));
    await expect(team.send('ana', team.refund(101))).rejects.toEqual(refused('one person'));
    for (let count = 0; count < 3; count += 1) await team.send('ben', team.refund(500));
    await expect(team.send('ben', team.refund(501))).rejects.toEqual(refused('one order'));
  });

  test('a body, a row or a proof that name different amounts are refused', async () => {
    await team.setLimits({ max: 500 });
    const honest = team.refund(700);
    const small = [{ chargeId: 'ch_1', amount: -5 }];
    for (const forged of [
      { ...honest, amount: 5 },
      { ...honest, amount: 5, proof: { ...honest.proof, expected: small } },
      { ...honest, amount: undefined, proof: { ...honest.proof, expected: small } },
    ])
      await expect(team.send('ana', forged)).rejects.toEqual(refused('different amounts'));
    expect(rows()).toBe(0);
  });

  test('a refund that takes money is refused, whatever the limits are: it would lower their sums', async () => {
    const honest = team.refund(700);
    const of = (...amounts: readonly number[]): SentRow => ({
      ...honest,
      amount: undefined,
      proof: { ...honest.proof, expected: amounts.map((amount) => ({ chargeId: 'ch_1', amount })) },
      request: { ...honest.request, body: { charge_id: 'ch_1' } },
    });
    for (const row of [of(700), of(-1000, 300), of(-700, 0), of()]) {
      await team.setLimits({ max: null });
      await team.setLimits({ max: 9 }, 'ben');
      await expect(team.send('ben', row)).rejects.toEqual(refused('takes money'));
      await expect(team.send('ana', row)).rejects.toEqual(refused('takes money'));
    }
    expect(rows()).toBe(0);
  });

  test('a request that pays nothing back has no limit', async () => {
    await team.setLimits({ max: 0, day: 0, second: 0 });
    const row = team.refund(700);
    const request = { method: 'POST', path: 'orders/ord_1/capture' } as const;
    await team.send('ana', {
      ...row,
      request,
      amount: undefined,
      proof: { ...row.proof, kind: 'capture', expected: [] },
    });
    expect(rows()).toBe(1);
  });

  test('every change is a row of the journal, and what is so already adds none', async () => {
    const lea = team.rules('lea');
    const change = { member: 'ana', currency: 'MXN', values: { max: 500, day: 'none' } } as const;
    expect(await lea.setLimits(change)).toMatchObject([
      { type: 'limit', operator: 'lea', member: 'ana', currency: 'MXN', name: 'day', from: null, to: 'none' },
      { type: 'limit', name: 'max', from: null, to: '500' },
    ]);
    expect(await lea.setLimits(change)).toEqual([]);
    expect(await lea.setLimits({ ...change, values: { max: null } })).toMatchObject([
      { from: '500', to: null },
    ]);
    expect(await lea.limits()).toMatchObject([
      { member: 'ana', name: 'day', value: 'none', setBy: 'lea', setAt: startMs },
    ]);
    expect(await team.store.verify()).toMatchObject({ rows: 3, findings: [] });
  });

  test('only leads set limits, and only of members', async () => {
    const change = { member: 'ana', currency: 'MXN', values: { max: 9 } };
    for (const person of ['vic', 'pia', 'ana'] as const)
      await expect(team.rules(person).setLimits(change)).rejects.toEqual(refused('may not set limits'));
    await expect(team.rules('lea').setLimits({ ...change, member: 'anna' })).rejects.toEqual(
      refused('nobody in this team is called anna'),
    );
    expect(team.memory.rows).toEqual([]);
  });

  test('who only reads or proposes sends nothing, not even below every limit', async () => {
    for (const person of ['vic', 'pia'] as const)
      await expect(team.send(person, team.refund(1))).rejects.toEqual(refused('may not send changes'));
    expect(team.memory.rows).toEqual([]);
  });

  test('what a person is told before sending is what the sender says then', async () => {
    await team.setLimits({ max: 500, second: 400 });
    const ana = team.rules('ana');
    expect(await ana.checkRefund(team.refund(501))).toMatchObject({
      problem: 'max',
      amount: 501,
      limit: { value: 500 },
    });
    expect(await ana.checkRefund(team.refund(400))).toMatchObject({ problem: undefined, needsSecond: true });
    expect(await ana.checkRefund(team.refund(399))).toMatchObject({ problem: undefined, needsSecond: false });
  });

  test('whoever was revoked, or got a lesser role, while a change waited for its turn sends nothing', async () => {
    for (const [role, words] of [
      [undefined, 'the token of ana has been revoked'],
      ['proposer', 'ana is a proposer and may not send changes'],
    ] as const) {
      team.roles.ana = role;
      await expect(team.send('ana', team.refund(1))).rejects.toEqual(refused(words));
    }
    team.roles.lea = 'operator';
    await expect(team.setLimits({ max: 9 })).rejects.toEqual(refused('may not set limits'));
    expect(team.memory.rows).toEqual([]);
  });

  test('those of a sandbox at the same address are others: a lead of it sets none for production', async () => {
    await team.setLimits({ max: 500 });
    await team.inSandbox('lea').setLimits({ member: '*', currency: 'MXN', values: { max: 'none' } });
    expect(await team.inSandbox('lea').limits()).toMatchObject([{ value: 'none' }]);
    expect(await team.rules('lea').limits()).toMatchObject([{ value: 500 }]);
    await expect(team.send('ana', team.refund(501))).rejects.toEqual(refused('one order'));
    expect(rows()).toBe(0);
  });

  test.each([[' '], ['-'], ['\u200b'], ['...']])(
    'a note of %j is none where one is required',
    async (note) => {
      await team.setLimits({ note: 1 });
      await expect(team.send('ana', team.refund(1, { note }))).rejects.toEqual(refused('wants a note'));
      await team.send('ana', team.refund(1, { note: `${note}8840` }));
      expect(rows()).toBe(1);
    },
  );

  test('while the clocks disagree nobody knows what went back in 24 hours, so nothing is sent under limits', async () => {
    team.clock.skewed = true;
    await team.send('ana', team.refund(1));
    team.clock.skewed = false;
    await team.setLimits({ day: 500 });
    team.clock.skewed = true;
    await expect(team.send('ana', team.refund(1))).rejects.toEqual(
      refused('the clocks of the sender and of the service'),
    );
    await expect(team.setLimits({ day: 900 })).rejects.toEqual(refused('the clocks'));
    expect(rows()).toBe(1);
  });

  test('of 20 attempts at once just as many pass as the limits of a day and of an order allow', async () => {
    await team.setLimits({ day: 1000 });
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, () => team.send('ana', team.refund(100))),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await team.setLimits({ day: null, max: 500 });
    const orders = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => team.send('ana', team.refund(100, {}, `ord_${index % 2}x`))),
    );
    expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(rows()).toBe(20);
    expect((await team.store.verify()).findings).toEqual([]);
  });

  test('a refund waits for the row of another by the same person or on the same order, and for no other row', async () => {
    const { promise: disk, resolve: written } = Promise.withResolvers<void>();
    const first = team.send('ana', team.refund(100, {}, 'ord_a'), {}, disk);
    const own = team.send('ana', team.refund(100));
    const onOrder = team.send('ben', team.refund(100, {}, 'ord_a'));
    await team.send('lea', team.refund(100));
    // Limits count for every row, so they wait for all that come before them.
    const limits = team.setLimits({ max: 50 });
    expect(rows()).toBe(1);
    written();
    await Promise.all([first, own, onOrder, limits]);
    expect(rows()).toBe(4);
    await expect(team.send('lea', team.refund(100))).rejects.toEqual(refused('one order'));
  });
});
