/** The simulator for the commands: serving on a port, resetting the demo. */

import { defaultVendor } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { fullPath } from '../io.ts';
import type { ServeOptions, Serving, SimulatorControl } from './control.ts';
import { resetDemo } from './demo.ts';
import { createFaults, parseFaults } from './faults.ts';
import { systemRandom } from './random.ts';
import { defaultOrders } from './seed/seed.ts';
import type { Store } from './store.ts';
import { openStore } from './store.ts';
import { memory } from './store-file.ts';

/** Where the demo lies, and what time it is. */
export interface ControlOptions {
  /** The folder of the demo's file. */
  readonly folder: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The folder that a relative name of a file belongs to. */
  readonly cwd: () => string;
}

/** What the commands are given. Nothing is opened until one of its functions is called. */
export function createSimulatorControl(options: ControlOptions): SimulatorControl {
  return {
    serve: (asked) => serve(asked, options),
    reset: async () => {
      const { instance, orders } = resetDemo(options);
      return { instance, orders };
    },
  };
}

async function serve(asked: ServeOptions, { now, cwd }: ControlOptions): Promise<Serving> {
  const plan = asked.faults === undefined ? undefined : parseFaults(asked.faults, '--fault');
  if (plan === undefined && (asked.faultReads === true || asked.faultSeed !== undefined)) {
    throw new CliError(
      'usage',
      `${asked.faultReads === true ? '--fault-reads' : '--fault-seed'} needs --fault`,
      {
        now: ['paydesk simulator serve --fault apply-drop:0.2'],
      },
    );
  }
  const [brand = defaultVendor, ...vendors] = asked.vendors ?? [];
  const { serveStore } = await import('./serve.ts');
  const random = systemRandom();
  const store = openChecked(asked, now, cwd);
  try {
    return await serveStore({
      port: asked.port ?? 0,
      store,
      vendors: [brand, ...vendors],
      drawFault: plan && createFaults(plan, { seed: asked.faultSeed ?? 1, reads: asked.faultReads ?? false }),
      latencyMs: asked.latencyMs ?? 0,
      now,
      random,
    });
  } catch (error) {
    store.close();
    throw error;
  }
}

// A file keeps the mode and the orders it was made with.
function openChecked({ db, mode, orders }: ServeOptions, now: () => number, cwd: () => string): Store {
  const store = openStore({
    file: db === undefined || db === memory ? db : fullPath(cwd, db),
    mode: mode ?? 'sandbox',
    orders: orders ?? defaultOrders,
    now: Math.floor(now() / 1000),
    random: systemRandom(),
  });
  const held = store.identity();
  const differing =
    mode !== undefined && mode !== held.mode
      ? `holds a simulator in ${held.mode} mode, not ${mode}`
      : orders !== undefined && orders !== held.orders
        ? `was made with ${held.orders} orders, not ${orders}`
        : undefined;
  if (differing === undefined) return store;
  store.close();
  throw new CliError('usage', `${db ?? 'memory'} ${differing}`, {
    certain: 'nothing was started',
    now: ['name another file with --db, or leave the option away'],
  });
}
