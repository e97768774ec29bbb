/** Attempts whose SENT row a repair could not read: the row that stands for each, and the changes that they block. */

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
 * The SENT row that stands for a lost one. No read can prove the outcome, so a person must settle it; until then it blocks
 * its order, or every change that it may have been.
 */
export function lostRow(known: Remembered): SentRow {
  const { kind, orderId, livemode, ...of } = known;
  return {
    ...of,
    type: 'sent',
    lost: kind,
    sendBy: known.time,
    // The horizon is lost with the row, so it never ends.
    horizonMs: Number.MAX_SAFE_INTEGER,
    operator: 'not known, the row was damaged',
    request: { method: 'POST', path: '' },
    proof: { kind: 'api', orderId, livemode, expected: [], tolerated: [], before: { charges: [] } },
  };
}

/** Throws CliError 'refused' while one of these attempts, of which nobody knows the account, is not settled. */
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
