/** `approvals show`: one request, with the order as it is now. */

import { showRequest } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';
import { requestArgument } from './request-argument.ts';

export const show = defineCommand({
  description:
    'Shows who asked for what, and what became of it. While it can still be sent, paydesk reads the order again and shows the preview that whoever asked has seen.',
  arguments: [requestArgument],
  flags: {},
  examples: ['paydesk approvals show r_7f3k2m9q', 'paydesk approvals show r_7f3k2m9q --json | jq -r .state'],
  async run(ctx, { args: [id] }) {
    await showRequest(ctx, id);
    return undefined;
  },
});
