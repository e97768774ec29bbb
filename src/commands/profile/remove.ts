/** `profile remove`: removes a profile and its key from this machine. */

import { type Context, confirmFirst } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';

export const remove = defineCommand({
  description:
    'The journal keeps what was done with it. If no other profile reaches its account, the index of its orders is erased as well.',
  arguments: [nameArgument(true)],
  flags: {},
  examples: ['paydesk profile remove test-mx', 'paydesk profile remove test-mx --yes'],
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    await ctx.profiles.checkStored(name);
    const record = { object: 'profile', name, removed: true };
    if (await profileDryRunShown(ctx, `remove profile ${name} and its key`, record)) return;
    const message = `remove profile ${name} and its key from this machine?`;
    await confirmFirst(ctx, message, 'nothing was removed');
    const account = await ctx.profiles.accountOf(name);
    const endings = await tokenWords(ctx, name);
    await ctx.profiles.remove(name);
    if ((await ctx.profiles.reaching(account)).length === 0 && (await ctx.index.erase(account)))
      ctx.notes.note('the index of its orders was erased with it');
    await ctx.out.own(record, () => fieldsView(`removed profile ${name} and its key`, record));
    if (endings !== undefined) ctx.notes.note(endings);
  },
});

// What becomes of the token at the sender. A profile with a wrong setting can be removed too.
async function tokenWords(ctx: Context, name: string): Promise<string | undefined> {
  const profile = await profileOf(ctx, name);
  if (profile?.sender === undefined) return undefined;
  const { member, desk } = profile.sender;
  const revoke = `paydesk sender revoke ${member} --desk ${desk}`;
  try {
    await (await ctx.sender()).ask(profile);
    return `the sender still takes the token of this desk; whoever runs it ends that: ${revoke}`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error.kind === 'auth'
      ? 'the sender does not take the token of this desk any more'
      : `the sender did not say whether it still takes the token of this desk; whoever runs it ends that: ${revoke}`;
  }
}

async function profileOf({ profiles }: Context, name: string): Promise<Profile | undefined> {
  try {
    return (await profiles.describe(name)).profile;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
