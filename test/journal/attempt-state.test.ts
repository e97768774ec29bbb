import { describe, expect, it } from 'vitest';
import {
  ageAt,
  blockedUntil,
  countedAmount,
  dueAt,
  horizonOf,
  isAcknowledged,
  isDue,
  isOpen,
  isReadable,
  isUnconfirmed,
  isUnsettled,
  isWatched,
  isYoung,
  mayBeOpen,
  mayBeYoung,
  mayChange,
  mayNeedLook,
  needsPerson,
  verdictOf,
  wasOver,
  youngUntil,
} from '../../src/journal/attempt-state.ts';
import { claimsOfOthers } from '../../src/journal/claims.ts';
import { momentOfRow } from '../../src/journal/journal-time.ts';
import { askedFor, claimedBy, ownRefunds, recordedBy } from '../../src/journal/questions/verdicts-say.ts';
import type { AttemptRecord, Moment, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { sent, verdict } from './rows.ts';

const horizonMs = 900_000;
const at = (time: number, more: Partial<Moment> = {}): Moment => ({
  time,
  wall: time,
  mono: time,
  skewed: false,
  ...more,
});

function attempt(verdicts: Partial<VerdictRow>[], more: Partial<SentRow> = {}): AttemptRecord {
  const row = sent('i_1', 0, more);
  return { sent: row, verdicts: verdicts.map((one) => ({ ...verdict(row.change, 1000), ...one })) };
}

const of = (kind: SentRow['proof']['kind']): Partial<SentRow> => ({ proof: { ...sent('', 0).proof, kind } });
const over = 1000 + horizonMs;

describe('the time of an attempt', () => {
  it('runs from its first verdict of a moment when the clocks agreed', () => {
    expect(horizonOf(attempt([]))).toBe(Number.POSITIVE_INFINITY);
    expect(horizonOf(attempt([{}, { time: 9000 }]))).toBe(over);
    expect(horizonOf(attempt([{ skewed: true }, { time: 9000 }]))).toBe(9000 + horizonMs);
    expect(horizonOf(attempt([{ skewed: true }]))).toBe(Number.POSITIVE_INFINITY);
  });

  it('is over once so much has passed, and not while clocks disagree', () => {
    const record = attempt([{}]);
    expect(isYoung(record, at(over - 1))).toBe(true);
    expect(isYoung(record, at(over))).toBe(false);
    expect(isYoung(record, at(over, { skewed: true }))).toBe(true);
    expect(isYoung(attempt([]), at(over))).toBe(true);
    expect(isYoung(attempt([{ skewed: true }]), at(over))).toBe(true);
  });

  it('is not over while clocks disagree, even where a sandbox sets a horizon of 0', () => {
    const record = attempt([{}], { horizonMs: 0 });
    expect(isYoung(record, at(over))).toBe(false);
    expect(isYoung(record, at(over, { skewed: true }))).toBe(true);
    expect(isYoung(attempt([{ skewed: true }], { horizonMs: 0 }), at(over))).toBe(true);
  });

  it('does not run from a row that two clocks call the future, but from the next one', () => {
    const future = { time: 400 * 86_400_000 };
    const dated = at(over + 5000, { dated: true });
    expect(isYoung(attempt([future]), dated)).toBe(true);
    expect(isYoung(attempt([future, { time: 5000 }]), dated)).toBe(false);
  });
});

describe('until when an attempt is open at the latest', () => {
  it('is its horizon, where reads show nothing or a refusal is not confirmed', () => {
    expect(blockedUntil(attempt([{ verdict: 'not_seen' }]))).toBe(over);
    expect(blockedUntil(attempt([{ verdict: 'rejected', confirmed: false }]))).toBe(over);
  });

  it('is not known while there is no verdict, an unknown one, or none of a time that counts', () => {
    expect(blockedUntil(attempt([]))).toBeUndefined();
    expect(blockedUntil(attempt([{ verdict: 'unknown' }]))).toBeUndefined();
    expect(blockedUntil(attempt([{ verdict: 'not_seen', skewed: true }]))).toBeUndefined();
  });
});

describe('an attempt that was refused without a read to confirm it', () => {
  it('is open until its time is over, where a read can show it', () => {
    const refused = { verdict: 'rejected', confirmed: false } as const;
    expect(isOpen(attempt([refused]), at(2000))).toBe(true);
    expect(isOpen(attempt([refused]), at(over))).toBe(false);
    expect(isOpen(attempt([refused], of('api')), at(2000))).toBe(false);
    expect(isOpen(attempt([{ verdict: 'rejected' }]), at(2000))).toBe(false);
    expect(isOpen(attempt([{ verdict: 'applied', confirmed: false }]), at(2000))).toBe(false);
  });
});

it('a change that was not seen is open until its time is over, whether a read can show it or not', () => {
  for (const kind of ['refund', 'api'] as const) {
    const notSeen = attempt([{ verdict: 'not_seen' }], of(kind));
    expect([isOpen(notSeen, at(2000)), isOpen(notSeen, at(over))]).toEqual([true, false]);
  }
});

describe('a refund that was made', () => {
  it('is watched until a look after its time', () => {
    expect(isWatched(attempt([{}]))).toBe(true);
    expect(isWatched(attempt([{}, { time: over - 1 }]))).toBe(true);
    expect(isWatched(attempt([{}, { time: over }]))).toBe(false);
    expect(isWatched(attempt([{}, { time: over, skewed: true }]))).toBe(true);
  });

  it('is not watched by the word of a person, nor is anything else', () => {
    expect(isWatched(attempt([{ by: 'person' }]))).toBe(false);
    expect(isWatched(attempt([{}], of('capture')))).toBe(false);
    expect(isWatched(attempt([{ verdict: 'unknown' }]))).toBe(false);
    expect(isWatched(attempt([]))).toBe(false);
  });

  it('is looked at at once, when it is four times as old as at the last look, and once its time is over', () => {
    expect(isDue(attempt([{}]), at(1000))).toBe(true);
    const looked = attempt([{}, { time: 3000 }]);
    expect(isDue(looked, at(8999))).toBe(false);
    expect(isDue(looked, at(9000))).toBe(true);
    const late = attempt([{}, { time: 500_000 }]);
    expect(isDue(late, at(over - 1))).toBe(false);
    expect(isDue(late, at(over))).toBe(true);
    expect(isDue(attempt([{}, { time: over }]), at(over + 1))).toBe(false);
  });

  it('is as old as the first verdict that says so', () => {
    const found = attempt([{ verdict: 'unknown', time: 0 }, { time: 10_000 }, { time: 12_000 }]);
    expect(isDue(found, at(17_999))).toBe(false);
    expect(isDue(found, at(18_000))).toBe(true);
  });

  it('is read once more under a wrong clock, and as soon as the clock is right', () => {
    const skewed = true;
    expect(isDue(attempt([{ skewed }]), at(1000, { skewed }))).toBe(true);
    const looked = attempt([{ skewed }, { time: 3000, skewed }]);
    expect(isDue(looked, at(90_000, { skewed }))).toBe(false);
    expect(isDue(looked, at(3001))).toBe(true);
    const trusted = attempt([{ skewed }, { time: 3000, skewed }, { time: 4000 }, { time: 6000 }]);
    expect(isDue(trusted, at(11_999))).toBe(false);
    expect(isDue(trusted, at(12_000))).toBe(true);
  });
});

describe('a journal finds the refunds that are due by the times of their rows', () => {
  it.each<[string, AttemptRecord, number]>([
    ['four times as old as at the last look', attempt([{}, { time: 3000 }]), 9000],
    ['once its time is over', attempt([{}, { time: 500_000 }]), over],
    ['as old as what says so', attempt([{ verdict: 'unknown', time: 0 }, { time: 9 }, { time: 10 }]), 13],
    ['a short time', attempt([{}, { time: 3000 }], { horizonMs: 3000 }), 4000],
    ['with an alarm', attempt([{}, { time: 2000, alarm: 'duplicate' }]), 5000],
    [
      'by the rows of a right clock',
      attempt([{ skewed: true }, { time: 3000, skewed: true }, { time: 4000 }, { time: 6000 }]),
      12_000,
    ],
  ])('just when they are read again: %s', (_, record, due) => {
    expect(dueAt(record)).toBe(due);
    expect([isDue(record, at(due - 1)), isDue(record, at(due))]).toEqual([false, true]);
  });

  it('at once if nobody looked yet, and if no row tells its time', () => {
    expect(dueAt(attempt([{}]))).toBe(1000);
    expect(dueAt(attempt([{ skewed: true }, { time: 3000, skewed: true }]))).toBe(0);
  });

  it.each<[string, AttemptRecord]>([
    ['no verdict', attempt([])],
    ['an unconfirmed one', attempt([{ verdict: 'unknown' }])],
    ['one recorded as not made', attempt([{ verdict: 'rejected', by: 'person', confirmed: true }])],
    ['one recorded as made', attempt([{ by: 'person' }])],
    ['a capture', attempt([{}], of('capture'))],
    ['one whose time is over', attempt([{}, { time: over }])],
  ])('never if they are not watched as made: %s', (_, record) => {
    expect(dueAt(record)).toBe(undefined);
  });
});

describe('an attempt is due', () => {
  it.each<[string, AttemptRecord, Moment, boolean]>([
    ['while there is no verdict', attempt([]), at(over), true],
    ['while it is unknown, for ever', attempt([{ verdict: 'unknown', time: over }]), at(over), true],
    [
      'while it is unknown, also after a look after its time',
      attempt([{ verdict: 'unknown' }, { verdict: 'unknown', time: over }]),
      at(over + 1),
      true,
    ],
    ['while it was not seen in its time', attempt([{ verdict: 'not_seen' }]), at(over + 1), true],
    [
      'not once it was not seen after it',
      attempt([{ verdict: 'not_seen' }, { verdict: 'not_seen', time: over }]),
      at(over + 1),
      false,
    ],
    [
      'but while clocks disagree',
      attempt([{ verdict: 'not_seen' }, { verdict: 'not_seen', time: over }]),
      at(over + 1, { skewed: true }),
      true,
    ],
    ['not when it was not sent', attempt([{ verdict: 'not_sent' }]), at(2000), false],
    ['not when no read can show it', attempt([{ verdict: 'unknown' }], of('api')), at(2000), false],
  ])('%s', (_, record, now, due) => {
    expect(isDue(record, now)).toBe(due);
  });
});

it('unsettled is what has no verdict, or one that may change', () => {
  expect(verdictOf(attempt([]))).toBeUndefined();
  expect(isUnsettled(attempt([]))).toBe(true);
  expect(isUnsettled(attempt([{ verdict: 'unknown' }]))).toBe(true);
  expect(isUnsettled(attempt([{}]))).toBe(true);
  expect(isUnsettled(attempt([{}], of('capture')))).toBe(false);
  expect(isUnsettled(attempt([{ by: 'person' }]))).toBe(false);
  expect(isUnsettled(attempt([{ verdict: 'not_sent' }]))).toBe(false);
});

it.each<[Partial<VerdictRow>, boolean]>([
  [{ verdict: 'rejected', confirmed: false }, true],
  [{ verdict: 'rejected', confirmed: true }, false],
  [{ verdict: 'rejected' }, false],
  [{ verdict: 'rejected', confirmed: true, by: 'person' }, true],
  [{ verdict: 'unknown' }, true],
  [{ verdict: 'not_seen' }, true],
  [{ verdict: 'applied' }, true],
  [{ verdict: 'applied', by: 'person' }, false],
  [{ verdict: 'not_sent' }, false],
])('a verdict %o may change: %s', (more, may) => {
  expect(mayChange({ ...verdict('i_1', 0), ...more })).toBe(may);
});

it('an alarm counts until somebody has acknowledged it, however old it is', () => {
  const last = (row: Partial<VerdictRow>) => verdictOf(attempt([{}, { time: over, ...row }]));
  expect(mayBeOpen(undefined)).toBe(true);
  expect(mayBeOpen(last({}))).toBe(false);
  expect(mayBeOpen(last({ alarm: 'duplicate' }))).toBe(true);
  expect(mayBeOpen(last({ acknowledged: 'duplicate' }))).toBe(false);
});

it('whatever may be open at some time may be open, and so may an alarm; a refund that is only watched may not', () => {
  expect(mayBeOpen(undefined)).toBe(true);
  expect(mayBeOpen(verdict('i_1', 0))).toBe(false);
  expect(mayBeOpen({ ...verdict('i_1', 0), alarm: 'duplicate' })).toBe(true);
  for (const is of ['unknown', 'not_seen', 'rejected', 'not_sent', 'applied'] as const)
    for (const confirmed of [true, false, undefined]) {
      const last = { verdict: is, confirmed, time: 0 } as const;
      const isOpenOnce = isOpen(attempt([last]), at(1));
      if (isOpenOnce) expect(mayBeOpen({ ...verdict('i_1', 0), ...last })).toBe(true);
      expect(mayBeOpen({ ...verdict('i_1', 0), ...last })).toBe(isOpenOnce);
    }
});

it('whatever is open, has an alarm or is due needs a look, at any time and whether the clocks agree or not', () => {
  for (const is of ['unknown', 'not_seen', 'rejected', 'not_sent', 'applied'] as const)
    for (const confirmed of [true, false, undefined])
      for (const time of [1000, over])
        for (const kind of ['refund', 'checkout'] as const)
          for (const now of [at(over), at(over, { skewed: true }), at(over + 1)]) {
            const record = attempt([{ verdict: 'unknown' }, { verdict: is, confirmed, time }], of(kind));
            const isBlocking = isOpen(record, now);
            const isRead = isUnconfirmed(record) && isDue(record, now);
            if (isBlocking || isRead)
              expect({ record, needs: mayNeedLook(record, now) }).toMatchObject({ needs: true });
          }
  expect(mayNeedLook(attempt([]), at(over))).toBe(true);
  expect(mayNeedLook(attempt([{ verdict: 'not_seen', time: over, alarm: 'gone' }]), at(over))).toBe(true);
  const late = attempt([{ verdict: 'unknown' }, { verdict: 'not_seen', time: over }]);
  expect([mayNeedLook(late, at(over)), mayNeedLook(late, at(over, { skewed: true }))]).toEqual([false, true]);
});

it('acknowledged is one alarm, for the refunds that the person saw', () => {
  const refund = (id: string | undefined) => ({
    chargeId: 'ch_1',
    id,
    amount: -5,
    createdAt: undefined,
    authCode: undefined,
  });
  const row = (more: Partial<VerdictRow>) => ({ ...verdict('i_1', 0), ...more });
  const both = row({ acknowledged: 'duplicate', refunds: [refund('a'), refund('b')] });
  expect(isAcknowledged(both, 'duplicate', [refund('b')])).toBe(true);
  expect(isAcknowledged(both, 'duplicate', [refund('a'), refund('c')])).toBe(false);
  expect(isAcknowledged(both, 'contradiction', [refund('a')])).toBe(false);
  // A refund without an id may be another one.
  const unnamed = row({ acknowledged: 'duplicate', refunds: [refund(undefined)] });
  expect(isAcknowledged(unnamed, 'duplicate', [refund(undefined)])).toBe(false);
  expect(isAcknowledged(row({ acknowledged: 'duplicate' }), 'duplicate', [])).toBe(true);
  expect(isAcknowledged(row({ acknowledged: 'duplicate' }), 'duplicate', [refund('a')])).toBe(false);
});

describe('a read that somebody asks for may show something new', () => {
  it('of a refund that was made, however long ago, and of a capture only while it is due', () => {
    const later = at(over + 1);
    const looked = { time: over };
    expect(isDue(attempt([{}, looked]), later)).toBe(false);
    expect(isReadable(attempt([{}, looked]), later)).toBe(true);
    expect(isReadable(attempt([{}, looked], of('capture')), later)).toBe(false);
    expect(isReadable(attempt([{ verdict: 'unknown' }], of('capture')), later)).toBe(true);
  });
});

describe('what others account for', () => {
  const refunds = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
  const made = attempt([{ refunds, created: 'ord_9' }], { change: 'i_2' });

  it('are refunds and orders of attempts that were made', () => {
    expect(claimedBy([made, attempt([])], attempt([]))).toEqual(new Set(['r1', 'ord_9']));
    expect(claimedBy([attempt([{ verdict: 'unknown', refunds }], { change: 'i_2' })], attempt([]))).toEqual(
      new Set(),
    );
    expect(claimedBy([attempt([{}], { change: 'i_2' })], attempt([]))).toEqual(new Set());
  });

  it('are not its own, but those of another attempt of the same change', () => {
    expect(claimedBy([made], made)).toEqual(new Set());
    const second = attempt([{ refunds }], { attempt: 2 });
    expect(claimedBy([second], attempt([]))).toEqual(new Set(['r1']));
  });
});

describe('what is not of an attempt', () => {
  const proof = (ids: string[], more: Partial<SentRow['proof']> = {}) => ({
    ...sent('', 0).proof,
    before: { charges: [{ id: 'ch_1', refunds: ids.map((id) => ({ id, amount: -5 })) }] },
    ...more,
  });
  const record = attempt([{ verdict: 'rejected', confirmed: false }]);
  const later = (more: Partial<SentRow>) =>
    attempt([], { change: 'i_2', time: over, proof: proof(['r1']), ...more });

  it('is what others account for', () => {
    const refunds = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
    const claims = claimsOfOthers([attempt([{ refunds }], { change: 'i_2' })], record);
    expect([claims.has('r1'), claims.has('r2')]).toEqual([true, false]);
  });

  it('is what was not there yet when a later one was sent after its time', () => {
    const claims = claimsOfOthers([record, later({})], record);
    expect([claims.has('r1'), claims.has('r2')]).toEqual([false, true]);
    const two = claimsOfOthers(
      [record, later({}), later({ change: 'i_3', proof: proof(['r1', 'r2']) })],
      record,
    );
    expect([two.has('r1'), two.has('r2'), two.has('r3')]).toEqual([false, true, true]);
  });

  it('is what was not there yet when one was sent under a wrong clock, but long after by the time since boot', () => {
    const boot = (ms: number) => ({ wall: 0, boot: { id: 'b', ms } });
    const booted = { ...record, verdicts: record.verdicts.map((row) => ({ ...row, clocks: boot(1000) })) };
    const sentAt = (ms: number) => later({ time: 1, skewed: true, clocks: boot(ms) });
    expect(claimsOfOthers([sentAt(1000 + horizonMs)], booted).has('r2')).toBe(true);
    expect(claimsOfOthers([sentAt(999 + horizonMs)], booted).has('r2')).toBe(false);
  });

  it('is with a horizon of 0 not told by one that was sent earlier, or at the same time', () => {
    const short = attempt([{ verdict: 'unknown' }], { horizonMs: 0, time: 500 });
    const toldBy = (time: number) => claimsOfOthers([later({ time })], short).has('r2');
    expect([toldBy(499), toldBy(500), toldBy(1000)]).toEqual([false, false, true]);
  });

  it('is what shows beside a refund that was made and failed later, but not beside one that had failed when it was first seen', () => {
    const made = { chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined };
    const failed = { ...made, status: 'failed' };
    const isClaimed = (id: string, verdicts: Partial<VerdictRow>[]) =>
      claimsOfOthers([], attempt(verdicts, { proof: proof([], { expected: [made] }) })).has(id);
    const failedLater = [{}, { refunds: [made] }, { refunds: [failed] }];
    expect(isClaimed('r1', failedLater)).toBe(false);
    expect(isClaimed('r2', failedLater)).toBe(true);
    expect(isClaimed('r2', [{ refunds: [made] }])).toBe(false);
    expect(isClaimed('r2', [{ refunds: [failed] }])).toBe(false);
    expect(isClaimed('r2', [{ verdict: 'rejected', refunds: [failed] }])).toBe(false);
    expect(isClaimed('r2', [{ verdict: 'unknown', refunds: [made] }, { refunds: [failed] }])).toBe(false);
    expect(isClaimed('r2', [{ refunds: [made], alarm: 'duplicate' }, { refunds: [failed] }])).toBe(false);
    const other = { ...made, id: 'r3', amount: -7 };
    const both = attempt([{ refunds: [failed, other] }], { proof: proof([], { expected: [made, other] }) });
    expect(claimsOfOthers([], both).has('r2')).toBe(false);
  });

  it('is what a person saw of it who said that it was not made', () => {
    const shown = { chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined };
    const isClaimed = (row: Partial<VerdictRow>) => claimsOfOthers([], attempt([{}, row])).has('r1');
    expect(isClaimed({ verdict: 'rejected', by: 'person', refunds: [shown] })).toBe(true);
    expect(isClaimed({ verdict: 'rejected', by: 'person' })).toBe(false);
    expect(isClaimed({ verdict: 'rejected', by: 'read', refunds: [shown] })).toBe(false);
    expect(isClaimed({ verdict: 'applied', by: 'person', refunds: [shown] })).toBe(false);
  });

  it.each<[string, AttemptRecord]>([
    ['one that was sent in its time', later({ time: over - 1 })],
    ['one whose clocks disagreed', later({ skewed: true })],
    ['one on another order', later({ proof: proof(['r1'], { orderId: 'ord_2' }) })],
    ['one that is no refund', later({ proof: proof(['r1'], { kind: 'capture' }) })],
    ['itself', { ...record, sent: { ...record.sent, time: over } }],
  ])('is not told by %s', (_, other) => {
    expect(claimsOfOthers([other], record).has('r2')).toBe(false);
  });
});

describe('the refunds that an attempt accounts for', () => {
  const refund = (id: string, amount: number, chargeId = 'ch_1') => ({
    chargeId,
    id,
    amount,
    createdAt: undefined,
    authCode: undefined,
  });

  it('are those that were asked for, each once, and one of each charge that may have one', () => {
    const wish = { expected: [{ chargeId: 'ch_1', amount: -5 }], tolerated: ['ch_2'] };
    const [own, twin, other, left, more] = [
      refund('r1', -5),
      refund('r2', -5),
      refund('r3', -6),
      refund('r4', -9, 'ch_2'),
      refund('r5', -9, 'ch_2'),
    ];
    expect(askedFor(wish, [other, own, twin, left, more])).toEqual([own, left]);
    expect(askedFor(wish, [other])).toEqual([]);
    expect(askedFor(wish, [refund('r6', -5, 'ch_3')])).toEqual([]);
  });

  it('are those of the verdict that found it, as long as it counts as made', () => {
    const [first, second] = [[refund('r1', -5)], [refund('r2', -5)]];
    expect(ownRefunds(attempt([{ refunds: first }, { refunds: second }]))).toEqual(first);
    expect(ownRefunds(attempt([{}, { refunds: second }]))).toEqual(second);
    expect(ownRefunds(attempt([{ verdict: 'unknown', refunds: first }, { refunds: second }]))).toEqual(
      second,
    );
    expect(ownRefunds(attempt([{ refunds: first }, { verdict: 'unknown' }]))).toEqual([]);
    const lost = refund('r3', -5);
    expect(ownRefunds(attempt([{ verdict: 'not_seen', refunds: [{ ...lost, status: 'failed' }] }]))).toEqual(
      [],
    );
    expect(ownRefunds(attempt([{}]))).toEqual([]);
    expect(ownRefunds(attempt([]))).toEqual([]);
  });
});

describe('how old an attempt is', () => {
  it('is counted from the first verdict whose clocks can be trusted', () => {
    expect(ageAt(attempt([{ skewed: true }, { time: 3000 }]), at(5000))).toBe(2000);
    expect(ageAt(attempt([{}, { time: 3000 }]), at(5000))).toBe(4000);
    expect(ageAt(attempt([]), at(5000))).toBeUndefined();
    expect(ageAt(attempt([{}]), at(5000, { skewed: true }))).toBeUndefined();
  });

  it('is asked of the moment of a row in the same way', () => {
    const record = attempt([{}]);
    const row = (time: number, more: Partial<VerdictRow> = {}) => ({ ...verdict('i_1', time), ...more });
    expect(wasOver(record, row(over - 1))).toBe(false);
    expect(wasOver(record, row(over))).toBe(true);
    expect(wasOver(record, row(over, { skewed: true }))).toBe(false);
    expect(wasOver(attempt([]), row(over))).toBe(false);
  });

  it('is not known while clocks disagree: what is watched waits for its next look', () => {
    expect(isDue(attempt([{}, { time: 3000 }]), at(over, { skewed: true }))).toBe(false);
    expect(isDue(attempt([{}, {}]), at(over, { skewed: true }))).toBe(true);
  });
});

it('a row is of a moment with the clocks of the row, and dated where these agreed', () => {
  const boot = { id: 'b', ms: 5 };
  const clocks = { wall: 2, service: 3, boot };
  expect(momentOfRow({ time: 1, clocks })).toEqual({ time: 1, skewed: false, dated: true, service: 3, boot });
  expect(momentOfRow({ time: 1, skewed: true, clocks })).toEqual({
    time: 1,
    skewed: true,
    dated: undefined,
    service: 3,
    boot,
  });
  const untold = { time: 1, skewed: false, dated: undefined, service: undefined, boot: undefined };
  expect(momentOfRow({ time: 1 })).toEqual(untold);
  expect(momentOfRow({ time: 1, clocks: { wall: 2 } })).toEqual(untold);
});

it('at a team nobody reads the order of an attempt again before its sender can no longer send, and a little later', () => {
  const stamp = { operator: 'ana', run: 'r' };
  const theirs = attempt([], { stamp, sendBy: 10_000 });
  expect(isDue(theirs, at(14_999))).toBe(false);
  expect(isDue(theirs, at(15_000))).toBe(true);
  expect(isDue(attempt([{}], { stamp, sendBy: 10_000 }), at(1000))).toBe(true);
  expect(isDue(attempt([], { sendBy: 10_000 }), at(1000))).toBe(true);
});

const failedRecord = { id: 're_1', chargeId: 'ch_1', amount: -5, createdAt: undefined, authCode: undefined };

it.each<[string, number, Partial<VerdictRow>[]]>([
  ['nobody knows', 5, []],
  ['the reply was lost', 5, [{ verdict: 'unknown', by: 'sender' }]],
  ['no read has shown it', 5, [{ verdict: 'not_seen', by: 'read' }]],
  ['it was made', 5, [{ verdict: 'applied' }]],
  ['it was not sent', 0, [{ verdict: 'not_sent', by: 'sender' }]],
  ['it was refused, and a read showed so', 0, [{ verdict: 'rejected', confirmed: true }]],
  ['it was refused, and nobody has looked', 5, [{ verdict: 'rejected', confirmed: false }]],
  ['a person recorded it as made', 5, [{ verdict: 'applied', by: 'person' }]],
  ['a person recorded it as not made', 0, [{ verdict: 'rejected', by: 'person' }]],
  [
    'a person recorded as not made what a read had shown',
    5,
    [{ verdict: 'applied' }, { verdict: 'rejected', by: 'person' }],
  ],
  [
    'a person recorded as not made what was unconfirmed',
    0,
    [
      { verdict: 'unknown', by: 'sender' },
      { verdict: 'rejected', by: 'person' },
    ],
  ],
  [
    'a person recorded first as made and then as not made what nothing had shown',
    0,
    [
      { verdict: 'applied', by: 'person' },
      { verdict: 'rejected', by: 'person' },
    ],
  ],
  [
    'a read showed as refused what the reply had shown as made',
    0,
    [
      { verdict: 'applied', by: 'reply' },
      { verdict: 'rejected', by: 'read', confirmed: true },
    ],
  ],
  [
    'it was made, and then it failed',
    0,
    [{ verdict: 'applied', refunds: [{ ...failedRecord, status: 'failed' }] }],
  ],
])('limits count a refund of which %s as %i', (_, amount, verdicts) => {
  expect(countedAmount(attempt(verdicts))).toBe(amount);
});

it.each<[boolean, Partial<VerdictRow>[]]>([
  [true, []],
  [true, [{ verdict: 'unknown' }]],
  [true, [{ verdict: 'not_seen', by: 'read' }]],
  [true, [{ verdict: 'rejected', confirmed: false }]],
  [false, [{ verdict: 'rejected', confirmed: true }]],
  [false, [{ verdict: 'rejected', confirmed: false, by: 'person' }]],
  [false, [{ verdict: 'unknown', by: 'person' }]],
  [false, [{ verdict: 'applied' }]],
  [false, [{ verdict: 'not_sent' }]],
])('that nobody knows what became of it is %s of %j', (is, verdicts) => {
  expect(isUnconfirmed(attempt(verdicts))).toBe(is);
});

it('names the last person who recorded something', () => {
  const by = (operator: string | undefined): Partial<VerdictRow> => ({ by: 'person', operator });
  expect(recordedBy(attempt([by('ana'), by('lea'), { by: 'read' }]))).toBe('lea');
  expect(recordedBy(attempt([{ by: 'read', operator: 'ana' }]))).toBe('somebody');
  expect(recordedBy(attempt([by(undefined)]))).toBe('somebody');
  expect(recordedBy(attempt([]))).toBe('somebody');
});

it('a person must look at what is unconfirmed, and at an alarm until it is acknowledged', () => {
  const now = at(2000);
  expect(needsPerson(attempt([{ verdict: 'unknown' }]), now)).toBe(true);
  expect(needsPerson(attempt([{ verdict: 'applied', alarm: 'duplicate' }]), now)).toBe(true);
  expect(needsPerson(attempt([{ verdict: 'applied', acknowledged: 'duplicate' }]), now)).toBe(false);
  expect(needsPerson(attempt([{ verdict: 'applied' }]), now)).toBe(false);
});

describe('a refund that a person recorded as made', () => {
  const boot = (id: string, ms: number) => ({ id, ms });
  const until = { time: 100, boot: boot('b1', 50) };

  it.each<[string, Partial<Moment>, boolean]>([
    ['before its time', { time: 99 }, true],
    ['at its time', { time: 100 }, false],
    ['after its time, while the clocks disagree', { time: 200, skewed: true }, true],
    [
      'after its time, and before it since the start of the machine',
      { time: 200, boot: boot('b1', 49) },
      true,
    ],
    ['after its time by both clocks', { time: 200, boot: boot('b1', 50) }, false],
    ['after its time, since another start', { time: 200, boot: boot('b2', 1) }, false],
  ])('%s', (_, now, young) => {
    expect(mayBeYoung(until, { ...at(0), ...now })).toBe(young);
  });

  it('has only the journal’s time where no row knows the start of its machine', () => {
    expect(mayBeYoung({ time: 100, boot: undefined }, { ...at(200), boot: boot('b1', 1) })).toBe(false);
  });

  it('is young as long as its newest rows say, by the start that the last of them knows', () => {
    const said = (ms: number, id: string, more: Partial<VerdictRow> = {}): Partial<VerdictRow> => ({
      by: 'person',
      clocks: { wall: 0, boot: boot(id, ms) },
      ...more,
    });
    const record = attempt([said(900, 'b1', { time: 3000 }), said(5, 'b2', { time: 2000 })]);
    expect(youngUntil(record)).toEqual({ time: 3000 + horizonMs, boot: boot('b2', 5 + horizonMs) });
    expect(youngUntil(attempt([said(900, 'b1', { skewed: true })]))?.time).toBe(Number.MAX_SAFE_INTEGER);
    expect(youngUntil(attempt([{ by: 'read' }]))).toBeUndefined();
  });
});

it('only a refund counts as money that went back', () => {
  const expected = [{ chargeId: 'ch_1', amount: -5 }];
  const asA = (kind: SentRow['proof']['kind']) => ({ proof: { ...sent('', 0).proof, kind, expected } });
  expect(countedAmount(attempt([{ verdict: 'applied' }], asA('refund')))).toBe(5);
  expect(countedAmount(attempt([{ verdict: 'applied' }], asA('capture')))).toBe(0);
});
