/** Draws the preview of a refund, from the same body that is sent, and its result. Pure. */

import { amountWords, figuresIn, linesInBoth } from '../../amounts.ts';
import {
  brandAndCard,
  type ChargeMoney,
  leftToRefund,
  lockedCharges,
  newestOf,
  type OrderMoney,
  paidBy,
  readMoney,
  refundedSum,
  standingRefunds,
  takenSum,
} from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { readOrder } from '../../api/records.ts';
import { referenceOf } from '../../api/resources.ts';
import { type ReasonWords, refundReasons } from '../../api/spec.ts';
import { percent } from '../../counted.ts';
import type { AttemptRecord, FoundRefund } from '../../journal/journal.ts';
import { chargesLeft } from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { journalWords, titleLine, unconfirmedReply } from '../change-words.ts';
import type { Applied } from '../outcome.ts';
import type { DecidedRefund } from './decide-refund.ts';
import { type RefundOrigins, sentByWords } from './known-refunds.ts';
import { showOrder } from './refund-limit.ts';

export interface Previewed {
  readonly refund: DecidedRefund;
  readonly order: JsonObject;
  readonly profile: Profile;
  readonly note: string | undefined;
  /** The journal is that of a team. */
  readonly isOfTeam: boolean;
  readonly origins: RefundOrigins;
  readonly asides: readonly string[];
}

export function noteKept(isOfTeam: boolean): string {
  return isOfTeam ? 'kept in the journal of the team' : 'kept only on this machine';
}

/** What a person sees before saying yes. */
export function refundPreview(previewed: Previewed): readonly Block[] {
  const { refund, order, profile, note, isOfTeam, origins, asides } = previewed;
  const { change, money } = refund;
  const { body } = change.request;
  const reason: ReasonWords | undefined = body.reason === undefined ? undefined : refundReasons[body.reason];
  const warnings = [...refund.warnings, ...(reason?.warning === undefined ? [] : [reason.warning])];
  return [
    titleLine(heading(refund), profile, 'strong'),
    { line: orderLine(money, order, profile), hang: 8 },
    { line: `buyer   ${buyerWords(order, profile)}`, hang: 8 },
    ...sources(refund).map((charge): Block => ({ line: chargeLine(charge, money), hang: 8 })),
    {
      line:
        body.reason === undefined
          ? 'reason  none is sent'
          : `reason  ${body.reason}   ${reason?.words ?? ''}`,
    },
    ...(note === undefined ? [] : [{ line: `note    ${note}   ${noteKept(isOfTeam)}`, hang: 8 }]),
    ...asides.map((line): Block => ({ line: { text: `twin    ${line}`, style: 'faint' }, hang: 8 })),
    { grid: moneyRows(refund, origins, profile), right: [1, 2], indent: 2 },
    ...warnings.map((line): Block => ({ line: { text: `note: ${line}`, style: 'warn' }, hang: 6 })),
  ];
}

function heading({ charge, change: { amount }, rest }: DecidedRefund): string {
  if (charge === undefined) return 'REFUND A WHOLE ORDER';
  if (rest) return 'REFUND THE REST OF A CHARGE';
  return amount === charge.amount ? 'REFUND ONE CHARGE OF AN ORDER' : 'REFUND PART OF AN ORDER';
}

function orderLine(money: OrderMoney, order: JsonObject, { settings }: Profile): Cell {
  const amount = amountWords(money.amount, money.currency, settings);
  return [
    `order   ${money.id}  ${amount}  `,
    { status: money.status ?? 'status not shown' },
    '  ',
    { time: order.created_at, precision: 'day' },
  ];
}

/** The buyer's name, e-mail and the shop's own number, as far as the order shows them. */
// The shop's own number is that of the setting reference.keys. Without it, the first text of the metadata may tell the person.
export function buyerWords(order: JsonObject, { settings }: Profile): string {
  const { customer_info: buyer, metadata } = readOrder(order) ?? {};
  const named = settings['reference.keys'].map((key) => [key, referenceOf(order, [key])] as const);
  const texts = Object.entries(metadata ?? {}).filter(([, value]) => typeof value === 'string');
  const shown = [...named, ...texts].find(
    ([, text]) => (typeof text === 'string' && text !== '') || typeof text === 'number',
  );
  const parts = [buyer?.name, buyer?.email, shown && `${shown[0]}=${String(shown[1])}`].filter(
    (part) => part !== undefined && part !== '',
  );
  return parts.length === 0 ? 'not shown' : parts.join('  ');
}

function sources({ charge, change, money }: DecidedRefund): readonly ChargeMoney[] {
  if (charge !== undefined) return [charge];
  return money.charges.filter(({ id }) => change.expected.some(({ chargeId }) => chargeId === id));
}

function chargeLine({ number, value, id }: ChargeMoney, { charges }: OrderMoney): string {
  return `from    charge ${number} of ${charges.length}, ${brandAndCard(value)}, ${id}`;
}

function moneyRows(
  refund: DecidedRefund,
  origins: RefundOrigins,
  { settings }: Profile,
): readonly (readonly Cell[])[] {
  const { charge, money, change } = refund;
  const { charges, recorded } = chargesLeft(money, refund.byHand);
  const figure = figuresIn(money.currency, settings);
  const refunded = refundedSum(money);
  const locked = lockedIn(money);
  const columns = [
    ...(charge === undefined
      ? []
      : [
          {
            title: `charge ${charge.number}`,
            paid: charge.amount,
            refunded: charge.refunded,
            pending: charge.taken - charge.refunded,
            byHand: chargesLeft({ charges: [charge] }, refund.byHand).recorded,
            left: charges.find(({ id }) => id === charge.id)?.left ?? 0,
            locked: 0,
          },
        ]),
    {
      title: 'order',
      paid: money.amount,
      refunded,
      pending: takenSum(money) - refunded,
      byHand: recorded,
      left: leftToRefund({ charges }),
      locked: locked?.sum ?? 0,
    },
  ];
  const words = refundWords(charge === undefined ? money.charges : [charge], origins);
  return [
    ['', ...columns.map(({ title }) => title)],
    ['paid', ...columns.map(({ paid }) => figure(paid))],
    ['refunded so far', ...columns.map((one) => figure(-one.refunded)), ...words],
    ...(columns.some(({ pending }) => pending > 0)
      ? [['pending', ...columns.map(({ pending }) => figure(-pending))]]
      : []),
    ...(recorded === 0 ? [] : [['recorded as made', ...columns.map(({ byHand }) => figure(-byHand))]]),
    ...(locked === undefined
      ? []
      : [['cannot be refunded', ...columns.map((one) => figure(-one.locked)), locked.names]]),
    [strong('THIS REFUND'), ...columns.map(() => strong(figure(-change.amount))), shareOf(refund)],
    ['left afterwards', ...columns.map(({ left }) => figure(Math.max(0, left - change.amount)))],
  ];
}

// What is neither refunded nor left: without it, the figures of an order do not add up.
function lockedIn(money: OrderMoney): { readonly sum: number; readonly names: string } | undefined {
  const locked = lockedCharges(money);
  if (locked.length === 0) return undefined;
  const sum = locked.reduce((all, { left }) => all + left, 0);
  return { sum, names: locked.map(({ number }) => `charge ${number}`).join(', ') };
}

function strong(text: string): Cell {
  return { text, style: 'strong' };
}

// Says when the last refund was made and by whom, because the buyer may be asking about that one.
function refundWords(charges: readonly ChargeMoney[], origins: RefundOrigins): readonly Cell[] {
  const refunds = charges.flatMap(standingRefunds);
  const last = newestOf(refunds);
  if (last === undefined) return [];
  const several = refunds.length === 1 ? '' : `${refunds.length} refunds, the last `;
  const by = sentByWords(origins, last.id);
  return [[several, { time: last.createdAt, precision: 'day' }, by === undefined ? '' : `, ${by}`]];
}

function shareOf({ charge, money, change: { amount }, rest }: DecidedRefund): string {
  if (rest) return `all that is left of charge ${charge?.number ?? ''}`;
  if (charge !== undefined && amount < charge.amount)
    return `${percent(amount, charge.amount)} % of charge ${charge.number}`;
  return amount === money.amount ? 'all of the order' : `${percent(amount, money.amount)} % of the order`;
}

/** Shows how much was refunded to which card, the refund's id, and what is left of the order. */
export function refundResult(refund: DecidedRefund, applied: Applied, profile: Profile): readonly Block[] {
  const reading = readMoney(applied.record.value);
  const after = 'money' in reading ? reading.money : refund.money;
  const currency = after.currency ?? refund.money.currency;
  const figure = figuresIn(currency, profile.settings);
  const isPending = applied.state === 'pending';
  return [
    titleLine(
      `${isPending ? 'refund pending:' : 'refunded'} ${amountWords(refund.change.amount, currency, profile.settings)} to ${sources(
        refund,
      )
        .map(({ value }) => brandAndCard(value))
        .join(', ')}`,
      profile,
      'good',
    ),
    { line: `order    ${after.id}   ${statusWords(refund.money.status, after.status)}` },
    ...refundLines(applied.refunds ?? [], after, figure),
    ...moneyAfter(after, refund.byHand, profile.settings, {
      before: refundedSum(refund.money),
      end: journalWords(applied.change),
    }),
    ...(applied.by === 'read'
      ? [{ line: `${unconfirmedReply(applied)}; the order now shows the refund` }]
      : []),
    ...(isPending
      ? [
          {
            line: 'pending: the service has taken it up; it will be made later, or it will fail. To look again:',
          },
          {
            line:
              applied.change === undefined
                ? showOrder(after, profile)
                : `paydesk journal reconcile ${applied.change}`,
            indent: 2,
          },
        ]
      : []),
    ...(applied.change === undefined
      ? []
      : [{ line: `words for the buyer: paydesk refunds receipt ${applied.change}` }]),
  ];
}

/**
 * The money of an order once a refund was made. `unshown`: what a person recorded as made and the order does not show; `before`:
 * what was refunded before, if that is known; `end`: what ends its first line.
 */
export function moneyAfter(
  money: OrderMoney,
  unshown: readonly AttemptRecord[],
  settings: Profile['settings'],
  { before, end = '' }: { readonly before?: number; readonly end?: string } = {},
): readonly Block[] {
  const refunded = refundedSum(money);
  const pending = takenSum(money) - refunded;
  const locked = lockedIn(money);
  const { charges, recorded } = chargesLeft(money, unshown);
  const [units, ...decimals] = linesInBoth(
    money.currency,
    settings,
    (write) =>
      `${before === undefined ? '' : `${write(before)} -> `}${write(refunded)} refunded${pending === 0 ? '' : ` and ${write(pending)} pending`} of ${write(money.amount)}; ${recorded === 0 ? '' : `${write(recorded)} recorded as made; `}${write(leftToRefund({ charges }))} left${locked === undefined ? '' : `, ${write(locked.sum)} cannot be refunded (${locked.names})`}`,
  );
  return [{ line: `money    ${units}${end}` }, ...decimals.map((line) => ({ line, indent: 9 }))];
}

// One refund shows its time. Several refunds have the same time, so they show their amounts and cards instead.
function refundLines(
  refunds: readonly FoundRefund[],
  { charges }: OrderMoney,
  figure: (amount: number) => string,
): readonly Block[] {
  const [only, second] = refunds;
  if (only !== undefined && second === undefined) {
    const when = { time: only.createdAt, precision: 'full' } as const;
    return [
      {
        line: [
          `refund   ${only.id ?? 'no id shown'}   `,
          when,
          `   auth ${only.authCode ?? '-'}${stateWords(only.status)}`,
        ],
        hang: 9,
      },
    ];
  }
  return refunds.map(({ id, amount, chargeId, authCode, status }) => {
    const charge = charges.find((one) => one.id === chargeId);
    const card = charge === undefined ? chargeId : paidBy(charge.value);
    return {
      line: `refund   ${id ?? 'no id shown'}   ${figure(amount)} to ${card}   auth ${authCode ?? '-'}${stateWords(status)}`,
      hang: 9,
    };
  });
}

// The service does not document the status of a refund, so it is shown as received. A pending refund has not arrived yet.
function stateWords(status: string | undefined): string {
  return status === undefined ? '' : `   ${status}`;
}

function statusWords(before: string | undefined, after: string | undefined): string {
  if (after === undefined) return 'status not shown';
  return before === after ? `${after}, as before` : `${before ?? 'status not shown'} -> ${after}`;
}
