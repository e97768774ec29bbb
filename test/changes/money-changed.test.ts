/** Whether the money of an order changed since it was read. */

import { expect, it } from 'vitest';
import { driftOf, moneyBefore } from '../../src/changes/money-changed.ts';

import type { AttemptRecord, Proof } from '../../src/journal/rows/journal-rows.ts';
import { chargesOf, type Json, listOf, refundOf, withCharge, withRefund } from '../harness/orders.ts';
import { profileInUse } from '../harness/profile-in-use.ts';
import { attempt } from '../journal/rows.ts';
import { order, splitOrder } from '../refunds/refund-service.ts';
import { attemptAt, refund } from './bulk/plan-parts.ts';

const profile = profileInUse('http://localhost:1');
const first = order('ord_1');
const charge = 'ch_ord_1';

function drift(now: Json, own: readonly AttemptRecord[] = [], was: Json = first): string | undefined {
  const before = moneyBefore(was);
  if (before === undefined) throw new Error('the order does not show its money');
  return driftOf(before, now, own, profile);
}

const refunded = withRefund(first, refundOf('rf_1', 100), 100);
const proofOf = (amount: number, chargeId = charge): Proof => ({
  kind: 'refund',
  orderId: 'ord_1',
  livemode: false,
  body: {},
  expected: [{ chargeId, amount }],
  tolerated: [],
  before: { charges: [{ id: chargeId, refunds: [] }] },
});
const applied = (id: string | undefined, amount = -100) =>
  attemptAt({ verdict: 'applied', refunds: [refund(id, amount, charge)] }, { proof: proofOf(amount) });
const byPerson = attemptAt({ verdict: 'applied', by: 'person' }, { proof: proofOf(-100) });

it('an order that is as it was has not changed', () => {
  expect(drift(first)).toBeUndefined();
  expect(drift({ ...first, updated_at: 5, metadata: { a: 'b' } })).toBeUndefined();
});

it.each<[string, Json, string]>([
  ['its amount', { ...first, amount: 1 }, 'its amount was 35000 and is 1'],
  ['its currency', { ...first, currency: undefined }, 'its currency was MXN and is absent'],
  ['its status', { ...first, payment_status: 'expired' }, 'payment_status was paid and is expired'],
  ['its is_refundable', { ...first, is_refundable: undefined }, 'is_refundable was true and is absent'],
  ['what was refunded', { ...first, amount_refunded: 7 }, 'amount_refunded was 0 and is 7'],
  ['a charge that is gone', { ...first, charges: listOf() }, 'it has other charges'],
  ['the amount of a charge', withCharge(first, { amount: 34_000 }), 'the amount of charge 1 changed'],
  [
    'the status of a charge',
    withCharge(first, { status: 'expired' }),
    'the status of charge 1 was paid and is expired',
  ],
  [
    'is_refundable of a charge',
    withCharge(first, { is_refundable: false }),
    'is_refundable of charge 1 was true and is false',
  ],
  ['a new refund', refunded, 'it has a new refund of 100, rf_1'],
  ['money that cannot be read', { ...first, amount: '1' }, 'the amount is not a whole number'],
])('says what changed: %s', (_, now, words) => {
  expect(drift(now)).toBe(words);
});

it('a refund that was there and is gone is a change', () => {
  expect(drift(first, [], refunded)).toBe('refund rf_1 is not shown any more');
});

it('a known refund of another amount is a change', () => {
  const other = withRefund(first, refundOf('rf_1', 90), 90);
  expect(drift(other, [], refunded)).toBe('refund rf_1 was 100 and is 90');
  expect(drift(other, [applied('rf_1')], refunded)).toBe('refund rf_1 was 100 and is 90');
});

it.each(['pending', 'failed'])('a %s refund that was there before the plan is no change', (status) => {
  const before = withRefund(first, refundOf('rf_1', 100, { status }), 100);
  expect(drift(before, [], before)).toBeUndefined();
  const after = withRefund(before, refundOf('rf_2', 300), 300);
  expect(drift(after, [applied('rf_2', -300)], before)).toBeUndefined();
});

it.each([0, 100])("a pending refund of the plan's own is no change, with amount_refunded %d", (said) => {
  const pending = withRefund(first, refundOf('rf_1', 100, { status: 'pending' }), said);
  expect(drift(pending, [applied('rf_1')])).toBeUndefined();
});

it("the plan's own refunds are no change, nor what they do to the status and the sums", () => {
  expect(drift(refunded, [applied('rf_1')])).toBeUndefined();
  expect(drift(refunded, [applied('rf_2')])).toBe('it has a new refund of 100, rf_1');
});

it("a refund by somebody else is a change, though a read of the plan's own refund showed it too", () => {
  const both = withRefund(refunded, refundOf('rf_9', 70), 70);
  const seen = [refund('rf_1', -100, charge), refund('rf_9', -70, charge)];
  const own = attempt(
    [
      { verdict: 'applied', refunds: seen.slice(0, 1) },
      { verdict: 'applied', by: 'read', refunds: seen },
    ],
    { proof: proofOf(-100) },
  );
  expect(drift(both, [own])).toBe('it has a new refund of 70, rf_9');
});

it("a refund of the plan's own that was made twice is no change once somebody has dealt with it", () => {
  const twice = withRefund(refunded, refundOf('rf_2', 100), 100);
  const refunds = [refund('rf_1', -100, charge), refund('rf_2', -100, charge)];
  const own = attempt(
    [
      { verdict: 'applied', alarm: 'duplicate', refunds },
      { verdict: 'applied', by: 'person', acknowledged: 'duplicate', refunds },
    ],
    { proof: proofOf(-100) },
  );
  expect(drift(twice, [own])).toBeUndefined();
});

it('a refund that a person recorded is known by its charge and amount, and counts once', () => {
  const twice = withRefund(refunded, refundOf('rf_2', 100), 100);
  expect(drift(refunded, [byPerson])).toBeUndefined();
  expect(drift(twice, [byPerson])).toBe('it has a new refund of 100, rf_2');
  expect(drift(withRefund(first, refundOf('rf_1', 99), 99), [byPerson])).toContain('rf_1');
});

it('after refunds of the plan that were in its snapshot already, the status must be as it was', () => {
  expect(drift({ ...refunded, payment_status: 'expired' }, [applied('rf_1')], refunded)).toBe(
    'payment_status was partially_refunded and is expired',
  );
});

it('after a refund of the plan, what that refund does is no change', () => {
  const whole = withRefund(first, refundOf('rf_1', 35_000), 35_000);
  const gone = { ...whole, payment_status: 'refunded', is_refundable: false };
  expect(drift(gone, [applied('rf_1', -35_000)])).toBeUndefined();
  const closed = withCharge(gone, { status: 'refunded', is_refundable: false });
  expect(drift(closed, [applied('rf_1', -35_000)])).toBeUndefined();
  const unsaid = { ...first, amount_refunded: undefined };
  expect(drift(refunded, [applied('rf_1')], unsaid)).toBeUndefined();
  expect(drift(unsaid, [], unsaid)).toBeUndefined();
});

it.each<[string, Json, string]>([
  [
    'a chargeback',
    { ...refunded, payment_status: 'charged_back' },
    'payment_status was paid and is charged_back',
  ],
  [
    'a chargeback of a charge',
    withCharge(refunded, { status: 'charged_back' }),
    'the status of charge 1 was paid and is charged_back',
  ],
  [
    'a status that nobody knows',
    { ...refunded, payment_status: 'held' },
    'payment_status was paid and is held',
  ],
  [
    'is_refundable that is gone',
    { ...refunded, is_refundable: undefined },
    'is_refundable was true and is absent',
  ],
  [
    'is_refundable of a charge that is gone',
    withCharge(refunded, { is_refundable: undefined }),
    'is_refundable of charge 1 was true and is absent',
  ],
  [
    'more money that went back',
    { ...refunded, amount_refunded: 35_000 },
    'amount_refunded was 0 and is 35000, and the refunds since then are 100',
  ],
])('after a refund of the plan, %s is a change', (_, now, words) => {
  expect(drift(now, [applied('rf_1')])).toBe(words);
});

it('after a refund of one charge, the other charge must be as it was', () => {
  const split = splitOrder('ord_s', 1000, 2000);
  const [one = {}, two = {}] = chargesOf(split);
  const after = (changes: Json): Json => ({
    ...split,
    amount_refunded: 100,
    payment_status: 'partially_refunded',
    charges: listOf({ ...one, refunds: listOf(refundOf('rf_1', 100)) }, { ...two, ...changes }),
  });
  const made = { verdict: 'applied', refunds: [refund('rf_1', -100, 'ch_1')] } as const;
  const own = [attemptAt(made, { proof: proofOf(-100, 'ch_1') })];
  expect(drift(after({}), own, split)).toBeUndefined();
  expect(drift(after({ is_refundable: false }), own, split)).toBe(
    'is_refundable of charge 2 was true and is false',
  );
  expect(drift(after({ status: 'refunded' }), own, split)).toBe(
    'the status of charge 2 was paid and is refunded',
  );
});
