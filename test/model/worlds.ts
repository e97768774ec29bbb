/** The worlds that are explored: several, one per fault, since one that holds them all has no end. */

import { type Budget, design, none, type Rules } from './rules.ts';

interface Named {
  readonly rules: Partial<Rules>;
  /** What can happen there: in the short form, and in the long one. Without a short form it is explored only in the long one. */
  readonly short?: Budget;
  readonly long: Budget;
}

/** Two people, one kill. */
const pair: Budget = { ...none, runs: 2, kills: 1 };
const three: Budget = { ...none, runs: 3, kills: 1 };

/** What they are called, and what holds in them. */
export const worlds: ReadonlyMap<string, Named> = new Map<string, Named>([
  [
    'a first refund',
    {
      rules: {},
      short: { ...pair, powerLosses: 1, settles: 1 },
      long: { ...three, kills: 2, powerLosses: 1, foreign: 1, settles: 1 },
    },
  ],
  [
    'a refund by somebody else',
    {
      rules: {},
      short: { ...pair, foreign: 1, settles: 1 },
      long: { ...three, foreign: 2, settles: 1 },
    },
  ],
  [
    'a second refund of the same amount',
    {
      rules: { olderRefund: true },
      short: { ...pair, settles: 1 },
      long: { ...three, powerLosses: 1, settles: 1 },
    },
  ],
  [
    'a disk that fails',
    {
      rules: {},
      short: { ...none, runs: 2, powerLosses: 1, failures: 1 },
      long: { ...three, foreign: 1, failures: 2 },
    },
  ],
  [
    'a service that applies twice',
    {
      rules: {},
      short: { ...none, runs: 2, twice: 1 },
      long: { ...three, runs: 4, twice: 1 },
    },
  ],
  [
    'a refund that fails after it was made, and is sent again',
    {
      rules: { origins: ['http://pay.example'] },
      short: { ...none, runs: 2, fails: 1, pendings: 1 },
      long: { ...none, runs: 3, fails: 1, acknowledgements: 1 },
    },
  ],
  [
    'a refund that fails, and two people who look',
    {
      rules: {},
      short: { ...none, runs: 2, fails: 1 },
      long: { ...pair, fails: 1, pendings: 1 },
    },
  ],
  [
    'a service that shows new sums without the new records',
    {
      rules: { reads: 'without_records' },
      short: { ...pair, foreign: 1 },
      long: { ...three, foreign: 1 },
    },
  ],
  [
    'a service that shows the order as it was a while ago',
    {
      // A refusal of what was applied shows only by a read that is not old.
      rules: { reads: 'lagging', refusesWhatItApplied: false },
      short: { ...none, runs: 2, foreign: 1 },
      long: { ...three, foreign: 1 },
    },
  ],
  [
    'an older journal is put back',
    {
      rules: {},
      short: { ...none, runs: 2, restores: 1 },
      long: { ...three, settles: 1, restores: 1 },
    },
  ],
  [
    'two spellings of one account',
    {
      rules: { origins: ['http://localhost:8080', 'http://127.0.0.1:8080'] },
      short: pair,
      long: three,
    },
  ],
  [
    'a clock that jumps, and a service with a Date',
    {
      rules: { origins: ['http://pay.example'] },
      short: { ...none, runs: 2, jumps: 1 },
      long: { ...three, jumps: 1 },
    },
  ],
  [
    'a clock that jumps, and a service without a Date',
    {
      rules: { dates: false, origins: ['http://pay.example'] },
      short: { ...none, runs: 2, jumps: 1 },
      long: { ...three, jumps: 1 },
    },
  ],
  [
    'one person who tries again, and a service that applies twice',
    {
      rules: { origins: ['http://pay.example'] },
      short: { ...none, runs: 2, twice: 1 },
      long: { ...none, runs: 4, twice: 1 },
    },
  ],
  [
    'a refund that was made twice, and that somebody acknowledges',
    {
      rules: { careless: true },
      short: { ...none, runs: 2, twice: 1, acknowledgements: 1 },
      long: { ...none, runs: 4, twice: 1, acknowledgements: 1 },
    },
  ],
  [
    'a record by hand that was wrong, and that is corrected',
    {
      rules: { mistakes: 'made', origins: ['http://pay.example'] },
      short: { ...none, runs: 2, settles: 1, corrections: 1 },
      long: { ...three, runs: 4, settles: 1, corrections: 1 },
    },
  ],
  [
    'a refund that a person recorded as not made, and that was made',
    {
      rules: { mistakes: 'not_made', origins: ['http://pay.example'] },
      short: { ...none, runs: 2, settles: 1, corrections: 1 },
      long: { ...none, runs: 5, settles: 1, corrections: 1 },
    },
  ],
  [
    'a refund that a person recorded as not made, and people who send it again when it shows',
    {
      rules: { mistakes: 'not_made', careless: true, origins: ['http://pay.example'] },
      short: { ...none, runs: 3, settles: 1 },
      long: { ...none, runs: 5, settles: 1 },
    },
  ],
  [
    'a refund that is recorded by hand and does not show, and a colleague who asks for another amount',
    {
      rules: { reads: 'lagging', refusesWhatItApplied: false, amounts: [5, 3] },
      short: { ...none, runs: 2, settles: 1 },
      long: { ...three, settles: 1 },
    },
  ],
  [
    'people who name what was recorded by hand',
    {
      rules: {
        reads: 'lagging',
        refusesWhatItApplied: false,
        amounts: [5, 3],
        wanted: 'each_once',
        careless: true,
      },
      // A fourth run takes more memory than the thread has.
      long: { ...none, runs: 3, settles: 1 },
    },
  ],
  [
    'rows of two plans of one file',
    {
      rules: { plans: true, wanted: 'each_once' },
      short: { ...none, runs: 2 },
      long: { ...three, settles: 1 },
    },
  ],
  [
    'a service that applies twice what was acknowledged',
    {
      rules: { origins: ['http://pay.example'] },
      short: { ...none, runs: 2, twice: 2, acknowledgements: 1 },
      long: { ...none, runs: 4, twice: 2, acknowledgements: 2 },
    },
  ],
  [
    'people who repeat the same --again',
    {
      // With the newest first and no times nothing but the journal tells that it was repeated.
      rules: { olderRefund: true, newestFirst: true, careless: true },
      short: pair,
      long: three,
    },
  ],
  [
    'two desks of a team',
    {
      rules: { journal: 'server' },
      short: pair,
      long: { ...three, kills: 2, foreign: 1, settles: 1 },
    },
  ],
  [
    'two desks, and a server that is not heard',
    {
      rules: { journal: 'server' },
      short: { ...none, runs: 2, failures: 1 },
      long: { ...three, failures: 2 },
    },
  ],
  [
    'a desk, and a server that forgets what it saw',
    {
      rules: { journal: 'server', origins: ['http://pay.example'] },
      short: { ...none, runs: 2, restores: 1 },
      long: { ...three, kills: 2, settles: 1, restores: 1 },
    },
  ],
]);

/** The rules of a world, as the design has them. */
export function rulesOf(name: string, form: 'short' | 'long' = 'short'): Rules {
  const found = worlds.get(name);
  if (found === undefined) throw new Error(`there is no world '${name}'`);
  return {
    ...design,
    ...found.rules,
    jumps: form === 'long' ? 'any_time' : 'between_runs',
    budget: found[form] ?? found.long,
  };
}
