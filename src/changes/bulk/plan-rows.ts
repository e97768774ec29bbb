/** Turns the rows of an input file that name one order into rows of a plan, or says why they cannot be sent. Pure. */

import { moneyOf } from '../../api/charges.ts';
import { type JsonObject, livemodeOf } from '../../api/spec.ts';
import { anyWord, fullWord, type InputRow, rowKey } from '../../plans/plans.ts';
import { moneyBefore } from '../money-changed.ts';
import { chargesNamed } from '../refund/refund-plan.ts';
import { orderAfter } from './order-after.ts';
import type { NewRow, OrderOfRow, OrderOfRows, RowsAsked } from './order-of-rows.ts';
import { planRow } from './plan-row.ts';
import { partsUnder, rowFromJournal, sentUnder, triedBefore } from './row-from-journal.ts';
import { needsAllocation, spreadRow } from './spread-row.ts';

/** The rows of a plan for rows of one order, in the order of the file. */
export function planRows(rows: readonly InputRow[], read: OrderOfRows, asked: RowsAsked): readonly NewRow[] {
  const before = moneyBefore(read.order);
  const keys = new Set(rows.map((row) => baseOf(row, read, asked).key));
  const livemode = livemodeOf[asked.profile.mode];
  const ofOrder = { attempts: read.attempts, livemode, planId: asked.planId, keys };
  const taken = new Map<string, number>();
  const rowsBefore: NewRow[] = [];
  // As the order will be when the rows before were applied.
  let order = read.order;
  return rows.flatMap((row) => {
    const known = { ...read, order, asRead: read.order, ofOrder, taken, rowsBefore };
    const planned = rowsOf(row, known, asked).map((one) => {
      if (one.state === 'ready') for (const name of [...one.named, ...one.again]) taken.set(name, one.line);
      return { ...one, before, tried: triedBefore(one, read.attempts) };
    });
    const ready = planned.filter(({ state }) => state === 'ready');
    rowsBefore.push(...ready);
    for (const { expected } of ready) order = order && orderAfter(order, expected);
    return planned;
  });
}

function rowsOf(row: InputRow, read: OrderOfRow, asked: RowsAsked): readonly NewRow[] {
  const { order } = read;
  const base = baseOf(row, read, asked);
  const own = sentUnder(base.key, read.attempts);
  if (own !== undefined) return [rowFromJournal(base, own)];
  const parts = partsUnder(base.key, read.attempts);
  if (order === undefined && parts.length === 0)
    return [{ ...base, why: read.missing ?? `there is no order ${read.id}` }];
  if (parts.length > 0 || needsAllocation(base, order)) return spreadRow(base, parts, read, asked);
  return [planRow(base, read, asked)];
}

// Everything of a row that does not depend on whether it can be sent.
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
    key: rowKey({ origin: profile.origin, mode: profile.mode, orderId: id, chargeId, amount, ref }),
    partOf: undefined,
    state: 'impossible',
    why: undefined,
    marks: [],
    sum: amount === fullWord ? fullSum(chargeId, order) : amount,
    currency: typeof order?.currency === 'string' ? order.currency : undefined,
    body: undefined,
    expected: [],
    tolerated: [],
    again: [],
    named: [],
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

// What `full` asks for, also if the row cannot be sent: all that is left or, where nothing is, all that was paid. 0 if nobody
// knows.
function fullSum(chargeId: string | undefined, order: JsonObject | undefined): number {
  const money = order && moneyOf(order);
  const charges = money?.charges.filter(({ id }) => chargeId === undefined || id === chargeId) ?? [];
  const left = charges.reduce((sum, one) => (one.counts ? sum + one.left : sum), 0);
  if (left > 0) return left;
  return (chargeId === undefined ? money?.amount : charges[0]?.amount) ?? 0;
}
