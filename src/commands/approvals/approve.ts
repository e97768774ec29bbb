/** `approvals approve`: the second person lets a refund or a plan be sent. */

import { approveRequest } from '../../changes/changes.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { requestArgument } from './request-argument.ts';

export const approve = defineCommand({
  description:
    'paydesk reads the order again and shows the preview; if the refund would not be the same any more, it refuses. The approval is for that very refund, or for all rows of that plan, and for whoever asked; it works once, for 24 hours at most. Whoever asked then sends it with paydesk orders refund --approved REQUEST, or by applying the plan again.',
  arguments: [requestArgument],
  flags: {
    confirm: flag.text({
      value: 'ID',
      summary:
        'the order id, or at least 8 characters of the digest of the plan: counts as yes in production',
    }),
    hours: flag.integer(1, 24, {
      value: 'N',
      summary: 'how long the approval counts',
      defaultText: '24',
    }),
    note: flag.text({ value: 'TEXT', summary: 'a note, kept in the journal of the team' }),
  },
  examples: [
    'paydesk approvals approve r_7f3k2m9q',
    'paydesk approvals approve r_7f3k2m9q --hours 2 --yes --json',
  ],
  async run(ctx, { args: [id], flags: { confirm, hours, note } }) {
    await approveRequest(ctx, id, { confirm, hours, note });
    return undefined;
  },
});
