/** Sends one row of a plan, through the same journal and the same guards as a single refund. */

import type { OpenService } from '../../api/api.ts';
import { isKeyRefusal } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, LimitRefusal, type Outcome } from '../../journal/journal.ts';
import type { Plan, PlanRow, RowEnd } from '../../plans/plans.ts';
import type { Notes } from '../../terminal/terminal.ts';
import { changeOfRow } from './row-change.ts';
import { dryRunWords, isSentAnew } from './row-verdicts.ts';

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
}

/** What the rows of a run have in common. */
export interface BatchRun {
  /** Rows whose outcome the journal knew. */
  known: number;
  /** Rows that this run sent and that may have been made. */
  sent: number;
  /** Of these, the rows of which nobody knows yet whether they were made. */
  open: number;
  /** The rows that are being read or sent right now. */
  inFlight: number;
  /** The rows for which the service could not be reached, by their numbers, and why. */
  readonly away: Map<number, string>;
  /** The refunds that charges had already, equal to the ones of their rows. */
  readonly equal: Set<string>;
  /** Rows one after the other for which the service could not be reached. */
  unreached: number;
  /** The kind of the error that stopped the batch: the key was refused, the service is away, or the journal cannot be used. */
  stoppedBy: 'auth' | 'network' | 'refused' | undefined;
  /** What is wrong with the journal. Without it nothing is sent. */
  journal: CliError | undefined;
}

// After so many the service counts as away.
const unreachedMax = 3;

/**
 * Sends a row, unless the journal knows its outcome. Every outcome but an interruption and a failing program becomes a
 * `RowEnd`.
 */
export async function sendRow(sending: Sending, row: PlanRow): Promise<SentRow> {
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
    return { end: { ...known, isKnown: true }, notSent: undefined };
  }
  try {
    const outcome = await ctx.change(changeOfRow(sending, row, attempts, last));
    sending.run.unreached = 0;
    sayUnrecorded(ctx, row, outcome);
    return endOf(outcome, sending.run);
  } catch (error) {
    // Stopped before it was sent. Rows in flight go on, and then the batch reports.
    if (ctx.stopAsked.aborted && isStop(error, ctx))
      return { end: { how: 'failed' }, notSent: undefined, isStopped: true };
    if (!(error instanceof CliError) || !kindsOfRow.includes(error.kind)) throw error;
    if (await isOfJournal(ctx, error)) return stoppedByJournal(sending, error);
    if (error.kind === 'network') sending.run.away.set(row.number, error.message);
    if (error.parts.equalTo !== undefined) sending.run.equal.add(error.parts.equalTo);
    return { end: { how: 'failed', stops: stopOf(sending, error) }, notSent: error.message };
  }
}

// Errors that concern one row only. Everything else stops the batch.
const kindsOfRow: readonly string[] = ['refused', 'not_found', 'network', 'rejected', 'reply', 'auth'];

function isStop(error: unknown, { stopAsked }: Pick<Context, 'stopAsked'>): boolean {
  const { cause } = error instanceof CliError ? error : {};
  return error === stopAsked.reason || cause === stopAsked.reason;
}

// A journal that is not whole refuses every row, and so does one that cannot be written: then the system says why.
async function isOfJournal({ journal }: Context, { kind, cause }: CliError): Promise<boolean> {
  if (kind !== 'refused') return false;
  const isOfSystem = cause instanceof Error && !(cause instanceof CliError);
  return isOfSystem || (await journal.problem()) !== undefined;
}

// The batch says it once, so the row has no words of its own.
function stoppedByJournal({ run }: Sending, error: unknown): SentRow {
  if (!(error instanceof CliError)) throw error;
  run.journal ??= error;
  run.stoppedBy ??= 'refused';
  return { end: { how: 'failed', stops: run.journal.message }, notSent: undefined, isStopped: true };
}

// The journal cannot say it later.
function sayUnrecorded({ notes }: Context, { line, orderId }: PlanRow, outcome: Outcome): void {
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

// A row is sent again only if it certainly was not made: it was not sent, a person recorded that, or another plan tried it.
function endOfKnown({ plan }: Sending, row: PlanRow, last: AttemptRecord): RowEnd | undefined {
  const verdict = last.verdicts.at(-1);
  if (verdict?.alarm !== undefined) return { how: 'unknown' };
  if (verdict?.verdict === 'applied') return { how: 'applied' };
  if (verdict?.verdict === 'not_sent') return undefined;
  if (verdict?.verdict !== 'rejected' || verdict.confirmed === false) return { how: 'unknown' };
  return isSentAnew(plan, row, last) ? undefined : { how: 'failed' };
}

// Assumed: a service that wants fewer requests (HTTP 429) and does not say for how long means a few seconds.
const usualWaitMs = 5000;

function waitOf({ head }: Exclude<Outcome, { verdict: 'dry_run' }>): number | undefined {
  return head?.status === 429 ? (head.retryAfterMs ?? usualWaitMs) : undefined;
}

function endOf(outcome: Outcome, run: BatchRun): SentRow {
  if (outcome.verdict === 'dry_run') return { end: { how: 'failed' }, notSent: dryRunWords };
  const waitMs = waitOf(outcome);
  if (outcome.alarm !== undefined || outcome.verdict === 'applied' || isOpenEnd(outcome)) run.sent += 1;
  if (isOpenEnd(outcome)) run.open += 1;
  // What the journal does not hold is unconfirmed in every report.
  if (outcome.alarm !== undefined || outcome.unrecorded !== undefined)
    return { end: { how: 'unknown', waitMs }, notSent: undefined };
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
