/** The lines of a plan file as records of JSON: what each of them holds, our own types made of them, and the key of a row, which is the same for ever. */

import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { JsonObject } from '../api/json-values.ts';
import { refundReasonValues } from '../api/spec.ts';
import { leanRow, type MoneyBefore, type PlanHead, type PlanRow, rowStates, sumsOf } from './plan-types.ts';

// A plan of another version is refused, since nobody can know what its fields mean.
export const version = 1;

const text = v.string();
const maybe = <T extends v.GenericSchema>(schema: T) => v.optional(schema);
const integer = v.pipe(v.number(), v.safeInteger());
const amount = v.union([v.pipe(integer, v.minValue(1)), v.literal('full')]);

/** The first line: the account, and where the rows come from. */
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

const moneyBefore = v.strictObject({
  amount: integer,
  currency: maybe(text),
  amount_refunded: maybe(integer),
  status: maybe(text),
  is_refundable: maybe(v.boolean()),
  charges: v.array(
    v.strictObject({
      id: text,
      amount: integer,
      status: maybe(text),
      is_refundable: maybe(v.boolean()),
      refunds: v.array(v.strictObject({ id: text, amount: integer })),
    }),
  ),
});

/** The first line of a plan of any version. */
export const anyHeadLine = v.looseObject({ object: v.literal('plan'), version: integer });

/** A line for each row. */
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

/** The last line: the sums, and the digest of all lines before it. */
export const endLine = v.strictObject({
  object: v.literal('plan_end'),
  rows: integer,
  totals: v.array(
    v.strictObject({ state: v.picklist(rowStates), currency: text, rows: integer, amount: integer }),
  ),
  digest: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)),
});

// ── Between the lines and our own types ─────────────────────────────────────────────────────────

export function headRecord(head: PlanHead): v.InferOutput<typeof headLine> {
  const { id, madeAt, origin, account, profile, mode, operator, file, columns, refreshes, again } = head;
  return {
    object: 'plan',
    version,
    id,
    made_at: madeAt,
    origin,
    account,
    profile,
    mode,
    operator,
    file,
    columns: [...columns],
    refreshes,
    again: [...again],
  };
}

export function headOf({
  object: _,
  version: __,
  made_at,
  ...head
}: v.InferOutput<typeof headLine>): PlanHead {
  return { ...head, madeAt: made_at, refreshes: head.refreshes };
}

export function rowRecord(row: PlanRow): JsonObject {
  const { number, line, charge, amount, reason, ref, note, more, state, why, marks, currency } = row;
  return {
    object: 'plan_row',
    number,
    line,
    order_id: row.orderId,
    charge,
    charge_id: row.chargeId,
    amount,
    reason,
    ref,
    note,
    more: [...more],
    state,
    why,
    marks: [...marks],
    refunds: row.sum,
    currency,
    body: row.body,
    expected: row.expected.map((one) => ({ charge_id: one.chargeId, amount: one.amount })),
    tolerated: [...row.tolerated],
    again: [...row.again],
    named: [...row.named],
    repeats: row.repeats,
    key: row.key,
    tried: row.tried,
    part_of: row.partOf,
    before: row.before && {
      amount: row.before.amount,
      currency: row.before.currency,
      amount_refunded: row.before.amountRefunded,
      status: row.before.status,
      is_refundable: row.before.isRefundable,
      charges: row.before.charges.map((one) => ({
        id: one.id,
        amount: one.amount,
        status: one.status,
        is_refundable: one.isRefundable,
        refunds: one.refunds.map(({ id, amount: sum }) => ({ id, amount: sum })),
      })),
    },
    neighbour: row.neighbour,
  };
}

export function rowOf(line: v.InferOutput<typeof rowLine>): PlanRow {
  const { number, charge, amount: asked, reason, ref, note, state, why, currency, body } = line;
  const once = idsOnce();
  return leanRow({
    number,
    line: line.line,
    orderId: line.order_id,
    charge,
    chargeId: line.charge_id === undefined ? undefined : once(line.charge_id),
    amount: asked,
    reason,
    ref,
    note,
    more: line.more,
    state,
    why,
    marks: line.marks,
    sum: line.refunds,
    currency,
    body: body?.charge_id === undefined ? body : { ...body, charge_id: once(body.charge_id) },
    expected: line.expected.map((one) => ({ chargeId: once(one.charge_id), amount: one.amount })),
    tolerated: line.tolerated,
    again: line.again,
    named: line.named,
    repeats: line.repeats,
    key: line.key,
    tried: line.tried,
    partOf: line.part_of,
    before: line.before && beforeOf(line.before, once),
    neighbour: line.neighbour,
  });
}

function beforeOf(
  { amount: sum, amount_refunded, is_refundable, charges, ...before }: v.InferOutput<typeof moneyBefore>,
  once: (id: string) => string,
): MoneyBefore {
  return {
    amount: sum,
    currency: before.currency,
    amountRefunded: amount_refunded,
    status: before.status,
    isRefundable: is_refundable,
    charges: charges.map((one) => ({
      id: once(one.id),
      amount: one.amount,
      status: one.status,
      isRefundable: one.is_refundable,
      refunds: one.refunds,
    })),
  };
}

// JSON.parse makes a text of its own wherever a row names its charge.
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

/** What makes a row the same row. */
interface RowIdentity {
  readonly origin: string;
  /** Sandbox and production may have one address, but they are two accounts. */
  readonly mode: PlanHead['mode'];
  readonly orderId: string;
  /** The id of a charge; undefined if the row names none: the whole order, or the only charge that has money left. */
  readonly chargeId: string | undefined;
  readonly amount: number | 'full';
  readonly ref: string;
}

/**
 * The key of a row. The journal keeps it as the idempotency key of the refund, so its rules for a repeated `--idempotency-key` hold: a
 * row that was made is never sent again. No script can type such an id, because a typed one has no slash.
 */
export function rowKey({ origin, mode, orderId, chargeId = '', amount, ref }: RowIdentity): string {
  const text = JSON.stringify([origin, mode, orderId, chargeId, amount, ref]);
  return `row/${createHash('sha256').update(text).digest().toString('hex', 0, 16)}`;
}
