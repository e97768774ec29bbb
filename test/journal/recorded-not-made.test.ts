/** What the rules make of a refund that a person recorded as not made: it is watched, found, told, and ended by a late read. */

import { describe, expect, it } from 'vitest';
import { isDoubted, isDue, isUnsettled, isWatched, mayBeOpen } from '../../src/journal/attempt-state.ts';
import type { FoundRefund } from '../../src/journal/change.ts';
import { paidTwice } from '../../src/journal/guards.ts';
import type { Event } from '../../src/journal/protocol-types.ts';
import {
  appearedIn,
  appearedOn,
  appearedRuling,
  canCorrect,
  sentAgain,
  sentAs,
} from '../../src/journal/questions/by-hand.ts';
import { sendersOf } from '../../src/journal/questions/paid-twice.ts';
import { appearedVerdict, notMadeBy, statementOn } from '../../src/journal/questions/verdicts-say.ts';
import { beginResolve, type Errand, resolve } from '../../src/journal/resolve.ts';
import type { AttemptRecord, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { rulingOf } from '../../src/journal/verdict.ts';
import { attempt, horizonMs, momentAt } from './rows.ts';
import { orderWith as order } from './world.ts';

const person = { by: 'person', why: 'recorded by op7', operator: 'op7', note: 'asked' } as const;
const notMade: Partial<VerdictRow> = { verdict: 'rejected', confirmed: true, ...person };
const made: Partial<VerdictRow> = { verdict: 'applied', confirmed: true, ...person };
const kept: Partial<VerdictRow> = { verdict: 'rejected', confirmed: true, by: 'read' };
const over = 1000 + horizonMs;
const doubted = attempt([{}, notMade]);

const found = (id: string): FoundRefund => ({
  chargeId: 'ch_1',
  id,
  amount: -5,
  createdAt: undefined,
  authCode: undefined,
});
/** The same refund, sent later as i_2, whose reply named this record. */
const again = (id = 'ref_2', more: Partial<VerdictRow> = {}): AttemptRecord =>
  attempt([{ verdict: 'applied', by: 'reply', refunds: [found(id)], ...more }], { change: 'i_2', time: 50 });

/** What a look adds, or why it adds nothing. */
function look(known: readonly AttemptRecord[], value: unknown, time = 130_000, errand: Partial<Errand> = {}) {
  const events: Event[] = [
    { is: 'locked' },
    { is: 'known', attempts: known, moment: momentAt(time) },
    { is: 'seen', value, moment: momentAt(time) },
  ];
  let { state, effect } = beginResolve({ change: 'i_1', attempt: 1, ...errand });
  for (const event of events) {
    if (state.at === 'releasing') break;
    ({ state, effect } = resolve(state, event));
  }
  const row = effect.do === 'record' && effect.row.type === 'verdict' ? effect.row : undefined;
  return { row, state };
}

describe('a refund that a person recorded as not made', () => {
  it('is watched, due and unsettled until a read after its horizon, and blocks nothing', () => {
    const late = attempt([{}, { ...notMade, time: over + 1 }]);
    for (const record of [doubted, late]) {
      expect([isDoubted(record), isWatched(record), isUnsettled(record)]).toEqual([true, true, true]);
      expect(isDue(record, momentAt(over + 2))).toBe(true);
    }
    expect(mayBeOpen(doubted.verdicts[1])).toBe(false);
    const ended = attempt([{}, notMade, { ...kept, time: over }]);
    expect([isDoubted(ended), isWatched(ended), isUnsettled(ended)]).toEqual([false, false, false]);
    expect(isDue(ended, momentAt(over + 2))).toBe(false);
  });

  it.each<[string, AttemptRecord]>([
    ['another kind of change', attempt([notMade], { proof: { ...doubted.sent.proof, kind: 'capture' } })],
    ['a change whose row was lost', attempt([notMade], { lost: 'unknown' })],
    ['a refund that was recorded as made', attempt([made])],
    ['a refund that the service refused', attempt([kept])],
    ['a refund without a verdict', attempt([])],
  ])('is not %s', (_, record) => {
    expect(isDoubted(record)).toBe(false);
  });

  it('that shows gets an alarm, and the words say who was wrong', () => {
    expect(look([doubted], order(5)).row).toMatchObject({
      verdict: 'applied',
      by: 'read',
      alarm: 'applied_though_rejected',
      why: 'the service shows it, although it was recorded as not made',
      refunds: [{ id: 'ref_1' }],
    });
  });

  it('that shows twice has that alarm, and that shows in part is unconfirmed again', () => {
    expect(look([doubted], order(5, 5)).row).toMatchObject({ verdict: 'applied', alarm: 'duplicate' });
    const { proof } = doubted.sent;
    const expected = [
      { chargeId: 'ch_1', amount: -5 },
      { chargeId: 'ch_1', amount: -6 },
    ];
    const whole = attempt([notMade], { proof: { ...proof, expected } });
    expect(look([whole], order(5)).row).toMatchObject({ verdict: 'unknown', alarm: 'partial' });
  });

  it("of which only a part shows is recorded once the rest cannot come, and that part counts as somebody else's", () => {
    const { proof } = doubted.sent;
    const expected = [
      { chargeId: 'ch_1', amount: -5 },
      { chargeId: 'ch_1', amount: -6 },
    ];
    const whole = (...verdicts: Partial<VerdictRow>[]) =>
      attempt(verdicts, { proof: { ...proof, expected } });
    const partial: Partial<VerdictRow> = { verdict: 'unknown', alarm: 'partial' };
    const statement = { applied: false, operator: 'op7', note: 'asked' };
    const early = (record: AttemptRecord) => look([record], order(5), 130_000, { statement }).state;
    expect(early(whole(partial))).toMatchObject({ end: { refusal: { why: 'too_early', until: over } } });
    // Nothing tells its age.
    const until = 130_000 + horizonMs;
    expect(early(whole())).toMatchObject({ end: { refusal: { why: 'too_early', until } } });
    const { state } = look([whole(partial)], order(5), over, { statement });
    const { effect } = resolve(state, { is: 'checked', moment: momentAt(over) });
    expect(effect).toMatchObject({ row: { verdict: 'rejected', by: 'person', refunds: [{ id: 'ref_1' }] } });
    const row = effect.do === 'record' && effect.row.type === 'verdict' ? effect.row : {};
    const settled = whole(partial, row);
    expect(look([settled], order(5), over + 1000).row).toMatchObject({
      verdict: 'rejected',
      why: 'checked after the waiting period: it did not appear',
    });
    expect(look([settled], order(5, 6), over + 1000).row).toMatchObject({ alarm: 'partial' });
    // That it was made is not for a person to say.
    const made = { ...statement, applied: true };
    expect(look([whole(partial)], order(5), over, { statement: made }).row).toMatchObject({
      verdict: 'unknown',
    });
  });

  it('that does not show adds nothing before its horizon, and one row after it', () => {
    expect(look([doubted], order()).row).toBeUndefined();
    expect(look([doubted], order(7)).row).toBeUndefined();
    expect(look([doubted], order(), over).row).toMatchObject({
      verdict: 'rejected',
      by: 'read',
      confirmed: true,
      why: 'checked after the waiting period: it did not appear',
    });
    expect(look([doubted], { object: 'order', id: 'ord_1' }, over).row).toBeUndefined();
  });

  it('that shows after the same was sent again and made is an alarm with both refunds', () => {
    const { row } = look([doubted, again()], order(5, 5));
    expect(row).toMatchObject({
      verdict: 'applied',
      alarm: 'duplicate',
      why: 'the service shows it, although it was recorded as not made; made twice: also as i_2',
      refunds: [{ id: 'ref_1' }, { id: 'ref_2' }],
    });
  });

  it('that shows has no second alarm if the other one has it already', () => {
    const both = [found('ref_2'), found('ref_1')];
    for (const told of [{ alarm: 'duplicate' }, { acknowledged: 'duplicate' }] as const) {
      const { row } = look([doubted, again('ref_2', { ...told, refunds: both })], order(5, 5));
      expect(row).toMatchObject({ verdict: 'applied', alarm: undefined });
    }
    // Another alarm, or about another refund.
    for (const other of [
      { alarm: 'contradiction', refunds: both },
      { alarm: 'duplicate', refunds: [found('ref_2'), found('ref_8')] },
    ] as const)
      expect(look([doubted, again('ref_2', other)], order(5, 5)).row).toMatchObject({ alarm: 'duplicate' });
    expect(look([doubted, again('ref_2', { refunds: undefined })], order(5)).row).toMatchObject({
      alarm: 'duplicate',
    });
  });

  it('says nothing while the other one is open: the refund may be of that one', () => {
    const open = attempt([{ verdict: 'unknown' }], { change: 'i_2', time: 50 });
    for (const shown of [order(5), order(5, 5)])
      expect(look([doubted, open], shown).state).toMatchObject({
        end: {
          evidence: { shows: 'unreadable', problem: 'another change asks for the same; settle i_2 first' },
        },
      });
    expect(look([doubted, open], order(), over).row).toMatchObject({ verdict: 'rejected', by: 'read' });
  });

  it('is not closed after its horizon while what shows may be of the other one', () => {
    const unchecked = attempt([{ verdict: 'rejected', confirmed: false }], { change: 'i_2', time: 50 });
    expect(look([doubted, unchecked], order(5, 5), over + horizonMs).row).toBeUndefined();
    expect(look([doubted, unchecked], order(), over + horizonMs).row).toMatchObject({ verdict: 'rejected' });
  });

  it('says nothing if the refund may be one that a person recorded as made, until there are two', () => {
    const byHand = attempt([made], { change: 'i_2', time: 50 });
    expect(look([doubted, byHand], order(5)).row).toBeUndefined();
    expect(look([doubted, byHand], order(5, 5)).row).toMatchObject({ alarm: 'duplicate' });
  });

  it('is no repeat of what failed: then it alone was made', () => {
    const failed = attempt([{}, { time: over + 50 }], { change: 'i_2', time: 50 });
    expect(look([doubted, failed], order(5), over + 60).row).toMatchObject({
      alarm: 'applied_though_rejected',
    });
  });

  it.each<[string, Partial<VerdictRow>[]]>([
    ['without a verdict', []],
    ['unknown', [{ verdict: 'unknown' }]],
    ['not seen, and it may still go through', [{ verdict: 'not_seen' }]],
    ['refused by a reply that no read has confirmed', [{ verdict: 'rejected', confirmed: false }]],
  ])('is left to an equal one that is %s', (_, verdicts) => {
    const shown = appearedOn(doubted, [doubted], order(5))?.evidence;
    if (shown === undefined) throw new Error('the order does not show it');
    for (const time of [-50, 50]) {
      const open = attempt(verdicts, { change: 'i_2', time });
      expect(appearedIn(doubted, [doubted, open], shown)).toBeUndefined();
      // Its horizon is over, but no read has come since.
      expect(look([doubted, open], order(5), over + 60).row?.verdict).not.toBe('applied');
    }
  });

  it.each<[string, Partial<VerdictRow>]>([
    ['refused, as a read confirmed', { verdict: 'rejected', by: 'reply', confirmed: true }],
    ['never sent', { verdict: 'not_sent' }],
  ])('is not left to an equal one that was %s', (_, verdict) => {
    const shown = appearedOn(doubted, [doubted], order(5))?.evidence;
    if (shown === undefined) throw new Error('the order does not show it');
    const other = attempt([verdict], { change: 'i_2', time: 50 });
    expect(appearedIn(doubted, [doubted, other], shown)).toEqual({
      evidence: shown,
      again: undefined,
      failed: false,
    });
  });

  it('also of two that were recorded so, both made, the second raises the alarm', () => {
    const first = attempt([notMade, { verdict: 'applied', by: 'read', refunds: [found('ref_1')] }]);
    const second = attempt([notMade], { change: 'i_2', time: 50 });
    expect(sentAgain(second, [first, second])).toBe(first);
    expect(look([first, second], order(5, 5), 130_000, { change: 'i_2' }).row).toMatchObject({
      alarm: 'duplicate',
      why: expect.stringContaining('also as i_1'),
    });
  });

  it('is not read for a statement without --correct, and a correction is taken as it was', () => {
    const says = { applied: true, operator: 'op8', note: 'bank file' };
    expect(look([doubted], order(5), 130_000, { statement: says }).state).toMatchObject({
      at: 'releasing',
      end: { how: 'looked' },
    });
    const corrects = { ...says, corrects: true as const };
    expect(look([doubted], order(5), 130_000, { statement: corrects }).row).toMatchObject({
      verdict: 'applied',
      alarm: undefined,
    });
  });

  it('is read even though it was repeated by name', () => {
    const named = { ...again(), sent: { ...again().sent, again: ['i_1'] } };
    expect(look([doubted, named], order(5, 5)).row).toMatchObject({ alarm: 'duplicate' });
  });
});

describe('what an order shows of it', () => {
  it('is told with the attempt that was sent again', () => {
    const seen = appearedOn(doubted, [doubted, again()], order(5, 5));
    expect(seen).toMatchObject({ evidence: { shows: 'expected' }, again: { sent: { change: 'i_2' } } });
    expect(seen && sentAs(doubted, seen)).toEqual(['i_1', 'i_2']);
    const once = appearedOn(doubted, [doubted], order(5));
    expect(once && sentAs(doubted, once)).toBeUndefined();
  });

  it('is nothing for other attempts, and while it does not show', () => {
    expect(appearedOn(attempt([{}]), [], order(5))).toBeUndefined();
    expect(appearedOn(doubted, [doubted], order())).toBeUndefined();
  });

  it.each<['partial' | 'duplicate', Partial<VerdictRow>]>([
    ['partial', { verdict: 'unknown' }],
    ['duplicate', { verdict: 'applied', alarm: 'duplicate' }],
  ])('if it is %s, is told as of any other refund', (shows, ruling) => {
    const evidence = { shows, refunds: [found('ref_1')] };
    const told = appearedRuling({ evidence, again: again(), failed: false });
    expect(told).toMatchObject(ruling);
    expect(told).toEqual(rulingOf(evidence, 'rejected'));
  });

  const alarmed = (refunds: VerdictRow['refunds']) =>
    attempt([{ verdict: 'applied' }, { verdict: 'applied', alarm: 'duplicate', refunds }], { change: 'i_2' });

  it.each<[string, AttemptRecord, VerdictRow['alarm']]>([
    ['no alarm', again(), 'duplicate'],
    ['an alarm about other refunds', alarmed([found('ref_2')]), 'duplicate'],
    ['an alarm about one of them', alarmed([found('ref_1')]), 'duplicate'],
    ['an alarm about no refund', alarmed(undefined), 'duplicate'],
    ['an alarm about these', alarmed([found('ref_1'), found('ref_2'), found('ref_3')]), undefined],
  ])('raises one alarm: the refund that was sent again has %s', (_, other, alarm) => {
    const shown = { shows: 'expected', refunds: [found('ref_1'), found('ref_3')], others: false } as const;
    expect(appearedRuling({ evidence: shown, again: other, failed: false }).alarm).toBe(alarm);
  });
});

describe('what people said', () => {
  it('counts until something else is known', () => {
    expect(statementOn(attempt([made]))).toMatchObject({ verdict: 'applied', operator: 'op7' });
    expect(statementOn(doubted)).toMatchObject({ verdict: 'rejected', operator: 'op7' });
    expect(statementOn(attempt([notMade, kept]))).toMatchObject({ by: 'person', verdict: 'rejected' });
    for (const verdicts of [[], [{}], [kept], [{}, kept], [notMade, {}], [made, kept], [kept, kept]])
      expect(statementOn(attempt(verdicts))).toBeUndefined();
    expect(canCorrect(attempt([notMade, kept]), { applied: true })).toBe(true);
    expect(canCorrect(attempt([notMade, kept]), { applied: false })).toBe(false);
    expect(canCorrect(attempt([kept]), { applied: true })).toBe(false);
  });

  it('is remembered with the name of who said that it was not made', () => {
    expect(notMadeBy(doubted)).toBe('op7');
    expect(notMadeBy(attempt([{ ...notMade, operator: undefined }]))).toBe('somebody');
    expect(notMadeBy(attempt([notMade, { ...notMade, operator: 'op8' }, {}]))).toBe('op8');
    for (const row of [made, kept]) expect(notMadeBy(attempt([row]))).toBeUndefined();
  });
});

describe('after it appeared', () => {
  const alarmed: Partial<VerdictRow> = { verdict: 'applied', alarm: 'applied_though_rejected' };
  const late = attempt([notMade, alarmed]);

  it('no refund of the order is sent until somebody acknowledges it', () => {
    const verdict = late.verdicts[1];
    const asked = { kind: 'refund', orderId: 'ord_1' } as const;
    expect(paidTwice(asked, [again(), late])).toEqual({ why: 'appeared', attempt: late, verdict });
    expect(paidTwice({ kind: 'capture', orderId: 'ord_1' }, [late])).toBeUndefined();
    expect(paidTwice({ kind: 'refund', orderId: 'ord_2' }, [late])).toBeUndefined();
    const doubled = attempt([{ verdict: 'applied', alarm: 'duplicate' }], { change: 'i_3' });
    expect(paidTwice(asked, [late, doubled])).toMatchObject({ why: 'paid_twice', attempt: doubled });
  });

  it.each<[string, AttemptRecord]>([
    ['was acknowledged', attempt([notMade, { verdict: 'applied', acknowledged: 'applied_though_rejected' }])],
    ['was acknowledged later', attempt([notMade, alarmed, { verdict: 'applied' }])],
    ['has another alarm', attempt([notMade, { ...alarmed, alarm: 'duplicate' }])],
    ['is unconfirmed', attempt([notMade, { ...alarmed, verdict: 'unknown' }])],
    ['was refused by the service', attempt([kept, alarmed])],
    ['has no verdict', attempt([])],
    ['is a capture', attempt([notMade, alarmed], { proof: { ...doubted.sent.proof, kind: 'capture' } })],
  ])('but not if it %s', (_, record) => {
    expect(appearedVerdict(record)).toBeUndefined();
  });
});

describe('who sent refunds that are there twice', () => {
  const first = attempt([{ verdict: 'applied', refunds: [found('ref_1')] }]);
  it.each<[readonly string[], readonly AttemptRecord[], ReturnType<typeof sendersOf>]>([
    [['ref_1', 'ref_2'], [first, again()], { sentAs: ['i_1', 'i_2'], others: 0 }],
    [['ref_1', 'ref_9'], [first, again()], { sentAs: ['i_1'], others: 1 }],
    [['ref_8', 'ref_2', 'ref_9', 'ref_1'], [first, again()], { sentAs: ['i_2', 'i_1'], others: 2 }],
    [['ref_1'], [first], { sentAs: ['i_1'], others: 0 }],
    [[], [first], { sentAs: [], others: 0 }],
  ])('%j', (ids, known, senders) => {
    expect(sendersOf(ids, known)).toEqual(senders);
  });

  it('is one change if that made both', () => {
    const { proof } = first.sent;
    const expected = [...proof.expected, ...proof.expected];
    const refunds = [found('ref_1'), found('ref_2')];
    const both = attempt([{ verdict: 'applied', refunds }], { proof: { ...proof, expected } });
    expect(sendersOf(['ref_1', 'ref_2'], [both])).toEqual({ sentAs: ['i_1'], others: 0 });
  });
});

describe('a watched refund that was made twice', () => {
  const both = [found('ref_1'), found('ref_2')];
  it.each<[string, Partial<VerdictRow>]>([
    ['has the alarm', { alarm: 'duplicate' }],
    ['was acknowledged', { acknowledged: 'duplicate' }],
  ])('and %s keeps all refunds that were seen, although a read shows one', (_, told) => {
    const record = attempt([{ verdict: 'applied', by: 'read', refunds: both, ...told }]);
    expect(look([record], order(5)).row).toMatchObject({
      ...told,
      why: 'checked again: nothing more appeared',
      refunds: both,
    });
    const once = attempt([{ verdict: 'applied', by: 'read', refunds: [found('ref_1')] }]);
    expect(look([once], order(5)).row).toMatchObject({
      why: 'checked again: the service shows it',
      refunds: [{ id: 'ref_1' }],
    });
  });
});
