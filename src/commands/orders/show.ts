/** `orders show`: one order by id. */

import type { WireRecord } from '../../api/api.ts';
import { readOne } from '../../api/api.ts';
import { canBeRefunded, type OrderMoney, readMoney } from '../../api/charges.ts';
import { type Order, readOrder } from '../../api/records.ts';
import { orderColumns, resources } from '../../api/resources.ts';
import { type JsonObject, statuses } from '../../api/spec.ts';
import { originsOf, type RefundOrigins } from '../../changes/changes.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { accountLabel, commandLine } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { idArgument } from '../flags.ts';
import { itemsView, metadataView, moneyView, refundsView } from './order-contents.ts';

const { idExample } = resources.orders;

export const show = defineCommand({
  description:
    'The service documents no way to get one order, so it is found through its paging. -o list shows every field the service sent.',
  arguments: [idArgument('orders', true)],
  flags: {},
  examples: [
    `paydesk -p demo orders show ${idExample}`,
    `paydesk -p demo orders show ${idExample} --json --no-input`,
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [id] }) {
    ctx.out.checkColumns(orderColumns);
    const service = await ctx.service();
    const { profile } = service;
    const record = await readOne(ctx, service, 'orders', id, 'show');
    const origins = ctx.out.format === 'table' ? await originsOf(ctx, profile, record.value) : new Map();
    const readAt = ctx.clock.now();
    await ctx.out.record(record, orderColumns, () => orderView({ record, profile, readAt, origins }));
    return undefined;
  },
});

interface OrderSeen {
  readonly record: WireRecord;
  readonly profile: Profile;
  /** When it was read, Unix milliseconds. */
  readonly readAt: number;
  /** What the journal of this machine knows of its refunds. */
  readonly origins: RefundOrigins;
}

// The money of an order at one glance, then refunds, items and what else it holds.
function orderView({ record, profile, readAt, origins }: OrderSeen): readonly Block[] {
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
