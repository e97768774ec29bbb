/** `sender revoke`: ends the tokens of a member. */

import { confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { memberArgument } from './invite.ts';

export const revoke = defineCommand({
  description:
    'A running sender refuses the tokens within a second, and sends nothing of the member that is not recorded yet. With --desk only the token of ' +
    'that desk ends, and the member stays.',
  arguments: [memberArgument],
  flags: { desk: flag.text({ value: 'NAME', summary: 'only the token of this desk' }) },
  examples: ['paydesk sender revoke ana', 'paydesk sender revoke ana --desk desk-4 --yes'],
  run: async (ctx, { args: [name], flags: { desk } }): Promise<undefined> => {
    const what = desk === undefined ? `all tokens of ${name}` : `the token of ${name} at ${desk}`;
    if (await dryRunShown(ctx, { object: 'member', name, desk: desk ?? null }, `would end ${what}`)) return;
    await confirmFirst(ctx, `end ${what}?`, 'nothing was changed');
    const ended = await (await ctx.sender()).revoke(name, desk);
    const record = { object: 'member', name, desk: desk ?? null, tokens_ended: ended };
    await ctx.out.own(record, () => [{ line: `ended ${counted(ended, 'token')} of ${name}` }]);
  },
});
