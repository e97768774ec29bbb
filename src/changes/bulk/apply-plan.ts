/** `refunds apply`: checks a plan, asks for a yes, sends its rows, each at most once however often this is run, and says how it ended. */

import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import { besideFile } from '../../io.ts';
import { type Released, tolerableSkewMs } from '../../journal/journal.ts';
import { type BatchStop, planText, type RowTold, sumsOf, type Worked } from '../../plans/plans.ts';
import { commandLine, flagWords } from '../../profiles/profiles.ts';
import { untilWords } from '../by-hand-words.ts';
import { checkNoHold, skippedHold } from '../hold.ts';
import { batchError, mailLine, onItsWay, whyOrLook } from './batch-end.ts';
import { type BatchProgressLine, startProgress } from './batch-progress.ts';
import { countWords, inFull, lineWords, rowsAndSums } from './batch-words.ts';
import { freeName } from './bulk-files.ts';
import { type Confirmation, checkAnswerable, confirmPlan, releaseOf } from './confirm-plan.ts';
import {
  checkControlTotals,
  checkPlanLimits,
  type OpenedPlan,
  openPlan,
  rowsToSend,
  secondPersonFor,
} from './plan-checks.ts';
import { type Looked, nothingRead, readOrdersAgain, reportPlan, sentNow } from './report-plan.ts';
import { listReports, reportColumns, shownTitles } from './row-records.ts';
import { dryRunWords, isAlarming, isDone, type NotSent, type RowReport } from './row-verdicts.ts';
import { workOff } from './send-row.ts';

interface ApplyAsked extends Confirmation {
  /** How many orders at a time; 4 if it is not given. */
  readonly concurrency: number | undefined;
  readonly maxFailures: number | undefined;
  readonly maxPerSecond: number | undefined;
  /** Lists every row at the end, however many there are. */
  readonly allRows?: boolean;
  readonly released?: Released | undefined;
}

/**
 * Applies a plan. Throws CliError for every end but "all rows are applied". A dry run returns 7 while a row is unconfirmed, 8 if a
 * row would not be sent, and 0 otherwise: as the run would end.
 */
export async function applyPlan(ctx: Context, asked: ApplyAsked): Promise<0 | 7 | 8> {
  const opened = await openPlan(ctx, asked.path, asked.maxPerSecond);
  const { plan, profile } = opened;
  ctx.out.checkColumns(reportColumns(shownTitles(ctx, plan)));
  checkAnswerable(opened, asked);
  checkControlTotals(plan.rows, asked.expected, 'nothing was sent');
  checkPlanLimits(plan.rows, profile);
  checkNoHold(ctx, profile, asked.noHold);
  // A sender applies each plan once, whoever hands it over.
  const isAlone = !ctx.options.dryRun && (await ctx.planSender()) === undefined;
  const taken = isAlone ? await ctx.journal.claimPlan(plan) : undefined;
  try {
    // While another run sends the rows, this one leaves them to it.
    const isTaken = !isAlone && (await ctx.journal.applying(plan)) !== undefined;
    const looked = isTaken ? nothingRead : await readOrdersAgain(ctx, plan);
    const released = await releaseOf(opened, looked);
    await checkAge(opened, looked);
    await sayIfNewer(opened);
    const second = await secondPersonFor(opened);
    await confirmPlan(opened, asked, looked, { second, released });
    return await runPlan(opened, { ...asked, released }, looked);
  } finally {
    await taken?.release();
  }
}

// ── What is checked first ───────────────────────────────────────────────────────────────────────

// A person who corrected the file after the plan was made may believe that the plan has the corrections. The file is looked for beside
// the plan.
async function sayIfNewer({ ctx, profile, plan: { file, madeAt }, path }: OpenedPlan): Promise<void> {
  const { plans, notes } = ctx;
  const beside = besideFile(path, file);
  const writtenAt = file === '-' ? undefined : await plans.writtenAt(beside);
  if (writtenAt === undefined || writtenAt <= madeAt) return;
  const anew = commandLine(profile, 'refunds', 'plan', beside);
  notes.warn(
    `${beside} was written after this plan was made: the plan has its rows as they were; anew: ${anew}`,
  );
}

async function checkAge(opened: OpenedPlan, looked: Looked): Promise<void> {
  const { ctx, profile, plan, path } = opened;
  const { time, wall } = await ctx.journal.now();
  // If the clocks are in doubt, the journal's time may be that of its last row, which is older than the plan.
  const ageMs = Math.max(time, wall) - plan.madeAt;
  const maxMs = profile.settings['plan.max_age'];
  if (ageMs < -tolerableSkewMs) throw await ofTheFuture(opened);
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

// A plan that was made by a clock that was ahead would not count as old for as long as that clock was ahead.
async function ofTheFuture({ ctx, profile, plan, path }: OpenedPlan): Promise<CliError> {
  return refused(
    `${path} was made ${ctx.days.full(plan.madeAt)}, which is later than now: the clock of this machine was wrong then, or is wrong now`,
    [
      'check the clock of this machine; then read the orders again and keep the rows:',
      commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', await freeName(ctx, path, 'plan')),
    ],
    { ownCode: 'plan_too_old', certain: 'nothing was sent now' },
  );
}

function hours(ms: number): string {
  const all = ms / 3_600_000;
  return all < 2 ? `${Math.round(all * 60)} min` : `${Math.floor(all)} h`;
}

/** Runs a plan, and returns the exit code. Throws CliError for every other end. */
async function runPlan(opened: OpenedPlan, asked: ApplyAsked, looked: Looked): Promise<0 | 7 | 8> {
  const { ctx, profile, plan, path } = opened;
  const again = commandLine(profile, 'refunds', 'apply', path, ...flagsOf(asked));
  const { stop, progress, notSent } = await sendRows(opened, asked, looked);
  const reports = await reportPlan(ctx, plan, looked, notSent).catch((error: unknown) => {
    throw withoutReport(error, progress, again);
  });
  const lost = await printReport(opened, reports, asked.allRows === true);
  if (ctx.options.dryRun) {
    if (lost !== undefined) throw lost;
    for (const line of dryRunLines(opened, reports)) ctx.notes.note(line);
    return dryRunEnd(ctx, reports, { stop, run: progress.run });
  }
  const error = batchError(path, reports, {
    stop,
    profile,
    signal: ctx.stopAsked,
    run: progress.run,
    lost,
    again,
    untilOf: (ms) => untilWords(ctx, ms),
    free: { plan: await freeName(ctx, path, 'plan'), rest: await freeName(ctx, path, 'rest') },
  });
  if (error !== undefined) throw error;
  ctx.notes.note(countWords(reports, profile.settings));
  ctx.notes.note(mailLine(path, profile));
  return 0;
}

// What was typed for this run, so that the command that goes on does the same.
function flagsOf({ concurrency, maxFailures, maxPerSecond, noHold }: ApplyAsked): readonly string[] {
  const typed = { concurrency, 'max-rps': maxPerSecond, 'max-failures': maxFailures, 'no-hold': noHold };
  return flagWords(typed);
}

const usualConcurrency = 4;

// How the sending ended. The memory that sending needed is free again before the report is made, since the report needs a lot
// too.
interface Sent {
  readonly stop: BatchStop | undefined;
  readonly progress: BatchProgressLine;
  readonly notSent: NotSent;
}

async function sendRows(
  { ctx, service, profile, plan }: OpenedPlan,
  { concurrency = usualConcurrency, maxFailures, maxPerSecond, released, noHold }: ApplyAsked,
  looked: Looked,
): Promise<Sent> {
  const toSend = rowsToSend(plan.rows);
  const rows = ctx.options.dryRun ? sentNow(plan, await reportPlan(ctx, plan, looked)) : toSend;
  const progress = startProgress(ctx, profile, rows);
  const { run, waiting } = progress;
  const notSent = new Map<number, string>();
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const tell = ({ row: number, how, why, isKnown }: RowTold) => {
    if (why !== undefined) notSent.set(number, why);
    const row = byNumber.get(number);
    if (row !== undefined) progress.add(row, how);
    if (isSenders && isKnown === true) run.known += 1;
  };
  const how = { concurrency, maxFailures, maxPerSecond };
  const team = await ctx.planSender();
  const isSenders = team !== undefined;
  try {
    if (team === undefined) {
      const skippedHoldMs = skippedHold(profile, noHold);
      const sending = { ctx, service, plan, released, skippedHoldMs, rows, run, how, tell, waiting };
      const stop = await workOff(sending);
      return { stop, progress, notSent };
    }
    const { digest } = plan;
    const handed = { text: planText(plan), digest, rows: toSend.length, sums: sumsOf(toSend) };
    const worked = await team.work(handed, how, tell);
    return { stop: worked.stop, progress: { ...progress, run: worked.run }, notSent };
  } finally {
    progress.end();
  }
}

// The journal cannot be read any more. What this run saw is all that can be said.
function withoutReport(error: unknown, { run, soFar }: BatchProgressLine, again: string): unknown {
  if (!(error instanceof CliError) || run.sent === 0) return error;
  return new CliError('unconfirmed', error.message, {
    opening: 'stopped:',
    certain: `${soFar()}; ${onItsWay(run, run.open)}`,
    now: [...(error.parts.now ?? []), 'then run the command again: it sends no row twice', again],
    cause: error,
  });
}

// What the report says about most rows needs no line of its own.
function dryRunLines({ ctx, profile, path }: OpenedPlan, reports: readonly RowReport[]): readonly string[] {
  const reasons = reports
    .filter(
      ({ verdict, why }) =>
        verdict !== 'made' && verdict !== 'recorded_made' && why !== undefined && why !== dryRunWords,
    )
    .map((report) => ({ ...report.row, why: whyOrLook(report, (ms) => untilWords(ctx, ms)) }));
  const would = reports.filter(isSendable).map(({ row }) => row);
  const others = reports.filter(wouldStay).length;
  return [
    ...lineWords(reasons, commandLine(profile, 'refunds', 'apply', path, '--dry-run', ...inFull)),
    `nothing was sent (--dry-run); ${rowsAndSums(would, profile.settings)} would be sent${others === 0 ? '' : `, ${counted(others, 'row')} would not be sent`}`,
  ];
}

function isSendable({ verdict }: RowReport): boolean {
  return verdict === 'would_be_sent';
}

function wouldStay(report: RowReport): boolean {
  return !isDone(report) && !isSendable(report);
}

// Ends as the run would have ended, as far as a look at the orders tells.
function dryRunEnd({ stopAsked }: Context, reports: readonly RowReport[], { stop, run }: Worked): 0 | 7 | 8 {
  if (stop?.why === 'signal') throw stopAsked.reason;
  if (reports.some(isAlarming)) return 7;
  const [away] = run.away.values();
  const kind = run.stoppedBy ?? (away === undefined ? undefined : 'network');
  if (kind !== undefined) {
    const words = stop?.why === 'row' ? stop.words : (away ?? 'the orders could not be looked at');
    throw new CliError(kind, words, { certain: 'nothing was sent (--dry-run)' });
  }
  return reports.some(wouldStay) ? 8 : 0;
}

// Returns the error if nobody can read the report. How the batch ended is reported all the same.
async function printReport(
  { ctx, profile, plan, path }: OpenedPlan,
  reports: readonly RowReport[],
  allRows: boolean,
): Promise<CliError | undefined> {
  try {
    const status = commandLine(profile, 'refunds', 'status', path);
    await listReports(ctx, plan, reports, { allRows, status, isDry: ctx.options.dryRun });
    return undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'incomplete') return error;
    throw error;
  }
}
