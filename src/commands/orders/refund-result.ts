/** The result of a refund as people see it. Pure. */

import { type OrderMoney, readMoney } from '../../api/charges.ts';
import type { FoundRefund } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Applied } from '../outcome.ts';
import { journalWords } from '../send-named.ts';
import { titleLine } from '../title.ts';
import { brandAndCard, paidBy } from './card.ts';
import { refundedSum } from './money-view.ts';
import type { RefundPlan } from './refund-plan.ts';

/** What went where, the refund's id, and what is left. */
export function refundResult(plan: RefundPlan, applied: Applied, profile: Profile): readonly Block[] {
  const reading = readMoney(applied.record.value);
  const after = 'money' in reading ? reading.money : plan.money;
  const currency = after.currency ?? '';
  const before = refundedSum(plan.money);
  const refunded = refundedSum(after);
  return [
    titleLine(`refunded ${plan.amount} ${currency} to ${destination(plan)}`, profile, 'good'),
    { line: `order    ${after.id}   ${statusWords(plan.money.status, after.status)}` },
    ...refundLines(applied.refunds ?? [], after),
    {
      line: `money    ${before} -> ${refunded} refunded of ${after.amount}; ${after.amount - refunded} left${journalWords(applied.intent)}`,
    },
    ...(applied.by === 'read'
      ? [{ line: 'confirmed by a read, since no usable answer came: this refund is ours or identical' }]
      : []),
  ];
}

// With several the amount says which is which, and the time is the same.
function refundLines(refunds: readonly FoundRefund[], { charges }: OrderMoney): readonly Block[] {
  const [only, second] = refunds;
  if (only !== undefined && second === undefined) {
    const when = { time: only.createdAt, precision: 'full' } as const;
    return [
      {
        line: [
          `refund   ${only.id ?? 'no id shown'}   `,
          when,
          `   auth ${only.authCode ?? '-'}${stateWords(only.status)}`,
        ],
        hang: 9,
      },
    ];
  }
  return refunds.map(({ id, amount, chargeId, authCode, status }) => {
    const charge = charges.find((one) => one.id === chargeId);
    const card = charge === undefined ? chargeId : paidBy(charge.value);
    return {
      line: `refund   ${id ?? 'no id shown'}   ${amount} to ${card}   auth ${authCode ?? '-'}${stateWords(status)}`,
      hang: 9,
    };
  });
}

// A word that is not documented, as received: pending is not yet money.
function stateWords(status: string | undefined): string {
  return status === undefined ? '' : `   ${status}`;
}

function destination({ charge, money, expected }: RefundPlan): string {
  const targets =
    charge === undefined
      ? money.charges.filter(({ id }) => expected.some((one) => one.chargeId === id))
      : [charge];
  return targets.map(({ value }) => brandAndCard(value)).join(', ');
}

function statusWords(before: string | undefined, after: string | undefined): string {
  if (after === undefined) return 'status not shown';
  return before === after ? `${after}, as before` : `${before ?? 'status not shown'} -> ${after}`;
}
