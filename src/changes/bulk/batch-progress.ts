/** The line about the progress of a batch, and what the batch counts for it. */

import { sumsWords } from '../../amounts.ts';
import type { Context } from '../../commands/command.ts';
import { type OthersProgress, type RowEnded, silentFromMs } from '../../journal/journal.ts';
import { type PlanRow, progressWords, sumsOf } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { BatchRun, Sending } from './send-row.ts';

/** The progress of a batch. */
export interface BatchProgressLine {
  /** What happened so far in this run. Rows that earlier runs applied end at once, so they do not count for the time left. */
  readonly run: BatchRun;
  /** Counts the rows whose reply was lost and whose order is read again. */
  readonly waiting: Sending['waiting'];
  /** Counts a row that has ended. */
  readonly add: (row: PlanRow, how: RowEnded) => void;
  /** How the rows ended, in words, where the journal cannot be asked: `of 9 rows 3 made (300 MXN), …`. */
  readonly soFar: () => string;
  readonly end: () => void;
}

/** Starts the line. Its `end` takes it away. */
export function startProgress(
  ctx: Context,
  { settings }: Profile,
  rows: readonly PlanRow[],
  others: () => OthersProgress = nobody,
): BatchProgressLine {
  const run = newRun();
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
    const { ended: byOthers, working } = others();
    const all = { ...counts };
    for (const { how, rows: count } of byOthers) all[countOf[how]] += count;
    const ended = Object.values(all).reduce((sum, count) => sum + count, 0);
    const money = totals.map(({ currency, amount }) => ({
      currency,
      done: (done.get(currency) ?? 0) + doneBy(byOthers, currency),
      total: amount,
    }));
    const elapsedMs = ctx.clock.monotonic() - startedAt;
    const progress = {
      ...all,
      readAgain,
      left: Math.max(0, rows.length - ended),
      money,
      ended: ended - run.known,
      elapsedMs,
      stopping: stopping(),
      beside: besideOf(byOthers, working),
      silent: silentOf(working),
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
  const add = ({ currency = '?', sum }: PlanRow, how: RowEnded) => {
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

function newRun(): BatchRun {
  const counts = { known: 0, sent: 0, open: 0, inFlight: 0, unreached: 0 };
  return { ...counts, away: new Map(), equal: new Set(), stoppedBy: undefined, journal: undefined };
}

const nobody = (): OthersProgress => ({ ended: [], working: [] });

const countOf = {
  applied: 'applied',
  refused: 'refused',
  unconfirmed: 'unconfirmed',
  not_sent: 'notSent',
} as const satisfies Record<RowEnded, string>;

function doneBy(byOthers: OthersProgress['ended'], code: string): number {
  const applied = byOthers.filter(
    ({ how, currency }) => how === 'applied' && currency === code.toUpperCase(),
  );
  return applied.reduce((sum, { amount }) => sum + amount, 0);
}

// Whose orders this run waits for although nothing is heard of them: of several, those that come back last.
function silentOf(working: OthersProgress['working']): OthersProgress['working'][number] | undefined {
  return working
    .filter(({ silentMs }) => silentMs >= silentFromMs)
    .toSorted((one, other) => other.takenInMs - one.takenInMs)[0];
}

// Who else works on the plan, and how many rows they have ended.
function besideOf(
  byOthers: OthersProgress['ended'],
  working: OthersProgress['working'],
): readonly { readonly member: string; readonly rows: number }[] {
  const members = new Map(working.map(({ member }) => [member, 0]));
  for (const { member, rows } of byOthers) members.set(member, (members.get(member) ?? 0) + rows);
  return [...members].map(([member, rows]) => ({ member, rows }));
}
