/** The verdict that a sight of the order gives, and its row. Pure. */

import type { Moment, SentRow, VerdictRow } from './journal-rows.ts';
import { stampOf } from './journal-time.ts';
import type { Sight } from './judge-read.ts';

/** A verdict before it has its time and attempt. */
export type Ruling = Omit<VerdictRow, 'type' | 'intent' | 'attempt' | 'time' | 'skewed' | 'clocks'>;

/** The verdict of a sight; `none` is what it means that the read shows nothing of it. */
export function rulingOf(
  sight: Exclude<Sight, { shows: 'unreadable' }>,
  none: 'not_seen' | 'rejected' = 'not_seen',
): Ruling {
  const { refunds } = sight;
  switch (sight.shows) {
    case 'expected': {
      const { contradicts } = sight;
      const alarmed = contradicts === undefined ? undefined : 'contradiction';
      const alarm = none === 'rejected' ? 'applied_though_rejected' : alarmed;
      const why = `a read shows it${contradicts === undefined ? '' : `, with ${contradicts}`}: ours or identical`;
      return { verdict: 'applied', by: 'read', why, alarm, refunds, created: sight.created };
    }
    case 'duplicate':
      return {
        verdict: 'applied',
        by: 'read',
        why: 'a read shows it more than once',
        alarm: 'duplicate',
        refunds,
      };
    case 'partial':
      return { verdict: 'unknown', by: 'read', why: 'a read shows a part of it', alarm: 'partial', refunds };
    case 'disagreement':
      return { verdict: 'unknown', by: 'read', why: sight.problem, refunds };
    case 'nothing': {
      const why = none === 'rejected' ? 'the service refused it' : 'no read shows it';
      return { verdict: none, by: 'read', why, confirmed: none === 'rejected' ? true : undefined, refunds };
    }
  }
}

/** The row of a verdict. */
export function ruling(sent: SentRow, now: Moment, words: Ruling): VerdictRow {
  const { intent, attempt } = sent;
  return { type: 'verdict', intent, attempt, ...stampOf(now), ...words };
}
