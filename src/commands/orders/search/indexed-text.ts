/**
 * The texts of an order as the index keeps them: one line of fields, each without case and accents and with a letter that says
 * what it is. Pure.
 */

import { type AmountStyle, plainAmounts } from '../../../amounts.ts';
import { itemsOf, type JsonObject, valueAt } from '../../../api/json-values.ts';
import type { ReadOrder, WantedTexts } from '../../../index/index.ts';
import { purchaseOf } from '../../../orders/orders.ts';
import type { Settings } from '../../../profiles/profiles.ts';
import { fold } from './fold-text.ts';
import type { BuyerNames } from './near-buyers.ts';
import { createSearch, needlesOf, withoutApostrophes } from './order-matching.ts';
import { amountTexts, type SearchableOrder, searchable, type TextKind } from './order-texts.ts';

/** What a letter stands for. */
interface Letter {
  readonly kind: TextKind | 'only-needle';
  /** The setting that decides whether it is kept; absent: it always is. */
  readonly field?: Settings['index.fields'][number];
}

const letters: Readonly<Record<string, Letter>> = {
  $: { kind: 'whole' },
  n: { kind: 'part', field: 'name' },
  e: { kind: 'part', field: 'email' },
  t: { kind: 'phone', field: 'phone' },
  // The digits of a phone number that is written with spaces.
  d: { kind: 'only-needle', field: 'phone' },
  c: { kind: 'card', field: 'card' },
  u: { kind: 'whole', field: 'auth' },
  r: { kind: 'part', field: 'reference' },
  i: { kind: 'itemName', field: 'item' },
  s: { kind: 'whole', field: 'item' },
  m: { kind: 'part', field: 'metadata' },
  k: { kind: 'idPart' },
  h: { kind: 'idPart' },
  f: { kind: 'idPart' },
  a: { kind: 'sum' },
  w: { kind: 'whole' },
  // The customer of a charge, for `--customer`.
  x: { kind: 'only-needle' },
};

const letterOf: Readonly<Record<string, string>> = {
  name: 'n',
  cardholder: 'n',
  email: 'e',
  phone: 't',
  card: 'c',
  auth: 'u',
  reference: 'r',
  item: 'i',
  sku: 's',
  customer: 'k',
  charge: 'h',
  refund: 'f',
  amount: 'a',
  'charge amount': 'a',
  'refund amount': 'a',
};

/** The order as the index takes it. `kept`: the kinds of fields that may be in its text. */
export function indexedOrder(id: string, order: JsonObject, kept: readonly string[]): ReadOrder {
  return { id, order, text: textOf(order, kept), purchase: purchaseOf(order), buyer: buyerNames(order) };
}

function textOf(order: JsonObject, kept: readonly string[]): string {
  const lines = new Set<string>();
  let currency = '';
  for (const { label, kind, folded } of searchable(order)) {
    if (label === 'id') continue;
    if (label === 'currency') {
      currency = oneLine(folded);
      continue;
    }
    // An amount or an id that is no number or text of its kind is compared as a whole.
    const isOdd = kind === 'whole' && label !== 'auth' && label !== 'sku';
    const letter = isOdd ? 'w' : (letterOf[label] ?? 'm');
    if (!mayKeep(letter, kept)) continue;
    lines.add(letter + oneLine(folded));
    // Also without the apostrophe of O'Connor, which few people type.
    if (kind === 'part') lines.add(letter + oneLine(withoutApostrophes(folded)));
    const digits = letter === 't' ? folded.replace(/\D+/g, '') : '';
    if (!folded.includes(digits)) lines.add(`d${digits}`);
  }
  const buyer = valueAt(order, ['customer_info', 'customer_id']);
  for (const { customer_id: id } of itemsOf(order.charges))
    if (typeof id === 'string' && id !== '' && id !== buyer) lines.add(`x${oneLine(fold(id))}`);
  return [`$${currency}`, ...lines].join('\t');
}

function mayKeep(line: string, kept: readonly string[]): boolean {
  const field = letters[line[0] ?? '']?.field;
  return field === undefined || kept.includes(field);
}

/** The text without the fields that are no longer kept. */
export function reducedText(text: string, kept: readonly string[]): string {
  return text
    .split('\t')
    .filter((line) => mayKeep(line, kept))
    .join('\t');
}

/** The orders of the index that have all these words. An order whose texts were forgotten has none. */
export function wantedOrders(texts: readonly string[], style: AmountStyle): WantedTexts {
  const find = createSearch(texts);
  return {
    groups: needlesOf(texts),
    accepts: (text, id) => text !== '' && find(fieldsOfText(text, id, style)) !== undefined,
  };
}

// The fields of an order in the index, for a search. Amounts are also there with the decimals of `style`.
function fieldsOfText(text: string, id: string, style: AmountStyle): SearchableOrder {
  const [first = '$', ...lines] = text.split('\t');
  const currency = first.slice(1);
  const plain = (label: string, kind: TextKind, folded: string) => ({ label, kind, value: folded, folded });
  const fields = lines.flatMap((line): SearchableOrder => {
    const letter = line[0] ?? '';
    const { kind } = letters[letter] ?? {};
    const folded = line.slice(1);
    if (kind === undefined || kind === 'only-needle') return [];
    if (kind !== 'sum') return [plain(letter, kind, folded)];
    const amount = numberOf(folded);
    return amountTexts(letter, amount, currency, style).map(({ value }) => plain(letter, kind, value));
  });
  return [
    plain('id', 'idPart', fold(id)),
    ...(currency === '' ? [] : [plain('$', 'whole', currency)]),
    ...fields,
  ];
}

function numberOf(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^\d+$/.test(text) ? value : BigInt(text);
}

/** The fields of an order in the index that say who the buyer is. */
export function buyerFieldsOfText(text: string): SearchableOrder {
  return fieldsOfText(text, '', plainAmounts).filter(({ label }) => ['n', 'e', 't', 'k'].includes(label));
}

/** The names by which a buyer can be forgotten: customer id and e-mail. Several people may have one phone number. */
function buyerNames(order: JsonObject): readonly string[] {
  const named = (what: string, name: string): readonly string[] => {
    const value = valueAt(order, ['customer_info', name]);
    return typeof value === 'string' && value !== '' ? [`${what} ${oneLine(fold(value))}`] : [];
  };
  return [...named('customer', 'customer_id'), ...named('email', 'email')];
}

/** The same names, from the text in the index. */
export function buyerNamesOfText(text: string): readonly string[] {
  return text
    .split('\t')
    .flatMap((line) =>
      line[0] === 'k' ? [`customer ${line.slice(1)}`] : line[0] === 'e' ? [`email ${line.slice(1)}`] : [],
    );
}

/** The buyer of a text, as far as the text has names. */
export function buyerNamesIn(text: string): BuyerNames {
  return { name: firstOf(text, 'n'), email: firstOf(text, 'e'), amount: firstOf(text, 'a') };
}

function firstOf(text: string, letter: string): string | undefined {
  return text
    .split('\t')
    .find((line) => line[0] === letter)
    ?.slice(1);
}

/** The buyer of a text in words: `ana torres (ana@example.com)`. */
export function buyerOfText(text: string): string {
  const first = (letter: string) => firstOf(text, letter);
  const [name, reached] = [first('n'), first('e') ?? first('k') ?? first('t')];
  if (name === undefined || reached === undefined) return name ?? reached ?? 'without a name';
  return `${name} (${reached})`;
}

// Any white space becomes one space: words are compared, and no word contains white space.
function oneLine(folded: string): string {
  return folded.replace(/\s+/g, ' ');
}
