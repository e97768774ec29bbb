/** `approvals approve`: the second person lets a refund or a plan be sent. */

import { approveRequest } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';
import { flag } from '../flags.ts';
import { requestArgument } from './request-argument.ts';

export const approve = defineCommand({
  description: [
    'Approves a request of somebody else. paydesk reads the order again first and shows the preview. If the order has changed and the refund would not be the same any more, paydesk refuses.',
    'The approval is for that very refund, or for all rows of that plan, and for whoever asked. It works once, and for 24 hours at most. Of a plan it shows the whole digest: if you do not trust the file that you looked at, compare all 64 characters, or give them as --confirm. Whoever asked then sends it with paydesk orders refund --approved REQUEST, or by applying the plan again.',
  ].join(' '),
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
    'paydesk -p shop-mx approvals approve r_7f3k2m9q --confirm ord_2tQ7zRk9PwE5xNvAm',
  ],
  exits: [0, 2, 3, 4, 5],
  async run(ctx, { args: [id], flags: { confirm, hours, note } }) {
    await approveRequest(ctx, id, { confirm, hours, note });
    return undefined;
  },
});
