/** The journal as the rest of paydesk sees it: one change, its outcome, and the record of all that were sent. */

import type { ChangeRequest, ReplyHead, Service, WireRecord } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { Alarm, AttemptRecord, Moment, VerdictRow } from './rows.ts';
import type { Sight } from './sight.ts';
import type { AttemptQuery, Repair, Verification } from './store.ts';

export type { AttemptRecord, Moment, VerdictRow } from './rows.ts';
export type { Sight } from './sight.ts';
export type { AttemptQuery, JournalStore, Repair, Verification } from './store.ts';

/** A refund record that an applied refund must leave: exactly one new record of this amount on this charge. */
export interface ExpectedRefund {
  readonly chargeId: string;
  /** Negative, as the service writes it (service: refund). */
  readonly amount: number;
}

/** What a person decided: one change, to be sent at most once. */
export interface Intent {
  readonly kind: 'refund' | 'capture' | 'order' | 'checkout' | 'api';
  /** The order it changes; absent for what belongs to no order. */
  readonly orderId?: string | undefined;
  readonly request: ChangeRequest;
  /** For a refund: the new records that must appear. */
  readonly expected?: readonly ExpectedRefund[] | undefined;
  /** For a whole-order refund: charges that may get one record, or none (declined ones). */
  readonly tolerated?: readonly string[] | undefined;
  /** The money of it for messages: the service's integer and currency. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /** A script's own id of this intent (`--intent`). */
  readonly intentId?: string | undefined;
  /** What was typed (order, charge, amount, …): must be the same under the same `intentId`. */
  readonly asked?: JsonObject | undefined;
  /** What this repeats, as a person named it (`--again`): ids of refunds, or names of attempts. */
  readonly again: readonly string[];
  /** Attempts that reads of this run closed before: nobody who asks could know of them, not even with `--again`. */
  readonly closed?: readonly AttemptRecord[] | undefined;
  /** Row reference and plan, for bulk refunds. */
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
  /**
   * Sees the order as the final read gives it, under the order's lock, right before the sending.
   * Throws a CliError to stop: money changed, not refundable any more, an equal refund exists.
   */
  readonly approve: (fresh: WireRecord) => Promise<void>;
  readonly checks?: readonly string[] | undefined;
}

/** What a change is called by, whoever asked for it. */
export type ChangeSubject = Pick<Intent, 'kind' | 'orderId' | 'amount' | 'currency' | 'request'>;

/** A refund record found after the change. */
export interface FoundRefund {
  readonly chargeId: string;
  readonly id: string | undefined;
  readonly amount: number;
  readonly createdAt: number | undefined;
  readonly authCode: string | undefined;
  /** A word of the service's own, where it shows one. */
  readonly status?: string | undefined;
}

interface OutcomeBase {
  /** The journal's id of the intent. */
  readonly intent?: string | undefined;
  /** Set when a person must look although there is a verdict; exit 7. */
  readonly alarm?: Alarm | undefined;
  /** What the last verdict rests on, in words. */
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

/** How a change ended. Words and exit codes are made of it by the command. */
export type Outcome =
  | (OutcomeBase & {
      readonly verdict: 'applied';
      readonly by: 'reply' | 'read';
      readonly record: WireRecord;
    })
  | (OutcomeBase & {
      readonly verdict: 'rejected';
      readonly parts: CliErrorParts;
      /** A read confirmed that nothing changed. */
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
      /** Journal time, Unix milliseconds; undefined: until a read tells, or a person. */
      readonly blockedUntil?: number | undefined;
    })
  /** `--dry-run`: everything but the sending. */
  | { readonly verdict: 'dry_run'; readonly request: ChangeRequest; readonly checks: readonly string[] };

/** The one door for changes: journal/make-change.ts. Throws a CliError when nothing was sent: 'refused', 'not_found', … */
export type Change = (intent: Intent) => Promise<Outcome>;

/** What shows whether two changes may belong to one account (journal/same-account.ts). */
export interface AccountMarks {
  readonly origin: string;
  readonly livemode: boolean;
  readonly keyFingerprint?: string | undefined;
}

/** What a look at an attempt came to: as it is now, and what the look showed. */
export interface Resolved {
  readonly record: AttemptRecord;
  /** The verdict that was added; absent when the look said nothing new. */
  readonly added?: VerdictRow | undefined;
  readonly sight?: Sight | undefined;
}

/** The journal as commands see it. */
export interface Journal {
  readonly file: string;
  /** The file of its witness. */
  readonly witness: string;
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;
  /** The journal's time, for `isOpen` and the age of attempts. */
  now(): Promise<Moment>;
  /** Whether an attempt still blocks its order. */
  isOpen(record: AttemptRecord, now: Moment): boolean;
  /** Until when an open attempt blocks its order at the latest, Unix milliseconds; undefined: until a read tells, or a person. */
  blockedUntil(record: AttemptRecord): number | undefined;
  /** Whether a read may tell something new of it. */
  isDue(record: AttemptRecord, now: Moment): boolean;
  /**
   * Throws CliError 'refused' where an outcome of the order is open, also after its order was read again; returns those
   * that such a read closed. What cannot be read again is left to the change itself.
   */
  refuseOpen(order: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly orderId: string;
    readonly again: readonly string[];
  }): Promise<readonly AttemptRecord[]>;
  /** Whether a refund was made and is read again until its horizon, in case a second one appears. */
  isWatched(record: AttemptRecord): boolean;
  /** The refund records that an attempt accounts for: those that it asked for. None unless it was made. */
  ownRefunds(record: AttemptRecord): readonly FoundRefund[];
  /** Chooses the due attempts that a run reads: three unconfirmed ones, and one that is only watched. */
  pickDue(due: readonly AttemptRecord[], now: Moment): readonly AttemptRecord[];
  /** What stops every change, in words: the journal is behind its witness, or damaged; undefined: nothing. */
  problem(): Promise<string | undefined>;
  /** Reads the order again and writes down what that proves. Throws CliError 'refused' while another run holds it. */
  reconcile(record: AttemptRecord, how?: { readonly once?: boolean }): Promise<Resolved>;
  /** As `reconcile`; where the read does not tell, `confirm` is shown it, and a person's statement is written down. */
  settle(
    record: AttemptRecord,
    statement: { readonly applied: boolean; readonly note: string },
    confirm: (sight: Sight) => Promise<void>,
  ): Promise<Resolved>;
  /**
   * The outcome of an earlier run under a script's id, after a read where it is open, and what was sent then; undefined
   * when there is none, or a new attempt is due. Throws CliError 'refused' when the id was used for something else.
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
  /** Erases bodies and notes of settled attempts sent before a time (Unix milliseconds); how many. */
  forget(before: number): Promise<number>;
  verify(head?: string): Promise<Verification>;
  /** Keeps copies, and rebuilds journal and witness from all that can be read of them. Throws CliError 'refused'. */
  repair(): Promise<Repair>;
  /** Writes the journal and its witness into one new file; returns how many rows. Throws CliError 'refused' if it exists. */
  archive(path: string): Promise<number>;
  /** Imports such a file; returns how many rows. Throws CliError 'refused' if this machine's journal or witness has rows. */
  restore(path: string): Promise<number>;
}

/** The name of an attempt for `--again`: its intent, and from the second attempt on its number too, `i_7f3k.2`. */
export function attemptName({ sent: { intent, attempt } }: Pick<AttemptRecord, 'sent'>): string {
  return attempt === 1 ? intent : `${intent}.${attempt}`;
}

/** An alarm in a few words, to stand before a colon. */
export const alarmWords: Readonly<Record<Alarm, string>> = {
  duplicate: 'DUPLICATE?',
  contradiction: 'the answer contradicted the request',
  partial: 'only a part shows',
  applied_though_rejected: 'refused, and yet made',
  disagreement: 'its figures do not agree',
};
