/**
 * Six desks, two senders and one journal in PostgreSQL, all of it killed, stopped and cut at random. In the end, what the service made,
 * what the journal holds and what each desk said are the same.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/simulator/random.ts';
import { type Json, paidOrder } from '../harness/orders.ts';
import { type Home, paydesk, type Ran } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { seed } from '../harness/seed.ts';
import { type Service, startService } from '../harness/service.ts';
import { refunding } from './ledger.ts';
import { type DeskProcess, type SenderProcess, startDeskProcess, startSenderProcess } from './processes.ts';

// PAYDESK_TEST_MINUTES=30 goes on for longer.
const minutes = Number(process.env.PAYDESK_TEST_MINUTES ?? 10);
const orders = 24;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await server.database('team');
});
afterAll(() => server[Symbol.asyncDispose]());

/** One refund that a person wants, by its amount, which no other one has. */
interface Wanted {
  readonly home: Home;
  readonly order: string;
  readonly amount: number;
  readonly ran: Ran[];
}

// Of the seed, and uniform.
const random = seededRandom(String(seed));

// Who is refused because the earlier one is unconfirmed does not know either.
const isKnown = ({ ran }: Wanted): boolean => {
  const { code = 7, stderr = '' } = ran.at(-1) ?? {};
  return code === 0 || (code === 3 && !stderr.includes('is still unconfirmed'));
};

class Desks {
  readonly wanted: Wanted[] = [];
  readonly #running = new Set<DeskProcess>();

  async type(one: Wanted): Promise<void> {
    const words = ['orders', 'refund', one.order, '--amount', String(one.amount), '--yes'];
    const desk = startDeskProcess(one.home, words);
    this.#running.add(desk);
    one.ran.push(await desk.end);
    this.#running.delete(desk);
  }

  // A person who does not know types the same again, now or at the end of the day.
  async work(home: Home, until: number): Promise<void> {
    while (Date.now() < until) {
      const order = `ord_${random.integer(0, orders - 1)}`;
      const one = { home, order, amount: 101 + this.wanted.length, ran: [] };
      this.wanted.push(one);
      await this.type(one);
      if (!isKnown(one) && random.fraction() < 0.5) await this.type(one);
    }
  }

  killOne(): void {
    [...this.#running][random.integer(0, this.#running.size - 1)]?.kill();
  }
}

// The moments of faults are random, and whoever types the same again does it after a while: nothing here waits for an event.
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** What goes wrong, and how often it did. */
async function breakThings(senders: readonly [SenderProcess, SenderProcess], desks: Desks, until: number) {
  const count = { kills: 0, stops: 0, desks: 0, cuts: 0, restarts: 0 };
  while (Date.now() < until) {
    await pause(500 + random.fraction() * 2500);
    const what = random.pick(['kills', 'stops', 'desks', 'desks', 'cuts', 'restarts'] as const);
    const sender = random.pick([...senders]);
    count[what] += 1;
    switch (what) {
      case 'kills':
        sender.signal('SIGKILL');
        await sender.start();
        break;
      case 'stops':
        sender.signal('SIGSTOP');
        await pause(500 + random.fraction() * 3000);
        // As if it had been stopped for longer than a lease.
        await server.ask('team', "update paydesk.leases set until = clock_timestamp() - interval '1 s'");
        await pause(random.fraction() * 2000);
        sender.signal('SIGCONT');
        break;
      case 'desks':
        desks.killOne();
        break;
      case 'cuts':
        await server.ask(
          'postgres',
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'team'",
        );
        break;
      case 'restarts':
        await server.stop('SIGQUIT');
        await pause(random.fraction() * 2000);
        await server.start();
    }
  }
  return count;
}

// A tenth of the replies are lost after the refund was made.
function startLosing(): Promise<Service> {
  const make = refunding();
  return startService({
    orders: Array.from({ length: orders }, (_, at) => paidOrder(`ord_${at}`, { amount: 50_000_000 })),
    onPost: (...asked) => {
      const reply = make(...asked);
      return random.fraction() < 0.1 ? (_request, _response, socket) => void socket.destroy() : reply;
    },
  });
}

const amountIn = (body: string) => Number((JSON.parse(body) as Json).amount);

test('what the service made, what the journal holds and what each desk said are the same', {
  timeout: (minutes + 20) * 60_000,
}, async () => {
  await using service = await startLosing();
  const postgres = `postgresql://postgres@127.0.0.1:${server.port}/team`;
  const options = { url: service.url, config: { postgres }, settings: { 'refund.send_within': '1s' } };
  await using one = await startSenderProcess(options);
  await using other = await startSenderProcess(options);
  const names = ['ana', 'ben', 'cem', 'dee', 'eva', 'fay'];
  const homes: Home[] = [];
  for (const [at, name] of names.entries()) homes.push(await (at % 2 === 0 ? one : other).desk(name));
  const desks = new Desks();
  const until = Date.now() + minutes * 60_000;
  const broken = breakThings([one, other], desks, until);
  await Promise.all(homes.map((home) => desks.work(home, until)));
  const count = await broken;
  const { wanted } = desks;
  const asked = wanted.length;
  const open = wanted.filter((found) => !isKnown(found));
  // Each person at their own desk, since a long run leaves hundreds.
  const askAgain = async (home: Home) => {
    const own = () => open.filter((found) => found.home === home && !isKnown(found));
    for (let round = 0; round < 100 && own().length > 0; round += 1) {
      if (round > 0) await pause(2000);
      for (const found of own()) {
        const [, change] = /journal reconcile (i_\w+)/.exec(found.ran.at(-1)?.stderr ?? '') ?? [];
        // As the screen says.
        if (change !== undefined) await startDeskProcess(home, ['journal', 'reconcile', change]).end;
        await desks.type(found);
      }
    }
  };
  await Promise.all(homes.map(askAgain));

  const posts = Map.groupBy(service.posts, ({ body }) => amountIn(body));
  const listed = await paydesk(['-p', 'shop', 'journal', 'list', '--json', '--all'], { home: one.home });
  const { data } = JSON.parse(listed.stdout) as {
    readonly data: readonly { readonly amount: number; readonly verdict: string }[];
  };
  const applied = Map.groupBy(
    data.filter(({ verdict }) => verdict === 'applied'),
    ({ amount }) => amount,
  );
  const wrong = wanted.flatMap(({ amount, order, ran }) => {
    const made = posts.get(amount)?.length ?? 0;
    const recorded = applied.get(amount)?.length ?? 0;
    const last = ran.at(-1);
    const saysMade = last?.code === 0 || (last?.code === 3 && last.stderr.includes('already'));
    const what = [
      ...(made > 1 ? ['double'] : []),
      ...(recorded === made ? [] : ['lost']),
      ...(saysMade === made > 0 && last?.code !== 7 ? [] : ['false']),
    ];
    const said = ran.map(({ code, stderr }) => `${code} ${stderr.slice(-600)}`);
    return what.length === 0 ? [] : [{ what, amount, order, made, recorded, said }];
  });
  process.stdout.write(
    `random team (seed ${seed}, ${minutes} min): ${asked} refunds wanted, ${service.posts.length} made, ${open.length} asked again at the end; ${JSON.stringify(count)}: ${wrong.length} wrong\n`,
  );
  expect(wrong).toEqual([]);
  expect(data.filter(({ verdict }) => verdict === 'unconfirmed')).toEqual([]);
  for (const { home } of [one, other]) {
    const verified = await paydesk(['sender', 'verify', '--json'], { home });
    expect(JSON.parse(verified.stdout)).toMatchObject({ findings: [], problem: null, unconfirmed: 0 });
  }
});
