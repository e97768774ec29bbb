/** The types of the protocol: its states, the effects that it asks for, and the events that answer them. */

import type { CliErrorParts } from '../errors.ts';
import type { Decision, Refusal } from './guards.ts';
import type { AccountMarks, Intent } from './journal.ts';
import type { AttemptRecord, JournalRow, Moment, PreImage, SentRow, VerdictRow } from './journal-rows.ts';
import type { Evidence } from './judge-read.ts';
import type { ParsedReply } from './judge-reply.ts';

/** What one run of the protocol is to send. Plain data. */
export interface Wanted
  extends Pick<Intent, 'kind' | 'orderId' | 'request' | 'expected' | 'again' | 'asked' | 'plan' | 'ref'> {
  /** The journal's id, if this becomes a new intent. */
  readonly intent: string;
  readonly given?: string | undefined;
  readonly livemode: boolean;
  readonly account?: AccountMarks | undefined;
  readonly tolerated?: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly sendWithinMs: number;
  readonly horizonMs: number;
  /** When to read after a lost reply: milliseconds after the loss. */
  readonly readAfterMs: readonly number[];
  /** What else the SENT row holds: account, operator, note, amount, … */
  readonly about: Pick<SentRow, 'origin' | 'account' | 'profile' | 'operator'> & Partial<SentRow>;
}

/** What the runner is to do; each is answered by one event. */
export type Effect =
  /** → locked | busy */
  | { readonly do: 'lock' }
  /** The attempts on this order and under this script's id → known | stopped */
  | { readonly do: 'look' }
  /** The final read → fresh | stopped */
  | { readonly do: 'read' }
  /** The last question to a person, or a command's own check of what was read → approved | stopped */
  | { readonly do: 'approve' }
  /** Durable before it is answered → recorded | unrecorded */
  | { readonly do: 'record'; readonly row: JournalRow }
  /** Once → replied | not_sent | no_reply */
  | { readonly do: 'send' }
  /** → waited */
  | { readonly do: 'wait'; readonly ms: number }
  /** A read after the sending → seen | unseen */
  | { readonly do: 'reread' }
  /** → released */
  | { readonly do: 'release' }
  | { readonly do: 'finish' };

/** The answer to an effect. */
export type Event =
  | { readonly is: 'locked' | 'released' }
  | ({ readonly is: 'busy' } & Pick<Extract<Refusal, { why: 'busy' }>, 'owner'>)
  | { readonly is: 'known'; readonly attempts: readonly AttemptRecord[]; readonly moment: Moment }
  | { readonly is: 'stopped'; readonly cause: unknown }
  | {
      readonly is: 'fresh';
      readonly value: unknown;
      readonly neighbour?: string | undefined;
      readonly moment: Moment;
    }
  | { readonly is: 'approved' | 'recorded'; readonly moment: Moment }
  | { readonly is: 'unrecorded'; readonly cause: unknown; readonly moment: Moment }
  | { readonly is: 'replied'; readonly parsed: ParsedReply; readonly moment: Moment }
  | { readonly is: 'not_sent' | 'no_reply'; readonly why: string; readonly moment: Moment }
  /** `hurried`: a person pressed Ctrl-C; one more read, then the verdict. */
  | { readonly is: 'waited'; readonly hurried: boolean }
  /** `creations`: when an order is being created, all creations that the journal knows after the read. */
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
  /** An earlier run with the same script's id already has an outcome, and that is shown. */
  | { readonly how: 'recorded'; readonly attempt: AttemptRecord }
  | {
      readonly how: 'verdict';
      readonly sent: SentRow;
      readonly verdict: VerdictRow;
      readonly reads: number;
      readonly lastReadAt?: number | undefined;
      /** The verdict, or the `unknown` before it, could not be written down. */
      readonly unrecorded?: { readonly cause: unknown } | undefined;
    };

type Sending = Extract<Decision, { go: 'send' }>;

/** What is known once SENT is durable. */
export interface InFlight {
  readonly sent: SentRow;
  /** The moment of the final read. */
  readonly readAt: Moment;
  /** Ids of refunds and created orders that other attempts account for: none of them is this one's. */
  readonly claimed: ReadonlySet<string>;
  readonly unrecorded?: { readonly cause: unknown } | undefined;
  readonly alarm?: 'contradiction' | undefined;
  readonly reads: number;
  readonly lastReadAt?: number | undefined;
}

/** The reads after the sending, until it is clear what became of the request. */
export interface Search extends InFlight {
  readonly because: { readonly lost: string } | { readonly rejected: CliErrorParts };
  /** The moment of the loss, by the monotonic clock, and the reads still to come after it. */
  readonly from: number;
  readonly ahead: readonly number[];
  /** The last read that told anything. */
  readonly evidence?: Exclude<Evidence, { shows: 'unreadable' }> | undefined;
}

/** How far a run is, with all that it knows there. */
export type State =
  | { readonly at: 'locking' | 'looking'; readonly wanted: Wanted }
  | {
      readonly at: 'reading';
      readonly wanted: Wanted;
      readonly known: readonly AttemptRecord[];
      readonly sending: Sending;
    }
  | {
      readonly at: 'approving';
      readonly wanted: Wanted;
      readonly known: readonly AttemptRecord[];
      readonly sending: Sending;
      readonly readAt: Moment;
      readonly before: PreImage;
      readonly neighbour?: string | undefined;
    }
  /** Writing down that an earlier attempt was made after all, or that this one was not sent although its row may be there. */
  | { readonly at: 'correcting'; readonly wanted: Wanted; readonly refusal: Refusal }
  | { readonly at: 'recording' | 'sending'; readonly wanted: Wanted; readonly flight: InFlight }
  /** Writing down that the reply is lost, before anything is read; then reading until it is clear. */
  | { readonly at: 'doubting' | 'waiting' | 'rereading'; readonly wanted: Wanted; readonly search: Search }
  | {
      readonly at: 'concluding';
      readonly wanted: Wanted;
      readonly flight: InFlight;
      readonly verdict: VerdictRow;
    }
  | { readonly at: 'releasing' | 'done'; readonly end: End };

/** How far a run is now, and what it asks for next. */
export interface Step {
  readonly state: State;
  readonly effect: Effect;
}
