/** `journal show`: one intent, all that is known of it, and what to do now. */

import { defineCommand } from '../command.ts';
import { attemptOf, intentArgument, showAttempt } from './show-attempts.ts';

export const show = defineCommand({
  description:
    'The last attempt of an intent: what was sent, every verdict since, and what to do now. Reads nothing.',
  arguments: [intentArgument(true)],
  flags: {},
  examples: [
    'paydesk journal show i_7f3k2m9q',
    'paydesk journal show ticket-8840',
    'paydesk journal show i_7f3k2m9q --json | jq -r .verdict',
  ],
  exits: [0, 2, 3, 5],
  async run(ctx, { args: [intent] }) {
    await showAttempt(ctx, await attemptOf(ctx, intent));
    return undefined;
  },
});
