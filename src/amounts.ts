/**
 * Amounts for people: writes an amount with its currency and its decimals. Pure.
 * Everything here moves digits in a text. Nothing is ever divided or multiplied, so nothing is rounded.
 */

import { counted } from './counted.ts';

/** How a profile shows amounts. These are settings of the profile, so `profile.settings` fits. */
export interface AmountStyle {
  /** How many decimals a currency has. The service does not document its unit, so a lead declares it. */
  readonly 'amounts.decimals': Readonly<Record<string, number>>;
  /** Whether a space separates thousands. */
  readonly 'amounts.grouping': 'on' | 'off';
}

/** How amounts are shown while the profile is not known: without decimals and without grouping. */
export const plainAmounts: AmountStyle = { 'amounts.decimals': {}, 'amounts.grouping': 'off' };

/** The service's integer, a sum of such integers, or whatever a record holds in its place. */
type Amount = number | bigint;

/** An amount with its currency, and with its decimals if they are declared: `23000 MXN (230.00)`. */
export function amountWords(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  return `${digits(amount, style)}${codeWord(currency)}${inBrackets(amount, currency, style)}`;
}

/** The heading for amounts whose record shows no currency. */
export const unknownCurrency = 'currency unknown';

/** A sum with its currency; `500, currency unknown` if the amounts in it show none. */
export function sumWords(sum: Amount, currency: string | undefined, style: AmountStyle): string {
  return amountWords(sum, currency, style) + (currency === undefined ? `, ${unknownCurrency}` : '');
}

/** Sums in several currencies: `1203400 MXN and 900 USD`. */
export function sumsWords(
  sums: readonly { readonly currency: string; readonly amount: Amount }[],
  style: AmountStyle,
): string {
  return sums.map(({ amount, currency }) => amountWords(amount, currency, style)).join(' and ');
}

/** An amount whose currency is named nearby, in the same sentence or in the heading: `23000 (230.00)`. */
export function figureWords(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  return `${digits(amount, style)}${inBrackets(amount, currency, style)}`;
}

/** An amount where there is little room: `230.00` if decimals are declared, otherwise the service's integer. */
export function briefFigure(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  return scaled(amount, currency, style) ?? digits(amount, style);
}

/**
 * An amount as people read it, for paper and files: `149,522.45` if decimals are declared, otherwise the service's integer, `149
 * 522`. Nobody types it back, so a comma can separate thousands.
 */
export function readableFigure(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  const text = scaled(amount, currency, { ...style, 'amounts.grouping': 'off' });
  return text === undefined ? grouped(String(amount)) : grouped(text, ',');
}

/** The same with its currency: `149,522.45 MXN`. */
export function readableAmount(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  return `${readableFigure(amount, currency, style)}${codeWord(currency)}`;
}

/**
 * Says in which unit the whole amounts of a file are, with the first of `all` that can be read in two ways as the example: `520
 * is 5.20 MXN`. Undefined if none of them can.
 */
export function unitsNote(
  style: AmountStyle,
  all: Iterable<{ readonly amount: Amount | undefined; readonly currency: string | undefined }> = Object.keys(
    style['amounts.decimals'],
  ).map((currency) => ({ amount: 12_345, currency })),
): string | undefined {
  for (const { amount, currency } of all) {
    const isPlain = amount === undefined || (placesOf(currency, style) ?? 0) === 0;
    const text = isPlain ? undefined : scaled(amount, currency, style);
    if (text !== undefined)
      return `whole amounts of the file are in the service's units: ${amount} is ${text} ${currency}`;
  }
  return undefined;
}

/** A part of an amount: `12000 of 52000 MXN (120.00 of 520.00)`. */
export function partWords(
  part: Amount,
  whole: Amount,
  currency: string | undefined,
  style: AmountStyle,
): string {
  const [less, more] = [scaled(part, currency, style), scaled(whole, currency, style)];
  const both = less === undefined || more === undefined ? '' : ` (${less} of ${more})`;
  return `${digits(part, style)} of ${digits(whole, style)}${codeWord(currency)}${both}`;
}

/**
 * A sentence about amounts of one currency, once in the service's units, and once more in decimals if they are declared. It
 * makes two short lines, because a long one would break inside an amount.
 */
export function linesInBoth(
  currency: string | undefined,
  style: AmountStyle,
  sentence: (write: (amount: Amount) => string) => string,
): readonly [string, ...string[]] {
  const units = sentence((amount) => digits(amount, style));
  if (placesOf(currency, style) === undefined) return [units];
  return [units, `${sentence((amount) => scaled(amount, currency, style) ?? String(amount))} (${currency})`];
}

/** Returns a function that writes amounts of one currency, which is named nearby: `23000 (230.00)`. */
export function figuresIn(currency: string | undefined, style: AmountStyle): (amount: Amount) => string {
  return (amount) => figureWords(amount, currency, style);
}

/** The service's integer alone: `23000`, or `23 000` with `amounts.grouping`. */
export function digits(amount: Amount, { 'amounts.grouping': grouping }: AmountStyle): string {
  return grouping === 'on' ? grouped(String(amount)) : String(amount);
}

/** The amount with its decimals, `230.00`; undefined if the profile does not declare any for this currency. */
export function scaled(amount: Amount, currency: string | undefined, style: AmountStyle): string | undefined {
  const places = placesOf(currency, style);
  if (places === undefined || (typeof amount === 'number' && !Number.isSafeInteger(amount))) return undefined;
  const text = withPoint(String(amount), places);
  return style['amounts.grouping'] === 'on' ? grouped(text) : text;
}

/**
 * An amount as it is written in a command to copy: with its decimals if they are declared, so that nobody can read it in two
 * ways.
 */
export function typedForm(amount: number, currency: string | undefined, style: AmountStyle): string {
  return scaled(amount, currency, { ...style, 'amounts.grouping': 'off' }) ?? String(amount);
}

/** How many decimals the profile declares for a currency; undefined if it declares none. */
export function placesOf(
  currency: string | undefined,
  { 'amounts.decimals': places }: AmountStyle,
): number | undefined {
  const code = currency?.toUpperCase() ?? '';
  return Object.hasOwn(places, code) ? places[code] : undefined;
}

/** Whether the profile declares this number of decimals for at least one currency. */
export function declaresPlaces(places: number, { 'amounts.decimals': declared }: AmountStyle): boolean {
  return Object.values(declared).includes(places);
}

/** An amount for each declared number of decimals, such as `100.00`. */
export function examplesOf({ 'amounts.decimals': declared }: AmountStyle): readonly string[] {
  return [...new Set(Object.values(declared))].map((places) => withPoint(`100${'0'.repeat(places)}`, places));
}

/** The declared decimals in words, such as `MXN has 2 decimals, JPY has no decimals`; undefined if none are declared. */
export function placesWords({ 'amounts.decimals': declared }: AmountStyle): string | undefined {
  const words = Object.entries(declared).map(([code, places]) => `${code} has ${countOfPlaces(places)}`);
  return words.length === 0 ? undefined : words.join(', ');
}

/** A number of decimals in words: `2 decimals`. */
export function countOfPlaces(places: number): string {
  return places === 0 ? 'no decimals' : counted(places, 'decimal');
}

function inBrackets(amount: Amount, currency: string | undefined, style: AmountStyle): string {
  const text = scaled(amount, currency, style);
  return text === undefined ? '' : ` (${text})`;
}

function codeWord(currency: string | undefined): string {
  return currency === undefined || currency === '' ? '' : ` ${currency}`;
}

function withPoint(integer: string, places: number): string {
  if (places === 0) return integer;
  const [sign, figures] = integer.startsWith('-') ? ['-', integer.slice(1)] : ['', integer];
  const padded = figures.padStart(places + 1, '0');
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

// A no-break space, so that no line breaks inside an amount. Somebody who copies it can type it back.
const separator = '\u00a0';

// Only the digits before a point are grouped.
function grouped(text: string, between = separator): string {
  const [whole = '', ...rest] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, between), ...rest].join('.');
}
