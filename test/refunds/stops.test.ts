/** A batch that is stopped: Ctrl-C and its like, and a reader that goes away. Rows in flight end, and a resume sends the rest. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ledgerAndDesk, settleArgs } from '../atmost/desk.ts';
import type { LedgerOrder } from '../atmost/ledger.ts';
import { until } from '../atmost/running.ts';
import { later } from '../harness/clock.ts';
import { bin, type Home, startInMemory } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset, stall } from '../harness/server.ts';
import { attemptsIn, checkPosts, journalOf } from './batch.ts';
import { planOf } from './planned.ts';
import { openIn } from './settle-all.ts';

// A busy machine may need longer than 10 s between SENT and the request, and would then not send.
const { ledger, desk } = await ledgerAndDesk({ 'refund.send_within': '1m' });

const rows = 12;
const applyWords = ['refunds', 'apply', 'rows.plan', '--yes'];

/** How the service answers once the test lets it. */
type Fate = 'applied' | 'lost' | 'applied and lost';

/** A plan of twelve orders, four of whose requests wait until the test lets them go. */
async function held(
  home: Home,
  { fates = [], atOnce = 4 }: { fates?: readonly Fate[]; atOnce?: number } = {},
) {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let waiting = 0;
  const orders = await planOf({ ledger, desk, home, rows });
  for (const [index, order] of orders.entries()) {
    const fate = fates[index] ?? 'applied';
    order.onPost =
      (_, apply) =>
      async (...exchange) => {
        waiting += 1;
        if (waiting === atOnce) arrived.resolve();
        await gate.promise;
        const made = fate === 'lost' ? {} : apply();
        await (fate === 'applied' ? json(made) : reset)(...exchange);
      };
  }
  return { orders, arrived: arrived.promise, letGo: gate.resolve };
}

function begin(home: Home, more: readonly string[] = []) {
  return startInMemory(['-p', 't', ...applyWords, ...more], { home, env: desk.env(home) });
}

function postsTo(orders: readonly LedgerOrder[]): number {
  return orders.reduce((sum, { posts }) => sum + posts.length, 0);
}

/** Applies the plan again, and looks whether each order has its one refund then. */
async function resumed(home: Home, orders: readonly LedgerOrder[]): Promise<void> {
  for (const order of orders) order.onPost = (_, apply) => json(apply());
  const { code, stderr } = await desk.run(home, applyWords);
  expect({ code, posts: postsTo(orders), made: orders.map((order) => order.done()) }, stderr).toEqual({
    code: 0,
    posts: rows,
    made: orders.map(() => 1),
  });
  checkPosts(
    orders.flatMap(({ posts }) => posts),
    journalOf(home),
  );
}

describe.concurrent('the first signal (C57, F35, F36)', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s: rows in flight end, the rest is not sent, exit %i, and a resume sends the rest',
    async (signal, exit) => {
      using home = desk.newHome();
      const { orders, arrived, letGo } = await held(home);
      const run = begin(home);
      await arrived;
      run.signal(signal);
      letGo();
      const { code, stderr, stdout } = await run.end;
      expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: exit, posts: 4 });
      expect(inOneLine(stderr)).toContain('of 12 rows 4 made (20000 MXN), 8 not sent; nothing is on its way');
      expect(stderr).toContain('paydesk -p t refunds apply rows.plan');
      // The report shows every row.
      expect(stdout.match(/not_sent/g)).toHaveLength(8);
      await resumed(home, orders);
    },
  );

  test('a row whose reply is lost is read again first: exit 130 if it was made', async () => {
    using home = desk.newHome();
    const { orders, arrived, letGo } = await held(home, { fates: ['applied', 'applied and lost'] });
    const run = begin(home);
    await arrived;
    run.signal('SIGINT');
    letGo();
    const { code, stderr } = await run.end;
    expect(code, stderr).toBe(130);
    expect(inOneLine(stderr)).toContain('of 12 rows 4 made (20000 MXN), 8 not sent');
    await resumed(home, orders);
  });

  test('a row that nobody knows of makes it exit 7, and the row is named', async () => {
    using home = desk.newHome();
    const { orders, arrived, letGo } = await held(home, { fates: ['lost'] });
    const run = begin(home);
    await arrived;
    run.signal('SIGINT');
    letGo();
    const { code, stderr } = await run.end;
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 4 });
    expect(inOneLine(stderr)).toContain(
      'of 12 rows 3 made (15000 MXN), 1 unconfirmed (5000 MXN), 8 not sent; 1 may still arrive',
    );
    expect(stderr).toMatch(
      new RegExp(`${orders[0]?.id}: blocked until .* at the latest: paydesk journal reconcile i_\\w+`),
    );
    // The rest goes on; the one row stays as it is until somebody knows.
    const again = await desk.run(home, applyWords);
    expect({ code: again.code, posts: postsTo(orders) }, again.stderr).toEqual({ code: 7, posts: rows });
    expect(inOneLine(again.stderr)).toContain('of 12 rows 11 made (55000 MXN), 1 unconfirmed (5000 MXN);');
    const [first] = orders;
    if (first !== undefined) first.onPost = (_, apply) => json(apply());
    const settle = settleArgs(openIn(journalOf(home))[0]?.sent.change ?? '', first?.id ?? '');
    expect((await desk.run(home, settle, later(200_000))).code).toBe(0);
    const last = await desk.run(home, applyWords);
    expect({ code: last.code, posts: postsTo(orders) }, last.stderr).toEqual({ code: 0, posts: rows + 1 });
    expect(orders.map((order) => order.done())).toEqual(orders.map(() => 1));
  });

  test('while rows are only read: none of them is sent, exit 130, and the counts are said', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    const reading = Promise.withResolvers<void>();
    for (const order of orders)
      order.onRead = () => {
        reading.resolve();
        return stall;
      };
    const run = begin(home);
    await reading.promise;
    run.signal('SIGINT');
    const { code, stderr, stdout } = await run.end;
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 130, posts: 0 });
    expect(inOneLine(stderr)).toContain('of 12 rows 12 not sent; nothing is on its way');
    expect(stdout.match(/not_sent/g)).toHaveLength(rows);
    for (const order of orders) order.onRead = undefined;
    await resumed(home, orders);
  });

  test('one row is in flight and others are read: the one ends, the others are not sent', async () => {
    using home = desk.newHome();
    const { orders, arrived, letGo } = await held(home, { atOnce: 1 });
    const reading = Promise.withResolvers<void>();
    for (const order of orders.slice(1))
      order.onRead = () => {
        reading.resolve();
        return stall;
      };
    const run = begin(home);
    await Promise.all([arrived, reading.promise]);
    run.signal('SIGINT');
    letGo();
    const { code, stderr } = await run.end;
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 130, posts: 1 });
    expect(inOneLine(stderr)).toContain('of 12 rows 1 made (5000 MXN), 11 not sent;');
    for (const order of orders) order.onRead = undefined;
    await resumed(home, orders);
  });

  test('while the batch pauses because the service asked for it: the pause ends at once', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    const paused = Promise.withResolvers<void>();
    const [first] = orders;
    if (first === undefined) throw new Error('no order');
    first.onPost = (_, apply) => {
      apply();
      return json({}, 429, { 'retry-after': '100' });
    };
    const words = ['-p', 't', ...applyWords, '--concurrency', '1'];
    const run = startInMemory(words, { home, env: desk.env(home), sleeps: 'really' });
    // Three reads: before it, and until one shows that it was made.
    first.onRead = (read) => {
      if (read >= 2) setImmediate(paused.resolve);
      return undefined;
    };
    await paused.promise;
    run.signal('SIGINT');
    const { code, stderr } = await run.end;
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 130, posts: 1 });
    await resumed(home, orders);
  });

  test('with --json: the report on stdout, and one object on stderr', async () => {
    using home = desk.newHome();
    const { orders, arrived, letGo } = await held(home);
    const run = begin(home, ['--json']);
    await arrived;
    run.signal('SIGINT');
    letGo();
    const { code, stdout, stderr } = await run.end;
    const report = JSON.parse(stdout) as { readonly data: readonly { readonly verdict: string }[] };
    const applied = report.data.filter(({ verdict }) => verdict === 'made');
    expect({ code, rows: report.data.length, applied: applied.length }).toEqual({
      code: 130,
      rows,
      applied: 4,
    });
    expect(JSON.parse(stderr)).toMatchObject({ object: 'error', exit_code: 130 });
    await resumed(home, orders);
  });
});

test('the command that goes on has the flags of the run that was stopped', async () => {
  using home = desk.newHome();
  const { arrived, letGo } = await held(home, { atOnce: 2 });
  const run = begin(home, ['--concurrency', '2', '--max-rps', '50']);
  await arrived;
  run.signal('SIGINT');
  letGo();
  const { code, stderr } = await run.end;
  expect(code, stderr).toBe(130);
  expect(inOneLine(stderr)).toContain(
    'go on: paydesk -p t refunds apply rows.plan --concurrency 2 --max-rps 50',
  );
});

describe('while a run applies the plan', () => {
  test('status says so, and --rest is refused: a row in that file could be paid a second later', async () => {
    using home = desk.newHome();
    const { arrived, letGo } = await held(home);
    const run = begin(home);
    await arrived;
    const status = await desk.runProcess(home, ['refunds', 'status', 'rows.plan']);
    const rest = await desk.runProcess(home, ['refunds', 'status', 'rows.plan', '--rest', 'rest.csv']);
    letGo();
    expect((await run.end).code).toBe(0);
    expect({ code: status.code, rest: rest.code }, status.stderr + rest.stderr).toEqual({ code: 7, rest: 3 });
    expect(inOneLine(status.stderr)).toContain('this plan is being applied right now: op7, since ');
    expect(inOneLine(rest.stderr)).toContain('another run is applying plan');
    expect(existsSync(join(home.path, 'rest.csv'))).toBe(false);
    const after = await desk.run(home, ['refunds', 'status', 'rows.plan', '--rest', 'rest.csv']);
    expect(after.code, after.stderr).toBe(0);
    expect(after.stderr).not.toContain('right now');
  });
});

describe.concurrent('the second Ctrl-C (F35)', () => {
  test('leaves at once with 7; a resume looks the rows up first and sends none of them again', async () => {
    using home = desk.newHome();
    const { orders, arrived, letGo } = await held(home);
    const run = begin(home);
    await arrived;
    run.signal('SIGINT');
    run.signal('SIGINT');
    const { code, stderr } = await run.end;
    expect({ code, posts: postsTo(orders) }, stderr).toEqual({ code: 7, posts: 4 });
    expect(stderr).toContain('paydesk journal reconcile');
    expect(stderr).toContain('paydesk -p t refunds apply rows.plan');
    expect(inOneLine(stderr)).toContain('4 unconfirmed (20000 MXN), 8 not sent; 4 may still arrive');
    expect(stderr).not.toContain('nothing is on its way');
    expect(openIn(journalOf(home))).toHaveLength(4);
    // They arrive after all.
    letGo();
    await until(() => orders.filter((order) => order.done() === 1).length === 4);
    await resumed(home, orders);
  });
});

describe.concurrent('nobody reads any more (F37)', () => {
  /** Runs a shell line with the batch in it, and gives its own exit code. */
  async function inShell(
    home: Home,
    line: string,
  ): Promise<{ readonly code: number; readonly shown: string }> {
    const apply = [process.execPath, bin, '-p', 't', ...applyWords].map((word) => `'${word}'`).join(' ');
    const script = line.replaceAll('APPLY', apply);
    const shell = spawn('bash', ['-c', script], { env: desk.env(home), cwd: home.path });
    const shown: string[] = [];
    shell.stdout.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
    shell.stderr.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
    await once(shell, 'close');
    const text = shown.join('');
    return { code: Number(/code (\d+)/.exec(text)?.[1]), shown: text };
  }

  test.each([
    ['apply PLAN | head -1 with a reader that is gone', '{ APPLY; echo code $? >&2; } | true'],
    ['stdout is closed', '{ APPLY; echo code $? >&2; } >&-'],
    ['stdout is a full disk', '{ APPLY; echo code $? >&2; } >/dev/full'],
  ])('%s: exit 9, all outcomes are in the journal', async (_, line) => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    const { code, shown } = await inShell(home, line);
    expect(code, shown).toBe(9);
    expect(inOneLine(shown)).toContain('of 12 rows 12 made (60000 MXN); nothing is on its way');
    expect(shown).toContain('paydesk -p t refunds status rows.plan');
    const attempts = attemptsIn(journalOf(home));
    expect(attempts.map(({ verdict }) => verdict)).toEqual(attempts.map(() => 'applied'));
    expect(attempts).toHaveLength(postsTo(orders));
    await resumed(home, orders);
  });

  test('the report is lost and a row is unconfirmed: exit 7 all the same', async () => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    const [first] = orders;
    if (first !== undefined) first.onPost = () => reset;
    const { code, shown } = await inShell(home, '{ APPLY; echo code $? >&2; } >/dev/full');
    expect({ code, posts: postsTo(orders) }, shown).toEqual({ code: 7, posts: rows });
    expect(inOneLine(shown)).toContain('of 12 rows 11 made (55000 MXN), 1 unconfirmed (5000 MXN)');
  });

  test.each([
    ['closed', '{ APPLY 2>&-; echo code $?; }'],
    ['a pipe that nobody reads', '{ APPLY 3>&2 2> >(true); echo code $?; }'],
    ['a full disk', '{ APPLY 2>/dev/full; echo code $?; }'],
  ])('stderr is %s: all rows are sent, exit 0', async (_, line) => {
    using home = desk.newHome();
    const orders = await planOf({ ledger, desk, home, rows });
    const { code, shown } = await inShell(home, line);
    expect({ code, posts: postsTo(orders) }, shown).toEqual({ code: 0, posts: rows });
    await resumed(home, orders);
  });
});
