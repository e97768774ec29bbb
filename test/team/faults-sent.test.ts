/** Faults around a SENT row at the server of a team: races, lost answers, late statements, and what others may write. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JournalRow, SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';
import type { JournalStore } from '../../src/journal/journal-store.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { isLong } from '../harness/long.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { sent, verdict } from '../journal/rows.ts';

let team: Team;
let proxy: CuttingProxy;
let orders = 0;

beforeAll(async () => {
  team = await newTeam();
  proxy = await startCuttingProxy(team.database.server.port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

/** A SENT row about an order, which may leave within `withinMs`. */
function sentOn(
  orderId: string,
  intent = `i_${crypto.randomUUID().slice(0, 8)}`,
  withinMs = 10_000,
): SentRow {
  const row = sent(intent, 5);
  return { ...row, sendBy: 5 + withinMs, proof: { ...row.proof, orderId } };
}

function newOrder(): string {
  orders += 1;
  return `ord_${orders}`;
}

const notSent = (row: SentRow): VerdictRow => ({
  ...verdict(row.intent, 6),
  verdict: 'not_sent',
  by: 'sender',
  why: 'it could not be recorded',
});
const look = (store: JournalStore, orderId: string) => store.attempts({ orderId });

/** The rows of an order as the server has them, in words. */
async function told(row: SentRow): Promise<readonly unknown[]> {
  const found = await team.database.query(
    `select coalesce(row::jsonb ->> 'verdict', type) as word from paydesk.rows where intent = $1 order by seq`,
    [row.intent],
  );
  return found.map(({ word }) => word);
}

const outcome = (appended: Promise<void>) =>
  appended.then(
    () => 'recorded',
    () => 'refused',
  );

test('1 two desks race SENT: one of them records it, each time', async () => {
  const [one, other] = [team.desk({ person: 'ana' }), team.desk({ person: 'ben' })];
  for (let race = 0; race < (isLong ? 2000 : 30); race += 1) {
    const order = newOrder();
    await Promise.all([look(one, order), look(other, order)]);
    const ends = await Promise.all([
      outcome(one.append(sentOn(order))),
      outcome(other.append(sentOn(order))),
    ]);
    expect(ends.toSorted()).toEqual(['recorded', 'refused']);
  }
  expect(await one.verify()).toMatchObject({ findings: [] });
});

test('2 SENT after a look that has not seen the newest row is refused', async () => {
  const [one, other, order] = [team.desk(), team.desk({ person: 'ben' }), newOrder()];
  await look(one, order);
  const first = sentOn(order);
  await look(other, order);
  await other.append(first);
  await other.append(verdict(first.intent, 6));
  await expect(one.append(sentOn(order))).rejects.toMatchObject({
    kind: 'refused',
    message: `another run changed ${order} in the meantime`,
  });
});

test('3 with the checks taken out, the index alone refuses a second open attempt', async () => {
  await using own = await newTeam();
  await own.database.query(`
    create or replace function paydesk.refuse_open(p_subject text) returns void language sql as '';
    create or replace function paydesk.refuse_unseen(j jsonb, p_seen bigint, p_seen_given bigint) returns void language sql as ''`);
  const [one, other] = [own.desk(), own.desk({ person: 'ben' })];
  await Promise.all([look(one, 'ord_1'), look(other, 'ord_1')]);
  await one.append(sentOn('ord_1'));
  await expect(other.append(sentOn('ord_1'))).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('one_open_attempt'),
  });
});

test('7 cut after SENT arrived: the row is taken back, and the order is free', async () => {
  const [desk, order] = [team.desk({ port: proxy.port }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'cut after');
  await expect(desk.append(row)).rejects.toMatchObject({ kind: 'refused' });
  expect(await told(row)).toEqual(['sent']);
  await desk.takeBack(row, notSent(row));
  expect(await told(row)).toEqual(['sent', 'not_sent']);
  await look(desk, order);
  await desk.append(sentOn(order));
});

test.each<[string, 'cut before' | 'hold']>([
  ['8 cut before SENT arrived: it is taken back, and cannot come any more', 'cut before'],
  ['9 a statement that arrives after it was taken back is refused', 'hold'],
])('%s', async (_, what) => {
  const [desk, order] = [team.desk({ port: proxy.port }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', what);
  await expect(desk.append(row)).rejects.toMatchObject({ kind: 'refused' });
  await desk.takeBack(row, notSent(row));
  await proxy.release();
  expect(await told(row)).toEqual(['void']);
  await look(desk, order);
  await desk.append(sentOn(order));
});

test('9 a statement that arrives before it is taken back gets the verdict', async () => {
  const [desk, order] = [team.desk({ port: proxy.port }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'hold');
  await expect(desk.append(row)).rejects.toMatchObject({ kind: 'refused' });
  await proxy.release();
  await desk.takeBack(row, notSent(row));
  expect(await told(row)).toEqual(['sent', 'not_sent']);
});

test('10 a network that is silent is given up after the deadline', async () => {
  const [desk, order] = [team.desk({ port: proxy.port, deadlineMs: 300 }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'mute');
  await expect(desk.append(row)).rejects.toMatchObject({
    message: expect.stringContaining('no answer within'),
  });
  await desk.takeBack(row, notSent(row));
  expect((await told(row)).at(-1)).toMatch(/not_sent|void/);
});

test('11 taking back is repeated until its own outcome is known', async () => {
  const [desk, order] = [team.desk({ port: proxy.port }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'cut after');
  await expect(desk.append(row)).rejects.toThrow();
  proxy.at('take_back', 'cut after');
  await desk.takeBack(row, notSent(row));
  expect(await told(row)).toEqual(['sent', 'not_sent']);
});

test('11 what somebody else looked for meanwhile, and did not see, is taken back all the same, once', async () => {
  const [desk, ben, order] = [team.desk({ port: proxy.port }), team.desk({ person: 'ben' }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'cut after');
  await expect(desk.append(row)).rejects.toThrow();
  await team.database.query('update paydesk.attempts set send_by = 0 where intent = $1', [row.intent]);
  await look(ben, order);
  await ben.append({ ...verdict(row.intent, 6), verdict: 'not_seen', by: 'read' });
  proxy.at('take_back', 'cut after');
  await desk.takeBack(row, notSent(row));
  expect(await told(row)).toEqual(['sent', 'not_seen', 'not_sent']);
  await look(ben, order);
  await ben.append(sentOn(order));
});

test('11 while nobody answers, taking back gives up, and the order stays blocked', async () => {
  const [desk, order] = [team.desk({ port: proxy.port, insistMs: 200 }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  proxy.at('record_sent', 'cut after');
  await expect(desk.append(row)).rejects.toThrow();
  proxy.refuse(true);
  await expect(desk.takeBack(row, notSent(row))).rejects.toMatchObject({ kind: 'refused' });
  proxy.refuse(false);
  const other = team.desk({ person: 'ben' });
  await look(other, order);
  await expect(other.append(sentOn(order))).rejects.toMatchObject({
    message: expect.stringContaining(`${row.intent} of ana is unconfirmed`),
  });
});

test('12 another process of the same person cannot take a SENT row back', async () => {
  const [desk, order] = [team.desk(), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  await desk.append(row);
  const [found] = await team.database.query(`
    select set_config('paydesk.run', 'another run', false) as run`);
  expect(found?.run).toBe('another run');
  await expect(
    team.database.query(`select paydesk.take_back(1, $1, 1, '{"verdict":"not_sent","by":"sender"}')`, [
      row.intent,
    ]),
  ).rejects.toMatchObject({ code: 'PD015' });
});

test('13 a verdict whose commit was not confirmed is there once', async () => {
  const [desk, order] = [team.desk({ port: proxy.port }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  await desk.append(row);
  proxy.at('record_verdict', 'cut after');
  await desk.append(verdict(row.intent, 6));
  proxy.at('record_verdict', 'cut before');
  await desk.append({ ...verdict(row.intent, 7), why: 'seen again' });
  expect(await told(row)).toEqual(['sent', 'applied', 'applied']);
});

test('14 a verdict of somebody who has not seen the one before it is refused', async () => {
  const [desk, order] = [team.desk(), newOrder()];
  const row = sentOn(order, undefined, 0);
  await look(desk, order);
  await desk.append(row);
  await desk.append({ ...verdict(row.intent, 6), verdict: 'not_seen', by: 'read' });
  const [one, other] = [team.desk({ person: 'ben' }), team.desk({ person: 'lea' })];
  await Promise.all([look(one, order), look(other, order)]);
  await one.append({ ...verdict(row.intent, 7), by: 'read' });
  await expect(
    other.append({ ...verdict(row.intent, 7), verdict: 'unknown', by: 'read' }),
  ).rejects.toMatchObject({ message: expect.stringContaining('came first') });
  // Not even the sender: it would say less than what was seen.
  await expect(
    desk.append({ ...verdict(row.intent, 8), verdict: 'unknown', by: 'sender' }),
  ).rejects.toThrow();
  expect(await told(row)).toEqual(['sent', 'not_seen', 'applied']);
});

test('15 nobody else gives a verdict before the sender can no longer send', async () => {
  const [desk, other, order] = [team.desk(), team.desk({ person: 'ben' }), newOrder()];
  const row = sentOn(order);
  await look(desk, order);
  await desk.append(row);
  await look(other, order);
  const seen: JournalRow = { ...verdict(row.intent, 6), verdict: 'not_seen', by: 'read' };
  await expect(other.append(seen)).rejects.toMatchObject({
    message: expect.stringContaining('ana may still send'),
  });
  await desk.append(seen);
});

test('28 while somebody holds the head nothing is recorded, and it is said who is in the way', async () => {
  const [desk, order] = [team.desk({ deadlineMs: 400 }), newOrder()];
  await look(desk, order);
  await team.database.query('begin');
  await team.database.query('select from paydesk.head for update');
  await expect(desk.append(sentOn(order))).rejects.toMatchObject({
    kind: 'refused',
    parts: { now: ['somebody else is writing to the journal: run the command again in a moment'] },
  });
  await team.database.query('rollback');
  await look(desk, order);
  await desk.append(sentOn(order));
});

test('37 a program that is older than the journal asks for is refused', async () => {
  await using own = await newTeam();
  const desk = own.desk();
  await look(desk, 'ord_1');
  await own.database.query('update paydesk.version set min_writer = 2');
  const refusal = { kind: 'refused', message: expect.stringContaining('a newer paydesk') };
  await expect(desk.append(sentOn('ord_1'))).rejects.toMatchObject(refusal);
  await expect(own.desk().ready()).rejects.toMatchObject(refusal);
});

test('42 a row that was changed in the database is found by the mirror', async () => {
  await using own = await newTeam();
  const desk = own.desk();
  await look(desk, 'ord_1');
  await desk.append(sentOn('ord_1'));
  await own.database.query('alter table paydesk.rows disable trigger all');
  // Changed with its hash, as who knows the form would do it.
  await own.database.query(`
    update paydesk.rows set row = replace(row, '"amount":-5', '"amount":-6');
    update paydesk.rows set hash = encode(sha256(convert_to(prev || E'\\n' || coalesce(body_hash, '') || E'\\n' || row, 'UTF8')), 'hex');
    update paydesk.head set hash = (select hash from paydesk.rows)`);
  const problem = expect.stringMatching(/^differs from this machine's copy: the sending of i_\w+ on ord_1$/);
  expect((await desk.verify()).findings).toEqual([{ seq: 1, problem }]);
  await expect(desk.ready()).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('forgot'),
    parts: {
      ownCode: 'team_server_differs',
      now: expect.arrayContaining([
        'which refunds are missing there: paydesk team verify',
        'once the server has them again: paydesk team verify --accept-server',
      ]),
    },
  });
});
