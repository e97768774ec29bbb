/**
 * Decides into which bucket an order, a payment or a refund falls: its reason, its card, its age, or its day, week or month of
 * the calendar, as texts that sort by time.
 */

import { dayMs, noStatus } from '../api/spec.ts';
import { elsewhere, notShown, type OrderFact, type PaymentFact, type RefundFact } from './facts.ts';

/** What sums can be split by. */
export const dimensions = [
  'day',
  'week',
  'month',
  'reason',
  'operator',
  'approver',
  'brand',
  'method',
  'status',
  'origin',
  'age',
] as const;
export type Dimension = (typeof dimensions)[number];

/** The dimensions of orders. The others are known only for refunds. */
export const orderDimensions = ['day', 'week', 'month', 'status', 'brand', 'method', 'age'] as const;
export type OrderDimension = (typeof orderDimensions)[number];
/** The dimensions of orders that wait for their capture, without `status`, since all these orders have the same one. */
export const waitingDimensions = ['age', 'day', 'week', 'month', 'brand', 'method'] as const;

/** What sums are split by: one dimension, or a pair of them. */
export type Split<D extends Dimension = Dimension> = D | readonly D[];

// No name of a bucket has it.
const between = '\n';

/** The names of a bucket, one for each dimension of its split. */
export function namesOf(bucket: string): readonly string[] {
  return bucket.split(between);
}

/** Stands instead of the approver of a refund that needed none. */
export const notApproved = 'nobody';

/** What is needed to find a bucket. `dayOf` gives the day of a time in the zone of the report; `now` in Unix seconds. */
export interface BucketRules {
  readonly dayOf: (seconds: number) => string | undefined;
  readonly now: number;
}

/** Whether the buckets of a split follow each other in time. */
export function isTimeUnit(by: Split | undefined): by is TimeUnit {
  return timeUnits.some((unit) => unit === by);
}

// The bucket has a name for each dimension; undefined if one of them has none.
function bucketOf<D extends Dimension>(by: Split<D>, nameOf: (one: D) => string | undefined) {
  const names = (typeof by === 'string' ? [by] : by).map(nameOf);
  return names.includes(undefined) ? undefined : names.join(between);
}

export function bucketOfRefund(refund: RefundFact, by: Split, rules: BucketRules): string | undefined {
  return bucketOf(by, (one) => {
    if (isTimeUnit(one)) return unitAt(refund.madeAt, one, rules);
    if (one === 'age') return ageWords(refund.paidAt, refund.madeAt ?? rules.now);
    return one === 'approver' ? approverOf(refund) : (refund[one] ?? missing(one));
  });
}

/** Who approved a refund; `nobody` if it needed no approval. */
export function approverOf({ approval, origin }: RefundFact): string {
  return approval?.approved_by ?? (origin === elsewhere ? elsewhere : notApproved);
}

/** The bucket of a payment, so that refunds can be put beside it; undefined for a dimension that payments do not have, such as `reason`. */
export function bucketOfPayment(
  payment: Pick<PaymentFact, 'paidAt' | 'brand' | 'method'>,
  by: Split,
  rules: BucketRules,
): string | undefined {
  return bucketOf(by, (one) => {
    if (isTimeUnit(one)) return unitAt(payment.paidAt, one, rules);
    return one === 'brand' || one === 'method' ? payment[one] : undefined;
  });
}

export function bucketOfOrder(order: OrderFact, by: Split<OrderDimension>, rules: BucketRules) {
  return bucketOf(by, (one) => {
    if (isTimeUnit(one)) return unitAt(order.createdAt, one, rules);
    return one === 'age' ? ageWords(order.createdAt, rules.now) : (order[one] ?? missing(one));
  });
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

/** How much time is between two times (Unix seconds), as a bucket: `3 to 7 days`. */
function ageWords(from: number | undefined, to: number): string {
  if (from === undefined) return notShown;
  const days = (to - from) / 86_400;
  return ages.find((age) => days < age.days)?.words ?? notShown;
}

type Order = (one: string, other: string) => number;

const byName: Order = (one, other) => (one === other ? 0 : one < other ? -1 : 1);

/** How to sort the buckets of a split that has an order of its own; undefined if the largest comes first. */
export function ownOrder(by: Split): Order | undefined {
  if (typeof by === 'string') return orderOf(by);
  // What has the same first name stands together.
  const [first = byName, second = () => 0] = by.map(orderOf);
  return (one, other) => {
    const [[a = '', b = ''], [c = '', d = '']] = [namesOf(one), namesOf(other)];
    return first(a, c) || second(b, d);
  };
}

function orderOf(by: Dimension): Order | undefined {
  if (isTimeUnit(by)) return byName;
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

/** The units of time into which sums can be split. */
export const timeUnits = ['day', 'week', 'month'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** The unit of a day: the day itself, its ISO week, or its month. */
export function unitOf(day: string, unit: TimeUnit): string {
  if (unit === 'day') return day;
  return unit === 'month' ? day.slice(0, -3) : weekOf(day);
}

/** The ISO week of a day, `2026-W47`. A week belongs to the year of its Thursday. */
export function weekOf(day: string): string {
  const thursday = midnight(day) + (3 - weekdayOf(day)) * dayMs;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}

/** The Monday of an ISO week, as midnight in UTC. Undefined if the year has no such week. */
export function mondayOf(year: number, week: number): number | undefined {
  // The fourth of January is always in week 1.
  const fourth = new Date(Date.UTC(year, 0, 4)).toISOString().slice(0, 10);
  const monday = midnight(fourth) - weekdayOf(fourth) * dayMs + (week - 1) * 7 * dayMs;
  const day = new Date(monday).toISOString().slice(0, 10);
  return weekOf(day) === `${year}-W${String(week).padStart(2, '0')}` ? monday : undefined;
}

/** The place of a day in its week: 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(midnight(day)).getUTCDay() + 6) % 7;
}

/** Every day from the first to the last, both included. None if the last comes before the first. */
export function daysFrom(first: string, last: string): readonly string[] {
  const count = Math.max(0, Math.round((midnight(last) - midnight(first)) / dayMs) + 1);
  return Array.from({ length: count }, (_, index) =>
    new Date(midnight(first) + index * dayMs).toISOString().slice(0, 10),
  );
}

/** Every unit from that of the first day to that of the last, each once. */
export function unitsFrom(first: string, last: string, unit: TimeUnit): readonly string[] {
  return [...new Set(daysFrom(first, last).map((day) => unitOf(day, unit)))];
}

function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
