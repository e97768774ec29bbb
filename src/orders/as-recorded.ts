/** What the journal says of a change by itself, where its order was not read. Pure. */

import { type AttemptRecord, appearedVerdict, statementOn } from '../journal/journal.ts';
import type { RefundState } from './known-order.ts';
import { isUnconfirmed } from './order-cases.ts';

/** The states of a refund that the journal can know, and `refused` and `not sent`, of which no order shows anything. */
export const recordedStates = [
  'made',
  'made twice',
  'appeared',
  'unconfirmed',
  'recorded made',
  'recorded not made',
  'refused',
  'not sent',
] as const satisfies readonly (RefundState | 'refused' | 'not sent')[];
export type RecordedState = (typeof recordedStates)[number];

/** What the journal says of a change. Of a refund whose reply or order contradicts itself, nobody knows what was made. */
export function recordedState(record: AttemptRecord): RecordedState {
  const last = record.verdicts.at(-1);
  if (appearedVerdict(record) !== undefined) return 'appeared';
  if (last?.alarm === 'duplicate' || last?.acknowledged === 'duplicate') return 'made twice';
  if (last?.alarm !== undefined || isUnconfirmed(record)) return 'unconfirmed';
  if (last?.verdict === 'applied') return last.by === 'person' ? 'recorded made' : 'made';
  if (last?.verdict === 'not_sent') return 'not sent';
  return statementOn(record) === undefined ? 'refused' : 'recorded not made';
}
