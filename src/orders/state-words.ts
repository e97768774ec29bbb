/** Why a refund is not simply made, in one sentence with the command that helps. Pure. */

import { type AmountStyle, amountWords } from '../amounts.ts';
import type { KnownRefund } from './known-order.ts';

/** Undefined if it was made, once, and the order shows it. */
export function stateWhy(refund: KnownRefund, currency: string | undefined, amounts: AmountStyle) {
  const { state, record, attempt, amount } = refund;
  const journal = (verb: string) =>
    attempt === undefined ? '' : `: paydesk journal ${verb} ${attempt.sent.intent}`;
  const who = attempt?.verdicts.findLast(({ by }) => by === 'person')?.operator ?? 'somebody';
  const sum = amount === undefined ? 'a refund' : amountWords(amount, currency, amounts);
  switch (state) {
    case 'made':
    case 'elsewhere':
      return undefined;
    case 'gone':
      return `${sum} was made, and the order does not show it any more${journal('show')}`;
    case 'pending':
      return `${record?.id ?? 'a refund'} is pending: the service has taken it up, and the money has not gone back yet`;
    case 'failed':
      return `${record?.id ?? 'a refund'} of ${sum} failed after it was made: that money did not go back`;
    case 'unconfirmed':
      if (record !== undefined && record.meaning !== 'made')
        return `${record.id} has the status ${record.status ?? ''}, which paydesk does not know`;
      return record === undefined
        ? `a refund sent from here is unconfirmed${journal('reconcile')}`
        : `probably ours and not confirmed yet${journal('reconcile')}`;
    case 'made twice':
      return `made twice${journal('show')}`;
    case 'appeared':
      return `${who} recorded that it was not made, and it appeared${journal('show')}`;
    case 'recorded made':
      return `${sum} recorded made by ${who}, and the order does not show it${journal('show')}`;
    case 'recorded not made':
      return `${who} recorded that ${sum} was not made, and it may still appear${journal('show')}`;
  }
}
