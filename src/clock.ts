/** The clock of this machine. */

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from './ports.ts';

/** Wall and monotonic time of this machine; a sleep that is aborted rejects with the reason of the abort. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  boot: () => {
    try {
      const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return { id, ms: Math.round(uptime() * 1000) };
    } catch {
      return undefined;
    }
  },
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // The reason of the abort says more than Node's AbortError.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
