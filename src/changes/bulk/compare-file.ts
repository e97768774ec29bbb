/** `refunds compare`: a file of refunds, made by anybody, beside what the service and the journal of this machine show. */

import { amountWords } from '../../amounts.ts';
import { longPages, type OpenService } from '../../api/api.ts';
import { readMoney } from '../../api/charges.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import { idOf, type JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { type Delimiter, type InputRow, readInputFile } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { type RefundFacts, refundFacts } from '../refund/known-refunds.ts';
import { type Compared, compareOrder, compareVerdicts, notFound, refundsOf } from './compare-rows.ts';
import { referenceProblems, refuseProblems } from './input-problems.ts';
import { orderIdOf, ordersOf, type ReadOrders, readOrders } from './read-orders.ts';
import { inputColumnsOf } from './row-verdicts.ts';

/** What `refunds compare` was asked for. */
export interface CompareAsked {
  readonly file: string;
  readonly delimiter: Delimiter | undefined;
  /** Also finds refunds since then that no row is about; Unix milliseconds. */
  readonly since: number | undefined;
}

/** Compares a file. Returns 0 if every row was refunded just as it says, 7 while one is unconfirmed, and 8 otherwise. */
export async function compareFile(
  ctx: Context,
  service: OpenService,
  asked: CompareAsked,
): Promise<0 | 7 | 8> {
  const input = readInputFile(await ctx.plans.input(asked.file), {
    delimiter: asked.delimiter,
    for: 'compare',
  });
  const how = { file: asked.file, errors: undefined, force: false };
  await refuseProblems(ctx, input, input.problems, how);
  const orders = await readOrders(ctx, service, ordersOf(input.rows));
  await refuseProblems(ctx, input, referenceProblems(input.rows, orders), how);
  const compared = await compareRows(ctx, service, input.rows, orders);
  const known = new Set(
    compared.flatMap(({ orderId, refunds }) => refunds.map(({ id }) => `${orderId} ${id}`)),
  );
  const more = asked.since === undefined ? [] : await refundsElsewhere(ctx, service, known, asked.since);
  const all = [...compared.toSorted(byLine), ...more];
  const facts = refundFacts(await ctx.journal.attemptsOf(service), ctx.journal);
  const plan = { columns: input.columns };
  await ctx.out.ownList(
    compareColumns(plan),
    all.values().map((one) => compareRecord(one, plan, facts)),
  );
  for (const line of closingLines(all, service.profile)) ctx.notes.note(line);
  if (all.some(({ verdict }) => verdict === 'unconfirmed')) return 7;
  return all.every(({ verdict }) => verdict === 'refunded') ? 0 : 8;
}

function byLine(one: Compared, other: Compared): number {
  return (one.row?.line ?? 0) - (other.row?.line ?? 0);
}

async function compareRows(
  ctx: Context,
  service: OpenService,
  rows: readonly InputRow[],
  orders: ReadOrders,
): Promise<readonly Compared[]> {
  const unconfirmed = await ctx.journal.unconfirmed(service);
  const byOrder = Map.groupBy(rows, (row) => orderIdOf(row, orders));
  return [...byOrder].flatMap(([id, some]) => {
    const order = orders.found.get(id)?.order;
    if (order === undefined)
      return some.map((row) => notFound(id, row, orders.missing.get(id) ?? `there is no order ${id}`));
    return compareOrder(id, some, order, unconfirmed.has(id));
  });
}

// The refunds may be of old orders, so the whole list is read.
async function refundsElsewhere(
  ctx: Context,
  service: OpenService,
  known: ReadonlySet<string>,
  since: number,
): Promise<readonly Compared[]> {
  const found: Compared[] = [];
  let read = 0;
  const end = ctx.notes.progress(() => `looking for other refunds: ${read} orders read`);
  try {
    for await (const { records } of longPages(service, 'orders', {}, { ahead: true })) {
      for (const record of records) {
        const id = idOf(record);
        if (id !== undefined) found.push(...elsewhere(id, record.value, since, known));
      }
      read += records.length;
    }
  } finally {
    end();
  }
  return found;
}

function elsewhere(
  orderId: string,
  order: JsonObject,
  since: number,
  known: ReadonlySet<string>,
): readonly Compared[] {
  // Most orders have no refund, so their charges are not read.
  const reading = order.amount_refunded === 0 ? undefined : readMoney(order);
  if (reading === undefined || 'problem' in reading) return [];
  const { currency } = reading.money;
  return refundsOf(reading.money)
    .filter(({ id, createdAt }) => {
      const isSince = createdAt === undefined || createdAt * 1000 >= since;
      return isSince && !known.has(`${orderId} ${id}`);
    })
    .map((refund) => ({
      row: undefined,
      orderId,
      verdict: 'not_in_file' as const,
      why: undefined,
      wanted: undefined,
      refunded: -refund.amount,
      currency,
      refunds: [refund],
    }));
}

// ── What is printed ─────────────────────────────────────────────────────────────────────────────

interface Titles {
  readonly columns: readonly string[];
}

/** The columns of a comparison. The columns of the file come last, as `input.TITLE`. */
function compareColumns(titles: Titles): readonly Column[] {
  return [
    { ...fieldColumn('line', 'LINE', 'integer', 0), stays: true },
    { ...fieldColumn('order_id', 'ORDER', 'id', 0), stays: true },
    fieldColumn('wanted', 'IN FILE', 'figure', 0),
    fieldColumn('refunded', 'REFUNDED', 'money', 0),
    { ...fieldColumn('verdict', 'VERDICT', 'text', 0), stays: true },
    fieldColumn('refunded_at', 'WHEN', 'time', 0),
    fieldColumn('operator', 'BY', 'text', 100),
    fieldColumn('refund_id', 'REFUND ID', 'id', 120),
    fieldColumn('why', 'WHY', 'text', 100),
    fieldColumn('currency', 'CURRENCY', 'text'),
    fieldColumn('charge', 'CHARGE', 'text'),
    fieldColumn('ref', 'REF', 'text'),
    ...inputColumnsOf(titles),
  ];
}

function compareRecord(
  { row, orderId, verdict, why, wanted, refunded, currency, refunds }: Compared,
  { columns }: Titles,
  facts: ReadonlyMap<string, RefundFacts>,
): JsonObject {
  const last = refunds.at(-1);
  const known = refunds.flatMap(({ id }) => facts.get(id)?.operator ?? []);
  return {
    object: 'refund_comparison',
    line: row?.line ?? null,
    order_id: orderId,
    charge: row?.charge ?? last?.chargeId ?? null,
    wanted: wanted ?? null,
    refunded,
    currency: currency ?? null,
    verdict,
    why: why ?? null,
    refunded_at: last?.createdAt ?? null,
    refund_id: refunds.map(({ id }) => id).join(' ') || null,
    operator:
      known.length > 0 ? [...new Set(known)].join(', ') : refunds.length > 0 ? 'not from this machine' : null,
    ref: row?.ref ?? '',
    input: Object.fromEntries(columns.map((title, index) => [title, row?.cells[index] ?? ''])),
  };
}

const verdictWords: Readonly<Record<(typeof compareVerdicts)[number], string>> = {
  refunded: 'refunded as the file says',
  in_part: 'in part',
  more: 'more than the file says',
  not: 'not refunded',
  unconfirmed: 'unconfirmed: paydesk journal reconcile --all',
  not_found: 'not found',
  not_in_file: 'not in the file',
};

function closingLines(all: readonly Compared[], { settings }: Profile): readonly string[] {
  return compareVerdicts.flatMap((verdict) => {
    const some = all.filter((one) => one.verdict === verdict);
    if (some.length === 0) return [];
    const sums = new Map<string, number>();
    for (const { currency, refunded } of some)
      if (currency !== undefined && refunded > 0) sums.set(currency, (sums.get(currency) ?? 0) + refunded);
    const money = [...sums].map(([currency, sum]) => amountWords(sum, currency, settings)).join(' and ');
    return [`${some.length} ${verdictWords[verdict]}${money === '' ? '' : ` (${money} went back)`}`];
  });
}
