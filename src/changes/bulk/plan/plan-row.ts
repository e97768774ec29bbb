/**
 * Plans one refund of a row, or says why it cannot be sent or must be looked at first; a row that was sent before stays as the
 * journal knows it. Pure.
 */

import { amountWords, figureWords, partWords } from '../../../amounts.ts';
import { moneyOf, newestOf, standingRefunds, sumOfRefunds } from '../../../api/charges.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { CliError } from '../../../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  type ExpectedRefund,
  mayBeMade,
  recordedState,
} from '../../../journal/journal.ts';
import type { KnownOrder } from '../../../orders/orders.ts';
import { type AllocateWay, anyWord, fullWord, type InputRow, type PlanRow } from '../../../plans/plans.ts';
import type { Profile } from '../../../profiles/profiles.ts';
import { type DecidedRefund, decideRefund, refundedBefore } from '../../refund/decide-refund.ts';
import type { MadeWords } from '../../refund/refund-checks.ts';
import { isPlanned } from '../own-rows.ts';
import { rowDoubt, type TwinOfRow, twinMarks, untilOf } from './row-doubts.ts';
import {
  type NewRefund,
  namesLeft,
  namesNeeded,
  namesToSend,
  otherRefunds,
  type RowsOfOrder,
  repeatProblem,
  type TypedRow,
} from './row-repeats.ts';

/** A row that can be sent, or the row with the reason why not. */
export function planRow(base: NewRow, read: OrderOfRow, asked: RowsAsked): NewRow {
  const { order, ofOrder } = read;
  if (order === undefined) return base;
  try {
    const planned = plannedRefund(base, order, asked, read.unshown);
    const { change, money, warnings } = planned;
    const { expected, tolerated } = change;
    const refund = { money, expected, typed: typedOf(base) };
    const again = [...asked.again, ...base.named];
    const names = namesLeft(again, base.key, ofOrder);
    const problem = repeatProblem(refund, names, ofOrder);
    if (problem !== undefined) return { ...base, why: problem.why, repeats: problem.name };
    const row: NewRow = {
      ...base,
      state: 'ready',
      marks: [
        ...warnings.filter((words) => words !== refundedBefore),
        ...rowMarks(base, refund, read, asked.profile),
      ],
      sum: change.amount,
      currency: change.currency,
      body: change.request.body,
      expected,
      tolerated,
      again: namesToSend(refund, names, base.key, ofOrder),
      named: namesNeeded(refund, names, ofOrder),
    };
    const doubt = rowDoubt(row, money, { ...read, order }, { ...asked, again });
    const { why, name: repeats } = doubt ?? {};
    return { ...row, state: doubt === undefined ? 'ready' : 'look', why, repeats };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    return { ...base, why: takenBefore(base, read, asked) ?? error.message };
  }
}

// A part of a spread amount keeps what its row has as the charge, so it may be `any` too.
function typedOf({ charge, chargeId, amount, ref }: NewRow): TypedRow {
  const chargeBy = charge === anyWord ? 'any' : charge === fullWord || charge === chargeId ? 'id' : 'number';
  return { chargeBy, amount, ref };
}

// Throws CliError 'refused' when the refund is not possible. Whether it is a repeat is checked afterwards.
function plannedRefund(
  { charge, chargeId, amount, reason, note }: NewRow,
  order: JsonObject,
  { profile, nowMs }: RowsAsked,
  unshown: OrderOfRows['unshown'] = [],
): DecidedRefund {
  const wanted = {
    charge: chargeId ?? (charge === anyWord || charge === fullWord ? undefined : charge),
    amount: amount === fullWord ? undefined : amount,
    reason,
    note,
  };
  const money = moneyOf(order);
  const all = money?.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)) ?? [];
  return decideRefund({ ...wanted, again: all }, order, profile, {
    counting: { nowMs, unshown },
    anyMode: true,
  });
}

// ── Rows before it ──────────────────────────────────────────────────────────────────────────────

// Says that rows before this one in the file will take the money, though nothing went back yet. Undefined if that is not the
// reason.
function takenBefore(base: NewRow, read: OrderOfRow, asked: RowsAsked): string | undefined {
  const { order, asRead } = read;
  if (order === undefined || asRead === undefined || order === asRead) return undefined;
  const alone = planAlone(base, asRead, asked);
  const charges = moneyOf(order)?.charges;
  if (alone === undefined || charges === undefined) return undefined;
  const wanted = alone.change.expected.map(({ chargeId, amount }) => ({
    chargeId,
    amount: -amount,
    left: charges.find(({ id }) => id === chargeId)?.left ?? 0,
  }));
  if (wanted.every(({ amount, left }) => left >= amount)) return undefined;
  const left = wanted.reduce((sum, one) => sum + one.left, 0);
  const ids = new Set(wanted.map(({ chargeId }) => chargeId));
  const lines = linesBefore(read, ids);
  if (lines === undefined) return undefined;
  if (left === 0) return `${lines} all that is left`;
  const { settings } = asked.profile;
  return `${lines} so much that only ${figureWords(left, base.currency, settings)} of ${amountWords(alone.change.amount, base.currency, settings)} is left for this row`;
}

function planAlone(base: NewRow, order: JsonObject, asked: RowsAsked): DecidedRefund | undefined {
  try {
    return plannedRefund(base, order, asked);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    return undefined;
  }
}

/** `line 4 of this file takes`, for the rows before this one that take money of these charges. Undefined if there are none. */
export function linesBefore(
  { rowsBefore }: Pick<OrderOfRow, 'rowsBefore'>,
  chargeIds: ReadonlySet<string>,
): string | undefined {
  const rows = rowsBefore.filter(({ expected }) => expected.some(({ chargeId }) => chargeIds.has(chargeId)));
  const lines = [...new Set(rows.map(({ line }) => line))];
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  if (lines.length === 1) return `line ${last} of this file takes`;
  return `lines ${lines.slice(0, -1).join(', ')} and ${last} of this file take`;
}

type Refund = Omit<NewRefund, 'typed'>;

/** The marks of a row, one sentence each. The refunds of other rows of the file are left out, since they are no news. */
function rowMarks(row: NewRow, refund: Refund, read: OrderOfRow, { settings }: Profile): readonly string[] {
  const { twins, gaps = [], byHandNotes } = read;
  return [
    ...(byHandNotes?.(refund.expected) ?? []),
    ...restMark(row, refund, settings),
    ...refundedMark(refund, read, settings),
    ...twinMarks(twins),
    ...gaps,
  ];
}

// `full` means the rest, if some of it went back before or is on its way. A refund that failed is neither.
function restMark(
  { amount, chargeId }: NewRow,
  { money }: Refund,
  settings: Profile['settings'],
): readonly string[] {
  const charges = money.charges.filter(({ id }) => chargeId === undefined || id === chargeId);
  const refunds = charges.flatMap((charge) => standingRefunds(charge).filter(({ id }) => !isPlanned(id)));
  if (amount !== fullWord || refunds.length === 0) return [];
  const paid = chargeId === undefined ? money.amount : (charges[0]?.amount ?? 0);
  const [back, pending] = [true, false].map((isMade) =>
    sumOfRefunds(refunds.filter(({ meaning }) => (meaning === 'made') === isMade)),
  );
  const words = (sum: number | undefined, what: string) =>
    sum === undefined || sum === 0 ? [] : [`${partWords(sum, paid, money.currency, settings)} ${what}`];
  const both = [...words(back, 'went back before'), ...words(pending, 'is pending')];
  return [`${both.join(', ')}: full means the rest`];
}

function refundedMark(
  refund: Refund,
  { ofOrder, madeWords = () => '' }: OrderOfRow,
  settings: Profile['settings'],
): readonly string[] {
  const others = otherRefunds(refund, ofOrder);
  const newest = newestOf(others);
  if (newest === undefined) return [];
  const more = others.length === 1 ? '' : ` and ${others.length - 1} more`;
  const figure = amountWords(-newest.amount, refund.money.currency, settings);
  const what = newest.meaning === 'pending' ? 'has a pending refund' : 'was refunded before';
  return [
    `this charge ${what}: ${figure}, ${newest.id}${madeWords(newest)}${more}; the buyer may mean that refund`,
  ];
}

/** What was asked for all rows of a plan. */
export interface RowsAsked {
  readonly profile: Profile;
  /** The id of the plan: what it sent before does not count as another plan's. */
  readonly planId: string;
  readonly allocation: AllocateWay | undefined;
  /** `--allow-status`: words of statuses whose orders may be refunded all the same. */
  readonly allowed: readonly string[];
  /** `--again`: refunds and attempts that may be repeated. */
  readonly again: readonly string[];
  /** The clock of the service, for limits of a day (Unix milliseconds); undefined if it did not say what time it is. */
  readonly nowMs: number | undefined;
  readonly moreOf: (row: InputRow) => readonly string[];
  /** Called with each order that was read for them. */
  readonly saw?: (id: string, order: JsonObject) => void;
}

/** An order as it was read for its rows, and what the journal knows about it. */
export interface OrderOfRows {
  readonly id: string;
  /** Undefined if the order is not there, or could not be found: then `missing` says so. */
  readonly order: JsonObject | undefined;
  readonly missing?: string | undefined;
  readonly neighbour: string | undefined;
  readonly attempts: readonly AttemptRecord[];
  /** Those that somebody recorded as made, and that the order does not show. */
  readonly unshown?: readonly AttemptRecord[] | undefined;
  readonly isOpen: (record: AttemptRecord) => boolean;
  readonly twins: readonly TwinOfRow[];
  readonly known?: KnownOrder | undefined;
  /** Where nobody could look for twins. */
  readonly gaps?: readonly string[] | undefined;
  /** When a refund of the order was made and by whom. */
  readonly madeWords?: MadeWords | undefined;
  /** What somebody settled by hand at the order, for a row that expects these refunds. */
  readonly byHandNotes?: ((expected: readonly ExpectedRefund[]) => readonly string[]) | undefined;
}

/** A row of a plan before it has its number. */
export type NewRow = Omit<PlanRow, 'number'>;

/** An order for one of its rows: as it will be when the rows before this one are applied, and what those rows mean for it. */
export interface OrderOfRow extends OrderOfRows {
  readonly asRead: JsonObject | undefined;
  readonly ofOrder: RowsOfOrder;
  /** The rows before this one that will be sent. */
  readonly rowsBefore: readonly NewRow[];
}

/**
 * The last attempt under the key of a row, if that was made or may have been; undefined if nothing was sent, or if it was
 * certainly not made.
 */
export function sentUnder(key: string, attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  const last = lastUnder(key, attempts);
  return last !== undefined && mayBeMade(last) ? last : undefined;
}

/** The name of the last attempt at a row that was certainly not made. Undefined if there is none. */
export function triedBefore(
  { key }: Pick<PlanRow, 'key'>,
  attempts: readonly AttemptRecord[],
): string | undefined {
  const last = lastUnder(key, attempts);
  return last === undefined || mayBeMade(last) ? undefined : attemptName(last);
}

/** The parts of an amount that was spread over charges before: the last attempt at each, if that may have been made. */
export function partsUnder(key: string, attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const parts = attempts.filter(({ sent }) => sent.asked?.part_of === key);
  return [...new Map(parts.map((record) => [record.sent.idempotencyKey, record])).values()].filter(mayBeMade);
}

/**
 * A row as it was sent: `done`, `unconfirmed`, or `impossible` if its refund has failed, since no row is sent twice. What became of
 * it since stands in its `why`.
 */
export function rowFromJournal<Row extends Omit<PlanRow, 'number'>>(base: Row, record: AttemptRecord): Row {
  const { sent } = record;
  const { request, proof, amount = 0, currency, time, operator } = sent;
  const known = recordedState(record);
  const when = new Date(time).toISOString().slice(0, 10);
  const by = `on ${when} by ${operator}`;
  const show = `paydesk journal show ${sent.change}`;
  const [state, why] =
    known === 'unconfirmed'
      ? ([
          'unconfirmed',
          `sent ${by} and unconfirmed: paydesk journal reconcile ${sent.change}${untilOf(record)}`,
        ] as const)
      : known === 'failed'
        ? ([
            'impossible',
            `applied ${by}, and it failed; a row with another ref sends it again: ${show}`,
          ] as const)
        : (['done', `applied ${by}${known === 'made' ? '' : `, now ${known}`}: ${show}`] as const);
  return {
    ...base,
    state,
    why,
    sum: amount,
    currency,
    body: request.body,
    expected: proof.expected,
    tolerated: proof.tolerated,
  };
}

function lastUnder(key: string, attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  return attempts.findLast(({ sent }) => sent.idempotencyKey === key);
}
