/**
 * Desks of a team work on the same orders while connections break, processes are killed and frozen, and the server ends and
 * starts again. Afterwards the service, the journal and all mirrors must tell the same.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ledgerAndDesk, stateOf } from '../atmost/desk.ts';
import type { LedgerOrder, OnPost } from '../atmost/ledger.ts';
import { later } from '../harness/clock.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { isLong } from '../harness/long.ts';
import type { Home } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { json, reset } from '../harness/server.ts';
import { databaseOn, makeTemplate, people, signIn, type TeamDatabase } from '../harness/team-database.ts';
import { teamOn } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';
import type { Work } from './working-desk.ts';

const [desks, seconds] = isLong ? [6, 30 * 60] : [3, 5];
// A desk that is frozen for longer than a second sends nothing any more.
const { ledger, desk } = await ledgerAndDesk({ 'refund.send_within': '1s' });
let server: PostgresServer;
let database: TeamDatabase;

beforeAll(async () => {
  server = await startPostgres();
  await makeTemplate(server.address);
  database = await databaseOn(server.address);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Post {
  readonly order: string;
  readonly amount: number;
  readonly at: number;
}
const posts: Post[] = [];

/** What comes of a request: mostly that it is made and said; it may be made or not, and not be said. */
const unreliable: OnPost = ({ id, posts: seen }, apply) => {
  const { amount } = JSON.parse(seen.at(-1)?.body ?? '');
  posts.push({ order: id, amount, at: Date.now() });
  const fate = Math.random();
  if (fate < 0.1) return reset;
  const made = apply();
  if (fate < 0.2) return reset;
  return fate < 0.3 ? json({}, 500) : json(made);
};

/** A desk: its home, its way to the server, and the process that works there now. */
interface Working {
  readonly home: Home;
  readonly proxy: CuttingProxy;
  process: ChildProcess;
}

const orders: LedgerOrder[] = [];
let [processes, runs] = [0, 0];

/** Starts a process. It begins near the order that was refunded last. */
function startWork(home: Home): ChildProcess {
  const last = orders.findLastIndex((order) => order.posts.length > 0);
  processes += 1;
  const ids = orders.slice(Math.max(0, last), last + 1000).map(({ id }) => id);
  const work: Work = { home: home.path, env: { TZ: 'UTC' }, orders: ids, number: processes };
  const file = join(import.meta.dirname, 'working-desk.ts');
  const started = spawn(process.execPath, [file, JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.stdout.on('data', (text) => {
    runs += String(text).split('\n').length - 1;
  });
  return started;
}

/** Resolves when the process has ended, by this signal if it has not already. */
async function ended(last: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (last.exitCode !== null || last.signalCode !== null) return;
  const closed = once(last, 'close');
  last.kill(signal);
  await closed;
}

async function openDesk(index: number): Promise<Working> {
  const home = desk.newHome();
  const proxy = await startCuttingProxy(server.address.port);
  const person = people[index % people.length] ?? 'ana';
  await joinTeam(home, ledger.url, database, { person, port: proxy.port });
  return { home, proxy, process: startWork(home) };
}

/** What may happen to a desk, and to the server under all of them. */
const happenings: Readonly<Record<string, (working: Working) => Promise<void>>> = {
  async cut({ proxy }) {
    proxy.cut();
  },
  async 'lost answer'({ proxy }) {
    proxy.at('record_', 'cut after');
  },
  async 'lost statement'({ proxy }) {
    proxy.at('record_', 'cut before');
  },
  async 'late statement'({ proxy }) {
    proxy.at('record_sent', 'hold');
    await wait(300);
    await proxy.release();
  },
  async kill(working) {
    await ended(working.process, 'SIGKILL');
    working.process = startWork(working.home);
  },
  async freeze({ process: frozen }) {
    frozen.kill('SIGSTOP');
    await wait(1300);
    frozen.kill('SIGCONT');
  },
  async terminate() {
    await asked(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'paydesk'`);
  },
  async restart() {
    await server.stop(Math.random() < 0.5 ? 'SIGKILL' : 'SIGQUIT');
    await server.start();
  },
};

test(`${desks} desks, ${seconds} s of everything that may go wrong: each POST has its SENT, no order has two unconfirmed changes, and all tell the same`, async () => {
  for (let count = 0; count < 10 * seconds; count += 1) orders.push(ledger.add('refund', unreliable));
  const working: Working[] = [];
  while (working.length < desks) working.push(await openDesk(working.length));
  const happened: string[] = [];
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await wait(100 + Math.random() * 300)) {
    const names = Object.keys(happenings);
    const name = names[happened.length % names.length] ?? '';
    const at = working[Math.floor(Math.random() * desks)];
    if (at !== undefined) await happenings[name]?.(at);
    happened.push(name);
  }
  await Promise.all(working.map(({ process: last }) => ended(last, 'SIGTERM')));
  await lookAtAll(working);
  const attempts = await sentAndJudged();
  expectTheServiceToAgree(attempts);
  await expectTheMirrorsToAgree(working);
  const made = attempts.filter(({ verdict }) => verdict === 'applied').length;
  console.log(
    `${desks} desks, ${seconds} s: ${runs} runs, ${happened.length} happenings (${new Set(happened).size} kinds), ${attempts.length} SENT, ${posts.length} POSTs, ${made} made, ${processes} processes; 0 without SENT, 0 sent twice, 0 false`,
  );
  for (const { home, proxy } of working) {
    await proxy[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  }
});

/** Asks the server as its superuser, on a connection of its own: any other broke with it. */
async function asked(statement: string): Promise<readonly Record<string, unknown>[]> {
  await using admin = await signIn(server.address, database.name);
  return await admin.query(statement);
}

// A minute later nobody can send any more what was recorded, so anybody may look what became of it.
async function lookAtAll([first]: readonly Working[]): Promise<void> {
  const minute = 60_000;
  await asked(`create or replace function paydesk.row_time(p_newest bigint) returns bigint language sql volatile as
    $$ select greatest((extract(epoch from clock_timestamp()) * 1000)::bigint + ${minute}, p_newest) $$`);
  ledger.clock.offMs = minute;
  if (first !== undefined) await desk.run(first.home, ['journal', 'reconcile', '--all'], later(minute));
}

/** What the journal says of each attempt that was recorded: of which order and amount, when, and its last verdict. */
interface Attempt {
  readonly order: string;
  readonly amount: number;
  readonly time: number;
  verdict: string | undefined;
}

/** All attempts. Of each order, the next one comes when the one before it is confirmed: made, or certainly not sent. */
async function sentAndJudged(): Promise<readonly Attempt[]> {
  const all = new Map<string, Attempt>();
  const newest = new Map<string, Attempt>();
  const rows = await asked(
    `select type, time, intent || '/' || attempt as name, row from paydesk.rows order by seq`,
  );
  for (const { type, time, name, row } of rows) {
    const { verdict, proof, amount } = JSON.parse(String(row));
    if (type === 'sent') {
      const sent: Attempt = { order: proof.orderId, amount, time: Number(time), verdict: undefined };
      expect(['applied', 'not_sent', 'none']).toContain(
        newest.has(sent.order) ? newest.get(sent.order)?.verdict : 'none',
      );
      all.set(String(name), sent);
      newest.set(sent.order, sent);
    }
    const judged = all.get(String(name));
    if (type === 'verdict' && judged !== undefined) judged.verdict = verdict;
  }
  return [...all.values()];
}

function expectTheServiceToAgree(attempts: readonly Attempt[]): void {
  const key = ({ order, amount }: Pick<Attempt, 'order' | 'amount'>) => `${order} ${amount}`;
  const recorded = new Map(attempts.map((attempt) => [key(attempt), attempt]));
  expect(recorded.size).toBe(attempts.length);
  expect(new Set(posts.map(key)).size).toBe(posts.length);
  for (const post of posts) expect(recorded.get(key(post))?.time).toBeLessThanOrEqual(post.at);
  const posted = new Set(posts.map(key));
  const wrong = attempts.filter(
    (one) => one.verdict === undefined || (one.verdict === 'not_sent' && posted.has(key(one))),
  );
  expect(wrong).toEqual([]);
  const refunded = orders.flatMap(({ id, value }) => refundsOf(value).map((amount) => `${id} ${-amount}`));
  const made = attempts.filter(({ verdict }) => verdict === 'applied').map(key);
  expect(made.toSorted()).toEqual(refunded.toSorted());
}

function refundsOf(order: LedgerOrder['value']): readonly number[] {
  const { charges } = order as { charges: { data: { refunds: { data: { amount: number }[] } | null }[] } };
  return charges.data.flatMap(({ refunds }) => (refunds?.data ?? []).map(({ amount }) => amount));
}

async function expectTheMirrorsToAgree(working: readonly Working[]): Promise<void> {
  const store = teamOn(database).desk();
  expect(await store.verify()).toMatchObject({ findings: [] });
  store.close();
  const [head] = await asked('select journal from paydesk.head');
  const rows = (await asked('select hash from paydesk.rows order by seq')).map(({ hash }) => hash);
  for (const { home } of working) {
    const mirror = new DatabaseSync(join(stateOf(home), 'team', `${String(head?.journal)}.db`));
    const mirrored = mirror.prepare('SELECT hash FROM rows ORDER BY seq').all();
    mirror.close();
    expect(mirrored.map(({ hash }) => hash)).toEqual(rows.slice(0, mirrored.length));
  }
}
