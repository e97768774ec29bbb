import { describe, expect, it } from 'vitest';
import { step } from '../../src/journal/at-most-once.ts';
import {
  dueAt,
  isDoubted,
  isDue,
  isFailedLate,
  isWatched,
  mayAppear,
} from '../../src/journal/attempt-state.ts';
import type { FoundRefund } from '../../src/journal/change.ts';
import type { Asked } from '../../src/journal/guards.ts';
import { judgeRead } from '../../src/journal/judge-read.ts';
import { judgeReply } from '../../src/journal/judge-reply.ts';
import type { Event, State } from '../../src/journal/protocol-types.ts';
import { appearedOn, sentAgain } from '../../src/journal/questions/by-hand.ts';
import {
  failedRefunds,
  hasFailed,
  isStillPending,
  ownRefunds,
} from '../../src/journal/questions/verdicts-say.ts';
import { oldRead, unnamedEqual } from '../../src/journal/read-guards.ts';
import { beginResolve, type Errand, resolve } from '../../src/journal/resolve.ts';
import type {
  AttemptRecord,
  PreImage,
  Proof,
  SentRow,
  VerdictRow,
} from '../../src/journal/rows/journal-rows.ts';
import { judgeOrder, rulingOf, rulingOfWatched } from '../../src/journal/verdict.ts';
import { nothing } from './proof.ts';
import { attempt, horizonMs, momentAt } from './rows.ts';

/** A record as the service lists it: `rf_1`, and its status. */
type Listed = readonly [id: string, status?: string | undefined, amount?: number];

// The order with these refunds on its only charge. `refunded`: what its sum says; without it, the sum of those that were made.
function order(listed: readonly Listed[], refunded?: number) {
  const data = listed.map(([id, status, amount = 5]) => ({ id, amount: -amount, ...(status && { status }) }));
  const made = data.filter(({ status }) => status === undefined || status === 'succeeded');
  return {
    id: 'ord_1',
    object: 'order',
    livemode: false,
    amount: 100,
    amount_refunded: refunded ?? made.reduce((sum, { amount }) => sum - amount, 0),
    payment_status: 'paid',
    charges: {
      data: [{ id: 'ch_1', amount: 100, status: 'paid', refunds: data.length === 0 ? null : { data } }],
    },
  };
}

// The same order with this refund on a second charge, which was declined.
function beside(value: ReturnType<typeof order>, refund: object) {
  const declined = { id: 'ch_2', amount: 5, status: 'declined', refunds: { data: [refund] } };
  return { ...value, charges: { data: [...value.charges.data, declined] } };
}

const before: PreImage = { amountRefunded: 0, charges: [{ id: 'ch_1', refunds: [] }] };
const proof: Proof = {
  kind: 'refund',
  orderId: 'ord_1',
  livemode: false,
  expected: [{ chargeId: 'ch_1', amount: -5 }],
  tolerated: [],
  before,
};

const found = (id: string, status?: string): FoundRefund => ({
  chargeId: 'ch_1',
  id,
  amount: -5,
  createdAt: undefined,
  authCode: undefined,
  status,
});

const sent = (...verdicts: Partial<VerdictRow>[]): AttemptRecord => attempt(verdicts, { proof });
const made = (...refunds: FoundRefund[]): Partial<VerdictRow> => ({
  verdict: 'applied',
  by: 'reply',
  refunds,
});
const failedLater: Partial<VerdictRow> = {
  ...made(found('rf_1', 'failed')),
  alarm: 'failed',
  time: 2000,
};
const failedAtOnce: Partial<VerdictRow> = {
  verdict: 'rejected',
  confirmed: true,
  refunds: [found('rf_1', 'failed')],
};
const over = 3000 + horizonMs;

describe('what a read shows of a refund with a status', () => {
  const judged = (listed: readonly Listed[], refunded?: number, of: Partial<Proof> = {}) =>
    judgeRead({ ...proof, ...of }, order(listed, refunded), nothing);

  it.each<[string, readonly Listed[], number | undefined, object]>([
    ['pending, in the sum', [['rf_1', 'pending']], 5, { shows: 'expected' }],
    ['pending, and not in the sum', [['rf_1', 'pending']], 0, { shows: 'expected' }],
    ['pending, with another sum', [['rf_1', 'pending']], 3, { shows: 'disagreement' }],
    ['failed', [['rf_1', 'failed']], 0, { shows: 'failed', isPart: false }],
    [
      'failed, and still in the sum',
      [['rf_1', 'failed']],
      5,
      {
        shows: 'disagreement',
        problem:
          'amount_refunded went from 0 to 5, but the refunds listed add up to 0 without rf_1 (status failed)',
      },
    ],
    [
      'a word that nobody knows',
      [['rf_1', 'parked']],
      0,
      { shows: 'disagreement', problem: 'refund rf_1 has the status parked, which paydesk does not know' },
    ],
    [
      'made, and one of a word that nobody knows',
      [
        ['rf_2', 'parked'],
        ['rf_1', undefined],
      ],
      5,
      { shows: 'disagreement', problem: 'refund rf_2 has the status parked, which paydesk does not know' },
    ],
    [
      'failed, and made in its place',
      [
        ['rf_1', 'failed'],
        ['rf_2', undefined],
      ],
      5,
      { shows: 'expected' },
    ],
    [
      'made twice, one of them pending',
      [
        ['rf_1', 'pending'],
        ['rf_2', 'succeeded'],
      ],
      5,
      { shows: 'duplicate' },
    ],
    [
      'made twice, and a third one failed: that one is no money',
      [
        ['rf_1', 'failed'],
        ['rf_2', 'succeeded'],
        ['rf_3', 'succeeded'],
      ],
      10,
      { shows: 'duplicate', refunds: [{ id: 'rf_2' }, { id: 'rf_3' }] },
    ],
    ['of another amount, failed', [['rf_1', 'failed', 7]], 0, { shows: 'nothing' }],
  ])('%s', (_, listed, refunded, evidence) => {
    expect(judged(listed, refunded)).toMatchObject(evidence);
  });

  it('keeps the word of the service and nothing of our own', () => {
    expect(judged([['rf_1', 'pending']])).toMatchObject({ refunds: [found('rf_1', 'pending')] });
    expect(
      judged([['rf_1', 'pending']]).shows === 'expected' && judged([['rf_1', 'pending']]),
    ).not.toHaveProperty('refunds.0.meaning');
  });

  it.each<[string, string | undefined, string | undefined, number, string]>([
    ['an older refund failed: its sum went back', undefined, 'failed', 0, 'nothing'],
    ['an older refund failed, and its sum did not go back', undefined, 'failed', 7, 'disagreement'],
    ['an older refund that was pending and in no sum was made', 'pending', 'succeeded', 14, 'nothing'],
    ['an older refund that was pending and in the sum was made', 'pending', 'succeeded', 7, 'nothing'],
    ['an older refund that was pending and in no sum failed', 'pending', 'failed', 7, 'nothing'],
    ['nothing became of it', 'pending', 'processing', 7, 'nothing'],
  ])('%s', (_, was, is, refunded, shows) => {
    const refunds = [{ id: 'old', amount: -7, status: was }];
    const of = { before: { amountRefunded: 7, charges: [{ id: 'ch_1', refunds }] } };
    expect(judged([['old', is, 7]], refunded, of)).toMatchObject({ shows });
  });

  it('an older refund that failed explains that other figures moved', () => {
    const refunds = [{ id: 'old', amount: -7 }];
    const charges = [{ id: 'ch_1', refunds }];
    const of = { before: { status: 'partially_refunded', charges } };
    expect(judged([['old', 'failed', 7]], 0, of)).toMatchObject({ shows: 'nothing' });
    expect(judged([['old', undefined, 7]], 7, of)).toMatchObject({ shows: 'disagreement' });
  });
});

describe('a verdict on a refund that failed', () => {
  it('is "not made" for all of it, and an alarm for a part', () => {
    const refunds = [found('rf_1', 'failed')];
    expect(rulingOf({ shows: 'failed', refunds, isPart: false })).toEqual({
      verdict: 'rejected',
      by: 'read',
      why: 'the service accepted it, and it failed',
      confirmed: true,
      refunds,
    });
    expect(rulingOf({ shows: 'failed', refunds, isPart: true })).toMatchObject({
      verdict: 'applied',
      why: 'the service made a part of it, and the rest failed',
      alarm: 'failed',
    });
    expect(rulingOf({ shows: 'failed', refunds, isPart: true }, 'rejected')).toMatchObject({
      alarm: 'applied_though_rejected',
    });
  });

  it('says of one that is pending that it is', () => {
    const refunds = [found('rf_1', 'pending')];
    expect(rulingOf({ shows: 'expected', refunds, others: false })).toMatchObject({
      verdict: 'applied',
      why: 'the service shows it as pending',
    });
  });
});

describe('a failed refund of somebody else', () => {
  it('says nothing new of one that was made and still is', () => {
    const record = sent(made(found('rf_1')));
    const evidence = (theirs: readonly FoundRefund[]) =>
      ({ shows: 'failed', refunds: theirs, isPart: true }) as const;
    const ruled = (...shown: FoundRefund[]) =>
      record.verdicts.map((last) => rulingOfWatched(record, last, evidence(shown), true));
    expect(ruled(found('rf_1'), found('theirs', 'failed'))).toEqual([undefined]);
    expect(ruled(found('rf_1', 'failed'), found('theirs'))).toMatchObject([{ alarm: 'failed' }]);
  });
});

describe('a reply with a status', () => {
  const replied = (listed: readonly Listed[], refunded?: number) =>
    judgeReply(proof, { status: 200, body: { value: order(listed, refunded) } });

  it.each<[string, readonly Listed[], number, object]>([
    ['pending is made', [['rf_1', 'pending']], 0, { says: 'applied' }],
    ['failed is not made', [['rf_1', 'failed']], 0, { says: 'failed', evidence: { isPart: false } }],
    ['failed with the money gone proves nothing', [['rf_1', 'failed']], 5, { says: 'contradiction' }],
    ['a strange word proves nothing', [['rf_1', 'parked']], 5, { says: 'contradiction' }],
  ])('%s', (_, listed, refunded, answer) => {
    expect(replied(listed, refunded)).toMatchObject(answer);
  });

  const flight = { sent: sent().sent, readAt: momentAt(0), claimed: nothing, reads: 0 };
  const wanted = { kind: 'refund', readAfterMs: [0] } as never;
  const sending: State = { at: 'sending', wanted, flight };
  const replied200 = (value: unknown): Event => ({
    is: 'replied',
    parsed: { status: 200, body: { value } },
    moment: momentAt(1000),
  });
  const rowAfter = (value: unknown) => {
    const { effect } = step(sending, replied200(value));
    return effect.do === 'record' ? effect.row : undefined;
  };

  it('that shows it as failed is believed once a read shows the same', () => {
    const first = step(sending, replied200(order([['rf_1', 'failed']])));
    expect(first.effect).toMatchObject({ do: 'wait' });
    const reading = step(first.state, { is: 'waited', hurried: false });
    const rowAt = (event: Event) => {
      const { effect } = step(reading.state, event);
      return effect.do === 'record' ? effect.row : undefined;
    };
    const seen = (value: unknown): Event => ({ is: 'seen', value, moment: momentAt(1000) });
    expect(rowAt(seen(order([['rf_1', 'failed']])))).toMatchObject({
      verdict: 'rejected',
      by: 'read',
      why: 'the service accepted it, and it failed',
      confirmed: true,
      refunds: [{ id: 'rf_1', status: 'failed' }],
    });
    expect(rowAt(seen(order([['rf_1', 'succeeded']])))).toMatchObject({
      verdict: 'applied',
      alarm: 'applied_though_rejected',
    });
    expect(rowAt(seen(order([['rf_1', 'failed']], 5)))).toMatchObject({
      verdict: 'unknown',
      why: expect.stringContaining('the reply shows it as failed, but amount_refunded went from 0 to 5'),
    });
    expect(rowAt({ is: 'unseen', why: 'no answer', moment: momentAt(1000) })).toMatchObject({
      verdict: 'rejected',
      confirmed: false,
      why: 'the reply shows it as failed; not checked yet',
      refunds: [{ id: 'rf_1', status: 'failed' }],
    });
  });

  it('that shows it as failed is not taken back by reads that show the order as it was before', () => {
    let at = step(sending, replied200(order([['rf_1', 'failed']])));
    expect(at.effect).toMatchObject({ do: 'wait' });
    while (at.effect.do === 'wait') {
      const reading = step(at.state, { is: 'waited', hurried: false });
      at = step(reading.state, { is: 'seen', value: order([]), moment: momentAt(1000) });
    }
    expect(at.effect).toMatchObject({
      do: 'record',
      row: { verdict: 'rejected', confirmed: false, refunds: [{ id: 'rf_1', status: 'failed' }] },
    });
  });

  it('that shows a part of it as failed is an alarm at once, and a part as pending says so', () => {
    const expected = [5, 7].map((amount) => ({ chargeId: 'ch_1', amount: -amount }));
    const both = { ...sent().sent, proof: { ...proof, expected } };
    const effectOf = (status: string) => {
      const value = order([['rf_1'], ['rf_2', status, 7]]);
      return step({ at: 'sending', wanted, flight: { ...flight, sent: both } }, replied200(value)).effect;
    };
    expect(effectOf('failed')).toMatchObject({ row: { verdict: 'applied', by: 'reply', alarm: 'failed' } });
    expect(effectOf('pending')).toMatchObject({ row: { why: 'the reply confirms it as pending' } });
  });

  it('that shows it as pending says so', () => {
    expect(rowAfter(order([['rf_1', 'pending']]))).toMatchObject({
      verdict: 'applied',
      by: 'reply',
      why: 'the reply confirms it as pending',
    });
  });

  it('that was lost is made up for by a read that shows it as failed', () => {
    const search = { ...flight, because: { lost: 'reset' }, from: 0, ahead: [2000] };
    const seen: Event = { is: 'seen', value: order([['rf_1', 'failed']]), moment: momentAt(1000) };
    const { effect } = step({ at: 'rereading', wanted, search }, seen);
    expect(effect).toMatchObject({ do: 'record', row: { verdict: 'rejected', by: 'read', confirmed: true } });
    // Unless it may be that of an equal one which was refused.
    const refused = attempt([{ verdict: 'rejected' }], { change: 'i_0', proof });
    const doubted = step({ at: 'rereading', wanted, search: { ...search, ahead: [], refused } }, seen);
    expect(doubted.effect).toMatchObject({
      row: { verdict: 'unknown', why: expect.stringContaining('i_0') },
    });
    const said = { ...search, refused, because: { rejected: {} } };
    expect(step({ at: 'rereading', wanted, search: said }, seen).effect).toMatchObject({
      row: { verdict: 'rejected', confirmed: true },
    });
  });
});

describe('the refunds of an attempt', () => {
  it.each<[string, readonly Partial<VerdictRow>[], readonly FoundRefund[]]>([
    [
      'have the status of the last read',
      [made(found('rf_1', 'pending')), made(found('rf_1', 'succeeded'))],
      [found('rf_1', 'succeeded')],
    ],
    [
      'are those of the first verdict, whatever shows later',
      [made(found('rf_1')), made(found('rf_1'), found('rf_2'))],
      [found('rf_1')],
    ],
    [
      'are those that failed, and what shows in their place',
      [made(found('rf_1')), failedLater, made(found('rf_1', 'failed'), found('rf_2'))],
      [found('rf_1', 'failed'), found('rf_2')],
    ],
    ['are those that failed at once', [failedAtOnce], [found('rf_1', 'failed')]],
    ['are none of a refusal', [{ verdict: 'rejected', refunds: [found('theirs')] }], []],
    ['are none of an unconfirmed one', [{ verdict: 'unknown', refunds: [found('rf_1')] }], []],
    ['are none if no verdict names any', [{ verdict: 'applied' }], []],
  ])('%s', (_, verdicts, refunds) => {
    expect(ownRefunds(sent(...verdicts))).toEqual(refunds);
  });

  it('have failed as long as nothing shows in their place', () => {
    const replaced = [failedLater, made(found('rf_1', 'failed'), found('rf_2'))];
    expect(hasFailed(sent(made(found('rf_1'))))).toBe(false);
    expect(failedRefunds(sent(failedLater))).toEqual([found('rf_1', 'failed')]);
    expect(hasFailed(sent(...replaced))).toBe(false);
    expect(isStillPending(sent(made(found('rf_1', 'pending'))))).toBe(true);
    expect(isStillPending(sent(failedLater))).toBe(false);
    expect(isFailedLate(sent(failedLater))).toBe(true);
    expect(isFailedLate(sent())).toBe(false);
    expect(isFailedLate(sent({ ...failedLater, alarm: undefined, acknowledged: 'failed' }))).toBe(false);
  });

  it('are watched while they may still go through', () => {
    expect(isDoubted(sent(failedAtOnce))).toBe(true);
    expect(isDue(sent(failedAtOnce), momentAt(2000))).toBe(true);
    expect(isDoubted(sent({ ...failedAtOnce }, { ...failedAtOnce, time: over }))).toBe(false);
    expect(isWatched(sent({ ...failedAtOnce }, { ...failedAtOnce, time: over }))).toBe(false);
    expect(mayAppear(sent(failedLater))).toBe(true);
    expect(mayAppear(sent(failedLater, { ...failedLater, time: over }))).toBe(false);
    expect(mayAppear(sent(made(found('rf_1'))))).toBe(false);
  });

  it('are due while they are young, if a person recorded them as made', () => {
    const stated = sent({ verdict: 'applied', by: 'person', time: 2000 });
    expect(isDue(stated, momentAt(2000))).toBe(true);
    expect(isDue(stated, momentAt(over))).toBe(false);
  });

  it('are due whenever somebody looks while they are pending', () => {
    const pending = made(found('rf_1', 'pending'));
    const twice = sent(pending, { ...pending, time: 100_000 });
    expect(isDue(twice, momentAt(100_001))).toBe(true);
    expect(dueAt(twice)).toBe(0);
    const since = { ...made(found('rf_1', 'succeeded')), time: 100_000 };
    expect(isDue(sent(pending, since), momentAt(100_001))).toBe(false);
    expect(dueAt(sent(pending, since))).toBe(1000 + 4 * 99_000);
  });
});

describe('a look at a refund', () => {
  const run = (
    record: AttemptRecord,
    value: unknown,
    {
      time = 3000,
      others = [],
      ...errand
    }: Partial<Errand> & { readonly time?: number; readonly others?: readonly AttemptRecord[] } = {},
  ) => {
    const events: Event[] = [
      { is: 'locked' },
      { is: 'known', attempts: [record, ...others], moment: momentAt(time) },
      { is: 'seen', value, moment: momentAt(time) },
    ];
    const first = beginResolve({ change: 'i_1', attempt: 1, ...errand });
    return events.reduce(({ state }, event) => resolve(state, event), first);
  };
  const rowOf = (...args: Parameters<typeof run>) => {
    const { effect } = run(...args);
    return effect.do === 'record' ? effect.row : undefined;
  };
  const whole = (...args: Parameters<typeof run>) => {
    const row = rowOf(...args);
    return row && { alarm: undefined, acknowledged: undefined, ...row };
  };
  const pending = made(found('rf_1', 'pending'));
  const other = (...verdicts: Partial<VerdictRow>[]) =>
    attempt(verdicts, { change: 'i_2', time: 2500, proof });

  it.each<[string, AttemptRecord, unknown, object | undefined]>([
    ['pending, and still pending: nothing new', sent(pending), order([['rf_1', 'pending']]), undefined],
    [
      'pending in another word',
      sent(pending),
      order([['rf_1', 'processing']]),
      { why: 'checked again: refund rf_1 is pending', refunds: [{ id: 'rf_1', status: 'processing' }] },
    ],
    [
      'pending, and made now',
      sent(pending),
      order([['rf_1', 'succeeded']]),
      {
        why: 'checked again: the service shows it',
        alarm: undefined,
        refunds: [{ id: 'rf_1', status: 'succeeded' }],
      },
    ],
    [
      'pending, and failed now: an alarm',
      sent(pending),
      order([['rf_1', 'failed']]),
      { verdict: 'applied', by: 'reply', alarm: 'failed', why: 'the order now shows refund rf_1 as failed' },
    ],
    [
      'made, and failed now, with money that did not go back: both figures',
      sent(made(found('rf_1'))),
      order([['rf_1', 'failed']], 5),
      {
        alarm: 'disagreement',
        why: 'amount_refunded went from 0 to 5, but the refunds listed add up to 0 without rf_1 (status failed)',
      },
    ],
    [
      'made, and of a strange word now',
      sent(made(found('rf_1'))),
      order([['rf_1', 'parked']], 5),
      { alarm: 'disagreement', why: 'refund rf_1 has the status parked, which paydesk does not know' },
    ],
    [
      'made, and failed now, beside an equal one of somebody else: an alarm',
      sent(made(found('rf_1'))),
      order([['rf_1', 'failed'], ['theirs']]),
      {
        alarm: 'failed',
        why: 'the order now shows refund rf_1 as failed',
        refunds: [{ id: 'rf_1', status: 'failed' }],
      },
    ],
    [
      'made twice as somebody acknowledged, and one failed now: nothing to do',
      sent({ ...made(found('rf_1'), found('rf_2')), acknowledged: 'duplicate' }),
      order([['rf_1', 'failed'], ['rf_2']]),
      { alarm: undefined, acknowledged: 'duplicate' },
    ],
    [
      'made although it was refused, and failed now: the alarm is about that',
      sent({ ...made(found('rf_1')), alarm: 'applied_though_rejected' }),
      order([['rf_1', 'failed']]),
      { alarm: 'failed' },
    ],
    [
      'failed, and still failed: the alarm stays',
      sent(failedLater),
      order([['rf_1', 'failed']]),
      { alarm: 'failed', refunds: [{ id: 'rf_1', status: 'failed' }] },
    ],
    [
      'made, and gone, beside a failed one of somebody else: an alarm',
      sent(made(found('rf_1'))),
      order([['theirs', 'failed']]),
      { alarm: 'gone', why: 'the order does not show refund rf_1 any more', refunds: [{ id: 'rf_1' }] },
    ],
    [
      'made, and gone, and the order is as it was before: an alarm',
      sent(made(found('rf_1'))),
      order([]),
      { verdict: 'applied', by: 'reply', alarm: 'gone' },
    ],
    [
      'gone, and there again: no alarm',
      sent(made(found('rf_1')), { ...made(found('rf_1')), alarm: 'gone' }),
      order([['rf_1']]),
      { alarm: undefined, why: 'checked again: the service shows it' },
    ],
    [
      'gone as somebody acknowledged: no alarm',
      sent(made(found('rf_1')), { ...made(found('rf_1')), acknowledged: 'gone' }),
      order([]),
      { alarm: undefined, acknowledged: 'gone' },
    ],
    [
      'failed, and made in its place: once',
      sent(made(found('rf_1')), failedLater, {
        ...made(found('rf_1', 'failed'), found('rf_2')),
        acknowledged: 'applied_though_rejected',
      }),
      order([['rf_1', 'failed'], ['rf_2']]),
      { alarm: undefined, why: 'checked again: the service shows it' },
    ],
    [
      'failed as somebody acknowledged: no alarm',
      sent({ ...failedLater, alarm: undefined, acknowledged: 'failed' }),
      order([
        ['rf_1', 'failed'],
        ['theirs', undefined, 7],
      ]),
      { alarm: undefined, acknowledged: 'failed' },
    ],
    [
      'failed as somebody acknowledged, and made after all: an alarm',
      sent({ ...failedLater, alarm: undefined, acknowledged: 'failed' }),
      order([['rf_1', 'succeeded']]),
      {
        alarm: 'applied_though_rejected',
        why: 'the service shows it, although it had failed',
        refunds: [{ id: 'rf_1', status: 'succeeded' }],
      },
    ],
    [
      'failed at once, and one more was made in its place: an alarm',
      sent(failedAtOnce),
      order([['rf_1', 'failed'], ['rf_2']]),
      { verdict: 'applied', alarm: 'applied_though_rejected' },
    ],
    ['failed at once, and nothing new', sent(failedAtOnce), order([['rf_1', 'failed']]), undefined],
    [
      'made, and in another currency now: an alarm',
      attempt([made(found('rf_1'))], { proof: { ...proof, before: { ...before, currency: 'USD' } } }),
      { ...order([['rf_1']]), currency: 'MXN' },
      { verdict: 'applied', alarm: 'contradiction', why: 'currency MXN instead of USD' },
    ],
    [
      'made, and only what it left on a declined charge failed: no alarm',
      attempt([made(found('rf_1'), { ...found('rf_2'), chargeId: 'ch_2' })], {
        proof: { ...proof, tolerated: ['ch_2'] },
      }),
      beside(order([['rf_1']]), { id: 'rf_2', amount: -5, status: 'failed' }),
      { alarm: undefined, why: 'checked again: the service shows it' },
    ],
    ['unconfirmed, and failed: not made', sent({}), order([['rf_1', 'failed']]), { verdict: 'rejected' }],
    [
      'unconfirmed, and of a strange word: it stays so',
      sent({}),
      order([['rf_1', 'parked']]),
      { verdict: 'unknown', why: 'refund rf_1 has the status parked, which paydesk does not know' },
    ],
  ])('%s', (_, record, value, row) => {
    const written = row === undefined ? rowOf(record, value) : whole(record, value);
    if (row === undefined) expect(written).toBeUndefined();
    else expect(written).toMatchObject(row);
  });

  it.each<[string, AttemptRecord, unknown, object]>([
    [
      'still pending: the watch ends',
      sent(pending),
      order([['rf_1', 'pending']]),
      { why: 'checked after the waiting period: refund rf_1 is pending' },
    ],
    [
      'made: the watch ends',
      sent(pending),
      order([['rf_1', 'succeeded']]),
      { why: 'checked after the waiting period: nothing more appeared' },
    ],
    [
      'failed at once, and an alarm about its reply: that stays',
      sent({ ...failedAtOnce, alarm: 'contradiction', error: { code: 'c' } }),
      order([['rf_1', 'failed']]),
      { verdict: 'rejected', confirmed: true, alarm: 'contradiction', error: { code: 'c' } },
    ],
  ])('after its time, %s', (_, record, value, row) => {
    expect(whole(record, value, { time: over })).toMatchObject(row);
  });

  describe('that was made long ago', () => {
    const long = sent(made(found('rf_1')), { ...made(found('rf_1')), time: over });
    const later = { time: over + horizonMs };

    it.each<[string, unknown, object | undefined]>([
      ['and is there: nothing new', order([['rf_1']]), undefined],
      [
        "and is there beside an equal one, which is somebody else's: nothing new",
        order([['rf_1'], ['rf_2']]),
        undefined,
      ],
      ['and failed since: an alarm', order([['rf_1', 'failed']]), { alarm: 'failed' }],
      ['and is gone: an alarm', order([]), { alarm: 'gone' }],
      [
        'and has a word that nobody knows: an alarm',
        order([['rf_1', 'parked']], 5),
        { alarm: 'disagreement' },
      ],
    ])('%s', (_, value, row) => {
      expect(isDue(long, momentAt(later.time))).toBe(false);
      if (row === undefined) expect(rowOf(long, value, later)).toBeUndefined();
      else expect(rowOf(long, value, later)).toMatchObject(row);
    });
  });

  describe('while a refund is gone that was there before it was sent', () => {
    const theirs: PreImage = {
      amountRefunded: 7,
      charges: [
        { id: 'ch_1', amountRefunded: 7, refunds: [{ id: 'gone', amount: -7, createdAt: undefined }] },
      ],
    };
    const later = (verdict: Partial<VerdictRow>) =>
      attempt([verdict], { proof: { ...proof, before: theirs } });

    it.each<[string, unknown, object]>([
      ['is still there', order([['rf_1']]), { alarm: undefined }],
      ['and failed', order([['rf_1', 'failed']]), { alarm: 'failed' }],
      ['and was made twice', order([['rf_1'], ['rf_2']]), { alarm: 'duplicate' }],
    ])('says that the one that was made %s', (_, value, row) => {
      expect(whole(later(made(found('rf_1'))), value)).toMatchObject(row);
    });

    it('proves nothing of one that is unconfirmed, or that a person recorded as made', () => {
      expect(rowOf(later({ verdict: 'unknown' }), order([['rf_1']]))).toBeUndefined();
      expect(rowOf(later({ verdict: 'applied', by: 'person' }), order([['rf_1']]))).toBeUndefined();
    });
  });

  it('adds no row before the next read is due, if nothing is new', () => {
    const twice = sent(made(found('rf_1')), { ...made(found('rf_1')), time: 2000 });
    expect(isDue(twice, momentAt(3000))).toBe(false);
    expect(rowOf(twice, order([['rf_1']]))).toBeUndefined();
    expect(rowOf(twice, order([['rf_1', 'failed']]))).toMatchObject({ alarm: 'failed' });
  });

  it('names every refund of a whole order that failed', () => {
    const expected = [5, 7].map((amount) => ({ chargeId: 'ch_1', amount: -amount }));
    const refunds = [found('rf_1'), { ...found('rf_2'), amount: -7 }];
    const both = attempt([made(...refunds)], { proof: { ...proof, expected } });
    const shown = order([
      ['rf_1', 'failed'],
      ['rf_2', 'failed', 7],
    ]);
    expect(rowOf(both, shown)).toMatchObject({ why: 'the order now shows refunds rf_1 and rf_2 as failed' });
  });

  describe('that a person recorded as made', () => {
    const stated = sent({
      verdict: 'applied',
      by: 'person',
      operator: 'op8',
      note: 'the bank shows it',
      time: 2000,
    });
    it.each<[string, unknown, object | undefined]>([
      [
        'and that the order shows: a read says so',
        order([['rf_1']]),
        {
          verdict: 'applied',
          by: 'read',
          why: 'the service shows it, as it was recorded',
          alarm: undefined,
          refunds: [{ id: 'rf_1' }],
        },
      ],
      [
        'and that the order shows twice: an alarm',
        order([['rf_1'], ['rf_2']]),
        { verdict: 'applied', by: 'read', alarm: 'duplicate', refunds: [{ id: 'rf_1' }, { id: 'rf_2' }] },
      ],
      [
        'and that the order shows as failed: an alarm',
        order([['rf_1', 'failed']]),
        {
          verdict: 'applied',
          by: 'read',
          alarm: 'failed',
          why: 'the order now shows refund rf_1 as failed',
          refunds: [{ id: 'rf_1', status: 'failed' }],
        },
      ],
      [
        'and that the order shows with a word that nobody knows: an alarm',
        order([['rf_1', 'parked']], 5),
        {
          verdict: 'applied',
          by: 'read',
          alarm: 'disagreement',
          why: 'refund rf_1 has the status parked, which paydesk does not know',
        },
      ],
      ['and that the order does not show: nothing new', order([]), undefined],
      ['and whose figures do not agree: nothing new', order([['rf_1']], 3), undefined],
    ])('%s', (_, value, row) => {
      if (row === undefined) expect(rowOf(stated, value)).toBeUndefined();
      else expect(whole(stated, value)).toMatchObject(row);
    });
  });

  it('that a person recorded as made, in another currency: an alarm', () => {
    const inPesos = { ...proof, before: { ...before, currency: 'MXN' } };
    const record = attempt([{ verdict: 'applied', by: 'person' }], { proof: inPesos });
    expect(rowOf(record, { ...order([['rf_1']]), currency: 'USD' })).toMatchObject({
      by: 'read',
      alarm: 'contradiction',
      why: 'currency USD instead of MXN',
    });
    expect(whole(record, { ...order([['rf_1']]), currency: 'MXN' })).toMatchObject({ alarm: undefined });
  });

  describe('of two charges', () => {
    const expected = [5, 7].map((amount) => ({ chargeId: 'ch_1', amount: -amount }));
    const ofBoth = (verdict: Partial<VerdictRow>) => attempt([verdict], { proof: { ...proof, expected } });
    const two = (one?: string, other?: string): FoundRefund[] => [
      found('rf_1', one),
      { ...found('rf_2', other), amount: -7 },
    ];
    const shown = (one?: string, other?: string) =>
      order([
        ['rf_1', one],
        ['rf_2', other, 7],
      ]);

    it('names only the one that failed', () => {
      expect(rowOf(ofBoth(made(...two())), shown('failed'))).toMatchObject({
        why: 'the order now shows refund rf_1 as failed',
      });
    });

    it('tells which of them failed to whoever acknowledges another alarm', () => {
      const alarmed = ofBoth({ ...made(...two()), alarm: 'contradiction' });
      const acknowledgement = { operator: 'op8', note: 'the bank was asked' };
      expect(whole(alarmed, shown(undefined, 'failed'), { acknowledgement })).toMatchObject({
        alarm: 'failed',
        refunds: [{ id: 'rf_1' }, { id: 'rf_2', status: 'failed' }],
      });
    });

    it('writes down that one of two pending ones changed', () => {
      const both = ofBoth(made(...two('pending', 'pending')));
      expect(rowOf(both, shown('pending', 'pending'))).toBeUndefined();
      expect(rowOf(both, shown('pending', 'processing'))).toMatchObject({
        refunds: [{ status: 'pending' }, { status: 'processing' }],
      });
    });

    it('says why where a read shows that one was made and the other failed', () => {
      expect(rowOf(ofBoth({}), shown(undefined, 'failed'))).toMatchObject({
        verdict: 'applied',
        by: 'read',
        alarm: 'failed',
        why: 'the service made a part of it, and the rest failed',
      });
    });

    it('names only the one that failed, where a person recorded both as made', () => {
      const stated = ofBoth({ verdict: 'applied', by: 'person' });
      expect(rowOf(stated, shown(undefined, 'failed'))).toMatchObject({
        alarm: 'failed',
        why: 'the order now shows refund rf_2 as failed',
      });
    });

    it('misses no refund whose id nobody knows', () => {
      const nameless = made({ ...found('rf_1'), id: undefined }, { ...found('rf_2'), amount: -7 });
      expect(whole(ofBoth(nameless), shown())).toMatchObject({ alarm: undefined });
    });

    it('names the refunds that are gone, and only those', () => {
      const both = ofBoth(made(...two()));
      expect(rowOf(both, order([]))).toMatchObject({
        alarm: 'gone',
        why: 'the order does not show refunds rf_1 and rf_2 any more',
      });
      expect(rowOf(both, order([['rf_2', undefined, 7]]))).toMatchObject({
        alarm: 'gone',
        why: 'the order does not show refund rf_1 any more',
      });
    });

    it('counts what is shown in the place of the one that failed', () => {
      const later: Partial<VerdictRow> = { ...made(...two('failed')), alarm: 'failed', time: 2000 };
      const replaced = made(...two('failed'), found('rf_3'));
      expect(ownRefunds(ofBoth(later)).map(({ id }) => id)).toEqual(['rf_1', 'rf_2']);
      const record = { ...ofBoth(later), verdicts: attempt([later, replaced]).verdicts };
      expect(ownRefunds(record).map(({ id }) => id)).toEqual(['rf_1', 'rf_2', 'rf_3']);
    });
  });

  it('takes what was sent in its place for that one, and raises the alarm where both were made', () => {
    const again = other(made(found('rf_2')));
    const both = order([['rf_1', 'failed'], ['rf_2']]);
    expect(rowOf(sent(failedLater), both, { others: [again] })).toMatchObject({ alarm: 'failed' });
    const three = order([['rf_1', 'failed'], ['rf_2'], ['rf_3']]);
    expect(rowOf(sent(failedLater), three, { others: [again] })).toMatchObject({
      alarm: 'duplicate',
      why: 'the service shows it, although it had failed; made twice: also as i_2',
    });
  });

  it('does not take one that failed too for what was sent in its place', () => {
    expect(sentAgain(sent(failedLater), [other(failedLater)])).toBeUndefined();
  });

  it('says nothing while another change of the same money is unconfirmed', () => {
    const open = other({ verdict: 'unknown' });
    const problem = 'another change asks for the same; settle i_2 first';
    const shown = (record: AttemptRecord, listed: readonly Listed[]) =>
      run(record, order(listed), { others: [open] }).state;
    expect(shown(sent({ verdict: 'unknown' }), [['rf_1', 'failed']])).toMatchObject({
      end: { evidence: { problem } },
    });
    expect(shown(sent(failedLater), [['rf_1', 'failed'], ['rf_2']])).toMatchObject({
      end: { evidence: { problem } },
    });
    // What was made and failed is this attempt's own, whatever else is open.
    expect(shown(sent(made(found('rf_1'))), [['rf_1', 'failed']])).toMatchObject({
      row: { alarm: 'failed' },
    });
  });

  it('takes no failed refund for its own that may be of an equal one which was refused', () => {
    const failed = order([['rf_1', 'failed']]);
    const refused = { verdict: 'rejected', by: 'read', confirmed: true } as const;
    const earlier = (more: Partial<SentRow> = {}, verdict: Partial<VerdictRow> = refused) =>
      attempt([{ ...verdict, time: 100 }], { change: 'i_0', time: 90, proof, ...more });
    const ruled = (record: AttemptRecord, ...others: readonly AttemptRecord[]) =>
      rowOf(record, failed, { others });
    const lost = attempt([{ verdict: 'unknown', time: 2600 }], { proof, time: 2500 });
    const problem = 'a refund of the same amount has failed, and may be that of i_0, which was not made';
    expect(run(lost, failed, { others: [earlier()] }).state).toMatchObject({
      end: { evidence: { problem } },
    });
    expect(ruled(sent(), earlier())).toMatchObject({ verdict: 'unknown', why: problem });
    // Of a whole order one charge is enough.
    const whole = { ...proof, expected: [...proof.expected, { chargeId: 'ch_2', amount: -7 }] };
    expect(ruled(sent(), earlier({ proof: whole }))).toMatchObject({ verdict: 'unknown', why: problem });
    expect(judgeOrder(lost, [earlier()], failed)).toMatchObject({ shows: 'disagreement', problem });
    for (const other of [
      // Its own record, another amount, made, or over before this one was sent.
      earlier({}, { ...refused, refunds: [found('rf_0', 'failed')] }),
      earlier({ proof: { ...proof, expected: [{ chargeId: 'ch_1', amount: -7 }] } }),
      earlier({}, { verdict: 'not_sent' }),
      earlier({ horizonMs: 0 }),
    ])
      expect(ruled(lost, other)).toMatchObject({ verdict: 'rejected', confirmed: true });
    // It was refused as well, so nothing was made, whosever the record is.
    expect(ruled(sent({ ...refused, confirmed: false }), earlier())).toMatchObject({ verdict: 'rejected' });
    // What was made and failed later keeps its own record.
    expect(ruled(sent(made(found('rf_1'))), earlier())).toMatchObject({ alarm: 'failed' });
    // What shows as made is this one's: the other was refused.
    expect(rowOf(lost, order([['rf_1']]), { others: [earlier()] })).toMatchObject({ verdict: 'applied' });
  });

  it('ends the alarm when somebody acknowledges it', () => {
    const acknowledgement = { operator: 'op8', note: 'sent again by hand' };
    expect(whole(sent(failedLater), order([['rf_1', 'failed']]), { acknowledgement })).toMatchObject({
      verdict: 'applied',
      alarm: undefined,
      acknowledged: 'failed',
      refunds: [{ id: 'rf_1', status: 'failed' }],
    });
  });

  it('is told when somebody acknowledges another alarm, also after its horizon', () => {
    const alarmed = { verdict: 'applied', by: 'read', alarm: 'applied_though_rejected' } as const;
    const made = sent({ ...alarmed, refunds: [found('rf_1')] });
    const acknowledgement = { operator: 'op8', note: 'the bank says that it was made' };
    const look = (value: unknown) => whole(made, value, { acknowledgement });
    expect(look(order([['rf_1', 'failed']]))).toMatchObject({
      why: 'acknowledged by op8; the order now shows refund rf_1 as failed',
      alarm: 'failed',
      acknowledged: 'applied_though_rejected',
      refunds: [{ id: 'rf_1', status: 'failed' }],
    });
    expect(look(order([['rf_1']]))).toMatchObject({ why: 'acknowledged by op8', alarm: undefined });
  });
});

describe('before the next refund', () => {
  const asked: Asked = {
    kind: 'refund',
    orderId: 'ord_1',
    change: 'i_2',
    again: [],
    request: { method: 'POST', path: 'orders/ord_1/refunds' },
    expected: proof.expected,
    asked: undefined,
    plan: undefined,
    ref: undefined,
  };
  const shown = (...refunds: readonly { readonly id: string; readonly status?: string }[]): PreImage => ({
    charges: [{ id: 'ch_1', refunds: refunds.map((one) => ({ ...one, amount: -5 })) }],
  });

  it('one that failed needs no --again, and one that is pending or strange does', () => {
    expect(unnamedEqual(asked, shown({ id: 'rf_1', status: 'failed' }), [])).toBeUndefined();
    expect(unnamedEqual(asked, shown({ id: 'rf_1', status: 'pending' }), [])).toMatchObject({
      refundId: 'rf_1',
    });
    expect(unnamedEqual(asked, shown({ id: 'rf_1', status: 'parked' }), [])).toMatchObject({
      refundId: 'rf_1',
    });
    expect(unnamedEqual(asked, shown({ id: 'rf_1', status: 'failed' }, { id: 'rf_2' }), [])).toMatchObject({
      refundId: 'rf_2',
    });
  });

  it('an order without a refund that was made is an old copy, but for one that somebody acknowledged as gone', () => {
    const one = made(found('rf_1'));
    const asked = { orderId: 'ord_1', livemode: false };
    const words = 'refund rf_1 was made, and the order does not show it yet';
    expect(oldRead(asked, before, [sent(one)])).toBe(words);
    expect(oldRead(asked, before, [sent({ ...one, acknowledged: 'duplicate' })])).toBe(words);
    expect(oldRead(asked, before, [sent({ ...one, acknowledged: 'gone' })])).toBeUndefined();
    expect(oldRead({ ...asked, livemode: true }, before, [sent(one)])).toBeUndefined();
    expect(oldRead({ ...asked, orderId: 'ord_2' }, before, [sent(one)])).toBeUndefined();
  });

  it('a read that shows what had failed as made is news', () => {
    const record = sent(failedLater);
    expect(appearedOn(record, [record], order([['rf_1', 'succeeded']]))).toMatchObject({ failed: true });
    expect(appearedOn(record, [record], order([['rf_1', 'failed']]))).toBeUndefined();
    expect(appearedOn(sent(made(found('rf_1'))), [], order([['rf_1']]))).toBeUndefined();
  });
});
