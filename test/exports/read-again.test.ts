/** The records of an exported file come back whole, wherever its bytes are cut into chunks. */

import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLines, objectsIn, parseRecord, recordOfLine } from '../../src/exports/read-export.ts';
import { csvLine } from '../../src/terminal/csv.ts';

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 });
const record = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });

test('every record of NDJSON and of a list, with any brackets, quotes and escapes in its texts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 5 }), sizes, async (records, cuts) => {
      const lines = records.map((one) => JSON.stringify(one));
      const list = `{"object":"list","data":[\n${lines.join(',\n')}\n],"has_more":false}\n`;
      for (const [text, depth] of [
        [`${lines.join('\n')}\n`, 0],
        [list, 2],
      ] as const) {
        const found: unknown[] = [];
        for await (const one of objectsIn(chunked(Buffer.from(text), cuts), depth))
          found.push(JSON.parse(one));
        expect(found).toEqual(JSON.parse(`[${lines.join(',')}]`));
      }
    }),
  );
});

test('a record that is written on several lines is one record', async () => {
  const found: string[] = [];
  const text = `{"object":"list","data":[\n${JSON.stringify({ a: { b: ['}'] } }, null, 2)}\n],"has_more":false}`;
  for await (const one of objectsIn(chunked(Buffer.from(text), [3]), 2)) found.push(one);
  expect(found.map((one) => JSON.parse(one))).toEqual([{ a: { b: ['}'] } }]);
});

test('an integer beyond 2^53-1 stays exact, and what only looks like one stays what it is', () => {
  expect(
    parseRecord('{"a":123456789012345678901,"b":-9007199254740993,"c":"1234567890123456789","d":1.0,"e":7}'),
  ).toEqual({
    a: 123456789012345678901n,
    b: -9007199254740993n,
    c: '1234567890123456789',
    d: 1,
    e: 7,
  });
  expect(parseRecord('{"a":1234567890123456.5,"b":1e400}')).toEqual({ a: 1234567890123456.5, b: '1e400' });
});

test('every cell of a CSV, with any quotes, commas and line breaks in it', async () => {
  const cells = fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', '王') }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(cells, { maxLength: 4 }), sizes, async (rows, cuts) => {
      const text = rows.map((row) => csvLine(row)).join('');
      const found: (readonly string[])[] = [];
      for await (const line of csvLines(Readable.from(chunked(Buffer.from(text), cuts)))) found.push(line);
      expect(found).toEqual(rows);
    }),
  );
});

test('the name of a column says what its cells are, and a path becomes an object', () => {
  const columns = [
    'id',
    'amount',
    'created_at',
    'order.amount',
    'order.customer_info.email',
    'livemode',
    '__proto__.x',
    'note',
  ];
  const cells = ['ord_1', '-50', '2040-11-20T10:00:00Z', '9007199254740993', "'=a@b", 'true', 'p', ''];
  const made = recordOfLine(columns, cells);
  expect(made).toMatchObject({
    id: 'ord_1',
    amount: -50,
    created_at: Date.parse('2040-11-20T10:00:00Z') / 1000,
    order: { amount: 9007199254740993n, customer_info: { email: '=a@b' } },
    livemode: true,
  });
  expect(Object.hasOwn(made, 'note')).toBe(false);
  expect(Object.hasOwn({}, 'x')).toBe(false);
  expect(recordOfLine(['created_at'], ['soon'])).toEqual({ created_at: 'soon' });
});
