/** How often a refund asks the server of a team's journal: each time costs a person the way there and back. */

import { expect, test } from 'vitest';
import { changeArgs, ledgerAndDesk } from '../atmost/desk.ts';
import { honest } from '../atmost/ledger.ts';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { sit } from '../harness/person.ts';
import { newTeamDatabase } from '../harness/team-database.ts';
import { joinTeam } from './joined.ts';

const { ledger, desk } = await ledgerAndDesk();

test('between yes and the POST a refund asks the server of its team five times at most', async () => {
  await using database = await newTeamDatabase();
  await using proxy = await startCuttingProxy(database.server.port);
  proxy.delay(10);
  using home = desk.newHome();
  await joinTeam(home, ledger.url, database, { person: 'ana', port: proxy.port });
  const order = ledger.add('refund');
  let atPost = Number.NaN;
  order.onPost = (...change) => {
    atPost = proxy.questions;
    return honest(...change);
  };
  const asked = changeArgs(order).filter((word) => word !== '--yes');
  const words = ['-p', 't', ...asked, '--reason', 'other', '--note', 'n'];
  const person = sit(words, { home, env: { TZ: 'UTC' } });
  await person.waitFor('Send it? (y/N)');
  const atYes = proxy.questions;
  person.type('y\r');
  expect(await person.leaves).toMatchObject({ code: 0 });
  expect(atPost - atYes).toBeLessThanOrEqual(5);
});
