/** Two desks read the same order at the same moment, and both find a refund that a person had recorded as not made. */

import { expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundOf, withRefund } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { json, reset } from '../harness/server.ts';
import { startService, testKey } from '../harness/service.ts';
import { newTeam } from '../journal/postgres/desks.ts';
import { verdict } from '../journal/rows.ts';
import { joinTeam } from './joined.ts';

test('the desk that is second goes by what the first has recorded, and says nothing of a server that is away', async () => {
  await using team = await newTeam();
  let readers = 0;
  let isRace = false;
  let posts = 0;
  const both = Promise.withResolvers<void>();
  await using service = await startService({
    orders: [orderOf('ord_r', [chargeOf('ch_r', 35_000)])],
    sendsDate: false,
    onPost: () => {
      posts += 1;
      return reset;
    },
    // Both desks have looked into the journal before either of them hears what the order shows.
    onPage: ({ url }) => {
      if (!isRace || !url.includes('ord_r')) return undefined;
      readers += 1;
      if (readers === 2) both.resolve();
      return async (request, response, socket) => {
        await both.promise;
        await json(listOf(...service.orders))(request, response, socket);
      };
    },
  });
  using ana = newHome();
  using ben = newHome();
  for (const [home, person] of [
    [ana, 'ana'],
    [ben, 'ben'],
  ] as const) {
    await storeProfile(home, { name: 'shop', baseUrl: service.url, mode: 'sandbox' }, testKey);
    await joinTeam(home, service.url, team.database, { person });
  }
  const run = (home: typeof ana, ...args: readonly string[]) => paydesk(['-p', 'shop', ...args], { home });
  await run(ana, 'orders', 'refund', 'ord_r', '--charge', '1', '--amount', '900', '--yes');
  const [sent] = await team.database.query('select intent from paydesk.attempts');
  const intent = String(sent?.intent);
  await team.database.query('update paydesk.attempts set send_by = 0');
  const desk = team.desk({ person: 'ben' });
  await desk.attempts({ orderId: 'ord_r' });
  const said = {
    verdict: 'rejected',
    by: 'person',
    confirmed: true,
    operator: 'ben',
    note: 'looked',
  } as const;
  await desk.append({ ...verdict(intent, Date.now()), ...said });
  const record = refundOf('rf_1', 900, { created_at: Math.floor(Date.now() / 1000) });
  service.orders = service.orders.map((order) => withRefund(order, record, 900));
  isRace = true;
  const ends = await Promise.all([ana, ben].map((home) => run(home, 'journal', 'reconcile', intent)));
  const text = ends.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  expect(text).not.toContain('could not be recorded');
  expect(text).not.toContain('wait until the server');
  const [first, second] = ends.map(({ code }) => code);
  expect(second).toBe(first);
  expect(posts).toBe(1);
  const rows = await team.database.query(
    `select row::json ->> 'alarm' as alarm from paydesk.rows where type = 'verdict' and row::json ->> 'verdict' = 'applied'`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ alarm }) => alarm !== null)).toBe(true);
  expect(await run(ana, 'team', 'verify')).toMatchObject({ code: 0 });
});
