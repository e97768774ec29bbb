/** The rows of the orders to pick from: what each column shows, and the lines about the order under the cursor. Pure. */

import { amountWords, figureWords } from '../../../amounts.ts';
import { lockedCharges, moneyOf, paidBy, refundableCharges } from '../../../api/charges.ts';
import { itemsOf, type JsonObject } from '../../../api/json-values.ts';
import { readOrder } from '../../../api/records.ts';
import { orderColumns, referenceOf } from '../../../api/resources.ts';
import {
  appearedCommand,
  appearedWords,
  checkTwiceCommand,
  failedWords,
  findOutCommand,
  goneWords,
  mayAppearWords,
  unshownWords,
} from '../../../changes/changes.ts';
import type { Context } from '../../../context/context.ts';
import {
  changeKinds,
  type Moment,
  madeTwiceWords,
  type PaidTwice,
  type UnconfirmedChange,
} from '../../../journal/journal.ts';
import {
  isSettled,
  type KnownOrder,
  knownOrder,
  knownTwin,
  type OrderCase,
  stateSpan,
  stopsRefund,
  styleOfState,
  type Twin,
  twinLine,
  twinOf,
  twinWords,
} from '../../../orders/orders.ts';
import type { Profile } from '../../../profiles/profiles.ts';
import type { SearchedRow, Span } from '../../../terminal/terminal.ts';
import { foundIn, type KeptOrder } from './searched-orders.ts';

/** What a row shows about an order. */
export interface OrderShown {
  readonly createdAt: unknown;
  readonly buyer: string;
  readonly email: string | undefined;
  readonly card: string;
  readonly money: string;
  readonly currency: string | undefined;
  readonly status: string;
  readonly reference: string;
  /** The charges of an order that several cards paid. */
  readonly charges: readonly string[];
  /** Why it cannot be chosen, beginning with its status. */
  readonly whyNot: string;
  /** Its open cases, the most urgent first. */
  readonly cases: readonly OrderCase[];
  /** What is shown instead of its status. */
  readonly first: KnownOrder['first'];
  /** The order itself as one of two twins. */
  readonly twin: Twin | undefined;
}

/** What the row of an order shows. Without `whyNot`, its status is the reason why it cannot be chosen. */
export function shownOf(
  value: JsonObject,
  { settings }: Pick<Profile, 'settings'>,
  { cases, first, whyNot }: Pick<OrderShown, 'cases' | 'first'> & { readonly whyNot: string | undefined },
): OrderShown {
  const referenceKeys = settings['reference.keys'];
  const { customer_info: buyer, amount, currency, payment_status: status } = readOrder(value) ?? {};
  const read = moneyOf(value) ?? { charges: [] };
  const [open, locked] = [refundableCharges(read), lockedCharges(read)].map((some) =>
    some.map((charge) => charge.value),
  );
  const charges = itemsOf(value.charges).map((charge) => {
    const sum = typeof charge.amount === 'number' ? figureWords(charge.amount, currency, settings) : '-';
    const status = typeof charge.status === 'string' ? charge.status : undefined;
    const state = locked?.includes(charge) ? 'not refundable' : open?.includes(charge) ? undefined : status;
    return `${paidBy(charge)} ${sum}${state === undefined ? '' : ` ${state}`}`;
  });
  const reference = referenceOf(value, referenceKeys);
  const card = orderColumns.find(({ name }) => name === 'card')?.value(value, referenceKeys);
  return {
    createdAt: value.created_at,
    buyer: [buyer?.name, buyer?.email, buyer?.phone].find((text) => text !== undefined && text !== '') ?? '-',
    email: buyer?.email,
    card: typeof card === 'string' ? card : '-',
    money: amount === undefined ? '-' : amountWords(amount, currency, settings),
    currency,
    status: status ?? '-',
    reference: typeof reference === 'string' || typeof reference === 'number' ? String(reference) : '',
    charges: charges.length < 2 ? [] : charges,
    whyNot: whyNot ?? status ?? 'no status shown',
    cases,
    first,
    twin: twinOf(value),
  };
}

export interface RowParts {
  readonly ctx: Pick<Context, 'days' | 'shortTime' | 'timeOfDay' | 'clock' | 'journal'>;
  readonly profile: Pick<Profile, 'settings'>;
  /** The word for orders that can be chosen: `refundable`. */
  readonly kind: string;
  readonly now: Moment;
  /** What is known about the orders that were read, by their ids. */
  readonly read: ReadonlyMap<unknown, KnownOrder>;
}

/** The titles of the columns; `offset` is that of the zone. */
export function rowTitles(offset: string): readonly string[] {
  return [`CREATED ${offset}`, 'BUYER', 'CARD', 'AMOUNT', 'STATUS', 'REFERENCE'];
}

const statusAt = 4;

/** The columns that may be cut and how far, and those that are right-aligned. An open case is never cut. */
export const rowColumns = {
  shrink: [1, statusAt, 5],
  least: { [statusAt]: 'partially_refunded'.length },
  right: [3],
} as const;

/** The row of an order. `words` are the words that were typed, and that found it. */
export function orderRow<V>(
  one: KeptOrder<OrderShown>,
  value: V,
  words: string,
  parts: RowParts,
): SearchedRow<V> {
  const { id, shown, twin, fits, isBlocked } = one;
  const { cases } = shown;
  const blocked = stopText(one, parts);
  const found = foundIn(one, words).filter(({ label }) => !visible.includes(label));
  const unfit = fits ? undefined : `not ${parts.kind}: ${shown.whyNot}`;
  const details: readonly (Span | undefined)[] = [
    joined([id, shown.email, ...shown.charges]),
    found.length === 0
      ? undefined
      : `found: ${found.map(({ label, value: text }) => `${label} ${text}`).join(', ')}`,
    unfit,
    blocked === undefined ? undefined : { text: blocked, style: 'bad' },
    ...cases.filter((open) => !stopsRefund(open.is)).map((open) => stateSpan(open.is, caseText(open, parts))),
    twin === undefined ? undefined : { text: twinText(one, twin, parts), style: 'warn' },
  ];
  const refused = isBlocked ? blocked : undefined;
  const reason = unfit === undefined ? refused : `${id} is ${unfit}`;
  return {
    value,
    cells: [
      parts.ctx.days.show(shown.createdAt, 'day'),
      shown.buyer,
      shown.card,
      shown.money,
      statusOf(one),
      shown.reference,
    ],
    accent: { at: statusAt, by: accentOf(one) },
    details: details.filter((line) => line !== undefined),
    answer: joined([shown.buyer === '-' ? undefined : shown.buyer, shown.card, shown.money, id]),
    ...(reason === undefined ? {} : { refusal: reason }),
  };
}

/** The open case of an order that stops its refund, with the command that helps. */
export function stopText(
  { shown: { cases } }: Pick<KeptOrder<OrderShown>, 'shown'>,
  parts: RowParts,
): string | undefined {
  const stop = cases.find(({ is }) => stopsRefund(is));
  return stop && caseText(stop, parts);
}

// Fields that the row always shows.
const visible: readonly string[] = ['name', 'email', 'amount', 'currency', 'id'];

// The words that matter come first, since a long status is cut.
function statusOf({ shown, twin }: KeptOrder<OrderShown>): string {
  if (shown.first !== undefined) return shown.first;
  return twin === undefined || isSettled(twin) ? shown.status : `twin, ${shown.status}`;
}

function accentOf({ shown, twin }: KeptOrder<OrderShown>): NonNullable<SearchedRow<unknown>['accent']>['by'] {
  const style = styleOfState(shown.first);
  if (style !== undefined) return style;
  return twin === undefined || isSettled(twin) ? { status: shown.status } : 'warn';
}

// An open case of an order, and the command that helps if the case stops a refund.
function caseText(open: OrderCase, parts: RowParts): string {
  switch (open.is) {
    case 'unconfirmed':
      return unconfirmedText(open.change, parts);
    case 'made twice':
      return twiceText(open, parts);
    case 'appeared':
      return `${appearedWords(parts.ctx, parts.profile, open.refund)}; do not refund this order, show your lead: ${appearedCommand(open.refund)}`;
    case 'recorded made':
      return unshownWords(open.record, parts.profile);
    case 'gone':
      return goneWords(open);
    case 'failed':
      return failedWords(open, open.record.sent.currency, parts.profile);
    case 'recorded not made':
      return mayAppearWords(parts.ctx, parts.profile, open);
  }
}

function twiceText(
  { twice, isKnown }: { readonly twice: PaidTwice; readonly isKnown: boolean },
  { ctx, profile }: RowParts,
): string {
  const words = madeTwiceWords(twice, profile.settings);
  if (!isKnown) return `${words}; check it first: ${checkTwiceCommand(twice)}`;
  const sent = `${ctx.shortTime(twice.sentAt)}, by ${twice.operator}`;
  return `${words} (${sent}); do not refund this order, show your lead: paydesk journal show ${twice.change}`;
}

function unconfirmedText(change: UnconfirmedChange, { ctx, profile }: RowParts): string {
  const { kind, amount, currency, sentAt, operator } = change;
  const sum = amount === undefined ? '' : ` of ${amountWords(amount, currency, profile.settings)}`;
  const sent = `${ctx.shortTime(sentAt)}, by ${operator}`;
  return `an earlier ${changeKinds[kind].noun}${sum} (${sent}) is still unconfirmed: ${findOutCommand(change)}`;
}

function twinText(
  { shown }: KeptOrder<OrderShown>,
  twin: Twin,
  { ctx, profile, now, read }: RowParts,
): string {
  const known = (one: Twin) => knownTwin(one, read.get(one.id) ?? knownOrder(one.order, [], now));
  const words = twinWords(ctx, profile, { currency: shown.currency }, shown.twin && known(shown.twin));
  return `possible twin: ${twinLine(known(twin), words)}`;
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}
