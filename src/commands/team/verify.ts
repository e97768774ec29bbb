/** `team verify`: reads every row of the team's journal from its server, and compares them with this machine's copy. */

import { CliError } from '../../errors.ts';
import type { ServerVerification } from '../../journal/journal.ts';
import { confirmFirst, defineCommand, dryRunShown } from '../command.ts';
import { flag } from '../flags.ts';

export const verify = defineCommand({
  description:
    'Reads all rows, checks the hashes that link them, and compares each row with the copy of this machine, so a row that somebody changed or removed in the database shows. After a restore let every desk run it before anybody sends. --accept-server then lets a desk go on that misses no row.',
  arguments: [],
  flags: {
    head: flag.text({
      value: 'HASH',
      summary: 'a head that you noted earlier: the journal must still contain it',
    }),
    'accept-server': flag.switch({
      summary: 'go on with a server that was promoted or restored, if it has every row of this copy',
    }),
  },
  examples: ['paydesk team verify', 'paydesk team verify --json | jq -r .head'],
  async run(ctx, { flags }) {
    const team = await ctx.team();
    const known = await team.joined();
    if (known === undefined)
      throw new CliError('refused', 'this profile has no team on this machine', {
        certain: 'nothing was changed',
        now: ['paydesk journal verify'],
      });
    const { host, port, database } = known;
    const place = `${host}:${port}/${database}`;
    const accepts = flags['accept-server'] === true;
    const record = { action: 'team_verify', place };
    if (accepts && (await dryRunShown(ctx, record, `would accept the server of ${place}`))) return undefined;
    let found = await team.verify({ head: flags.head, accept: false });
    if (accepts && found.change !== undefined && damageOf(found, flags.head).length === 0) {
      const message = `${place} ${found.change}; go on with it? It has all rows that this desk has seen, and may lack what only others saw.`;
      await confirmFirst(ctx, message, 'nothing was changed');
      found = await team.verify({ head: flags.head, accept: true });
    }
    const { rows, head, findings, knowsHead, change, isAccepted, erased } = found;
    const damage = damageOf(found, flags.head);
    const shown = { place, rows, head, findings, knows_head: knowsHead ?? null };
    const server = { server_changed: change ?? null, accepted: isAccepted, erased };
    await ctx.out.own({ object: 'team_journal', ...shown, ...server }, () => [
      { line: { text: `team ${place}`, style: 'strong' } },
      {
        line: `${rows} rows, ${damage.length === 0 ? 'whole, and as this machine has seen them' : 'DAMAGED'}`,
      },
      { line: `head ${head}` },
    ]);
    if (damage.length > 0)
      throw new CliError('refused', `the team's journal is not whole: ${damage.join('; ')}`, {
        certain: 'nothing was sent',
        now: [
          'ask who runs the database what happened to it; let nobody send until that is known',
          'once the server has these rows again as they were, from another standby or a newer backup:',
          'paydesk team verify --accept-server',
          'as long as rows differ, that command refuses, and this machine sends nothing: a refund that the server forgot could be made twice',
        ],
      });
    if (change !== undefined && !isAccepted)
      throw new CliError(
        'refused',
        `the server ${change}: this desk sends nothing, although no row is missing`,
        {
          certain: 'nothing was sent',
          now: [
            'if that was on purpose, and no other desk misses a row:',
            'paydesk team verify --accept-server',
          ],
        },
      );
    if (erased > 0)
      ctx.notes.note(`erased here too, as at the server: bodies and notes of ${erased} changes`);
    if (isAccepted) ctx.notes.note(`it ${change}: this desk goes on with it`);
    else if (accepts) ctx.notes.note('it is the server of the last time: nothing had to be accepted');
    return undefined;
  },
});

// What is wrong with the rows, in words.
function damageOf({ findings, knowsHead }: ServerVerification, head: string | undefined): readonly string[] {
  const said = findings.slice(0, 10).map(({ seq, problem }) => `row ${seq} ${problem}`);
  const more = findings.length > said.length ? [`and ${findings.length - said.length} more`] : [];
  return [...said, ...more, ...(knowsHead === false ? [`it does not contain the head ${head}`] : [])];
}
