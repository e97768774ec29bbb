/** The file of errors: read again it is the same file. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorsCsv } from '../../src/plans/csv-rows.ts';
import { duplicateProblems } from '../../src/plans/input-duplicates.ts';
import type { InputFile } from '../../src/plans/plan-types.ts';
import { id, problemsOf, read } from './files.ts';

describe('errorsCsv', () => {
  it('has every row with its errors beside it, and the cells as they were', () => {
    const file = read(
      `order_id;amount;charge_id;Seat\n${id};5;1;B7\n${id};-5;;"B;8"\n${id};7;1;=1+1\n${id};7\n${id};"x;1;B9\n`,
    );
    expect(errorsCsv(file, [...file.problems, ...duplicateProblems(file.rows)])).toMatchInlineSnapshot(`
      "line;error;order_id;amount;charge_id;Seat
      2;;ord_2tQ7zRk9PwE5xNvAm;5;1;B7
      3;"amount -5: type it without a sign: 5; charge_id is blank: type the charge, or full for the whole order, or any if one card paid";ord_2tQ7zRk9PwE5xNvAm;'-5;;"B;8"
      4;line 2 may refund the same money (ord_2tQ7zRk9PwE5xNvAm, charge 1): give each row its own ref if both are meant, or delete one;ord_2tQ7zRk9PwE5xNvAm;7;1;'=1+1
      5;the row has 2 cells, and the first line has 4 titles: write a blank cell where there is nothing to say;ord_2tQ7zRk9PwE5xNvAm;7
      6;the quote that opens this cell is never closed;ord_2tQ7zRk9PwE5xNvAm;"""x";1;B9
      "
    `);
  });

  it('has a row of its own for what is wrong with the titles, which is skipped when the file is read again', () => {
    const file = read(`order_id,amount,a,a\n${id},x,,`);
    const text = errorsCsv(file, file.problems);
    expect(text).toMatchInlineSnapshot(`
      "line,error,order_id,amount,a,a
      1,two columns have the title a: give each its own,,,,
      2,"amount x: not a whole number such as 23000, nor full",ord_2tQ7zRk9PwE5xNvAm,x,,
      "
    `);
    expect(problemsOf(read(text.replace('a,a\n', 'a,b\n')))).toEqual([
      '3 amount: amount x: not a whole number such as 23000, nor full',
    ]);
  });

  it('can be read again as it is, and shows the same errors', () => {
    const file = read(`order_id,amount,ref\n${id},5,-A1\n${id},x,=1\n${id}\n`);
    const again = read(errorsCsv(file, file.problems));
    expect(again).toEqual(file);
    expect(errorsCsv(again, again.problems)).toBe(errorsCsv(file, file.problems));
  });

  it('a row with broken quotes keeps its cells, and a number beside a single quote is no amount', () => {
    const file = read(`order_id;amount;note\n${id};5;12" vinyl\n${id};"5;x\n`);
    const text = errorsCsv(file, file.problems);
    expect(text).toContain(`${id};5;"12"" vinyl"\n`);
    expect(problemsOf(read(text))).toEqual(['3 amount: amount "5: it has a single quote (")']);
  });

  it('is neutral for a spreadsheet, also its titles', () => {
    const file = read(`order_id,amount,=title\n${id},+5,@SUM(A1)`);
    const text = errorsCsv(file, file.problems);
    expect(text).toContain("'=title");
    expect(text).toContain(`${id},'+5,'@SUM(A1)`);
    expect(read(text).columns).toEqual(['order_id', 'amount', '=title']);
  });

  it('a column line of the person is kept', () => {
    const file = read(`order_id,amount,line,error\n${id},5,7,none\n`);
    expect([problemsOf(file), file.columns]).toEqual([[], ['order_id', 'amount', 'line', 'error']]);
    const text = errorsCsv(file, file.problems);
    expect(text).toBe(`line,error,order_id,amount,line,error\n2,,${id},5,7,none\n`);
    expect(read(text)).toEqual(file);
  });

  it('read again it has the same rows, whatever stands in them', () => {
    const hostile = fc
      .array(fc.constantFrom(...'=+-@\'",;\t\n\r| a1＝\u00a0'.split('')), { maxLength: 8 })
      .map((signs) => signs.join(''));
    const cell = fc.oneof(
      hostile,
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('1', 'full', '', '=1', '-A'),
    );
    const row = fc.tuple(fc.constantFrom(id, 'x'), cell, cell, cell, cell);
    const quoted = (cells: readonly string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"`);
    const withoutLines = ({ rows, lines, columns }: InputFile) => ({
      columns,
      rows: rows.map(({ line, ...rest }) => rest),
      cells: lines.map(({ cells }) => cells),
    });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(',', ';', '\t'),
        (rows, delimiter) => {
          const titles = ['order_id', 'amount', 'ref', 'note', 'Seat'];
          const file = read([titles, ...rows].map((cells) => quoted(cells).join(delimiter)).join('\n'));
          expect(file.lines).toHaveLength(rows.length);
          const again = read(errorsCsv(file, file.problems));
          expect(withoutLines(again)).toEqual(withoutLines(file));
          expect(again.problems.map(({ words }) => words)).toEqual(file.problems.map(({ words }) => words));
        },
      ),
    );
  });
});
