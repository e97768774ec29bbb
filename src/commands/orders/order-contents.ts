/** What `orders show` draws of an order: a row for each charge with the sums, then refunds, items and metadata. Pure. */

import {
  type ChargeMoney,
  negative,
  type OrderMoney,
  paidBy,
  type RefundRecord,
  readMoney,
  refundedSum,
} from '../../api/charges.ts';
import type { Order } from '../../api/records.ts';
import { failedWords, type JsonObject, statuses, valueAt } from '../../api/spec.ts';
import { type RefundOrigins, sentBy } from '../../changes/changes.ts';
import type { Block, Cell, Span } from '../../terminal/terminal.ts';

// Under the first word after `REFUNDS`, and after `charge 1`.
const underHeading = ' '.repeat(9);
const underCharge = ' '.repeat(10);

/** The money of an order; if it cannot be added up, why not. */
export function moneyView(order: Order, value: JsonObject): readonly Block[] {
  const reading = readMoney(value);
  return 'money' in reading ? [moneyGrid(reading.money, value)] : unprovenMoney(order, reading.problem);
}

function moneyGrid(money: OrderMoney, value: JsonObject): Block {
  const refunded = refundedSum(money);
  const left = money.charges.reduce((sum, charge) => sum + (charge.counts ? charge.left : 0), 0);
  return {
    right: [1, 2, 3],
    grid: [
      [
        `MONEY (${money.currency ?? 'currency not shown'}, as the service counts)`,
        '   amount',
        ' refunded',
        '     left',
      ],
      ...money.charges.flatMap((charge) => [chargeRow(charge), [chargeDetail(charge, value.created_at)]]),
      ['order', String(money.amount), negative(refunded), String(left)],
      [agreement(money, refunded)],
      ...chargeSum(money, value).map((line) => [line]),
    ],
  };
}

function chargeRow(charge: ChargeMoney): readonly Cell[] {
  return [
    `charge ${charge.number}  ${charge.id}  ${paidBy(charge.value)}`,
    String(charge.amount),
    negative(charge.refunded),
    charge.counts || charge.left === 0 ? String(charge.left) : '-',
  ];
}

function chargeDetail({ value, status, isRefundable, counts }: ChargeMoney, createdAt: unknown): Cell {
  const method = value.payment_method;
  const auth = text(valueAt(method, ['auth_code']));
  const paidAt = value.paid_at;
  const paid = typeof paidAt === 'number' && status !== undefined;
  const before = [
    text(valueAt(method, ['brand'])),
    text(valueAt(method, ['name'])),
    paid && status === statuses.paid ? undefined : (status ?? 'status not shown'),
    text(value.failure_message),
  ].filter((fact) => fact !== undefined);
  const after = [
    auth === undefined ? undefined : `auth ${auth}`,
    counts && isRefundable === false ? 'the service says it is not refundable' : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `${underCharge}${before.join(', ')}`,
    ...(paid
      ? [
          `${before.length === 0 ? '' : ', '}paid `,
          { time: paidAt, precision: 'clock', after: createdAt } as const,
        ]
      : []),
    after.map((fact) => `, ${fact}`).join(''),
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// The order and its refund records state the same sum; a person should know if they differ (service: order).
function agreement(money: OrderMoney, refunded: number): Cell {
  if (money.amountRefunded === undefined) return `${underCharge}the service shows no amount_refunded`;
  const said = `${underCharge}the service says amount_refunded ${money.amountRefunded}`;
  if (money.amountRefunded === refunded) return `${said}: agrees`;
  return {
    text: `${said}, its refund records add up to ${refunded}: they do not agree`,
    style: 'warn',
  };
}

function chargeSum(money: OrderMoney, value: JsonObject): readonly Cell[] {
  const paid = money.charges.filter((charge) => charge.counts || charge.refunded > 0);
  const sum = paid.reduce((total, charge) => total + charge.amount, 0);
  if (paid.length === 0 || sum === money.amount || value.payment_status === undefined) return [];
  return [{ text: `${underCharge}charges add up to ${sum}, the order says ${money.amount}`, style: 'warn' }];
}

function unprovenMoney(
  { amount, currency, amount_refunded: refunded }: Order,
  problem: string,
): readonly Block[] {
  const money = amount === undefined ? 'not shown' : `${amount} ${currency ?? ''}`.trimEnd();
  return [
    { line: `MONEY  ${money}  refunded ${refunded ?? 'not shown'}` },
    { line: `the charges cannot be added up: ${problem}`, indent: 7 },
  ];
}

/** Two lines per refund, the second with its id. `origins`: which of them this machine sent. */
export function refundsView(money: OrderMoney, origins: RefundOrigins): readonly Block[] {
  const rows = money.charges.flatMap((charge) =>
    charge.refunds.flatMap((refund) => refundRows(charge, refund, origins)),
  );
  if (rows.length === 0) return [];
  const heading = ['REFUNDS', 'from charge', 'amount', 'when', 'auth', 'by'];
  return ['blank', { grid: [heading, ...rows], right: [2] }];
}

function refundRows(charge: ChargeMoney, refund: RefundRecord, origins: RefundOrigins): (readonly Cell[])[] {
  const reason = origins?.get(refund.id)?.reason;
  return [
    [
      '',
      `${charge.number} ${paidBy(charge.value)}`,
      String(refund.amount),
      { time: refund.createdAt, precision: 'zoned' },
      refund.authCode ?? '-',
      sentBy(origins, refund.id),
    ],
    [
      [
        `${underHeading}id ${refund.id}${reason === undefined ? '' : `  ${reason}`}`,
        ...(refund.status === undefined ? [] : ['  ', stateSpan(refund.status)]),
      ],
    ],
  ];
}

function stateSpan(status: string): Span {
  return { text: status, style: failedWords.includes(status.toLowerCase()) ? 'bad' : 'strong' };
}

/** The items, and whether their sum equals the amount of the order. */
export function itemsView(order: Order): readonly Block[] {
  const items = order.line_items?.data ?? [];
  if (items.length === 0) return [];
  const rows = items.map(({ name, sku, quantity, unit_price: price }, index): readonly Cell[] => [
    index === 0 ? 'ITEMS  ' : '',
    `${name ?? '-'}${sku === undefined || sku === '' ? '' : `  sku ${sku}`}`,
    `${quantity ?? '-'} x ${price ?? '-'}`,
    quantity === undefined || price === undefined ? '-' : String(quantity * price),
  ]);
  const sum = items.reduce(
    (total, { quantity, unit_price: price }) => total + (quantity ?? 0) * (price ?? 0),
    0,
  );
  return ['blank', { grid: [...rows, [itemsSum(sum, order.amount)]], right: [2, 3], shrink: [1] }];
}

function itemsSum(sum: number, amount: number | undefined): Cell {
  const said =
    sum === amount
      ? 'equal to the order'
      : `the order says ${amount ?? 'no amount'}; shipping, taxes and discounts are not in it`;
  return `${underHeading}items ${sum}: ${said}`;
}

/** The metadata of an order, as received. */
export function metadataView(metadata: unknown): readonly Block[] {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  if (entries.length === 0) return [];
  const words = entries.map(([key, member]) => `${key}=${memberText(member)}`);
  return ['blank', { line: `metadata ${words.join('  ')}`, hang: 9 }];
}

function memberText(member: unknown): string {
  if (member === null || member === '') return '-';
  if (typeof member === 'string' || typeof member === 'bigint') return String(member);
  // An integer beyond 2^53-1 is a bigint, which JSON.stringify does not take.
  return JSON.stringify(member, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}
