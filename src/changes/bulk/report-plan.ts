/** Asks the journal what became of the rows of a plan, and reads again the orders of rows for which that may still change. */

import type { Context } from '../../context/context.ts';
import { turn } from '../../io.ts';
import {
  type AttemptRecord,
  attemptName,
  isMadeByHand,
  isUnconfirmed,
  isWatched,
  mayStillLeave,
  reconcileEach,
} from '../../journal/journal.ts';
import type { Plan, PlanRow } from '../../plans/plans.ts';
import { waitsWords } from './batch-words.ts';
import { rowsToSend } from './plan-checks.ts';
import {
  isAlarming,
  isDone,
  isLeftToSend,
  type NotSent,
  type RowReport,
  reportRows,
} from './row-verdicts.ts';
import type { SendingContext } from './send-row.ts';

/** What this run has read again, before anything was sent. */
export interface Looked {
  /** The rows that could not be looked up, by their keys, and why. */
  readonly unread: ReadonlyMap<string, string>;
  /** The attempts whose orders show figures that contradict each other, by their names, and these figures. */
  readonly doubted: ReadonlyMap<string, string>;
  /** The attempts as these reads show them, by their names: a dry run writes nothing into the journal. */
  readonly read: ReadonlyMap<string, AttemptRecord>;
}

export const nothingRead: Looked = { unread: new Map(), doubted: new Map(), read: new Map() };

/**
 * What became of every row of a plan. `looked`: what this run has read again, which a dry run does not write down. `notSent`:
 * what it knows about rows that it did not send.
 */
export async function reportPlan(
  ctx: Context,
  plan: Plan,
  looked: Looked = nothingRead,
  notSent?: NotSent,
): Promise<readonly RowReport[]> {
  const newest = (record: AttemptRecord) => {
    const seen = looked.read.get(attemptName(record));
    return seen !== undefined && seen.verdicts.length > record.verdicts.length ? seen : record;
  };
  const reports: RowReport[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan))
    reports.push(...reportRows({ ...plan, rows }, attempts.map(newest), notSent));
  return waiting(reports.map((report) => asRead(report, looked)));
}

// A row is not tried while an earlier row of its order is unconfirmed.
function waiting(reports: readonly RowReport[]): readonly RowReport[] {
  const first = new Map<string, number>();
  return reports.map((report) => {
    const { row, verdict, why } = report;
    const line = first.get(row.orderId);
    if (line === undefined && report.state === 'unconfirmed') first.set(row.orderId, row.line);
    if (line === undefined || verdict !== 'not_sent' || why !== undefined) return report;
    return { ...report, why: waitsWords(line) };
  });
}

// What this run has seen, or could not see, is newer than what the journal says about a row.
function asRead(report: RowReport, { unread, doubted }: Looked): RowReport {
  const { row, attempt } = report;
  const problem = report.verdict === 'unconfirmed' ? unread.get(row.key) : undefined;
  if (problem !== undefined) return { ...report, why: `could not be looked up: ${problem}`, isUnread: true };
  const why = isAlarming(report) ? undefined : doubted.get(attempt?.name ?? '');
  if (why === undefined) return report;
  const unconfirmed = { verdict: 'unconfirmed', state: 'unconfirmed', why } as const;
  return { ...report, ...unconfirmed, attempt: attempt && { ...attempt, alarm: 'disagreement' } };
}

/**
 * The rows that `refunds apply` would send now. An unconfirmed row is looked up first, and it holds back the later rows of its
 * order. A row that the service refused stays refused in this plan, unless a person recorded that it was not made, or the plan
 * was made anew since.
 */
export function sentNow(plan: Plan, reports: readonly RowReport[]): readonly PlanRow[] {
  const sendable = new Set(rowsToSend(plan.rows));
  const held = new Set<string>();
  return reports.flatMap((report) => {
    const { row } = report;
    if (!sendable.has(row) || isDone(report) || held.has(row.orderId)) return [];
    if (isLeftToSend(report)) return [row];
    held.add(row.orderId);
    return [];
  });
}

// How many rows are taken at once: all attempts of a long plan would need a lot of memory.
const rowsAtOnce = 100;

/** The rows of a plan part by part, with every attempt at their orders. */
export async function* attemptsOfPlan(
  ctx: { readonly journal: Pick<Context['journal'], 'attempts'> },
  plan: Pick<Plan, 'rows'>,
): AsyncGenerator<{ readonly rows: readonly PlanRow[]; readonly attempts: readonly AttemptRecord[] }> {
  for (let from = 0; from < plan.rows.length; from += rowsAtOnce) {
    await turn();
    const rows = plan.rows.slice(from, from + rowsAtOnce);
    const orderIds = new Set(rows.map(({ orderId }) => orderId));
    yield { rows, attempts: await ctx.journal.attempts({ orderIds }) };
  }
}

// How many orders of refunds that were made are read again in one run.
const watchedMax = 100;

/**
 * Reads again the orders of rows whose outcome may still change: all unconfirmed rows, and up to 100 rows that were made not long
 * ago, since the service may make a refund twice, or that somebody recorded as made. A row whose order cannot be read stays as it
 * is.
 */
export async function readOrdersAgain(ctx: SendingContext, plan: Plan): Promise<Looked> {
  const looked = {
    unread: new Map<string, string>(),
    doubted: new Map<string, string>(),
    read: new Map<string, AttemptRecord>(),
  };
  const now = await ctx.journal.now();
  const open: AttemptRecord[] = [];
  const watched: AttemptRecord[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan)) {
    const keys = new Set(rows.map(({ key }) => key));
    for (const record of attempts.filter(({ sent }) => keys.has(sent.idempotencyKey ?? ''))) {
      if (mayStillLeave(record, now)) continue;
      if (isUnconfirmed(record)) open.push(record);
      else if (watched.length < watchedMax && (isWatched(record) || isMadeByHand(record)))
        watched.push(record);
    }
  }
  for (const read of await reconcileEach(ctx, [...open, ...watched])) {
    const { sent } = read.before;
    if (read.problem !== undefined) looked.unread.set(sent.idempotencyKey ?? '', read.problem);
    else {
      const { record, doubt } = read.found;
      looked.read.set(attemptName({ sent }), record);
      // A doubt that somebody has dealt with does not count.
      const isDealtWith = record.verdicts.at(-1)?.acknowledged === 'disagreement';
      if (doubt !== undefined && !isDealtWith) looked.doubted.set(attemptName({ sent }), doubt);
    }
  }
  return looked;
}
