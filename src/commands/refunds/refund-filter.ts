/** The filters of `refunds list`: by the refund itself and by who made it, not by its order. */

import { plainAmounts } from '../../amounts.ts';
import { refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag, type Input } from '../../flags/flags.ts';
import { refundStates } from '../../orders/orders.ts';
import { environmentName } from '../../profiles/profiles.ts';
import type { RefundFact } from '../../reports/reports.ts';
import { amountRange } from '../orders/order-filters.ts';
import type { Source } from '../report/report-source.ts';

export const refundFilterFlags = {
  'min-amount': flag.typedAmount({
    value: 'N',
    summary: 'only refunds of this amount or more: 400000; with amounts.decimals also 4000.00',
  }),
  'max-amount': flag.typedAmount({ value: 'N', summary: 'only refunds of this amount or less' }),
  operator: flag.text({ value: 'NAME', summary: 'only refunds that this person sent' }),
  reason: flag.choice(refundReasonValues, {
    value: 'R',
    summary: 'only refunds that were sent with this reason',
  }),
  'approved-by': flag.text({ value: 'NAME', summary: 'only refunds that this person approved' }),
  state: flag.choice(refundStates, { value: 'STATE', summary: 'only refunds in this state' }),
} as const;

type FilterInput = Input<readonly [], typeof refundFilterFlags>['flags'];

// What each word is compared with.
const wordOf = {
  operator: ({ operator }: RefundFact) => operator,
  reason: ({ reason }: RefundFact) => reason,
  'approved-by': ({ approval }: RefundFact) => approval?.approved_by ?? undefined,
  state: ({ state }: RefundFact) => state,
} as const;
const names = ['operator', 'reason', 'approved-by', 'state'] as const;

/** Turns the flags into a filter. Throws CliError 'usage' if no refund can pass. */
export function refundFilter(ctx: Context, flags: FilterInput, { profile }: Source) {
  const plain = { kind: 'environment', name: environmentName, settings: plainAmounts } as const;
  const amounts = amountRange(flags, profile ?? plain);
  for (const line of amounts.warnings) ctx.notes.warn(line);
  const asked = names.flatMap((name) => (flags[name] === undefined ? [] : [{ name, word: flags[name] }]));
  const seen = new Map(asked.map(({ name }) => [name, new Set<string>()]));
  let unpriced = 0;
  return {
    accepts(refund: RefundFact): boolean {
      for (const { name } of asked) seen.get(name)?.add(wordOf[name](refund) ?? 'nobody');
      if (asked.some(({ name, word }) => wordOf[name](refund) !== word)) return false;
      if (amounts.isOpen) return true;
      if (refund.amount === undefined) unpriced += 1;
      return refund.amount !== undefined && amounts.holds(refund.amount, refund.currency);
    },
    /** What a word that matched nothing may have meant, and what could not be compared. */
    lines: (): readonly string[] => [
      ...asked
        .filter(({ name, word }) => seen.get(name)?.has(word) === false)
        .map(({ name, word }) => {
          const others = [...(seen.get(name) ?? [])].toSorted();
          return `--${name} ${word}: none of this period${others.length === 0 ? '' : `; there is ${others.join(', ')}`}`;
        }),
      ...(unpriced === 0
        ? []
        : [`${counted(unpriced, 'refund')} left out: no amount is shown, so it cannot be compared`]),
    ],
  };
}
