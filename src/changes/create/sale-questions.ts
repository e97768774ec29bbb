/** Questions for what an order or a payment link needs: answered with the same texts as the flags, and read by the same functions. */

import { paymentMethodValues } from '../../api/spec.ts';
import { type Context, oneOf, recordId } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import { type Item, parseCurrency, parseExpiry, parseItem, parseMonths } from './sale-flags.ts';

type Parse<T> = (text: string, name: string) => T;

/** One question. `message` is shown, `flag` answers it in a script. */
export interface TextQuestion<T> {
  readonly message: string;
  readonly flag: string;
  readonly parse: Parse<T>;
}

/** Asks until the answer can be read. */
export async function askFor<T>(ctx: Context, { message, flag, parse }: TextQuestion<T>): Promise<T> {
  const text = await ctx.ask.text({ message, flag, check: (typed) => problemOf(typed, parse) });
  return parse(text, flag);
}

/** The same; a bare Enter is no answer. */
export async function askMaybe<T>(
  ctx: Context,
  { message, flag, parse }: TextQuestion<T>,
): Promise<T | undefined> {
  const check = (typed: string) => (typed === '' ? undefined : problemOf(typed, parse));
  const text = await ctx.ask.text({ message: `${message} (Enter: none)`, flag, optional: true, check });
  return text === '' ? undefined : parse(text, flag);
}

/** Asks for one after the other, until a bare Enter. */
export async function askSeveral<T>(ctx: Context, question: TextQuestion<T>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (;;) {
    const answer = await askMaybe(ctx, question);
    if (answer === undefined) return answers;
    answers.push(answer);
  }
}

/** Asks for the lines, one at least. */
export async function askItems(ctx: Context): Promise<readonly Item[]> {
  const question = { flag: '--item', parse: parseItem };
  const first = await askFor(ctx, { ...question, message: 'Item, as NAME:PRICE:QTY' });
  return [first, ...(await askSeveral(ctx, { ...question, message: 'Another item' }))];
}

/** Yes, or nothing said. */
export async function askSwitch(ctx: Context, message: string, flag: string): Promise<true | undefined> {
  return (await ctx.ask.confirm({ message, flag })) ? true : undefined;
}

/** Text as it is. */
export function asTyped(text: string): string {
  return text;
}

function problemOf<T>(text: string, parse: Parse<T>): string | undefined {
  try {
    parse(text, 'this');
    return undefined;
  } catch (error) {
    // Beside the question there is nothing to name but what was typed.
    if (error instanceof CliError) return error.message.replace(/^this /, '');
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
    message: `Ways to pay, of ${paymentMethodValues.join(',')}`,
    flag: '--method',
    parse: (text: string, name: string) =>
      text.split(',').map((word) => oneOf(paymentMethodValues, word.trim(), name)),
  },
  expires: { message: 'Expires, such as 7d or 2026-12-31', flag: '--expires', parse: parseExpiry },
  installments: {
    message: 'Monthly installments, such as 3,6,9',
    flag: '--installments',
    parse: parseMonths,
  },
  plan: { message: 'Id of the plan', flag: '--plan', parse: asTyped },
} as const;
