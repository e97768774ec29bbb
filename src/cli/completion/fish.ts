/** The completion script for fish. */

import type { Candidate } from '../../commands/command.ts';

/** `filesHere` is the exit code of `__complete` that asks for file names. */
export function fishScript(next: ReadonlyMap<string, readonly Candidate[]>, filesHere: number): string {
  const cases = [...next].map(([typed, words]) =>
    [
      `            case '${typed}'`,
      "                printf '%s\\t%s\\n' \\",
      words.map(({ value, text }) => `                    ${value} ${quoted(text)}`).join(' \\\n'),
      '                return',
    ].join('\n'),
  );
  return `# Completes paydesk in fish. Once: paydesk completion fish > ~/.config/fish/completions/paydesk.fish
# Made from the table of commands by \`paydesk completion fish\`. Runs nothing of what is typed.

function __paydesk_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -e before[1]
    if not string match -q -- '-*' "$current"
        switch "$before"
${cases.join('\n')}
        end
    end
    set -l answer (command paydesk __complete fish (count $before) $before "$current" 2>/dev/null </dev/null)
    if test $status -eq ${filesHere}
        __fish_complete_path "$current"
    else
        printf '%s\\n' $answer
    end
end

complete -c paydesk -e
complete -c paydesk -f -k -a '(__paydesk_complete)'
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
