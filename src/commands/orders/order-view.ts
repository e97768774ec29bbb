/** `orders show` as people see it: the money of an order at one glance, then refunds, items and what else it holds. */

import type { WireRecord } from '../../api/api.ts';
import { type OrderMoney, readMoney } from '../../api/charges.ts';
import { type JsonObject, type Order, readOrder, statuses } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { accountLabel, commandLine } from '../account.ts';
import { itemsView, metadataView, refundsView } from './contents-view.ts';
import { moneyView } from './money-view.ts';
import type { RefundOrigins } from './refund-origins.ts';
import { canBeRefunded } from './refundable.ts';

/** What a view of an order is drawn from. */
export interface OrderSeen {
  readonly record: WireRecord;
  readonly profile: Profile;
  /** Unix milliseconds. */
  readonly readAt: number;
  /** What the journal of this machine knows of its refunds. */
  readonly origins: RefundOrigins;
}

/** Blocks of one order. */
export function orderView({ record, profile, readAt, origins }: OrderSeen): readonly Block[] {
  const { value } = record;
  const order = readOrder(value);
  if (order === undefined) return [{ line: 'this record is no order' }];
  const reading = readMoney(value);
  return [
    ...head(order, value, profile, readAt),
    'blank',
    ...moneyView(order, value),
    ...('money' in reading ? refundsView(reading.money, origins) : []),
    ...itemsView(order),
    ...metadataView(value.metadata),
    ...('money' in reading ? nextSteps(reading.money, value, profile) : []),
  ];
}

function head(order: Order, value: JsonObject, profile: Profile, readAt: number): readonly Block[] {
  const { customer_info: buyer } = order;
  const buyerParts = [buyer?.name, buyer?.email, buyer?.phone, buyer?.customer_id].filter(
    (part) => part !== undefined && part !== '',
  );
  return [
    {
      line: [
        { text: order.id, style: 'strong' },
        `  ${order.payment_status ?? 'status not shown'}  ${refundableWords(order, value)}  `,
        accountLabel(profile),
      ],
    },
    {
      line: [
        'created ',
        { time: order.created_at, precision: 'full' },
        '    read just now, ',
        { time: Math.floor(readAt / 1000), precision: 'second' },
      ],
    },
    { line: `buyer   ${buyerParts.length === 0 ? 'not shown' : buyerParts.join('  ')}`, hang: 8 },
  ];
}

function refundableWords(order: Order, value: JsonObject): string {
  if (order.payment_status === statuses.preAuthorized) return 'not charged yet';
  if (canBeRefunded(value)) return 'can be refunded';
  return order.is_refundable === false ? 'cannot be refunded' : 'refundable: not shown';
}

function nextSteps(money: OrderMoney, value: JsonObject, profile: Profile): readonly Block[] {
  if (value.payment_status === statuses.preAuthorized) {
    const command = commandLine(profile, 'orders', 'capture', money.id);
    return ['blank', { line: 'capture it:' }, { line: command, indent: 2 }];
  }
  const rest = money.charges.filter((charge) => charge.counts && charge.isRefundable !== false);
  if (rest.length === 0 || !canBeRefunded(value)) return [];
  const byCharge = money.charges.some(
    (charge) => charge.refunds.length > 0 || (charge.counts && charge.isRefundable === false),
  );
  const lines = byCharge
    ? rest.map((charge) => ({
        words: `refund ${charge.refunds.length > 0 ? 'the rest of ' : ''}charge ${charge.number}:`,
        command: commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number)),
      }))
    : [{ words: 'refund all of it:', command: commandLine(profile, 'orders', 'refund', money.id) }];
  return [
    'blank',
    ...lines.flatMap(({ words, command }): Block[] => [{ line: words }, { line: command, indent: 2 }]),
  ];
}
