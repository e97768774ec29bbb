/** What a payment link still needs, asked of a person: the essentials, and on request every other field. */

import type { Context } from '../command.ts';
import { askFor, askItems, askMaybe, askSwitch, asTyped } from '../creation/questions.ts';
import { said } from '../creation/said.ts';
import { saleQuestions } from '../creation/sale-questions.ts';
import type { LinkDraft } from './link-body.ts';

/** Asks for what no link can do without and was not given. */
export async function askEssentials(ctx: Context, given: LinkDraft): Promise<LinkDraft> {
  const name = given.name ?? (await askFor(ctx, saleQuestions.name));
  const item = given.item ?? (await askItems(ctx));
  const currency = given.currency ?? (await askFor(ctx, saleQuestions.currency));
  return { ...given, name, item, currency };
}

/** Asks for what is usual, and for the rest where somebody wants it. */
export async function askMore(ctx: Context, given: LinkDraft): Promise<LinkDraft> {
  const usual = {
    expires: await askMaybe(ctx, saleQuestions.expires),
    method: await askMaybe(ctx, saleQuestions.method),
  };
  const more = await ctx.ask.confirm({ message: 'Customer, installments, plan?', flag: '--customer' });
  return { ...given, ...said({ ...usual, ...(more ? await askRest(ctx) : {}) }) };
}

async function askRest(ctx: Context): Promise<LinkDraft> {
  const customer = await askMaybe(ctx, saleQuestions.customer);
  return said({
    customer,
    ...(customer === undefined ? await askBuyer(ctx) : {}),
    installments: await askMaybe(ctx, saleQuestions.installments),
    plan: await askMaybe(ctx, saleQuestions.plan),
    recurrent: await askSwitch(ctx, 'May it be paid more than once?', '--recurrent'),
    'needs-shipping': await askSwitch(ctx, 'Ask for the shipping address?', '--needs-shipping'),
  });
}

async function askBuyer(ctx: Context): Promise<LinkDraft> {
  const ask = (message: string, flag: string) => askMaybe(ctx, { message, flag, parse: asTyped });
  return said({
    'customer-name': await ask('Name of the customer', '--customer-name'),
    'customer-email': await ask('E-mail of the customer', '--customer-email'),
    'customer-phone': await ask('Phone of the customer', '--customer-phone'),
  });
}
