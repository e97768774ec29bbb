import { describe, expect, it } from 'vitest';
import type { ChangeRequest } from '../../src/api/api.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import { isOpen } from '../../src/journal/attempt-state.ts';
import { appeared, decide, paidTwice, usedUp } from '../../src/journal/guards.ts';
import { momentOf } from '../../src/journal/journal-time.ts';
import { unshownRefunds } from '../../src/journal/questions/by-hand.ts';
import { nothingToRepeat, oldRead, unnamedEqual, unshownRefund } from '../../src/journal/read-guards.ts';
import type { AttemptRecord, Moment, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { attemptName } from '../../src/journal/rows/journal-rows.ts';
import { charge, order } from './proof.ts';
import { attempt, horizonMs, momentAt } from './rows.ts';
import { VirtualClock } from './world.ts';

const now = (time: number, skewed = false): Moment => ({ ...momentAt(time), skewed });
const request: ChangeRequest = {
  method: 'POST',
  path: 'orders/ord_1/refunds',
  body: { charge_id: 'ch_1', amount: 5 },
};
const expected = [{ chargeId: 'ch_1', amount: -5 }];
const asked = { kind: 'refund' as const, change: 'i_new', orderId: 'ord_1', request, expected, again: [] };

describe('an attempt is open', () => {
  it.each<[string, Partial<VerdictRow>[], boolean, boolean]>([
    ['while only SENT is known, for ever', [], true, true],
    ['while its outcome is unknown, for ever', [{ verdict: 'unknown' }], true, true],
    ['when it was not seen, until its horizon', [{ verdict: 'not_seen' }], true, false],
    [
      'when a refusal was not confirmed, until its horizon',
      [{ verdict: 'rejected', confirmed: false }],
      true,
      false,
    ],
    ['never when a refusal was confirmed', [{ verdict: 'rejected', confirmed: true }], false, false],
    ['never when it was made', [{ verdict: 'applied' }], false, false],
    ['never when it was not sent', [{ verdict: 'not_sent' }], false, false],
  ])('%s', (_, verdicts, young, old) => {
    const record = attempt(verdicts);
    expect([isOpen(record, now(2000)), isOpen(record, now(1000 + horizonMs))]).toEqual([young, old]);
  });

  it('until its horizon counted from the first verdict at which the clocks agreed', () => {
    const skewed = attempt([
      { verdict: 'unknown', skewed: true },
      { time: 2000, skewed: true },
    ]);
    expect(isOpen(skewed, now(9_000_000 + horizonMs))).toBe(true);
    const record = attempt([{ skewed: true }, { time: 5_000_000 }]);
    expect(isOpen(record, now(5_000_000 + horizonMs - 1))).toBe(true);
    expect(isOpen(record, now(5_000_000 + horizonMs))).toBe(false);
  });

  it('until its horizon counted from the first verdict, since a stopped process may send late', () => {
    const record = attempt([
      { verdict: 'unknown', time: 5_000_000 },
      { verdict: 'not_seen', time: 5_000_001 },
    ]);
    expect(isOpen(record, now(5_000_000 + horizonMs - 1))).toBe(true);
    expect(isOpen(record, now(5_000_000 + horizonMs))).toBe(false);
  });

  it('for as long as the clocks disagree (F42)', () => {
    expect(isOpen(attempt([{ verdict: 'not_seen' }]), now(1000 + horizonMs, true))).toBe(true);
  });

  it('a refusal of what no read can show is final', () => {
    const { sent, verdicts } = attempt([{ verdict: 'rejected', confirmed: false }]);
    expect(isOpen({ sent: { ...sent, proof: { ...sent.proof, kind: 'api' } }, verdicts }, now(2000))).toBe(
      false,
    );
  });
});

describe('a refund that was made twice', () => {
  const refunds = ['rf_1', 'rf_2'].map((id) => ({
    chargeId: 'ch_1',
    id,
    amount: -5,
    createdAt: 1,
    authCode: undefined,
  }));
  const doubled = attempt([{ verdict: 'applied', by: 'reply', alarm: 'duplicate', refunds }]);
  const refusal = { why: 'paid_twice', attempt: doubled, refunds: ['rf_1', 'rf_2'] };
  const old = now(1000 + horizonMs);

  it.each<[string, object]>([
    ['of the same money', {}],
    ['of other money', { expected: [{ chargeId: 'ch_2', amount: -7 }] }],
    ['that names everything there is', { again: ['i_1', 'rf_1', 'rf_2'] }],
    ['of the same plan, in another row', { plan: 'p', ref: '2' }],
  ])('refuses the next refund of its order %s, however old it is', (_, more) => {
    const wanted = { ...asked, ...more };
    expect(decide(wanted, [doubled], old)).toEqual({ go: 'refuse', refusal });
    expect(paidTwice(wanted, [doubled])).toEqual(refusal);
  });

  it.each<[string, object, AttemptRecord]>([
    ['another order, known by the same idempotency key', { orderId: 'ord_2' }, doubled],
    ['a capture of the order', { kind: 'capture', expected: undefined }, doubled],
    ['another request about the order', { kind: 'api', expected: undefined }, doubled],
    [
      'a refund once somebody acknowledged it',
      {},
      attempt([{ verdict: 'applied', by: 'reply', acknowledged: 'duplicate', refunds }]),
    ],
  ])('lets through %s', (_, more, record) => {
    const wanted = { ...asked, ...more };
    expect(paidTwice(wanted, [record])).toBeUndefined();
    expect(decide(wanted, [record], old)).toMatchObject({ go: 'send' });
  });

  it('an unconfirmed change of the order is refused first', () => {
    const open = attempt([{ verdict: 'unknown' }], { change: 'i_2' });
    expect(decide(asked, [doubled, open], old)).toMatchObject({ refusal: { why: 'open', attempt: open } });
  });

  it('answers its own idempotency key with what is recorded', () => {
    const own = attempt([{ verdict: 'applied', by: 'reply', alarm: 'duplicate', refunds }], {
      idempotencyKey: 't',
    });
    expect(decide({ ...asked, idempotencyKey: 't' }, [own], old)).toEqual({ go: 'recorded', attempt: own });
  });
});

describe('what the journal says to a change', () => {
  const old = now(1000 + horizonMs);

  it.each<[string, AttemptRecord[], object, Moment, object]>([
    ['nothing is known: send', [], {}, now(2000), { go: 'send', change: 'i_new', attempt: 1 }],
    [
      'an open one: refuse, whatever is asked for',
      [attempt([])],
      { again: ['i_1'], expected: [] },
      old,
      { go: 'refuse', refusal: { why: 'open' } },
    ],
    [
      'not seen and young: refuse',
      [attempt([{}])],
      { again: ['i_1'] },
      now(2000),
      { go: 'refuse', refusal: { why: 'open' } },
    ],
    [
      'not seen and old: only with --again',
      [attempt([{}])],
      {},
      old,
      { go: 'refuse', refusal: { why: 'not_seen' } },
    ],
    [
      'made by the word of a person: the final read decides',
      [attempt([{ verdict: 'applied', by: 'person' }])],
      {},
      old,
      { go: 'send' },
    ],
    [
      'made, as a reply showed: the final read decides',
      [attempt([{ verdict: 'applied', by: 'reply' }])],
      {},
      old,
      { go: 'send' },
    ],
    [
      'not seen and old, with --again: send',
      [attempt([{}])],
      { again: ['i_1'] },
      old,
      { go: 'send', doubtful: [{}] },
    ],
    [
      'not seen and old, but something else: send',
      [attempt([{}])],
      { expected: [{ chargeId: 'ch_1', amount: -6 }] },
      old,
      { go: 'send', doubtful: [] },
    ],
    [
      'refused and old, and no read has confirmed that: the final read looks for it',
      [attempt([{ verdict: 'rejected', confirmed: false }])],
      {},
      old,
      { go: 'send', doubtful: [{}] },
    ],
    [
      'the same of a capture: it does not',
      [
        attempt([{ verdict: 'rejected', confirmed: false }], {
          proof: { ...attempt([]).sent.proof, kind: 'capture' },
        }),
      ],
      {},
      old,
      { go: 'send', doubtful: [] },
    ],
    [
      'refused before: send',
      [attempt([{ verdict: 'rejected', confirmed: true }])],
      {},
      now(2000),
      { go: 'send' },
    ],
    ['not sent before: send', [attempt([{ verdict: 'not_sent' }])], {}, now(2000), { go: 'send' }],
  ])('%s', (_, known, more, moment, decision) => {
    expect(decide({ ...asked, ...more }, known, moment)).toMatchObject(decision);
  });

  const idempotencyKey = { idempotencyKey: 't-1' };
  it.each<[string, AttemptRecord, object, Moment, object]>([
    [
      'made: the recorded outcome',
      attempt([{ verdict: 'applied' }], idempotencyKey),
      {},
      old,
      { go: 'recorded' },
    ],
    [
      'made, even with --again: the recorded outcome',
      attempt([{ verdict: 'applied' }], idempotencyKey),
      { again: ['i_1'] },
      old,
      { go: 'recorded' },
    ],
    ['open: the recorded outcome', attempt([], idempotencyKey), { again: ['i_1'] }, old, { go: 'recorded' }],
    [
      'refused: the recorded outcome',
      attempt([{ verdict: 'rejected', confirmed: true }], idempotencyKey),
      {},
      old,
      { go: 'recorded' },
    ],
    [
      'refused, with --again: a second attempt',
      attempt([{ verdict: 'rejected', confirmed: true }], idempotencyKey),
      { again: ['i_1'] },
      old,
      { go: 'send', change: 'i_1', attempt: 2 },
    ],
    [
      'not sent: a second attempt',
      attempt([{ verdict: 'not_sent' }], idempotencyKey),
      {},
      old,
      { go: 'send', change: 'i_1', attempt: 2 },
    ],
    [
      'not seen, its time over: the recorded outcome',
      attempt([{}], idempotencyKey),
      {},
      old,
      { go: 'recorded' },
    ],
    [
      'not seen, its time over, with --again: a second attempt',
      attempt([{}], idempotencyKey),
      { again: ['i_1'] },
      old,
      { go: 'send', attempt: 2 },
    ],
    [
      'another amount: refused',
      attempt([{ verdict: 'applied' }], idempotencyKey),
      { expected: [{ chargeId: 'ch_1', amount: -6 }] },
      old,
      { go: 'refuse', refusal: { why: 'other_parameters' } },
    ],
    [
      'other words typed: refused',
      attempt([], { ...idempotencyKey, asked: { order: 'ord_1' } }),
      { asked: { order: 'ord_2' } },
      old,
      { go: 'refuse', refusal: { why: 'other_parameters' } },
    ],
    [
      'the same words typed for a capture: refused',
      attempt([], { ...idempotencyKey, asked: { order: 'ord_1' } }),
      { kind: 'capture', asked: { order: 'ord_1' } },
      old,
      { go: 'refuse', refusal: { why: 'other_parameters' } },
    ],
    [
      'the same words typed in the other mode: refused',
      attempt([], { ...idempotencyKey, asked: { order: 'ord_1' } }),
      { livemode: true, asked: { order: 'ord_1' } },
      old,
      { go: 'refuse', refusal: { why: 'other_parameters' } },
    ],
    [
      'the same words typed in the other mode, if nobody knows the mode of a lost row',
      attempt([], { ...idempotencyKey, lost: 'refund', asked: { order: 'ord_1' } }),
      { livemode: true, asked: { order: 'ord_1' } },
      old,
      { go: 'recorded' },
    ],
    [
      'the same words typed in the same mode',
      attempt([], { ...idempotencyKey, asked: { order: 'ord_1' } }),
      { livemode: false, asked: { order: 'ord_1' } },
      old,
      { go: 'recorded' },
    ],
    [
      'the same words typed',
      attempt([], { ...idempotencyKey, asked: { order: 'ord_1' } }),
      { asked: { order: 'ord_1' }, expected: [] },
      old,
      { go: 'recorded' },
    ],
  ])('under a script’s id, %s (F28)', (_, known, more, moment, decision) => {
    expect(decide({ ...asked, idempotencyKey: 't-1', ...more }, [known], moment)).toMatchObject(decision);
  });

  it('what has no records of money is compared by its body', () => {
    const create = {
      ...asked,
      idempotencyKey: 't-1',
      expected: [],
      request: { method: 'POST', path: 'orders', body: { a: 1 } } as const,
    };
    const made = attempt([{ verdict: 'applied' }], { idempotencyKey: 't-1', request: create.request });
    const same = { ...made, sent: { ...made.sent, proof: { ...made.sent.proof, expected: [] } } };
    expect(decide(create, [same], old)).toMatchObject({ go: 'recorded' });
    const other = { ...create, request: { ...create.request, body: { a: 2 } } };
    expect(decide(other, [same], old)).toMatchObject({ go: 'refuse' });
  });

  describe('in whatever order the keys of an object stand', () => {
    const requestOf = (body: JsonObject) => ({ method: 'POST', path: 'things', body }) as const;
    const none = { ...asked, orderId: undefined, expected: [] };
    const tried = (verdict: 'unknown' | 'not_seen' | 'applied', more: Partial<SentRow>) => {
      const record = attempt([{ verdict }], {
        request: requestOf({ a: { x: 1, y: [1, 2] }, b: 1 }),
        ...more,
      });
      return { ...record, sent: { ...record.sent, proof: { ...record.sent.proof, expected: [] } } };
    };
    const swapped = { b: 1, a: { y: [1, 2], x: 1 } };

    it.each<[string, AttemptRecord, object, object]>([
      ['an open attempt at the same blocks it', tried('unknown', {}), {}, { refusal: { why: 'open' } }],
      [
        'one not seen in its time has to be asked for again',
        tried('not_seen', {}),
        {},
        { refusal: { why: 'not_seen' } },
      ],
      [
        'a script’s id means the same',
        tried('applied', { idempotencyKey: 't' }),
        { idempotencyKey: 't' },
        { go: 'recorded' },
      ],
      [
        'what was typed under it is the same',
        tried('applied', { idempotencyKey: 't', asked: { body: { a: 1, b: 2 } } }),
        { idempotencyKey: 't', asked: { body: { b: 2, a: 1, c: undefined } } },
        { go: 'recorded' },
      ],
    ])('%s', (_, known, more, decision) => {
      expect(decide({ ...none, request: requestOf(swapped), ...more }, [known], old)).toMatchObject(decision);
    });

    it('the items of an array in another order are something else', () => {
      const request = requestOf({ ...swapped, a: { x: 1, y: [2, 1] } });
      expect(decide({ ...none, request }, [tried('unknown', {})], old)).toMatchObject({ go: 'send' });
    });
  });
});

describe('an equal refund by anyone, at any age (F28)', () => {
  const before = { charges: [{ id: 'ch_1', refunds: [{ id: 'r1', amount: -5 }] }] };

  it('is refused without --again', () => {
    expect(unnamedEqual(asked, before, [])).toMatchObject({
      why: 'equal',
      charge: 1,
      chargeId: 'ch_1',
      refundId: 'r1',
      amount: -5,
      again: [],
    });
    expect(unnamedEqual({ ...asked, again: ['r1'] }, before, [])).toBeUndefined();
  });

  it('is another amount, or on another charge: nothing to ask', () => {
    expect(
      unnamedEqual({ ...asked, expected: [{ chargeId: 'ch_1', amount: -6 }] }, before, []),
    ).toBeUndefined();
    expect(
      unnamedEqual({ ...asked, expected: [{ chargeId: 'ch_2', amount: -5 }] }, before, []),
    ).toBeUndefined();
    expect(unnamedEqual({ ...asked, expected: undefined }, before, [])).toBeUndefined();
  });

  it('does not count in a plan when another row of the same plan made it', () => {
    const refunds = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
    const row = attempt([{ verdict: 'applied', refunds }], { plan: 'p', ref: 'a' });
    expect(unnamedEqual({ ...asked, plan: 'p', ref: 'b' }, before, [row])).toBeUndefined();
    expect(unnamedEqual({ ...asked, plan: 'p', ref: 'a' }, before, [row])).toMatchObject({ why: 'equal' });
    expect(unnamedEqual({ ...asked, plan: 'q', ref: 'b' }, before, [row])).toMatchObject({ why: 'equal' });
  });
});

describe('the journal’s time (F42)', () => {
  const at = async (wall: number, newest: number, date?: { date: number; wall: number }) => {
    const clock = new VirtualClock();
    clock.wall = wall;
    return momentOf(clock, { newest: () => Promise.resolve({ time: newest }) }, { seenDate: () => date });
  };
  const day = 86_400_000;

  it('is the latest of the wall clock, the journal and the last Date', async () => {
    expect(await at(1000, 500)).toMatchObject({ time: 1000, skewed: false });
    expect(await at(1000, 1500)).toMatchObject({ time: 1500, skewed: false });
    expect(await at(1000, 500, { date: 2000, wall: 900 })).toMatchObject({ time: 2100, skewed: false });
  });

  it('expires no horizon while the clocks differ by more than two minutes', async () => {
    expect(await at(day, 0, { date: 0, wall: day })).toMatchObject({ skewed: true });
    expect(await at(0, day)).toMatchObject({ skewed: true });
    expect(await at(day, 0, { date: day + 120_000, wall: day })).toMatchObject({ skewed: false });
    expect(await at(day, 0, { date: day + 120_001, wall: day })).toMatchObject({ skewed: true });
  });

  it('is not that of a Date which disagrees, ahead or behind: nothing later could be before it', async () => {
    const year9999 = Date.UTC(9999, 11, 31);
    expect(await at(day, 0, { date: year9999, wall: day })).toMatchObject({ time: day, skewed: true });
    // One of them is wrong: neither may write down a time that the other calls the future.
    expect(await at(day, 500, { date: 0, wall: day })).toMatchObject({ time: 500, skewed: true });
    // A wall clock that was set back: the journal's past is not left behind.
    expect(await at(1000, day, { date: day, wall: 1000 })).toMatchObject({ time: day, skewed: true });
  });

  it('is the wall clock where the journal cannot be read, and nothing expires', async () => {
    const clock = new VirtualClock();
    const broken = { newest: () => Promise.reject(new Error('damaged')) };
    expect(await momentOf(clock, broken, {})).toMatchObject({ time: clock.wall, skewed: true });
  });
});

describe('of several equal refunds the newest must be named', () => {
  const made = (...times: (number | undefined)[]) => ({
    charges: [
      { id: 'ch_1', refunds: times.map((createdAt, at) => ({ id: `r${at + 1}`, amount: -5, createdAt })) },
    ],
  });
  const named = (...again: string[]) => ({ ...asked, again });

  it.each<[string, string[], (number | undefined)[], string | undefined]>([
    ['an older one does not count beside it', ['r2'], [1, 2], undefined],
    ['an older one does not stand for it', ['r1'], [1, 2], 'r2'],
    ['wherever it stands in the list', ['r2'], [2, 1], 'r1'],
    ['two of one second are both named', ['r2'], [1, 1], 'r1'],
    ['both are named', ['r1', 'r2'], [1, 1], undefined],
    ['without times all of them are named', ['r1'], [undefined, undefined], 'r2'],
    ['one without a time is named beside one that has it', ['r1'], [1, undefined], 'r2'],
    ['one that has a time is named beside one without it', ['r1'], [undefined, 1], 'r2'],
  ])('%s', (_, again, times, refundId) => {
    const refusal = unnamedEqual(named(...again), made(...times), []);
    expect(refusal).toEqual(
      refundId && expect.objectContaining({ why: 'equal', chargeId: 'ch_1', refundId, amount: -5, again }),
    );
  });

  const refunds = [{ chargeId: 'ch_1', id: 'r2', amount: -5, createdAt: undefined, authCode: undefined }];

  it('what the named one repeated is older, times or not', () => {
    const repeat = attempt([{ verdict: 'applied', refunds }], { again: ['r1'] });
    expect(unnamedEqual(named('r2'), made(undefined, undefined), [repeat])).toBeUndefined();
    expect(unnamedEqual(named('r1'), made(undefined, undefined), [repeat])).toMatchObject({ refundId: 'r2' });
  });

  it('what a repeat that was not made wanted to repeat must still be named', () => {
    const repeat = attempt([{ verdict: 'not_sent' }], { again: ['r1'] });
    expect(unnamedEqual(asked, made(1), [repeat])).toMatchObject({ refundId: 'r1' });
  });

  it('what another attempt made is no repeat of it', () => {
    const other = attempt([{ verdict: 'applied', refunds }]);
    expect(unnamedEqual(named('r2'), made(undefined, undefined), [other])).toMatchObject({ refundId: 'r1' });
  });

  it('the name of a repeat stands for what that one repeated', () => {
    const repeat = attempt([{ verdict: 'not_seen' }], { again: ['r1'] });
    expect(unnamedEqual(named('i_1'), made(1), [repeat])).toBeUndefined();
    const second = attempt([{ verdict: 'not_seen' }], { change: 'i_2', again: ['i_1'] });
    expect(unnamedEqual(named('i_2'), made(1), [repeat, second])).toBeUndefined();
    expect(unnamedEqual(named('i_2'), made(1), [repeat])).toMatchObject({ refundId: 'r1' });
  });

  it('what another row of the same plan repeated does not count, as that row does not', () => {
    const row = attempt([{ verdict: 'applied', refunds }], { plan: 'p_1', ref: 'a', again: ['r1'] });
    const next = { ...asked, plan: 'p_1', ref: 'b' };
    expect(unnamedEqual(next, made(1, 2), [row])).toBeUndefined();
    expect(unnamedEqual({ ...next, plan: 'p_2' }, made(1, 2), [row])).toMatchObject({ refundId: 'r2' });
  });

  it('what the named one repeated may stand behind an attempt that was refused', () => {
    const refused = attempt([{ verdict: 'rejected', confirmed: true }], { again: ['r1'] });
    const repeat = attempt([{ verdict: 'applied', refunds }], { change: 'i_2', again: ['i_1'] });
    const both = made(undefined, undefined);
    expect(unnamedEqual(named('r2'), both, [refused, repeat])).toBeUndefined();
    expect(unnamedEqual(named('r2'), both, [repeat])).toMatchObject({ refundId: 'r1' });
  });
});

describe('--again', () => {
  const over = now(2_000_000);
  const repeat = (verdict: VerdictRow['verdict'], more: Partial<SentRow> = {}) =>
    attempt([{ verdict }], { change: 'i_2', again: ['r1'], ...more });

  it('is used up by one sending, whatever became of it', () => {
    for (const verdict of ['applied', 'rejected', 'unknown', 'not_seen'] as const) {
      const record = repeat(verdict);
      expect(usedUp(['r0', 'r1'], [record])).toEqual({ why: 'used_up', name: 'r1', attempt: record });
    }
    expect(usedUp(['r1'], [attempt([], { again: ['r1'] })])).toMatchObject({ why: 'used_up' });
    expect(decide({ ...asked, again: ['r1'] }, [repeat('applied')], over)).toMatchObject({
      refusal: { why: 'used_up', name: 'r1' },
    });
  });

  it('is not used up where nothing left, nor by a repeat of something else', () => {
    expect(usedUp(['r1'], [repeat('not_sent')])).toBeUndefined();
    expect(usedUp(['r2'], [repeat('applied')])).toBeUndefined();
    expect(usedUp(['r1'], [attempt([{ verdict: 'applied' }])])).toBeUndefined();
    expect(usedUp([], [repeat('applied')])).toBeUndefined();
  });

  it('names the last attempt that used it up', () => {
    const [first, second] = [repeat('rejected', { change: 'i_3' }), repeat('rejected', { change: 'i_4' })];
    expect(usedUp(['r1'], [first, second])).toMatchObject({ attempt: second });
  });

  it('must name the newest of those that were not seen', () => {
    const [one, two] = [attempt([{}]), attempt([{}], { change: 'i_2' })];
    const refusal = (again: string[]) => decide({ ...asked, again }, [one, two], over);
    expect(refusal([])).toEqual({ go: 'refuse', refusal: { why: 'not_seen', attempt: two } });
    expect(refusal(['i_2'])).toEqual({ go: 'refuse', refusal: { why: 'not_seen', attempt: one } });
    expect(refusal(['i_1', 'i_2'])).toMatchObject({ go: 'send', doubtful: [one, two] });
  });

  it('calls a second attempt by its number too', () => {
    expect(attemptName(attempt([]))).toBe('i_1');
    expect(attemptName(attempt([], { attempt: 2 }))).toBe('i_1.2');
  });

  it('names a refund or an attempt like what is asked for, nothing else', () => {
    const refunds = [
      { id: 'r1', amount: -5 },
      { id: 'r2', amount: -6 },
    ];
    const before = {
      charges: [
        { id: 'ch_1', refunds },
        { id: 'ch_2', refunds: [{ id: 'r3', amount: -5 }] },
      ],
    };
    const refused = (...again: string[]) => nothingToRepeat({ ...asked, again }, before, [attempt([])], []);
    expect(refused('r1', 'i_1')).toBeUndefined();
    for (const name of ['i_2', 'r2', 'r3'])
      expect(refused('r1', name)).toEqual({ why: 'nothing_to_repeat', name });
    const other = { ...asked, expected: [{ chargeId: 'ch_1', amount: -6 }], again: ['i_1'] };
    expect(nothingToRepeat(other, before, [attempt([])], [])).toMatchObject({ name: 'i_1' });
    expect(nothingToRepeat({ ...other, expected: undefined }, before, [attempt([])], [])).toMatchObject({
      name: 'i_1',
    });
  });
});

describe('a final read that is older than what the journal knows', () => {
  const refunds = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
  const none = { charges: [{ id: 'ch_1', refunds: [] }] };

  it('does not show a refund that was made on the order', () => {
    const made = attempt([{ verdict: 'applied', refunds }]);
    expect(oldRead({ orderId: 'ord_1' }, none, [made])).toBe(
      'refund r1 was made, and the order does not show it yet',
    );
    expect(
      oldRead({ orderId: 'ord_1' }, { charges: [{ id: 'ch_1', refunds: [{ id: 'r1', amount: -5 }] }] }, [
        made,
      ]),
    ).toBeUndefined();
  });

  it('may lack a refund of the other mode, if it shows its livemode', () => {
    const made = attempt([{ verdict: 'applied', refunds }]);
    const problem = 'refund r1 was made, and the order does not show it yet';
    expect(oldRead({ orderId: 'ord_1', livemode: true }, none, [made])).toBeUndefined();
    expect(oldRead({ orderId: 'ord_1', livemode: false }, none, [made])).toBe(problem);
  });

  it('is not told by a refund of another order, one refund without an id, or one that was not made', () => {
    expect(oldRead({ orderId: 'ord_2' }, none, [attempt([{ verdict: 'applied', refunds }])])).toBeUndefined();
    expect(oldRead({ orderId: 'ord_1' }, none, [attempt([{ verdict: 'unknown', refunds }])])).toBeUndefined();
    expect(oldRead({ orderId: 'ord_1' }, none, [attempt([{ verdict: 'applied' }])])).toBeUndefined();
    expect(oldRead({ orderId: 'ord_1' }, none, [attempt([])])).toBeUndefined();
    const stray = [
      { chargeId: 'ch_1', id: undefined, amount: -5, createdAt: undefined, authCode: undefined },
    ];
    expect(
      oldRead({ orderId: 'ord_1' }, none, [attempt([{ verdict: 'applied', refunds: stray }])]),
    ).toBeUndefined();
    const both = [...stray, ...refunds];
    const problem = 'refund r1 was made, and the order does not show it yet';
    expect(oldRead({ orderId: 'ord_1' }, none, [attempt([{ verdict: 'applied', refunds: both }])])).toBe(
      problem,
    );
  });
});

describe('what this run found to have been made after all', () => {
  const made = attempt([{ verdict: 'applied' }], { idempotencyKey: 't' });

  it('is not sent once more', () => {
    expect(appeared(asked, [made])).toEqual({ why: 'appeared', attempt: made, verdict: made.verdicts[0] });
    expect(appeared({ ...asked, idempotencyKey: 'u' }, [made])).toMatchObject({ why: 'appeared' });
  });

  it('is not in the way of its own script, of something else, or of an order under an id of its own', () => {
    expect(appeared({ ...asked, idempotencyKey: 't' }, [made])).toBeUndefined();
    const other = { ...asked, expected: [{ chargeId: 'ch_1', amount: -6 }] };
    expect(appeared(other, [made])).toBeUndefined();
    expect(appeared(asked, [attempt([{ verdict: 'not_seen' }]), attempt([])])).toBeUndefined();
    const order = { ...asked, kind: 'order', expected: undefined } as const;
    expect(appeared(order, [made])).toBeUndefined();
    const created = attempt([{ verdict: 'applied' }], {
      proof: { ...made.sent.proof, kind: 'order', expected: [] },
    });
    expect(appeared(order, [created])).toMatchObject({ why: 'appeared' });
    expect(appeared({ ...order, idempotencyKey: 'u' }, [created])).toBeUndefined();
  });
});

it('an earlier attempt under the same idempotency key is in the way while it is open, whatever it asked for', () => {
  const none = { ...asked, kind: 'api', orderId: undefined, expected: undefined } as const;
  const typed = { idempotencyKey: 't', asked: { path: 'things' } };
  const api = {
    ...typed,
    proof: { ...attempt([]).sent.proof, kind: 'api', orderId: undefined, expected: [] },
  } as const;
  const first = attempt([{ verdict: 'unknown' }], {
    ...api,
    asked: { path: 'other' },
    request: { method: 'POST', path: 'other' },
  });
  const second = attempt([{ verdict: 'not_sent' }], { ...api, attempt: 2 });
  const decision = (more: object) => decide({ ...none, ...more }, [first, second], now(2000));
  expect(decision(typed)).toMatchObject({ refusal: { why: 'open', attempt: first } });
  expect(decision({ ...typed, idempotencyKey: 'u' })).toMatchObject({
    go: 'send',
    change: 'i_new',
    attempt: 1,
  });
});

describe('what a person or a read said was made', () => {
  const since = (ms: number) => now(ms);
  const order = { ...asked, kind: 'order', orderId: undefined, expected: undefined } as const;
  const proof = { ...attempt([]).sent.proof, kind: 'order', orderId: undefined, expected: [] } as const;
  const made = (more: Partial<VerdictRow>) => attempt([{ verdict: 'applied', ...more }], { proof });
  const dayMs = 86_400_000;

  it('an order that a read found is not created once more within a day', () => {
    expect(decide(order, [made({})], since(dayMs - 1))).toMatchObject({ refusal: { why: 'made' } });
    expect(decide(order, [made({})], since(dayMs))).toMatchObject({ go: 'send' });
    const later = attempt([{ verdict: 'applied' }], { proof, time: dayMs });
    expect(decide(order, [later], since(2 * dayMs - 1))).toMatchObject({ refusal: { why: 'made' } });
    expect(decide(order, [made({ by: 'reply' })], since(1))).toMatchObject({ go: 'send' });
  });

  it('a refund that a read found is in the order, so the final read tells', () => {
    expect(decide(asked, [attempt([{ verdict: 'applied' }])], since(1))).toMatchObject({ go: 'send' });
    const capture = attempt([{ verdict: 'applied', by: 'person' }], {
      proof: { ...attempt([]).sent.proof, kind: 'capture' },
    });
    expect(decide(asked, [capture], since(9e9))).toMatchObject({ go: 'send' });
  });

  it('what a person stated not to be made may be sent', () => {
    const stated = attempt([{ verdict: 'rejected', by: 'person', confirmed: true }]);
    expect(decide(asked, [stated], since(1))).toMatchObject({ go: 'send' });
  });
});

it('an open attempt is in the way of any other change of its order', () => {
  const open = attempt([{ verdict: 'unknown' }]);
  const other = { ...asked, request: { ...request, path: 'orders/ord_1/capture' } };
  expect(decide(other, [open], now(2000))).toMatchObject({ refusal: { why: 'open', attempt: open } });
});

it('where there is no order, an attempt at something else says nothing, whatever became of it', () => {
  const api = { ...asked, kind: 'api', orderId: undefined, expected: undefined } as const;
  const other = attempt([], { request: { method: 'POST', path: 'other' } });
  expect(decide(api, [other], now(2000))).toMatchObject({ go: 'send', doubtful: [] });
});

it('a row that does not say what was typed is compared by its money', () => {
  const old = attempt([{ verdict: 'applied', by: 'reply' }], { idempotencyKey: 't' });
  const typed = { ...asked, idempotencyKey: 't', asked: { order: 'ord_1' } };
  expect(decide(typed, [old], now(1))).toMatchObject({ go: 'recorded' });
  const row = attempt([{ verdict: 'applied', by: 'reply' }], {
    idempotencyKey: 't',
    asked: { order: 'ord_1' },
  });
  expect(decide({ ...asked, idempotencyKey: 't' }, [row], now(1))).toMatchObject({ go: 'recorded' });
});

describe('an equal refund', () => {
  const refunds = (...all: [string, number, number?][]) => ({
    charges: [{ id: 'ch_1', refunds: all.map(([id, amount, createdAt]) => ({ id, amount, createdAt })) }],
  });

  it('of another row counts where there is no plan', () => {
    const made = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
    const row = attempt([{ verdict: 'applied', refunds: made }], { ref: 'a' });
    expect(unnamedEqual({ ...asked, ref: 'b' }, refunds(['r1', -5]), [row])).toMatchObject({
      refundId: 'r1',
    });
  });

  it('is not excused by a newer one of another amount that is named', () => {
    const again = { ...asked, again: ['r2'] };
    expect(unnamedEqual(again, refunds(['r1', -5, 1], ['r2', -6, 2]), [])).toMatchObject({ refundId: 'r1' });
  });

  it('whose time lies before that of what it repeats must be named all the same', () => {
    const made = [{ chargeId: 'ch_1', id: 'r2', amount: -5, createdAt: undefined, authCode: undefined }];
    const repeat = attempt([{ verdict: 'applied', refunds: made }], { again: ['r1'] });
    expect(unnamedEqual(asked, refunds(['r1', -5, 5], ['r2', -5, 3]), [repeat])).toMatchObject({
      refundId: 'r2',
    });
  });

  it('on one of several charges is told', () => {
    const expected = [
      { chargeId: 'ch_2', amount: -7 },
      { chargeId: 'ch_1', amount: -5 },
    ];
    expect(unnamedEqual({ ...asked, expected }, refunds(['r1', -5]), [])).toMatchObject({ refundId: 'r1' });
    expect(
      nothingToRepeat({ ...asked, expected, again: ['r1'] }, refunds(['r1', -5]), [], []),
    ).toBeUndefined();
  });

  it('and nothing else can be named where no money is asked for', () => {
    const none = { ...asked, expected: undefined, again: ['r1'] };
    expect(nothingToRepeat(none, refunds(['r1', -5]), [], [])).toEqual({
      why: 'nothing_to_repeat',
      name: 'r1',
    });
  });
});

describe('a refund that a person recorded as made and the order does not show', () => {
  const byHand = attempt([{ verdict: 'applied', by: 'person' }]);
  const other = { ...asked, expected: [{ chargeId: 'ch_1', amount: -4 }] };

  it('refuses a refund of another amount of its charge, and of no other charge', () => {
    expect(unshownRefund(other, [byHand], [byHand])).toEqual({
      why: 'unshown',
      attempt: byHand,
      name: 'i_1',
      again: [],
      orderId: 'ord_1',
      request,
    });
    const elsewhere = { ...asked, expected: [{ chargeId: 'ch_2', amount: -5 }] };
    expect(unshownRefund(elsewhere, [byHand], [byHand])).toBeUndefined();
    expect(unshownRefund({ ...asked, expected: undefined }, [byHand], [byHand])).toBeUndefined();
    const both = [{ chargeId: 'ch_2', amount: -5 }, ...other.expected];
    expect(unshownRefund({ ...asked, expected: both }, [byHand], [byHand])).toMatchObject({ name: 'i_1' });
    expect(unshownRefund(other, [], [byHand])).toBeUndefined();
  });

  it('of several charges refuses a refund of any one of them', () => {
    const { proof } = byHand.sent;
    const whole = attempt([{ verdict: 'applied', by: 'person' }], {
      proof: { ...proof, expected: [{ chargeId: 'ch_2', amount: -9 }, ...proof.expected] },
    });
    expect(unshownRefund(other, [whole], [whole])).toMatchObject({ why: 'unshown', name: 'i_1' });
  });

  it('lets a refund through that names it in --again, but not one of two', () => {
    expect(unshownRefund({ ...other, again: ['i_1'] }, [byHand], [byHand])).toBeUndefined();
    const second = attempt([{ verdict: 'applied', by: 'person' }], { change: 'i_2' });
    const two = [byHand, second];
    expect(unshownRefund({ ...other, again: ['i_1'] }, two, two)).toMatchObject({
      attempt: second,
      name: 'i_2',
      again: ['i_1'],
    });
  });

  it('lets another row of its own plan through, which was meant to be paid besides', () => {
    const row = attempt([{ verdict: 'applied', by: 'person' }], { plan: 'p_1', ref: 'a' });
    const planned = (ref: string) => unshownRefund({ ...other, plan: 'p_1', ref }, [row], [row]);
    expect(planned('b')).toBeUndefined();
    expect(planned('a')).toMatchObject({ why: 'unshown' });
  });

  it('is named by the last sending that named it, since each name works once', () => {
    const sentAgain = (verdict: VerdictRow['verdict']) => [
      byHand,
      attempt([{ verdict }], { change: 'i_2', again: ['i_1'] }),
      attempt([{ verdict: 'applied' }], { change: 'i_3', again: ['i_2'] }),
      attempt([{ verdict: 'applied' }], { change: 'i_4', again: ['r1'] }),
    ];
    const named = (known: readonly AttemptRecord[], ...again: string[]) =>
      unshownRefund({ ...other, again }, [byHand], known);
    expect(named(sentAgain('rejected'))).toMatchObject({ name: 'i_3' });
    expect(named(sentAgain('rejected'), 'i_3')).toBeUndefined();
    expect(named(sentAgain('rejected'), 'i_4')).toMatchObject({ name: 'i_3' });
    // What never left the machine has used up nothing.
    expect(named(sentAgain('not_sent'))).toMatchObject({ name: 'i_1' });
    expect(named([byHand, attempt([], { change: 'i_2', again: ['i_1'] })])).toMatchObject({ name: 'i_2' });
  });

  it('is a name that --again may have, whatever the amount, but not for another charge', () => {
    const before = { charges: [{ id: 'ch_1', refunds: [] }] };
    const known = [byHand, attempt([{ verdict: 'rejected' }], { change: 'i_2', again: ['i_1'] })];
    const problem = (again: string, more = other, unshown = [byHand]) =>
      nothingToRepeat({ ...more, again: [again] }, before, known, unshown);
    expect(problem('i_2')).toBeUndefined();
    expect(problem('i_9')).toEqual({ why: 'nothing_to_repeat', name: 'i_9' });
    expect(problem('i_2', other, [])).toMatchObject({ name: 'i_2' });
    const elsewhere = { ...asked, expected: [{ chargeId: 'ch_2', amount: -4 }] };
    expect(problem('i_2', elsewhere)).toMatchObject({ name: 'i_2' });
  });
});

describe('the order does not show a refund that a person recorded as made', () => {
  const shown = (refunds: [string, number][], changes = {}) => ({
    ...order(charge('ch_1', 100, refunds)),
    livemode: false,
    ...changes,
  });
  const byHand: Partial<VerdictRow> = { verdict: 'applied', by: 'person' };
  const { proof } = attempt([]).sent;
  it.each<[string, AttemptRecord, object, boolean]>([
    ['while it shows no refund', attempt([byHand]), shown([]), true],
    ['while it shows one of another amount', attempt([byHand]), shown([['r1', -6]]), true],
    ['while it cannot be read', attempt([byHand]), {}, true],
    ['while its figures do not agree', attempt([byHand]), shown([], { amount_refunded: 5 }), true],
    ['not once it shows it', attempt([byHand]), shown([['r1', -5]]), false],
    [
      'not once it shows it as failed, so that nothing went back',
      attempt([byHand]),
      {
        ...order({
          ...charge('ch_1', 100, []),
          refunds: { data: [{ id: 'r1', amount: -5, status: 'failed' }] },
        }),
        livemode: false,
      },
      false,
    ],
    [
      'not when it shows it twice',
      attempt([byHand]),
      shown([
        ['r1', -5],
        ['r2', -5],
      ]),
      false,
    ],
    [
      'not if the person said that it was not made',
      attempt([{ ...byHand, verdict: 'rejected' }]),
      shown([]),
      false,
    ],
    ['not if a reply or a read said so', attempt([{ verdict: 'applied' }]), shown([]), false],
    [
      'not if the person was corrected',
      attempt([byHand, { ...byHand, verdict: 'rejected' }]),
      shown([]),
      false,
    ],
    [
      'not if it is a capture, even while the order cannot be read',
      attempt([byHand], { proof: { ...proof, kind: 'capture' } }),
      {},
      false,
    ],
    ['not without a verdict', attempt([]), shown([]), false],
  ])('%s', (_, record, value, expected) => {
    expect(unshownRefunds([record], value)).toEqual(expected ? [record] : []);
  });

  it('while what it shows belongs to another attempt, or was made before this one was sent', () => {
    const record = attempt([byHand]);
    const refunds = [{ chargeId: 'ch_1', id: 'r1', amount: -5, createdAt: undefined, authCode: undefined }];
    const other = attempt([{ verdict: 'applied', by: 'reply', refunds }], { change: 'i_2' });
    expect(unshownRefunds([record, other], shown([['r1', -5]]))).toEqual([record]);
    const late = attempt([byHand], { time: 2_000_000_000_000 });
    const early = {
      ...charge('ch_1', 100, []),
      refunds: { data: [{ id: 'r1', amount: -5, created_at: 5 }] },
    };
    expect(unshownRefunds([late], { ...order(early), livemode: false })).toEqual([late]);
  });
});
