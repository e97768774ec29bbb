/** `refunds compare`: compares a file of refunds, whoever made it, with what the service and the journal of this machine show. */

import { longPages, type OpenService } from '../../../api/api.ts';
import { idOf, type JsonObject } from '../../../api/json-values.ts';
import { isWithin, type TimeRange } from '../../../api/spec.ts';
import type { Context, Days } from '../../../context/context.ts';
import { type KnownOrder, knownOrders, ordersWithRefunds, stopsRefund } from '../../../orders/orders.ts';
import { type InputFile, type InputRow, rowKey } from '../../../plans/plans.ts';
import { sumRecords } from '../../../reports/reports.ts';
import type { Delimiter } from '../../../terminal/terminal.ts';
import { senderOf } from '../../refund/known-refunds.ts';
import {
  checkWritten,
  lookAtOrders,
  noneNamed,
  type RefusedFile,
  referenceProblems,
  refuseProblems,
  sayReferences,
  sayUnread,
} from '../bulk-files.ts';
import { noOrder, orderIdOf, ordersOf, type ReadOrders } from '../found-orders.ts';
import { currencyInFile, decimalsProblems, inOtherCurrency } from '../input-amounts.ts';
import { readOrders } from '../read-orders.ts';
import { listCompared, shownTitles } from '../row-records.ts';
import {
  closingLines,
  compareColumns,
  compareRecord,
  currencyLines,
  summed,
  whyLines,
} from './compare-printed.ts';
import { type Compared, type CompareRules, compareOrder, notFound, notInFile } from './compare-rows.ts';
import { isShown, type ShownRefund } from './row-claims.ts';

interface CompareAsked extends RefusedFile {
  /** Where the list goes instead of stdout. */
  readonly to: string | undefined;
  /** Lists every row, however many there are. */
  readonly allRows: boolean;
  readonly delimiter: Delimiter | undefined;
  readonly sheet: string | undefined;
  /** The zone that was typed, and its days. */
  readonly tz: string | undefined;
  readonly days: Days;
  /** Only refunds from this range of time count, and those that no row is about are found too. */
  readonly others: TimeRange | undefined;
}

/** Compares a file. Returns 0 if every row was refunded just as it says, 7 while one is unconfirmed, and 8 otherwise. */
export async function compareFile(
  ctx: Context,
  service: OpenService,
  asked: CompareAsked,
): Promise<0 | 7 | 8> {
  const { settings } = service.profile;
  await checkWritten(ctx, { '--errors': asked.errors, '--to': asked.to }, { 'the input file': asked.file });
  const referenceKeys = settings['reference.keys'];
  const how = { ...asked, for: 'compare', amounts: settings, referenceKeys } as const;
  const input = await ctx.plans.input(asked.file, how);
  const begunAt = ctx.clock.now();
  const orders = await lookAtOrders(ctx, input, input.problems, asked, () =>
    readOrders(ctx, service, ordersOf(input.rows)),
  );
  // A row whose name no order has ends as not found. A name that several orders have is an error.
  const named = input.rows.filter((row) => orderIdOf(row, orders) !== '');
  await refuseProblems(ctx, input, [...input.problems, ...referenceProblems(named, orders)], asked);
  sayReferences(ctx, named, orders);
  const known = knowing(ctx, service, asked.others);
  const compared = await compareRows(input, orders, known);
  // For the other rows, no order says what their decimals mean.
  const found = compared.filter(
    ({ row, verdict, currency }) =>
      verdict !== 'not_found' && !(row && inOtherCurrency(row, currency, settings)),
  );
  await refuseProblems(ctx, input, decimalsProblems(found, settings), asked);
  sayUnread(ctx, input, 'the whole order is meant');
  const ofRows = new Set(
    compared.flatMap(({ orderId, refunds }) => refunds.map(({ id }) => `${orderId} ${id}`)),
  );
  const more =
    asked.others === undefined
      ? []
      : await refundsElsewhere(ctx, service, known, { ofRows, range: asked.others });
  const all = [...compared.toSorted(byLine), ...more.toSorted(byTime)];
  const titles = shownTitles(ctx, input);
  const agrees = ({ row, verdict }: Compared) => verdict === (row?.isFailed === true ? 'failed' : 'refunded');
  await listCompared(ctx, compareColumns(titles, all), all, {
    record: (one) => compareRecord(one, titles),
    agrees,
    allRows: asked.allRows,
    zone: asked.tz,
    localTimes: asked.tz !== undefined,
    sums: sumRecords('refund_comparison_sum', summed(all), 'refunded'),
  });
  for (const line of whyLines(all, service.profile, asked.file)) ctx.notes.note(line);
  const isLookedFor = asked.others !== undefined;
  for (const line of closingLines(all, service.profile, isLookedFor)) ctx.notes.note(line);
  for (const line of currencyLines(all, service.profile)) ctx.notes.note(line);
  ctx.notes.note(`as of ${asked.days.full(begunAt)}: the orders were read from the service`);
  const isAlarming = ({ verdict, state }: Compared) =>
    stopsRefund(verdict.replaceAll('_', ' ')) || (verdict === 'not_in_file' && state === 'unconfirmed');
  if (all.some(isAlarming)) return 7;
  return all.every(agrees) ? 0 : 8;
}

function byLine(one: Compared, other: Compared): number {
  return (one.row?.line ?? 0) - (other.row?.line ?? 0);
}

function byTime({ refunds: [one] }: Compared, { refunds: [other] }: Compared): number {
  return (one?.createdAt ?? 0) - (other?.createdAt ?? 0);
}

// What is known about some orders, and the rules for the rows of one of them.
interface Knowing {
  readonly of: (orders: readonly JsonObject[]) => Promise<readonly KnownOrder[]>;
  readonly rules: (orderId: string) => CompareRules;
}

function knowing(ctx: Context, service: OpenService, range: TimeRange | undefined): Knowing {
  const { origin, mode, settings } = service.profile;
  return {
    of: (orders) => knownOrders(ctx, service, orders),
    rules: (orderId) => ({
      keyOf: (row) => rowKey({ ...row, origin, mode, orderId }),
      senderOf: (refund) => senderOf(ctx, refund),
      range,
      settings,
    }),
  };
}

// The journal is asked about this many orders at a time, since a file may name thousands.
const ordersAtOnce = 100;

async function compareRows(
  { rows }: Pick<InputFile, 'rows'>,
  orders: ReadOrders,
  known: Knowing,
): Promise<readonly Compared[]> {
  const byOrder = [...Map.groupBy(rows, (row) => orderIdOf(row, orders))];
  const compared: Compared[] = [];
  for (let from = 0; from < byOrder.length; from += ordersAtOnce) {
    const some = byOrder.slice(from, from + ordersAtOnce);
    const read = await known.of(
      some.map(([id]) => orders.take(id)?.order).filter((order) => order !== undefined),
    );
    const byId = new Map(read.map((one) => [one.order.id, one]));
    compared.push(
      ...some.flatMap(([id, own]) => {
        const order = byId.get(id);
        const { settings } = known.rules(id);
        const missing = (row: InputRow) =>
          id === '' ? noneNamed(row) : (orders.missing.get(id) ?? noOrder(id));
        return order === undefined
          ? own.map((row) => notFound(id, row, missing(row), currencyInFile(row, settings), settings))
          : compareOrder(id, own, order, known.rules(id));
      }),
    );
  }
  return compared;
}

// Which refunds are looked for: those from a range of time that no row is about.
interface Elsewhere {
  /** `ORDER REFUND` of the refunds that rows are about. */
  readonly ofRows: ReadonlySet<string>;
  readonly range: TimeRange;
}

// The refunds may belong to old orders, so the whole list is read.
async function refundsElsewhere(
  ctx: Context,
  service: OpenService,
  known: Knowing,
  asked: Elsewhere,
): Promise<readonly Compared[]> {
  const found: Compared[] = [];
  const unknown: string[] = [];
  let read = 0;
  const end = ctx.notes.progress(() => `looking for other refunds: ${read} orders read`);
  try {
    for await (const { records } of longPages(service, 'orders', {}, { ahead: true })) {
      const orders = records.flatMap((record) => (idOf(record) === undefined ? [] : [record.value]));
      // Most orders have no refund, and the journal is not asked about those.
      const withRefunds = ordersWithRefunds(orders);
      const some = orders.filter(({ id }) => withRefunds.has(String(id)));
      for (const one of await known.of(some)) {
        found.push(...elsewhere(one, known, asked));
        // If it has rows, they end as not shown. Without a row, nobody would hear about the order, so it is named here.
        if ('problem' in one.reading) unknown.push(`${String(one.order.id)}: ${one.reading.problem}`);
      }
      read += records.length;
    }
  } finally {
    end();
  }
  for (const line of unknown.slice(0, unknownNamed))
    ctx.notes.warn(`${line}: refunds of it that are not in the file are not found`);
  if (unknown.length > unknownNamed) ctx.notes.warn(`and ${unknown.length - unknownNamed} more such orders`);
  return found;
}

// The most orders to name for which nobody can say whether the file lacks refunds.
const unknownNamed = 50;

function elsewhere(
  { order, reading, refunds }: KnownOrder,
  known: Knowing,
  { ofRows, range }: Elsewhere,
): readonly Compared[] {
  if ('problem' in reading) return [];
  const orderId = String(order.id);
  const isMissing = ({ record: { id, createdAt } }: ShownRefund) =>
    (createdAt === undefined || isWithin(range, createdAt)) && !ofRows.has(`${orderId} ${id}`);
  return (
    refunds
      .filter(isShown)
      // The file lacks no refund that gave nothing back.
      .filter(({ state }) => state !== 'failed')
      .filter(isMissing)
      .map((refund) => notInFile(orderId, refund, reading.money.currency, known.rules(orderId)))
  );
}
