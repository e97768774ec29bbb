/** `orders export`: writes every order, charge or refund of a time range to stdout or into a file. */

import type { Page, Service, WireRecord } from '../../api/api.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, chargeColumns, orderColumns, refundColumns } from '../../api/resources.ts';
import type { Context, Days } from '../../context/context.ts';
import { CliError, orElse } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { anyTime, boundSeconds, clockIn, rangeWords, type TimeRange } from '../../flags/typed-time.ts';
import {
  type KnownOrder,
  knownOrders,
  ordersWithRefunds,
  recordedState,
  refundStates,
  toldRefunds,
} from '../../orders/orders.ts';
import { flagWords, type Profile } from '../../profiles/profiles.ts';
import { magnitude, wholeNumber } from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { daysOfFile, daysOfFlag, exportFlags } from '../export/export-flags.ts';
import { type ExportJob, type RowMaker, runExport } from '../export/export-run.ts';
import { passing } from '../listing.ts';
import { refundLines } from '../report/report-screen.ts';
import { type ShownRefunds, unshownFacts } from '../report/report-source.ts';
import { feedIndex, type IndexFeed } from './feed-index.ts';
import {
  type AmountRange,
  amountRange,
  type FilterInput,
  filterFlags,
  type OrderFilters,
  orderFilters,
} from './order-filters.ts';
import { type DateState, stopAtDate } from './order-observer.ts';
import {
  datedRows,
  orderRows,
  type RowDate,
  type RowKind,
  refundRowFields,
  rowDates,
  rowKinds,
  rowWords,
} from './order-rows.ts';
import { createFees, createSums } from './refund-sums.ts';

const columnsOf: Readonly<Record<RowKind, readonly Column[]>> = {
  orders: orderColumns,
  charges: chargeColumns,
  refunds: refundColumns,
};

const exportOrders = defineCommand({
  description:
    'Reads every page and writes NDJSON, JSON or CSV as the pages come. With --to the file gets its name when it is complete, with a manifest beside it; --resume goes on with an export that was interrupted. --by says which date --period, --since and --until are about: created, paid or refunded.',
  arguments: [],
  flags: {
    ...exportFlags,
    rows: flag.choice(rowKinds, 'KIND', 'what a row is', { defaultText: 'orders' }),
    by: flag.choice(rowDates, 'DATE', 'the date of --period, --since and --until', {
      defaultText: 'created; refunded with --rows refunds',
    }),
    ...filterFlags,
    ...timeFlags('all rows', {
      since: 'only rows of this time (--by) or later',
      until: 'only rows before this time; --until today: up to last midnight',
    }),
    'min-amount': flag.typedAmount(
      'N',
      'only rows of this amount or more: of the order, the charge or the refund, as --rows says',
    ),
    'max-amount': flag.typedAmount('N', 'only rows of this amount or less'),
    state: flag.choices(
      refundStates,
      'STATE',
      'with --rows refunds only those in this state, or in one of several: made,pending',
    ),
    strict: flag.switch(
      'stop at the first order of which the service does not show all, instead of naming all of them',
    ),
  },
  examples: [
    'paydesk -p demo orders export --no-input',
    'paydesk -p demo orders export --rows refunds --since 2026-11-01 --until 2026-12-01 --tz America/Mexico_City --to refunds.csv',
  ],
  async run(ctx, { flags }): Promise<undefined> {
    const begun: { feed?: IndexFeed; checkStatuses?: () => void } = {};
    const exported = runExport(ctx, flags, async (service) => {
      const { profile } = service;
      const rows = flags.rows ?? 'orders';
      const by = flags.by ?? defaultDate[rows];
      const { period, since, until, 'min-amount': _min, 'max-amount': _max, state: states, ...rest } = flags;
      if (states !== undefined && rows !== 'refunds')
        throw usage('--state is about refunds, and these rows are not', ['--rows refunds']);
      const isOfState = ({ state }: { readonly state?: string | undefined }) =>
        states?.some((one) => one === state) ?? true;
      const days = daysOfFlag(ctx, flags.tz);
      const clockAndZone = clockIn(days, ctx.clock.now());
      const range = periodOf({ period, since, until })?.range(clockAndZone) ?? anyTime;
      sayFuture(ctx, range, days.full);
      const { filters, leftOut, checkStatuses } = orderFilters(ctx, rest, service);
      const amounts = amountRange(flags, profile);
      for (const line of amounts.warnings) ctx.notes.warn(line);
      const filterWords = [
        ...filters.map(({ words }) => words),
        amounts.words,
        states === undefined ? [] : ['--state', states.join()],
      ].filter((words) => words.length > 0);
      // A journal that cannot be read is told before anything is exported.
      let known = rows === 'refunds' ? await knownOf(ctx, service, []) : noneKnown;
      const shown: ShownRefunds = new Map();
      const chosen = new Set<string>();
      const toldOf = (order: JsonObject) => {
        const told = toldRefunds(known.get(order.id) ?? nothingKnown);
        return (refund: JsonObject) => {
          const one = told(refund);
          // Of what is known to be made nobody asks again.
          if (one.attempt !== undefined && recordedState(one.attempt) !== 'made')
            shown.set(String(refund.id), {
              change: one.attempt.sent.change,
              amount: magnitude(wholeNumber(refund.amount) ?? 0),
            });
          return one;
        };
      };
      const unshownOf = async (within: TimeRange) =>
        rows === 'refunds' && by === 'refunded' ? await unshownFacts(ctx, profile, within, shown) : [];
      return {
        resource: 'orders',
        row: rowWords[rows],
        columns: columnsOf[rows],
        ...(rows === 'refunds' ? { ownFields: refundRowFields } : {}),
        words: wordsOf({ ...flags, rows, by }, filterWords.flat()),
        query: () => ({
          resource: 'orders',
          rows,
          by,
          zone: flags.tz ?? ctx.zone(),
          since: boundSeconds(range.since),
          until: boundSeconds(range.until),
          filters: filterWords.map((words) => ctx.redaction.said(words.join(' '))),
        }),
        rows(query, state) {
          // An export that is resumed begins in the middle of the list, and its first page has no known neighbour.
          const feed = feedIndex(ctx, service, undefined, { inTheMiddle: state !== undefined });
          begun.feed = feed;
          // A resumed export does not know what the orders before had.
          if (state === undefined) begun.checkStatuses = checkStatuses;
          const span = query === undefined ? { range, days } : spanOf(ctx, query);
          let maybe: ReadonlySet<string> | undefined;
          const sums = createSums(state?.refunds);
          const fees = createFees(state?.fees);
          for (const [id, change, amount] of Array.isArray(state?.shown) ? state.shown : [])
            shown.set(String(id), {
              change: String(change),
              amount: wholeNumber(BigInt(String(amount))) ?? 0,
            });
          for (const id of Array.isArray(state?.chosen) ? state.chosen : []) chosen.add(String(id));
          const maker = rowMaker(
            ctx,
            profile,
            { rows, by, filters, amounts, leftOut, toldOf, strict: flags.strict === true },
            span,
            state,
          );
          return {
            ...maker,
            rowsOf(record) {
              const made = maker.rowsOf(record);
              const passed = { ...made, rows: made.rows.filter(isOfState) };
              if (rows === 'refunds') for (const row of passed.rows) sums.add(row);
              if (rows === 'charges') for (const row of passed.rows) fees.add(row);
              return passed;
            },
            state: () => ({
              ...maker.state(),
              refunds: sums.stored(),
              fees: fees.stored(),
              shown: [...shown].map(([id, { change, amount }]) => [id, change, String(amount)]),
              chosen: [...chosen],
            }),
            async closingLines() {
              const unshown = (await unshownOf(span.range)).filter(
                ({ orderId = '', amount, currency, state }) =>
                  isOfState({ state }) &&
                  (filters.length === 0 || chosen.has(orderId)) &&
                  (amounts.isOpen || (amount !== undefined && amounts.holds(amount, currency))),
              );
              return [
                ...maker.closingLines(),
                ...refundLines(sums.lines(), unshown, profile.settings),
                ...fees.lines(profile.settings),
              ];
            },
            async onPage(page) {
              await maker.onPage(page);
              feed.page(page);
              // The filters are about orders, and a refund that no order shows belongs to one.
              maybe ??= new Set(
                filters.length === 0
                  ? []
                  : (await unshownOf(span.range)).flatMap(({ orderId = [] }) => orderId),
              );
              for (const id of maybe) if (maker.isChosen(id)) chosen.add(id);
              if (rows === 'refunds') known = await knownOf(ctx, service, page.records);
            },
          };
        },
      } satisfies ExportJob;
    });
    try {
      await exported;
      begun.checkStatuses?.();
    } finally {
      await begun.feed?.end();
    }
  },
});

// The date that --since and --until mean without --by.
const defaultDate: Readonly<Record<RowKind, RowDate>> = {
  orders: 'created',
  charges: 'created',
  refunds: 'refunded',
};

function sayFuture(ctx: Context, { until }: TimeRange, full: Days['full']): void {
  if (until === undefined || until <= ctx.clock.now()) return;
  ctx.notes.note(`${full(until)} is in the future: this export ends with what has happened so far`);
}

interface WordsInput extends FilterInput {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly tz?: string | undefined;
}

function wordsOf(
  { rows, by, tz, period, since, until }: WordsInput,
  filters: readonly string[],
): readonly string[] {
  return [
    ...(rows === 'orders' ? [] : ['--rows', rows]),
    ...(by === defaultDate[rows] ? [] : ['--by', by]),
    ...flagWords({ period: period?.text, since: since?.text, until: until?.text, tz }),
    ...filters,
  ];
}

const noneKnown: ReadonlyMap<unknown, KnownOrder> = new Map();
const nothingKnown = { refunds: [], attempts: [] };

// What is known about those of the orders that may have refunds.
async function knownOf(
  ctx: Context,
  service: Service,
  records: readonly WireRecord[],
): Promise<ReadonlyMap<unknown, KnownOrder>> {
  const orders = records.map(({ value }) => value);
  const ids = ordersWithRefunds(orders);
  const refunded = orders.filter(({ id }) => ids.has(String(id)));
  // Without the journal, all refunds would look as if somebody else had made them.
  const all = await knownOrders(ctx, service, refunded).catch(
    orElse((cause) => {
      const what = `the export cannot say who made the refunds: ${cause.message}`;
      throw new CliError('refused', what, { ...cause.parts, cause });
    }),
  );
  return new Map(all.map((known) => [known.order.id, known]));
}

interface RowsAsked extends Pick<OrderFilters, 'filters' | 'leftOut'> {
  readonly rows: RowKind;
  readonly by: RowDate;
  readonly amounts: AmountRange;
  /** Whether the first order that does not show all ends the export. */
  readonly strict: boolean;
  /** What is known about the refunds of an order of the page that is read now. */
  readonly toldOf: (order: JsonObject) => ReturnType<typeof toldRefunds>;
}

interface Span {
  readonly range: TimeRange;
  readonly days: Days;
}

// A resumed export uses the range of its first run. The checkpoint holds that query.
function spanOf(ctx: Context, { since, until, zone }: JsonObject): Span {
  return {
    range: { since: milliseconds(since), until: milliseconds(until) },
    days: daysOfFile(ctx, zone),
  };
}

function rowMaker(
  ctx: Context,
  profile: Profile,
  { rows, by, filters, amounts, leftOut, toldOf, strict }: RowsAsked,
  { range, days }: Span,
  state: JsonObject = {},
) {
  const promised = by === 'created' && profile.settings['orders.order'] === 'newest-first';
  const dates = stopAtDate(promised, range.since, dateState(state));
  let passed: ReadonlySet<WireRecord> = new Set();
  const span = rangeWords(datedRows[rows][by], range, days.full);
  if (span !== undefined) ctx.notes.note(span);
  return {
    async onPage({ records }: Page) {
      passed = new Set(await passing(filters, records));
      dates.add(records);
      const warning = dates.warning();
      if (warning !== undefined) ctx.notes.warn(warning);
    },
    isDone: () => dates.reached,
    isChosen: (id: string) => [...passed].some(({ value }) => value.id === id),
    rowsOf(record) {
      if (!passed.has(record)) return { rows: [], problems: [] };
      const found = orderRows(record, {
        rows,
        by,
        range,
        amounts,
        day: (at) => days.day(at),
        referenceKeys: profile.settings['reference.keys'],
        toldOf,
      });
      const [first] = found.problems;
      if (strict && first !== undefined)
        throw new CliError('incomplete', `${first.order_id || 'an order'}: ${first.why}`);
      return found;
    },
    state() {
      const { before, contradicted } = dates.state;
      return { id: before?.id, created_at: before?.createdAt, contradicted };
    },
    closingLines: leftOut,
  } satisfies RowMaker & { readonly isChosen: (id: string) => boolean };
}

function dateState({ id, created_at: createdAt, contradicted }: JsonObject): DateState {
  const known = typeof id === 'string' && typeof createdAt === 'number';
  return { before: known ? { id, createdAt } : undefined, contradicted: contradicted === true };
}

function milliseconds(at: unknown): number | undefined {
  return typeof at === 'number' ? at * 1000 : undefined;
}

export { exportOrders as export };
