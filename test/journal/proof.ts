/** An order, and a proof about it, for tests. */

import type { Proof } from '../../src/journal/rows/journal-rows.ts';

/** What other attempts account for. */
export const nothing: ReadonlySet<string> = new Set();

/** A charge with refunds, by id and amount. */
export const charge = (id: string, amount: number, refunds: [string, number][] | null) => ({
  id,
  amount,
  status: 'paid',
  refunds: refunds === null ? null : { data: refunds.map(([refund, sum]) => ({ id: refund, amount: sum })) },
});
/** An order of 100 with these charges. */
export const order = (...charges: object[]) => ({
  object: 'order',
  id: 'ord_1',
  livemode: true,
  amount: 100,
  payment_status: 'paid',
  charges: { data: charges },
});

/** Of a refund of 5 on `ch_1`, which has one of that amount already. */
export function proof(more: Partial<Proof> = {}): Proof {
  return {
    kind: 'refund',
    orderId: 'ord_1',
    livemode: true,
    expected: [{ chargeId: 'ch_1', amount: -5 }],
    tolerated: [],
    before: { charges: [{ id: 'ch_1', refunds: [{ id: 'old', amount: -5 }] }] },
    ...more,
  };
}

/** Of a whole order of three charges, one of which may be left out. */
export const whole = proof({
  expected: [
    { chargeId: 'ch_1', amount: -60 },
    { chargeId: 'ch_2', amount: -40 },
  ],
  tolerated: ['ch_3'],
  before: { charges: ['ch_1', 'ch_2', 'ch_3'].map((id) => ({ id, refunds: [] })) },
});
