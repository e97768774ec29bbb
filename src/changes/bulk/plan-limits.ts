/** The limits that a profile sets for plans: how much a plan may refund per currency, and how many rows it may have. Pure. */

import { amountWords, figureWords } from '../../amounts.ts';
import type { Settings } from '../../profiles/profiles.ts';

type PlanLimits = Pick<
  Settings,
  'plan.max_total' | 'plan.max_count' | 'refund.other_currencies' | 'amounts.decimals' | 'amounts.grouping'
>;

/** What a plan would refund. */
interface PlanTotals {
  readonly rows: number;
  /** A currency that no order shows is `?`. */
  readonly sums: readonly { readonly currency: string; readonly amount: number }[];
}

/** A sentence for each limit that the plan is over, which names the setting. Empty if the plan may be sent. */
export function planLimitProblems(settings: PlanLimits, { rows, sums }: PlanTotals): string[] {
  const most = settings['plan.max_count'];
  const count =
    most !== undefined && rows > most ? [`the plan would send ${rows} rows: plan.max_count is ${most}`] : [];
  const isLimited = Object.keys(settings['plan.max_total']).length > 0;
  return isLimited ? [...count, ...totalProblems(settings, sums)] : count;
}

function totalProblems(settings: PlanLimits, sums: PlanTotals['sums']): string[] {
  const totals = new Map<string, number>();
  for (const { currency, amount } of sums) {
    // A service may write one currency as `mxn` and as `MXN`. Both count for the same limit.
    const code = currency.toUpperCase();
    totals.set(code, (totals.get(code) ?? 0) + amount);
  }
  return [...totals].flatMap(([currency, total]) => totalProblem(settings, currency, total) ?? []);
}

function totalProblem(settings: PlanLimits, currency: string, total: number): string | undefined {
  if (currency === '?') return 'orders of the plan do not show their currency, and there is a plan.max_total';
  const limit = settings['plan.max_total'][currency];
  const sum = amountWords(total, currency, settings);
  if (limit !== undefined && total > limit)
    return `the plan would refund ${sum}: plan.max_total.${currency} is ${figureWords(limit, currency, settings)}`;
  if (limit === undefined && settings['refund.other_currencies'] === 'refuse')
    return `the plan would refund ${sum}: there is no plan.max_total.${currency}, and refund.other_currencies is refuse`;
  return undefined;
}
