/** Compares a plan with what a person counted: `--expect-count` and `--expect-total`. Pure. */

import { currencyPattern, parseAmount } from '../api/spec.ts';
import type { ControlTotals, PlanSum } from './plan-types.ts';

/** As typed: `MXN=23000`. */
export interface ExpectedTotal {
  readonly currency: string;
  readonly amount: number;
}

/** Reads `CUR=N`. The currency is returned in capital letters. Undefined for other texts. */
export function readExpectedTotal(text: string): ExpectedTotal | undefined {
  const [currency = '', typed = '', ...more] = text.split('=', 3);
  const amount = parseAmount(typed);
  if (!currencyPattern.test(currency) || amount === undefined || more.length > 0) return undefined;
  return { currency: currency.toUpperCase(), amount };
}

/** The flags that a person or script must still add: a count, and at least one total. */
export function missingTotals({ count, totals }: ControlTotals): readonly string[] {
  return [
    ...(count === undefined ? ['--expect-count N'] : []),
    ...(totals.length > 0 ? [] : ['--expect-total CUR=N']),
  ];
}

/**
 * What differs, one sentence each; none if all is as expected. If any total is given, there must be one for each currency of the
 * plan. Without a count and totals, nothing is compared.
 */
export function controlTotalProblems(
  expected: ControlTotals,
  { rows, sums }: { readonly rows: number; readonly sums: readonly PlanSum[] },
): readonly string[] {
  const found = new Map<string, PlanSum>();
  for (const { currency, rows: count, amount } of sums) {
    // A service may write a currency both as `mxn` and `MXN`.
    const code = currency.toUpperCase();
    const before = found.get(code);
    found.set(code, {
      currency: before === undefined ? currency : code,
      rows: count + (before?.rows ?? 0),
      amount: amount + (before?.amount ?? 0),
    });
  }
  const named = new Set(expected.totals.map(({ currency }) => currency));
  const count =
    expected.count === undefined || expected.count === rows
      ? []
      : [`--expect-count ${expected.count}: there ${isRows(rows)}`];
  const totals = expected.totals.flatMap(({ currency, amount }) => {
    const sum = found.get(currency)?.amount ?? 0;
    return sum === amount
      ? []
      : [`--expect-total ${currency}=${amount}: the rows add up to ${sum} ${currency}`];
  });
  const more = [...found.values()].filter((sum) => named.size > 0 && !named.has(sum.currency.toUpperCase()));
  return [...count, ...totals, ...more.map(moreWords)];
}

function moreWords({ currency, rows, amount }: PlanSum): string {
  return currencyPattern.test(currency)
    ? `there ${isRows(rows)} in ${currency} too, ${amount} in all: --expect-total ${currency}=${amount} is missing`
    : `there ${isRows(rows)} without a currency, ${amount} in all`;
}

function isRows(rows: number): string {
  return rows === 1 ? 'is 1 row' : `are ${rows} rows`;
}
