/** The sections of the HTML report: which figures stand in which table and chart. Pure. */

import { amountWords, figureWords } from '../../amounts.ts';
import {
  type Dimension,
  type Figure,
  type Line,
  notShown,
  type PagePart,
  type PageSection,
  percent,
  type RefundFact,
  type RefundSum,
} from '../../reports/reports.ts';
import type { ReportFigures } from './report-figures.ts';
import { amountsOf, bucketWords, currencyWord, inCurrency, ratesOfPaid } from './report-screen.ts';
import type { Source } from './report-source.ts';

/** How the report is written. `names`: with the names of buyers and the notes of refunds. */
export interface ReportHow {
  readonly source: Source;
  readonly names: boolean;
}

/** The sections, in the order in which a lead reads them. */
export function sectionsOf(figures: ReportFigures, how: ReportHow): readonly PageSection[] {
  const { unit, units, time, reasons, operators, cards } = figures;
  // Payments have days and cards too, and these lists are about refunds.
  const refunded = (buckets: readonly Line<RefundSum>[]) => buckets.filter(({ sums }) => sums.refunds > 0);
  return [
    casesSection(figures, how),
    totalsSection(time.totals, how),
    {
      title: `By ${unit}`,
      note: `Refunds that were made on each ${unit}. A ${unit} without refunds is in the chart only.`,
      parts: splitParts(refunded(time.buckets), { what: unit, kind: 'columns', all: units }, how),
      empty: `No refunds${inCurrency(how.source)} in this period.`,
    },
    splitSection('reason', refunded(reasons.buckets), how),
    splitSection('operator', refunded(operators.buckets), how),
    splitSection('brand', refunded(cards.buckets), how),
    largestSection(figures, how),
    waitingSection(figures, how),
    twinsSection(figures, how),
  ];
}

const right = (title: string) => ({ title, isFigure: true });
const left = (title: string) => ({ title });

function casesSection({ openCases }: ReportFigures, { source }: ReportHow): PageSection {
  const rows = openCases.map(({ orderId, what, outcome, amount, currency, sentAt, operator }) => [
    orderId ?? 'no order',
    `${what}: ${outcome}`,
    amount === undefined ? notShown : amountWords(amount, currency, amountsOf(source)),
    sentAt === undefined ? '-' : source.days.show(sentAt, 'day'),
    operator ?? '-',
  ]);
  const columns = [left('Order'), left('What'), right('Amount'), left('Sent'), left('Operator')];
  return {
    title: 'Open cases',
    note: 'Changes that this machine sent to this account and that somebody has to look at, and orders whose figures contradict each other.',
    parts: tableParts({ name: 'Open cases', columns, rows }),
    empty: `None${inCurrency(source)}.`,
  };
}

function totalsSection(totals: readonly Line<RefundSum>[], { source }: ReportHow): PageSection {
  const style = amountsOf(source);
  const rows = totals.map(({ currency, sums }) => [
    currencyWord(currency),
    String(sums.refunds),
    figureWords(sums.refunded, currency, style),
    rateWords(sums),
    String(sums.payments),
    figureWords(sums.paid, currency, style),
    figureWords(sums.refunded_of_paid, currency, style),
  ]);
  const titles = ['Refunds', 'Refunded', 'Of paid', 'Payments', 'Paid', 'Refunded of these payments'];
  const columns = [left('Currency'), ...titles.map(right)];
  const rates = ratesOfPaid(totals);
  return {
    title: 'Sums',
    note: rates === undefined ? undefined : `Of the payments of this period went back until now: ${rates}.`,
    parts: tableParts({ name: 'Sums', columns, rows }),
    empty: `No refunds and no payments${inCurrency(source)} in this period.`,
  };
}

function rateWords({ refunded, paid }: Line<RefundSum>['sums']): string {
  const rate = percent(refunded, paid);
  return rate === undefined ? '-' : `${rate} %`;
}

function splitSection(what: Dimension, buckets: readonly Line<RefundSum>[], how: ReportHow): PageSection {
  return {
    title: `By ${what}`,
    parts: splitParts(buckets, { what, kind: 'bars' }, how),
    empty: `No refunds${inCurrency(how.source)} in this period.`,
  };
}

interface Split {
  readonly what: Dimension;
  readonly kind: 'bars' | 'columns';
  /** The buckets of the chart, also empty ones; undefined: those that there are. */
  readonly all?: readonly string[];
}

function splitParts(
  buckets: readonly Line<RefundSum>[],
  { what, kind, all }: Split,
  { source }: ReportHow,
): readonly PagePart[] {
  const style = amountsOf(source);
  const pointsOf = (lines: readonly Line<RefundSum>[], currency: string | undefined) => {
    const figures = new Map(lines.map(({ bucket, sums }) => [bucket, sums.refunded]));
    return (all ?? [...figures.keys()]).map((label) => {
      const figure = figures.get(label) ?? 0;
      return { label, figure, words: figureWords(figure, currency, style) };
    });
  };
  return byCurrency(buckets, (word, currency, lines) => ({
    heading: word,
    chart: { kind, title: `Refunded by ${what}, ${word}`, points: pointsOf(lines, currency) },
    table: {
      name: `By ${what}, ${word}`,
      columns: [left(capital(what)), right('Refunds'), right(`Refunded, ${word}`)],
      rows: lines.map(({ bucket, sums }) => [
        bucketWords(source, bucket, what),
        String(sums.refunds),
        figureWords(sums.refunded, currency, style),
      ]),
    },
  }));
}

function largestSection({ largest }: ReportFigures, { source, names }: ReportHow): PageSection {
  const style = amountsOf(source);
  const isApproved = largest.some(({ approval }) => (approval?.approved_by ?? '') !== '');
  const isTicketed = largest.some(({ approval }) => (approval?.ticket ?? '') !== '');
  const columns = [
    left('Order'),
    right('Amount'),
    left('Made'),
    left('Card'),
    left('By'),
    ...(isApproved ? [left('Approved by')] : []),
    ...(isTicketed ? [left('Ticket')] : []),
    ...(names ? [left('Buyer'), left('Note')] : []),
  ];
  const parts = [...Map.groupBy(largest, ({ currency }) => currency)].map(([currency, refunds]): PagePart => {
    const word = currencyWord(currency);
    const rows = refunds.map((refund) => [
      refund.orderId ?? notShown,
      refund.amount === undefined ? notShown : figureWords(refund.amount, currency, style),
      source.days.show(refund.madeAt, 'day'),
      `${refund.brand}${refund.last4 === undefined ? '' : ` *${refund.last4}`}`,
      refund.operator === refund.reason ? refund.operator : `${refund.operator}: ${refund.reason}`,
      ...(isApproved ? [approvedWords(refund, source)] : []),
      ...(isTicketed ? [refund.approval?.ticket ?? '-'] : []),
      ...(names ? [refund.buyer ?? notShown, refund.note ?? '-'] : []),
    ]);
    return { heading: word, table: { name: `Largest refunds, ${word}`, columns, rows } };
  });
  return { title: 'Largest refunds', parts, empty: `No refunds${inCurrency(source)} in this period.` };
}

function approvedWords({ approval }: RefundFact, { days }: Source): string {
  const { approved_by: by = null, approved_at: at = null, request = null } = approval ?? {};
  if (by === null) return '-';
  return [by, ...(at === null ? [] : [days.show(at, 'day')]), ...(request === null ? [] : [request])].join(
    ', ',
  );
}

function waitingSection({ waiting }: ReportFigures, { source }: ReportHow): PageSection {
  const style = amountsOf(source);
  const words = (amount: Figure, currency: string | undefined) => figureWords(amount, currency, style);
  return {
    title: 'Waiting for capture',
    note: `All authorized orders${inCurrency(source)} that nobody has captured, whenever they were created. The service does not say when an authorization lapses.`,
    parts: byCurrency(waiting.buckets, (word, currency, lines) => ({
      heading: word,
      chart: {
        kind: 'bars',
        title: `Waiting for capture by age, ${word}`,
        points: lines.map(({ bucket, sums }) => ({
          label: bucket,
          figure: sums.amount,
          words: words(sums.amount, currency),
        })),
      },
      table: {
        name: `Waiting for capture, ${word}`,
        columns: [left('Age'), right('Orders'), right(`Amount, ${word}`)],
        rows: lines.map(({ bucket, sums }) => [bucket, String(sums.orders), words(sums.amount, currency)]),
      },
    })),
    empty: `None${inCurrency(source)}.`,
  };
}

function twinsSection({ twins }: ReportFigures, { source, names }: ReportHow): PageSection {
  const columns = [
    left('First order'),
    left('Second order'),
    right('Amount'),
    left('Created'),
    right('Seconds apart'),
    left('Status'),
    ...(names ? [left('Buyer')] : []),
  ];
  const rows = twins.map(({ first, second, apart }) => [
    first.id,
    second.id,
    amountWords(first.amount, first.currency, amountsOf(source)),
    source.days.show(first.createdAt, 'day'),
    String(apart),
    `${first.status ?? notShown}, ${second.status ?? notShown}`,
    ...(names ? [first.buyer ?? notShown] : []),
  ]);
  return {
    title: 'Possible twins',
    note: `Two payments${inCurrency(source)} of the same buyer and amount within 10 minutes, of which neither went back: somebody may have paid twice.`,
    parts: tableParts({ name: 'Possible twins', columns, rows }),
    empty: `None${inCurrency(source)}.`,
  };
}

function tableParts(table: PagePart['table']): readonly PagePart[] {
  return table.rows.length === 0 ? [] : [{ table }];
}

function byCurrency<Name extends string>(
  lines: readonly Line<Name>[],
  part: (word: string, currency: string | undefined, lines: readonly Line<Name>[]) => PagePart,
): readonly PagePart[] {
  return [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, own]) =>
    part(currencyWord(currency), currency, own),
  );
}

/** With a capital letter. */
export function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
