/** The command for software agents. */

import { usage } from '../flags/flags.ts';
import { defineCommand } from './command.ts';

export const mcp = defineCommand({
  description:
    'Waits on standard input for a software agent, and answers it on standard output, by the Model Context Protocol; without input it prints nothing. The agent can read orders, refunds, customers and the journal, with personal data masked, and propose refunds: that writes a plan, which a person looks at, and applies or releases. Nothing that it calls sends, settles or approves anything.',
  arguments: [],
  flags: {},
  examples: ['paydesk -p demo mcp', 'paydesk -p demo mcp </dev/null'],
  async run(ctx): Promise<undefined> {
    if (ctx.ask.interactive)
      throw usage('mcp is started by an agent, not at a terminal', [
        'the program of the agent starts it, and is told how: paydesk help agents',
        'without one this shows that it answers: echo \'{"jsonrpc":"2.0","id":1,"method":"ping"}\' | paydesk -p demo mcp',
      ]);
    await ctx.serveAgent();
  },
});
