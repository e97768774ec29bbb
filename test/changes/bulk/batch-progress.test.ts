import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AmountStyle, plainAmounts } from '../../../src/amounts.ts';
import { type BatchProgress, progressWords } from '../../../src/changes/bulk/batch-progress.ts';

const pesos = { currency: 'MXN', done: 1_203_400, total: 3_240_000 };
const usual: BatchProgress = {
  applied: 112,
  refused: 0,
  unconfirmed: 0,
  notSent: 0,
  readAgain: 0,
  left: 188,
  money: [pesos],
  ended: 112,
  elapsedMs: 140_000,
};
const bad: BatchProgress = { ...usual, refused: 2, unconfirmed: 3, left: 183 };
const two: BatchProgress = {
  ...bad,
  money: [...usual.money, { currency: 'USD', done: 12_000, total: 20_000 }],
};
const decimals: AmountStyle = { 'amounts.decimals': { MXN: 2, USD: 2 }, 'amounts.grouping': 'on' };

const redrawn = (columns: number) => ({ room: columns - 1, redrawn: true });
const inLog = { room: 79, redrawn: false };

describe('the line of progress of a batch', () => {
  it('on 80 and 120 columns, at its begin, as it should be, with refused and unconfirmed rows, with two currencies, at its end', () => {
    const all = [
      { ...usual, applied: 0, left: 300, ended: 0, elapsedMs: 0, money: [{ ...pesos, done: 0 }] },
      usual,
      bad,
      two,
      { ...usual, applied: 300, left: 0, ended: 300, money: [{ ...pesos, done: pesos.total }] },
    ];
    const lines = [80, 120].flatMap((columns) =>
      all.map((progress) => progressWords(progress, redrawn(columns), plainAmounts)),
    );
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "[..............................]  0 applied, 300 left  0 of 3240000 MXN
      [########..............]  112 applied, 188 left (4 min)  1203400 of 3240000 MXN
      112 applied, 2 refused, 3 unconfirmed, 183 left (4 min)  1203400 of 3240000 MXN
      112 applied 2 refused 3 unconfirmed 183 left 1203400/3240000 MXN and 1 more
      [##############################]  300 applied, 0 left  3240000 of 3240000 MXN
      [..............................]  0 applied, 300 left  0 of 3240000 MXN
      [###########...................]  112 applied, 188 left (4 min)  1203400 of 3240000 MXN
      [###########x?.................]  112 applied, 2 refused, 3 unconfirmed, 183 left (4 min)  1203400 of 3240000 MXN
      [#####x?.........]  112 applied, 2 refused, 3 unconfirmed, 183 left (4 min)  1203400 of 3240000 MXN, 12000 of 20000 USD
      [##############################]  300 applied, 0 left  3240000 of 3240000 MXN"
    `);
  });

  it('has the decimals that the profile declares, and no number is cut', () => {
    expect(progressWords(two, redrawn(120), decimals)).toMatchInlineSnapshot(
      `"[###x?.....]  112 applied, 2 refused, 3 unconfirmed, 183 left (4 min)  12 034.00 of 32 400.00 MXN, 120.00 of 200.00 USD"`,
    );
    expect(progressWords(bad, redrawn(80), decimals)).toMatchInlineSnapshot(
      `"112 applied 2 refused 3 unconfirmed 183 left (4 min) 12 034.00/32 400.00 MXN"`,
    );
  });

  it('once somebody has stopped the run, says for what it still waits, and how long at most', () => {
    const stopped = { ...bad, stopping: { inFlight: 4, atMostMs: 29_100 } };
    expect(progressWords(stopped, redrawn(120), plainAmounts)).toBe(
      'stopping: waiting for 4 rows (at most 30 s)  112 applied, 2 refused, 3 unconfirmed, 183 left',
    );
    expect(progressWords(stopped, redrawn(80), plainAmounts)).toBe(
      'stopping: waiting for 4 rows (at most 30 s)',
    );
    const read = { ...usual, readAgain: 1, stopping: { inFlight: 1, atMostMs: 0 } };
    expect(progressWords(read, inLog, plainAmounts)).toBe(
      'stopping: waiting for 1 row  112 applied, 188 left (reading 1 order again)',
    );
  });

  it('has no bar in a log', () => {
    expect(progressWords(usual, inLog, plainAmounts)).toMatchInlineSnapshot(
      `"112 applied, 188 left (4 min)  1203400 of 3240000 MXN"`,
    );
    expect(progressWords(bad, inLog, plainAmounts)).toMatchInlineSnapshot(
      `"112 applied, 2 refused, 3 unconfirmed, 183 left (4 min)  1203400 of 3240000 MXN"`,
    );
  });

  it('leaves out currencies where they do not fit, and says how many, and then all money', () => {
    const many = { ...two, applied: 20_112, left: 9_188 };
    expect(progressWords(many, redrawn(80), plainAmounts)).toMatchInlineSnapshot(
      `"20112 applied 2 refused 3 unconfirmed 9188 left 1203400/3240000 MXN and 1 more"`,
    );
    expect(progressWords(many, redrawn(60), plainAmounts)).toMatchInlineSnapshot(
      `"20112 applied 2 refused 3 unconfirmed 9188 left"`,
    );
  });

  it.each([
    [0, 500, ''],
    [1, 999, ''],
    [112, 14_000, ' (23 s)'],
    [112, 36_000, ' (59 s)'],
    [112, 37_000, ' (2 min)'],
    [112, 140_000, ' (4 min)'],
    [1, 60_000, ' (3 h 3 min)'],
  ])('estimates the time left after %i rows in %i ms', (ended, elapsedMs, words) => {
    const line = progressWords({ ...bad, ended, elapsedMs }, { room: 200, redrawn: false }, plainAmounts);
    expect(line).toContain(`183 left${words}  1203400`);
  });

  it('says that orders are read again while replies are lost, and names rows that were not sent', () => {
    const lost = { ...usual, notSent: 1, readAgain: 2, left: 187 };
    expect(progressWords(lost, redrawn(120), plainAmounts)).toMatchInlineSnapshot(
      `"[###########...................]  112 applied, 1 not sent, 187 left (reading 2 orders again)  1203400 of 3240000 MXN"`,
    );
    expect(progressWords({ ...lost, readAgain: 1 }, inLog, plainAmounts)).toMatchInlineSnapshot(
      `"112 applied 1 not sent 187 left (reading 1 order again) 1203400/3240000 MXN"`,
    );
  });

  const count = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 100_000 }),
  );
  const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const progresses: fc.Arbitrary<BatchProgress> = fc.record({
    applied: count,
    refused: count,
    unconfirmed: count,
    notSent: count,
    readAgain: fc.integer({ min: 0, max: 16 }),
    left: count,
    money: fc.array(
      fc.record({ currency: fc.constantFrom('MXN', 'USD', '?'), done: amount, total: amount }),
      { maxLength: 4 },
    ),
    ended: count,
    elapsedMs: fc.integer({ min: 0, max: 1e9 }),
  });

  it('always fits 80 columns, and every kind of row has a part of the bar', () => {
    fc.assert(
      fc.property(
        progresses,
        fc.integer({ min: 80, max: 200 }),
        fc.constantFrom(plainAmounts, decimals),
        (progress, columns, style) => {
          const line = progressWords(progress, redrawn(columns), style);
          expect(line.length).toBeLessThan(columns);
          const { applied, refused, unconfirmed, notSent, left } = progress;
          expect(line).toContain(`${applied} applied`);
          expect(line).toContain(`${left} left`);
          const [, bar] = /^\[(#*x*\?*\.*)\] /.exec(line) ?? [];
          expect(bar === undefined).toBe(!line.startsWith('['));
          if (bar === undefined) return;
          expect(bar.length).toBeGreaterThanOrEqual(5);
          const total = applied + refused + unconfirmed + notSent + left;
          if (total === 0) return;
          expect(['#', 'x', '?', '.'].map((sign) => bar.includes(sign))).toEqual(
            [applied, refused, unconfirmed, notSent + left].map((rows) => rows > 0),
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
