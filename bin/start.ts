/** Starts paydesk in this process: hands it over, and sets what belongs to the whole process. */

import { run } from '../src/cli/run.ts';
import { ioOf } from './process-io.ts';

export { run };

/** Runs the command line of the process and sets its exit code; never calls exit, since that cuts what is still being written. */
export async function start(process: NodeJS.Process): Promise<void> {
  // Node opens a debugger at this signal, to whoever is on this machine; a listener, never taken away, is what stops it.
  process.on('SIGUSR1', () => undefined);
  // Where it is set, conf writes its file in place instead of whole.
  delete process.env.SNAP;
  process.exitCode = await run(process.argv.slice(2), ioOf(process));
}
