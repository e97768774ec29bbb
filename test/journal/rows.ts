/** Rows of a journal for tests: a refund, that it was made, and an attempt with its verdicts. */

import type {
  AttemptRecord,
  Moment,
  SentRow,
  SettingRow,
  VerdictRow,
} from '../../src/journal/rows/journal-rows.ts';
import type { AskedRefundRow, DecidedRow, LimitRow } from '../../src/journal/team-rules.ts';

/** A refund of 5 on the only charge of `ord_1`, about to be sent. */
export function sent(change: string, time: number, more: Partial<SentRow> = {}): SentRow {
  return {
    type: 'sent',
    change,
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
export function verdict(change: string, time: number): VerdictRow {
  return {
    type: 'verdict',
    change,
    attempt: 1,
    time,
    verdict: 'applied',
    by: 'reply',
    why: 'the reply confirms it',
  };
}

/** A limit that op7 raised. */
export function setting(time: number, more: Partial<SettingRow> = {}): SettingRow {
  return {
    type: 'setting',
    time,
    operator: 'op7',
    profile: 'shop-mx',
    origin: 'https://pay.example',
    account: 'https://pay.example service production',
    name: 'refund.max_amount.MXN',
    from: '500',
    to: null,
    ...more,
  };
}

/** A limit that lea set for everybody. */
export function limit(time: number, more: Partial<LimitRow> = {}): LimitRow {
  const account = 'https://pay.example service production';
  const of = { account, member: '*', currency: 'MXN', name: 'max', from: null, to: '500' };
  return { type: 'limit', time, operator: 'lea', ...of, ...more };
}

/** ana asks somebody else to approve a refund of 5 on `ord_1`. */
export function asked(id: string, time: number, more: Partial<AskedRefundRow> = {}): AskedRefundRow {
  const { origin, account, profile, request, proof } = sent('i_x', time);
  const { before: _, ...what } = proof;
  const of = { origin, account, profile, request, proof: what, amount: 5, currency: 'MXN' };
  return { type: 'approval', requestId: id, time, operator: 'ana', step: 'asked', ...of, ...more };
}

/** ben answers that request. */
export function decided(id: string, time: number, step: DecidedRow['step'] = 'approved'): DecidedRow {
  const until = step === 'approved' ? time + 3_600_000 : null;
  return { type: 'approval', requestId: id, time, operator: 'ben', step, until };
}

/** How long an attempt that was not seen stays open. */
export const horizonMs = 900_000;

/** An attempt to refund 5 of `ch_1`, sent at 0; each verdict is of a read at 1000 that did not show it, but for what is said. */
export function attempt(
  verdicts: readonly Partial<VerdictRow>[],
  more: Partial<SentRow> = {},
): AttemptRecord {
  const change = more.change ?? 'i_1';
  return {
    sent: {
      type: 'sent',
      change,
      attempt: 1,
      time: 0,
      sendBy: 10_000,
      horizonMs,
      origin: 'o',
      account: 'a',
      profile: 'p',
      operator: 'op',
      request: { method: 'POST', path: 'orders/ord_1/refunds', body: { charge_id: 'ch_1', amount: 5 } },
      proof: {
        kind: 'refund',
        orderId: 'ord_1',
        livemode: false,
        expected: [{ chargeId: 'ch_1', amount: -5 }],
        tolerated: [],
        before: { charges: [{ id: 'ch_1', refunds: [] }] },
      },
      ...more,
    },
    verdicts: verdicts.map((row) => ({
      type: 'verdict',
      change,
      attempt: 1,
      time: 1000,
      verdict: 'not_seen',
      by: 'read',
      why: 'w',
      ...row,
    })),
  };
}

/** A moment at which all clocks agree. */
export function momentAt(ms: number): Moment {
  return { time: ms, wall: ms, mono: ms, skewed: false };
}
