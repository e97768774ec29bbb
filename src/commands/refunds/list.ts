/** `refunds list`: the refunds of a period one by one, with who made them and why. */

import { amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { approvalColumns, type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { isWithin } from '../../api/spec.ts';
import { flag } from '../../flags/flags.ts';
import { periodOf, timeFlags } from '../../flags/typed-period.ts';
import { approvalFields } from '../../journal/journal.ts';
import {
  createGaps,
  elsewhere,
  type Figure,
  hasCurrency,
  largestFirst,
  negated,
  type RefundFact,
  sentHere,
  wentBackOf,
} from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import { withOthers } from '../journal/attempt-record.ts';
import { openSource, sourceFlags, sumsExits } from '../report/report-flags.ts';
import { lastColumnsOfList, lastFieldsOfList, onlyToday, sayAsOf } from '../report/report-rows.ts';
import type { Source } from '../report/report-source.ts';
import {
  amountsOf,
  currencyWord,
  inCurrency,
  isComplete,
  notAmongLines,
  refuseGaps,
  totalsOf,
  unsummedLines,
  wentBackWords,
} from '../report/report-words.ts';
import { refundFilter, refundFilterFlags, refuseNobody } from './refund-filter.ts';

const usualPeriod = 'today';

// The flags that are not about the sender of a refund: the column BY names that person anyway.
const personFlags = ['asked-by', 'approved-by'] as const;
// Blank, too, where nobody had to approve.
const columnsOfPeople = ['operator', 'asked_by', 'approved_by'];

export const list = defineCommand({
  description:
    'Lists every refund that was made in a period, no matter when its order was made, the newest first; --sort amount puts the largest first. Who sent, who asked, who approved and why comes from the journal of this machine, or of its team. If this machine has an index, the list comes from there, unless --live is given.',
  flags: {
    ...timeFlags('today; refunds summary and report begin with this-month'),
    sort: flag.choice(['made', 'amount'], 'WHAT', 'the newest first, or the largest', {
      defaultText: 'made',
    }),
    max: flag.integer(
      1,
      Number.MAX_SAFE_INTEGER,
      'N',
      'show only the first N, with --sort amount the first N of each currency; all of them are counted',
    ),
    ...refundFilterFlags,
    ...sourceFlags,
  },
  examples: [
    'paydesk -p demo refunds list --period last-month --min-amount 400000 --columns order_id,amount,operator,asked_by,approved_by',
    'paydesk -p demo refunds list --period last-week --csv --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }) {
    ctx.out.checkColumns(columns);
    const ofBuyer = flags.customer !== undefined;
    // What went back to one buyer, in all.
    const period = ofBuyer ? periodOf(flags) : periodOf(flags, usualPeriod);
    // An index keeps no texts of orders, nor what the service still allows.
    const named = [...nameFields, 'left' as const].filter((name) =>
      ctx.options.columns?.some((typed) => typed.trim().toLowerCase() === name),
    );
    const needs = {
      kind: 'refunds',
      makers: true,
      unshown: true,
      names: ofBuyer || named.length > 0,
    } as const;
    await refuseNobody(ctx, flags);
    const source = await openSource(ctx, { flags, period, needs });
    const { format } = ctx.out;
    const isForSheet = format === 'xlsx' || (format === 'csv' && ctx.options.csv.hasDates);
    const isSheet = isForSheet && ctx.options.columns === undefined;
    const names = isSheet ? nameFields : named;
    const filter = refundFilter(ctx, flags, source);
    // A row is a refund that an order shows. What only the journal knows is counted below the rows.
    const [found, unshown]: [RefundFact[], RefundFact[]] = [[], []];
    const missing = createGaps();
    for await (const { order, refunds, problem } of source.facts) {
      missing.problem(problem);
      filter.see(order);
      for (const refund of refunds.filter((one) => hasCurrency(flags.currency, one.currency))) {
        if (refund.madeAt === undefined) missing.undated(refund, refund.id ?? 'a refund');
        else if (isWithin(source.range, refund.madeAt) && filter.accepts(refund))
          (refund.isUnshown === true ? unshown : found).push(refund);
      }
    }
    const gaps = missing.all();
    const isBySize = flags.sort === 'amount';
    const sorted = found.toSorted(isBySize ? byAmount : byTime);
    const shown = isBySize ? largestOfEach(sorted, flags.max) : sorted.slice(0, flags.max ?? sorted.length);
    // Somebody who filters by a person wants to see that person.
    const asked = personFlags
      .filter((name) => flags[name] !== undefined)
      .map((name) => name.replace('-', '_'));
    const rows = shown.map((refund) => {
      const texts = Object.fromEntries(names.map((name) => [name, refund[name] ?? null]));
      return {
        ...recordFrom('refund_made', columns, refund),
        ...(refund.approval ?? approvalFields()),
        ...texts,
        ...lastFieldsOfList(source, isComplete(gaps)),
      };
    });
    await ctx.out.ownList(
      withOthers(columns, rows).map((one) => {
        // A refund that moved no money must not look as if it had.
        const hasStates = rows.some(isNotMade);
        if (one.name === 'state' && hasStates)
          return { ...one, tableFrom: 0, stays: true, least: 'recorded not made'.length };
        if (one.name === 'by' && hasStates) return { ...one, below: () => 'by' };
        return asked.includes(one.name)
          ? { ...one, tableFrom: 0, least: one.title.length, isAsked: true }
          : one;
      }),
      rows,
      { ...source, sums: sumRecords(shown, unshown) },
    );
    const part = shown.length < found.length ? `; ${partWords(found, isBySize, flags.max)}` : '';
    for (const line of await filter.lines()) ctx.notes.note(line);
    if (isSheet && source.kind === 'index')
      ctx.notes.note(
        `buyer and reference are blank, since an index knows none; with them: the same with --live${flags.to === undefined ? '' : ' --force'}`,
      );
    if (periodOf(flags) === undefined && !ofBuyer) ctx.notes.note(onlyToday);
    sayAsOf(ctx, source);
    if (columnsOfPeople.some((name) => ctx.options.columns?.includes(name) === true)) {
      const others = shown.filter(({ origin }) => origin === elsewhere).length;
      if (others > 0)
        ctx.notes.note(
          `${others} of these rows ${others === 1 ? 'is' : 'are'} elsewhere: who sent, asked and approved is not known on this machine`,
        );
    }
    for (const line of foundLines(source, filter.countWords(), part, found, unshown)) ctx.notes.note(line);
    refuseGaps(gaps, 'refunds');
    return undefined;
  },
});

function byTime(one: RefundFact, other: RefundFact): number {
  return (other.madeAt ?? 0) - (one.madeAt ?? 0) || ((one.id ?? '') < (other.id ?? '') ? -1 : 1);
}

// Amounts of two currencies cannot be compared, so one currency comes after the other.
function byAmount(one: RefundFact, other: RefundFact): number {
  const [first, second] = [currencyWord(one.currency), currencyWord(other.currency)];
  if (first !== second) return first < second ? -1 : 1;
  return largestFirst(one.amount ?? 0, other.amount ?? 0) || byTime(one, other);
}

// The largest refunds of each currency: one currency must not take the places of another.
function largestOfEach(sorted: readonly RefundFact[], max = sorted.length): readonly RefundFact[] {
  return [...Map.groupBy(sorted, ({ currency }) => currency).values()].flatMap((own) => own.slice(0, max));
}

// Which of the refunds are shown.
function partWords(found: readonly RefundFact[], isBySize: boolean, max = 0): string {
  const which = isBySize ? 'largest' : 'newest';
  const each = isBySize && new Set(found.map(({ currency }) => currency)).size > 1 ? ' of each currency' : '';
  return max === 1 ? `only the ${which}${each} is shown` : `the ${max} ${which}${each} are shown`;
}

// What a row says about the buyer only in a spreadsheet, or if somebody names the column: an index does not keep it.
const nameFields = ['buyer', 'email', 'reference'] as const;

function nameColumn(name: (typeof nameFields)[number]): Column {
  return column(name, 'text', { derived: true, inSheets: true });
}

// Whether a refund moved no money, or may not have; what was made elsewhere did.
function isNotMade({ state }: JsonObject): boolean {
  return typeof state === 'string' && state !== 'made' && state !== elsewhere;
}

// In the order of the rows of an export (`refundColumns`).
const columns: readonly (Column | Field<RefundFact>)[] = [
  field('refunded_at', 'time', ({ madeAt }) => madeAt, { title: 'MADE', tableFrom: 0 }),
  field('order_id', 'id', ({ orderId }) => orderId, { title: 'ORDER', tableFrom: 0, stays: true }),
  nameColumn('reference'),
  nameColumn('buyer'),
  // As the service writes it: money that goes back is negative.
  field('amount', 'money', ({ amount }) => (amount === undefined ? null : negated(amount)), {
    tableFrom: 0,
    stays: true,
  }),
  field('went_back', 'figure', wentBackOf),
  column('left', 'figure', { derived: true }),
  field('currency', 'text', ({ currency }) => currency),
  field('state', 'text', ({ state }) => state),
  // People ask who it was, so a reason is cut first.
  column('by', 'text', {
    tableFrom: 0,
    stays: true,
    least: 24,
    isCutInMiddle: true,
    derived: true,
    // A table has no other column for the origin.
    value: ({ origin, operator }: JsonObject) => {
      const probably = origin === 'probably this machine' ? 'probably ' : '';
      return origin === elsewhere ? elsewhere : `${probably}${String(operator)}`;
    },
  }),
  field('reason', 'text', (refund) => sentHere(refund).reason, { tableFrom: 0, below: () => 'reason' }),
  field('operator', 'text', (refund) => sentHere(refund).operator),
  ...approvalColumns,
  field('note', 'text', ({ note }) => note, { tableFrom: 120, isMissed: true }),
  field('id', 'id', ({ id }) => id, { tableFrom: 140, isMissed: true }),
  field('charge_id', 'id', ({ chargeId }) => chargeId, { tableFrom: 200 }),
  nameColumn('email'),
  field('card', 'card', ({ last4 }) => last4 && `*${last4}`, { tableFrom: 100, isMissed: true }),
  field('origin', 'text', ({ origin }) => origin),
  field('brand', 'text', ({ brand }) => brand, { tableFrom: 200 }),
  field('order_status', 'status', ({ status }) => status, { tableFrom: 200 }),
  field('paid_at', 'time', ({ paidAt }) => paidAt, { tableFrom: 200 }),
  ...lastColumnsOfList,
];

function foundLines(
  source: Source,
  count: string,
  part: string,
  found: readonly RefundFact[],
  unshown: readonly RefundFact[],
): readonly string[] {
  const { range, days } = source;
  const from = range.since === undefined ? '' : `, from ${days.full(range.since)}`;
  const to = range.until === undefined ? '' : `, before ${days.full(range.until)}`;
  const totals = totalsOf(found);
  const write = (amount: Figure, currency: string | undefined) =>
    amountWords(amount, currency, amountsOf(source));
  const back = wentBackWords(totals, write);
  return [
    ...unsummedLines(totals).map(([, words]) => words),
    `${count}${inCurrency(source)}${from}${to}${found.length === 0 ? '' : `: ${back}`}${part}`,
    ...notAmongLines(unshown, amountsOf(source)),
  ];
}

// The sums for scripts and for workbooks, one for each currency.
function sumRecords(shown: readonly RefundFact[], unshown: readonly RefundFact[]): readonly JsonObject[] {
  return totalsOf([...shown, ...unshown]).map(({ currency, sums }) => ({
    object: 'refund_made_sum',
    currency: currency ?? null,
    rows: shown.filter((one) => one.currency === currency).length,
    refunded: sums.refunded,
    pending: sums.pending,
    failed: sums.failed,
    unconfirmed: sums.unconfirmed,
    recorded_made: sums.recorded_made,
    recorded_not_made: sums.recorded_not_made,
  }));
}
