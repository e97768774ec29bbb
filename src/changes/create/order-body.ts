/** The flags of `orders create` and the request body that they make (service: Endpoints 4). Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { checkoutTypes, hostedPayment } from '../../api/spec.ts';
import type { Input } from '../../flags/flags.ts';
import { firstRepeated, flag, usage } from '../../flags/flags.ts';
import type { ClockAndZone } from '../../flags/typed-time.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { TypedAmount } from '../../typed-amounts.ts';
import { givenOrNothing, onlyGiven } from '../repeat.ts';
import { itemsIn, parsePair, priceOf, saleFlags, unitsOf } from './sale-flags.ts';

/** A description, sku, category or tag of one item. */
interface ItemDetail {
  /** Which item, counted from 1. */
  readonly item: number;
  readonly text: string;
}

function detailFlag(what: string) {
  return {
    ...flag.of<ItemDetail>({
      value: 'N=TEXT',
      summary: `${what} of the Nth item`,
      parse: parseDetail,
    }),
    repeatable: true,
  } as const;
}

/** Reads `2=TEXT`. Throws CliError 'usage'. */
export function parseDetail(text: string, name: string): ItemDetail {
  const [number, words] = parsePair(text, name);
  if (/^[1-9][0-9]{0,3}$/.test(number) && words !== '') return { item: Number(number), text: words };
  throw usage(`${name} ${text}: not N=TEXT, where N counts the items from 1`);
}

/** Returns the detail. Throws CliError 'usage' if there are not so many items. */
export function checkDetail(detail: ItemDetail, name: string, items: number): ItemDetail {
  if (detail.item <= items) return detail;
  throw usage(`${name} ${detail.item}=${detail.text}: there is no item ${detail.item}, only ${items}`);
}

/** Reads the amount of a shipping line, which may be 0. Throws CliError 'usage'. */
export function parseShipping(text: string, name: string): TypedAmount {
  const amount = priceOf(text);
  if (amount !== undefined) return amount;
  throw usage(`${name} ${text}: not an amount such as 2500, without commas`);
}

export const orderFlags = {
  ...saleFlags,
  'item-description': detailFlag('description'),
  'item-sku': detailFlag('sku'),
  'item-category': detailFlag('category'),
  'item-tag': detailFlag('a tag'),
  shipping: {
    ...flag.of<TypedAmount>({ value: 'N', summary: 'amount of a shipping line', parse: parseShipping }),
    repeatable: true,
  },
  'ship-receiver': flag.text('TEXT', 'who receives it'),
  'ship-phone': flag.text('TEXT', 'phone of the receiver'),
  'ship-street': flag.text('TEXT', 'street and number it goes to'),
  'ship-country': flag.text('CODE', 'country it goes to'),
  'ship-postal-code': flag.text('TEXT', 'postal code it goes to'),
  metadata: {
    ...flag.of<readonly [string, string]>({
      value: 'KEY=VALUE',
      summary: 'kept with the order; the first = ends the key',
      parse: parsePair,
    }),
    repeatable: true,
  },
  checkout: flag.choice(checkoutTypes, 'TYPE', 'how it is paid'),
  'success-url': flag.text('URL', `where a ${hostedPayment} goes after success`),
  'failure-url': flag.text('URL', `where a ${hostedPayment} goes after failure`),
  'on-demand': flag.switch('the checkout may keep the card'),
} as const;

export type OrderDraft = Input<readonly [], typeof orderFlags>['flags'];

// Flags about the checkout inside the order.
const checkoutFlagNames = [
  'name',
  'success-url',
  'failure-url',
  'expires',
  'method',
  'needs-shipping',
  'installments',
  'on-demand',
  'plan',
] as const satisfies readonly (keyof typeof orderFlags)[];

/**
 * Makes the body; `createOne` checks it later. Throws CliError 'usage' for a detail of an item that does not exist, and for a
 * checkout flag without `--checkout`.
 */
export function orderBody(draft: OrderDraft, clockAndZone: ClockAndZone, profile: Profile): JsonObject {
  return onlyGiven({
    currency: draft.currency,
    customer_info: givenOrNothing({ customer_id: draft.customer }),
    line_items: linesOf(draft, profile),
    shipping_lines: draft.shipping?.map((typed) => ({
      amount: unitsOf(typed, `--shipping ${typed.text}`, draft.currency, profile),
    })),
    shipping_contact: givenOrNothing({
      phone: draft['ship-phone'],
      receiver: draft['ship-receiver'],
      address: givenOrNothing({
        street1: draft['ship-street'],
        country: draft['ship-country'],
        postal_code: draft['ship-postal-code'],
      }),
    }),
    metadata: metadataOf(draft),
    checkout: checkoutOf(draft, clockAndZone),
  });
}

const singleDetails = {
  'item-description': 'description',
  'item-sku': 'sku',
  'item-category': 'category',
} as const;

function linesOf(draft: OrderDraft, profile: Profile): readonly JsonObject[] {
  const items = itemsIn(draft.item ?? [], draft.currency, profile);
  for (const name of ['item-description', 'item-sku', 'item-category', 'item-tag'] as const) {
    for (const detail of draft[name] ?? []) checkDetail(detail, `--${name}`, items.length);
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
    return onlyGiven({
      ...item,
      description: single('item-description'),
      sku: single('item-sku'),
      category: single('item-category'),
      tags: tags.length === 0 ? undefined : tags,
    });
  });
}

function metadataOf({ metadata }: OrderDraft): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const twice = firstRepeated(metadata.map(([key]) => key));
  if (twice !== undefined) throw usage(`--metadata ${twice} is given twice`);
  return Object.fromEntries(metadata);
}

function checkoutOf(draft: OrderDraft, clockAndZone: ClockAndZone): JsonObject | undefined {
  if (draft.checkout === undefined) {
    const astray = checkoutFlagNames.find((name) => draft[name] !== undefined);
    if (astray === undefined) return undefined;
    throw usage(`--${astray} needs --checkout: it describes a checkout`);
  }
  return onlyGiven({
    name: draft.name,
    type: draft.checkout,
    success_url: draft['success-url'],
    failure_url: draft['failure-url'],
    expires_at: draft.expires?.at(clockAndZone),
    allowed_payment_methods: draft.method,
    needs_shipping_contact: draft['needs-shipping'],
    monthly_installments_enabled: draft.installments === undefined ? undefined : true,
    monthly_installments_options: draft.installments,
    on_demand_enabled: draft['on-demand'],
    // The document's table writes planId; some of its examples write plan_id (service: Endpoints 4).
    planId: draft.plan,
  });
}
