/** What a person sees before saying yes to a payment link, rendered from the request body itself. Pure. */

import type { CheckoutCreateRequest } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { accountLabel } from '../account.ts';
import { expiryBlock, itemBlocks, paymentBlocks } from '../creation/sale-blocks.ts';
import { requestLine } from '../request-line.ts';
import { headLine } from '../send-named.ts';

/** Blocks of the preview. */
export function linkPreview(body: CheckoutCreateRequest, profile: Profile): readonly Block[] {
  const { name, order_template: template, recurrent } = body;
  const { customer_id: id, name: buyer, email, phone } = template.customer_info ?? {};
  const customer = [buyer, email, phone, id].filter((part) => part !== undefined);
  return [
    headLine('CREATE A PAYMENT LINK', accountLabel(profile)),
    { line: `for     ${name}` },
    ...(customer.length === 0 ? [] : [{ line: `buyer   ${customer.join('  ')}` }]),
    ...itemBlocks(template.line_items, template.currency),
    ...paymentBlocks(body.allowed_payment_methods, body.monthly_installments_options),
    expiryBlock(body.expired_at),
    ...(recurrent === true ? [{ line: 'it can be paid more than once' }] : []),
    requestLine(body),
  ];
}
