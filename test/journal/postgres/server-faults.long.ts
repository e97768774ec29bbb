/** The journal on a server whose connections break, that is restarted, put back or replaced: no row is lost, none is added twice. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ServerPlace } from '../../../src/journal/postgres/server.ts';
import type { VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import { certificate } from '../../harness/certificate.ts';
import { type AtText, type CuttingProxy, startCuttingProxy } from '../../harness/cutting-proxy.ts';
import { type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import { onOrder } from '../random-questions.ts';
import { sent, setting, verdict } from '../rows.ts';
import { openSender, openSenderIn, prepare, type TestSenderStore } from './senders.ts';

let server: PostgresServer;
let folder: string;
let count = 0;
let database: string;
let opened: TestSenderStore[];

beforeAll(async () => {
  server = await startPostgres();
  await server.database('template_of_tests');
  await prepare({ port: server.port, database: 'template_of_tests' });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-faults-'));
  count += 1;
  database = `faults_${count}`;
  opened = [];
  await server.database(database, 'template_of_tests');
});
afterEach(() => {
  for (const { store } of opened) store.close();
  rmSync(folder, { recursive: true });
});

function open(port = server.port, name = database): TestSenderStore {
  const sender = openSender({ port, database: name }, folder);
  opened.push(sender);
  return sender;
}

const notSent: VerdictRow = { ...verdict('i_a', 2), verdict: 'not_sent', by: 'sender' };
const ofOrd1 = { orderId: 'ord_1' };
const whole = async ({ store }: TestSenderStore) => expect((await store.verify()).findings).toEqual([]);

const statements = ['begin isolation', 'with added', 'commit\0'];
const ways: readonly AtText[] = ['cut before', 'cut after', 'hold', 'mute'];
const faults = statements.flatMap((text) => ways.map((what) => [what, text] as const));

test.for(faults)(
  'a SENT row whose connection is "%s" at "%s" is there, or is taken back for good',
  async ([what, text]) => {
    await using proxy = await startCuttingProxy(server.port);
    const [one, other] = [open(proxy.port), open()];
    await one.store.attempts(ofOrd1);
    proxy.at(text, what);
    const isAdded = await one.store.append(sent('i_a', 1)).then(
      () => true,
      () => false,
    );
    if (!isAdded) await one.store.takeBack(sent('i_a', 1), notSent);
    const before = await other.store.attempts(ofOrd1);
    const ended = before.map(({ verdicts }) => verdicts.at(-1)?.verdict);
    expect(isAdded ? [[undefined]] : [[], ['not_sent']]).toContainEqual(ended);
    await proxy.release();
    expect(await other.store.attempts(ofOrd1)).toEqual(before);
    await other.store.append(verdict('i_b', 9)).catch(() => undefined);
    await whole(other);
    await whole(one);
  },
);

test.for(faults)('a verdict whose connection is "%s" at "%s" is recorded once', async ([what, text]) => {
  await using proxy = await startCuttingProxy(server.port);
  const [one, other] = [open(proxy.port), open()];
  await one.store.append(sent('i_a', 1));
  proxy.at(text, what);
  await one.store.append(verdict('i_a', 2));
  await proxy.release();
  expect(await other.store.attempts(ofOrd1)).toEqual([
    { sent: sent('i_a', 1), verdicts: [verdict('i_a', 2)] },
  ]);
  await whole(other);
});

test('what became of a change is recorded although the server is restarted meanwhile, as after a crash', async () => {
  const [one, other] = [open(), open()];
  await one.store.append(sent('i_a', 1));
  await server.stop('SIGQUIT');
  const added = one.store.append(verdict('i_a', 2));
  await expect(other.store.append(sent('i_b', 3))).rejects.toMatchObject({ kind: 'refused' });
  await server.start();
  await added;
  expect((await other.store.attempts(ofOrd1)).map(({ verdicts }) => verdicts.length)).toEqual([1]);
  await whole(other);
});

test('a terminated connection costs nothing that was confirmed, and the next row gets a new one', async () => {
  const [one, other] = [open(), open()];
  for (let at = 1; at <= 20; at += 1) {
    await server.ask(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    await one.store.append(onOrder(`i_${at}`, `ord_${at}`));
    await one.store.append(verdict(`i_${at}`, at));
  }
  expect(await other.store.attempts({ unconfirmed: true })).toEqual([]);
  expect((await other.store.verify()).rows).toBe(40);
  await whole(one);
});

test('a server that was put back from an older copy is refused, and gets its rows back from a sender', async () => {
  const one = open();
  await one.store.append(sent('i_a', 1));
  one.store.close();
  await server.stop();
  const putBack = server.copy();
  await server.start();
  await one.store.append(verdict('i_a', 2));
  await one.store.append(onOrder('i_b', 'ord_2'));
  one.store.close();
  await server.stop();
  putBack();
  await server.start();
  const lacking = { kind: 'refused', message: expect.stringContaining('lacks 2 of 3 rows') };
  await expect(one.store.append(onOrder('i_c', 'ord_3'))).rejects.toMatchObject(lacking);
  await expect(one.store.attempts(ofOrd1)).rejects.toMatchObject(lacking);
  await expect(one.store.ready()).rejects.toMatchObject(lacking);
  expect(await one.store.problem()).toContain('lacks 2 of 3 rows');
  expect((await one.store.verify()).findings).toEqual([
    { seq: 3, problem: 'is missing on the server; the copy of this sender has it' },
  ]);
  expect(await one.store.repair(9)).toMatchObject({ kept: 2, lost: [] });
  const other = open();
  expect((await other.store.attempts({ unconfirmed: true })).map((one) => one.sent.change)).toEqual(['i_b']);
  await whole(one);
  await whole(other);
});

test('a server that went on without rows that a sender has seen is refused, and nothing is repaired', async () => {
  const one = open();
  await one.store.append(sent('i_a', 1));
  one.store.close();
  const start = "update paydesk.head set seq = 0, hash = repeat('0', 64)";
  await server.ask(database, `delete from paydesk.rows; delete from paydesk.open_changes; ${start}`);
  await open().store.append(onOrder('i_x', 'ord_9'));
  const differs = { kind: 'refused', message: expect.stringContaining('has another row 1') };
  await expect(one.store.append(verdict('i_a', 2))).rejects.toMatchObject(differs);
  await expect(one.store.repair(9)).rejects.toMatchObject({ kind: 'refused' });
  expect((await one.store.verify()).findings.length).toBeGreaterThan(0);
});

test('a database that took the place of the one before is refused until somebody has looked', async () => {
  const one = open();
  await one.store.append(sent('i_a', 1));
  // Of the same sender: the program that serves, while a person types commands beside it.
  const serving = openSenderIn({ port: server.port, database }, one.folder);
  opened.push(serving);
  await serving.store.attempts(ofOrd1);
  for (const { store } of opened) store.close();
  await server.ask('postgres', `alter database ${database} rename to ${database}_old`);
  await server.database(database, `${database}_old`);
  const other = { kind: 'refused', message: expect.stringContaining('was restored, promoted or replaced') };
  await expect(one.store.append(verdict('i_a', 2))).rejects.toMatchObject(other);
  expect((await one.store.verify()).findings).toEqual([]);
  expect(await one.store.problem()).toContain('was restored');
  expect(await serving.store.problem()).toContain('was restored');
  await one.store.acceptCopy(setting(3, { name: 'journal.copy' }));
  await one.store.append(verdict('i_a', 4));
  await serving.store.append(verdict('i_a', 5));
  // A run that starts later knows it too.
  const again = openSenderIn({ port: server.port, database }, one.folder);
  opened.push(again);
  expect(await again.store.problem()).toBe(undefined);
  await expect(again.store.acceptCopy(setting(5))).rejects.toMatchObject({ kind: 'refused' });
});

test('a standby that was promoted is refused until somebody has looked, and gets back what it lacks', async () => {
  await using standby = await server.standby();
  const one = open();
  // The address of the server leads to the standby from now on, as by DNS or a proxy.
  const afterwards = openSenderIn({ port: standby.port, database }, one.folder);
  opened.push(afterwards);
  await one.store.append(sent('i_a', 1));
  const copied = () => standby.ask(database, 'select seq from paydesk.head');
  await expect.poll(copied, { timeout: 10_000 }).toEqual([{ seq: '1' }]);
  const isStandby = { kind: 'refused', message: expect.stringContaining('is a standby') };
  await expect(afterwards.store.attempts(ofOrd1)).rejects.toMatchObject(isStandby);
  await expect(afterwards.store.append(onOrder('i_c', 'ord_3'))).rejects.toMatchObject(isStandby);
  // The standby hears nothing any more, and the server goes on alone.
  await standby.ask('postgres', "alter system set primary_conninfo = ''");
  await standby.ask('postgres', 'select pg_reload_conf()');
  const followed = () => standby.ask('postgres', 'select 1 from pg_stat_wal_receiver');
  await expect.poll(followed, { timeout: 10_000 }).toEqual([]);
  await one.store.append(verdict('i_a', 2));
  await one.store.append(onOrder('i_b', 'ord_2'));
  one.store.close();
  await standby.ask('postgres', 'select pg_promote()');

  const lacking = { kind: 'refused', message: expect.stringContaining('lacks 2 of 3 rows') };
  await expect(afterwards.store.append(onOrder('i_c', 'ord_3'))).rejects.toMatchObject(lacking);
  await expect(afterwards.store.attempts(ofOrd1)).rejects.toMatchObject(lacking);
  expect(await afterwards.store.repair(9)).toMatchObject({ kept: 2, lost: [] });
  const promoted = {
    kind: 'refused',
    message: expect.stringContaining('was restored, promoted or replaced'),
  };
  await expect(afterwards.store.append(onOrder('i_c', 'ord_3'))).rejects.toMatchObject(promoted);
  await afterwards.store.acceptCopy(setting(3, { name: 'journal.copy' }));
  await afterwards.store.append(onOrder('i_c', 'ord_3'));
  const other = openSender({ port: standby.port, database }, folder);
  opened.push(other);
  const left = (await other.store.attempts({ unconfirmed: true })).map((found) => found.sent.change);
  expect(left).toEqual(['i_b', 'i_c']);
  await whole(afterwards);
  await whole(other);
});

test('a server that confirms before it has written is refused', async () => {
  await server.ask('postgres', `alter database ${database} set synchronous_commit = off`);
  const { store } = open();
  const off = { kind: 'refused', message: expect.stringContaining('synchronous_commit = off') };
  await expect(store.append(sent('i_a', 1))).rejects.toMatchObject(off);
  await expect(store.verify()).rejects.toMatchObject(off);
  expect(await store.problem()).toContain('synchronous_commit = off');
});

test('a database without tables, or with those of a newer paydesk, is refused with what to do', async () => {
  await server.database(`${database}_empty`);
  await expect(open(server.port, `${database}_empty`).store.ready()).rejects.toMatchObject({
    message: expect.stringContaining('has no journal yet'),
    parts: { now: ['at the sender: paydesk sender migrate'] },
  });
  await server.ask(database, 'insert into paydesk.migrations (number) values (99)');
  await expect(open().store.ready()).rejects.toMatchObject({
    message: expect.stringContaining('newer paydesk'),
  });
});

test('to make the tables again changes nothing, also from two senders at once', async () => {
  await server.database(`${database}_new`);
  const place = { port: server.port, database: `${database}_new` };
  await Promise.all([prepare(place), prepare(place)]);
  await prepare(place);
  expect(await server.ask(`${database}_new`, 'select number from paydesk.migrations')).toEqual([
    { number: 1 },
  ]);
});

test('a check derives from the rows which changes are open, and tells what was changed in the tables', async () => {
  const one = open();
  await one.store.append(sent('i_a', 1));
  await one.store.append(onOrder('i_b', 'ord_2'));
  await one.store.append(verdict('i_b', 3));
  await whole(one);
  await server.ask(database, 'delete from paydesk.open_changes');
  expect((await one.store.verify()).findings).toEqual([
    { seq: 1, problem: 'is open by the rows, but not listed as open' },
  ]);
  await server.ask(database, "insert into paydesk.open_changes values (1, 'ord_1'), (2, 'ord_2')");
  expect((await one.store.verify()).findings).toEqual([
    { seq: 2, problem: 'is listed as open, but not by the rows' },
  ]);
  await server.ask(
    database,
    `update paydesk.rows set row = replace(row, '"amount":-5', '"amount":-6') where seq = 2`,
  );
  expect((await one.store.verify()).findings.map(({ seq }) => seq)).toContain(2);
});

test('a check finds nothing wrong while another sender adds rows', async () => {
  const [one, other] = [open(), open()];
  let isOver = false;
  const adding = (async () => {
    for (let at = 1; !isOver; at += 1) {
      await other.store.append(onOrder(`i_${at}`, `ord_${at}`));
      await other.store.append(verdict(`i_${at}`, at));
    }
  })();
  for (let round = 1; round <= 50; round += 1) await whole(one);
  isOver = true;
  await adding;
});

test('the connection to another machine is TLS with a certificate for that host, or is not used', async () => {
  await using own = await startPostgres();
  await own.database('secured');
  await prepare({ port: own.port, database: 'secured' });
  const openAs = (more: Partial<ServerPlace>) => {
    const sender = openSender({ port: own.port, database: 'secured', isLocal: false, ...more }, folder);
    opened.push(sender);
    return sender;
  };
  const ca = certificate.cert;
  const refused = (text: string) => ({ kind: 'refused', message: expect.stringContaining(text) });
  await expect(openAs({ ca }).store.ready()).rejects.toMatchObject(refused('does not support SSL'));
  await own.secure(certificate);
  const one = openAs({ ca });
  await one.store.append(sent('i_a', 1));
  expect(await one.server.ask('select ssl from pg_stat_ssl where pid = pg_backend_pid()')).toEqual([
    { ssl: 't' },
  ]);
  await expect(openAs({}).store.ready()).rejects.toMatchObject(refused('self-signed certificate'));
  await expect(openAs({ ca, host: 'localhost' }).store.ready()).rejects.toMatchObject(
    refused("does not match certificate's altnames"),
  );
});

// ── Leases ──────────────────────────────────────────────────────────────────────────────────────

const taking = { waitMs: 0 };

test('an order that another sender has is busy, and says who has it; a released one is free', async () => {
  const [one, other] = [open(), open()];
  const held = await one.leases.take('ord_1', taking);
  expect(held.held).toBe(true);
  expect(await other.leases.take('ord_1', taking)).toEqual({
    held: false,
    owner: { operator: 'sender', command: 'sender serve', since: expect.any(Number) },
  });
  if (held.held) await held.release();
  const next = await other.leases.take('ord_1', taking);
  expect(next.held).toBe(true);
  // To release it again takes it from nobody.
  if (held.held) await held.release();
  expect((await one.leases.take('ord_1', taking)).held).toBe(false);
});

const expire = () =>
  server.ask(database, "update paydesk.leases set until = clock_timestamp() - interval '1 second'");

test('a sender whose lease ran out records nothing any more, whether or not another one has it', async () => {
  const [one, other] = [open(), open()];
  const lost = { kind: 'refused', message: expect.stringContaining('another sender has taken it over') };
  await one.leases.take('ord_1', taking);
  await one.store.attempts(ofOrd1);
  await expire();
  await expect(one.store.append(sent('i_a', 1))).rejects.toMatchObject(lost);
  expect((await other.leases.take('ord_1', taking)).held).toBe(true);
  await expect(one.store.append(sent('i_a', 1))).rejects.toMatchObject(lost);
  await one.store.takeBack(sent('i_a', 1), notSent);
  await other.store.attempts(ofOrd1);
  await other.store.append(sent('i_b', 2));
  expect((await one.store.attempts(ofOrd1)).map((record) => record.sent.change)).toEqual(['i_b']);
  await whole(one);
});

test('the database itself takes no second open change of an order under a lease', async () => {
  const [one, other] = [open(), open()];
  await one.leases.take('ord_1', taking);
  await one.store.append(sent('i_a', 1));
  await expire();
  await other.leases.take('ord_1', taking);
  await expect(other.store.append(sent('i_b', 2))).rejects.toMatchObject({
    kind: 'refused',
    message: 'ord_1 cannot be changed now: another change to it is still open',
  });
  // What became of the first one is taken from whoever knows it.
  await one.store.append(verdict('i_a', 3));
  await other.store.append(sent('i_b', 4));
  await whole(one);
});

test('what is checked alone holds until it is recorded, with twenty at once from two senders', async () => {
  const senders = [open(), open()];
  const record = async (at: number) => {
    const { store } = senders[at % 2] ?? open();
    await store.alone?.(async () => {
      const { length } = await store.list({}, { limit: 50 });
      if (length < 5) await store.append(onOrder(`i_${at}`, `ord_${at}`));
    });
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => record(at)));
  expect((await open().store.verify()).rows).toBe(5);
});

test('a sender that is stopped in the middle of a record holds up the others for some seconds only', async () => {
  await using proxy: CuttingProxy = await startCuttingProxy(server.port);
  const [one, other] = [open(proxy.port), open()];
  await one.store.attempts(ofOrd1);
  proxy.at('with added', 'hold');
  const stopped = one.store.append(sent('i_a', 1)).catch(() => 'refused');
  await proxy.happened();
  await other.store.append(onOrder('i_b', 'ord_2'));
  expect(await stopped).toBe('refused');
  await proxy.release();
  expect((await other.store.verify()).rows).toBe(1);
});
