/** What a mirror says about limits and requests while its server is away: what the server would say. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { keptLimits, keptRequests } from '../../../src/journal/postgres/kept-rules.ts';
import type { TeamJournal } from '../../../src/journal/postgres/postgres-store.ts';
import { askedOf, record, refundOf, rulesOf, setLimits } from '../../team/rows.ts';
import { newTeam, type Team } from './desks.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});
afterAll(async () => {
  await team[Symbol.asyncDispose]();
});

test('the rows say the same limits and requests as the server: set, taken away, asked, approved, rejected, used', async () => {
  await setLimits(team, { max: 5000, second: 100, day: 'none' });
  await setLimits(team, { max: null });
  await setLimits(team, { max: 900 }, 'ana');
  const [ana, ben] = [await rulesOf(team, 'ana'), await rulesOf(team, 'ben')];
  const refunds = [1, 2, 3, 4].map((number) => refundOf(500, `ord_${number}`));
  for (const [index, refund] of refunds.entries()) await ana.ask(`r_${index}`, askedOf(refund));
  const day = { validMs: 3_600_000, note: 'seen' };
  await ben.decide('r_1', 'approved', day);
  await ben.decide('r_2', 'rejected', { ...day, validMs: 0 });
  await ben.decide('r_3', 'approved', day);
  const desk = team.desk({ person: 'ana' }) as TeamJournal;
  const used = refunds[3] ?? refundOf(500, 'ord_4');
  await record(desk, { ...used, approval: 'r_3' });
  const rows = await desk.freshRows();
  const requests = await ana.approvals();
  expect(requests.map(({ state }) => state)).toEqual(['asked', 'approved', 'rejected', 'used']);
  expect(keptRequests(rows, Date.now())).toEqual(requests);
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
  expect(keptLimits(rows).toSorted(byName)).toEqual((await ana.limits()).toSorted(byName));
  const later = keptRequests(rows, Date.now() + 8 * 86_400_000).map(({ state }) => state);
  expect(later).toEqual(['expired', 'expired', 'rejected', 'used']);
  expect(keptRequests(rows, Date.now() + 31 * 86_400_000)).toEqual([]);
});
