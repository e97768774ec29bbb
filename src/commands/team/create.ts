/** `team create`: makes the journal of a team in a PostgreSQL database. */

import { plainCommand } from '../../profiles/profiles.ts';
import { defineCommand, dryRunShown } from '../command.ts';
import { adminFlags, invitationOf, placeWords, takePasswords, takePlace } from './place-inputs.ts';

const { from: _, ...flags } = adminFlags;

export const create = defineCommand({
  description:
    'Makes a schema with the journal, its functions and its roles in one transaction; the user must be allowed to create roles and schemas. --print-sql prints the same statements for an administrator. Nothing on this machine changes: afterwards add members (team add), and join (team join).',
  arguments: [],
  flags,
  examples: [
    'paydesk team create --host db.example --ca ca.pem --database desk --user admin',
    'paydesk team create --host db.example --ca ca.pem --database desk --user admin --password-stdin --json > desk.team < password.txt',
  ],
  async run(ctx, { flags: values }) {
    const team = await ctx.team();
    if (values['print-sql'] === true) {
      await ctx.out.text(await team.createSql(values.schema ?? 'paydesk'));
      return undefined;
    }
    const { place } = await takePlace(ctx, values, undefined, 'user that may create roles and schemas');
    team.checkPlace(place);
    const { host, port, database, schema, user } = place;
    const where = { host, port, database, schema, user };
    const would = `would make the journal of a team in ${host}:${port}/${database}`;
    if (await dryRunShown(ctx, { action: 'team_create', ...where }, would)) return undefined;
    const [password = ''] = await takePasswords(ctx, team, values, [`password of ${user}`]);
    const { journal } = await team.create(place, password);
    const there = placeWords(place, values);
    await ctx.out.own({ ...invitationOf(place, journal) }, () => [
      { line: { text: `the journal of a team is in ${host}:${port}/${database}`, style: 'strong' } },
      { line: `journal ${journal}` },
      { line: 'next: add members, a lead first:' },
      { line: plainCommand('team', 'add', 'NAME', '--lead', ...there, '--user', user) },
      { line: 'then each of them joins at their own desk:' },
      { line: plainCommand('-p', 'PROFILE', 'team', 'join', ...there, '--user', 'NAME') },
    ]);
    return undefined;
  },
});
