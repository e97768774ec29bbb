/** Keeps the requests of a run apart, so that there are never more than so many per second. */

import type { Clock } from '../io.ts';

/** The pace of all requests of a run. Nothing waits until a limit is set. */
export interface Pace {
  /** Limits the requests per second from now on. The newest limit counts. */
  limit(perSecond: number): void;
  /** Resolves when the next request may be sent. Rejects with the signal's reason when that aborts. */
  next(signal?: AbortSignal): Promise<void>;
  /**
   * Counts a request that is sent without waiting, because a change must follow its SENT row at once. The request after it
   * waits for longer.
   */
  count(): void;
}

/** Makes a pace that spreads requests evenly over each second. The first request may be sent at once. */
export function createPace(clock: Clock): Pace {
  let apartMs = 0;
  let free = Number.NEGATIVE_INFINITY;
  const take = (now: number): number => {
    const at = Math.max(now, free);
    free = at + apartMs;
    return at;
  };
  return {
    limit(perSecond) {
      apartMs = 1000 / perSecond;
    },
    async next(signal) {
      if (apartMs === 0) return;
      const now = clock.monotonic();
      const at = take(now);
      if (at > now) await clock.sleep(at - now, signal);
    },
    count() {
      if (apartMs > 0) take(clock.monotonic());
    },
  };
}
