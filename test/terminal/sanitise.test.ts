import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  cleanCell,
  cleanLine,
  escapeJson,
  escapeJsonForScreen,
  oneLineJson,
  toJson,
} from '../../src/terminal/sanitise.ts';
import { attacks, rawAttack } from './attacks.ts';

describe('a line for a terminal', () => {
  it('is free of control, bidirectional and invisible characters, whatever a service sends', () => {
    expect(attacks.length).toBeGreaterThan(2000);
    expect(
      attacks.filter((text) => rawAttack.test(cleanLine(text)) || cleanLine(text).includes('\n')),
    ).toEqual([]);
  });

  it('is free of them for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cleanLine(text)).not.toMatch(rawAttack);
      }),
    );
  });

  it('shows that something was there', () => {
    expect(cleanLine('a\x1b[2Jb')).toBe('a␛[2Jb');
    expect(cleanLine('a\u202eb')).toBe('a�b');
    expect(cleanLine('a\r\nb\tc')).toBe('a b c');
  });

  it.each(['José Núñez', '日本語', 'ไทย', '👩‍👩‍👧', '🇲🇽', '❤️', '👍🏽', '葛󠄀', 'نام‌ها', 'हिन्दी', '1️⃣'])(
    'leaves %s as it is',
    (text) => {
      expect(cleanLine(text)).toBe(text);
    },
  );

  it('cleans a megabyte of marks and of joiners', () => {
    expect(cleanLine(`e${'\u0301'.repeat(1_000_000)}`)).toHaveLength(6);
    expect(cleanLine('\u200d'.repeat(1_000_000))).toBe('\ufffd'.repeat(1_000_000));
  });

  it('is as wide as the terminal draws it', () => {
    expect(stringWidth(cleanLine(`e${'\u0301'.repeat(200)}`))).toBeLessThan(4);
  });
});

describe('a CSV cell for a file', () => {
  it('keeps breaks and tabs and nothing else that a terminal obeys', () => {
    expect(cleanCell('a\tb\r\nc\x1b[2J')).toBe('a\tb\r\nc␛[2J');
    expect(attacks.filter((text) => rawAttack.test(cleanCell(text).replace(/[\t\r\n]/g, '')))).toEqual([]);
  });
});

// Fillers, selectors, tags and marks, spelled here by their numbers.
const unseen = [
  0x115f, 0x1160, 0x3164, 0xffa0, 0x34f, 0x2065, 0x180e, 0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0xe0001, 0xe0041,
]
  .concat([0xe007f, 0x200b, 0x2060, 0xfeff, 0xad, 0x202e, 0x2066, 0x9b, 0x7f])
  .map((code) => String.fromCodePoint(code));
const marks = ['\u0301', '\u0336', '\u20dd', '\u0489', '\u1dc4', '\ufe20'];
const hidingText = fc
  .array(fc.constantFrom(...unseen, ...marks, ...marks, 'a', 'é', '日', '"', '\\', '\u200d'), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));

describe('JSON on a terminal', () => {
  it('has nothing in it that hides or piles up, and is the same value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hidingText, hidingText)), (pairs) => {
        const value = Object.fromEntries(pairs);
        const shown = escapeJsonForScreen(JSON.stringify(value));
        expect(JSON.parse(shown)).toEqual(value);
        expect(unseen.filter((one) => shown.includes(one))).toEqual([]);
        expect(shown).not.toMatch(/\p{M}{5}/u);
      }),
    );
  });

  it('leaves accents, emoji and other scripts as they are', () => {
    const json = '{"name":"José Núñez ไทย 日本 👩‍👩‍👧 हिन्दी Việt"}';
    expect(escapeJsonForScreen(json)).toBe(json);
  });
});

describe('JSON text', () => {
  it('is lossless and free of raw controls, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(escapeJson(json))).toEqual(JSON.parse(json));
      }),
    );
    const hostile = JSON.stringify(attacks.slice(0, -1));
    expect(escapeJson(hostile)).not.toMatch(rawAttack);
    expect(JSON.parse(escapeJson(hostile))).toEqual(JSON.parse(hostile));
  });

  it('keeps the bytes of what needs no escape', () => {
    const json = '{"a": 1.0, "name":"José 日本 👩‍👩‍👧", "big":123456789012345678901234567890}';
    expect(escapeJson(json)).toBe(json);
  });

  it('comes onto one line without touching strings', () => {
    expect(oneLineJson('{\n  "a": "x  y",\r\n\t"b": 1\n}')).toBe('{"a": "x  y","b": 1}');
  });

  it('prints a bigint as the integer that was received', () => {
    expect(toJson({ amount: 9007199254740993n, list: [1n, null, undefined], gone: undefined })).toBe(
      '{"amount":9007199254740993,"list":[1,null,null]}',
    );
  });

  it('prints a metadata key __proto__ as data', () => {
    expect(toJson(JSON.parse('{"__proto__":{"a":1},"constructor":2}'))).toBe(
      '{"__proto__":{"a":1},"constructor":2}',
    );
    expect(Object.prototype).not.toHaveProperty('a');
  });
});
