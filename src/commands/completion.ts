/** `completion`: prints the completion script for a shell, or the man page, or writes it where the shell or man looks for it. */

import { confirmFirst, dryRunShown } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { flag, oneOf } from '../flags/flags.ts';
import { shells } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';

const readers = [...shells, 'man'] as const;

export const completion = defineCommand({
  description: [
    'Prints a script and changes no file. To have it in every new shell, use --install, or add the line for your shell:',
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
      summary: 'the shell; man is the man page, as paydesk help man prints it',
      required: true,
      choices: readers,
      parse: (text: string, name: string) => oneOf(readers, text, name),
    },
  ],
  flags: {
    install: flag.switch(
      'ask, then write it where the shell looks for it; never replaces a file that paydesk did not write',
    ),
  },
  examples: ['paydesk completion bash', 'paydesk completion man --install --yes'],
  async run(ctx, { args: [reader], flags }): Promise<undefined> {
    const one = await ctx.installable(reader);
    if (flags.install !== true) {
      await ctx.out.text(one.text);
      return undefined;
    }
    const { file } = one;
    if (file === undefined)
      throw new CliError('usage', `${reader} has no folder for completion scripts`, {
        certain: 'nothing was written',
        now: ['paydesk completion --help'],
      });
    const verb = one.isThere() ? 'replace' : 'write';
    const asked = { object: 'file', file, replaced: verb === 'replace' };
    if (await dryRunShown(ctx, asked, `would ${verb} ${file}`)) return undefined;
    await confirmFirst(ctx, `${verb} ${file}?`, 'nothing was written');
    one.write();
    await ctx.out.own({ ...asked, written: true }, () => [{ line: `written: ${file}` }]);
    if (one.needs !== undefined) ctx.notes.note(one.needs);
    return undefined;
  },
});
