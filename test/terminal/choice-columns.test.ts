/** Columns of rows to choose from: what is cut where, and what stays. */

import { describe, expect, it } from 'vitest';
import { createChoiceColumns } from '../../src/terminal/prompts/choice-columns.ts';

const columns = { titles: ['WHEN', 'BUYER', 'AMOUNT', 'REFERENCE'], right: [2], shrink: [1, 3] };

describe('rows to choose from', () => {
  it('stand under their titles, amounts to the right, and a column that is empty everywhere is left out', () => {
    const draw = createChoiceColumns(columns, 60);
    expect(
      draw([
        ['20 Nov 18:42', 'Ana', '35000 MXN', ''],
        ['3 Nov 05:05', 'José Pérez', '900 MXN', ''],
      ]),
    ).toEqual({
      heading: 'WHEN          BUYER          AMOUNT',
      lines: ['20 Nov 18:42  Ana         35000 MXN', '3 Nov 05:05   José Pérez    900 MXN'],
    });
  });

  it('give their room away evenly where the terminal is narrow, but not below six cells: of the last column so few are left out', () => {
    const row = ['20 Nov', 'a name of twenty-two..', '900', 'a reference of 24 cells.'];
    expect(createChoiceColumns(columns, 40)([row]).lines).toEqual([
      '20 Nov  a name of …     900  a referenc…',
    ]);
    const narrow = createChoiceColumns(columns, 12)([row]);
    expect(narrow).toEqual({ heading: 'WHEN', lines: ['20 Nov'] });
  });

  it('show a column whole as far as they are told to', () => {
    const row = ['20 Nov', 'a name of twenty-two..', '900', 'recorded made'];
    expect(createChoiceColumns({ ...columns, least: { 3: 13 } }, 38)([row]).lines).toEqual([
      '20 Nov  a name…     900  recorded made',
    ]);
  });

  it('keep the widths that they had, so that nothing jumps while a person scrolls', () => {
    const draw = createChoiceColumns(columns, 60);
    draw([['20 Nov', 'Bartholomew', '1 MXN', 'A-1']]);
    expect(draw([['3 Nov', 'Al', '2 MXN', '']]).lines).toEqual(['3 Nov   Al            2 MXN']);
  });
});
