/**
 * Sends the rows of a plan, on this machine or at the sender of a team. Each is sent through the same journal and the same guards as a
 * single refund, after a last look at its order.
 */

import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { isKeyRefusal, paths } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  type Change,
  LimitRefusal,
  type Outcome,
  type Released,
  recordedState,
  unshownRefunds,
} from '../../journal/journal.ts';
import { gaveNothing } from '../../orders/orders.ts';
import {
  type BatchRun,
  type BatchStop,
  fullWord,
  type HowWorked,
  isTicketTitle,
  type Plan,
  type PlanRow,
  type RowEnd,
  type RowTold,
  runBatch,
} from '../../plans/plans.ts';
import type { Notes } from '../../terminal/terminal.ts';
import { driftOf } from '../money-changed.ts';
import { decideRefund } from '../refund/decide-refund.ts';
import { countingAt } from '../refund/refund-limit.ts';
import { idsMadeBy, madeByRows } from './own-rows.ts';
import { dryRunWords, isSentAnew } from './row-verdicts.ts';

/** What it takes to send many rows, besides what a row needs. */
interface WorkedOff extends Omit<Sending, 'keys'> {
  readonly rows: readonly PlanRow[];
  readonly how: HowWorked;
  readonly tell: (row: RowTold) => void;
}

/** Sends the rows, each at most once. Returns why it stopped before the last one; undefined if it did not. */
export async function workOff({ rows, how, tell, ...sending }: WorkedOff): Promise<BatchStop | undefined> {
  const { plan, run, ctx } = sending;
  const keys = new Set(plan.rows.map(({ key }) => key));
  const byOrder = Map.groupBy(rows, ({ orderId }) => orderId);
  return await runBatch({
    groups: [...byOrder.values()],
    concurrency: how.concurrency,
    maxFailures: how.maxFailures,
    clock: ctx.clock,
    signal: ctx.stopAsked,
    send: async (row, lost) => {
      const waiting: Sending['waiting'] = (text, isRead) => {
        if (isRead) lost();
        return sending.waiting(text, isRead);
      };
      run.inFlight += 1;
      const end = await sendRow({ ...sending, keys, waiting }, row).finally(() => {
        run.inFlight -= 1;
      });
      const { notSent: why, isStopped = false } = end;
      if (isStopped) return end;
      tell({ row: row.number, how: endedAs(end), why, ...(end.isKnown === true ? { isKnown: true } : {}) });
      // A dry run looks only at the first row of an order, since the order is not yet as it will be when the others are sent.
      const others = why === dryRunWords ? (byOrder.get(row.orderId) ?? []) : [];
      for (const { number } of others) if (number !== row.number) tell({ row: number, how: 'not_sent', why });
      return end;
    },
  });
}

function endedAs({ how, notSent }: RowEnd): RowTold['how'] {
  if (how === 'applied') return 'applied';
  if (how === 'unknown') return 'unconfirmed';
  return notSent === undefined ? 'refused' : 'not_sent';
}

/** The part of a context that it takes to send rows: the context of a run, or what a sender has for a plan. */
export interface SendingContext extends Pick<Context, 'clock' | 'signal' | 'stopAsked' | 'change'> {
  readonly notes: Pick<Notes, 'warn' | 'progress'>;
  readonly journal: Pick<Context['journal'], 'attempts' | 'attemptsOf' | 'problem' | 'now' | 'reconcile'>;
}

/** What a batch sends its rows with. */
export interface Sending {
  readonly ctx: SendingContext;
  readonly service: OpenService;
  readonly plan: Plan;
  readonly released?: Released | undefined;
  readonly skippedHoldMs?: number | undefined;
  readonly keys: ReadonlySet<string>;
  /** What happened so far in this run. */
  readonly run: BatchRun;
  /** Called when a row waits for the service, like `Notes.waiting`; with `atOnce` when its order is read again. */
  readonly waiting: Notes['waiting'];
}

// After this many rows in a row could not reach the service, it counts as away.
const unreachedMax = 3;

/** Sends a row, unless the journal knows its outcome. Every outcome but an interruption and a failing program becomes a `RowEnd`. */
async function sendRow(sending: Sending, row: PlanRow): Promise<RowEnd> {
  const { ctx, service } = sending;
  let attempts: readonly AttemptRecord[];
  try {
    attempts = await ctx.journal.attemptsOf(service, row.orderId);
  } catch (error) {
    return stoppedByJournal(sending, error);
  }
  const last = attempts.findLast(({ sent }) => sent.idempotencyKey === row.key);
  const known = last && endOfKnown(sending, row, last);
  if (known !== undefined) {
    sending.run.known += 1;
    return { ...known, isKnown: true };
  }
  try {
    const own = madeByRows(attempts, { planId: sending.plan.id, keys: sending.keys });
    const outcome = await ctx.change(changeOfRow(sending, row, last), {
      waiting: sending.waiting,
      checkFresh: ({ value }) => refuseChanged(sending, row, own, value),
    });
    sending.run.unreached = 0;
    sayUnrecorded(ctx, row, outcome);
    return endOf(outcome, sending.run);
  } catch (error) {
    // Stopped before it was sent. Rows in flight go on, and then the batch reports.
    if (ctx.stopAsked.aborted && isStop(error, ctx)) return { how: 'failed', isStopped: true };
    if (!(error instanceof CliError) || !kindsOfRow.includes(error.kind)) throw error;
    if (await isOfJournal(ctx, error)) return stoppedByJournal(sending, error);
    if (error.kind === 'network') sending.run.away.set(row.number, error.message);
    if (error.parts.equalTo !== undefined) sending.run.equal.add(error.parts.equalTo);
    return { how: 'failed', stops: stopOf(sending, error), notSent: error.message };
  }
}

// Errors that concern one row only. Everything else stops the batch.
const kindsOfRow: readonly string[] = ['refused', 'not_found', 'network', 'rejected', 'reply', 'auth'];

function isStop(error: unknown, { stopAsked }: Pick<SendingContext, 'stopAsked'>): boolean {
  const { cause } = error instanceof CliError ? error : {};
  return error === stopAsked.reason || cause === stopAsked.reason;
}

// Whether the journal is why a row was refused. A journal that is not whole refuses every row, and so does one that cannot be
// written, with an error of the system.
async function isOfJournal({ journal }: SendingContext, { kind, cause }: CliError): Promise<boolean> {
  if (kind !== 'refused') return false;
  const isOfSystem = cause instanceof Error && !(cause instanceof CliError);
  return isOfSystem || (await journal.problem()) !== undefined;
}

// The batch says it once, so the row has no words of its own.
function stoppedByJournal({ run }: Sending, error: unknown): RowEnd {
  if (!(error instanceof CliError)) throw error;
  run.journal ??= error;
  run.stoppedBy ??= 'refused';
  return { how: 'failed', stops: run.journal.message, isStopped: true };
}

// The journal cannot say it later.
function sayUnrecorded({ notes }: SendingContext, { line, orderId }: PlanRow, outcome: Outcome): void {
  if (outcome.verdict === 'dry_run' || outcome.unrecorded === undefined) return;
  const ids = outcome.refunds?.map(({ id }) => id ?? 'one without an id').join(' and ') ?? '';
  const what = outcome.verdict === 'applied' ? `was made (refund ${ids})` : `ended as ${outcome.verdict}`;
  notes.warn(`line ${line}, ${orderId}: the refund ${what}, and the journal may not have recorded that`);
}

// A refused key concerns every row, and so does a service that does not answer.
function stopOf({ run }: Sending, error: CliError): string | undefined {
  const { kind, message } = error;
  // What a person may refund in a day is used up, so every other row would be refused too.
  if (error instanceof LimitRefusal && error.finding.problem === 'day') return message;
  run.unreached = kind === 'network' ? run.unreached + 1 : 0;
  if (kind !== 'auth' && run.unreached < unreachedMax) return undefined;
  run.stoppedBy = kind === 'auth' ? kind : 'network';
  return message;
}

function endOfKnown({ plan }: Sending, row: PlanRow, last: AttemptRecord): RowEnd | undefined {
  if (isSentAnew(plan, row, last)) return undefined;
  const state = recordedState(last);
  if (last.verdicts.at(-1)?.alarm !== undefined || state === 'unconfirmed') return { how: 'unknown' };
  return { how: state === 'refused' || gaveNothing(state) ? 'failed' : 'applied' };
}

// Assumed: a service that wants fewer requests (HTTP 429) and does not say for how long means a few seconds.
const usualWaitMs = 5000;

function endOf(outcome: Outcome, run: BatchRun): RowEnd {
  if (outcome.verdict === 'dry_run') return { how: 'failed', notSent: dryRunWords };
  const waitMs = outcome.head?.status === 429 ? (outcome.head.retryAfterMs ?? usualWaitMs) : undefined;
  if (outcome.alarm !== undefined || outcome.verdict === 'applied' || isOpenEnd(outcome)) run.sent += 1;
  if (isOpenEnd(outcome)) run.open += 1;
  // What the journal does not hold is unconfirmed in every report.
  if (outcome.alarm !== undefined || outcome.unrecorded !== undefined) return { how: 'unknown', waitMs };
  switch (outcome.verdict) {
    case 'applied':
      return { how: 'applied', waitMs };
    case 'not_sent':
      return { how: 'failed', notSent: outcome.reason };
    case 'rejected': {
      const isKey = isKeyRefusal(outcome.parts.httpStatus);
      if (isKey) run.stoppedBy = 'auth';
      const stops = isKey ? 'the service did not accept the key' : undefined;
      return { how: outcome.confirmed ? 'failed' : 'unknown', stops };
    }
    default:
      return { how: 'unknown', waitMs };
  }
}

function isOpenEnd({ verdict }: Outcome): boolean {
  return verdict === 'unknown' || verdict === 'not_seen';
}

// The change of a row. `last`: the last attempt at it.
function changeOfRow(
  { plan, released, skippedHoldMs }: Sending,
  row: PlanRow,
  last: AttemptRecord | undefined,
): Change {
  const { orderId, expected, tolerated, currency, reason, note, body = {}, key, ref, line, neighbour } = row;
  return {
    kind: 'refund',
    orderId,
    request: { method: 'POST', path: paths.refunds(orderId), body },
    expected,
    tolerated,
    amount: row.sum,
    currency,
    reason,
    note,
    idempotencyKey: key,
    asked: askedOf(row, last),
    again: againOf(row, last),
    ref,
    plan: plan.id,
    line,
    ticket: ticketOf(plan, row),
    released,
    skippedHoldMs,
    neighbour,
  };
}

function ticketOf({ columns }: Pick<Plan, 'columns'>, { more }: PlanRow): string | undefined {
  const ticket = more[columns.findIndex(isTicketTitle)];
  return ticket === '' ? undefined : ticket;
}

// A row of --rest is the same row that was tried as a part of a spread amount, and it stays a part of it.
function askedOf(
  { orderId, chargeId, amount, ref, partOf }: PlanRow,
  last: AttemptRecord | undefined,
): JsonObject {
  const whole = last === undefined ? partOf : last.sent.asked?.part_of;
  return {
    order: orderId,
    charge: chargeId ?? null,
    amount,
    ref,
    ...(whole === undefined ? {} : { part_of: whole }),
  };
}

// Somebody who names a refused attempt also repeats what that one named, and a name can be used only once.
function againOf(row: PlanRow, last: AttemptRecord | undefined): readonly string[] {
  if (last?.verdicts.at(-1)?.verdict !== 'rejected') return row.again;
  return [...row.again.filter((name) => last.sent.again?.includes(name) !== true), attemptName(last)];
}

// The last look at an order before its row is sent. `own`: the refunds of this plan that it has by now.
async function refuseChanged(
  { ctx, service }: Sending,
  { orderId, chargeId, amount, reason, note, again, before, expected, body, sum, currency }: PlanRow,
  own: readonly AttemptRecord[],
  order: JsonObject,
): Promise<void> {
  const { profile } = service;
  const drift = before === undefined ? 'its money was not read' : driftOf(before, order, own, profile);
  if (drift !== undefined) throw changed(orderId, drift);
  // Rows of this plan may be equal on purpose. The journal refuses an equal refund of anybody else.
  const made = [...own.flatMap(({ sent }) => sent.again ?? []), ...idsMadeBy(own)];
  const wanted = { charge: chargeId, amount: amount === fullWord ? undefined : amount, reason, note };
  const attempts = await ctx.journal.attemptsOf(service, orderId);
  const counting = countingAt(service, unshownRefunds(attempts, order));
  const fresh = decideRefund({ ...wanted, again: [...again, ...made] }, order, profile, { counting });
  // Body, sum and currency are compared too: somebody may have written the plan with a program, and the code that reads it cannot
  // know what an order has.
  const { request, ...now } = fresh.change;
  const planned = [body, expected, sum, currency];
  if (JSON.stringify([request.body, now.expected, now.amount, now.currency]) !== JSON.stringify(planned))
    throw changed(orderId, 'the refund would not be the same any more');
}

function changed(orderId: string, what: string): CliError {
  return refused(`${orderId} has changed since the plan was made: ${what}`, [], 'order_changed');
}
