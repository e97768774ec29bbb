import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fates, live, type Planned } from './hostile.ts';

const long = process.env.PAYDESK_TEST_LONG === '1';
const numRuns = long ? 50_000 : 2_000;
const seed = Number(process.env.PAYDESK_TEST_SEED ?? Date.now());

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

// A service that says no to what it did, and then shows the order as it was before, cannot be seen through.
const planned: fc.Arbitrary<Planned> = fc
  .record<Planned>({
    does: fc.constantFrom('refund', 'refund', 'refund', 'reconcile', 'settle'),
    fate: fc.constantFrom(...fates),
    afterMs: fc.constantFrom(0, 0, 20_000, 3_700_000, 90_000_000),
    overlaps: fc.boolean(),
    failingReads: fc.constantFrom(0, 0, 0, 1, 4),
    staleReads: fc.constantFrom(0, 0, 0, 1, 5),
    dies: rarely(fc.record({ call: fc.integer({ min: 1, max: 20 }), after: fc.boolean() })),
    fullAfter: rarely(fc.integer({ min: 0, max: 3 })),
    foreign: fc.constant(false),
  })
  .map((run) => (run.fate === 'apply-reject' ? { ...run, staleReads: 0 } : run));

const foreignOnce = fc
  .tuple(fc.array(planned, { minLength: 1, maxLength: 5 }), fc.option(fc.nat(4), { nil: undefined }))
  .map(([plan, at]) => plan.map((one, index) => ({ ...one, foreign: index === at })));

it(
  `in ${numRuns} schedules with a hostile service: never twice, never lost, never falsely applied`,
  async () => {
    const sum = { posts: 0, effects: 0, applied: 0 };
    await fc.assert(
      fc.asyncProperty(foreignOnce, fc.scheduler(), async (plan, scheduler) => {
        const { posts, effects, applied } = await live(plan, scheduler);
        sum.posts += posts;
        sum.effects += effects;
        sum.applied += applied;
      }),
      { numRuns, seed },
    );
    process.stdout.write(
      `schedules: ${numRuns} run from seed ${seed}, ${sum.posts} requests, ${sum.effects} effects, ${sum.applied} seen as applied; 0 doubles, 0 lost outcomes, 0 false applied\n`,
    );
    expect(sum.effects).toBeGreaterThan(numRuns / 10);
  },
  long ? 3_600_000 : 240_000,
);
