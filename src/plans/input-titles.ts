/** The first line of an input file: its delimiter, the columns that paydesk understands, and problems with the titles. Pure. */

import { orderIdPattern, refundReasonValues } from '../api/spec.ts';
import { closestNames, isTypedLike, withoutFormulaSafety } from '../terminal/terminal.ts';
import type { CsvRow } from './csv-rows.ts';
import { shown } from './input-cells.ts';
import {
  type Delimiter,
  delimiters,
  type InputColumn,
  type InputFile,
  type InputHow,
  type InputProblem,
  type InputUse,
  inputColumns,
} from './plan-types.ts';
import {
  chargesTitles,
  chosenBy,
  comparedTitles,
  currencyOfTitle,
  isCardTitle,
  moneyWords,
  orderTitle,
  planTitles,
  referenceTitle,
  referenceWords,
  refundTitle,
  refundWords,
} from './title-words.ts';

export interface InputTitles extends Pick<InputFile, 'columns' | 'unread' | 'readAs' | 'problems'> {
  /** How many columns in front are paydesk's: `line` and `error` of an errors file. */
  readonly added: number;
  /** A column's position in `columns`. */
  readonly places: ReadonlyMap<InputColumn, number>;
  /** The currency in the title of the amounts (`Amount (MXN)`), in capitals; a plan reads none there. */
  readonly currency?: string | undefined;
  /** The charges are cards: `visa *4242`. */
  readonly areCards?: boolean | undefined;
  /** The columns that name the charge as well, and are not read: their places. */
  readonly otherCharges?: readonly number[] | undefined;
  /** Each column is clear, though some have to be renamed. */
  readonly isClear: boolean;
}

/** The two columns in front of an errors file. They are not read back. */
export const addedColumns = ['line', 'error'] as const;

/** The columns that may name what a row is about. A plan takes no authorization code, since it moves money. */
export const rowNames: Readonly<Record<InputUse, readonly InputColumn[]>> = {
  plan: ['order_id', 'reference'],
  compare: ['order_id', 'reference', 'auth_code'],
  charges: ['order_id', 'reference', 'charge_id', 'auth_code'],
};

/** The columns with a meaning in this use of the file. */
function columnsFor(use: InputUse): readonly InputColumn[] {
  if (use === 'plan') return inputColumns;
  return [...rowNames[use], 'amount', ...(use === 'compare' ? (['charge_id', 'ref'] as const) : [])];
}

/** The delimiter that gives the first line the most known titles, or else the most titles. */
export function delimiterOf(bytes: Uint8Array): Delimiter {
  const line = firstLine(bytes);
  const scores = delimiters.map((delimiter) => {
    const titles = line.split(delimiter);
    const known = titles.filter((title) => isKnown(plain(title.trim().replace(/^"(.*)"$/s, '$1'))));
    return { delimiter, known: known.length, all: titles.length };
  });
  const [best] = scores.toSorted((a, b) => b.known - a.known || b.all - a.all);
  return best?.delimiter ?? ',';
}

/** Finds the known columns and every problem with the titles. */
export function readTitles(
  { cells, line, broken }: CsvRow,
  rows: readonly CsvRow[],
  { for: use, referenceKeys = [] }: Pick<InputHow, 'for' | 'referenceKeys'>,
): InputTitles {
  const unusable = unusableWords(cells, broken);
  if (unusable !== undefined) {
    const problems = [{ line, column: undefined, words: unusable }];
    return { columns: [], added: 0, places: new Map(), unread: [], readAs: [], problems, isClear: false };
  }
  const added = addedColumns.every((title, index) => plain(cells[index] ?? '') === title)
    ? addedColumns.length
    : 0;
  const columns = added === 0 ? cells : cells.slice(added).map(withoutFormulaSafety);
  const typed = columns.map(plain);
  const cellsOf = (index: number) => rows.map(({ cells: row }) => row[index + added] ?? '');
  const titles = asMeant(withReference(typed, referenceKeys), use, cellsOf);
  const found = columnsFor(use).filter((column) => titles.includes(column));
  const misses = nearMisses(titles, found, use);
  const problem = (words: string, column?: string): InputProblem => ({ line, column, words });
  const places = new Map<InputColumn, number>([
    ...found.map((column) => [column, titles.indexOf(column)] as const),
    // So that one round tells what is wrong with the title and with the cells below it.
    ...misses.map(({ index, meant }) => [meant, index] as const),
    // It is also kept as the person's own column, as plans do.
    ...(titles.includes('currency') ? [['currency', titles.indexOf('currency')] as const] : []),
    ...(use === 'compare' ? refundIdAt(titles) : []),
    ...(use === 'charges' ? chargeIdAt(titles) : []),
  ]);
  const currency = use === 'plan' ? undefined : currencyOfTitle(columns[places.get('amount') ?? -1]);
  const read = new Set(places.values());
  const unread = titles.flatMap((title, index) => (title === '' || read.has(index) ? [] : [index]));
  const hasAmount = found.includes('amount') || misses.some(({ meant }) => meant === 'amount');
  const isOther = (index: number) => !isKnown(titles[index] ?? '') && !isRowNumbers(cellsOf(index));
  const others = use === 'plan' || hasAmount ? [] : unread.filter(isOther);
  const money = others.filter((index) => moneyWords.test(titles[index] ?? ''));
  const doubtful = money.length > 0 ? money : others;
  const problems = [
    ...repeated(titles).map((index) =>
      problem(`two columns have the title ${shown(columns[index] ?? '')}: give each its own`, columns[index]),
    ),
    ...misses.map(({ index, meant }) =>
      problem(
        `paydesk does not know the column ${shown(columns[index] ?? '')}: write ${meant}, or give it another name if it is not meant`,
        columns[index],
      ),
    ),
    // Without its column, `*4242` would not choose the card, and another one, or all of them, would be refunded.
    ...unread
      .filter((index) => use === 'plan' && !places.has('charge_id') && hasMost(rows, index + added, cardForm))
      .map((index) =>
        problem(
          `${shown(columns[index] ?? '')} looks like the card of each refund: write charge_id above it, or delete it if any card will do`,
          columns[index],
        ),
      ),
    ...doubtful.flatMap((index) => {
      const isMoney = money.length > 0 || hasMost(rows, index + added, numberForm);
      if (!isMoney && (use === 'compare' || hasMost(rows, index + added, dateForm))) return [];
      const words = `there is no column amount, and ${shown(columns[index] ?? '')} ${isMoney ? 'looks like one' : 'is not read'}: write amount above the money, or delete what is not to be compared`;
      return [problem(words, columns[index])];
    }),
    ...missing(titles, [...found, ...misses.map(({ meant }) => meant)], use).map((words) => problem(words)),
  ];
  return {
    columns,
    added,
    places,
    currency,
    areCards: isCardTitle(typed[places.get('charge_id') ?? -1] ?? '', use),
    otherCharges:
      use === 'plan' ? unread.filter((index) => chosenBy(typed[index] ?? '') === 'charge_id') : [],
    unread: unread.map((index) => shown(columns[index] ?? '')),
    readAs: titles.flatMap((column, index) =>
      column === typed[index]
        ? []
        : [
            {
              title: shown(columns[index] ?? ''),
              column: column === 'amount' && currency !== undefined ? `${column} in ${currency}` : column,
            },
          ],
    ),
    problems,
    isClear: problems.length === misses.length,
  };
}

// The shop's own number may be under its metadata name, if no other column names the order.
function withReference(titles: readonly string[], keys: readonly string[]): readonly string[] {
  const key = titles.some(isOrder) ? undefined : keys.map(plain).find((one) => titles.includes(one));
  const place = key === undefined ? -1 : titles.indexOf(key);
  return titles.map((title, index) => (index === place ? 'reference' : title));
}

const titlesOf = { plan: planTitles, compare: comparedTitles, charges: chargesTitles } as const;

// The columns may have plain titles, if each can be just one column. `id` above orders' ids: a list or an export of orders, and a plan,
// which moves money, is not made of all their amounts.
function asMeant(
  titles: readonly string[],
  use: InputUse,
  cellsOf: (index: number) => readonly string[],
): readonly string[] {
  const isOrderId = (cell: string): boolean => orderIdPattern.test(cell.trim());
  const place = (isOne: (title: string, index: number) => boolean): number | undefined => {
    const [first, ...more] = titles.flatMap((title, index) => (isOne(title, index) ? [index] : []));
    return more.length === 0 ? first : undefined;
  };
  const named = titles.includes('order_id') ? undefined : titles.indexOf('reference');
  const ofOrder = (form: RegExp) => place((title) => form.test(title));
  const plainOrder = named === -1 ? (ofOrder(orderTitle) ?? ofOrder(referenceTitle)) : undefined;
  const order =
    use === 'plan'
      ? plainOrder
      : (place((title, index) => title === 'id' && named !== undefined && cellsOf(index).some(isOrderId)) ??
        plainOrder ??
        named);
  const meant = new Map(
    Object.entries(titlesOf[use]).flatMap(([column, form]) => {
      const index = titles.includes(column) ? undefined : place((title) => form.test(title));
      return index === undefined ? [] : [[index, column] as const];
    }),
  );
  const filledIn = (index: number) => cellsOf(index).filter((cell) => cell.trim() !== '');
  const card = place((title) => isCardTitle(title, use));
  if (card !== undefined && ![...titles, ...meant.values()].includes('charge_id'))
    meant.set(card, 'charge_id');
  for (const [index, column] of meant) {
    const filled = filledIn(index);
    if (refundTitle.test(titles[index] ?? '') && !filled.every((cell) => amountForm.test(cell.trim())))
      meant.delete(index);
    const isOne = (cell: string) => refundReasonValues.some((reason) => isTypedLike(cell.trim(), reason));
    if (column !== 'reason' || filled.length === 0 || filled.some(isOne)) continue;
    // Why, in words of one's own, is a note.
    meant.delete(index);
    if (![...titles, ...meant.values()].includes('note')) meant.set(index, 'note');
  }
  return titles.map((title, index) => {
    if (index === order) return cellsOf(index).some(isOrderId) ? 'order_id' : 'reference';
    return meant.get(index) ?? title;
  });
}

// The column with each row's refund: in paydesk's own lists and exports of refunds, `id` is the refund, and `state` says what became of it.
function refundIdAt(titles: readonly string[]): readonly (readonly [InputColumn, number])[] {
  const isOwn = ['id', 'order_id', 'charge_id', 'amount', 'refunded_at'].every((title) =>
    titles.includes(title),
  );
  const at = titles.indexOf(isOwn ? 'id' : 'refund_id');
  const state = isOwn ? titles.indexOf('state') : -1;
  return [
    ...(at === -1 ? [] : [['refund_id', at] as const]),
    ...(state === -1 ? [] : [['state', state] as const]),
  ];
}

// The same for charges: in an export of charges, `id` is the charge.
function chargeIdAt(titles: readonly string[]): readonly (readonly [InputColumn, number])[] {
  const isOwn = ['id', 'order_id', 'amount', 'paid_at'].every((title) => titles.includes(title));
  return isOwn && !titles.includes('charge_id') ? [['charge_id', titles.indexOf('id')]] : [];
}

// Why the columns cannot be read at all.
function unusableWords(cells: readonly string[], broken: CsvRow['broken']): string | undefined {
  if (broken !== undefined) return `the titles cannot be read: ${broken.words}`;
  const isOne = cells.length === 1 && delimiters.some((delimiter) => cells[0]?.includes(delimiter));
  return isOne
    ? 'all titles are in one cell: leave out --delimiter, then paydesk finds the right one'
    : undefined;
}

// A title without case, and with `_` for what people type between words. A workbook of paydesk adds the zone to a time's title.
function plain(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/_at \([^()]*\)$/, '_at')
    .replaceAll(/[\s\-_]+/g, '_');
}

export function isInputTitle(title: string): boolean {
  return isKnown(plain(title));
}

/** Whether a plan takes the tickets of its refunds from this column. */
export function isTicketTitle(title: string): boolean {
  return plain(title) === 'ticket';
}

export function isTitleOf(title: string, column: InputColumn): boolean {
  return plain(title) === column;
}

function isKnown(title: string): boolean {
  return inputColumns.some((column) => column === title);
}

// The positions of repeated titles. Columns without a title may repeat.
function repeated(titles: readonly string[]): readonly number[] {
  const seen = new Set<string>(['']);
  return titles.flatMap((title, index) => {
    const again = title !== '' && seen.has(title);
    seen.add(title);
    return again ? [index] : [];
  });
}

// Titles that are meant for a missing column, or probably. Ignoring a column such as `charge` could refund a whole order. A longer
// title such as `customer_note` is a column of its own.
function nearMisses(
  titles: readonly string[],
  found: readonly InputColumn[],
  use: InputUse,
): readonly { readonly index: number; readonly meant: InputColumn }[] {
  const absent = columnsFor(use).filter(
    (column) => !found.includes(column) && !(isOrder(column) && found.some(isOrder)),
  );
  return titles.flatMap((title, index) => {
    if (isKnown(title)) return [];
    const chosen = use === 'plan' ? chosenBy(title) : undefined;
    if (chosen !== undefined && !titles.includes(chosen)) return [{ index, meant: chosen }];
    // What was charged is no charge.
    const names = moneyWords.test(title) ? absent.filter((name) => name === 'amount') : absent;
    const meant = closestNames(title, names).find(
      (name) => (use === 'plan' && isMoney(name)) || title.length <= name.length + 2,
    );
    return meant === undefined ? [] : [{ index, meant }];
  });
}

// `5`, `5.00`, `1 200,50 MXN`, as people write them.
const amountForm = /^[-+]?\d[\d.,'’ \u00a0\u202f]*([A-Z]{3})?$/;

function isRowNumbers(cells: readonly string[]): boolean {
  return cells.every((cell, index) => Number(cell) === index + 1);
}

const numberForm = /^-?[\d.,]*\d$/;
// `*4242`, `visa *4242`.
const cardForm = /\*\s?\d{4}$/;
const dateForm = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?!\d)/;

// Whether most filled cells have this form.
function hasMost(rows: readonly CsvRow[], index: number, form: RegExp): boolean {
  const cells = rows.map(({ cells }) => cells[index]?.trim() ?? '').filter((cell) => cell !== '');
  return cells.filter((cell) => form.test(cell)).length * 2 > cells.length;
}

function isOrder(column: string): boolean {
  return column === 'order_id' || column === 'reference';
}

function isMoney(column: string): boolean {
  return column === 'order_id' || column === 'charge_id' || column === 'amount';
}

/** What to do if one of these titles, which are not read, stands above the shop's own numbers: `; if folio has …`. */
export function renameWords(unread: readonly string[]): string {
  return renamed(unread, referenceWords, "the shop's own number, rename it reference");
}

function renamed(unread: readonly string[], words: RegExp, so: string): string {
  const like = unread.filter((title) => words.test(plain(title))).slice(0, 3);
  return like.length === 0 ? '' : `; if ${like.map(shown).join(' or ')} has ${so}`;
}

function missing(titles: readonly string[], found: readonly string[], use: InputUse): readonly string[] {
  const names = rowNames[use].join(', ').replace(/, (\w+)$/, ' or $1');
  const noOrder = !rowNames[use].some((column) => found.includes(column));
  const noAmount = use === 'plan' && !found.includes('amount');
  if (noOrder && noAmount && titles.some((title) => orderIdPattern.test(title)))
    return ['the first line is a row: put a line with the titles above it, such as order_id,amount'];
  const others = titles.filter((title) => !found.includes(title));
  const rename = renameWords(others);
  return [
    ...(noOrder
      ? [
          `there is no column ${names}: it names ${use === 'charges' ? 'the payment' : 'the order'} of each row${rename}`,
        ]
      : []),
    ...(noAmount
      ? [
          `there is no column amount: it has the amount of each row, or full for the whole charge or order${renamed(others, refundWords, 'what goes back, rename it amount')}`,
        ]
      : []),
  ];
}

/**
 * The delimiter that a spreadsheet names in a first line (`sep=;`), and where that line ends. The line break stays, so every row
 * keeps its line. Undefined if there is no such line.
 */
export function saidDelimiter(
  bytes: Uint8Array,
): { readonly delimiter: Delimiter; readonly end: number } | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, 16));
  const [line = '', said] = /^"?sep=([,;\t|:])"?(?=[\r\n])/i.exec(start) ?? [];
  const delimiter = delimiters.find((one) => one === said);
  return delimiter === undefined ? undefined : { delimiter, end: line.length };
}

/** The line ending at the file's first line feed. */
export function lineEndOf(bytes: Uint8Array): '\n' | '\r\n' {
  const end = bytes.indexOf(10);
  return end > 0 && bytes[end - 1] === 13 ? '\r\n' : '\n';
}

function firstLine(bytes: Uint8Array): string {
  const isBreak = (byte: number): boolean => byte === 10 || byte === 13;
  const start = bytes.findIndex((byte) => !isBreak(byte));
  const end = bytes.findIndex((byte, index) => index > start && isBreak(byte));
  return new TextDecoder().decode(bytes.subarray(Math.max(start, 0), end === -1 ? bytes.length : end));
}
