import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/api/resources.ts';
import { orderColumns } from '../../src/api/resources.ts';
import { csvList, formulaSafe, withoutFormulaSafety } from '../../src/terminal/csv.ts';
import { cleanCell } from '../../src/terminal/sanitise.ts';
import { readingOf } from '../../src/terminal/table/shown-values.ts';
import { locale, now, outputOf, wire } from './screens.ts';

const reading = readingOf({ locale, now });

// RFC 4180, written here a second time: quotes, doubled quotes, breaks inside quotes.
function parse(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < csv.length) {
    let cell = '';
    if (csv[at] === '"') {
      at += 1;
      for (;;) {
        if (csv[at] === '"' && csv[at + 1] === '"') {
          cell += '"';
          at += 2;
        } else if (csv[at] === '"') {
          at += 1;
          break;
        } else {
          cell += csv[at];
          at += 1;
        }
      }
    } else {
      while (at < csv.length && csv[at] !== ',' && csv[at] !== '\n') {
        cell += csv[at];
        at += 1;
      }
    }
    row.push(cell);
    if (csv[at] === '\n') {
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows;
}

// The way back, written here a second time: it takes every apostrophe away that stands before a formula.
const formula = String.raw`[=+\-@|\t\r\n\u2212\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20\uff5c]`;
const skipped = String.raw`['\s\u0085\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2065\u2800\u3164\uffa0\ufffd]`;
const added = "^'(?=S*F)|(?<=[\",;\\t\\r\\n|])'(?='*F)"
  .replaceAll('F', formula)
  .replaceAll('S*', `${skipped}*`);
function fromFormulaSafe(safe: string): string {
  return safe.replace(new RegExp(added, 'g'), '');
}

const text = (name: string): Column => ({ name, title: name, kind: 'text', value: (record) => record[name] });
const hostileText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        "'",
        '"',
        ',',
        ';',
        '\t',
        '\n',
        '\r',
        '|',
        ' ',
        'a',
        '＝',
        '1',
        '\u00a0',
        '\u3000',
        '\ufeff',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

describe('CSV', () => {
  it('comes back out of a parser as it went in', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostileText, hostileText), { minLength: 1 }), (rows) => {
        const list = csvList([text('a'), text('b')], true, reading, (cell) => cell);
        const csv = list.page(rows.map(([a, b]) => ({ value: { a, b }, json: () => '' }))) + list.end(false);
        expect(parse(csv).map((row) => row.map(fromFormulaSafe))).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠a', '﹦1', '﹢1', '﹣1', '﹫a', '−1'])(
    'puts an apostrophe before %s behind white space of any kind and what has no width',
    (formula) => {
      const before = [
        ' ',
        '\u00a0',
        '\u1680',
        '\u2003',
        '\u2009',
        '\u202f',
        '\u205f',
        '\u3000',
        '\u0085',
      ].concat(['\ufeff', '\u200b', '\u200d', '\u2060', '\u00ad', '\u3164', '\u00a0 \u3000', '']);
      for (const space of before) {
        expect(formulaSafe(space + formula)).toBe(`'${space}${formula}`);
        expect(fromFormulaSafe(`'${space}${formula}`)).toBe(space + formula);
        const list = csvList([text('a')], false, reading, cleanCell);
        expect(list.page([{ value: { a: space + formula }, json: () => '' }])).toMatch(/^"?'/);
      }
    },
  );

  it('neutralises what a spreadsheet would run, reversibly', () => {
    fc.assert(
      fc.property(hostileText, (value) => {
        expect(fromFormulaSafe(formulaSafe(value))).toBe(value);
        expect(withoutFormulaSafety(formulaSafe(value))).toBe(value);
        expect(formulaSafe(value)).not.toMatch(/^ *[=+\-@\t\r\n|＝＋－＠]/);
        expect(formulaSafe(value)).not.toMatch(/[",;\t][=+\-@＝＋－＠]/);
      }),
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+5215555555555', "'+5215555555555"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ["'=1", "''=1"],
    ['a;=1', "a;'=1"],
    ['a@b.example', 'a@b.example'],
    ['Ana-María', 'Ana-María'],
    ["O'Neil", "O'Neil"],
  ])('writes %s as %s', (value, written) => {
    expect(formulaSafe(value)).toBe(written);
    expect(fromFormulaSafe(written)).toBe(value);
  });

  it('has a stable header, ISO times, true and false, and integers', async () => {
    const { out, text: written } = outputOf({ format: 'csv' });
    const sink = out.list(orderColumns);
    await sink.page([
      wire({
        id: 'ord_1',
        created_at: 1795216131,
        amount: 35000,
        amount_refunded: -12000,
        currency: 'MXN',
        is_refundable: false,
        livemode: true,
        customer_info: { name: '=x' },
        channel: null,
      }),
      {
        value: { id: 'ord_2', amount: '=1', created_at: 1e20, channel: { a: 'b,c' } },
        bytes: new Uint8Array(),
      },
    ]);
    await sink.end(true);
    expect(written()).toMatchInlineSnapshot(`
      "id,created_at,payment_status,amount,amount_refunded,currency,customer_info.name,customer_info.email,customer_info.phone,customer_info.customer_id,is_refundable,split_payment,livemode,channel,updated_at
      ord_1,2026-11-20T23:08:51Z,,35000,-12000,MXN,'=x,,,,false,,true,,
      ord_2,100000000000000000000,,'=1,,,,,,,,,,"{""a"":""b,c""}",
      "
    `);
  });

  it('has only its header when the list is empty, and none with --no-header', async () => {
    const headed = outputOf({ format: 'csv', columns: ['id', 'card'] });
    await headed.out.list(orderColumns).end(false);
    expect(headed.text()).toBe('id,card\n');
    const bare = outputOf({ format: 'csv', header: false });
    await bare.out.list(orderColumns).end(false);
    expect(bare.text()).toBe('');
  });

  it('is one line a record on a terminal and whole in a file', async () => {
    const record = wire({ id: 'ord_1', payment_status: 'a\nb\x1b[2J' });
    const terminal = outputOf({ format: 'csv', width: 80, columns: ['payment_status'] });
    await terminal.out.record(record, orderColumns, () => []);
    expect(terminal.text()).toBe('payment_status\na b␛[2J\n');
    const file = outputOf({ format: 'csv', columns: ['payment_status'] });
    await file.out.record(record, orderColumns, () => []);
    expect(file.text()).toBe('payment_status\n"a\nb␛[2J"\n');
  });
});
