/** Works out what the amounts of an input file mean, once the orders of its rows were read. Pure. */

import { type AmountStyle, amountWords, placesOf, scaled } from '../../amounts.ts';
import { fullWord, type InputProblem, type InputRow, type PlanRow } from '../../plans/plans.ts';
import { amountProblem } from '../../typed-amounts.ts';

type AmountRow = Pick<InputRow, 'line' | 'amount' | 'exact' | 'decimals'>;

/** A row, with what it takes to know whether its amount fits its order. */
interface RowOfOrder {
  readonly row: AmountRow | undefined;
  /** Undefined if the order shows none. */
  readonly currency: string | undefined;
  /** Why its order is not there. */
  readonly missing?: string | undefined;
}

/**
 * A problem for each amount with the wrong decimals for the currency of its order, and for each whole amount in a file that has
 * decimals in that currency.
 */
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

/** The same for rows that were planned. A row whose order is not there has no currency, so nobody knows what its decimals mean. */
export function plannedProblems(
  rows: readonly InputRow[],
  planned: readonly Pick<PlanRow, 'line' | 'currency' | 'why'>[],
  style: AmountStyle,
): readonly InputProblem[] {
  const byLine = new Map(planned.map((row) => [row.line, row]));
  const all = rows.map((row) => {
    const { currency, why } = byLine.get(row.line) ?? {};
    return { row, currency, missing: currency === undefined ? why : undefined };
  });
  return decimalsProblems(all, style);
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
  const isShort = (decimals.places ?? 0) < (placesOf(currency, style) ?? 0);
  return `amount ${decimals.cell}: ${problem}${setting}${isShort ? inSheet : ''}`;
}

const inSheet = ' (in a spreadsheet: give the column the format 0.00)';

/**
 * Why a row does not agree, if its whole number is in pesos and the service counts cents; `found`: what the order shows. Undefined if that is
 * not why.
 */
export function notInUnits(
  { amount, exact, decimals }: Partial<AmountInFile>,
  found: number | bigint,
  currency: string | undefined,
  style: AmountStyle,
): string | undefined {
  const whole = exact ?? amount;
  const places = decimals === undefined ? (placesOf(currency, style) ?? 0) : 0;
  if (places === 0 || whole === undefined || whole === fullWord) return undefined;
  if (BigInt(whole) * 10n ** BigInt(places) !== BigInt(found)) return undefined;
  const [read, shown] = [whole, found].map((one) => scaled(one, currency, style));
  return `${whole} is read as ${read} ${currency}, and the order shows ${shown}: write the decimals too${inSheet}`;
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
  return `amount ${whole}: line ${beside.line} has decimals (${beside.decimals?.cell}); write ${whole} with its decimals too, or ${units} if that is meant${inSheet}`;
}

type AmountInFile = Pick<InputRow, 'exact' | 'amount' | 'decimals'>;

/** The amount of a row in this currency; undefined if it cannot be told without the order. */
export function amountInFile(
  { exact, amount, decimals }: AmountInFile,
  currency: string | undefined,
  style: AmountStyle,
): number | bigint | undefined {
  if (decimals !== undefined && amountProblem(decimals, currency, style) !== undefined) return undefined;
  return exact ?? (typeof amount === 'number' ? amount : undefined);
}

/**
 * What a row says in a currency other than that of its order, and the words for it; undefined if the file says the same currency,
 * or none.
 */
export function inOtherCurrency(
  row: AmountInFile & Pick<InputRow, 'currency'>,
  ofOrder: string | undefined,
  style: AmountStyle,
):
  | { readonly currency: string; readonly amount: number | bigint | undefined; readonly why: string }
  | undefined {
  const { currency } = row;
  if (currency === undefined || ofOrder === undefined || currency === ofOrder.toUpperCase()) return undefined;
  const amount = amountInFile(row, currency, style);
  const words = amount === undefined ? currency : amountWords(amount, currency, style);
  return { currency, amount, why: `the file says ${words}, and the order is in ${ofOrder}` };
}
