/** The completion script for bash, 3.2 and later; needs no bash-completion package. */

import type { Candidate } from '../../commands/command.ts';

/** `filesHere` is the exit code of `__complete` that asks for file names. */
export function bashScript(next: ReadonlyMap<string, readonly Candidate[]>, filesHere: number): string {
  const cases = [...next].map(
    ([typed, words]) => `    '${typed}') words='${words.map(({ value }) => value).join(' ')}' ;;`,
  );
  return `# Completes paydesk in bash. In ~/.bashrc: eval "$(paydesk completion bash)"
# Made from the table of commands by \`paydesk completion bash\`. Runs nothing of what is typed.

_paydesk() {
  local IFS=$' \\t\\n'
  local current="\${COMP_WORDS[COMP_CWORD]-}" typed="\${COMP_WORDS[*]:1:COMP_CWORD-1}" words='' word answer code=0
  COMPREPLY=()
  case "$current" in -*) typed='-' ;; esac
  case "$typed" in
${cases.join('\n')}
  esac
  if [[ -n $words ]]; then
    for word in $words; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$word")
    done
    return 0
  fi
  answer="$(command paydesk __complete bash "$((COMP_CWORD - 1))" "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)" || code=$?
  if [[ $code -eq ${filesHere} ]]; then
    compopt -o default 2>/dev/null
  elif [[ -n $answer ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$answer"
    compopt -o nosort 2>/dev/null
  fi
  return 0
}

complete -F _paydesk paydesk
`;
}
