// The tests that mutants of the protocol and its verdicts are run against: the fast ones, and the model at its smallest.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/journal/{agreement,ambiguous,answer,attempt,creations,guards,resolve,make-change,same-account,sight,standing,time,passed-time,verdict,watched}.test.ts',
      'tools/protocol/smallest.test.ts',
    ],
    pool: 'forks',
    // Time for a busy machine.
    testTimeout: 120_000,
    // With --coverage: not a branch of them goes untried.
    coverage: {
      include: [
        'src/journal/{agreement,answer,attempt,creations,equal-refund,guards,resolve,same-account,sight,standing,time,verdict,watched}.ts',
      ],
      reporter: ['text'],
      thresholds: { 100: true },
    },
  },
});
