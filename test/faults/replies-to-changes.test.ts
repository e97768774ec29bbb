/** No reply of theirs is believed, repeated or followed. */

import { describe, expect, test } from 'vitest';
import { changeArgs, ledgerAndDesk, openDesk } from '../atmost/desk.ts';
import type { LedgerOrder } from '../atmost/ledger.ts';
import { start } from '../atmost/running.ts';
import {
  cutBody,
  cutChunked,
  type Handler,
  json,
  reply,
  reset,
  stall,
  stallAfter,
  startServer,
} from '../harness/server.ts';
import { testKey } from '../harness/service.ts';

const { ledger, desk } = await ledgerAndDesk();

const kinds = ['refund', 'capture'] as const;
const leaks = /\[object |undefined|SyntaxError|TypeError|terminated|Unexpected token|^\s+at |\{"object/m;

/** A refund or a capture that gets this answer, and was not made. */
async function changed(kind: 'refund' | 'capture', answer: Handler, more: readonly string[] = []) {
  using home = desk.newHome();
  const order = ledger.add(kind, () => answer);
  return { order, ran: await desk.run(home, [...changeArgs(order), ...more]) };
}

/** One request, an outcome that is not known, the command that finds out: exit 7. */
function checkUnknown({ order, ran }: Awaited<ReturnType<typeof changed>>): void {
  expect({ code: ran.code, posts: order.posts.length, stdout: ran.stdout }, ran.stderr).toEqual({
    code: 7,
    posts: 1,
    stdout: '',
  });
  expect(ran.stderr).toMatch(/^(unconfirmed|throttled):/m);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('It may have been made');
  expect(ran.stderr).toMatch(/paydesk journal reconcile i_\w+$/m);
  expect(ran.stderr).not.toContain(testKey);
}

/** Each row as a refund or as a capture, in turn. */
const inTurn = <T>(rows: readonly T[]) =>
  rows.map((row, index) => ({ ...row, kind: kinds[index % 2] ?? 'refund' }));

const odd = inTurn([
  {
    what: 'an HTML page with 200',
    answer: reply('<html><body>hello', 200, { 'content-type': 'text/html' }),
    says: 'an HTML page',
  },
  { what: 'an empty body', answer: reply(''), says: 'an empty body' },
  { what: 'a 204', answer: reply('', 204), says: 'HTTP 204' },
  {
    what: 'half of JSON, said to be all of it',
    answer: json('{"object":"order","id":'),
    says: 'a body that is not JSON',
  },
  {
    what: 'a list instead of an order',
    answer: json({ object: 'list', data: [] }),
    says: 'a body that is not an order',
  },
  { what: 'a body cut off', answer: cutBody('{"object":"order",'), says: 'cut off' },
]);

test.concurrent.each(odd)(
  '$what in answer to a $kind (a change): unconfirmed in clear words, exit 7 (C37)',
  async ({ kind, answer, says }) => {
    const made = await changed(kind, answer);
    checkUnknown(made);
    expect(made.ran.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
    // The preview shows the body that is sent; nothing of the answer's is shown.
    expect(made.ran.stderr).not.toMatch(leaks);
  },
);

const lost = inTurn([
  { what: '500', answer: json({ object: 'error', type: 'a', details: [] }, 500) },
  { what: '503', answer: reply('busy', 503) },
  { what: '429', answer: json({ object: 'error', type: 'a', details: [] }, 429, { 'retry-after': '1' }) },
  { what: 'a connection reset', answer: reset },
  { what: 'a chunked body cut off', answer: cutChunked('{"object":"order"') },
]);

describe.concurrent('a change reaches the server exactly once (a change) (C39)', () => {
  test.each(lost)('$what, $kind: exit 7 and the command that finds out', async ({ kind, answer }) => {
    checkUnknown(await changed(kind, answer));
  });

  test.each(kinds)('a %s that the read after a lost reply shows is done, exit 0', async (kind) => {
    using home = desk.newHome();
    const order = ledger.add(kind, (_, apply) => {
      apply();
      return reset;
    });
    const { code, stdout, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 1 });
    expect(stdout).toContain('the reply was lost; the order now shows the ');
  });
});

// The other three are in test/atmost/replies.ts.
test.concurrent.each(inTurn([302, 307].map((status) => ({ status }))))(
  'a $status in answer to a $kind is not followed (a change): one request, unconfirmed, exit 7 (C41)',
  async ({ kind, status }) => {
    await using target = await startServer(stall);
    const made = await changed(kind, reply('', status, { location: `${target.url}/orders` }));
    checkUnknown(made);
    expect(made.ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `HTTP ${status}, a redirect to 127.0.0.1:${target.port}`,
    );
    expect(target.connections).toBe(0);
  },
);

test.concurrent.each(
  inTurn([
    { what: 'no answer', answer: stall, says: 'no answer from 127.0.0.1' },
    { what: 'half an answer', answer: stallAfter('{"object":"order",'), says: 'not complete within 4 s' },
  ]),
)(
  '$what to a $kind within --timeout (a change): unconfirmed, exit 7 (C42)',
  async ({ kind, answer, says }) => {
    // Time for a busy machine: the reads before it are in time.
    const made = await changed(kind, answer, ['--timeout', '4']);
    checkUnknown(made);
    expect(made.ran.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
  },
);

/** Starts a refund and resolves once its request has arrived; `answer` answers it. */
async function inFlight() {
  const home = desk.newHome();
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<Handler>();
  const order: LedgerOrder = ledger.add('refund', () => async (...request) => {
    arrived.resolve();
    const answer = await gate.promise;
    await answer(...request);
  });
  const run = start(desk, home, changeArgs(order));
  await arrived.promise;
  return { home, run, order, answer: gate.resolve };
}

describe.concurrent('Ctrl-C (C56)', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s during a slow read before a change: exit %i, the read is given up, nothing is sent',
    async (signal, exit) => {
      await using server = await startServer(stall);
      using slow = await openDesk({ url: server.url });
      using home = slow.newHome();
      const run = start(slow, home, ['orders', 'refund', 'ord_1', '--yes']);
      await server.waitFor(1);
      run.kill(signal);
      const { code, stderr } = await run.end;
      expect(code, stderr).toBe(exit);
      await server.waitForAborted(1);
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
    },
  );

  test('with a change in flight (a change): waits for the verdict, exit 0', async () => {
    const { home, run, order, answer } = await inFlight();
    run.kill('SIGINT');
    await run.untilSaid('waiting for the result');
    answer(json(order.apply(order.posts[0]?.body ?? '')));
    const { code, stdout, stderr } = await run.end;
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 0, posts: 1 });
    expect(stdout).toContain('refunded 5000 MXN');
    home[Symbol.dispose]();
  });

  test('a second one with a change in flight (a change): leaves at once with 7 and the command', async () => {
    const { home, run, order } = await inFlight();
    run.kill('SIGINT');
    await run.untilSaid('waiting for the result');
    run.kill('SIGINT');
    const { code, stderr } = await run.end;
    expect({ code, posts: order.posts.length }, stderr).toEqual({ code: 7, posts: 1 });
    expect(stderr).toMatch(/paydesk journal reconcile i_\w+/);
    home[Symbol.dispose]();
  });
});
