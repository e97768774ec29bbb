/** What the previews and results of orders and payment links share: lines with their sum, ways to pay, the link, its QR code. */

import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { type Item, sumOf } from './sale-flags.ts';

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

/** When a checkout ends, in either of the document's spellings (service: Endpoints 4 and 5). */
export function expiryOf(checkout: JsonObject): unknown {
  return checkout.expires_at ?? checkout.expired_at;
}

/** The lines of a checkout that people hand on: its link and its end. */
export function linkLines(checkout: JsonObject): readonly Block[] {
  const { url } = checkout;
  const expiry = expiryOf(checkout);
  return [
    { line: typeof url === 'string' && url !== '' ? url : 'the answer shows no link' },
    expiry === undefined || expiry === null
      ? { line: 'the answer shows no expiry' }
      : { line: ['expires  ', { time: expiry, precision: 'full' }] },
  ];
}

/** Draws the link of a checkout under the result. Who asked for it is told why there is none. */
export async function drawLink(
  ctx: Context,
  { url }: JsonObject,
  { qr: asked, noQr }: { readonly qr: boolean; readonly noQr: boolean },
): Promise<void> {
  if (noQr || ctx.options.dryRun) return;
  const missing =
    typeof url === 'string' && url !== '' ? await ctx.out.qr(url, asked) : 'the answer shows no link';
  if (asked && missing !== undefined) ctx.notes.note(`no QR code: ${missing}`);
}
