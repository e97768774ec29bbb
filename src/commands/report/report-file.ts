/** Takes the facts of a report from an export file, if that file can answer what is asked. */

import { isObject, type JsonObject } from '../../api/json-values.ts';
import { statuses, type TimeRange } from '../../api/spec.ts';
import type { Context, Days } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { ExportReading } from '../../exports/exports.ts';
import { usage } from '../../flags/flags.ts';
import { rangeWords } from '../../flags/typed-time.ts';
import { purchaseOf } from '../../orders/orders.ts';
import { commandLine, environmentName } from '../../profiles/profiles.ts';
import {
  type Facts,
  factsOfCharge,
  factsOfOrder,
  factsOfRefundRow,
  type Known,
} from '../../reports/reports.ts';
import { datedRows, rowDates, rowKinds } from '../orders/order-rows.ts';
import {
  type Asked,
  asOfReading,
  makersOf,
  type Needs,
  nobodyAsked,
  type OpenedSource,
  type Source,
  timeOf,
} from './report-source.ts';

/** Opens an export as the source of a report. Throws CliError 'usage' if the file does not hold what is asked. */
export async function openFile(ctx: Context, asked: Asked, path: string): Promise<OpenedSource> {
  const { needs } = asked;
  const opened = await ctx.exports.read(path);
  const { query, account, startedAt } = opened;
  const profile = await profileOf(ctx, opened);
  const time = timeOf(ctx, asked, typeof query.zone === 'string' ? query.zone : undefined);
  const again = exportOf(ctx, opened);
  refuseUnlessHeld(path, opened, needs, { ...time, again });
  refuseFiltered(path, query, needs, again);
  refuseMissing(path, opened, needs, again);
  if (time.range.since !== undefined && startedAt * 1000 < time.range.since)
    throw usage(
      `${path} was exported on ${time.days.full(startedAt * 1000)}, before the period ${asked.period?.text ?? ''} begins`,
    );
  const { origin } = account;
  const attemptsOf = (orderIds: ReadonlySet<string>) => ctx.journal.attempts({ origin, orderIds });
  const makers = query.rows === 'refunds' ? nobodyAsked : await makersOf(needs, attemptsOf, ctx.journal);
  const filters = filtersOf(query);
  let read = 0;
  async function* facts(): AsyncGenerator<Facts> {
    yield* factsOfProblems(opened);
    for await (const records of inParts(opened.records(), recordsAtATime)) {
      read += records.length;
      const makerOf = await makers(records.map((record) => orderIn(record, query)));
      for (const record of records)
        yield factsOf(record, query, {
          makerOf,
          purchaseOf,
          referenceKeys: profile?.settings['reference.keys'],
        });
    }
  }
  const asOf = startedAt * 1000;
  const readWords = (): string =>
    `${read} ${String(query.rows)} read from ${path}, profile ${opened.profile}${filters.map((filter) => `, only those with ${filter}`).join('')}`;
  return {
    kind: 'file',
    label: { text: `from ${path}`, style: 'strong' },
    profile,
    ...time,
    asOf,
    reachesTo: asOf,
    isWhole: () => true,
    knowsPayments: holds(query, 'payments', time.range),
    facts: facts(),
    origin,
    attemptsOf,
    readWords,
    ...asOfReading({ days: time.days, asOf, readWords }),
  };
}

// What no row of the file has is also missing in the sums.
async function* factsOfProblems({ problems, query }: ExportReading): AsyncGenerator<Facts> {
  const makerOf = await nobodyAsked([]);
  for (const { order_id: id, missing, why } of problems)
    yield query.rows === 'orders' && missing === 'date'
      ? factsOfOrder({ id }, { makerOf, purchaseOf })
      : { order: undefined, payments: [], refunds: [], problem: `${id}: ${why}` };
}

// The profile that made the export, if this machine has it: its settings say how amounts and days are shown.
async function profileOf(ctx: Context, { profile }: ExportReading): Promise<Source['profile']> {
  try {
    const named = await ctx.profiles.open(ctx.options.profile === undefined ? profile : undefined);
    return named.profile;
  } catch (error) {
    if (error instanceof CliError && ctx.options.profile === undefined) return undefined;
    throw error;
  }
}

function factsOf(record: JsonObject, { rows }: JsonObject, known: Known): Facts {
  if (rows === 'refunds') return factsOfRefundRow(record);
  if (rows === 'orders') return factsOfOrder(record, known);
  return factsOfCharge(orderIn(record, { rows }), record, known);
}

// The order that a row is about, as far as the row shows it.
function orderIn(record: JsonObject, { rows }: JsonObject): JsonObject {
  if (rows === 'orders') return record;
  return isObject(record.order) ? record.order : { id: record.order_id };
}

// At most this many are held at a time, while the journal is asked about them.
const recordsAtATime = 250;

async function* inParts<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  for await (const one of all) {
    part.push(one);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

type Held = 'orders' | 'refunds' | 'payments' | 'everything';

/** Whether a file holds all orders, refunds or payments of a period. */
function holds(query: JsonObject, what: Held, range: TimeRange): boolean {
  const { rows, format, by } = query;
  const isCsv = format === 'csv';
  const kinds: Readonly<Record<Held, boolean>> = {
    orders: rows === 'orders',
    refunds: rows === 'refunds' || !isCsv,
    payments: rows === 'charges' || (rows === 'orders' && !isCsv),
    everything: rows === 'orders' && !isCsv,
  };
  const dates = { orders: 'created', refunds: 'refunded', payments: 'paid', everything: 'none' };
  return kinds[what] && (isOpen(query) || (by === dates[what] && covers(query, range)));
}

function isOpen({ since, until }: JsonObject): boolean {
  return typeof since !== 'number' && typeof until !== 'number';
}

function covers({ since, until }: JsonObject, range: TimeRange): boolean {
  const from = typeof since === 'number' ? since * 1000 : Number.NEGATIVE_INFINITY;
  const to = typeof until === 'number' ? until * 1000 : Number.POSITIVE_INFINITY;
  return from <= (range.since ?? Number.NEGATIVE_INFINITY) && to >= (range.until ?? Number.POSITIVE_INFINITY);
}

// Returns the command for an export that holds what is needed.
type ExportAgain = (kind: Needs['kind']) => string;

function exportOf({ options }: Context, { profile: name }: ExportReading): ExportAgain {
  const kind = options.profile === undefined && name === environmentName ? 'environment' : 'stored';
  const command = (...words: readonly string[]) =>
    commandLine({ kind, name: options.profile ?? name }, 'orders', 'export', ...words);
  return (needed) =>
    needed === 'refunds'
      ? command('--rows', 'refunds', '--to', 'refunds.ndjson')
      : command('--to', 'orders.ndjson');
}

function refuseUnlessHeld(
  path: string,
  opened: ExportReading,
  { kind }: Needs,
  { range, days, again }: Pick<Source, 'range' | 'days'> & { readonly again: ExportAgain },
): void {
  if (holds(opened.query, kind, range)) return;
  const what = kind === 'everything' ? 'all orders with their charges' : `all ${kind} of this period`;
  throw usage(`${path} does not hold ${what}: it is an export of ${exportWords(opened, days)}`, [
    again(kind),
  ]);
}

// `refunds made from 10 Nov 2040 00:00:00 UTC, before 21 Nov 2040 15:31:12 UTC`, `orders, as CSV`.
function exportWords({ query, startedAt }: ExportReading, days: Days): string {
  const rows = rowKinds.find((one) => one === query.rows) ?? 'orders';
  const by = rowDates.find((one) => one === query.by) ?? 'created';
  const ms = (seconds: unknown): number | undefined =>
    typeof seconds === 'number' ? seconds * 1000 : undefined;
  const since = ms(query.since);
  const until = ms(query.until) ?? (since === undefined ? undefined : startedAt * 1000);
  const words = rangeWords(datedRows[rows][by], { since, until }, days.full) ?? rows;
  return query.format === 'csv' ? `${words}, as CSV` : words;
}

// A filter leaves out orders, and with them their refunds and payments. Only the filter for authorized orders leaves out nothing
// that `orders waiting` counts.
function refuseFiltered(path: string, query: JsonObject, { kind, waiting }: Needs, again: ExportAgain): void {
  const harmless = waiting === 'only' ? `--status ${statuses.preAuthorized}` : undefined;
  const filters = filtersOf(query).filter((filter) => filter !== harmless);
  if (filters.length === 0) return;
  throw usage(
    `${path} holds only orders with ${filters.join(' and ')}: its sums would not be those of all orders`,
    [again(kind)],
  );
}

// What the rows of a file cannot say, for each thing that the sums can be split by.
const missingIn: Readonly<Record<string, { readonly rows: readonly unknown[]; readonly what: string }>> = {
  brand: { rows: ['refunds'], what: 'with which card was paid' },
  method: { rows: ['refunds'], what: 'how it was paid' },
  age: { rows: ['refunds'], what: 'when it was paid' },
  status: { rows: ['refunds', 'charges'], what: 'the status of its order' },
};

function refuseMissing(
  path: string,
  { query, columns }: Pick<ExportReading, 'query' | 'columns'>,
  { kind, by = [], marginSeconds }: Needs,
  again: ExportAgain,
): void {
  for (const one of by) {
    const missing = missingIn[one];
    // The charges of an order are in no column of its CSV.
    const isFlat = columns !== null && query.rows === 'orders' && (one === 'brand' || one === 'method');
    if (kind === 'refunds' && missing?.rows.includes(query.rows) === true)
      throw usage(`--by ${one}: an export of ${String(query.rows)} does not say ${missing.what}`, [
        again('orders'),
      ]);
    if (isFlat) throw usage(`--by ${one}: a CSV of orders has no charges`, [again('orders')]);
  }
  const names = [
    'amount',
    'currency',
    kind === 'orders' ? 'id' : 'order_id',
    'created_at',
    ...(kind === 'orders' ? ['payment_status', 'amount_refunded'] : ['reason', 'operator']),
    ...(kind === 'refunds' && by.includes('approver') ? ['approved_by'] : []),
    ...(marginSeconds === undefined ? [] : ['customer_info.email', 'customer_info.customer_id']),
  ];
  const absent = names.filter((name) => columns !== null && !columns.includes(name));
  if (absent.length > 0)
    throw usage(`${path} has no ${absent.join(', ')}: this report needs these columns`, [
      'export it without --columns',
    ]);
}

function filtersOf({ filters }: JsonObject): readonly string[] {
  return Array.isArray(filters) ? filters.map(String) : [];
}
