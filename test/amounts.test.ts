import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type AmountStyle, amountWords, digits, figureWords, plainAmounts, scaled } from '../src/amounts.ts';
import { amountProblem, readAmount, unitsWarning } from '../src/typed-amounts.ts';

const style: AmountStyle = {
  'amounts.decimals': { MXN: 2, JPY: 0, KWD: 3 },
  'amounts.grouping': 'off',
};
const grouping: AmountStyle = { ...style, 'amounts.grouping': 'on' };
const largest = Number.MAX_SAFE_INTEGER;
const amount = fc.integer({ min: 1, max: largest });

describe('writing an amount', () => {
  it.each([
    [23000, 'MXN', '23000 MXN (230.00)'],
    [-12000, 'MXN', '-12000 MXN (-120.00)'],
    [5, 'MXN', '5 MXN (0.05)'],
    [-5, 'mxn', '-5 mxn (-0.05)'],
    [0, 'MXN', '0 MXN (0.00)'],
    [300, 'JPY', '300 JPY (300)'],
    [1, 'KWD', '1 KWD (0.001)'],
    [23000, 'USD', '23000 USD'],
    [23000, 'constructor', '23000 constructor'],
    [23000, undefined, '23000'],
    [largest, 'MXN', '9007199254740991 MXN (90071992547409.91)'],
    [90071992547409930n, 'MXN', '90071992547409930 MXN (900719925474099.30)'],
  ])('writes %s %s as %s', (value, currency, text) => {
    expect(amountWords(value, currency, style)).toBe(text);
  });

  it('leaves the currency out where it stands near the amount', () => {
    expect(figureWords(23000, 'MXN', style)).toBe('23000 (230.00)');
    expect(figureWords(23000, 'USD', style)).toBe('23000');
  });

  it('puts no-break spaces between thousands only if the profile says so', () => {
    expect(amountWords(1234567, 'MXN', grouping)).toBe('1\u00a0234\u00a0567 MXN (12\u00a0345.67)');
    expect(amountWords(-123456, 'KWD', grouping)).toBe('-123\u00a0456 KWD (-123.456)');
    expect(digits(1000, grouping)).toBe('1\u00a0000');
    expect(digits(999, grouping)).toBe('999');
    expect(amountWords(1234567, 'MXN', plainAmounts)).toBe('1234567 MXN');
  });

  it('scales nothing that is no exact integer', () => {
    expect(scaled(2 ** 53, 'MXN', style)).toBeUndefined();
    expect(amountWords(1.5, 'MXN', style)).toBe('1.5 MXN');
  });
});

describe('reading an amount', () => {
  it.each([
    ['23000', 23000, undefined, undefined],
    [' 23000 ', 23000, undefined, undefined],
    ['23 000', 23000, undefined, undefined],
    ['1\u00a0234\u202f567', 1234567, undefined, undefined],
    ['23000 MXN', 23000, undefined, 'MXN'],
    ['23000mxn', 23000, undefined, 'MXN'],
    ['230.00', 23000, 2, undefined],
    ['1 230.00 MXN', 123000, 2, 'MXN'],
    ['0.05', 5, 2, undefined],
    ['0.001', 1, 3, undefined],
    ['9007199254740991', largest, undefined, undefined],
    ['90071992547409.91', largest, 2, undefined],
  ])('reads %s', (text, value, places, currency) => {
    expect(readAmount(text)).toEqual({ text: text.trim(), amount: value, places, currency });
  });

  it.each([
    '',
    '0',
    '0.00',
    '-230',
    '+230',
    '23,000',
    '230,00',
    '1.230,00',
    '023',
    '00.50',
    '.50',
    '230.',
    '23 00',
    '2300 000',
    '23  000',
    '1e3',
    '0x10',
    '９',
    '$230',
    'MXN 230',
    '230 PESO',
    '9007199254740992',
    '90071992547409.92',
    '230.00.00',
  ])('refuses %j', (text) => {
    expect(readAmount(text)).toBeUndefined();
  });

  it('says what is wrong with an amount for a currency', () => {
    const problem = (text: string, currency: string | undefined, how = style) => {
      const typed = readAmount(text);
      return typed === undefined ? 'no amount' : amountProblem(typed, currency, how);
    };
    expect(problem('230.00', 'MXN')).toBeUndefined();
    expect(problem('230', 'MXN')).toBeUndefined();
    expect(problem('230', undefined, plainAmounts)).toBeUndefined();
    expect(problem('230.00 mxn', 'MXN')).toBeUndefined();
    expect(problem('230.0', 'MXN')).toBe('MXN has 2 decimals; type 230.00');
    expect(problem('230.000', 'MXN')).toBe('MXN has 2 decimals; type 230.00 or 230000.00');
    expect(problem('230.005', 'MXN')).toBe('MXN has 2 decimals; type them like this: 1.00');
    expect(problem('230.00', 'JPY')).toBe('JPY has no decimals; type a whole number');
    expect(problem('230.00', 'USD')).toBe(
      "the profile declares no decimals for USD; type the service's whole number: if it counts hundredths 23000, if not 230",
    );
    expect(problem('230.00', undefined)).toBe(
      "the profile declares no decimals for this currency; type the service's whole number: if it counts hundredths 23000, if not 230",
    );
    expect(problem('230 USD', 'MXN')).toBe('the order is in MXN');
    expect(problem('230 USD', undefined)).toBe('the order does not show its currency');
  });

  it('warns where a whole number may have been meant with decimals', () => {
    const warning = (text: string, currency: string | undefined) => {
      const typed = readAmount(text);
      return typed === undefined ? 'no amount' : unitsWarning(typed, currency, style);
    };
    expect(warning('230', 'MXN')).toBe(
      "230 is in the service's units: 2.30 MXN. If you mean 230.00 MXN, send nothing (press Enter) and run it again with 230.00",
    );
    expect(warning('230.00', 'MXN')).toBeUndefined();
    expect(warning('230', 'JPY')).toBeUndefined();
    expect(warning('230', 'USD')).toBeUndefined();
    expect(warning('230', undefined)).toBeUndefined();
  });
});

test('whatever is shown can be typed back and means the same integer', () => {
  fc.assert(
    fc.property(amount, fc.constantFrom('MXN', 'JPY', 'KWD', 'USD'), fc.boolean(), (value, currency, on) => {
      const how = on ? grouping : style;
      const shown = scaled(value, currency, how) ?? digits(value, how);
      const back = readAmount(shown);
      expect(back?.amount).toBe(value);
      expect(readAmount(`${digits(value, how)} ${currency}`)?.amount).toBe(value);
    }),
  );
});

test('scaling moves the point and nothing else', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.integer({ min: 0, max: 6 }), (value, places) => {
      const how = { 'amounts.decimals': { XXX: places }, 'amounts.grouping': 'off' } as const;
      const text = scaled(value, 'XXX', how) ?? '';
      const [, decimals = ''] = text.split('.');
      expect(decimals).toHaveLength(places);
      expect(BigInt(text.replace('.', ''))).toBe(value);
    }),
  );
});
