/** What a person sees before saying yes to a refund, rendered from the request body itself. Pure. */

import type { ChargeMoney } from '../../api/charges.ts';
import { type JsonObject, type ReasonWords, readOrder, refundReasons, valueAt } from '../../api/spec.ts';
import type { Block, Cell, Profile } from '../../ports.ts';
import { accountLabel } from '../account.ts';
import { payedBy } from './order-view.ts';
import type { RefundPlan } from './refund-plan.ts';

/** Blocks of the preview; text by strangers first, ids and amounts last. */
export function refundPreview(
  plan: RefundPlan,
  order: JsonObject,
  profile: Profile,
  note: string | undefined,
): readonly Block[] {
  const { body, charge } = plan;
  const reason: ReasonWords | undefined = body.reason === undefined ? undefined : refundReasons[body.reason];
  const warnings = [...plan.warnings, ...(reason?.warning === undefined ? [] : [reason.warning])];
  return [
    {
      line: [
        { text: heading(plan), style: 'strong' },
        '    ',
        { text: accountLabel(profile), style: 'strong' },
      ],
    },
    { line: orderLine(plan, order) },
    { line: `buyer   ${buyerOf(order)}` },
    ...(charge === undefined
      ? plan.expected.map((one) => chargeLine(plan, one.chargeId))
      : [chargeLine(plan, charge.id)]),
    {
      line: `reason  ${body.reason === undefined ? 'none is sent' : `${body.reason}   ${reason?.words ?? ''}`}`,
    },
    ...(note === undefined ? [] : [{ line: `note    ${note}   stays on this machine, is not sent` }]),
    { grid: moneyRows(plan), right: [1, 2], indent: 2 },
    ...warnings.map((line): Block => ({ line: { text: `note: ${line}`, style: 'warn' } })),
    { line: `sent once: ${JSON.stringify(body)}`, indent: 11 },
  ];
}

function heading({ charge, amount, rest }: RefundPlan): string {
  if (charge === undefined) return 'REFUND A WHOLE ORDER';
  if (rest) return 'REFUND THE REST OF A CHARGE';
  return amount === charge.amount ? 'REFUND ONE CHARGE OF AN ORDER' : 'REFUND PART OF AN ORDER';
}

function orderLine({ money }: RefundPlan, order: JsonObject): Cell {
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

function chargeLine({ money }: RefundPlan, chargeId: string): Block {
  const charge = money.charges.find(({ id }) => id === chargeId);
  const brand = charge === undefined ? undefined : valueAt(charge.value, ['payment_method', 'brand']);
  const card =
    charge === undefined ? '' : `${typeof brand === 'string' ? `${brand} ` : ''}${payedBy(charge.value)}`;
  return { line: `from    charge ${charge?.number ?? '?'} of ${money.charges.length}, ${card}, ${chargeId}` };
}

function lastRefund(charges: readonly ChargeMoney[]): Cell {
  const times = charges.flatMap(({ refunds }) => refunds.map(({ createdAt }) => createdAt ?? 0));
  return times.length === 0 ? '' : { time: Math.max(...times), precision: 'day' };
}

function moneyRows(plan: RefundPlan): readonly (readonly Cell[])[] {
  const { charge, money, amount } = plan;
  const refunded = money.charges.reduce((sum, one) => sum + one.refunded, 0);
  const left = money.amount - refunded - amount;
  const share = Math.round((amount / money.amount) * 100);
  const said = plan.rest ? `all that is left of charge ${charge?.number ?? ''}` : `${share} % of the order`;
  if (charge === undefined) {
    return [
      ['', 'order', '', ''],
      ['paid', String(money.amount), '', ''],
      ['refunded so far', String(-refunded || 0), '', lastRefund(money.charges)],
      [{ text: 'THIS REFUND', style: 'strong' }, { text: String(-amount), style: 'strong' }, '', said],
      ['left afterwards', String(left), '', ''],
    ];
  }
  return [
    ['', `charge ${charge.number}`, 'order', ''],
    ['paid', String(charge.amount), String(money.amount), ''],
    ['refunded so far', String(-charge.refunded || 0), String(-refunded || 0), lastRefund([charge])],
    [
      { text: 'THIS REFUND', style: 'strong' },
      { text: String(-amount), style: 'strong' },
      { text: String(-amount), style: 'strong' },
      said,
    ],
    ['left afterwards', String(charge.left - amount), String(left), ''],
  ];
}
