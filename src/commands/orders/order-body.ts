/** What was said of an order → its request body (service: Endpoints 4). Pure. */

import type { JsonObject } from '../../api/spec.ts';
import { firstRepeated, usage } from '../command.ts';
import { said, saidOrNothing } from '../creation/said.ts';
import type { Reckoning } from '../typed-time.ts';
import { checkoutFlagNames, type ItemDetail, type OrderDraft } from './order-flags.ts';

/**
 * The body; `reckoning`: the clock and the zone that say when it expires. It is not checked yet. Throws CliError
 * 'usage' for what has no place in it: a detail of an item that is not there, a flag of the checkout without one.
 */
export function orderBody(draft: OrderDraft, reckoning: Reckoning): JsonObject {
  return said({
    currency: draft.currency,
    customer_info: saidOrNothing({ customer_id: draft.customer }),
    line_items: linesOf(draft),
    shipping_lines: draft.shipping?.map((amount) => ({ amount })),
    shipping_contact: contactOf(draft),
    metadata: metadataOf(draft),
    checkout: checkoutOf(draft, reckoning),
  });
}

const singleDetails = {
  'item-description': 'description',
  'item-sku': 'sku',
  'item-category': 'category',
} as const;

function linesOf(draft: OrderDraft): readonly JsonObject[] {
  const { item: items = [] } = draft;
  for (const name of ['item-description', 'item-sku', 'item-category', 'item-tag'] as const) {
    const astray = draft[name]?.find(({ item }) => item > items.length);
    if (astray !== undefined) {
      throw usage(
        `--${name} ${astray.item}=${astray.text}: there is no item ${astray.item}, only ${items.length}`,
      );
    }
  }
  return items.map((item, index) => {
    const own = (details: readonly ItemDetail[] | undefined) =>
      details?.filter((detail) => detail.item === index + 1).map(({ text }) => text) ?? [];
    const tags = own(draft['item-tag']);
    const single = (name: keyof typeof singleDetails) => {
      const [text, second] = own(draft[name]);
      if (second !== undefined) throw usage(`--${name} is given twice for item ${index + 1}`);
      return text;
    };
    return said({
      ...item,
      description: single('item-description'),
      sku: single('item-sku'),
      category: single('item-category'),
      tags: tags.length === 0 ? undefined : tags,
    });
  });
}

function contactOf(draft: OrderDraft): JsonObject | undefined {
  return saidOrNothing({
    phone: draft['ship-phone'],
    receiver: draft['ship-receiver'],
    address: saidOrNothing({
      street1: draft['ship-street'],
      country: draft['ship-country'],
      postal_code: draft['ship-postal-code'],
    }),
  });
}

function metadataOf({ metadata }: OrderDraft): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const twice = firstRepeated(metadata.map(([key]) => key));
  if (twice !== undefined) throw usage(`--metadata ${twice} is given twice`);
  return Object.fromEntries(metadata);
}

function checkoutOf(draft: OrderDraft, reckoning: Reckoning): JsonObject | undefined {
  if (draft.checkout === undefined) {
    const astray = checkoutFlagNames.find((name) => draft[name] !== undefined);
    if (astray === undefined) return undefined;
    throw usage(`--${astray} needs --checkout: it says something of a checkout`);
  }
  return said({
    name: draft.name,
    type: draft.checkout,
    success_url: draft['success-url'],
    failure_url: draft['failure-url'],
    expires_at: draft.expires?.at(reckoning),
    allowed_payment_methods: draft.method,
    needs_shipping_contact: draft['needs-shipping'],
    monthly_installments_enabled: draft.installments === undefined ? undefined : true,
    monthly_installments_options: draft.installments,
    on_demand_enabled: draft['on-demand'],
    // As the table has it; some examples write plan_id (service: Endpoints 4).
    planId: draft.plan,
  });
}
