/** Rows of one order that are about the same money. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateProblems, type RowMoney } from '../../src/plans/input-duplicates.ts';

type Row = readonly [order: string, charge: string, ref?: string];

function rows(...all: readonly Row[]): readonly RowMoney[] {
  return all.map(([orderId, charge, ref = ''], index) => ({
    line: index + 2,
    orderId,
    reference: undefined,
    charge,
    ref,
  }));
}

const problemLines = (...all: readonly Row[]) => duplicateProblems(rows(...all)).map(({ line }) => line);

describe('F51 rows about the same money', () => {
  it('names the same order and charge twice, and how to go on', () => {
    expect(duplicateProblems(rows(['ord_1', 'ch_1'], ['ord_2', 'ch_1'], ['ord_1', 'ch_1']))).toEqual([
      {
        line: 4,
        column: undefined,
        words:
          'line 2 may refund the same money (ord_1, charge ch_1): give each row its own ref if both are meant, or delete one',
      },
    ]);
  });

  it('of three equal rows says at each which lines are equal, and what keeps or drops them all', () => {
    const words =
      'lines 2, 3 and 5 may refund the same money (ord_1, charge 1): give each of them its own ref, also line 2, to keep them, or delete lines 3 and 5';
    const equal: readonly Row[] = [
      ['ord_1', '1'],
      ['ord_1', '1'],
      ['ord_2', '1'],
      ['ord_1', '1'],
    ];
    expect(duplicateProblems(rows(...equal))).toEqual([
      { line: 3, column: undefined, words },
      { line: 5, column: undefined, words },
    ]);
    const kept = equal.map(([order, charge], at): Row => [order, charge, `r${at}`]);
    expect(problemLines(...kept)).toEqual([]);
  });

  it('names a whole order beside a part of it', () => {
    expect(duplicateProblems(rows(['ord_1', 'full'], ['ord_1', 'ch_1'])).map(({ words }) => words)).toEqual([
      'line 2 may refund the same money (ord_1, the whole order): give each row its own ref if both are meant, or delete one',
    ]);
  });

  it('says that a ref stands twice', () => {
    expect(
      duplicateProblems(rows(['ord_1', '1', 'a'], ['ord_1', '1', 'a'])).map(({ words }) => words),
    ).toEqual([
      'line 2 may refund the same money (ord_1, charge 1): it has the same ref too: give each row its own, or delete one',
    ]);
  });

  it.each<[string, readonly Row[], readonly number[]]>([
    [
      'different charges of one order',
      [
        ['o', '1'],
        ['o', '2'],
        ['o', '*4242'],
      ],
      [],
    ],
    [
      'the same charge of two orders',
      [
        ['o', '1'],
        ['p', '1'],
      ],
      [],
    ],
    [
      'each with its own ref',
      [
        ['o', '1', 'a'],
        ['o', '1', 'b'],
        ['o', 'full', 'c'],
        ['o', 'any', 'd'],
      ],
      [],
    ],
    [
      'only one has a ref',
      [
        ['o', '1', 'a'],
        ['o', '1'],
      ],
      [3],
    ],
    [
      'only the second has a ref',
      [
        ['o', '1'],
        ['o', '1', 'a'],
      ],
      [3],
    ],
    [
      'two wholes',
      [
        ['o', 'full'],
        ['o', 'full'],
      ],
      [3],
    ],
    [
      'any beside full',
      [
        ['o', 'any'],
        ['o', 'full'],
      ],
      [3],
    ],
    [
      'a whole behind two charges',
      [
        ['o', '1'],
        ['o', '2'],
        ['o', 'any'],
      ],
      [4],
    ],
    [
      'charges behind a whole',
      [
        ['o', 'any'],
        ['o', '1'],
        ['o', '2'],
      ],
      [3, 4],
    ],
    [
      'the same ref on two charges',
      [
        ['o', '1', 'a'],
        ['o', '2', 'a'],
      ],
      [],
    ],
    [
      'the same ref on a charge and the whole',
      [
        ['o', '1', 'a'],
        ['o', '2', 'b'],
        ['o', 'full', 'b'],
      ],
      [4],
    ],
    [
      'the file twice',
      [
        ['o', '1'],
        ['p', 'full'],
        ['o', '1'],
        ['p', 'full'],
      ],
      [4, 5],
    ],
    [
      'names of objects',
      [
        ['__proto__', 'constructor'],
        ['constructor', '__proto__'],
        ['__proto__', 'constructor'],
      ],
      [4],
    ],
  ])('%s', (_, all, lines) => {
    expect(problemLines(...all)).toEqual(lines);
  });

  it('tells a reference from an id, and finds a reference twice', () => {
    const row = { charge: 'any', ref: '' };
    const all = [
      { ...row, line: 2, orderId: undefined, reference: '1042' },
      { ...row, line: 3, orderId: '1042', reference: undefined },
      { ...row, line: 4, orderId: undefined, reference: '1042' },
    ];
    expect(
      duplicateProblems(all).map(({ line, words }) => [
        line,
        words.includes('line 2 may refund the same money (1042, any charge)'),
      ]),
    ).toEqual([[4, true]]);
  });

  it('agrees with comparing each row with each row before it', () => {
    const row = fc.tuple(
      fc.constantFrom('o', 'p'),
      fc.constantFrom('1', '2', 'full', 'any'),
      fc.constantFrom('', 'a', 'b', 'c'),
    );
    const isWhole = ({ charge }: RowMoney) => charge === 'full' || charge === 'any';
    const clash = (a: RowMoney, b: RowMoney) =>
      a.orderId === b.orderId &&
      (a.charge === b.charge || isWhole(a) || isWhole(b)) &&
      (a.ref === '' || b.ref === '' || a.ref === b.ref);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (typed) => {
        const all = rows(...typed);
        const expected = all.flatMap((later, index) => {
          const first = all.slice(0, index).find((earlier) => clash(earlier, later));
          return first === undefined ? [] : [[later.line, first.line]];
        });
        expect(
          duplicateProblems(all).map(({ line, words }) => [line, Number(/line (\d+)/.exec(words)?.[1])]),
        ).toEqual(expected);
      }),
    );
  });

  it('takes 100,000 rows of one order', () => {
    const row = { orderId: 'o', reference: undefined, charge: 'full' };
    const all = Array.from({ length: 100_000 }, (_, index) => ({ ...row, line: index + 2, ref: `${index}` }));
    expect(duplicateProblems(all)).toEqual([]);
    const more = { ...row, line: 100_002, charge: '1', ref: '' };
    expect(duplicateProblems([...all, more]).map(({ line }) => line)).toEqual([100_002]);
  });
});
