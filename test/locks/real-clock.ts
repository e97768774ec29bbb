// The clock of this machine, as main.ts hands it in.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../src/ports.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
