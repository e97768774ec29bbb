/** Lines, sum, methods and expiry of a body, as a preview shows them. Pure. */

import type { Block, Cell } from '../../ports.ts';
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

/** When it ends, with a warning when that is over. `now` is Unix milliseconds. */
export function expiryBlocks(expiry: number | undefined, now: number): readonly Block[] {
  if (expiry === undefined) return [{ line: 'expires as the service decides' }];
  return [
    { line: ['expires ', { time: expiry, precision: 'full' }] },
    ...expiryWarnings(expiry, now).map((line): Block => ({ line: { text: `note: ${line}`, style: 'warn' } })),
  ];
}

/** What a person should know of an expiry. */
export function expiryWarnings(expiry: number | undefined, now: number): readonly string[] {
  return expiry !== undefined && expiry * 1000 <= now ? ['it expires in the past'] : [];
}

function exact(sum: number | undefined): string {
  return sum === undefined ? 'more than can be counted exactly' : String(sum);
}
