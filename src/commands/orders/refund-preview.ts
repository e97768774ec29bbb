/** What a person sees before saying yes to a refund, rendered from the request body itself. Pure. */

import type { ChargeMoney, OrderMoney, RefundRecord } from '../../api/charges.ts';
import { type JsonObject, type ReasonWords, readOrder, refundReasons } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { requestLine } from '../request-line.ts';
import { titleLine } from '../title.ts';
import { brandAndCard } from './card.ts';
import { negative, refundedSum } from './money-view.ts';
import { type RefundOrigins, sentBy } from './refund-origins.ts';
import type { RefundPlan } from './refund-plan.ts';

/** What a preview is drawn from. */
export interface Previewed {
  readonly plan: RefundPlan;
  readonly order: JsonObject;
  readonly profile: Profile;
  readonly note: string | undefined;
  readonly origins: RefundOrigins;
}

/** Blocks of the preview. */
export function refundPreview({ plan, order, profile, note, origins }: Previewed): readonly Block[] {
  const { body, money } = plan;
  const reason: ReasonWords | undefined = body.reason === undefined ? undefined : refundReasons[body.reason];
  const warnings = [...plan.warnings, ...(reason?.warning === undefined ? [] : [reason.warning])];
  return [
    titleLine(heading(plan), profile, 'strong'),
    { line: orderLine(money, order), hang: 8 },
    { line: `buyer   ${buyerOf(order)}`, hang: 8 },
    ...sources(plan).map((charge): Block => ({ line: chargeLine(charge, money), hang: 8 })),
    {
      line:
        body.reason === undefined
          ? 'reason  none is sent'
          : `reason  ${body.reason}   ${reason?.words ?? ''}`,
    },
    ...(note === undefined
      ? []
      : [{ line: `note    ${note}   stays on this machine, is not sent`, hang: 8 }]),
    { grid: moneyRows(plan, origins), right: [1, 2], indent: 2 },
    ...warnings.map((line): Block => ({ line: { text: `note: ${line}`, style: 'warn' }, hang: 6 })),
    requestLine(body),
  ];
}

function heading({ charge, amount, rest }: RefundPlan): string {
  if (charge === undefined) return 'REFUND A WHOLE ORDER';
  if (rest) return 'REFUND THE REST OF A CHARGE';
  return amount === charge.amount ? 'REFUND ONE CHARGE OF AN ORDER' : 'REFUND PART OF AN ORDER';
}

function orderLine(money: OrderMoney, order: JsonObject): Cell {
  return [
    `order   ${money.id}  ${money.amount} ${money.currency ?? ''}  ${money.status ?? 'status not shown'}  `,
    { time: order.created_at, precision: 'day' },
  ];
}

function buyerOf(order: JsonObject): string {
  const { customer_info: buyer, metadata } = readOrder(order) ?? {};
  const texts = Object.values(metadata ?? {})
    .filter((value) => typeof value === 'string')
    .slice(0, 1);
  const parts = [buyer?.name, buyer?.email, ...texts].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? 'not shown' : parts.join('  ');
}

// The charges that money comes out of.
function sources({ charge, expected, money }: RefundPlan): readonly ChargeMoney[] {
  if (charge !== undefined) return [charge];
  return money.charges.filter(({ id }) => expected.some(({ chargeId }) => chargeId === id));
}

function chargeLine({ number, value, id }: ChargeMoney, { charges }: OrderMoney): string {
  return `from    charge ${number} of ${charges.length}, ${brandAndCard(value)}, ${id}`;
}

function moneyRows(plan: RefundPlan, origins: RefundOrigins): readonly (readonly Cell[])[] {
  const { charge, money, amount } = plan;
  const refunded = refundedSum(money);
  const columns = [
    ...(charge === undefined
      ? []
      : [
          {
            title: `charge ${charge.number}`,
            paid: charge.amount,
            refunded: charge.refunded,
            left: charge.left,
          },
        ]),
    { title: 'order', paid: money.amount, refunded, left: money.amount - refunded },
  ];
  const words = refundWords(charge === undefined ? money.charges : [charge], origins);
  return [
    ['', ...columns.map(({ title }) => title)],
    ['paid', ...columns.map(({ paid }) => String(paid))],
    ['refunded so far', ...columns.map((one) => negative(one.refunded)), ...words],
    [strong('THIS REFUND'), ...columns.map(() => strong(String(-amount))), shareOf(plan)],
    ['left afterwards', ...columns.map(({ left }) => String(left - amount))],
  ];
}

function strong(text: string): Cell {
  return { text, style: 'strong' };
}

function lastOf(refunds: readonly RefundRecord[]): RefundRecord | undefined {
  return refunds.reduce<RefundRecord | undefined>(
    (last, one) => (last === undefined || (one.createdAt ?? 0) > (last.createdAt ?? 0) ? one : last),
    undefined,
  );
}

// When the last one was, and whose: the buyer may mean that refund. Of several the sum is not one person's.
function refundWords(charges: readonly ChargeMoney[], origins: RefundOrigins): readonly Cell[] {
  const refunds = charges.flatMap((charge) => charge.refunds);
  const last = lastOf(refunds);
  if (last === undefined) return [];
  const several = refunds.length === 1 ? '' : `${refunds.length} refunds, the last `;
  const whose = origins === undefined ? '' : `, by ${sentBy(origins, last.id)}`;
  return [[several, { time: last.createdAt, precision: 'day' }, whose.replace('by not', 'not')]];
}

function shareOf({ charge, money, amount, rest }: RefundPlan): string {
  if (rest) return `all that is left of charge ${charge?.number ?? ''}`;
  if (charge !== undefined && amount < charge.amount)
    return `${percent(amount, charge.amount)} of charge ${charge.number}`;
  return amount === money.amount ? 'all of the order' : `${percent(amount, money.amount)} of the order`;
}

/** `23 %`, `1.8 %`: one decimal where it is small, never all or nothing where it is not. */
export function percent(part: number, whole: number): string {
  const share = (part / whole) * 100;
  if (share < 0.1) return 'under 0.1 %';
  if (share < 10) return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
  return `${Math.floor(share)} %`;
}
