/** The flags that orders and payment links share, and the reading of their texts. Pure. */

import { currencyPattern, paymentMethodValues } from '../../api/spec.ts';
import { flag, usage } from '../command.ts';
import { againFlag, intentFlag } from '../repeat.ts';
import { expiresFlag } from './expiry.ts';
import { itemFlag } from './items.ts';

/** Flags of what is sold, to whom, and how it is paid. */
export const saleFlags = {
  item: { ...itemFlag, repeatable: true },
  currency: flag.of<string>({ value: 'CUR', summary: 'currency code, such as MXN', parse: parseCurrency }),
  customer: flag.id('customers', { value: 'ID', summary: 'the customer who pays' }),
  name: flag.text({ value: 'TEXT', summary: 'what the charge is for' }),
  method: {
    ...flag.choice(paymentMethodValues, { value: 'METHOD', summary: 'a way to pay that is offered' }),
    repeatable: true,
  },
  expires: expiresFlag,
  installments: flag.of<readonly number[]>({
    value: 'MONTHS',
    summary: 'interest-free monthly installments, such as 3,6,9',
    parse: parseMonths,
  }),
  'needs-shipping': flag.switch({ summary: 'the checkout asks for the shipping address' }),
  plan: flag.text({ value: 'ID', summary: 'the plan of a subscription' }),
} as const;

/** Flags of every creation that are no part of the body. */
export const creationFlags = {
  confirm: flag.text({ value: 'PROFILE', summary: "the profile's name: says yes in production" }),
  intent: intentFlag,
  again: againFlag,
} as const;

/** `--body`, which stands for all the flags that make a body. */
export function bodyFlag(others: readonly string[]) {
  return flag.text({
    value: 'FILE',
    summary: 'the whole body as JSON instead of flags; - is standard input',
    conflicts: others,
  });
}

/** Reads a currency code. Throws CliError 'usage'. */
export function parseCurrency(text: string, name: string): string {
  if (currencyPattern.test(text)) return text;
  throw usage(`${name} ${text}: not a currency code such as MXN`);
}

/** Reads month counts, `3,6,9`. Throws CliError 'usage'. */
export function parseMonths(text: string, name: string): readonly number[] {
  if (/^[1-9][0-9]{0,2}(,[1-9][0-9]{0,2})*$/.test(text)) return text.split(',').map(Number);
  throw usage(`${name} ${text}: not counts of months such as 3,6,9`);
}

/** Reads `KEY=VALUE`; the first = splits. Throws CliError 'usage'. */
export function parsePair(text: string, name: string): readonly [string, string] {
  return parsePairAt('=', 'KEY=VALUE', text, name);
}

/** Reads two texts with a mark between them; the first mark splits. Throws CliError 'usage'. */
export function parsePairAt(
  mark: string,
  form: string,
  text: string,
  name: string,
): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usage(`${name} ${text}: not ${form}`);
}
