/** The texts of an order in which a search looks for words, each with the kind of text that it is. Pure. */

import { type AmountStyle, plainAmounts, scaled } from '../../../amounts.ts';
import { itemsOf, type JsonObject, valueAt } from '../../../api/json-values.ts';
import { fold } from './fold-text.ts';

/** The field in which a word was found, and its value as the service sent it. */
export interface Match {
  readonly label: string;
  readonly value: string;
}

/** An order prepared for repeated searches: its fields, each also without case and accents. */
export type SearchableOrder = readonly SearchableText[];

/** How a field is compared with a word. */
export type TextKind = 'part' | 'whole' | 'idPart' | 'sum' | 'itemName' | 'card' | 'phone';

interface OrderText extends Match {
  readonly kind: TextKind;
}

/** A field as a search looks at it. */
interface SearchableText extends OrderText {
  readonly folded: string;
}

/** The fields of an order, each folded once for all words. An amount is also there as screens show it, with its decimals. */
export function searchable(order: JsonObject, style: AmountStyle = plainAmounts): SearchableOrder {
  return foldedTexts(orderTexts(order, style));
}

export function foldedTexts(fields: readonly OrderText[]): SearchableOrder {
  return fields.map((field) => ({ ...field, folded: fold(field.value) }));
}

// If several fields hold a word, the first one in this list is shown.
function orderTexts(order: JsonObject, style: AmountStyle): readonly OrderText[] {
  const buyer = (name: string): unknown => valueAt(order, ['customer_info', name]);
  const charges = itemsOf(order.charges);
  const amount: AmountTexts = (label, value) => amountTexts(label, value, order.currency, style);
  return [
    ...textOf('name', buyer('name'), 'part'),
    ...textOf('email', buyer('email'), 'part'),
    ...charges.flatMap(cardTexts),
    ...amount('amount', order.amount),
    ...textOf('currency', order.currency, 'whole'),
    ...textOf('phone', buyer('phone'), 'phone'),
    ...textOf('id', order.id, 'idPart'),
    ...charges.flatMap((charge) => [
      ...amount('charge amount', charge.amount),
      ...textOf('charge', charge.id, 'idPart'),
      ...itemsOf(charge.refunds).flatMap((refund) => [
        ...textOf('refund', refund.id, 'idPart'),
        ...amount('refund amount', refund.amount),
      ]),
    ]),
    ...textOf('customer', buyer('customer_id'), 'idPart'),
    ...textOf('phone', valueAt(order, ['shipping_contact', 'phone']), 'phone'),
    ...textOf('name', valueAt(order, ['shipping_contact', 'receiver']), 'part'),
    ...itemsOf(order.line_items).flatMap((item) => [
      ...textOf('item', item.name, 'itemName'),
      ...textOf('sku', item.sku, 'whole'),
    ]),
    ...metadataTexts(order.metadata),
  ];
}

function cardTexts(charge: JsonObject): readonly OrderText[] {
  const method = (name: string): unknown => valueAt(charge, ['payment_method', name]);
  return [
    ...textOf('card', method('last4'), 'card'),
    ...textOf('cardholder', method('name'), 'part'),
    ...textOf('auth', method('auth_code'), 'whole'),
    ...textOf('reference', charge.reference_id, 'part'),
    // A payment without a card may have a reference of its own (service: payment_source).
    ...textOf('reference', method('reference'), 'part'),
  ];
}

type AmountTexts = (label: string, value: unknown) => readonly OrderText[];

// The service's integer, and its decimals if they are declared. The service writes refund amounts as negative numbers
// (service: refund). People type them without the sign.
export function amountTexts(
  label: string,
  value: unknown,
  currency: unknown,
  style: AmountStyle,
): readonly OrderText[] {
  if (typeof value !== 'number' && typeof value !== 'bigint') return textOf(label, value, 'whole');
  const code = typeof currency === 'string' ? currency : undefined;
  const shown = scaled(value, code, { ...style, 'amounts.grouping': 'off' });
  return [String(value), shown].flatMap((text) => textOf(label, text?.replace('-', ''), 'sum'));
}

// Metadata may have any shape (service: order), so all its values are searched, however deep they are.
export function metadataTexts(metadata: unknown): readonly OrderText[] {
  const found: OrderText[] = [];
  const open: (readonly [string, unknown])[] = [['metadata', metadata]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [label, value] = next;
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value).toReversed()) open.push([`${label}.${key}`, inner]);
    else if (value !== true && value !== false) found.push(...textOf(label, value, 'part'));
  }
  return found;
}

/** A field with its value; none if the value is neither a text nor a number. */
export function textOf(label: string, value: unknown, kind: TextKind): readonly OrderText[] {
  if (typeof value === 'string' && value !== '') return [{ label, value, kind }];
  if (typeof value === 'number' || typeof value === 'bigint') return [{ label, value: String(value), kind }];
  return [];
}
