import { describe, expect, it } from 'vitest';
import { exploreApart } from './apart.ts';
import { design, none, type Rules } from './rules.ts';

const long = process.env.PAYDESK_TEST_LONG === '1';
const small = { ...none, runs: 3, kills: 1, powerLosses: 1, foreign: 1, settles: 1 };

function print(line: string): void {
  process.stdout.write(`model: ${line}\n`);
}

describe('the protocol, in every state that two processes, kills, a power loss and a bad network can reach', () => {
  it.each<[string, Partial<Rules>]>([
    ['a first refund', { budget: { ...design.budget, runs: long ? 4 : 3 } }],
    [
      'a second refund of the same amount',
      {
        olderRefund: true,
        budget: { ...small, powerLosses: long ? 1 : 0, foreign: 0, settles: long ? 1 : 0 },
      },
    ],
    [
      'a disk that fails',
      {
        budget: {
          ...small,
          runs: long ? 3 : 2,
          powerLosses: long ? 1 : 0,
          foreign: 1,
          settles: 0,
          failures: 2,
        },
      },
    ],
  ])(
    '%s: never twice, never lost, never falsely applied',
    async (name, rules) => {
      const { states, violation } = await exploreApart({ ...design, ...rules });
      print(`${name}: ${states} states visited, ${violation === undefined ? 0 : 1} violations`);
      expect(violation).toBeUndefined();
      expect(states).toBeGreaterThan(10_000);
    },
    long ? 3_600_000 : 240_000,
  );
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
    const { states, violation } = await exploreApart({ ...design, budget: small, ...defect });
    print(`defect "${name}": caught after ${states} states: ${violation?.what}`);
    expect(violation?.what).toContain(kind);
  });
});

describe('each assumption is needed: without it there is a counterexample', () => {
  it.each<[string, Partial<Rules>, string]>([
    ['no request takes effect after its horizon', { effectsEnd: false }, 'double'],
    ['a person settles truthfully', { truthful: false }, ''],
    ['a commit is durable', { commits: 'none_durable' }, 'lost outcome'],
    ['one journal is shared', { shared: false }, 'double'],
  ])('%s', async (name, dropped, kind) => {
    const { violation } = await exploreApart({ ...design, budget: small, ...dropped });
    print(`without "${name}": ${violation?.what}`);
    for (const move of violation?.path ?? []) print(`    ${move}`);
    expect(violation?.what).toContain(kind);
  });
});
