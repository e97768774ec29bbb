/** Flags that orders and payment links share, and the functions that read their values. Pure. */

import { currencyPattern, dayMs, lastExpiry, paymentMethodValues, tooLateWords } from '../../api/spec.ts';
import { checkDecimals } from '../../flags/amount-flag.ts';
import { flag, usage } from '../../flags/flags.ts';
import { type ClockAndZone, momentOf, spanOf, type When } from '../../flags/typed-time.ts';
import type { Profile } from '../../profiles/profiles.ts';
import {
  amountMistake,
  amountProblem,
  readAmount,
  type TypedAmount,
  unitsWarning,
} from '../../typed-amounts.ts';
import { againFlag, idempotencyKeyFlag } from '../repeat.ts';

/** Flags for the items, the buyer and the payment. */
export const saleFlags = {
  item: {
    ...flag.of<TypedItem>({
      value: 'ITEM',
      summary:
        'one item as NAME:PRICE, or NAME:PRICE:QTY; PRICE is typed like --amount of a refund, NAME may contain colons before :QTY',
      parse: parseItem,
    }),
    repeatable: true,
  },
  currency: flag.of<string>({ value: 'CUR', summary: 'currency code, such as MXN', parse: parseCurrency }),
  customer: flag.id('customers', 'ID', 'the customer who pays'),
  name: flag.text('TEXT', 'what the charge is for'),
  method: {
    ...flag.choice(paymentMethodValues, 'METHOD', 'an allowed way to pay'),
    repeatable: true,
  },
  expires: flag.of<Expiry>({
    value: 'WHEN',
    summary: 'when it expires: 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds',
    parse: parseExpiry,
  }),
  installments: flag.of<readonly number[]>({
    value: 'MONTHS',
    summary: 'interest-free monthly installments, such as 3,6,9',
    parse: parseMonths,
  }),
  'needs-shipping': flag.switch('the checkout asks for the shipping address'),
  plan: flag.text('ID', 'the plan of a subscription'),
} as const;

/** Flags that `orders create`, `checkout create` and `api` share. None of them is a field of the body. */
export const creationFlags = {
  confirm: flag.text('PROFILE', "the profile's name: counts as yes in production"),
  'idempotency-key': idempotencyKeyFlag,
  again: againFlag,
} as const;

/** `--body`. It replaces the flags in `others`, which each give one field of the body. */
export function bodyFlag(others: readonly string[]) {
  return flag.text('FILE', 'the whole body as JSON instead of flags; - is standard input', {
    conflicts: others,
  });
}

export const qrFlags = {
  qr: flag.switch('draw the link as a QR code, even if the output does not go to a terminal', {
    defaultText: 'in a table on a terminal with room for it',
    conflicts: ['no-qr'],
  }),
  'no-qr': flag.switch('draw no QR code', { conflicts: ['qr'] }),
} as const;

/** One line of an order or a payment link (service: Endpoints 4 and 5). */
export interface Item {
  readonly name: string;
  readonly unit_price: number;
  readonly quantity: number;
}

/** An item as somebody typed it: its price may have decimals, and only the currency says whether they fit. */
export interface TypedItem extends Omit<Item, 'unit_price'> {
  readonly text: string;
  readonly price: TypedAmount;
}

/** Reads `NAME:PRICE:QTY`, or `NAME:PRICE` for one. Throws CliError 'usage'. */
export function parseItem(text: string, name: string): TypedItem {
  const parts = text.split(':');
  // The name may contain colons, so price and quantity are the last two parts.
  const [typed = '', digits = '1'] = parts.length > 2 ? parts.slice(-2) : parts.slice(1);
  const title = parts
    .slice(0, Math.max(1, parts.length - 2))
    .join(':')
    .trim();
  const price = priceOf(typed);
  const problem = quantityProblem(digits);
  if (title !== '' && price !== undefined && problem === undefined)
    return { text, name: title, price, quantity: Number(digits) };
  const why = title === '' ? 'it has no name' : price === undefined ? priceMistake(typed) : problem;
  throw usage(`${name} ${text}: ${why}; an item is NAME:PRICE or NAME:PRICE:QTY, such as Lamp:30000:1`);
}

/** What is wrong with a text as a quantity; undefined if nothing is. */
export function quantityProblem(text: string): string | undefined {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    ? undefined
    : `the quantity ${text} is no whole number above 0`;
}

/** What is wrong with a text that is not a price. */
function priceMistake(text: string): string {
  if (text.trim() === '') return 'it has no price';
  const price = text.trim();
  const form = price.includes(',') ? 'type it without commas, such as 30000' : 'type digits, such as 30000';
  return `the price ${price} is no amount: ${amountMistake(price, 'type how much it is') ?? form}`;
}

/** Reads a price. Throws CliError 'usage'. */
export function parsePrice(text: string, name: string): TypedAmount {
  const price = priceOf(text);
  if (price !== undefined) return price;
  throw usage(`${name}: ${priceMistake(text)}`);
}

/** Reads a price, which may be 0, in any spelling that people use. */
export function priceOf(text: string): TypedAmount | undefined {
  return text === '0' ? { text, amount: 0, places: undefined, currency: undefined } : readAmount(text);
}

/**
 * The service's integer of a price. Throws CliError 'usage' for decimals that the profile does not declare for this currency,
 * and for another currency. `name` is what the message calls the price: `--item Lamp:300.00:1`.
 */
export function unitsOf(
  price: TypedAmount,
  name: string,
  currency: string | undefined,
  profile: Pick<Profile, 'kind' | 'name' | 'settings'>,
): number {
  checkDecimals(name, price, profile);
  const problem = amountProblem(price, currency, profile.settings);
  if (problem === undefined) return price.amount;
  throw usage(`${name}: ${problem}`);
}

/** The items as the service takes them. Throws like `unitsOf`. */
export function itemsIn(
  items: readonly TypedItem[],
  currency: string | undefined,
  profile: Pick<Profile, 'kind' | 'name' | 'settings'>,
): readonly Item[] {
  return items.map(({ text, name, price, quantity }) => ({
    name,
    unit_price: unitsOf(price, `--item ${text}`, currency, profile),
    quantity,
  }));
}

/** Warns about prices that are whole numbers if the currency has decimals, as for a refund. */
export function unitWarnings(
  prices: readonly TypedAmount[],
  currency: string | undefined,
  { settings }: Pick<Profile, 'settings'>,
): readonly string[] {
  return prices.flatMap((price) =>
    price.amount === 0 ? [] : (unitsWarning(price, currency, settings) ?? []),
  );
}

/** The sum of the items, plus `more`; undefined when it is too large to be exact. */
export function sumOfItems(items: readonly Item[], more = 0): number | undefined {
  const sum = items.reduce((total, { unit_price, quantity }) => total + unit_price * quantity, more);
  return Number.isSafeInteger(sum) ? sum : undefined;
}

/** A moment as somebody typed it, in Unix seconds. `at` throws CliError 'usage' when they do not fit into 32 bits. */
export type Expiry = Pick<When, 'text' | 'at'>;

/** Reads `7d`, `12h`, a date, ISO 8601 or Unix seconds. Throws CliError 'usage'. */
export function parseExpiry(text: string, name: string): Expiry {
  const ms = momentMs(text);
  if (ms === undefined) {
    throw usage(
      `${name} ${text}: not a time such as 7d, 12h, 2026-12-31, 2026-12-31T20:00:00Z or Unix seconds`,
    );
  }
  const at = (clockAndZone: ClockAndZone) => within32Bits(Math.floor(ms(clockAndZone) / 1000), text, name);
  // A date that is too late in every time zone is refused at once.
  at({ now: 0, zoned: (shown) => shown - dayMs, today: () => '1970-01-01' });
  return { text, at };
}

function momentMs(text: string): Expiry['at'] | undefined {
  const ahead = spanOf(text);
  if (ahead !== undefined) return ({ now }) => now + ahead;
  if (/^[1-9][0-9]{0,15}$/.test(text)) return () => Number(text) * 1000;
  return momentOf(text);
}

function within32Bits(seconds: number, text: string, name: string): number {
  if (seconds >= 1 && seconds <= lastExpiry) return seconds;
  const why = seconds < 1 ? 'before 1970' : tooLateWords(seconds);
  throw usage(`${name} ${text}: ${why}`);
}

/** Throws CliError 'usage' for an expiry in the past. `expiry`: Unix seconds; `now`: Unix milliseconds. */
export function refusePast(expiry: number | undefined, now: number): void {
  if (expiry === undefined || expiry * 1000 > now) return;
  throw usage(`it would expire in the past, at ${expiry}: nobody could pay it`);
}

/** Reads a currency code in any case, like one after an amount. Throws CliError 'usage'. */
export function parseCurrency(text: string, name: string): string {
  if (currencyPattern.test(text)) return text.toUpperCase();
  throw usage(`${name} ${text}: not a currency code such as MXN`);
}

/** Reads month counts, `3,6,9`. Throws CliError 'usage'. */
export function parseMonths(text: string, name: string): readonly number[] {
  if (/^[1-9][0-9]{0,2}(,[1-9][0-9]{0,2})*$/.test(text)) return text.split(',').map(Number);
  throw usage(`${name} ${text}: not a list of months such as 3,6,9`);
}

/** Reads `KEY=VALUE` and splits it at the first =. Throws CliError 'usage'. */
export function parsePair(text: string, name: string): readonly [string, string] {
  return parsePairAt('=', 'KEY=VALUE', text, name);
}

/** Splits a text at the first `mark`. `form` is what the message asks for. Throws CliError 'usage'. */
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
