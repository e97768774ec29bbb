/** Ctrl-C, SIGTERM, SIGHUP and a closed terminal while a refund is in flight: its outcome is neither lost nor forged. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { describe, expect, test } from 'vitest';
import { notReturnable } from '../harness/orders.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';
import { closedPort, type Handler, json, reset } from '../harness/server.ts';
import { changeArgs, ledgerAndDesk, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { start, until } from './running.ts';

// A minute between the reads: who waits for the second one was not hurried.
const { ledger, desk } = await ledgerAndDesk({ 'reconcile.after': '0,60' });

/** A refund whose request has arrived and is not answered yet. */
async function inFlight(
  home: Home,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Handler>();
  const order = ledger.add('refund', () => async (...request) => {
    arrived.resolve();
    await (await answer.promise)(...request);
  });
  const run = start(desk, home, [...changeArgs(order), ...args], env);
  await Promise.race([arrived.promise, run.end]);
  return { run, order, reply: answer.resolve };
}

const applied =
  (order: LedgerOrder): Handler =>
  (...request) =>
    json(order.apply(order.posts[0]?.body ?? ''))(...request);
const appliedAndLost =
  (order: LedgerOrder): Handler =>
  (...request) => {
    order.apply(order.posts[0]?.body ?? '');
    return reset(...request);
  };
const refusal = json(notReturnable, 428);

function close(terminal: object): void {
  if ('destroy' in terminal && typeof terminal.destroy === 'function') terminal.destroy();
}

const waitedFor = 'waiting for the result';

describe.concurrent('the first signal in flight waits for the outcome (F35, F36)', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, then the reply comes: printed, exit 0',
    async (signal) => {
      using home = desk.newHome();
      const { run, order, reply } = await inFlight(home);
      run.kill(signal);
      await run.untilSaid(waitedFor);
      reply(applied(order));
      const { code, stdout } = await run.end;
      expect({ code, posts: order.posts.length, story: story(home) }).toEqual({
        code: 0,
        posts: 1,
        story: 'sent applied',
      });
      expect(stdout).toContain('refunded 5000 MXN');
    },
  );

  test('Ctrl-C, then the reply is lost: the order is read all the same, exit 0', async () => {
    using home = desk.newHome();
    const { run, order, reply } = await inFlight(home);
    run.kill('SIGINT');
    await run.untilSaid(waitedFor);
    reply(appliedAndLost(order));
    const { code, stdout } = await run.end;
    expect({ code, story: story(home) }).toEqual({ code: 0, story: 'sent unknown applied' });
    expect(stdout).toContain('the reply was lost; the order now shows the refund');
  });

  test('Ctrl-C, then the reply is lost and nothing was done: one read instead of a minute of them, exit 7', async () => {
    using home = desk.newHome();
    const { run, order, reply } = await inFlight(home);
    run.kill('SIGINT');
    await run.untilSaid(waitedFor);
    reply(reset);
    const { code, stderr } = await run.end;
    expect({ code, reads: order.reads, story: story(home) }).toEqual({
      code: 7,
      reads: 3,
      story: 'sent unknown not_seen',
    });
    expect(stderr).toMatch(/paydesk journal reconcile i_\w+/);
  });

  test('Ctrl-C between the reads after a lost reply: one more read, then the verdict', async () => {
    using home = desk.newHome();
    const { run, order, reply } = await inFlight(home);
    reply(reset);
    await until(() => order.reads === 3);
    run.kill('SIGINT');
    const { code } = await run.end;
    expect({ code, reads: order.reads, story: story(home) }).toEqual({
      code: 7,
      reads: 4,
      story: 'sent unknown not_seen',
    });
  });

  test('Ctrl-C, then the service refuses: exit 5, not 130', async () => {
    using home = desk.newHome();
    const { run, reply } = await inFlight(home);
    run.kill('SIGINT');
    await run.untilSaid(waitedFor);
    reply(refusal);
    const { code, stderr } = await run.end;
    expect({ code, story: story(home) }, stderr).toEqual({ code: 5, story: 'sent rejected' });
    expect(stderr).not.toContain('nothing was sent');
  });

  test('Ctrl-C, then no reply: the deadline ends it with a read, exit 7', async () => {
    using home = desk.newHome();
    const { run, order } = await inFlight(home, ['--timeout', '4']);
    run.kill('SIGINT');
    const { code } = await run.end;
    expect({ code, reads: order.reads, story: story(home) }).toEqual({
      code: 7,
      reads: 3,
      story: 'sent unknown not_seen',
    });
  });

  test('a terminal and a shell that both hang up are no second Ctrl-C', async () => {
    using home = desk.newHome();
    const { run, order, reply } = await inFlight(home);
    run.kill('SIGHUP');
    await run.untilSaid(waitedFor);
    run.kill('SIGHUP');
    run.kill('SIGTERM');
    reply(applied(order));
    expect((await run.end).code).toBe(0);
    expect(story(home)).toBe('sent applied');
  });
});

describe.concurrent('the second Ctrl-C leaves at once (F35)', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'after %s: exit 7 with order, change and command; SENT is durable',
    async (first) => {
      using home = desk.newHome();
      const { run, order } = await inFlight(home);
      run.kill(first);
      await run.untilSaid(waitedFor);
      run.kill('SIGINT');
      const { code, stdout, stderr } = await run.end;
      expect({ code, stdout, posts: order.posts.length, story: story(home) }, stderr).toEqual({
        code: 7,
        stdout: '',
        posts: 1,
        story: 'sent unknown unknown',
      });
      expect(stderr).toContain(order.id);
      expect(stderr).toContain('you stopped waiting before the service answered');
      const [, change = ''] = /paydesk journal reconcile (i_\w+)/.exec(stderr) ?? [];
      // It arrives after all.
      order.apply(order.posts[0]?.body ?? '');
      const later = await desk.run(home, ['journal', 'reconcile', change]);
      expect({ code: later.code, posts: order.posts.length }, later.stderr).toEqual({ code: 0, posts: 1 });
      expect(story(home)).toMatch(/applied$/);
    },
  );

  test('with --json: one object on stderr that names the command', async () => {
    using home = desk.newHome();
    const { run } = await inFlight(home, ['--json']);
    // Two of a kind at the same moment are one to the system, and nothing is said between them.
    run.kill('SIGHUP');
    run.kill('SIGINT');
    const { code, stdout, stderr } = await run.end;
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ object: 'error', exit_code: 7, kind: 'unconfirmed' });
    expect(stderr).toMatch(/paydesk journal reconcile i_\w+/);
  });
});

test.concurrent('SIGUSR1 in flight opens no debugger', async () => {
  using home = desk.newHome();
  // Node says on stderr that it opens one, and as well that it cannot, as at this port.
  await using closed = await closedPort();
  const { run, order, reply } = await inFlight(home, [], { NODE_OPTIONS: `--inspect-port=${closed.port}` });
  run.kill('SIGUSR1');
  run.kill('SIGINT');
  await run.untilSaid(waitedFor);
  reply(applied(order));
  const { code, stderr } = await run.end;
  expect({ code, story: story(home) }, stderr).toEqual({ code: 0, story: 'sent applied' });
  expect(stderr).not.toMatch(/debugger|inspector/i);
});

test.concurrent.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s with nothing in flight ends with %i, and nothing was sent (F36)', async (signal, exit) => {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const reading = Promise.withResolvers<void>();
  order.onRead = () => {
    reading.resolve();
    return () => undefined;
  };
  const run = start(desk, home, changeArgs(order));
  await reading.promise;
  run.kill(signal);
  const { code, stderr } = await run.end;
  expect({ code, posts: order.posts.length, story: story(home) }).toEqual({
    code: exit,
    posts: 0,
    story: '',
  });
  expect(stderr).toContain('nothing was sent');
});

describe.concurrent('in a terminal', () => {
  test('Ctrl-C twice on the keyboard leaves with 7 (F35)', async () => {
    using home = desk.newHome();
    const arrived = Promise.withResolvers<void>();
    const order = ledger.add('refund', () => () => arrived.resolve());
    const words = [bin, '-p', 't', ...changeArgs(order)];
    const terminal = runInPty(process.execPath, words, { env: desk.env(home), cwd: home.path });
    await arrived.promise;
    terminal.type('\x03');
    await terminal.waitFor(waitedFor);
    terminal.type('\x03');
    const { exitCode, transcript } = await terminal.end;
    expect({ exitCode, story: story(home) }, transcript).toEqual({
      exitCode: 7,
      story: 'sent unknown unknown',
    });
  });

  test('Ctrl-C twice also ends the demo, whose reply never comes (F35)', async () => {
    using home = newHome();
    const { stdout } = await paydesk(['-p', 'demo', 'orders', 'list', '--refundable', '--json'], { home });
    const [order] = JSON.parse(stdout).data;
    // Memory is tidied up all the time, as Node does sooner or later while a person waits.
    const tidy = ['--expose-gc', '--import', 'data:text/javascript,setInterval(gc, 10).unref()'];
    const words = ['-p', 'demo', 'orders', 'refund', order.id, '--charge', '1', '--amount', '200', '--yes'];
    const terminal = runInPty(process.execPath, [...tidy, bin, ...words], {
      env: { ...cleanEnv({ home }), PAYDESK_DEMO_FAULT: 'apply-stall' },
      cwd: home.path,
    });
    await terminal.waitFor('sent, waiting for the answer');
    terminal.type('\x03');
    await terminal.waitFor(waitedFor);
    terminal.type('\x03');
    const { exitCode, transcript } = await terminal.end;
    expect(exitCode, transcript).toBe(7);
    expect(withoutEscapes(transcript)).toMatch(/you\s+stopped\s+waiting\s+before\s+the\s+service\s+answered/);
  });

  test('a terminal that is closed in flight changes nothing (F36)', async () => {
    using home = desk.newHome();
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const order = ledger.add('refund', (_, apply) => async (...request) => {
      arrived.resolve();
      await closed.promise;
      await json(apply())(...request);
    });
    const code = join(home.path, 'code');
    // The shell outlives its terminal to tell how the program ended.
    const script = `trap '' HUP; "$@"; echo $? > "${code}"`;
    const words = ['-c', script, 'sh', process.execPath, bin, '-p', 't', ...changeArgs(order)];
    const terminal = spawnInTerminal('sh', words, { env: desk.env(home), cwd: home.path });
    await arrived.promise;
    close(terminal);
    closed.resolve();
    await until(() => existsSync(code) && readFileSync(code, 'utf8') !== '');
    expect({
      code: readFileSync(code, 'utf8').trim(),
      posts: order.posts.length,
      story: story(home),
    }).toEqual({
      code: '0',
      posts: 1,
      story: 'sent applied',
    });
  });
});
