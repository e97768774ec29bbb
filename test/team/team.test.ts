/** The file of the teams: what a desk keeps when somebody joins again. */

import { expect, test } from 'vitest';
import { readTeams, saveTeam, type Team } from '../../src/team/team.ts';
import { newHome } from '../harness/paydesk.ts';

const prod: Team = {
  origin: 'https://prod.example',
  host: 'db.example',
  port: 5432,
  database: 'desk',
  schema: 'paydesk',
  user: 'ben',
  journal: 'j1',
  password: 'the old one',
};
const shop: Team = { ...prod, origin: 'https://shop.example', password: 'the new one' };
const { password: _, ...withVariable } = shop;

test.each<[string, Team, Team, string | undefined]>([
  ['the same member there', prod, shop, 'the new one'],
  ['the same journal under another name of its server', { ...prod, host: '10.0.0.1' }, shop, 'the new one'],
  ['another database of the same server', { ...prod, journal: 'j2', database: 'd2' }, shop, 'the new one'],
  ['another member', { ...prod, user: 'ana' }, shop, 'the old one'],
  ['another server', { ...prod, host: 'other.example', journal: 'j2' }, shop, 'the old one'],
  ['a new password out of a variable, which is not kept', prod, withVariable, undefined],
  [
    'a password out of a variable that is the old one',
    { ...prod, password: 'the new one' },
    withVariable,
    'the new one',
  ],
])('a member has one password on a desk: %s', (_name, other, joined, kept) => {
  using home = newHome();
  const file = `${home.path}/teams.json`;
  const rules = { uid: process.getuid?.(), notice: () => undefined, movedBy: 'XDG_STATE_HOME' } as const;
  saveTeam(file, rules, other, other.password ?? '');
  saveTeam(file, rules, joined, 'the new one');
  const teams = readTeams(file, rules);
  expect(teams.find(({ origin }) => origin === prod.origin)?.password).toBe(kept);
  expect(teams.find(({ origin }) => origin === shop.origin)?.password).toBe(joined.password);
});
