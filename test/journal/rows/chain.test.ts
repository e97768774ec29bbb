/** Reading a row of the journal's table: damage is found, and a damaged body is never taken for an erased one. */

import { expect, it } from 'vitest';
import {
  chainStart,
  checkChain,
  damageOf,
  link,
  storedRow,
  unlink,
} from '../../../src/journal/rows/chain.ts';
import { sent, setting } from '../rows.ts';

const stored = link(sent('i_a', 1), 1, '0'.repeat(64));

it('is read as it was written, and as whole after its body was erased', () => {
  expect(storedRow({ ...stored })).toEqual(stored);
  expect(damageOf(storedRow({ ...stored, body: null }))).toBeUndefined();
});

it.each([
  ['row', 'was changed'],
  ['body', 'has a changed body'],
  ['body_hash', 'was changed'],
  ['hash', 'was changed'],
  ['type', 'has a changed type'],
  ['time', 'has a changed time'],
  ['change', 'has a changed change'],
  ['order_id', 'has a changed order_id'],
  ['plan', 'has a changed plan'],
])('bytes instead of its %s are damage', (column, damage) => {
  expect(damageOf(storedRow({ ...stored, [column]: new Uint8Array([1]) }))).toBe(damage);
});

it('a row about a setting is stored whole, and has no attempt and nothing to erase', () => {
  const row = setting(5, { clocks: { wall: 5 } });
  const kept = link(row, 1, '0'.repeat(64));
  expect(kept).toMatchObject({
    type: 'setting',
    time: 5,
    change: '',
    attempt: 0,
    order_id: null,
    body: null,
  });
  expect(unlink(storedRow({ ...kept }))).toEqual(row);
  expect(damageOf(storedRow({ ...kept }))).toBeUndefined();
  expect(damageOf({ ...kept, time: 6 })).toBe('has a changed time');
  expect(damageOf({ ...kept, row: kept.row.replace('"500"', '"900"') })).toBe('was changed');
});

it('a limit of a team is stored whole, and is about no attempt', () => {
  const row = {
    type: 'limit',
    time: 5,
    operator: 'lea',
    account: 'https://pay.example service production',
    member: '*',
    currency: 'MXN',
    name: 'max',
    from: null,
    to: '500',
  } as const;
  const kept = link(row, 1, chainStart);
  expect(kept).toMatchObject({ type: 'limit', change: '', attempt: 0, origin: null, body: null });
  expect(damageOf(kept)).toBe(undefined);
  expect(unlink(kept)).toEqual(row);
});

it('a request for an approval keeps its body and note apart, as a SENT row does, and an answer its note', () => {
  const of = { type: 'approval', requestId: 'r_1', time: 5, operator: 'ana' } as const;
  const request = { method: 'POST', path: 'orders/ord_1/refunds', body: { amount: 5 } } as const;
  const { before: _, ...proof } = sent('i_a', 5).proof;
  const asked = {
    ...of,
    step: 'asked',
    origin: 'o',
    account: 'a',
    profile: 'p',
    request,
    proof: { ...proof, body: request.body },
    note: 'ticket 8840',
  } as const;
  const kept = link(asked, 1, chainStart);
  expect(kept).toMatchObject({ change: 'r_1', origin: null, order_id: null });
  expect(kept.row).not.toContain('8840');
  expect(kept.body).toBe('{"body":{"amount":5},"note":"ticket 8840"}');
  expect(unlink(kept)).toEqual(asked);
  const decided = { ...of, step: 'approved', until: 9, note: 'seen' } as const;
  const answer = link(decided, 2, kept.hash);
  expect(answer.body).toBe('{"note":"seen"}');
  expect(unlink(answer)).toEqual(decided);
  expect(link({ ...of, step: 'rejected', until: null }, 2, kept.hash).body).toBe(null);
  expect(checkChain([kept, answer]).findings).toEqual([]);
});
