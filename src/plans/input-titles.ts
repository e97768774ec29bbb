/**
 * Reads the titles of an input file: the columns that paydesk understands, those that it does not read, and every problem with
 * them. Pure.
 */

import { orderIdPattern } from '../api/spec.ts';
import { closestNames, delimiters, withoutFormulaSafety } from '../terminal/terminal.ts';
import type { CsvRow } from './csv-rows.ts';
import { shown } from './input-cells.ts';
import {
  asMeant,
  chargeIdAt,
  isKnown,
  isOrder,
  ofOrderList,
  refundIdAt,
  withReference,
} from './meant-titles.ts';
import {
  type InputColumn,
  type InputFile,
  type InputHow,
  type InputProblem,
  type InputUse,
  inputColumns,
} from './plan-types.ts';
import {
  chosenBy,
  currencyOfTitle,
  isCardTitle,
  moneyWords,
  plain,
  referenceWords,
  refundWords,
} from './title-words.ts';

export interface InputTitles extends Pick<InputFile, 'columns' | 'unread' | 'readAs' | 'problems'> {
  /** How many columns in front are paydesk's: `line` and `error` of an errors file. */
  readonly added: number;
  /** A column's position in `columns`. */
  readonly places: ReadonlyMap<InputColumn, number>;
  /** The currency in the title of the amounts (`Amount (MXN)`), in capitals. A plan does not read it there. */
  readonly currency?: string | undefined;
  /** The column of charges has cards: `visa *4242`. */
  readonly areCards?: boolean | undefined;
  /** The positions of other columns that name the charge and are not read. */
  readonly otherCharges?: readonly number[] | undefined;
  /** It is a list of orders of paydesk's own, in which a person has marked some for a plan. */
  readonly isList: boolean;
  /** It is clear what each column is, though some have to be renamed. */
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

/** Finds the known columns and every problem with the titles. */
export function readTitles(
  { cells, line, broken }: CsvRow,
  rows: readonly CsvRow[],
  { for: use, referenceKeys = [] }: Pick<InputHow, 'for' | 'referenceKeys'>,
): InputTitles {
  const unusable = unusableWords(cells, broken) ?? titlesBelow(cells, rows, use);
  if (unusable !== undefined) {
    const problems = [{ line, column: undefined, words: unusable }];
    const nothing = { columns: [], added: 0, places: new Map(), unread: [], readAs: [] };
    return { ...nothing, problems, isList: false, isClear: false };
  }
  const added = addedColumns.every((title, index) => plain(cells[index] ?? '') === title)
    ? addedColumns.length
    : 0;
  const columns = added === 0 ? cells : cells.slice(added).map(withoutFormulaSafety);
  const typed = columns.map(plain);
  const cellsOf = (index: number) => rows.map(({ cells: row }) => row[index + added] ?? '');
  const list = use === 'plan' ? ofOrderList(typed, cellsOf) : undefined;
  const titles = asMeant(withReference(list ?? typed, referenceKeys), use, cellsOf);
  const found = columnsFor(use).filter((column) => titles.includes(column));
  const misses = nearMisses(titles, found, use);
  const problem = (words: string, column?: string): InputProblem => ({ line, column, words });
  const places = new Map<InputColumn, number>([
    ...found.map((column) => [column, titles.indexOf(column)] as const),
    // So that one run reports what is wrong with the title and with the cells below it.
    ...misses.map(({ index, meant }) => [meant, index] as const),
    // `currency` is read, and a plan also keeps it as the person's own column.
    ...(titles.includes('currency') ? [['currency', titles.indexOf('currency')] as const] : []),
    ...(use === 'compare' ? refundIdAt(titles) : []),
    ...(use === 'charges' ? chargeIdAt(titles) : []),
  ]);
  const currency = use === 'plan' ? undefined : currencyOfTitle(columns[places.get('amount') ?? -1]);
  const read = new Set(places.values());
  const unread = typed.flatMap((title, index) => (title === '' || read.has(index) ? [] : [index]));
  const hasAmount = found.includes('amount') || misses.some(({ meant }) => meant === 'amount');
  const isOther = (index: number) => !isKnown(titles[index] ?? '') && !isRowNumbers(cellsOf(index));
  const others = use === 'plan' || hasAmount ? [] : unread.filter(isOther);
  const money = others.filter((index) => moneyWords.test(titles[index] ?? ''));
  const hasNumbers = (index: number) =>
    hasMost(rows, index + added, numberForm) && !hasMost(rows, index + added, dateForm);
  const doubtful = money.length > 0 ? money : others.filter(hasNumbers);
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
    // If this column is not read, `*4242` does not choose the card, and another card, or all of them, would be refunded.
    ...unread
      .filter((index) => use === 'plan' && !places.has('charge_id') && hasMost(rows, index + added, cardForm))
      .map((index) =>
        problem(
          `${shown(columns[index] ?? '')} looks like the card of each refund: write charge_id above it, or delete it if any card will do`,
          columns[index],
        ),
      ),
    ...doubtful.map((index) =>
      problem(
        `there is no column amount, and ${shown(columns[index] ?? '')} looks like one: write amount above the money, or delete what is not to be compared`,
        columns[index],
      ),
    ),
    ...missing(titles, [...found, ...misses.map(({ meant }) => meant)], {
      use,
      list: list !== undefined && typed.includes('amount') ? typed : undefined,
    }).map((words) => problem(words)),
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
      column === typed[index] || column === ''
        ? []
        : [
            {
              title: shown(columns[index] ?? ''),
              column: column === 'amount' && currency !== undefined ? `${column} in ${currency}` : column,
            },
          ],
    ),
    problems,
    isList: list !== undefined,
    isClear: problems.length === misses.length,
  };
}

// Why the columns cannot be read at all.
function unusableWords(cells: readonly string[], broken: CsvRow['broken']): string | undefined {
  if (broken !== undefined) return `the titles cannot be read: ${broken.words}`;
  const isOne = cells.length === 1 && delimiters.some((delimiter) => cells[0]?.includes(delimiter));
  return isOne
    ? 'all titles are in one cell: leave out --delimiter, then paydesk finds the right one'
    : undefined;
}

// A spreadsheet often has a line such as `Refunds Monday` above its titles. Every other problem would only follow from it.
function titlesBelow(cells: readonly string[], [next]: readonly CsvRow[], use: InputUse): string | undefined {
  if (next === undefined || cells.filter((cell) => cell.trim() !== '').length !== 1) return undefined;
  const below = asMeant(next.cells.map(plain), use, () => []);
  const known = below.filter((title) => columnsFor(use).some((column) => column === title));
  return known.length < 2
    ? undefined
    : `the titles seem to be in line ${next.line}: take out line 1, which has only ${shown(cells.join(''))}`;
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

// Titles that are meant, or probably meant, for a missing column. Ignoring a column such as `charge` could refund a whole order.
// A longer title such as `customer_note` is a column of its own.
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
    // A title such as `charged` is about an amount, not about a charge.
    const names = moneyWords.test(title) ? absent.filter((name) => name === 'amount') : absent;
    const meant = closestNames(title, names).find(
      (name) => (use === 'plan' && isMoney(name)) || title.length <= name.length + 2,
    );
    return meant === undefined ? [] : [{ index, meant }];
  });
}

function isRowNumbers(cells: readonly string[]): boolean {
  return cells.every((cell, index) => Number(cell) === index + 1);
}

// Numbers and money as people write them: `-7`, `1.520,00`, `(160)`, `$ 160`, `160.00 MXN`.
const numberForm = /^[-+(]?\s*(?:[A-Za-z]{0,3}\p{Sc}|[A-Z]{3})?\s*[\d.,][\d.,'’\s]*(?:\p{Sc}|[A-Z]{3})?\)?$/u;
// `*4242`, `visa *4242`.
const cardForm = /\*\s?\d{4}$/;
const dateForm = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?!\d)/;

// Whether most filled cells have this form.
function hasMost(rows: readonly CsvRow[], index: number, form: RegExp): boolean {
  const cells = rows.map(({ cells }) => cells[index]?.trim() ?? '').filter((cell) => cell !== '');
  return cells.filter((cell) => form.test(cell)).length * 2 > cells.length;
}

function isMoney(column: string): boolean {
  return column === 'order_id' || column === 'charge_id' || column === 'amount';
}

/** Says how to rename these unread titles if one of them is above the shop's own numbers: `; if folio has …`. */
export function renameWords(unread: readonly string[]): string {
  return renamed(unread, referenceWords, "the shop's own number, rename it reference");
}

function renamed(unread: readonly string[], words: RegExp, so: string): string {
  const like = unread.filter((title) => words.test(plain(title))).slice(0, 3);
  return like.length === 0 ? '' : `; if ${like.map(shown).join(' or ')} has ${so}`;
}

function missing(
  titles: readonly string[],
  found: readonly string[],
  { use, list }: { readonly use: InputUse; readonly list: readonly string[] | undefined },
): readonly string[] {
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
    ...(noAmount && list !== undefined
      ? [
          `amount is what was paid here, as in a list of orders: write what goes back in a column refund_amount, or full for the whole order; rows without it are left out${
            list.includes('amount_refunded')
              ? ''
              : '. If amount is what goes back, write order_id instead of id'
          }`,
        ]
      : []),
    ...(noAmount && list === undefined
      ? [
          `there is no column amount: it has the amount of each row, or full for the whole charge or order${renamed(others, refundWords, 'what goes back, rename it amount')}`,
        ]
      : []),
  ];
}
