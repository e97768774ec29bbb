/**
 * Reads an amount that somebody typed, and says what is wrong with it or what else it may mean. Pure. As in amounts.ts, digits
 * are moved in a text, and nothing is rounded.
 */

import { type AmountStyle, countOfPlaces, digits, placesOf, scaled } from './amounts.ts';
import { parseAmount } from './api/spec.ts';

/** An amount as somebody typed it. */
export interface TypedAmount {
  readonly text: string;
  /** The digits as one whole number: 23000 for `23000` and for `230.00`. It is what is sent. */
  readonly amount: number;
  /** How many decimals were typed; undefined without a point. */
  readonly places: number | undefined;
  /** The currency that was typed behind it. */
  readonly currency: string | undefined;
  /** What was typed, if it has a comma: then the rest is only what it may mean, and `checkDecimals` refuses it. */
  readonly withComma?: string;
}

// `23000`, `23 000`, `230.00`, each also with a currency behind it. A comma is refused, because it means decimals in one country
// and thousands in another.
const typed =
  /^(0|[1-9]\d{0,15}|[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3}){1,5})(?:\.(\d{1,6}))?(?:[ \u00a0\u202f]?([A-Za-z]{3}))?$/;

/** Reads an amount that somebody typed; undefined if the text is no amount, or 0, or above 2^53-1. */
export function readAmount(text: string): TypedAmount | undefined {
  const [, whole = '', decimals, currency] = typed.exec(text.trim()) ?? [];
  const figures = `${whole}${decimals ?? ''}`.replace(/[^\d]/g, '').replace(/^0+(?=\d)/, '');
  const amount = parseAmount(figures);
  return amount === undefined
    ? undefined
    : { text: text.trim(), amount, places: decimals?.length, currency: currency?.toUpperCase() };
}

/**
 * What is wrong with a text that is not an amount, and what to type: a whole number with the same digits, where it is certain.
 * Undefined if paydesk knows no such mistake. `whole`: what to say to somebody who typed a word for the whole amount.
 */
export function amountMistake(text: string, whole: string): string | undefined {
  if (allWords.test(text)) return whole;
  return mistakes.find(({ is }) => is.test(text))?.words(text);
}

// paydesk takes none of these words for the whole amount: in English, `todo` is what nobody has decided yet.
const allWords =
  /^(?:all|full|whole|total|everything|max|100 ?%|todo|complet[oa]|enter[oa]|alles|ganz|gesamt|tout|entier)$/i;

// The first match says what to type.
const mistakes: readonly { readonly is: RegExp; readonly words: (text: string) => string }[] = [
  { is: /^0+(?:[.,]0*)?$/, words: () => 'zero is no amount; type one above 0' },
  { is: /^0\d+$/, words: (text) => `type it without zeros in front${instead(text.replace(/^0+/, ''))}` },
  { is: /^\d[\d \u00a0\u202f]{15,}$/, words: () => `the largest is ${Number.MAX_SAFE_INTEGER}` },
  { is: /^[+\-\u2212\u2013\u2014]/, words: (text) => `type it without a sign${instead(text.slice(1))}` },
  { is: /%$/, words: () => 'a percentage is no amount; type how much it is' },
  {
    is: /^\d[\d.,]*E\+?\d+$/i,
    words: () => 'a spreadsheet or program shortened it; type all its digits, such as 23000',
  },
  {
    is: /^\d{1,3}(?:[,_'’ \u00a0\u202f]\d{3})+$/,
    words: (text) => `type it without marks between the digits${instead(text.replaceAll(/\D/g, ''))}`,
  },
  { is: /^\d[\d_'’ \u00a0\u202f]*$/, words: () => 'type it without marks between the digits' },
  {
    is: /^(?:\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\$) ?\d|\d ?(?:\p{Sc}|[A-Z]{3})$/iu,
    words: (text) => {
      const [, code = '', figures = ''] = /^([A-Z]{3}) ?(\d.*)$/i.exec(text) ?? [];
      const behind = `${figures} ${code.toUpperCase()}`;
      if (readAmount(behind) !== undefined)
        return `type it with the currency in three letters behind it: ${behind}`;
      // A comma or a point may mean decimals, so only whole numbers are an example, and commas before three digits each.
      const [found = '100'] = /(?<![\d.,])(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?![\d.,])/.exec(text) ?? [];
      const example = found.replaceAll(',', '');
      return `type it with the currency in three letters behind it, in the unit of the order's amount, such as ${example} MXN or ${example} USD`;
    },
  },
  {
    is: /^(?!.*[0-9]).*\p{Nd}/u,
    words: () => 'type it with the digits 0 to 9, such as 23000',
  },
];

/** Digits, with or without marks between thousands, then a decimal sign and decimals: `520,00`, `1.520,00`, `1,520.00`, `1'520.00`. */
export const decimalForms: readonly RegExp[] = [
  /^(\d+)[.,](\d{1,6})$/,
  /^([1-9]\d{0,2}(?:\.\d{3})+),(\d{1,6})$/,
  /^([1-9]\d{0,2}(?:,\d{3})+)\.(\d{1,6})$/,
  /^([1-9]\d{0,2}(?:['’ \u00a0\u202f]\d{3})+)[.,](\d{1,6})$/,
];

const pointsBetween = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

/**
 * What to type for an amount with decimals, or with points between thousands, where no decimals are declared: each whole number that
 * it may mean. Which one it is depends on the unit, which nobody has declared, so none is taken.
 */
export function wholeNumberWords(text: string): string {
  const [, figures = '', code = ''] = /^(.*?\d)(?:[ \u00a0\u202f]?([A-Za-z]{3}))?$/.exec(text.trim()) ?? [];
  const currency = code === '' ? '' : ` ${code.toUpperCase()}`;
  if (pointsBetween.test(figures))
    return `type it without marks between the digits: ${figures.replaceAll('.', '')}${currency}`;
  for (const form of decimalForms) {
    const [, whole, decimals = ''] = form.exec(figures) ?? [];
    if (whole === undefined || decimals.length > 2) continue;
    const units = whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '');
    const hundredths = `${units}${decimals.padEnd(2, '0')}`.replace(/^0+(?=\d)/, '');
    const other = /^0+$/.test(decimals) && units !== '0' ? `, if not ${units}${currency}` : '';
    return `type the service's whole number: if it counts hundredths ${hundredths}${currency}${other}`;
  }
  return "type a whole number, in the service's units";
}

function instead(text: string): string {
  return parseAmount(text) === undefined ? '' : `: ${text}`;
}

/**
 * The same amount with each number of decimals that the profile declares: `230.00` for `230.0`. A number of decimals that would
 * lose a digit other than zero is left out. If no point was typed, only an amount with a comma has any: `1000.00` for `1,000`.
 */
export function fullDecimals(
  { text, places, withComma }: TypedAmount,
  { 'amounts.decimals': declared }: AmountStyle,
): readonly string[] {
  const all = [...new Set(Object.values(declared))];
  if (places !== undefined) return all.flatMap((wanted) => withDecimals(text, wanted) ?? []);
  if (withComma === undefined) return [];
  const one = text.replace(/^\d+/, '$&.0');
  return all.length === 0 ? [text] : all.map((wanted) => withDecimals(one, wanted) ?? text);
}

/**
 * The two ways to read `5.000` and `5,000`: five, or five thousand as some countries write it; for each number of decimals that is
 * `declared`. Empty for a text that can be read in one way only.
 */
export function decimalsOrThousands(
  { text, withComma = text }: Pick<TypedAmount, 'text' | 'withComma'>,
  declared: readonly number[],
): readonly string[] {
  const [, whole = '', three = '', rest = ''] =
    /^([1-9]\d{0,2})[.,](\d{3})([^\d.,].*)?$/.exec(withComma) ?? [];
  return [...new Set(declared)].flatMap((places) => {
    const one = withDecimals(`${whole}.${three}${rest}`, places);
    return one === undefined ? [] : [one, `${whole}${three}.${'0'.repeat(places)}${rest}`];
  });
}

// Undefined if the text has more decimals, and they are not zeros.
function withDecimals(text: string, places: number): string | undefined {
  const [, whole, decimals = '', rest = ''] = /^([^.]*)\.(\d+)(.*)$/.exec(text) ?? [];
  if (whole === undefined || places === 0 || /[^0]/.test(decimals.slice(places))) return undefined;
  return `${whole}.${decimals.slice(0, places).padEnd(places, '0')}${rest}`;
}

/**
 * What is wrong with a typed amount for this currency: another currency, or decimals that the profile does not declare.
 * Undefined if it fits.
 */
export function amountProblem(
  typed: Pick<TypedAmount, 'text' | 'places' | 'currency'>,
  currency: string | undefined,
  style: AmountStyle,
): string | undefined {
  const { text, places, currency: named } = typed;
  if (named !== undefined && named !== currency?.toUpperCase())
    return currency === undefined ? 'the order does not show its currency' : `the order is in ${currency}`;
  if (places === undefined) return undefined;
  const declared = placesOf(currency, style);
  if (declared === places) return undefined;
  const code = currency ?? 'this currency';
  if (declared === undefined)
    return `the profile declares no decimals for ${code}; ${wholeNumberWords(text)}`;
  if (declared === 0) return `${code} has no decimals; type a whole number`;
  const ways = decimalsOrThousands(typed, [declared]);
  const wanted =
    ways.length > 0
      ? ways.join(' or ')
      : (withDecimals(text, declared) ?? `them like this: 1.${'0'.repeat(declared)}`);
  return `${code} has ${countOfPlaces(declared)}; type ${wanted}`;
}

/**
 * Warns that a whole number is in the service's units, where people may have meant decimals; undefined if nobody can confuse the
 * two. The next question takes no other amount, so the warning says what to run instead: `instead` makes the command for the
 * amount that may be meant.
 */
export function unitsWarning(
  typed: TypedAmount,
  currency: string | undefined,
  style: AmountStyle,
  instead?: (amount: string) => string,
): string | undefined {
  const ways = bothWays(typed, currency, style);
  if (ways === undefined) return undefined;
  const { is, meant } = ways;
  const plain = bothWays(typed, currency, { ...style, 'amounts.grouping': 'off' })?.meant ?? meant;
  const run = instead === undefined ? `run it again with ${plain}` : `run: ${instead(plain)}`;
  return `${typed.text} is in the service's units: ${is} ${currency}. If you mean ${meant} ${currency}, send nothing (press Enter) and ${run}`;
}

/** The same warning for a bound that is compared with orders of every currency: one warning per declared number of decimals. */
export function boundWarnings(name: string, typed: TypedAmount, style: AmountStyle): readonly string[] {
  const { currency } = typed;
  const all = currency === undefined ? Object.keys(style['amounts.decimals']) : [currency];
  const codes = all.filter((code) => bothWays(typed, code, style) !== undefined);
  return [...Map.groupBy(codes, (code) => placesOf(code, style)).values()].map((alike) => {
    const { is = '', meant = '' } = bothWays(typed, alike[0], style) ?? {};
    // A shell would make two words of an amount with spaces.
    const plain = bothWays(typed, alike[0], { ...style, 'amounts.grouping': 'off' })?.meant ?? meant;
    return `${name} ${typed.text} is ${is} ${alike.join(' or ')}; for ${meant} type ${plain}`;
  });
}

/**
 * The two ways to read a whole number of a currency with decimals: what it `is` in the service's units, and what somebody may
 * have `meant`. 100 is 1.00 where two decimals are declared, and 100.00 may be meant. Undefined if there is only one way.
 */
export function bothWays(
  { amount, places }: Pick<TypedAmount, 'amount' | 'places'>,
  currency: string | undefined,
  style: AmountStyle,
): { readonly is: string; readonly meant: string } | undefined {
  const declared = placesOf(currency, style) ?? 0;
  const is = scaled(amount, currency, style);
  if (places !== undefined || declared === 0 || is === undefined) return undefined;
  return { is, meant: `${digits(amount, style)}.${'0'.repeat(declared)}` };
}
