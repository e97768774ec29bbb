/** Answers the completion script of a shell at every TAB. It is an entry of its own, so that commander is not loaded. */

import { writeFileSync } from 'node:fs';
import { answer } from '../src/cli/completion/callback.ts';
import { homeFolder, machineFileOf } from './process-io.ts';

export { answer };

/** Writes candidates to stdout and sets the exit code. */
export async function complete(process: NodeJS.Process): Promise<void> {
  process.removeAllListeners('warning');
  process.exitCode = await answer(process.argv.slice(3), {
    env: process.env,
    platform: process.platform,
    home: homeFolder,
    uid: process.getuid?.(),
    machineFile: machineFileOf(process.platform),
    cwd: () => process.cwd(),
    // This writes to the descriptor, because opening process.stdout takes longer than everything else here.
    write: (text) => writeFileSync(1, text),
  });
}
