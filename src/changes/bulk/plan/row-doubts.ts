/** Says why a person must look at a row of a plan before it is sent, and which possible twins its order has. Pure. */

import type { OrderMoney } from '../../../api/charges.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { counted } from '../../../counted.ts';
import {
  type AttemptRecord,
  attemptName,
  blockedUntil,
  changeOf,
  sameJson,
  touches,
} from '../../../journal/journal.ts';
import { type KnownOrder, type KnownRefund, stateWhy, stopsRefund } from '../../../orders/orders.ts';
import type { PlanRow } from '../../../plans/plans.ts';
import { modeProblem, type Profile } from '../../../profiles/profiles.ts';
import { isOfDuplicate } from '../../refund/refund-checks.ts';
import { statusDoubts } from '../../refund/refund-warnings.ts';
import type { OrderOfRows, RowsAsked } from './plan-row.ts';
import type { Repeat } from './row-repeats.ts';

/** A possible twin of the order of a row. */
export interface TwinOfRow {
  readonly words: string;
  /** What `--again` must name if the buyer would get both payments back; undefined if not. */
  readonly name: string | undefined;
}

// What is known about the order of the row.
type OrderKnown = Pick<OrderOfRows, 'attempts' | 'isOpen' | 'twins' | 'known'> & {
  readonly order: JsonObject;
};
type Allowed = Pick<RowsAsked, 'profile' | 'planId' | 'allowed' | 'again'>;

/** Why a person must look first, and how to allow the row; undefined if there is nothing to look at. */
export function rowDoubt(
  row: Pick<PlanRow, 'key' | 'reason' | 'expected' | 'repeats'>,
  money: OrderMoney,
  { order, attempts, isOpen, twins, known }: OrderKnown,
  { profile, planId, allowed, again }: Allowed,
): Repeat | undefined {
  const refund = known && refundInTheWay(row, known, planId);
  const why =
    modeProblem(order, profile) ??
    otherChange(row, attempts, isOpen, profile) ??
    (refund && stateWhy(refund, money.currency, profile.settings, known));
  if (why !== undefined) return { why, name: row.repeats };
  const doubt =
    twinDoubt(row, twins, again) ?? cellDoubt(row, again) ?? neverArrivedDoubt(row, known, again, profile);
  if (doubt !== undefined) return doubt;
  const status = statusDoubt(money, allowed);
  return status === undefined ? undefined : { why: status, name: undefined };
}

// Nobody has answered the question mark in the cell `again` yet.
function cellDoubt(
  { repeats: name }: Pick<PlanRow, 'repeats'>,
  again: readonly string[],
): Repeat | undefined {
  if (name === undefined || again.includes(name)) return undefined;
  return {
    name,
    why: `its cell again asks about ${name}: if the row is meant besides that, take away the ? or add --again ${name}`,
  };
}

// The journal sends the same money again only if somebody names the attempt that nobody saw arrive.
function neverArrivedDoubt(
  { key, expected }: Pick<PlanRow, 'key' | 'expected'>,
  known: KnownOrder | undefined,
  again: readonly string[],
  { settings }: Profile,
): Repeat | undefined {
  const lost = known?.neverArrived.find(
    ({ sent }) => sent.idempotencyKey !== key && sameJson(sent.proof.expected, expected),
  );
  if (lost === undefined || again.includes(attemptName(lost))) return undefined;
  const name = attemptName(lost);
  return {
    name,
    why: `the ${changeOf(lost, settings)} was sent before and never arrived: to send it again, add --again ${name}`,
  };
}

// For example, a cashier's own e-mail address makes all orders within ten minutes twins of each other.
const twinsShown = 3;

/** The sentences about possible twins that a row is marked with. */
export function twinMarks(twins: readonly TwinOfRow[]): readonly string[] {
  const more = twins.length - twinsShown;
  const others = counted(more, 'more order');
  return [
    ...twins.slice(0, twinsShown).map(({ words }) => words),
    ...(more > 0 ? [`${others} of the same buyer and amount`] : []),
  ];
}

function otherChange(
  { key }: Pick<PlanRow, 'key'>,
  attempts: readonly AttemptRecord[],
  isOpen: (record: AttemptRecord) => boolean,
  { settings }: Profile,
): string | undefined {
  // Rows of a plan are sent one after the other, and an unconfirmed one stops those after it.
  const open = attempts.find(
    (record) => isOpen(record) && record.sent.idempotencyKey !== key && record.sent.plan === undefined,
  );
  if (open === undefined) return undefined;
  return `an earlier ${changeOf(open, settings)} is unconfirmed: paydesk journal reconcile ${open.sent.change}${untilOf(open)}`;
}

/** ` (until 2026-12-01 09:00 UTC at the latest)`; nothing if only a read or a person can end it. */
export function untilOf(record: AttemptRecord): string {
  const until = blockedUntil(record);
  if (until === undefined) return '';
  const [day, time = ''] = new Date(Math.ceil(until / 60_000) * 60_000).toISOString().split('T');
  return ` (until ${day} ${time.slice(0, 5)} UTC at the latest)`;
}

// The refund because of which the journal would refuse the row: one that nobody has dealt with, or one that a person recorded as
// made and that the order does not show. One of the latter kind from the same plan does not count, since it was meant in
// addition.
function refundInTheWay(
  { expected }: Pick<PlanRow, 'expected'>,
  { cases, refunds }: KnownOrder,
  planId: string,
): KnownRefund | undefined {
  const isStop = ({ state }: KnownRefund) =>
    state !== 'unconfirmed' && stopsRefund(state) && cases.some(({ is }) => is === state);
  const isUnshown = ({ state, attempt }: KnownRefund) =>
    state === 'recorded made' &&
    attempt?.sent.plan !== planId &&
    attempt !== undefined &&
    touches({ expected }, attempt);
  return refunds.find(isStop) ?? refunds.find(isUnshown);
}

function twinDoubt(
  { reason }: Pick<PlanRow, 'reason'>,
  twins: readonly TwinOfRow[],
  again: readonly string[],
): Repeat | undefined {
  if (!isOfDuplicate(reason)) return undefined;
  const twin = twins.find(({ name }) => name !== undefined && !again.includes(name));
  if (twin === undefined) return undefined;
  const { words, name } = twin;
  return { name, why: `${words}; if that is meant, add --again ${name}` };
}

function statusDoubt(money: OrderMoney, allowed: readonly string[]): string | undefined {
  const doubt = statusDoubts(money).find(({ word }) => !allowed.includes(word));
  return doubt && `${doubt.why}: to send it all the same, add --allow-status ${doubt.word}`;
}
