// The tests that mutants of the protocol and its verdicts are run against: the fast ones, and the model at its smallest.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export default defineConfig({
  test: {
    include: [
      'test/journal/{agreement,ambiguous,at-most-once,attempt-state,failing,guards,journal-time,judge-read,judge-reply,make-change,recorded-not-made,resolve,same-account,same-request,verdict}.test.ts',
      'test/journal/{questions/{known-attempts,paid-twice,unfinished},rows/store-rules}.test.ts',
      'tools/protocol/smallest.test.ts',
    ],
    pool: 'forks',
    // One process runs all files for a mutant: to start one for each takes longer than the tests.
    isolate: false,
    sequence: { sequencer: quickFirst() },
    // Time for a busy machine.
    testTimeout: 120_000,
    // With --coverage: not a branch of them goes untried.
    coverage: {
      include: [
        'src/journal/{agreement,at-most-once,attempt-state,claims,guards,journal-time,judge-read,judge-reply,read-guards,resolve,same-account,same-request,verdict}.ts',
        'src/journal/{questions/{by-hand,known-attempts,paid-twice,verdicts-say},rows/store-rules}.ts',
      ],
      reporter: ['text'],
      thresholds: { 100: true },
    },
  },
});

// The first test that fails ends the run of a mutant, so what takes seconds runs last.
function quickFirst(): typeof BaseSequencer {
  const slow = ['unfinished', 'ambiguous', 'smallest', 'known-attempts'];
  const place = ({ moduleId }: TestSpecification) =>
    slow.findIndex((name) => moduleId.includes(`/${name}.test`));
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return files.toSorted((one, other) => place(one) - place(other));
    }
  };
}
