/** What was said of a payment link → its request body (service: Endpoints 5). Pure. */

import { type JsonObject, paymentLinkType } from '../../api/spec.ts';
import { flag, type Input } from '../command.ts';
import { saleFlags } from '../creation/flags.ts';
import { said, saidOrNothing } from '../creation/said.ts';
import type { Reckoning } from '../typed-time.ts';

/** The flags that make a payment link's body. */
export const linkFlags = {
  ...saleFlags,
  'customer-name': flag.text({
    value: 'TEXT',
    summary: 'who pays, where there is no customer id',
    conflicts: ['customer'],
  }),
  'customer-email': flag.text({ value: 'TEXT', summary: 'their e-mail', conflicts: ['customer'] }),
  'customer-phone': flag.text({ value: 'TEXT', summary: 'their phone', conflicts: ['customer'] }),
  recurrent: flag.switch({ summary: 'the link can be paid more than once' }),
} as const;

/** What was said, by flags or at prompts. */
export type LinkDraft = Input<readonly [], typeof linkFlags>['flags'];

/** The body; `reckoning`: the clock and the zone that say when it expires. It is not checked yet. */
export function linkBody(draft: LinkDraft, reckoning: Reckoning): JsonObject {
  return said({
    name: draft.name,
    type: paymentLinkType,
    // The document calls only plan_id optional: a switch that was not given is said (service: Endpoints 5).
    recurrent: draft.recurrent === true,
    expired_at: draft.expires?.at(reckoning),
    allowed_payment_methods: draft.method,
    needs_shipping_contact: draft['needs-shipping'] === true,
    monthly_installments_enabled: draft.installments !== undefined,
    monthly_installments_options: draft.installments,
    plan_id: draft.plan,
    order_template: said({
      line_items: draft.item ?? [],
      currency: draft.currency,
      customer_info: customerOf(draft),
    }),
  });
}

function customerOf(draft: LinkDraft): JsonObject | undefined {
  return saidOrNothing({
    customer_id: draft.customer,
    name: draft['customer-name'],
    email: draft['customer-email'],
    phone: draft['customer-phone'],
  });
}
