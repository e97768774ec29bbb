/** Spreads the amount of a row over the charges of its order: one row of the plan for each charge, all of them or none. Pure. */

import { amountWords, figureWords, partWords } from '../../../amounts.ts';
import { lockedCharges, moneyOf, refundableCharges } from '../../../api/charges.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import type { AttemptRecord } from '../../../journal/journal.ts';
import { type AllocateWay, anyWord, fullWord, rowKey } from '../../../plans/plans.ts';
import type { Profile } from '../../../profiles/profiles.ts';
import { orderAfter } from '../own-rows.ts';
import {
  linesBefore,
  type NewRow,
  type OrderOfRow,
  planRow,
  type RowsAsked,
  rowFromJournal,
  sentUnder,
} from './plan-row.ts';

/**
 * Whether a row has one amount for an order with several charges that can be refunded. If the amount is to be spread
 * (`--allocate`), a charge that the service does not refund counts too: the row then says that this charge is in the way.
 */
export function needsAllocation(
  { charge, amount }: NewRow,
  order: JsonObject | undefined,
  { allocation }: Pick<RowsAsked, 'allocation'>,
): boolean {
  if (charge !== anyWord || amount === fullWord || order === undefined) return false;
  const money = moneyOf(order);
  if (money === undefined) return false;
  const closed = allocation === undefined ? [] : lockedCharges(money);
  return refundableCharges(money).length + closed.length > 1;
}

/** One row for each charge. Parts that were sent before (`sent`) stay as they are, and only the rest is spread. */
export function spreadRow(
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
  const impossible = (why: string) => [...before, { ...base, sum: rest, why }];
  if (asked.allocation === undefined)
    return impossible(howToSplit(read.id, amountWords(rest, base.currency, settings), before.length > 0));
  const left = leftOfCharges(read, before);
  const parts = allocate(rest, left, asked.allocation);
  if (parts === undefined) return impossible(tooMuch(base, rest, left, read, settings));
  const bases = parts.map(({ id, amount }) => partBase(base, id, amount, asked));
  // Under the key of a row that was sent before, a part would count as sent, and its money would never go back.
  const known = bases.find(({ key }) => sentUnder(key, read.attempts) !== undefined);
  if (known !== undefined) return impossible(sentBefore(known, settings));
  let { order } = read;
  const planned = bases.map((part) => {
    const row = planRow(part, { ...read, order }, asked);
    order = order && orderAfter(order, row.expected);
    return row;
  });
  return [...before, ...allOrNone(planned, asked.profile)];
}

/**
 * Parts of one row, if all of them can be sent. If one of them is impossible, nothing of the row is sent: half of what was asked
 * for would look like all of it.
 */
export function allOrNone<Row extends NewRow>(parts: readonly Row[], { settings }: Profile): readonly Row[] {
  const open = parts.filter(({ state }) => state !== 'done' && state !== 'unconfirmed');
  const bad = open.find(({ state }) => state === 'impossible');
  if (bad === undefined) return parts;
  const sumOf = (rows: readonly Row[]) => rows.reduce((sum, one) => sum + one.sum, 0);
  const can = sumOf(open.filter(({ state }) => state !== 'impossible'));
  // If no part can be sent, the money is often there, and a limit or a repeat stops the row.
  const why =
    can === 0
      ? bad.why
      : `only ${partWords(can, sumOf(open), bad.currency, settings)} can be refunded: ${bad.why}`;
  return parts.map((row) => (open.includes(row) ? { ...row, state: 'impossible', why } : row));
}

// What the charges have left for a spread amount.
function leftOfCharges({ order }: OrderOfRow, before: readonly NewRow[]) {
  const unconfirmed = before.filter(({ state }) => state === 'unconfirmed');
  return refundableCharges(moneyOf(order) ?? { charges: [] }).map(({ id, left }) => {
    const parts = unconfirmed.filter(({ chargeId }) => chargeId === id);
    return { id, left: parts.reduce((sum, one) => sum - one.sum, left) };
  });
}

function tooMuch(
  { currency }: NewRow,
  rest: number,
  charges: ReturnType<typeof leftOfCharges>,
  read: OrderOfRow,
  settings: Profile['settings'],
): string {
  const there = charges.reduce((sum, one) => sum + one.left, 0);
  const money = moneyOf(read.order);
  const closed = (money === undefined ? [] : lockedCharges(money)).map(({ number }) => `charge ${number}`);
  const only = `only ${partWords(there, rest, currency, settings)} can be refunded`;
  if (closed.length > 0)
    return `${only}: ${closed.join(' and ')} ${closed.length === 1 ? 'is' : 'are'} not refundable`;
  const lines = linesBefore(read, new Set(charges.map(({ id }) => id)));
  if (lines !== undefined) return `${only}: ${lines} the rest`;
  return `${amountWords(rest, currency, settings)} is more than is left of the order: ${figureWords(there, currency, settings)}`;
}

function sentBefore({ chargeId, amount, currency }: NewRow, settings: Profile['settings']): string {
  const words = amountWords(Number(amount), currency, settings);
  return `this would repeat an earlier row, ${words} of charge ${chargeId}: give it a ref of its own`;
}

function howToSplit(id: string, words: string, isResumed: boolean): string {
  if (isResumed)
    return `${words} of this row was not sent yet: to spread that over the charges, add --allocate in-order or largest-first`;
  return `${id} has several charges: name one, or let paydesk spread ${words} over them with --allocate in-order or largest-first`;
}

function partBase(
  base: NewRow,
  chargeId: string,
  amount: number,
  { profile: { origin, mode } }: RowsAsked,
): NewRow {
  const { orderId, ref } = base;
  const key = rowKey({ origin, mode, orderId, chargeId, amount, ref });
  return { ...base, chargeId, amount, sum: amount, key, partOf: base.key };
}

/**
 * The parts of the amount, from the first charge on, or from the one with the most left. Charges with equal amounts left keep
 * their order. Undefined if there is not enough, or the amount is not a positive whole number.
 */
export function allocate(
  amount: number,
  charges: readonly { readonly id: string; readonly left: number }[],
  how: AllocateWay,
): readonly { readonly id: string; readonly amount: number }[] | undefined {
  if (!Number.isSafeInteger(amount) || amount < 1) return undefined;
  const usable = charges.filter(({ left }) => Number.isSafeInteger(left) && left > 0);
  const ordered = how === 'in-order' ? usable : usable.toSorted((a, b) => b.left - a.left);
  const parts: { id: string; amount: number }[] = [];
  let open = amount;
  for (const { id, left } of ordered) {
    if (open === 0) break;
    const part = Math.min(open, left);
    parts.push({ id, amount: part });
    open -= part;
  }
  return open === 0 ? parts : undefined;
}
