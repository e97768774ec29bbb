/** Rows of a journal for tests: a refund and that it was made. */

import type { SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';

/** A refund of 5 on the only charge of `ord_1`, about to be sent. */
export function sent(intent: string, time: number, more: Partial<SentRow> = {}): SentRow {
  return {
    type: 'sent',
    intent,
    attempt: 1,
    time,
    sendBy: time + 10_000,
    horizonMs: 900_000,
    origin: 'https://pay.example',
    account: 'https://pay.example service production',
    profile: 'shop-mx',
    operator: 'op7',
    request: { method: 'POST', path: 'orders/ord_1/refunds', body: { reason: 'other' } },
    proof: {
      kind: 'refund',
      orderId: 'ord_1',
      livemode: true,
      body: { reason: 'other' },
      expected: [{ chargeId: 'ch_1', amount: -5 }],
      tolerated: [],
      before: { charges: [{ id: 'ch_1', refunds: [] }] },
    },
    note: 'ticket 8840',
    ...more,
  };
}

/** It was made. */
export function verdict(intent: string, time: number): VerdictRow {
  return {
    type: 'verdict',
    intent,
    attempt: 1,
    time,
    verdict: 'applied',
    by: 'reply',
    why: 'the reply shows it',
  };
}
