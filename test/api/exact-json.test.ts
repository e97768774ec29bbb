import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../src/api/reply-json.ts';

const parse = (text: string): unknown => parseExactly(Buffer.from(text));

/** What JSON.parse makes of a text, or that it is none. */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) };
  } catch {
    return 'no JSON';
  }
}

/** The value with its bigints as numbers, as JSON.parse has them. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}

describe('JSON read from its digits', () => {
  it('is what JSON.parse reads, for any value and any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, spaces) => {
        const text = JSON.stringify(value, undefined, spaces);
        expect(withNumbers(parse(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('takes and refuses the same texts as JSON.parse', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u0041"',
      '"\\x"',
      '"',
      '1',
      '-',
      '01',
      '1.',
      '.5',
      '1e0',
    ].concat(
      ['-0', 'true', 'nul', 'null', ' ', '\n', '\u00a0', '\t', '"é日"', '"__proto__"', 'NaN', '"\n"'],
      ['-9007199254740993', '"9007199254740993"', '"\\"', '\\'],
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        expect(outcome((one) => withNumbers(parse(one)), text)).toEqual(outcome(JSON.parse, text));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps integers beyond 2^53-1 as bigints and numbers beyond all range as their text', () => {
    expect(parse('[9007199254740991,9007199254740993,-9007199254740993,1e400,1.5e3,-0]')).toEqual([
      9007199254740991,
      9007199254740993n,
      -9007199254740993n,
      '1e400',
      1500,
      -0,
    ]);
  });

  it('reads __proto__ as an ordinary name', () => {
    const value = parse('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor']);
    expect(Object.prototype).not.toHaveProperty('a');
  });
});
