/** `orders compare`: compares an invoice list from any source with what was charged. */

import { type AmountStyle, unitsNote } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, type Field, field, recordFrom } from '../../api/resources.ts';
import { isWithin } from '../../api/spec.ts';
import {
  amountInFile,
  checkWritten,
  currencyInFile,
  decimalsProblems,
  inFull,
  inOtherCurrency,
  inputColumnsOf,
  inputOf,
  lineWords,
  listCompared,
  needsCurrency,
  notInUnits,
  refuseProblems,
  sayUnread,
  shownTitles,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { namedUpTo } from '../../counted.ts';
import { allRowsFlag, errorsFlag, fileArgument, flag, type Input, sheetFlag } from '../../flags/flags.ts';
import { periodOf, timeFlags, timeWords } from '../../flags/typed-period.ts';
import { clockIn } from '../../flags/typed-time.ts';
import { anyWord, fullWord, type InputRow } from '../../plans/plans.ts';
import { commandLine, flagWords, profileNamed } from '../../profiles/profiles.ts';
import {
  type ComparedInvoice,
  comparePayments,
  type Figure,
  foundWords,
  hasCurrency,
  type InvoiceVerdict,
  invoiceVerdicts,
  moneyColumns,
  plus,
  saidWords,
  sumLines,
  sumOf,
  sumRecords,
} from '../../reports/reports.ts';
import { defineCommand } from '../command.ts';
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
    const rows = input.rows.map(invoiceOf);
    const comparison = comparePayments(
      rows,
      ({ paidAt, currency }) =>
        period !== undefined &&
        hasCurrency(flags.currency, currency) &&
        (paidAt === undefined || isWithin(source.range, paidAt)),
    );
    const wentBack = new Map<string, Figure>();
    for await (const facts of source.facts) {
      comparison.add(facts);
      for (const { chargeId, amount, meaning } of facts.refunds)
        if (meaning === 'made' && chargeId !== undefined)
          wentBack.set(chargeId, plus(wentBack.get(chargeId) ?? 0, amount ?? 0));
    }
    const { compared = [], leftOut = [] } = Object.groupBy(
      comparison
        .result()
        .map((one) => asSaid({ ...one, refunded: refundedOf(one, wentBack) }, input.hasAmount, style)),
      (one) => (hasCurrency(flags.currency, currencyOf(one) ?? flags.currency) ? 'compared' : 'leftOut'),
    );
    // For the other rows, no order says what their decimals mean.
    const found = compared
      .filter((one) => one.verdict !== 'not_found' && otherCurrency(one, style) === undefined)
      .map(({ row, currency }) => ({ row: row?.input, currency }));
    await refuseProblems(ctx, input, decimalsProblems(found, style), { file, errors, force });
    sayUnread(ctx, input, 'only that the orders were paid is compared');
    const titles = shownTitles(ctx, input);
    ctx.out.checkColumns([...columns, ...inputColumnsOf(titles)]);
    const isByReference = rows.some(({ reference }) => reference !== undefined);
    const records = compared.map((one) => recordOf(one, titles));
    await listCompared(
      ctx,
      [...(isByReference ? columns.map(byReference) : columns), ...inputColumnsOf(titles)],
      records,
      {
        record: (one) => one,
        agrees: ({ verdict }) => verdict === 'paid',
        allRows: flags['all-rows'] === true,
        zone: source.zone,
        localTimes: source.localTimes,
        sums: sumRecords('charge_comparison_sum', summed(compared), 'charged'),
      },
    );
    const { profile = profileNamed('environment') } = source;
    const inFullLine = commandLine(
      profile,
      'orders',
      'compare',
      file,
      ...timeWords(flags, clockIn(source.days, ctx.clock.now())),
      ...againWords(flags),
      ...inFull,
    );
    for (const line of lineWords(rowsWithReason(records), inFullLine)) ctx.notes.note(line);
    if (leftOut.length > 0) {
      const lines = leftOut.map((one) => `line ${one.row?.input.line} (${currencyOf(one)})`);
      ctx.notes.note(`not compared, because of --currency: ${namedUpTo(20, lines)}`);
    }
    for (const line of closingLines(compared, source, input.hasAmount)) ctx.notes.note(line);
    if (period !== undefined) ctx.notes.note(lookedForWords(ctx, source, compared));
    for (const line of input.hasAmount ? fileLines(compared, source) : []) ctx.notes.note(line);
    for (const line of refundedLines(compared, style)) ctx.notes.note(line);
    sayAsOf(ctx, source);
    return compared.length > 0 && compared.every(({ verdict }) => verdict === 'paid') ? undefined : 8;
  },
});

// What was typed, for a command that shows the same rows.
function againWords(flags: Input<readonly [], typeof compareFlags>['flags']): readonly string[] {
  const { sheet, currency, tz, 'from-file': from, 'max-rps': most, live } = flags;
  return flagWords({ sheet, currency, tz, 'from-file': from, 'max-rps': most, live });
}

type Invoice = ReturnType<typeof invoiceOf>;
type Compared = ComparedInvoice<Invoice> & {
  /** How much of its payments has gone back until now. */
  readonly refunded: Figure;
  /** The currency of `wanted`, if the file says another one than that of the order. */
  readonly wantedCurrency?: string;
};

function refundedOf({ payments }: ComparedInvoice<Invoice>, wentBack: ReadonlyMap<string, Figure>) {
  return sumOf(payments, ({ chargeId }) => (chargeId === undefined ? 0 : (wentBack.get(chargeId) ?? 0)));
}

function invoiceOf(input: InputRow) {
  const { orderId, reference, charge, authCode, amount, exact } = input;
  const chargeId = charge === anyWord || charge === fullWord ? undefined : charge;
  const said = exact ?? (amount === fullWord ? undefined : amount);
  return { input, orderId, reference, chargeId, authCode, amount: said, currency: input.currency };
}

// For an order that was not found, only the file says currency and amount. Amounts of two currencies are not compared.
function asSaid(all: Compared, hasAmount: boolean, style: AmountStyle): Compared {
  const { row } = all;
  if (row === undefined) return all;
  const { amount, exact, decimals } = row.input;
  // Other rows say an amount, so this one may have lost its own: nothing is said in its place.
  const isBlank = hasAmount && amount === undefined && exact === undefined && decimals === undefined;
  const one = isBlank ? { ...all, wanted: undefined } : all;
  const { verdict, why } = one;
  if (verdict === 'not_found') {
    const currency = currencyInFile(row.input, style);
    const wanted = amountInFile(row.input, currency, style);
    return { ...one, currency, wanted, why: why ?? needsCurrency(row.input, currency) };
  }
  const other = otherCurrency(one, style);
  if (other === undefined)
    return {
      ...one,
      verdict: isBlank && verdict === 'paid' ? 'no_amount' : verdict,
      why: why ?? (isBlank ? noAmount : notInUnits(row.input, one.charged, one.currency, style)),
    };
  return {
    ...one,
    verdict: verdict === 'not_shown' ? verdict : 'other_currency',
    wanted: other.amount,
    wantedCurrency: other.currency,
    why: why === undefined ? other.why : `${other.why}; ${why}`,
  };
}

const noAmount = 'the file says no amount: what was charged is compared with the amount of the order';

function currencyOf({ row, currency }: ComparedInvoice<Invoice>): string | undefined {
  return row?.currency ?? currency;
}

// A payment in the currency of the file is compared, whatever its order is in.
function otherCurrency({ row, currency, payments }: Compared, style: AmountStyle) {
  const isPaidIn = payments.some((payment) => payment.currency?.toUpperCase() === row?.input.currency);
  return row === undefined || isPaidIn ? undefined : inOtherCurrency(row.input, currency, style);
}

const columns: readonly Field<Compared>[] = [
  field('line', 'integer', ({ row }) => row?.input.line, { tableFrom: 0, stays: true }),
  field('order_id', 'id', (one) => ofPayments(one, 'orderId') || (one.row?.orderId ?? one.orderId), {
    title: 'ORDER',
    tableFrom: 0,
    stays: true,
  }),
  ...moneyColumns<Compared>('charged', 'PAID', ({ charged }) => charged),
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
  field('charge_id', 'text', (one) => ofPayments(one, 'chargeId') || one.row?.chargeId, {
    title: 'CHARGE',
    tableFrom: 120,
  }),
  field('auth_code', 'text', (one) => ofPayments(one, 'authCode') || one.row?.authCode, {
    title: 'AUTH',
    tableFrom: 120,
  }),
  field(
    'why',
    'text',
    ({ countedFor, why }) =>
      countedFor === undefined ? why : `counted for line ${countedFor.input.line} already`,
    { tableFrom: 100 },
  ),
  field('currency', 'text', ({ currency }) => currency),
];

function ofPayments({ payments }: Compared, name: 'orderId' | 'chargeId' | 'authCode'): string {
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

function recordOf(compared: Compared, titles: ReturnType<typeof shownTitles>): JsonObject {
  const input = inputOf(compared.row?.input.cells, titles);
  return { ...recordFrom('charge_comparison', columns, compared), input };
}

function summed(all: readonly Compared[]) {
  return all.map((one) => ({ ...one, isInFile: one.row !== undefined, found: one.charged }));
}

// A table has no room for the reasons, so the first ones are said below it.
function rowsWithReason(records: readonly JsonObject[]) {
  return records.flatMap(({ line, why }) =>
    typeof line === 'number' && typeof why === 'string' ? [{ line, why }] : [],
  );
}

// How a row ended whose file has no amounts.
const byOrder = 'paid_by_order';
const [paid, ...otherVerdicts] = invoiceVerdicts;
const ends = [paid, byOrder, ...otherVerdicts] as const;

const verdictWords: Readonly<Record<InvoiceVerdict | typeof byOrder, string>> = {
  paid: 'paid as the file says',
  paid_by_order: 'paid as the order says',
  no_amount: 'without an amount in the file',
  paid_less: 'paid less',
  paid_more: 'paid more',
  paid_twice: 'paid twice',
  other_currency: 'in another currency than the file says',
  not_paid: 'not paid',
  twice_in_file: 'twice in the file',
  not_shown: 'of orders that do not show all their charges',
  not_found: 'not found',
  not_in_file: 'not in the file',
};

// For each verdict: how many rows ended with it, what was charged for them in each currency, and what the rows say.
function closingLines(all: readonly Compared[], source: Source, hasAmount: boolean): readonly string[] {
  const endOf = ({ verdict }: Compared) => (verdict === 'paid' && !hasAmount ? byOrder : verdict);
  return ends.flatMap((verdict) => {
    const some = all.filter((one) => endOf(one) === verdict);
    if (some.length === 0) return [];
    const style = amountsOf(source);
    const payments = some.flatMap(({ charged, payments: [first] }) =>
      charged === 0 ? [] : { wanted: charged, currency: first?.currency },
    );
    const charged = saidWords(payments, style);
    // For what was paid as it should be, both sums are the same.
    const said = verdict === 'paid' || verdict === byOrder ? '' : saidWords(some, style);
    return [
      `${some.length} ${verdictWords[verdict]}${foundWords(charged, 'charged', said, hasAmount ? 'the file' : 'the order')}`,
    ];
  });
}

// The time in which payments were looked for that no row is about.
function lookedForWords(ctx: Context, source: Source, all: readonly Compared[]): string {
  const missing = all.filter(({ verdict }) => verdict === 'not_in_file').length;
  return `payments of ${aboutWords(ctx, source)} that no row is about: ${missing}`;
}

// Lines about what the file says, next to what was charged.
function fileLines(all: readonly Compared[], source: Source): readonly string[] {
  const style = amountsOf(source);
  const said = all.map(({ row, currency, wantedCurrency = currency }) => ({
    amount: row?.input.decimals === undefined ? row?.amount : undefined,
    currency: wantedCurrency,
  }));
  return [unitsNote(style, said) ?? [], sumLines(summed(all), 'was charged', style)].flat();
}

// What went back has lines of its own: what was charged stays charged, whatever went back later.
function refundedLines(all: readonly Compared[], style: AmountStyle): readonly string[] {
  const some = all.filter(({ refunded }) => refunded !== 0);
  const sums = some.map(({ refunded, currency }) => ({ wanted: refunded, currency }));
  return some.length === 0
    ? []
    : [
        `of what was charged, ${saidWords(sums, style)} went back so far; to see for which rows: the same with --columns line,order_id,charged,refunded`,
      ];
}
