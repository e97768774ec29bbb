/** Plans that several desks work off at the server of a team: who has which row, and whose SENT row counts. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SentRow } from '../../src/journal/journal-rows.ts';
import type { JournalStore } from '../../src/journal/journal-store.ts';
import type { ClaimedOrder, SharedPlan } from '../../src/journal/team-rules.ts';
import { writePlan } from '../../src/plans/plan-text.ts';
import type { PlanHead, PlanRow } from '../../src/plans/plan-types.ts';
import { type Person, passwordOf, signIn } from '../harness/team-database.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { verdict } from '../journal/rows.ts';
import { askedOf, record, refundOf, rulesAt, rulesOf, setLimits } from './rows.ts';

let team: Team;
let plans = 0;
let planned: Planned;

beforeAll(async () => {
  team = await newTeam();
});
afterAll(() => team[Symbol.asyncDispose]());
beforeEach(() => {
  plans += 1;
  planned = planOf([1, 1, 2]);
});

interface Planned {
  readonly id: string;
  readonly digest: string;
  readonly text: string;
  readonly rows: readonly PlanRow[];
}

/** A plan with so many rows of 100 on each order. */
function planOf(rowsOfOrders: readonly number[], sum = 100): Planned {
  const id = `p_plan${plans}`;
  const orders = rowsOfOrders.flatMap((count, index) =>
    Array.from({ length: count }, () => `ord_${plans}x${index}`),
  );
  const head: PlanHead = {
    id,
    madeAt: 1,
    origin: 'https://pay.example',
    account: 'https://pay.example service production',
    profile: 'shop-mx',
    mode: 'production',
    operator: 'ana',
    file: 'refunds.csv',
    columns: [],
    refreshes: undefined,
    again: [],
  };
  const rows = orders.map((orderId, index) => rowOf(orderId, index + 1, sum + index));
  const { lines, digest } = writePlan(head, rows, (json) => json);
  const all = [...lines];
  return { id, digest: digest(), text: all.slice(0, -1).join(''), rows };
}

function rowOf(orderId: string, number: number, sum: number): PlanRow {
  return {
    number,
    line: number + 1,
    orderId,
    charge: 'any',
    chargeId: 'ch_1',
    amount: sum,
    reason: undefined,
    ref: `${number}`,
    note: undefined,
    more: [],
    key: `row/${plans}-${number}`,
    partOf: undefined,
    state: 'ready',
    why: undefined,
    marks: [],
    sum,
    currency: 'MXN',
    body: { charge_id: 'ch_1', amount: sum },
    expected: [{ chargeId: 'ch_1', amount: -sum }],
    tolerated: [],
    again: [],
    named: [],
    before: undefined,
    neighbour: undefined,
  };
}

interface Worker {
  readonly store: JournalStore;
  readonly plan: SharedPlan;
}

async function worker(person: Person = 'ana', { digest, text } = planned): Promise<Worker> {
  const store = team.desk({ person });
  const plan = await (await rulesAt(store)).plan(digest, () => text);
  await plan.start();
  return { store, plan };
}

async function claim({ plan }: Worker): Promise<ClaimedOrder> {
  const { claimed } = await plan.claim();
  if (claimed === undefined) throw new Error('no order is free');
  return claimed;
}

/** The SENT row of a row of the plan, by its number, with a claim. */
function sentOf(number: number, { plan, order, token }: ClaimedOrder, more: Partial<SentRow> = {}): SentRow {
  const row = planned.rows[number - 1];
  if (row === undefined) throw new Error(`there is no row ${number}`);
  const of = { plan: planned.id, ref: row.ref, given: row.key, claim: { plan, order, token, row: number } };
  return refundOf(row.sum, row.orderId, { ...of, ...more });
}

const refused = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) });
const runOut = () => team.database.query(`update paydesk.plan_orders set until = 0 where state = 'claimed'`);

describe('a plan that several desks work off', () => {
  test('every order is claimed once, with all its rows, whoever asks', async () => {
    planned = planOf(Array.from({ length: 40 }, () => 2));
    const workers = [await worker('ana'), await worker('ben'), await worker('op7'), await worker('ana')];
    const taken: number[] = [];
    await Promise.all(
      workers.map(async (one) => {
        for (
          let { claimed } = await one.plan.claim();
          claimed !== undefined;
          { claimed } = await one.plan.claim()
        )
          taken.push(...claimed.rows);
      }),
    );
    expect(taken.toSorted((a, b) => a - b)).toEqual(planned.rows.map(({ number }) => number));
  });

  test('34 of two workers with the same row only the one that claimed it records it', async () => {
    const [ana, ben] = [await worker('ana'), await worker('ben')];
    const mine = await claim(ana);
    await expect(record(ben.store, sentOf(1, mine))).rejects.toMatchObject(
      refused('another desk took this row over'),
    );
    await record(ana.store, sentOf(1, mine));
  });

  test('a row of the plan without a claim, with that of another order, or with another request is refused', async () => {
    const ana = await worker();
    const mine = await claim(ana);
    await expect(record(ana.store, sentOf(1, mine, { claim: undefined }))).rejects.toMatchObject(
      refused('its rows are claimed first'),
    );
    await expect(record(ana.store, sentOf(2, mine))).rejects.toMatchObject(
      refused('this is not the row of the plan'),
    );
    const other = { ...refundOf(101, planned.rows[0]?.orderId ?? ''), plan: planned.id };
    await expect(record(ana.store, { ...other, claim: { ...mine, row: 1 } })).rejects.toMatchObject(
      refused('this is not the row of the plan'),
    );
  });

  test('33 what a dead worker has not sent is ready again, and its late SENT is refused', async () => {
    const [ana, ben] = [await worker('ana'), await worker('ben')];
    const dead = await claim(ana);
    await runOut();
    const again = await claim(ben);
    expect(again).toMatchObject({ order: dead.order, token: dead.token + 1, look: false });
    await expect(record(ana.store, sentOf(1, dead))).rejects.toMatchObject(
      refused('another desk took this row over'),
    );
    await record(ben.store, sentOf(1, again));
  });

  test('33 what a dead worker has sent is looked up first, after all that is ready', async () => {
    const [ana, ben] = [await worker('ana'), await worker('ben')];
    const dead = await claim(ana);
    await record(ana.store, sentOf(1, dead));
    await runOut();
    expect(await claim(ben)).toMatchObject({ order: 2, look: false });
    expect(await claim(ben)).toMatchObject({ order: 3, look: false, rows: [3, 4] });
    expect(await claim(ben)).toMatchObject({ order: 1, look: true });
    expect((await ben.plan.claim()).claimed).toBe(undefined);
  });

  test('a worker whose time ran out but whose order nobody took may go on, and each SENT gives it more time', async () => {
    const ana = await worker();
    const mine = await claim(ana);
    await runOut();
    await record(ana.store, sentOf(1, mine));
    const [row] = await team.database.query(
      `select until > extract(epoch from clock_timestamp()) * 1000 + 100000 as longer from paydesk.plan_orders where plan = $1 and number = 1`,
      [planned.digest],
    );
    expect(row).toEqual({ longer: true });
  });

  test('whoever leaves gives back what was not ended', async () => {
    const [ana, ben] = [await worker('ana'), await worker('ben')];
    const [first, second] = [await claim(ana), await claim(ana)];
    await record(ana.store, sentOf(1, first));
    await ana.plan.ended(first, new Map([[1, 'applied']]));
    await record(ana.store, sentOf(2, second));
    await ana.plan.leave();
    expect(await claim(ben)).toMatchObject({ order: 3, look: false });
    expect(await ben.plan.claim()).toMatchObject({ claimed: { order: 2, look: true }, others: 0 });
  });

  test('everybody sees how far the others are', async () => {
    const [ana, ben] = [await worker('ana'), await worker('ben')];
    const mine = await claim(ana);
    await ana.plan.ended(mine, new Map([[1, 'applied']]));
    await claim(ana);
    expect(await ben.plan.progress()).toEqual({
      ended: [{ member: 'ana', how: 'applied', currency: 'MXN', rows: 1, amount: 100 }],
      working: [{ member: 'ana', orders: 1, silentMs: expect.any(Number), takenInMs: expect.any(Number) }],
    });
    expect(await ana.plan.progress()).toEqual({ ended: [], working: [] });
    expect(await ben.plan.claim()).toMatchObject({ claimed: { order: 3 }, others: 1 });
  });

  test('when all is ended the next run begins anew', async () => {
    planned = planOf([1]);
    const ana = await worker('ana');
    const mine = await claim(ana);
    await ana.plan.ended(mine, new Map([[1, 'not_sent']]));
    expect((await ana.plan.claim()).claimed).toBe(undefined);
    expect(await claim(await worker('ben'))).toMatchObject({ order: 1, token: 2, look: false });
  });

  test('a run that begins while others work tries again what was not applied', async () => {
    const ana = await worker('ana');
    await ana.plan.ended(await claim(ana), new Map([[1, 'not_sent']]));
    await ana.plan.ended(await claim(ana), new Map([[2, 'applied']]));
    await claim(ana);
    const ben = await worker('ben');
    expect(await claim(ben)).toMatchObject({ order: 1, rows: [1], look: false });
    expect((await ben.plan.claim()).claimed).toBe(undefined);
  });

  test('a row that may have been made is not sent again by the same plan, in whatever run', async () => {
    planned = planOf([1]);
    const ana = await worker('ana');
    const mine = await claim(ana);
    const first = sentOf(1, mine);
    await record(ana.store, first);
    await ana.store.append(verdict(first.intent, 6));
    await expect(record(ana.store, sentOf(1, mine))).rejects.toMatchObject(
      refused('this row of the plan was sent already'),
    );
    await ana.plan.ended(mine, new Map([[1, 'refused']]));
    const ben = await worker('ben');
    await expect(record(ben.store, sentOf(1, await claim(ben)))).rejects.toMatchObject(
      refused('this row of the plan was sent already'),
    );
  });

  test('a row that certainly was not made is sent again', async () => {
    planned = planOf([1]);
    const ana = await worker('ana');
    const mine = await claim(ana);
    const [first, second] = [sentOf(1, mine), sentOf(1, mine)];
    await record(ana.store, first);
    await ana.store.append({ ...verdict(first.intent, 6), verdict: 'not_sent', by: 'sender' });
    await record(ana.store, second);
    await ana.store.append({ ...verdict(second.intent, 7), verdict: 'rejected', confirmed: true });
    await record(ana.store, sentOf(1, mine));
  });

  test('a claim without its token, and one of the same run under another name, do not count', async () => {
    planned = planOf([1]);
    const run = crypto.randomUUID();
    const store = team.desk({ run });
    const plan = await (await rulesAt(store)).plan(planned.digest, () => planned.text);
    const mine = await claim({ store, plan });
    const { token: _, ...bare } = mine;
    const nameless = JSON.parse(JSON.stringify({ ...bare, row: 1 }));
    await expect(record(store, sentOf(1, mine, { claim: nameless }))).rejects.toMatchObject(
      refused('another desk took this row over'),
    );
    const ben = team.desk({ person: 'ben', run });
    await expect(record(ben, sentOf(1, mine))).rejects.toMatchObject(
      refused('another desk took this row over'),
    );
    await (await (await rulesAt(ben)).plan(planned.digest, () => planned.text)).leave();
    await record(store, sentOf(1, mine));
  });

  test('nobody holds rows for longer than ten minutes without a word', async () => {
    const store = team.desk();
    await (await rulesAt(store)).plan(planned.digest, () => planned.text);
    const { server, name } = team.database;
    await using ana = await signIn({ ...server, user: 'ana', password: passwordOf('ana') }, name);
    await ana.query(`select set_config('paydesk.run', 'r', false)`);
    await ana.query('select paydesk.claim_orders(1, $1, 10, $2::bigint)', [
      planned.digest,
      '1000000000000000',
    ]);
    const longer = `extract(epoch from clock_timestamp()) * 1000 + 600000`;
    const [row] = await team.database.query(
      `select count(*)::int as claimed, max(until) <= ${longer} as short from paydesk.plan_orders where plan = $1 and state = 'claimed'`,
      [planned.digest],
    );
    expect(row).toEqual({ claimed: 3, short: true });
  });

  test('nobody can add other rows under the digest of a plan', async () => {
    const ana = await rulesOf(team, 'ana');
    const text = planned.text.replaceAll('"amount":100', '"amount":900');
    await expect(ana.plan(planned.digest, () => text)).rejects.toThrow('not what its digest says');
    const honest = await ana.plan(planned.digest, () => planned.text);
    expect(await honest.check()).toEqual({ second: undefined, approvedBy: undefined });
  });

  test('a plan whose sum is over the limit is approved as a whole, and then every row counts as approved', async () => {
    await using own = await newTeam();
    await setLimits(own, { second: 300 });
    planned = planOf([1, 1, 1]);
    const store = own.desk();
    const rules = await rulesAt(store);
    const plan = await rules.plan(planned.digest, () => planned.text);
    expect(await plan.check()).toMatchObject({
      second: { limit: { value: 300, setBy: 'lea' }, total: 303, orders: [] },
      approvedBy: undefined,
    });
    const one = { store, plan };
    const mine = await claim(one);
    await expect(record(store, sentOf(1, mine))).rejects.toMatchObject(refused('nobody else has approved'));
    const head = { origin: 'https://pay.example', account: 'a', profile: 'p' };
    const sums = [{ currency: 'MXN', amount: 303 }];
    const totals = {
      id: planned.id,
      file: 'refunds.csv',
      madeAt: 1,
      mode: 'production',
      rows: 3,
      sums,
    } as const;
    await rules.ask('r_plan', { ...head, claim: { plan: planned.digest }, planned: totals });
    await expect(
      rules.decide('r_plan', 'approved', { validMs: 60_000, note: undefined }),
    ).rejects.toMatchObject(refused('somebody else must approve it'));
    const ben = await rulesOf(own, 'ben');
    expect(await ben.approvals()).toMatchObject([{ id: 'r_plan', asked: { planned: totals } }]);
    await ben.decide('r_plan', 'approved', { validMs: 60_000, note: undefined });
    expect(await plan.check()).toMatchObject({ approvedBy: 'ben' });
    await record(store, sentOf(1, mine));
    const sent = await store.list({}, { limit: 99 });
    expect(sent.findLast((one) => one.sent.plan === planned.id)?.sent.approvedBy).toBe('ben');
    const { orderId = '', sum = 0 } = planned.rows[1] ?? {};
    await expect(record(store, refundOf(sum + 300, orderId, { approval: 'r_plan' }))).rejects.toMatchObject(
      refused('it was given for another refund'),
    );
    await own.database.query('update paydesk.approvals set until = 0');
    await expect(record(store, sentOf(2, await claim(one)))).rejects.toMatchObject(
      refused('nobody else has approved'),
    );
  });

  test('rows that are below the limit alone, but not with what went back on their order, need it too', async () => {
    await using own = await newTeam();
    await setLimits(own, { second: 300 });
    planned = planOf([1]);
    const store = own.desk();
    const earlier = refundOf(200, planned.rows[0]?.orderId ?? '');
    await record(store, earlier);
    await store.append(verdict(earlier.intent, 6));
    const plan = await (await rulesAt(store)).plan(planned.digest, () => planned.text);
    expect(await plan.check()).toMatchObject({
      second: { limit: { value: 300 }, total: undefined, orders: [{ row: 1, planned: 100, earlier: 200 }] },
    });
  });
});

describe('a request to approve a plan', () => {
  const head = { origin: 'https://pay.example', account: 'a', profile: 'p' };
  const about = (more: object = {}) => {
    const sums = [{ currency: 'MXN', amount: 406 }];
    const of = { id: planned.id, file: 'refunds.csv', madeAt: 1, mode: 'production', rows: 4, sums } as const;
    return { ...of, ...more };
  };
  const ask = async (what: object) => {
    const rules = await rulesOf(team, 'ana');
    await rules.plan(planned.digest, () => planned.text);
    const id = `r_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
    return await rules.ask(id, { ...head, claim: { plan: planned.digest }, planned: about(), ...what });
  };

  test('shows what the plan says', async () => {
    expect(await ask({})).toMatchObject({ step: 'asked', planned: about() });
  });

  test.each<[string, () => object]>([
    ['other sums', () => ({ planned: about({ sums: [{ currency: 'MXN', amount: 10 }] }) })],
    [
      'sums that cancel out',
      () => ({ planned: about({ sums: [100, 306].map((amount) => ({ currency: 'MXN', amount })) }) }),
    ],
    ['fewer rows', () => ({ planned: about({ rows: 1 }) })],
    ['another mode', () => ({ planned: about({ mode: 'sandbox' }) })],
    ['the name of another plan', () => ({ planned: about({ id: 'p_other' }) })],
    ['another account', () => ({ origin: 'https://other.example' })],
    ['no figures', () => ({ planned: undefined })],
  ])('with %s is refused', async (_, what) => {
    await expect(ask(what())).rejects.toMatchObject({ kind: 'refused' });
    expect(
      await team.database.query('select from paydesk.approvals where plan = $1', [planned.digest]),
    ).toEqual([]);
  });

  test('that also looks like a request for one refund is refused', async () => {
    const { request, proof, amount, currency } = askedOf(refundOf(6, 'ord_genuine'));
    for (const face of [{ request, proof, amount, currency }, { proof }, { amount }])
      await expect(ask(face)).rejects.toMatchObject(refused('a request is about a refund or about a plan'));
    const both = { ...askedOf(refundOf(6, 'ord_genuine')), planned: about() };
    await expect((await rulesOf(team, 'ana')).ask('r_other', both)).rejects.toMatchObject(
      refused('a request is about a refund or about a plan'),
    );
  });

  test.each<[string, (text: string) => string]>([
    [
      'takes money',
      (text) =>
        text
          .replace('"refunds":103', '"refunds":-103')
          .replace('"amount":-103', '"amount":103')
          .replace(',"amount":103}', '}'),
    ],
    ['says that it takes money', (text) => text.replace('"refunds":103', '"refunds":-103')],
    ['pays nothing back', (text) => text.replace('"refunds":103', '"refunds":0')],
    ['has a body that takes money', (text) => text.replace('"amount":103}', '"amount":-103}')],
    [
      'hides what it pays back behind a record that takes money',
      (text) =>
        text.replace(
          '"expected":[{"charge_id":"ch_1","amount":-103}]',
          '"expected":[{"charge_id":"ch_1","amount":-1103},{"charge_id":"ch_1","amount":1000}]',
        ),
    ],
    [
      'was sent before and takes money',
      (text) =>
        text
          .replace(/"state":"ready"(?!.*"state":"ready")/s, '"state":"unconfirmed"')
          .replace('"refunds":103', '"refunds":-1'),
    ],
    ['has the number of another one', (text) => text.replace('"number":4', '"number":3')],
  ])('with a row that %s is refused, and the server knows no such plan', async (_, change) => {
    const text = change(planned.text);
    expect(text).not.toBe(planned.text);
    const digest = createHash('sha256').update(text).digest('hex');
    await expect((await rulesOf(team, 'ana')).plan(digest, () => text)).rejects.toMatchObject(
      refused('of this plan'),
    );
    expect(await team.database.query('select from paydesk.plans where digest = $1', [digest])).toEqual([]);
  });

  test('counts what the requests of its rows would pay back, not what a row says of itself', async () => {
    const text = planned.text.replaceAll(/"refunds":\d+/g, '"refunds":1');
    const digest = createHash('sha256').update(text).digest('hex');
    await (await rulesOf(team, 'ana')).plan(digest, () => text);
    const [row] = await team.database.query('select totals from paydesk.plans where digest = $1', [digest]);
    expect(row).toEqual({ totals: { MXN: 406 } });
  });
});
