/** The types of a change that a person decided on, and of how it ended: what the journal is given, and what it gives back. */

import type { ChangeRequest, ReplyHead, WireRecord } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { CliErrorParts } from '../errors.ts';
import type { Notes } from '../terminal/terminal.ts';
import type { RecordedState } from './questions/recorded-state.ts';
import type { AttemptRecord, Released, VerdictRow } from './rows/journal-rows.ts';

/** What a refund must leave behind: exactly one new refund record of this amount on this charge. */
export interface ExpectedRefund {
  readonly chargeId: string;
  /** Negative, as the service writes it (service: refund). */
  readonly amount: number;
}

/**
 * Every kind of change, with the command that makes one. `provable`: a read of the order shows what became of it; otherwise a person must
 * say so.
 */
export const changeKinds = {
  refund: { noun: 'refund', command: 'orders refund', provable: true },
  capture: { noun: 'capture', command: 'orders capture', provable: true },
  order: { noun: 'order creation', command: 'orders create', provable: true },
  checkout: { noun: 'payment link', command: 'checkout create', provable: false },
  api: { noun: 'request', command: 'api', provable: false },
} as const;

/**
 * What differs between kinds is in a `Record` with this type as its key, so the compiler finds every place that a new kind needs.
 */
export type ChangeKind = keyof typeof changeKinds;

/** The parts of a change that the journal keeps as they were decided. */
export interface KeptOfChange {
  readonly request: ChangeRequest;
  /** The amount for messages: the service's integer and its currency. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /**
   * Refunds of twins of the order that `--again` named, so that the person knows about them. They are recorded, and never used
   * up.
   */
  readonly twins?: readonly string[] | undefined;
  /** An idempotency key of this change (`--idempotency-key`). */
  readonly idempotencyKey?: string | undefined;
  /** What was typed (order, charge, amount, …). A second run with the same `idempotencyKey` must have typed the same. */
  readonly asked?: JsonObject | undefined;
  /** For bulk refunds: the plan, the `ref` of the row, and its line in the file of that plan. */
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
  readonly line?: number | undefined;
  /** The shop's ticket: what the row has in its column `ticket`. */
  readonly ticket?: string | undefined;
  /** With a team: the request that somebody else approved, for this change or for its whole plan. */
  readonly approval?: string | undefined;
  /** For a row of a plan that an agent sends: who released that plan. */
  readonly released?: Released | undefined;
  /** How long the `refund.hold` is that `--no-hold` skips (milliseconds). */
  readonly skippedHoldMs?: number | undefined;
  /** The order before this one in the list, when this one was last found: so it can be read again with one request. */
  readonly neighbour?: string | undefined;
}

/** One change that a person decided on, to be sent at most once. Plain data. */
export interface Change extends KeptOfChange {
  readonly kind: ChangeKind;
  /** Absent for a change that belongs to no order. */
  readonly orderId?: string | undefined;
  /** For a refund: the new records that must appear. */
  readonly expected?: readonly ExpectedRefund[] | undefined;
  /** For a refund of a whole order: charges that may get one new record or none, such as declined charges. */
  readonly tolerated?: readonly string[] | undefined;
  /** `--again`: ids of refunds, or names of attempts, that this change repeats. */
  readonly again: readonly string[];
}

/** What the run of a change knows already, and whom it asks. None of this is recorded. */
export interface ChangeRun {
  /** Attempts that this run has just settled. The person did not know them yet, so not even `--again` repeats them. */
  readonly closed?: readonly AttemptRecord[] | undefined;
  /** Says what the change waits for, instead of the notes of the run. */
  readonly waiting?: Notes['waiting'] | undefined;
  /** The order as the person saw it. With a team, its sender compares it with the final read. */
  readonly shown?: WireRecord | undefined;
  /**
   * Called under the lock, right before the sending, with the order of the final read; with a team, only if that order is not as
   * it was shown. Throws a CliError to stop the change: the money changed, the order is not refundable any more, an equal refund
   * exists.
   */
  readonly checkFresh: (fresh: WireRecord) => Promise<void>;
  /** What a person is told before saying yes. A dry run tells it to scripts. */
  readonly checks?: readonly string[] | undefined;
}

/** The parts of a change that messages name. */
export type ChangeSubject = Pick<Change, 'kind' | 'orderId' | 'amount' | 'currency' | 'request'>;

/** A refund record found after the change. */
export interface FoundRefund {
  readonly chargeId: string;
  readonly id: string | undefined;
  readonly amount: number;
  readonly createdAt: number | undefined;
  readonly authCode: string | undefined;
  /** The service's own word for its state when it was read; a refund without one was made. */
  readonly status?: string | undefined;
}

/** With an alarm a person must look although there is a verdict (exit 7). */
interface OutcomeBase extends Pick<VerdictRow, 'alarm' | 'created' | 'link'> {
  /** What the journal says about it by now. */
  readonly state: RecordedState;
  /** The refunds that it made, failed ones too; while nobody knows that, whatever the last read showed (`namedRefunds`). */
  readonly refunds?: readonly FoundRefund[] | undefined;
  /** All new refunds that the order showed, whoever made them. */
  readonly shown?: readonly FoundRefund[] | undefined;
  /** The journal's id of the change. */
  readonly change?: string | undefined;
  /** Why the last verdict was given, in words. */
  readonly why?: string | undefined;
  /** What the last reply itself says: message, code, type, log id and HTTP status. Set when the reply was not a plain yes. */
  readonly said?: VerdictRow['error'];
  /** Set when the outcome could not be written down (exit 9). The command prints it, and `row` as JSON on stderr. */
  readonly unrecorded?: { readonly row: JsonObject; readonly cause: unknown } | undefined;
  /** Set when this is the outcome of an earlier run with the same `--idempotency-key`; this run sent nothing. */
  readonly recorded?: true | undefined;
  /** Set when what a person recorded by hand is all that is known: the attempt, with who recorded it. */
  readonly byHand?: AttemptRecord | undefined;
  /** Status and headers of the reply; absent when no reply came in this run. */
  readonly head?: ReplyHead | undefined;
  /** The order from the last read or the reply, if there was one. */
  readonly order?: WireRecord | undefined;
}

/** What reads after the sending have shown. */
export interface LaterReads {
  /** Wall clock, Unix milliseconds. */
  readonly lastReadAt?: number | undefined;
  readonly reads: number;
  /** Why the last read shows nothing about the change. */
  readonly unread?: string | undefined;
  /** Journal time, Unix milliseconds; undefined when only a read or a person can free the order. */
  readonly blockedUntil?: number | undefined;
}

/** How a change ended. The command turns it into words and an exit code. */
export type Outcome =
  | (OutcomeBase & {
      readonly verdict: 'applied';
      readonly by: 'reply' | 'read';
      readonly record: WireRecord;
    })
  | (OutcomeBase & {
      readonly verdict: 'rejected';
      readonly parts: CliErrorParts;
      /** Whether a read confirmed that nothing changed. */
      readonly confirmed: boolean;
    })
  | (OutcomeBase & { readonly verdict: 'not_sent'; readonly reason: string })
  | (OutcomeBase &
      LaterReads & {
        readonly verdict: 'unknown' | 'not_seen';
        readonly reason: string;
        /** Wall clock, Unix milliseconds. */
        readonly sentAt: number;
      })
  /** `--dry-run`: everything was done except the sending. */
  | { readonly verdict: 'dry_run'; readonly request: ChangeRequest; readonly checks: readonly string[] };

/** How a change ended that was more than a dry run. */
export type Ended = Exclude<Outcome, { verdict: 'dry_run' }>;

/** The only way to change something (make-change.ts). Throws a CliError when nothing was sent: 'refused', 'not_found', … */
export type MakeChange = (change: Change, run: ChangeRun) => Promise<Outcome>;

export const changeIdPattern = /^i_[A-Za-z0-9]{1,64}$/;

/**
 * A new id, short enough to be typed. Rows of plans get longer ones: among many thousands of rows, two would get the same short
 * one.
 */
export function newChangeId({ plan }: Pick<Change, 'plan'>): string {
  const letters = crypto.randomUUID().replaceAll('-', '');
  return `i_${letters.slice(0, plan === undefined ? 8 : 12)}`;
}
