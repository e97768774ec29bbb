/** `team leave`: the changes of the profile's account are recorded on this machine again. */

import { CliError } from '../../errors.ts';
import { confirmFirst, defineCommand, dryRunShown } from '../command.ts';

export const leave = defineCommand({
  description:
    "Brings all rows about the account from the team's journal into the journal of this machine, which then takes changes again. It refuses while the change of any member is unconfirmed, and while the server is away. Afterwards two people can make the same refund: this machine does not see what the others send.",
  arguments: [],
  flags: {},
  examples: ['paydesk -p shop-mx team leave', 'paydesk -p shop-mx team leave --yes --json'],
  async run(ctx) {
    const team = await ctx.team();
    const known = await team.joined();
    if (known === undefined)
      throw new CliError('refused', `${await team.origin()} has no team on this machine`, {
        certain: 'nothing was changed',
      });
    const { origin, host, port, database } = known;
    const where = `${host}:${port}/${database}`;
    const record = { object: 'team', origin, host, port, database };
    if (await dryRunShown(ctx, { ...record, action: 'team_leave' }, `would leave the team ${where}`))
      return undefined;
    const message = `record changes of ${origin} on this machine again? The others no longer see them.`;
    await confirmFirst(ctx, message, 'nothing was changed');
    const { rows } = await team.leave();
    await ctx.out.own({ ...record, rows_added: rows }, () => [
      { line: { text: `left the team ${where}`, style: 'strong' } },
      { line: `changes of ${origin} are recorded on this machine; ${rows} rows came with you` },
    ]);
    return undefined;
  },
});
