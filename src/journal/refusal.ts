/** Why nothing is sent, and the parts of a change that the guards look at to say so. */

import type { Change } from './change.ts';
import type { AttemptRecord, VerdictRow } from './journal-rows.ts';
import type { AccountMarks } from './same-account.ts';
import type { Typed } from './same-request.ts';

/** The parts of a change that these rules look at. */
export type Asked = Pick<
  Change,
  'kind' | 'orderId' | 'request' | 'expected' | 'again' | 'asked' | 'plan' | 'ref'
> & {
  readonly change: string;
  readonly idempotencyKey?: string | undefined;
  readonly livemode?: boolean | undefined;
  /** The account of this change. A message names it if the open attempt went to another address. */
  readonly account?: AccountMarks | undefined;
};

/** Why nothing is sent. refusal-error.ts makes an error from it. */
export type Refusal =
  | {
      readonly why: 'busy';
      readonly owner:
        | { readonly operator: string; readonly command: string; readonly since: number }
        | undefined;
    }
  /** An attempt on the same order is unconfirmed. */
  | { readonly why: 'open'; readonly attempt: AttemptRecord; readonly account?: AccountMarks | undefined }
  /** A refund of the order was made twice, and nobody has acknowledged that. `refunds`: their ids. */
  | { readonly why: 'paid_twice'; readonly attempt: AttemptRecord; readonly refunds: readonly string[] }
  /** The same change was tried before, no read showed it, and its horizon has ended: a person must ask for it again. */
  | { readonly why: 'not_seen'; readonly attempt: AttemptRecord }
  /** The same change was made before, but people may not know it: a person stated it, or only a read found it. */
  | { readonly why: 'made'; readonly attempt: AttemptRecord }
  /**
   * The final read shows an earlier attempt's refund: it was made after all. `sentAs`: the changes that sent it, if it was sent
   * again in between.
   */
  | {
      readonly why: 'appeared';
      readonly attempt: AttemptRecord;
      readonly verdict: VerdictRow;
      readonly sentAs?: readonly string[] | undefined;
    }
  /** A refund of the same amount on the same charge exists, and `again` does not name it. */
  | {
      readonly why: 'equal';
      readonly chargeId: string;
      readonly refundId: string;
      readonly amount: number;
      readonly again: readonly string[];
    }
  /**
   * A person recorded a refund of the same charge as made, and the order does not show it. `name`: what `--again` must name.
   * The rest is that of the refund that was asked for.
   */
  | ({
      readonly why: 'unshown';
      readonly attempt: AttemptRecord;
      readonly name: string;
    } & Pick<Asked, 'again' | 'orderId' | 'request'>)
  /** `--again` names something that was repeated already. */
  | { readonly why: 'used_up'; readonly name: string; readonly attempt: AttemptRecord }
  /** `--again` names a change that was never made or tried here. */
  | { readonly why: 'nothing_to_repeat'; readonly name: string }
  /** The request may still be on its way until then (Unix milliseconds), so nobody can know yet that it was not made. */
  | { readonly why: 'too_early'; readonly attempt: AttemptRecord; readonly until: number }
  /** The order cannot be read now, and a person must not decide without it. */
  | { readonly why: 'unread'; readonly problem: string }
  /** The idempotency key was used for another change. */
  | { readonly why: 'other_parameters'; readonly attempt: AttemptRecord; readonly now: Typed }
  | { readonly why: 'unprovable'; readonly problem: string }
  /** The journal cannot be written. `left`: the change whose SENT row may be in the journal all the same. */
  | { readonly why: 'journal'; readonly cause: unknown; readonly left?: string }
  /** The result of a read, or what a person stated, could not be written down. So the attempt has not changed. */
  | {
      readonly why: 'unwritten';
      readonly attempt: AttemptRecord;
      readonly row: VerdictRow;
      readonly cause: unknown;
    }
  /** The read or the approval stopped the change. */
  | { readonly why: 'stopped'; readonly cause: unknown };
