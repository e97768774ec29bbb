/** `approvals list`: the requests of the team for the approval of a second person. */

import { isPending, requestColumns, requestRecord, requestsOf } from '../../changes/changes.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';

export const list = defineCommand({
  description:
    'Lists the refunds and plans of the account that wait for somebody else of the team to approve them, oldest first; with --all also those of the last 30 days that are over.',
  arguments: [],
  flags: {
    all: flag.switch({ summary: 'also those that were sent, rejected, or have expired' }),
  },
  examples: ['paydesk approvals list', 'paydesk approvals list --all --json | jq .data'],
  async run(ctx, { flags }) {
    ctx.out.checkColumns(requestColumns);
    const shown = (await requestsOf(ctx)).filter((request) => flags.all === true || isPending(request));
    const { profile } = await ctx.profiles.open();
    const amountsOf = ({ profile }: { readonly profile?: unknown }) =>
      ctx.profiles.amountStyle(typeof profile === 'string' ? profile : '');
    await ctx.out.ownList(
      requestColumns.map((column) => ({ ...column, amountsOf })),
      shown.map(requestRecord),
    );
    if (shown.length === 0)
      ctx.notes.note(
        `nothing of profile ${profile.name} waits for an approval${flags.all === true ? ', and nothing did in the last 30 days' : ''}`,
      );
    return undefined;
  },
});
