/** profile key: a new key for a profile, and whether it reaches the same account. */

import { defineCommand } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../../ports.ts';
import { keyFlags, readKey } from './key-input.ts';
import { nameArgument } from './name.ts';
import { fieldsView, saidOnly } from './view.ts';

// The order was in reach of one page before; more is the work of `orders show`.
const readAtMost = 500;

export const key = defineCommand({
  description:
    'Replaces the key of a profile, then looks for the order that profile check remembered, or else the newest one in ' +
    'the journal: a key of another account does not see it. The new key is kept where the old one was, unless --key-store says otherwise.',
  arguments: [nameArgument(true)],
  flags: keyFlags,
  examples: ['paydesk profile key shop-mx', 'paydesk profile key shop-mx --key-file new-key.txt'],
  exits: [0, 2, 3, 4, 6],
  run: async (ctx, { args: [name], flags }): Promise<undefined> => {
    await ctx.profiles.checkStored(name);
    if (await saidOnly(ctx, `replace the key of profile ${name}`, { object: 'profile', name })) return;
    const text = await readKey(ctx, flags, name);
    const kept = await ctx.profiles.replaceKey(name, { ...text, place: flags['key-store'] });
    const orderId = (await ctx.profiles.seenOrder(name)) ?? (await journalOrder(ctx, name));
    const sees = orderId === undefined ? undefined : await seesOrder(ctx, name, orderId);
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
  },
});

// The newest order that a change of this machine was about. A key is kept, whether or not the journal can be read.
async function journalOrder(ctx: Context, name: string): Promise<string | undefined> {
  try {
    const { origin, account } = (await ctx.profiles.describe(name)).profile;
    const attempts = await ctx.journal.attempts({ origin });
    const about = attempts.findLast(
      ({ sent }) => sent.account === account && sent.proof.orderId !== undefined,
    );
    return about?.sent.proof.orderId;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.note(`no order of the journal could be looked for: ${error.message}`);
    return undefined;
  }
}

// Undefined: the walk ended at its bound, so nothing is certain.
async function seesOrder(ctx: Context, name: string, orderId: string): Promise<boolean | undefined> {
  try {
    const service = await ctx.service({ profile: name });
    const located = await service.locate('orders', orderId, { max: readAtMost });
    return 'found' in located ? true : 'missing' in located ? false : undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.kind, error.message, {
      ...error.parts,
      certain: `the new key of profile ${name} is kept, and not known to work`,
      now: [`paydesk profile check ${name}`, ...(error.parts.now ?? [])],
    });
  }
}

function tell(ctx: Context, name: string, orderId: string | undefined, sees: boolean | undefined): void {
  if (sees === true) {
    ctx.notes.note(['the new key sees an order that this profile saw before: ', orderId ?? '']);
  } else if (sees === false) {
    ctx.notes.warn([
      'the new key does not see an order of this profile, it may be of another account: ',
      orderId ?? '',
    ]);
  } else {
    ctx.notes.note(`whether it reaches the same account is not known; next: paydesk profile check ${name}`);
  }
}
