/** Says what became of an attempt, in words that an operator can read to a customer. They begin with its state. Pure. */

import type { JsonObject } from '../../api/json-values.ts';
import { kindWords } from '../../changes/changes.ts';
import {
  type AttemptRecord,
  alarmWords,
  attemptName,
  type FoundRefund,
  foundTwice,
  namedByReply,
  notMadeBy,
  ownRefunds,
  statementOn,
} from '../../journal/journal.ts';
import { acknowledgementOf, recordedState, stateMeans } from '../../orders/orders.ts';

/** Says what is known about an attempt. `open`: it blocks its order. */
export function outcomeWords(record: AttemptRecord, open: boolean): string {
  const by = acknowledgementOf(record)?.operator;
  const closed = by === undefined ? '' : `; alarm acknowledged by ${by}`;
  return `${recordedState(record)}${moreWords(record, open)}${closed}`;
}

function moreWords(record: AttemptRecord, open: boolean): string {
  const last = record.verdicts.at(-1);
  const said = statementOn(record);
  switch (recordedState(record)) {
    case 'made':
      if (last?.by !== 'read') return '';
      return notMadeBy(record) === undefined
        ? ': the reply was lost, the order shows it'
        : ', the order shows it';
    case 'made twice':
      return '';
    case 'pending':
      return `: ${stateMeans.pending}`;
    case 'failed':
      return `${last?.verdict === 'applied' ? ' after it was made' : ''}: ${stateMeans.failed}`;
    case 'gone':
      return `: ${stateMeans.gone}`;
    case 'appeared':
      return `: the order shows it, and ${notMadeBy(record) ?? 'somebody'} had recorded that it was not made`;
    case 'unconfirmed':
      return `: ${unconfirmedWhy(record, open)}`;
    case 'recorded made':
      return `, by ${last?.operator ?? 'somebody'}`;
    case 'recorded not made': {
      const kept = said === last ? '' : '; it did not appear until the end of the waiting period';
      return `, by ${said?.operator ?? 'somebody'}${kept}`;
    }
    case 'refused':
    case 'not sent':
      return ', nothing changed';
  }
}

function unconfirmedWhy({ sent, verdicts }: AttemptRecord, open: boolean): string {
  const last = verdicts.at(-1);
  if (last?.alarm !== undefined) return alarmWords[last.alarm];
  if (last?.verdict === 'rejected') return 'refused, but not checked yet';
  if (last?.verdict !== 'not_seen') return 'it may have been made';
  const where = sent.proof.orderId === undefined ? 'the newest orders do' : 'the order does';
  return open
    ? `${where} not show it`
    : `${where} not show it, and its waiting period is over; you may send it again`;
}

/**
 * The outcome of a record (attempt-record.ts) for a narrow terminal: its state, in `longestOutcome` characters at most. With a
 * `kind`, it says what was made, or is unconfirmed.
 */
export function briefOutcome({ state, verdict }: JsonObject, kind = 'refund'): string {
  const [, { made, noun } = kindWords.refund] =
    Object.entries(kindWords).find(([name]) => name === kind) ?? [];
  if (state === 'made') return made;
  return `${noun}${typeof state === 'string' ? state : verdict === 'not_sent' ? 'not sent' : 'refused'}`;
}

/** The length of the longest outcome that `briefOutcome` writes. */
export const longestOutcome = 'recorded not made'.length;

/** The refunds that its last verdict names, and those that were sent again in its place if it was made twice. */
export function refundsShown(record: AttemptRecord, known: readonly AttemptRecord[]): readonly FoundRefund[] {
  const named = record.verdicts.at(-1)?.refunds ?? [];
  if (!isDoubled(record)) return named;
  const ids = new Set(named.map(({ id }) => id));
  return [...named, ...foundTwice(record, known).filter(({ id }) => !ids.has(id))];
}

function isDoubled({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return (last?.alarm ?? last?.acknowledged) === 'duplicate';
}

/** Whose a refund is, of several equal ones: the one that the reply named is ours; another attempt from here may have sent it. */
export function whose(record: AttemptRecord, known: readonly AttemptRecord[], id = ''): string {
  if (!isDoubled(record)) return '';
  const ours = namedByReply(record);
  if (ours.includes(id)) return '   ours';
  const other = known.find(
    (one) => attemptName(one) !== attemptName(record) && ownRefunds(one).some((refund) => refund.id === id),
  );
  if (other !== undefined) return `   sent from here as ${other.sent.change}`;
  return ours.length === 0 ? '' : '   made twice, or sent from elsewhere';
}
