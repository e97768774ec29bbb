/**
 * Explores in a thread of plain Node: under the test runner modules reach each other slowly, which triples the time. Not
 * for mutants and coverage: they do not reach a thread (tools/protocol/smallest.test.ts).
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Exploration } from './explore.ts';
import type { Rules } from './rules.ts';

/** As `explore`; rejects with what that threw. */
export async function exploreApart(rules: Rules): Promise<Exploration> {
  const file = new URL('explore-worker.ts', import.meta.url);
  const worker = new Worker(file, { workerData: rules, execArgv: [] });
  const [exploration]: readonly Exploration[] = await once(worker, 'message');
  if (exploration === undefined) throw new Error('the thread explored nothing');
  return exploration;
}
