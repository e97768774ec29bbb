/** Says what became of an attempt, in words that an operator can read to a customer. Pure. */

import type { JsonObject } from '../../api/spec.ts';
import { acknowledgementOf } from '../../changes/changes.ts';
import {
  type AttemptRecord,
  alarmText,
  alarmWords,
  appearedText,
  appearedVerdict,
  hasFailed,
  isStillPending,
  notMadeBy,
  statementOn,
} from '../../journal/journal.ts';

/** Says what is known about an attempt. */
export function outcomeWords(record: AttemptRecord, open: boolean): string {
  const late = appearedVerdict(record);
  if (late !== undefined)
    return `${appearedText}: the order shows it, and ${notMadeBy(record) ?? 'somebody'} had recorded that it was not made`;
  const alarm = alarmText(record);
  const by = acknowledgementOf(record)?.operator;
  return `${alarm === undefined ? '' : `${alarm}: `}${verdictWords(record, open)}${by === undefined ? '' : `; alarm acknowledged by ${by}`}`;
}

// What was made, by its kind: a refund and a capture may both be `made`. What is to be created has no id yet that says what it
// is, so a noun does.
const kindWords: Readonly<Record<string, { readonly made: string; readonly noun: string }>> = {
  refund: { made: 'refunded', noun: '' },
  capture: { made: 'captured', noun: '' },
  order: { made: 'order created', noun: 'order ' },
  checkout: { made: 'link created', noun: 'link ' },
  api: { made: 'request made', noun: '' },
};

/**
 * The outcome of a record (attempt-record.ts) for a narrow terminal, in `longestOutcome` characters at most. With a `kind`, it
 * says what was made, or is unconfirmed.
 */
export function briefOutcome(
  {
    alarm,
    verdict,
    by,
    open,
    acknowledged_by: acknowledged,
    stated_by: said,
    may_appear_until: until,
  }: JsonObject,
  kind?: string,
): string {
  if (alarm === 'failed') return 'FAILED';
  if (alarm !== null) return alarm === 'duplicate' ? alarmWords.duplicate : 'ALARM';
  if (acknowledged !== null) return verdict === 'applied' ? 'made; alarm closed' : 'alarm closed';
  const { made = 'made', noun = '' } = (kind === undefined ? undefined : kindWords[kind]) ?? {};
  switch (verdict) {
    case 'applied':
      if (by === 'person') return 'recorded as made';
      if (by !== 'read') return made;
      return kind === undefined ? 'made, reply lost' : `${made}, no reply`;
    case 'rejected':
      if (until !== undefined) return 'may still appear';
      if (by === 'person' || said !== null) return 'recorded: not made';
      return open === true ? 'refused so far' : `${noun}refused`;
    case 'not_sent':
      return `${noun}not sent`;
    default:
      return verdict === 'not_seen' && open !== true ? `${noun}not found` : `${noun}unconfirmed`;
  }
}

/** The length of the longest outcome that `briefOutcome` writes. */
export const longestOutcome = 'made; alarm closed'.length;

function verdictWords(record: AttemptRecord, open: boolean): string {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const said = statementOn(record);
  const missing =
    sent.proof.orderId === undefined ? 'the newest orders do not show it' : 'the order does not show it';
  switch (last?.verdict) {
    case 'applied':
      if (last.by === 'person') return `recorded as made, by ${last.operator ?? 'somebody'}`;
      if (hasFailed(record)) return 'made, and failed after that: the money did not go back';
      if (isStillPending(record)) return 'pending: the service has taken it up';
      if (last.by === 'reply') return 'made';
      return notMadeBy(record) === undefined
        ? 'made: the reply was lost, the order shows it'
        : 'made, the order shows it';
    case 'rejected':
      if (said !== undefined) {
        const kept = said === last ? '' : '; it did not appear until the end of the waiting period';
        return `recorded as not made, by ${said.operator ?? 'somebody'}${kept}`;
      }
      if (last.confirmed === false) return 'refused, but not checked yet';
      return hasFailed(record) ? 'failed: the money did not go back' : 'refused, nothing changed';
    case 'not_sent':
      return 'not sent, nothing changed';
    case 'not_seen':
      return open ? `not known yet; ${missing}` : 'not made, as far as anyone can see; you may send it again';
    default:
      return 'unconfirmed, may have been made';
  }
}
