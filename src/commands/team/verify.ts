/** `team verify`: reads every row of the team's journal from its server, and compares them with this machine's copy. */

import { CliError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { flag } from '../flags.ts';

export const verify = defineCommand({
  description:
    'Reads all rows, checks the hashes that link them, and compares each row with the copy that this machine keeps. A row that somebody changed or removed in the database shows here, and the copy is the proof. The copy cannot show what this machine has never seen.',
  arguments: [],
  flags: {
    head: flag.text({
      value: 'HASH',
      summary: 'a head that you noted earlier: the journal must still contain it',
    }),
  },
  examples: ['paydesk team verify', 'paydesk team verify --json | jq -r .head'],
  exits: [0, 2, 3, 4],
  async run(ctx, { flags }) {
    const team = await (await ctx.team()).joined();
    if (team === undefined)
      throw new CliError('refused', 'this profile has no team on this machine', {
        certain: 'nothing was changed',
        now: ['paydesk journal verify'],
      });
    const { rows, head, findings, knowsHead } = await ctx.journal.verify(flags.head);
    const { host, port, database } = team;
    const place = `${host}:${port}/${database}`;
    const record = { object: 'team_journal', place, rows, head, findings, knows_head: knowsHead ?? null };
    await ctx.out.own(record, () => [
      { line: { text: `team ${place}`, style: 'strong' } },
      {
        line: `${rows} rows, ${findings.length === 0 ? 'whole, and as this machine has seen them' : 'DAMAGED'}`,
      },
      { line: `head ${head}` },
    ]);
    const said = findings.slice(0, 10).map(({ seq, problem }) => `row ${seq} ${problem}`);
    const strange = knowsHead === false ? [`it does not contain the head ${flags.head}`] : [];
    if (said.length + strange.length > 0)
      throw new CliError('refused', `the team's journal is not whole: ${[...said, ...strange].join('; ')}`, {
        certain: 'nothing was sent',
        now: ['ask who runs the database what happened to it; let nobody send until that is known'],
      });
    return undefined;
  },
});
