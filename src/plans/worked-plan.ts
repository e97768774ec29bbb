/** How a plan is worked off: what is asked of whoever does that, this run or a sender, and what comes back. */

import type { CliError } from '../errors.ts';
import type { BatchStop } from './plan-types.ts';

/** What the rows of a run have in common. */
export interface BatchRun {
  /** Rows whose outcome the journal knew. */
  known: number;
  /** Rows that this run sent and that may have been made. */
  sent: number;
  /** Of these, the rows of which nobody knows yet whether they were made. */
  open: number;
  /** The rows that are being read or sent right now. */
  inFlight: number;
  /** The rows for which the service could not be reached, by their numbers, and why. */
  readonly away: Map<number, string>;
  /** The refunds that charges had already, equal to the ones of their rows. */
  readonly equal: Set<string>;
  /** Rows one after the other for which the service could not be reached. */
  unreached: number;
  /** The kind of the error that stopped the batch: the key was refused, the service is away, or the journal cannot be used. */
  stoppedBy: 'auth' | 'network' | 'refused' | undefined;
  /** What is wrong with the journal. Without it nothing is sent. */
  journal: CliError | undefined;
}

/** A run that has done nothing yet. */
export function newBatchRun(): BatchRun {
  const counts = { known: 0, sent: 0, open: 0, inFlight: 0, unreached: 0 };
  return { ...counts, away: new Map(), equal: new Set(), stoppedBy: undefined, journal: undefined };
}

/** A row that has ended. */
export interface RowTold {
  /** Its number in the plan. */
  readonly row: number;
  readonly how: 'applied' | 'refused' | 'unconfirmed' | 'not_sent';
  /** Why it was not sent. */
  readonly why?: string | undefined;
  /** An earlier run sent it, and the journal knew how it ended. */
  readonly isKnown?: true | undefined;
}

/** How fast, and when to stop. */
export interface HowWorked {
  /** How many orders at a time. */
  readonly concurrency: number;
  readonly maxFailures?: number | undefined;
  readonly maxPerSecond?: number | undefined;
}

/** How the work ended: why before the last row, and what was done. */
export interface Worked {
  readonly stop: BatchStop | undefined;
  readonly run: BatchRun;
}

/** A plan as it is handed over: its text, and what the person who confirmed it was shown. */
export interface HandedPlan {
  readonly text: string;
  readonly digest: string;
  /** How many of its rows are sent, and their sums. */
  readonly rows: number;
  readonly sums: readonly { readonly currency: string; readonly amount: number }[];
}

/** The sender of a team as it works plans off. */
export interface PlanSender {
  /**
   * Hands a plan over whole, and watches; if it is under way already, it only watches. `tell`: called once for each row that has
   * ended. If the person stops it, so does the sender; if the desk is closed, the sender goes on. Throws CliError 'unconfirmed' when the way
   * broke and nobody can say here how far it is, and 'network' when it is certain that nothing was handed over.
   */
  work(plan: HandedPlan, how: HowWorked, tell: (row: RowTold) => void): Promise<Worked>;
  /** Who has a plan worked off right now, and since when (Unix milliseconds); undefined if nobody does. */
  applying(digest: string): Promise<{ readonly member: string; readonly since: number } | undefined>;
}
