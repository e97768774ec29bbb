/**
 * The journal as the rest of paydesk sees it: a change, its outcome, and what commands ask about the changes
 * that were sent.
 */

import type { ChangeRequest, ReplyHead, Service, WireRecord } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { Alarm, AttemptRecord, Moment, VerdictRow } from './journal-rows.ts';
import type { AttemptQuery, Repair, Verification } from './journal-store.ts';
import type { Evidence } from './judge-read.ts';

export type { AttemptRecord, Moment, VerdictRow } from './journal-rows.ts';
export type { AttemptQuery, JournalStore, Repair, Verification } from './journal-store.ts';
export type { Evidence } from './judge-read.ts';

/** A refund record that an applied refund must leave: exactly one new record of this amount on this charge. */
export interface ExpectedRefund {
  readonly chargeId: string;
  /** Negative, as the service writes it (service: refund). */
  readonly amount: number;
}

/** Every kind of change: its name, and whether reading the order proves what became of it; if not, a person must say it. */
export const changeKinds = {
  refund: { noun: 'refund', provable: true },
  capture: { noun: 'capture', provable: true },
  order: { noun: 'order creation', provable: true },
  checkout: { noun: 'checkout creation', provable: false },
  api: { noun: 'request', provable: false },
} as const;

/**
 * A kind of change. What differs between kinds is a `Record` over it, so the compiler finds every place that
 * a new kind needs.
 */
export type ChangeKind = keyof typeof changeKinds;

/** One change that a person decided on, to be sent at most once. */
export interface Intent {
  readonly kind: ChangeKind;
  /** The order that it changes; absent for a change that belongs to no order. */
  readonly orderId?: string | undefined;
  readonly request: ChangeRequest;
  /** For a refund: the new records that must appear. */
  readonly expected?: readonly ExpectedRefund[] | undefined;
  /** For a whole-order refund: charges that may get one record, or none (declined ones). */
  readonly tolerated?: readonly string[] | undefined;
  /** Its money for messages: the service's integer and currency. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /** A script's own id of this intent (`--intent`). */
  readonly intentId?: string | undefined;
  /** What was typed (order, charge, amount, …): must be the same under the same `intentId`. */
  readonly asked?: JsonObject | undefined;
  /** What this repeats (`--again`): ids of refunds, or names of attempts. */
  readonly again: readonly string[];
  /** Attempts that reads of this run have just closed. Nobody could know of them, so not even `--again` repeats them. */
  readonly closed?: readonly AttemptRecord[] | undefined;
  /** Row reference and plan, for bulk refunds. */
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
  /**
   * Is given the order of the final read, under the lock, right before the sending. Throws a CliError to stop: the money
   * changed, the order is not refundable any more, an equal refund exists.
   */
  readonly approve: (fresh: WireRecord) => Promise<void>;
  readonly checks?: readonly string[] | undefined;
}

/** What messages name a change by. */
export type ChangeSubject = Pick<Intent, 'kind' | 'orderId' | 'amount' | 'currency' | 'request'>;

/** A refund record found after the change. */
export interface FoundRefund {
  readonly chargeId: string;
  readonly id: string | undefined;
  readonly amount: number;
  readonly createdAt: number | undefined;
  readonly authCode: string | undefined;
  /** The service's own word, when it shows one. */
  readonly status?: string | undefined;
}

interface OutcomeBase {
  /** The journal's id of the intent. */
  readonly intent?: string | undefined;
  /** Set when a person must look although there is a verdict: exit 7. */
  readonly alarm?: Alarm | undefined;
  /** Why the last verdict was given, in words. */
  readonly why?: string | undefined;
  /** The outcome could not be written down: print it in full, then `row` as JSON on stderr; exit 9. */
  readonly unrecorded?: { readonly row: JsonObject; readonly cause: unknown } | undefined;
  /** This is the recorded outcome of an earlier run (`--intent`); nothing was sent now. */
  readonly recorded?: true | undefined;
  /** Status and headers of the reply, when one came in this run. */
  readonly head?: ReplyHead | undefined;
  /** The order as last read or replied, when there was one. */
  readonly order?: WireRecord | undefined;
  /** New refund records seen since the pre-image, ours or not. */
  readonly refunds?: readonly FoundRefund[] | undefined;
}

/** How a change ended. The command makes words and an exit code of it. */
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
  | (OutcomeBase & {
      readonly verdict: 'unknown' | 'not_seen';
      readonly reason: string;
      /** Wall clock, Unix milliseconds: when it was sent, and when the last read was made. */
      readonly sentAt: number;
      readonly lastReadAt?: number | undefined;
      readonly reads: number;
      /** Why the last read tells nothing. */
      readonly unread?: string | undefined;
      /** Journal time, Unix milliseconds; undefined: until a read or a person tells. */
      readonly blockedUntil?: number | undefined;
    })
  /** `--dry-run`: everything except the sending. */
  | { readonly verdict: 'dry_run'; readonly request: ChangeRequest; readonly checks: readonly string[] };

/** The only way to change something (make-change.ts). Throws a CliError when nothing was sent: 'refused', 'not_found', … */
export type Change = (intent: Intent) => Promise<Outcome>;

/** What shows whether two changes may be on one account (same-account.ts). */
export interface AccountMarks {
  readonly origin: string;
  readonly livemode: boolean;
  readonly keyFingerprint?: string | undefined;
}

/** A change of an order that was sent and is not confirmed: nobody knows yet whether it was made. */
export interface UnconfirmedChange {
  readonly intent: string;
  readonly kind: ChangeKind;
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  /** Unix milliseconds. */
  readonly sentAt: number;
  /** Who ran paydesk, by the name that this machine gave. */
  readonly operator: string;
}

/** An attempt after its order was read again. */
export interface Resolved {
  readonly record: AttemptRecord;
  /** The verdict that was added; absent when the read told nothing new. */
  readonly added?: VerdictRow | undefined;
  readonly evidence?: Evidence | undefined;
}

/** The journal as commands see it. */
export interface Journal {
  readonly file: string;
  /** The file of its witness; empty when it has none. */
  readonly witness: string;
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;
  /** The journal's time, for `isOpen` and the age of attempts. */
  now(): Promise<Moment>;
  /** Whether an attempt still blocks its order. */
  isOpen(record: AttemptRecord, now: Moment): boolean;
  /** When an open attempt stops to block its order at the latest, Unix milliseconds; undefined: when a read or a person tells. */
  blockedUntil(record: AttemptRecord): number | undefined;
  /** Whether a read may tell something new of it. */
  isDue(record: AttemptRecord, now: Moment): boolean;
  /**
   * Reads the order again when an outcome on it is open. Throws CliError 'refused' when one is still open; returns those
   * that the read closed. When the order cannot be read, the change itself refuses.
   */
  refuseOpen(order: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly orderId: string;
    readonly again: readonly string[];
  }): Promise<readonly AttemptRecord[]>;
  /**
   * The unconfirmed changes of an account by the id of their order, or those of one order; the oldest of each. Asks the
   * service nothing.
   */
  unconfirmed(
    service: Pick<Service, 'profile' | 'keyFingerprint'>,
    orderId?: string,
  ): Promise<ReadonlyMap<string, UnconfirmedChange>>;
  /** Whether a refund was made and is still read again until its horizon, in case a second one appears. */
  isWatched(record: AttemptRecord): boolean;
  /** The refund records that an attempt made; none unless its last verdict is `applied`. */
  ownRefunds(record: AttemptRecord): readonly FoundRefund[];
  /** Chooses the due attempts that a run reads: three unconfirmed ones, and one that is only watched. */
  pickDue(due: readonly AttemptRecord[], now: Moment): readonly AttemptRecord[];
  /** What stops every change, in words; undefined when nothing does. */
  problem(): Promise<string | undefined>;
  /** Reads the order again and writes down what that proves. Throws CliError 'refused' while another run holds it. */
  reconcile(record: AttemptRecord, how?: { readonly once?: boolean }): Promise<Resolved>;
  /**
   * Reads the order again, as `reconcile` does. If the read is not conclusive, calls `confirm` with it, then
   * writes down the person's statement.
   */
  settle(
    record: AttemptRecord,
    statement: { readonly applied: boolean; readonly note: string },
    confirm: (evidence: Evidence) => Promise<void>,
  ): Promise<Resolved>;
  /**
   * The outcome of an earlier run under a script's id, read again when it is open, and what that run sent. Undefined when
   * there is none, or a new attempt is due. Throws CliError 'refused' when the id was used for something else.
   */
  recorded(
    intentId: string,
    asked: {
      readonly kind: Intent['kind'];
      readonly asked: JsonObject;
      readonly again: readonly string[];
      readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    },
  ): Promise<{ readonly outcome: Outcome; readonly change: ChangeSubject } | undefined>;
  /** See `eraseBodies` of the store. */
  forget(before: number): Promise<number>;
  verify(head?: string): Promise<Verification>;
  /** See `repair` of the store; the time is now. */
  repair(): Promise<Repair>;
  /** As the store's. */
  archive(path: string): Promise<number>;
  /** As the store's. */
  restore(path: string): Promise<number>;
}

/**
 * The name of an attempt for `--again`: its intent, `i_7f3k`; the second and later attempts add their number,
 * `i_7f3k.2`.
 */
export function attemptName({ sent: { intent, attempt } }: Pick<AttemptRecord, 'sent'>): string {
  return attempt === 1 ? intent : `${intent}.${attempt}`;
}

/** An alarm in a few words, for use before a colon. */
export const alarmWords: Readonly<Record<Alarm, string>> = {
  duplicate: 'DUPLICATE?',
  contradiction: 'the answer contradicted the request',
  partial: 'only a part shows',
  applied_though_rejected: 'refused, and yet made',
  disagreement: 'its figures do not agree',
};
