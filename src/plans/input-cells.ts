/**
 * Reads the cells of an input file: each becomes a value, or a sentence that says what is wrong and what to type. Nothing is
 * guessed. Pure; every pattern runs in linear time.
 */

import type { AmountStyle } from '../amounts.ts';
import { blankOrQuote, copiedId, withoutAround } from '../api/resources.ts';
import {
  chargeIdPattern,
  currencyPattern,
  parseAmount,
  type RefundReason,
  refundReasonValues,
} from '../api/spec.ts';
import { closestNames } from '../terminal/terminal.ts';
import { amountMistake, decimalForms, wholeNumberWords } from '../typed-amounts.ts';
import { anyWord, fullWord, type InputRow, type InputUse } from './plan-types.ts';

/** A cell's value, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

// The longest ref and note, in characters.
const refMost = 128;
const noteMost = 500;

/** A value in a problem: whole if short, in quotes if it has spaces at either end. */
export function shown(text: string): string {
  // Never cuts between the two halves of one character.
  const start = text.slice(0, shownMost).replace(/[\ud800-\udbff]$/, '');
  const cut = text.length > shownMost ? `${start}…` : text;
  return cut === cut.trim() && cut !== '' ? cut : `"${cut}"`;
}

const shownMost = 40;

/** Whether a cell is empty: blank, or a word that programs write instead. */
export function saysNothing(text: string): boolean {
  return emptyWords.has(text.trim().slice(0, 10).toUpperCase());
}

const emptyWords: ReadonlySet<string> = new Set([
  '',
  '-',
  '--',
  '–',
  '—',
  'NULL',
  '(NULL)',
  'NIL',
  'NONE',
  'N/A',
  'NA',
  '#N/A',
]);

/** Whether a cell is the title of a sum below the rows. */
export function isTotalTitle(text: string): boolean {
  return totalTitle.test(text.trim().slice(0, 40));
}

const totalTitle =
  /^(?:grand |sub-?)?(?:totale?s?|sum|suma|soma|summe|gesamt|gesamtsumme)(?: general| geral)?(?: [a-z]{3})?:?$/i;

type NamedOrder = Partial<Pick<InputRow, 'orderId' | 'reference' | 'isInId'>>;

/** `order_id`: the id, also in capitals, or the shop's own number, which has a digit and no `ord_` in it. */
export function readOrderId(text: string): Checked<NamedOrder> {
  const named = idIn(text);
  if (named !== undefined) return { value: named.orderId === undefined ? { ...named, isInId: true } : named };
  const reference = text.trim();
  return isReference(reference) && /\d/.test(reference) && !/ord_/i.test(reference)
    ? { value: { reference, isInId: true } }
    : {
        wrong: `order_id ${shown(text)}: neither an order's id such as ord_2tQ7zRk9PwE5xNvAm nor the shop's own number`,
      };
}

/** `reference`: the shop's own number; an id means itself in this column too. */
export function readReference(text: string): Checked<NamedOrder> {
  const reference = text.trim();
  return isReference(reference)
    ? { value: idIn(text) ?? { reference } }
    : {
        wrong: `reference ${shown(text)}: not the shop's own number: one line of at most 255 characters`,
      };
}

// An id in capitals is searched for like the shop's own number, since only the orders show how it is really written.
function idIn(text: string): NamedOrder | undefined {
  const orderId = copiedId('orders', text);
  if (orderId !== undefined) return { orderId };
  const folded = copiedId('orders', text.toLowerCase());
  return folded === undefined || folded.length < 12 ? undefined : { reference: folded };
}

function isReference(text: string): boolean {
  return oneLine.test(text) && text.length <= 255;
}

/** `charge_id`: a charge, its number, `*4242`, `full` or `any`. In a column of cards, only a card or one of these words. */
export function readCharge(text: string, areCards = false): Checked<string> {
  if (saysNothing(text))
    return {
      wrong: `${blankWords('charge_id', text)}: type the charge, or ${fullWord} for the whole order, or ${anyWord} if one card paid`,
    };
  return unquoted('charge_id', text, (charge) => {
    const word = [fullWord, anyWord].find((known) => known === charge.toLowerCase());
    const named = word ?? cardIn(charge, areCards);
    if (named !== undefined) return { value: named };
    // The leading zeros of a card may be gone, and what is left would be the number of another charge.
    if (areCards)
      return {
        wrong:
          'not a card: write its last four digits, such as *4242; the id or the number of a charge belongs in a column charge_id',
      };
    return chargeIdPattern.test(charge)
      ? { value: charge }
      : { wrong: `not a charge: its id, its number in orders show, *4242, ${fullWord} or ${anyWord}` };
  });
}

// `visa *4242`, `Visa 4242`, `**** 4242`, `XXXX4242`, `424242******4242`: each is read as *4242. Outside a column of cards, four
// digits alone may be a charge's id.
function cardIn(text: string, areCards: boolean): string | undefined {
  const [before, digits] = [text.slice(0, -4), text.slice(-4)];
  const isMarked = before === '' ? areCards : /[\s*•·…]$|[*x]-$|(^|\s)xx+$/i.test(before);
  return /^\d{4}$/.test(digits) && isMarked && cardFront.test(before) ? `*${digits}` : undefined;
}

// What may be before the last four digits: a brand in words, the first digits of the card, and signs that hide the others.
const cardFront = /^(\p{L}[\p{L} .]*(?=[*•·…]|$))?(\d{4}[ -]?\d{0,2}(?=[ *x•·…-]))?[ *x•·….-]*$/iu;

/** `amount` is a bigint only beyond 2^53-1: a service may show such an amount, but nobody can send it. */
interface ReadAmount {
  readonly amount: number | bigint | typeof fullWord;
  readonly decimals?: InputRow['decimals'];
  readonly currency?: string | undefined;
}

/**
 * `amount`: `full`, or a number in the service's units, or with decimals if the profile declares any; a number may have its
 * currency beside it. In a comparison of refunds it may have a minus sign, like a refund record.
 */
export function readAmount(text: string, use: InputUse, amounts: AmountStyle): Checked<ReadAmount> {
  if (saysNothing(text))
    return {
      wrong: `${blankWords('amount', text)}: type the amount, or ${fullWord} for the whole charge or order`,
    };
  return unquoted('amount', text, (cell) => {
    const [, before, behindIt, beforeIt, behind] = besideCurrency.exec(cell) ?? [];
    const currency = (before ?? behind)?.toUpperCase();
    const read = readNumber(behindIt ?? beforeIt ?? cell, use, amounts);
    if (currency === undefined) return read;
    if ('value' in read) return { value: { ...read.value, currency } };
    // The proposed amount keeps its currency; without it, the amount would be read in the currency of the order.
    return { wrong: /\d$/.test(read.wrong) ? `${read.wrong} ${currency}` : read.wrong };
  });
}

const besideCurrency =
  /^([A-Za-z]{3})[ \u00a0\u202f]?([^A-Za-z \u00a0\u202f].*)$|^(.*\d)[ \u00a0\u202f]?([A-Za-z]{3})$/;

function readNumber(cell: string, use: InputUse, amounts: AmountStyle): Checked<ReadAmount> {
  if (use === 'charges' && /^[-\u2212(]\d/.test(cell))
    return {
      wrong:
        'less than 0, and a list of charges has only what was paid; refunds compare reads what went back',
    };
  const typed = use === 'plan' ? cell : cell.replace(/^-(?=\d)/, '');
  const most = Object.values(amounts['amounts.decimals']).reduce((one, other) => Math.max(one, other), 0);
  if (most > 0 && /^[1-9]\d{0,2}(?:[.,'’ \u00a0\u202f]\d{3})+$/.test(typed)) {
    const example = `${typed.replaceAll(/\D/g, '')}.${'0'.repeat(most)}`;
    return { wrong: `can be read in two ways; type it with its decimals and no other mark: ${example}` };
  }
  const decimals = most > 0 ? readDecimals(typed) : undefined;
  const digits = decimals?.text.replace('.', '').replace(/^0+(?=.)/, '') ?? typed;
  const isLarge = /^[1-9]\d{15,30}$/.test(digits) && !Number.isSafeInteger(Number(digits));
  const amount = isLarge && use !== 'plan' ? BigInt(digits) : readAmountText(digits);
  return amount === undefined ? { wrong: whyNoAmount(digits, most) } : { value: { amount, decimals } };
}

// Reads an amount with decimals, and returns it with a decimal point and no other mark, as --amount takes it.
function readDecimals(text: string): InputRow['decimals'] {
  for (const form of decimalForms) {
    const [, whole, decimals] = form.exec(text) ?? [];
    if (whole === undefined || decimals === undefined) continue;
    const plain = `${whole.replaceAll(/\D/g, '')}.${decimals}`;
    return { text: plain, cell: text, places: decimals.length, currency: undefined };
  }
  return undefined;
}

/** `currency`, in capitals; a blank cell means none. */
export function readCurrency(text: string): Checked<string | undefined> {
  if (saysNothing(text)) return { value: undefined };
  return unquoted('currency', text, (typed) =>
    currencyPattern.test(typed)
      ? { value: typed.toUpperCase() }
      : { wrong: 'not a currency of three letters such as MXN; leave it blank if the order tells it' },
  );
}

/** Whether a title is that of the column with the currency of a planned row. */
export function isCurrencyTitle(title: string): boolean {
  return title.trim().toLowerCase() === 'currency';
}

/** The currency in a row, found by the titles of its file. */
export function currencyIn(titles: readonly string[], cells: readonly string[]): string | undefined {
  const typed = cells[titles.findIndex(isCurrencyTitle)] ?? '';
  const read = readCurrency(typed);
  return 'value' in read ? read.value : undefined;
}

/** `reason`; a blank cell means none. */
export function readReason(text: string): Checked<RefundReason | undefined> {
  if (text.trim() === '') return { value: undefined };
  return unquoted('reason', text, (typed) => {
    const value = refundReasonValues.find((known) => known === typed);
    if (value !== undefined) return { value };
    const [meant] = closestNames(typed, refundReasonValues);
    return {
      wrong:
        meant === undefined
          ? `not a reason: ${refundReasonValues.join(', ')}, or blank for none`
          : `not a reason; did you mean ${meant}?`,
    };
  });
}

/** `ref`; a blank cell means none. */
export function readRef(text: string): Checked<string> {
  if (text.trim() === '') return { value: '' };
  const ref = text.trim();
  return visible.test(ref) && ref === ref.normalize('NFC') && ref.length <= refMost
    ? { value: ref }
    : { wrong: `ref ${shown(text)}: not one line of at most ${refMost} visible characters` };
}

/** `note`; a blank cell means none. Spaces at either end are ignored. */
export function readNote(text: string): Checked<string | undefined> {
  const note = text.trim();
  if (note === '') return { value: undefined };
  return oneLine.test(note) && note.length <= noteMost
    ? { value: note }
    : { wrong: `note ${shown(note)}: not one line of at most ${noteMost} characters` };
}

/** `again`: ids of refunds that the row repeats. `? ID` asks for confirmation. */
export function readAgainCell(text: string): Checked<Pick<InputRow, 'again' | 'asks'>> {
  const [meant = '', asked] = text.split('?');
  const again = meant.split(/[\s,]+/).filter((name) => name !== '');
  const wrong = [...again, ...(asked === undefined ? [] : [asked.trim()])].find(
    (name) => !againName.test(name),
  );
  if (wrong === undefined) return { value: { again, asks: asked?.trim() } };
  return {
    wrong: `again ${shown(wrong)}: not the id of the refund that the row repeats; paydesk says which it is`,
  };
}

export function askAgain(cell: string, name: string): string {
  return `${cell.split('?')[0]?.trim() ?? ''} ? ${name}`.trim();
}

// A word such as `yes` names no refund.
const againName = /^(?=.*\d)[\w/-]{3,128}$/;

const oneLine = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
// No space but the ordinary one, and nothing invisible: two words that look the same must be the same.
const visible = /^(?:[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]| )+$/u;

// Reads the cell without surrounding blanks and quotes. Brackets stay: in a spreadsheet (120) is -120.
function unquoted<T>(column: string, text: string, read: (typed: string) => Checked<T>): Checked<T> {
  const typed = withoutAround(text, blankOrQuote);
  // The errors file has a row with broken quotes split as well as possible, so a cell there may have a single quote.
  const cell = text.split('"').length % 2 === 0 ? { wrong: 'it has a single quote (")' } : read(typed);
  return 'wrong' in cell ? { wrong: `${column} ${shown(text)}: ${cell.wrong}` } : cell;
}

function blankWords(column: string, text: string): string {
  return text.trim() === '' ? `${column} is blank` : `${column} ${shown(text)} says nothing`;
}

/** The amount, or `full`; undefined for any other text. */
function readAmountText(text: string): number | typeof fullWord | undefined {
  return text.toLowerCase() === fullWord ? fullWord : parseAmount(text);
}

/**
 * Why a text is not an amount, and what to type. Never guesses a decimal point: the unit is unknown. `places`: the most decimals that
 * the profile declares.
 */
function whyNoAmount(text: string, places: number): string {
  const mistake = amountMistake(text, `type ${fullWord} for the whole charge or order`);
  if (mistake !== undefined || !/^[\d.,]+$/.test(text)) return mistake ?? wholeNumber;
  return places === 0
    ? noDecimals(text)
    : `its points and commas part neither thousands nor decimals; type it with its decimals and no other mark, such as 1250.${'0'.repeat(places)}`;
}

const wholeNumber = `not a whole number such as 23000, nor ${fullWord}`;

function noDecimals(text: string): string {
  const words = wholeNumberWords(text);
  return words.includes('marks')
    ? words
    : `the profile declares no decimals (amounts.decimals.CUR); ${words}`;
}
