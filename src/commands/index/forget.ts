/** `index forget`: removes a buyer, old orders, or everything from the index, for ever. */

import type { JsonObject } from '../../api/json-values.ts';
import { type Context, confirmFirst, dryRunShown } from '../../context/context.ts';
import { counted, namedUpTo } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { clockAndZoneOf, type When, whenFlag } from '../../flags/typed-time.ts';
import type { OrderIndex } from '../../index/index.ts';
import { accountLabel, type Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { buyerFieldsOfText, buyerNamesOfText, buyerOfText } from '../orders/search/indexed-text.ts';
import { createSearch, needlesOf } from '../orders/search/order-matching.ts';
import { alone, existingIndex } from './index-walk.ts';

export const forget = defineCommand({
  description:
    'What was forgotten stays forgotten, even when paydesk reads those orders again. --buyer removes names, addresses, cards and other texts of a buyer; the figures stay, so that sums stay right. --before removes the orders that were created before a time, --all the index with its key.',
  flags: {
    buyer: flag.text('TEXT', 'the name, e-mail, phone number or customer id of a buyer', {
      conflicts: ['before', 'all'],
    }),
    before: {
      ...whenFlag('orders that were created before this time: 400d, 2026-01-01'),
      conflicts: ['buyer', 'all'],
    },
    all: flag.switch('the whole index, with its key', { conflicts: ['buyer', 'before'] }),
  },
  examples: [
    'paydesk -p shop-mx index forget --buyer buyer1@example.com',
    'paydesk -p shop-mx index forget --before 2026-01-01 --yes',
  ],
  async run(ctx, { flags: { buyer, before, all } }): Promise<undefined> {
    if (buyer === undefined && before === undefined && all !== true)
      throw usage('say what to forget: --buyer TEXT, --before DATE or --all');
    const { profile } = await ctx.profiles.open();
    if (all === true) return await eraseAll(ctx, profile);
    const index = await existingIndex(ctx, profile);
    if (buyer !== undefined) return await forgetBuyer(ctx, profile, index, buyer);
    if (before !== undefined) await forgetOld(ctx, profile, index, before);
  },
});

// Whether to do it. A dry run only says what would be done; otherwise a person must say yes.
async function agreed(ctx: Context, asked: JsonObject, what: string, more = ', for ever?'): Promise<boolean> {
  if (await dryRunShown(ctx, asked, `would ${what}; nothing was changed`)) return false;
  await confirmFirst(ctx, `${what}${more}`, 'nothing was forgotten');
  return true;
}

async function eraseAll(ctx: Context, profile: Profile): Promise<undefined> {
  const label = accountLabel(profile);
  const asked = { index: 'forget', all: true };
  if (!(await agreed(ctx, asked, `erase the index of ${label}`, ' and its key?'))) return;
  const erased = await alone(ctx, profile, () => ctx.index.erase(profile.account));
  const record = { object: 'index', profile: profile.name, erased: erased !== undefined };
  await ctx.out.own(record, () => [
    {
      line:
        erased === undefined
          ? `${label} has no index`
          : `erased the index of ${label}${erased.keyStays ? '' : ' and its key'}`,
    },
  ]);
}

async function forgetBuyer(
  ctx: Context,
  profile: Profile,
  index: OrderIndex,
  buyer: string,
): Promise<undefined> {
  const find = createSearch([buyer]);
  const names = new Set<string>();
  const buyers = new Set<string>();
  const hits = await index.scan({
    groups: needlesOf([buyer]),
    accepts(text) {
      if (text === '' || find(buyerFieldsOfText(text)) === undefined) return false;
      for (const name of buyerNamesOfText(text)) names.add(name);
      buyers.add(buyerOfText(text));
      return true;
    },
  });
  if (hits.length === 0)
    throw new CliError('not_found', `no buyer in the index has "${buyer}"`, {
      certain: 'nothing was forgotten',
      now: ['the end of an e-mail, or another spelling of the name, may find more'],
    });
  const whom = [...buyers].toSorted();
  const what = `${counted(hits.length, 'order')} of ${counted(whom.length, 'buyer')}: ${namedUpTo(mostNamed, whom)}`;
  const asked = { index: 'forget', buyer, orders: hits.length, buyers: whom };
  if (!(await agreed(ctx, asked, `forget the texts of ${what}`))) return;
  await alone(ctx, profile, async () => {
    index.forgetOrders(
      hits.map(({ id }) => id),
      [...names],
    );
    index.compact();
  });
  const record = { object: 'index', profile: profile.name, forgotten_orders: hits.length, buyers: whom };
  await ctx.out.own(record, () => [{ line: `forgot the texts of ${what}` }]);
}

const mostNamed = 10;

async function forgetOld(ctx: Context, profile: Profile, index: OrderIndex, before: When): Promise<void> {
  const at = Math.ceil(before.at(clockAndZoneOf(ctx)) / 1000);
  const when = ctx.days.full(at * 1000);
  const asked = { index: 'forget', before: at };
  if (!(await agreed(ctx, asked, `forget all orders created before ${when}`))) return;
  const forgotten = await alone(ctx, profile, async () => {
    const orders = index.forgetBefore(at);
    index.compact();
    return orders;
  });
  const record = { object: 'index', profile: profile.name, forgotten_orders: forgotten, kept_from: at };
  await ctx.out.own(record, () => [{ line: `forgot ${counted(forgotten, 'order')} created before ${when}` }]);
}
