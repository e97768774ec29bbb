/** What a person and a script see between the sending of a change and its outcome. */

import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { newRefundOf, notReturnable, paidOrder, withRefund } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { type Handler, json, reply, reset } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';
import { changeArgs, ledgerAndDesk, story } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { start } from './running.ts';

const { ledger, desk } = await ledgerAndDesk({ 'reconcile.after': '0,60' });

/** An order whose change is answered when the test says so, and how. */
function held() {
  const answer = Promise.withResolvers<Handler>();
  const order = ledger.add(
    'refund',
    () =>
      async (...request) =>
        (await answer.promise)(...request),
  );
  return { order, answer: answer.resolve };
}

const made =
  (order: LedgerOrder): Handler =>
  (...request) =>
    json(order.apply(order.posts[0]?.body ?? ''))(...request);

const changeAtTerminal = (home: Home, order: LedgerOrder) =>
  atTerminal(['-p', 't', ...changeArgs(order)], { home, env: desk.env(home), columns: 80 });

describe.concurrent('between the sending and the outcome', () => {
  test('the seconds pass, and the line is gone when the answer comes (real terminal)', async () => {
    using home = desk.newHome();
    const { order, answer } = held();
    const terminal = changeAtTerminal(home, order);
    await terminal.waitFor('sent, waiting for the answer (up to 60 s)');
    await terminal.waitFor('sent, waiting for the answer (up to 60 s), 1 s');
    await terminal.waitFor('sent, waiting for the answer (up to 60 s), 2 s');
    answer(made(order));
    const { exitCode, transcript } = await terminal.end;
    expect({ exitCode, posts: order.posts.length, story: story(home) }).toEqual({
      exitCode: 0,
      posts: 1,
      story: 'sent applied',
    });
    // The last thing that happens to the line: it is taken off the screen.
    expect(transcript.slice(transcript.lastIndexOf('waiting'))).toMatch(/^[^\r\n]*\r\x1b\[K/);
  });

  test('a lost reply is followed by the reads, by their number (real terminal)', async () => {
    using home = desk.newHome();
    const { order, answer } = held();
    const terminal = changeAtTerminal(home, order);
    await terminal.waitFor('sent, waiting for the answer (up to 60 s)');
    answer(reset);
    await terminal.waitFor('no answer; reading the order again (1 of 2)');
    await terminal.waitFor('no answer; reading the order again (2 of 2)');
    order.apply(order.posts[0]?.body ?? '');
    terminal.type('\x03');
    const { exitCode } = await terminal.end;
    expect({ exitCode, posts: order.posts.length, story: story(home) }).toEqual({
      exitCode: 0,
      posts: 1,
      story: 'sent unknown applied',
    });
  });

  test('a refusal that a slow read confirms says so', async () => {
    using home = desk.newHome();
    const { order, answer } = held();
    const slow = Promise.withResolvers<undefined>();
    // The preview, the final read, and the one after the refusal.
    order.onRead = (read) => (read === 3 ? slow.promise : undefined);
    const run = start(desk, home, changeArgs(order));
    answer(json(notReturnable, 428));
    await run.untilSaid('refused; reading the order again to make sure\n');
    slow.resolve(undefined);
    const { code } = await run.end;
    expect({ code, posts: order.posts.length, story: story(home) }).toEqual({
      code: 5,
      posts: 1,
      story: 'sent rejected',
    });
  });

  test('a script gets one line while it waits for the answer, without a second', async () => {
    using home = desk.newHome();
    const { order, answer } = held();
    const run = start(desk, home, changeArgs(order));
    await run.untilSaid('sent, waiting for the answer (up to 60 s)\n');
    answer(made(order));
    const { code, stderr } = await run.end;
    expect({ code, waits: stderr.match(/waiting.*/g) }).toEqual({
      code: 0,
      waits: ['waiting for the answer (up to 60 s)'],
    });
  });
});

describe('a reply that is lost, or says nothing', () => {
  const order = paidOrder('ord_2tQ7zRk9PwE5xNvAm');
  const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--yes'];

  /** Everything on stderr of a refund that gets this answer and was not made, and the number of POSTs. */
  async function lost(answer: Handler, more: readonly string[] = [], columns?: number) {
    await using service = await startService({ orders: [order], onPost: () => answer, sendsDate: false });
    const env = standingAt('2026-11-21T09:31:40Z');
    const ran = await service.run([...refund, ...more], {
      env,
      ...(columns === undefined ? {} : { columns }),
    });
    expect({ code: ran.code, posts: service.posts.length }, ran.stderr).toEqual({ code: 7, posts: 1 });
    return ran.stderr.replaceAll(/i_\w{8}/g, 'i_7f3k2m9q');
  }

  test('a script gets one line for all four reads', async () => {
    expect((await lost(reset)).match(/.*reading.*/g)).toEqual([
      'no answer; reading the order again (1 of 4)',
    ]);
    expect((await lost(json({}, 500))).match(/.*reading.*/g)).toEqual([
      'no usable answer; reading the order again (1 of 4)',
    ]);
  });

  test('--quiet and --json have no such line', async () => {
    expect(await lost(reset, ['--quiet'])).not.toMatch(/waiting|reading/);
    const { notes, message } = JSON.parse(await lost(reset, ['--json']));
    expect([...notes, message].join('\n')).not.toMatch(/waiting|reading/);
  });

  const screen = (text: string) => text.slice(text.indexOf('will send once'));

  test('nothing of it is left on the screen', async () => {
    const narrow = screen(await lost(reply('', 502), [], 80));
    expect(narrow).toMatchInlineSnapshot(`
      "will send once: {}
      unconfirmed: no usable answer to the refund of 35000 MXN on
               ord_2tQ7zRk9PwE5xNvAm (HTTP 502, an empty body). It may have been made
      certain: sent once at 09:31:40; looked 4 times until 09:31:40, and it is not
               there yet
      now:     tell the buyer "it is being checked"; do not refund it anywhere else;
               in a few minutes: paydesk journal reconcile i_7f3k2m9q
               blocked until paydesk can confirm it, or until you settle it
      "
    `);
    const wide = screen(await lost(reply('', 502), [], 120));
    expect(differences(wide, narrow)).toMatchInlineSnapshot(`
      "instead of lines 2 to 5:
      unconfirmed: no usable answer to the refund of 35000 MXN on ord_2tQ7zRk9PwE5xNvAm (HTTP 502, an empty body). It may have
               been made
      certain: sent once at 09:31:40; looked 4 times until 09:31:40, and it is not there yet"
    `);
  });
});

test('a refund that is answered at once says nothing about waiting', async () => {
  const order = paidOrder('ord_2tQ7zRk9PwE5xNvAm');
  const after = withRefund(order, newRefundOf('rf_1', 35_000), 35_000);
  await using service = await startService({ orders: [order], onPost: () => json(after) });
  const { code, stderr } = await service.run(['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--yes']);
  expect({ code, posts: service.posts.length }).toEqual({ code: 0, posts: 1 });
  expect(stderr).not.toContain('waiting');
});
