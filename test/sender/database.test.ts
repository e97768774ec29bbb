/** A sender with its journal in a database, as far as that needs no server; and the check of any sender's journal. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { initSender, senderFile, type TestDesk } from '../harness/sender.ts';
import { startService } from '../harness/service.ts';
import { startLedger } from './ledger.ts';

const init = ['sender', 'init', '--yes', '--allow-root', '--listen', '127.0.0.1:0', '--postgres'];

async function senderHome() {
  await using service = await startService({ orders: [] });
  const home = newHome();
  await initSender(home, { url: service.url });
  return home;
}

test.for([
  ['postgresql://paydesk:hunter2@db.example/desk', 'must hold no password'],
  ['postgresql://paydesk@db.example/desk?password=hunter2', 'must hold no password'],
  ['postgresql://paydesk@db.example/desk?sslmode=require', 'its sslmode must be verify-full'],
  ['postgresql://paydesk@db.example/desk?options=hunter2', 'has options, which paydesk does not know'],
  ['postgresql://db.example/desk', 'must name host, role and database'],
  ['mysql://paydesk@db.example/hunter2', 'does not begin with postgresql://'],
  ['hunter2', 'does not begin with postgresql://'],
] as const)('sender init refuses the database %s, and repeats no password', async ([uri, why]) => {
  using home = await senderHome();
  const { code, stderr } = await paydesk([...init, uri], { home });
  expect([code, stderr]).toEqual([3, expect.stringContaining(why)]);
  expect(stderr).not.toContain('hunter2');
});

test.for([
  'postgresql://paydesk@db.example:5433/desk?sslrootcert=/etc/ssl/db.pem',
  'postgresql:///desk?host=/run/postgresql&user=paydesk',
  'postgresql://paydesk@[::1]/desk',
])('sender init takes the database %s, and says how to make its tables', async (uri) => {
  using home = await senderHome();
  const { code, stdout } = await paydesk([...init, uri], { home });
  expect(code).toBe(0);
  expect(stdout).toContain('paydesk sender migrate');
  expect(JSON.parse(readFileSync(senderFile(home), 'utf8'))).toMatchObject({ postgres: uri });
});

test('a sender whose database does not answer does not start, and says so', async () => {
  using home = await senderHome();
  const config = JSON.parse(readFileSync(senderFile(home), 'utf8'));
  // Nobody listens at port 1.
  writeFileSync(
    senderFile(home),
    JSON.stringify({ ...config, postgres: 'postgresql://paydesk@127.0.0.1:1/desk' }),
  );
  for (const args of [
    ['sender', 'serve', '--allow-root'],
    ['sender', 'migrate', '--allow-root', '--yes'],
    ['sender', 'invite', 'ana', '--role', 'operator', '--allow-root'],
  ]) {
    const { code, stderr } = await paydesk(args, { home });
    expect([code, stderr]).toEqual([3, expect.stringContaining('paydesk@127.0.0.1:1/desk cannot be used')]);
  }
});

test('sender migrate prints the statements without a database, and has nothing to do for files of this machine', async () => {
  using home = await senderHome();
  const printed = await paydesk(['sender', 'migrate', '--print-sql'], { home });
  expect(printed.stdout).toContain('create schema paydesk;');
  expect(printed.stdout).toContain('insert into paydesk.migrations (number) values (1);');
  const { code, stderr } = await paydesk(['sender', 'migrate', '--yes', '--allow-root'], { home });
  expect([code, stderr]).toEqual([3, expect.stringContaining('has its journal in files of this machine')]);
});

test('sender verify counts what the rows add up to, and names a row that was changed', async () => {
  await using ledger = await startLedger();
  const lea = await ledger.sender.desk('lea', 'lead');
  await lea.run(['-p', 'shop', 'sender', 'limits', 'set', 'all', 'MXN', '--max', '50000', '--yes']);
  await lea.run(['-p', 'shop', 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  const verified = await ledger.sender.run(['sender', 'verify', '--json']);
  expect(verified.code).toBe(0);
  const counts = { unconfirmed: 0, members: 1, limits: 1, requests: 0 };
  expect(JSON.parse(verified.stdout)).toMatchObject({ rows: 5, findings: [], problem: null, ...counts });
  {
    using db = new DatabaseSync(join(ledger.sender.home.path, '.local/state/paydesk/journal/journal.db'));
    db.exec("UPDATE rows SET row = replace(row, '50000', '90000') WHERE type = 'limit'");
  }
  const damaged = await ledger.sender.run(['sender', 'verify', '--allow-root']);
  expect([damaged.code, damaged.stderr]).toEqual([3, expect.stringContaining('row 3 was changed')]);
});

test('a running sender goes on with its journal once that was repaired and accepted', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  const refund = (desk: TestDesk, id: string) =>
    desk.run(['-p', 'shop', 'orders', 'refund', id, '--amount', '300', '--yes', '--confirm', id]);
  expect((await refund(ana, 'ord_A1')).code).toBe(0);
  {
    using db = new DatabaseSync(join(ledger.sender.home.path, '.local/state/paydesk/journal/journal.db'));
    db.exec('DELETE FROM rows WHERE seq = (SELECT max(seq) FROM rows)');
  }
  const damaged = await refund(ana, 'ord_A2');
  expect(damaged).toMatchObject({ code: 3, stderr: expect.stringContaining('is damaged') });
  const repaired = await ledger.sender.run(['journal', 'verify', '--repair', '--yes']);
  expect([repaired.code, repaired.stdout]).toEqual([7, expect.stringContaining('1 lost')]);
  const accepted = await ledger.sender.run(['journal', 'verify', '--accept-copy', '--yes']);
  expect(accepted.code).toBe(0);
  // The first one that asks reads the members anew.
  const ben = await ledger.sender.desk('ben', 'operator', 'desk-2');
  expect(await refund(ben, 'ord_A2')).toMatchObject({ code: 0 });
  expect(await refund(ana, 'ord_A3')).toMatchObject({ code: 0 });
  expect((await ledger.sender.run(['sender', 'verify'])).code).toBe(0);
  expect(ledger.service.posts).toHaveLength(3);
});
