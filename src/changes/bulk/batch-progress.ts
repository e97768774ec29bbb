/** The line that shows how far a batch has come. */

import { sumsWords } from '../../amounts.ts';
import type { Context } from '../../context/context.ts';
import {
  type BatchRun,
  newBatchRun,
  type PlanRow,
  progressWords,
  type RowTold,
  sumsOf,
} from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Sending } from './send-row.ts';

export interface BatchProgressLine {
  /** What happened so far in this run. Rows that earlier runs applied end at once, so they do not count for the time left. */
  readonly run: BatchRun;
  /** Counts the rows whose reply was lost and whose order is read again. */
  readonly waiting: Sending['waiting'];
  readonly add: (row: PlanRow, how: RowTold['how']) => void;
  /** How the rows ended, in words, where the journal cannot be asked: `of 9 rows 3 made (300 MXN), …`. */
  readonly soFar: () => string;
  readonly end: () => void;
}

/** Starts the line. Its `end` takes it away. */
export function startProgress(
  ctx: Context,
  { settings }: Profile,
  rows: readonly PlanRow[],
): BatchProgressLine {
  const run = newBatchRun();
  const startedAt = ctx.clock.monotonic();
  const counts = { applied: 0, refused: 0, unconfirmed: 0, notSent: 0 };
  const done = new Map<string, number>();
  const totals = sumsOf(rows);
  let readAgain = 0;
  let stoppedAt: number | undefined;
  // A request that was sent before the run was stopped is given up after the time that one request may take.
  const stopping = () => {
    if (!ctx.stopAsked.aborted || run.inFlight === 0) return undefined;
    const now = ctx.clock.monotonic();
    stoppedAt ??= now;
    return { inFlight: run.inFlight, atMostMs: stoppedAt + ctx.options.timeoutMs - now };
  };
  const end = ctx.notes.progressAlone((line) => {
    const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const money = totals.map(({ currency, amount }) => ({
      currency,
      done: done.get(currency) ?? 0,
      total: amount,
    }));
    const elapsedMs = ctx.clock.monotonic() - startedAt;
    const progress = {
      ...counts,
      readAgain,
      left: Math.max(0, rows.length - ended),
      money,
      ended: ended - run.known,
      elapsedMs,
      stopping: stopping(),
    };
    return progressWords(progress, line, settings);
  });
  const waiting: Sending['waiting'] = (_, isRead) => {
    if (!isRead) return () => undefined;
    readAgain += 1;
    return () => {
      readAgain -= 1;
    };
  };
  const add = ({ currency = '?', sum }: PlanRow, how: RowTold['how']) => {
    if (how === 'applied') done.set(currency, (done.get(currency) ?? 0) + sum);
    counts[countOf[how]] += 1;
  };
  const soFar = () => {
    const sums = sumsWords(
      [...done].map(([currency, amount]) => ({ currency, amount })),
      settings,
    );
    const applied = `${counts.applied} made${sums === '' ? '' : ` (${sums})`}`;
    const { unconfirmed, refused } = counts;
    const left = rows.length - counts.applied - unconfirmed - refused;
    return `of ${rows.length} rows ${applied}, ${unconfirmed} unconfirmed, ${refused} refused, ${left} not sent`;
  };
  return { run, waiting, add, soFar, end };
}

const countOf = {
  applied: 'applied',
  refused: 'refused',
  unconfirmed: 'unconfirmed',
  not_sent: 'notSent',
} as const satisfies Record<RowTold['how'], string>;
