/** `refunds plan`: checks a file of refunds as a whole, reads every order, and writes a plan. Sends nothing. */

import type { OpenService } from '../../../api/api.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { CliError, orElse, systemCode, withParts } from '../../../errors.ts';
import { withoutFolder } from '../../../io.ts';
import {
  anyWord,
  type ControlTotals,
  duplicateProblems,
  type InputProblem,
  type InputRow,
  isCurrencyTitle,
  isInputTitle,
  isTicketTitle,
  type Plan,
  type PlanHead,
  type PlanRow,
  saysNothing,
} from '../../../plans/plans.ts';
import { commandLine, type Profile } from '../../../profiles/profiles.ts';
import type { Delimiter } from '../../../terminal/terminal.ts';
import { missingIn, requiredBy, tooShort } from '../../may-change.ts';
import { planMadeWords, rowsAndSums } from '../batch-words.ts';
import {
  checkWritten,
  freeName,
  lookAtOrders,
  type RefusedFile,
  referenceProblems,
  refuseProblems,
  sayReferences,
  sayUnread,
} from '../bulk-files.ts';
import { ordersOf } from '../found-orders.ts';
import { plannedProblems } from '../input-amounts.ts';
import { checkControlTotals, checkPlanLimits } from '../plan-checks.ts';
import { readOrders } from '../read-orders.ts';
import { reportPlan } from '../report-plan.ts';
import type { RowsAsked } from './plan-row.ts';
import { rowsOfOrders } from './plan-rows.ts';

/** How a plan is made, and where it goes. */
export interface PlanHow extends Pick<RowsAsked, 'allocation' | 'allowed' | 'again'> {
  readonly to: string;
  readonly force: boolean;
  readonly expected: ControlTotals;
}

interface PlanAsked extends PlanHow, RefusedFile {
  readonly delimiter: Delimiter | undefined;
  readonly sheet: string | undefined;
}

/** Makes a plan from a file. Throws CliError 'usage' for a file with errors, after it has printed all of them. */
export async function planFile(ctx: Context, service: OpenService, asked: PlanAsked): Promise<Plan> {
  const { profile } = service;
  await checkWritten(ctx, { '--to': asked.to, '--errors': asked.errors }, { 'the input file': asked.file });
  const { settings } = profile;
  const referenceKeys = settings['reference.keys'];
  const input = await ctx.plans.input(asked.file, {
    ...asked,
    for: 'plan',
    amounts: settings,
    referenceKeys,
  });
  sayUnread(ctx, { ...input, unread: input.unread.filter((title) => !isTicketTitle(title)) });
  if (input.unmarked > 0)
    ctx.notes.note(`${counted(input.unmarked, 'row')} without an amount to refund: not in the plan`);
  const more = input.columns.flatMap((title, index) => (isInputTitle(title) ? [] : [index]));
  const titles = more.map((index) => input.columns[index] ?? '');
  const isAdded = !titles.some(isCurrencyTitle) && input.rows.some(({ currency }) => currency !== undefined);
  const columns = isAdded ? [...titles, 'currency'] : titles;
  // A currency beside the amount goes into the currency column, so that it is compared with the order whenever the plan is made
  // anew.
  const cellIn = ({ cells, currency = '' }: InputRow, index: number): string => {
    const cell = cells[index] ?? '';
    return isCurrencyTitle(input.columns[index] ?? '') && saysNothing(cell) ? currency : cell;
  };
  const head = newHead(ctx, profile, { file: asked.file, columns, again: asked.again });
  const twice = duplicatesIn(input.rows);
  const inForm = [...input.problems, ...requiredProblems(input.rows, profile), ...twice];
  const { rows, unnamed } = await lookAtOrders(ctx, input, inForm, asked, async () => {
    const orders = await readOrders(ctx, service, ordersOf(input.rows));
    const noOrder = referenceProblems(input.rows, orders);
    const lines = new Set(noOrder.map(({ line }) => line));
    const named = input.rows.filter(({ line }) => !lines.has(line));
    sayReferences(ctx, named, orders);
    const planned = await rowsOfOrders(ctx, service, named, orders, {
      ...asked,
      profile,
      planId: head.id,
      nowMs: service.seenDate?.()?.date,
      moreOf: (row) => [...more.map((index) => cellIn(row, index)), ...(isAdded ? [row.currency ?? ''] : [])],
    });
    return { rows: planned, unnamed: [...noOrder, ...plannedProblems(named, planned, profile.settings)] };
  });
  const linesTwice = new Set(twice.map(({ line }) => line));
  const found = [...inForm, ...unnamed, ...duplicatesIn(rows).filter(({ line }) => !linesTwice.has(line))];
  await refuseProblems(ctx, input, withStopped(found, rows), asked);
  if (asked.errors !== undefined)
    ctx.notes.note(`${asked.errors} was not written: nothing is wrong with the file itself`);
  try {
    return await keepPlan(ctx, profile, head, rows, asked);
  } catch (error) {
    throw await withPlanThere(ctx, profile, asked.to, error);
  }
}

// Somebody who applies the plan that is there must not take it for the one that was not written.
async function withPlanThere(
  ctx: Context,
  { settings }: Profile,
  path: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof CliError) || systemCode(error.cause) !== 'EEXIST') return error;
  const there = await ctx.plans.open(path).catch(orElse(() => undefined));
  if (there === undefined) return error;
  return withParts(error, {
    now: [
      `it is another plan, ${planMadeWords(there, ctx.days.full(there.madeAt))}: ${rowsAndSums(there.rows, settings)}`,
      `name another file (--to ${await freeName(ctx, path, 'plan')}); --force replaces it`,
    ],
  });
}

// For a file with errors, everything is reported at once: also which of the other rows would not be sent, but not those that are
// in the file twice.
function withStopped(found: readonly InputProblem[], rows: readonly PlanRow[]): readonly InputProblem[] {
  if (found.length === 0) return [];
  const wrong = new Set(found.map(({ line }) => line));
  const stopped = rows.filter(
    ({ state, line }) => (state === 'look' || state === 'impossible') && !wrong.has(line),
  );
  // Parts of one row have the same line.
  const byLine = new Map(stopped.map((row) => [row.line, row]));
  const repeats = new Map(
    stopped.flatMap(({ line, repeats: name }) => (name === undefined ? [] : [[line, name]])),
  );
  return [
    ...found,
    ...[...byLine.values()].map(({ line, orderId, state, why = '' }): InputProblem => {
      const named = why.includes(orderId) ? why : `${orderId}: ${why}`;
      const words = state === 'look' ? `look at it first: ${named}` : named;
      return { line, column: undefined, words, repeats: repeats.get(line) };
    }),
  ];
}

function newHead(
  ctx: Context,
  profile: Profile,
  { file, columns, again }: Pick<PlanHead, 'file' | 'columns' | 'again'>,
): PlanHead {
  const { origin, account, name, mode } = profile;
  return {
    id: ctx.plans.newId(),
    madeAt: ctx.clock.now(),
    origin,
    account,
    profile: name,
    mode,
    operator: ctx.plans.operator,
    file: withoutFolder(file),
    columns,
    refreshes: undefined,
    again,
  };
}

/**
 * Makes a plan from a single row, without a file: an amount that is spread over the charges of an order. Throws CliError
 * 'refused' if not all of it can be sent.
 */
export async function planOrder(
  ctx: Context,
  service: OpenService,
  row: Pick<InputRow, 'amount' | 'reason' | 'note'> & { readonly orderId: string },
  how: PlanHow,
  withAgain: (names: readonly string[]) => string,
): Promise<Plan> {
  const { profile } = service;
  await checkWritten(ctx, { '--to': how.to }, {});
  const orders = await readOrders(ctx, service, ordersOf([row]));
  const head = newHead(ctx, profile, {
    file: `orders refund ${row.orderId}`,
    columns: [],
    again: how.again,
  });
  const input = {
    ...row,
    line: 1,
    reference: undefined,
    charge: anyWord,
    ref: '',
    again: [],
    asks: undefined,
    cells: [],
  };
  const rows = await rowsOfOrders(ctx, service, [input], orders, {
    ...how,
    profile,
    planId: head.id,
    nowMs: service.seenDate?.()?.date,
    moreOf: () => [],
  });
  const stopped = rows.find(({ state }) => state === 'look' || state === 'impossible');
  // One part that repeats a refund stops them all.
  const again = new Set(rows.flatMap(({ repeats }) => repeats ?? []));
  if (stopped !== undefined)
    throw new CliError('refused', stopped.why ?? 'it cannot be refunded', {
      ownCode: 'cannot_be_spread',
      certain: 'nothing was sent, and no plan was written',
      now: [
        commandLine(profile, 'orders', 'show', row.orderId),
        ...(again.size > 1 ? [`if ${again.size} refunds should be made once more:`] : []),
        ...(again.size > 0 ? [withAgain([...how.again, ...again])] : []),
      ],
    });
  return keepPlan(ctx, profile, head, rows, how);
}

/** Whether the plan in a file asks for just the same as `planOrder` would, and nothing of it was sent. */
export async function isUnsentPlanOf(
  ctx: Context,
  path: string,
  { orderId, amount, reason, note }: Parameters<typeof planOrder>[2],
): Promise<boolean> {
  const plan = await ctx.plans.open(path);
  const isSame = plan.rows.every(
    (row) => row.orderId === orderId && row.reason === reason && row.note === note && row.state === 'ready',
  );
  const sum = plan.rows.reduce((all, row) => all + row.sum, 0);
  if (plan.file !== `orders refund ${orderId}` || !isSame || sum !== amount) return false;
  return (await reportPlan(ctx, plan)).every(({ attempt }) => attempt === undefined);
}

/** Checks a plan as a whole, and writes it. With --dry-run it is checked only. */
export async function keepPlan(
  ctx: Context,
  profile: Profile,
  head: PlanHead,
  rows: readonly PlanRow[],
  { to, force, expected }: PlanHow,
): Promise<Plan> {
  checkControlTotals(rows, expected, 'nothing was sent, and no plan was written');
  checkPlanLimits(rows, profile);
  if (ctx.options.dryRun) return { ...head, rows, digest: '' };
  return ctx.plans.save(to, head, rows, force);
}

// ── The file ────────────────────────────────────────────────────────────────────────────────────

function requiredProblems(rows: readonly InputRow[], profile: Profile): readonly InputProblem[] {
  const { settings } = profile;
  return rows.flatMap((row) =>
    missingIn(settings, row).map((column) => ({
      line: row.line,
      column,
      words: `${column} ${row[column] === undefined ? 'is blank' : tooShort(settings)}: ${requiredBy([column], profile)}`,
    })),
  );
}

function duplicatesIn(
  rows: readonly (Pick<InputRow, 'line' | 'orderId' | 'charge' | 'ref'> & {
    readonly chargeId?: string | undefined;
  })[],
): readonly InputProblem[] {
  return duplicateProblems(
    rows.flatMap(({ line, orderId, charge, chargeId, ref }) =>
      orderId === undefined ? [] : [{ line, orderId, reference: undefined, charge: chargeId ?? charge, ref }],
    ),
  );
}
