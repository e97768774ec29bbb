/** What became of the rows of a plan, from the journal. */

import { expect, it } from 'vitest';
import { sentNow } from '../../../src/changes/bulk/report-plan.ts';
import { inputOf, reportRecord } from '../../../src/changes/bulk/row-records.ts';
import {
  countVerdicts,
  isLeftToSend,
  isSentAnew,
  movedNothing,
  reportRows,
} from '../../../src/changes/bulk/row-verdicts.ts';
import { attemptName } from '../../../src/journal/journal.ts';
import type { AttemptRecord, VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import { attempt } from '../../journal/rows.ts';
import { attemptAt, planOf, planRow, refund } from './plan-parts.ts';

const plan = planOf([planRow()]);
// The same plan made anew, after its row was tried once.
const tried = planRow({ tried: attemptName(attemptAt({ verdict: 'rejected' })) });
const anew = planOf([tried]);

function report(attempt: AttemptRecord, notSent?: string) {
  const [first] = reportRows(plan, [attempt], new Map(notSent === undefined ? [] : [[1, notSent]]));
  return first;
}

it.each<[string, Partial<VerdictRow> | undefined, string, boolean]>([
  ['sent, and nothing is known yet', undefined, 'unconfirmed', false],
  ['made', { verdict: 'applied' }, 'made', false],
  ['recorded made', { verdict: 'applied', by: 'person' }, 'recorded_made', false],
  ['gone', { verdict: 'applied', alarm: 'gone' }, 'gone', false],
  ['made twice by the service', { verdict: 'applied', alarm: 'twice' as never }, 'unconfirmed', false],
  ['refused', { verdict: 'rejected', confirmed: true }, 'refused', true],
  ['refused, but not confirmed', { verdict: 'rejected', confirmed: false }, 'unconfirmed', false],
  ['not sent', { verdict: 'not_sent' }, 'not_sent', true],
  ['not seen', { verdict: 'not_seen' }, 'unconfirmed', false],
  ['unknown', { verdict: 'unknown' }, 'unconfirmed', false],
])('a row that was %s', (_, verdict, expected, nothing) => {
  const found = report(attemptAt(verdict));
  expect(found?.verdict).toBe(expected);
  expect(found && movedNothing(found)).toBe(nothing);
});

it.each([
  ['somebody else made beside its own is not its own', -7, undefined, 'rf_1', 5],
  ['was made twice counts twice', -5, 'duplicate', 'rf_1 rf_2', 10],
] as const)('a refund that %s', (_, amount, alarm, ids, sum) => {
  const refunds = [refund('rf_1', -5), refund('rf_2', amount)];
  const made = attempt(
    [
      { verdict: 'applied', refunds: refunds.slice(0, 1) },
      { verdict: 'applied', by: 'read', refunds, alarm },
    ],
    attemptAt(undefined).sent,
  );
  expect(report(made)?.attempt?.made).toEqual({ ids, sum });
});

it('a row without an attempt is not sent, with the reason that this run knows', () => {
  expect(reportRows(plan, [])).toMatchObject([{ verdict: 'not_sent', why: undefined }]);
  expect(reportRows(plan, [], new Map([[1, 'it changed']]))).toMatchObject([
    { verdict: 'not_sent', why: 'it changed' },
  ]);
  for (const state of ['look', 'impossible'] as const)
    expect(reportRows(planOf([planRow({ state, why: 'no' })]), [])).toMatchObject([
      { verdict: state, why: 'no' },
    ]);
});

it('what failed before the plan was made says nothing about its row', () => {
  const rejected = { verdict: 'rejected', confirmed: true } as const;
  expect(reportRows(anew, [attemptAt(rejected)])).toMatchObject([{ verdict: 'not_sent' }]);
  expect(report(attemptAt(rejected, { plan: 'p_2222' }))?.verdict).toBe('not_sent');
  expect(reportRows(anew, [attemptAt(rejected, { attempt: 2 })])).toMatchObject([{ verdict: 'refused' }]);
  // Whatever the clock of the machine was then.
  expect(report(attemptAt(rejected, { time: 0 }))?.verdict).toBe('refused');
  expect(report(attemptAt({ verdict: 'applied' }, { plan: 'p_2222', time: 0 }))?.verdict).toBe('made');
  expect(report(attemptAt(undefined, { plan: 'p_2222', time: 0 }))?.verdict).toBe('unconfirmed');
});

it('a refused row is sent once more only by another plan, by a newer one, or after a person recorded it', () => {
  const rejected = { verdict: 'rejected', confirmed: true } as const;
  const row = planRow();
  expect(isSentAnew(plan, row, attemptAt(rejected))).toBe(false);
  expect(isSentAnew(anew, tried, attemptAt(rejected))).toBe(true);
  expect(isSentAnew(plan, row, attemptAt(rejected, { plan: 'p_2222' }))).toBe(true);
  expect(isSentAnew(plan, row, attemptAt({ ...rejected, by: 'person' }))).toBe(true);
});

it.each<[string, Partial<VerdictRow>, boolean]>([
  [
    'whose key the service refused',
    { verdict: 'rejected', confirmed: true, error: { httpStatus: 401 } },
    true,
  ],
  ['that was recorded as not made', { verdict: 'rejected', by: 'person' }, true],
  ['that the service refused', { verdict: 'rejected', confirmed: true, error: { httpStatus: 422 } }, false],
  ['that was not sent', { verdict: 'not_sent' }, true],
  ['that is unconfirmed', { verdict: 'not_seen' }, false],
  ['that failed', { verdict: 'applied', refunds: [{ ...refund('rf_1', -5), status: 'failed' }] }, false],
  ['that was made', { verdict: 'applied', refunds: [refund('rf_1', -5)] }, false],
])('a row %s is left to send just if the next run sends it', (_, verdict, isSent) => {
  const record = attemptAt(verdict);
  const reports = reportRows(plan, [record]);
  expect(reports.map(isLeftToSend)).toEqual([isSent]);
  expect(isSentAnew(plan, planRow(), record)).toBe(isSent);
  expect(sentNow(plan, reports)).toHaveLength(isSent ? 1 : 0);
});

it('the last attempt at a row counts', () => {
  const attempts = [attemptAt({ verdict: 'not_sent' }), attemptAt({ verdict: 'applied' }, { attempt: 2 })];
  expect(reportRows(plan, attempts)).toMatchObject([{ verdict: 'made' }]);
});

it('a record says what was refunded before and after, and every refund', () => {
  const made = attemptAt({ verdict: 'applied', refunds: [refund('rf_1', -3), refund('rf_2', -2)] });
  const before = { ...made.sent.proof.before, amountRefunded: 10 };
  const expected = [-3, -2].map((amount) => ({ chargeId: 'ch_1', amount }));
  const sent = { ...made.sent, proof: { ...made.sent.proof, before, expected } };
  const [first] = reportRows(plan, [{ ...made, sent }]);
  expect(first && reportRecord(first, plan)).toMatchObject({
    verdict: 'made',
    before: 10,
    after: 15,
    refund_id: 'rf_1 rf_2',
    sent_at: 2,
  });
});

it('a title such as __proto__ is a field like any other', () => {
  const input = inputOf(['a', 'b'], { columns: ['__proto__', 'toString', 'third'] });
  expect(Object.entries(input)).toEqual([
    ['__proto__', 'a'],
    ['toString', 'b'],
    ['third', ''],
  ]);
});

it('counts only verdicts that occur', () => {
  const reports = reportRows(planOf([planRow(), planRow({ key: 'row/2' })]), [
    attemptAt({ verdict: 'applied' }),
  ]);
  expect(countVerdicts(reports).map(({ verdict, reports: some }) => [verdict, some.length])).toEqual([
    ['made', 1],
    ['not_sent', 1],
  ]);
});

it('a reply of which nothing but the status is known is said once', () => {
  const bare = attemptAt({ verdict: 'unknown', why: 'HTTP 500, an empty body', error: { httpStatus: 500 } });
  const [report] = reportRows(planOf([planRow()]), [bare]);
  expect(report?.why).toBe('HTTP 500, an empty body');
});
