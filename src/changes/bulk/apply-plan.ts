/** `refunds apply`: checks a plan, asks for a yes, and sends its rows; each at most once, however often this is run. */

import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, tolerableSkewMs } from '../../journal/journal.ts';
import type { ControlTotals, Plan } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { countWords } from './batch-words.ts';
import { checkAnswerable, confirmPlan, secondPersonFor } from './confirm-plan.ts';
import { checkAccount, checkControlTotals, checkPlanLimits } from './plan-checks.ts';
import { attemptsOfPlan, reportPlan } from './report-plan.ts';
import { reportColumns } from './row-verdicts.ts';
import { runPlan } from './run-plan.ts';

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

/**
 * Applies a plan. Throws CliError for every end but "all rows are applied". A dry run returns 7 while a row is unconfirmed, 8 if a
 * row would not be sent, and 0 otherwise, as the run would end.
 */
export async function applyPlan(ctx: Context, asked: ApplyAsked): Promise<0 | 7 | 8> {
  const plan = await ctx.plans.open(asked.path);
  await ctx.useProfileOf(plan);
  const service = await ctx.service({ purpose: 'change', maxPerSecond: asked.maxPerSecond });
  const { profile } = service;
  ctx.out.checkColumns(reportColumns(plan));
  checkAccount(plan, profile, asked.path);
  checkAnswerable(ctx, profile, plan, asked);
  checkControlTotals(plan.rows, asked.expected, 'nothing was sent');
  checkPlanLimits(plan.rows, profile);
  const taken = ctx.options.dryRun
    ? undefined
    : await ctx.journal.claimPlan(plan, () => ctx.plans.text(plan));
  try {
    await readUnconfirmed(ctx, plan);
    await checkAge(ctx, plan, profile, asked.path);
    const second = await secondPersonFor(taken?.shared, profile);
    await confirmPlan(ctx, service, plan, asked, second);
    return await runPlan(ctx, service, plan, asked, taken?.shared);
  } finally {
    await taken?.release();
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
  const isOpen = reports.some(({ verdict }) => verdict === 'unconfirmed');
  // Code 7 comes before every other: nothing was sent now, but a person must look at what was sent before.
  throw new CliError(
    isOpen ? 'unknown' : 'refused',
    `${path} is too old: it was made ${ctx.fullTime(plan.madeAt)}, ${hours(ageMs)} ago; the limit is ${hours(maxMs)} (plan.max_age)`,
    {
      opening: 'refused:',
      certain: `nothing was sent now; ${countWords(reports, profile.settings)}`,
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
    const isUnclear = (record: AttemptRecord) =>
      (ctx.journal.isOpen(record, now) || isUnchecked(record)) && !ctx.journal.mayStillLeave(record, now);
    open.push(...ofRows.filter(isUnclear));
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

// Its time is over, so it blocks nothing any more. But no read has shown yet what became of it.
function isUnchecked({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return last?.verdict === 'not_seen' || (last?.verdict === 'rejected' && last.confirmed === false);
}

// If the order cannot be read now, the row stays unconfirmed.
async function lookAgain(ctx: Context, record: AttemptRecord): Promise<void> {
  try {
    await ctx.journal.reconcile(record);
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted) throw error;
  }
}
