/** A team's limits: what their rows set, and what they say about a refund and about a whole plan. */

import {
  type ApprovalRequest,
  countedAmount,
  type JournalStore,
  type LimitChanges,
  type LimitFinding,
  type LimitRow,
  limitValue,
  type PlanFinding,
  type PlannedRefunds,
  type PlanSecond,
  type SentRow,
  type TeamLimit,
  teamLimitNames,
} from '../../../journal/journal.ts';

/** Limits count what went back within this time. */
export const limitWindowMs = 24 * 60 * 60_000;

/** The limits after these rows. For each member, currency and name, the last row counts. */
export function limitsIn(rows: readonly LimitRow[]): readonly TeamLimit[] {
  const limits = new Map<string, TeamLimit>();
  for (const { member, currency, name: written, to, operator: setBy, time: setAt } of rows) {
    const name = teamLimitNames.find((one) => one === written);
    const key = `${member} ${currency} ${written}`;
    limits.delete(key);
    if (name === undefined || to === null) continue;
    limits.set(key, { member, currency, name, value: to === 'none' ? to : Number(to), setBy, setAt });
  }
  return [...limits].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, limit]) => limit);
}

/** The limits that apply to a member: their own and everybody's. */
export function limitsFor(limits: readonly TeamLimit[], member: string): readonly TeamLimit[] {
  return limits.filter((limit) => limit.member === member || limit.member === '*');
}

/** The value of a limit as in a row: `500`, `none`; null if not set. */
export function limitText(limit: TeamLimit | undefined): string | null {
  return limit === undefined ? null : String(limit.value);
}

/** A limit that applies: the member's own, or else everybody's. */
function limitNamed(
  held: readonly TeamLimit[],
  currency: string,
  name: TeamLimit['name'],
): (TeamLimit & { readonly value: number }) | undefined {
  const found = held.filter((limit) => limit.currency === currency && limit.name === name);
  const limit = found.find(({ member }) => member !== '*') ?? found[0];
  return limit === undefined || limit.value === 'none' ? undefined : { ...limit, value: limit.value };
}

/**
 * What new limits allow beyond the old ones, in words, for anybody they apply to: a limit that is higher or gone, a reason or
 * note no longer needed, a currency no longer refused. Empty if nothing. `inWords` writes amounts.
 */
export function teamRaises(
  before: readonly TeamLimit[],
  changes: LimitChanges,
  inWords?: (amount: number) => string,
): readonly string[] {
  const { member, currency } = changes;
  const after = withChanges(before, changes);
  const people = [member, ...(member === '*' ? before.map((limit) => limit.member) : [])];
  const words = people.flatMap((one) => {
    const [was, is] = [limitsFor(before, one), limitsFor(after, one)];
    if (was.length > 0 && is.length === 0) return ['no limit in any currency'];
    if (isRefused(was, currency) && !isRefused(is, currency))
      return [`refunds in ${currency}, which are refused now`];
    return teamLimitNames.flatMap((name) => {
      const [from, to] = [limitNamed(was, currency, name), limitNamed(is, currency, name)];
      const text = (limit: TeamLimit | undefined) => limitValue(name, limitText(limit) ?? 'none', inWords);
      return allowed(name, to) > allowed(name, from) ? [`${name} ${text(to)} instead of ${text(from)}`] : [];
    });
  });
  return [...new Set(words)];
}

function withChanges(before: readonly TeamLimit[], { member, currency, values }: LimitChanges) {
  const isNew = ({ name }: TeamLimit) => values[name] !== undefined;
  const kept = before.filter(
    (limit) => limit.member !== member || limit.currency !== currency || !isNew(limit),
  );
  const set = teamLimitNames.flatMap((name): readonly TeamLimit[] => {
    const value = values[name];
    return value === undefined || value === null
      ? []
      : [{ member, currency, name, value, setBy: '', setAt: 0 }];
  });
  return [...kept, ...set];
}

function allowed(name: TeamLimit['name'], limit: { readonly value: number } | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  return name === 'reason' || name === 'note' ? -limit.value : limit.value;
}

// Once any limit is set for somebody, they cannot refund in a currency without one.
function isRefused(held: readonly TeamLimit[], currency: string): boolean {
  return held.length > 0 && !held.some((one) => one.currency === currency);
}

interface LimitedRefund
  extends Pick<LimitFinding, 'amount' | 'besides' | 'currency' | 'ofOrder' | 'ofMember'> {
  readonly reason: string | undefined;
  readonly saysNote: boolean;
  /** The age of its order in days; undefined if the order does not say. */
  readonly ageDays: number | undefined;
}

/** What a member's limits say about a refund: the first that forbids it, or whether somebody else must approve it. */
export function findingFor(held: readonly TeamLimit[], refund: LimitedRefund): LimitFinding {
  const { reason, saysNote, ageDays = Number.POSITIVE_INFINITY, ...figures } = refund;
  const { besides = 0, currency, ofOrder, ofMember } = figures;
  const amount = figures.amount + besides;
  const limit = (name: TeamLimit['name']) => limitNamed(held, currency, name);
  const forbids = (problem: LimitFinding['problem'], of: TeamLimit | undefined): LimitFinding => ({
    ...figures,
    problem,
    limit: of,
    needsSecond: false,
  });
  if (isRefused(held, currency)) return forbids('currency', undefined);
  const [max, day, needsReason, needsNote] = [limit('max'), limit('day'), limit('reason'), limit('note')];
  if (max !== undefined && ofOrder + amount > max.value) return forbids('max', max);
  const age = limit('age');
  if (age !== undefined && ageDays > age.value) return forbids('age', age);
  if (day !== undefined && ofMember + amount > day.value) return forbids('day', day);
  if (needsReason?.value === 1 && (reason ?? '') === '') return forbids('reason', needsReason);
  if (needsNote?.value === 1 && !saysNote) return forbids('note', needsNote);
  const second = limit('second');
  const needsSecond = second !== undefined && ofOrder + amount >= second.value;
  return { ...figures, problem: undefined, limit: second, needsSecond };
}

// ── Plans ───────────────────────────────────────────────────────────────────────────────────────

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
