/** Defines the lines of a plan file as JSON records, their conversion to our own types, and the permanent key of a row. */

import { hash } from 'node:crypto';
import * as v from 'valibot';
import { refundReasonValues } from '../api/spec.ts';
import { leanRow, type MoneyBefore, type PlanHead, type PlanRow, rowStates, sumsOf } from './plan-types.ts';

// A plan of another version is refused: its fields may mean something else.
export const version = 1;

const text = v.string();
const maybe = <T extends v.GenericSchema>(schema: T) => v.optional(schema);
const integer = v.pipe(v.number(), v.safeInteger());
const amount = v.union([v.pipe(integer, v.minValue(1)), v.literal('full')]);

/** The first line: the account, and the source of the rows. */
export const headLine = v.strictObject({
  object: v.literal('plan'),
  version: v.literal(version),
  id: v.pipe(text, v.regex(/^p_[a-z0-9]{4,32}$/)),
  made_at: integer,
  origin: text,
  account: text,
  profile: text,
  mode: v.picklist(['sandbox', 'production']),
  operator: text,
  file: text,
  columns: v.array(text),
  refreshes: maybe(text),
  again: v.array(text),
});

const chargeBefore = v.strictObject({
  id: text,
  amount: integer,
  status: maybe(text),
  is_refundable: maybe(v.boolean()),
  refunds: v.array(v.strictObject({ id: text, amount: integer })),
});
const moneyBefore = v.strictObject({
  amount: integer,
  currency: maybe(text),
  amount_refunded: maybe(integer),
  status: maybe(text),
  is_refundable: maybe(v.boolean()),
  charges: v.array(chargeBefore),
});

export const anyHeadLine = v.looseObject({ object: v.literal('plan'), version: integer });

export const rowLine = v.strictObject({
  object: v.literal('plan_row'),
  number: integer,
  line: integer,
  order_id: text,
  charge: text,
  charge_id: maybe(text),
  amount,
  reason: maybe(v.picklist(refundReasonValues)),
  ref: text,
  note: maybe(text),
  more: v.array(text),
  state: v.picklist(rowStates),
  why: maybe(text),
  marks: v.array(text),
  refunds: integer,
  currency: maybe(text),
  body: maybe(
    v.strictObject({
      charge_id: maybe(text),
      amount: maybe(integer),
      reason: maybe(v.picklist(refundReasonValues)),
    }),
  ),
  expected: v.array(v.strictObject({ charge_id: text, amount: integer })),
  tolerated: v.array(text),
  again: v.array(text),
  named: v.array(text),
  repeats: maybe(text),
  key: text,
  tried: maybe(text),
  part_of: maybe(text),
  before: maybe(moneyBefore),
  neighbour: maybe(text),
});

/** The last line: the sums, and the digest of all earlier lines. */
export const endLine = v.strictObject({
  object: v.literal('plan_end'),
  rows: integer,
  totals: v.array(
    v.strictObject({ state: v.picklist(rowStates), currency: text, rows: integer, amount: integer }),
  ),
  digest: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)),
});

// ── Between the lines and our own types ─────────────────────────────────────────────────────────

// All field names, in the order in which they are written: the same line always gives the same text.
const headNames = Object.keys(headLine.entries);
const rowNames = ['id', rowLine, moneyBefore, chargeBefore].flatMap((of) =>
  typeof of === 'string' ? of : Object.keys(of.entries),
);

/** The first line of a plan, without its line feed. */
export function headJson({ madeAt, ...same }: PlanHead): string {
  return JSON.stringify({ ...same, object: 'plan', version, made_at: madeAt }, headNames);
}

export function headOf({ made_at: madeAt, refreshes, ...same }: v.InferOutput<typeof headLine>): PlanHead {
  const { object: _, version: __, ...head } = same;
  return { ...head, madeAt, refreshes };
}

/** The line of a row, without its line feed. */
export function rowJson(row: PlanRow): string {
  const { orderId, chargeId, partOf, sum, expected, before, ...same } = row;
  const record = {
    ...same,
    object: 'plan_row',
    order_id: orderId,
    charge_id: chargeId,
    part_of: partOf,
    refunds: sum,
    expected: expected.map((one) => ({ charge_id: one.chargeId, amount: one.amount })),
    before: before && {
      ...withFlag(before),
      amount_refunded: before.amountRefunded,
      charges: before.charges.map(withFlag),
    },
  };
  return JSON.stringify(record, rowNames);
}

function withFlag<Of extends { readonly isRefundable: boolean | undefined }>(of: Of) {
  return { ...of, is_refundable: of.isRefundable };
}

export function rowOf(line: v.InferOutput<typeof rowLine>): PlanRow {
  const { object: _, order_id: orderId, charge_id, part_of: partOf, refunds: sum, ...same } = line;
  const { body, expected, before, note, reason, why, currency, neighbour, ...whole } = same;
  const maybeGiven = { note, reason, why, currency, neighbour, partOf };
  const once = idsOnce();
  return leanRow({
    ...whole,
    ...maybeGiven,
    orderId,
    sum,
    chargeId: charge_id === undefined ? undefined : once(charge_id),
    body: body?.charge_id === undefined ? body : { ...body, charge_id: once(body.charge_id) },
    expected: expected.map((one) => ({ chargeId: once(one.charge_id), amount: one.amount })),
    before: before && beforeOf(before, once),
  });
}

function beforeOf(
  { amount_refunded: amountRefunded, charges, ...money }: v.InferOutput<typeof moneyBefore>,
  once: (id: string) => string,
): MoneyBefore {
  const { currency, status, is_refundable: isRefundable } = money;
  const maybeGiven = { currency, status, isRefundable, amountRefunded };
  return {
    ...maybeGiven,
    amount: money.amount,
    charges: charges.map(({ id, is_refundable, status: of, ...one }) => ({
      ...one,
      id: once(id),
      status: of,
      isRefundable: is_refundable,
    })),
  };
}

// JSON.parse would make a new string each time a row names its charge.
function idsOnce(): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const same = known.get(id);
    if (same === undefined) known.set(id, id);
    return same ?? id;
  };
}

export function endRecord(rows: readonly PlanRow[], digest: string): v.InferOutput<typeof endLine> {
  const totals = rowStates.flatMap((state) =>
    sumsOf(rows.filter((row) => row.state === state)).map((sum) => ({ state, ...sum })),
  );
  return { object: 'plan_end', rows: rows.length, totals, digest };
}

interface RowIdentity {
  readonly origin: string;
  /** Sandbox and production may share an address, but are two accounts. */
  readonly mode: PlanHead['mode'];
  readonly orderId: string;
  /** A charge's id; undefined for the whole order, or the only charge with money left. */
  readonly chargeId: string | undefined;
  readonly amount: number | 'full';
  readonly ref: string;
}

/**
 * The key of a row. The journal keeps it as the refund's idempotency key, so the rules for a repeated `--idempotency-key` apply: a
 * row that was made is never sent again. Nobody can type such a key, because typed ones have no slash.
 */
export function rowKey({ origin, mode, orderId, chargeId = '', amount, ref }: RowIdentity): string {
  const text = JSON.stringify([origin, mode, orderId, chargeId, amount, ref]);
  return `row/${hash('sha256', text).slice(0, 32)}`;
}
