/** The rules that a store checks before it adds a row, over the tables of a journal in memory. */

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AttemptQuery } from '../../../src/journal/rows/attempt-query.ts';
import type { StoredRow } from '../../../src/journal/rows/chain.ts';
import type { JournalRow, SentRow, VerdictRow } from '../../../src/journal/rows/journal-rows.ts';
import { isMisplaced } from '../../../src/journal/rows/store-rules.ts';
import { KnownJournal } from '../../../src/journal/sqlite/known-journal.ts';
import { Memory } from '../../harness/memory-store.ts';
import { horizonMs, sent, setting, verdict } from '../rows.ts';

/** A run and the journal that it reads. Others may add rows. */
function journalOf(...rows: readonly JournalRow[]) {
  const { tables } = new Memory();
  const asked = { orders: new Map(), scripts: new Map() };
  const rules = () => new KnownJournal(tables, asked);
  const addStored = (stored: StoredRow) => tables.add([stored]);
  const add = (...more: readonly JournalRow[]) => tables.add(rules().link(...more));
  add(...rows);
  const changes = (query: AttemptQuery) =>
    rules()
      .attempts(query)
      .map((record) => record.sent.change);
  const damage = (statement: string) => tables.db.exec(statement);
  return { rules, tables, add, addStored, changes, damage };
}

function onOrder(change: string, orderId: string | undefined, more: Partial<SentRow> = {}): SentRow {
  const row = sent(change, 5, more);
  return { ...row, proof: { ...row.proof, orderId } };
}

function ruling(change: string, more: Partial<VerdictRow>): VerdictRow {
  return { ...verdict(change, 10), ...more };
}

describe('a run has read the rows of a journal', () => {
  it('and knows the last one, the latest time and the last clocks', () => {
    const { rules, add } = journalOf();
    expect(rules().end).toMatchObject({ seq: 0, hash: '0'.repeat(64) });
    expect(rules().newest).toEqual({ time: 0, clocks: undefined });
    const clocks = { wall: 7 };
    add(sent('i_a', 9), { ...verdict('i_a', 4), clocks }, setting(99));
    expect(rules().end.seq).toBe(3);
    expect(rules().newest).toEqual({ time: 9, clocks });
    const { hash: prev } = rules().end;
    expect(rules().link(setting(1))).toMatchObject([{ seq: 4, prev }]);
  });

  it('and keeps the attempts and the settings apart', () => {
    const { rules } = journalOf(setting(1), sent('i_a', 2), setting(3), verdict('i_a', 4));
    expect(rules().settings()).toEqual([setting(1), setting(3)]);
    expect(rules().attempts({ orderId: 'ord_1' })).toEqual([
      { sent: sent('i_a', 2), verdicts: [verdict('i_a', 4)] },
    ]);
  });

  it('and passes over a verdict without its attempt', () => {
    const { rules } = journalOf(verdict('i_x', 1), sent('i_a', 2));
    expect(rules().attempts({ orderId: 'ord_1' })).toEqual([{ sent: sent('i_a', 2), verdicts: [] }]);
  });
});

describe('a run says which rows it has looked at', () => {
  it('of an order and of an id of a script: those that were there when it asked', () => {
    const { rules, add } = journalOf(onOrder('i_a', 'ord_1', { idempotencyKey: 'night-1' }));
    rules().attempts({ orderId: 'ord_1', beforeSending: true });
    add(setting(2));
    rules().attempts({ idempotencyKey: 'night-1', beforeSending: true });
    add(setting(3));
    expect(rules().seenOf(onOrder('i_b', 'ord_1', { idempotencyKey: 'night-1' }))).toEqual({
      order: 1,
      idempotencyKey: 2,
    });
  });

  it('of what it has not asked about: all that it has read', () => {
    const { rules } = journalOf(setting(1), setting(2));
    expect(rules().seenOf(onOrder('i_b', 'ord_1', { idempotencyKey: 'night-1' }))).toEqual({
      order: 2,
      idempotencyKey: 2,
    });
    expect(rules().seenOf(onOrder('i_b', undefined))).toEqual({ order: 2, idempotencyKey: 2 });
  });

  it('and how many verdicts an attempt has', () => {
    const { rules } = journalOf(sent('i_a', 1), verdict('i_a', 2), verdict('i_a', 3));
    expect(rules().verdictsOn({ change: 'i_a', attempt: 1 })).toBe(2);
    expect(rules().verdictsOn({ change: 'i_b', attempt: 1 })).toBe(0);
  });
});

describe('a query finds attempts', () => {
  const row = (change: string, more: Partial<SentRow>) => onOrder(change, 'ord_1', more);
  const { changes } = journalOf(
    row('i_a', { origin: 'o', time: 1, idempotencyKey: 'T1', operator: 'ana' }),
    row('i_b', { origin: 'o', time: 2 }),
    onOrder('i_c', 'ord_2', { origin: 'p', time: 3, idempotencyKey: 'T1' }),
    onOrder('i_d', undefined, { origin: '', time: 4 }),
    onOrder('i_e', 'ord_3', { origin: 'p', time: 5, idempotencyKey: 'T2' }),
    onOrder('i_a', 'ord_3', { origin: 'p', time: 6, attempt: 2 }),
  );
  it.each<[string, AttemptQuery, readonly string[]]>([
    ['on one order', { orderId: 'ord_1' }, ['i_a', 'i_b']],
    ['on an order that has none', { orderId: 'ord_9' }, []],
    ['on one order and of one address', { orderId: 'ord_1', origin: 'p' }, []],
    ['on one order and of no known address', { orderId: 'ord_1', origin: '' }, []],
    [
      'on several orders, as they were sent',
      { orderIds: new Set(['ord_3', 'ord_1']) },
      ['i_a', 'i_b', 'i_e', 'i_a'],
    ],
    ['on several orders, one of which has none', { orderIds: new Set(['ord_9', 'ord_2']) }, ['i_c']],
    ['on one order that is not one of several', { orderId: 'ord_1', orderIds: new Set(['ord_2']) }, []],
    ['on no order when orders are named', { origin: '', orderIds: new Set(['ord_1']) }, []],
    ['on no order, of no known address', { withoutOrder: true, unconfirmed: true, origin: '' }, ['i_d']],
    ['that may be open, of one address', { origin: 'o', unconfirmed: true }, ['i_a', 'i_b']],
    ['of one change', { change: 'i_a' }, ['i_a', 'i_a']],
    ['of a change that is not there', { change: 'i_x' }, []],
    ['of one change on one order', { change: 'i_a', orderId: 'ord_3' }, ['i_a']],
    ['of another change on that order', { change: 'i_b', orderId: 'ord_3' }, []],
    ['under an idempotency key', { idempotencyKey: 'T1' }, ['i_a', 'i_c']],
    ['under an idempotency key, once more', { idempotencyKey: 'T1' }, ['i_a', 'i_c']],
    ['under an idempotency key that is not there', { idempotencyKey: 'T9' }, []],
    ['under an idempotency key on one order', { idempotencyKey: 'T1', orderId: 'ord_2' }, ['i_c']],
    [
      'under an idempotency key on an order where it has none',
      { idempotencyKey: 'T1', orderId: 'ord_3' },
      [],
    ],
    ['of one operator', { operator: 'ana', unconfirmed: true }, ['i_a']],
    ['from a time on', { since: 4, unconfirmed: true }, ['i_d', 'i_e', 'i_a']],
  ])('%s', (_, query, expected) => {
    expect(changes(query)).toEqual(expected);
  });

  it('also those that came after the first question about an idempotency key', () => {
    const { add, changes: found } = journalOf(sent('i_a', 1, { idempotencyKey: 'T1' }));
    expect(found({ idempotencyKey: 'T1' })).toEqual(['i_a']);
    add(sent('i_b', 2, { idempotencyKey: 'T1' }), sent('i_c', 3));
    expect(found({ idempotencyKey: 'T1' })).toEqual(['i_a', 'i_b']);
  });

  it.each<[string, Partial<VerdictRow> | undefined, readonly string[]]>([
    ['without a verdict', undefined, ['unconfirmed', 'open', 'open while the clocks disagree']],
    [
      'unconfirmed',
      { verdict: 'unknown', by: 'read' },
      ['unconfirmed', 'open', 'open while the clocks disagree'],
    ],
    [
      'not shown before its horizon',
      { verdict: 'not_seen', by: 'read' },
      ['unconfirmed', 'open', 'open while the clocks disagree'],
    ],
    [
      'not shown after its horizon',
      { verdict: 'not_seen', by: 'read', time: 20 + horizonMs },
      ['unconfirmed', 'open while the clocks disagree'],
    ],
    ['made and watched', { verdict: 'applied' }, ['watched']],
    ['made and not watched any more', { verdict: 'applied', time: 20 + horizonMs }, []],
    [
      'made, with an alarm',
      { verdict: 'applied', alarm: 'duplicate', time: 20 + horizonMs },
      ['unconfirmed', 'open', 'open while the clocks disagree'],
    ],
    ['refused', { verdict: 'rejected', confirmed: true }, []],
    ['recorded by hand as made', { verdict: 'applied', by: 'person', time: 30 }, ['made by hand']],
    ['recorded by hand as made, long ago', { verdict: 'applied', by: 'person' }, []],
    ['recorded by hand as not made', { verdict: 'rejected', by: 'person', time: 30 }, []],
  ])('by what became of them: %s', (_, last, expected) => {
    const verdicts = last === undefined ? [] : [ruling('i_a', { verdict: 'applied' }), ruling('i_a', last)];
    const { changes: found } = journalOf(sent('i_a', 1), ...verdicts);
    const queries: Readonly<Record<string, AttemptQuery>> = {
      watched: { watched: { dueBy: 10 ** 12, limit: 1 } },
      unconfirmed: { unconfirmed: true },
      open: { open: { skewed: false } },
      'open while the clocks disagree': { open: { skewed: true } },
      'made by hand': { madeByHand: { time: 20 + horizonMs, skewed: false } },
      'by hand': { byHand: true },
    };
    expect(
      Object.keys(queries).filter((name) => found(queries[name] ?? { change: '' }).length === 1),
    ).toEqual(expected);
  });
});

describe('bodies and notes may be erased', () => {
  it('of what was sent before a time and is settled or made', () => {
    const { rules } = journalOf(
      sent('i_open', 1),
      sent('i_made', 1),
      verdict('i_made', 2),
      sent('i_refused', 1),
      ruling('i_refused', { verdict: 'rejected', confirmed: true }),
      sent('i_unknown', 1),
      ruling('i_unknown', { verdict: 'unknown' }),
      sent('i_late', 9),
      verdict('i_late', 9),
    );
    expect([...rules().erasable(9)].map(({ change }) => change)).toEqual(['i_made', 'i_refused']);
  });
});

describe('a row has no place in the journal', () => {
  it('if it is a second SENT row, or a verdict without its SENT row', () => {
    expect(isMisplaced(sent('i_a', 1), true)).toBe(true);
    expect(isMisplaced(sent('i_a', 1), false)).toBe(false);
    expect(isMisplaced(verdict('i_a', 1), true)).toBe(false);
    expect(isMisplaced(verdict('i_a', 1), false)).toBe(true);
    const { rules } = journalOf(sent('i_a', 1));
    const misplaced = expect.objectContaining({
      kind: 'refused',
      message: 'the journal cannot hold this row of i_a',
      parts: expect.objectContaining({ certain: 'nothing was sent' }),
    });
    expect(() => rules().refuseMisplaced(sent('i_a', 2))).toThrow(misplaced);
    expect(() => rules().refuseMisplaced({ ...verdict('i_a', 2), attempt: 2 })).toThrow(misplaced);
    rules().refuseMisplaced(verdict('i_a', 2));
    rules().refuseMisplaced({ ...sent('i_a', 2), attempt: 2 });
    rules().refuseMisplaced(setting(2));
  });
});

describe('while a change of an unknown account is lost', () => {
  it('nothing is sent until it is settled, and the error names it', () => {
    const { rules, add } = journalOf(
      sent('i_a', 1),
      onOrder('i_lost', undefined, { origin: '', lost: 'unknown' }),
    );
    expect(() => rules().refuseWhileLost()).toThrow(
      expect.objectContaining({
        kind: 'refused',
        message: 'rows of the journal are lost: i_lost may be a change that was sent',
        parts: expect.objectContaining({
          certain: 'nothing was sent',
          now: [
            "look at the orders that were changed recently on the service's own screen; then record that you did:",
            'paydesk journal settle i_lost --not-applied --note TEXT',
          ],
        }),
      }),
    );
    add(ruling('i_lost', { verdict: 'rejected', by: 'person', confirmed: true }));
    rules().refuseWhileLost();
  });

  it.each([
    [
      'account of the lost change',
      "UPDATE attempts SET origin = 'https://pay.example' WHERE change = 'i_lost'",
    ],
    ['account of its row', "UPDATE rows SET origin = 'https://pay.example' WHERE change = 'i_lost'"],
    ['place of the lost change', "UPDATE attempts SET about = 'ord_1' WHERE change = 'i_lost'"],
  ])('damage to the %s hides nothing', (_, statement) => {
    const { rules, damage } = journalOf(onOrder('i_lost', undefined, { origin: '', lost: 'unknown' }));
    damage(statement);
    expect(() => rules().refuseWhileLost()).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  it('an open change of a known account stops no other', () => {
    journalOf(sent('i_a', 1)).rules().refuseWhileLost();
  });
});

describe('a row that somebody wrote past paydesk', () => {
  it('about an attempt refuses what asks for that attempt, and names the row', () => {
    const { rules, add, tables, changes, damage } = journalOf(onOrder('i_a', 'ord_1'));
    add(verdict('i_a', 3));
    const row = tables.at(2);
    const body_hash = hash('sha256', '{nonsense');
    const whole = hash('sha256', `${row?.prev}\n${body_hash}\n${row?.row}`);
    damage(`UPDATE rows SET body = '{nonsense', body_hash = '${body_hash}', hash = '${whole}' WHERE seq = 2`);
    add(onOrder('i_b', 'ord_2'));
    expect(changes({ orderId: 'ord_2' })).toEqual(['i_b']);
    expect(() => rules().attempts({ orderId: 'ord_1', beforeSending: true })).toThrow(
      expect.objectContaining({
        kind: 'refused',
        message: 'row 2 of the journal cannot be read, so nobody knows what it says',
        parts: { certain: 'nothing was sent', now: ['find out who wrote that row: paydesk did not'] },
      }),
    );
  });

  it('at the end of the journal shows no clocks', () => {
    const { rules, damage } = journalOf({ ...sent('i_a', 1), clocks: { wall: 7 } }, verdict('i_a', 3));
    damage("UPDATE rows SET body = '{nonsense' WHERE seq = 2");
    expect(rules().newest).toEqual({ time: 3, clocks: undefined });
  });
});

describe('another run wrote what this one has not seen', () => {
  const lateOnOrder = expect.objectContaining({
    kind: 'refused',
    message: 'another run changed ord_1 in the meantime',
    parts: expect.objectContaining({
      certain: 'nothing was sent',
      now: ['paydesk journal list --order ord_1', 'then decide again'],
    }),
  });

  it.each<[string, JournalRow]>([
    ['a SENT row', sent('i_b', 2)],
    ['a verdict', verdict('i_a', 2)],
  ])('on the same order: %s, so nothing is sent until it asks again', (_, row) => {
    const { rules, add } = journalOf(sent('i_a', 1));
    rules().attempts({ orderId: 'ord_1', beforeSending: true });
    rules().refuseUnseen(sent('i_c', 3));
    add(row);
    expect(() => rules().refuseUnseen(sent('i_c', 3))).toThrow(lateOnOrder);
    rules().refuseUnseen(verdict('i_a', 3));
    rules().refuseUnseen(setting(3));
    rules().refuseUnseen(onOrder('i_c', 'ord_2'));
    rules().refuseUnseen(onOrder('i_c', undefined));
    rules().attempts({ orderId: 'ord_1', beforeSending: true });
    rules().refuseUnseen(sent('i_c', 3));
  });

  it('on an order that has no attempts, or on another order, stops nothing', () => {
    const { rules, add } = journalOf();
    rules().attempts({ orderId: 'ord_1', beforeSending: true });
    add(onOrder('i_b', 'ord_2'), setting(1));
    rules().refuseUnseen(sent('i_a', 3));
  });

  const on = (change: string, orderId: string, more: Partial<SentRow> = {}) =>
    onOrder(change, orderId, { idempotencyKey: 'T1', asked: { order: orderId }, ...more });

  it('under the same idempotency key: the same change', () => {
    const { rules, add } = journalOf(on('i_a', 'ord_1'));
    rules().attempts({ idempotencyKey: 'T1', beforeSending: true });
    rules().refuseUnseen(on('i_b', 'ord_2'));
    add(on('i_c', 'ord_2'));
    expect(() => rules().refuseUnseen(on('i_b', 'ord_2'))).toThrow(
      expect.objectContaining({
        kind: 'refused',
        message: 'another run under the idempotency key T1 (--idempotency-key) came first',
        parts: expect.objectContaining({ certain: 'nothing was sent', now: ['paydesk journal show i_c'] }),
      }),
    );
    rules().refuseUnseen(on('i_b', 'ord_2', { idempotencyKey: 'T2' }));
    rules().refuseUnseen(on('i_b', 'ord_2', { idempotencyKey: undefined }));
    rules().attempts({ idempotencyKey: 'T1', beforeSending: true });
    rules().refuseUnseen(on('i_b', 'ord_2'));
  });

  it('under the same idempotency key: a verdict on the earlier attempt', () => {
    const { rules, add } = journalOf(on('i_a', 'ord_1'), on('i_b', 'ord_1'));
    rules().attempts({ idempotencyKey: 'T1', beforeSending: true });
    add(verdict('i_a', 7));
    expect(() => rules().refuseUnseen(on('i_c', 'ord_1'))).toThrow(
      expect.objectContaining({ parts: expect.objectContaining({ now: ['paydesk journal show i_a'] }) }),
    );
  });

  it('under the same idempotency key: another change', () => {
    const { rules, add } = journalOf();
    rules().attempts({ idempotencyKey: 'T1', beforeSending: true });
    add(on('i_a', 'ord_1'));
    expect(() => rules().refuseUnseen(on('i_b', 'ord_2'))).toThrow(
      expect.objectContaining({
        message:
          'the idempotency key T1 (--idempotency-key) was used for another change: recorded with order ord_1; asked for now with order ord_2',
      }),
    );
  });

  it('under the same idempotency key of another account stops nothing', () => {
    const { rules, add } = journalOf();
    rules().attempts({ idempotencyKey: 'T1', beforeSending: true });
    const demo = { origin: 'http://127.0.0.1:9', account: 'http://127.0.0.1:9 service demo' };
    const { proof } = on('i_a', 'ord_1');
    add(on('i_a', 'ord_1', { ...demo, proof: { ...proof, livemode: false } }));
    rules().refuseUnseen(on('i_b', 'ord_1'));
  });
});

describe('a row was changed behind the back of the run', () => {
  const damaged = (problem: string) =>
    expect.objectContaining({
      kind: 'refused',
      message: `the journal is damaged: row 1 ${problem}`,
      parts: expect.objectContaining({
        certain: 'nothing was sent',
        now: ['paydesk journal verify', 'paydesk journal verify --repair   (keeps a copy)'],
      }),
    });

  it('if it is gone', () => {
    const { rules, damage } = journalOf(sent('i_a', 1));
    damage('DELETE FROM rows WHERE seq = 1');
    // An order that has no rows cannot tell: its witness can (sqlite-store.test.ts).
    const lookedUp = damaged('is filed under the wrong values');
    expect(() => rules().attempts({ unconfirmed: true })).toThrow(lookedUp);
    expect(() => rules().list({}, { limit: 1 })).toThrow(lookedUp);
  });

  it('if its words are others', () => {
    const { rules, damage } = journalOf(sent('i_a', 1));
    damage("UPDATE rows SET row = replace(row, '-5', '-6')");
    expect(() => rules().attempts({ orderId: 'ord_1', beforeSending: true })).toThrow(damaged('was changed'));
    expect(() => rules().refuseDamaged(sent('i_b', 2))).toThrow(damaged('was changed'));
  });

  it.each([
    ['a SENT row', 'sent', ruling('i_a', {})],
    ['a verdict', 'verdict', sent('i_b', 2)],
    ['a setting', 'setting', verdict('i_a', 2)],
  ])('if its column calls it %s, and it is none', (_, type, row) => {
    const { rules, add, damage } = journalOf(sent('i_a', 1));
    add(row);
    damage(`DROP INDEX one_sent; UPDATE rows SET type = '${type}' WHERE seq = 2`);
    const refused = expect.objectContaining({ message: 'the journal is damaged: row 2 has a changed type' });
    expect(() => rules().attempts({ orderId: 'ord_1', beforeSending: true })).toThrow(refused);
    expect(() => rules().refuseDamaged(sent('i_c', 2))).toThrow(refused);
  });
});
