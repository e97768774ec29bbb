/** `profile add --sender`: joins the sender of a team with an invitation, whose token is kept like a key. */

import { type Context, refuseAgentTo } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { readInvitation } from '../../sender/sender.ts';
import { fieldsView, profileDryRunShown, takePlace } from './profile-inputs.ts';

const invitationSize = 4096;

/** What was typed besides the name. */
interface Typed {
  readonly sender: string;
  readonly desk?: string | undefined;
  readonly 'key-store'?: 'keyring' | 'file' | undefined;
  readonly default?: boolean | undefined;
}

/** Joins, and stores the profile. The token is kept like a key. */
export async function addWithSender(ctx: Context, name: string, typed: Typed): Promise<undefined> {
  refuseAgentTo(ctx, 'joins the sender of a team');
  const { sender: file, desk } = typed;
  if (desk !== undefined && !/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u.test(desk))
    throw usage(`--desk ${desk}: take letters, digits and . _ -`);
  const where = file === '-' ? 'standard input' : file;
  const invitation = readInvitation(await ctx.file(file, invitationSize), where);
  refuseOver(ctx, invitation.until);
  const { sender, account, member, role } = invitation;
  const planned = { object: 'profile', name, sender, sender_account: account, member, role };
  if (await profileDryRunShown(ctx, `join as a desk of ${member}`, planned)) return;
  // Everything that could go wrong here comes before the invitation is used up.
  const place = await takePlace(ctx, typed, `paydesk profile add ${name} --sender ${file}`);
  const joined = await (await ctx.sender()).join(invitation, desk);
  const { profile, keptIn } = await ctx.profiles.add(
    { name, ...joined.draft },
    { text: joined.token, where: 'the token of the sender', place },
  );
  if (typed.default === true) await ctx.profiles.use(name);
  const record = {
    ...planned,
    role: profile.sender?.role ?? null,
    desk: profile.sender?.desk ?? null,
    mode: profile.mode,
    origin: profile.origin,
    vendor: profile.vendor,
    key_in: keptIn,
    default: typed.default === true,
  };
  await ctx.out.own(record, () => fieldsView(`added profile ${name}: ${sender} sends for it`, record));
  ctx.notes.note(`next: paydesk profile check ${name}`);
}

function refuseOver(ctx: Context, until: number): void {
  if (until > ctx.clock.now()) return;
  throw new CliError('auth', `this invitation could be used until ${ctx.days.full(until)}`, {
    certain: 'nothing was changed',
    now: ['ask your lead for a new one: paydesk sender invite NAME --role ROLE'],
  });
}
