/** `refunds status`: what became of the rows of a plan, as a list with what to do next, or as a text for a mail. */

import { currencyPattern } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { orElse } from '../../errors.ts';
import { digestShown, type Plan } from '../../plans/plans.ts';
import { accountLabel, commandLine, profileNamed } from '../../profiles/profiles.ts';
import { untilWords } from '../by-hand-words.ts';
import { lookWords, mailLine, whyOrLook } from './batch-end.ts';
import {
  countLines,
  countWords,
  inFull,
  lineWords,
  manyRows,
  planMadeWords,
  reasonWords,
  shownRows,
  verdictBar,
} from './batch-words.ts';
import { againLines, checkRest, freeName } from './bulk-files.ts';
import { controlFigures } from './plan-checks.ts';
import { type Looked, nothingRead, readOrdersAgain, reportPlan } from './report-plan.ts';
import { restRows, writeRest } from './rest-rows.ts';
import { listReports, nextLine, reportColumns, shownTitles } from './row-records.ts';
import {
  isAlarming,
  isDone,
  isLeftToSend,
  movedNothing,
  type RowReport,
  type RowVerdict,
} from './row-verdicts.ts';

export interface StatusAsked {
  readonly path: string;
  /** Where the rows that certainly moved no money go. */
  readonly rest: string | undefined;
  /** Where the list goes instead of stdout. */
  readonly to: string | undefined;
  readonly force: boolean;
  /** Reads no order again. */
  readonly offline: boolean;
  /** Lists only rows with these verdicts; all if it is not given. */
  readonly only: readonly RowVerdict[] | undefined;
  /** Lists every row, however many there are. */
  readonly allRows: boolean;
  /** A text for a mail instead of the list. */
  readonly report: boolean;
}

/**
 * Shows what became of every row of a plan, as a list or as a text for a mail. Returns 7 while a row is unconfirmed, 8 while rows are
 * not applied, and 0 otherwise.
 */
export async function planStatus(ctx: Context, asked: StatusAsked): Promise<0 | 7 | 8> {
  const plan = await ctx.plans.open(asked.path);
  await checkRest(ctx, asked, plan);
  if (!asked.report) ctx.out.checkColumns(reportColumns(shownTitles(ctx, plan)));
  const sending = await ctx.journal.applying(plan);
  // While another run sends the rows, this one leaves them to it.
  const looked = asked.offline || sending !== undefined ? nothingRead : await readOrdersAgain(ctx, plan);
  const { path, rest, force } = asked;
  const found =
    rest === undefined
      ? await reportPlan(ctx, plan, looked)
      : await writeRest(ctx, plan, { path, rest, force }, looked);
  const shown = { ctx, plan, asked };
  const reports = await withReasons(shown, found, sending !== undefined);
  const now = sending === undefined ? [] : [`this plan is being applied right now: ${sending}; ${mayChange}`];
  if (asked.report) await printText(shown, reports, [...now, ...asOfWords(reports, looked, ctx.days.full)]);
  else {
    const { only, allRows } = asked;
    const listed = only === undefined ? reports : reports.filter(({ verdict }) => only.includes(verdict));
    const status = commandLine(profileNamed(plan.profile), 'refunds', 'status', path);
    await listReports(ctx, plan, listed, { status, allRows: allRows || only !== undefined });
    for (const line of now) ctx.notes.warn(line);
    await sayStatus(
      shown,
      reports,
      asOfWords(reports, looked, (ms) => ctx.shortTime(ms)),
    );
  }
  if (reports.some(isAlarming)) return 7;
  return reports.every(isDone) ? 0 : 8;
}

const readForList = 20;
const mayChange = 'what is said here may change at any moment';

interface ShownPlan {
  readonly ctx: Context;
  readonly plan: Plan;
  readonly asked: StatusAsked;
}

// Says what comes below the list. `asOf`: when the orders were read.
async function sayStatus(
  shown: ShownPlan,
  reports: readonly RowReport[],
  asOf: readonly string[],
): Promise<void> {
  const { ctx, plan } = shown;
  for (const report of reports.filter(isAlarming)) {
    const { line, orderId } = report.row;
    ctx.notes.warn(`line ${line}, ${orderId}, is ${report.state}: ${lookWords(report, untilOf(ctx))}`);
  }
  const lines = [
    ...(ctx.out.format === 'table' ? [verdictBar(reports)] : []),
    countWords(reports, ctx.profiles.amountStyle(plan.profile)),
    ...asOf,
    // Nobody needs them once nothing is left to send.
    ...(reports.some(isLeftToSend)
      ? [
          `this plan was ${planMadeWords(plan, ctx.days.full(plan.madeAt))}`,
          totalsLine(plan),
          `digest ${plan.digest}`,
        ]
      : []),
    ...(await nextWords(shown, reports)),
  ];
  for (const line of lines) ctx.notes.note(line);
}

function untilOf(ctx: Context): (ms: number) => string {
  return (ms) => untilWords(ctx, ms);
}

// What to type as `--expect-count` and `--expect-total` for this plan.
function totalsLine({ rows }: Plan): string {
  const counted = controlFigures(rows);
  const totals = counted.sums
    .filter(({ currency }) => currencyPattern.test(currency))
    .map(({ currency, amount }) => `--expect-total ${currency}=${amount}`);
  return `this plan has ${[`--expect-count ${counted.rows}`, ...totals].join(' ')}`;
}

// What a person does next: with unconfirmed rows first, then with those that were not sent, then with those that cannot be.
async function nextWords(
  { ctx, plan, asked: { path, rest } }: ShownPlan,
  reports: readonly RowReport[],
): Promise<readonly string[]> {
  const profile = profileNamed(plan.profile);
  const command = (...words: readonly string[]) => commandLine(profile, ...words);
  const isSent = reports.some(({ attempt }) => attempt !== undefined);
  const told = isSent ? [mailLine(path, profile)] : [];
  if (reports.some(({ verdict, attempt }) => verdict === 'unconfirmed' && attempt?.neverArrived !== true))
    return [`next: ${command('journal', 'reconcile', '--all')}`];
  if (reports.some(isAlarming)) return [];
  if (reports.some(isLeftToSend)) {
    // A row that was never tried has a reason only if its order, as it was read now, stops it.
    const isAnySendable = reports.some(
      (report) => isLeftToSend(report) && (report.attempt !== undefined || report.why === undefined),
    );
    return [
      ...(isSent && reports.some((report) => isLeftToSend(report) && report.why === undefined)
        ? [`to see why rows were not sent: ${command('refunds', 'apply', path, '--dry-run')}`]
        : []),
      ...(isAnySendable
        ? [(await applyLine(ctx, path)) ?? `next: ${command('refunds', 'apply', path)}`]
        : []),
      ...(isSent
        ? [
            `${isAnySendable ? 'if orders changed, first' : 'next'}: ${command('refunds', 'plan', '--refresh', path, '--to', await freeName(ctx, path, 'plan'))}`,
          ]
        : []),
    ];
  }
  const left = reports.filter(movedNothing);
  if (rest !== undefined || left.length === 0) return told;
  const file = await freeName(ctx, path, 'rest');
  return [
    ...(await againLines(
      ctx,
      left.map(({ row }) => row),
      path,
      profile,
    )),
    `next: ${command('refunds', 'status', path, '--rest', file)}`,
    ...told,
  ];
}

// Undefined if the profile of the plan does not open: then its role is not known.
async function applyLine(ctx: Context, path: string): Promise<string | undefined> {
  const opened = await ctx.service().catch(orElse(() => undefined));
  return opened && nextLine(ctx, path, opened.profile);
}

// What the journal says is as old as the last read of each order.
function asOfWords(
  reports: readonly RowReport[],
  { unread }: Looked,
  timeWords: (ms: number) => string,
): readonly string[] {
  const times = reports.flatMap(({ attempt }) => attempt?.readAt ?? []);
  const oldest = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const newest = times.reduce((one, other) => Math.max(one, other), 0);
  const [problem] = unread.values();
  const [from, to] = [timeWords(oldest), timeWords(newest)];
  return [
    ...(problem === undefined
      ? []
      : [`${counted(unread.size, 'order')} could not be read again: ${problem}`]),
    ...(times.length === 0
      ? []
      : [`the orders were read: ${from === to ? from : `between ${from} and ${to}`}`]),
  ];
}

// The journal has nothing about rows that were tried and not sent, so only their orders say why.
async function withReasons(
  { ctx, plan, asked: { path, offline, report: isText } }: ShownPlan,
  reports: readonly RowReport[],
  isSending: boolean,
): Promise<readonly RowReport[]> {
  const left = reports.filter(isLeftToSend);
  const isTried = reports.some(({ attempt }) => attempt !== undefined) && left.length > 0;
  // A list of many rows comes at once; the text for a mail may take its time.
  if (offline || isSending || !isTried || (!isText && left.length > readForList)) return reports;
  const { rest } = await restRows(ctx, plan, path, left).catch(
    orElse((error) => {
      if (isText) throw error;
      return { rest: left };
    }),
  );
  const known = new Map(rest.map((report) => [report.row.number, report]));
  return reports.map((report) => known.get(report.row.number) ?? report);
}

// The text for somebody who has no terminal: how many rows ended how with their sums, what the others need, and as of when.
async function printText(
  { ctx, plan, asked: { path } }: ShownPlan,
  reports: readonly RowReport[],
  asOf: readonly string[],
): Promise<void> {
  const { profile, mode, file, operator, madeAt, digest } = plan;
  const command = commandLine(profileNamed(profile), 'refunds', 'status', path, ...inFull);
  const rows = reports
    .filter((report) => !isDone(report))
    .map((report) => ({ ...report.row, why: whyOrLook(report, untilOf(ctx)) }));
  const lines = [
    `Refunds of ${file}, ${accountLabel({ ...profileNamed(profile), mode })}: ${manyRows(plan.rows)}`,
    '',
    ...countLines(reports, ctx.profiles.amountStyle(profile)),
    '',
    ...(rows.length > shownRows ? reasonWords : lineWords)(rows, command),
    ...(rows.length > 0 ? [''] : []),
    ...asOf,
    `plan ${path}, made ${ctx.days.full(madeAt)} by ${operator}, digest ${digest.slice(0, digestShown)}`,
  ];
  const text = lines.join('\n');
  await ctx.out.own({ object: 'plan_report', plan: path, digest, text }, () =>
    lines.map((line) => (line === '' ? 'blank' : { line })),
  );
}
