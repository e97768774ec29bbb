/**
 * Reads an amount of an input file: a whole number of the service's units, or `full`. For everything else it says what to
 * type. Pure.
 */

import { parseAmount } from '../api/spec.ts';
import { fullWord } from './plan-types.ts';

/** The amount, or `full`; undefined for any other text. */
export function readAmountText(text: string): number | typeof fullWord | undefined {
  return text === fullWord ? fullWord : parseAmount(text);
}

/** Says why a text is not an amount, and what to type. It never guesses a decimal point: the unit is not known. */
export function amountProblem(text: string): string {
  return mistakes.find(({ is }) => is.test(text))?.words(text) ?? wholeNumber;
}

const wholeNumber = `not a whole number such as 23000, nor ${fullWord}`;
const noDecimals = 'an amount has no decimals; type the whole number as the service shows it, such as 23000';

// The first that fits says what to type. A number that is named has the same digits as the text.
const mistakes: readonly { readonly is: RegExp; readonly words: (text: string) => string }[] = [
  {
    is: /^(?:full|all|whole|total|everything|max|100 ?%)$/i,
    words: () => `type ${fullWord} for the whole charge or order`,
  },
  { is: /^0+$/, words: () => 'nothing would go back; type an amount of 1 or more, or delete the row' },
  { is: /^0\d+$/, words: (text) => `type it without zeros in front${instead(text.replace(/^0+/, ''))}` },
  { is: /^\d+$/, words: () => `more than paydesk can send, which is ${Number.MAX_SAFE_INTEGER}` },
  { is: /^[+\-\u2212]/, words: (text) => `type it without a sign${instead(text.slice(1))}` },
  {
    is: /^\d[\d.,]*E\+?\d+$/i,
    words: () => 'a spreadsheet or program shortened it; type all its digits, such as 23000',
  },
  {
    is: /^\d{1,3}(?:[,_'’ \u00a0\u202f]\d{3})+$/,
    words: (text) => `type it without marks between the digits${instead(text.replaceAll(/\D/g, ''))}`,
  },
  { is: /^\d+[.,]\d*$|^[\d.,]+$/, words: () => noDecimals },
  { is: /^[\d_'’ \u00a0\u202f]+$/, words: () => 'type it without marks between the digits' },
  {
    is: /^(?:\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\$) ?\d|\d ?(?:\p{Sc}|[A-Z]{3})$/iu,
    words: (text) => `type it without a currency${instead(text.replaceAll(/\p{Sc}|[A-Z ]/giu, ''))}`,
  },
  {
    is: /\p{Nd}/u,
    words: (text) => (/[0-9]/.test(text) ? wholeNumber : 'type it with the digits 0 to 9, such as 23000'),
  },
];

function instead(text: string): string {
  return parseAmount(text) === undefined ? '' : `: ${text}`;
}
