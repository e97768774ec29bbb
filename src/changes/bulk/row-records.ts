/** Prints the rows of a plan as records with columns: as `refunds plan` lists them, with a few lines about all of them, and as a report. */

import type { AmountStyle } from '../../amounts.ts';
import { isObject, type JsonObject } from '../../api/json-values.ts';
import { type Column, type Field, field, recordFrom } from '../../api/resources.ts';
import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { digestShown, isInputTitle, type Plan, type PlanRow, rowStates } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { roleWords } from '../may-change.ts';
import {
  inFull,
  lineWords,
  movedNothingWords,
  reasonWords,
  rowsAndSums,
  spreadWords,
} from './batch-words.ts';
import { againLines } from './bulk-files.ts';
import { needsRelease } from './confirm-plan.ts';
import { rowsToSend } from './plan-checks.ts';
import { type RowReport, whyBesideOrder } from './row-verdicts.ts';

/** Prints a new plan: its rows, what it sends, and what to do next. `applies`: its rows are sent at once. */
export async function showPlan(
  ctx: Context,
  plan: Plan,
  path: string,
  profile: Profile,
  { applies = false, allRows = false }: { readonly applies?: boolean; readonly allRows?: boolean },
): Promise<void> {
  // If the rows are sent at once, the report of that follows, and a script reads only one list.
  const list = !applies || ctx.out.format === 'table';
  const status = commandLine(profile, 'refunds', 'status', path, '--all-rows');
  const titles = shownTitles(ctx, plan);
  const columns = planColumns(plan.rows.some(({ state }) => state === 'done' || state === 'unconfirmed'));
  const isListed =
    list &&
    (await listRows(ctx, [...columns, ...inputColumnsOf(titles)], plan.rows, {
      record: (row) => ({
        ...recordFrom('plan_row', columns, row),
        number: row.number,
        input: inputOf(row.more, titles),
      }),
      allRows,
      all: plan.digest === '' ? 'add --all-rows to the command' : status,
    }));
  const next = applies ? undefined : nextLine(ctx, path, profile);
  const again = plan.digest === '' ? [] : await againLines(ctx, plan.rows, path, profile);
  for (const line of planLines(plan, path, profile, { isListed: isListed || !list, next, again }))
    ctx.notes.note(line);
}

/** What the person who uses this profile does next with a plan. */
export function nextLine(ctx: Context, path: string, profile: Profile): string {
  const apply = commandLine(profile, 'refunds', 'apply', path);
  const problem = roleWords('refund', profile);
  if (problem !== undefined) return `${problem}; somebody else applies it`;
  if (!needsRelease(ctx, profile)) return `next: ${apply}`;
  return `next: a person runs ${commandLine(profile, 'release', path)} at a terminal, then: ${apply}`;
}

const mostListed = 50;

/**
 * Lists rows. On a terminal, more rows than somebody reads there are only counted, with the command that lists them (`all`), unless
 * `allRows` was asked for. Returns whether they were listed.
 */
async function listRows<T>(
  ctx: Context,
  columns: readonly Column[],
  rows: readonly T[],
  list: { record: (row: T) => JsonObject; readonly allRows: boolean; readonly all: string },
): Promise<boolean> {
  const { record, allRows, all } = list;
  const isShort = await isShortList(ctx, rows, allRows);
  if (isShort) await ctx.out.ownList(columns, rows.values().map(record));
  else ctx.notes.note(`all ${rows.length} rows: ${all}`);
  return isShort;
}

/** Whether a list is short enough for a person, or nobody reads it on a terminal. */
export async function isShortList(
  { out }: Pick<Context, 'out'>,
  rows: readonly unknown[],
  allRows: boolean,
): Promise<boolean> {
  return allRows || rows.length <= mostListed || (await out.roomForRows([])) === undefined;
}

/**
 * Lists what became of rows. If they are only counted, it also says why rows moved nothing; for a dry run (`isDry`) the caller
 * says that in any case. `status`: the command that shows the plan.
 */
export async function listReports(
  ctx: Context,
  plan: Plan,
  reports: readonly RowReport[],
  { status, allRows, isDry = false }: { status: string; allRows: boolean; isDry?: boolean },
): Promise<void> {
  const titles = shownTitles(ctx, plan);
  const isListed = await listRows(ctx, reportColumns(titles), reports, {
    record: (report) => reportRecord(report, titles),
    allRows,
    all: isDry ? 'add --all-rows to the command' : `${status} --all-rows`,
  });
  if (!isListed && !isDry) for (const line of movedNothingWords(reports, status)) ctx.notes.note(line);
}

// The fields of a row of a plan. Those of the input file that paydesk does not use come last, as `input.TITLE`. `hasSent`: rows of it were
// sent before.
export function planColumns(hasSent: boolean): readonly Field<PlanRow>[] {
  return [
    field('line', 'integer', ({ line }) => line, { tableFrom: 0, stays: true }),
    field('order_id', 'id', ({ orderId }) => orderId, { title: 'ORDER', tableFrom: 0, stays: true }),
    // The parts of an amount that was spread over charges are told apart by their charges.
    field('charge', 'text', (row) => (row.partOf === undefined ? row.charge : (row.chargeId ?? row.charge)), {
      tableFrom: 0,
    }),
    // Nobody knows how much `full` is for an order that is not there.
    field('amount', 'money', ({ sum }) => sum, { tableFrom: 0, value: ({ amount }) => amount || undefined }),
    field('verdict', 'text', ({ state }) => state, { tableFrom: 0, stays: true }),
    // What tells rows apart stays: why a row is not sent is said in full below the list, but what was sent before is not.
    field('why', 'text', (row) => whyBesideOrder(row.why, row) ?? notesOf(row), {
      tableFrom: 120,
      ...(hasSent ? { isMissed: true } : {}),
    }),
    field('ref', 'text', ({ ref }) => ref, { tableFrom: 0 }),
    field('charge_id', 'text', ({ chargeId }) => chargeId),
    field('asked', 'text', ({ amount }) => amount),
    ...rowColumns.map((one) => ({ ...one, of: (row: PlanRow) => one.of({ row }) })),
  ];
}

// What both lists say about a row.
const rowColumns: readonly Field<Pick<RowReport, 'row'>>[] = [
  field('currency', 'text', ({ row }) => row.currency),
  field('reason', 'text', ({ row }) => row.reason),
  field('note', 'text', ({ row }) => row.note),
  field('notes', 'text', ({ row }) => notesOf(row)),
];

function notesOf({ marks }: PlanRow): string | undefined {
  return marks.join('; ') || undefined;
}

/** The lines below the list: what the plan sends, what it does not, and what to do next. */
function planLines(
  plan: Plan,
  to: string,
  profile: Profile,
  words: { readonly isListed: boolean; readonly next: string | undefined; readonly again: readonly string[] },
): readonly string[] {
  const { isListed, next, again } = words;
  const style: AmountStyle = profile.settings;
  const others = rowStates
    .filter((state) => state !== 'ready')
    .map((state) => [state, plan.rows.filter((row) => row.state === state)] as const)
    .filter(([, rows]) => rows.length > 0)
    .map(([state, rows]) => `${rows.length} ${stateWords[state]}`);
  const stopped = plan.rows.filter(({ state }) => state === 'look' || state === 'impossible');
  const ready = plan.rows.filter(({ state }) => state === 'ready');
  const marked = ready.filter(({ marks }) => marks.length > 0);
  const { now, behind } = sentFirst(ready, plan);
  const isWritten = plan.digest !== '';
  const canApply = rowsToSend(plan.rows).length > 0;
  const showing = (...words: readonly string[]) =>
    isWritten ? commandLine(profile, 'refunds', 'status', to, ...words) : 'add -o list to the command';
  return [
    ...(isListed ? lineWords : reasonWords)(stopped, showing('--only', 'look,impossible', ...inFull)),
    ...lineWords(
      marked.map(({ line, marks }) => ({ line, why: `note: ${marks.join('; ')}` })),
      showing('--csv', '--columns', 'line,order_id,notes'),
    ),
    ...again,
    ...spreadWords(plan.rows),
    [
      `${rowsAndSums(now, style)} to send`,
      ...others,
      ...(behind === 0 ? [] : [`${behind} waiting for an unconfirmed row of the same order`]),
    ].join('; '),
    ...(isWritten
      ? [
          `plan ${to}, digest ${plan.digest.slice(0, digestShown)}${canApply ? (next === undefined ? '' : `; nothing was sent. ${next}`) : '; nothing was sent, and nothing in it is left to send'}`,
        ]
      : ['no plan was written (--dry-run)']),
  ];
}

// An unconfirmed row is looked up first, and the later rows of its order wait until its outcome is known.
function sentFirst(ready: readonly PlanRow[], { rows }: Plan) {
  const held = new Set<string>();
  const first = new Set<PlanRow>();
  for (const row of rows) {
    if (row.state === 'unconfirmed') held.add(row.orderId);
    if (row.state === 'ready' && !held.has(row.orderId)) first.add(row);
  }
  return { now: [...first], behind: ready.length - first.size };
}

const stateWords: Readonly<Record<(typeof rowStates)[number], string>> = {
  ready: 'ready',
  done: 'made before',
  unconfirmed: 'sent before and unconfirmed: they are looked up first',
  look: 'to be looked at first',
  impossible: 'impossible',
};

const ownColumns: readonly Field<RowReport>[] = [
  field('line', 'integer', ({ row }) => row.line, { tableFrom: 0, stays: true }),
  field('order_id', 'id', ({ row }) => row.orderId, { title: 'ORDER', tableFrom: 0, stays: true }),
  field('amount', 'money', ({ row }) => row.sum, { tableFrom: 0 }),
  field('verdict', 'text', ({ verdict }) => verdict, { tableFrom: 0, stays: true }),
  field('why', 'text', ({ why, row }) => whyBesideOrder(why, row), { tableFrom: 0 }),
  field('refund_id', 'id', ({ attempt }) => attempt?.made?.ids || null, { tableFrom: 120 }),
  field('ref', 'text', ({ row }) => row.ref, { tableFrom: 0 }),
  field('sent_at', 'time', ({ attempt }) => secondsOf(attempt?.time), { title: 'SENT', tableFrom: 140 }),
  field('read_at', 'time', ({ attempt }) => secondsOf(attempt?.readAt), { title: 'READ', tableFrom: 140 }),
  field('state', 'text', ({ state }) => state),
  field('charge', 'text', ({ row }) => row.charge),
  field('charge_id', 'text', ({ row }) => row.chargeId),
  ...rowColumns,
  // How much of the order was refunded before this refund, and after it.
  field('before', 'figure', ({ attempt }) => attempt?.before),
  field('after', 'figure', ({ verdict, attempt: { before, made } = {} }) =>
    made !== undefined && before !== undefined && verdict !== 'recorded_made' ? before + made.sum : null,
  ),
  field('log_id', 'text', ({ attempt }) => attempt?.logId),
  field('change', 'id', ({ attempt }) => attempt?.change),
  field('operator', 'text', ({ attempt }) => attempt?.operator),
];

/** The columns of a report. `Plan.columns` come last, as `input.TITLE`. */
export function reportColumns(plan: Pick<Plan, 'columns'>): readonly Column[] {
  return [...ownColumns, ...inputColumnsOf(plan)];
}

/**
 * The titles of a file as they are shown: under redaction, a title that paydesk does not know becomes `column 3`, since it may be
 * a name.
 */
export function shownTitles(
  { redaction }: Context,
  { columns }: Pick<Plan, 'columns'>,
): Pick<Plan, 'columns'> {
  if (!redaction.isOn()) return { columns };
  return { columns: columns.map((title, at) => (isInputTitle(title) ? title : `column ${at + 1}`)) };
}

/** The columns of the input file that paydesk does not use, as `input.TITLE`. */
export function inputColumnsOf({ columns }: Pick<Plan, 'columns'>): readonly Column[] {
  return columns.map((title) => ({
    name: `input.${title}`,
    title: title.toUpperCase(),
    kind: 'text',
    value: ({ input }) => (isObject(input) && Object.hasOwn(input, title) ? input[title] : undefined),
  }));
}

/**
 * The cells of those columns by their titles. The object is made from entries, so that a title such as __proto__ is a field like
 * any other.
 */
export function inputOf(
  cells: readonly string[] | undefined,
  { columns }: Pick<Plan, 'columns'>,
): JsonObject {
  return Object.fromEntries(columns.map((title, index) => [title, cells?.[index] ?? '']));
}

/** A row of the report as a flat record. Times are Unix seconds. */
export function reportRecord(report: RowReport, plan: Pick<Plan, 'columns'>): JsonObject {
  const { row } = report;
  return {
    ...recordFrom('refund_row', ownColumns, report),
    number: row.number,
    input: inputOf(row.more, plan),
  };
}
