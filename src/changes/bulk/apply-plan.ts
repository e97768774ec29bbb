/** `refunds apply`: checks a plan, asks for a yes, and sends its rows; each at most once, however often this is run. */

import type { OpenService } from '../../api/api.ts';
import type { Context } from '../../commands/command.ts';
import { usage } from '../../commands/flags.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, tolerableSkewMs } from '../../journal/journal.ts';
import {
  type ControlTotals,
  digestShown,
  type Plan,
  type PlanRow,
  progressWords,
  type RowEnd,
  runBatch,
  sumsOf,
} from '../../plans/plans.ts';
import { aboutMoney, commandLine, type Profile } from '../../profiles/profiles.ts';
import { applyPreview, batchError, standWords } from './batch-words.ts';
import { checkAccount, checkControlTotals, checkPlanLimits, rowsToSend } from './make-plan.ts';
import { type NotSent, type RowReport, reportColumns, reportRecord, reportRows } from './row-verdicts.ts';
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

/** How the rows of a plan stand. */
export async function reportPlan(ctx: Context, plan: Plan, notSent?: NotSent): Promise<readonly RowReport[]> {
  const reports: RowReport[] = [];
  for await (const { rows, attempts } of attemptsOfPlan(ctx, plan))
    reports.push(...reportRows({ ...plan, rows }, attempts, notSent));
  return reports;
}

// So many rows at once: all attempts of a long plan would need much memory.
const rowsAtOnce = 500;

/** The rows of a plan part by part, with every attempt at their orders. */
async function* attemptsOfPlan(
  ctx: Context,
  plan: Plan,
): AsyncGenerator<{ readonly rows: readonly PlanRow[]; readonly attempts: readonly AttemptRecord[] }> {
  for (let from = 0; from < plan.rows.length; from += rowsAtOnce) {
    const rows = plan.rows.slice(from, from + rowsAtOnce);
    const orderIds = new Set(rows.map(({ orderId }) => orderId));
    yield { rows, attempts: await ctx.journal.attempts({ orderIds }) };
  }
}

// ── What is checked first ───────────────────────────────────────────────────────────────────────

// In production nobody may apply a plan that they did not look at: the digest and the totals say which one was meant.
function checkAnswerable(
  ctx: Context,
  profile: Profile,
  plan: Plan,
  { confirm, expected, path }: ApplyAsked,
): void {
  const { ask, options } = ctx;
  if (ask.interactive || options.dryRun) return;
  if (profile.mode !== 'production') {
    if (options.yes || confirm !== undefined) return;
    throw usage('missing --yes: no terminal to ask on', ['add it to the command: --yes']);
  }
  const missing = [
    ...(confirm === undefined ? ['--confirm DIGEST'] : []),
    ...(expected.count === undefined ? ['--expect-count N'] : []),
    ...(expected.totals.length > 0 ? [] : ['--expect-total CUR=N']),
  ];
  if (missing.length === 0) return;
  throw usage(`missing ${missing.join(', ')}: in production --yes alone is not enough`, [
    `the digest and the totals of this plan: ${commandLine(profile, 'refunds', 'status', path)}`,
    `its digest begins with ${plan.digest.slice(0, digestShown)}`,
  ]);
}

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

// ── The yes ─────────────────────────────────────────────────────────────────────────────────────

async function confirmPlan(
  ctx: Context,
  profile: Profile,
  plan: Plan,
  { path, confirm }: ApplyAsked,
): Promise<void> {
  const reports = await reportPlan(ctx, plan);
  const send = stillToSend(plan, reports);
  const digest = plan.digest.slice(0, digestShown);
  if (confirm !== undefined && confirm !== digest)
    throw new CliError(
      'refused',
      `--confirm ${confirm} is not the digest of ${path}, which begins with ${digest}`,
      {
        certain: 'nothing was sent',
        now: ['look at the plan again, then confirm the one that you mean'],
      },
    );
  if (ctx.options.dryRun || send.length === 0) return;
  ctx.notes.show(applyPreview(plan, path, send, reports, { profile, madeAt: ctx.fullTime(plan.madeAt) }));
  if (confirm === undefined) await askFor(ctx, profile, digest, path);
  // Somebody may have replaced the file while the question stood there.
  const now = await ctx.plans.open(path);
  if (now.digest === plan.digest) return;
  throw new CliError('refused', `${path} is another plan now than the one that was confirmed`, {
    certain: 'nothing was sent',
    now: ['look at the plan again, then apply it'],
  });
}

async function askFor(ctx: Context, profile: Profile, digest: string, path: string): Promise<void> {
  if (profile.mode !== 'production') {
    if (ctx.options.yes) return;
    if (await ctx.ask.confirm({ message: aboutMoney(profile, 'Send them?'), flag: '--yes' })) return;
    throw cancelled(profile, path);
  }
  const message = 'Type the digest of the plan to send them, or press Enter to cancel:';
  const typed = await ctx.ask.text({
    message: aboutMoney(profile, message),
    flag: '--confirm DIGEST',
    optional: true,
    check: (text) => (text === '' || text === digest ? undefined : `is not the digest above`),
  });
  if (typed !== digest) throw cancelled(profile, path);
}

function cancelled(profile: Profile, path: string): CliError {
  return new CliError('cancelled', 'not confirmed', {
    certain: 'nothing was sent',
    now: ['for later:', commandLine(profile, 'refunds', 'apply', path)],
  });
}

// ── The batch ───────────────────────────────────────────────────────────────────────────────────

// A row that the service refused stays refused in this plan, unless a person recorded that or the plan was made anew since.
function stillToSend(plan: Plan, reports: readonly RowReport[]): readonly PlanRow[] {
  const sendable = new Set(rowsToSend(plan.rows));
  return reports
    .filter(({ row, verdict, attempt }) => {
      if (!sendable.has(row) || verdict === 'applied' || verdict === 'unconfirmed') return false;
      return verdict !== 'refused' || attempt?.isSentAnew === true;
    })
    .map(({ row }) => row);
}

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
  const error = batchError(plan, path, reports, {
    stop,
    profile,
    signal: ctx.stopAsked,
    run: sending.run,
    lost,
  });
  if (error !== undefined) throw error;
  ctx.notes.note(standWords(reports, profile.settings));
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
