/** The money of a comparison: its columns, its sums in each currency, and the words for them. Pure. */

import { type AmountStyle, amountWords, sumWords, unitsNote, unknownCurrency } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Field, field } from '../../api/resources.ts';
import { amountInFile } from '../../changes/changes.ts';
import { counted } from '../../counted.ts';
import { type Figure, negated, plus, sumOf } from '../../reports/reports.ts';
import type { ComparedRow } from './compared.ts';

/** What a comparison finds for its rows. */
export interface Finding<Row extends ComparedRow> {
  readonly name: 'charged' | 'refunded';
  /** Its title in a table without room. */
  readonly shortTitle: string;
  /** What the service did, for a sentence: `was charged`. */
  readonly did: string;
  readonly of: (row: Row) => Figure;
}

// How much more a row says than was found in the same currency; undefined if it says no amount.
function differenceOf({ wanted, wantedCurrency }: ComparedRow, found: Figure): Figure | undefined {
  return wanted === undefined || wantedCurrency !== undefined ? wanted : plus(wanted, negated(found));
}

/** The columns of what the file says, what was found for it, its verdict and the difference. */
export function moneyColumns<Row extends ComparedRow>({
  name,
  shortTitle,
  of,
}: Finding<Row>): readonly Field<Row>[] {
  const always = { tableFrom: 0, stays: true } as const;
  const inFile = { ...always, currencyIn: 'wanted_currency' } as const;
  return [
    field('wanted', 'figure', ({ wanted }) => wanted, { ...inFile, title: 'IN FILE' }),
    field(name, 'money', of, { ...always, brief: { title: shortTitle } }),
    field('verdict', 'text', ({ verdict }) => verdict, always),
    field('difference', 'figure', (row) => differenceOf(row, of(row)), {
      ...inFile,
      brief: { title: 'DIFF' },
    }),
    field('wanted_currency', 'text', ({ wantedCurrency, currency }) => wantedCurrency ?? currency),
  ];
}

// A part of a row that counts in one currency. Every amount in the columns of a comparison is in just one of them.
interface Part extends Pick<ComparedRow, 'row' | 'wanted' | 'currency'> {
  readonly found: Figure;
  readonly of: 'rows' | 'otherCurrency' | 'noAmount' | 'notInFile';
}

// A row counts in the currency of the file. What was found for it in another currency counts there, apart from the sums of rows.
function partsOf<Row extends ComparedRow>(all: readonly Row[], finding: Finding<Row>): readonly Part[] {
  return all.flatMap((one): readonly Part[] => {
    const { row, wanted, wantedCurrency, currency } = one;
    const found = finding.of(one);
    const part = { row, wanted, currency, found };
    if (row === undefined) return [{ ...part, of: 'notInFile' }];
    if (wantedCurrency === undefined) return [{ ...part, of: wanted === undefined ? 'noAmount' : 'rows' }];
    const said: Part = { ...part, currency: wantedCurrency, found: 0, of: 'rows' };
    return found === 0 ? [said] : [said, { ...part, of: 'otherCurrency' }];
  });
}

// Adds these parts up: a line for each currency, which is undefined for the sums of what shows none.
function comparedSums(parts: readonly Part[]) {
  return [...Map.groupBy(parts, ({ currency }) => currency)].map(([currency, own]) => {
    const foundFor = (which: Part['of']) =>
      sumOf(
        own.filter((one) => one.of === which),
        (one) => one.found,
      );
    const rows = own.filter((one) => one.of === 'rows');
    const wanted = sumOf(rows, (one) => one.wanted ?? 0);
    const found = foundFor('rows');
    return {
      currency,
      // The file asks for nothing from a refund that it says failed.
      rows: rows.filter(({ row }) => row?.isFailed !== true).length,
      wanted,
      found,
      /** How much more the file says than was found, in the rows that say an amount. */
      difference: plus(wanted, negated(found)),
      /** What was found for rows in which the file says another currency. */
      otherCurrency: foundFor('otherCurrency'),
      /** What was found for rows in which the file says no amount. */
      noAmount: foundFor('noAmount'),
      /** What was found that no row is about. */
      notInFile: foundFor('notInFile'),
    };
  });
}

/** Everything that the file says, in words, beside what was found for it. */
export function fileLines<Row extends ComparedRow>(
  all: readonly Row[],
  finding: Finding<Row>,
  style: AmountStyle,
): readonly string[] {
  const { did } = finding;
  const parts = partsOf(all, finding);
  const unknown = parts.filter((one) => one.of === 'noAmount').length;
  const known = parts.filter((one) => one.of === 'rows' || one.of === 'otherCurrency');
  return [
    ...[unitsLine(all, style) ?? []].flat(),
    ...comparedSums(known).flatMap((sum) => {
      const { currency = unknownCurrency, rows, wanted, found, difference, otherCurrency } = sum;
      const words = (figure: Figure) => amountWords(figure, sum.currency, style);
      const sign = difference < 0 ? 'less' : 'more';
      const rest = difference === 0 ? '' : `, difference ${words(difference)}: the file says ${sign}`;
      const ofRows = `${currency}: the file says ${words(wanted)} in ${counted(rows, 'row')}, ${words(found)} ${did} for its rows${rest}`;
      if (otherCurrency === 0) return [ofRows];
      const ofOthers = `${currency}: ${words(otherCurrency)} ${did} for rows that say another currency`;
      return rows === 0 && found === 0 ? [ofOthers] : [ofRows, ofOthers];
    }),
    ...(unknown === 0
      ? []
      : [`${counted(unknown, 'row')} in none of these sums: only an order tells the amount`]),
  ];
}

// In which unit the whole numbers of the file are read.
function unitsLine(all: readonly ComparedRow[], style: AmountStyle): string | undefined {
  const said = all.map(({ row, currency, wantedCurrency = currency }) => {
    const isWhole = row !== undefined && row.decimals === undefined;
    return {
      amount: isWhole ? amountInFile(row, wantedCurrency, style) : undefined,
      currency: wantedCurrency,
    };
  });
  return unitsNote(style, said);
}

/** An amount of a row. */
type Said = Pick<ComparedRow, 'wanted' | 'currency' | 'wantedCurrency'>;

/** What these amounts are in each currency: `500 MXN and 20, currency unknown`. Empty if there are none. */
export function saidWords(rows: readonly Said[], style: AmountStyle): string {
  const said = rows.filter(({ wanted }) => wanted !== undefined);
  return [...Map.groupBy(said, ({ currency, wantedCurrency = currency }) => wantedCurrency)]
    .map(([currency, own]) => {
      return sumWords(
        sumOf(own, ({ wanted = 0 }) => wanted),
        currency,
        style,
      );
    })
    .join(' and ');
}

/**
 * How many rows ended in one way, what was found for them, and what `who` says about them:
 * `2 paid less (900 MXN charged, the file says 1000 MXN)`.
 */
export function endLine(
  count: number,
  words: string,
  {
    found,
    did,
    said,
    who = 'the file',
  }: {
    readonly found: readonly Said[];
    readonly did: string;
    /** None if it says the same as what was found. */
    readonly said: readonly Said[];
    readonly who?: string;
  },
  style: AmountStyle,
): string {
  const [ofFound, ofSaid] = [saidWords(found, style), saidWords(said, style)];
  const money = [
    ...(ofFound === '' ? [] : [`${ofFound} ${did}`]),
    ...(ofSaid === '' ? [] : [`${who} says ${ofSaid}`]),
  ];
  return `${count} ${words}${money.length === 0 ? '' : ` (${money.join(', ')})`}`;
}

/** The sums as records, for scripts: one for each currency. */
export function sumRecords<Row extends ComparedRow>(
  object: string,
  all: readonly Row[],
  finding: Finding<Row>,
): readonly JsonObject[] {
  return comparedSums(partsOf(all, finding)).map(
    ({ currency, rows, wanted, difference, otherCurrency, noAmount, notInFile, found }) => ({
      object,
      currency: currency ?? null,
      rows,
      wanted,
      difference,
      other_currency: otherCurrency,
      no_amount: noAmount,
      not_in_file: notInFile,
      [finding.name]: found,
    }),
  );
}
