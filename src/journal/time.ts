/** The journal's time: what all processes on this machine agree on, as far as clocks can be believed. */

import type { Clock, JournalStore, Service } from '../ports.ts';
import type { Moment } from './rows.ts';

/** How far clocks may differ before none of them is trusted with a horizon. */
export const tolerableSkewMs = 120_000;

/**
 * The latest of the wall clock, the newest journal time and the last `Date` header. Skewed when the wall clock and
 * `Date`, or the wall clock and the journal's past, disagree by more than two minutes; such a `Date` is no time to
 * write down, since every later moment would have to come after it.
 */
export async function momentOf(
  clock: Clock,
  store: Pick<JournalStore, 'newestTime'>,
  service: Pick<Service, 'seenDate'>,
): Promise<Moment> {
  const wall = clock.now();
  const mono = clock.monotonic();
  // Where the journal cannot be read any more, the clocks alone must do, and no horizon expires.
  const newest = await store.newestTime().catch(() => Number.POSITIVE_INFINITY);
  const seen = service.seenDate?.();
  // A Date header is as old as the wall clock has moved since it came.
  const date = seen === undefined ? undefined : seen.date + Math.max(0, wall - seen.wall);
  const disagrees = seen !== undefined && Math.abs(seen.date - seen.wall) > tolerableSkewMs;
  const skewed = newest - wall > tolerableSkewMs || disagrees;
  const past = Number.isFinite(newest) ? newest : 0;
  const time = Math.max(wall, past, disagrees ? 0 : (date ?? 0));
  return { time, wall, mono, skewed };
}
