/** What was sold with an order, as `orders show` draws it: items, shipping, taxes, discounts, the checkout and metadata. Pure. */

import { type AmountStyle, figuresIn } from '../../amounts.ts';
import { exactly, filledText, isObject, itemsOf, type JsonObject } from '../../api/json-values.ts';
import type { Order } from '../../api/records.ts';
import { expiryOf } from '../../changes/changes.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';

/** `value`: the order as the service sent it. */
export function salesView(order: Order, value: JsonObject, style: AmountStyle): readonly Block[] {
  const items = itemsView(order, style);
  const checkout = checkoutView(value);
  const metadata = metadataView(value.metadata);
  // A line of metadata comes directly under the items.
  const isApart = checkout.length > 0 || items.length === 0;
  return [
    ...items,
    ...checkout,
    ...(isApart && metadata.length > 0 ? (['blank'] as const) : []),
    ...metadata,
  ];
}

// Aligns text under the first word after `ITEMS`.
const underHeading = ' '.repeat(9);

function itemsView(order: Order, style: AmountStyle): readonly Block[] {
  const figure = figuresIn(order.currency, style);
  const items = order.line_items?.data ?? [];
  const lines = linesOf(order);
  if (items.length === 0 && lines.length === 0) return [];
  const rows = items.map(({ name, sku, quantity, unit_price: price }, index): readonly Cell[] => [
    index === 0 ? 'ITEMS  ' : '',
    `${name ?? '-'}${sku === undefined || sku === '' ? '' : `  sku ${sku}`}`,
    `${quantity ?? '-'} x ${price === undefined ? '-' : figure(price)}`,
    quantity === undefined || price === undefined ? '-' : figure(quantity * price),
  ]);
  const more = lines.map(({ kind, words, amount }, index): readonly Cell[] => [
    index === 0 && items.length === 0 ? 'LINES  ' : '',
    words === undefined ? kind : `${kind}  ${words}`,
    '',
    amount === undefined ? '-' : figure(amount),
  ]);
  const itemsTotal = items.reduce(
    (total, { quantity, unit_price: price }) => total + (quantity ?? 0) * (price ?? 0),
    0,
  );
  const total = lines.reduce((sum, line) => sum + (line.amount ?? 0), itemsTotal);
  const kinds = [...new Set(lines.map(({ kind }) => kind))].join(', ');
  const end = agreement(total, lines, order.amount, figure);
  const both = kinds === '' ? '' : `, with ${kinds} ${figure(total)}`;
  const short: Block = {
    line: `ITEMS    ${items.length}${kinds === '' ? '' : ` with ${kinds}`}, ${figure(total)}: ${end} (-o list shows each)`,
    hang: 9,
  };
  const grid = [...rows, ...more, [`${underHeading}items ${figure(itemsTotal)}${both}: ${end}`]];
  return ['blank', { grid, right: [2, 3], shrink: [1], ...(rows.length > 1 ? { short: [short] } : {}) }];
}

// A line of the order besides its items. A discount is negative, however the service writes it.
interface OrderLine {
  readonly kind: 'shipping' | 'tax' | 'discount';
  readonly words: string | undefined;
  readonly amount: number | undefined;
}

// Assumed: lines are arrays, or lists like those of items, and each has an `amount` like a shipping line that is sent (service:
// Endpoints 4). The document does not show the lines of an order.
function linesOf({ shipping_lines: shipping, tax_lines: tax, discount_lines: discount }: Order) {
  const read = (kind: OrderLine['kind'], lines: unknown): readonly OrderLine[] =>
    (Array.isArray(lines) ? lines.filter(isObject) : itemsOf(lines)).map((line) => {
      const { amount } = line;
      const size = typeof amount === 'number' ? amount : undefined;
      return {
        kind,
        words: filledText(line.description) ?? filledText(line.name) ?? filledText(line.code),
        amount: size === undefined || kind !== 'discount' ? size : -Math.abs(size),
      };
    });
  return [...read('shipping', shipping), ...read('tax', tax), ...read('discount', discount)];
}

function agreement(
  total: number,
  lines: readonly OrderLine[],
  amount: number | undefined,
  figure: (amount: number) => string,
): string {
  if (total === amount) return 'equal to the order amount';
  const none = lines.length > 0 ? '' : '; it shows no shipping, taxes and discounts';
  return `the order says ${amount === undefined ? 'no amount' : figure(amount)}${none}`;
}

// Assumed: an order that was made with a checkout shows it as `checkout`, with its `url` and `status`. The document shows only what
// is sent (service: Endpoints 4).
function checkoutView({ checkout }: JsonObject): readonly Block[] {
  if (!isObject(checkout)) return [];
  const { type, name, status, url } = checkout;
  const words = [filledText(type), filledText(name), filledText(status) ?? 'status not shown'];
  const expiry = expiryOf(checkout);
  return [
    'blank',
    { line: `checkout ${words.filter((word) => word !== undefined).join('  ')}`, hang: 9 },
    { line: filledText(url) ?? 'the order shows no link', indent: 9 },
    ...(typeof expiry === 'number'
      ? [{ line: ['expires ', { time: expiry, precision: 'full' }], indent: 9 } satisfies Block]
      : []),
  ];
}

/** The link with which an order can still be paid, or in a word why not any more; undefined if it shows none. `now`: Unix milliseconds. */
export function payLink(
  { checkout }: JsonObject,
  now: number,
): { readonly link: string } | { readonly over: string } | undefined {
  const link = isObject(checkout) ? filledText(checkout.url) : undefined;
  if (!isObject(checkout) || link === undefined) return undefined;
  const [expiry, status] = [expiryOf(checkout), filledText(checkout.status)];
  // Assumed: whoever was sent a link can pay with it while it is `Issued`. The document shows no status of a checkout.
  const word = status?.toLowerCase();
  if (status !== undefined && word !== 'issued')
    return { over: word === 'canceled' || word === 'cancelled' ? 'cancelled' : status };
  return typeof expiry === 'number' && expiry * 1000 <= now ? { over: 'expired' } : { link };
}

function metadataView(metadata: unknown): readonly Block[] {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  if (entries.length === 0) return [];
  const words = entries.map(([key, member]) => `${key}=${memberText(member)}`);
  return [{ line: `metadata ${words.join('  ')}`, hang: 9 }];
}

function memberText(member: unknown): string {
  if (member === null || member === '') return '-';
  if (typeof member === 'string' || typeof member === 'bigint') return String(member);
  return JSON.stringify(member, exactly);
}
