/** What `refunds compare` and `orders compare` have in common: a row of a file beside what was found for it, and their verdicts. Pure. */

import type { AmountStyle } from '../../amounts.ts';
import { amountInFile, type inOtherCurrency } from '../../changes/changes.ts';
import type { InputRow } from '../../plans/plans.ts';
import type { Figure } from '../../reports/reports.ts';

/** A row of the file and how it ended. */
export interface ComparedRow<Verdict extends string = string> {
  /** Undefined for what was found and is in no row. */
  readonly row: InputRow | undefined;
  readonly verdict: Verdict;
  readonly why: string | undefined;
  /** What the file says; undefined if that is not known. */
  readonly wanted: Figure | undefined;
  /** The currency of `wanted`, if the file says another one than that of the order. */
  readonly wantedCurrency?: string;
  readonly currency: string | undefined;
}

/**
 * The words for the verdicts of both:
 * - `other_currency`: the file says a currency other than that of the order, so nothing was found in its own currency
 * - `twice_in_file`: what was found for it counts for another row
 * - `not_found`: there is no such order or charge
 * - `not_in_file`: something was found that no row is about
 *
 * Both also have `not_shown`, each in its own words: the order is there, and does not show all that was charged or refunded.
 */
export const sharedVerdicts = {
  other_currency: 'in another currency than the file says',
  twice_in_file: 'twice in the file',
  not_found: 'not found',
  not_in_file: 'not in the file',
} as const;

/** Why a row has nothing: what was found for it counts for this other one. */
export function countedWords({ line }: InputRow): string {
  return `counted for line ${line} already`;
}

/** A row of which no order or charge was found: only the file says its amount. `currency`: in which it is read. */
export function notFoundRow(
  row: InputRow,
  why: string | undefined,
  currency: string | undefined,
  style: AmountStyle,
) {
  const wanted = amountInFile(row, currency, style);
  return {
    row,
    verdict: 'not_found',
    why: sentences([why, needsCurrency(row, currency)]),
    wanted,
    currency,
  } as const;
}

/** The currency of a row whose order was not found: that of the file, or else the only one with declared decimals. */
export function currencyInFile({ currency }: InputRow, { 'amounts.decimals': declared }: AmountStyle) {
  const [only, second] = Object.keys(declared);
  return currency ?? (second === undefined ? only : undefined);
}

// Why the amount of such a row is in no sum, and how to mend that.
function needsCurrency({ decimals }: InputRow, currency: string | undefined): string | undefined {
  return decimals === undefined || currency !== undefined
    ? undefined
    : `nothing says the currency of ${decimals.cell}, so it is in no sum: write the currency in a column currency`;
}

/** What is said about a row in a currency other than that of its order: amounts in two currencies are not compared. */
export function besideOther<Verdict extends string>(
  { row, verdict, why }: Pick<ComparedRow<Verdict>, 'row' | 'verdict' | 'why'>,
  other: NonNullable<ReturnType<typeof inOtherCurrency>>,
  isByAmount: (verdict: Verdict) => boolean,
) {
  return {
    verdict: isByAmount(verdict) ? ('other_currency' as const) : verdict,
    wanted: row?.isFailed === true ? 0 : other.amount,
    wantedCurrency: other.currency,
    why: sentences([other.why, why]),
  };
}

/** Reasons in one text, each only once. */
export function sentences(words: readonly (string | undefined)[]): string | undefined {
  return [...new Set(words.filter((one) => one !== undefined))].join('; ') || undefined;
}
