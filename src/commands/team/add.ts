/** `team add`: makes a role at the server of a team for somebody who may sign in there. */

import { defineCommand, dryRunShown } from '../command.ts';
import { flag } from '../flags.ts';
import { memberArgument } from './member-argument.ts';
import { adminFlags, takePasswords, takePlace } from './place-inputs.ts';

export const add = defineCommand({
  description:
    'Adds a member, or a lead with --lead; if NAME is a member already, the new password and rights replace the old ones. --user signs in and must be allowed to create roles. --password-stdin reads two lines: the password of --user, then that of the member.',
  arguments: [memberArgument],
  flags: { lead: flag.switch({ summary: 'may also set limits and erase notes' }), ...adminFlags },
  examples: [
    'paydesk team add ana --from desk.team --user admin',
    'paydesk team add lea --lead --from desk.team --user admin --password-stdin < passwords.txt',
  ],
  async run(ctx, { args: [name], flags }) {
    const team = await ctx.team();
    const isLead = flags.lead === true;
    if (flags['print-sql'] === true) {
      const own = [`password for ${name}`];
      const [password = ''] = await takePasswords(ctx, { password: undefined }, flags, own, 0);
      const schema = flags.schema ?? 'paydesk';
      await ctx.out.text(`${await team.addSql(schema, { name, password, isLead })}\n`);
      return undefined;
    }
    const known = flags.from === undefined && flags.host === undefined ? await team.joined() : undefined;
    const { place } = await takePlace(ctx, flags, known, 'user that may create roles');
    team.checkPlace(place);
    const record = { object: 'team_member', name, lead: isLead, host: place.host, database: place.database };
    if (await dryRunShown(ctx, { ...record, action: 'team_add' }, `would add ${name} to the team`))
      return undefined;
    const asked = [`password of ${place.user}`, `password for ${name}`];
    const [password = '', own = ''] = await takePasswords(ctx, team, flags, asked, 1);
    await team.add(place, password, { name, password: own, isLead });
    await ctx.out.own(record, () => [
      { line: `${name} is ${isLead ? 'a lead' : 'a member'} of the team` },
      { line: `${name} joins with the invitation: paydesk -p PROFILE team join --from FILE --user ${name}` },
    ]);
    return undefined;
  },
});
