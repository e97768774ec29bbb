/** `team join`: from now on the changes of the profile's account are recorded in the journal of a team. */

import { counted } from '../../counted.ts';
import { commandLine } from '../../profiles/profiles.ts';
import { confirmFirst, defineCommand, dryRunShown } from '../command.ts';
import { flag } from '../flags.ts';
import { placeFlags, takePasswords, takePlace } from './place-inputs.ts';

export const join = defineCommand({
  description:
    "Brings what this machine has sent of the account into the team's journal, and closes the journal of this machine for the account. From then on nothing is sent without the team's journal. If it stops half way, nothing can be sent until the same command has come through.",
  arguments: [],
  flags: {
    ...placeFlags,
    desk: flag.text({ value: 'NAME', summary: 'name of this desk in the rows, such as desk-4' }),
  },
  examples: [
    'paydesk -p shop-mx team join --from desk.team --user ana --desk desk-4',
    'paydesk -p shop-mx team join --from desk.team --user ana --password-stdin --yes < password.txt',
  ],
  async run(ctx, { flags }) {
    const team = await ctx.team();
    const origin = await team.origin();
    const { place, journal } = await takePlace(ctx, flags, await team.joined(), 'your name in the team');
    team.checkPlace(place);
    const attempts = await team.history();
    const { host, port, database, user } = place;
    const where = `${host}:${port}/${database}`;
    const record = { object: 'team', origin, host, port, database, user, attempts };
    const what = `${counted(attempts, 'change')} of ${origin} from this machine into the journal ${where}`;
    if (await dryRunShown(ctx, { ...record, action: 'team_join' }, `would bring ${what}`)) return undefined;
    const [password = ''] = await takePasswords(ctx, team, flags, [`password of ${user}`]);
    // Nobody should be asked about a server that refuses.
    await team.check(place, password, journal);
    await confirmFirst(ctx, `bring ${what}, and record all others there?`, 'nothing was changed');
    const joined = await team.join(place, password, { journal, desk: flags.desk });
    const { isLead, added } = joined;
    await ctx.out.own({ ...record, journal: joined.team.journal, lead: isLead, rows_added: added }, () => [
      { line: { text: `joined as ${user}${isLead ? ', a lead' : ''}`, style: 'strong' } },
      { line: `changes of ${origin} are recorded in ${where}; nothing is sent without it` },
      {
        line: `${joined.attempts === 1 ? '1 change that this machine knew is' : `${joined.attempts} changes that this machine knew are`} in it (${counted(added, 'row')} added)`,
      },
    ]);
    const { profile } = await ctx.profiles.open();
    ctx.notes.note(`next: ${commandLine(profile, 'team', 'show')}`);
    return undefined;
  },
});
