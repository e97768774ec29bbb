/** The types of the protocol: its states, the effects that it asks for, and the events that answer them. */

import type { CliErrorParts } from '../errors.ts';
import type { Change, FoundRefund } from './change.ts';
import type { Decision, Refusal } from './guards.ts';
import type { Evidence } from './judge-read.ts';
import type { ParsedReply } from './judge-reply.ts';
import type {
  AttemptRecord,
  AttemptRow,
  Moment,
  PreImage,
  SentRow,
  VerdictRow,
} from './rows/journal-rows.ts';
import type { AccountMarks } from './same-account.ts';

/** The change as a person decided on it, with what its run adds to it. Plain data. */
export interface Wanted extends Change {
  /** The journal's id for it, if this becomes a new change. */
  readonly change: string;
  readonly livemode: boolean;
  readonly account?: AccountMarks | undefined;
  readonly dryRun: boolean;
  readonly sendWithinMs: number;
  readonly horizonMs: number;
  /** When to read after a lost reply, in milliseconds after the loss. */
  readonly readAfterMs: readonly number[];
  /** What else goes into the SENT row: who sends it, and for which account. */
  readonly about: Pick<SentRow, 'origin' | 'account' | 'profile' | 'keyFingerprint' | 'operator' | 'version'>;
}

/** What the runner does next. One event answers each effect; its possible names are behind the arrow. */
export type Effect =
  /** → locked | busy */
  | { readonly do: 'lock' }
  /** Looks up the attempts on this order and under this idempotency key → known | stopped */
  | { readonly do: 'look' }
  /** The final read → fresh | stopped */
  | { readonly do: 'read' }
  /** Asks the person one last time, or lets the command check what was read → checked | stopped */
  | { readonly do: 'check' }
  /** Writes a row, which is durable before the answer → recorded | unrecorded */
  | { readonly do: 'record'; readonly row: AttemptRow }
  /** Makes sure that a SENT row which could not be recorded blocks nothing and cannot appear later → recorded | unrecorded */
  | { readonly do: 'take_back'; readonly sent: SentRow; readonly row: VerdictRow }
  /**
   * Sends the request, once → replied | not_sent | no_reply. `until`: after this time by either clock no byte may leave, even if
   * the connection is ready only then.
   */
  | { readonly do: 'send'; readonly until: Pick<Moment, 'wall' | 'mono'> }
  /** → waited */
  | { readonly do: 'wait'; readonly ms: number }
  /** A read after the sending → seen | unseen */
  | { readonly do: 'reread' }
  /** → released */
  | { readonly do: 'release' }
  | { readonly do: 'finish' };

/** What answers an effect. */
export type Event =
  | { readonly is: 'locked' | 'released' }
  | ({ readonly is: 'busy' } & Pick<Extract<Refusal, { why: 'busy' }>, 'owner'>)
  | { readonly is: 'known'; readonly attempts: readonly AttemptRecord[]; readonly moment: Moment }
  | { readonly is: 'stopped'; readonly cause: unknown }
  | {
      readonly is: 'fresh';
      readonly value: unknown;
      readonly neighbour?: string | undefined;
      /** As with `seen`. */
      readonly creations?: readonly AttemptRecord[] | undefined;
      readonly moment: Moment;
    }
  | { readonly is: 'recorded'; readonly moment: Moment }
  /** `note`: what a person typed while they were asked, such as how they know. */
  | { readonly is: 'checked'; readonly moment: Moment; readonly note?: string | undefined }
  | { readonly is: 'unrecorded'; readonly cause: unknown; readonly moment: Moment }
  | { readonly is: 'replied'; readonly parsed: ParsedReply; readonly moment: Moment }
  | { readonly is: 'not_sent' | 'no_reply'; readonly why: string; readonly moment: Moment }
  /** `hurried`: a person pressed Ctrl-C, so the next read is the last one. */
  | { readonly is: 'waited'; readonly hurried: boolean }
  /**
   * `creations`: only while an order is being created. What the journal knows after the read: the creations that made an order
   * which the read shows, and all creations that are unconfirmed.
   */
  | {
      readonly is: 'seen';
      readonly value: unknown;
      readonly creations?: readonly AttemptRecord[] | undefined;
      readonly moment: Moment;
    }
  | { readonly is: 'unseen'; readonly why: string; readonly moment: Moment };

/** How a run ended. */
export type End =
  | { readonly how: 'refused'; readonly refusal: Refusal }
  | { readonly how: 'dry_run' }
  /** An earlier run with the same idempotency key has an outcome already, so that is shown. */
  | { readonly how: 'recorded'; readonly attempt: AttemptRecord }
  | ({ readonly how: 'verdict'; readonly verdict: VerdictRow } & Pick<
      InFlight,
      'sent' | 'reads' | 'lastReadAt' | 'unrecorded'
    >);

type Sending = Extract<Decision, { go: 'send' }>;

/** What a run knows once the SENT row is durable. */
export interface InFlight {
  readonly sent: SentRow;
  /** The moment of the final read. */
  readonly readAt: Moment;
  /** Ids of refunds and created orders that belong to other attempts, so this one did not make them. */
  readonly claimed: ReadonlySet<string>;
  /** What `refusedLike` found: a failed refund may be that attempt's. */
  readonly refused?: AttemptRecord | undefined;
  /** The verdict, or the `unknown` before it, could not be written down. */
  readonly unrecorded?: { readonly cause: unknown } | undefined;
  readonly alarm?: 'contradiction' | undefined;
  readonly received?: VerdictRow['received'];
  readonly reads: number;
  readonly lastReadAt?: number | undefined;
}

/** Why there is no usable reply. `said`: what the reply itself says, if one came. */
export interface Lost {
  readonly lost: string;
  readonly said?: VerdictRow['error'];
}

/** The reply is a refusal. With `failed`, the reply is the order instead, and shows these refunds as failed. */
export interface Refused {
  readonly rejected: CliErrorParts;
  readonly failed?: readonly FoundRefund[] | undefined;
}

/** What a run knows while it reads the order after the sending, until the outcome is clear. */
export interface Search extends InFlight {
  readonly because: Lost | Refused;
  /** When the reply came or was lost, by the monotonic clock; and the next reads, in milliseconds after that. */
  readonly from: number;
  readonly ahead: readonly number[];
  /** What the last readable read showed. */
  readonly evidence?: Exclude<Evidence, { shows: 'unreadable' }> | undefined;
}

/** How far a run is, and everything it knows at that point. */
export type State =
  | { readonly at: 'locking' | 'looking'; readonly wanted: Wanted }
  | {
      readonly at: 'reading';
      readonly wanted: Wanted;
      readonly known: readonly AttemptRecord[];
      readonly sending: Sending;
    }
  | {
      readonly at: 'checking';
      readonly wanted: Wanted;
      readonly known: readonly AttemptRecord[];
      readonly sending: Sending;
      readonly readAt: Moment;
      readonly before: PreImage;
      readonly neighbour?: string | undefined;
    }
  /** Writes a verdict and sends nothing: an earlier attempt was made after all, or the SENT row could not be written. */
  | { readonly at: 'correcting'; readonly wanted: Wanted; readonly refusal: Refusal }
  | { readonly at: 'recording' | 'sending'; readonly wanted: Wanted; readonly flight: InFlight }
  /** First writes down that the reply is lost, then reads the order until the outcome is clear. */
  | { readonly at: 'doubting' | 'waiting' | 'rereading'; readonly wanted: Wanted; readonly search: Search }
  | {
      readonly at: 'concluding';
      readonly wanted: Wanted;
      readonly flight: InFlight;
      readonly verdict: VerdictRow;
    }
  | { readonly at: 'releasing' | 'done'; readonly end: End };

/** The state of a run, and the effect that it asks for next. */
export interface Step {
  readonly state: State;
  readonly effect: Effect;
}
