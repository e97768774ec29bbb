/** `orders compare`: compares an invoice list from any source with what was charged. */

import type { AmountStyle } from '../../amounts.ts';
import { type Column, type Field, field } from '../../api/resources.ts';
import { isWithin } from '../../api/spec.ts';
import {
  checkWritten,
  inputColumnsOf,
  refuseProblems,
  sayUnread,
  shownTitles,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { namedUpTo } from '../../counted.ts';
import { allRowsFlag, errorsFlag, fileArgument, flag, type Input, sheetFlag } from '../../flags/flags.ts';
import { periodOf, timeFlags, timeWords } from '../../flags/typed-period.ts';
import { clockIn } from '../../flags/typed-time.ts';
import { commandLine, flagWords, profileNamed } from '../../profiles/profiles.ts';
import { hasCurrency } from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
import {
  endLine,
  type Finding,
  fileLines,
  moneyColumns,
  saidWords,
  sumRecords,
} from '../compare/compared-sums.ts';
import {
  type ComparedPayment,
  chargeIdOf,
  comparePayments,
  paymentVerdicts,
} from '../compare/payment-rows.ts';
import { comparedRecord, listCompared, refuseDecimals, sayReasons } from '../compare/show-compared.ts';
import { openSource, sourceFlags } from '../report/report-flags.ts';
import { aboutWords } from '../report/report-period.ts';
import { sayAsOf } from '../report/report-rows.ts';
import type { Source } from '../report/report-source.ts';
import { amountsOf } from '../report/report-words.ts';

const compareFlags = {
  ...timeFlags('none: only the rows of the file'),
  sheet: sheetFlag,
  errors: errorsFlag,
  'all-rows': allRowsFlag,
  ...sourceFlags,
  force: flag.switch('replace the files of --errors and --to'),
} as const;

export const compare = defineCommand({
  description:
    'Says for each row of an invoice list whether it was paid, paid less, paid twice or not paid. A row names its payment by order_id, reference, charge_id or auth_code, and may have an amount; without one the amount of the order is meant. With --period it also finds payments that are not in the file.',
  arguments: [fileArgument(true)],
  flags: compareFlags,
  examples: [
    'paydesk -p shop-mx orders compare invoices.csv',
    'paydesk -p shop-mx orders compare october.csv --period 2026-10 --json',
  ],
  exits: {
    0: 'every row was paid just as the file says',
    8: 'some rows were not, or a payment is not in the file',
  },
  async run(ctx, { args: [file], flags }) {
    const { errors, force = false } = flags;
    const period = periodOf(flags);
    await checkWritten(ctx, { '--errors': errors, '--to': flags.to }, { 'the input file': file });
    const needs = { kind: 'everything', makers: false, names: true } as const;
    const source = await openSource(ctx, { flags, period, needs });
    const style = amountsOf(source);
    const input = await ctx.plans.input(file, {
      sheet: flags.sheet,
      delimiter: ctx.options.csv.typedDelimiter,
      for: 'charges',
      amounts: style,
      referenceKeys: source.profile?.settings['reference.keys'],
    });
    await refuseProblems(ctx, input, input.problems, { file, errors, force });
    const comparison = comparePayments(input.rows, {
      isLookedFor: ({ paidAt, currency }) =>
        period !== undefined &&
        hasCurrency(flags.currency, currency) &&
        (paidAt === undefined || isWithin(source.range, paidAt)),
      hasAmount: input.hasAmount,
      style,
    });
    for await (const facts of source.facts) comparison.add(facts);
    const { compared = [], leftOut = [] } = Object.groupBy(comparison.result(), (one) =>
      hasCurrency(flags.currency, currencyOf(one) ?? flags.currency) ? 'compared' : 'leftOut',
    );
    await refuseDecimals(ctx, input, compared, style, { file, errors, force });
    sayUnread(ctx, input, 'only that the orders were paid is compared');
    const titles = shownTitles(ctx, input);
    const isByReference = input.rows.some(({ reference }) => reference !== undefined);
    const shown = [...(isByReference ? columns.map(byReference) : columns), ...inputColumnsOf(titles)];
    ctx.out.checkColumns(shown);
    await listCompared(ctx, shown, compared, {
      record: (one) => comparedRecord('charge_comparison', columns, one, titles),
      agrees: isPaid,
      allRows: flags['all-rows'] === true,
      zone: source.zone,
      localTimes: source.localTimes,
      sums: sumRecords('charge_comparison_sum', compared, chargedFor),
    });
    const { profile = profileNamed('environment') } = source;
    const again = [...timeWords(flags, clockIn(source.days, ctx.clock.now())), ...againWords(flags)];
    sayReasons(ctx, compared, (...words) =>
      commandLine(profile, 'orders', 'compare', file, ...again, ...words),
    );
    if (leftOut.length > 0) {
      const lines = leftOut.map((one) => `line ${one.row?.line} (${currencyOf(one)})`);
      ctx.notes.note(`not compared, because of --currency: ${namedUpTo(20, lines)}`);
    }
    for (const line of closingLines(compared, style, input.hasAmount)) ctx.notes.note(line);
    if (period !== undefined) ctx.notes.note(lookedForWords(ctx, source, compared));
    for (const line of input.hasAmount ? fileLines(compared, chargedFor, style) : []) ctx.notes.note(line);
    for (const line of refundedLines(compared, style)) ctx.notes.note(line);
    sayAsOf(ctx, source);
    return compared.length > 0 && compared.every(isPaid) ? undefined : 8;
  },
});

// What was typed, for a command that shows the same rows.
function againWords(flags: Input<readonly [], typeof compareFlags>['flags']): readonly string[] {
  const { sheet, currency, tz, 'from-file': from, 'max-rps': most, live } = flags;
  return flagWords({ sheet, currency, tz, 'from-file': from, 'max-rps': most, live });
}

function isPaid({ verdict }: ComparedPayment): boolean {
  return verdict === 'paid';
}

function currencyOf({ row, currency }: ComparedPayment): string | undefined {
  return row?.currency ?? currency;
}

const chargedFor: Finding<ComparedPayment> = {
  name: 'charged',
  shortTitle: 'PAID',
  did: 'was charged',
  of: ({ charged }) => charged,
};

const columns: readonly Field<ComparedPayment>[] = [
  field('line', 'integer', ({ row }) => row?.line, { tableFrom: 0, stays: true }),
  field('order_id', 'id', (one) => ofPayments(one, 'orderId') || (one.row?.orderId ?? one.orderId), {
    title: 'ORDER',
    tableFrom: 0,
    stays: true,
  }),
  ...moneyColumns(chargedFor),
  field('paid_at', 'time', ({ payments }) => payments.at(-1)?.paidAt, {
    title: 'PAID',
    tableFrom: 100,
    isMissed: true,
  }),
  field('refunded', 'figure', ({ refunded }) => refunded, { tableFrom: 120, isMissed: true }),
  field('reference', 'text', ({ row, payments }) => row?.reference ?? payments[0]?.reference, {
    tableFrom: 100,
    isMissed: true,
  }),
  field('charge_id', 'text', (one) => ofPayments(one, 'chargeId') || (one.row && chargeIdOf(one.row)), {
    title: 'CHARGE',
    tableFrom: 120,
  }),
  field('auth_code', 'text', (one) => ofPayments(one, 'authCode') || one.row?.authCode, {
    title: 'AUTH',
    tableFrom: 120,
  }),
  field('why', 'text', ({ why }) => why, { tableFrom: 100 }),
  field('currency', 'text', ({ currency }) => currency),
];

function ofPayments({ payments }: ComparedPayment, name: 'orderId' | 'chargeId' | 'authCode'): string {
  return [...new Set(payments.flatMap((payment) => payment[name] ?? []))].join(' ');
}

// A person who uses the shop's own numbers looks for those. If there is no room for both, the id of the order goes below
// its row.
function byReference(column: Column): Column {
  if (column.name === 'reference') return { ...column, tableFrom: 0, stays: true };
  if (column.name !== 'order_id') return column;
  const { stays: _, ...order } = column;
  return { ...order, below: () => 'order' };
}

// How a row ended whose file has no amounts.
const byOrder = 'paid as the order says';

// For each verdict: how many rows ended with it, what was charged for them in each currency, and what the rows say.
function closingLines(
  all: readonly ComparedPayment[],
  style: AmountStyle,
  hasAmount: boolean,
): readonly string[] {
  return Object.entries(paymentVerdicts).flatMap(([verdict, words]) => {
    const some = all.filter((one) => one.verdict === verdict);
    if (some.length === 0) return [];
    const found = some.flatMap(({ charged, payments: [first] }) =>
      charged === 0 ? [] : [{ wanted: charged, currency: first?.currency }],
    );
    // For what was paid as it should be, both sums are the same.
    const said = verdict === 'paid' ? [] : some;
    const who = hasAmount ? 'the file' : 'the order';
    const ended = verdict === 'paid' && !hasAmount ? byOrder : words;
    return [endLine(some.length, ended, { found, did: 'charged', said, who }, style)];
  });
}

// The time in which payments were looked for that no row is about.
function lookedForWords(ctx: Context, source: Source, all: readonly ComparedPayment[]): string {
  const missing = all.filter(({ verdict }) => verdict === 'not_in_file').length;
  return `payments of ${aboutWords(ctx, source)} that no row is about: ${missing}`;
}

// What went back has lines of its own: what was charged stays charged, whatever went back later.
function refundedLines(all: readonly ComparedPayment[], style: AmountStyle): readonly string[] {
  const some = all.filter(({ refunded }) => refunded !== 0);
  const sums = some.map(({ refunded, currency }) => ({ wanted: refunded, currency }));
  return some.length === 0
    ? []
    : [
        `of what was charged, ${saidWords(sums, style)} went back so far; to see for which rows: the same with --columns line,order_id,charged,refunded`,
      ];
}
