import { describe, expect, it } from 'vitest';
import { begin, step } from '../../src/journal/at-most-once.ts';
import type { Event, State, Step, Wanted } from '../../src/journal/protocol-types.ts';
import type { AttemptRecord, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { attempt, momentAt } from './rows.ts';
import { orderWith as order } from './world.ts';

const at = momentAt;

function wanted(more: Partial<Wanted> = {}): Wanted {
  return {
    kind: 'refund',
    orderId: 'ord_1',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5 } },
    expected: [{ chargeId: 'ch_1', amount: -5 }],
    again: [],
    change: 'i_1',
    livemode: false,
    dryRun: false,
    sendWithinMs: 10_000,
    horizonMs: 900_000,
    readAfterMs: [0, 2000],
    about: { origin: 'o', account: 'a', profile: 'p', operator: 'op' },
    ...more,
  };
}

const locked: Event = { is: 'locked' };
const known = (...attempts: AttemptRecord[]): Event => ({ is: 'known', attempts, moment: at(0) });
const fresh: Event = { is: 'fresh', value: order(), neighbour: 'ord_0', moment: at(0) };
const checked: Event = { is: 'checked', moment: at(0) };
const recorded: Event = { is: 'recorded', moment: at(100) };
const full: Event = { is: 'unrecorded', cause: 'no space', moment: at(100) };
const lost: Event = { is: 'no_reply', why: 'HTTP 502', moment: at(1000) };
const refused: Event = {
  is: 'replied',
  parsed: { status: 422, body: { value: { object: 'error', type: 't', details: [] } } },
  moment: at(1000),
};
const waited: Event = { is: 'waited', hurried: false };
const seen = (value: unknown): Event => ({ is: 'seen', value, moment: at(3000) });
const unseen: Event = { is: 'unseen', why: 'no answer', moment: at(3000) };
const released: Event = { is: 'released' };
const toSent = [locked, known(), fresh, checked];
const toPost = [...toSent, recorded];

function run(events: readonly Event[], from = wanted()): Step {
  return events.reduce(({ state }, event) => step(state, event), begin(from));
}

function endOf(events: readonly Event[], from = wanted()) {
  const { state } = run([...events, released], from);
  if (state.at !== 'done') throw new Error(`not done but ${state.at}`);
  return state.end;
}

describe('one attempt, from the lock to its release', () => {
  it('asks for one thing at a time: lock, look, read, check, SENT, send, verdict, release', () => {
    const yes: Event = { is: 'replied', parsed: { status: 200, body: { value: order(5) } }, moment: at(500) };
    const events = [locked, known(), fresh, checked, recorded, yes, recorded, released];
    const effects = events.map((_, index) => run(events.slice(0, index)).effect.do);
    expect(effects).toEqual(['lock', 'look', 'read', 'check', 'record', 'send', 'record', 'release']);
    expect(run(events).effect.do).toBe('finish');
    expect(endOf(events.slice(0, -1))).toMatchObject({
      how: 'verdict',
      verdict: { verdict: 'applied', by: 'reply', why: 'the reply confirms it' },
    });
  });

  it('writes down all that is needed without the network', () => {
    const { effect } = run(
      toSent,
      wanted({ idempotencyKey: 'ticket-1', ref: 'r', plan: 'pl', asked: { order: 'ord_1' } }),
    );
    expect(effect).toMatchObject({
      do: 'record',
      row: {
        type: 'sent',
        change: 'i_1',
        attempt: 1,
        time: 0,
        sendBy: 10_000,
        neighbour: 'ord_0',
        idempotencyKey: 'ticket-1',
        ref: 'r',
        plan: 'pl',
        asked: { order: 'ord_1' },
        proof: { orderId: 'ord_1', livemode: false, before: { charges: [{ id: 'ch_1', refunds: [] }] } },
      },
    });
  });

  it('accepts in each state just the events that answer its effect', () => {
    const events: Record<string, Event> = {
      locked,
      busy: { is: 'busy', owner: undefined },
      known: known(),
      stopped: { is: 'stopped', cause: 'no' },
      fresh,
      checked,
      recorded,
      unrecorded: full,
      replied: refused,
      not_sent: { is: 'not_sent', why: 'w', moment: at(0) },
      no_reply: lost,
      waited,
      seen: seen(order()),
      unseen,
      released,
    };
    const states: State[] = [
      [],
      [locked],
      [locked, known()],
      [locked, known(), fresh],
      toSent,
      toPost,
      [...toPost, lost],
      [...toPost, lost, recorded],
      [...toPost, lost, recorded, waited],
      [...toPost, { is: 'not_sent', why: 'w', moment: at(0) } as const],
      [locked, { is: 'stopped', cause: 'no' } as const],
      [locked, { is: 'stopped', cause: 'no' } as const, released],
    ].map((path) => run(path).state);
    const accepted = states.map((state) => {
      const names = Object.keys(events).filter((name) => {
        const event = events[name];
        try {
          return event !== undefined && step(state, event) !== undefined;
        } catch (error) {
          if (String(error) === `Error: the journal met '${name}' while ${state.at}`) return false;
          throw error;
        }
      });
      return `${state.at}: ${names.join(' ')}`;
    });
    expect(accepted).toEqual([
      'locking: locked busy stopped',
      'looking: known stopped',
      'reading: stopped fresh',
      'checking: stopped checked',
      'recording: recorded unrecorded',
      'sending: replied not_sent no_reply',
      'doubting: recorded unrecorded',
      'waiting: waited',
      'rereading: seen unseen',
      'concluding: recorded unrecorded',
      'releasing: released',
      'done: ',
    ]);
  });

  it('says which event surprised it', () => {
    expect(() => step(run([]).state, waited)).toThrow("the journal met 'waited' while locking");
  });
});

describe('before the sending', () => {
  it('a busy order is left alone, and no lock is released that was not taken', () => {
    const { state, effect } = run([{ is: 'busy', owner: undefined }]);
    expect([state.at, effect.do]).toEqual(['done', 'finish']);
  });

  it('a dry run ends after the approval', () => {
    expect(endOf(toSent, wanted({ dryRun: true }))).toEqual({ how: 'dry_run' });
  });

  it('what goes wrong outside stops it', () => {
    expect(endOf([locked, { is: 'stopped', cause: 'no' }])).toEqual({
      how: 'refused',
      refusal: { why: 'stopped', cause: 'no' },
    });
  });

  it('what has no expected records is written down without any', () => {
    const bare = wanted({ kind: 'capture', expected: undefined });
    expect(run(toSent, bare).effect).toMatchObject({ row: { proof: { expected: [], tolerated: [] } } });
    const { effect } = run(toSent, wanted({ tolerated: ['ch_2'] }));
    expect(effect).toMatchObject({ row: { proof: { tolerated: ['ch_2'] } } });
  });

  it('the row has what the change is kept by, and nothing that only the run needs', () => {
    const kept = { amount: 5, currency: 'MXN', note: 'n', approval: 'r_1', ref: 'a', plan: 'p_1', line: 2 };
    const { effect } = run(toSent, wanted({ ...kept, account: { origin: 'o', livemode: false } }));
    expect(effect).toMatchObject({
      do: 'record',
      row: { ...kept, account: 'a', change: 'i_1', sendBy: 10_000 },
    });
    const row = 'row' in effect ? Object.keys(effect.row) : [];
    for (const name of ['about', 'dryRun', 'expected', 'livemode', 'readAfterMs', 'sendWithinMs'])
      expect(row).not.toContain(name);
  });

  it('a capture does not need the refunds that the journal knows to be shown', () => {
    const refunds = [
      { chargeId: 'ch_1', id: 'ref_7', amount: -9, createdAt: undefined, authCode: undefined },
    ];
    const made = known(earlier(notSeen({ verdict: 'applied', by: 'reply', refunds })));
    expect(run([locked, made, fresh], wanted({ kind: 'capture', expected: undefined })).effect.do).toBe(
      'check',
    );
  });

  it('no journal, no sending; a SENT row that may be there all the same is taken back (F39)', () => {
    const { effect } = run([...toSent, full]);
    expect(effect).toMatchObject({
      do: 'take_back',
      sent: { type: 'sent', change: 'i_1' },
      row: {
        change: 'i_1',
        attempt: 1,
        verdict: 'not_sent',
        by: 'sender',
        why: 'it could not be recorded',
      },
    });
    expect(endOf([...toSent, full, recorded])).toEqual({
      how: 'refused',
      refusal: { why: 'journal', cause: 'no space' },
    });
    expect(endOf([...toSent, full, full])).toEqual({
      how: 'refused',
      refusal: { why: 'journal', cause: 'no space', left: 'i_1' },
    });
  });

  it('an order whose money is not all shown is refused (F32)', () => {
    const hidden: Event = { is: 'fresh', value: { object: 'order', id: 'ord_1' }, moment: at(0) };
    expect(endOf([locked, known(), hidden])).toMatchObject({ refusal: { why: 'unprovable' } });
  });

  it.each([
    ['the wall clock', { wall: 10_001, mono: 0 }],
    ['the monotonic clock', { wall: -86_400_000, mono: 10_001 }],
  ])('after a stop that %s shows, nothing is sent (F21)', (_, clocks) => {
    const late: Event = { is: 'recorded', moment: { time: 0, skewed: false, ...clocks } };
    const end = endOf([...toSent, late, recorded]);
    expect(end).toMatchObject({
      how: 'verdict',
      verdict: {
        verdict: 'not_sent',
        by: 'sender',
        why: 'this machine was asleep or frozen for 10 s before it could send',
      },
    });
  });

  it('at the last moment of its time, which runs from the final read, it is still sent', () => {
    const asked: Event = { is: 'checked', moment: at(5000) };
    const path = [locked, known(), fresh, asked];
    expect(run(path).effect).toMatchObject({ row: { time: 5000, sendBy: 10_000 } });
    expect(run([...path, { is: 'recorded', moment: at(10_000) }]).effect).toEqual({
      do: 'send',
      until: { wall: 10_000, mono: 10_000 },
    });
    expect(run([...path, { is: 'recorded', moment: at(10_001) }]).effect).toMatchObject({
      row: { verdict: 'not_sent' },
    });
  });

  it.each([
    ['half of its time', {}, 5000],
    ['a second at least', { sendWithinMs: 1200 }, 1000],
  ])('a last question that took more than %s makes it read again (F25)', (_, more, enough) => {
    const slow: Event = { is: 'checked', moment: at(enough + 1) };
    const again = run([locked, known(), fresh, slow], wanted(more));
    expect(again).toMatchObject({ state: { at: 'reading' }, effect: { do: 'read' } });
    const inTime: Event = { is: 'checked', moment: at(enough) };
    expect(run([locked, known(), fresh, inTime], wanted(more)).effect.do).toBe('record');
    const later: Event = { is: 'fresh', value: order(5), moment: at(60_000) };
    expect(endOf([locked, known(), fresh, slow, later], wanted(more))).toMatchObject({
      refusal: { why: 'equal' },
    });
  });
});

const notSeen = (more: Partial<VerdictRow> = {}): VerdictRow => ({
  type: 'verdict',
  change: 'i_0',
  attempt: 1,
  time: -900_000,
  verdict: 'not_seen',
  by: 'read',
  why: 'w',
  ...more,
});

function earlier(...verdicts: VerdictRow[]): AttemptRecord {
  const { effect } = run(toSent, wanted({ change: 'i_0' }));
  if (effect.do !== 'record' || effect.row.type !== 'sent') throw new Error('no SENT');
  return { sent: effect.row, verdicts };
}

describe('with an attempt that was not seen in its time', () => {
  const again = wanted({ again: ['i_0'] });
  const doubtful = known(earlier(notSeen()));

  it('the same is refused without --again', () => {
    expect(endOf([locked, doubtful])).toMatchObject({ refusal: { why: 'not_seen' } });
  });

  it('and sent with --again, when the order still does not show it', () => {
    expect(run([locked, doubtful, fresh, checked], again).effect.do).toBe('record');
  });

  it('its refund that appeared meanwhile is written down, and nothing is sent', () => {
    const made: Event = { is: 'fresh', value: order(5), moment: at(0) };
    const { effect } = run([locked, doubtful, made], again);
    expect(effect).toMatchObject({ do: 'record', row: { change: 'i_0', verdict: 'applied', by: 'read' } });
    for (const written of [recorded, full]) {
      expect(endOf([locked, doubtful, made, written], again)).toMatchObject({ refusal: { why: 'appeared' } });
    }
    expect(() => run([locked, doubtful, made, waited], again)).toThrow('while correcting');
  });

  it('under --dry-run its refund that appeared meanwhile is told, and nothing is written down', () => {
    const made: Event = { is: 'fresh', value: order(5), moment: at(0) };
    const { effect } = run([locked, doubtful, made], wanted({ again: ['i_0'], dryRun: true }));
    expect(effect).toEqual({ do: 'release' });
    expect(endOf([locked, doubtful, made], wanted({ again: ['i_0'], dryRun: true }))).toMatchObject({
      refusal: { why: 'appeared' },
    });
  });

  it('a read that cannot tell stops it', () => {
    const hidden: Event = { is: 'fresh', value: { object: 'order', id: 'ord_1' }, moment: at(0) };
    expect(endOf([locked, doubtful, hidden], again)).toMatchObject({ refusal: { why: 'unprovable' } });
  });

  it('the time that the service shows at the final read counts, not that of the look', () => {
    const early: Event = { ...fresh, moment: { ...at(0), skewed: true } } as Event;
    expect(endOf([locked, doubtful, early], again)).toMatchObject({ refusal: { why: 'open' } });
  });

  it('one that a person recorded as not made, and that the read shows, is written down with an alarm', () => {
    const said = { verdict: 'rejected', by: 'person', confirmed: true, operator: 'op7' } as const;
    const made: Event = { is: 'fresh', value: order(5), moment: at(0) };
    const doubted = known(earlier(notSeen(said)));
    expect(run([locked, doubted, made]).effect).toMatchObject({
      do: 'record',
      row: { change: 'i_0', verdict: 'applied', by: 'read', alarm: 'applied_though_rejected' },
    });
    const row = { alarm: 'applied_though_rejected' };
    expect(endOf([locked, doubted, made, recorded])).toMatchObject({
      refusal: { why: 'appeared', verdict: row, sentAs: undefined },
    });
    // What a read cannot tell stops nothing: a person has decided it.
    const strange: Event = { is: 'fresh', value: { ...order(), amount_refunded: 300 }, moment: at(0) };
    expect(run([locked, doubted, fresh]).effect.do).toBe('check');
    expect(endOf([locked, doubted, strange])).toMatchObject({ refusal: { why: 'unprovable' } });
  });

  it('one that was made and shows twice by now is written down with an alarm, once', () => {
    const refunds = [
      { chargeId: 'ch_1', id: 'ref_1', amount: -5, createdAt: undefined, authCode: undefined },
    ];
    const made = { verdict: 'applied', by: 'reply', refunds, time: 0 } as const;
    const twice: Event = { is: 'fresh', value: order(5, 5), moment: at(1) };
    const { effect } = run([locked, known(earlier(notSeen(made))), twice]);
    expect(effect).toMatchObject({ do: 'record', row: { change: 'i_0', alarm: 'duplicate' } });
    // The words follow how the first one was confirmed.
    const byRead = earlier(notSeen({ ...made, by: 'read' }));
    expect(effect).toMatchObject({ row: { by: 'reply' } });
    expect(run([locked, known(byRead), twice]).effect).toMatchObject({ row: { by: 'read' } });
    const alarmed = known(earlier(notSeen({ ...made, alarm: 'duplicate' })));
    expect(endOf([locked, alarmed])).toMatchObject({ refusal: { why: 'paid_twice' } });
    // A capture pays nothing back, and the alarm is no news.
    const capture = wanted({ kind: 'capture', expected: undefined });
    expect(run([locked, alarmed, twice], capture).effect.do).toBe('check');
    // Somebody has acknowledged both: only a third one is news.
    const both = ['ref_1', 'ref_2'].map((id) => ({
      chargeId: 'ch_1',
      id,
      amount: -5,
      createdAt: undefined,
      authCode: undefined,
    }));
    const acknowledged = known(earlier(notSeen({ ...made, refunds: both, acknowledged: 'duplicate' })));
    expect(endOf([locked, acknowledged, twice])).toMatchObject({ refusal: { why: 'equal' } });
    const thrice: Event = { is: 'fresh', value: order(5, 5, 5), moment: at(1) };
    expect(run([locked, acknowledged, thrice]).effect).toMatchObject({ row: { alarm: 'duplicate' } });
  });

  it('one that was refused for good is not looked at again: what shows now is not its', () => {
    const refused = known(earlier(notSeen({ verdict: 'rejected', confirmed: true })));
    const shown: Event = { is: 'fresh', value: order(5), moment: at(0) };
    expect(endOf([locked, refused, shown])).toMatchObject({ refusal: { why: 'equal', refundId: 'ref_1' } });
  });

  it('one that shows a part is written down with what the part means', () => {
    const two = {
      expected: [
        { chargeId: 'ch_1', amount: -5 },
        { chargeId: 'ch_1', amount: -6 },
      ],
    };
    const { sent, verdicts } = earlier(notSeen());
    const whole = known({ sent: { ...sent, proof: { ...sent.proof, ...two } }, verdicts });
    const part: Event = { is: 'fresh', value: order(5), moment: at(0) };
    const { effect } = run([locked, whole, part], wanted({ ...two, again: ['i_0'] }));
    expect(effect).toMatchObject({ row: { change: 'i_0', verdict: 'unknown', alarm: 'partial' } });
  });

  it('the row of a repeat says what it repeats, any other none', () => {
    const again = run([locked, doubtful, fresh, checked], wanted({ again: ['i_0'] })).effect;
    expect(again).toMatchObject({ row: { again: ['i_0'] } });
    const { effect } = run(toSent);
    expect(effect.do === 'record' && effect.row.type === 'sent' && effect.row.again).toBeUndefined();
  });

  it('a machine that was up for long, and is not held up, sends', () => {
    const late = (event: Event): Event => ({ ...event, moment: { ...at(0), mono: 9e9 } }) as Event;
    const path = [locked, late(known()), late(fresh), late(checked), late(recorded)];
    expect(run(path).effect.do).toBe('send');
  });

  it('one that was made and shows once is not written down again', () => {
    const refunds = [
      { chargeId: 'ch_1', id: 'ref_1', amount: -5, createdAt: undefined, authCode: undefined },
    ];
    const made = known(earlier(notSeen({ verdict: 'applied', by: 'reply', refunds, time: 0 })));
    const once: Event = { is: 'fresh', value: order(5), moment: at(1) };
    expect(endOf([locked, made, once])).toMatchObject({ refusal: { why: 'equal', refundId: 'ref_1' } });
  });

  it('one that a person recorded as made stops a refund of another amount while the order does not show it', () => {
    const byHand = known(earlier(notSeen({ verdict: 'applied', by: 'person' })));
    const other = { expected: [{ chargeId: 'ch_1', amount: -4 }] };
    expect(endOf([locked, byHand, fresh], wanted(other))).toMatchObject({
      refusal: { why: 'unshown', name: 'i_0' },
    });
    expect(run([locked, byHand, fresh], wanted({ ...other, again: ['i_0'] })).effect.do).toBe('check');
    const made: Event = { is: 'fresh', value: order(5), moment: at(0) };
    expect(run([locked, byHand, made], wanted(other)).effect.do).toBe('check');
    expect(endOf([locked, byHand, made], wanted({ ...other, again: ['i_0'] }))).toMatchObject({
      refusal: { why: 'nothing_to_repeat', name: 'i_0' },
    });
  });

  it('a final read that is older than what the journal knows to be made stops it', () => {
    const refunds = [
      { chargeId: 'ch_1', id: 'ref_7', amount: -9, createdAt: undefined, authCode: undefined },
    ];
    const made = known(earlier(notSeen({ verdict: 'applied', by: 'reply', refunds })));
    expect(endOf([locked, made, fresh], again)).toMatchObject({
      refusal: { why: 'unprovable', problem: 'refund ref_7 was made, and the order does not show it yet' },
    });
    const otherMode: Event = { is: 'fresh', value: { ...order(), livemode: true }, moment: at(0) };
    expect(run([locked, made, otherMode], wanted({ livemode: true })).effect.do).toBe('check');
  });
});

describe('after the sending', () => {
  it('what never left is not sent (F1)', () => {
    const closed: Event = { is: 'not_sent', why: 'closed port', moment: at(0) };
    expect(endOf([...toPost, closed, recorded])).toMatchObject({
      verdict: { verdict: 'not_sent', by: 'sender', why: 'closed port' },
      reads: 0,
    });
  });

  it('a lost reply is written down before anything is read, and read at once and after 2 s', () => {
    expect(run([...toPost, lost]).effect).toMatchObject({
      do: 'record',
      row: { verdict: 'unknown', by: 'sender', why: 'HTTP 502' },
    });
    expect(run([...toPost, lost, recorded]).effect).toEqual({ do: 'wait', ms: 900 });
    const second = run([...toPost, lost, recorded, waited, unseen]);
    expect(second.effect).toEqual({ do: 'wait', ms: 0 });
    const end = endOf([...toPost, lost, recorded, waited, seen(order()), waited, seen(order()), recorded]);
    expect(end).toMatchObject({
      verdict: { verdict: 'not_seen', why: 'HTTP 502' },
      reads: 2,
      lastReadAt: 3000,
    });
  });

  it('no read that can tell leaves it unknown', () => {
    const hidden = seen({ object: 'order', id: 'ord_1' });
    const end = endOf([...toPost, lost, recorded, waited, unseen, waited, hidden, recorded]);
    expect(end).toMatchObject({
      verdict: { verdict: 'unknown', by: 'sender', why: 'HTTP 502' },
      reads: 2,
      lastReadAt: 3000,
    });
  });

  it('the last read that could tell counts', () => {
    const end = endOf([...toPost, lost, recorded, waited, seen(order()), waited, unseen, recorded]);
    expect(end).toMatchObject({ verdict: { verdict: 'not_seen' }, reads: 2 });
  });

  it('two equal new refunds are a duplicate alarm at once (F24)', () => {
    const end = endOf([...toPost, lost, recorded, waited, seen(order(5, 5)), recorded]);
    expect(end).toMatchObject({
      verdict: { verdict: 'applied', alarm: 'duplicate', why: 'the service shows it more than once' },
      reads: 1,
    });
  });

  it('a part of a whole order is unknown, with an alarm', () => {
    const two = wanted({
      expected: [
        { chargeId: 'ch_1', amount: -5 },
        { chargeId: 'ch_1', amount: -6 },
      ],
      readAfterMs: [0],
    });
    const end = endOf([...toPost, lost, recorded, waited, seen(order(5)), recorded], two);
    expect(end).toMatchObject({ verdict: { verdict: 'unknown', alarm: 'partial' } });
  });

  it('who is in a hurry gets one more read', () => {
    const hurried: Event = { is: 'waited', hurried: true };
    const end = endOf([...toPost, lost, recorded, hurried, seen(order()), recorded]);
    expect(end).toMatchObject({ verdict: { verdict: 'not_seen' }, reads: 1 });
  });

  it('a refusal is believed after a read; after three reads that fail it is not confirmed (F13)', () => {
    const long = wanted({ readAfterMs: [0, 1, 2, 3, 4] });
    expect(run([...toPost, refused], long).effect).toEqual({ do: 'wait', ms: 0 });
    const yes = endOf([...toPost, refused, waited, seen(order()), recorded], long);
    expect(yes).toMatchObject({
      verdict: { verdict: 'rejected', confirmed: true, error: { type: 't', httpStatus: 422 } },
      reads: 1,
    });
    const tries = [waited, unseen, waited, unseen, waited, unseen];
    const no = endOf([...toPost, refused, ...tries, recorded], long);
    expect(no).toMatchObject({
      verdict: {
        verdict: 'rejected',
        confirmed: false,
        by: 'reply',
        why: 'the service refused it; not checked yet',
      },
      reads: 3,
    });
  });

  it('a refusal, and figures that do not agree, is unknown, and so is a lost reply', () => {
    const moved = { ...order(), amount_refunded: 300 };
    const problem = 'amount_refunded went from 0 to 300, but no refund is listed for it';
    const tries = [waited, seen(moved), waited, seen(moved)];
    expect(endOf([...toPost, refused, ...tries, recorded])).toMatchObject({
      verdict: { verdict: 'unknown', why: `the service refused it, but ${problem}` },
      reads: 2,
    });
    expect(endOf([...toPost, lost, recorded, ...tries, recorded])).toMatchObject({
      verdict: { verdict: 'unknown', why: `HTTP 502; ${problem}` },
      reads: 2,
    });
  });

  describe('a reply that is not trusted keeps what it says in every row', () => {
    const value = {
      object: 'error',
      type: 't',
      log_id: '5f2c81',
      details: [{ message: 'm' }],
      data: { id: 'ord_1' },
    };
    const failed: Event = { is: 'replied', parsed: { status: 500, body: { value } }, moment: at(1) };
    const error = {
      type: 't',
      code: undefined,
      logId: '5f2c81',
      httpStatus: 500,
      details: [{ message: 'm', debugMessage: undefined, code: undefined, param: undefined }],
    };

    it('the row that the reply proves nothing', () => {
      const { effect } = run([...toPost, failed]);
      expect(effect).toMatchObject({ do: 'record', row: { verdict: 'unknown', error, alarm: undefined } });
    });

    it.each<[string, readonly Event[], object]>([
      ['no read was possible', [waited, unseen, waited, unseen], { verdict: 'unknown', by: 'sender', error }],
      [
        'the service does not show it',
        [waited, seen(order()), waited, seen(order())],
        { verdict: 'not_seen', error },
      ],
      ['a read shows it', [waited, seen(order(5))], { verdict: 'applied', by: 'read', error }],
    ])('%s', (_, reads, verdict) => {
      expect(endOf([...toPost, failed, recorded, ...reads, recorded])).toMatchObject({ verdict });
    });

    it('an order that shows less than was asked for is an alarm with its status', () => {
      const less: Event = { is: 'replied', parsed: { status: 200, body: { value: order() } }, moment: at(1) };
      const { effect } = run([...toPost, less]);
      const said = { httpStatus: 200, details: [] };
      expect(effect).toMatchObject({ row: { verdict: 'unknown', alarm: 'contradiction', error: said } });
    });

    it('no reply says nothing', () => {
      const { effect } = run([...toPost, lost]);
      expect(effect).toMatchObject({ row: { verdict: 'unknown', error: undefined } });
    });
  });

  it('the order in a refusal is not written down', () => {
    const value = { object: 'error', type: 't', details: [], data: { id: 'ord_1', secret: 'Ana' } };
    const withData: Event = { is: 'replied', parsed: { status: 422, body: { value } }, moment: at(1) };
    const { effect } = run([...toPost, withData, waited, seen(order())]);
    expect(JSON.stringify(effect)).not.toContain('Ana');
  });

  it('a disk that is full after the reply loses no outcome (F40)', () => {
    const yes: Event = { is: 'replied', parsed: { status: 200, body: { value: order(5) } }, moment: at(500) };
    expect(endOf([...toPost, yes, full])).toMatchObject({
      verdict: { verdict: 'applied' },
      unrecorded: { cause: 'no space' },
    });
    const doubt = endOf([...toPost, lost, full, waited, seen(order(5)), recorded]);
    expect(doubt).toMatchObject({
      verdict: { verdict: 'applied', by: 'read' },
      unrecorded: { cause: 'no space' },
    });
  });

  it.each(['checkout', 'api'] as const)('a %s that got no answer stays unknown: no read can tell', (kind) => {
    const other = wanted({ kind, orderId: undefined, expected: undefined });
    const read: Event = { is: 'fresh', value: undefined, moment: at(0) };
    const path = [locked, known(), read, checked, recorded];
    expect(endOf([...path, lost, recorded, recorded], other)).toMatchObject({
      verdict: { verdict: 'unknown' },
      reads: 0,
    });
    expect(endOf([...path, refused, recorded], other)).toMatchObject({
      verdict: { verdict: 'rejected', confirmed: false },
      reads: 0,
    });
  });

  it('an order whose creation got no answer is looked for among the newest', () => {
    const body = { currency: 'MXN', line_items: [{ name: 'a', unit_price: 1, quantity: 1 }] };
    const request = { method: 'POST', path: 'orders', body } as const;
    const create = wanted({ kind: 'order', orderId: undefined, expected: undefined, request });
    const created = { id: 'ord_9', currency: 'MXN', line_items: { data: body.line_items } };
    const newest: Event = { is: 'fresh', value: { data: [{ id: 'ord_8' }] }, moment: at(0) };
    const path = [locked, known(), newest, checked, recorded, lost, recorded, waited];
    const end = endOf([...path, seen({ data: [created, { id: 'ord_8' }] }), recorded], create);
    expect(end).toMatchObject({ verdict: { verdict: 'applied', by: 'read', created: 'ord_9' }, reads: 1 });
  });

  it('an order that another creation made does not show that a creation before it was made', () => {
    const body = { currency: 'MXN', line_items: [{ name: 'a', unit_price: 1, quantity: 1 }] };
    const request = { method: 'POST', path: 'orders', body } as const;
    const create = wanted({
      kind: 'order',
      orderId: undefined,
      expected: undefined,
      request,
      again: ['i_0'],
    });
    const theirs = { id: 'ord_9', currency: 'MXN', line_items: { data: body.line_items } };
    const { sent: row } = attempt([]);
    const proof = { ...row.proof, kind: 'order', orderId: undefined, expected: [], body } as const;
    const of = { request, proof, horizonMs: 0 };
    const unseen = attempt([{ verdict: 'not_seen' }], { ...of, change: 'i_0' });
    const maker = attempt([{ verdict: 'applied', created: 'ord_9' }], { ...of, change: 'i_9' });
    const shown = (...creations: AttemptRecord[]): Event[] => [
      locked,
      { is: 'known', attempts: [unseen], moment: at(9000) },
      { is: 'fresh', value: { data: [theirs] }, creations, moment: at(9000) },
    ];
    expect(run(shown(maker), create).effect.do).toBe('check');
    expect(run(shown(), create).effect.do).toBe('record');
  });

  it('an equal order that another creation of this machine accounts for is not taken for the created one', () => {
    const body = { currency: 'MXN', line_items: [{ name: 'a', unit_price: 1, quantity: 1 }] };
    const request = { method: 'POST', path: 'orders', body } as const;
    const create = wanted({ kind: 'order', orderId: undefined, expected: undefined, request });
    const theirs = { id: 'ord_9', currency: 'MXN', line_items: { data: body.line_items } };
    const sent = endOf([...toPost, lost, recorded, waited, seen(order(5)), recorded]);
    if (sent.how !== 'verdict') throw new Error('no verdict');
    const other: AttemptRecord = {
      sent: { ...sent.sent, change: 'i_0', proof: { ...sent.sent.proof, kind: 'order', orderId: undefined } },
      verdicts: [{ ...sent.verdict, change: 'i_0', created: 'ord_9', refunds: [] }],
    };
    const late: Event = { is: 'fresh', value: { data: [{ id: 'ord_8' }] }, moment: at(0) };
    const path = [locked, known(other), late, checked, recorded, lost, recorded, waited];
    const again = [
      ...path,
      seen({ data: [theirs, { id: 'ord_8' }] }),
      waited,
      seen({ data: [theirs] }),
      recorded,
    ];
    expect(endOf(again, create)).toMatchObject({ verdict: { verdict: 'not_seen' } });
    const ours = { ...theirs, id: 'ord_10' };
    expect(endOf([...path, seen({ data: [theirs, ours] }), recorded], create)).toMatchObject({
      verdict: { verdict: 'applied', created: 'ord_10' },
    });
    const amongOpen: Event = {
      is: 'seen',
      value: { data: [theirs] },
      creations: [{ sent: { ...other.sent, request }, verdicts: [] }],
      moment: at(3000),
    };
    const alone = [locked, known(), late, checked, recorded, lost, recorded, waited];
    expect(endOf([...alone, amongOpen, waited, amongOpen, recorded], create)).toMatchObject({
      verdict: { verdict: 'unknown' },
      reads: 2,
    });
  });
});
