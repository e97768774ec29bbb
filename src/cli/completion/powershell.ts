/** The completion script for PowerShell, 5.1 and later. */

import type { Candidate } from '../../commands/command.ts';

/** Where nothing is offered, PowerShell completes file names by itself. */
export function powershellScript(next: ReadonlyMap<string, readonly Candidate[]>): string {
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
