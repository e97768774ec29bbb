/** `completion`: prints the script that makes a shell complete paydesk. It installs nothing. */

import { oneOf } from '../flags/flags.ts';
import { shells } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';

export const completion = defineCommand({
  description: [
    'Prints a script and changes no file. To have it in every new shell, add the line for your shell:',
    '',
    'bash, in ~/.bashrc:',
    '  eval "$(paydesk completion bash)"',
    'zsh, in ~/.zshrc, after compinit:',
    '  eval "$(paydesk completion zsh)"',
    'fish, once:',
    '  paydesk completion fish > ~/.config/fish/completions/paydesk.fish',
    'PowerShell, in $PROFILE:',
    '  paydesk completion powershell | Out-String | Invoke-Expression',
    '',
    'TAB then offers commands, options, their values, profiles, and orders from the journal of this machine. TAB sends no request and runs nothing that is typed.',
  ].join('\n'),
  arguments: [
    {
      name: 'shell',
      summary: 'the shell',
      required: true,
      choices: shells,
      parse: (text: string, name: string) => oneOf(shells, text, name),
    },
  ],
  flags: {},
  examples: ['paydesk completion bash', 'paydesk completion zsh > _paydesk'],
  async run(ctx, { args: [shell] }): Promise<undefined> {
    await ctx.out.text(await ctx.completionScript(shell));
  },
});
