/** The `approvals` commands: the requests for the approval of a second person, and what that person says to one. */

import {
  approveRequest,
  rejectRequest,
  requestColumns,
  requestRecord,
  requestsOf,
  showRequest,
} from '../changes/changes.ts';
import { refuseAgentTo } from '../context/context.ts';
import { flag, listFileFlags, usage } from '../flags/flags.ts';
import { isWaiting, requestPattern } from '../journal/journal.ts';
import { defineCommand } from './command.ts';

const requestArgument = {
  name: 'request',
  summary: 'the id of the request, such as r_7f3k2m9q',
  required: true,
  parse: (text: string): string => {
    if (requestPattern.test(text)) return text;
    throw usage(`REQUEST ${text}: not the id of a request, such as r_7f3k2m9q`, ['paydesk approvals list']);
  },
} as const;

export const list = defineCommand({
  description:
    'Lists the refunds and plans of the account that wait for somebody else of the team to approve them, oldest first; with --all also those of the last 30 days that are over.',
  flags: {
    all: flag.switch('also those that were sent, rejected, or have expired'),
    ...listFileFlags,
  },
  examples: ['paydesk approvals list', 'paydesk approvals list --all --json | jq .data'],
  async run(ctx, { flags }): Promise<undefined> {
    ctx.out.checkColumns(requestColumns);
    const shown = (await requestsOf(ctx)).filter((request) => flags.all === true || isWaiting(request));
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
  },
});

export const show = defineCommand({
  description:
    'Shows who asked for what, and what became of it. While it can still be sent, paydesk reads the order again and shows the preview that whoever asked has seen.',
  arguments: [requestArgument],
  examples: ['paydesk approvals show r_7f3k2m9q', 'paydesk approvals show r_7f3k2m9q --json | jq -r .state'],
  async run(ctx, { args: [id] }): Promise<undefined> {
    await showRequest(ctx, id);
  },
});

export const approve = defineCommand({
  description:
    'paydesk reads the order again and shows the preview; if the refund would not be the same any more, it refuses. The approval is for that very refund, or for all rows of that plan, and for whoever asked; it works once, for 24 hours at most. Whoever asked then sends it with paydesk orders refund --approved REQUEST, or by applying the plan again.',
  arguments: [requestArgument],
  flags: {
    confirm: flag.text(
      'ID',
      'the order id, or at least 8 characters of the digest of the plan: counts as yes in production',
    ),
    hours: flag.integer(1, 24, 'N', 'how long the approval counts', { defaultText: '24' }),
    note: flag.text('TEXT', 'a note, kept in the journal of the team'),
  },
  examples: [
    'paydesk approvals approve r_7f3k2m9q',
    'paydesk approvals approve r_7f3k2m9q --hours 2 --yes --json',
  ],
  async run(ctx, { args: [id], flags: { confirm, hours, note } }): Promise<undefined> {
    refuseAgentTo(ctx, 'approves a request');
    await approveRequest(ctx, id, { confirm, hours, note });
  },
});

export const reject = defineCommand({
  description:
    'The note says why. A request that was approved and not sent yet can be rejected too. The person who asked takes a request back in the same way.',
  arguments: [requestArgument],
  flags: { note: flag.text('TEXT', 'why: whoever asked reads it') },
  examples: [
    'paydesk approvals reject r_7f3k2m9q --note "paid back last week, see ticket 8812"',
    'paydesk approvals reject r_7f3k2m9q --note "wrong order" --json',
  ],
  async run(ctx, { args: [id], flags: { note } }): Promise<undefined> {
    refuseAgentTo(ctx, 'rejects a request');
    if (note === undefined) throw usage('missing --note: say why', ['add it to the command: --note TEXT']);
    await rejectRequest(ctx, id, note);
  },
});
