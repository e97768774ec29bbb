/** What a team's limits say about a whole plan: whether somebody else must approve it, and who has. */

import {
  type ApprovalRequest,
  countedAmount,
  type JournalStore,
  type PlanFinding,
  type PlannedRefunds,
  type PlanSecond,
  type SentRow,
  type TeamLimit,
} from '../../../journal/journal.ts';
import { limitNamed, limitWindowMs } from './team-limits.ts';

// The most orders to name that reach the limit.
const namedMax = 10;

interface PlanFacts {
  /** The limits of the person who wants to apply it. */
  readonly held: readonly TeamLimit[];
  readonly requests: readonly ApprovalRequest[];
  /** Whether a change belongs to the account. */
  readonly isOf: (sent: SentRow) => boolean;
  /** Unix milliseconds. */
  readonly time: number;
}

/** A plan as shown for approval. */
export interface ApprovablePlan {
  readonly digest: string;
  readonly sums: Sums;
}
type Sums = readonly { readonly currency: string; readonly amount: number }[];

/** The approval of a plan. It counts only if the approver was shown exactly the plan's sums. */
export function approvalOf(
  requests: readonly ApprovalRequest[],
  { digest, sums }: ApprovablePlan,
): ApprovalRequest | undefined {
  const text = sumsText(totalsOf(sums));
  return requests.findLast(
    ({ state, asked }) =>
      state === 'approved' &&
      'planned' in asked &&
      asked.digest === digest &&
      sumsText(totalsOf(asked.planned.sums)) === text,
  );
}

export async function checkPlan(
  asking: Pick<JournalStore, 'attempts'>,
  plan: PlannedRefunds,
  { held, requests, isOf, time }: PlanFacts,
): Promise<PlanFinding> {
  const totals = totalsOf(plan.orders);
  const approvedBy = approvalOf(requests, { digest: plan.digest, sums: plan.orders })?.decided?.operator;
  for (const [currency, total] of totals) {
    const limit = limitNamed(held, currency, 'second');
    if (limit === undefined) continue;
    const reached = (await earlierOn(asking, plan, currency, { isOf, time })).filter(
      ({ planned, earlier }) => planned + earlier >= limit.value,
    );
    const isTotal = total >= limit.value;
    if (isTotal || reached.length > 0)
      return {
        second: { limit, total: isTotal ? total : undefined, orders: reached.slice(0, namedMax) },
        approvedBy,
      };
  }
  return { second: undefined, approvedBy };
}

// What went back on each order in a currency within 24 hours, without what the plan itself sent.
async function earlierOn(
  asking: Pick<JournalStore, 'attempts'>,
  { plan, orders }: PlannedRefunds,
  currency: string,
  { isOf, time }: Pick<PlanFacts, 'isOf' | 'time'>,
): Promise<PlanSecond['orders']> {
  const own = orders.filter((order) => order.currency.toUpperCase() === currency);
  const attempts = await asking.attempts({ orderIds: new Set(own.map(({ orderId }) => orderId)) });
  const earlier = new Map<string, number>();
  for (const record of attempts) {
    const { sent } = record;
    const { orderId = '' } = sent.proof;
    if (!isOf(sent) || sent.plan === plan || sent.time <= time - limitWindowMs) continue;
    earlier.set(orderId, (earlier.get(orderId) ?? 0) + countedAmount(record));
  }
  return own.map(({ orderId, row, amount }) => ({
    row,
    planned: amount,
    earlier: earlier.get(orderId) ?? 0,
  }));
}

function totalsOf(amounts: Sums): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { currency, amount } of amounts) {
    const code = currency === '?' ? '' : currency.toUpperCase();
    totals.set(code, (totals.get(code) ?? 0) + amount);
  }
  return totals;
}

function sumsText(totals: ReadonlyMap<string, number>): string {
  return JSON.stringify([...totals].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
