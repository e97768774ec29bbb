/** Several processes want the same order: one sends, the others are refused, whoever was stopped or killed meanwhile. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { copyOf, type Home } from '../harness/paydesk.ts';
import { type Handler, json } from '../harness/server.ts';
import { changeArgs, type Desk, journalRows, ledgerAndDesk, openDesk, settleArgs, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { start, until } from './running.ts';
import { type CallName, hasStrace, startTraced, traced } from './strace.ts';

const { ledger, desk } = await ledgerAndDesk();
/** Its profile sends within a second of SENT, or not at all; that of the other one within five minutes. */
let hasty: Desk;
let patient: Desk;
beforeAll(async () => {
  patient = await openDesk({ url: ledger.url, settings: { 'refund.send_within': '5m' } });
  hasty = await openDesk({ url: ledger.url, settings: { 'refund.send_within': '1s' } });
});
afterAll(() => {
  patient[Symbol.dispose]();
  hasty[Symbol.dispose]();
});

/** Done and answered when the gate opens. */
function behind(gate: Promise<void>, apply: () => unknown): Handler {
  return async (...request) => {
    await gate;
    await json(apply())(...request);
  };
}

/** Starts so many on one order; the one that sends gets its answer when all others have ended. */
async function contend(home: Home, order: LedgerOrder, contenders: number) {
  const others = Promise.withResolvers<void>();
  order.onPost = (_, apply) => behind(others.promise, apply);
  let left = contenders - 1;
  const runs = Array.from({ length: contenders }, () => start(desk, home, changeArgs(order)));
  for (const { end } of runs) {
    void end.then(() => {
      left -= 1;
      if (left === 0) others.resolve();
    });
  }
  return Promise.all(runs.map(({ end }) => end));
}

const byNumber = (one: number | null, other: number | null): number => Number(one) - Number(other);
const busy = /is being changed by op7 \(orders refund\) since \d\d:\d\d:\d\d/;

describe('two processes, one order (F20)', () => {
  test('exactly one sends; the other is told who is at it, and exits 3', async () => {
    const races = Array.from({ length: isLong ? 1000 : 2 });
    const ended = await each(
      races,
      async () => {
        using home = desk.newHome();
        const order = ledger.add('refund');
        const runs = await contend(home, order, 2);
        const codes = runs.map(({ code }) => code).toSorted(byNumber);
        const loser = runs.find(({ code }) => code === 3);
        expect({ codes, posts: order.posts.length }, loser?.stderr).toEqual({ codes: [0, 3], posts: 1 });
        expect(loser?.stderr).toMatch(busy);
        expect(story(home)).toBe('sent applied');
        return order.posts.length;
      },
      2,
    );
    const sent = ended.reduce((sum, posts) => sum + posts, 0);
    console.log(
      `races of two processes: ${ended.length}, ${sent} requests sent, ${ended.length} refused as busy`,
    );
  }, 3_600_000);
});

describe('the owner of a lock is killed (F22)', () => {
  const contenders = isLong ? 20 : 4;

  test(`of ${contenders} contenders one takes over at once and sends, the others exit 3`, async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const holding = Promise.withResolvers<void>();
    // The second read is the final one, under the lock: it is never answered.
    order.onRead = (read) => {
      if (read !== 2) return undefined;
      holding.resolve();
      return () => undefined;
    };
    const owner = start(desk, home, changeArgs(order));
    await holding.promise;
    owner.kill('SIGKILL');
    await owner.end;
    const runs = await contend(home, order, contenders);
    const codes = runs.map(({ code }) => code);
    const odd = runs.filter(({ code }) => code !== 0 && code !== 3);
    expect(codes.toSorted(byNumber), odd.map(({ stderr }) => stderr).join()).toEqual([
      0,
      ...Array.from({ length: contenders - 1 }, () => 3),
    ]);
    expect(order.posts).toHaveLength(1);
    expect(story(home)).toBe('sent applied');
  });
});

describe.skipIf(!hasStrace())('the one who sends is stopped (F21)', () => {
  test('when SENT is on the disk: others are refused; woken after send_by it sends nothing and exits 6', async () => {
    using home = hasty.newHome();
    const order = ledger.add('refund');
    // The last thing that it writes is the landmark: by then neither of the journal's files is locked.
    const when = await lastBeforePost('pwrite64');
    const stopped = startTraced(hasty, home, changeArgs(order), {
      call: 'pwrite64',
      what: 'signal=STOP',
      when,
    });
    await untilLogged(stopped.log, 'stopped by SIGSTOP');
    expect(story(home)).toBe('sent');
    const [refund, reconcile] = await Promise.all([
      hasty.run(home, changeArgs(order)),
      hasty.run(home, ['journal', 'reconcile', '--all']),
    ]);
    expect({ code: refund.code, posts: order.posts.length }, refund.stderr).toEqual({ code: 3, posts: 0 });
    expect(refund.stderr).toMatch(busy);
    expect(refund.stderr).toMatch(/then look:\s+paydesk .*orders show \S+\n/);
    expect(reconcile.code, reconcile.stderr).toBe(7);
    expect(reconcile.stderr).toContain('is being changed by');
    await untilTooLate();
    process.kill(childOf(stopped.pid), 'SIGCONT');
    const woken = await stopped.end;
    expect({ code: woken.code, posts: order.posts.length }, woken.stderr).toEqual({ code: 6, posts: 0 });
    expect(woken.stderr).toContain('was not sent: this machine was asleep or frozen');
    expect(story(home)).toBe('sent not_sent');
  });

  test.each([
    ['woken, it sends, once', 'SIGCONT', { code: 0, posts: 1 }, 'sent applied'],
    ['killed, it leaves an unconfirmed refund', 'SIGKILL', { code: null, posts: 0 }, 'sent'],
  ] as const)(
    'in the commit of SENT: others are refused, and nothing is sent; %s',
    async (_, signal, ended, told) => {
      using home = patient.newHome();
      expect((await patient.run(home, changeArgs(ledger.add('refund')))).code).toBe(0);
      const [order, other] = [ledger.add('refund'), ledger.add('refund')];
      const when = await lastBeforePost('fsync', undefined, home);
      const stopped = startTraced(patient, home, changeArgs(order), {
        call: 'fsync',
        what: 'signal=STOP',
        when,
      });
      await untilLogged(stopped.log, 'stopped by SIGSTOP');
      const refused = await Promise.all(
        [order, other].map((one) => patient.runProcess(home, changeArgs(one))),
      );
      for (const { code, stderr } of refused) expect(code, stderr).toBe(3);
      expect([order.posts.length, other.posts.length]).toEqual([0, 0]);

      process.kill(childOf(stopped.pid), signal);
      const { code, stderr } = await stopped.end;
      expect({ code, posts: order.posts.length }, stderr).toEqual(ended);
      expect(story(home)).toBe(`sent applied ${told}`);
      expect((await patient.run(home, ['journal', 'verify'])).code).toBe(0);
      const again = await patient.run(home, changeArgs(order));
      expect({ code: again.code, posts: order.posts.length }, again.stderr).toEqual({ ...ended, code: 3 });
      const free = await patient.run(home, changeArgs(other));
      expect({ code: free.code, posts: other.posts.length }, free.stderr).toEqual({ code: 0, posts: 1 });
    },
  );

  test('between SENT and the POST: others can neither send nor give a verdict; woken it sends, once', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    order.onRead = () => json(order.value, 200, { connection: 'close' });
    const when = await lastBeforePost('connect', order);
    const stopped = startTraced(desk, home, changeArgs(order), {
      call: 'connect',
      what: 'signal=STOP',
      when,
    });
    await untilLogged(stopped.log, 'stopped by SIGSTOP');
    expect(story(home)).toBe('sent');
    const [refund, reconcile, settle] = await Promise.all([
      desk.run(home, changeArgs(order)),
      desk.run(home, ['journal', 'reconcile', '--all']),
      desk.run(home, settleArgs(journalRows(home)[0]?.change ?? '', order.id)),
    ]);
    expect({ code: refund.code, posts: order.posts.length }, refund.stderr).toEqual({ code: 3, posts: 0 });
    expect(reconcile.code, reconcile.stderr).toBe(7);
    expect(settle.code, settle.stderr).toBe(3);
    expect(story(home)).toBe('sent');
    process.kill(childOf(stopped.pid), 'SIGCONT');
    const woken = await stopped.end;
    expect({ code: woken.code, posts: order.posts.length }, woken.stderr).toEqual({ code: 0, posts: 1 });
    expect(story(home)).toBe('sent applied');
  });

  test('while it connects: woken after send_by it sends nothing and exits 6', async () => {
    using home = hasty.newHome();
    const order = ledger.add('refund');
    order.onRead = () => json(order.value, 200, { connection: 'close' });
    const when = await lastBeforePost('connect', order);
    const stopped = startTraced(hasty, home, changeArgs(order), {
      call: 'connect',
      what: 'signal=STOP',
      when,
    });
    await untilLogged(stopped.log, 'stopped by SIGSTOP');
    await untilTooLate();
    process.kill(childOf(stopped.pid), 'SIGCONT');
    const woken = await stopped.end;
    expect({ code: woken.code, posts: order.posts.length }, woken.stderr).toEqual({ code: 6, posts: 0 });
    expect(woken.stderr.replaceAll(/\s+/g, ' ')).toContain('was not sent: it took too long to connect');
    expect(story(home)).toBe('sent not_sent');
  });
});

/** Until `refund.send_within`, here one second, is over. */
async function untilTooLate(): Promise<void> {
  const over = Date.now() + 1100;
  await until(() => Date.now() >= over);
}

/** The last such call before the POST, counted over a whole run's main thread; `from`: a home that has a journal. */
async function lastBeforePost(name: CallName, like?: LedgerOrder, from?: Home): Promise<string> {
  using home = from === undefined ? desk.newHome() : copyOf(from);
  const order = ledger.add('refund');
  if (like !== undefined) order.onRead = () => json(order.value, 200, { connection: 'close' });
  const { calls } = await traced(desk, home, changeArgs(order));
  const before = calls.slice(
    0,
    calls.findIndex(({ line }) => line.includes('POST ')),
  );
  return String(before.findLast((call) => call.name === name)?.nth);
}

async function untilLogged(log: string, text: string): Promise<void> {
  await until(() => readLog(log).includes(text));
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
