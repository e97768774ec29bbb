/** What the journal holds: rows, which are only ever added, and the attempts that they make up. */

import type { ChangeRequest } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { ExpectedRefund, FoundRefund, Intent } from './journal.ts';

/** The order right before the sending, as far as it proves an outcome. Holds no personal data. */
export interface PreImage {
  readonly status?: string | undefined;
  /** Of the order: an outcome in other money contradicts it. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly amountRefunded?: number | undefined;
  readonly isRefundable?: boolean | undefined;
  readonly updatedAt?: number | undefined;
  readonly charges: readonly ChargeImage[];
  /** For the creation of an order: ids of the newest orders. */
  readonly newest?: readonly string[] | undefined;
}

/** A charge of that order: its refunds, and what else would move with a refund. */
export interface ChargeImage {
  readonly id: string;
  readonly currency?: string | undefined;
  readonly status?: string | undefined;
  readonly isRefundable?: boolean | undefined;
  readonly amount?: number | undefined;
  readonly amountRefunded?: number | undefined;
  readonly refunds: readonly {
    readonly id: string;
    readonly amount: number;
    /** Unix seconds. */
    readonly createdAt?: number | undefined;
  }[];
}

/**
 * Everything that a verdict needs besides a reply or a read: what was asked for, and how the order was
 * before.
 */
export interface Proof {
  readonly kind: Intent['kind'];
  readonly orderId?: string | undefined;
  readonly livemode: boolean;
  readonly body?: ChangeRequest['body'];
  readonly expected: readonly ExpectedRefund[];
  /** Charges that may get one record of a whole-order refund, or none. */
  readonly tolerated: readonly string[];
  readonly before: PreImage;
}

/** What became of an attempt. `not_seen`: no read has shown it so far. */
export type Verdict = 'applied' | 'rejected' | 'not_sent' | 'unknown' | 'not_seen';
/** Why a person must look although there is a verdict. `disagreement`: the figures of the last read did not agree. */
export type Alarm = 'duplicate' | 'contradiction' | 'partial' | 'applied_though_rejected' | 'disagreement';

/** Written and durable before the request leaves. */
export interface SentRow {
  readonly type: 'sent';
  readonly intent: string;
  /** 1, 2, … within the intent. */
  readonly attempt: number;
  /** Journal time, Unix milliseconds, as every time here. */
  readonly time: number;
  readonly skewed?: true | undefined;
  readonly clocks?: Clocks | undefined;
  /** Nothing is sent after this. */
  readonly sendBy: number;
  /** For how long a request may still take effect, counted from the first verdict on it. */
  readonly horizonMs: number;
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly keyFingerprint?: string | undefined;
  readonly operator: string;
  readonly version?: string | undefined;
  readonly request: ChangeRequest;
  readonly proof: Proof;
  /** The record before the order in its list, when it was last found: the next search starts there. */
  readonly neighbour?: string | undefined;
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /**
   * The kind of change, when a repair could not read the row itself. No read can prove its outcome. Until a person settles
   * it, it blocks its order; without an order, every change of its kind; `unknown` blocks everything.
   */
  readonly lost?: Intent['kind'] | 'unknown' | undefined;
  /** A script's own id of the intent. */
  readonly given?: string | undefined;
  /** What was typed under that id. */
  readonly asked?: JsonObject | undefined;
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
  /** What this repeats (`--again`): refund ids and names of attempts. Each name works for one sending. */
  readonly again?: readonly string[] | undefined;
}

/** One verdict on an attempt; the last one counts. */
export interface VerdictRow {
  readonly type: 'verdict';
  readonly intent: string;
  readonly attempt: number;
  readonly time: number;
  /** The clocks disagreed then, so no horizon is counted from this time. */
  readonly skewed?: true | undefined;
  readonly clocks?: Clocks | undefined;
  readonly verdict: Verdict;
  /** What it rests on: the reply, a read, a person's statement, or that nothing left this machine. */
  readonly by: 'reply' | 'read' | 'person' | 'sender';
  /** Why, for people: `HTTP 502, an HTML page`. */
  readonly why: string;
  readonly alarm?: Alarm | undefined;
  /** For `rejected`: a read showed that nothing changed. */
  readonly confirmed?: boolean | undefined;
  /** New refund records since the pre-image, ours or not. */
  readonly refunds?: readonly FoundRefund[] | undefined;
  /** The created order, for a creation that a read found. */
  readonly created?: string | undefined;
  /** The service's error, without its `data`. */
  readonly error?: Omit<CliErrorParts, 'data' | 'cause'> | undefined;
  /** For a person's statement: who, and the note. */
  readonly operator?: string | undefined;
  readonly note?: string | undefined;
}

/** A row of the journal. */
export type JournalRow = SentRow | VerdictRow;

/** One attempt: its SENT row and every verdict on it, oldest first. */
export interface AttemptRecord {
  readonly sent: SentRow;
  readonly verdicts: readonly VerdictRow[];
}

/** Names an attempt in a map: no two attempts have the same key. */
export function attemptKey({ intent, attempt }: Pick<SentRow, 'intent' | 'attempt'>): string {
  return `${attempt} ${intent}`;
}

/** What the clocks showed when a row was written (Unix milliseconds), so that a later run notices when one has jumped. */
export interface Clocks {
  readonly wall: number;
  /** The service's clock by its last `Date` header; absent where it sends none. */
  readonly service?: number | undefined;
  /** The id of this boot of the machine, and milliseconds since it. */
  readonly boot?: { readonly id: string; readonly ms: number } | undefined;
}

/** The journal's time, and the clocks that it comes from. */
export interface Moment extends Clocks {
  /** The time for a row that is written now. While clocks disagree it is not later than the slower one, or the newest row. */
  readonly time: number;
  /** The monotonic clock of this process, milliseconds. */
  readonly mono: number;
  /** Two clocks differ by more than two minutes: no horizon ends, and none starts. */
  readonly skewed: boolean;
  /** The service's clock was seen and agrees with this machine's. */
  readonly dated?: boolean | undefined;
}
