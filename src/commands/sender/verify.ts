/** `sender verify`: checks every row of the sender's journal, and what is derived of them. */

import { CliError } from '../../errors.ts';
import { defineCommand } from '../command.ts';

export const verify = defineCommand({
  description:
    'Reads every row of the journal, in a database that of the server, and checks the chain. Then it derives from the rows alone what is open, and compares that with what is looked up, and the server with the copy of this sender. Limits, members and requests are never kept apart from their rows.',
  arguments: [],
  flags: {},
  examples: ['paydesk sender verify', 'paydesk sender verify --json | jq -r .head'],
  exits: { 3: 'the journal is not whole, or the server is not the one that it was' },
  async run(ctx): Promise<undefined> {
    const sender = await ctx.sender();
    const { rows, head, findings, problem, counts } = await sender.verify();
    const record = { object: 'sender_journal', rows, head, findings, problem: problem ?? null, ...counts };
    await ctx.out.own(record, () => [
      { line: `${rows} rows, ${findings.length === 0 ? 'whole' : 'DAMAGED'}` },
      { line: `head ${head}` },
      ...(counts === undefined
        ? []
        : [
            { line: `unconfirmed changes: ${counts.unconfirmed}` },
            { line: `members: ${counts.members}` },
            { line: `limits: ${counts.limits}` },
            { line: `requests for an approval: ${counts.requests}` },
          ]),
    ]);
    const found = findings
      .slice(0, 10)
      .map(({ seq, problem: what }) => (seq === 0 ? what : `row ${seq} ${what}`));
    const what = found.length === 0 ? problem : `the journal of the sender is not whole: ${found.join('; ')}`;
    if (what === undefined) return;
    throw new CliError('refused', what, { certain: 'nothing was sent', now: ['paydesk journal verify'] });
  },
});
