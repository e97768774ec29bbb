/** What the journal holds: rows that are only ever added, and the attempts that they make up. */

import type { JsonObject } from '../api/spec.ts';
import type { CliErrorParts } from '../errors.ts';
import type { ChangeRequest, ExpectedRefund, FoundRefund, Intent } from '../ports.ts';

/** The order right before the sending, as far as an outcome is proved by it. Holds no personal data. */
export interface PreImage {
  readonly status?: string | undefined;
  /** Of the order: what an outcome in other money contradicts. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly amountRefunded?: number | undefined;
  readonly isRefundable?: boolean | undefined;
  readonly updatedAt?: number | undefined;
  /** Refund ids and amounts per charge. */
  readonly charges: readonly {
    readonly id: string;
    readonly currency?: string | undefined;
    readonly refunds: readonly { readonly id: string; readonly amount: number }[];
  }[];
  /** For the creation of an order: ids of the newest orders. */
  readonly newest?: readonly string[] | undefined;
}

/** All that a verdict needs without the network: what was asked for, and how things were before. */
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

/** What became of an attempt. `not_seen`: no read shows it, so far. */
export type Verdict = 'applied' | 'rejected' | 'not_sent' | 'unknown' | 'not_seen';
/** Why a person must look although there is a verdict. */
export type Alarm = 'duplicate' | 'contradiction' | 'partial' | 'applied_though_rejected';

/** Durable before the request leaves. */
export interface SentRow {
  readonly type: 'sent';
  readonly intent: string;
  /** 1, 2, … of the intent. */
  readonly attempt: number;
  /** Journal time, Unix milliseconds, as every time here. */
  readonly time: number;
  /** Nothing is sent after this. */
  readonly sendBy: number;
  /** How long after it is known to have left, or not, a request may still take effect. */
  readonly horizonMs: number;
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly keyFingerprint?: string | undefined;
  readonly operator: string;
  readonly version?: string | undefined;
  readonly request: ChangeRequest;
  readonly proof: Proof;
  /** The record before the order when it was located. */
  readonly neighbour?: string | undefined;
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  /**
   * What a repair could not read any more: what kind of change it was. Nobody can prove its outcome, so it blocks its
   * order, or without one every change of its kind, until a person settles it; `unknown` blocks everything.
   */
  readonly lost?: Intent['kind'] | 'unknown' | undefined;
  /** A script's own id of the intent. */
  readonly given?: string | undefined;
  /** What was typed under that id. */
  readonly asked?: JsonObject | undefined;
  readonly ref?: string | undefined;
  readonly plan?: string | undefined;
}

/** One verdict on an attempt; the last one counts. */
export interface VerdictRow {
  readonly type: 'verdict';
  readonly intent: string;
  readonly attempt: number;
  readonly time: number;
  /** The clocks disagreed then, so no horizon is counted from this time. */
  readonly skewed?: true | undefined;
  readonly verdict: Verdict;
  /** What it rests on: the reply, a read, a person's word, or that nothing left this machine. */
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
  /** For a person's word: whose, and the note. */
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

/** A moment: the journal's time, and the two clocks of this machine. */
export interface Moment {
  /** The latest of the wall clock, the newest journal time and, where it agrees, the last `Date` header. */
  readonly time: number;
  readonly wall: number;
  readonly mono: number;
  /** The clocks differ by more than two minutes: no horizon expires. */
  readonly skewed: boolean;
}
