/** Two senders of a team with one journal in PostgreSQL. */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { initSender, senderFile, startSender, type TestSender } from '../harness/sender.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';
import { startDeskProcess, startSenderProcess } from './processes.ts';
import { handOver, lastLine, withdraw } from './raw-hop.ts';

const shop = ['-p', 'shop'];
const refund = (order: string, amount = 300) =>
  ['-p', 'shop', 'orders', 'refund', order, '--amount', String(amount), '--yes'] as const;
const ascending = (one: number | null, other: number | null) => Number(one) - Number(other);

// Of a role like any other, that owns its database.
const password = 'sec:ret\\p';
let server: PostgresServer;
let count = 0;
beforeAll(async () => {
  server = await startPostgres();
  await server.ask('postgres', `create role paydesk login password '${password}'`);
});
afterAll(() => server[Symbol.asyncDispose]());

async function newDatabase(): Promise<{
  readonly postgres: string;
  readonly expire: () => Promise<unknown>;
  readonly hold: () => Promise<HeldTable>;
}> {
  count += 1;
  const name = `team_${count}`;
  await server.database(name);
  await server.ask('postgres', `alter database ${name} owner to paydesk`);
  return {
    postgres: `postgresql://paydesk@127.0.0.1:${server.port}/${name}`,
    // As if the holders had been stopped for longer than a lease.
    expire: () => server.ask(name, "update paydesk.leases set until = clock_timestamp() - interval '1 s'"),
    hold: () => holdRows(name),
  };
}

interface HeldTable {
  /** How many wait for the table, or for whoever does. */
  waiting(): Promise<number>;
  release(): Promise<unknown>;
}

async function holdRows(database: string): Promise<HeldTable> {
  const client = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database });
  await client.connect();
  await client.query('begin; lock table paydesk.rows in exclusive mode');
  return {
    waiting: async () =>
      (
        await server.ask(
          'postgres',
          `select 1 from pg_stat_activity where datname = '${database}' and wait_event_type = 'Lock'`,
        )
      ).length,
    async release() {
      await client.query('commit');
      await client.end();
    },
  };
}

interface Two extends AsyncDisposable {
  readonly service: Service;
  readonly one: TestSender;
  readonly other: TestSender;
  posts(orderId: string): number;
}

/** Two senders that serve the account `shop` of a service with so many orders. */
async function startTwo(orders = 3): Promise<Two> {
  const { postgres } = await newDatabase();
  const service = await startService({ orders: ordersOf(orders), onPost: refunding() });
  const [one, other] = [newHome(), newHome()];
  for (const home of [one, other]) {
    await initSender(home, { url: service.url, config: { postgres } });
  }
  const options = { url: service.url };
  const started = {
    one: await startSender({ ...options, home: one }),
    other: await startSender({ ...options, home: other }),
  };
  return {
    ...started,
    service,
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
  const { postgres } = await newDatabase();
  const config = JSON.parse(readFileSync(senderFile(home), 'utf8'));
  writeFileSync(senderFile(home), JSON.stringify({ ...config, postgres }));
  const migrated = await paydesk(['sender', 'migrate', '--yes', '--json', '--allow-root'], { home });
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
    const codes = ran.map(({ code }) => code).toSorted(ascending);
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
    Array.from({ length: 12 }, async (_, at) => await desks[at % 2]?.run(refund(`ord_A${at + 1}`))),
  );
  expect(ran.filter((one) => one?.code === 0)).toHaveLength(5);
  expect(two.service.posts).toHaveLength(5);
});

test('an invitation works once, also when a sender stands still while somebody joins there', async () => {
  const { postgres, expire, hold } = await newDatabase();
  await using service = await startService({ orders: ordersOf(1) });
  const options = { url: service.url, config: { postgres } };
  await using one = await startSender(options);
  await using other = await startSender(options);
  const invitation = await one.invite('ana');
  // Rows can be read, and none can be added.
  const held = await hold();
  const first = one.join(invitation, 'desk-1');
  await expect.poll(() => held.waiting(), { timeout: 10_000 }).toBe(1);
  await expire();
  const second = other.join({ ...invitation, sender: other.url }, 'desk-2');
  await expect.poll(() => held.waiting(), { timeout: 10_000 }).toBe(2);
  await held.release();
  const codes = (await Promise.all([first, second])).map(({ ran }) => ran.code);
  expect(codes).toEqual([0, 4]);
  const { stdout } = await one.run(['sender', 'members', '--json']);
  expect(JSON.parse(stdout).data).toMatchObject([{ name: 'ana', tokens: [{ desk: 'desk-1' }] }]);
});

test('a sender that was killed with an order has it again at once when it is started again', async () => {
  const { postgres } = await newDatabase();
  let onRead: (() => void) | undefined;
  await using service = await startService({
    orders: ordersOf(1),
    onGet: (_service, { url }) => (/[?&]limit=1(&|$)/.test(url) ? onRead?.() : undefined),
    onPost: refunding(),
  });
  await using sender = await startSenderProcess({ url: service.url, config: { postgres } });
  const home = await sender.desk('ana');
  let reads = 0;
  const killed = new Promise<void>((resolve) => {
    onRead = () => {
      reads += 1;
      // The final read: the order is locked, and nothing is recorded.
      if (reads < 4) return;
      onRead = undefined;
      sender.signal('SIGKILL');
      resolve();
    };
  });
  const cut = startDeskProcess(home, refund('ord_A1').slice(2));
  await killed;
  await sender.start();
  expect((await cut.end).code).toBe(0);
  expect(service.posts).toHaveLength(1);
});

const planIds = ['ord_A1', 'ord_A2', 'ord_A3', 'ord_A4', 'ord_A5', 'ord_A6'];
const apply = ['refunds', 'apply', 'rows.plan', '--yes', '--json', '--concurrency', '2'];

// The same plan in both homes.
async function planAt(home: Home, other: Home): Promise<void> {
  writeFileSync(
    join(home.path, 'rows.csv'),
    `order_id,amount\n${planIds.map((id) => `${id},300`).join('\n')}\n`,
  );
  const ran = await paydesk([...shop, 'refunds', 'plan', 'rows.csv', '--to', 'rows.plan'], { home });
  if (ran.code !== 0) throw new Error(ran.stderr);
  copyFileSync(join(home.path, 'rows.plan'), join(other.path, 'rows.plan'));
}

test('a plan that is applied through both senders at once is worked off by one of them: each row is sent once', async () => {
  await using two = await startTwo(6);
  const ana = await two.one.desk('ana', 'operator', 'desk-1');
  const ben = await two.other.desk('ben', 'operator', 'desk-2');
  await planAt(ana.home, ben.home);
  const ran = await Promise.all([ana, ben].map((desk) => desk.run([...shop, ...apply])));
  for (const one of ran) expect(one, one.stderr).toMatchObject({ code: 0 });
  expect(planIds.map((id) => two.posts(id))).toEqual([1, 1, 1, 1, 1, 1]);
});

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'a sender that ends or stands still (%s) with a plan: the other one works it off, and no row is sent twice',
  async (signal) => {
    const { postgres, expire } = await newDatabase();
    const make = refunding();
    let onPost = (): void => undefined;
    await using service = await startService({
      orders: ordersOf(6),
      onPost: (...asked) => {
        onPost();
        return make(...asked);
      },
    });
    const options = { url: service.url, config: { postgres }, settings: { 'refund.send_within': '1s' } };
    await using first = await startSenderProcess(options);
    await using other = await startSenderProcess(options);
    const [anas, bens] = [await first.desk('ana'), await other.desk('ben')];
    await planAt(anas, bens);
    const hit = new Promise<void>((resolve) => {
      onPost = () => {
        if (service.posts.length !== 3) return;
        first.signal(signal);
        resolve();
      };
    });
    const ana = startDeskProcess(anas, apply);
    await hit;
    await expire();
    const ben = await startDeskProcess(bens, apply).end;
    expect([0, 7]).toContain(ben.code);
    if (signal === 'SIGSTOP') first.signal('SIGCONT');
    else ana.kill();
    await ana.end;
    // As soon as nothing of the third row can be on its way any more.
    await expect
      .poll(async () => (await startDeskProcess(bens, apply).end).code, { timeout: 60_000, interval: 500 })
      .toBe(0);
    const posts = planIds.map(
      (id) => service.posts.filter(({ url }) => url === `/orders/${id}/refunds`).length,
    );
    expect(posts).toEqual([1, 1, 1, 1, 1, 1]);
  },
);

interface Frozen {
  /** What the desks of the stopped sender and of the other one heard. */
  readonly ana: Ran;
  readonly ben: Ran;
  readonly posts: number;
}

// A desk refunds through a sender that is stopped when the service gets its final read, or its refund; then a desk of the other
// sender refunds the same, and the first one goes on.
async function refundWhileStopped(at: 'final read' | 'refund'): Promise<Frozen> {
  const { postgres, expire } = await newDatabase();
  const make = refunding();
  let [reads, stop] = [0, (): void => undefined];
  await using service = await startService({
    orders: ordersOf(1),
    onGet: (_service, { url }) => {
      if (!/[?&]limit=1(&|$)/.test(url)) return;
      reads += 1;
      if (reads === 4 && at === 'final read') stop();
    },
    onPost: (order, one, request) => {
      if (at === 'refund') stop();
      return make(order, one, request);
    },
  });
  const options = { url: service.url, config: { postgres } };
  await using first = await startSenderProcess(options);
  await using other = await startSenderProcess(options);
  const [anasHome, bensHome] = [await first.desk('ana'), await other.desk('ben')];
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      first.signal('SIGSTOP');
      resolve();
    };
  });
  const ana = startDeskProcess(anasHome, refund('ord_A1').slice(2));
  await stopped;
  await expire();
  const ben = await startDeskProcess(bensHome, refund('ord_A1').slice(2)).end;
  first.signal('SIGCONT');
  const heard = { ana: await ana.end, ben, posts: service.posts.length };
  const verified = await paydesk(['sender', 'verify', '--json'], { home: other.home });
  expect(JSON.parse(verified.stdout)).toMatchObject({ findings: [] });
  return heard;
}

test('a sender that is stopped with an order before it sends, for longer than its lease, sends nothing any more', async () => {
  const { ana, ben, posts } = await refundWhileStopped('final read');
  expect([ben.code, posts]).toEqual([0, 1]);
  expect(ana.code).toBe(3);
  expect(ana.stderr).toContain('nothing was sent');
});

test('while a sender is stopped with a refund under way, the other one sends none on that order', async () => {
  const { ana, ben, posts } = await refundWhileStopped('refund');
  expect([ana.code, posts]).toEqual([0, 1]);
  expect([3, 7]).toContain(ben.code);
});

test('two senders share a journal through a pooler in transaction mode', async () => {
  const { postgres } = await newDatabase();
  await using pooler = await server.pooler();
  const through = postgres.replace(`:${server.port}/`, `:${pooler.port}/`);
  await using service = await startService({ orders: ordersOf(9), onPost: refunding() });
  await using one = await startSender({ url: service.url, config: { postgres: through } });
  await using other = await startSender({ url: service.url, config: { postgres: through } });
  const [ana, ben] = [await one.desk('ana'), await other.desk('ben')];
  for (let at = 1; at <= 9; at += 1) {
    const ran = await Promise.all([ana.run(refund(`ord_A${at}`)), ben.run(refund(`ord_A${at}`))]);
    expect(ran.map(({ code }) => code).toSorted(ascending)).toEqual([0, 3]);
  }
  expect(service.posts).toHaveLength(9);
  expect((await one.run(['sender', 'verify'])).code).toBe(0);
  // What was checked is the journal that both share, not the copy of one of them.
  const whole = await one.run(['journal', 'verify', '--json']);
  const file = through.replace('postgresql://', '');
  expect(JSON.parse(whole.stdout)).toMatchObject({ file, findings: [] });
});

test('an id that a desk takes back through one sender is not sent by the other, which had it already', async () => {
  const { postgres } = await newDatabase();
  let [reads, stop] = [0, (): void => undefined];
  await using service = await startService({
    orders: ordersOf(1),
    onGet: () => {
      reads += 1;
      if (reads === 1) stop();
    },
    onPost: refunding(),
  });
  const options = { url: service.url, config: { postgres } };
  await using first = await startSenderProcess(options);
  await using other = await startSenderProcess(options);
  const home = await first.desk('ana');
  const keys: { readonly keys: readonly [string, { readonly key: string }][] } = JSON.parse(
    readFileSync(join(home.path, '.config/paydesk/keys.json'), 'utf8'),
  );
  const token = keys.keys[0]?.[1].key ?? '';
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      first.signal('SIGSTOP');
      resolve();
    };
  });
  reads = 0;
  const handed = handOver(first.url, token, 'i_taken1', service.orders[0] ?? {});
  await stopped;
  expect(lastLine(await withdraw(other.url, token, 'i_taken1'))).toEqual({ closed: true });
  first.signal('SIGCONT');
  expect(lastLine(await handed)).toHaveProperty('refused');
  expect(service.posts).toEqual([]);
  expect(lastLine(await withdraw(first.url, token, 'i_taken1'))).toEqual({ closed: true });
});

test('the password is taken from PGPASSFILE, and is in no error, row or file of paydesk', async () => {
  const { postgres } = await newDatabase();
  await server.askPasswordOf('paydesk');
  await using service = await startService({ orders: ordersOf(1), onPost: refunding() });
  using home = newHome();
  const wrong = initSender(home, { url: service.url, config: { postgres } });
  await expect(wrong).rejects.toThrow('does not let the sender in');
  const file = join(home.path, 'pass');
  writeFileSync(
    file,
    `# of the team\n*:*:other:paydesk:x\n127.0.0.1:*:*:paydesk:${password.replaceAll(/[\\:]/g, '\\$&')}\n`,
  );
  const env = { PGPASSFILE: file };
  const ran = await paydesk(['sender', 'migrate', '--yes', '--allow-root'], { home, env });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect((await paydesk(['sender', 'verify'], { home, env })).code).toBe(0);
  const guessed = await paydesk(['sender', 'verify', '--debug'], { home, env: { PGPASSWORD: 'guess-9931' } });
  expect(guessed.code).toBe(3);
  expect(guessed.stderr).not.toContain('guess-9931');
});
