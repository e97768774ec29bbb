import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiled } from './test/harness/compiled.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/harness/warm-up.ts',
    env: { TMPDIR: folderOfHomes(), NODE_COMPILE_CACHE: compiled },
    // Time for a busy machine; no test waits by the clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // No test changes what others import: one process runs many files.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: modelFirst() },
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

// Files run by their size, large ones first. The model's is small and takes as long as the largest ones: at the end it
// would run alone, on one core.
function modelFirst(): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const isModel = ({ moduleId }: TestSpecification) => moduleId.includes('/test/model/');
      const bySize = await super.sort(files);
      return [...bySize.filter(isModel), ...bySize.filter((file) => !isModel(file))];
    }
  };
}
