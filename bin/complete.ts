/** Answers a completion script in this process, at every TAB: an entry of its own, without commander. */

import { writeFileSync } from 'node:fs';
import { answer } from '../src/cli/completion/callback.ts';
import { homeFolder } from './process-io.ts';

export { answer };

/** Writes candidates to stdout and sets the exit code. */
export async function complete(process: NodeJS.Process): Promise<void> {
  process.removeAllListeners('warning');
  process.exitCode = await answer(process.argv.slice(3), {
    env: process.env,
    platform: process.platform,
    home: homeFolder,
    cwd: () => process.cwd(),
    // To the descriptor: opening process.stdout takes longer than all of this.
    write: (text) => writeFileSync(1, text),
  });
}
