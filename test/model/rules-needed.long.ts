/**
 * Each rule of the protocol and each assumption is needed: without it the model finds a counterexample. And the model notices seeded
 * defects. A search looks at some of the states that are equally many moves away first, and at all of them if nothing shows there.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { startExplorer } from './apart.ts';
import type { Exploration } from './explore.ts';
import { design, none, type Rules } from './rules.ts';
import { rulesOf } from './worlds.ts';

const small = { ...none, runs: 3, kills: 1, powerLosses: 1, foreign: 1, settles: 1 };

const explorer = startExplorer();
afterAll(() => explorer.stop());

/** Looks for a violation of this kind in some of the states, and if it is not there in all of them. */
async function broken(rules: Rules, kind: string): Promise<Exploration> {
  const some = await explorer.explore(rules, 1000);
  return some.violation?.what.includes(kind) === true ? some : await explorer.explore(rules);
}

function print(line: string): void {
  process.stdout.write(`model: ${line}\n`);
}

describe('each rule is needed: without it there is a counterexample', () => {
  it.each<[string, Partial<Rules>, string, string]>([
    ['only documented refusals are final', { finalRefusals: 'any' }, 'a first refund', 'lost outcome'],
    ['a refusal is believed after a read', { refusalsRead: false }, 'a first refund', 'lost outcome'],
    [
      'sums count beside records',
      { sums: false },
      'a service that shows new sums without the new records',
      'false applied',
    ],
    [
      'a refund made before SENT is not ours',
      { times: false },
      'a service that shows the order as it was a while ago',
      'false applied',
    ],
    [
      'a final read must show what the journal knows was made',
      { ownRefunds: false },
      'a service that shows the order as it was a while ago',
      'double',
    ],
    ['what a reply confirmed is watched', { watch: false }, 'a service that applies twice', 'no alarm'],
    [
      'what was made is watched until its horizon, in case it fails',
      { watch: false },
      'a refund that fails after it was made, and is sent again',
      'no alarm',
    ],
    [
      'a pending refund is under way: it has not failed, and is not sent again',
      { statusesRead: 'pending_as_failed' },
      'a refund that fails after it was made, and is sent again',
      'lost outcome',
    ],
    [
      'a refund that failed is not made, whatever it was before',
      { statusesRead: 'failed_as_made' },
      'a refund that fails after it was made, and is sent again',
      'no alarm',
    ],
    [
      'a journal behind its witness refuses every change',
      { witness: false },
      'an older journal is put back',
      'double',
    ],
    [
      'locks and open attempts go by the account, not by its spelling',
      { accounts: 'by_spelling' },
      'two spellings of one account',
      'double',
    ],
    [
      'a clock is compared with the Date of the service',
      { clocksCompared: false },
      'a clock that jumps, and a service with a Date',
      'double',
    ],
    [
      'a clock is compared with the last row and the time since boot',
      { clocksCompared: false },
      'a clock that jumps, and a service without a Date',
      'double',
    ],
    [
      '--again lets through what it names, and one sending uses it up',
      { again: 'anything' },
      'people who repeat the same --again',
      'double',
    ],
    [
      'nothing is refunded while an alarm says that it was made twice',
      { alarmsBlock: false },
      'a refund that was made twice, and that somebody acknowledges',
      'alarm ignored',
    ],
    [
      'a SENT row needs a look that saw all rows of its order',
      { seenCompared: false },
      'two desks of a team',
      'double',
    ],
    [
      'the server refuses a second open attempt, even of who did not look',
      { seenCompared: false, oneOpen: false },
      'two desks of a team',
      'double',
    ],
    [
      'nobody else writes a verdict while the sender may send',
      { othersWait: false, budget: { ...none, runs: 3 } },
      'two desks of a team',
      'double',
    ],
    [
      'what the sender says never follows what another desk has seen, if it is less',
      { appliedStays: false },
      'two desks of a team',
      'lost outcome',
    ],
    [
      'nothing is sent if the outcome of the commit is unknown',
      { unknownStops: false },
      'two desks, and a server that is not heard',
      'lost outcome',
    ],
    [
      'what was taken back cannot arrive late',
      { takesBack: false },
      'two desks, and a server that is not heard',
      'came back',
    ],
    [
      'a desk stops when the server has forgotten what it saw',
      { memory: false },
      'a desk, and a server that forgets what it saw',
      'double',
    ],
    [
      'an acknowledgement is about the refunds that were seen, and one more raises the alarm again',
      { acknowledged: 'anything', budget: { ...none, runs: 3, twice: 2, acknowledgements: 1 } },
      'a service that applies twice what was acknowledged',
      'no alarm',
    ],
    [
      'what was recorded by hand as made is not sent again',
      { byHand: 'does_not_count', amounts: [5], budget: { ...none, runs: 3, settles: 1 } },
      'a refund that is recorded by hand and does not show, and a colleague who asks for another amount',
      'double',
    ],
    [
      'what was recorded by hand as made counts as paid back for every amount while the order does not show it',
      { byHand: 'counts_if_equal', budget: { ...none, runs: 3, settles: 1 } },
      'a refund that is recorded by hand and does not show, and a colleague who asks for another amount',
      'double',
    ],
    [
      'a record that is corrected raises the alarm if the same was sent again',
      { repeatsAlarm: false, budget: { ...none, runs: 4, settles: 1, corrections: 1 } },
      'a refund that a person recorded as not made, and that was made',
      'no alarm',
    ],
    [
      'what was recorded by hand as not made is read again, and nobody needs to correct it',
      { doubtsByHand: false, careless: true, budget: { ...none, runs: 3, settles: 1 } },
      'a refund that a person recorded as not made, and that was made',
      'no alarm',
    ],
    [
      'a row of a plan is known by its key, whichever plan it stands in',
      { rowKeys: false },
      'rows of two plans of one file',
      'double',
    ],
  ])('%s', async (name, dropped, where, kind) => {
    const { states, violation } = await broken({ ...rulesOf(where), ...dropped }, kind);
    print(`without the rule "${name}": caught after ${states} states: ${violation?.what}`);
    for (const move of violation?.path ?? []) print(`    ${move}`);
    expect(violation?.what).toContain(kind);
  });
});

describe('the model notices each of the ten seeded defects', () => {
  it.each<[string, Partial<Rules>, string]>([
    ['no lock', { lock: 'none' }, 'lost outcome'],
    ['a lock stolen after a time', { lock: 'stolen_after_a_time' }, 'lost outcome'],
    ['no fsync before the POST', { commits: 'sent_not_synced' }, 'lost outcome'],
    ['POST before SENT', { order: 'post_then_sent' }, 'lost outcome'],
    ['one automatic retry on reset', { resendOnReset: true }, 'double'],
    ['SENT removed in an error handler', { removeSentOnError: true }, 'lost outcome'],
    ['re-sending while the first may still be in flight', { horizonMs: 0 }, 'double'],
    ['"absent" taken as final', { absentIsFinal: true }, ''],
    ['no pre-image', { preImage: false, olderRefund: true }, 'false applied'],
    ['two processes reconciling at once', { lock: 'not_for_reconciling' }, 'lost outcome'],
  ])('%s', async (name, defect, kind) => {
    const { states, violation } = await broken({ ...design, budget: small, ...defect }, kind);
    print(`defect "${name}": caught after ${states} states: ${violation?.what}`);
    expect(violation?.what).toContain(kind);
  });
});

describe('each assumption is needed: without it there is a counterexample', () => {
  it.each<[string, Partial<Rules>, string]>([
    [
      'no request takes effect after its horizon',
      { effectsEnd: false, budget: { ...none, runs: 2 } },
      'double',
    ],
    ['a person settles truthfully', { truthful: false }, ''],
    ['a commit is durable', { commits: 'none_durable' }, 'lost outcome'],
    ['one journal is shared', { shared: false }, 'double'],
    [
      'a sender is not frozen for longer than the horizon',
      { journal: 'server', sendersAwake: false, budget: { ...none, runs: 3 } },
      'double',
    ],
    [
      'a server forgets nothing that only another desk saw',
      { journal: 'server', budget: { ...none, runs: 2, restores: 1 } },
      'double',
    ],
  ])('%s', async (name, dropped, kind) => {
    const { violation } = await broken({ ...design, budget: small, ...dropped }, kind);
    print(`without "${name}": ${violation?.what}`);
    for (const move of violation?.path ?? []) print(`    ${move}`);
    expect(violation?.what).toContain(kind);
  });
});
