/** Environments of runs whose clocks are not those of this machine. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './paydesk.ts';

type Environment = Readonly<Record<string, string>>;

/** The wall clock is so far off; how long the machine is up is as it is. */
export function clockOff(home: Home, ms: number): Environment {
  return preload(home, 'clock.cjs', `const now = Date.now; Date.now = () => now() + ${ms};\n`);
}

/** So much time has passed on this machine. */
export function later(home: Home, ms: number): Environment {
  const code = `const now = Date.now; Date.now = () => now() + ${ms};
    const os = require('node:os'); const { uptime } = os; os.uptime = () => uptime() + ${ms / 1000};\n`;
  return preload(home, 'later.cjs', code);
}

function preload(home: Home, name: string, code: string): Environment {
  const file = join(home.path, name);
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--require=${file}` };
}
