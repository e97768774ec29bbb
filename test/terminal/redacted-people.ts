/** The buyers of the tests of redaction, and the search for their personal data, plain and in five encodings. */

import { chargeOf, type Json, orderOf, refundOf } from '../harness/orders.ts';

const letters = 'bcdfghjklmnpqrstvwxz';
/** A word that stands nowhere else, made of a number. */
const wordOf = (seed: number): string =>
  `Qu${Array.from(String(seed * 7919 + 104_729), (digit) => `${letters[Number(digit)] ?? 'b'}a`).join('')}`;

/** What is looked for of a buyer. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly street: string;
  readonly city: string;
  readonly card: string;
}

/** A buyer whose every word stands nowhere else. */
export const personOf = (at: number): Person => ({
  name: `${wordOf(at)} ${wordOf(at + 1000)}`,
  email: `${wordOf(at + 2000).toLowerCase()}@mail.example`,
  phone: `+52 55 ${String(40_000_000 + at * 7331)}`,
  street: `Calle ${wordOf(at + 3000)} ${at + 1}`,
  city: wordOf(at + 4000),
  card: String(7000 + at),
});

/** An order of one of them. */
export const orderWith = (at: number): Json => {
  // The eighth is a twin of the seventh.
  const { name, email, phone, street, city, card } = personOf(at === 8 ? 7 : at);
  const charge = chargeOf(`ch_${at}`, 35_000, {
    payment_method: { object: 'card_payment', type: 'card', name, last4: card, brand: 'visa' },
    ...(at % 7 === 3
      ? { refunds: { object: 'list', data: [refundOf(`rf_${at}`, 500)], has_more: false } }
      : {}),
  });
  return orderOf(`ord_${at}`, [charge], {
    customer_info: { object: 'customer_info', customer_id: `cus_${at === 8 ? 7 : at}`, name, email, phone },
    shipping_contact: {
      receiver: name,
      phone,
      address: { street1: street, city, postal_code: '06700' },
    },
    metadata: { shop_order: `A-${at}`, gift_for: name, wish: `wrapped for ${name}` },
    ...(at % 7 === 3 ? { amount_refunded: 500, payment_status: 'partially_refunded' } : {}),
  });
};

/** All of them. */
export const people = Array.from({ length: 500 }, (_, at) => personOf(at));

/** A text plain and in five encodings: base64, hex, percent, the escapes of JSON, entities of HTML. */
export function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const units = Array.from(text, (letter) => letter.charCodeAt(0));
  return [
    text,
    bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
    bytes.toString('hex'),
    encodeURIComponent(text) === text ? text : encodeURIComponent(text),
    units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
    units.map((unit) => `&#${unit};`).join(''),
  ];
}

const startLength = 8;

/** All that is looked for, by the start of each form: a text is gone through once, and not once for each form. */
const byStart = Map.groupBy(
  people.flatMap(({ name, email, phone, street, city }) =>
    [...name.split(' '), email, phone, street, city].flatMap((part) =>
      formsOf(part).map((form) => ({ part, form })),
    ),
  ),
  ({ form }) => form.slice(0, startLength),
);
const cards = new Set(people.map(({ card }) => card));

/** What of them stands in a text, a card only as a card is written. */
export function foundIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (let at = 0; at < text.length; at += 1)
    for (const { part, form } of byStart.get(text.slice(at, at + startLength)) ?? [])
      if (text.startsWith(form, at)) found.add(part);
  for (const [digits] of text.matchAll(/(?<=\*|ending in |last4\S* )\d{4}\b|(?<=")\d{4}(?=")/g))
    if (cards.has(digits)) found.add(digits);
  return [...found];
}
