/** A pace of requests: not more than so many a second, evenly. */

import type { Clock } from '../io.ts';

/** Resolves when the next request may leave; rejects with the signal's reason when it aborts. */
export type Pace = (signal: AbortSignal) => Promise<void>;

/** A pace that nothing has used yet. */
export function createPace(perSecond: number, clock: Clock): Pace {
  const apartMs = 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const now = clock.monotonic();
    const at = Math.max(now, next);
    next = at + apartMs;
    if (at > now) await clock.sleep(at - now, signal);
  };
}
