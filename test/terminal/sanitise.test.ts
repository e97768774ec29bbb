import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cleanCell, cleanLine, escapeJson, oneLineJson, toJson } from '../../src/terminal/sanitise.ts';
import { attacks, rawAttack } from './attacks.ts';

describe('a line for a terminal', () => {
  it('is free of control, bidirectional and invisible characters, whatever a service sends', () => {
    expect(attacks.length).toBeGreaterThan(1000);
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
