/** The flags that make the body of an order (service: Endpoints 4). */

import { checkoutTypes, hostedPayment, parseAmount } from '../../api/spec.ts';
import { flag, type Input, usage } from '../command.ts';
import { parsePair, saleFlags } from '../creation/flags.ts';

/** A detail of one line: which line, counted from 1, and what. */
export interface ItemDetail {
  readonly item: number;
  readonly text: string;
}

function detailFlag(what: string) {
  return {
    ...flag.of<ItemDetail>({
      value: 'N=TEXT',
      summary: `${what} of the Nth item`,
      parse: parseDetail,
    }),
    repeatable: true,
  } as const;
}

/** Reads `2=TEXT`. Throws CliError 'usage'. */
export function parseDetail(text: string, name: string): ItemDetail {
  const [number, words] = parsePair(text, name);
  if (/^[1-9][0-9]{0,3}$/.test(number) && words !== '') return { item: Number(number), text: words };
  throw usage(`${name} ${text}: not N=TEXT, where N counts the items from 1`);
}

/** Reads the amount of a shipping line; nothing is an amount here. Throws CliError 'usage'. */
export function parseShipping(text: string, name: string): number {
  const amount = text === '0' ? 0 : parseAmount(text);
  if (amount !== undefined) return amount;
  throw usage(`${name} ${text}: not an amount; it is the service's own integer, digits only`);
}

/** The flags of `orders create` that say what is sold, and to whom. */
export const orderFlags = {
  ...saleFlags,
  'item-description': detailFlag('description'),
  'item-sku': detailFlag('sku'),
  'item-category': detailFlag('category'),
  'item-tag': detailFlag('a tag'),
  shipping: {
    ...flag.of<number>({ value: 'N', summary: 'amount of a shipping line', parse: parseShipping }),
    repeatable: true,
  },
  'ship-receiver': flag.text({ value: 'TEXT', summary: 'who receives it' }),
  'ship-phone': flag.text({ value: 'TEXT', summary: 'phone of who receives it' }),
  'ship-street': flag.text({ value: 'TEXT', summary: 'street and number it goes to' }),
  'ship-country': flag.text({ value: 'CODE', summary: 'country it goes to' }),
  'ship-postal-code': flag.text({ value: 'TEXT', summary: 'postal code it goes to' }),
  metadata: {
    ...flag.of<readonly [string, string]>({
      value: 'KEY=VALUE',
      summary: 'kept with the order; the first = splits',
      parse: parsePair,
    }),
    repeatable: true,
  },
  checkout: flag.choice(checkoutTypes, { value: 'TYPE', summary: 'how it is paid' }),
  'success-url': flag.text({ value: 'URL', summary: `where a ${hostedPayment} goes after success` }),
  'failure-url': flag.text({ value: 'URL', summary: `where a ${hostedPayment} goes after failure` }),
  'on-demand': flag.switch({ summary: 'the checkout may keep the card' }),
} as const;

/** What was said, by flags or at prompts. */
export type OrderDraft = Input<readonly [], typeof orderFlags>['flags'];

/** Flags that say something of the checkout inside the order. */
export const checkoutFlagNames = [
  'name',
  'success-url',
  'failure-url',
  'expires',
  'method',
  'needs-shipping',
  'installments',
  'on-demand',
  'plan',
] as const satisfies readonly (keyof typeof orderFlags)[];
