/** `orders export`: writes every order, charge or refund of a time range to stdout or into a file. */

import type { JsonObject } from '../../api/json-values.ts';
import { type Column, chargeColumns, orderColumns, refundColumns } from '../../api/resources.ts';
import type { TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { amountFlag } from '../../flags/amount-flag.ts';
import { flag, usage } from '../../flags/flags.ts';
import { periodOf, rangeOf, timeFlags } from '../../flags/typed-period.ts';
import { boundSeconds, clockIn } from '../../flags/typed-time.ts';
import { refundStates } from '../../orders/orders.ts';
import { flagWords } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { daysOfFile, daysOfFlag, exportFlags } from '../export/export-flags.ts';
import { type ExportJob, runExport } from '../export/export-run.ts';
import { type OrdersWalk, refuseUnknown, type Span, walkOrders } from './export-walk.ts';
import { isLeftNamed, leftColumn } from './known-columns.ts';
import { amountRange, type FilterInput, filterFlags, orderFilters } from './order-filters.ts';
import { type RowDate, type RowKind, refundRowFields, rowDates, rowKinds, rowWords } from './order-rows.ts';

// A charge has a rest of its own, so that the column adds up. A refund has none.
const leftColumns = { orders: ['left'], charges: ['left', 'order.left'], refunds: ['order.left'] } as const;

const columnsOf: Readonly<Record<RowKind, readonly Column[]>> = {
  orders: orderColumns,
  charges: chargeColumns,
  refunds: refundColumns,
};

const exportOrders = defineCommand({
  description:
    'Reads every page and writes NDJSON, JSON or CSV as the pages come. With --to the file gets its name when it is complete, with a manifest beside it; --resume goes on with an export that was interrupted. --by says which date --period, --since and --until are about: created, paid or refunded.',
  flags: {
    ...exportFlags,
    rows: flag.choice(rowKinds, 'KIND', 'what a row is', { defaultText: 'orders' }),
    by: flag.choice(rowDates, 'DATE', 'the date of --period, --since and --until', {
      defaultText: 'created; refunded with --rows refunds',
    }),
    ...filterFlags,
    ...timeFlags('all rows', {
      since: 'only rows from this time (--by) or later',
      until: 'only rows before this time; --until today: up to last midnight',
    }),
    'min-amount': amountFlag(
      'only rows of this amount or more: of the order, the charge or the refund, as --rows says',
    ),
    'max-amount': amountFlag('only rows of this amount or less'),
    state: flag.choices(
      refundStates,
      'STATE',
      'with --rows refunds only those in this state, or in one of several: made,pending',
    ),
    strict: flag.switch(
      'stop at the first order that the service does not show completely, instead of naming all of them',
    ),
  },
  examples: [
    'paydesk -p demo orders export --no-input',
    'paydesk -p demo orders export --rows refunds --since 2026-11-01 --until 2026-12-01 --tz America/Mexico_City --to refunds.csv',
  ],
  async run(ctx, { flags }): Promise<undefined> {
    let walk: OrdersWalk | undefined;
    const exported = runExport(ctx, flags, async (service) => {
      const rows = flags.rows ?? 'orders';
      const by = flags.by ?? defaultDate[rows];
      const { period, since, until, 'min-amount': _min, 'max-amount': _max, state: states, ...rest } = flags;
      if (states !== undefined && rows !== 'refunds')
        throw usage('--state is about refunds, and these rows are not', ['--rows refunds']);
      const days = daysOfFlag(ctx, flags.tz);
      const range = rangeOf(ctx, periodOf({ period, since, until }), clockIn(days, ctx.clock.now()));
      sayFuture(ctx, range, period?.text ?? `the time until ${days.full(range.until ?? 0)}`);
      const { filters, chargeStatus, leftOut, checkStatuses } = orderFilters(ctx, rest, service);
      const amounts = amountRange(flags, service.profile);
      for (const line of amounts.warnings) ctx.notes.warn(line);
      const filterWords = [
        ...filters.map(({ words }) => words),
        amounts.words,
        states === undefined ? [] : ['--state', states.join()],
      ].filter((words) => words.length > 0);
      const withLeft = isLeftNamed(ctx);
      if (rows === 'refunds' || withLeft) await refuseUnknown(ctx, service);
      const asked = {
        rows,
        by,
        filters,
        chargeStatus,
        amounts,
        states,
        checkStatuses,
        leftOut: () => [...leftOut(), ...amounts.leftOut()],
      };
      return {
        resource: 'orders',
        row: rowWords[rows],
        columns: [
          ...columnsOf[rows],
          ...leftColumns[rows].map((name) => leftColumn(name, (id) => walk?.knownOf(id))),
        ],
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
          const span = query === undefined ? { range, days } : spanOf(ctx, query);
          walk = walkOrders(
            ctx,
            service,
            { ...asked, strict: flags.strict === true, withLeft, ...span },
            state,
          );
          return walk;
        },
      } satisfies ExportJob;
    });
    try {
      await exported;
      walk?.checkStatuses();
    } finally {
      await walk?.end();
    }
  },
});

// The date that --since and --until mean without --by.
const defaultDate: Readonly<Record<RowKind, RowDate>> = {
  orders: 'created',
  charges: 'created',
  refunds: 'refunded',
};

function sayFuture(ctx: Context, { until }: TimeRange, time: string): void {
  if (until === undefined || until <= ctx.clock.now()) return;
  ctx.notes.note(`${time} is not over: this export ends with what has happened so far`);
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

// A resumed export uses the range of its first run. The checkpoint holds that query.
function spanOf(ctx: Context, { since, until, zone }: JsonObject): Span {
  return {
    range: { since: milliseconds(since), until: milliseconds(until) },
    days: daysOfFile(ctx, zone),
  };
}

function milliseconds(at: unknown): number | undefined {
  return typeof at === 'number' ? at * 1000 : undefined;
}

export { exportOrders as export };
