/** `approvals reject`: the second person refuses, or whoever asked takes the request back. */

import { rejectRequest } from '../../changes/changes.ts';
import { flag, usage } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { requestArgument } from './request-argument.ts';

export const reject = defineCommand({
  description:
    'The note says why. A request that was approved and not sent yet can be rejected too. Whoever asked takes a request back the same way.',
  arguments: [requestArgument],
  flags: { note: flag.text({ value: 'TEXT', summary: 'why: whoever asked reads it' }) },
  examples: [
    'paydesk approvals reject r_7f3k2m9q --note "paid back last week, see ticket 8812"',
    'paydesk approvals reject r_7f3k2m9q --note "wrong order" --json',
  ],
  async run(ctx, { args: [id], flags: { note } }) {
    if (note === undefined) throw usage('missing --note: say why', ['add it to the command: --note TEXT']);
    await rejectRequest(ctx, id, note);
    return undefined;
  },
});
