/** The completion script for zsh: to be sourced after compinit, or put into a folder of $fpath as _paydesk. */

import type { Candidate } from '../../commands/command.ts';

/** `filesHere` is the exit code of `__complete` that asks for file names. */
export function zshScript(next: ReadonlyMap<string, readonly Candidate[]>, filesHere: number): string {
  const cases = [...next].map(([typed, words]) =>
    [
      `      ('${typed}')`,
      '        found=(',
      ...words.map(({ value, text }) => `          ${quoted(`${value}:${text}`)}`),
      '        ) ;;',
    ].join('\n'),
  );
  return `#compdef paydesk
# Completes paydesk in zsh. In ~/.zshrc, after compinit: eval "$(paydesk completion zsh)"
# Made from the table of commands by \`paydesk completion zsh\`. Runs nothing of what is typed.

_paydesk() {
  local -a before found
  local typed answer line
  local -i code=0
  (( CURRENT > 2 )) && before=("\${(@)words[2,CURRENT-1]}")
  typed="\${(j: :)before}"
  if [[ $PREFIX != -* ]]; then
    case $typed in
${cases.join('\n')}
    esac
  fi
  if (( ! $#found )); then
    answer="$(command paydesk __complete zsh $#before "\${(@)before}" "$PREFIX" 2>/dev/null </dev/null)" || code=$?
    if (( code == ${filesHere} )); then
      _files
      return
    fi
    for line in "\${(@f)answer}"; do
      [[ -n $line ]] && found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
    done
  fi
  (( $#found )) && _describe -V 'paydesk' found
}

if [[ \${funcstack[1]-} == _paydesk ]]; then
  _paydesk "$@"
elif (( $+functions[compdef] )); then
  compdef _paydesk paydesk
fi
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
