/** The approval of a second person at the sender of a team: who gives it, for what, for how long, and that it works once. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { SentRow } from '../../src/journal/rows/journal-rows.ts';
import type { AskedPlan, AskedRefund, PlannedRefunds } from '../../src/journal/team-rules.ts';
import { dayMs, newTeam, type Person, startMs, type Team } from './team.ts';

let team: Team;
beforeEach(async () => {
  team = newTeam();
  await team.setLimits({ second: 500 });
});

const hourMs = 60 * 60_000;
const refused = (message: string) =>
  expect.objectContaining({ kind: 'refused', message: expect.stringContaining(message) });
const sentRows = () => team.memory.rows.filter(({ type }) => type === 'sent').length;
const yes = { validMs: dayMs, note: undefined };

/** The refund as a desk asks for it, with the money of its order as it was. */
function askedOf({ proof, ...row }: SentRow): AskedRefund {
  const { before, ...what } = proof;
  const { status, amount = 0, amountRefunded: refunded } = before;
  const charges = before.charges.map((one) => ({
    id: one.id,
    status: one.status,
    amount: one.amount ?? 0,
    refunded: 0,
  }));
  const { origin, account, profile, request, currency, note } = row;
  const seen = { status, amount, refunded, charges };
  return { origin, account, profile, request, currency, note, amount: row.amount, proof: what, seen };
}

/** Asks for a refund, has it approved, and gives it as it is sent then. */
async function approved(refund: SentRow, by: Person = 'ben', how = yes): Promise<SentRow> {
  const { requestId } = await team.rules('ana').ask('r_1', askedOf(refund));
  await team.rules(by).decide(requestId, 'approved', how);
  return { ...refund, approval: requestId };
}

const requests = (person: Person = 'lea') => team.rules(person).approvals();

describe('a refund that a second person must approve', () => {
  test('is not sent without, also where only two halves reach the limit', async () => {
    await expect(team.send('ana', team.refund(500))).rejects.toMatchObject({
      parts: { ownCode: 'team_limit_second' },
      message: expect.stringContaining(
        'nobody else has approved 500 MXN: from 500 MXN up a second person must approve',
      ),
    });
    const half = team.refund(250, {}, 'ord_a');
    expect(await team.send('ana', half)).toBe(undefined);
    await team.ended(half);
    await expect(team.send('ana', team.refund(250, {}, 'ord_a'))).rejects.toEqual(
      refused('nobody else has approved'),
    );
    expect(sentRows()).toBe(1);
  });

  test('is sent once it was approved, and its row says by whom', async () => {
    const refund = await approved(team.refund(500));
    expect(await requests()).toMatchObject([
      { id: 'r_1', state: 'approved', asked: { operator: 'ana' }, decided: { operator: 'ben' } },
    ]);
    expect(await team.send('ana', refund)).toBe('ben');
    expect(team.memory.rows.at(-1)).toMatchObject({ type: 'sent', approval: 'r_1', approvedBy: 'ben' });
    expect(await requests()).toMatchObject([{ state: 'used', usedBy: refund.change }]);
  });

  test('a request, a yes and a no are rows, each with who and when', async () => {
    await team.rules('ana').ask('r_1', askedOf(team.refund(600, { note: 'ticket 8840' })));
    team.clock.time += hourMs;
    await team.rules('ben').decide('r_1', 'approved', { validMs: hourMs, note: 'seen' });
    await team.rules('lea').decide('r_1', 'rejected', { validMs: 0, note: 'wait' });
    expect(team.memory.rows.filter(({ type }) => type === 'approval')).toMatchObject([
      { requestId: 'r_1', step: 'asked', operator: 'ana', time: startMs, amount: 600, note: 'ticket 8840' },
      {
        step: 'approved',
        operator: 'ben',
        time: startMs + hourMs,
        until: startMs + 2 * hourMs,
        note: 'seen',
      },
      { step: 'rejected', operator: 'lea', until: null, note: 'wait' },
    ]);
    expect((await team.store.verify()).findings).toEqual([]);
  });

  test('a member has 200 requests that wait or are new, and cannot make more; others can', async () => {
    const pia = team.rules('pia');
    const ask = (rules: typeof pia, id: number, amount = id) =>
      rules.ask(`r_${id}`, askedOf(team.refund(amount)));
    for (let id = 1; id <= 200; id += 1) await ask(pia, id);
    const many = refused('pia has 200 requests for an approval that wait');
    await expect(ask(pia, 201)).rejects.toEqual(many);
    // What is taken back at once has filled the journal all the same.
    await pia.decide('r_1', 'rejected', { validMs: 0, note: 'no' });
    await expect(ask(pia, 202)).rejects.toEqual(many);
    await ask(team.rules('ana'), 203, 600);
    team.clock.time += hourMs;
    await ask(pia, 204);
    await expect(ask(pia, 205)).rejects.toEqual(many);
    expect(team.memory.rows.filter((row) => 'step' in row && row.step === 'asked')).toHaveLength(202);
  });

  test('what a member asks for within a day has 1 MB at most, whatever became of it', async () => {
    const pia = team.rules('pia');
    const note = 'x'.repeat(65_000);
    const ask = (rules: typeof pia, id: number) => rules.ask(`r_${id}`, askedOf(team.refund(id, { note })));
    for (let id = 1; id <= 16; id += 1) await ask(pia, id);
    await pia.decide('r_1', 'rejected', { validMs: 0, note: 'no' });
    const much = refused('what pia has asked for within a day has more than 1 MB');
    await expect(ask(pia, 17)).rejects.toEqual(much);
    await ask(team.rules('ana'), 600);
    team.clock.time += dayMs + hourMs;
    await ask(pia, 18);
    // What still waits counts on.
    await expect(ask(pia, 19)).rejects.toEqual(much);
  });

  test('an approval works once, also of 20 changes at once', async () => {
    const refund = await approved(team.refund(500));
    const attempts = Array.from({ length: 20 }, (_, index) => ({ ...refund, change: `i_once${index}` }));
    const ends = await Promise.allSettled(attempts.map((row) => team.send('ana', row)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ends.filter((end) => end.status === 'rejected')).toHaveLength(19);
    expect(sentRows()).toBe(1);
    await expect(team.send('ana', { ...refund, change: 'i_again' })).rejects.toMatchObject({
      message: 'the approval r_1 does not count: it was used already',
      parts: { ownCode: 'approval_invalid', now: expect.arrayContaining(['paydesk journal show i_once0']) },
    });
  });

  test('what was not sent has not used its approval; what may have been has', async () => {
    const refund = await approved(team.refund(500));
    await team.send('ana', refund);
    await expect(team.send('ana', { ...refund, attempt: 2 })).rejects.toEqual(refused('was used already'));
    await team.ended(refund, { verdict: 'not_sent', by: 'sender' });
    expect(await team.send('ana', { ...refund, attempt: 2 })).toBe('ben');
    await team.store.append({
      type: 'verdict',
      change: refund.change,
      attempt: 2,
      time: team.clock.time,
      verdict: 'rejected',
      by: 'reply',
      why: 'w',
      confirmed: true,
    });
    await expect(team.send('ana', { ...refund, attempt: 3 })).rejects.toEqual(refused('was used already'));
  });

  test.each<[string, (refund: SentRow) => SentRow]>([
    ['another amount', (row) => ({ ...team.refund(501, {}, row.proof.orderId), approval: row.approval })],
    ['another order', (row) => ({ ...team.refund(500, {}, 'ord_other'), approval: row.approval })],
    [
      'another field in its body',
      (row) => ({ ...row, request: { ...row.request, body: { ...row.request.body, reason: 'other' } } }),
    ],
    ['another path', (row) => ({ ...row, request: { ...row.request, path: 'orders/ord_x/refunds' } })],
    [
      'another charge',
      (row) => ({ ...row, proof: { ...row.proof, expected: [{ chargeId: 'ch_2', amount: -500 }] } }),
    ],
    ['another currency', (row) => ({ ...row, currency: 'USD' })],
    ['no real money', (row) => ({ ...row, proof: { ...row.proof, livemode: false } })],
    [
      'an order that got other money back',
      (row) => ({ ...row, proof: { ...row.proof, before: { ...row.proof.before, amountRefunded: 100 } } }),
    ],
    [
      'an order with another status',
      (row) => ({
        ...row,
        proof: { ...row.proof, before: { ...row.proof.before, status: 'partially_refunded' } },
      }),
    ],
  ])('an approval does not count for %s', async (_, changed) => {
    await team.setLimits({ second: 500 }, '*', 'USD');
    const refund = await approved(team.refund(500));
    await expect(team.send('ana', changed(refund))).rejects.toEqual(
      refused('it was given for another refund'),
    );
    expect(sentRows()).toBe(0);
    expect(await team.send('ana', refund)).toBe('ben');
  });

  test('an approval counts for whoever asked, and only until its time', async () => {
    const refund = await approved(team.refund(500), 'ben', { validMs: 10 * dayMs, note: undefined });
    await expect(team.send('ben', refund)).rejects.toEqual(refused('it was given to somebody else'));
    await expect(team.send('ana', { ...refund, approval: 'r_none' })).rejects.toEqual(
      refused('it is not in the journal of this team'),
    );
    team.clock.time += dayMs;
    expect(await requests()).toMatchObject([{ state: 'expired' }]);
    await expect(team.send('ana', refund)).rejects.toEqual(refused('it has expired'));
    expect(sentRows()).toBe(0);
  });

  test.each<[string, Person, string]>([
    ['who asked', 'ana', 'is your own request'],
    ['who only proposes', 'pia', 'may not answer requests'],
    ['who only reads', 'vic', 'may not answer requests'],
  ])('is not approved by %s', async (_, person, message) => {
    const refund = team.refund(500);
    await team.rules('ana').ask('r_1', askedOf(refund));
    await expect(team.rules(person).decide('r_1', 'approved', yes)).rejects.toEqual(refused(message));
    await expect(team.send('ana', { ...refund, approval: 'r_1' })).rejects.toEqual(
      refused('it was not given yet'),
    );
    expect(sentRows()).toBe(0);
  });

  test('is neither approved nor rejected with a token for the sandbox at the same address', async () => {
    const refund = team.refund(500);
    await team.rules('ana').ask('r_1', askedOf(refund));
    for (const step of ['approved', 'rejected'] as const)
      await expect(team.inSandbox('ben').decide('r_1', step, yes)).rejects.toThrow('no request r_1');
    await expect(team.send('ana', { ...refund, approval: 'r_1' })).rejects.toEqual(
      refused('it was not given yet'),
    );
  });

  test('who only reads asks for nothing and answers nothing', async () => {
    await expect(team.rules('vic').ask('r_1', askedOf(team.refund(500)))).rejects.toEqual(
      refused('may not ask for approvals'),
    );
    await team.rules('ana').ask('r_1', askedOf(team.refund(500)));
    for (const person of ['vic', 'pia'] as const)
      await expect(team.rules(person).decide('r_1', 'rejected', yes)).rejects.toEqual(
        refused('may not answer'),
      );
    expect(await requests('vic')).toMatchObject([{ id: 'r_1', state: 'asked' }]);
  });

  test('who proposes needs somebody else for any refund, takes it back, and others send it once it is approved', async () => {
    const refund = team.refund(5);
    expect(await team.rules('pia').checkRefund(refund)).toMatchObject({
      problem: undefined,
      needsSecond: true,
    });
    await team.rules('pia').ask('r_0', askedOf(team.refund(6)));
    await team.rules('pia').decide('r_0', 'rejected', { validMs: 0, note: 'mine' });
    await team.rules('pia').ask('r_1', askedOf(refund));
    await team.rules('ben').decide('r_1', 'approved', yes);
    const row = { ...refund, approval: 'r_1' };
    await expect(team.send('pia', row)).rejects.toEqual(refused('may not send changes'));
    expect(await team.send('ana', row)).toBe('ben');
  });

  test('asked for twice it is one request; one that is over is asked for anew', async () => {
    const asked = askedOf(team.refund(500));
    const ana = team.rules('ana');
    expect(await ana.ask('r_1', asked)).toMatchObject({ requestId: 'r_1' });
    expect(await ana.ask('r_2', { ...asked, note: 'more' })).toMatchObject({ requestId: 'r_1' });
    await ana.decide('r_1', 'rejected', { validMs: 0, note: 'mine' });
    await expect(ana.ask('r_1', asked)).rejects.toEqual(refused('r_1 is rejected already by ana'));
    expect(await ana.ask('r_2', asked)).toMatchObject({ requestId: 'r_2' });
    team.clock.time += 7 * dayMs;
    expect(await requests()).toMatchObject([{ state: 'rejected' }, { id: 'r_2', state: 'expired' }]);
    await expect(team.rules('ben').decide('r_2', 'approved', yes)).rejects.toEqual(
      refused('r_2 is expired already'),
    );
    expect(await ana.ask('r_3', asked)).toMatchObject({ requestId: 'r_3' });
    await expect(ana.ask('R 4', asked)).rejects.toEqual(refused('cannot be the id of a request'));
  });

  test('over the largest refund it is not even asked for', async () => {
    await team.setLimits({ max: 600 });
    await expect(team.rules('ana').ask('r_1', askedOf(team.refund(601)))).rejects.toEqual(
      refused('601 MXN is over'),
    );
    await expect(team.rules('ana').ask('r_1', { ...askedOf(team.refund(500)), amount: 5 })).rejects.toEqual(
      refused('different amounts'),
    );
    expect(await requests()).toEqual([]);
  });

  test('of two answers at once one counts, and the same answer again is the same', async () => {
    await team.rules('ana').ask('r_1', askedOf(team.refund(500)));
    const ends = await Promise.allSettled(
      (['ben', 'lea'] as const).map((person) => team.rules(person).decide('r_1', 'approved', yes)),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await team.rules('ben').decide('r_1', 'approved', yes)).toMatchObject({ operator: 'ben' });
    expect(team.memory.rows.filter(({ type }) => type === 'approval')).toHaveLength(2);
    await team.rules('lea').decide('r_1', 'rejected', { validMs: 0, note: 'no' });
    await expect(team.rules('ben').decide('r_1', 'approved', yes)).rejects.toEqual(
      refused('r_1 is rejected already by lea'),
    );
  });

  test('while the clocks disagree nobody asks, approves or sends', async () => {
    const refund = await approved(team.refund(500));
    team.clock.skewed = true;
    const other = askedOf(team.refund(700));
    await expect(team.rules('ana').ask('r_2', other)).rejects.toEqual(refused('the clocks'));
    await expect(team.rules('ben').decide('r_1', 'rejected', yes)).rejects.toEqual(refused('the clocks'));
    await expect(team.send('ana', refund)).rejects.toEqual(refused('the clocks'));
  });
});

describe('a plan that a second person must approve', () => {
  const plan = (amounts: readonly number[], more: Partial<PlannedRefunds> = {}): PlannedRefunds => ({
    plan: 'p_1',
    digest: 'd1',
    orders: amounts.map((amount, index) => ({
      orderId: `ord_p${index}`,
      row: index + 1,
      currency: 'MXN',
      amount,
    })),
    ...more,
  });
  const askedPlan = (amount: number, digest = 'd1'): AskedPlan => ({
    origin: 'https://pay.example',
    account: 'https://pay.example service production',
    profile: 'shop-mx',
    digest,
    planned: {
      id: 'p_1',
      file: 'f.csv',
      madeAt: 1,
      mode: 'production',
      rows: 2,
      sums: [{ currency: 'MXN', amount }],
    },
  });
  const shown = (digest: string, amount = 650) => ({ digest, sums: [{ currency: 'MXN', amount }] });
  const check = (of: PlannedRefunds) => team.rules('ana').checkPlan(of);

  test('needs none below the limit, and one for its sum, or for an order with what went back before', async () => {
    expect(await check(plan([200, 299]))).toEqual({ second: undefined, approvedBy: undefined });
    expect(await check(plan([200, 300]))).toMatchObject({
      second: { limit: { value: 500 }, total: 500, orders: [] },
    });
    const before = team.refund(400, {}, 'ord_p0');
    await team.send('ana', before);
    await team.ended(before);
    expect(await check(plan([100, 20]))).toMatchObject({
      second: { total: undefined, orders: [{ row: 1, planned: 100, earlier: 400 }] },
    });
    // What the plan itself has sent is in its sum already.
    const own = team.refund(400, { plan: 'p_1' }, 'ord_p1');
    await team.send('ana', own);
    await team.ended(own);
    expect(await check(plan([20, 100]))).toMatchObject({ second: undefined });
  });

  test('its rows are sent once it is approved as a whole, by its digest and with its sums', async () => {
    const row = team.refund(600, { plan: 'p_1' }, 'ord_p0');
    await expect(team.send('ana', row, { plan: shown('d1') })).rejects.toEqual(
      refused('nobody else has approved'),
    );
    await team.rules('ana').ask('r_1', askedPlan(650));
    await expect(team.send('ana', row, { plan: shown('d1') })).rejects.toEqual(
      refused('nobody else has approved'),
    );
    await team.rules('ben').decide('r_1', 'approved', yes);
    expect(await check(plan([600, 50]))).toMatchObject({ second: { total: 650 }, approvedBy: 'ben' });
    // Other sums than those that the second person was shown.
    expect(await check(plan([600, 51]))).toMatchObject({ approvedBy: undefined });
    expect(await check(plan([600, 50], { digest: 'd2' }))).toMatchObject({ approvedBy: undefined });
    // Somebody has asked with sums of their own for a plan that pays back more.
    await expect(team.send('ana', row, { plan: shown('d1', 651) })).rejects.toEqual(
      refused('nobody else has approved'),
    );
    expect(await team.send('ana', row, { plan: shown('d1') })).toBe('ben');
    const other = team.refund(600, { plan: 'p_2' });
    await expect(team.send('ana', other, { plan: shown('d2') })).rejects.toEqual(
      refused('nobody else has approved'),
    );
    await expect(team.send('ana', { ...other, approval: 'r_1' })).rejects.toEqual(
      refused('for another refund'),
    );
    team.clock.time += dayMs;
    await expect(team.send('ana', other, { plan: shown('d1') })).rejects.toEqual(
      refused('nobody else has approved'),
    );
  });

  test('is used once each of its rows has left, and until then it says how many are left', async () => {
    const seen = async () => {
      const [request] = await requests();
      return [request?.state, request?.rowsLeft];
    };
    await team.rules('ana').ask('r_1', askedPlan(650));
    await team.rules('ben').decide('r_1', 'approved', yes);
    expect(await seen()).toEqual(['approved', 2]);
    const [one, other, unsent] = [
      team.refund(600, { plan: 'p_1', idempotencyKey: 'row/1' }),
      team.refund(50, { plan: 'p_1', idempotencyKey: 'row/2' }),
      team.refund(50, { plan: 'p_1', idempotencyKey: 'row/2' }),
    ];
    await team.send('ana', one, { plan: shown('d1') });
    await team.ended(one);
    await team.send('ana', unsent, { plan: shown('d1') });
    await team.ended(unsent, { verdict: 'not_sent' });
    expect(await seen()).toEqual(['approved', 1]);
    await team.send('ana', other, { plan: shown('d1') });
    await team.ended(other);
    expect(await seen()).toEqual(['used', 0]);
    await expect(team.rules('ben').decide('r_1', 'rejected', yes)).rejects.toEqual(refused('r_1 is used'));
    team.clock.time += 2 * dayMs;
    expect(await seen()).toEqual(['used', 0]);
  });

  test('asked for twice it is one request; nobody approves their own', async () => {
    await team.rules('ana').ask('r_1', askedPlan(650));
    expect(await team.rules('ana').ask('r_2', askedPlan(650))).toMatchObject({ requestId: 'r_1' });
    expect(await team.rules('ana').ask('r_3', askedPlan(650, 'd3'))).toMatchObject({ requestId: 'r_3' });
    await expect(team.rules('ana').decide('r_1', 'approved', yes)).rejects.toEqual(
      refused('your own request'),
    );
  });
});
