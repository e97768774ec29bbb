/** Explores in a thread of plain Node: under the test runner modules reach each other slowly, which triples the time. */

import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Exploration, explore } from './explore.ts';
import type { Rules } from './world.ts';

/** What `explore` returns. */
export async function exploreApart(rules: Rules): Promise<Exploration> {
  const worker = new Worker(new URL(import.meta.url), { workerData: rules, execArgv: [] });
  const [exploration] = await once(worker, 'message');
  return exploration;
}

if (!isMainThread && parentPort !== null && workerData !== null) parentPort.postMessage(explore(workerData));
