/** The text of an order in the index finds the same words as the order itself, whatever it holds. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import { indexedOrder, reducedText, wantedOrders } from '../../src/commands/orders/search/indexed-text.ts';
import { createSearch } from '../../src/commands/orders/search/order-matching.ts';
import { searchable } from '../../src/commands/orders/search/order-texts.ts';
import { indexFields } from '../../src/profiles/profiles.ts';
import { isLong } from '../harness/long.ts';
import { chargeOf, type Json, listOf, orderOf, refundOf } from '../harness/orders.ts';

const cents = { 'amounts.decimals': { MXN: 2, JPY: 0 }, 'amounts.grouping': 'on' as const };

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'José Ángel',
    'MUÑOZ  PEÑA',
    '王小明',
    'a\tb\nc',
    'Straße',
    'ﬁn',
    'x'.repeat(600),
    '*4242',
    'O’Brien',
    '-5',
  ),
);
const phone = fc.oneof(
  fc.constantFrom('+52 1 (555) 123-4567', '+5215551234567', '０１２３', '555.123'),
  text,
);
const amount = fc.oneof(
  fc.nat(200_000),
  fc.constantFrom(0, -1000, 9_007_199_254_740_993n, 10.5, '100', null, 5),
);

const order: fc.Arbitrary<Json> = fc
  .record({
    name: text,
    email: text,
    customer: text,
    phone,
    receiver: text,
    last4: fc.constantFrom('4242', '0005', '12'),
    auth: fc.constantFrom('490215', '00 12'),
    reference: fc.option(text),
    amount,
    currency: fc.constantFrom('MXN', 'usd', 'JPY', ''),
    refund: amount,
    metadata: fc.oneof(
      fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean())),
      fc.constantFrom(null, 'text', { deep: [{ er: 'Tía Luz' }] }),
    ),
  })
  .map((one) =>
    orderOf(
      'ord_Ab12cd34EF',
      [
        chargeOf('656f1c0e9a2b4d0018c3e5a1', 1, {
          amount: one.amount,
          reference_id: one.reference,
          payment_method: { name: one.name.toUpperCase(), last4: one.last4, auth_code: one.auth },
          refunds: listOf(refundOf('656f21d79a2b4d0018c40c11', 1, { amount: one.refund })),
        }),
      ],
      {
        amount: one.amount,
        currency: one.currency,
        customer_info: { name: one.name, email: one.email, phone: one.phone, customer_id: one.customer },
        shipping_contact: { phone: one.phone, receiver: one.receiver },
        metadata: one.metadata,
      },
    ),
  );

/** What the index says: the needles of a scan, and then the fields of the text. */
function inIndex(
  value: JsonObject,
  typed: readonly string[],
  style: typeof cents | typeof plainAmounts,
): boolean {
  const { text: kept, id } = indexedOrder(String(value.id), value, indexFields);
  const { groups, accepts } = wantedOrders(typed, style);
  const holds = groups.every((group) =>
    group.some((needle) => `${kept}\n${id.toLowerCase()}`.includes(needle)),
  );
  return holds && accepts(kept, id);
}

// Words that are likely in the order: parts of what a search looks at, and what people make of them.
function wordsOf(value: JsonObject, at: number, from: number, length: number): readonly string[] {
  const fields = searchable(value, cents);
  const field = fields[at % fields.length];
  const { value: whole = '', folded = '' } = field ?? {};
  const part = Array.from(whole)
    .slice(from % Math.max(1, whole.length))
    .slice(0, length)
    .join('');
  return [whole, part, folded, part.toUpperCase(), `*${whole}`, `-${whole}`, `+${whole}`].filter(
    (word) => word.trim() !== '',
  );
}

test('every word is found in the text exactly if it is found in the order', () => {
  fc.assert(
    fc.property(
      order,
      fc.nat(40),
      fc.nat(20),
      fc.integer({ min: 1, max: 9 }),
      text,
      fc.boolean(),
      (value, at, from, length, random, hasCents) => {
        const style = hasCents ? cents : plainAmounts;
        for (const word of [...wordsOf(value, at, from, length), random].filter((one) => one.trim() !== '')) {
          let search: ReturnType<typeof createSearch>;
          try {
            search = createSearch([word]);
          } catch {
            continue;
          }
          const live = search(searchable(value, style)) !== undefined;
          expect([word, inIndex(value, [word], style)]).toEqual([word, live]);
        }
      },
    ),
    { numRuns: isLong ? 20_000 : 500 },
  );
});

describe('what is not to be kept is not in the text', () => {
  const value = orderOf('ord_1', [chargeOf('ch_1', 500)], {
    customer_info: {
      name: 'Ana Torres',
      email: 'ana@example.com',
      phone: '+52 1 555 123',
      customer_id: 'cus_1',
    },
    metadata: { gift: 'Tía Luz' },
  });

  test.each([
    ['name', ['ana torres', 'buyer name']],
    ['email', ['ana@example.com']],
    ['phone', ['+52 1 555 123', '521555123']],
    ['card', ['4242']],
    ['auth', ['490215']],
    ['metadata', ['tia luz']],
  ] as const)('%s', (field, texts) => {
    const all = indexedOrder('ord_1', value, indexFields).text;
    const others = indexFields.filter((one) => one !== field);
    for (const kept of [indexedOrder('ord_1', value, others).text, reducedText(all, others)])
      for (const word of texts) {
        expect(all).toContain(word);
        expect(kept).not.toContain(word);
      }
    expect(reducedText(all, others)).toBe(indexedOrder('ord_1', value, others).text);
  });

  test('ids, customers and amounts always are', () => {
    expect(indexedOrder('ord_1', value, []).text.split('\t')).toEqual(['$mxn', 'a500', 'hch_1', 'kcus_1']);
  });
});
