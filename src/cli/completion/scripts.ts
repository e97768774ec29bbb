/** The completion script of every shell, and where each is kept in the repository. */

import type { Shell } from '../../terminal/terminal.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { nextWords } from './next-words.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** How `__complete` says, by its exit code, that a file name may stand here. */
export const filesHere = 10;

/** The file that holds the script, as each shell expects it to be called. */
export const scriptFiles: Readonly<Record<Shell, string>> = {
  bash: 'completions/paydesk.bash',
  zsh: 'completions/_paydesk',
  fish: 'completions/paydesk.fish',
  powershell: 'completions/paydesk.ps1',
};

const makers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

/** The script for a shell. Nouns and verbs stand in it; everything else it asks of `paydesk __complete`. */
export function completionScript(shell: Shell): string {
  return makers[shell](nextWords(), filesHere);
}
