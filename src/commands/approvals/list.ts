/** `approvals list`: the requests of the team for the approval of a second person. */

import {
  accountWords,
  isOfAccount,
  isPending,
  requestColumns,
  requestRecord,
  requestsOf,
} from '../../changes/changes.ts';
import type { ApprovalRequest } from '../../journal/journal.ts';
import { commandLine } from '../../profiles/profiles.ts';
import { type Context, defineCommand } from '../command.ts';
import { flag } from '../flags.ts';

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
    const wanted = (await requestsOf(ctx)).filter((request) => flags.all === true || isPending(request));
    const { profile } = await ctx.profiles.open();
    const shown = wanted.filter((request) => isOfAccount(request, profile));
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
    for (const line of await elsewhereLines(
      ctx,
      wanted.filter((request) => !shown.includes(request)),
    ))
      ctx.notes.note(line);
    return undefined;
  },
});

// The requests of one team may be about several accounts: `2 of another account (production, profile live): …`.
async function elsewhereLines(
  ctx: Context,
  requests: readonly ApprovalRequest[],
): Promise<readonly string[]> {
  const accounts = [...new Set(requests.map(({ asked }) => asked.account))];
  return await Promise.all(
    accounts.map(async (account) => {
      const of = requests.filter(({ asked }) => asked.account === account);
      const [first] = of;
      const names = await ctx.profiles.reaching(account);
      const name = names.find((one) => one === first?.asked.profile) ?? names[0];
      const words = first === undefined ? '' : accountWords(first.asked);
      const list =
        name === undefined ? '' : `: ${commandLine({ kind: 'stored', name }, 'approvals', 'list')}`;
      return `${of.length} of another account (${words})${list}`;
    }),
  );
}
