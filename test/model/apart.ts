/**
 * Explores in a thread of plain Node: under the test runner modules reach each other slowly, which triples the time. Not
 * for mutants and coverage: they do not reach a thread (tools/protocol/smallest.test.ts).
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Exploration } from './explore.ts';
import type { Rules } from './rules.ts';

export interface Explorer {
  /** As `explore`, one at a time; rejects with what that threw. */
  explore(rules: Rules, widest?: number): Promise<Exploration>;
  stop(): Promise<unknown>;
}

/** Starts one thread for many explorations: its code is loaded and compiled once. */
export function startExplorer(): Explorer {
  let worker: Worker | undefined;
  return {
    async explore(rules, widest) {
      worker ??= startThread();
      worker.postMessage({ rules, widest });
      try {
        const [exploration]: readonly Exploration[] = await once(worker, 'message');
        if (exploration === undefined) throw new Error('the thread explored nothing');
        return exploration;
      } catch (error) {
        // What an exploration throws ends its thread.
        worker = undefined;
        throw error;
      }
    },
    stop: async () => worker?.terminate(),
  };
}

function startThread(): Worker {
  return new Worker(new URL('explore-worker.ts', import.meta.url), {
    execArgv: [],
    // Most worlds are looked at once and forgotten, which is cheap while there is room for new ones.
    resourceLimits: { maxYoungGenerationSizeMb: 96 },
  });
}
