/** All that comes from outside a run: time, and the variables of the environment. */

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Time, as everything here is given it. */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds from an unknown start. */
  monotonic(): number;
  /** The id of this boot of the machine, and milliseconds since it; undefined where the system does not tell. */
  boot?(): { readonly id: string; readonly ms: number } | undefined;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

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

/** Variables of the environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable's value, when it is set to something. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}
