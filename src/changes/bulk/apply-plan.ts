/** `refunds apply`: checks a plan, asks for a yes, and sends its rows; each at most once, however often this is run. */

import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import { type Released, tolerableSkewMs } from '../../journal/journal.ts';
import type { Plan } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { checkNoHold } from '../hold.ts';
import { countWords } from './batch-words.ts';
import { freeName } from './bulk-files.ts';
import { type Confirmation, checkAnswerable, confirmPlan, releaseOf } from './confirm-plan.ts';
import { checkAccount, checkControlTotals, checkPlanLimits, secondPersonFor } from './plan-checks.ts';
import { type Looked, nothingRead, readAgain, reportPlan } from './report-plan.ts';
import { reportColumns, shownTitles } from './row-records.ts';
import { isAlarming } from './row-verdicts.ts';
import { runPlan } from './run-plan.ts';

/** What `refunds apply` was asked for. */
export interface ApplyAsked extends Confirmation {
  /** How many orders at a time; 4 if it is not given. */
  readonly concurrency: number | undefined;
  readonly maxFailures: number | undefined;
  readonly maxPerSecond: number | undefined;
  /** Lists every row at the end, however many there are. */
  readonly allRows?: boolean;
  /** Who released it, for an agent. */
  readonly released?: Released | undefined;
}

/**
 * Applies a plan. Throws CliError for every end but "all rows are applied". A dry run returns 7 while a row is unconfirmed, 8 if a
 * row would not be sent, and 0 otherwise, as the run would end.
 */
export async function applyPlan(ctx: Context, asked: ApplyAsked): Promise<0 | 7 | 8> {
  const plan = await ctx.plans.open(asked.path);
  await ctx.useProfileOf(plan);
  const service = await ctx.service({
    purpose: 'change',
    kind: 'refund',
    maxPerSecond: asked.maxPerSecond,
  });
  const { profile } = service;
  ctx.out.checkColumns(reportColumns(shownTitles(ctx, plan)));
  checkAccount(plan, profile, asked.path);
  checkAnswerable(ctx, profile, plan, asked);
  checkControlTotals(plan.rows, asked.expected, 'nothing was sent');
  checkPlanLimits(plan.rows, profile);
  checkNoHold(ctx, profile, asked.noHold);
  // A sender works each plan off once, whoever hands it over.
  const isAlone = !ctx.options.dryRun && (await ctx.planSender()) === undefined;
  const taken = isAlone ? await ctx.journal.claimPlan(plan) : undefined;
  try {
    // While another run sends the rows, it has them.
    const isTaken = !isAlone && (await ctx.journal.applying(plan)) !== undefined;
    const looked = isTaken ? nothingRead : await readAgain(ctx, plan);
    const released = await releaseOf(ctx, profile, plan, asked.path, looked);
    await checkAge(ctx, plan, looked, profile, asked.path);
    const second = await secondPersonFor(ctx, profile, plan);
    await confirmPlan(ctx, service, plan, { ...asked, looked }, { second, released });
    return await runPlan(ctx, service, plan, { ...asked, released }, looked);
  } finally {
    await taken?.release();
  }
}

// ── What is checked first ───────────────────────────────────────────────────────────────────────

async function checkAge(
  ctx: Context,
  plan: Plan,
  looked: Looked,
  profile: Profile,
  path: string,
): Promise<void> {
  const { time, wall } = await ctx.journal.now();
  // If the clocks are in doubt, the journal's time may be that of its last row, which is older than the plan.
  const ageMs = Math.max(time, wall) - plan.madeAt;
  const maxMs = profile.settings['plan.max_age'];
  if (ageMs < -tolerableSkewMs) throw await ofTheFuture(ctx, plan, profile, path);
  if (ageMs <= maxMs) return;
  const reports = await reportPlan(ctx, plan, looked);
  const isOpen = reports.some(isAlarming);
  // Code 7 comes before every other: nothing was sent now, but a person must look at what was sent before.
  throw new CliError(
    isOpen ? 'unconfirmed' : 'refused',
    `${path} is too old: it was made ${ctx.days.full(plan.madeAt)}, ${hours(ageMs)} ago; the limit is ${hours(maxMs)} (plan.max_age)`,
    {
      ownCode: 'plan_too_old',
      opening: 'refused:',
      certain: `nothing was sent now; ${countWords(reports, profile.settings)}`,
      now: [
        ...(isOpen ? ['paydesk journal reconcile --all'] : []),
        commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', await freeName(ctx, path, 'plan')),
      ],
    },
  );
}

// A plan that a wrong clock made would not grow old for as long as that clock was ahead.
async function ofTheFuture(
  ctx: Context,
  { madeAt }: Plan,
  profile: Profile,
  path: string,
): Promise<CliError> {
  return refused(
    `${path} was made ${ctx.days.full(madeAt)}, which is later than now: the clock of this machine was wrong then, or is wrong now`,
    [
      'look at the clock; then read the orders again and keep the rows:',
      commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', await freeName(ctx, path, 'plan')),
    ],
    { ownCode: 'plan_too_old', certain: 'nothing was sent now' },
  );
}

function hours(ms: number): string {
  const all = ms / 3_600_000;
  return all < 2 ? `${Math.round(all * 60)} min` : `${Math.floor(all)} h`;
}
