/** Screens that orders and payment links share: questions, the items with their sum, the link and its QR code. */

import { amountWords, figuresIn } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { paymentMethodValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { oneOf, recordId, usage } from '../../flags/flags.ts';
import { clockAndZoneOf } from '../../flags/typed-time.ts';
import { accountSpan, type Profile } from '../../profiles/profiles.ts';
import type { Block, Cell, Question } from '../../terminal/terminal.ts';
import { amountProblem, type TypedAmount } from '../../typed-amounts.ts';
import type { SaleAsk } from './sale-ask.ts';
import {
  type Expiry,
  type Item,
  parseCurrency,
  parseExpiry,
  parseItem,
  parseMonths,
  parsePrice,
  priceOf,
  quantityProblem,
  refusePast,
  sumOfItems,
  type TypedItem,
} from './sale-flags.ts';

type Parse<T> = (text: string, name: string) => T;

/** What the questions need: whom to ask, and what decides whether an answer fits. */
export interface Asking extends Pick<Context, 'clock' | 'days'> {
  readonly ask: SaleAsk;
  readonly profile: Profile;
}

/** A question, and the flag that answers it in a script. */
interface TextQuestion<T> extends Pick<Question, 'message' | 'flag'> {
  readonly parse: Parse<T>;
  /** What Enter alone means; if absent, none. */
  readonly otherwise?: string;
}

/** Asks until `parse` accepts the answer. */
export async function askFor<T>(ctx: Asking, { message, flag, parse }: TextQuestion<T>): Promise<T> {
  const text = await ctx.ask.text({ message, flag, check: (typed) => problemOf(typed, parse) });
  return parse(text, flag);
}

/** Like `askFor`, but returns undefined when the person only presses Enter. */
export async function askMaybe<T>(
  ctx: Asking,
  { message, flag, parse, otherwise = 'none' }: TextQuestion<T>,
): Promise<T | undefined> {
  const check = (typed: string) => (typed === '' ? undefined : problemOf(typed, parse));
  const text = await ctx.ask.text({
    message: `${message} (Enter: ${otherwise})`,
    flag,
    optional: true,
    check,
  });
  return text === '' ? undefined : parse(text, flag);
}

/** Asks the same question until the person only presses Enter. */
export async function askSeveral<T>(ctx: Asking, question: TextQuestion<T>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (;;) {
    const answer = await askMaybe(ctx, question);
    if (answer === undefined) return answers;
    answers.push(answer);
  }
}

/** Asks for one item or more: each in one answer, or its name first, then its price and how many. */
export async function askItems(ctx: Asking, currency: string): Promise<readonly TypedItem[]> {
  const parseWhole = fitting(ctx, currency, parseItem);
  const question = {
    flag: '--item',
    parse: (text: string, name: string) => itemOrName(text, name, parseWhole),
  };
  const whole = (typed: TypedItem | string) => wholeItem(ctx, typed, currency);
  const items = [
    await whole(await askFor(ctx, { ...question, message: 'Item: its name, or NAME:PRICE:QTY' })),
  ];
  for (;;) {
    const next = await askMaybe(ctx, { ...question, message: 'Another item' });
    if (next === undefined) return items;
    items.push(await whole(next));
  }
}

/** Reads as `parse` does, and throws CliError 'usage' for a price that does not fit the currency, before the next question. */
export function fitting<T extends TypedAmount | TypedItem>(
  { profile }: Pick<Asking, 'profile'>,
  currency: string,
  parse: Parse<T>,
): Parse<T> {
  return (text, name) => {
    const read = parse(text, name);
    const problem = amountProblem('price' in read ? read.price : read, currency, profile.settings);
    if (problem === undefined) return read;
    throw usage(`${name} ${text}: ${problem}`);
  };
}

function itemOrName(text: string, name: string, parseWhole: Parse<TypedItem>): TypedItem | string {
  if (text.includes(':')) return parseWhole(text, name);
  if (priceOf(text) === undefined) return text.trim();
  throw usage(`${name} ${text}: this is a price: type the name of the item first`);
}

async function wholeItem(ctx: Asking, typed: TypedItem | string, currency: string): Promise<TypedItem> {
  if (typeof typed !== 'string') return typed;
  const flag = '--item';
  const { text: price } = await askFor(ctx, {
    message: `Price of ${typed}`,
    flag,
    parse: fitting(ctx, currency, parsePrice),
  });
  const itemOf = (count: string): TypedItem => parseItem(`${typed}:${price}:${count || 1}`, flag);
  const check = (count: string) => (count === '' ? undefined : quantityProblem(count));
  return itemOf(await ctx.ask.text({ message: 'How many? (Enter: 1)', flag, optional: true, check }));
}

/** Asks when it expires. A time in the past is refused at once. */
export function askExpiry(ctx: Asking): Promise<Expiry | undefined> {
  const parse: Parse<Expiry> = (text, name) => {
    const expiry = parseExpiry(text, name);
    refusePast(expiry.at(clockAndZoneOf(ctx)), ctx.clock.now());
    return expiry;
  };
  return askMaybe(ctx, { ...saleQuestions.expires, parse });
}

export async function askSwitch(ctx: Asking, message: string, flag: string): Promise<true | undefined> {
  return (await ctx.ask.confirm({ message, flag })) ? true : undefined;
}

export function asTyped(text: string): string {
  return text;
}

function problemOf<T>(text: string, parse: Parse<T>): string | undefined {
  try {
    parse(text, 'this');
    return undefined;
  } catch (error) {
    // The prompt already shows which value is meant, so the name `this` is cut off.
    if (error instanceof CliError) return error.message.replace(/^this:? /, '');
    throw error;
  }
}

/** The questions that orders and payment links share. */
export const saleQuestions = {
  name: { message: 'What is the charge for?', flag: '--name', parse: asTyped },
  currency: { message: 'Currency', flag: '--currency', parse: parseCurrency },
  customer: {
    message: 'Id of the customer',
    flag: '--customer',
    parse: (text: string, name: string) => recordId('customers', text, name),
  },
  method: {
    message: `Allowed ways to pay, of ${paymentMethodValues.join(',')}`,
    otherwise: "the account's own",
    flag: '--method',
    parse: (text: string, name: string) =>
      text.split(',').map((word) => oneOf(paymentMethodValues, word.trim(), name)),
  },
  expires: {
    message: 'Expires, such as 7d or 2026-12-31',
    otherwise: 'the service decides',
    flag: '--expires',
  },
  installments: {
    message: 'Monthly installments, such as 3,6,9',
    flag: '--installments',
    parse: parseMonths,
  },
  plan: { message: 'Id of the plan', flag: '--plan', parse: asTyped },
} as const;

/** A table of the items with their sum. `shipping` holds the amounts of the shipping lines. */
export function itemBlocks(
  items: readonly Item[],
  currency: string,
  { settings }: Profile,
  shipping: readonly number[] = [],
): readonly Block[] {
  const figure = figuresIn(currency, settings);
  const exact = (sum: number | undefined) => (sum === undefined ? uncountable : figure(sum));
  const rows: (readonly Cell[])[] = [
    ...items.map(({ name, quantity, unit_price: price }) => [
      name,
      `${quantity} x ${figure(price)}`,
      exact(sumOfItems([{ name, quantity, unit_price: price }])),
    ]),
    ...shipping.map((amount) => ['shipping', '', figure(amount)]),
  ];
  const total = sumOfItems(
    items,
    shipping.reduce((sum, amount) => sum + amount, 0),
  );
  return [
    { grid: rows, right: [1, 2], shrink: [0], indent: 2 },
    {
      line: {
        text: `TOTAL  ${total === undefined ? uncountable : amountWords(total, currency, settings)}`,
        style: 'strong',
      },
    },
  ];
}

export function paymentBlocks(
  methods: readonly string[] | undefined,
  months: readonly number[] | undefined,
): readonly Block[] {
  return [
    ...(methods === undefined ? [] : [{ line: `pay by  ${methods.join(', ')}` }]),
    ...(months === undefined ? [] : [{ line: `months  ${months.join(', ')} without interest` }]),
  ];
}

export function expiryBlock(expiry: number | undefined): Block {
  return {
    line:
      expiry === undefined
        ? 'the service decides when the link expires'
        : ['expires ', { time: expiry, precision: 'full' }],
  };
}

const uncountable = 'too large to add up exactly';

/** When a checkout expires. The document spells the field in two ways (service: Endpoints 4 and 5). */
export function expiryOf(checkout: JsonObject): unknown {
  return checkout.expires_at ?? checkout.expired_at;
}

/** The link that the buyer gets, and when it expires. The demo listens nowhere, so nobody can open a link from it. */
export function linkLines(checkout: JsonObject, { kind }: Pick<Profile, 'kind'>): readonly Block[] {
  const { url } = checkout;
  const expiry = expiryOf(checkout);
  return [
    { line: typeof url === 'string' && url !== '' ? url : 'the reply shows no link' },
    expiry === undefined || expiry === null
      ? { line: 'the reply shows no expiry' }
      : { line: ['expires  ', { time: expiry, precision: 'full' }] },
    ...(kind === 'demo'
      ? [{ line: 'a link of the demo has no page; one of paydesk simulator serve can be opened and paid' }]
      : []),
  ];
}

/** Draws the link of a checkout as a QR code under the result. With `--qr` it says why it cannot draw one. */
export async function drawLink(
  ctx: Context,
  { url }: JsonObject,
  { qr: asked, noQr }: { readonly qr: boolean; readonly noQr: boolean },
): Promise<void> {
  if (noQr || ctx.options.dryRun) return;
  const missing =
    typeof url === 'string' && url !== '' ? await ctx.out.qr(url, asked) : 'the reply shows no link';
  if (asked && missing !== undefined) ctx.notes.note(`no QR code: ${missing}`);
}

/** The first line of the result: what was created, for how much if that is known, and where. */
export function createdLine(
  what: string,
  amount: number | undefined,
  currency: string | undefined,
  profile: Profile,
): Block {
  const of = amount === undefined ? '' : ` of ${amountWords(amount, currency, profile.settings)}`;
  return { line: [{ text: `created ${what}${of}`, style: 'good' }, '    ', accountSpan(profile)] };
}
