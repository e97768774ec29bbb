/** Turns the rows of an input file that name one order into rows of a plan, or says why they cannot be sent. Pure. */

import { amountWords, figureWords } from '../../amounts.ts';
import { type ChargeMoney, type OrderMoney, readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import {
  type AllocateWay,
  allocate,
  anyWord,
  fullWord,
  type InputRow,
  type PlanRow,
  rowKey,
} from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { chargesNamed, planRefund, type RefundPlan, refundedBefore } from '../refund/refund-plan.ts';
import { moneyBefore } from './drift.ts';
import { orderAfter } from './order-after.ts';
import { rowDoubt, type TwinOfRow, twinMarks } from './row-doubts.ts';
import { partsUnder, rowFromJournal, sentUnder, triedBefore } from './row-from-journal.ts';
import {
  hasOtherRefunds,
  namesLeft,
  namesToSend,
  type RowsOfOrder,
  repeatProblem,
  type TypedRow,
} from './row-repeats.ts';

/** What was asked for all rows of a plan. */
export interface RowsAsked {
  readonly profile: Profile;
  /** The plan's own id: what it sent before does not count as another plan's. */
  readonly planId: string;
  readonly allocation: AllocateWay | undefined;
  /** `--allow-status`: words of statuses whose orders may be refunded all the same. */
  readonly allowed: readonly string[];
  /** `--again`: refunds and attempts that may be repeated. */
  readonly again: readonly string[];
  /** Unix milliseconds, for limits of a day. */
  readonly nowMs: number;
  readonly moreOf: (row: InputRow) => readonly string[];
}

/** An order as it was read for its rows, and what the journal knows of it. */
export interface OrderOfRows {
  readonly id: string;
  /** Undefined if the order is not there, or could not be found: then `missing` says so. */
  readonly order: JsonObject | undefined;
  readonly missing?: string | undefined;
  readonly neighbour: string | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly isOpen: (record: AttemptRecord) => boolean;
  readonly twins: readonly TwinOfRow[];
}

/** A row of a plan before it has its number. */
export type NewRow = Omit<PlanRow, 'number'>;

/** The rows of a plan for rows of one order, in the order of the file. */
export function planRows(rows: readonly InputRow[], read: OrderOfRows, asked: RowsAsked): readonly NewRow[] {
  const before = moneyBefore(read.order);
  const keys = new Set(rows.map((row) => baseOf(row, read, asked).key));
  const ofOrder = { attempts: read.attempts, planId: asked.planId, keys };
  const taken = new Set<string>();
  // As the order will be when the rows before were applied.
  let order = read.order;
  return rows.flatMap((row) => {
    const planned = planRow(row, { ...read, order, ofOrder, taken }, asked).map((one) => ({
      ...one,
      before,
      tried: triedBefore(one, read.attempts),
    }));
    for (const { state, expected, again } of planned) {
      if (state !== 'ready' || order === undefined) continue;
      order = orderAfter(order, expected);
      for (const name of again) taken.add(name);
    }
    return planned;
  });
}

// An order, and what its other rows mean for a row.
interface OrderOfRow extends OrderOfRows {
  readonly ofOrder: RowsOfOrder;
  /** What rows before it name as repeated. The journal takes each name once. */
  readonly taken: ReadonlySet<string>;
}

function planRow(row: InputRow, read: OrderOfRow, asked: RowsAsked): readonly NewRow[] {
  const { order } = read;
  const base = baseOf(row, read, asked);
  const own = sentUnder(base.key, read.attempts);
  if (own !== undefined) return [rowFromJournal(base, own)];
  const parts = partsUnder(base.key, read.attempts);
  if (order === undefined && parts.length === 0)
    return [{ ...base, why: read.missing ?? `there is no order ${read.id}` }];
  if (parts.length > 0 || needsAllocation(base, order)) return planParts(base, parts, read, asked);
  return [planOne(base, read, asked)];
}

// Everything of a row that does not depend on the order.
function baseOf(
  row: InputRow,
  { id, order, neighbour }: OrderOfRows,
  { profile, moreOf }: RowsAsked,
): NewRow {
  const { line, charge, amount = 'full', reason, ref, note } = row;
  const chargeId = chargeNamed(charge, order);
  return {
    line,
    orderId: id,
    charge,
    chargeId,
    amount,
    reason,
    ref,
    note,
    more: moreOf(row),
    key: rowKey({ origin: profile.origin, orderId: id, chargeId, amount, ref }),
    partOf: undefined,
    state: 'impossible',
    why: undefined,
    marks: [],
    sum: 0,
    currency: typeof order?.currency === 'string' ? order.currency : undefined,
    body: undefined,
    expected: [],
    tolerated: [],
    again: [],
    before: undefined,
    neighbour,
  };
}

// A name that means no charge of the order stays as it is; planRefund then refuses it.
function chargeNamed(name: string, order: JsonObject | undefined): string | undefined {
  if (name === anyWord || name === fullWord) return undefined;
  const money = order && moneyOf(order);
  const [charge, second] = money === undefined ? [] : chargesNamed(name, money);
  return charge === undefined || second !== undefined ? name : charge.id;
}

function moneyOf(order: JsonObject): OrderMoney | undefined {
  const reading = readMoney(order);
  return 'money' in reading ? reading.money : undefined;
}

// ── Rows that can be sent ───────────────────────────────────────────────────────────────────────

// An amount for an order of which several charges have money left.
function needsAllocation({ charge, amount }: NewRow, order: JsonObject | undefined): boolean {
  if (charge !== anyWord || amount === fullWord || order === undefined) return false;
  return countingCharges(order).length > 1;
}

function countingCharges(order: JsonObject): readonly ChargeMoney[] {
  return moneyOf(order)?.charges.filter(({ counts }) => counts) ?? [];
}

// One row for each charge. Parts that were sent before stay as they are, and only the rest is spread.
function planParts(
  base: NewRow,
  sent: readonly AttemptRecord[],
  read: OrderOfRow,
  asked: RowsAsked,
): readonly NewRow[] {
  const { settings } = asked.profile;
  const before = sent.map((record) => {
    const [only] = record.sent.proof.expected;
    return rowFromJournal({ ...partBase(base, only?.chargeId ?? '', -(only?.amount ?? 0), asked) }, record);
  });
  const rest = Number(base.amount) - before.reduce((sum, one) => sum + one.sum, 0);
  if (rest <= 0) return before;
  const words = amountWords(rest, base.currency, settings);
  if (asked.allocation === undefined)
    return [...before, { ...base, why: `${read.id} has several charges: ${howToSplit(words)}` }];
  const charges = read.order === undefined ? [] : countingCharges(read.order);
  const unconfirmed = before.filter(({ state }) => state === 'unconfirmed');
  const left = charges.map(({ id, left: sum }) => ({
    id,
    left: unconfirmed.filter(({ chargeId }) => chargeId === id).reduce((money, one) => money - one.sum, sum),
  }));
  const parts = allocate(rest, left, asked.allocation);
  if (parts === undefined) {
    const there = left.reduce((sum, one) => sum + one.left, 0);
    const why = `${words} is more than is left of the order: ${figureWords(there, base.currency, settings)}`;
    return [...before, { ...base, why }];
  }
  const bases = parts.map(({ id, amount }) => partBase(base, id, amount, asked));
  // Under the key of a row that was sent before, a part would count as sent, and its money would never go back.
  const known = bases.find(({ key }) => sentUnder(key, read.attempts) !== undefined);
  if (known !== undefined) return [...before, { ...base, why: sentBefore(known, settings) }];
  return [...before, ...bases.map((part) => planOne(part, read, asked))];
}

function sentBefore({ chargeId, amount, currency }: NewRow, settings: Profile['settings']): string {
  const words = amountWords(Number(amount), currency, settings);
  return `one of its parts would be ${words} of charge ${chargeId}, and a row like that was sent before: give this row a ref of its own`;
}

function howToSplit(words: string): string {
  return `name one, or let paydesk spread ${words} over them with --allocate in-order or largest-first`;
}

function partBase(base: NewRow, chargeId: string, amount: number, { profile }: RowsAsked): NewRow {
  const { orderId, ref } = base;
  const key = rowKey({ origin: profile.origin, orderId, chargeId, amount, ref });
  return { ...base, chargeId, amount, key, partOf: base.key };
}

function planOne(base: NewRow, read: OrderOfRow, asked: RowsAsked): NewRow {
  const { order, twins, ofOrder, taken } = read;
  if (order === undefined) return base;
  try {
    const planned = plannedRefund(base, order, asked);
    const { body, expected, tolerated, amount, money, warnings } = planned;
    const refund = { money, expected, typed: typedOf(base) };
    const names = namesLeft(asked.again, ofOrder);
    const problem = repeatProblem(refund, names, ofOrder);
    if (problem !== undefined) return { ...base, why: problem };
    const isFirst = !hasOtherRefunds(refund, ofOrder);
    const row: NewRow = {
      ...base,
      state: 'ready',
      // The refunds of other rows of the file are no news.
      marks: [...warnings.filter((words) => !isFirst || words !== refundedBefore), ...twinMarks(twins)],
      sum: amount,
      currency: money.currency,
      body: { ...body },
      expected,
      tolerated,
      again: namesToSend(refund, names, ofOrder, taken),
    };
    const doubt = rowDoubt(base, money, read, asked);
    return doubt === undefined ? row : { ...row, state: 'look', why: doubt };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    return { ...base, why: error.message };
  }
}

// A part of a spread amount keeps the word of its row, so it may be any charge too.
function typedOf({ charge, chargeId, amount, ref }: NewRow): TypedRow {
  const chargeBy = charge === anyWord ? 'any' : charge === fullWord || charge === chargeId ? 'id' : 'number';
  return { chargeBy, amount, ref };
}

// Throws CliError 'refused' when the refund is not possible. Whether it is a repeat is asked afterwards.
function plannedRefund(
  { charge, chargeId, amount, reason, note }: NewRow,
  order: JsonObject,
  { profile, nowMs }: RowsAsked,
): RefundPlan {
  const wanted = {
    charge: chargeId ?? (charge === anyWord || charge === fullWord ? undefined : charge),
    amount: amount === fullWord ? undefined : amount,
    reason,
    note,
  };
  const money = moneyOf(order);
  const all = money?.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)) ?? [];
  return planRefund({ ...wanted, again: all }, order, profile, { nowMs });
}
