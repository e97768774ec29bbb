/** Reading a row of the journal's table: damage is found, and a damaged body is never taken for an erased one. */

import { expect, it } from 'vitest';
import { damageOf, link, storedRow, unlink, unstamped } from '../../src/journal/chain.ts';
import { sent, setting, verdict } from './rows.ts';

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
  ['intent', 'has a changed intent'],
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
    intent: '',
    attempt: 0,
    order_id: null,
    body: null,
  });
  expect(unlink(storedRow({ ...kept }))).toEqual(row);
  expect(damageOf(storedRow({ ...kept }))).toBeUndefined();
  expect(damageOf({ ...kept, time: 6 })).toBe('has a changed time');
  expect(damageOf({ ...kept, row: kept.row.replace('"500"', '"900"') })).toBe('was changed');
});

it('a row for a server is without what the server states, and without what may be erased', () => {
  const { rest, body } = unstamped(sent('i_a', 1, { stamp: { operator: 'ana', run: 'r' } }));
  for (const name of ['type', 'intent', 'attempt', 'time', 'operator', 'sendBy', 'stamp'])
    expect(JSON.parse(rest)).not.toHaveProperty(name);
  expect(JSON.parse(rest)).toMatchObject({ horizonMs: 900_000, proof: { orderId: 'ord_1' } });
  expect(body).toBe('{"body":{"reason":"other"},"note":"ticket 8840"}');
  expect(unstamped(verdict('i_a', 2))).toEqual({
    rest: '{"verdict":"applied","by":"reply","why":"the reply confirms it"}',
    body: null,
  });
});

it('a void row is stored whole, with its attempt and nothing to erase', () => {
  const row = { type: 'void', intent: 'i_a', attempt: 2, time: 5, why: 'w' } as const;
  const kept = link(row, 1, '0'.repeat(64));
  expect(kept).toMatchObject({ type: 'void', intent: 'i_a', attempt: 2, body: null, body_hash: null });
  expect(damageOf(kept)).toBe(undefined);
  expect(unlink(kept)).toEqual(row);
});
