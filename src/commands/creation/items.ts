/** `--item NAME:PRICE:QTY`: the lines of an order or payment link, as typed. Pure. */

import { flag, usage } from '../command.ts';

/** What every line has (service: Endpoints 4 and 5). */
export interface Item {
  readonly name: string;
  readonly unit_price: number;
  readonly quantity: number;
}

/** The flag that adds a line. */
export const itemFlag = flag.of<Item>({
  value: 'ITEM',
  summary: 'NAME:PRICE:QTY, one line; the name may hold colons',
  parse: parseItem,
});

// Read from the right, since names hold colons.
const itemPattern = /^([\s\S]+):(0|[1-9][0-9]{0,15}):([1-9][0-9]{0,15})$/;

/** Reads a line as typed. Throws CliError 'usage'. */
export function parseItem(text: string, name: string): Item {
  const [, title = '', price, quantity] = itemPattern.exec(text) ?? [];
  const item = { name: title.trim(), unit_price: Number(price), quantity: Number(quantity) };
  if (item.name !== '' && Number.isSafeInteger(item.unit_price) && Number.isSafeInteger(item.quantity))
    return item;
  throw usage(
    `${name} ${text}: not NAME:PRICE:QTY, such as Lamp:30000:1; price and quantity are whole numbers`,
  );
}

/** What the lines come to; undefined where no exact number can hold it. */
export function sumOf(items: readonly Item[], more = 0): number | undefined {
  const sum = items.reduce((total, { unit_price, quantity }) => total + unit_price * quantity, more);
  return Number.isSafeInteger(sum) ? sum : undefined;
}
