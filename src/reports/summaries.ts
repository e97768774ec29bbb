/** Adds up the facts of a period, for each bucket and each currency: refunds beside the payments of the same time, or orders. */

import { isWithin, statuses, type TimeRange } from '../api/spec.ts';
import {
  type BucketRules,
  bucketOfOrder,
  bucketOfPayment,
  bucketOfRefund,
  type OrderDimension,
  ownOrder,
  type Split,
} from './buckets.ts';
import { type Figure, largestFirst, negated, plus, sumOf } from './exact-sum.ts';
import type { Facts, OrderFact, PaymentFact, RefundFact } from './facts.ts';

/** What is added up. */
export interface SummaryQuery<By> {
  readonly span: TimeRange;
  readonly by: By;
  /** Only this currency, in capitals or not. */
  readonly currency: string | undefined;
  readonly rules: BucketRules;
}

/** What was read and is missing from the sums. */
export interface Gaps {
  /** Records without the date that the period asks for, each with its order. */
  readonly undated: readonly string[];
  /** The orders that do not show all that the sums need, each with the reason. */
  readonly hidden: readonly string[];
}

/** Figures by day for each currency; '' where the service shows none. */
export type DaysByCurrency = ReadonlyMap<string, ReadonlyMap<string, Figure>>;

export interface Summary<Name extends string> {
  readonly totals: readonly Line<Name>[];
  readonly buckets: readonly Line<Name>[];
  readonly days: DaysByCurrency;
  readonly gaps: Gaps;
}

export const refundNames = [
  'refunds',
  'refunded',
  'pending',
  'failed',
  'unconfirmed',
  'recorded_made',
  'recorded_not_made',
  'pending_refunds',
  'failed_refunds',
  'unconfirmed_refunds',
  'recorded_made_refunds',
  'recorded_not_made_refunds',
  'payments',
  'paid',
  'net',
  'refunded_of_paid',
  'unsummed',
] as const;
/**
 * `pending`, `failed`, `unconfirmed`: refunds whose record says that; those with a status that nobody knows are `unconfirmed`. No
 * other sum has them. `unconfirmed`, `recorded_made` and `recorded_not_made` also have refunds that only the journal knows and no
 * order shows; in `recorded_not_made` they are only while they may still go through. How many there are is in `pending_refunds` and
 * so on. `net`: what was paid less what went back. `refunded_of_paid`: what went back, at any time, of the payments of the
 * period. `unsummed`: refunds and payments without an amount.
 */
export type RefundSum = (typeof refundNames)[number];
const orderNames = ['orders', 'amount', 'paid', 'refunded', 'net', 'hidden', 'unsummed'] as const;
/**
 * `hidden`: orders that do not show everything that was paid for them in their currency. If a line has any, its `paid` and `net`
 * say nothing.
 */
export type OrderSum = (typeof orderNames)[number];

/** Whether a record has the currency that was asked for. */
export function hasCurrency(asked: string | undefined, shown: string | undefined): boolean {
  return asked === undefined || asked.toUpperCase() === shown?.toUpperCase();
}

/** The refunds that were made in the period, and the payments of the same period. */
export function summariseRefunds({ span, by, currency, rules }: SummaryQuery<Split>) {
  const { add, days, gaps, result } = createSums(refundNames, 'refunded', by, rules);
  const addRefund = (refund: RefundFact): void => {
    if (!hasCurrency(currency, refund.currency)) return;
    const { amount, paidAt, madeAt, meaning } = refund;
    if (meaning === 'made' && paidAt !== undefined && isWithin(span, paidAt))
      add(bucketOfPayment(refund, by, rules), refund.currency, { refunded_of_paid: amount ?? 0 });
    if (madeAt === undefined) gaps.undated(refund, refund.id ?? 'a refund');
    if (madeAt === undefined || !isWithin(span, madeAt)) return;
    add(bucketOfRefund(refund, by, rules), refund.currency, refundFigures(groupOf(refund)));
    if (meaning === 'made') days.add(refund.currency, madeAt, amount);
  };
  const addPayment = (payment: PaymentFact): void => {
    if (!hasCurrency(currency, payment.currency)) return;
    const { amount, paidAt } = payment;
    if (paidAt === undefined) gaps.undated(payment, payment.chargeId ?? 'a charge');
    if (paidAt === undefined || !isWithin(span, paidAt)) return;
    const unsummed = amount === undefined ? 1 : 0;
    add(bucketOfPayment(payment, by, rules), payment.currency, {
      payments: 1,
      paid: amount ?? 0,
      net: amount ?? 0,
      unsummed,
    });
  };
  return {
    add({ refunds, payments, problem }: Facts): void {
      gaps.problem(problem);
      refunds.forEach(addRefund);
      payments.forEach(addPayment);
    },
    result,
  };
}

type RefundFigures = Readonly<Partial<Record<RefundSum, Figure>>>;

/** Refunds of one currency that mean the same. `unsummed`: how many of them show no amount. */
export interface RefundGroup extends Pick<RefundFact, 'currency' | 'meaning'> {
  readonly refunds: Figure;
  readonly amount: Figure;
  readonly unsummed: Figure;
}

/** A refund as a group of its own. */
export function groupOf({
  currency,
  meaning,
  amount,
}: Pick<RefundFact, 'currency' | 'meaning' | 'amount'>): RefundGroup {
  return { currency, meaning, refunds: 1, amount: amount ?? 0, unsummed: amount === undefined ? 1 : 0 };
}

/** The sums of some refunds, one for each currency. */
export function sumRefunds(groups: Iterable<RefundGroup>): readonly Line<RefundSum>[] {
  const totals = createTally(refundNames);
  for (const group of groups) totals.add('', group.currency, refundFigures(group));
  return totals.lines('refunded');
}

function refundFigures({ meaning, refunds, amount, unsummed }: RefundGroup): RefundFigures {
  return meaning === 'made'
    ? { refunds, refunded: amount, net: negated(amount), unsummed }
    : { [meaning]: amount, [`${meaning}_refunds`]: refunds, unsummed };
}

interface OrderQuery extends SummaryQuery<Split<OrderDimension>> {
  /** Which orders of the period count; without it, all do. */
  readonly counts?: (order: OrderFact) => boolean;
}

/** The orders that were created in the period. Refunds that an order does not show do not matter here. */
export function summariseOrders({ span, by, currency, rules, counts = () => true }: OrderQuery) {
  const { add, days, gaps, result } = createSums(orderNames, 'amount', by, rules);
  return {
    add({ order, payments }: Facts): void {
      if (order === undefined || !hasCurrency(currency, order.currency) || !counts(order)) return;
      const { amount, createdAt } = order;
      const isOpen = span.since === undefined && span.until === undefined;
      if (createdAt === undefined && !isOpen) {
        gaps.undated({ orderId: order.id });
        return;
      }
      if (createdAt !== undefined && !isWithin(span, createdAt)) return;
      const isPlain = payments.every((one) => one.currency === order.currency && one.amount !== undefined);
      const paid = isPlain ? sumOf(payments, (one) => one.amount ?? 0) : 0;
      const figures = {
        orders: 1,
        amount: amount ?? 0,
        refunded: order.refunded ?? 0,
        paid,
        net: plus(paid, negated(order.refunded ?? 0)),
        hidden: isPlain && order.hidesCharges === undefined ? 0 : 1,
        unsummed: amount === undefined ? 1 : 0,
      };
      add(bucketOfOrder(order, by, rules), order.currency, figures);
      if (createdAt !== undefined) days.add(order.currency, createdAt, amount);
    },
    result,
  };
}

/** Whether an order waits for its capture. */
export function waitsForCapture({ status }: Pick<OrderFact, 'status'>): boolean {
  return status === statuses.preAuthorized;
}

/** The orders that wait for their capture, whenever they were created, by their age. */
export function summariseWaiting(query: Pick<OrderQuery, 'currency' | 'rules'>) {
  const span = { since: undefined, until: undefined };
  return summariseOrders({ ...query, span, by: 'age', counts: waitsForCapture });
}

// The sums of a period while they grow: in all, in each bucket, and by day. `most`: the sum by which lines are sorted.
function createSums<Name extends string>(names: readonly Name[], most: Name, by: Split, rules: BucketRules) {
  const [totals, buckets] = [createTally(names), createTally(names)];
  const [days, gaps] = [createDays(rules), createGaps()];
  return {
    days,
    gaps,
    /** Adds figures to a bucket, if there is one, and to the totals. */
    add: (
      bucket: string | undefined,
      currency: string | undefined,
      figures: Partial<Record<Name, Figure>>,
    ): void => {
      totals.add('', currency, figures);
      if (bucket !== undefined) buckets.add(bucket, currency, figures);
    },
    /** `units`: the buckets that are there even if nothing fell into them. */
    result: (units: readonly string[] = []): Summary<Name> => {
      const lines = totals.lines(most);
      for (const { currency } of lines) for (const unit of units) buckets.add(unit, currency);
      return {
        totals: lines,
        buckets: buckets.lines(most, ownOrder(by)),
        days: days.figures,
        gaps: gaps.all(),
      };
    },
  };
}

function createDays({ dayOf }: BucketRules) {
  const figures = new Map<string, Map<string, Figure>>();
  return {
    figures,
    add(currency: string | undefined, seconds: number, amount: Figure | undefined): void {
      const day = dayOf(seconds);
      if (day === undefined) return;
      const own = figures.get(currency ?? '') ?? new Map<string, Figure>();
      figures.set(currency ?? '', own);
      own.set(day, plus(own.get(day) ?? 0, amount ?? 0));
    },
  };
}

/** Collects what is missing from sums. */
export function createGaps() {
  const undated: string[] = [];
  const hidden: string[] = [];
  return {
    undated({ orderId = 'an order' }: { readonly orderId?: string | undefined }, record?: string): void {
      undated.push(`${orderId}: ${record ?? 'it'} shows no date`);
    },
    problem(problem: string | undefined): void {
      if (problem !== undefined) hidden.push(problem);
    },
    all: (): Gaps => ({ undated, hidden }),
  };
}

/** The sums of one bucket in one currency. */
export interface Line<Name extends string> {
  /** '' if there are no buckets. */
  readonly bucket: string;
  /** As the service writes it; undefined if it shows none. */
  readonly currency: string | undefined;
  readonly sums: Readonly<Record<Name, Figure>>;
}

/** Adds up figures by bucket and currency. */
export function createTally<Name extends string>(names: readonly Name[]) {
  const groups = new Map<string, Map<string, Record<Name, Figure>>>();
  const keyOf = (currency: string | undefined): string => currency ?? '';
  const zeros = (): Record<Name, Figure> =>
    // The type of the result follows from `names`, which TypeScript cannot see through fromEntries.
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, Figure>;
  return {
    /** Adds figures to a bucket, and makes it if it is new. A figure that is not named adds nothing. */
    add(bucket: string, currency: string | undefined, figures?: Readonly<Partial<Record<Name, Figure>>>) {
      const key = keyOf(currency);
      const group = groups.get(key) ?? new Map<string, Record<Name, Figure>>();
      groups.set(key, group);
      const sums = group.get(bucket) ?? zeros();
      group.set(bucket, sums);
      for (const name of names) sums[name] = plus(sums[name], figures?.[name] ?? 0);
    },
    /**
     * The lines, currency by currency. Within a currency they are sorted by `order`; without it, the line with the largest sum
     * named `by` comes first.
     */
    lines: (by: Name, order?: (one: string, other: string) => number) =>
      [...groups]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .flatMap(([key, group]) =>
          [...group]
            .map(([bucket, sums]): Line<Name> => ({ bucket, currency: key === '' ? undefined : key, sums }))
            .toSorted(
              (one, other) =>
                order?.(one.bucket, other.bucket) ||
                largestFirst(one.sums[by], other.sums[by]) ||
                (one.bucket < other.bucket ? -1 : 1),
            ),
        ),
  };
}
