/** Checks the rules that every store of the journal has before it adds a row. Pure. */

import { CliError, refused } from '../../errors.ts';
import { marksOf, mayBeSameAccount } from '../same-account.ts';
import { isOtherRequest } from '../same-request.ts';
import { refusalError } from '../words/refusal-error.ts';
import type { AttemptRecord, JournalRow, SentRow } from './journal-rows.ts';

const certain = 'nothing was sent';

/** Throws CliError 'refused' for a row that has no place in the journal: see isMisplaced. */
export function refuseRowWithoutPlace(row: JournalRow, hasSent: boolean): void {
  const isOfAttempt = row.type === 'sent' || row.type === 'verdict';
  if (!isOfAttempt || !isMisplaced(row, hasSent)) return;
  throw new CliError('refused', `the journal cannot hold this row of ${row.change}`, { certain });
}

/** Whether a row has no place in the journal: each attempt has one SENT row, and no verdict comes without it. */
export function isMisplaced({ type }: { readonly type: 'sent' | 'verdict' }, hasSent: boolean): boolean {
  return hasSent === (type === 'sent');
}

/** Throws CliError 'refused' while there is an unsettled change whose row was lost and whose account is unknown. */
export function refuseLostAccount(lost: AttemptRecord | undefined): void {
  if (lost === undefined) return;
  const { change } = lost.sent;
  throw refused(`rows of the journal are lost: ${change} may be a change that was sent`, [
    "look at the orders that were changed recently on the service's own screen; then record that you did:",
    `paydesk journal settle ${change} --not-applied --note TEXT`,
  ]);
}

/** Throws CliError 'refused' if rows about an order were added after a run asked about it. `newest` and `asked` are row numbers. */
export function refuseUnseenOnOrder(orderId: string, newest: number, asked: number): void {
  if (newest <= asked) return;
  throw new CliError('refused', `another run changed ${orderId} in the meantime`, {
    certain,
    now: [`paydesk journal list --order ${orderId}`, 'then decide again'],
  });
}

/**
 * Throws CliError 'refused' if another run used an idempotency key of this account after this run asked about it. `attempt`: the
 * newest one under that key.
 */
export function refuseUnseenUnderScript(row: SentRow, idempotencyKey: string, attempt: AttemptRecord): void {
  if (!mayBeSameAccount(marksOf(attempt.sent), marksOf(row))) return;
  const now = { kind: row.proof.kind, asked: row.asked, livemode: row.proof.livemode };
  if (isOtherRequest(now, attempt))
    throw refusalError({ why: 'other_parameters', attempt, now }, idempotencyKey);
  throw refused(`another run under the idempotency key ${idempotencyKey} (--idempotency-key) came first`, [
    `paydesk journal show ${attempt.sent.change}`,
  ]);
}
