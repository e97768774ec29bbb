/** The result of a refund as people see it. Pure. */

import { readMoney } from '../../api/charges.ts';
import type { Block, Profile } from '../../ports.ts';
import type { Applied } from '../outcome.ts';
import { titleLine } from '../title.ts';
import { brandAndCard } from './card.ts';
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
    ...(applied.refunds ?? []).map(
      (one): Block => ({
        line: [
          `refund   ${one.id ?? 'no id shown'}   ${one.amount} ${currency}   `,
          { time: one.createdAt, precision: 'full' },
          `   auth ${one.authCode ?? '-'}`,
        ],
      }),
    ),
    {
      line: `money    ${before} -> ${refunded} refunded of ${after.amount}; ${after.amount - refunded} left${journal(applied)}`,
    },
    ...(applied.by === 'read'
      ? [{ line: 'confirmed by a read, since no usable answer came: this refund is ours or identical' }]
      : []),
  ];
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

function journal({ intent }: Applied): string {
  return intent === undefined ? '' : `      journal ${intent}`;
}
