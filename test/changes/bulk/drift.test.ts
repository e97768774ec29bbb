/** Whether an order changed since its plan was made. */

import { expect, it } from 'vitest';
import { driftOf, moneyBefore } from '../../../src/changes/bulk/drift.ts';

import type { AttemptRecord } from '../../../src/journal/journal-rows.ts';
import { type Json, listOf, refundOf, withCharge, withRefund } from '../../harness/orders.ts';
import { profileInUse } from '../../harness/profile-in-use.ts';
import { order } from '../../refunds/refund-service.ts';
import { attemptAt, refund } from './plan-parts.ts';

const profile = profileInUse('http://localhost:1');
const first = order('ord_1');
const charge = 'ch_ord_1';

function drift(now: Json, own: readonly AttemptRecord[] = [], was: Json = first): string | undefined {
  const before = moneyBefore(was);
  if (before === undefined) throw new Error('the order does not show its money');
  return driftOf(before, now, own, profile);
}

const refunded = withRefund(first, refundOf('rf_1', 100), 100);
const applied = (id: string | undefined, amount = -100) =>
  attemptAt({ verdict: 'applied', refunds: [refund(id, amount, charge)] });
const byPerson = attemptAt(
  { verdict: 'applied', by: 'person' },
  { proof: { ...applied('x').sent.proof, expected: [{ chargeId: charge, amount: -100 }] } },
);

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
  ['a new refund', refunded, 'it has a refund of 100 that is not of this plan, rf_1'],
  ['money that cannot be read', { ...first, amount: '1' }, 'the amount is not a whole number'],
])('says what changed: %s', (_, now, words) => {
  expect(drift(now)).toBe(words);
});

it('a refund that was there and is gone is a change', () => {
  expect(drift(first, [], refunded)).toBe('refund rf_1 is not shown any more');
});

it("the plan's own refunds are no change, nor what they do to the status and the sums", () => {
  expect(drift(refunded, [applied('rf_1')])).toBeUndefined();
  expect(drift(refunded, [applied('rf_2')])).toBe('it has a refund of 100 that is not of this plan, rf_1');
});

it('a refund that a person recorded is known by its charge and amount, and counts once', () => {
  const twice = withRefund(refunded, refundOf('rf_2', 100), 100);
  expect(drift(refunded, [byPerson])).toBeUndefined();
  expect(drift(twice, [byPerson])).toBe('it has a refund of 100 that is not of this plan, rf_2');
  expect(drift(withRefund(first, refundOf('rf_1', 99), 99), [byPerson])).toContain('rf_1');
});

it('after refunds of the plan that were in its snapshot already, the status must be as it was', () => {
  expect(drift({ ...refunded, payment_status: 'expired' }, [applied('rf_1')], refunded)).toBe(
    'payment_status was partially_refunded and is expired',
  );
  expect(drift({ ...refunded, payment_status: 'expired' }, [applied('rf_1')])).toBeUndefined();
});
