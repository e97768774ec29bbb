/** The hop between a desk and two senders, whatever is lost, late or killed; and that each of its rules is needed. */

import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { exploreHop, type HopRules, hopDesign } from './hop.ts';

const small = { runs: 2, breaks: 1, deskKills: 1, senderKills: 1 };
const budget = isLong ? { ...small, runs: 3, breaks: 2 } : small;

test('two senders: never twice, never lost, and no desk says anything false', () => {
  const { states, violation } = exploreHop(hopDesign, budget);
  process.stdout.write(`hop: ${states} states visited, ${violation === undefined ? 0 : 1} violations\n`);
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThan(isLong ? 1_000_000 : 20_000);
});

test.each<[string, keyof HopRules, string]>([
  ['an id is written down before it is handed over', 'idIsWritten', 'double'],
  ['an id of an earlier run may have been handed over', 'oldIdsAreAsked', 'double'],
  ['that a sender does not know an id proves nothing', 'unknownProvesNothing', 'false: nothing was sent'],
  [
    'after two hand-overs a refusal counts once the id is closed',
    'refusalsAreClosed',
    'false: nothing was sent',
  ],
  ['the journal takes one SENT row of an id', 'idsAreUnique', 'double'],
  ['a closed id is not recorded', 'closedIsChecked', 'false: nothing was sent'],
  ['an id is closed while no other sender records', 'closesAlone', 'false: nothing was sent'],
])('without the rule "%s" there is a counterexample', (name, dropped, kind) => {
  const { states, violation } = exploreHop({ ...hopDesign, [dropped]: false }, small);
  process.stdout.write(`hop: without "${name}": ${violation?.what} after ${states} states\n`);
  for (const move of violation?.path ?? []) process.stdout.write(`    ${move}\n`);
  expect(violation?.what).toBe(kind);
});
