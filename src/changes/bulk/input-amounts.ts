/** What the amounts of an input file mean, once the orders of its rows were read. Pure. */

import { type AmountStyle, amountProblem, placesOf, scaled } from '../../amounts.ts';
import { currencyPattern } from '../../api/spec.ts';
import { fullWord, type InputProblem, type InputRow } from '../../plans/plans.ts';

type AmountRow = Pick<InputRow, 'line' | 'amount' | 'exact' | 'decimals'>;

/** A row, as far as it is known whether its amount fits its order. */
interface RowOfOrder {
  readonly row: AmountRow | undefined;
  /** Undefined if the order shows none. */
  readonly currency: string | undefined;
  /** Why its order is not there. */
  readonly missing?: string | undefined;
}

/** Amounts with the wrong decimals for the currency of their order, and whole amounts in a file that has decimals in that currency. */
export function decimalsProblems(rows: readonly RowOfOrder[], style: AmountStyle): readonly InputProblem[] {
  const withDecimals = new Map(
    rows.flatMap(({ row, currency }) => (row?.decimals === undefined ? [] : [[currency, row] as const])),
  );
  return rows.flatMap(({ row, currency, missing }) => {
    if (row === undefined) return [];
    const words =
      row.decimals === undefined
        ? wholeProblem(row, withDecimals.get(currency), currency, style)
        : wrongDecimals(row.decimals, { currency, missing }, style);
    return words === undefined ? [] : [{ line: row.line, column: 'amount', words }];
  });
}

function wrongDecimals(
  decimals: NonNullable<InputRow['decimals']>,
  { currency, missing }: Pick<RowOfOrder, 'currency' | 'missing'>,
  style: AmountStyle,
): string | undefined {
  const problem = missing ?? amountProblem(decimals, currency, style);
  if (problem === undefined) return undefined;
  const isDeclared = missing !== undefined || placesOf(currency, style) !== undefined;
  const setting = isDeclared ? '' : ` (amounts.decimals.${currency ?? 'CUR'})`;
  return `amount ${decimals.text}: ${problem}${setting}`;
}

// A spreadsheet writes 520 for 520.00, which would be 5.20.
function wholeProblem(
  { amount, exact }: AmountRow,
  beside: AmountRow | undefined,
  currency: string | undefined,
  style: AmountStyle,
): string | undefined {
  const whole = exact ?? amount;
  if (beside === undefined || whole === undefined || whole === fullWord) return undefined;
  const units = scaled(whole, currency, { ...style, 'amounts.grouping': 'off' });
  if (units === undefined) return undefined;
  return `amount ${whole}: line ${beside.line} has decimals (${beside.decimals?.text}); write ${whole} with its decimals too, or ${units} if that is meant`;
}

/** The currency of a row whose order was not found: from the column `currency`, or the only one with declared decimals. */
export function saidCurrency(
  { cells }: Pick<InputRow, 'cells'>,
  columns: readonly string[],
  { 'amounts.decimals': declared }: AmountStyle,
): string | undefined {
  const said = cells[columns.findIndex((title) => title.trim().toLowerCase() === 'currency')]?.trim() ?? '';
  if (said !== '') return currencyPattern.test(said) ? said.toUpperCase() : undefined;
  const [only, second] = Object.keys(declared);
  return second === undefined ? only : undefined;
}

/** The amount of a row whose order was not found; undefined if it cannot be told without the order. */
export function saidAmount(
  { exact, amount, decimals }: Pick<InputRow, 'exact' | 'amount' | 'decimals'>,
  currency: string | undefined,
  style: AmountStyle,
): number | bigint | undefined {
  if (decimals !== undefined && amountProblem(decimals, currency, style) !== undefined) return undefined;
  return exact ?? (typeof amount === 'number' ? amount : undefined);
}
