/** Reads the rows of an input file: each becomes a refund to plan, or a list of problems. Pure. */

import type { AmountStyle } from '../amounts.ts';
import { counted } from '../counted.ts';
import type { CsvRow } from './csv-rows.ts';
import {
  type Checked,
  isTotalTitle,
  readAgainCell,
  readAmount,
  readCharge,
  readCurrency,
  readNote,
  readOrderId,
  readReason,
  readRef,
  readReference,
  saysNothing,
  shown,
} from './input-cells.ts';
import { type InputTitles, renameWords, rowNames } from './input-titles.ts';
import {
  anyWord,
  fullWord,
  type InputColumn,
  type InputHow,
  type InputProblem,
  type InputRow,
  type InputUse,
} from './plan-types.ts';

/**
 * Reads a row. For `compare`, amount and charge may be blank, and only the names of order and charge and the amount are checked.
 */
export function readRow(
  csv: CsvRow,
  titles: InputTitles,
  { for: use, amounts }: Pick<InputHow, 'for' | 'amounts'>,
) {
  const { line, cells, broken } = csv;
  const { columns } = titles;
  const formWords = formProblem(csv, columns);
  if (formWords !== undefined)
    return { row: undefined, problems: [{ line, column: columns[broken?.cell ?? -1], words: formWords }] };
  const row = new RowReader(csv, titles);
  row.refuseNul();
  const named = readNames(row, titles, use);
  // A currency in the title of the amounts is about the amounts, so it comes first. A column `currency` may be about the order.
  const inColumn = row.read('currency', readCurrency, undefined);
  const money = readMoney(row, use, amounts, titles.currency ?? inColumn);
  if (money.charge === anyWord || money.charge === fullWord) row.refuseOtherCharges(money.charge);
  const order = {
    ...(named.includes('order_id') ? row.read('order_id', readOrderId, {}) : {}),
    ...(named.includes('reference') ? row.read('reference', readReference, {}) : {}),
  };
  const read: InputRow = {
    line,
    orderId: order.orderId,
    reference: order.reference,
    isInId: order.isInId,
    ...money,
    reason: use === 'plan' ? row.read('reason', readReason, undefined) : undefined,
    refundId: row.text('refund_id')?.trim() || undefined,
    isFailed: row.text('state')?.trim() === 'failed' || undefined,
    authCode: row.text('auth_code')?.trim() || undefined,
    ref: use === 'plan' ? row.read('ref', readRef, '') : (row.text('ref') ?? '').trim(),
    note: use === 'plan' ? row.read('note', readNote, undefined) : undefined,
    ...(use === 'plan' ? row.read('again', readAgainCell, noAgain) : noAgain),
    cells,
  };
  const { problems } = row;
  const total = cells.find(isTotalTitle);
  if (total !== undefined && (problems.length > 0 || rowNames[use].some((name) => row.text(name) === total)))
    return {
      row: undefined,
      problems: [{ line, column: undefined, words: `${shown(total)}: is this a total? remove the row` }],
    };
  return { row: problems.length === 0 ? read : undefined, problems: inOrder(problems, columns) };
}

const noAgain: Pick<InputRow, 'again' | 'asks'> = { again: [], asks: undefined };

// A row's cells by column, and what is wrong with them.
class RowReader {
  readonly problems: InputProblem[] = [];
  readonly #row: CsvRow;
  readonly #titles: InputTitles;

  constructor(row: CsvRow, titles: InputTitles) {
    this.#row = row;
    this.#titles = titles;
  }

  text(column: InputColumn): string | undefined {
    return this.#row.cells[this.#titles.places.get(column) ?? -1];
  }

  // In a cell without a format, a spreadsheet shows 520.50 as 520.5, so it is certain which zeros are missing.
  shown(column: InputColumn, text: string, { 'amounts.decimals': declared }: AmountStyle): string {
    const isPlain = this.#row.plainNumbers?.includes(this.#titles.places.get(column) ?? -1) === true;
    const [, whole, part] = /^(-?\d+)\.(\d+)$/.exec(text) ?? [];
    const [places, other] = new Set(Object.values(declared).filter((one) => one > 0));
    if (!isPlain || part === undefined || places === undefined || other !== undefined) return text;
    return `${whole}.${part.padEnd(places, '0')}`;
  }

  // Returns `absent` if the file has no such column, or if the cell is wrong.
  read<T>(column: InputColumn, check: (text: string) => Checked<T>, absent: T): T {
    const typed = this.text(column);
    if (typed === undefined || typed.includes('\0')) return absent;
    const cell = check(typed);
    if ('value' in cell) return cell.value;
    this.wrong(column, cell.wrong);
    return absent;
  }

  readonly readCharge = (text: string): Checked<string> => readCharge(text, this.#titles.areCards);

  wrong(column: InputColumn, words: string): void {
    const { columns, places } = this.#titles;
    this.#add(columns[places.get(column) ?? -1], words);
  }

  refuseNul(): void {
    for (const [index, cell] of this.#row.cells.entries())
      if (cell.includes('\0'))
        this.#add(this.#titles.columns[index], 'this cell holds a NUL character: delete it');
  }

  // If `charge_id` is `any` or `full`, another column that names a charge must not be ignored.
  refuseOtherCharges(charge: string): void {
    const { columns, places, otherCharges = [] } = this.#titles;
    if (!places.has('charge_id')) return;
    for (const index of otherCharges) {
      const said = this.#row.cells[index] ?? '';
      if (!saysNothing(said))
        this.#add(
          columns[index],
          `charge_id is ${charge}, and ${columns[index]} says ${shown(said)}: write in charge_id which one is meant, or delete the other cell`,
        );
    }
  }

  #add(column: string | undefined, words: string): void {
    this.problems.push({ line: this.#row.line, column, words });
  }
}

// The columns in which the row names its order. In a comparison, something else may name it.
function readNames(row: RowReader, { places, unread }: InputTitles, use: InputUse): readonly InputColumn[] {
  const isFilledIn = (column: InputColumn): boolean => (row.text(column) ?? '').trim() !== '';
  const names = rowNames[use].filter(isFilledIn);
  const named = rowNames.plan.filter(isFilledIn);
  if (use === 'charges' && names.length > named.length) return named;
  const nameColumn = rowNames[use].find((column) => places.has(column));
  if (names.length === 0 && nameColumn !== undefined)
    row.wrong(nameColumn, `${nameColumn} is blank: each row names its order${renameWords(unread)}`);
  // The files that paydesk itself writes have both.
  if (named.length === 2 && use === 'compare') return ['order_id'];
  if (named.length === 2 && use === 'plan')
    row.wrong('reference', 'the row has an order_id and a reference: leave one of them blank');
  return named;
}

function readMoney(
  row: RowReader,
  use: InputUse,
  amounts: AmountStyle,
  inColumn: string | undefined,
): Pick<InputRow, 'charge' | 'amount' | 'currency' | 'exact' | 'decimals'> {
  const isBlank = (column: InputColumn): boolean => use !== 'plan' && saysNothing(row.text(column) ?? '');
  const charge = isBlank('charge_id') ? anyWord : row.read('charge_id', row.readCharge, anyWord);
  const read = (text: string) => readAmount(row.shown('amount', text, amounts), use, amounts);
  const {
    amount: value,
    decimals,
    currency = inColumn,
  } = (isBlank('amount') ? undefined : row.read('amount', read, undefined)) ?? {};
  const exact = typeof value === 'bigint' ? value : undefined;
  const amount = typeof value === 'bigint' ? undefined : value;
  if (use === 'plan' && charge === fullWord && typeof amount === 'number')
    row.wrong(
      'amount',
      `charge_id is ${fullWord}, which is the whole order, so amount must be ${fullWord} too; for ${amount} of it type a charge, or ${anyWord}`,
    );
  if (inColumn !== undefined && currency !== inColumn)
    row.wrong(
      'amount',
      `amount is in ${currency}, and the column says ${inColumn}: write the right one in both`,
    );
  return { charge, amount, currency, exact, decimals };
}

// What is wrong with the row as a whole: then no cell can be trusted.
function formProblem({ cells, broken }: CsvRow, columns: readonly string[]): string | undefined {
  if (broken !== undefined) return broken.words;
  if (cells.length === columns.length) return undefined;
  const more = cells.length > columns.length;
  return `the row has ${counted(cells.length, 'cell')}, and the first line has ${counted(columns.length, 'title')}: ${
    more
      ? 'put quotes around a cell that contains the delimiter'
      : 'write a blank cell where there is nothing to say'
  }`;
}

function inOrder(problems: readonly InputProblem[], columns: readonly string[]): readonly InputProblem[] {
  const place = ({ column }: InputProblem): number => (column === undefined ? -1 : columns.indexOf(column));
  return problems.toSorted((a, b) => place(a) - place(b));
}
