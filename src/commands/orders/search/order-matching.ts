/**
 * Finds the words of `orders find` in an order, whatever their case and accents. Pure; the time grows with the length of the
 * text.
 */

import { type AmountStyle, declaresPlaces, examplesOf } from '../../../amounts.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { aroundWord, bareReference, withoutAround } from '../../../api/resources.ts';
import { usage } from '../../../flags/flags.ts';
import { wholeNumberWords } from '../../../typed-amounts.ts';
import { fold } from './fold-text.ts';
import { type Match, type SearchableOrder, searchable, type TextKind } from './order-texts.ts';

/** Returns the fields that hold the words; undefined when a word is in no field. `style` says which decimals an amount has. */
export type Matcher = (order: JsonObject, style?: AmountStyle) => readonly Match[] | undefined;

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
// Screens put this space between thousands. Somebody who copies an amount copies the space too.
const insideAmount = /(?<=\d)[\u00a0\u202f](?=\d{3})/g;
// Somebody who types an amount types a plain space: `1 720.00`.
const spacedAmount = /^-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;

// What comes before the last digits of a card when somebody copies it: `****4242`, `xxxx4242`. A mask may also be a word of its
// own, as may the sign of a currency.
const cardMask = /^(?:[*•·]+|x{2,})(?=\d{4}$)/;
const onlyMask = /^(?:[*•·]+|\p{Sc})$/u;

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
    return [...new Map(matches.map((match) => [`${match.label} ${match.value}`, match])).values()];
  };
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

type Finders = Readonly<Record<TextKind, (word: Word, folded: string) => boolean>>;
const finders = { part, whole, idPart, sum, itemName, card, phone } as const satisfies Finders;
const wholeFinders: Finders = {
  ...finders,
  part: wholeWord,
  idPart: whole,
  itemName: wholeWord,
  phone: wholePhone,
};
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
