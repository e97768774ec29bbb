/** The command for software agents. */

import { usage } from '../flags/flags.ts';
import { defineCommand } from './command.ts';

export const mcp = defineCommand({
  description:
    'Answers a software agent on standard input and output, by the Model Context Protocol. The agent can read orders, refunds, customers and the journal, with personal data masked, and propose refunds: that writes a plan, which a person looks at, and applies or releases. Nothing that it calls sends, settles or approves anything.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p demo mcp', 'paydesk -p demo mcp </dev/null'],
  async run(ctx) {
    if (ctx.ask.interactive)
      throw usage('mcp is started by an agent, not at a terminal', ['paydesk help agents']);
    await ctx.serveAgent();
    return undefined;
  },
});
