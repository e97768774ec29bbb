import { describe, expect, it } from 'vitest';
import { isDue } from '../../src/journal/attempt-state.ts';
import type { Effect, Event } from '../../src/journal/protocol-types.ts';
import { beginResolve, type Errand, resolve } from '../../src/journal/resolve.ts';
import type { AttemptRecord, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { refusalError } from '../../src/journal/words/refusal-error.ts';
import { RecordedFirst } from '../../src/journal/words/refusal-words.ts';
import { attempt as attemptWith, horizonMs, momentAt, verdict } from './rows.ts';
import { orderWith as order } from './world.ts';

const at = momentAt;
const attempt = (...verdicts: Partial<VerdictRow>[]): AttemptRecord => attemptWith(verdicts);

// Its first refund failed, and the sum went back.
function failed(value: ReturnType<typeof order>): unknown {
  const shown = JSON.parse(JSON.stringify(value));
  const [first] = shown.charges.data[0].refunds.data;
  first.status = 'failed';
  shown.amount_refunded += first.amount;
  return shown;
}

// The refund records of an order, as a verdict keeps them.
function refundsOf(value: ReturnType<typeof order>) {
  const evidence = run(attempt(), [{ is: 'seen', value, moment: at(later) }]).state;
  return evidence.at === 'recording' ? (evidence.row.refunds ?? []) : [];
}

const shownRefund = { chargeId: 'ch_1', amount: -5, createdAt: undefined, authCode: undefined };

const locked: Event = { is: 'locked' };
// Two minutes after `send_by` a person may state that it was not made.
const later = 130_000;
const seen = (value: unknown, time = later): Event => ({ is: 'seen', value, moment: at(time) });
const unseen: Event = { is: 'unseen', why: 'no answer', moment: at(later) };
const checked: Event = { is: 'checked', moment: at(2000) };
const recorded: Event = { is: 'recorded', moment: at(2000) };

function run(record: AttemptRecord, events: readonly Event[], statement?: Errand['statement']) {
  const known: Event = { is: 'known', attempts: [record], moment: at(0) };
  const first = beginResolve({ change: 'i_1', attempt: 1, statement });
  return [locked, known, ...events].reduce(({ state }, event) => resolve(state, event), first);
}

function added(record: AttemptRecord, read: Event): VerdictRow | undefined {
  const { effect } = run(record, [read]);
  return effect.do === 'record' && effect.row.type === 'verdict' ? effect.row : undefined;
}

describe('a look at an open attempt', () => {
  it.each<[string, AttemptRecord, Event, object | undefined]>([
    ['SENT, and the order shows it', attempt(), seen(order(5)), { verdict: 'applied', by: 'read' }],
    ['SENT, and the order does not', attempt(), seen(order()), { verdict: 'not_seen' }],
    ['SENT, and no read: its horizon begins', attempt(), unseen, { verdict: 'unknown', by: 'sender' }],
    ['SENT, and twice: an alarm', attempt(), seen(order(5, 5)), { verdict: 'applied', alarm: 'duplicate' }],
    [
      'unknown, and the order shows it',
      attempt({ verdict: 'unknown' }),
      seen(order(5)),
      { verdict: 'applied' },
    ],
    ['unknown, and no read: nothing new', attempt({ verdict: 'unknown' }), unseen, undefined],
    ['not seen, and still not: nothing new', attempt({}), seen(order()), undefined],
    [
      'not seen, and still not when its time is over: written once more',
      attempt({}),
      seen(order(), 1000 + horizonMs),
      { verdict: 'not_seen' },
    ],
    [
      'not seen while the clocks disagreed: written once more, which starts the horizon',
      attempt({ skewed: true }),
      seen(order()),
      { verdict: 'not_seen', skewed: undefined },
    ],
    [
      'not seen, and the clocks disagree now: nothing new',
      attempt({ skewed: true }),
      { is: 'seen', value: order(), moment: { ...at(2000), skewed: true } },
      undefined,
    ],
    [
      'SENT, and the clocks disagree: the row says so',
      attempt(),
      { is: 'seen', value: order(), moment: { ...at(2000), skewed: true } },
      { verdict: 'not_seen', skewed: true },
    ],
    [
      'not seen after its time: nothing new',
      attempt({}, { time: 1000 + horizonMs }),
      seen(order(), 1001 + horizonMs),
      undefined,
    ],
    [
      'not seen, and now it is there (F4)',
      attempt({}),
      seen(order(5)),
      { verdict: 'applied', alarm: undefined },
    ],
    [
      'an alarm stays',
      attempt({ verdict: 'unknown', alarm: 'contradiction' }),
      seen(order(5)),
      { verdict: 'applied', alarm: 'contradiction' },
    ],
    [
      'not confirmed, and the order does not show it',
      attempt({ verdict: 'rejected', confirmed: false }),
      seen(order()),
      { verdict: 'rejected', confirmed: true },
    ],
    [
      'not confirmed, and the order shows it',
      attempt({ verdict: 'rejected', confirmed: false }),
      seen(order(5)),
      { verdict: 'applied', alarm: 'applied_though_rejected' },
    ],
    [
      'seen once, and now twice: an alarm',
      attempt({ verdict: 'applied' }),
      seen(order(5, 5)),
      { verdict: 'applied', alarm: 'duplicate' },
    ],
    [
      'made, and still once: the look is written down, so that it is not looked at again too soon',
      attempt({ verdict: 'applied', by: 'reply' }),
      seen(order(5)),
      { verdict: 'applied', by: 'reply', alarm: undefined, why: 'checked again: the service shows it' },
    ],
    [
      'made as its reply said, and now twice: an alarm',
      attempt({ verdict: 'applied', by: 'reply' }),
      seen(order(5, 5)),
      { verdict: 'applied', by: 'reply', alarm: 'duplicate' },
    ],
    [
      'made, and its figures do not agree: an alarm',
      attempt({ verdict: 'applied', by: 'reply' }),
      seen({ ...order(5), amount_refunded: 10 }),
      {
        verdict: 'applied',
        by: 'reply',
        alarm: 'disagreement',
        why: expect.stringContaining('amount_refunded'),
      },
    ],
    [
      'made, its figures did not agree, and now they do: the alarm is over',
      attempt({ verdict: 'applied', by: 'reply', alarm: 'disagreement' }),
      seen(order(5)),
      { verdict: 'applied', by: 'reply', alarm: undefined },
    ],
    [
      'made, and it failed meanwhile: an alarm',
      attempt({ verdict: 'applied', by: 'reply' }),
      seen(failed(order(5))),
      {
        verdict: 'applied',
        by: 'reply',
        alarm: 'failed',
        why: 'the order now shows refund ref_1 as failed',
        refunds: [expect.objectContaining({ id: 'ref_1' })],
      },
    ],
    [
      'made twice, and one failed meanwhile: the alarm stays as it was',
      attempt({ verdict: 'applied', by: 'reply', alarm: 'duplicate' }),
      seen(failed(order(5))),
      { verdict: 'applied', alarm: 'duplicate' },
    ],
    [
      'made twice, and its figures do not agree: the alarm stays as it was',
      attempt({ verdict: 'applied', by: 'reply', alarm: 'duplicate' }),
      seen({ ...order(5), amount_refunded: 10 }),
      { verdict: 'applied', alarm: 'duplicate' },
    ],
    [
      'made, and it does not show any more: nothing new',
      attempt({ verdict: 'applied', by: 'reply' }),
      seen(order()),
      undefined,
    ],
    [
      'not seen, and now its figures do not agree: unknown, with both',
      attempt({}),
      seen({ ...order(), amount_refunded: 300 }),
      { verdict: 'unknown', why: 'amount_refunded is 300, but no refund is listed for it' },
    ],
    [
      'seen twice before, and still',
      attempt({ verdict: 'applied', alarm: 'duplicate' }),
      seen(order(5, 5)),
      { verdict: 'applied', alarm: 'duplicate' },
    ],
    [
      'seen once, and still once when its time is over: written once more, as it was',
      attempt({ verdict: 'applied', alarm: 'contradiction', created: 'c', refunds: [] }),
      seen(order(5), 1000 + horizonMs),
      {
        verdict: 'applied',
        by: 'read',
        why: 'checked after the waiting period: nothing more appeared',
        alarm: 'contradiction',
        created: 'c',
        refunds: [expect.objectContaining({ id: 'ref_1' })],
      },
    ],
    [
      'seen twice, and still twice when its time is over: written once more',
      attempt({ verdict: 'applied', alarm: 'duplicate' }),
      seen(order(5, 5), 1000 + horizonMs),
      { verdict: 'applied', alarm: 'duplicate' },
    ],
    [
      'seen once, and twice when its time is over: an alarm',
      attempt({ verdict: 'applied' }),
      seen(order(5, 5), 1000 + horizonMs),
      { verdict: 'applied', alarm: 'duplicate', why: 'the service shows it more than once' },
    ],
    [
      'seen once, and an old copy when its time is over: nothing new',
      attempt({ verdict: 'applied' }),
      seen(order(), 1000 + horizonMs),
      undefined,
    ],
    [
      'seen once, its time is over, and the clocks disagree now: a look that does not end the watch',
      attempt({ verdict: 'applied' }),
      { is: 'seen', value: order(5), moment: { ...at(1000 + horizonMs), skewed: true } },
      { verdict: 'applied', skewed: true, why: 'checked again: the service shows it' },
    ],
  ])('%s', (_, record, read, row) => {
    const found = added(record, read);
    expect(found === undefined ? undefined : { ...found }).toEqual(
      row === undefined ? undefined : expect.objectContaining(row),
    );
  });

  it('nothing is read for what was settled meanwhile', () => {
    const { state } = run(attempt({ verdict: 'not_sent' }), []);
    expect(state).toMatchObject({ at: 'releasing', end: { how: 'looked' } });
  });

  it('a busy order is left alone (F21)', () => {
    const busy = resolve(beginResolve({ change: 'i_1', attempt: 1 }).state, { is: 'busy', owner: undefined });
    expect(busy).toMatchObject({
      state: { at: 'done', end: { refusal: { why: 'busy' } } },
      effect: { do: 'finish' },
    });
  });

  it('a row that is written ends the look, with what it adds and shows', () => {
    const { state, effect } = run(attempt(), [seen(order(5)), recorded]);
    expect(effect).toEqual({ do: 'release' });
    expect(state).toMatchObject({
      end: {
        how: 'looked',
        record: { verdicts: [{ verdict: 'applied' }] },
        added: { verdict: 'applied' },
        evidence: { shows: 'expected' },
      },
    });
  });

  it('a refund that came after the time of an attempt, and before which a later one was sent, is not of it', () => {
    const [first, second] = [attempt({ verdict: 'rejected', confirmed: false }), attempt()];
    const later = { ...second, sent: { ...second.sent, change: 'i_2', time: 1000 + horizonMs } };
    const known: Event = { is: 'known', attempts: [first, later], moment: at(0) };
    const begun = beginResolve({ change: 'i_1', attempt: 1 });
    const { effect } = [locked, known, seen(order(5), 1_000_000)].reduce(
      ({ state }, event) => resolve(state, event),
      begun,
    );
    expect(effect).toMatchObject({ do: 'record', row: { verdict: 'rejected', confirmed: true } });
  });

  it('an attempt that is not in the journal any more is an error', () => {
    const first = resolve(beginResolve({ change: 'i_9', attempt: 1 }).state, locked);
    const { state } = resolve(first.state, { is: 'known', attempts: [attempt()], moment: at(0) });
    expect(state).toMatchObject({ end: { how: 'refused' } });
  });

  it('a verdict that cannot be written down does not count', () => {
    const { state } = run(attempt(), [seen(order(5)), { is: 'unrecorded', cause: 'full', moment: at(0) }]);
    expect(state).toMatchObject({
      end: { how: 'refused', refusal: { why: 'unwritten', cause: 'full' } },
    });
  });

  describe('whose verdict comes second, since another desk recorded one at the same moment,', () => {
    const cause = new RecordedFirst('refused', 'another verdict came first');
    const second: Event = { is: 'unrecorded', cause, moment: at(later) };
    const known = (record: AttemptRecord): Event => ({ is: 'known', attempts: [record], moment: at(later) });
    const unwritten = { end: { how: 'refused', refusal: { why: 'unwritten', cause } } };

    it('looks again, and goes by what stands', () => {
      expect(run(attempt(), [seen(order(5)), second])).toMatchObject({
        state: { at: 'looking' },
        effect: { do: 'look' },
      });
      const stands = attempt({ verdict: 'rejected', by: 'reply', confirmed: true });
      const { state } = run(attempt(), [seen(order(5)), second, known(stands)]);
      expect(state).toMatchObject({ end: { how: 'looked', record: stands } });
    });

    it('does so once', () => {
      const { state } = run(attempt(), [seen(order(5)), second, known(attempt()), seen(order(5)), second]);
      expect(state).toMatchObject(unwritten);
    });

    it('says for nobody again what that person said', () => {
      const statement = { applied: false, operator: 'op7', note: 'no trace' };
      expect(run(attempt({}), [seen(order()), checked, second], statement).state).toMatchObject(unwritten);
    });

    it('acknowledges for nobody', () => {
      const errand = {
        change: 'i_1',
        attempt: 1,
        acknowledgement: { operator: 'op7', note: 'told the buyer' },
      };
      const alarmed = attempt({ verdict: 'applied', by: 'read', alarm: 'duplicate' });
      const { state } = [locked, known(alarmed), seen(order(5, 5)), second].reduce(
        (step, event) => resolve(step.state, event),
        beginResolve(errand),
      );
      expect(state).toMatchObject(unwritten);
    });

    it('is refused with that in words', () => {
      const refusal = { why: 'unwritten', attempt: attempt(), row: verdict('i_1', 1), cause } as const;
      expect(refusalError(refusal, 'ord_1')).toMatchObject({
        kind: 'refused',
        message: 'another desk recorded something about ord_1 at the same moment',
        parts: { now: ['paydesk journal show i_1'] },
      });
    });
  });

  it('an event out of place is a bug', () => {
    expect(() => run(attempt(), [recorded])).toThrow("the journal met 'recorded' while reading");
    expect(() => run(attempt(), [seen(order(5)), checked])).toThrow('while recording');
    const looking = resolve(beginResolve({ change: 'i_1', attempt: 1 }).state, locked);
    expect(() => resolve(looking.state, recorded)).toThrow('while looking');
    expect(() => run(attempt({ verdict: 'not_sent' }), [recorded])).toThrow('while releasing');
    expect(() => resolve(beginResolve({ change: 'i_1', attempt: 1 }).state, recorded)).toThrow(
      'while locking',
    );
    const ended = run(attempt({ verdict: 'not_sent' }), [{ is: 'released' }]);
    expect(() => resolve(ended.state, recorded)).toThrow('while done');
  });
});

describe('settling', () => {
  const made = { applied: true, operator: 'op7', note: 'bank file' };
  const notMade = { applied: false, operator: 'op7', note: 'asked' };

  it.each([
    [made, { verdict: 'applied', by: 'person', why: 'recorded by op7', note: 'bank file' }],
    [notMade, { verdict: 'rejected', by: 'person', confirmed: true, operator: 'op7' }],
  ])('%j is written down where the read does not tell', (statement, row) => {
    for (const read of [seen(order()), unseen]) {
      const asking = run(attempt({}), [read], statement);
      expect(asking.effect.do).toBe('check');
      expect(resolve(asking.state, checked).effect).toMatchObject({ do: 'record', row });
    }
  });

  it('keeps no refund of others that the read shows', () => {
    for (const statement of [made, notMade]) {
      const asking = run(attempt({}), [seen(order(6))], statement);
      expect(resolve(asking.state, checked).effect).toMatchObject({ row: { refunds: undefined } });
    }
  });

  it('is written down with the note that was typed after the read, if there is one', () => {
    const asking = run(attempt({}), [seen(order())], { ...made, note: '' });
    const typed: Event = { ...checked, note: 'seen in the bank file' };
    expect(resolve(asking.state, typed).effect).toMatchObject({ row: { note: 'seen in the bank file' } });
  });

  it('that it was not made is refused until two minutes after send_by, that it was made is not', () => {
    const early = seen(order(), later - 1);
    expect(run(attempt({}), [early], notMade).state).toMatchObject({
      end: { how: 'refused', refusal: { why: 'too_early', attempt: attempt({}), until: later } },
    });
    expect(run(attempt({}), [early], made).effect.do).toBe('check');
  });

  it('is not needed where the read tells, whatever is stated', () => {
    expect(run(attempt({}), [seen(order(5))], notMade).effect).toMatchObject({
      row: { verdict: 'applied', by: 'read' },
    });
  });

  it('cannot take back what was seen', () => {
    const { state } = run(attempt({ verdict: 'applied' }), [unseen], notMade);
    expect(state).toMatchObject({ at: 'releasing', end: { how: 'looked' } });
  });

  it('ends with nothing written when the person stops', () => {
    const asking = run(attempt({}), [seen(order())], notMade);
    expect(resolve(asking.state, { is: 'stopped', cause: 'no' }).state).toMatchObject({
      end: { how: 'refused' },
    });
    expect(() => resolve(asking.state, recorded)).toThrow('while asking');
  });
});

describe('an attempt is due', () => {
  it.each<[string, AttemptRecord, number, boolean]>([
    ['while only SENT is known', attempt(), 9e9, true],
    ['while it is unknown', attempt({ verdict: 'unknown' }), 9e9, true],
    ['not seen, until a read after its horizon', attempt({}), 9e9, true],
    ['not any more after that read', attempt({}, { time: 1000 + horizonMs }), 9e9, false],
    ['never once it is settled', attempt({ verdict: 'not_sent' }), 2000, false],
    [
      'watched when a read showed it, until a read after its horizon',
      attempt({ verdict: 'applied' }),
      9e9,
      true,
    ],
    [
      'not any more after that',
      attempt({ verdict: 'applied' }, { verdict: 'applied', time: 1000 + horizonMs }),
      9e9,
      false,
    ],
    ['at once when its reply showed it', attempt({ verdict: 'applied', by: 'reply' }), 2000, true],
    [
      'not too soon after a look: its age must be four times what it was then',
      attempt({ verdict: 'applied', by: 'reply' }, { verdict: 'applied', by: 'reply', time: 2000 }),
      4999,
      false,
    ],
    [
      'again when it is four times as old as at the last look',
      attempt({ verdict: 'applied', by: 'reply' }, { verdict: 'applied', by: 'reply', time: 2000 }),
      5000,
      true,
    ],
    [
      'once its time is over, however long ago the last look was',
      attempt({ verdict: 'applied', by: 'reply' }, { verdict: 'applied', by: 'reply', time: 800_000 }),
      1000 + horizonMs,
      true,
    ],
    ['never when a person said that it was made', attempt({ verdict: 'applied', by: 'person' }), 9e9, false],
  ])('%s', (_, record, time, due) => {
    expect(isDue(record, at(time))).toBe(due);
  });

  it.each(['capture', 'order'] as const)(
    'a %s not any more once a read showed it: none shows it twice',
    (kind) => {
      const { sent, verdicts } = attempt({ verdict: 'applied' });
      expect(isDue({ sent: { ...sent, proof: { ...sent.proof, kind } }, verdicts }, at(2000))).toBe(false);
    },
  );

  it('never when no read can show it', () => {
    const { sent, verdicts } = attempt();
    expect(isDue({ sent: { ...sent, proof: { ...sent.proof, kind: 'checkout' } }, verdicts }, at(0))).toBe(
      false,
    );
  });
});

describe('a look beside a later attempt of the order', () => {
  const looking = (record: AttemptRecord, ...others: readonly AttemptRecord[]) => {
    const known: Event = { is: 'known', attempts: [record, ...others], moment: at(2000) };
    const first = beginResolve({ change: 'i_1', attempt: 1 });
    return [locked, known].reduce(({ state }, event) => resolve(state, event), first).effect.do;
  };
  const another = (
    sent: Partial<AttemptRecord['sent']>,
    ...verdicts: Partial<VerdictRow>[]
  ): AttemptRecord => {
    const record = attempt(...verdicts);
    return { ...record, sent: { ...record.sent, change: 'i_2', ...sent } };
  };
  const made = { verdict: 'applied', by: 'reply' } as const;
  const elsewhere = { proof: { ...attempt().sent.proof, orderId: 'ord_2' } };

  it.each<[string, string, AttemptRecord, AttemptRecord]>([
    [
      'one that was not seen and was sent again is not read',
      'release',
      attempt({}),
      another({ again: ['i_1'] }),
    ],
    ['the repeat of another one changes nothing', 'reread', attempt({}), another({ again: ['i_3'] }, made)],
    [
      'a repeat that was not sent changes nothing',
      'reread',
      attempt({}),
      another({ again: ['i_1'] }, { verdict: 'not_sent' }),
    ],
    [
      'one that was made is read beside a later one that is unconfirmed: what shows twice is not taken for its own',
      'reread',
      attempt(made),
      another({}, {}),
    ],
    [
      'one that was made is read beside a later one that was made',
      'reread',
      attempt(made),
      another({}, made),
    ],
    ['what is unconfirmed at another order changes nothing', 'reread', attempt(made), another(elsewhere, {})],
    ['one that was made is read where it is the only one', 'reread', attempt(made), attempt(made)],
  ])('%s', (_, does, record, other) => {
    expect(looking(record, other)).toBe(does);
  });
});

describe('two equal refunds, one of which may be that of another attempt', () => {
  const made = { verdict: 'applied', by: 'reply' } as const;
  const other = (more: Partial<AttemptRecord['sent']>, ...verdicts: Partial<VerdictRow>[]): AttemptRecord => {
    const record = attempt(...verdicts);
    return { ...record, sent: { ...record.sent, change: 'i_2', ...more } };
  };
  const rowOf = (record: AttemptRecord, beside: AttemptRecord): VerdictRow | undefined => {
    const known: Event = { is: 'known', attempts: [record, beside], moment: at(2000) };
    const first = beginResolve({ change: 'i_1', attempt: 1 });
    const { effect } = [locked, known, seen(order(5, 5))].reduce(
      ({ state }, event) => resolve(state, event),
      first,
    );
    return effect.do === 'record' && effect.row.type === 'verdict' ? effect.row : undefined;
  };
  const sixes = { proof: { ...attempt().sent.proof, expected: [{ chargeId: 'ch_1', amount: -6 }] } };

  it('say nothing of the one that was made while the other one is open', () => {
    expect(rowOf(attempt(made), other({}))).toBeUndefined();
    expect(rowOf(attempt(made), other({}, { verdict: 'not_seen' }))).toBeUndefined();
  });

  it.each<[string, AttemptRecord, AttemptRecord]>([
    ['the other one is settled', attempt(made), other({}, { verdict: 'not_sent' })],
    ['the other one is of another amount', attempt(made), other(sixes)],
    ['it was not known to be made', attempt({ verdict: 'unknown' }), other({})],
  ])('are an alarm where %s', (_, record, beside) => {
    expect(rowOf(record, beside)).toMatchObject({ verdict: 'applied', alarm: 'duplicate' });
  });
});

describe('the end of a look', () => {
  const other = (more: Partial<AttemptRecord['sent']>, ...verdicts: Partial<VerdictRow>[]): AttemptRecord => {
    const record = attempt(...verdicts);
    return { ...record, sent: { ...record.sent, change: 'i_2', ...more } };
  };
  const look = (
    known: readonly AttemptRecord[],
    event: Event,
    statement?: Errand['statement'],
    time = 2000,
  ) => {
    const first = beginResolve({ change: 'i_1', attempt: 1, statement });
    const events: Event[] = [locked, { is: 'known', attempts: known, moment: at(time) }, event];
    return events.reduce(({ state }, one) => resolve(state, one), first);
  };
  const made = { verdict: 'applied', by: 'reply' } as const;

  it('says why it was stopped', () => {
    const { state } = look([attempt()], { is: 'stopped', cause: 'no network' });
    expect(state).toMatchObject({
      end: { how: 'refused', refusal: { why: 'stopped', cause: 'no network' } },
    });
  });

  it('says that the order is busy', () => {
    const { state } = resolve(beginResolve({ change: 'i_1', attempt: 1 }).state, {
      is: 'busy',
      owner: undefined,
    });
    expect(state).toMatchObject({ end: { how: 'refused', refusal: { why: 'busy' } } });
  });

  it('says that the attempt is not in the journal', () => {
    const first = resolve(beginResolve({ change: 'i_9', attempt: 1 }).state, locked);
    const { state } = resolve(first.state, { is: 'known', attempts: [attempt()], moment: at(0) });
    const cause = expect.objectContaining({ message: 'the journal has no i_9 any more' });
    expect(state).toMatchObject({ end: { how: 'refused', refusal: { why: 'stopped', cause } } });
  });

  it('is one of the attempt that was meant, not of another one of its change', () => {
    const settled = attempt({ verdict: 'not_sent' });
    const second = other({ change: 'i_1', attempt: 2 });
    const first = beginResolve({ change: 'i_1', attempt: 2 });
    const known: Event = { is: 'known', attempts: [settled, second], moment: at(0) };
    const { effect } = [locked, known].reduce(({ state }, event) => resolve(state, event), first);
    expect(effect.do).toBe('reread');
  });

  it('is not reached without a read where one that was made was repeated', () => {
    const first = beginResolve({ change: 'i_1', attempt: 1 });
    const known: Event = {
      is: 'known',
      attempts: [attempt(made), other({ again: ['i_1'] }, { verdict: 'not_sent' }, made)],
      moment: at(2000),
    };
    const stated = beginResolve({
      change: 'i_1',
      attempt: 1,
      statement: { applied: true, operator: 'op7', note: 'n' },
    });
    for (const begun of [first, stated])
      expect([locked, known].reduce(({ state }, event) => resolve(state, event), begun).effect.do).toBe(
        'reread',
      );
  });

  it('says which attempt one of two refunds may be of', () => {
    const { state } = look([attempt(made), other({})], seen(order(5, 5)));
    expect(state).toMatchObject({
      end: {
        how: 'looked',
        evidence: {
          shows: 'unreadable',
          problem: 'another change asks for the same; settle i_2 first',
        },
      },
    });
  });

  it('says why the order cannot be read, also where another attempt may have made what it shows', () => {
    const { state } = look([attempt(recordedNot), other({})], seen({ ...order(5), id: 'ord_2' }));
    expect(state).toMatchObject({
      end: { evidence: { shows: 'unreadable', problem: 'it is another order' } },
    });
  });

  it('adds nothing to what a person recorded as made, once its time is over and the order does not show it', () => {
    const { state } = look(
      [attempt(recordedMade)],
      seen(order(), 2000 + horizonMs),
      undefined,
      2000 + horizonMs,
    );
    expect(state).toMatchObject({ end: { how: 'looked' } });
  });

  it('says so too after the time of that one, until a read has come since; not once it was sent again', () => {
    const notSeen: Partial<VerdictRow> = { verdict: 'not_seen' };
    const over = 1000 + horizonMs;
    const shown = (...known: readonly AttemptRecord[]) =>
      look([attempt(made), ...known], seen(order(5, 5), over + 60), undefined, over + 60);
    expect(shown(other({}, notSeen)).state).toMatchObject({ end: { evidence: { shows: 'unreadable' } } });
    const alarmed = { row: { verdict: 'applied', alarm: 'duplicate' } };
    expect(shown(other({}, notSeen, { ...notSeen, time: over + 50 })).effect).toMatchObject(alarmed);
    const again = other({ change: 'i_3', again: ['i_2'] }, { verdict: 'rejected', confirmed: true });
    expect(shown(other({}, notSeen), again).effect).toMatchObject(alarmed);
  });

  it('beside an open attempt still says that the one that was made shows once', () => {
    const { effect } = look([attempt(made), other({})], seen(order(5)));
    expect(effect).toMatchObject({
      row: { verdict: 'applied', why: 'checked again: the service shows it' },
    });
  });

  it('of an attempt without a verdict beside an open one is an alarm where it shows twice', () => {
    const { effect } = look([attempt(), other({})], seen(order(5, 5)));
    expect(effect).toMatchObject({ row: { verdict: 'applied', alarm: 'duplicate' } });
  });

  it('looks for another attempt at a part of the money', () => {
    const both = {
      proof: {
        ...attempt().sent.proof,
        expected: [
          { chargeId: 'ch_1', amount: -5 },
          { chargeId: 'ch_1', amount: -6 },
        ],
      },
    };
    const whole = { ...attempt(made), sent: { ...attempt().sent, ...both } };
    expect(look([attempt(made), other(both)], seen(order(5, 5))).effect.do).toBe('release');
    expect(look([whole, other({})], seen(order(5, 6, 5))).effect.do).toBe('release');
  });

  it('is the word of a person where figures do not agree', () => {
    const statement = { applied: true, operator: 'op7', note: 'n' };
    const { effect } = look([attempt({})], seen({ ...order(), amount_refunded: 300 }), statement);
    expect(effect.do).toBe('check');
  });

  it('comes without a read where a person speaks of a refund that was made, and whose watch is over', () => {
    const statement = { applied: false, operator: 'op7', note: 'n' };
    const long = attempt(made, { ...made, time: 1000 + horizonMs });
    const first = beginResolve({ change: 'i_1', attempt: 1, statement });
    const known: Event = { is: 'known', attempts: [long], moment: at(2000 + horizonMs) };
    const { effect } = [locked, known].reduce(({ state }, one) => resolve(state, one), first);
    expect(effect.do).toBe('release');
  });

  it('waits two minutes after the last moment of the sending, whenever that was', () => {
    const statement = { applied: false, operator: 'op7', note: 'n' };
    const late = { ...attempt({}), sent: { ...attempt().sent, time: 50_000, sendBy: 60_000 } };
    expect(look([late], seen(order(), 179_999), statement).state).toMatchObject({
      end: { refusal: { why: 'too_early', attempt: late, until: 180_000 } },
    });
    expect(look([late], seen(order(), 180_000), statement).effect.do).toBe('check');
  });

  it('starts the horizon where no read tells, and says so', () => {
    const why = 'the result was not recorded, and it could not be looked up';
    expect(look([attempt()], unseen).effect).toMatchObject({ row: { verdict: 'unknown', why } });
  });

  it('has a row for a new alarm, though the verdict stays', () => {
    const expected = [
      { chargeId: 'ch_1', amount: -5 },
      { chargeId: 'ch_1', amount: -6 },
    ];
    const record = attempt({ verdict: 'unknown' });
    const whole = { ...record, sent: { ...record.sent, proof: { ...record.sent.proof, expected } } };
    expect(look([whole], seen(order(5))).effect).toMatchObject({
      row: { verdict: 'unknown', alarm: 'partial' },
    });
  });
});

// The row that an effect writes, with what it may lack.
function written(effect: Effect): object | undefined {
  const none = { alarm: undefined, acknowledged: undefined };
  return effect.do === 'record' && effect.row.type === 'verdict' ? { ...none, ...effect.row } : undefined;
}

const person = { by: 'person', why: 'recorded by op7', operator: 'op7', note: 'asked' } as const;
const recordedNot: Partial<VerdictRow> = { verdict: 'rejected', confirmed: true, ...person };
const recordedMade: Partial<VerdictRow> = { verdict: 'applied', confirmed: true, ...person };

describe('a correction', () => {
  const says = (applied: boolean) => ({
    applied,
    operator: 'op8',
    note: 'bank file',
    corrects: true as const,
  });

  it.each([
    [recordedNot, true, { verdict: 'applied' }],
    [recordedMade, false, { verdict: 'rejected' }],
  ])('of %j, applied %s, is asked for and added; the wrong one stays', (before, applied, row) => {
    for (const read of [seen(order()), unseen]) {
      const asking = run(attempt({ verdict: 'unknown' }, before), [read], says(applied));
      expect(asking.effect.do).toBe('check');
      const { state, effect } = resolve(asking.state, checked);
      const said = { ...row, by: 'person', corrects: true, why: 'recorded by op8' };
      expect(written(effect)).toMatchObject({ ...said, alarm: undefined });
      expect(resolve(state, recorded).state).toMatchObject({
        end: { record: { verdicts: [{ verdict: 'unknown' }, before, said] } },
      });
    }
  });

  it.each<[string, Partial<VerdictRow>, boolean]>([
    ['says the same as the record', recordedMade, true],
    ['is about what a reply has shown', { verdict: 'applied', by: 'reply' }, false],
    ['is about what nobody has recorded', {}, true],
  ])('that %s reads nothing and adds nothing', (_, before, applied) => {
    const { state } = run(attempt(before), [], says(applied));
    expect(state).toMatchObject({ at: 'releasing', end: { how: 'looked' } });
    expect(run(attempt(), [], says(applied)).state.at).toBe('releasing');
  });

  it('that it was not made is refused as early as the first statement would be', () => {
    const early = run(attempt(recordedMade), [seen(order(), later - 1)], says(false));
    expect(early.state).toMatchObject({ end: { refusal: { why: 'too_early' } } });
  });

  it.each([true, false])('is not needed where the read shows it: the read counts (stated %s)', (applied) => {
    const before = applied ? recordedNot : recordedMade;
    expect(written(run(attempt(before), [seen(order(5))], says(applied)).effect)).toMatchObject({
      verdict: 'applied',
      by: 'read',
      alarm: undefined,
    });
  });

  describe('after the same was sent again', () => {
    const again = (verdict: VerdictRow['verdict'] | undefined, more = {}): AttemptRecord =>
      attemptWith(verdict === undefined ? [] : [{ verdict, by: 'reply' }], {
        change: 'i_2',
        time: 50,
        ...more,
      });
    const corrected = (other: AttemptRecord, read: Event = unseen) => {
      const known: Event = { is: 'known', attempts: [attempt(recordedNot), other], moment: at(0) };
      const first = beginResolve({ change: 'i_1', attempt: 1, statement: says(true) });
      const { state, effect } = [locked, known, read].reduce(
        (step, event) => resolve(step.state, event),
        first,
      );
      const last = effect.do === 'check' ? resolve(state, checked).effect : effect;
      return written(last);
    };
    const twice = { verdict: 'applied', alarm: 'duplicate' };

    it.each(['applied', 'unknown', 'not_seen', undefined] as const)(
      '(%s), both were made: an alarm',
      (verdict) => {
        const why = 'recorded by op8; made twice: also as i_2';
        expect(corrected(again(verdict))).toMatchObject({ ...twice, by: 'person', why });
      },
    );

    it('and a read shows it: an alarm too', () => {
      const own = attemptWith([{ verdict: 'applied', by: 'reply', refunds: [] }], {
        change: 'i_2',
        time: 50,
      });
      expect(corrected(own, seen(order(5)))).toMatchObject({ ...twice, by: 'read' });
    });

    it.each([
      again('rejected'),
      again('not_sent'),
      again('applied', { time: -1 }),
      again('applied', { request: { method: 'POST', path: 'orders/ord_1/capture' } }),
    ])('but not when that one failed, came before, or was something else', (other) => {
      expect(corrected(other)).toMatchObject({ verdict: 'applied', alarm: undefined });
    });

    it('there is no alarm for a first statement: nobody was wrong', () => {
      const known: Event = { is: 'known', attempts: [attempt({}), again('applied')], moment: at(0) };
      const first = beginResolve({
        change: 'i_1',
        attempt: 1,
        statement: { ...says(true), corrects: undefined },
      });
      const asking = [locked, known, unseen].reduce((step, event) => resolve(step.state, event), first);
      expect(written(resolve(asking.state, checked).effect)).toMatchObject({
        verdict: 'applied',
        alarm: undefined,
      });
    });

    it('sent in the same moment counts as sent again', () => {
      expect(corrected(again('applied', { time: 0 }))).toMatchObject(twice);
    });

    it('there is no alarm for "it was not made"', () => {
      const other = again('applied');
      const known: Event = { is: 'known', attempts: [attempt(recordedMade), other], moment: at(0) };
      const first = beginResolve({ change: 'i_1', attempt: 1, statement: says(false) });
      const asking = [locked, known, unseen].reduce((step, event) => resolve(step.state, event), first);
      expect(written(resolve(asking.state, checked).effect)).toMatchObject({
        verdict: 'rejected',
        alarm: undefined,
      });
    });
  });
});

describe('an acknowledgement', () => {
  const over = 1000 + horizonMs;
  const acknowledgement = { operator: 'op8', note: 'the bank recalls one' };
  const refunds = [1, 2].map((id) => ({ ...shownRefund, id: `rf_${id}` }));
  const twice: Partial<VerdictRow> = { verdict: 'applied', by: 'read', alarm: 'duplicate', refunds };
  const whole = (record: AttemptRecord, read: Event) => {
    const row = added(record, read);
    return row && { alarm: undefined, acknowledged: undefined, ...row };
  };
  const acknowledged = (record: AttemptRecord, events: readonly Event[], now = over) => {
    const known: Event = { is: 'known', attempts: [record], moment: at(now) };
    const first = beginResolve({ change: 'i_1', attempt: 1, acknowledgement });
    return [locked, known, ...events].reduce(({ state }, event) => resolve(state, event), first);
  };

  it('of a duplicate is written down at once, with every refund that the order shows, and without the alarm', () => {
    const { effect } = acknowledged(attempt(twice), [seen(order(5, 5), over)]);
    expect(written(effect)).toMatchObject({
      verdict: 'applied',
      by: 'read',
      why: 'acknowledged by op8',
      alarm: undefined,
      acknowledged: 'duplicate',
      refunds: refundsOf(order(5, 5)),
      ...acknowledgement,
    });
  });

  it.each<[string, Partial<VerdictRow>, Event]>([
    [
      'when the order cannot be read any more',
      { ...twice, time: over },
      { is: 'unseen', why: 'no answer', moment: at(over + 1) },
    ],
    ['when it shows another picture now', twice, seen(order(5), over)],
  ])('%s keeps the refunds that were recorded', (_, before, read) => {
    const { effect } = acknowledged(attempt(twice, before), [read]);
    expect(written(effect)).toMatchObject({ acknowledged: 'duplicate', refunds, alarm: undefined });
  });

  it('of another alarm keeps verdict, error and what was created', () => {
    const kept = { verdict: 'rejected', by: 'reply', confirmed: true, error: { code: 'c' } } as const;
    const before = {
      ...kept,
      alarm: 'contradiction',
      created: 'ord_9',
      link: 'https://a.example/1',
    } as const;
    const { effect } = acknowledged(attempt(before), [seen(order(), over)]);
    const { alarm, ...rest } = before;
    expect(written(effect)).toMatchObject({ ...rest, acknowledged: alarm, alarm: undefined });
  });

  it('is refused while the refund is watched and its order cannot be read', () => {
    expect(acknowledged(attempt(twice), [unseen]).state).toMatchObject({
      end: { how: 'refused', refusal: { why: 'unread', problem: 'no answer' } },
    });
  });

  it.each([
    ['without an alarm', attempt({ verdict: 'applied' })],
    ['that is unconfirmed', attempt({ verdict: 'unknown', alarm: 'partial' })],
    ['without a verdict', attempt()],
  ])('of an attempt %s reads nothing and adds nothing', (_, record) => {
    expect(acknowledged(record, []).state).toMatchObject({ at: 'releasing', end: { how: 'looked' } });
  });

  describe('is not undone by a later read', () => {
    const done = (more: Partial<VerdictRow> = {}) =>
      attempt(twice, {
        ...twice,
        alarm: undefined,
        acknowledged: 'duplicate',
        time: 2000,
        refunds: seenTwice,
        ...more,
      });
    const seenTwice = refundsOf(order(5, 5));

    it('that shows the same refunds, before and after its time', () => {
      expect(whole(done(), seen(order(5, 5)))).toMatchObject({
        alarm: undefined,
        acknowledged: 'duplicate',
        why: 'the service shows only what was acknowledged',
        refunds: seenTwice,
      });
      expect(whole(done(), seen(order(5, 5), over + 5000))).toMatchObject({
        alarm: undefined,
        why: 'checked after the waiting period: nothing more appeared',
      });
    });

    it('but by one that shows one more, or another alarm', () => {
      expect(whole(done(), seen(order(5, 5, 5)))).toMatchObject({
        alarm: 'duplicate',
        acknowledged: undefined,
      });
      const known = { ...twice, refunds: seenTwice };
      const dealtWith = { ...known, alarm: undefined, acknowledged: 'duplicate', time: 2000 } as const;
      expect(whole(attempt(known, dealtWith), seen(failed(order(5))))).toMatchObject({ alarm: 'failed' });
      expect(whole(done({ refunds: undefined }), seen(order(5, 5)))).toMatchObject({ alarm: 'duplicate' });
    });

    it('where the alarm was about figures that do not agree, or a contradiction', () => {
      const shown = refundsOf(order(5));
      const { sent, verdicts } = attempt(
        { ...twice, refunds: shown },
        { ...twice, alarm: undefined, acknowledged: 'contradiction', time: 2000, refunds: shown },
      );
      const before = { ...sent.proof.before, currency: 'USD' };
      const contradiction = { sent: { ...sent, proof: { ...sent.proof, before } }, verdicts };
      expect(whole(contradiction, seen(order(5)))).toMatchObject({
        alarm: undefined,
        acknowledged: 'contradiction',
      });
    });
  });
});
