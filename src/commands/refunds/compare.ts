/** `refunds compare`: compares a file of refunds, whoever made it, with what the service and the journal of this machine show. */

import { longPages, type OpenService } from '../../api/api.ts';
import { idOf, type JsonObject } from '../../api/json-values.ts';
import { isWithin, type TimeRange } from '../../api/spec.ts';
import {
  checkWritten,
  lookAtOrders,
  noneNamed,
  noOrder,
  orderIdOf,
  ordersOf,
  type ReadOrders,
  readOrders,
  referenceProblems,
  refuseProblems,
  sayReferences,
  sayUnread,
  senderOf,
  shownTitles,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { allRowsFlag, errorsFlag, fileArgument, flag, listFileFlags, sheetFlag } from '../../flags/flags.ts';
import { periodOf, rangeOf, timeFlags } from '../../flags/typed-period.ts';
import { clockIn, rangeWords } from '../../flags/typed-time.ts';
import { type KnownOrder, knownOrders, ordersWithRefunds, stopsRefund } from '../../orders/orders.ts';
import { type InputFile, type InputRow, rowKey } from '../../plans/plans.ts';
import { commandLine } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { currencyInFile } from '../compare/compared.ts';
import { fileLines, sumRecords } from '../compare/compared-sums.ts';
import { isShown, type ShownRefund } from '../compare/refund-claims.ts';
import { closingLines, compareColumns, compareRecord, wentBackFor } from '../compare/refund-columns.ts';
import {
  type Compared,
  type CompareRules,
  compareOrder,
  notFound,
  notInFile,
} from '../compare/refund-rows.ts';
import { listCompared, refuseDecimals, sayReasons } from '../compare/show-compared.ts';
import { daysOfFlag } from '../export/export-flags.ts';
import { sourceFlags } from '../report/report-flags.ts';

export const compare = defineCommand({
  description:
    'Says for any list of orders which were refunded, when, how much and by whom; which only in part, which by more than the file says, which not. The columns are order_id (or reference or auth_code), charge_id and amount, or those of refunds list --csv and orders export --rows refunds; without an amount the whole order is meant. With --period or --since it also finds refunds that are not in the file.',
  arguments: [fileArgument(true)],
  flags: {
    ...timeFlags('none: only the rows of the file', {
      since: 'also find refunds that are not in the file, made since',
      until: 'the same, made before this time',
    }),
    tz: sourceFlags.tz,
    sheet: sheetFlag,
    errors: errorsFlag,
    'all-rows': allRowsFlag,
    to: listFileFlags.to,
    force: flag.switch('replace the files of --errors and --to'),
  },
  examples: [
    'paydesk -p demo refunds compare refunds.csv',
    'paydesk -p shop-mx refunds compare october.csv --period 2026-10 --json',
  ],
  exits: {
    0: 'every row ended just as the file says: refunded, or failed where its state says so',
    7: 'a person must look at a row',
    8: 'some rows are not refunded as the file says',
  },
  async run(ctx, { args: [file], flags }) {
    const { errors, to, tz, sheet, force = false } = flags;
    const service = await ctx.service();
    const { settings } = service.profile;
    const days = daysOfFlag(ctx, tz);
    const range = rangeOf(ctx, periodOf(flags), clockIn(days, ctx.clock.now()));
    const span = rangeWords('other refunds made', range, days.full);
    if (span !== undefined) ctx.notes.note(span);
    // Only refunds from this range of time count, and those that no row is about are found too.
    const others = span === undefined ? undefined : range;
    await checkWritten(ctx, { '--errors': errors, '--to': to }, { 'the input file': file });
    const input = await ctx.plans.input(file, {
      sheet,
      delimiter: ctx.options.csv.typedDelimiter,
      for: 'compare',
      amounts: settings,
      referenceKeys: settings['reference.keys'],
    });
    const asked = { file, errors, force };
    const begunAt = ctx.clock.now();
    const orders = await lookAtOrders(ctx, input, input.problems, asked, () =>
      readOrders(ctx, service, ordersOf(input.rows)),
    );
    // A row whose name no order has ends as not found. A name that several orders have is an error.
    const named = input.rows.filter((row) => orderIdOf(row, orders) !== '');
    await refuseProblems(ctx, input, [...input.problems, ...referenceProblems(named, orders)], asked);
    sayReferences(ctx, named, orders);
    const known = knowing(ctx, service, others);
    const compared = await compareRows(input, orders, known);
    await refuseDecimals(ctx, input, compared, settings, asked);
    sayUnread(ctx, input, 'the whole order is meant');
    const more =
      others === undefined
        ? []
        : await refundsElsewhere(ctx, service, known, { ofRows: idsOf(compared), range: others });
    const all = [...compared.toSorted(byLine), ...more.toSorted(byTime)];
    const titles = shownTitles(ctx, input);
    await listCompared(ctx, compareColumns(titles, all), all, {
      record: (one) => compareRecord(one, titles),
      agrees,
      allRows: flags['all-rows'] === true,
      zone: tz,
      localTimes: tz !== undefined,
      sums: sumRecords('refund_comparison_sum', all, wentBackFor),
    });
    sayReasons(ctx, all, (...words) => commandLine(service.profile, 'refunds', 'compare', file, ...words));
    for (const line of closingLines(all, service.profile, others !== undefined)) ctx.notes.note(line);
    for (const line of fileLines(all, wentBackFor, settings)) ctx.notes.note(line);
    ctx.notes.note(`as of ${days.full(begunAt)}: the orders were read from the service`);
    if (all.some(isAlarming)) return 7;
    return all.every(agrees) ? undefined : 8;
  },
});

function agrees({ row, verdict }: Compared): boolean {
  return verdict === (row?.isFailed === true ? 'failed' : 'refunded');
}

function isAlarming({ verdict, state }: Compared): boolean {
  return stopsRefund(verdict.replaceAll('_', ' ')) || (verdict === 'not_in_file' && state === 'unconfirmed');
}

// `ORDER REFUND` of the refunds that rows are about.
function idsOf(compared: readonly Compared[]): ReadonlySet<string> {
  return new Set(compared.flatMap(({ orderId, refunds }) => refunds.map(({ id }) => `${orderId} ${id}`)));
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
