// The tests that mutants of the protocol and its verdicts are run against: the fast ones.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/journal/{attempt,verdict,ambiguous,run,resolve,guards}.test.ts'],
    pool: 'forks',
  },
});
