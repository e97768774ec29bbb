/** The filters of `orders list`, `find` and `export`. The service documents none, so they are applied here while walking. */

import { canBeRefunded } from '../../api/charges.ts';
import { customerIdPattern, itemsOf, type JsonObject, statuses, valueAt } from '../../api/spec.ts';
import type { Context } from '../command.ts';
import { flag, usage } from '../flags.ts';
import type { Filter } from '../listing.ts';
import {
  clockAndZoneOf,
  isWithin,
  type TimeRange,
  timeRange,
  type When,
  whenFlag,
  whenWords,
} from '../typed-time.ts';
import { fold } from './fold-text.ts';

export const filterFlags = {
  status: flag.text({
    value: 'WORD',
    summary: 'only orders with this payment_status, as the service writes it',
  }),
  refundable: flag.switch({ summary: 'only orders that can be refunded' }),
  customer: flag.of<string>({
    value: 'ID|EMAIL',
    summary: 'only orders of this buyer',
    parse: (text, name) => {
      if (customerIdPattern.test(text) || /^[^\s@]+@[^\s@]+$/.test(text)) return text;
      throw usage(
        `${name} ${text}: neither the id of a customer, which looks like cus_2sZp8LmQ4tVx, nor an e-mail`,
        ['for any part of a name: paydesk orders find TEXT'],
      );
    },
  }),
  since: whenFlag('only orders created at this time or later: 30d, 2026-11-20, ISO 8601'),
  until: whenFlag('only orders created before this time'),
  'min-amount': flag.amount({ value: 'N', summary: 'only orders of this amount or more' }),
  'max-amount': flag.amount({ value: 'N', summary: 'only orders of this amount or less' }),
} as const;

/** The flags as given. */
export interface FilterInput {
  readonly status?: string | undefined;
  readonly refundable?: boolean | undefined;
  readonly customer?: string | undefined;
  readonly since?: When | undefined;
  readonly until?: When | undefined;
  readonly 'min-amount'?: number | undefined;
  readonly 'max-amount'?: number | undefined;
}

/** The filters that were asked for. */
export interface OrderFilters {
  readonly filters: readonly Filter[];
  readonly range: TimeRange;
  /** What was left out so far for a reason that may surprise, in words. */
  readonly leftOut: () => readonly string[];
}

/** Makes filters of the flags. Throws CliError 'usage' if no order can pass them. */
export function orderFilters(ctx: Context, input: FilterInput): OrderFilters {
  const clockAndZone = clockAndZoneOf(ctx);
  const range = timeRange(input, clockAndZone);
  const amounts = amountRange(input);
  const undated = counted((order) => typeof order.created_at !== 'number');
  const unpriced = counted((order) => !isAmount(order.amount));
  const { status, customer, since, until } = input;
  const byStatus = status === undefined ? undefined : statusFilter(status);
  const filters: Filter[] = byStatus === undefined ? [] : [byStatus];
  if (input.refundable === true)
    filters.push({ words: ['--refundable'], accepts: canBeRefunded, passesFew: false });
  if (customer !== undefined)
    filters.push({ words: ['--customer', customer], accepts: isBuyer(customer), passesFew: true });
  if (amounts.words.length > 0)
    filters.push({
      words: amounts.words,
      accepts: (order) =>
        !unpriced.is(order) && Number(order.amount) >= amounts.min && Number(order.amount) <= amounts.max,
      passesFew: true,
    });
  if (since !== undefined || until !== undefined)
    filters.push({
      words: [
        ...(since === undefined ? [] : whenWords('--since', since, clockAndZone)),
        ...(until === undefined ? [] : whenWords('--until', until, clockAndZone)),
      ],
      accepts: (order) => !undated.is(order) && isWithin(range, Number(order.created_at)),
      passesFew: true,
    });
  return {
    filters,
    range,
    leftOut: () => [
      ...(byStatus?.leftOut() ?? []),
      ...undated.words('created_at'),
      ...unpriced.words('amount'),
    ],
  };
}

// The documented words (service: payment_status); there may be others.
const documented = [statuses.preAuthorized, statuses.paid, statuses.refunded];
const mostRemembered = 10;

// A status that no order has may be mistyped, so the statuses that were seen are listed.
function statusFilter(status: string): Filter & { readonly leftOut: () => readonly string[] } {
  const seen = new Set<string>();
  return {
    words: ['--status', status],
    accepts: ({ payment_status: shown }) => {
      if (typeof shown === 'string' && (shown === status || seen.size < mostRemembered)) seen.add(shown);
      return shown === status;
    },
    passesFew: false,
    leftOut: () =>
      seen.size === 0 || seen.has(status)
        ? []
        : [
            `no order that was read has the payment_status ${status}; seen: ${[...seen].join(', ')}; documented: ${documented.join(', ')}`,
          ],
  };
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function amountRange({ 'min-amount': min, 'max-amount': max }: FilterInput) {
  if (min !== undefined && max !== undefined && min > max)
    throw usage(`no amount lies between --min-amount ${min} and --max-amount ${max}`);
  return {
    min: min ?? Number.NEGATIVE_INFINITY,
    max: max ?? Number.POSITIVE_INFINITY,
    words: [
      ...(min === undefined ? [] : ['--min-amount', String(min)]),
      ...(max === undefined ? [] : ['--max-amount', String(max)]),
    ],
  };
}

// The order or one of its charges names the buyer (service: customer_info, charge).
function isBuyer(customer: string): (order: JsonObject) => boolean {
  if (!customerIdPattern.test(customer)) {
    const email = fold(customer);
    return (order) => {
      const shown = valueAt(order, ['customer_info', 'email']);
      return typeof shown === 'string' && fold(shown) === email;
    };
  }
  return (order) =>
    valueAt(order, ['customer_info', 'customer_id']) === customer ||
    itemsOf(order.charges).some((charge) => charge.customer_id === customer);
}

// A missing field does not mean that the order is outside the range, so orders left out for it are counted and mentioned.
function counted(lacks: (order: JsonObject) => boolean) {
  let count = 0;
  return {
    is(order: JsonObject): boolean {
      const lacking = lacks(order);
      if (lacking) count += 1;
      return lacking;
    },
    words: (name: string): readonly string[] =>
      count === 0
        ? []
        : [
            `${count} ${count === 1 ? 'order shows' : 'orders show'} no ${name} and ${count === 1 ? 'was' : 'were'} left out`,
          ],
  };
}
