/** What an order holds beside its money: the refunds made of it, its items, its metadata. Pure. */

import type { ChargeMoney, OrderMoney, RefundRecord } from '../../api/charges.ts';
import { paidBy } from '../../api/charges.ts';
import { failedWords, type Order } from '../../api/spec.ts';
import { type RefundOrigins, sentBy } from '../../changes/refund/known-refunds.ts';
import type { Block, Cell, Span } from '../../terminal/terminal.ts';

const under = ' '.repeat(9);

/** Each refund on two lines, the second with its id; `origins` tell which of them this machine sent. */
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
        `${under}id ${refund.id}${reason === undefined ? '' : `  ${reason}`}`,
        ...(refund.status === undefined ? [] : ['  ', stateSpan(refund.status)]),
      ],
    ],
  ];
}

function stateSpan(status: string): Span {
  return { text: status, style: failedWords.includes(status.toLowerCase()) ? 'bad' : 'strong' };
}

/** The items, and whether they add up to the order. */
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
  return `${under}items ${sum}: ${said}`;
}

/** The free keys of an order, as received. */
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
