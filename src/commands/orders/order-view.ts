/** `orders show` as people see it: the money of an order at one glance, then refunds, items and what else it holds. */

import { type ChargeMoney, type OrderMoney, readMoney } from '../../api/charges.ts';
import { type JsonObject, type Order, readOrder, valueAt } from '../../api/spec.ts';
import type { Block, Cell, Profile, WireRecord } from '../../ports.ts';
import { accountLabel, commandLine } from '../account.ts';
import { canBeRefunded } from './refundable.ts';

/** Blocks of one order. `readAt` is Unix milliseconds. */
export function orderView(record: WireRecord, profile: Profile, readAt: number): readonly Block[] {
  const order = readOrder(record.value);
  if (order === undefined) return [{ line: 'this record is no order' }];
  const reading = readMoney(record.value);
  return [
    ...head(order, record.value, profile, readAt),
    'blank',
    ...('money' in reading
      ? moneyBlocks(reading.money, record.value)
      : unprovenMoney(order, reading.problem)),
    ...('money' in reading ? refundBlocks(reading.money) : []),
    ...itemBlocks(order),
    ...metadataBlocks(record.value),
    ...('money' in reading ? nextSteps(reading.money, record.value, profile) : []),
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
        `  ${order.payment_status ?? 'status not shown'}  ${canBeRefunded(value) ? 'can be refunded' : refundableWords(order)}  `,
        accountLabel(profile),
      ],
    },
    {
      line: [
        'created ',
        { time: order.created_at, precision: 'full' },
        '    read just now, ',
        { time: Math.floor(readAt / 1000), precision: 'full' },
      ],
    },
    { line: `buyer   ${buyerParts.length === 0 ? 'not shown' : buyerParts.join('  ')}` },
  ];
}

function refundableWords(order: Order): string {
  return order.is_refundable === false ? 'cannot be refunded' : 'refundable: not shown';
}

/** `*4242`, or the type of a payment that is no card. */
export function payedBy(charge: JsonObject): string {
  const last4 = valueAt(charge, ['payment_method', 'last4']);
  const type = valueAt(charge, ['payment_method', 'type']);
  if (typeof last4 === 'string' && last4 !== '') return `*${last4}`;
  return typeof type === 'string' ? type : 'not shown';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function moneyBlocks(money: OrderMoney, value: JsonObject): readonly Block[] {
  const refunded = money.charges.reduce((sum, charge) => sum + charge.refunded, 0);
  const left = money.charges.reduce((sum, charge) => sum + (charge.counts ? charge.left : 0), 0);
  const rows: (readonly Cell[])[] = [
    [
      `MONEY (${money.currency ?? 'currency not shown'}, as the service counts)`,
      'amount',
      'refunded',
      'left',
    ],
    ...money.charges.map((charge) => [
      `charge ${charge.number}  ${charge.id}  ${payedBy(charge.value)}`,
      String(charge.amount),
      String(-charge.refunded || 0),
      charge.counts || charge.left === 0 ? String(charge.left) : '-',
    ]),
    ['order', String(money.amount), String(-refunded || 0), String(left)],
  ];
  return [
    { grid: rows, right: [1, 2, 3] },
    ...money.charges.map((charge) => ({ line: chargeDetail(charge), indent: 10 })),
    { line: agreement(money, refunded), indent: 10 },
    ...chargeSum(money, value),
  ];
}

function chargeDetail(charge: ChargeMoney): Cell {
  const method = charge.value.payment_method;
  const facts = [
    text(valueAt(method, ['brand'])),
    text(valueAt(method, ['name'])),
    charge.status ?? 'status not shown',
    charge.isRefundable === false ? 'the service says it is not refundable' : undefined,
    text(charge.value.failure_message),
  ].filter((fact) => fact !== undefined);
  const auth = text(valueAt(method, ['auth_code']));
  return [
    `charge ${charge.number}: ${facts.join(', ')}`,
    ...(charge.value.paid_at === undefined || charge.value.paid_at === null
      ? []
      : [' ', { time: charge.value.paid_at, precision: 'day' } as const]),
    ...(auth === undefined ? [] : [`, auth ${auth}`]),
  ];
}

// Two witnesses of the same sum; where they differ a person should know (service: order).
function agreement(money: OrderMoney, refunded: number): Cell {
  if (money.amountRefunded === undefined) return 'the service shows no amount_refunded';
  if (money.amountRefunded === refunded) return `the service says amount_refunded ${refunded}: agrees`;
  return {
    text: `the service says amount_refunded ${money.amountRefunded}, its refund records add up to ${refunded}: they do not agree`,
    style: 'warn',
  };
}

function chargeSum(money: OrderMoney, value: JsonObject): readonly Block[] {
  const paid = money.charges.filter((charge) => charge.counts || charge.refunded > 0);
  const sum = paid.reduce((total, charge) => total + charge.amount, 0);
  if (paid.length === 0 || sum === money.amount || value.payment_status === undefined) return [];
  return [
    { line: { text: `charges add up to ${sum}, the order says ${money.amount}`, style: 'warn' }, indent: 10 },
  ];
}

function unprovenMoney(order: Order, problem: string): readonly Block[] {
  return [
    {
      line: `MONEY  ${order.amount ?? 'not shown'} ${order.currency ?? ''}  refunded ${order.amount_refunded ?? 'not shown'}`,
    },
    { line: `the charges cannot be added up: ${problem}`, indent: 7 },
  ];
}

function refundBlocks(money: OrderMoney): readonly Block[] {
  const rows = money.charges.flatMap((charge) =>
    charge.refunds.map((refund): readonly Cell[] => [
      `${charge.number} ${payedBy(charge.value)}`,
      String(refund.amount),
      { time: refund.createdAt, precision: 'full' },
      refund.authCode ?? '-',
      refund.id,
    ]),
  );
  if (rows.length === 0) return [];
  return ['blank', { grid: [['REFUNDS  from charge', 'amount', 'when', 'auth', 'id'], ...rows], right: [1] }];
}

function itemBlocks(order: Order): readonly Block[] {
  const items = order.line_items?.data ?? [];
  if (items.length === 0) return [];
  const rows = items.map(({ name, sku, quantity, unit_price: price }): readonly Cell[] => [
    `${name ?? '-'}${sku === undefined || sku === '' ? '' : `  sku ${sku}`}`,
    `${quantity ?? '-'} x ${price ?? '-'}`,
    quantity === undefined || price === undefined ? '-' : String(quantity * price),
  ]);
  const sum = items.reduce(
    (total, { quantity, unit_price: price }) => total + (quantity ?? 0) * (price ?? 0),
    0,
  );
  const said =
    sum === order.amount
      ? 'equal to the order'
      : `the order says ${order.amount ?? 'nothing'}; shipping, taxes and discounts are not in it`;
  return [
    'blank',
    { grid: [['ITEMS', '', ''], ...rows], right: [1, 2], shrink: [0] },
    { line: `items ${sum}: ${said}`, indent: 9 },
  ];
}

// Out of the record as it came: schemas drop keys such as __proto__, and a shop may use them.
function metadataBlocks(value: JsonObject): readonly Block[] {
  const { metadata } = value;
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  if (entries.length === 0) return [];
  return [
    'blank',
    { line: `metadata ${entries.map(([key, member]) => `${key}=${memberText(member)}`).join('  ')}` },
  ];
}

function memberText(member: unknown): string {
  if (member === null || member === '') return '-';
  if (typeof member === 'string' || typeof member === 'bigint') return String(member);
  // An integer beyond 2^53-1 is a bigint, which JSON.stringify does not take.
  return JSON.stringify(member, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}

function nextSteps(money: OrderMoney, value: JsonObject, profile: Profile): readonly Block[] {
  const rest = money.charges.filter((charge) => charge.counts);
  if (rest.length === 0 || !canBeRefunded(value)) return [];
  const touched = money.charges.some((charge) => charge.refunds.length > 0);
  const lines = touched
    ? rest.map((charge) => ({
        words: `refund the rest of charge ${charge.number}:`,
        command: commandLine(profile, 'orders', 'refund', money.id, '--charge', String(charge.number)),
      }))
    : [{ words: 'refund all of it:', command: commandLine(profile, 'orders', 'refund', money.id) }];
  return [
    'blank',
    ...lines.flatMap(({ words, command }): Block[] => [{ line: words }, { line: command, indent: 2 }]),
  ];
}
