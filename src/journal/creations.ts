/** What a read shows of a change, also where runs that created something just like it may have made what it shows. Pure. */

import { claimedBy, isOpen, isSameAttempt } from './attempt-state.ts';
import type { SentRow } from './journal-rows.ts';
import { earliestOf } from './journal-time.ts';
import { type Claims, judgeRead, type Sight } from './judge-read.ts';
import type { Event } from './protocol-types.ts';
import { asksForSame } from './same-request.ts';

type Seen = Extract<Event, { is: 'seen' }>;

/**
 * What was seen of a change. `claimed`: ids of refunds that are not this attempt's. Creations share no lock, so
 * theirs are of the moment; while another one just like it is open, nobody can tell which of them made a new order.
 */
export function judgeSeen(sent: SentRow, { value, creations, moment }: Seen, claimed: Claims): Sight {
  if (creations === undefined) return judgeRead(sent.proof, value, claimed, earliestOf(sent));
  const rival = creations.find(
    (record) =>
      !isSameAttempt(record, { sent }) &&
      asksForSame(record.sent, { ...sent, kind: sent.proof.kind }) &&
      isOpen(record, moment),
  );
  if (rival === undefined)
    return judgeRead(sent.proof, value, claimedBy(creations, { sent }), earliestOf(sent));
  const problem = `${rival.sent.intent} asked for the same and is open too: a new order may be either's`;
  return { shows: 'unreadable', problem };
}
