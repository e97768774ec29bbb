import { describe, expect, it } from 'vitest';
import { rulingOf } from '../../src/journal/verdict.ts';

describe('the verdict of a sight', () => {
  const read = { by: 'read', refunds: [] };
  it.each([
    [
      { shows: 'expected', refunds: [], others: false, created: 'ord_9' },
      'not_seen',
      { ...read, verdict: 'applied', why: 'a read shows it: ours or identical', created: 'ord_9' },
    ],
    [
      { shows: 'expected', refunds: [], others: false },
      'rejected',
      {
        ...read,
        verdict: 'applied',
        why: 'a read shows it: ours or identical',
        alarm: 'applied_though_rejected',
      },
    ],
    [
      { shows: 'expected', refunds: [], others: false, contradicts: 'amount 7 instead of 5' },
      'not_seen',
      {
        ...read,
        verdict: 'applied',
        why: 'a read shows it, with amount 7 instead of 5: ours or identical',
        alarm: 'contradiction',
      },
    ],
    [
      { shows: 'duplicate', refunds: [] },
      'not_seen',
      { ...read, verdict: 'applied', why: 'a read shows it more than once', alarm: 'duplicate' },
    ],
    [
      { shows: 'partial', refunds: [] },
      'not_seen',
      { ...read, verdict: 'unknown', why: 'a read shows a part of it', alarm: 'partial' },
    ],
    [
      { shows: 'disagreement', refunds: [], problem: 'updated_at was 1 and is 2' },
      'not_seen',
      { ...read, verdict: 'unknown', why: 'updated_at was 1 and is 2' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'not_seen',
      { ...read, verdict: 'not_seen', why: 'no read shows it' },
    ],
    [
      { shows: 'nothing', refunds: [] },
      'rejected',
      { ...read, verdict: 'rejected', why: 'the service refused it', confirmed: true },
    ],
  ] as const)('%j, none means %s', (sight, none, ruling) => {
    expect(rulingOf(sight, none)).toEqual(ruling);
  });
});
