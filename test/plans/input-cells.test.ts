/** The cells of an input file: what is right, and what is said of everything else. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AmountStyle, plainAmounts } from '../../src/amounts.ts';
import {
  type Checked,
  readAmount as readAmountOf,
  readCharge,
  readCurrency,
  readNote,
  readOrderId,
  readReason,
  readRef,
  readReference,
  shown,
} from '../../src/plans/input-cells.ts';

const readAmount = (text: string) => readAmountOf(text, 'plan', plainAmounts);
const wordsOf = (cell: Checked<unknown>) => ('wrong' in cell ? cell.wrong : cell);

it('an amount whose marks are in the wrong places is not blamed on decimals that the profile declares', () => {
  const style: AmountStyle = { ...plainAmounts, 'amounts.decimals': { MXN: 2 } };
  expect(wordsOf(readAmountOf('1,60.00', 'charges', style))).toBe(
    'amount 1,60.00: its points and commas part neither thousands nor decimals; type it with its decimals and no other mark, such as 1250.00',
  );
});

describe('F45 amounts', () => {
  it.each([
    ['1', 1],
    ['23000', 23000],
    ['9007199254740991', 9007199254740991],
    ['full', 'full'],
  ])('takes %s', (text, value) => {
    expect(readAmount(text)).toEqual({ value: { amount: value } });
  });

  it.each([
    ['500 mxn', 500, 'MXN'],
    ['MXN 500', 500, 'MXN'],
    ['500USD', 500, 'USD'],
  ])('takes %s with its currency', (text, amount, currency) => {
    expect(readAmount(text)).toEqual({ value: { amount, currency } });
  });

  it.each([
    [
      '100.00',
      "amount 100.00: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 10000, if not 100",
    ],
    [
      '12,5',
      "amount 12,5: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 1250",
    ],
    [
      '1,000.00',
      "amount 1,000.00: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 100000, if not 1000",
    ],
    [
      '1600,50 mxn',
      "amount 1600,50 mxn: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 160050 MXN",
    ],
    [
      '1.500,00',
      "amount 1.500,00: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 150000, if not 1500",
    ],
    ['1.000', 'amount 1.000: type it without marks between the digits: 1000'],
    ['1.000.000', 'amount 1.000.000: type it without marks between the digits: 1000000'],
    ['1e3', 'amount 1e3: a spreadsheet or program shortened it; type all its digits, such as 23000'],
    ['1.2E+05', 'amount 1.2E+05: a spreadsheet or program shortened it; type all its digits, such as 23000'],
    ['0x10', 'amount 0x10: not a whole number such as 23000, nor full'],
    ['', 'amount is blank: type the amount, or full for the whole charge or order'],
    [' 1 2 ', 'amount " 1 2 ": type it without marks between the digits'],
    ['(5)', 'amount (5): not a whole number such as 23000, nor full'],
    ['-5', 'amount -5: type it without a sign: 5'],
    ['+5', 'amount +5: type it without a sign: 5'],
    ['−5', 'amount −5: type it without a sign: 5'],
    ['-0.5', 'amount -0.5: type it without a sign'],
    ['0', 'amount 0: zero is no amount; type one above 0'],
    ['007', 'amount 007: type it without zeros in front: 7'],
    ['1,000', 'amount 1,000: type it without marks between the digits: 1000'],
    ['1_000', 'amount 1_000: type it without marks between the digits: 1000'],
    ['1 000 000', 'amount 1 000 000: type it without marks between the digits: 1000000'],
    ['12 34', 'amount 12 34: type it without marks between the digits'],
    [
      '$5',
      "amount $5: type it with the currency in three letters behind it, in the unit of the order's amount, such as 5 MXN or 5 USD",
    ],
    [
      '5€',
      "amount 5€: type it with the currency in three letters behind it, in the unit of the order's amount, such as 5 MXN or 5 USD",
    ],
    [
      '$1,000',
      "amount $1,000: type it with the currency in three letters behind it, in the unit of the order's amount, such as 1000 MXN or 1000 USD",
    ],
    ['1,000 MXN', 'amount 1,000 MXN: type it without marks between the digits: 1000 MXN'],
    ['usd -5', 'amount usd -5: type it without a sign: 5 USD'],
    ['١٢', 'amount ١٢: type it with the digits 0 to 9, such as 23000'],
    ['１２', 'amount １２: type it with the digits 0 to 9, such as 23000'],
    ['Infinity', 'amount Infinity: not a whole number such as 23000, nor full'],
    ['NaN', 'amount NaN: not a whole number such as 23000, nor full'],
    ['=1+1', 'amount =1+1: not a whole number such as 23000, nor full'],
    ['9007199254740992', 'amount 9007199254740992: the largest is 9007199254740991'],
    ['9007199254740993', 'amount 9007199254740993: the largest is 9007199254740991'],
    ['all', 'amount all: type full for the whole charge or order'],
    ['todo', 'amount todo: type full for the whole charge or order'],
    ['any', 'amount any: not a whole number such as 23000, nor full'],
  ])('refuses %j and says what to type', (text, words) => {
    expect(wordsOf(readAmount(text))).toBe(words);
  });

  it('takes nothing but whole numbers without marks, and full, with blanks around them', () => {
    const near = fc
      .array(fc.constantFrom(...'0123456789 ,._-+eExX$'.split('')), { maxLength: 6 })
      .map((signs) => signs.join(''));
    fc.assert(
      fc.property(fc.oneof(near, fc.maxSafeInteger().map(String)), (text) => {
        const cell = readAmount(text);
        if ('value' in cell) expect(String(cell.value.amount)).toBe(text.trim());
        expect('value' in cell).toBe(
          text === 'full' || (/^[1-9][0-9]{0,15}$/.test(text.trim()) && BigInt(text) < 2n ** 53n),
        );
      }),
    );
  });

  it('never proposes a number that is refused too', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'0159 ,._-+$MXN'.split('')), { maxLength: 8 }), (signs) => {
        const cell = readAmount(signs.join(''));
        const words = 'wrong' in cell ? cell.wrong : '';
        const [, proposed] = /(?:sign|front|digits|currency): (.*)$/.exec(words) ?? [];
        expect(proposed === undefined || 'value' in readAmount(proposed)).toBe(true);
      }),
    );
  });
});

describe('amounts with decimals, where the profile declares them', () => {
  const style: AmountStyle = { ...plainAmounts, 'amounts.decimals': { MXN: 2, JPY: 0 } };
  const withDecimals = (text: string) => readAmountOf(text, 'plan', style);

  it.each([
    ['520.00', 52000, '520.00'],
    ['520,00', 52000, '520.00'],
    ['1.520,00', 152000, '1520.00'],
    ['1,520.00', 152000, '1520.00'],
    ['1 520,00', 152000, '1520.00'],
    ["1'520.50", 152050, '1520.50'],
    ['1.234.520,00', 123452000, '1234520.00'],
    ['0,52', 52, '0.52'],
    ['0.520', 520, '0.520'],
    ['520.5', 5205, '520.5'],
  ])('takes %s', (text, amount, plain) => {
    const decimals = { text: plain, cell: text, places: plain.split('.')[1]?.length, currency: undefined };
    expect(withDecimals(text)).toEqual({ value: { amount, decimals } });
  });

  it("takes a whole number as ever, in the service's units", () => {
    expect(withDecimals('520')).toEqual({ value: { amount: 520 } });
  });

  it.each([
    ['1.520', '1520.00'],
    ['1,520', '1520.00'],
    ['1 520', '1520.00'],
    ['1,520,000', '1520000.00'],
  ])('refuses %s, which can be read in two ways', (text, example) => {
    expect(wordsOf(withDecimals(text))).toBe(
      `amount ${text}: can be read in two ways; type it with its decimals and no other mark: ${example}`,
    );
  });

  it.each(['0.00', '1.52,00', '1,520,00', '1.520.00', '520.', '.52', '12,345.67.8'])('refuses %s', (text) => {
    expect(withDecimals(text)).toHaveProperty('wrong');
  });

  it('of what was charged or went back, beyond 2^53-1 and with a minus sign too', () => {
    expect(readAmountOf("'-90.071.992.547.409.93,00", 'compare', style)).toHaveProperty('wrong');
    expect(readAmountOf('-90071992547409930,00', 'compare', style)).toMatchObject({
      value: { amount: 9007199254740993000n },
    });
  });
});

describe('F44 blank cells', () => {
  it.each(['', ' ', '\t', '\u00a0'])('are no amount and no charge: %j', (text) => {
    expect(wordsOf(readAmount(text))).toBe(
      'amount is blank: type the amount, or full for the whole charge or order',
    );
    expect(wordsOf(readCharge(text))).toBe(
      'charge_id is blank: type the charge, or full for the whole order, or any if one card paid',
    );
  });

  it.each(['NULL', 'null', '-', '—', 'N/A', 'None', '#N/A'])('so are words that mean it: %s', (text) => {
    expect(wordsOf(readAmount(text))).toBe(
      `amount ${text} says nothing: type the amount, or full for the whole charge or order`,
    );
    expect(wordsOf(readCharge(text))).toBe(
      `charge_id ${text} says nothing: type the charge, or full for the whole order, or any if one card paid`,
    );
  });

  it('are no reason, no ref and no note, which may be missing', () => {
    expect([readReason(' '), readNote(''), readRef('  ')]).toEqual([
      { value: undefined },
      { value: undefined },
      { value: '' },
    ]);
  });
});

describe('charges', () => {
  it.each(['ch_2tQ7', '1', '12', '*4242', 'full', 'any', '{a}'])('takes %s', (text) => {
    expect(readCharge(text)).toEqual({ value: text });
  });

  it.each([
    [' ch_1/x', 'charge_id " ch_1/x": not a charge: its id, its number in orders show, *4242, full or any'],
    ['ch_1/x', 'charge_id ch_1/x: not a charge: its id, its number in orders show, *4242, full or any'],
    ['a b', 'charge_id a b: not a charge: its id, its number in orders show, *4242, full or any'],
  ])('refuses %j', (text, words) => {
    expect(wordsOf(readCharge(text))).toBe(words);
  });
});

// Blanks and quotes as people copy them, also from a phone.
const around = (text: string) => [
  ` ${text}`,
  `${text}\t`,
  `\u00a0${text}\u202f`,
  `\u200b${text}\u200e`,
  `"${text}"`,
  `'${text}`,
  `“${text}”`,
  `« ${text} »`,
];

describe('what stands around a cell', () => {
  it.each(around('12'))('counts for nothing: the amount %j', (text) => {
    expect(readAmount(text)).toEqual({ value: { amount: 12 } });
  });

  it.each([...around('ord_1aB'), '<ord_1aB>,', 'https://desk.example/orders/ord_1aB?tab=2'])(
    'counts for nothing: the order %j',
    (text) => {
      expect(readOrderId(text)).toEqual({ value: { orderId: 'ord_1aB' } });
    },
  );

  it.each([
    ['Full', 'full'],
    [' ANY ', 'any'],
    ['“*4242”', '*4242'],
  ])('counts for nothing: the charge %j', (text, value) => {
    expect(readCharge(text)).toEqual({ value });
  });

  it('counts for nothing: a reason, a currency, a ref', () => {
    expect(readReason(' "other"')).toEqual({ value: 'other' });
    expect(readCurrency(' mxn\u00a0')).toEqual({ value: 'MXN' });
    expect(readRef(' A 1\u00a0')).toEqual({ value: 'A 1' });
  });
});

describe('orders', () => {
  const notId = "neither an order's id such as ord_2tQ7zRk9PwE5xNvAm nor the shop's own number";

  it.each(['..', 'no id', 'ord_1/capture', 'ord_', 'Ord_1', 'ord_1?x', 'ord_é', '__proto__'])(
    'refuses %s',
    (text) => {
      expect(wordsOf(readOrderId(text))).toBe(`order_id ${text}: ${notId}`);
    },
  );

  it("takes an id, or the shop's own number", () => {
    expect(readOrderId('ord_1aB')).toEqual({ value: { orderId: 'ord_1aB' } });
    expect(readOrderId(' #1042 B')).toEqual({ value: { reference: '#1042 B', isInId: true } });
  });

  it('takes an id in capitals, under either title', () => {
    expect(readOrderId('ORD_2TQ7ZRK9P')).toEqual({ value: { reference: 'ord_2tq7zrk9p', isInId: true } });
    expect(readReference('ORD_2TQ7ZRK9P')).toEqual({ value: { reference: 'ord_2tq7zrk9p' } });
  });

  it("takes the shop's own number, in one line", () => {
    expect(readReference('#1042 B')).toEqual({ value: { reference: '#1042 B' } });
    expect(wordsOf(readReference('a\nb'))).toMatch(/^reference a\nb: not the shop's own number/);
    expect(wordsOf(readReference('a'.repeat(256)))).toMatch(/: not the shop's own number/);
  });
});

describe('words of a row', () => {
  it('takes a reason of the service, and names the one that was meant', () => {
    expect(readReason('suspected_fraud')).toEqual({ value: 'suspected_fraud' });
    expect(wordsOf(readReason('suspected_frad'))).toBe(
      'reason suspected_frad: not a reason; did you mean suspected_fraud?',
    );
    expect(wordsOf(readReason('xyz'))).toBe(
      'reason xyz: not a reason: requested_by_client, cannot_be_fulfilled, duplicated_transaction, suspected_fraud, other, or blank for none',
    );
    expect(wordsOf(readReason('constructor'))).toMatch(/^reason constructor: not a reason/);
  });

  it('takes a ref of at most 128 characters that a person can see', () => {
    expect(readRef('night 2, part b')).toEqual({ value: 'night 2, part b' });
    expect(readRef('x'.repeat(128))).toEqual({ value: 'x'.repeat(128) });
    expect(wordsOf(readRef('x'.repeat(129)))).toMatch(/: not one line of at most 128 visible characters$/);
  });

  it.each(['a\u200bb', 'a\nb', 'a\u00a0b', 'a\u202eb', 'a\tb', '\u0000'])(
    'refuses a ref with what nobody can see: %j',
    (text) => {
      expect(wordsOf(readRef(text))).toMatch(/: not one line of at most 128 visible characters$/);
    },
  );

  it('takes a note of one line and at most 500 characters, without the spaces around it', () => {
    expect(readNote(' José, 2×2 👩‍💻 ')).toEqual({ value: 'José, 2×2 👩‍💻' });
    expect(readNote('x'.repeat(500))).toEqual({ value: 'x'.repeat(500) });
    expect(wordsOf(readNote('x'.repeat(501)))).toBe(
      `note ${'x'.repeat(40)}…: not one line of at most 500 characters`,
    );
    expect(wordsOf(readNote('a\nb'))).toBe('note a\nb: not one line of at most 500 characters');
  });
});

it('a long value is shown by its start, and never half a character', () => {
  expect(shown('a'.repeat(40))).toBe('a'.repeat(40));
  expect(shown('a'.repeat(41))).toBe(`${'a'.repeat(40)}…`);
  expect(shown('😀'.repeat(20))).toBe('😀'.repeat(20));
  expect(shown(`a${'😀'.repeat(20)}`)).toBe(`a${'😀'.repeat(19)}…`);
  expect(shown('')).toBe('""');
});
