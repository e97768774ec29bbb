/** Ctrl-C typed at a terminal while a batch runs. */

import { expect, test } from 'vitest';
import { ledgerAndDesk } from '../atmost/desk.ts';
import { bin } from '../harness/paydesk.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';
import { json } from '../harness/server.ts';
import { planOf } from './planned.ts';

const { ledger, desk } = await ledgerAndDesk();

test('C57 y, progress, Ctrl-C, and a resume that sends the rest', async () => {
  using home = desk.newHome();
  const orders = await planOf({ ledger, desk, home, rows: 6 });
  const gate = Promise.withResolvers<void>();
  const bothSent = Promise.withResolvers<void>();
  let sent = 0;
  for (const order of orders)
    order.onPost =
      (_, apply) =>
      async (...exchange) => {
        sent += 1;
        if (sent === 2) bothSent.resolve();
        await gate.promise;
        await json(apply())(...exchange);
      };
  const words = [bin, '-p', 't', 'refunds', 'apply', 'rows.plan', '--concurrency', '2'];
  const open = () => runInPty(process.execPath, words, { env: desk.env(home), cwd: home.path });
  const first = open();
  await first.answer('Send them?', 'y\r');
  await first.waitFor(/0 of 30000 MXN/);
  await bothSent.promise;
  first.type('\x03');
  await first.waitFor('waiting for the result');
  // The bar says it too, or nobody knows whether the key was heard.
  await first.waitFor(/stopping: waiting for 2 rows \(at most \d+ s\)/);
  gate.resolve();
  const { exitCode, transcript } = await first.end;
  const screen = withoutEscapes(transcript).replaceAll(/\s+/g, ' ');
  expect(exitCode, screen).toBe(130);
  expect(screen).toContain('of 6 rows 2 made (10000 MXN), 4 not sent; nothing is on its way');
  const second = open();
  await second.answer('Send them?', 'y\r');
  const end = await second.end;
  expect({ code: end.exitCode, made: orders.map((order) => order.done()) }, end.transcript).toEqual({
    code: 0,
    made: orders.map(() => 1),
  });
  expect(orders.map(({ posts }) => posts.length)).toEqual(orders.map(() => 1));
});
