/** `profile key` and `remove`: replaces the key of a profile, if the new one reaches the same account, or removes both from this machine. */

import type { Service } from '../../api/api.ts';
import { type Context, confirmFirst } from '../../context/context.ts';
import { CliError, orElse, refused } from '../../errors.ts';
import { pagesOf } from '../../journal/journal.ts';
import type { Profile, StoredAccount, TypedKey } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import {
  fieldsView,
  keyFlags,
  nameArgument,
  profileDryRunShown,
  refuseAgentIn,
  takeKey,
} from './profile-inputs.ts';
import { limitsInWords, limitsOf } from './set-limits.ts';

// The order was on the first page when it was remembered. This limit prevents a long search.
const readAtMost = 500;

export const key = defineCommand({
  description:
    'Tries the new key on an order that the old one saw: a key of another account cannot see it. If the service does not accept the new key, or if it cannot be tried, the old key stays. The new key is kept where the old one was, unless --key-store says otherwise.',
  arguments: [nameArgument(true)],
  flags: keyFlags,
  examples: ['paydesk profile key shop-mx', 'paydesk profile key shop-mx --key-file new-key.txt'],
  run: async (ctx, { args: [name], flags }): Promise<undefined> => {
    ctx.useProfile(name);
    await ctx.profiles.checkStored(name);
    await refuseAgentIn(ctx, name);
    const { sender } = (await ctx.profiles.describe(name)).profile;
    if (sender !== undefined)
      throw refused(
        `profile ${name} has no key of its own: ${sender.origin} sends for it`,
        [
          `for a new token, ask your lead to invite you: paydesk sender invite ${sender.member}`,
          `then: paydesk profile remove ${name}`,
          `and: paydesk profile add ${name} --sender FILE`,
        ],
        { certain: 'nothing was changed' },
      );
    if (await profileDryRunShown(ctx, `replace the key of profile ${name}`, { object: 'profile', name }))
      return;
    const typed = await takeKey(ctx, flags, name);
    const keep = () => ctx.profiles.replaceKey(name, { ...typed, place: flags['key-store'] });
    const orderId = (await ctx.profiles.seenOrder(name)) ?? (await journalOrder(ctx, name));
    // A new key is tried before it replaces a working one. If no key works, the new one is stored first.
    const replaces = (await ctx.profiles.describe(name)).key.problem === undefined;
    const first = replaces ? undefined : await keep();
    const sees =
      replaces || orderId !== undefined ? await tryKey(ctx, { name, typed, replaces }, orderId) : undefined;
    const kept = first ?? (await keep());
    const record = {
      object: 'profile',
      name,
      key_in: kept.keptIn,
      key_last4: kept.lastFour ?? null,
      key_fingerprint: kept.fingerprint ?? null,
      known_order: orderId ?? null,
      sees_known_order: sees ?? null,
    };
    await ctx.out.own(record, () => fieldsView(`replaced the key of profile ${name}`, record));
    tell(ctx, name, orderId, sees);
    if ((await ctx.sender()).serves(name))
      ctx.notes.warn(
        'a sender that runs still uses the old key: start it again, and only then end that one at the service',
      );
  },
});

// The newest order that this machine changed. When the journal cannot be read, the key is still replaced.
async function journalOrder(ctx: Context, name: string): Promise<string | undefined> {
  try {
    const { origin, account } = (await ctx.profiles.describe(name)).profile;
    for await (const page of pagesOf(ctx.journal, { origin }, { limit: 20 })) {
      const about = page.find(({ sent }) => sent.account === account && sent.proof.orderId !== undefined);
      if (about !== undefined) return about.sent.proof.orderId;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.note(`the journal could not be read to find an order to try: ${error.message}`);
    return undefined;
  }
}

interface Trial {
  readonly name: string;
  readonly typed: TypedKey;
  /** True while the old key is still the stored one. */
  readonly replaces: boolean;
}

// Returns undefined when nothing is certain: there is no order to look for, or it was not among the orders that were read.
async function tryKey(
  ctx: Context,
  { name, typed, replaces }: Trial,
  orderId: string | undefined,
): Promise<boolean | undefined> {
  const service = await ctx.service({ profile: name, key: typed });
  try {
    if (orderId === undefined) return await seesAnything(service);
    const located = await service.locate('orders', orderId, { max: readAtMost });
    return 'found' in located ? true : 'missing' in located ? false : undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { now = [] } = error.parts;
    throw new CliError(error.kind, error.message, {
      ...error.parts,
      ...(replaces
        ? { certain: `the old key of profile ${name} is kept`, now: againWords(name, error) }
        : {
            certain: `the new key of profile ${name} is kept, but nobody knows yet whether it works`,
            now: [`paydesk profile check ${name}`, ...now],
          }),
    });
  }
}

// The error for a refused key already names this command.
function againWords(name: string, { kind, parts: { now = [] } }: CliError): readonly string[] {
  return kind === 'auth' ? now : [...now, `then again: paydesk profile key ${name}`];
}

// Any reply proves that the key is accepted, but not which account it belongs to.
async function seesAnything(service: Service): Promise<undefined> {
  for await (const _page of service.pages('orders', { limit: 1 })) return undefined;
}

function tell(ctx: Context, name: string, orderId: string | undefined, sees: boolean | undefined): void {
  if (sees === true) {
    ctx.notes.note(['the new key sees an order that this profile saw before: ', orderId ?? '']);
  } else if (sees === false) {
    ctx.notes.warn([
      'the new key does not see an order of this profile, so it may be of another account: ',
      orderId ?? '',
    ]);
  } else {
    ctx.notes.note(
      `paydesk cannot tell whether it is a key of the same account; next: paydesk profile check ${name}`,
    );
  }
}

export const remove = defineCommand({
  description:
    'The journal keeps what was done with it, and the limits of its account. If no other profile reaches its account, the index of its orders is erased as well.',
  arguments: [nameArgument(true)],
  examples: ['paydesk profile remove test-mx', 'paydesk profile remove test-mx --yes'],
  run: async (ctx, { args: [name] }): Promise<undefined> => {
    ctx.useProfile(name);
    await ctx.profiles.checkStored(name);
    await refuseAgentIn(ctx, name);
    const asked = { object: 'profile', name };
    if (await profileDryRunShown(ctx, `remove profile ${name} and its key`, asked)) return;
    const message = `remove profile ${name} and its key from this machine?`;
    await confirmFirst(ctx, message, 'nothing was removed');
    const account = await ctx.profiles.accountOf(name);
    const kept = await limitsKept(ctx, account);
    const endings = await tokenWords(ctx, name);
    const isGone = await ctx.profiles.remove(name);
    if (
      (await ctx.profiles.reaching(account.account)).length === 0 &&
      (await ctx.index.erase(account.account)) !== undefined
    )
      ctx.notes.note('the index of its orders was erased with it');
    const record = { ...asked, removed: true };
    await ctx.out.own(record, () =>
      fieldsView(`removed profile ${name}${isGone ? ' and its key' : ''}`, record),
    );
    if (kept !== undefined) ctx.notes.note(kept);
    if (endings !== undefined) ctx.notes.note(endings);
  },
});

// If the journal cannot be read, nothing is said: the journal keeps the limits anyway.
async function limitsKept(ctx: Context, account: StoredAccount): Promise<string | undefined> {
  const limits = await limitsOf(ctx, account).catch(orElse(() => []));
  if (limits.length === 0) return undefined;
  return `the limits of its account stay, for whoever reaches it from here: ${limitsInWords(limits)}`;
}

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
  const described = await profiles.describe(name).catch(orElse(() => undefined));
  return described?.profile;
}
