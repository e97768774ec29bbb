/** Which refunds count as made twice, and which records of the order those are. */

import { describe, expect, it } from 'vitest';
import { isPaidTwice, otherAlarms, refundsPaidTwice } from '../../../src/journal/questions/paid-twice.ts';
import type { AttemptRecord, SentRow, VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import { attempt } from '../rows.ts';

const refund = (id: string | undefined, amount = -5) => ({
  chargeId: 'ch_1',
  id,
  amount,
  createdAt: 1,
  authCode: undefined,
});
const alarm: Partial<VerdictRow> = {
  verdict: 'applied',
  alarm: 'duplicate',
  refunds: [refund('rf_1'), refund('rf_2')],
};

describe('a refund was made twice', () => {
  const { proof } = attempt([]).sent;
  it.each<[string, readonly Partial<VerdictRow>[], boolean, Partial<SentRow>?]>([
    ['while its last verdict has that alarm', [{}, alarm], true],
    ['also by the word of a person', [{ ...alarm, by: 'person', refunds: undefined }], true],
    ['not before there is a verdict', [], false],
    ['not with another alarm', [{ ...alarm, alarm: 'contradiction' }], false],
    [
      'not while it is unconfirmed, which blocks everything',
      [alarm, { verdict: 'unknown', alarm: 'duplicate' }],
      false,
    ],
    [
      'not once somebody acknowledged it',
      [alarm, { ...alarm, alarm: undefined, acknowledged: 'duplicate' }],
      false,
    ],
    ['not if it is a capture', [alarm], false, { proof: { ...proof, kind: 'capture' } }],
  ])('%s', (_, verdicts, expected, more = {}) => {
    expect(isPaidTwice(attempt(verdicts, more))).toBe(expected);
  });
});

describe('the refunds of it', () => {
  const first = attempt([{ verdict: 'applied', by: 'person', alarm: 'duplicate' }]);
  const again = attempt([{ verdict: 'applied', by: 'reply', refunds: [refund('rf_9')] }], {
    change: 'i_2',
    time: 5000,
  });
  const one = { ...alarm, refunds: [refund('rf_1')] };
  const other = (id: string | undefined) => ({ ...refund(id, -7), chargeId: 'ch_2' });
  it.each<[string, AttemptRecord, readonly AttemptRecord[], readonly string[]]>([
    ['are those of the read that showed both', attempt([alarm]), [], ['rf_1', 'rf_2']],
    ['also if a later read shows fewer', attempt([alarm, one]), [], ['rf_1', 'rf_2']],
    [
      'are those of the newest such read',
      attempt([alarm, { ...alarm, refunds: [refund('rf_1'), refund('rf_2'), refund('rf_3')] }]),
      [],
      ['rf_1', 'rf_2', 'rf_3'],
    ],
    [
      'are not those of a read without the alarm',
      attempt([{ ...alarm, alarm: undefined, refunds: [refund('rf_1'), refund('rf_8')] }, one]),
      [],
      ['rf_1'],
    ],
    [
      'are not those of another amount, and none without an id',
      attempt([{ ...alarm, refunds: [refund('rf_1'), refund('rf_2', -3), refund(undefined)] }]),
      [],
      ['rf_1'],
    ],
    ['are that of the attempt that was sent again, after a correction', first, [first, again], ['rf_9']],
    [
      'are its own and that of the attempt that was sent again, each once',
      attempt([one]),
      [attempt([one]), again],
      ['rf_1', 'rf_9'],
    ],
    [
      'are also that of the attempt that was sent again if a read showed more than one of its own',
      attempt([alarm]),
      [attempt([alarm]), again],
      ['rf_1', 'rf_2', 'rf_9'],
    ],
    ['are unknown if no read has shown any', first, [first], []],
    [
      'are those of every charge of a whole order',
      attempt([{ ...alarm, refunds: [refund('rf_1'), refund('rf_2'), other('rf_3'), other('rf_4')] }], {
        proof: { ...first.sent.proof, expected: [...first.sent.proof.expected, other(undefined)] },
      }),
      [],
      ['rf_1', 'rf_2', 'rf_3', 'rf_4'],
    ],
  ])('%s', (_, record, known, expected) => {
    expect(refundsPaidTwice(record, known)).toEqual(expected);
  });
});

describe('the other alarms of its order', () => {
  it('are those of other attempts that were made twice, and not its own', () => {
    const own = attempt([alarm]);
    const other = attempt([alarm], { change: 'i_2' });
    const later = attempt([alarm], { attempt: 2 });
    const made = attempt([{ ...alarm, alarm: undefined }], { change: 'i_3' });
    expect(otherAlarms(own, [own, made, other, later])).toEqual([other, later]);
    expect(otherAlarms(made, [made])).toEqual([]);
  });
});
