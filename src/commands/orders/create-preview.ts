/** What a person sees before saying yes to an order, rendered from the request body itself. Pure. */

import type { OrderRequest } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { accountLabel } from '../account.ts';
import { expiryBlock, itemBlocks, paymentBlocks } from '../creation/sale-blocks.ts';
import { requestLine } from '../request-line.ts';
import { headLine } from '../send-named.ts';

/** Blocks of the preview. */
export function orderPreview(body: OrderRequest, profile: Profile): readonly Block[] {
  const { checkout, customer_info: customer, shipping_contact: contact, metadata } = body;
  const goesTo = [contact?.receiver, contact?.phone, ...Object.values(contact?.address ?? {})];
  return [
    headLine('CREATE AN ORDER', accountLabel(profile)),
    { line: `buyer   ${customer?.customer_id ?? 'not said'}` },
    ...itemBlocks(body.line_items, body.currency, shippingOf(body)),
    ...(contact === undefined
      ? []
      : [{ line: `ship to ${goesTo.filter((part) => part !== undefined).join(', ')}` }]),
    ...(metadata === undefined ? [] : [{ line: `metadata ${JSON.stringify(metadata)}` }]),
    ...(checkout === undefined ? [{ line: 'no checkout' }] : checkoutBlocks(checkout)),
    requestLine(body),
  ];
}

/** Amounts of the shipping lines. */
export function shippingOf({ shipping_lines: lines = [] }: OrderRequest): readonly number[] {
  return lines.map(({ amount }) => amount);
}

function checkoutBlocks(checkout: NonNullable<OrderRequest['checkout']>): readonly Block[] {
  return [
    { line: `checkout ${checkout.type}${checkout.name === undefined ? '' : `, ${checkout.name}`}` },
    ...paymentBlocks(checkout.allowed_payment_methods, checkout.monthly_installments_options),
    expiryBlock(checkout.expires_at),
  ];
}
