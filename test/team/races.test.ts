/** Two desks send the same refund at the same moment, over the program's parts: one POST each time, and the journal knows of it. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ledger, startLedger } from '../atmost/ledger.ts';
import { isLong } from '../harness/long.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { sendingDesk } from './sending-desk.ts';

let team: Team;
let ledger: Ledger;
beforeAll(async () => {
  [team, ledger] = await Promise.all([newTeam(), startLedger()]);
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const races = isLong ? 2000 : 40;

test(`the same refund at two desks at the same moment, ${races} times: one POST each`, async () => {
  const desks = [
    await sendingDesk(team, ledger, { person: 'ana' }),
    await sendingDesk(team, ledger, { person: 'ben' }),
  ];
  for (let race = 0; race < races; race += 1) {
    const order = ledger.add('refund');
    const both = Promise.withResolvers<void>();
    // The final reads are answered together, so both desks have looked, and neither has recorded anything.
    order.onRead = async (read) => {
      if (read === 2) both.resolve();
      if (read <= 2) await both.promise;
      return undefined;
    };
    const ends = await Promise.allSettled(desks.map((desk) => desk.refund(order)));
    const words = ends.map((end) =>
      end.status === 'fulfilled' ? end.value.verdict : String(end.reason.kind),
    );
    expect({ words: words.toSorted(), posts: order.posts.length }).toEqual({
      words: ['applied', 'refused'],
      posts: 1,
    });
  }
  const found = await team.database.query(
    `select count(*)::int as sent, count(distinct order_id)::int as orders, count(*) filter (where verdict = 'applied')::int as applied
     from paydesk.attempts`,
  );
  expect(found).toEqual([{ sent: races, orders: races, applied: races }]);
  expect(await team.desk().verify()).toMatchObject({ findings: [] });
  for (const desk of desks) desk.close();
});
