/** The identity of a row of bulk refunds: the same row has the same key for ever, in whatever file or plan it stands. */

import { createHash } from 'node:crypto';
import type { PlanHead } from './plan-types.ts';

/** What makes a row the same row. */
interface RowIdentity {
  readonly origin: string;
  /** Sandbox and production may have one address, but they are two accounts. */
  readonly mode: PlanHead['mode'];
  readonly orderId: string;
  /** The id of a charge; undefined if the row names none: the whole order, or the only charge that has money left. */
  readonly chargeId: string | undefined;
  readonly amount: number | 'full';
  readonly ref: string;
}

/**
 * The key of a row. The journal keeps it as the idempotency key of the refund, so its rules for a repeated `--idempotency-key` hold: a
 * row that was made is never sent again. No script can type such an id, because a typed one has no slash.
 */
export function rowKey({ origin, mode, orderId, chargeId = '', amount, ref }: RowIdentity): string {
  const text = JSON.stringify([origin, mode, orderId, chargeId, amount, ref]);
  return `row/${createHash('sha256').update(text).digest().toString('hex', 0, 16)}`;
}
