/** `refunds status`: what became of the rows of a plan, and the rows that moved no money as a file for the next plan. */

import { figuresIn } from '../../amounts.ts';
import { currencyPattern } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import type { ExpectedRefund } from '../../journal/journal.ts';
import { digestShown, errorsCsv, inputColumns, type Plan, type PlanRow } from '../../plans/plans.ts';
import { commandLine, profileNamed } from '../../profiles/profiles.ts';
import { driftOf, foreignRefunds } from '../money-changed.ts';
import { lookWords } from './batch-end.ts';
import { countWords, leftWords, verdictBar } from './batch-words.ts';
import { checkRest } from './bulk-files.ts';
import { ordersOf } from './found-orders.ts';
import { checkAccount, controlFigures } from './plan-checks.ts';
import { readOrders } from './read-orders.ts';
import { type Looked, nothingRead, readAgain, reportPlan } from './report-plan.ts';
import { listRows, reportColumns, reportRecord } from './row-records.ts';
import { isAlarming, isDone, movedNothing, type RowReport, type RowVerdict } from './row-verdicts.ts';
import { madeByPlan } from './send-row.ts';

/** What `refunds status` was asked for. */
interface StatusAsked {
  readonly path: string;
  /** Where the rows that certainly moved no money go. */
  readonly rest: string | undefined;
  /** Where the list goes in place of stdout. */
  readonly to: string | undefined;
  readonly force: boolean;
  /** Reads no order again. */
  readonly offline: boolean;
  /** Lists only rows with these verdicts; all if it is not given. */
  readonly only: readonly RowVerdict[] | undefined;
  /** Lists every row, however many there are. */
  readonly allRows: boolean;
}

/** Shows what became of every row of a plan. Returns 7 while a row is unconfirmed, 8 while rows are not applied, and 0 otherwise. */
export async function planStatus(ctx: Context, asked: StatusAsked): Promise<0 | 7 | 8> {
  const plan = await ctx.plans.open(asked.path);
  await checkRest(ctx, asked, plan);
  const style = ctx.profiles.amountStyle(plan.profile);
  ctx.out.checkColumns(reportColumns(plan));
  const sending = await ctx.journal.applying(plan);
  // While a run sends the rows, it has them.
  const looked = asked.offline || sending !== undefined ? nothingRead : await readAgain(ctx, plan);
  const reports =
    asked.rest === undefined
      ? await reportPlan(ctx, plan, looked)
      : await whileNobodySends(ctx, plan, asked, asked.rest, looked);
  const { only } = asked;
  const shown = only === undefined ? reports : reports.filter(({ verdict }) => only.includes(verdict));
  const command = commandLine(profileNamed(plan.profile), 'refunds', 'status', asked.path);
  const isListed = await listRows(ctx, reportColumns(plan), shown, {
    record: (report) => reportRecord(report, plan),
    allRows: asked.allRows || only !== undefined,
    all: `${command} --all-rows`,
  });
  if (!isListed) for (const line of leftWords(reports, command)) ctx.notes.note(line);
  if (sending !== undefined)
    ctx.notes.warn(
      `this plan is being applied right now: ${sending}; what is said here may change any moment`,
    );
  for (const report of reports.filter(isAlarming)) {
    const { line, orderId } = report.row;
    ctx.notes.warn(`line ${line}, ${orderId}, is ${report.state}: ${lookWords(report)}`);
  }
  if (ctx.out.format === 'table') ctx.notes.note(verdictBar(reports));
  ctx.notes.note(countWords(reports, style));
  for (const line of asOfWords(ctx, reports, looked)) ctx.notes.note(line);
  ctx.notes.note(totalsLine(plan));
  ctx.notes.note(`whole digest ${plan.digest}`);
  if (reports.some(({ verdict }) => verdict === 'not_started')) ctx.notes.note(reasonsLine(plan, asked.path));
  for (const line of nextWords(reports, plan, asked)) ctx.notes.note(line);
  if (reports.some(isAlarming)) return 7;
  return reports.every(isDone) ? 0 : 8;
}

// What `--confirm`, `--expect-count` and `--expect-total` want to hear of this plan.
function totalsLine({ digest, rows }: Plan): string {
  const counted = controlFigures(rows);
  const totals = counted.sums
    .filter(({ currency }) => currencyPattern.test(currency))
    .map(({ currency, amount }) => `--expect-total ${currency}=${amount}`);
  return `digest ${digest.slice(0, digestShown)}; this plan has ${[`--expect-count ${counted.rows}`, ...totals].join(' ')}`;
}

// The journal has nothing of a row that was tried and not sent.
function reasonsLine({ profile }: Plan, path: string): string {
  const again = commandLine(profileNamed(profile), 'refunds', 'apply', path, '--dry-run');
  return `to see why paydesk did not send a row (this reads the orders again, and sends nothing): ${again}`;
}

// What a person does next: with unconfirmed rows first, then with those that were not sent, then with those that cannot be.
function nextWords(
  reports: readonly RowReport[],
  { profile }: Plan,
  { path, rest }: StatusAsked,
): readonly string[] {
  const next = (...words: readonly string[]) => [`next: ${commandLine(profileNamed(profile), ...words)}`];
  if (reports.some(({ verdict }) => verdict === 'unconfirmed')) return next('journal', 'reconcile', '--all');
  if (reports.some(isAlarming)) return [];
  if (reports.some(({ verdict }) => verdict === 'not_started' || verdict === 'not_sent'))
    return next('refunds', 'apply', path);
  if (rest !== undefined || !reports.some(movedNothing)) return [];
  return next('refunds', 'status', path, '--rest', 'rest.csv');
}

// What the journal says is as old as the last read of each order.
function asOfWords(ctx: Context, reports: readonly RowReport[], { unread }: Looked): readonly string[] {
  const times = reports.flatMap(({ attempt }) => attempt?.readAt ?? []);
  const oldest = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const newest = times.reduce((one, other) => Math.max(one, other), 0);
  const [problem] = unread.values();
  const [from, to] = [ctx.shortTime(oldest), ctx.shortTime(newest)];
  return [
    ...(problem === undefined
      ? []
      : [`${counted(unread.size, 'order')} could not be read again: ${problem}`]),
    ...(times.length === 0
      ? []
      : [`the orders were read ${from === to ? `at ${from}` : `between ${from} and ${to}`}`]),
  ];
}

// A row that is paid a second later must not be in the file of the rows that moved no money.
async function whileNobodySends(
  ctx: Context,
  plan: Plan,
  { path, force }: StatusAsked,
  rest: string,
  looked: Looked,
): Promise<readonly RowReport[]> {
  const taken = await ctx.journal.claimPlan(plan);
  try {
    const reports = await reportPlan(ctx, plan, looked);
    await writeRest(ctx, plan, await restRows(ctx, plan, path, reports), rest, force);
    return reports;
  } finally {
    await taken.release();
  }
}

async function writeRest(
  ctx: Context,
  plan: Plan,
  { rest, paid }: RestRows,
  path: string,
  force: boolean,
): Promise<void> {
  const file = {
    delimiter: ',' as const,
    hasBom: false,
    lineEnd: '\n' as const,
    columns: [...inputColumns.filter((title) => title !== 'reference'), ...plan.columns],
    // Parts of one row have the same line, so the rows are counted anew.
    lines: rest.map(({ row }, index) => ({ line: index + 2, cells: cellsOf(row) })),
  };
  const problems = rest.map(({ why, row }, index) => ({
    line: index + 2,
    column: undefined,
    words: `line ${row.line} of ${plan.file}: ${why ?? 'not sent'}`,
  }));
  await ctx.plans.write(path, errorsCsv(file, problems), force);
  ctx.notes.note(`${counted(rest.length, 'row')} that moved no money: ${path}`);
  if (paid.length === 0) return;
  ctx.notes.warn(
    `${paid.length === 1 ? '1 row is' : `${paid.length} rows are`} not in ${path}, since somebody else refunded the same charge:`,
  );
  for (const { line, orderId, why } of paid) ctx.notes.warn(`line ${line}, ${orderId}: ${why}`);
}

// A part of an amount that was spread over charges names its charge.
function cellsOf(row: PlanRow): readonly string[] {
  const { orderId, charge, chargeId, partOf, amount, reason = '', ref, note = '', more } = row;
  const named = partOf === undefined ? charge : (chargeId ?? charge);
  return [orderId, named, String(amount), reason, ref, note, ...more];
}

/** The rows that are left. */
interface RestRows {
  /** They moved no money, each with the reason why it was not sent, as far as that is known. */
  readonly rest: readonly RowReport[];
  /** Their charges have a refund that this plan did not make, with words about it: whoever planned them again would pay twice. */
  readonly paid: readonly { readonly line: number; readonly orderId: string; readonly why: string }[];
}

/**
 * Reads the orders of the rows again, since the journal of this machine knows nothing of the refunds of others. Throws CliError as
 * reads do.
 */
async function restRows(
  ctx: Context,
  plan: Plan,
  path: string,
  reports: readonly RowReport[],
): Promise<RestRows> {
  const rows = reports.filter(movedNothing);
  if (rows.length === 0) return { rest: [], paid: [] };
  await ctx.useProfileOf(plan);
  const service = await ctx.service({ purpose: 'read' });
  checkAccount(plan, service.profile, path);
  const orders = await readOrders(ctx, service, ordersOf(rows.map(({ row }) => row)));
  const keys = new Set(plan.rows.map(({ key }) => key));
  const rest: RowReport[] = [];
  const paid: RestRows['paid'][number][] = [];
  for (const [orderId, some] of Map.groupBy(rows, ({ row }) => row.orderId)) {
    const order = orders.take(orderId)?.order;
    const attempts = await ctx.journal.attemptsOf(service, orderId);
    const own = attempts.filter((record) => madeByPlan(record, plan, keys));
    for (const report of some) {
      const { before, expected, line, currency } = report.row;
      if (order === undefined || before === undefined) {
        rest.push(report);
        continue;
      }
      const made = paidElsewhere(expected, foreignRefunds(before, order, own));
      if (made === undefined) {
        const drift = driftOf(before, order, own, service.profile);
        const changed = drift && `the order changed since the plan was made: ${drift}`;
        rest.push({ ...report, why: report.why ?? changed });
        continue;
      }
      const sum = figuresIn(currency, service.profile.settings)(made.amount);
      const why = `charge ${made.chargeId} has a refund of ${sum} that this plan did not make: ${made.ids}`;
      paid.push({ line, orderId, why });
    }
  }
  const inOrder = rest.toSorted((one, other) => one.row.number - other.row.number);
  return { rest: inOrder, paid: paid.toSorted((one, other) => one.line - other.line) };
}

// What others refunded on a charge of the row, if that is as much as the row wants there, or more. A smaller refund may be about
// something else: the row stays, with the reason why it was not sent.
function paidElsewhere(
  expected: readonly ExpectedRefund[],
  foreign: ReturnType<typeof foreignRefunds>,
): { readonly chargeId: string; readonly amount: number; readonly ids: string } | undefined {
  for (const { chargeId, amount } of expected) {
    const made = foreign.filter((one) => one.chargeId === chargeId);
    const sum = made.reduce((all, one) => all - one.amount, 0);
    if (made.length > 0 && sum >= -amount)
      return { chargeId, amount: sum, ids: made.map(({ id }) => id).join(' ') };
  }
  return undefined;
}
