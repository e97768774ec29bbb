/** What the journal is asked to send for a row of a plan, and the last look at its order before that. */

import { type JsonObject, paths } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, attemptName, type Change } from '../../journal/journal.ts';
import { fullWord, type Plan, type PlanRow, planText } from '../../plans/plans.ts';
import { driftOf } from '../money-changed.ts';
import { planRefund } from '../refund/refund-plan.ts';
import type { Sending } from './send-row.ts';

/** The change of a row. `attempts`: all at its order; `last`: the last one at the row itself. */
export function changeOfRow(
  sending: Sending,
  row: PlanRow,
  attempts: readonly AttemptRecord[],
  last: AttemptRecord | undefined,
): Change {
  const { plan, keys, waiting } = sending;
  const { orderId, expected, tolerated, currency, reason, note, body = {}, key, ref, line, neighbour } = row;
  const own = attempts.filter((record) => madeByPlan(record, plan, keys));
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
    ofPlan: { digest: plan.digest, text: () => planText(plan) },
    waiting,
    neighbour,
    checkFresh: ({ value }) => refuseChanged(sending, row, own, value),
  };
}

/** Whether an attempt made a refund of this plan. `keys`: those of the rows of the plan. */
export function madeByPlan(
  { sent, verdicts }: AttemptRecord,
  { id }: Pick<Plan, 'id'>,
  keys: ReadonlySet<string>,
): boolean {
  return verdicts.at(-1)?.verdict === 'applied' && (sent.plan === id || keys.has(sent.idempotencyKey ?? ''));
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

// Whoever names a refused attempt also repeats what that one named, and a name can be used only once.
function againOf(row: PlanRow, last: AttemptRecord | undefined): readonly string[] {
  if (last?.verdicts.at(-1)?.verdict !== 'rejected') return row.again;
  return [...row.again.filter((name) => last.sent.again?.includes(name) !== true), attemptName(last)];
}

// The last look at an order before its row is sent. `own`: the refunds of this plan that it has by now.
async function refuseChanged(
  { ctx, service }: Sending,
  { orderId, chargeId, amount, reason, note, again, before, expected, body, sum }: PlanRow,
  own: readonly AttemptRecord[],
  order: JsonObject,
): Promise<void> {
  const { profile } = service;
  const drift = before === undefined ? 'its money was not read' : driftOf(before, order, own, profile);
  if (drift !== undefined) throw changed(orderId, drift);
  // Rows of this plan may be equal on purpose. The journal refuses an equal refund of anybody else.
  const made = own.flatMap(({ sent, verdicts }) => [
    ...(sent.again ?? []),
    ...(verdicts.at(-1)?.refunds ?? []).flatMap(({ id }) => id ?? []),
  ]);
  const wanted = { charge: chargeId, amount: amount === fullWord ? undefined : amount, reason, note };
  // With a clock that is ahead, the refunds of today would be those of an earlier day, and the limit of a day would not count them.
  const { time } = await ctx.journal.now(service);
  const fresh = planRefund({ ...wanted, again: [...again, ...made] }, order, profile, {
    nowMs: Math.min(ctx.clock.now(), time),
  });
  // Also the body and the sum: somebody may have written the plan with a program, and its reader cannot know what an order has.
  const planned = [body, expected, sum];
  if (JSON.stringify([fresh.body, fresh.expected, fresh.amount]) !== JSON.stringify(planned))
    throw changed(orderId, 'the refund would not be the same any more');
}

function changed(orderId: string, what: string): CliError {
  return new CliError('refused', `${orderId} changed since the plan was made: ${what}`, {
    certain: 'nothing was sent',
  });
}
