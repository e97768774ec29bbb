import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/harness/warm-up.ts',
    env: { TMPDIR: folderOfHomes() },
    // Time for a busy machine; no test waits by the clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // No test changes what others import: one process runs many files.
    isolate: false,
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
  },
});

// In memory, where there is room: the tests look at which calls are made and in which order, and a third of their time
// would be waiting for a disk.
function folderOfHomes(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 2 ** 30 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}
