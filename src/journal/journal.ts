/** What the rest of paydesk sees of the journal: what commands can ask it, and what it answers. */

import type { Service } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { Held } from '../locks/locks.ts';
import type { Change, ChangeKind, ChangeSubject, Outcome } from './change.ts';
import type { LastRead } from './effects.ts';
import type { Evidence } from './judge-read.ts';
import type { AccountLimit } from './questions/account-limits.ts';
import type { Acknowledgement, Statement } from './questions/by-hand.ts';
import type { AttemptRecord, Moment, SentRow, SettingRow, VerdictRow } from './rows/journal-rows.ts';
import type {
  Archiving,
  JournalStore,
  Moved,
  Repair,
  StoredRows,
  Verification,
} from './rows/journal-store.ts';
import type { AccountMarks } from './same-account.ts';
import type { TeamRules } from './team-rules.ts';

export { isFailed } from './agreement.ts';
export {
  awaitsRead,
  blockedUntil,
  countedAmount,
  horizonOf,
  isDue,
  isFailedLate,
  isMadeByHand,
  isMadeRefund,
  isNotSeen,
  isOpen,
  isPast,
  isReadable,
  isSentAgain,
  isUnconfirmed,
  isWatched,
  leavesUntil,
  mayBeMade,
  mayStillLeave,
  needsPerson,
  usesUp,
} from './attempt-state.ts';
export * from './change.ts';
export { momentOf, stampOf, tolerableSkewMs } from './journal-time.ts';
export type { Evidence } from './judge-read.ts';
export { type AccountLimit, accountLimits, limitPrefix, textsOf } from './questions/account-limits.ts';
export { sentAgain, tooEarlyUntil, unshownRefunds } from './questions/by-hand.ts';
export { openAttempts } from './questions/known-attempts.ts';
export {
  foundTwice,
  isPaidTwice,
  madeRefunds,
  namedRefunds,
  otherAlarms,
  refundsPaidTwice,
} from './questions/paid-twice.ts';
export { recordedState, stateWords } from './questions/recorded-state.ts';
export { failedRefunds, ownRefunds } from './questions/verdicts-say.ts';
export { archivedBy, keptAtLeastMs } from './rows/archived-rows.ts';
export { byNewest, isQuery, pagesOf } from './rows/attempt-query.ts';
export * from './rows/journal-rows.ts';
export type * from './rows/journal-store.ts';
export { methodsOf, storeMethods } from './rows/journal-store.ts';
export * from './words/alarm-words.ts';
export * from './words/limit-words.ts';
// Only the command `prove` needs this code.
export const loadProofs = async () => await import('./questions/proved-refunds.ts');
export { unfinished } from './questions/known-attempts.ts';
export type { ProvedRefund } from './questions/proved-refunds.ts';
export * from './questions/unconfirmed.ts';
export { appearedVerdict, notMadeBy, recordedBy, statementOn } from './questions/verdicts-say.ts';
export { pickDue, reconcileEach } from './read-again.ts';
export { refundToName, touches } from './read-guards.ts';
export {
  attemptsOf,
  isOfLivemode,
  isSameOrigin,
  marksOfService,
  mayBeOf,
} from './same-account.ts';
export { sameJson } from './same-request.ts';
export * from './team-rules.ts';
export { missingFrom } from './verdict.ts';
export {
  changeOf,
  changeWords,
  hasEqualWords,
  mendLine,
  onceMoreWords,
  repeatCommand,
} from './words/refusal-words.ts';

/** A change of an order that was sent and is not confirmed: nobody knows yet whether it was made. */
export interface UnconfirmedChange {
  readonly change: string;
  readonly kind: ChangeKind;
  readonly amount: number | undefined;
  readonly currency: string | undefined;
  /** Unix milliseconds. */
  readonly sentAt: number;
  /** Who ran paydesk, by the name that this machine gave. */
  readonly operator: string;
}

/** A refund that was made twice. Nobody has acknowledged that yet, so the journal refuses the next refund of its order. */
export interface PaidTwice extends Omit<UnconfirmedChange, 'kind'> {
  /** The ids of the refunds. */
  readonly refunds: readonly string[];
  /** How many refunds it makes each time: one for each charge. */
  readonly parts: number;
  /** The refunds that the reply named, so they are surely ours. None if the reply was lost: then nobody can tell which one is. */
  readonly ours: readonly string[];
  /** The changes that sent them from here, as far as that is known, and how many of the refunds none of these changes made. */
  readonly sentAs?: readonly string[] | undefined;
  readonly others?: number | undefined;
  /** The other changes of the same order that have this alarm. */
  readonly besides?: readonly string[] | undefined;
}

/** A refund that an order shows although a person recorded that it was not made. */
export interface AppearedRefund {
  readonly record: AttemptRecord;
  /** Who recorded that. */
  readonly operator: string;
  /** The ids of the refunds that the order shows. */
  readonly refunds: readonly string[];
  /** Both refunds, if the same was sent again and made: the buyer was paid twice. */
  readonly twice: PaidTwice | undefined;
  /** Other refunds of the order that were sent after it and may have been made. The person who sent them did not know of this one. */
  readonly between: readonly AttemptRecord[];
  /** Whether the journal has recorded this already, so that only a person must look. */
  readonly isRecorded: boolean;
}

/** An attempt after its order was read again. */
export interface Resolved {
  readonly record: AttemptRecord;
  /** The verdict that the read added; absent when it showed nothing new. */
  readonly added?: VerdictRow | undefined;
  readonly evidence?: Evidence | undefined;
  /** Two figures of the order, as it was read, that contradict each other. */
  readonly doubt?: string | undefined;
  /** The order as it was read, if it was read here. */
  readonly read?: LastRead | undefined;
}

/** How one attempt is read again. */
export interface HowResolved {
  /** What a person states if no read can show the outcome. */
  readonly statement?: Statement | undefined;
  /** Set when a person has dealt with the alarm of the attempt. */
  readonly acknowledgement?: Acknowledgement | undefined;
  /** Shows the read to the person who settles it; throws to stop. Returns the note, if it was typed only then. */
  readonly confirm?: ((evidence: Evidence) => Promise<string | undefined>) | undefined;
  /** Find the order with one request only. If that does not find it, nothing is written down. */
  readonly once?: boolean | undefined;
}

/** Reads the order of an attempt again and writes down what that proves. Throws CliError 'refused' while another run holds it. */
export type Resolve = (record: AttemptRecord, how?: HowResolved) => Promise<Resolved>;

// The methods of the store that commands get unchanged.
export const askedOfStore = [
  'attempts',
  'list',
  'operators',
  'settings',
  'problem',
  'wholeCheckAt',
  'eraseBodies',
  'countOver',
  'restore',
] as const;

/** The journal as commands use it. */
export interface Journal extends Pick<JournalStore, (typeof askedOfStore)[number]> {
  readonly file: string;
  /** Where the rows are that this run is asked about: a file, or the address of a server. */
  place(): Promise<string>;
  /** See `JournalStore`. `tells`: the command says what is wrong, so that no warning has to. */
  problem(tells?: boolean): Promise<string | undefined>;
  /** The file of the witness; empty when there is none. */
  readonly witness: string;
  /** The limits that hold for an account now, whatever its profile is called. */
  limits(account: AccountMarks): Promise<readonly AccountLimit[]>;
  /** Writes down that a person sets something. When this resolves, the row is durable. Rejects as `append` of the store does. */
  recordSetting(
    change: Pick<SettingRow, 'profile' | 'origin' | 'account' | 'keyFingerprint' | 'name' | 'from' | 'to'>,
  ): Promise<void>;
  /**
   * The journal's time, which `isOpen` needs, and from which the age of an attempt is counted. `service`: its last `Date` counts
   * as a clock too.
   */
  now(service?: Pick<Service, 'seenDate'>): Promise<Moment>;
  /**
   * Reads the order again if a change on it is unconfirmed. Throws CliError 'refused' when one still is unconfirmed after that,
   * and for a refund of an order with a refund that was made twice; returns the attempts that the read settled. If the order
   * cannot be read, nothing is refused here: the change itself does that later. A dry run reads nothing again.
   */
  refuseOpen(order: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly kind: ChangeKind;
    readonly orderId: string;
    readonly again: readonly string[];
  }): Promise<readonly AttemptRecord[]>;
  /**
   * Stops a change when the order that was just read shows a refund twice, or one that a person recorded as not made, and the
   * journal does not know that yet: it reads the
   * order again under its lock, records the alarm, and throws the CliError that the change itself would end with.
   */
  refuseDuplicate(order: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly orderId: string;
    readonly order: JsonObject;
  }): Promise<void>;
  /**
   * Throws the CliError with which the journal would refuse a refund, judged by what is planned so far, before a person is asked
   * for the rest. `order`: as it was just read. The check that counts comes later, under the order's lock.
   */
  refusePlanned(refund: {
    readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    readonly change: Pick<Change, 'request' | 'expected' | 'again' | 'currency' | 'note'> & {
      readonly orderId: string;
    };
    readonly order: JsonObject;
  }): Promise<void>;
  /** The attempts on an order, or on several, that may be of this account, however its address is spelled. Asks the service nothing. */
  attemptsOf(
    service: Pick<Service, 'profile' | 'keyFingerprint'>,
    orders: string | ReadonlySet<string>,
  ): Promise<readonly AttemptRecord[]>;
  /** Reads the order again and writes down what that proves. Throws CliError 'refused' while another run holds its lock. */
  reconcile(record: AttemptRecord, how?: { readonly once?: boolean }): Promise<Resolved>;
  /**
   * Reads the order again, as `reconcile` does. If the read is not conclusive, it shows the read to the person
   * (`confirm`, which returns the note if it asked for it), then writes down what the person states.
   */
  settle(
    record: AttemptRecord,
    statement: Omit<Statement, 'operator'>,
    confirm: (evidence: Evidence) => Promise<string | undefined>,
  ): Promise<Resolved>;
  /** The attempts on the order of this one, with the same account, including this one. None if it has no order. */
  onSameOrder(record: AttemptRecord): Promise<readonly AttemptRecord[]>;
  /**
   * Reads the order again, then writes down that a person has dealt with the alarm of this attempt. Adds nothing when it has
   * no alarm, or is still unconfirmed. Throws CliError 'refused' while it is watched and its order cannot be read.
   */
  acknowledge(record: AttemptRecord, note: string): Promise<Resolved>;
  /** The attempts at the same request without an order, such as a payment link, that a person settled by hand. */
  settledAlike(
    service: Pick<Service, 'profile' | 'keyFingerprint'>,
    change: Pick<Change, 'kind' | 'request' | 'asked'>,
  ): Promise<readonly AttemptRecord[]>;
  /** The changes of a kind that were sent since (Unix milliseconds) and may be of this account, of the newest 100. */
  sentSince(
    service: Pick<Service, 'profile' | 'keyFingerprint'>,
    sent: { readonly kind: ChangeKind; readonly since: number },
  ): Promise<readonly AttemptRecord[]>;
  /**
   * The outcome of an earlier run under an idempotency key, and the change that it sent; at a desk of a team also that of a run
   * which handed over exactly the same and did not show how it ended. Reads the order again first if the outcome is unconfirmed.
   * Undefined when there is no such run, or when a new attempt may be made. Throws CliError 'refused' when the key was used for
   * another change.
   */
  recorded(
    idempotencyKey: string | undefined,
    asked: {
      readonly kind: Change['kind'];
      readonly asked: JsonObject;
      readonly again: readonly string[];
      readonly service: Pick<Service, 'profile' | 'keyFingerprint'>;
    },
  ): Promise<{ readonly outcome: Outcome; readonly change: ChangeSubject } | undefined>;
  /** The limits and approvals of the team; undefined if the journal belongs to this machine alone. */
  rules(): Promise<TeamRules | undefined>;
  /** Who this person is in the team; undefined if the journal belongs to this machine alone. */
  member(): Promise<string | undefined>;
  /** Takes a plan, so that no other run works on it. Throws CliError 'refused' while another run has it. */
  claimPlan(plan: { readonly id: string }): Promise<Pick<Held, 'release'>>;
  /** Who is applying a plan right now: `op7, since 09:31:40`. Undefined if nobody is. */
  applying(plan: { readonly id: string; readonly digest: string }): Promise<string | undefined>;
  verify(head?: string): Promise<Verification>;
  /** `acceptCopy` of the store. */
  acceptCopy(): Promise<void>;
  /** When somebody last allowed changes after the files were put back from a copy, Unix milliseconds; undefined if nobody did. */
  copyAcceptedAt(): Promise<number | undefined>;
  /** `repair` of the store, as of now. */
  repair(): Promise<Repair>;
  /** Writes all rows into a new file and returns how many. Throws CliError 'refused' if it exists, and as `whole` of the store does. */
  exportTo(path: string): Promise<number>;
  /** `storedRows` of the store. Throws CliError 'refused' too while something stops every change. */
  storedRows(sents: readonly SentRow[]): Promise<StoredRows>;
  /** `archiveOld` of the store, as of now. */
  archiveOld(how: Pick<Archiving, 'before' | 'path'>): Promise<Moved>;
  /** The journal in a file that `exportTo` or `archiveOld` wrote, to be read. Throws CliError 'refused' when it is not whole. */
  inFile(path: string): Promise<Journal>;
  /** Checks such a file. Throws in the same way. `head`: a hash noted elsewhere. */
  verifyFile(path: string, head?: string): Promise<Verification & { readonly sha256: string }>;
}
