/** Runs the command line of this process, and changes what belongs to the whole process. */

import { run } from '../src/cli/run.ts';
import type { Io } from '../src/io.ts';
import { ioOf } from './process-io.ts';

export { ioOf, run };

/**
 * Runs the command line of the process and sets its exit code. It never calls exit, which would cut off its output. `io`: a
 * test gives it another one.
 */
export async function start(process: NodeJS.Process, io: Io = ioOf(process)): Promise<void> {
  // Each file is created with the mode that it needs, so the user's umask must not take away what a group shares.
  process.umask(0o007);
  // At this signal, Node opens a debugger to everybody on this machine. A listener prevents that, so it is never removed.
  process.on('SIGUSR1', () => undefined);
  // If SNAP is set, conf overwrites its file in place, and a crash could leave half of it.
  delete process.env.SNAP;
  process.exitCode = await run(process.argv.slice(2), io);
}
