/** The seed of everything random: in the short form always the same, in the long form another one each time. */

import fc from 'fast-check';
import { isLong } from './long.ts';

/** `PAYDESK_TEST_SEED=N` takes that one. */
export const seed = Number(process.env.PAYDESK_TEST_SEED ?? (isLong ? Date.now() % 2 ** 31 : 30));

// Whatever fails says its seed as well.
fc.configureGlobal({ seed });

/** A number from 0 up to 1, and the next one at the next call: those of the seed. */
export function randomNumbers(): () => number {
  const numbers = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    numRuns: 10_000,
    seed,
  });
  let next = 0;
  return () => numbers[next++ % numbers.length] ?? 0;
}
