/**
 * Finds the words of `orders find` in an order, whatever their case and accents. Pure; the time grows with the length of the
 * text.
 */

import { type AmountStyle, declaresPlaces, examplesOf, plainAmounts, scaled } from '../../../amounts.ts';
import { itemsOf, type JsonObject, valueAt } from '../../../api/json-values.ts';
import { aroundWord, bareReference, withoutAround } from '../../../api/resources.ts';
import { usage } from '../../../flags/flags.ts';
import { wholeNumberWords } from '../../../typed-amounts.ts';
import { fold } from './fold-text.ts';

/** The field in which a word was found, and its value as the service sent it. */
export interface Match {
  readonly label: string;
  readonly value: string;
}

/** Returns the fields that hold the words; undefined when a word is in no field. `style` says which decimals an amount has. */
export type Matcher = (order: JsonObject, style?: AmountStyle) => readonly Match[] | undefined;

/** An order prepared for repeated searches: its fields, each also without case and accents. */
export type SearchableOrder = readonly SearchableText[];

/** A word to look for, without case and accents. */
interface Word {
  readonly text: string;
  /** The digits of the word, if it looks like a phone number. */
  readonly digits: string | undefined;
  /** The word as a number of the shop, whatever stands between its letters and digits. */
  readonly number?: NumberLike | undefined;
}

interface NumberLike {
  readonly pattern: RegExp;
  /** Its longest part, which every text has that the pattern finds. */
  readonly longest: string;
}

const shortestNumber = 4;

// `a99998`, `a_99998` and `a–99998` are the number `a-99998`.
function numberLike(word: string): NumberLike | undefined {
  const runs = word.match(/\p{L}+|\d+/gu) ?? [];
  const isNumber = /^(?:[\p{L}\d]|(?<=.)[\p{Pd}_./](?=.))*$/u.test(word) && /\d/.test(word);
  if (!isNumber || runs.length < 2 || runs.join('').length < shortestNumber) return undefined;
  return {
    // Not in the middle of another number.
    pattern: new RegExp(`(?<![\\p{L}\\d])${runs.join('[\\p{Pd}\\s_./]?')}`, 'u'),
    longest: runs.reduce((one, other) => (other.length > one.length ? other : one)),
  };
}

// One argument: its words, and its digits if the whole argument looks like a phone number.
interface Term {
  readonly words: readonly Word[];
  readonly phone: Word | undefined;
  /** The whole argument as one amount, if it looks like one with spaces between thousands. */
  readonly amount: Word | undefined;
}

// Shorter texts are part of too many ids.
const shortestIdPart = 4;
const fourDigits = /^\d{4}$/;
const shortestDigits = 3;
const shortestPhone = 7;
// Screens put this space between thousands. Whoever copies an amount copies the space too.
const insideAmount = /(?<=\d)[\u00a0\u202f](?=\d{3})/g;
// Somebody who types an amount types a plain space: `1 720.00`.
const spacedAmount = /^-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;

// What comes before the last digits of a card when somebody copies it: `****4242`, `xxxx4242`. A mask may also be a word of its
// own.
const cardMask = /^(?:[*•·]+|x{2,})(?=\d{4}$)/;
const onlyMask = /^[*•·]+$/;

// A shell splits an amount with spaces, or a masked card, into several arguments.
function joined(texts: readonly string[]): readonly string[] {
  const one = texts.join(' ');
  if (amountWord(one) !== undefined) return [one];
  const told = texts.filter((text) => !onlyMask.test(text));
  return told.length === 0 ? texts : told;
}

// An amount with spaces may also be the words that it looks like, such as a phone number.
function amountWord(text: string): Word | undefined {
  const tidy = text.trim();
  return spacedAmount.test(tidy) ? { text: tidy.replaceAll(' ', ''), digits: undefined } : undefined;
}
const phoneLike = /^\+?[\d\s().-]+$/;

/** Returns the function that looks for these words in an order. Throws CliError 'usage' for a text without a word. */
export function createMatcher(texts: readonly string[], isWhole = false): Matcher {
  const search = createSearch(texts, isWhole);
  return (order, style) => search(searchable(order, style));
}

/**
 * For each word, texts in the form of `searchable`. Every order that has the word has at least one of them, so an order without
 * any need not be looked at.
 */
export function needlesOf(texts: readonly string[]): readonly (readonly string[])[] {
  return joined(texts)
    .map(termOf)
    .flatMap(({ words, phone: number, amount }) => {
      const whole = [number?.digits, ...(amount === undefined ? [] : formsOf(amount))];
      return words.map((word) =>
        [...formsOf(word), word.digits, ...whole].flatMap((form) =>
          form === undefined || form === '' ? [] : [form],
        ),
      );
    });
}

// An amount with declared decimals is kept as the integer that the service sent.
function formsOf({ text, number }: Word): readonly string[] {
  const figure = plainFigure(text.replace(/^-/, ''));
  const units = /^\d+\.\d+$/.test(figure) ? [figure.replace('.', '').replace(/^0+(?=\d)/, '')] : [];
  const parts = number === undefined ? [] : [number.longest];
  return [...new Set([text, figure, ...units, text.replace(/^\*/, ''), ...parts])];
}

/**
 * Like `createMatcher`, for orders that are kept and searched more than once. `isWhole`: for somebody who does not see personal
 * data and could spell it out letter by letter: only whole words, ids and telephone numbers count.
 */
export function createSearch(
  texts: readonly string[],
  isWhole = false,
): (order: SearchableOrder) => readonly Match[] | undefined {
  const by = isWhole ? wholeFinders : finders;
  const terms = joined(texts).map(termOf);
  const words = terms.flatMap(({ words: own }) => own);
  return (fields) => {
    const found = new Map<Word, Match>();
    for (const field of fields) {
      for (const word of words)
        if (!found.has(word) && by[field.kind](word, field.folded)) found.set(word, field);
    }
    const matches: Match[] = [];
    for (const { words: own, phone, amount } of terms) {
      const wholeField = fields.find(
        (field) =>
          (phone !== undefined && field.kind === 'phone' && by.phone(phone, field.folded)) ||
          (amount !== undefined && field.kind === 'sum' && sum(amount, field.folded)),
      );
      const ofWords = own.flatMap((word) => found.get(word) ?? []);
      if (wholeField === undefined && ofWords.length < own.length) return undefined;
      matches.push(...(wholeField === undefined ? ofWords : [wholeField]));
    }
    return distinct(matches);
  };
}

/** The fields of an order, each folded once for all words. An amount is also there as screens show it, with its decimals. */
export function searchable(order: JsonObject, style: AmountStyle = plainAmounts): SearchableOrder {
  return foldedTexts(orderTexts(order, style));
}

export function foldedTexts(fields: readonly OrderText[]): SearchableOrder {
  return fields.map((field) => ({ ...field, folded: fold(field.value) }));
}

function termOf(text: string): Term {
  const typed = fold(text.replace(insideAmount, ''))
    .split(/\s+/)
    .filter((word) => word !== '');
  const tidy = typed
    .map((word) => bareReference(withoutAround(word.replace(cardMask, '*'), aroundWord)))
    .filter((word) => word !== '' && !onlyMask.test(word));
  // Somebody who has typed only a bracket so far is going to type more.
  const words = (tidy.length === 0 ? typed : tidy).map(
    (word): Word => ({
      text: word,
      digits: phoneLike.test(word) ? digitsOf(word) : undefined,
      number: numberLike(word),
    }),
  );
  if (words.length === 0) {
    throw usage(`TEXT ${JSON.stringify(text)}: has no word to search for`, ['paydesk orders list']);
  }
  const digits = digitsOf(text);
  const phone = words.length > 1 && phoneLike.test(text.trim()) && digits.length >= shortestPhone;
  return { words, phone: phone ? { text: digits, digits } : undefined, amount: amountWord(text) };
}

function digitsOf(text: string): string {
  return text.replace(/\D+/g, '');
}

function distinct(matches: readonly Match[]): readonly Match[] {
  return [...new Map(matches.map((match) => [`${match.label} ${match.value}`, match])).values()];
}

interface OrderText extends Match {
  readonly kind: TextKind;
}

/** A field as a search looks at it. */
interface SearchableText extends OrderText {
  readonly folded: string;
}

const part = (word: Word, folded: string): boolean =>
  folded.includes(word.text) ||
  withoutApostrophes(folded).includes(word.text) ||
  word.number?.pattern.test(folded) === true;
const whole = (word: Word, folded: string): boolean => folded === word.text;
// Four digits are the end of a card, or an amount. By chance they are also in the middle of many ids, so there they count only
// at the end.
const idPart = (word: Word, folded: string): boolean => {
  if (folded === word.text) return true;
  if (fourDigits.test(word.text)) return folded.endsWith(word.text);
  return word.text.length >= shortestIdPart && folded.includes(word.text);
};
// A column of refunds shows `-120.00`. Some people write thousands with commas, and some write decimals after one.
const sum = (word: Word, folded: string): boolean => folded === plainFigure(word.text.replace(/^-/, ''));
// Numbers are amounts and cards. Somebody who looks for one does not mean every item with a number in its name.
const itemName = (word: Word, folded: string): boolean =>
  /\p{L}/u.test(word.text) && folded.includes(word.text);
// Screens show a card as `*4242`.
const card = (word: Word, folded: string): boolean => folded === word.text.replace(/^\*/, '');
const phone = (word: Word, folded: string): boolean => {
  const { digits } = word;
  if (digits === undefined) return folded === word.text;
  // A leading + means that the number begins there.
  if (word.text.startsWith('+')) return digits !== '' && digitsOf(folded).startsWith(digits);
  return digits.length >= shortestDigits && digitsOf(folded).includes(digits);
};

/** A folded text as it is typed by somebody who leaves out the apostrophe of `O'Connor`. */
export function withoutApostrophes(folded: string): string {
  return folded.replaceAll("'", '');
}

const wholeWord = (word: Word, folded: string): boolean => folded.split(/\s+/).includes(word.text);
// A phone number without its prefix is still the same number.
const wholePhone = ({ digits = '' }: Word, folded: string): boolean =>
  digits.length >= shortestPhone &&
  (digitsOf(folded) === digits || (digits.length >= 10 && digitsOf(folded).endsWith(digits)));

const finders = { part, whole, idPart, sum, itemName, card, phone } as const;
const wholeFinders = { ...finders, part: wholeWord, idPart: whole, itemName: wholeWord, phone: wholePhone };
/** How a field is compared with a word. */
export type TextKind = keyof typeof finders;

const thousands = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
const decimalComma = /^(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}$/;

/** The digits of an amount that has a sign of a currency or marks between thousands: `1235.03` for `$1,235.03` and `1.235,03`. */
export function plainFigure(typed: string): string {
  const text = typed.replace(/^\p{Sc}(?=\d)/u, '');
  if (thousands.test(text)) return text.replaceAll(',', '');
  return decimalComma.test(text) ? text.replaceAll('.', '').replace(',', '.') : text;
}

/**
 * How amounts are typed here, if one of these texts looks like an amount that is typed in another way: an order with this amount
 * may exist although none was found.
 */
export function amountHint(texts: readonly string[], style: AmountStyle): string | undefined {
  const typed = joined(texts)
    .flatMap((text) => amountWord(text)?.text ?? text.replace(insideAmount, '').split(/\s+/))
    .map((word) => plainFigure(word.replace(/^-/, '')))
    .find((word) => /^\d+(\.\d+)?$/.test(word));
  if (typed === undefined) return undefined;
  const [units = '', decimals] = typed.split('.');
  const examples = examplesOf(style).filter((one) => one.includes('.'));
  if (examples.length === 0)
    return decimals === undefined ? undefined : `amounts here have no decimals; ${wholeNumberWords(typed)}`;
  if (decimals !== undefined && declaresPlaces(decimals.length, style)) return undefined;
  const [example = ''] = examples;
  return `an amount is typed with its decimals here: ${units}${example.slice(example.indexOf('.'))}`;
}

// If several fields hold a word, the first one in this list is shown.
function orderTexts(order: JsonObject, style: AmountStyle): readonly OrderText[] {
  const buyer = (name: string): unknown => valueAt(order, ['customer_info', name]);
  const charges = itemsOf(order.charges);
  const amount: AmountTexts = (label, value) => amountTexts(label, value, order.currency, style);
  return [
    ...textOf('name', buyer('name'), 'part'),
    ...textOf('email', buyer('email'), 'part'),
    ...charges.flatMap(cardTexts),
    ...amount('amount', order.amount),
    ...textOf('currency', order.currency, 'whole'),
    ...textOf('phone', buyer('phone'), 'phone'),
    ...textOf('id', order.id, 'idPart'),
    ...charges.flatMap((charge) => chargeTexts(charge, amount)),
    ...textOf('customer', buyer('customer_id'), 'idPart'),
    ...textOf('phone', valueAt(order, ['shipping_contact', 'phone']), 'phone'),
    ...textOf('name', valueAt(order, ['shipping_contact', 'receiver']), 'part'),
    ...itemsOf(order.line_items).flatMap((item) => [
      ...textOf('item', item.name, 'itemName'),
      ...textOf('sku', item.sku, 'whole'),
    ]),
    ...metadataTexts(order.metadata),
  ];
}

function cardTexts(charge: JsonObject): readonly OrderText[] {
  const method = (name: string): unknown => valueAt(charge, ['payment_method', name]);
  return [
    ...textOf('card', method('last4'), 'card'),
    ...textOf('cardholder', method('name'), 'part'),
    ...textOf('auth', method('auth_code'), 'whole'),
    ...textOf('reference', charge.reference_id, 'part'),
    // A payment without a card may have a reference of its own (service: payment_source).
    ...textOf('reference', method('reference'), 'part'),
  ];
}

type AmountTexts = (label: string, value: unknown) => readonly OrderText[];

function chargeTexts(charge: JsonObject, amount: AmountTexts): readonly OrderText[] {
  return [
    ...amount('charge amount', charge.amount),
    ...textOf('charge', charge.id, 'idPart'),
    ...itemsOf(charge.refunds).flatMap((refund) => [
      ...textOf('refund', refund.id, 'idPart'),
      ...amount('refund amount', refund.amount),
    ]),
  ];
}

// The service's integer, and its decimals if they are declared. The service writes refund amounts as negative numbers
// (service: refund). People type them without the sign.
export function amountTexts(
  label: string,
  value: unknown,
  currency: unknown,
  style: AmountStyle,
): readonly OrderText[] {
  if (typeof value !== 'number' && typeof value !== 'bigint') return textOf(label, value, 'whole');
  const code = typeof currency === 'string' ? currency : undefined;
  const shown = scaled(value, code, { ...style, 'amounts.grouping': 'off' });
  return [String(value), shown].flatMap((text) => textOf(label, text?.replace('-', ''), 'sum'));
}

// Metadata may have any shape (service: order), so all its values are searched, however deep they are.
export function metadataTexts(metadata: unknown): readonly OrderText[] {
  const found: OrderText[] = [];
  const open: (readonly [string, unknown])[] = [['metadata', metadata]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [label, value] = next;
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value).toReversed()) open.push([`${label}.${key}`, inner]);
    else if (value !== true && value !== false) found.push(...textOf(label, value, 'part'));
  }
  return found;
}

/** A field with its value; none if the value is neither a text nor a number. */
export function textOf(label: string, value: unknown, kind: TextKind): readonly OrderText[] {
  if (typeof value === 'string' && value !== '') return [{ label, value, kind }];
  if (typeof value === 'number' || typeof value === 'bigint') return [{ label, value: String(value), kind }];
  return [];
}
