// The tests that mutants of the protocol and its verdicts are run against: the fast ones, and the model at its smallest.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/journal/{attempt,sight,answer,verdict,ambiguous,run,resolve,guards,creations}.test.ts',
      'tools/protocol/smallest.test.ts',
    ],
    pool: 'forks',
    // Time for a busy machine.
    testTimeout: 120_000,
    // With --coverage: not a branch of them goes untried.
    coverage: {
      include: ['src/journal/{attempt,sight,answer,verdict,creations}.ts'],
      reporter: ['text'],
      thresholds: { 100: true },
    },
  },
});
