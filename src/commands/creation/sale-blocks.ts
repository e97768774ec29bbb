/** Lines, sum, methods and expiry of a body, as a preview shows them. Pure. */

import type { Block, Cell } from '../../terminal/terminal.ts';
import { type Item, sumOf } from './items.ts';

/** A table of the lines with their sum. `shipping` are amounts of shipping lines. */
export function itemBlocks(
  items: readonly Item[],
  currency: string,
  shipping: readonly number[] = [],
): readonly Block[] {
  const rows: (readonly Cell[])[] = [
    ...items.map(({ name, quantity, unit_price: price }) => [
      name,
      `${quantity} x ${price}`,
      exact(sumOf([{ name, quantity, unit_price: price }])),
    ]),
    ...shipping.map((amount) => ['shipping', '', String(amount)]),
  ];
  const total = sumOf(
    items,
    shipping.reduce((sum, amount) => sum + amount, 0),
  );
  return [
    { grid: rows, right: [1, 2], shrink: [0], indent: 2 },
    { line: { text: `TOTAL  ${exact(total)} ${currency}`, style: 'strong' } },
  ];
}

/** Ways to pay and installments, as far as they are said. */
export function paymentBlocks(
  methods: readonly string[] | undefined,
  months: readonly number[] | undefined,
): readonly Block[] {
  return [
    ...(methods === undefined ? [] : [{ line: `pay by  ${methods.join(', ')}` }]),
    ...(months === undefined ? [] : [{ line: `months  ${months.join(', ')} without interest` }]),
  ];
}

/** When it ends. */
export function expiryBlock(expiry: number | undefined): Block {
  return {
    line:
      expiry === undefined
        ? 'expires as the service decides'
        : ['expires ', { time: expiry, precision: 'full' }],
  };
}

function exact(sum: number | undefined): string {
  return sum === undefined ? 'more than can be counted exactly' : String(sum);
}
