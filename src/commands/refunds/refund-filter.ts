/** Which refunds `refunds list` shows: the flags that choose them, and what to say of a word that matched none. */

import { plainAmounts } from '../../amounts.ts';
import { refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag, type Input } from '../../flags/flags.ts';
import { refundStates } from '../../orders/orders.ts';
import { commandLine, environmentName } from '../../profiles/profiles.ts';
import { elsewhere, type RefundFact } from '../../reports/reports.ts';
import { amountRange } from '../orders/order-filters.ts';
import type { Source } from '../report/report-source.ts';

export const refundFilterFlags = {
  'min-amount': flag.typedAmount(
    'N',
    'only refunds of this amount or more: 400000; with amounts.decimals also 4000.00',
  ),
  'max-amount': flag.typedAmount('N', 'only refunds of this amount or less'),
  operator: flag.text('NAME', 'only refunds that this person sent'),
  'asked-by': flag.text('NAME', 'only refunds that this person asked for'),
  reason: flag.choice(refundReasonValues, 'R', 'only refunds that were sent with this reason'),
  'approved-by': flag.text('NAME', 'only refunds that this person approved'),
  state: flag.choice(refundStates, 'STATE', 'only refunds in this state'),
} as const;

type FilterInput = Input<readonly [], typeof refundFilterFlags>['flags'];

// What each word is compared with.
const wordOf = {
  operator: ({ operator }: RefundFact) => operator,
  'asked-by': ({ origin, approval }: RefundFact) =>
    origin === elsewhere ? elsewhere : (approval?.asked_by ?? undefined),
  reason: ({ reason }: RefundFact) => reason,
  'approved-by': ({ approval }: RefundFact) => approval?.approved_by ?? undefined,
  state: ({ state }: RefundFact) => state,
} as const;
const names = ['operator', 'asked-by', 'reason', 'approved-by', 'state'] as const;

// What the journal says of a refund while its order does not show it.
const notShown = ['unconfirmed', 'recorded made', 'recorded not made', 'gone'] as const;

/** Turns the flags into a filter. Throws CliError 'usage' if no refund can pass. */
export function refundFilter(ctx: Context, flags: FilterInput, { profile }: Source) {
  const plain = { kind: 'environment', name: environmentName, settings: plainAmounts } as const;
  const owner = profile ?? plain;
  const amounts = amountRange(flags, owner);
  const open = flags.state === 'unconfirmed' ? ['--open'] : [];
  const listed = commandLine(owner, 'journal', 'list', ...open);
  for (const line of amounts.warnings) ctx.notes.warn(line);
  const asked = names.flatMap((name) => (flags[name] === undefined ? [] : [{ name, word: flags[name] }]));
  const seen = new Map(asked.map(({ name }) => [name, new Set<string>()]));
  let unpriced = 0;
  let all = 0;
  return {
    accepts(refund: RefundFact): boolean {
      all += 1;
      for (const { name } of asked) seen.get(name)?.add(wordOf[name](refund) ?? 'nobody');
      if (asked.some(({ name, word }) => wordOf[name](refund) !== word)) return false;
      if (amounts.isOpen) return true;
      if (refund.amount === undefined) unpriced += 1;
      return refund.amount !== undefined && amounts.holds(refund.amount, refund.currency);
    },
    /** `41 refunds`; or `16 of 41 refunds`, so that nobody takes a part for the whole period. */
    countWords: (found: number): string =>
      asked.length === 0 && amounts.isOpen
        ? counted(found, 'refund')
        : `${found} of ${counted(all, 'refund')}`,
    /** What a word that matched nothing may have meant, and what could not be compared. */
    lines: (): readonly string[] => [
      ...asked
        .filter(({ name, word }) => seen.get(name)?.has(word) === false)
        .map(({ name, word }) => {
          if (name === 'state' && notShown.some((state) => state === word))
            return `--state ${word}: no order shows such a refund of this period; what was sent from here and no order shows: ${listed}`;
          const others = [...(seen.get(name) ?? [])].toSorted();
          return `--${name} ${word}: none of this period${others.length === 0 ? '' : `; there is ${others.join(', ')}`}`;
        }),
      ...(unpriced === 0
        ? []
        : [`${counted(unpriced, 'refund')} left out: no amount is shown, so it cannot be compared`]),
    ],
  };
}
