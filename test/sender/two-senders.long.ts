/** Two senders of a team with one journal in PostgreSQL. */

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { initSender, senderFile, startSender, type TestSender } from '../harness/sender.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';

const shop = ['-p', 'shop'];
const refund = (order: string, amount = 300) => [
  ...shop,
  ...['orders', 'refund', order, '--amount', String(amount), '--yes'],
];

let server: PostgresServer;
let count = 0;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Two extends AsyncDisposable {
  readonly service: Service;
  readonly one: TestSender;
  readonly other: TestSender;
  readonly database: string;
  posts(orderId: string): number;
}

/** Two senders that serve the account `shop` of a service with so many orders. */
async function startTwo(orders = 3): Promise<Two> {
  count += 1;
  const database = `team_${count}`;
  await server.database(database);
  const postgres = `postgresql://postgres@127.0.0.1:${server.port}/${database}`;
  const service = await startService({ orders: ordersOf(orders), onPost: refunding() });
  const [one, other] = [newHome(), newHome()];
  for (const home of [one, other]) {
    await initSender(home, { url: service.url, config: { postgres } });
    const { code, stderr } = await paydesk(['sender', 'migrate', '--yes'], { home });
    expect([code, stderr]).toEqual([0, '']);
  }
  const options = { url: service.url };
  const started = {
    one: await startSender({ ...options, home: one }),
    other: await startSender({ ...options, home: other }),
  };
  return {
    ...started,
    service,
    database,
    posts: (id) => service.posts.filter(({ url }) => url === `/orders/${id}/refunds`).length,
    async [Symbol.asyncDispose]() {
      for (const sender of [started.one, started.other]) await sender[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      for (const home of [one, other]) home[Symbol.dispose]();
    },
  };
}

test('what one sender sent, the desks of the other see, and no sender sends it again', async () => {
  await using two = await startTwo();
  const ana = await two.one.desk('ana', 'operator', 'desk-1');
  const ben = await two.other.desk('ben', 'operator', 'desk-2');
  const first = await ana.run(refund('ord_A1'));
  expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
  const listed = await ben.run([...shop, 'journal', 'list', '--json']);
  expect(listed.stdout).toContain('"ana"');
  const again = await ben.run(refund('ord_A1'));
  expect([again.code, two.posts('ord_A1')]).toEqual([3, 1]);
  expect((await ben.run(refund('ord_A2'))).code).toBe(0);
  for (const sender of [two.one, two.other]) {
    const verified = await sender.run(['sender', 'verify', '--json']);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ findings: [], unconfirmed: 0, members: 2 });
  }
});

test('a sender that had its journal on its machine brings the history into the database', async () => {
  await using service = await startService({ orders: ordersOf(2), onPost: refunding() });
  using home = newHome();
  await initSender(home, { url: service.url });
  {
    await using sender = await startSender({ url: service.url, home });
    const ana = await sender.desk('ana');
    expect((await ana.run(refund('ord_A1'))).code).toBe(0);
  }
  count += 1;
  await server.database(`team_${count}`);
  const postgres = `postgresql://postgres@127.0.0.1:${server.port}/team_${count}`;
  const config = JSON.parse(readFileSync(senderFile(home), 'utf8'));
  writeFileSync(senderFile(home), JSON.stringify({ ...config, postgres }));
  const migrated = await paydesk(['sender', 'migrate', '--yes', '--json'], { home });
  expect(JSON.parse(migrated.stdout)).toMatchObject({ done: ['001-journal.sql'], brought: 4 });
  using second = newHome();
  await initSender(second, { url: service.url, config: { postgres } });
  await using other = await startSender({ url: service.url, home: second });
  const ben = await other.desk('ben');
  expect((await ben.run(refund('ord_A1'))).code).toBe(3);
  expect(service.posts).toHaveLength(1);
});

test('the same refund from desks of both senders at the same moment is sent once', async () => {
  await using two = await startTwo(20);
  const desks = [
    await two.one.desk('ana', 'operator', 'desk-1'),
    await two.one.desk('bea', 'operator', 'desk-2'),
    await two.other.desk('cem', 'operator', 'desk-3'),
    await two.other.desk('dee', 'operator', 'desk-4'),
  ];
  for (let order = 1; order <= 20; order += 1) {
    const ran = await Promise.all(desks.map((desk) => desk.run(refund(`ord_A${order}`))));
    const codes = ran.map(({ code }) => code).toSorted();
    expect([codes[0], two.posts(`ord_A${order}`)]).toEqual([0, 1]);
    expect(codes.slice(1).every((code) => code === 3)).toBe(true);
  }
});

test('a limit holds for refunds through both senders at the same moment', async () => {
  await using two = await startTwo(20);
  const lea = await two.one.desk('lea', 'lead', 'desk-1');
  // The same member at a desk of each sender.
  const desks = [
    await two.one.desk('ana', 'operator', 'desk-2'),
    await two.other.desk('ana', 'operator', 'desk-3'),
  ];
  expect(
    (await lea.run([...shop, 'sender', 'limits', 'set', 'all', 'MXN', '--day', '1500', '--yes'])).code,
  ).toBe(0);
  const ran = await Promise.all(
    Array.from({ length: 12 }, (_, at) => desks[at % 2]?.run(refund(`ord_A${at + 1}`))),
  );
  expect(ran.filter((one) => one?.code === 0)).toHaveLength(5);
  expect(two.service.posts).toHaveLength(5);
});
