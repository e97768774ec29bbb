/** A verdict → the outcome a command gets. */

import type { ReplyHead, WireRecord } from '../api/api.ts';
import { valueAt } from '../api/spec.ts';
import type { Outcome } from './journal.ts';
import type { SentRow, VerdictRow } from './rows.ts';

/** What was heard and read of it in this run, beside the journal's rows. */
export interface Witness {
  readonly reply?: WireRecord | undefined;
  readonly head?: ReplyHead | undefined;
  readonly read?: WireRecord | undefined;
  readonly reads: number;
  readonly lastReadAt?: number | undefined;
  readonly unread?: string | undefined;
  readonly blockedUntil?: number | undefined;
  readonly unrecorded?: { readonly cause: unknown } | undefined;
  readonly recorded?: true | undefined;
}

/** What became of it, with the order as last replied or read. */
export function outcomeOf(sent: SentRow, row: VerdictRow | undefined, witness: Witness): Outcome {
  const { reply, head, read, reads, lastReadAt, unread, blockedUntil, unrecorded, recorded } = witness;
  const base = {
    intent: sent.intent,
    alarm: row?.alarm,
    why: row?.why,
    head,
    order: read ?? (row?.verdict === 'applied' ? reply : undefined),
    refunds: row?.refunds,
    unrecorded: unrecorded && { row: { ...row }, cause: unrecorded.cause },
    recorded,
  };
  switch (row?.verdict) {
    case 'applied': {
      const by = row.by === 'reply' ? 'reply' : 'read';
      const record = (by === 'reply' ? (reply ?? read) : read) ?? journalRecord(row);
      return { ...base, verdict: 'applied', by, record };
    }
    case 'rejected': {
      const parts = { ...row.error, data: valueAt(reply?.value, ['data']) };
      return { ...base, verdict: 'rejected', parts, confirmed: row.confirmed !== false };
    }
    case 'not_sent':
      return { ...base, verdict: 'not_sent', reason: row.why };
    default: {
      const reason = row?.why ?? 'it was sent, and no outcome was written down';
      const seen = { reason, sentAt: sent.time, lastReadAt, reads, unread, blockedUntil };
      return { ...base, verdict: row?.verdict ?? 'unknown', ...seen };
    }
  }
}

// Where the order cannot be read, the journal's own row stands for it.
function journalRecord(row: VerdictRow): WireRecord {
  const value = {
    object: 'intent',
    id: row.intent,
    verdict: row.verdict,
    created: row.created,
    refunds: row.refunds ?? [],
  };
  return { value, bytes: new TextEncoder().encode(JSON.stringify(value)) };
}
