import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scan } from '../../src/api/json-scan.ts';
import { NotJson, readJson, readList, readPage, recordOf } from '../../src/api/reply-json.ts';
import { escapeJson } from '../../src/terminal/sanitise.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

// A JSON string with some of its characters written as escapes.
function written(value: string, escapes: (index: number) => boolean): string {
  const units = Array.from({ length: value.length }, (_, at) => value.charAt(at));
  const parts = units.map((unit, index) =>
    escapes(index)
      ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(unit).slice(1, -1),
  );
  return `"${parts.join('')}"`;
}

/** The value with its exact integers as plain numbers, as JSON.parse has them. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item)),
  );
}

/** JSON text of a value, with arbitrary spaces and escapes. */
function spelled(value: unknown, spaces: () => string, escapes: () => boolean): string {
  const s = spaces;
  if (typeof value === 'string') return `${s()}${written(value, escapes)}${s()}`;
  if (Array.isArray(value)) {
    const items = value.map((item) => spelled(item, spaces, escapes));
    return `${s()}[${items.length === 0 ? s() : items.join(',')}]${s()}`;
  }
  if (typeof value === 'object' && value !== null) {
    const items = Object.entries(value).map(
      ([key, item]) => `${s()}${written(key, escapes)}${s()}:${spelled(item, spaces, escapes)}`,
    );
    return `${s()}{${items.length === 0 ? s() : items.join(',')}}${s()}`;
  }
  return `${s()}${JSON.stringify(value)}${s()}`;
}

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('data', '"', '\\', ']}', ',', '{"data":['),
);
// V8 13.6 reads an escaped key as `\\` once it has seen that as a key: JSON.parse itself is no oracle there.
const keys = words.filter((word) => !word.includes('\\'));
const value = fc.oneof(
  words,
  fc.jsonValue({ maxDepth: 3, depthSize: 'small' }).filter((json) => !JSON.stringify(json).includes('\\\\')),
);
const record = fc.dictionary(keys, value, { maxKeys: 5 });
// A list read item by item, put together again.
function readAll(bytes: Uint8Array): unknown {
  const { value, size, item } = readList(bytes);
  if (size === undefined || !Array.isArray(Object(value).data)) return value;
  return { ...Object(value), data: Array.from({ length: size }, (_, index) => item(index).value) };
}

const envelope = fc.record({
  before: fc.dictionary(keys, value, { maxKeys: 2 }),
  records: fc.array(record, { maxLength: 6 }),
  after: fc.dictionary(keys, value, { maxKeys: 2 }),
});

describe('cutting a page', () => {
  test('gives each record the bytes that JSON.parse makes the same value of', () => {
    fc.assert(
      fc.property(envelope, fc.infiniteStream(space), fc.infiniteStream(fc.boolean()), (page, s, e) => {
        const { data: _before, ...before } = page.before;
        const { data: _after, ...after } = page.after;
        const whole = { ...before, data: page.records, ...after };
        const json = spelled(
          whole,
          () => String(s.next().value ?? ''),
          () => e.next().value === true,
        );
        expect(rounded(readJson(utf8(json)).value)).toEqual(JSON.parse(json));
        const list = readList(utf8(json));
        expect(rounded(list.value)).toEqual({ ...JSON.parse(json), data: [] });
        const records = readPage(list).records();
        expect(records).toHaveLength(page.records.length);
        for (const [index, { value: parsed, bytes }] of records.entries()) {
          const own = text(bytes);
          expect(own.startsWith('{') && own.endsWith('}')).toBe(true);
          expect(JSON.parse(own)).toEqual(rounded(parsed));
          expect(JSON.parse(own)).toEqual(JSON.parse(json).data[index]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never throws, loops or cuts outside for bytes that are no JSON', () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '"data"',
      '1',
      ' ',
      'x',
      '"data":[',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
        const bytes = utf8(parts.join(''));
        const { data } = scan(bytes);
        for (const at of data === undefined
          ? []
          : [data.start, data.end, ...data.items.flatMap(({ start, end }) => [start, end])]) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(bytes.length);
        }
        let parsed: unknown;
        try {
          parsed = JSON.parse(text(bytes));
        } catch {
          expect(() => readJson(bytes)).toThrow(NotJson);
          expect(() => readAll(bytes)).toThrow(NotJson);
          return;
        }
        expect(readJson(bytes).value).toEqual(parsed);
        expect(readAll(bytes)).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [
      'the last of several data counts',
      '{"data":[{"a":1}],"data":[{"b":2},{"c":3}]}',
      ['{"b":2}', '{"c":3}'],
    ],
    [
      'data inside a record is not the page',
      '{"x":{"data":[{"a":1}]},"data":[{"data":[1]}]}',
      ['{"data":[1]}'],
    ],
    ['an escaped key is a key', '{"d\\u0061ta":[{"a":1}]}', ['{"a":1}']],
    ['data as a value is not a key', '{"x":"data","y":[1],"data":[{}]}', ['{}']],
    ['an empty page has no records', '{"data":[ ]}', []],
  ])('%s', (_, json, expected) => {
    const records = readPage(readList(utf8(json))).records();
    expect(records.map(({ bytes }) => text(bytes))).toEqual(expected);
  });

  test.each([
    ['{"data":[{"a":1}],"data":null}'],
    ['{"data":[{"a":1},2]}'],
    ['{"data":[null]}'],
    ['{"data":{"0":{}}}'],
    ['[{"data":[]}]'],
    ['null'],
  ])('%s is no page', (json) => {
    expect(() => readPage(readList(utf8(json))).records()).toThrow('JSON that is not a list');
  });

  test('a reply that is one record is cut at its braces', () => {
    expect(text(recordOf(readJson(utf8(' \n{"a":{}} \n')))?.bytes ?? utf8(''))).toBe('{"a":{}}');
    expect(recordOf(readJson(utf8('[{}]')))).toBeUndefined();
  });
});

describe('numbers', () => {
  test.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['0.50000000000000000000', 0.5],
    ['1e400', '1e400'],
    ['-1E999', '-1E999'],
    ['1e3', 1000],
    ['35000', 35000],
    ['"9007199254740993"', '9007199254740993'],
  ])('%s keeps its value', (json, expected) => {
    expect(readJson(utf8(`{"a":[${json}]}`)).value).toEqual({ a: [expected] });
  });
});

describe('text', () => {
  test('64 levels are read, 65 are not, braces in strings do not count', () => {
    const nested = (levels: number) => utf8('['.repeat(levels) + ']'.repeat(levels));
    expect(() => readJson(nested(64))).not.toThrow();
    expect(() => readJson(nested(65))).toThrow('nested deeper than 64 levels');
    expect(readJson(utf8(`"${'['.repeat(99)}"`)).value).toBe('['.repeat(99));
  });

  test.each([
    ['UTF-16 with a mark', Buffer.from('\ufeff{}', 'utf16le')],
    ['UTF-16 without one', Buffer.from('{}', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('{}', 'utf16le').swap16()],
  ])('%s is refused in words', (_, bytes) => {
    expect(() => readJson(bytes)).toThrow('UTF-16 text, where JSON is UTF-8');
  });

  test('the words for broken JSON quote nothing of it', () => {
    expect(() => readJson(utf8('{"secret": 4242 x}'))).toThrow(/^text that is not JSON$/);
  });

  test('of all characters only those count as plain that JSON output keeps as they are', () => {
    const codes = Array.from({ length: 0x110000 - 0x20 }, (_, at) => at + 0x20).filter(
      (code) => (code < 0xd800 || code > 0xdfff) && code !== 0x22 && code !== 0x5c,
    );
    for (let from = 0; from < codes.length; from += 10_000) {
      const characters = codes.slice(from, from + 10_000).map((code) => String.fromCodePoint(code));
      const { data } = scan(utf8(`{"data":[${characters.map((one) => `"${one}"`).join()}]}`));
      const plain = characters.filter((_, index) => data?.items[index]?.plain === true).join('');
      expect(escapeJson(plain)).toBe(plain);
    }
  });

  test.each(['\\"Mari\\"', '\\u00e9\\/', 'José ¿nº?', '“O’Brien” —', 'نور حداد', '한국', '🎟️', 'न्‍य'])(
    'a record with %s is plain',
    (name) => {
      expect(readList(utf8(`{"data":[{"a":"${name}"}]}`)).item(0).plain).toBe(true);
    },
  );
});

test('more values than any reply has are refused before they take memory', () => {
  const bytes = Buffer.from(`{"object":"list","data":[${'{},'.repeat(2_000_001)}{}]}`);
  expect(() => readList(bytes)).toThrow('JSON with more than 2000000 values');
});
