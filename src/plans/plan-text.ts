/**
 * The text of a plan file: a line of JSON with the account, a line for every row, and a last line with the sums and the digest
 * of all lines before it. Pure.
 */

import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { type JsonObject, refundReasonValues } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import { type Plan, type PlanHead, type PlanRow, rowStates, sumsOf } from './plan-types.ts';

// A plan of another version is refused, since nobody can know what its fields mean.
const version = 1;

const text = v.string();
const maybe = <T extends v.GenericSchema>(schema: T) => v.optional(schema);
const integer = v.pipe(v.number(), v.safeInteger());
const amount = v.union([v.pipe(integer, v.minValue(1)), v.literal('full')]);

const headLine = v.strictObject({
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
});

const before = v.strictObject({
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

const rowLine = v.strictObject({
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
  key: text,
  tried: maybe(text),
  part_of: maybe(text),
  before: maybe(before),
  neighbour: maybe(text),
});

const endLine = v.strictObject({
  object: v.literal('plan_end'),
  rows: integer,
  totals: v.array(
    v.strictObject({ state: v.picklist(rowStates), currency: text, rows: integer, amount: integer }),
  ),
  digest: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)),
});

/** A plan as the lines of its file, one by one, and its digest. `clean` masks keys in a line of JSON. */
export function writePlan(
  head: PlanHead,
  rows: readonly PlanRow[],
  clean: (json: string) => string,
): { readonly lines: Iterable<string>; readonly digest: () => string } {
  const hash = createHash('sha256');
  let digest = '';
  const line = (record: unknown): string => {
    const one = `${clean(JSON.stringify(record))}\n`;
    hash.update(one);
    return one;
  };
  function* lines(): Generator<string> {
    yield line(headRecord(head));
    for (const row of rows) yield line(rowRecord(row));
    digest = hash.digest('hex');
    yield endText(rows, digest);
  }
  return { lines: lines(), digest: () => digest };
}

/** Reads a plan. Throws CliError 'refused' if it is no plan, if it was changed, or if its version is another one. */
export function readPlan(name: string, bytes: Uint8Array): Plan {
  const lines = linesOf(bytes);
  const first = lines.next();
  const head = parsed(name, headLine, first.value, 1);
  const hash = createHash('sha256');
  const rows: PlanRow[] = [];
  let last = first.value;
  let number = 1;
  for (const line of lines) {
    if (last !== undefined) hash.update(last);
    number += 1;
    if (isRow(line)) rows.push(rowOf(parsed(name, rowLine, line, number)));
    else if (line.at(-1) !== newline) throw edited(name, 'it does not end where a plan ends');
    last = line;
  }
  const end = parsed(name, endLine, last, number);
  const digest = hash.digest('hex');
  if (digest !== end.digest) throw edited(name, 'its digest is not that of its rows');
  if (rows.length !== number - 2) throw edited(name, 'it has lines that are no rows');
  // The digest does not cover the last line, so that line must be just the one that paydesk writes.
  if (!Buffer.from(endText(rows, digest)).equals(last ?? Buffer.of()))
    throw edited(name, 'its last line does not fit its rows');
  return { ...headOf(head), rows, digest };
}

const newline = 10;
const rowStart = Buffer.from('{"object":"plan_row"');

function isRow(line: Uint8Array): boolean {
  return rowStart.every((byte, index) => line[index] === byte);
}

// Each line with its end, as a part of the same bytes.
function* linesOf(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const next = end === -1 ? bytes.length : end + 1;
    yield bytes.subarray(at, next);
    at = next;
  }
  return undefined;
}

function parsed<T extends v.GenericSchema>(
  name: string,
  schema: T,
  line: Uint8Array | undefined,
  number: number,
): v.InferOutput<T> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    throw number === 1 ? noPlan(name) : edited(name, `line ${number} cannot be read`);
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  if (number === 1) throw noPlan(name);
  throw edited(name, `line ${number} is not a line of a plan`);
}

function noPlan(name: string): CliError {
  return new CliError('refused', `${name} is not a plan of this version of paydesk`, {
    certain: 'nothing was sent',
    now: [`make a plan of a file of refunds first: paydesk refunds plan FILE.csv --to FILE.plan`],
  });
}

function edited(name: string, why: string): CliError {
  return new CliError('refused', `${name} was changed after it was made: ${why}`, {
    certain: 'nothing was sent',
    now: ['make the plan again from its file; change the file, never the plan'],
  });
}

// ── Between the lines and our own types ─────────────────────────────────────────────────────────

function headRecord(head: PlanHead): v.InferOutput<typeof headLine> {
  const { id, madeAt, origin, account, profile, mode, operator, file, columns, refreshes } = head;
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
  };
}

function headOf({ object: _, version: __, made_at, ...head }: v.InferOutput<typeof headLine>): PlanHead {
  return { ...head, madeAt: made_at, refreshes: head.refreshes };
}

function rowRecord(row: PlanRow): JsonObject {
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

function rowOf(line: v.InferOutput<typeof rowLine>): PlanRow {
  const { number, charge, amount: asked, reason, ref, note, more, state, why, marks, currency, body } = line;
  return {
    number,
    line: line.line,
    orderId: line.order_id,
    charge,
    chargeId: line.charge_id,
    amount: asked,
    reason,
    ref,
    note,
    more,
    state,
    why,
    marks,
    sum: line.refunds,
    currency,
    body,
    expected: line.expected.map((one) => ({ chargeId: one.charge_id, amount: one.amount })),
    tolerated: line.tolerated,
    again: line.again,
    key: line.key,
    tried: line.tried,
    partOf: line.part_of,
    before: line.before && {
      amount: line.before.amount,
      currency: line.before.currency,
      amountRefunded: line.before.amount_refunded,
      status: line.before.status,
      isRefundable: line.before.is_refundable,
      charges: line.before.charges.map((one) => ({
        id: one.id,
        amount: one.amount,
        status: one.status,
        isRefundable: one.is_refundable,
        refunds: one.refunds,
      })),
    },
    neighbour: line.neighbour,
  };
}

function endText(rows: readonly PlanRow[], digest: string): string {
  return `${JSON.stringify(endRecord(rows, digest))}\n`;
}

function endRecord(rows: readonly PlanRow[], digest: string): v.InferOutput<typeof endLine> {
  const totals = rowStates.flatMap((state) =>
    sumsOf(rows.filter((row) => row.state === state)).map((sum) => ({ state, ...sum })),
  );
  return { object: 'plan_end', rows: rows.length, totals, digest };
}
