/** Sends one row of a plan, through the same journal and the same guards as a single refund. */

import type { OpenService, WireRecord } from '../../api/api.ts';
import { isKeyRefusal, paths } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  type Intent,
  LimitRefusal,
  type Outcome,
  type RowClaim,
} from '../../journal/journal.ts';
import { fullWord, type Plan, type PlanRow, type RowEnd } from '../../plans/plans.ts';
import type { Notes } from '../../terminal/terminal.ts';
import { planRefund } from '../refund/refund-plan.ts';
import { driftOf } from './drift.ts';
import { isSentAnew } from './row-verdicts.ts';

/** How a row ended: for the batch, and for the report if the journal holds nothing of it. */
export interface SentRow {
  readonly end: RowEnd;
  readonly notSent: string | undefined;
  /** The run was stopped before the row was sent, so it has not ended. */
  readonly isStopped?: true;
}

/** What a batch sends its rows with. */
export interface Sending {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly plan: Plan;
  /** The keys of its rows. */
  readonly keys: ReadonlySet<string>;
  /** What happened so far in this run. */
  readonly run: BatchRun;
  /** Called when a row waits for the service, as `Notes.waiting` is; `atOnce` when its order is read again. */
  readonly waiting: Notes['waiting'];
  /** With a team: what says that this desk works on a row. */
  readonly claimOf?: ((row: PlanRow) => RowClaim | undefined) | undefined;
}

/** Why a dry run does not send a row that can be sent. */
export const dryRunWords = 'dry run: it would be sent';

/** What the rows of a run have in common. */
export interface BatchRun {
  /** Rows whose outcome the journal knew. */
  known: number;
  /** Rows that this run sent and that may have been made. */
  sent: number;
  /** Rows one after the other for which the service could not be reached. */
  unreached: number;
  /** The kind of the error that stopped the batch: the key was refused, or the service is away. */
  stoppedBy: 'auth' | 'network' | undefined;
}

// After so many the service counts as away.
const unreachedMax = 3;

/**
 * Sends a row, unless the journal knows its outcome. Every outcome but an interruption and a failing program becomes a
 * `RowEnd`.
 */
export async function sendRow(sending: Sending, row: PlanRow): Promise<SentRow> {
  const { ctx, service } = sending;
  const attempts = await ctx.journal.attemptsOf(service, row.orderId);
  const last = attempts.findLast(({ sent }) => sent.given === row.key);
  const known = last && (await endOfKnown(sending, row, last));
  if (known !== undefined) {
    sending.run.known += 1;
    return { end: { ...known, isKnown: true }, notSent: undefined };
  }
  try {
    const outcome = await ctx.change(intentOf(sending, row, attempts, last));
    sending.run.unreached = 0;
    return endOf(outcome, sending.run);
  } catch (error) {
    // Stopped before it was sent. Rows in flight go on, and then the batch reports.
    if (ctx.stopAsked.aborted && isStop(error, ctx))
      return { end: { how: 'failed' }, notSent: undefined, isStopped: true };
    if (!(error instanceof CliError) || !kindsOfRow.includes(error.kind)) throw error;
    return { end: { how: 'failed', stops: stopOf(sending, error) }, notSent: error.message };
  }
}

// Errors that concern one row only. Everything else stops the batch.
const kindsOfRow: readonly string[] = ['refused', 'not_found', 'network', 'rejected', 'reply', 'auth'];

function isStop(error: unknown, { stopAsked }: Pick<Context, 'stopAsked'>): boolean {
  const { cause } = error instanceof CliError ? error : {};
  return error === stopAsked.reason || cause === stopAsked.reason;
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

// A row is sent again only if it certainly was not made: it was not sent, a person recorded that, or another plan tried it.
async function endOfKnown(
  { ctx, plan }: Sending,
  row: PlanRow,
  last: AttemptRecord,
): Promise<RowEnd | undefined> {
  const verdict = last.verdicts.at(-1);
  if (verdict?.alarm !== undefined) return { how: 'unknown' };
  if (verdict?.verdict === 'applied') return { how: 'applied' };
  if (verdict?.verdict === 'not_sent') return undefined;
  if (verdict?.verdict !== 'rejected' || ctx.journal.isOpen(last, await ctx.journal.now()))
    return { how: 'unknown' };
  return isSentAnew(plan, row, last) ? undefined : { how: 'failed' };
}

function intentOf(
  { ctx, service, plan, keys, waiting, claimOf }: Sending,
  row: PlanRow,
  attempts: readonly AttemptRecord[],
  last: AttemptRecord | undefined,
): Intent {
  const { profile } = service;
  const { orderId, chargeId, amount, reason, ref, note, body = {}, key, partOf, neighbour, before } = row;
  const own = attempts.filter(({ sent, verdicts }) => {
    const isApplied = verdicts.at(-1)?.verdict === 'applied';
    return isApplied && (sent.plan === plan.id || keys.has(sent.given ?? ''));
  });
  // Whoever names a refused attempt also repeats what that one named, and a name can be used only once.
  const refused = last?.verdicts.at(-1)?.verdict === 'rejected' ? last : undefined;
  const again = [
    ...row.again.filter((name) => refused?.sent.again?.includes(name) !== true),
    ...(refused === undefined ? [] : [attemptName(refused)]),
  ];
  // A row of --rest is the same row that was tried as a part of a spread amount, and it stays a part of it.
  const whole = last === undefined ? partOf : last.sent.asked?.part_of;
  const asked = {
    order: orderId,
    charge: chargeId ?? null,
    amount,
    ref,
    ...(whole === undefined ? {} : { part_of: whole }),
  };
  const approve = async ({ value }: WireRecord) => {
    const drift = before === undefined ? 'its money was not read' : driftOf(before, value, own, profile);
    if (drift !== undefined) throw changed(orderId, drift);
    const wanted = { charge: chargeId, amount: amount === fullWord ? undefined : amount, reason, note };
    // Rows of this plan may be equal on purpose. The journal refuses an equal refund of anybody else.
    const made = own.flatMap(({ sent, verdicts }) => [
      ...(sent.again ?? []),
      ...(verdicts.at(-1)?.refunds ?? []).flatMap(({ id }) => id ?? []),
    ]);
    // With a clock that is ahead, the refunds of today would be those of an earlier day, and the limit of a day would not count them.
    const { time } = await ctx.journal.now(service);
    const fresh = planRefund({ ...wanted, again: [...row.again, ...made] }, value, profile, {
      nowMs: Math.min(ctx.clock.now(), time),
    });
    if (JSON.stringify(fresh.expected) !== JSON.stringify(row.expected))
      throw changed(orderId, 'it would be another refund now');
  };
  return {
    kind: 'refund',
    orderId,
    request: { method: 'POST', path: paths.refunds(orderId), body },
    expected: row.expected,
    tolerated: row.tolerated,
    amount: row.sum,
    currency: row.currency,
    reason,
    note,
    intentId: key,
    asked,
    again,
    ref,
    plan: plan.id,
    line: row.line,
    claim: claimOf?.(row),
    waiting,
    neighbour,
    approve,
  };
}

// Assumed: a service that wants fewer requests (HTTP 429) and does not say for how long means a few seconds.
const usualWaitMs = 5000;

function waitOf({ head }: Exclude<Outcome, { verdict: 'dry_run' }>): number | undefined {
  return head?.status === 429 ? (head.retryAfterMs ?? usualWaitMs) : undefined;
}

function changed(orderId: string, what: string): CliError {
  return new CliError('refused', `${orderId} changed since the plan was made: ${what}`, {
    certain: 'nothing was sent',
  });
}

function endOf(outcome: Outcome, run: BatchRun): SentRow {
  if (outcome.verdict === 'dry_run') return { end: { how: 'failed' }, notSent: dryRunWords };
  const waitMs = waitOf(outcome);
  if (outcome.alarm !== undefined || outcome.verdict === 'applied' || isOpenEnd(outcome)) run.sent += 1;
  if (outcome.alarm !== undefined) return { end: { how: 'unknown', waitMs }, notSent: undefined };
  switch (outcome.verdict) {
    case 'applied':
      return { end: { how: 'applied', waitMs }, notSent: undefined };
    case 'not_sent':
      return { end: { how: 'failed' }, notSent: outcome.reason };
    case 'rejected': {
      const isKey = isKeyRefusal(outcome.parts.httpStatus);
      if (isKey) run.stoppedBy = 'auth';
      const stops = isKey ? 'the service did not accept the key' : undefined;
      return { end: { how: outcome.confirmed ? 'failed' : 'unknown', stops }, notSent: undefined };
    }
    default:
      return { end: { how: 'unknown', waitMs }, notSent: undefined };
  }
}

function isOpenEnd({ verdict }: Outcome): boolean {
  return verdict === 'unknown' || verdict === 'not_seen';
}
