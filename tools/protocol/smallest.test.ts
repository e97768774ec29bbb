// The model at its smallest bound: short enough to be run against every mutant of the protocol.
import { describe, expect, it } from 'vitest';
import { explore } from '../../test/model/explore.ts';
import { design, none, type Rules } from '../../test/model/rules.ts';

const smallest = { ...none, runs: 2 };

describe('the protocol in its smallest world: never twice, never lost, never falsely applied', () => {
  it.each<[string, Partial<Rules>]>([
    ['with a kill', { budget: { ...smallest, kills: 1 } }],
    ['with a refund by somebody else', { budget: { ...smallest, foreign: 1 } }],
    ['with a write that fails', { budget: { ...smallest, failures: 1 } }],
    ['after a refund of the same amount', { budget: smallest, olderRefund: true }],
  ])('%s', (_, rules) => {
    const { states, violation } = explore({ ...design, ...rules });
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  });
});
