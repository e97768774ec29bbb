/** Clocks of runs that are not those of this machine; written as variables, so that they go wherever an environment goes. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../bin/process-io.ts';
import type { ClockWithTimers, Env } from '../../src/io.ts';

type Environment = Readonly<Record<string, string>>;

const wall = 'TEST_WALL_CLOCK_AHEAD_MS';
const up = 'TEST_UPTIME_AHEAD_MS';

/** The wall clock is so far off; how long the machine is up is as it is. */
export function clockOff(ms: number): Environment {
  return { [wall]: `${ms}` };
}

/** So much time has passed on this machine. */
export function later(ms: number): Environment {
  return { [wall]: `${ms}`, [up]: `${ms}` };
}

const still = 'TEST_CLOCK_STANDS_AT_MS';

/**
 * All clocks stand at this time (`2040-11-21T05:05:12Z`) but for what the run sleeps, so that a screen can be compared as a
 * whole. Only for a run in memory, and for a time after this machine's own: else the journal's file is of the future, and no
 * clock is trusted.
 */
export function standingAt(time: string): Environment {
  return { [still]: `${Date.parse(time)}` };
}

// What waits so long waits for the service, not for another run that needs real time.
const longSleepMs = 400;

/** The clock of a run in memory. A long sleep takes no time: the clock is put forward instead. */
export function clockOf(env: Env, sleeps: 'in no time' | 'really'): ClockWithTimers {
  const ahead = Number(env[wall] ?? 0);
  const upAhead = Number(env[up] ?? 0);
  let slept = 0;
  const at = env[still] === undefined ? undefined : Number(env[still]);
  if (at !== undefined) return standing(at, sleeps);
  return {
    now: () => systemClock.now() + ahead + slept,
    monotonic: () => systemClock.monotonic() + slept,
    uptime: () => (systemClock.uptime?.() ?? 0) + upAhead + slept,
    boot: () => {
      const boot = systemClock.boot?.();
      return boot && { ...boot, ms: boot.ms + upAhead + slept };
    },
    after: (ms, callback) => systemClock.after(ms, callback),
    every: (ms, callback) => systemClock.every(ms, callback),
    async sleep(ms, signal) {
      if (ms < longSleepMs || sleeps === 'really') return await systemClock.sleep(ms, signal);
      await systemClock.sleep(1, signal);
      slept += Math.ceil(ms);
    },
  };
}

// The machine has been up since the year 2026 began.
function standing(at: number, sleeps: 'in no time' | 'really'): ClockWithTimers {
  const clock = clockOf({}, sleeps);
  const start = clock.monotonic();
  const upSince = Date.UTC(2026);
  let slept = 0;
  const now = () => at + slept;
  return {
    ...clock,
    now,
    monotonic: () => start + slept,
    uptime: () => (now() - upSince) / 1000,
    boot: () => ({ id: 'one boot', ms: now() - upSince }),
    async sleep(ms, signal) {
      if (ms < longSleepMs || sleeps === 'really') return await systemClock.sleep(ms, signal);
      await systemClock.sleep(1, signal);
      slept += Math.ceil(ms);
    },
  };
}

/** The environment of a process with that clock: Node loads a file of the home first. */
export function preloadedClock(home: { readonly path: string }, env: Environment): Record<string, string> {
  const { [wall]: ahead, [up]: upAhead = '0', ...rest } = env;
  if (ahead === undefined) return rest;
  const file = join(home.path, `clock-${ahead}-${upAhead}.cjs`);
  writeFileSync(
    file,
    `const now = Date.now; Date.now = () => now() + ${ahead};
     const os = require('node:os'); const { uptime } = os; os.uptime = () => uptime() + ${upAhead} / 1000;\n`,
  );
  return { ...rest, NODE_OPTIONS: `--require=${file}` };
}
