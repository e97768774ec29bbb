/** The refunds that the screen of a change lists, and who sent each of them, as far as the journal knows it. */

import {
  type AttemptRecord,
  attemptName,
  type FoundRefund,
  foundTwice,
  namedByReply,
  ownRefunds,
} from '../../journal/journal.ts';

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
  if (other !== undefined) return `   sent from here as ${other.sent.intent}`;
  return ours.length === 0 ? '' : '   made twice, or sent from elsewhere';
}
