/**
 * Runs a batch: an order's rows one after the other, several orders at once, until it is done or something stops it; and the types
 * for applying plans.
 */

import type { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { BatchStop, RowEnd } from './plan-types.ts';

export interface BatchParts<T> {
  /** The rows of each order, in sending order. */
  readonly groups: readonly (readonly T[])[];
  /** How many orders to work on at once; at least 1. */
  readonly concurrency: number;
  /**
   * Sends one row and resolves however it ends. Rejects only if the batch cannot go on. Calls `lost` as soon as the reply is lost:
   * finding out takes a while, and the other orders must not go on as if all were well.
   */
  readonly send: (row: T, lost: () => void) => Promise<RowEnd>;
  readonly clock: Clock;
  /** Ends the batch before the next row. Rows in flight end first. */
  readonly signal: AbortSignal;
  /** The batch stops after this many unknown rows; by default 5. */
  readonly maxFailures?: number | undefined;
  /** Called with each row as it ends. */
  readonly onEnd?: ((row: T, end: RowEnd) => void) | undefined;
}

// If the service asks for a longer wait, the batch stops.
const longestPauseMs = 120_000;

const defaultMaxFailures = 5;
// This many unknown outcomes in a row look like an outage.
const maxInARow = 3;

/**
 * Returns why the batch held rows back; undefined if it held none back, even if the last row of all was, say, the third unknown
 * one in a row. Rows that follow one of their own order that was not applied are never started, and do not count as held back. If
 * `send` rejects or `onEnd` throws, starts no other row, lets the rows in flight end, and then rejects with that error; with
 * several errors, with the first that is not the signal's reason.
 */
export async function runBatch<T>(parts: BatchParts<T>): Promise<BatchStop | undefined> {
  const { groups, concurrency, send, onEnd, ...rules } = parts;
  const gate = createGate(rules);
  const errors: unknown[] = [];
  const left = groups.values();

  const runGroup = async (rows: readonly T[]): Promise<void> => {
    for (const row of rows) {
      if (!(await gate.opens())) return;
      const flight = gate.starts();
      const end = await send(row, flight.lost);
      flight.ended(end);
      onEnd?.(row, end);
      if (end.how !== 'applied') return;
    }
  };
  const work = async (): Promise<void> => {
    for (const group of left) {
      try {
        await runGroup(group);
      } catch (error) {
        errors.push(error);
        gate.close();
      }
    }
  };

  await Promise.all(Array.from({ length: Math.min(concurrency, groups.length) }, work));
  if (errors.length > 0) throw errors.find((error) => error !== rules.signal.reason) ?? errors[0];
  return gate.stop();
}

// Decides before every row whether it may start.
function createGate(parts: Pick<BatchParts<never>, 'clock' | 'signal' | 'maxFailures'>) {
  const { clock, signal, maxFailures = defaultMaxFailures } = parts;
  const rules = createRules(maxFailures);
  // Wakes the waiting rows when the batch stops for another reason.
  const closed = new AbortController();
  const over = AbortSignal.any([signal, closed.signal]);
  let stop: BatchStop | undefined;
  let heldBack = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let lostReplies = 0;
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  over.addEventListener('abort', change);

  const close = (why?: BatchStop): void => {
    stop ??= why;
    closed.abort();
  };
  const closeIfSignalled = (): void => {
    if (signal.aborted) close({ why: 'signal' });
  };
  const pause = async (): Promise<void> => {
    try {
      await clock.sleep(pausedUntil - clock.monotonic(), over);
    } catch (error) {
      if (!over.aborted) throw error;
    }
  };
  return {
    /**
     * Resolves with whether the next row may start. First waits until a pause that the service asked for is over. Also waits for
     * rows whose replies were lost, if the batch would stop should all of them end as unknown.
     */
    async opens() {
      // A row in flight may meanwhile lengthen the pause, or lose its reply.
      while (!over.aborted && (rules.wouldStop(lostReplies) || clock.monotonic() < pausedUntil))
        await (rules.wouldStop(lostReplies) ? changed.promise : pause());
      closeIfSignalled();
      heldBack ||= closed.signal.aborted;
      return !closed.signal.aborted;
    },
    /** Call it when a row starts, then tell it when the reply is lost and how the row ended. */
    starts(): { readonly lost: () => void; readonly ended: (end: RowEnd) => void } {
      let isLost = false;
      return {
        lost() {
          if (!isLost) lostReplies += 1;
          isLost = true;
        },
        ended(end) {
          closeIfSignalled();
          const why = rules.stopFor(end);
          if (why !== undefined) close(why);
          pausedUntil = Math.max(pausedUntil, clock.monotonic() + (end.waitMs ?? 0));
          if (isLost) lostReplies -= 1;
          change();
        },
      };
    },
    close,
    /** Why rows were not started; undefined if none were held back. */
    stop: () => (heldBack ? stop : undefined),
  };
}

// The rules by which a row's end stops the batch.
function createRules(maxFailures: number) {
  let inARow = 0;
  let inAll = 0;
  return {
    /** Whether this many more unknown rows would stop the batch. */
    wouldStop: (more: number) => more > 0 && (inARow + more >= maxInARow || inAll + more >= maxFailures),
    /** Call it with every end, in order. */
    stopFor({ how, isKnown = false, stops, waitMs = 0 }: RowEnd): BatchStop | undefined {
      // Otherwise unconfirmed rows of earlier runs would stop every run before it sends anything.
      if (isKnown) return undefined;
      const isUnknown = how === 'unknown';
      inARow = isUnknown ? inARow + 1 : 0;
      inAll += isUnknown ? 1 : 0;
      if (stops !== undefined) return { why: 'row', words: stops };
      if (inARow >= maxInARow) return { why: 'unknowns', inARow: true, count: inARow };
      if (isUnknown && inAll >= maxFailures) return { why: 'unknowns', inARow: false, count: inAll };
      return waitMs > longestPauseMs ? { why: 'wait', waitMs } : undefined;
    },
  };
}

// ── How a plan is worked through ───────────────────────────────────────────────────────────────────────

/** What a run's rows share. */
export interface BatchRun {
  known: number;
  /** Rows that this run sent and that may have been made. */
  sent: number;
  /** Rows of `sent` whose outcome is still unknown. */
  open: number;
  /** Rows being read or sent right now. */
  inFlight: number;
  /** The numbers of the rows for which the service could not be reached, and why. */
  readonly away: Map<number, string>;
  /** Refunds that charges already had and that equal the refunds of their rows. */
  readonly equal: Set<string>;
  /** How many rows, one after the other, could not reach the service. */
  unreached: number;
  /**
   * The kind of error that stopped the batch: the key was refused, the service cannot be reached, or the journal cannot be used.
   */
  stoppedBy: 'auth' | 'network' | 'refused' | undefined;
  /** What is wrong with the journal. Then nothing is sent. */
  journal: CliError | undefined;
}

export function newBatchRun(): BatchRun {
  const counts = { known: 0, sent: 0, open: 0, inFlight: 0, unreached: 0 };
  return { ...counts, away: new Map(), equal: new Set(), stoppedBy: undefined, journal: undefined };
}

export interface RowTold {
  readonly row: number;
  readonly how: 'applied' | 'refused' | 'unconfirmed' | 'not_sent';
  readonly why?: string | undefined;
  /** An earlier run sent it, and the journal knew how it ended. */
  readonly isKnown?: true | undefined;
}

/** How fast, and when to stop. */
export interface HowWorked {
  /** How many orders at once. */
  readonly concurrency: number;
  readonly maxFailures?: number | undefined;
  readonly maxPerSecond?: number | undefined;
  /** The limits in the policy of the desk's machine, as texts, and the policy's file. */
  readonly policy?: { readonly file: string; readonly limits: Readonly<Record<string, string>> } | undefined;
}

/** How applying the plan ended: why it stopped before the last row, if it did, and what was done. */
export interface Worked {
  readonly stop: BatchStop | undefined;
  readonly run: BatchRun;
}

/** A plan to hand over: its text, and what the person who confirmed it was shown. */
export interface HandedPlan {
  readonly text: string;
  readonly digest: string;
  /** How many of its rows are sent, and their sums. */
  readonly rows: number;
  readonly sums: readonly { readonly currency: string; readonly amount: number }[];
}

/** A team's sender, for applying plans. */
export interface PlanSender {
  /**
   * Hands over a whole plan and follows it; one that is under way is only followed. `tell` is called once for each ended row. If
   * the person stops it, the sender stops too; if the desk is closed, the sender goes on. Throws CliError 'unconfirmed' if the
   * connection broke and its progress is unknown, and 'network' if certainly nothing was handed over.
   */
  work(plan: HandedPlan, how: HowWorked, tell: (row: RowTold) => void): Promise<Worked>;
  /** Who is applying a plan, and since when (Unix milliseconds); undefined if nobody is. */
  applying(digest: string): Promise<{ readonly member: string; readonly since: number } | undefined>;
}
