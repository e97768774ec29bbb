/** Attempts that a repair could not read any more: what stands for them in the new journal, and what they stop. */

import { CliError } from '../errors.ts';
import type { AttemptRecord, SentRow } from './rows.ts';

/** What is known of an attempt whose SENT row is lost. */
export interface Remembered {
  readonly intent: string;
  readonly attempt: number;
  readonly time: number;
  readonly kind: NonNullable<SentRow['lost']>;
  readonly orderId: string | undefined;
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly livemode: boolean;
  readonly keyFingerprint?: string | undefined;
}

/**
 * The SENT row that stands for it. No read can prove what became of it, so a person must settle it; until then it blocks
 * its order, or what else it may have been.
 */
export function lostRow(known: Remembered): SentRow {
  const { kind, orderId, livemode, ...of } = known;
  return {
    ...of,
    type: 'sent',
    lost: kind,
    sendBy: known.time,
    // What the row said of its horizon is lost, so no time is long enough.
    horizonMs: Number.MAX_SAFE_INTEGER,
    operator: 'not known, the row was damaged',
    request: { method: 'POST', path: '' },
    proof: { kind: 'api', orderId, livemode, expected: [], tolerated: [], before: { charges: [] } },
  };
}

/** Throws CliError 'refused' while there is an attempt of which not even the account is known. */
export function refuseLost(unsettled: readonly AttemptRecord[]): void {
  const [first] = unsettled;
  if (first === undefined) return;
  const { intent } = first.sent;
  throw new CliError(
    'refused',
    `the journal lost rows that nobody can read: ${intent} may be a change that was sent`,
    {
      certain: 'nothing was sent',
      now: [
        'look in the service at the orders that were changed lately; then say that you have:',
        `paydesk journal settle ${intent} --not-applied --note TEXT`,
      ],
    },
  );
}
