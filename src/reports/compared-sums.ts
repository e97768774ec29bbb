/** The money of a comparison: its columns, its sums in each currency, and the words for them. Pure. */

import { type AmountStyle, amountWords, sumWords, unknownCurrency } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import { type Field, field } from '../api/resources.ts';
import { counted } from '../counted.ts';
import { type Figure, negated, plus, sumOf } from './exact-sum.ts';

/** A row of a comparison, as far as sums need it. */
interface SummedRow {
  readonly isInFile: boolean;
  readonly currency: string | undefined;
  readonly wanted: Figure | undefined;
  readonly found: Figure;
  /** The currency of `wanted`, if the file says another one than that of what was found. */
  readonly wantedCurrency?: string | undefined;
  /** It adds no row, since the file says that its refund failed. */
  readonly isRest?: true;
}

/** How much more a row says than was found in the same currency; undefined if it says no amount. */
function differenceOf({
  wanted,
  found,
  wantedCurrency,
}: Pick<SummedRow, 'wanted' | 'found' | 'wantedCurrency'>): Figure | undefined {
  return wanted === undefined || wantedCurrency !== undefined ? wanted : plus(wanted, negated(found));
}

/** The columns of what the file says, what was found for it, its verdict and the difference. */
export function moneyColumns<
  Row extends Pick<SummedRow, 'wanted' | 'wantedCurrency' | 'currency'> & { readonly verdict: string },
>(name: string, shortTitle: string, foundOf: (row: Row) => Figure): readonly Field<Row>[] {
  const always = { tableFrom: 0, stays: true } as const;
  const inFile = { ...always, currencyIn: 'wanted_currency' } as const;
  const difference = (row: Row) => differenceOf({ ...row, found: foundOf(row) });
  return [
    field('wanted', 'figure', ({ wanted }) => wanted, { ...inFile, title: 'IN FILE' }),
    field(name, 'money', foundOf, { ...always, brief: { title: shortTitle } }),
    field('verdict', 'text', ({ verdict }) => verdict, always),
    field('difference', 'figure', difference, { ...inFile, brief: { title: 'DIFF' } }),
    field('wanted_currency', 'text', ({ wantedCurrency, currency }) => wantedCurrency ?? currency),
  ];
}

// Which sum a row counts in. Every amount in the columns of a comparison is in just one of them.
type Part = SummedRow & { readonly of: 'rows' | 'otherCurrency' | 'noAmount' | 'notInFile' };

// A row counts in the currency of the file. What was found for it in another currency counts there, apart from the sums of rows.
function partsOf(all: readonly SummedRow[]): readonly Part[] {
  return all.flatMap((one): readonly Part[] => {
    if (!one.isInFile) return [{ ...one, of: 'notInFile' }];
    const { wanted, wantedCurrency: currency } = one;
    if (currency === undefined) return [{ ...one, of: wanted === undefined ? 'noAmount' : 'rows' }];
    const said: Part = { ...one, currency, found: 0, of: 'rows' };
    return one.found === 0 ? [said] : [said, { ...one, of: 'otherCurrency' }];
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
      rows: rows.filter(({ isRest }) => isRest === undefined).length,
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

/** Everything that the file says, in words, beside what was found for it; `did`: what the service did, such as `was charged`. */
export function sumLines(all: readonly SummedRow[], did: string, style: AmountStyle): readonly string[] {
  const parts = partsOf(all);
  const unknown = parts.filter((one) => one.of === 'noAmount').length;
  const known = parts.filter((one) => one.of === 'rows' || one.of === 'otherCurrency');
  return [
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

/** What the file says in these rows: `500 MXN and 20, currency unknown`. Empty if it says no amount. */
export function saidWords(
  rows: readonly Pick<SummedRow, 'wanted' | 'currency' | 'wantedCurrency'>[],
  style: AmountStyle,
): string {
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

/** What was found for some rows, and what `who` says about them: ` (900 MXN charged, the file says 1000 MXN)`. Empty if both are. */
export function foundWords(found: string, did: string, said: string, who = 'the file'): string {
  const words = [
    ...(found === '' ? [] : [`${found} ${did}`]),
    ...(said === '' ? [] : [`${who} says ${said}`]),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** The sums as records, for scripts: one for each currency. `did`: the field that says what was found. */
export function sumRecords(
  object: string,
  all: readonly SummedRow[],
  did: 'charged' | 'refunded',
): readonly JsonObject[] {
  return comparedSums(partsOf(all)).map(
    ({ currency, rows, wanted, difference, otherCurrency, noAmount, notInFile, found }) => ({
      object,
      currency: currency ?? null,
      rows,
      wanted,
      difference,
      other_currency: otherCurrency,
      no_amount: noAmount,
      not_in_file: notInFile,
      [did]: found,
    }),
  );
}
