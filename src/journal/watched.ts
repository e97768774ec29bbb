/** What a look says about a refund that was made and is only watched. Pure. */

import { askedFor } from './attempt-state.ts';
import type { SentRow, VerdictRow } from './journal-rows.ts';
import type { Sight } from './judge-read.ts';
import { type Ruling, rulingOf } from './verdict.ts';

type Shown = Exclude<Sight, { shows: 'unreadable' }>;

/**
 * The row that a look adds; undefined when it says nothing new. Every look that shows the refund has a row, so that it is
 * not looked at again too soon; the one after its time (not `young`) ends the watch. Figures that do not agree may agree
 * at the next look; any other alarm stays.
 */
export function watched(
  { proof }: Pick<SentRow, 'proof'>,
  last: VerdictRow,
  sight: Shown,
  young: boolean,
): Ruling | undefined {
  const { verdict, by, created, refunds } = last;
  const alarm = last.alarm === 'disagreement' ? undefined : last.alarm;
  switch (sight.shows) {
    case 'duplicate':
      return { ...rulingOf(sight), by };
    case 'disagreement':
      return { verdict, by, why: sight.problem, alarm: alarm ?? 'disagreement', refunds, created };
    case 'expected': {
      const { contradicts } = sight;
      // What came since then is of other attempts, or of other people.
      const own = askedFor(proof, sight.refunds);
      const why = young ? 'a read shows it once' : 'a read after its time shows no more of it';
      if (contradicts === undefined) return { verdict, by, why, alarm, refunds: own, created };
      return {
        verdict,
        by,
        why: contradicts,
        alarm: alarm ?? 'contradiction',
        refunds: own,
        created,
      };
    }
    default:
      return undefined;
  }
}
