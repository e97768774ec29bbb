/**
 * `release` and `mcp`: with the first, a person lets a software agent send a plan; through the second, an agent reads and
 * proposes refunds.
 */

import { orderIdPattern } from '../api/spec.ts';
import { enrolKey, releasePlan } from '../changes/changes.ts';
import { type Context, refuseAgentTo } from '../context/context.ts';
import { refused } from '../errors.ts';
import { flag, nonEmpty, usage } from '../flags/flags.ts';
import { requestPattern } from '../journal/journal.ts';
import { defineCommand } from './command.ts';

export const release = defineCommand({
  description:
    'Shows what a plan would send, asks, and signs that an agent may send just that: once, within an hour. It works only at a terminal, and never for an agent. For a request of a team, it is the approval of a second person, for an hour.',
  arguments: [
    {
      name: 'plan',
      summary: 'the file of the plan, or the id of a request, such as r_7f3k2m9q',
      required: false,
      parse: planOrRequest,
    },
  ],
  flags: {
    enrol: flag.switch('enrol the key that you sign with: a passphrase, or that of --security-key'),
    'security-key': flag.text('FILE', 'the file of a security key, as ssh-keygen made it'),
  },
  examples: ['paydesk release --enrol', 'paydesk release refunds.plan --json'],
  async run(ctx, { args: [what], flags: { enrol, 'security-key': securityKey } }): Promise<undefined> {
    refuseNoPerson(ctx, enrol === true ? 'enrols a key' : 'releases a plan');
    if ((what === undefined) !== (enrol === true))
      throw usage('name a plan, a request, or --enrol', ['paydesk release --help']);
    if (what === undefined) await enrolKey(ctx, securityKey);
    else if (requestPattern.test(what)) await releaseRequest(ctx, what);
    else await releasePlan(ctx, what, securityKey);
  },
});

// People also say that an authorized order is "released", but paydesk cannot do that.
function planOrRequest(text: string, name: string): string {
  if (!orderIdPattern.test(text)) return nonEmpty(text, name);
  throw usage(
    'only the shop can release an authorized order, at the bank; paydesk release takes a plan or a request',
    ['paydesk release --help'],
  );
}

function refuseNoPerson(ctx: Context, what: string): void {
  refuseAgentTo(ctx, what);
  if (ctx.ask.interactive) return;
  throw refused(
    `only a person at a terminal ${what}`,
    ['run the command at a terminal of your own, without --no-input'],
    'person_needed',
  );
}

async function releaseRequest(ctx: Context, id: string): Promise<void> {
  const { approve } = await import('./approvals.ts');
  await approve.run(ctx, { args: [id], flags: { hours: 1 } });
}

export const mcp = defineCommand({
  description:
    'Waits on standard input for a software agent, and answers it on standard output, by the Model Context Protocol; without input it prints nothing. The agent can read orders, refunds, customers and the journal, with personal data masked, and propose refunds: that writes a plan, which a person looks at, and applies or releases. Nothing that it calls sends, settles or approves anything.',
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
