import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/harness/warm-up.ts',
    // Time for a busy machine; no test waits by the clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // No test changes what others import: one process runs many files.
    isolate: false,
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
  },
});
