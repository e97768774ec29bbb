/** Into which bucket an order, a payment or a refund falls: its day, its reason, its card, its age. Pure. */

import { noStatus } from '../api/spec.ts';
import { type TimeUnit, timeUnits, unitOf } from './calendar.ts';
import { notShown, type OrderFact, type PaymentFact, type RefundFact } from './facts.ts';

/** What sums can be split by. */
export const dimensions = [
  'day',
  'week',
  'month',
  'reason',
  'operator',
  'brand',
  'method',
  'status',
  'origin',
  'age',
] as const;
export type Dimension = (typeof dimensions)[number];

/** The dimensions of orders. The others are known of refunds only. */
export const orderDimensions = ['day', 'week', 'month', 'status', 'brand', 'method', 'age'] as const;
/** The dimensions of orders that wait for their capture: all of them have one status. */
export const waitingDimensions = ['age', 'day', 'week', 'month', 'brand', 'method'] as const;

/** What a bucket is found with. `dayOf` gives the day of a time in the zone of the report; `now` in Unix seconds. */
export interface BucketRules {
  readonly dayOf: (seconds: number) => string | undefined;
  readonly now: number;
}

/** Whether the buckets of a dimension follow each other in time. */
export function isTimeUnit(by: Dimension | undefined): by is TimeUnit {
  return timeUnits.some((unit) => unit === by);
}

export function bucketOfRefund(refund: RefundFact, by: Dimension, rules: BucketRules): string {
  if (isTimeUnit(by)) return unitAt(refund.madeAt, by, rules);
  if (by === 'age') return ageWords(refund.paidAt, refund.madeAt ?? rules.now);
  return refund[by] ?? missing(by);
}

/** The bucket of a payment beside which refunds can be put; undefined if a payment has none, such as a reason. */
export function bucketOfPayment(
  payment: Pick<PaymentFact, 'paidAt' | 'brand' | 'method'>,
  by: Dimension,
  rules: BucketRules,
): string | undefined {
  if (isTimeUnit(by)) return unitAt(payment.paidAt, by, rules);
  return by === 'brand' || by === 'method' ? payment[by] : undefined;
}

export function bucketOfOrder(
  order: OrderFact,
  by: (typeof orderDimensions)[number],
  rules: BucketRules,
): string {
  if (isTimeUnit(by)) return unitAt(order.createdAt, by, rules);
  return by === 'age' ? ageWords(order.createdAt, rules.now) : (order[by] ?? missing(by));
}

// The word by which `orders list --status` finds these orders.
function missing(by: Dimension): string {
  return by === 'status' ? noStatus : notShown;
}

/** The buckets of `--by age`, the youngest first. */
const ages = [
  { days: 1, words: 'under 1 day' },
  { days: 3, words: '1 to 3 days' },
  { days: 7, words: '3 to 7 days' },
  { days: 30, words: '7 to 30 days' },
  { days: Number.POSITIVE_INFINITY, words: 'over 30 days' },
] as const;

/** How much time lies between two times, Unix seconds: `3 to 7 days`. */
function ageWords(from: number | undefined, to: number): string {
  if (from === undefined) return notShown;
  const days = (to - from) / 86_400;
  return ages.find((age) => days < age.days)?.words ?? notShown;
}

/** The buckets of a dimension in the order of their own; undefined if the largest comes first. */
export function ownOrder(by: Dimension): ((one: string, other: string) => number) | undefined {
  if (isTimeUnit(by)) return (one, other) => (one < other ? -1 : 1);
  if (by !== 'age') return undefined;
  const place = (bucket: string): number => {
    const at = ages.findIndex(({ words }) => words === bucket);
    return at === -1 ? ages.length : at;
  };
  return (one, other) => place(one) - place(other);
}

function unitAt(seconds: number | undefined, unit: TimeUnit, { dayOf }: BucketRules): string {
  const day = seconds === undefined ? undefined : dayOf(seconds);
  return day === undefined ? notShown : unitOf(day, unit);
}
