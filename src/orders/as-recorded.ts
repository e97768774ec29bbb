/** What the journal says of a change by itself, where its order was not read. Pure. */

import { meaningOfRefund } from '../api/spec.ts';
import { type AttemptRecord, appearedVerdict, ownRefunds, statementOn } from '../journal/journal.ts';
import type { RefundState } from './known-order.ts';
import { isUnconfirmed } from './order-cases.ts';

/** The states of a refund that the journal can know, and `refused` and `not sent`, of which no order shows anything. */
export const recordedStates = [
  'made',
  'pending',
  'failed',
  'made twice',
  'appeared',
  'gone',
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
  if (last?.alarm === 'gone' || last?.acknowledged === 'gone') return 'gone';
  const own = ownRefunds(record).map(({ status }) => meaningOfRefund(status));
  if (last?.alarm === 'failed' || own.includes('failed')) return 'failed';
  if (last?.alarm !== undefined || isUnconfirmed(record)) return 'unconfirmed';
  if (last?.verdict === 'applied' && last.by === 'person') return 'recorded made';
  if (last?.verdict === 'applied') return own.find((meaning) => meaning !== 'made') ?? 'made';
  if (last?.verdict === 'not_sent') return 'not sent';
  return statementOn(record) === undefined ? 'refused' : 'recorded not made';
}
