import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiled } from './test/harness/compiled.ts';
import { isLong } from './test/harness/long.ts';

export default defineConfig({
  test: {
    // What needs a server that is not there by itself is in the long form only.
    include: ['test/**/*.test.ts', ...(isLong ? ['test/**/*.long.ts'] : [])],
    globalSetup: ['test/harness/warm-up.ts'],
    setupFiles: ['test/harness/seed.ts'],
    env: { TMPDIR: folderOfHomes(), NODE_COMPILE_CACHE: compiled },
    // Time for a busy machine, and an hour for a long form; no test waits by the clock.
    testTimeout: isLong ? 3_600_000 : 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // No test changes what others import: one process runs many files.
    isolate: false,
    maxWorkers: 4,
    sequence: { sequencer: longestFirst() },
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
  },
});

// In memory, where there is room and programs may be started: the tests look at which calls are made and in which order,
// and a third of their time would be waiting for a disk.
function folderOfHomes(): string {
  const memory = '/dev/shm';
  const probe = `${memory}/paydesk-${process.pid}`;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 2 ** 30) return tmpdir();
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(probe);
    return memory;
  } catch {
    return tmpdir();
  } finally {
    rmSync(probe, { force: true });
  }
}

// Files run by their size, large ones first. These are small and take longest: at the end one of them would run alone, on
// one core.
const longest = [
  '/test/contract/memory-and-process.test.ts',
  '/test/model/',
  '/test/journal/unwritten.test.ts',
  '/test/exports/resume.test.ts',
  '/test/atmost/contenders.test.ts',
  '/test/journal/schedules.test.ts',
  '/test/find/find.test.ts',
];

function longestFirst(): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const bySize = await super.sort(files);
      const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.includes(name));
      const first = longest.flatMap((name) => bySize.filter(({ moduleId }) => moduleId.includes(name)));
      return [...first, ...bySize.filter((file) => !isLong(file))];
    }
  };
}
