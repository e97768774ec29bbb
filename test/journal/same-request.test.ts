import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/journal/change.ts';
import type { SentRow } from '../../src/journal/rows/journal-rows.ts';
import { asksForSame, isEqual, isOtherRequest, sameJson } from '../../src/journal/same-request.ts';
import { attempt } from './rows.ts';

const { proof, request } = attempt([]).sent;
const other = {
  method: 'POST',
  path: 'orders/ord_2/refunds',
  body: { charge_id: 'ch_9', amount: 1 },
} as const;

function row(more: Partial<SentRow>): SentRow {
  return attempt([], more).sent;
}

describe('two runs ask for the same change', () => {
  it.each<[string, Partial<SentRow>, Parameters<typeof asksForSame>[1], boolean]>([
    ['if the requests are the same', {}, { kind: 'refund', request }, true],
    ['not if the method differs', {}, { kind: 'refund', request: { ...request, method: 'PUT' } }, false],
    ['not if the path differs', {}, { kind: 'refund', request: { ...request, path: 'p' } }, false],
    ['not if the body differs', {}, { kind: 'refund', request: { ...request, body: { amount: 6 } } }, false],
    ['not if one has no request', {}, { kind: 'refund' }, false],
    [
      'if the same was typed for the same kind, whatever the requests are',
      { asked: { order: 'ord_1' } },
      { kind: 'refund', request: other, asked: { order: 'ord_1' } },
      true,
    ],
    [
      'not if another thing was typed',
      { asked: { order: 'ord_1' } },
      { kind: 'refund', request: other, asked: { order: 'ord_2' } },
      false,
    ],
    [
      'not if the same was typed for another kind',
      { asked: { order: 'ord_1' } },
      { kind: 'capture', request: other, asked: { order: 'ord_1' } },
      false,
    ],
    ['not if nothing was typed for either', {}, { kind: 'refund', request: other }, false],
    ['if a row of this kind was lost', { lost: 'refund' }, { kind: 'refund', request: other }, true],
    ['not if a row of another kind was lost', { lost: 'capture' }, { kind: 'refund', request: other }, false],
    ['not if no row was lost and no kind is given', {}, { request: other }, false],
  ])('%s', (_, sent, asked, expected) => {
    expect(asksForSame(row(sent), asked)).toBe(expected);
  });
});

describe('a script’s id was used for another request', () => {
  const known = attempt([], { asked: { order: 'ord_1', amount: 5 } });
  it.each<[string, Parameters<typeof isOtherRequest>[0], boolean]>([
    ['not if kind and words are the same', { kind: 'refund', asked: { amount: 5, order: 'ord_1' } }, false],
    ['if the words differ', { kind: 'refund', asked: { order: 'ord_1', amount: 6 } }, true],
    ['if the kind differs', { kind: 'capture', asked: { order: 'ord_1', amount: 5 } }, true],
    ['if nothing was typed now', { kind: 'refund' }, true],
  ])('%s', (_, asked, expected) => {
    expect(isOtherRequest(asked, known)).toBe(expected);
  });
});

describe('the same money is asked for', () => {
  const expected = [{ chargeId: 'ch_1', amount: -5 }];
  const asked: Parameters<typeof isEqual>[0] = { kind: 'refund', request, expected };
  const noMoney: Partial<SentRow> = { proof: { ...proof, kind: 'capture', expected: [] } };
  const withoutExpected: Partial<SentRow> = JSON.parse(
    JSON.stringify({ proof: { ...proof, kind: 'capture', expected: undefined } }),
  );
  const capture: Change['request'] = { method: 'POST', path: 'orders/ord_1/capture' };
  it.each<[string, Parameters<typeof isEqual>[0], Partial<SentRow>, boolean]>([
    ['if charge and amount are the same', asked, {}, true],
    ['whatever else the body says', { ...asked, request: { ...request, body: { reason: 'x' } } }, {}, true],
    ['not if the amount differs', { ...asked, expected: [{ chargeId: 'ch_1', amount: -4 }] }, {}, false],
    ['not if the charge differs', { ...asked, expected: [{ chargeId: 'ch_2', amount: -5 }] }, {}, false],
    ['not if the order differs', { ...asked, request: { ...request, path: 'p' } }, {}, false],
    ['not if the method differs', { ...asked, request: { ...request, method: 'PUT' } }, {}, false],
    ['not if only one of the two expects money', { ...asked, expected: [] }, {}, false],
    ['not if only the other one expects money', asked, noMoney, false],
    [
      'where no money is expected, if the request is the same',
      { kind: 'capture', request: capture, expected: [] },
      { ...noMoney, request: capture },
      true,
    ],
    [
      'where no money is expected, not if the request differs',
      { kind: 'capture', request: capture },
      { ...noMoney, request },
      false,
    ],
    [
      'where an older row says nothing of money, if the request is the same',
      { kind: 'capture', request: capture },
      { ...withoutExpected, request: capture },
      true,
    ],
    [
      'where an older row says nothing of money, not if money is expected now',
      { ...asked, request: capture },
      { ...withoutExpected, request: capture },
      false,
    ],
  ])('%s', (_, now, sent, isIt) => {
    expect(isEqual(now, { sent: row(sent) })).toBe(isIt);
  });
});

describe('two values are the same JSON', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['in whatever order their keys are', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['only in the order of their items', [1, 2], [2, 1], false],
    ['without what is undefined', { a: 1, b: undefined }, { a: 1 }, true],
    ['if both are missing', undefined, null, true],
    ['not if one is missing', undefined, {}, false],
  ])('%s', (_, one, two, expected) => {
    expect(sameJson(one, two)).toBe(expected);
  });
});
