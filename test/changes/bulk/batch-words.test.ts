/** The words about a plan and its batch, and the exit code of a batch. */

import { describe, expect, it } from 'vitest';
import { batchError } from '../../../src/changes/bulk/batch-end.ts';
import { applyPreview, countWords, rowsAndSums, verdictBar } from '../../../src/changes/bulk/batch-words.ts';
import { type RowReport, reportRows } from '../../../src/changes/bulk/row-verdicts.ts';
import { CliError, exitCodes } from '../../../src/errors.ts';
import type { VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import type { BatchStop, PlanRow } from '../../../src/plans/plan-types.ts';
import { defaultSettings, profileInUse } from '../../harness/profile-in-use.ts';
import { attemptAt, planOf, planRow } from './plan-parts.ts';

const profile = profileInUse('http://localhost:1');
const verdicts = {
  applied: { verdict: 'applied' },
  refused: { verdict: 'rejected', confirmed: true, why: 'the service refused it' },
  unconfirmed: { verdict: 'unknown' },
} as const satisfies Readonly<Record<string, Partial<VerdictRow>>>;

type Kind = keyof typeof verdicts | 'not_sent' | 'look' | 'impossible';

/** Reports of rows, one for each kind. */
function reports(...kinds: readonly Kind[]): readonly RowReport[] {
  const rows = kinds.map((kind, index) =>
    planRow({
      number: index + 1,
      line: index + 2,
      key: `row/${index}`,
      orderId: `ord_${index + 1}`,
      ...(kind === 'look' || kind === 'impossible' ? { state: kind, why: `it is ${kind}` } : {}),
    }),
  );
  const attempts = kinds.flatMap((kind, index) =>
    kind === 'applied' || kind === 'refused' || kind === 'unconfirmed'
      ? [attemptAt(verdicts[kind], { idempotencyKey: `row/${index}`, change: `i_${index}` })]
      : [],
  );
  const notSent = new Map(
    kinds.flatMap((kind, index) => (kind === 'not_sent' ? [[index + 1, 'it changed'] as const] : [])),
  );
  return reportRows(planOf(rows), attempts, notSent);
}

describe('sums', () => {
  it.each<[string, readonly Partial<PlanRow>[], string]>([
    ['one refund', [{}], '1 refund, 5 MXN'],
    ['several', [{}, { sum: 7 }], '2 refunds, 12 MXN'],
    ['two currencies', [{}, { sum: 7, currency: 'USD' }], '2 refunds, 5 MXN and 7 USD'],
    ['none', [], '0 refunds'],
    ['no sum', [{ sum: 0 }], '1 refund'],
  ])('%s', (_, rows, words) => {
    expect(rowsAndSums(rows.map(planRow), defaultSettings)).toBe(words);
  });
});

it('says how all rows stand, with the sums of those that moved or may have moved money', () => {
  expect(
    countWords(
      reports('applied', 'applied', 'unconfirmed', 'refused', 'not_sent', 'not_sent', 'look', 'impossible'),
      defaultSettings,
    ),
  ).toBe(
    'of 8 rows 2 made (10 MXN), 1 unconfirmed (5 MXN), 1 refused, 2 not sent, 1 to be looked at first, 1 impossible',
  );
  expect(countWords(reports('applied'), defaultSettings)).toBe('of 1 row 1 made (5 MXN)');
});

it('says how many rows the file has, if amounts were spread over charges', () => {
  const rows = [planRow(), planRow({ number: 2 }), planRow({ number: 3, line: 3 })];
  expect(countWords(reportRows(planOf(rows), []), defaultSettings)).toBe(
    'of 3 refunds (2 rows of the file) 3 not sent',
  );
});

it('one more row "has" notes', () => {
  const rows = Array.from({ length: 6 }, (_, index) => planRow({ line: index + 2, marks: ['a note'] }));
  const plan = planOf(rows);
  const blocks = applyPreview(plan, 'fri.plan', rows, reportRows(plan, []), {
    needsSecond: false,
    buyers: new Map(),
    profile,
    madeAt: 'at noon',
    expected: { count: undefined, totals: [] },
  });
  const text = JSON.stringify(blocks);
  expect(text).toContain('1 more row has notes: paydesk ');
  expect(text).not.toContain('totals');
});

it('the preview shows eight rows, and where the others are', () => {
  const rows = Array.from({ length: 10 }, (_, index) =>
    planRow({ line: index + 2, orderId: `ord_${index}` }),
  );
  const plan = planOf(rows);
  const text = JSON.stringify(
    applyPreview(plan, 'fri.plan', rows, reportRows(plan, []), {
      needsSecond: false,
      buyers: new Map(),
      profile,
      madeAt: 'at noon',
      expected: { count: undefined, totals: [] },
    }),
  );
  expect(text).toContain('"line 9","ord_7"');
  expect(text).not.toContain('ord_8');
  expect(text).toContain('and 2 more rows: paydesk -p shop-mx refunds status fri.plan --all-rows');
});

it('the bar has a sign for each kind of end', () => {
  const [bar = ''] = verdictBar(reports('applied', 'unconfirmed', 'refused', 'not_sent')).split('  ');
  expect(bar.replaceAll(/(.)\1+/g, '$1')).toBe('[#x?.]');
});

it('the preview shows five notes, and where the others are', () => {
  const rows = Array.from({ length: 7 }, (_, index) =>
    planRow({ line: index + 2, marks: [`note ${index}`] }),
  );
  const plan = planOf(rows);
  const blocks = applyPreview(plan, 'fri.plan', rows, reportRows(plan, []), {
    needsSecond: false,
    buyers: new Map(),
    profile,
    madeAt: 'at noon',
    expected: { count: 7, totals: [{ currency: 'MXN', amount: 35 }] },
  });
  const text = JSON.stringify(blocks);
  expect(text).toContain('line 6: note 4');
  expect(text).not.toContain('line 7: note 5');
  expect(text).toContain(
    '2 more rows have notes: paydesk -p shop-mx refunds status fri.plan -o list --columns line,order_id,notes',
  );
  expect(text).toContain('7 refunds, 35 MXN, of 1 order"');
  expect(text).toContain('totals  as you expect: --expect-count 7 --expect-total MXN=35"');
});

describe('the end of a batch', () => {
  const run = {
    known: 0,
    sent: 1,
    open: 0,
    inFlight: 0,
    away: new Map(),
    equal: new Set<string>(),
    unreached: 0,
    stoppedBy: undefined,
    journal: undefined,
  };
  const end = (
    some: readonly RowReport[],
    more: { stop?: BatchStop; signal?: AbortSignal; run?: object } = {},
  ) =>
    batchError('fri.plan', some, {
      stop: more.stop,
      profile,
      signal: more.signal ?? new AbortController().signal,
      run: { ...run, ...more.run },
      lost: undefined,
      untilOf: () => 'tomorrow 05:05',
      again: 'paydesk -p shop-mx refunds apply fri.plan',
      free: { plan: 'fri-2.plan', rest: 'fri-rest.csv' },
    });
  const code = (error: CliError | undefined) => (error === undefined ? 0 : exitCodes[error.kind]);
  const interrupted = AbortSignal.abort(new CliError('interrupted', 'stopped by you; more'));

  it.each<[string, readonly Kind[], Parameters<typeof end>[1], number, string | undefined]>([
    ['all applied', ['applied', 'applied'], {}, 0, undefined],
    ['a row refused', ['applied', 'refused'], {}, 8, '1 row is not applied'],
    ['rows not sent', ['not_sent', 'not_sent'], {}, 8, '2 rows are not applied'],
    ['a row unconfirmed', ['applied', 'unconfirmed', 'refused'], {}, 7, '1 row is unconfirmed'],
    [
      'unknowns in a row',
      ['unconfirmed', 'not_sent'],
      { stop: { why: 'unknowns', inARow: true, count: 3 } },
      7,
      '3 refunds in a row got no usable answer',
    ],
    [
      'unknowns in all',
      ['unconfirmed', 'not_sent'],
      { stop: { why: 'unknowns', inARow: false, count: 5 } },
      7,
      '5 refunds got no usable answer',
    ],
    [
      'a long wait',
      ['applied', 'not_sent'],
      { stop: { why: 'wait', waitMs: 600_000 } },
      8,
      'the service asks us to wait 10 min',
    ],
    [
      'a refused key, and nothing sent',
      ['not_sent'],
      { stop: { why: 'row', words: 'no key' }, run: { sent: 0, stoppedBy: 'auth' } },
      4,
      'no key',
    ],
    [
      'a refused key after a row',
      ['applied', 'not_sent'],
      { stop: { why: 'row', words: 'no key' }, run: { stoppedBy: 'auth' } },
      8,
      'no key',
    ],
    [
      'the service away',
      ['not_sent'],
      { stop: { why: 'row', words: 'away' }, run: { sent: 0, stoppedBy: 'network' } },
      6,
      'away',
    ],
    [
      'Ctrl-C',
      ['applied', 'not_sent'],
      { stop: { why: 'signal' }, signal: interrupted },
      130,
      'stopped by you',
    ],
    [
      'Ctrl-C, and a row unconfirmed',
      ['unconfirmed'],
      { stop: { why: 'signal' }, signal: interrupted },
      7,
      'stopped by you',
    ],
  ])('%s', (_, kinds, more, expected, message) => {
    const error = end(reports(...kinds), more);
    expect(code(error)).toBe(expected);
    expect(error?.message).toBe(message);
  });

  it('names eight unconfirmed rows with the command that clears them up, and where the others are', () => {
    const error = end(reports(...Array.from({ length: 10 }, () => 'unconfirmed' as const), 'not_sent'));
    const now = error?.parts.now ?? [];
    expect(now.filter((line) => line.includes('reconcile'))).toEqual(
      Array.from(
        { length: 8 },
        (_, at) => `line ${at + 2}, ord_${at + 1}: paydesk journal reconcile i_${at}`,
      ),
    );
    expect(now).toContain('and 2 more rows: paydesk -p shop-mx refunds status fri.plan --only unconfirmed');
    expect(now).toContain('line 12, ord_11: it changed');
  });

  it('says why eight rows were not sent, and how to see the reasons of the others', () => {
    const now = end(reports(...Array.from({ length: 9 }, () => 'not_sent' as const)))?.parts.now ?? [];
    expect(now.filter((line) => line.endsWith(': it changed'))).toHaveLength(8);
    expect(now).toContain(
      'and 1 more row: paydesk -p shop-mx refunds apply fri.plan --dry-run --csv --columns line,order_id,verdict,why',
    );
  });

  it('says how to go on: again for rows that were not sent, anew if orders changed, as a file for the rest', () => {
    const refused = end(reports('applied', 'refused'))?.parts.now?.join('\n');
    expect(refused).toContain('refunds status fri.plan --rest fri-rest.csv');
    expect(refused).not.toContain('refunds apply fri.plan');
    const notSent = end(reports('not_sent', 'not_sent'))?.parts.now?.join('\n');
    expect(notSent).toContain('refunds apply fri.plan');
    expect(notSent).toContain('refunds plan --refresh fri.plan --to fri-2.plan');
  });
});
