/** Runs a batch: the rows of an order one after the other, several orders at once, until it is done or something stops it; and how plans are worked off. */

import type { CliError } from '../errors.ts';
import type { Clock } from '../io.ts';
import type { BatchStop, RowEnd } from './plan-types.ts';

/** What a batch needs. */
export interface BatchParts<T> {
  /** The rows of each order, in the order in which they are sent. */
  readonly groups: readonly (readonly T[])[];
  /** How many orders are worked on at a time; at least 1. */
  readonly concurrency: number;
  /**
   * Sends one row. However a row ends, `send` resolves. It rejects only if the batch cannot go on. It calls `lost` as soon as the
   * reply is lost: to find out what became of the row takes a while, and the other orders must not go on as if all were well.
   */
  readonly send: (row: T, lost: () => void) => Promise<RowEnd>;
  readonly clock: Clock;
  /** Ends the batch before the next row. Rows in flight end first. */
  readonly signal: AbortSignal;
  /** The batch stops when so many rows have ended as unknown; 5 if it is not given. */
  readonly maxFailures?: number | undefined;
  /** Called with each row that has ended, in the order in which they end. */
  readonly onEnd?: ((row: T, end: RowEnd) => void) | undefined;
}

/** How a batch ended. */
export interface BatchEnd<T> {
  /**
   * Why the batch ended before its last row. Undefined if only such rows were not started that stand behind a row of their order
   * that was not applied, even if the last row of all was, say, the third unknown one in a row.
   */
  readonly stop: BatchStop | undefined;
  /** The rows that were not started, in the order of the groups. */
  readonly notStarted: readonly T[];
}

// The longest wait that the service may ask for. If it asks for a longer one, the batch stops.
const longestPauseMs = 120_000;

const defaultMaxFailures = 5;
// So many unknown outcomes one after the other look like an outage.
const maxInARow = 3;

/**
 * Runs a batch. If `send` rejects or `onEnd` throws, no other row is started, the rows in flight end, and then it rejects with
 * that error. Of several errors it takes the first that is not the reason of the signal.
 */
export async function runBatch<T>(parts: BatchParts<T>): Promise<BatchEnd<T>> {
  const { groups, concurrency, send, onEnd, ...rules } = parts;
  const gate = createGate(rules);
  const errors: unknown[] = [];
  const all = groups.map((rows): Group<T> => ({ rows, started: 0 }));
  const left = all.values();

  const runGroup = async (group: Group<T>): Promise<void> => {
    for (const [index, row] of group.rows.entries()) {
      if (!(await gate.opens())) return;
      group.started = index + 1;
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
  return { stop: gate.stop(), notStarted: all.flatMap(({ rows, started }) => rows.slice(started)) };
}

/** The rows of an order, and how many of them were started. */
interface Group<T> {
  readonly rows: readonly T[];
  started: number;
}

/** Says before every row whether it may be started. */
interface Gate {
  /**
   * Resolves with whether the next row may be started. A pause that the service asked for comes first, and so do the rows whose
   * replies were lost, if the batch stops should none of them have been made.
   */
  opens(): Promise<boolean>;
  /** A row starts. The gate must be told when its reply is lost, and how it ended. */
  starts(): { readonly lost: () => void; readonly ended: (end: RowEnd) => void };
  /** Lets no other row start. */
  close(): void;
  /** Why rows were not started; undefined if none was held back. */
  stop(): BatchStop | undefined;
}

function createGate(parts: Pick<BatchParts<never>, 'clock' | 'signal' | 'maxFailures'>): Gate {
  const { clock, signal, maxFailures = defaultMaxFailures } = parts;
  const rules = createRules(maxFailures);
  // Wakes those who wait when the batch stops for another reason.
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
    async opens() {
      // A row in flight may lengthen the pause meanwhile, or lose its reply.
      while (!over.aborted && (rules.wouldStop(lostReplies) || clock.monotonic() < pausedUntil))
        await (rules.wouldStop(lostReplies) ? changed.promise : pause());
      closeIfSignalled();
      heldBack ||= closed.signal.aborted;
      return !closed.signal.aborted;
    },
    starts() {
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
    stop: () => (heldBack ? stop : undefined),
  };
}

// The rules by which the end of a row stops the batch.
interface Rules {
  /** Is told every end, in order. */
  stopFor(end: RowEnd): BatchStop | undefined;
  /** Whether the batch would stop if so many rows more ended as unknown. */
  wouldStop(more: number): boolean;
}

function createRules(maxFailures: number): Rules {
  let inARow = 0;
  let inAll = 0;
  return {
    wouldStop: (more) => more > 0 && (inARow + more >= maxInARow || inAll + more >= maxFailures),
    stopFor({ how, isKnown = false, stops, waitMs = 0 }) {
      // Else unconfirmed rows of earlier runs would stop every run before it sends anything.
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

// ── How a plan is worked off ───────────────────────────────────────────────────────────────────────

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
  /** The limits in the policy of the machine whose desk hands the plan over, as texts, and the file that says them. */
  readonly policy?: { readonly file: string; readonly limits: Readonly<Record<string, string>> } | undefined;
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
