/** What a member tries with SQL of their own, past paydesk: the server of the team takes none of it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chainOf } from '../../src/journal/chain.ts';
import type { SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';
import { importedRows } from '../../src/journal/postgres/history.ts';
import { type Person, passwordOf, signIn } from '../harness/team-database.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { verdict } from '../journal/rows.ts';
import { askedOf, record, refundOf, rulesAt, rulesOf, setLimits } from './rows.ts';

let team: Team;
let count = 0;
let order: string;

beforeAll(async () => {
  team = await newTeam();
});
afterAll(() => team[Symbol.asyncDispose]());
beforeEach(() => {
  count += 1;
  order = `ord_${count}`;
});

/** Signs in as a member, without paydesk, and calls one function. */
async function call(person: Person, run: string, name: string, ...values: readonly unknown[]) {
  const { server, name: database } = team.database;
  await using client = await signIn({ ...server, user: person, password: passwordOf(person) }, database);
  await client.query(`select set_config('paydesk.run', $1, false)`, [run]);
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  return (await client.query(`select paydesk.${name}(${places}) as told`, values))[0]?.told;
}

const stampOf = async ({ intent }: SentRow) => {
  const [row] = await team.database.query(
    `select row::jsonb #>> '{stamp,run}' as run from paydesk.rows where type = 'sent' and intent = $1`,
    [intent],
  );
  return String(row?.run);
};

const verdictsOn = async ({ intent }: SentRow) => {
  const rows = await team.database.query(
    `select row::jsonb ->> 'verdict' as verdict from paydesk.rows where type <> 'sent' and intent = $1 order by seq`,
    [intent],
  );
  return rows.map((row) => row.verdict);
};

const notSent = JSON.stringify({ verdict: 'not_sent', by: 'sender', why: 'w' });
const restOf = ({ type: _, intent: __, attempt: ___, time: ____, ...rest }: VerdictRow) =>
  JSON.stringify(rest);

describe("nobody speaks for somebody else's process", () => {
  test('an unconfirmed refund is not taken back by who read its run in the rows, nor by who knows the run itself', async () => {
    const secret = crypto.randomUUID();
    const row = refundOf(5, order);
    await record(team.desk({ run: secret }), row);
    const shown = await stampOf(row);
    for (const [person, run] of [
      ['ben', shown],
      ['ben', secret],
      ['ana', shown],
    ] as const) {
      const again = [1, row.intent, 1, notSent] as const;
      await expect(call(person, run, 'take_back', ...again)).rejects.toMatchObject({ code: 'PD015' });
      const said = [1, row.intent, 1, 1, notSent, null] as const;
      await expect(call(person, run, 'record_verdict', ...said)).rejects.toMatchObject({ code: 'PD014' });
    }
    expect(await verdictsOn(row)).toEqual([]);
    const other = team.desk({ person: 'op7' });
    await expect(record(other, refundOf(5, order))).rejects.toMatchObject({
      message: expect.stringContaining(`${row.intent} of ana is unconfirmed`),
    });
  });

  test('the rows do not show the run', async () => {
    const secret = crypto.randomUUID();
    const row = refundOf(5, order);
    await record(team.desk({ run: secret }), row);
    const text = JSON.stringify(await team.database.query('select * from paydesk.rows'));
    expect(text).not.toContain(secret);
  });

  test('what is taken back gets the verdict "not_sent", and no other', async () => {
    const secret = crypto.randomUUID();
    const row = refundOf(5, order);
    await record(team.desk({ run: secret }), row);
    const made = restOf(verdict(row.intent, 6));
    await expect(call('ana', secret, 'take_back', 1, row.intent, 1, made)).rejects.toMatchObject({
      code: 'PD017',
    });
  });
});

describe('a refund that was made', () => {
  test.each<[string, Partial<VerdictRow>]>([
    ['refused', { verdict: 'rejected', by: 'reply', confirmed: true }],
    ['refused, by a person who corrects', { verdict: 'rejected', by: 'person', corrects: true }],
    ['not seen', { verdict: 'not_seen', by: 'read' }],
    ['unknown', { verdict: 'unknown', by: 'read' }],
  ])('is not recorded as %s afterwards', async (_, lesser) => {
    const row = refundOf(5, order);
    const ana = team.desk();
    await record(ana, row);
    await ana.append(verdict(row.intent, 6));
    for (const person of ['ben', 'ana'] as const) {
      const said = restOf({ ...verdict(row.intent, 7), ...lesser });
      await expect(
        call(person, 'r', 'record_verdict', 1, row.intent, 1, 2, said, null),
      ).rejects.toMatchObject({
        code: 'PD013',
      });
    }
    expect(await verdictsOn(row)).toEqual(['applied']);
  });

  test('gets an alarm, is acknowledged, and is still made', async () => {
    const row = refundOf(5, order);
    const ana = team.desk();
    await record(ana, row);
    await ana.append(verdict(row.intent, 6));
    await ana.append({ ...verdict(row.intent, 7), by: 'read', why: 'twice', alarm: 'duplicate' });
    await ana.append({ ...verdict(row.intent, 8), why: 'seen', acknowledged: 'duplicate', operator: 'ana' });
    expect(await verdictsOn(row)).toEqual(['applied', 'applied', 'applied']);
  });

  test('by the word of a person only, is corrected by a person, and then counts no more', async () => {
    await using own = await newTeam();
    await setLimits(own, { day: 500 });
    const ana = own.desk();
    const row = refundOf(500, order);
    await record(ana, row);
    const said = { ...verdict(row.intent, 6), by: 'person', confirmed: true } as const;
    await ana.append(said);
    await expect(ana.append({ ...said, verdict: 'rejected', why: 'it was not' })).rejects.toMatchObject({
      message: expect.stringContaining('was made, and nobody can record less than that'),
    });
    await expect(record(ana, refundOf(1, `${order}b`))).rejects.toMatchObject({ kind: 'refused' });
    await ana.append({ ...said, verdict: 'rejected', why: 'it was not', corrects: true });
    await record(ana, refundOf(500, `${order}b`));
  });

  test('counts for the day although a machine imports a verdict that says less', async () => {
    await using own = await newTeam();
    const ana = own.desk();
    await ana.list({}, { limit: 1 });
    const row = refundOf(500, order, { time: Date.now() });
    const of = { intent: row.intent, attempt: 1, time: row.time, seq: 1, hash: 'h', body: null };
    const rest = (what: object) => JSON.stringify(what);
    const { type: _, intent: __, attempt: ___, time: ____, operator: _____, sendBy: ______, ...sent } = row;
    const rows = [
      { ...of, type: 'sent', number: 0, order, operator: 'ana', sendBy: row.sendBy, rest: rest(sent) },
      { ...of, type: 'verdict', number: 1, rest: restOf(verdict(row.intent, 6)) },
      {
        ...of,
        type: 'verdict',
        number: 2,
        rest: restOf({ ...verdict(row.intent, 7), verdict: 'rejected', confirmed: true }),
      },
    ];
    const { server, name } = own.database;
    await using client = await signIn({ ...server, user: 'ana', password: passwordOf('ana') }, name);
    await client.query(`select set_config('paydesk.run', 'r', false)`);
    await client.query('select paydesk.import_rows(1, $1)', [JSON.stringify(rows)]);
    await setLimits(own, { day: 500 });
    await expect(record(own.desk(), refundOf(1, `${order}b`))).rejects.toMatchObject({
      message: expect.stringContaining('you refunded 500 in the last 24 hours'),
    });
  });
});

describe('rows that would stop every desk are not taken', () => {
  const setting = { profile: 'p', origin: 'o', account: 'a', name: 'n', from: null, to: null };
  test.each<[string, object]>([
    ['a mark of another journal', { ...setting, name: 'team.journal', to: 'j place' }],
    ['a number for a text', { ...setting, to: 7 }],
    ['a number for the origin', { ...setting, origin: 5 }],
    ['no origin', { ...setting, origin: undefined }],
  ])('a setting with %s', async (_, row) => {
    await expect(call('ben', 'r', 'record_setting', 1, JSON.stringify(row))).rejects.toMatchObject({
      code: 'PD017',
    });
  });

  const restOfSent = (row: object) => {
    const {
      type: _,
      intent: __,
      attempt: ___,
      time: ____,
      operator: _____,
      sendBy: ______,
      ...rest
    } = {
      ...refundOf(5, order),
      ...row,
    };
    return JSON.stringify(rest);
  };
  // What is no refund has no amount that a limit looks at.
  const creation = {
    request: { method: 'POST', path: 'orders' },
    proof: { ...refundOf(5, 'ord').proof, kind: 'order' },
  } as const;
  const sentAs = (rest: string, body: string | null, within = 10_000) =>
    call('ben', 'r', 'record_sent', 1, `i_${count}`, 1, 1e6, 1e6, within, rest, body);

  test.each<[string, () => Promise<unknown>]>([
    ['a body that is no JSON', () => sentAs(restOfSent(creation), '{nonsense')],
    ['a body that is null', () => sentAs(restOfSent({}), 'null')],
    ['a note that is no text', () => sentAs(restOfSent({}), '{"note":7}')],
    ['no proof', () => sentAs(restOfSent({ proof: { kind: 'refund' } }), null)],
    ['a list that is a text', () => sentAs(restOfSent({ again: 'rf_1' }), null)],
    ['half a unit', () => sentAs(restOfSent({ ...creation, amount: 0.5 }), null)],
  ])('a SENT row with %s', async (_, act) => {
    await expect(act()).rejects.toThrow();
    expect(await team.database.query('select from paydesk.rows where intent = $1', [`i_${count}`])).toEqual(
      [],
    );
  });

  test('a verdict with another word', async () => {
    const row = refundOf(5, order);
    await record(team.desk({ run: 'own' }), row);
    const said = restOf(verdict(row.intent, 6)).replace('applied', 'perhaps');
    await expect(call('ana', 'own', 'record_verdict', 1, row.intent, 1, 1, said, null)).rejects.toMatchObject(
      {
        code: 'PD017',
        message: expect.stringContaining('row.verdict has another form'),
      },
    );
  });

  test('nobody blocks an order for longer than an hour before others may say what became of it', async () => {
    await expect(sentAs(restOfSent({}), null, 9e12)).rejects.toMatchObject({ code: 'PD018' });
    await expect(sentAs(restOfSent({ horizonMs: 9e15 }), null)).rejects.toMatchObject({ code: 'PD018' });
    await sentAs(restOfSent({}), null, 3_600_000);
  });

  test('the name of a desk that looks like more than a name', async () => {
    const { server, name } = team.database;
    await using ben = await signIn({ ...server, user: 'ben', password: passwordOf('ben') }, name);
    await ben.query(`select set_config('paydesk.run', 'r', false),
      set_config('paydesk.desk', 'desk-1, approved by lea', false)`);
    await expect(
      ben.query(`select paydesk.record_setting(1, $1)`, [JSON.stringify(setting)]),
    ).rejects.toMatchObject({ code: 'PD018' });
    await ben.query(`select set_config('paydesk.desk', 'desk-1', false)`);
    await ben.query(`select paydesk.record_setting(1, $1)`, [JSON.stringify(setting)]);
  });
});

test('a row that the superuser wrote past the server is named by verify, and other orders are not concerned', async () => {
  await using own = await newTeam();
  await own.database.query(`create or replace function paydesk.refuse_form(p_type text, j jsonb, p_body text)
    returns void language sql as ''`);
  await own.database.query(`select set_config('paydesk.run', 'r', false)`);
  const rest = JSON.stringify({ profile: 'p', origin: 5, account: 'a', name: 'n', from: null, to: null });
  await own.database.query('select paydesk.record_setting(1, $1)', [rest]);
  const ana = own.desk();
  await record(ana, refundOf(5, order));
  expect((await ana.verify()).findings).toEqual([
    { seq: 1, problem: 'cannot be read: row.origin has another form: a row about a setting' },
  ]);
});

describe('an approval', () => {
  test('is given or refused, and nothing else', async () => {
    const id = `r_${count}`;
    await (await rulesOf(team, 'ana')).ask(id, askedOf(refundOf(5, order)));
    for (const word of ['asked', 'used', 'expired', null])
      await expect(call('ben', 'r', 'decide_approval', 1, id, word, 1000, null)).rejects.toMatchObject({
        code: 'PD017',
      });
    const [request] = await (await rulesAt(team.desk())).approvals();
    expect(request).toMatchObject({ id, state: 'asked' });
  });
});

describe('what a machine brings in when it joins', () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  const now = () => Date.now();

  // A SENT row in the form of import_rows, and a row that came of it.
  const brought = (row: SentRow, more: object = {}) => {
    const [whole] = importedRows(chainOf([row]));
    if (whole === undefined) throw new Error('it is not brought in');
    return { ...whole, ...more };
  };
  const laterRow = ({ intent }: SentRow, number: number, what: object, more: object = {}) => ({
    type: 'verdict',
    intent,
    attempt: 1,
    number,
    order: null,
    time: now(),
    operator: null,
    sendBy: null,
    seq: 1 + number,
    hash: `${intent} ${number}`,
    rest: JSON.stringify(what),
    body: null,
    ...more,
  });
  const made = { verdict: 'applied', by: 'reply', why: 'the reply confirms it' };
  const sentAt = (time: number, amount = 500, more: Partial<SentRow> = {}) =>
    refundOf(amount, order, { time, sendBy: time + minute, ...more });
  const bring = (person: Person, ...rows: readonly object[]) =>
    call(person, 'r', 'import_rows', 1, JSON.stringify(rows));
  const kept = async ({ intent }: SentRow) =>
    await team.database.query('select type, row::json as row from paydesk.rows where intent = $1', [intent]);

  test.each(['approval', 'limit', 'setting', 'void', null])(
    'a row of the type %s is refused: such rows come from the functions of the team only',
    async (type) => {
      const row = sentAt(now());
      const forged = laterRow(row, 1, { step: 'approved', until: null, ...made }, { type });
      await expect(bring('ana', brought(row), forged)).rejects.toMatchObject({ code: 'PD017' });
      expect(await kept(row)).toEqual([]);
    },
  );

  test('a request keeps what it shows: its rows are those that the server wrote when somebody asked', async () => {
    const id = `r_${count}`;
    const asked = askedOf(refundOf(90_000, order));
    await (await rulesOf(team, 'ana')).ask(id, asked);
    const { body: _, ...request } = asked.request;
    const { body: __, ...proof } = asked.proof;
    const forged = JSON.stringify({ ...asked, request, proof, amount: 1, imported: { seq: 1, hash: 'h' } });
    const other = `${id}b`;
    await expect(call('ana', 'r', 'ask_approval', 1, other, forged, null)).rejects.toThrow();
    const requests = await (await rulesOf(team, 'ben')).approvals();
    expect(requests.find((one) => one.id === id)?.asked).toMatchObject({ amount: 90_000 });
    expect(requests.some((one) => one.id === other)).toBe(false);
  });

  test.each<[string, 'refund' | 'api']>([
    ['a refund that names less than nothing', 'refund'],
    ['a call of the API that names less than nothing', 'api'],
  ])('%s makes no room under the limits', async (_, kind) => {
    await using own = await newTeam();
    await setLimits(own, { max: 1000, day: 1000, second: 800 });
    const row = sentAt(now(), -100_000);
    const sent = kind === 'refund' ? row : { ...row, proof: { ...row.proof, kind, expected: [] } };
    const { server, name } = own.database;
    await using ana = await signIn({ ...server, user: 'ana', password: passwordOf('ana') }, name);
    await ana.query(`select set_config('paydesk.run', 'r', false)`);
    await ana
      .query('select paydesk.import_rows(1, $1)', [JSON.stringify([brought(sent)])])
      .catch((error) => expect(error).toMatchObject({ code: 'PD017' }));
    for (const amount of [90_000, 1001, 900])
      await expect(record(own.desk(), refundOf(amount, order))).rejects.toMatchObject({ kind: 'refused' });
    await record(own.desk(), refundOf(700, order));
  });

  test.each(['', 'pay.example', 'https://pay.example/x', ' https://pay.example'])(
    'a SENT row of the account "%s" is refused, since it would block every order of every desk',
    async (origin) => {
      const row = sentAt(now(), 500, { origin });
      await expect(bring('ana', brought(row))).rejects.toMatchObject({ code: 'PD017' });
      const { rest, body } = brought(row);
      const direct = call('ana', 'r', 'record_sent', 1, row.intent, 1, 1e6, 1e6, 1000, rest, body);
      await expect(direct).rejects.toMatchObject({ code: 'PD017' });
      await record(team.desk({ person: 'ben' }), refundOf(5, order));
    },
  );

  test('a row without an attempt is refused', async () => {
    await expect(bring('ana', brought(sentAt(now(), 500, { intent: '' })))).rejects.toMatchObject({
      code: 'PD017',
    });
  });

  test('nobody waits longer than an hour for what a machine says it may still send', async () => {
    const row = sentAt(now(), 500, { sendBy: 9e15 });
    await bring('ana', brought(row));
    const early = sentAt(now(), 500, { sendBy: -9e15 });
    await bring('ana', brought(early));
    const [[sent], [before]] = [await kept(row), await kept(early)];
    expect(sent?.row).toMatchObject({ time: row.time, sendBy: row.time + 60 * minute });
    expect(before?.row).toMatchObject({ time: early.time, sendBy: early.time });
  });

  test.each([9e15, -1, null])('a row of the time %s is refused', async (time) => {
    const row = sentAt(now());
    await expect(bring('ana', brought(row, { time }))).rejects.toMatchObject({ code: 'PD017' });
  });

  test('a machine whose clock is years ahead can join, twice too, and its refunds count for a day', async () => {
    await using own = await newTeam();
    await setLimits(own, { day: 1000 });
    const ahead = sentAt(now() + 4 * 365 * day, 999);
    const right = sentAt(now() - 2 * minute, 1, { intent: `${ahead.intent}b` });
    const { server, name } = own.database;
    await using ana = await signIn({ ...server, user: 'ana', password: passwordOf('ana') }, name);
    await ana.query(`select set_config('paydesk.run', 'r', false)`);
    const rows = [brought(ahead), laterRow(ahead, 1, made, { time: ahead.time + 5 }), brought(right)];
    const from = now();
    for (const added of [3, 0]) {
      const [answer] = await ana.query('select paydesk.import_rows(1, $1) as added', [JSON.stringify(rows)]);
      expect(Number(answer?.added)).toBe(added);
    }
    const times = await own.database.query('select time from paydesk.rows where type <> $1 order by seq', [
      'limit',
    ]);
    const [one, two, three] = times.map(({ time }) => Number(time));
    expect(one).toBeGreaterThanOrEqual(from - 5 * minute);
    expect(one).toBeLessThanOrEqual(now() + 5 * minute);
    expect(two).toBe(one);
    expect(three).toBe(right.time);
    const desk = own.desk();
    await expect(record(desk, refundOf(1, `${order}b`))).rejects.toMatchObject({ kind: 'refused' });
    await own.database.query('update paydesk.attempts set sent_at = sent_at - $1::bigint', [day]);
    await record(desk, refundOf(1000, `${order}b`));
  });

  test.each([
    ['applied', 'rejected'],
    ['rejected', 'applied'],
    ['not_sent', 'applied'],
  ])('"%s", which ana brought, does not become "%s" by what ben brings', async (end, other) => {
    const row = sentAt(now());
    const said = (word: string) => ({ ...made, verdict: word, confirmed: true });
    await bring('ana', brought(row), laterRow(row, 1, said(end)));
    const forged = laterRow(row, 2, { ...said(other), by: 'person', corrects: true }, { operator: 'lea' });
    await expect(bring('ben', brought(row), forged)).rejects.toMatchObject({ code: 'PD013' });
    await bring('ben', brought(row), laterRow(row, 1, said(end)), laterRow(row, 2, said(end)));
    await bring('ana', laterRow(row, 3, { ...said(other), by: 'person' }));
    expect(await verdictsOn(row)).toEqual([end, end, other]);
  });

  test('what ana brought without an end, ben may know more of', async () => {
    const row = sentAt(now());
    await bring('ana', brought(row), laterRow(row, 1, { ...made, verdict: 'unknown' }));
    await bring('ben', laterRow(row, 2, made));
    expect(await verdictsOn(row)).toEqual(['unknown', 'applied']);
  });

  test('another attempt under the same id is refused', async () => {
    const row = sentAt(now());
    await bring('ana', brought(row));
    const other = brought(row, { time: row.time - 1, hash: 'other' });
    await expect(bring('ana', other)).rejects.toMatchObject({ code: 'PD012' });
  });
});

describe('an acknowledged alarm', () => {
  const operators = async ({ intent }: SentRow) => {
    const rows = await team.database.query(
      `select row::json ->> 'operator' as operator from paydesk.rows where type = 'verdict' and intent = $1 order by seq`,
      [intent],
    );
    return rows.map(({ operator }) => operator);
  };

  test('stays the word of who acknowledged it, whoever looks at the order later', async () => {
    const row = refundOf(5, order);
    const [ana, ben] = [team.desk(), team.desk({ person: 'ben' })];
    await record(ana, row);
    await ana.append({ ...verdict(row.intent, 6), by: 'read', why: 'twice', alarm: 'duplicate' });
    const seen = { ...verdict(row.intent, 7), by: 'read', why: 'seen', acknowledged: 'duplicate' } as const;
    await ana.append({ ...seen, operator: 'ana', note: 'the buyer was told' });
    await ben.list({}, { limit: 1 });
    await ben.append(seen);
    expect(await operators(row)).toEqual([null, 'ana', null]);
    await ben.append({ ...seen, operator: 'ben', note: 'and told again' });
    expect(await operators(row)).toEqual([null, 'ana', null, 'ben']);
  });

  test('has the name of who ended it, also if that row has no note', async () => {
    const row = refundOf(5, order);
    const ana = team.desk();
    await record(ana, row);
    await ana.append({ ...verdict(row.intent, 7), why: 'seen', acknowledged: 'duplicate' });
    expect(await operators(row)).toEqual(['ana']);
  });
});
