/**
 * The filters of `orders list`, `find` and `export`. The service documents no filters, so paydesk applies them while it
 * reads.
 */

import type { Service } from '../../api/api.ts';
import { itemsOf, type JsonObject, valueAt } from '../../api/json-values.ts';
import {
  customerIdPattern,
  isTime,
  isWithin,
  noStatus,
  shortStatuses,
  statuses,
  statusMeanings,
  type TimeRange,
} from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { amountFlag, checkDecimals, type DecimalsOf } from '../../flags/amount-flag.ts';
import type { Input } from '../../flags/flags.ts';
import { flag, usage } from '../../flags/flags.ts';
import { periodOf, rangeOf, timeFlags, timeWords } from '../../flags/typed-period.ts';
import { clockAndZoneOf, rangeWords } from '../../flags/typed-time.ts';
import { knownOrders, unfitOf } from '../../orders/orders.ts';
import { closestNames, isTypedLike } from '../../terminal/terminal.ts';
import { amountProblem, boundWarnings, type TypedAmount } from '../../typed-amounts.ts';
import type { Filter } from '../listing.ts';
import { fold } from './search/fold-text.ts';

export const filterFlags = {
  status: flag.text(
    'WORD',
    'only orders with this payment_status, as the service writes it; none: those that show none',
    { offers: async () => words([...Object.keys(statusMeanings), noStatus]) },
  ),
  'charge-status': flag.text(
    'WORD',
    'only orders with a charge of this status, such as declined; in an export only such charges, and refunds of them',
    {
      offers: async () => words(Object.keys(statusMeanings)),
    },
  ),
  refundable: flag.switch('only orders that can be refunded'),
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
  ...timeFlags('all orders', {
    since: 'only orders created at this time or later',
    until: 'only orders created before this time; --until today: up to last midnight',
  }),
  'min-amount': amountFlag('only orders of this amount or more: 16000; with amounts.decimals also 160.00'),
  'max-amount': amountFlag('only orders of this amount or less'),
} as const;

export type FilterInput = {
  readonly [K in keyof FilterFlags]?: FilterFlags[K] | undefined;
};
type FilterFlags = Input<readonly [], typeof filterFlags>['flags'];

export interface OrderFilters {
  readonly filters: readonly Filter[];
  readonly range: TimeRange;
  /** The status of `--charge-status`, as the service writes it. Rows of charges and refunds are only those of such charges. */
  readonly chargeStatus: string | undefined;
  /** Lines about orders that were left out for a reason that may surprise a person. */
  readonly leftOut: () => readonly string[];
  /** Throws CliError 'usage' for a status that is nearly a documented one, if no order that was read has it. */
  readonly checkStatuses: () => void;
}

/**
 * Turns the flags into filters. Throws CliError 'usage' when no order can pass them, and for decimals that the profile does
 * not declare.
 */
export function orderFilters(ctx: Context, input: FilterInput, service: Service): OrderFilters {
  const { profile } = service;
  const clockAndZone = clockAndZoneOf(ctx);
  const range = rangeOf(ctx, periodOf(input), clockAndZone);
  const span = rangeWords('orders created', range, ctx.days.full);
  if (span !== undefined) ctx.notes.note(span);
  const amounts = amountRange(input, profile);
  for (const line of amounts.warnings) ctx.notes.warn(line);
  const undated = counted((order) => !isTime(order.created_at));
  const unpriced = counted((order) => !isAmount(order.amount));
  const { customer } = input;
  const status = statusMeant('--status', input.status);
  const chargeStatus = statusMeant('--charge-status', input['charge-status']);
  const byStatus = status === undefined ? undefined : statusFilter(status);
  for (const meant of [status, chargeStatus]) if (meant?.doubt !== undefined) ctx.notes.warn(meant.doubt);
  const filters: Filter[] = byStatus === undefined ? [] : [byStatus];
  if (chargeStatus !== undefined)
    filters.push({
      words: ['--charge-status', chargeStatus.word],
      accepts: ({ charges }) =>
        chargeStatus.see(itemsOf(charges).some((charge) => charge.status === chargeStatus.word)),
      passesFew: true,
    });
  if (input.refundable === true)
    filters.push({
      words: ['--refundable'],
      accepts: (order) => unfitOf(order, profile.mode) === undefined,
      async keep(records) {
        const orders = records.map(({ value }) => value);
        const known = await knownOrders(ctx, service, orders);
        return records.filter((_, index) => known[index]?.whyNot === undefined);
      },
      passesFew: false,
    });
  if (customer !== undefined) {
    ctx.redaction.learn({ email: customer });
    filters.push({ words: ['--customer', customer], accepts: isBuyer(customer), passesFew: true });
  }
  if (amounts.words.length > 0)
    filters.push({
      words: amounts.words,
      accepts: (order) =>
        !unpriced.is(order) && isAmount(order.amount) && amounts.holds(order.amount, order.currency),
      passesFew: true,
    });
  if (span !== undefined)
    filters.push({
      words: timeWords(input, clockAndZone),
      accepts: (order) => !undated.is(order) && isWithin(range, Number(order.created_at)),
      passesFew: true,
    });
  return {
    filters,
    range,
    chargeStatus: chargeStatus?.word,
    leftOut: () => [
      ...(byStatus?.leftOut() ?? []),
      ...undated.words('created_at'),
      ...unpriced.words('amount'),
      ...amounts.leftOut(),
    ],
    checkStatuses() {
      status?.check();
      chargeStatus?.check();
    },
  };
}

// The documented words (service: payment_status); there may be others.
const documented = [statuses.preAuthorized, statuses.paid, statuses.refunded];
const mostRemembered = 10;

// What STATUS says of a paid order that cannot be refunded.
const notRefundable = 'not_refundable';

const disputeWords = /^(?:charged?[-_ ]?backs?|disputed?s?|contracargos?)$/i;
/** What paydesk says to somebody who looks for disputes. */
export const noDisputes =
  'paydesk cannot see disputes: the service documents no field that shows a chargeback, so none is found here even if there are some';

export function isAboutDisputes(word: string): boolean {
  return disputeWords.test(word);
}

type Status = NonNullable<ReturnType<typeof statusMeant>>;

// The status that somebody means by a word that is typed as it is spoken (`Partially refunded`), or as a narrow table shows it. The
// service may have statuses that its document does not show, so only the orders tell which word is mistyped.
function statusMeant(name: string, typed: string | undefined) {
  if (typed === undefined) return undefined;
  const plain = typed
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const [known = plain] = [...shortStatuses].find(([, short]) => short === plain) ?? [];
  const isKnown = known === noStatus || known === notRefundable || Object.hasOwn(statusMeanings, known);
  const word = isKnown ? known : typed;
  const near = isKnown ? [] : nearlyDocumented(word);
  let isSeen = false;
  return {
    word,
    doubt: isKnown || (name !== '--status' && near.length === 0) ? undefined : statusDoubt(name, word),
    see: (isThere: boolean): boolean => {
      isSeen ||= isThere;
      return isThere;
    },
    check: (): void => {
      if (isSeen || near.length === 0) return;
      const meant = near.map((one) => `did you mean: ${name} ${one}`);
      throw usage(`${name} ${word}: no order that was read has this status`, meant);
    },
  };
}

const words = (texts: readonly string[]) => texts.map((value) => ({ value, text: '' }));

// `payed` becomes `payd`, which is spelled like `paid`.
function spoken(status: string): string {
  return status.toLowerCase().slice(0, 40).replace(/ed$/, 'd');
}

// A word that ends with a documented one is another word: `unpaid`.
function nearlyDocumented(typed: string): readonly string[] {
  return [...documented, statuses.partiallyRefunded].filter(
    (word) => [typed, spoken(typed)].some((one) => isTypedLike(one, word)) && !typed.endsWith(word),
  );
}

function statusDoubt(name: string, status: string): string {
  if (disputeWords.test(status)) return noDisputes;
  const known = Object.keys(statusMeanings);
  const typed = spoken(status);
  const parts = known.flatMap((word) => word.split('_'));
  const whole = closestNames(typed, known);
  // `authorised` is spelled like a part of `pre_authorized`.
  const part = closestNames(typed, parts)[0];
  const close = whole.length > 0 ? whole : known.filter((word) => word.split('_').includes(part ?? ''));
  const meant = close.length === 0 ? '' : `; did you mean ${close.join(' or ')}?`;
  return `${name} ${status}: not a status that paydesk knows${meant}`;
}

// A status that no order has may be mistyped, so the statuses that were seen are listed.
function statusFilter({ word: status, see }: Status): Filter & { readonly leftOut: () => readonly string[] } {
  const seen = new Set<string>();
  let withCharge = 0;
  return {
    words: ['--status', status],
    accepts: (order) => {
      const { payment_status: shown, charges } = order;
      if (status === notRefundable && shown === statuses.paid && unfitOf(order)?.is === 'not allowed') {
        seen.add(status);
        return see(true);
      }
      if (status === noStatus && (typeof shown !== 'string' || shown === '')) return true;
      if (itemsOf(charges).some((charge) => charge.status === status)) withCharge += 1;
      const word = typeof shown === 'string' && shown !== '' ? shown : noStatus;
      if (word === status || seen.size < mostRemembered) seen.add(word);
      return see(shown === status);
    },
    passesFew: false,
    leftOut: () =>
      seen.size === 0 || seen.has(status) || status === noStatus
        ? []
        : [
            `no order has the status ${status}. Statuses here: ${[...new Set([...seen, ...documented])].join(', ')}`,
            ...(disputeWords.test(status) && Object.hasOwn(statusMeanings, status) ? [noDisputes] : []),
            ...(withCharge === 0
              ? []
              : [
                  `${withCharge} ${withCharge === 1 ? 'order has a charge' : 'orders have a charge'} with that status: --charge-status ${status}`,
                ]),
          ],
  };
}

export type AmountRange = ReturnType<typeof amountRange>;

export function isAmount(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/**
 * Which amounts `--min-amount` and `--max-amount` let pass. `160.00` means the currencies that have two decimals: an amount of
 * another currency cannot be compared with it. The sign of a refund does not matter. Throws CliError 'usage' if none can pass.
 */
export function amountRange(
  { 'min-amount': min, 'max-amount': max }: Pick<FilterInput, 'min-amount' | 'max-amount'>,
  profile: DecimalsOf,
) {
  const bounds = [
    ...(min === undefined ? [] : [{ name: '--min-amount', typed: min }]),
    ...(max === undefined ? [] : [{ name: '--max-amount', typed: max }]),
  ];
  for (const { name, typed } of bounds) checkDecimals(name, typed, profile);
  if (min !== undefined && max !== undefined && min.places === max.places && min.amount > max.amount)
    throw usage(`no amount is between --min-amount ${min.text} and --max-amount ${max.text}`);
  // Currencies that cannot be compared with an amount in decimals, and how many amounts of each were left out.
  const unfit = new Map<string, number>();
  const fits = (typed: TypedAmount | undefined, currency: unknown): boolean => {
    if (typed === undefined) return true;
    const code = typeof currency === 'string' ? currency : undefined;
    if (amountProblem(typed, code, profile.settings) === undefined) return true;
    if (code !== undefined && typed.currency === undefined) unfit.set(code, (unfit.get(code) ?? 0) + 1);
    return false;
  };
  return {
    isOpen: bounds.length === 0,
    holds(amount: number | bigint, currency: unknown): boolean {
      const size = amount < 0 ? -amount : amount;
      return (
        fits(min, currency) &&
        fits(max, currency) &&
        size >= (min?.amount ?? Number.NEGATIVE_INFINITY) &&
        size <= (max?.amount ?? Number.POSITIVE_INFINITY)
      );
    },
    words: bounds.flatMap(({ name, typed }) => [name, typed.text]),
    leftOut: () =>
      [...unfit].map(
        ([code, count]) =>
          `${count} in ${code} left out, since the profile declares other decimals for ${code}, or none: type a whole number`,
      ),
    warnings: bounds.flatMap(({ name, typed }) => boundWarnings(name, typed, profile.settings)),
  };
}

/** Whether an order or one of its charges names the buyer (service: customer_info, charge). */
export function isBuyer(customer: string): (order: JsonObject) => boolean {
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

// An order without the field may still belong to the range. So paydesk counts the orders that it left out for this, and
// mentions them.
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
