import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLong } from '../harness/long.ts';
import { seed } from '../harness/seed.ts';
import { live, type Planned, type Schedule } from './hostile.ts';
import { amount, fates } from './hostile-service.ts';
import type { Tally } from './oracle.ts';

const numRuns = isLong ? 100_000 : 300;

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const planned: fc.Arbitrary<Planned> = fc
  .record<Planned>({
    does: fc.constantFrom('refund', 'refund', 'refund', 'reconcile', 'settle'),
    fate: fc.constantFrom(...fates),
    lateMs: fc.constantFrom(0, 0, second, 3 * second, hour, 23 * hour, day),
    hiddenMs: fc.constantFrom(0, 0, 0, second, minute, 5 * hour),
    sumToo: fc.boolean(),
    twiceAfterMs: rarely(fc.constantFrom(0, second, minute, 20 * hour)),
    pendingMs: fc.constantFrom(0, 0, 0, second, minute, 5 * hour),
    pendingCounts: fc.boolean(),
    failsAfterMs: rarely(fc.constantFrom(0, second, minute, 5 * hour)),
    afterMs: fc.constantFrom(0, 0, 20 * second, hour, 25 * hour),
    overlaps: fc.boolean(),
    failingReads: fc.constantFrom(0, 0, 0, 1, 4),
    staleReads: fc.constantFrom(0, 0, 0, 1, 5),
    dies: rarely(fc.record({ call: fc.integer({ min: 1, max: 20 }), after: fc.boolean() })),
    fullAfter: rarely(fc.integer({ min: 0, max: 3 })),
    foreign: rarely(fc.constantFrom(amount, 700)),
    clockOffMs: fc.constantFrom(0, 0, 0, 0, 400 * day, -400 * day, 25 * hour),
  })
  // No request takes effect later than its horizon (an assumption).
  .map((run) => (run.lateMs + (run.twiceAfterMs ?? 0) + run.hiddenMs > day ? { ...run, lateMs: 0 } : run))
  // What fails is not made twice: who sends it again cannot know that the first is still made once more (an assumption).
  .map((run) => (run.failsAfterMs === undefined ? run : { ...run, twiceAfterMs: undefined }));

const schedules: fc.Arbitrary<Schedule> = fc
  .record({ runs: fc.array(planned, { minLength: 1, maxLength: 5 }), dated: fc.boolean() })
  .map(({ runs, dated }) => ({ runs: withoutStaleRefusals(runs), dated }));

// A service that says no to what it did, and then shows the order as it was before, cannot be seen through.
function withoutStaleRefusals(runs: readonly Planned[]): readonly Planned[] {
  if (runs.every(({ fate }) => fate !== 'apply-reject')) return runs;
  return runs.map((run) => ({ ...run, staleReads: 0 }));
}

it(`in ${numRuns} schedules with a hostile service: never twice by us, never lost, no false word, an alarm where it doubled`, async () => {
  const sum = { posts: 0, effects: 0, doubled: 0, foreign: 0, applied: 0, alarms: 0, open: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(schedules, fc.scheduler(), async (schedule, scheduler) => {
      const tally = await live(schedule, scheduler);
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += tally[name];
    }),
    { numRuns, seed },
  );
  const counts = Object.entries(sum).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(
    `schedules: ${numRuns} run from seed ${seed}: ${counts.join(', ')}; 0 doubles by us, 0 lost outcomes, 0 false words, 0 missing alarms\n`,
  );
  expect(sum.effects).toBeGreaterThan(numRuns / 10);
  expect(sum.doubled).toBeGreaterThan(numRuns / 100);
  expect(sum.alarms).toBeGreaterThan(numRuns / 100);
  expect(sum.failed).toBeGreaterThan(numRuns / 100);
});

const plain: Planned = {
  does: 'refund',
  fate: 'ok',
  lateMs: 0,
  hiddenMs: 0,
  sumToo: false,
  twiceAfterMs: undefined,
  pendingMs: 0,
  pendingCounts: true,
  failsAfterMs: undefined,
  afterMs: 0,
  overlaps: false,
  failingReads: 0,
  staleReads: 0,
  dies: undefined,
  fullAfter: undefined,
  foreign: undefined,
  clockOffMs: 0,
};

// Schedules that went wrong once. `dated`: the service's replies carry a `Date`.
it.each<[string, readonly Planned[], { dated: boolean; tally: Partial<Tally> }]>([
  [
    'a refund is not taken for the one that it repeats, under a clock that is off',
    [
      { ...plain, fate: 'unsure' },
      { ...plain, fate: 'apply-drop', hiddenMs: 5 * hour, afterMs: 25 * hour, clockOffMs: 25 * hour },
    ],
    { dated: false, tally: { effects: 1, alarms: 0 } },
  ],
  [
    'what was lost under a clock 400 days behind is looked at to its end',
    [
      {
        ...plain,
        fate: 'apply-unsure',
        lateMs: hour,
        dies: { call: 6, after: true },
        fullAfter: 2,
        clockOffMs: -400 * day,
      },
      { ...plain, dies: { call: 4, after: true } },
      { ...plain, dies: { call: 5, after: false }, fullAfter: 1 },
    ],
    { dated: false, tally: { effects: 1, alarms: 0 } },
  ],
  [
    'what was read twice under a wrong clock is read again once the clock is right',
    [
      {
        ...plain,
        fate: 'apply-unsure',
        hiddenMs: minute,
        staleReads: 1,
        twiceAfterMs: 20 * hour,
        clockOffMs: 400 * day,
      },
      { ...plain, afterMs: hour, clockOffMs: 400 * day },
      { ...plain, does: 'settle', overlaps: true, clockOffMs: 400 * day },
      { ...plain, overlaps: true, clockOffMs: -400 * day },
    ],
    { dated: true, tally: { effects: 1, alarms: 1 } },
  ],
  [
    'a refund that failed is not taken for the one that was sent in the same second as an equal one that was refused',
    [
      { ...plain, fate: 'apply-reject', hiddenMs: minute, failsAfterMs: 0 },
      { ...plain, fate: 'apply-unsure', hiddenMs: 5 * hour, pendingMs: 5 * hour, pendingCounts: false },
      { ...plain, twiceAfterMs: 0, afterMs: hour, foreign: 700 },
      plain,
    ],
    { dated: false, tally: { effects: 2, doubled: 0 } },
  ],
  [
    'what was sent long after a refusal that nobody checked is not taken for the refused one, under a clock that is off',
    [
      { ...plain, fate: 'reject', failingReads: 4 },
      { ...plain, does: 'settle', afterMs: hour, dies: { call: 2, after: false } },
      {
        ...plain,
        fate: 'apply-drop',
        hiddenMs: 5 * hour,
        sumToo: true,
        afterMs: 25 * hour,
        overlaps: true,
        clockOffMs: 400 * day,
      },
    ],
    // In some orders of the calls the settle still holds the lock, and nothing is sent.
    { dated: false, tally: { doubled: 0, alarms: 0 } },
  ],
])('%s', async (_, runs, { dated, tally }) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      expect(await live({ runs, dated }, scheduler)).toMatchObject(tally);
    }),
    { numRuns: 50 },
  );
});
