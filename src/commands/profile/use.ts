/** `profile use`: sets the profile for commands without -p. */

import { defineCommand } from '../command.ts';
import { fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';

export const use = defineCommand({
  description: 'With several profiles, a change in production still needs -p or PAYDESK_PROFILE.',
  arguments: [nameArgument(true)],
  flags: {},
  examples: ['paydesk profile use test-mx', 'paydesk profile use demo --quiet'],
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    const record = { object: 'profile', name, default: true };
    if (await profileDryRunShown(ctx, `use profile ${name}`, record)) return;
    await ctx.profiles.use(name);
    await ctx.out.own(record, () => fieldsView(`${name} is used when no -p is given`, record));
  },
});
