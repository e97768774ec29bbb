/** What a text finds in an order, by each kind of text. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMatcher } from '../../../src/commands/orders/search/order-matching.ts';

const shown = {
  id: 'ord_2tQ7zRk9PwE5xNvAm',
  object: 'order',
  amount: 52_000,
  amount_refunded: 12_000,
  currency: 'MXN',
  payment_status: 'partially_refunded',
  customer_info: {
    customer_id: 'cus_2sZp8LmQ4tVx',
    name: 'María Pérez Íñiguez',
    email: 'Maria.Perez@Example.com',
    phone: '+52 (155) 1234-5678',
  },
  metadata: { shop_order: 'A-10023', deep: { list: ['gift', { from: 'Grüße' }] }, count: 77, flag: true },
  line_items: { object: 'list', data: [{ name: 'Wool blanket 500', sku: 'WB-2', quantity: 1 }] },
  charges: {
    object: 'list',
    data: [
      {
        id: '656f1c0e9a2b4d0018c3e5a1',
        amount: 35_000,
        reference_id: 'R-2044',
        payment_method: { name: 'M GARCÍA', last4: '4242', auth_code: '490215' },
        refunds: { object: 'list', data: [{ id: '656f21d79a2b4d0018c40c11', amount: -12_000 }] },
      },
      {
        id: '656f1c0e9a2b4d0018c3e5b4',
        amount: 17_000,
        reference_id: null,
        payment_method: { type: 'cash', reference: '93000123' },
        refunds: null,
      },
    ],
  },
};

function found(...texts: readonly string[]): readonly string[] | undefined {
  return createMatcher(texts)(shown)?.map(({ label, value }) => `${label} ${value}`);
}

describe('a text finds an order by', () => {
  test.each([
    ['its whole id', 'ord_2tQ7zRk9PwE5xNvAm', 'id ord_2tQ7zRk9PwE5xNvAm'],
    ['a part of its id', '7zrk9', 'id ord_2tQ7zRk9PwE5xNvAm'],
    ['an e-mail in another case', 'maria.PEREZ@example.com', 'email Maria.Perez@Example.com'],
    ['the start of an e-mail', 'maria.', 'email Maria.Perez@Example.com'],
    ['a name without its accents', 'iniguez', 'name María Pérez Íñiguez'],
    ['the holder of the card', 'garcia', 'cardholder M GARCÍA'],
    ['the name of an item', 'BLANKET', 'item Wool blanket 500'],
    ['the sku of an item', 'wb-2', 'sku WB-2'],
    ['the digits of a phone number', '5215512345678', 'phone +52 (155) 1234-5678'],
    ['the end of a phone number', '5678', 'phone +52 (155) 1234-5678'],
    ['a phone number written in another way', '55 1234 5678', 'phone +52 (155) 1234-5678'],
    ['a phone number from its +', '+52155', 'phone +52 (155) 1234-5678'],
    ['the last four of a card', '4242', 'card 4242'],
    ['the last four as they are shown', '*4242', 'card 4242'],
    ['a reference', 'r-2044', 'reference R-2044'],
    ['the reference of a payment in cash', '93000123', 'reference 93000123'],
    ['the amount of the order', '52000', 'amount 52000'],
    ['the amount of a charge', '35000', 'charge amount 35000'],
    ['the amount of a refund', '12000', 'refund amount 12000'],
    ['an auth code', '490215', 'auth 490215'],
    ['the id of a charge', '656f1c0e9a2b4d0018c3e5b4', 'charge 656f1c0e9a2b4d0018c3e5b4'],
    ['the id of a refund', '656f21d79a2b4d0018c40c11', 'refund 656f21d79a2b4d0018c40c11'],
    ['the id of the customer', 'cus_2sZp8LmQ4tVx', 'customer cus_2sZp8LmQ4tVx'],
    ['a metadata value', 'a-10023', 'metadata.shop_order A-10023'],
    ['a metadata value that lies deep', 'grusse', 'metadata.deep.list.1.from Grüße'],
    ['a number in the metadata', '77', 'metadata.count 77'],
  ])('%s', (_, text, match) => expect(found(text)).toContain(match));
});

describe('a text does not find an order by', () => {
  test.each([
    ['a part of an amount', '5200'],
    ['a part of an auth code', '49021'],
    ['a part of the last four', '424'],
    ['three characters of an id', '7zr'],
    ['four digits in the middle of an id', '0018'],
    ['two digits of a phone number', '51'],
    ['digits after a + that begin elsewhere', '+155'],
    ['a status', 'partially_refunded'],
    ['the name of a metadata field', 'shop_order'],
    ['a switch in the metadata', 'true'],
    ['something else', 'nothere'],
  ])('%s', (_, text) => expect(found(text)).toBeUndefined());
});

describe('words', () => {
  test('all have to be there, in any field and any order', () => {
    expect(found('4242', 'perez')).toEqual(['card 4242', 'name María Pérez Íñiguez']);
    expect(found('perez 4242 52000 MXN')).toHaveLength(4);
    expect(found('perez', 'gomez')).toBeUndefined();
    expect(found('perez 5100')).toBeUndefined();
  });

  test('of one argument are the same as several arguments', () => {
    expect(found('  perez\t4242 ')).toEqual(found('perez', '4242'));
  });

  test('that say nothing are refused', () => {
    for (const text of ['', '  ', '\u0301', '\u200b'])
      expect(() => createMatcher([text])).toThrow('has no word to search for');
  });

  test('find nothing in a record without fields, or with fields of any other type', () => {
    const odd = fc.anything({ maxDepth: 3, withBigInt: true });
    const record = fc.record(
      { id: odd, amount: odd, currency: odd, customer_info: odd, metadata: odd, charges: odd },
      { requiredKeys: [] },
    );
    const matcher = createMatcher(['no such text anywhere']);
    fc.assert(fc.property(record, (order) => matcher(order) === undefined));
  });
});

describe('any text', () => {
  const word = fc.string({
    unit: fc.constantFrom(...Array.from('abcABCñÑéÉ019-@')),
    minLength: 1,
    maxLength: 8,
  });

  test('finds the order whose name it is, in any case and with or without accents', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const order = { customer_info: { name: words.join(' ') } };
        const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');
        expect(createMatcher(words.map((one) => plain(one).toUpperCase()))(order)).toBeDefined();
        expect(createMatcher([words.join(' ').toLowerCase()])(order)).toBeDefined();
      }),
    );
  });

  test('finds no more with one word more', () => {
    const matches = (texts: readonly string[]): boolean => createMatcher(texts)(shown) !== undefined;
    const some = fc.constantFrom('perez', '4242', 'a-10023', 'gift', '52000', 'nothere', 'mxn', '2044');
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 4 }), some, (texts, more) => {
        expect(matches([...texts, more])).toBe(matches(texts) && matches([more]));
      }),
    );
  });
});

test('metadata of megabytes, or nested a thousand times, is looked through in proportion to its size', () => {
  const matcher = createMatcher(['perez', 'aaaaaaab']);
  const long = ['a', 'é', '\u0301\u0323', 'perez '].map((unit) => unit.repeat(1_000_000 / unit.length));
  const start = process.cpuUsage();
  expect(matcher({ metadata: { long } })).toBeUndefined();
  const { user, system } = process.cpuUsage(start);
  // At the square of their length these take many minutes of the processor.
  expect((user + system) / 1_000_000).toBeLessThan(20);
  let nested: unknown = 'Pérez aaaaaaab';
  for (let depth = 0; depth < 1_000; depth += 1) nested = { n: nested };
  expect(matcher({ metadata: nested })).toHaveLength(1);
});
