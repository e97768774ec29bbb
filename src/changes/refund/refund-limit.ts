/**
 * Checks one refund against the limits of an account: what went back of its order in the last 24 hours, and how old the order may
 * be. Pure.
 */

import { amountWords, figuresIn } from '../../amounts.ts';
import type { Service } from '../../api/api.ts';
import { leftToRefund, type OrderMoney, standingRefunds, sumOfRefunds } from '../../api/charges.ts';
import { counted } from '../../counted.ts';
import { type CliError, refused, withParts } from '../../errors.ts';
import { type AttemptRecord, unshownRefunds } from '../../journal/journal.ts';
import type { KnownOrder } from '../../orders/orders.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { isPlanned } from '../bulk/own-rows.ts';
import { ownerOfLimit } from '../may-change.ts';

export function showOrder({ id }: Pick<OrderMoney, 'id'>, profile: Profile): string {
  return commandLine(profile, 'orders', 'show', id);
}

/** The limits of 24 hours count what went back within this time. */
const windowMs = 24 * 60 * 60_000;

/** What a limit of 24 hours counts. */
export interface Counting {
  /** The service's clock, Unix milliseconds; undefined if the service did not say what time it is: then all refunds count. */
  readonly nowMs: number | undefined;
  /** Refunds that somebody recorded as made, and that the order does not show. */
  readonly unshown: readonly AttemptRecord[];
}

/** What a limit counts now, by the clock of the service as it answered last. */
export function countingAt(
  { seenDate }: Pick<Service, 'seenDate'>,
  unshown: readonly AttemptRecord[] = [],
): Counting {
  return { nowMs: seenDate?.()?.date, unshown };
}

type KnownMoney = Pick<KnownOrder, 'reading' | 'attempts' | 'order'>;
type LimitedService = Pick<Service, 'profile' | 'seenDate'>;

/**
 * The refusal if a limit of the account does not allow a refund of `amount` on an order that somebody looks at; undefined if none
 * refuses it. Orders from an index are shown before the service says what time it is: then `nowMs` counts, since nothing is sent
 * by this.
 */
export function limitAt(
  amount: number,
  money: OrderMoney,
  { attempts, order }: KnownMoney,
  { service, nowMs }: { readonly service: LimitedService; readonly nowMs: number },
): CliError | undefined {
  const counting = countingAt(service, unshownRefunds(attempts, order));
  const now = { ...counting, nowMs: counting.nowMs ?? nowMs };
  return tooOld(money, service.profile, now) ?? overLimit(amount, money, service.profile, now);
}

/** Why the limits of the account let nothing of an order be refunded now; undefined if they let some of it. */
export function nothingAllowed(
  known: KnownMoney,
  at: { readonly service: LimitedService; readonly nowMs: number },
): string | undefined {
  if ('problem' in known.reading) return undefined;
  const { money } = known.reading;
  if (limitAt(1, money, known, at) === undefined) return undefined;
  return limitAt(Math.max(1, leftToRefund(money)), money, known, at)?.message;
}

/**
 * The refusal when the refunds of the order in the last 24 hours and this one add up to more than the account's
 * `refund.max_amount`; undefined if they do not. Once an account has a limit, an order without a currency is refused too, and one
 * in a currency without a limit, unless `refund.other_currencies` allows it.
 */
export function overLimit(
  amount: number,
  money: OrderMoney,
  profile: Profile,
  counting: Counting,
): CliError | undefined {
  const { settings } = profile;
  const limits = settings['refund.max_amount'];
  if (Object.keys(limits).length === 0) return undefined;
  const currency = money.currency?.toUpperCase();
  const limit = currency === undefined ? undefined : limits[currency];
  // A policy that has limits but none for this currency allows no refund in this currency.
  const { owner, ask: whom } = ownerOfLimit(profile, ({ 'refund.max_amount': most }) =>
    currency === undefined || most[currency] === undefined
      ? !limit && Object.keys(most).length > 0
      : most[currency] === limit,
  );
  if (currency === undefined) {
    return refused(
      `${money.id} does not show its currency, and ${owner} has limits: refund.max_amount`,
      [whom, showOrder(money, profile)],
      'over_limit',
    );
  }
  if (limit === undefined) {
    if (settings['refund.other_currencies'] === 'allow') return undefined;
    return refused(
      `${owner} has no limit for ${currency}, and refund.other_currencies is refuse: ${money.id} is in ${currency}`,
      [`${whom}, who can set refund.max_amount.${currency} or refund.other_currencies`],
      'over_limit',
    );
  }
  const counted = wentBack(money, counting);
  const earlier = counted.made + counted.planned + counted.byHand;
  if (earlier + amount <= limit) return undefined;
  const figure = figuresIn(money.currency, settings);
  const over = `${amountWords(amount, money.currency, settings)} is over the limit of ${owner}: refund.max_amount.${currency} is ${figure(limit)} per order in 24 hours`;
  const allows = limit - earlier;
  const ask = allows > 0 ? `${whom}, or refund a part of it: ${figure(allows)} at most` : whom;
  const roomAt = amount > limit ? null : roomIn(counted, earlier + amount - limit);
  if (earlier === 0) return withParts(refused(over, [ask], 'over_limit'), { roomAt, allows });
  const error = refused(
    [over, ...backWords(counted, money, figure)].join(', and '),
    [ask, showOrder(money, profile)],
    'over_limit',
  );
  return withParts(error, { roomAt, allows });
}

type WentBack = ReturnType<typeof wentBack>;

// What went back of an order in the last 24 hours, or at any time if nobody knows what time it is. `planned`: what rows before it in
// the same plan will pay back. `timed`: each with its time (Unix milliseconds; undefined if it does not show one).
function wentBack({ charges }: OrderMoney, { nowMs, unshown }: Counting) {
  const sinceMs = nowMs === undefined ? Number.NEGATIVE_INFINITY : nowMs - windowMs;
  const recent = charges
    .flatMap(standingRefunds)
    .map(({ id, amount, createdAt }) => ({
      isPlanned: isPlanned(id),
      amount,
      time: createdAt === undefined ? undefined : createdAt * 1000,
    }))
    // A refund that does not show when it was made may have been made just now, so it counts.
    .filter(({ time }) => time === undefined || time > sinceMs);
  const made = recent.filter((one) => !one.isPlanned);
  const byHand = unshown
    .map(({ sent }) => ({ time: sent.time, amount: sumOfRefunds(sent.proof.expected) }))
    .filter(({ time }) => time > sinceMs);
  const planned = sumOfRefunds(recent.filter((one) => one.isPlanned));
  return {
    nowMs,
    made: sumOfRefunds(made),
    byHand: sumOfRefunds(byHand),
    planned,
    timed: [...made, ...byHand],
  };
}

function backWords(
  { nowMs, made, byHand, planned }: WentBack,
  { id }: OrderMoney,
  figure: (amount: number) => string,
): readonly string[] {
  const when =
    nowMs === undefined ? 'before (the service does not say what time it is)' : 'in the last 24 hours';
  return [
    ...(made === 0 ? [] : [`${figure(made)} of ${id} was refunded ${when}`]),
    ...(byHand === 0 ? [] : [`${figure(byHand)} of ${id} was recorded as made by hand`]),
    ...(planned === 0 ? [] : [`rows before it in this plan refund ${figure(planned)} of ${id}`]),
  ];
}

// When at least `needed` of it will be older than 24 hours, in Unix seconds. Undefined if nobody knows, as for rows of a plan.
function roomIn({ nowMs, timed }: WentBack, needed: number): number | undefined {
  let gone = 0;
  for (const { time, amount } of timed.toSorted((one, other) => (one.time ?? 0) - (other.time ?? 0))) {
    if (time === undefined || nowMs === undefined) continue;
    gone += Math.abs(amount);
    if (gone >= needed) return Math.ceil((time + windowMs) / 1000);
  }
  return undefined;
}

/**
 * The refusal of an order that was created longer ago than the account's `refund.max_age`, by the clock of the service; undefined if
 * there is no such limit, or if it is young enough. An order that does not show its age is refused too.
 */
export function tooOld(
  { id, createdAt }: OrderMoney,
  profile: Profile,
  { nowMs }: Counting,
): CliError | undefined {
  const mostMs = profile.settings['refund.max_age'];
  if (mostMs === undefined) return undefined;
  const { owner, ask: whom } = ownerOfLimit(profile, (limits) => limits['refund.max_age'] === mostMs);
  const limit = `refund.max_age is ${inWholeUnits(mostMs)}`;
  const ask = [whom];
  if (createdAt === undefined)
    return refused(`${id} does not show when it was created: ${limit}`, ask, 'too_old');
  if (nowMs === undefined)
    return refused(`the service does not say what time it is: ${limit}`, ask, 'too_old');
  const age = nowMs - createdAt * 1000;
  if (age <= mostMs) return undefined;
  return refused(`${id} is ${ageWords(age)} old, over the limit of ${owner}: ${limit}`, ask, 'too_old');
}

// As somebody set it: `2 days`, `36 hours`.
function inWholeUnits(ms: number): string {
  const units = { day: 24 * 3_600_000, hour: 3_600_000, minute: 60_000, second: 1000 };
  const [unit, of] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['millisecond', 1];
  return counted(ms / of, unit);
}

function ageWords(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return hours < 72 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day');
}
