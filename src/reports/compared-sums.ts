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
  /** What the file says, if it says a currency other than that of what was found. */
  readonly other?: { readonly currency: string; readonly amount: Figure | undefined } | undefined;
  /** What it says is in another currency than its order, so its row shows neither this amount nor a difference. */
  readonly isApart?: true;
  /** It adds no row, since the file says that its refund failed. */
  readonly isRest?: true;
}

/** How much more a row says than was found; undefined if it says no amount. */
function differenceOf({ wanted, found }: Pick<SummedRow, 'wanted' | 'found'>): Figure | undefined {
  return wanted === undefined ? undefined : plus(wanted, negated(found));
}

/** The columns of what the file says, what was found for it, its verdict and the difference. */
export function moneyColumns<Row extends { readonly wanted: Figure | undefined; readonly verdict: string }>(
  name: string,
  shortTitle: string,
  foundOf: (row: Row) => Figure,
): readonly Field<Row>[] {
  const always = { tableFrom: 0, stays: true } as const;
  const difference = (row: Row) => differenceOf({ wanted: row.wanted, found: foundOf(row) });
  return [
    field('wanted', 'figure', ({ wanted }) => wanted, { ...always, title: 'IN FILE' }),
    field(name, 'money', foundOf, { ...always, brief: { title: shortTitle } }),
    field('verdict', 'text', ({ verdict }) => verdict, always),
    field('difference', 'figure', difference, { ...always, brief: { title: 'DIFF' } }),
  ];
}

// A row counts in the currency of the file. What was found for it in another currency counts there, apart from the sums of rows.
function inOwnCurrencies(all: readonly SummedRow[]): readonly SummedRow[] {
  return all.flatMap((one): readonly SummedRow[] => {
    if (one.other === undefined) return [one];
    const said = {
      ...one,
      currency: one.other.currency,
      wanted: one.other.amount,
      found: 0,
      other: undefined,
      isApart: true as const,
    };
    return one.found === 0 ? [said] : [said, one];
  });
}

// Adds rows of inOwnCurrencies up: a line for each currency, which is undefined for the sums of what shows none.
function comparedSums(all: readonly SummedRow[]) {
  return [...Map.groupBy(all, ({ currency }) => currency)].map(([currency, own]) => {
    const rows = own.filter(({ isInFile, other }) => isInFile && other === undefined);
    const wanted = sumOf(rows, (one) => one.wanted ?? 0);
    const found = sumOf(rows, (one) => one.found);
    const difference = sumOf(rows, (one) => differenceOf(one) ?? 0);
    const others = own.filter(({ isInFile }) => !isInFile);
    return {
      currency,
      rows: rows.filter(({ isRest }) => isRest === undefined).length,
      wanted,
      found,
      /** How much of `wanted` and of `difference` is of rows in another currency than their orders, and how many these are. */
      wantedApart: sumOf(rows, ({ isApart, wanted: said = 0 }) => (isApart === true ? said : 0)),
      apart: rows.filter(({ isApart }) => isApart === true).length,
      /** How much more the file says than was found, in the rows that say an amount. */
      difference,
      /** What was found for rows in which the file says another currency. */
      otherCurrency: sumOf(
        own.filter(({ other }) => other !== undefined),
        (one) => one.found,
      ),
      /** What was found that no row is about. */
      notInFile: sumOf(others, (one) => one.found),
    };
  });
}

/** Everything that the file says, in words, beside what was found for it; `did`: what the service did, such as `was charged`. */
export function sumLines(all: readonly SummedRow[], did: string, style: AmountStyle): readonly string[] {
  const ofFile = inOwnCurrencies(all).filter(({ isInFile }) => isInFile);
  const isKnown = ({ wanted, other }: SummedRow) => wanted !== undefined || other !== undefined;
  const unknown = ofFile.filter((one) => !isKnown(one)).length;
  return [
    ...comparedSums(ofFile.filter(isKnown)).flatMap((sum) => {
      const { currency = unknownCurrency, rows, wanted, found, difference, otherCurrency, apart } = sum;
      const words = (figure: Figure) => amountWords(figure, sum.currency, style);
      const sign = difference < 0 ? 'less' : 'more';
      const rest = difference === 0 ? '' : `, difference ${words(difference)}: the file says ${sign}`;
      const ofApart =
        sum.wantedApart === 0 || apart === rows
          ? ''
          : `; of it ${words(sum.wantedApart)} in ${counted(apart, 'row')} whose order is in another currency`;
      const ofRows = `${currency}: the file says ${words(wanted)} in ${counted(rows, 'row')}${ofApart}, ${words(found)} ${did} for its rows${rest}`;
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
  rows: readonly Pick<SummedRow, 'wanted' | 'currency'>[],
  style: AmountStyle,
): string {
  const said = rows.filter(({ wanted }) => wanted !== undefined);
  return [...Map.groupBy(said, ({ currency }) => currency)]
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
  return comparedSums(inOwnCurrencies(all)).map(
    ({ currency, rows, wanted, wantedApart, difference, otherCurrency, notInFile, found }) => ({
      object,
      currency: currency ?? null,
      rows,
      wanted,
      difference,
      wanted_in_other_currency: wantedApart,
      other_currency: otherCurrency,
      not_in_file: notInFile,
      [did]: found,
    }),
  );
}
