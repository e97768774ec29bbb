/** What an order still needs, asked of a person: the essentials, and on request every other field. */

import { type checkoutTypes, hostedPayment } from '../../api/spec.ts';
import type { Choice } from '../../terminal/terminal.ts';
import type { Context } from '../command.ts';
import { parsePair } from '../creation/flags.ts';
import { askFor, askItems, askMaybe, askSeveral, askSwitch, asTyped } from '../creation/questions.ts';
import { said } from '../creation/said.ts';
import { saleQuestions } from '../creation/sale-questions.ts';
import { type OrderDraft, parseDetail, parseShipping } from './order-flags.ts';

/** Asks for what no order can do without and was not given. */
export async function askEssentials(ctx: Context, given: OrderDraft): Promise<OrderDraft> {
  const item = given.item ?? (await askItems(ctx));
  const currency = given.currency ?? (await askFor(ctx, saleQuestions.currency));
  return { ...given, item, currency };
}

/** Asks for what is usual, and for the rest where somebody wants it. */
export async function askMore(ctx: Context, given: OrderDraft): Promise<OrderDraft> {
  const customer = await askMaybe(ctx, saleQuestions.customer);
  const checkout = await ctx.ask.choose({
    message: 'A checkout?',
    flag: '--checkout',
    choices: checkoutChoices,
  });
  const pays = checkout === undefined ? {} : await askCheckout(ctx, checkout);
  const more = await ctx.ask.confirm({
    message: 'Details of items, shipping, metadata?',
    flag: '--shipping',
  });
  return { ...given, ...said({ customer, checkout }), ...pays, ...(more ? await askRest(ctx) : {}) };
}

type CheckoutType = (typeof checkoutTypes)[number];

const checkoutChoices: readonly Choice<CheckoutType | undefined>[] = [
  { value: undefined, label: 'none' },
  { value: hostedPayment, label: hostedPayment, detail: "a page of the service's own" },
  { value: 'Integration', label: 'Integration', detail: 'inside your own page' },
];

async function askCheckout(ctx: Context, type: CheckoutType): Promise<OrderDraft> {
  const url = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: asTyped });
  const name = await askMaybe(ctx, saleQuestions.name);
  const pages =
    type === hostedPayment
      ? {
          'success-url': await url('URL after success', '--success-url'),
          'failure-url': await url('URL after failure', '--failure-url'),
        }
      : {};
  return said({
    name,
    ...pages,
    expires: await askMaybe(ctx, saleQuestions.expires),
    method: await askMaybe(ctx, saleQuestions.method),
    installments: await askMaybe(ctx, saleQuestions.installments),
    plan: await askMaybe(ctx, saleQuestions.plan),
    'needs-shipping': await askSwitch(ctx, 'Ask for the shipping address?', '--needs-shipping'),
    'on-demand': await askSwitch(ctx, 'May it keep the card?', '--on-demand'),
  });
}

async function askRest(ctx: Context): Promise<OrderDraft> {
  const text = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: asTyped });
  const detail = (message: string, flag: string) => several(ctx, message, flag, parseDetail);
  return said({
    'item-description': await detail('Description, as N=TEXT for the Nth item', '--item-description'),
    'item-sku': await detail('Sku, as N=TEXT', '--item-sku'),
    'item-category': await detail('Category, as N=TEXT', '--item-category'),
    'item-tag': await detail('Tag, as N=TEXT', '--item-tag'),
    shipping: await several(ctx, 'Amount of a shipping line', '--shipping', parseShipping),
    'ship-receiver': await text('Who receives it', '--ship-receiver'),
    'ship-phone': await text('Their phone', '--ship-phone'),
    'ship-street': await text('Street and number', '--ship-street'),
    'ship-country': await text('Country', '--ship-country'),
    'ship-postal-code': await text('Postal code', '--ship-postal-code'),
    metadata: await several(ctx, 'Metadata, as KEY=VALUE', '--metadata', parsePair),
  });
}

async function several<T>(
  ctx: Context,
  message: string,
  flag: string,
  parse: (text: string, name: string) => T,
): Promise<readonly T[] | undefined> {
  const answers = await askSeveral(ctx, { message, flag, parse });
  return answers.length === 0 ? undefined : answers;
}
