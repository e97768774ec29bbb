/** `team remove`: takes the rights of a member away. */

import { confirmFirst, defineCommand, dryRunShown } from '../command.ts';
import { memberArgument } from './member-argument.ts';
import { adminFlags, takePasswords, takePlace } from './place-inputs.ts';

export const remove = defineCommand({
  description:
    'Takes the rights away, ends the connections, and lets nobody sign in under this name any more. The rows of the member stay, and anybody of the team can reconcile an unconfirmed change among them. Replace the API key of the service as well: who has it can refund without paydesk.',
  arguments: [memberArgument],
  flags: adminFlags,
  examples: [
    'paydesk team remove ben --from desk.team --user admin',
    'paydesk team remove ben --from desk.team --user admin --password-stdin --yes < password.txt',
  ],
  async run(ctx, { args: [name], flags }) {
    const team = await ctx.team();
    if (flags['print-sql'] === true) {
      await ctx.out.text(`${await team.removeSql(flags.schema ?? 'paydesk', name)}\n`);
      return undefined;
    }
    const known = flags.from === undefined && flags.host === undefined ? await team.joined() : undefined;
    const { place } = await takePlace(ctx, flags, known, 'user that may change roles');
    team.checkPlace(place);
    const record = { object: 'team_member', name, removed: true, host: place.host, database: place.database };
    if (await dryRunShown(ctx, { ...record, action: 'team_remove' }, `would remove ${name} from the team`))
      return undefined;
    await confirmFirst(ctx, `remove ${name} from the team?`, 'nothing was changed');
    const [password = ''] = await takePasswords(ctx, team, flags, [`password of ${place.user}`]);
    const { connectionsEnded } = await team.remove(place, password, name);
    await ctx.out.own({ ...record, connections_ended: connectionsEnded }, () => [
      { line: `${name} is no longer a member of the team, and can do nothing more in its journal` },
      { line: 'who has the API key can still refund without paydesk: replace it (paydesk profile key NAME)' },
    ]);
    if (!connectionsEnded)
      ctx.notes.note(
        `${place.user} may not end connections of ${name}: those that are open stay, without any right`,
      );
    return undefined;
  },
});
