/** Decides the state of a change by what the journal says about it. Pure. */

import type { RefundMeaning } from '../../api/spec.ts';
import { meaningOf } from '../agreement.ts';
import { isPast, isUnconfirmed, verdictOf } from '../attempt-state.ts';
import type { AttemptRecord } from '../rows/journal-rows.ts';
import { appearedVerdict, hasFailed, ownRefunds, statementOn } from './verdicts-say.ts';

export type RecordedState =
  | RefundMeaning
  | 'recorded made'
  | 'recorded not made'
  | 'appeared'
  | 'made twice'
  | 'gone'
  | 'refused'
  | 'not sent';

/**
 * What the journal says about a change. If a reply or the order contradicts itself, nobody knows what was made, so the state is
 * `unconfirmed`. An order shows no trace of a change that was `refused` or `not sent`.
 */
export function recordedState(record: AttemptRecord): RecordedState {
  const last = verdictOf(record);
  if (appearedVerdict(record) !== undefined) return 'appeared';
  if (last?.alarm === 'duplicate' || last?.acknowledged === 'duplicate') return 'made twice';
  if (last?.alarm === 'gone' || last?.acknowledged === 'gone') return 'gone';
  if (last?.alarm === 'failed' || hasFailed(record)) return 'failed';
  if (last?.alarm !== undefined || isUnconfirmed(record)) return 'unconfirmed';
  if (last?.verdict === 'applied' && last.by === 'person') return 'recorded made';
  if (last?.verdict === 'applied') {
    const own = ownRefunds(record).map(meaningOf);
    return own.find((meaning) => meaning === 'pending' || meaning === 'unconfirmed') ?? 'made';
  }
  if (last?.verdict === 'not_sent') return 'not sent';
  return statementOn(record) === undefined ? 'refused' : 'recorded not made';
}

/** The same in words: of what no read after its waiting period showed, that it never arrived. */
export function stateWords(record: AttemptRecord): RecordedState | 'never arrived' {
  return isPast(record) ? 'never arrived' : recordedState(record);
}
