/** `refunds apply`: checks a plan, asks for a yes, and sends its rows; each at most once, however often this is run. */

import type { OpenService } from '../../api/api.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, tolerableSkewMs } from '../../journal/journal.ts';
import {
  type ControlTotals,
  type Plan,
  type PlanRow,
  progressWords,
  type RowEnd,
  runBatch,
  sumsOf,
} from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { batchError, countWords } from './batch-words.ts';
import { checkAnswerable, confirmPlan } from './confirm-plan.ts';
import { checkAccount, checkControlTotals, checkPlanLimits, rowsToSend } from './plan-checks.ts';
import { attemptsOfPlan, reportPlan } from './report-plan.ts';
import { type RowReport, reportColumns, reportRecord } from './row-verdicts.ts';
import { type BatchRun, type Sending, sendRow } from './send-row.ts';

/** What `refunds apply` was asked for. */
export interface ApplyAsked {
  readonly path: string;
  /** The first characters of the plan's digest. */
  readonly confirm: string | undefined;
  readonly expected: ControlTotals;
  readonly concurrency: number;
  readonly maxFailures: number | undefined;
  readonly maxPerSecond: number | undefined;
}

/** Applies a plan. Throws CliError for every end but "all rows are applied". */
export async function applyPlan(ctx: Context, asked: ApplyAsked): Promise<void> {
  const plan = await ctx.plans.open(asked.path);
  await ctx.useProfileOf(plan);
  const service = await ctx.service({ purpose: 'change', maxPerSecond: asked.maxPerSecond });
  const { profile } = service;
  ctx.out.checkColumns(reportColumns(plan));
  checkAccount(plan, profile, asked.path);
  checkAnswerable(ctx, profile, plan, asked);
  checkControlTotals(plan.rows, asked.expected, 'nothing was sent');
  checkPlanLimits(plan.rows, profile);
  const release = ctx.options.dryRun ? undefined : await ctx.journal.claimPlan(plan.id);
  try {
    await readUnconfirmed(ctx, plan);
    await checkAge(ctx, plan, profile, asked.path);
    await confirmPlan(ctx, profile, plan, asked);
    await runPlan(ctx, service, plan, asked);
  } finally {
    await release?.();
  }
}

// ── What is checked first ───────────────────────────────────────────────────────────────────────

async function checkAge(ctx: Context, plan: Plan, profile: Profile, path: string): Promise<void> {
  const { time, wall } = await ctx.journal.now();
  // If the clocks are in doubt, the journal's time may be that of its last row, which is older than the plan.
  const ageMs = Math.max(time, wall) - plan.madeAt;
  const maxMs = profile.settings['plan.max_age'];
  if (ageMs < -tolerableSkewMs) throw ofTheFuture(ctx, plan, profile, path);
  if (ageMs <= maxMs) return;
  const reports = await reportPlan(ctx, plan);
  const { length: left } = reports.filter(
    ({ verdict }) => verdict === 'not_started' || verdict === 'not_sent',
  );
  const isOpen = reports.some(({ verdict }) => verdict === 'unconfirmed');
  const made = ctx.fullTime(plan.madeAt);
  throw new CliError(
    'refused',
    `${path} was made ${made}, ${hours(ageMs)} ago; ${hours(maxMs)} is the limit (plan.max_age)`,
    {
      certain: `nothing was sent now; ${reports.length - left} of its ${reports.length} rows need no sending any more, ${left} were not sent`,
      now: [
        ...(isOpen ? ['paydesk journal reconcile --all'] : []),
        commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', 'new.plan'),
      ],
    },
  );
}

// A plan that a wrong clock made would not grow old for as long as that clock was ahead.
function ofTheFuture(ctx: Context, { madeAt }: Plan, profile: Profile, path: string): CliError {
  return new CliError(
    'refused',
    `${path} was made ${ctx.fullTime(madeAt)}, which is later than now: the clock of this machine was wrong then, or is wrong now`,
    {
      certain: 'nothing was sent now',
      now: [
        'look at the clock; then read the orders again and keep the rows:',
        commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', 'new.plan'),
      ],
    },
  );
}

function hours(ms: number): string {
  const all = ms / 3_600_000;
  return all < 2 ? `${Math.round(all * 60)} min` : `${Math.floor(all)} h`;
}

// Unconfirmed rows come first: what became of them decides what is left to do.
async function readUnconfirmed(ctx: Context, plan: Plan): Promise<void> {
  if (ctx.options.dryRun) return;
  const now = await ctx.journal.now();
  const open: AttemptRecord[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan)) {
    const keys = new Set(rows.map(({ key }) => key));
    const ofRows = attempts.filter(({ sent }) => keys.has(sent.given ?? ''));
    open.push(...ofRows.filter((record) => ctx.journal.isOpen(record, now) || isNotSeen(record)));
  }
  if (open.length === 0) return;
  let read = 0;
  const end = ctx.notes.progress(() => `reading unconfirmed refunds again: ${read} of ${open.length}`);
  try {
    for (const record of open) {
      ctx.signal.throwIfAborted();
      await lookAgain(ctx, record);
      read += 1;
    }
  } finally {
    end();
  }
}

function isNotSeen({ verdicts }: AttemptRecord): boolean {
  return verdicts.at(-1)?.verdict === 'not_seen';
}

// If the order cannot be read now, the row stays unconfirmed.
async function lookAgain(ctx: Context, record: AttemptRecord): Promise<void> {
  try {
    await ctx.journal.reconcile(record);
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
  }
}

// ── The batch ───────────────────────────────────────────────────────────────────────────────────

async function runPlan(
  ctx: Context,
  service: OpenService,
  plan: Plan,
  { path, concurrency, maxFailures }: ApplyAsked,
): Promise<void> {
  const { profile } = service;
  const rows = rowsToSend(plan.rows);
  const sending: Sending = {
    ctx,
    service,
    plan,
    keys: new Set(plan.rows.map(({ key }) => key)),
    run: { known: 0, sent: 0, unreached: 0, stoppedBy: undefined },
  };
  const notSent = new Map<number, string>();
  const progress = startProgress(ctx, profile, rows, sending.run);
  const groups = [...Map.groupBy(rows, ({ orderId }) => orderId).values()];
  const { stop } = await runBatch({
    groups,
    concurrency,
    maxFailures,
    clock: ctx.clock,
    signal: ctx.stopAsked,
    onEnd: progress.add,
    send: async (row) => {
      const { end, notSent: why } = await sendRow(sending, row);
      if (why !== undefined) notSent.set(row.number, why);
      return end;
    },
  }).finally(progress.end);
  const reports = await reportPlan(ctx, plan, notSent);
  const lost = await printReport(ctx, plan, reports);
  if (ctx.options.dryRun && lost !== undefined) throw lost;
  if (ctx.options.dryRun) return;
  const error = batchError(path, reports, {
    stop,
    profile,
    signal: ctx.stopAsked,
    run: sending.run,
    lost,
  });
  if (error !== undefined) throw error;
  ctx.notes.note(countWords(reports, profile.settings));
}

// Returns the error if nobody can read the report. How the batch ended is said all the same.
async function printReport(
  ctx: Context,
  plan: Plan,
  reports: readonly RowReport[],
): Promise<CliError | undefined> {
  try {
    await ctx.out.ownList(
      reportColumns(plan),
      reports.values().map((report) => reportRecord(report, plan)),
    );
    return undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'incomplete') return error;
    throw error;
  }
}

// Rows that earlier runs applied end at once, so they do not count for the time left.
function startProgress(
  ctx: Context,
  { settings }: Profile,
  rows: readonly PlanRow[],
  run: Readonly<BatchRun>,
): { readonly add: (row: PlanRow, end: RowEnd) => void; readonly end: () => void } {
  const startedAt = ctx.clock.monotonic();
  const counts = { applied: 0, failed: 0, unknown: 0 };
  const done = new Map<string, number>();
  const totals = sumsOf(rows);
  const end = ctx.notes.progressAlone((line) => {
    const ended = counts.applied + counts.failed + counts.unknown;
    const progress = {
      applied: counts.applied,
      rejected: counts.failed,
      unknown: counts.unknown,
      left: rows.length - ended,
      money: totals.map(({ currency, amount }) => ({
        currency,
        done: done.get(currency) ?? 0,
        total: amount,
      })),
      ended: ended - run.known,
      elapsedMs: ctx.clock.monotonic() - startedAt,
    };
    return progressWords(progress, line, settings);
  });
  const add = ({ currency = '?', sum }: PlanRow, { how }: RowEnd) => {
    counts[how] += 1;
    if (how === 'applied') done.set(currency, (done.get(currency) ?? 0) + sum);
  };
  return { add, end };
}
