/** The completion scripts of the shells. Nouns, verbs and topics are written into them; for the rest they ask `paydesk __complete`. */

import type { Shell } from '../../terminal/terminal.ts';
import { nextWords } from './candidates.ts';

/** The exit code of `__complete` that means: a file name is possible here. */
export const filesHere = 10;

/** The file of each script in the repository, under the name that its shell expects. */
export const scriptFiles: Readonly<Record<Shell, string>> = {
  bash: 'completions/paydesk.bash',
  zsh: 'completions/_paydesk',
  fish: 'completions/paydesk.fish',
  powershell: 'completions/paydesk.ps1',
};

type NextWords = ReturnType<typeof nextWords>;

const makers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

export function completionScript(shell: Shell): string {
  return makers[shell](nextWords());
}

// The script for bash 3.2 and later. The package bash-completion is not needed.
function bashScript(next: NextWords): string {
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

// The script for zsh. It works when sourced after compinit, and as the file _paydesk in a folder of $fpath.
function zshScript(next: NextWords): string {
  const cases = [...next].map(([typed, words]) =>
    [
      `      ('${typed}')`,
      '        found=(',
      ...words.map(({ value, text }) => `          ${inZshQuotes(`${value}:${text}`)}`),
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

function inZshQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishScript(next: NextWords): string {
  const cases = [...next].map(([typed, words]) =>
    [
      `            case '${typed}'`,
      "                printf '%s\\t%s\\n' \\",
      words.map(({ value, text }) => `                    ${value} ${inFishQuotes(text)}`).join(' \\\n'),
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

function inFishQuotes(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

// The script for PowerShell 5.1 and later, which completes file names by itself when nothing is offered.
function powershellScript(next: NextWords): string {
  const cases = [...next].map(([typed, words]) =>
    [
      `            '${typed}' {`,
      ...words.map(({ value, text }) => `                "${value}\`t${inDoubleQuotes(text)}"`),
      '            }',
    ].join('\n'),
  );
  return `# Completes paydesk in PowerShell. In $PROFILE: paydesk completion powershell | Out-String | Invoke-Expression
# Made from the table of commands by \`paydesk completion powershell\`. Runs nothing of what is typed.

Register-ArgumentCompleter -Native -CommandName paydesk -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $found = @()
    if (-not $wordToComplete.StartsWith('-')) {
        $found = @(switch -CaseSensitive -Exact ($before -join ' ') {
${cases.join('\n')}
        })
    }
    if ($found.Count -eq 0) {
        $found = @(& paydesk __complete powershell $before.Count @before $wordToComplete 2>$null)
    }
    $found | ForEach-Object {
        $value, $text = $_ -split "\`t", 2
        if (-not $text) { $text = $value }
        if ($value.StartsWith($wordToComplete)) {
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
        }
    }
}
`;
}

function inDoubleQuotes(text: string): string {
  return text.replace(/[`"$]/g, '`$&');
}
