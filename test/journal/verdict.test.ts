import { describe, expect, it } from 'vitest';
import type { AttemptRecord, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import { judgeSeen, rulingOf } from '../../src/journal/verdict.ts';
import { charge, nothing, order, proof } from './proof.ts';

describe('the verdict of a evidence', () => {
  const read = { by: 'read', refunds: [] };
  it.each([
    [
      { shows: 'expected', refunds: [], others: false, created: 'ord_9' },
      'not_seen',
      { ...read, verdict: 'applied', why: 'the service shows it', created: 'ord_9' },
    ],
    [
      { shows: 'expected', refunds: [], others: false },
      'rejected',
      {
        ...read,
        verdict: 'applied',
        why: 'the service shows it',
        alarm: 'applied_though_rejected',
      },
    ],
    [
      { shows: 'expected', refunds: [], others: false, contradicts: 'amount 7 instead of 5' },
      'not_seen',
      {
        ...read,
        verdict: 'applied',
        why: 'the service shows it, with amount 7 instead of 5',
        alarm: 'contradiction',
      },
    ],
    [
      { shows: 'duplicate', refunds: [] },
      'not_seen',
      { ...read, verdict: 'applied', why: 'the service shows it more than once', alarm: 'duplicate' },
    ],
    [
      { shows: 'partial', refunds: [] },
      'not_seen',
      { ...read, verdict: 'unknown', why: 'the service shows only a part of it', alarm: 'partial' },
    ],
    [
      { shows: 'disagreement', refunds: [], problem: 'updated_at was 1 and is 2' },
      'not_seen',
      { ...read, verdict: 'unknown', why: 'updated_at was 1 and is 2' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'not_seen',
      { ...read, verdict: 'not_seen', why: 'the service does not show it' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'rejected',
      { ...read, verdict: 'rejected', why: 'the service refused it', confirmed: true },
    ],
  ] as const)('%j, none means %s', (evidence, none, ruling) => {
    expect(rulingOf(evidence, none)).toEqual(ruling);
  });
});

const body = { currency: 'MXN', line_items: [{ name: 'Lamp', unit_price: 300, quantity: 1 }] };
const made = { id: 'ord_9', currency: 'MXN', line_items: { data: body.line_items } };
const now = { time: 2000, wall: 2000, mono: 2000, skewed: false };

const sent: SentRow = {
  type: 'sent',
  change: 'i_1',
  attempt: 1,
  time: 0,
  sendBy: 10_000,
  horizonMs: 900_000,
  origin: 'o',
  account: 'a',
  profile: 'p',
  operator: 'op',
  request: { method: 'POST', path: 'orders', body },
  proof: proof({
    kind: 'order',
    orderId: undefined,
    body,
    expected: [],
    before: { charges: [], newest: [] },
  }),
};

const verdict = (row: Partial<VerdictRow>): VerdictRow => ({
  type: 'verdict',
  change: 'i_2',
  attempt: 1,
  time: 1000,
  verdict: 'unknown',
  by: 'sender',
  why: 'w',
  ...row,
});
const other = (...verdicts: VerdictRow[]): AttemptRecord => ({ sent: { ...sent, change: 'i_2' }, verdicts });
const shown = (...creations: AttemptRecord[]) =>
  judgeSeen(sent, { is: 'seen', value: { data: [made] }, creations, moment: now }, nothing);
const expected = { shows: 'expected', created: 'ord_9' };

describe('a new order that equals what was asked for', () => {
  it.each<[string, AttemptRecord[], object]>([
    ['is ours where nobody else asked for the same', [{ sent, verdicts: [] }], expected],
    ['is ours where another one like it was refused', [other(verdict({ verdict: 'not_sent' }))], expected],
    [
      'is ours where what is open asked for another order',
      [
        {
          sent: { ...sent, change: 'i_2', request: { ...sent.request, body: { currency: 'USD' } } },
          verdicts: [],
        },
      ],
      expected,
    ],
    [
      'is not ours where another one accounts for it',
      [other(verdict({ verdict: 'applied', created: 'ord_9' }))],
      { shows: 'nothing' },
    ],
    [
      'may be either’s while another one like it is on its way',
      [{ sent, verdicts: [] }, other()],
      {
        shows: 'unreadable',
        problem: 'i_2 asked for the same and is unconfirmed too: a new order may belong to either',
      },
    ],
    [
      'may be either’s while nobody knows what became of the other one',
      [other(verdict({}))],
      { shows: 'unreadable' },
    ],
    [
      'is ours where the other one was not seen, and its time is over',
      [other(verdict({ verdict: 'not_seen', time: -900_000 }))],
      expected,
    ],
  ])('%s', (_, creations, evidence) => {
    expect(shown(...creations)).toMatchObject(evidence);
  });
});

it('a refund is judged by what was claimed when it was sent', () => {
  const refund = { ...sent, proof: proof() };
  const value = order(
    charge('ch_1', 100, [
      ['old', -5],
      ['theirs', -5],
    ]),
  );
  const seen = { is: 'seen', value, moment: now } as const;
  expect(judgeSeen(refund, seen, new Set(['theirs']))).toMatchObject({ shows: 'nothing' });
  expect(judgeSeen(refund, seen, nothing)).toMatchObject({ shows: 'expected' });
});
