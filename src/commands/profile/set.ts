/** `profile set`: changes one setting of a profile. */

import { defineCommand } from '../command.ts';
import { confirmDoubts, fieldsView, nameArgument, profileDryRunShown } from './profile-inputs.ts';

/** All settings with their values and defaults. A test compares this text with the settings themselves. */
export const settingsHelp = `Settings (CUR: a currency such as MXN; the word default restores the default):
  orders.get, customers.get   direct if the service finds one by its id (paged)
  orders.order                newest-first if lists come in that order (unknown)
  orders.status               filter of orders list
  checkouts.path              where checkouts are created (/checkouts)
  checkouts.expiry_field      how a payment link's expiry is spelled: expired_at or expires_at (expired_at)
  reference.keys              metadata keys of the shop's own number, the first that an order has (shop_order, reference, order_number)
  refund.require              reason / note / reason,note / none (none)
  refund.max_amount.CUR       largest refund, in the service's units
  refund.send_within          from the final check to the sending (10s)
  refund.horizon_part         how late a charge's refund may turn up (24h)
  refund.horizon_whole        how late a whole order's refund may (15min)
  reconcile.after             reads after a lost reply, in seconds (0,2,5,15)
  amounts.decimals.CUR        decimals of a currency: 2 shows 23000 as 230.00 too, and takes --amount 230.00 as 23000
  amounts.grouping            on: 23 000 instead of 23000 on screens (off)
  time.zone                   zone of the times on screen
Also: api-version, lang, auth.`;

const word = (name: string, summary: string) =>
  ({ name, summary, required: true, parse: (text: string): string => text }) as const;

export const set = defineCommand({
  description: settingsHelp,
  arguments: [
    nameArgument(true),
    word('setting', 'what to set'),
    word('value', 'its value, or the word default'),
  ],
  flags: {},
  examples: [
    'paydesk profile set test-mx refund.max_amount.MXN 50000',
    'paydesk profile set test-mx refund.require reason,note',
    'paydesk profile set test-mx refund.require default --json',
  ],
  exits: [0, 2, 3, 4],
  run: async (ctx, { args: [name, setting, value] }): Promise<undefined> => {
    await ctx.profiles.checkStored(name);
    const asked = { object: 'profile', name, setting, value };
    if (await profileDryRunShown(ctx, `set ${setting} of profile ${name}`, asked)) return;
    await confirmDoubts(ctx, { [setting]: value });
    const change = await ctx.profiles.set(name, setting, value);
    const record = {
      object: 'profile',
      name,
      setting: change.setting,
      value: change.after ?? null,
      value_before: change.before ?? null,
    };
    await ctx.out.own(record, () =>
      fieldsView(`${change.setting} of profile ${name} is ${change.after ?? 'the default'} now`, record),
    );
  },
});
