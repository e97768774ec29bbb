/** The sections of the HTML report: which table and chart shows which figures. Pure. */

import { type AmountStyle, digits, placesOf, readableAmount, readableFigure } from '../../amounts.ts';
import { type ReasonWords, refundReasons } from '../../api/spec.ts';
import { counted, percent } from '../../counted.ts';
import { brandName, twinSpan } from '../../orders/orders.ts';
import {
  type Dimension,
  elsewhere,
  type Figure,
  type Line,
  largestFirst,
  magnitude,
  negated,
  notApproved,
  notShown,
  type Page,
  type PagePart,
  type PageSection,
  plus,
  type RefundFact,
  type RefundSum,
} from '../../reports/reports.ts';
import { twiceWords } from '../orders/twins.ts';
import type { ReportFigures, WaitingSum } from './report-figures.ts';
import type { Source } from './report-source.ts';
import { amountsOf, apartWords, bucketWords, currencyWord, inCurrency } from './report-words.ts';

/** How the report is written. `names`: with the names of buyers and the notes of refunds. */
export interface ReportHow {
  readonly source: Source;
  readonly period: string;
  readonly names: boolean;
  /** The command that lists all possible twins of the period. */
  readonly listTwins: string;
  /** When it was made, Unix milliseconds, and by whom. */
  readonly made: { readonly at: number; readonly by: string };
}

/** What a lead looks for first: how much went back, and what is left of what was paid. */
export function headlineFacts({ time: { totals } }: ReportFigures, { source }: ReportHow): Page['facts'] {
  const words = (of: 'refunded' | 'net') =>
    totals.map(({ currency, sums }) => moneyWords(sums[of], currency, amountsOf(source))).join('; ') ||
    `none${inCurrency(source)}`;
  return [
    ['Refunded', words('refunded')],
    ['Net', words('net')],
  ];
}

/** What waits for somebody, whatever the period is: orders that nobody captured, and changes that are unconfirmed. */
export function waitingFacts(figures: ReportFigures, { source }: ReportHow): Page['facts'] {
  const words = (waits: readonly WaitingSum[], one: string): string =>
    waits
      .map(({ currency, count, amount }) => {
        return `${counted(count, one)}, ${moneyWords(amount, currency, amountsOf(source))}`;
      })
      .join('; ') || `none${inCurrency(source)}`;
  const now = (list: readonly WaitingSum[], one: string) => `${words(list, one)} (now, of any time)`;
  const { notCaptured, unconfirmed } = figures.waits;
  return [
    ['Not captured yet', now(notCaptured, 'authorized order')],
    ['Unconfirmed', now(unconfirmed, 'change')],
  ];
}

/** The sections, in the order in which a lead reads them. */
export function sectionsOf(figures: ReportFigures, how: ReportHow): readonly PageSection[] {
  const { unit, units, time } = figures;
  return [
    casesSection(
      'Open cases',
      'Changes that this machine sent to this account and that somebody has to look at, and orders whose figures contradict each other.',
      figures.openCases,
      how,
    ),
    ...(figures.recorded.length === 0
      ? []
      : [
          casesSection(
            'Recorded by hand',
            'Changes that a person recorded by hand and that no order shows. They are not open.',
            figures.recorded,
            how,
          ),
        ]),
    ...(figures.acknowledged.length === 0
      ? []
      : [
          casesSection(
            'Acknowledged',
            'Changes sent in this period whose alarm somebody has dealt with. paydesk journal show says what was done.',
            figures.acknowledged,
            how,
          ),
        ]),
    totalsSection(figures, how),
    {
      title: `By ${unit}`,
      parts: splitParts(refunded(time.buckets), unit, how, units),
      empty: `No refunds${inCurrency(how.source)} in this period.`,
    },
    splitsSection(figures, how),
    largestSection(figures, how),
    waitingSection(figures, how),
    twinsSection(figures, how),
  ];
}

// Payments have days and cards too, and these lists are about refunds.
function refunded(buckets: readonly Line<RefundSum>[]): readonly Line<RefundSum>[] {
  return buckets.filter(({ sums }) => sums.refunds > 0);
}

const right = (title: string) => ({ title, isFigure: true });
const left = (title: string) => ({ title });

// A column of a table, and what each of its rows says there; false: the table does not have it.
type CellOf<T> = readonly [column: ReturnType<typeof left>, cell: (of: T) => string] | false;

function tableOf<T>(name: string, all: readonly T[], cells: readonly CellOf<T>[]): PagePart['table'] {
  const shown = cells.filter((one) => one !== false);
  return {
    name,
    columns: shown.map(([column]) => column),
    rows: all.map((one) => shown.map(([, cell]) => cell(one))),
  };
}

function casesSection(
  title: string,
  note: string,
  cases: ReportFigures['acknowledged'],
  { source }: ReportHow,
): PageSection {
  const table = tableOf(title, cases, [
    [left('Order'), ({ orderId }) => orderId ?? 'no order'],
    [left('What'), ({ what, outcome }) => `${what}: ${outcome}`],
    [
      right('Amount'),
      ({ amount, currency }) =>
        amount === undefined ? notShown : readableAmount(amount, currency, amountsOf(source)),
    ],
    [left('Sent'), ({ sentAt }) => source.days.show(sentAt, 'day')],
    [left('Operator'), ({ operator }) => operator ?? '-'],
  ]);
  return {
    title,
    notes: [note],
    parts: tableParts(table),
    empty: `None${inCurrency(source)}.`,
  };
}

const noSums: Pick<Line<RefundSum>['sums'], 'refunds' | 'refunded' | 'payments' | 'paid' | 'net'> = {
  refunds: 0,
  refunded: 0,
  payments: 0,
  paid: 0,
  net: 0,
};

// The sums of the period, and below them those of the times before it.
function totalsSection({ time: { totals }, before }: ReportFigures, how: ReportHow): PageSection {
  const style = amountsOf(how.source);
  const times = [{ words: 'this period', totals }, ...before];
  const currencies = [...new Set(times.flatMap((one) => one.totals.map(({ currency }) => currency)))];
  const titles = ['Refunds', 'Refunded', 'Change', 'Of paid', 'Payments', 'Paid', 'Net'];
  const parts = currencies.map((currency): PagePart => {
    const sumsOf = (lines: readonly Line<RefundSum>[]) =>
      lines.find((line) => line.currency === currency)?.sums ?? noSums;
    const [first] = before;
    const rows = times.map((one, index) => {
      const sums = sumsOf(one.totals);
      return [
        one.words,
        String(sums.refunds),
        moneyWords(sums.refunded, currency, style),
        // Compared with the same part of the period before, or with all of it if this period is over.
        index === 0 && first !== undefined ? changeWords(sums.refunded, sumsOf(first.totals).refunded) : '',
        percentWords(sums.refunded, sums.paid),
        String(sums.payments),
        moneyWords(sums.paid, currency, style),
        moneyWords(sums.net, currency, style),
      ];
    });
    const word = currencyWord(currency);
    return {
      heading: word,
      table: { name: `Sums, ${word}`, columns: [left('Time'), ...titles.map(right)], rows },
    };
  });
  const back = totals
    .filter(({ sums }) => sums.paid > 0)
    .map(({ currency, sums: { refunded_of_paid: part, paid } }) => {
      return `${moneyWords(part, currency, style)}, ${percentWords(part, paid)}`;
    });
  return {
    title: 'Sums',
    notes: [
      ...(parts.length === 0 ? [] : ['Net is what was paid less what was refunded.']),
      ...(back.length === 0 ? [] : [`Went back so far of the payments of this period: ${back.join('; ')}.`]),
      ...apartWords(totals, (amount, currency) => moneyWords(amount, currency, style)).map(
        (words) => `${words}: in no sum.`,
      ),
      ...unitsNotes(totals, how),
    ],
    parts,
    empty: `No refunds and no payments${inCurrency(how.source)} in this period.`,
  };
}

// How much more or less was refunded than at another time.
function changeWords(now: Figure, then: Figure): string {
  if (now === then) return 'the same';
  const change = percentWords(magnitude(plus(now, negated(then))), then);
  return change === '-' ? change : `${largestFirst(now, then) < 0 ? '+' : '-'}${change}`;
}

// The page has amounts as people read them. The units in which the service counts are named here, once.
function unitsNotes(totals: readonly Line<RefundSum>[], { source }: ReportHow): readonly string[] {
  const style = amountsOf(source);
  const some = totals.filter(({ currency }) => placesOf(currency, style) !== undefined);
  const words = some.map(({ currency, sums }) => {
    const [back, paid] = [sums.refunded, sums.paid].map((sum) => digits(sum, style));
    return `${currencyWord(currency)} ${back} refunded, ${paid} paid`;
  });
  return words.length === 0 ? [] : [`In the units of the service: ${words.join('; ')}.`];
}

function splitsSection({ reasons, operators, approvers, cards }: ReportFigures, how: ReportHow): PageSection {
  const known = [
    ['reason', reasons],
    ['operator', operators],
    ['approver', approvers],
  ] as const;
  // A table would say nothing about refunds that all come from elsewhere, or that nobody approved.
  const told = known.filter(([, { buckets }]) =>
    refunded(buckets).some(({ bucket }) => bucket !== elsewhere && bucket !== notApproved),
  );
  const splits = [...told, ['brand', cards] as const];
  const names = splits.map(([what]) => partWord(what));
  return {
    title: `By ${names.join(', ').replace(/, (\w+)$/, ' and $1')}`,
    parts: splits.flatMap(([what, { buckets }]) => splitParts(refunded(buckets), what, how)),
    empty: `No refunds${inCurrency(how.source)} in this period.`,
  };
}

function partWord(what: Dimension): string {
  return what === 'brand' ? 'card' : what;
}

// The reason in the words of the question about it. The JSON has the reason as it was sent.
function reasonWords(reason: string): string {
  const known: Readonly<Record<string, ReasonWords | undefined>> = refundReasons;
  return known[reason]?.words ?? reason;
}

function bucketName(source: Source, bucket: string, what: Dimension): string {
  if (what === 'reason') return reasonWords(bucket);
  return what === 'brand' ? brandName(bucket) : bucketWords(source, bucket, what);
}

// A part for each currency. `all`: the buckets of a chart, also empty ones; without them each row has a bar.
function splitParts(
  buckets: readonly Line<RefundSum>[],
  what: Dimension,
  { source }: ReportHow,
  all?: readonly string[],
): readonly PagePart[] {
  const style = amountsOf(source);
  return byCurrency(buckets, (word, currency, lines) => {
    const write = (figure: Figure): string => readableFigure(figure, currency, style);
    const figures = new Map(lines.map(({ bucket, sums }) => [bucket, sums.refunded]));
    const points = all?.map((label) => {
      const figure = figures.get(label) ?? 0;
      return { label, figure, words: write(figure) };
    });
    const bars = lines.map(({ sums }) => sums.refunded);
    const sum = bars.reduce(plus, 0);
    return {
      heading: all === undefined ? `By ${partWord(what)}, ${word}` : word,
      isWide: what === 'reason',
      chart: points && { title: `Refunded by ${what}, ${word}`, points },
      table: {
        ...tableOf(`By ${what}, ${word}`, lines, [
          [left(capital(what)), ({ bucket }) => bucketName(source, bucket, what)],
          [right('Refunds'), ({ sums }) => String(sums.refunds)],
          [right('Refunded'), ({ sums }) => write(sums.refunded)],
          [right('Share'), ({ sums }) => percentWords(sums.refunded, sum)],
        ]),
        bars: all === undefined ? bars : undefined,
      },
    };
  });
}

// The amount and its currency, with spaces at which no line breaks.
function moneyWords(amount: Figure, currency: string | undefined, style: AmountStyle): string {
  return readableAmount(amount, currency, style).replaceAll(' ', '\u00a0');
}

function percentWords(part: Figure, whole: Figure): string {
  const words = percent(part, whole);
  return words === undefined ? '-' : `${words}\u00a0%`;
}

function largestSection({ largest }: ReportFigures, { source, names }: ReportHow): PageSection {
  const style = amountsOf(source);
  const has = (of: (refund: RefundFact) => unknown) => largest.some((refund) => (of(refund) ?? '') !== '');
  // Without its id, a second refund of an order with the same amount looks like the same one twice.
  const looks = largest.map(({ orderId, amount }) => `${orderId} ${amount}`);
  const cells: readonly CellOf<RefundFact>[] = [
    [left('Order'), ({ orderId }) => orderId ?? notShown],
    new Set(looks).size < looks.length && [left('Refund'), ({ id }) => id ?? notShown],
    [
      right('Amount'),
      ({ amount, currency }) => (amount === undefined ? notShown : readableFigure(amount, currency, style)),
    ],
    [left('Made'), ({ madeAt }) => source.days.show(madeAt, 'day')],
    [left('Card'), ({ brand, last4 }) => `${brandName(brand)}${last4 === undefined ? '' : ` *${last4}`}`],
    [
      left('By'),
      ({ operator, reason }) => (operator === reason ? operator : `${operator}: ${reasonWords(reason)}`),
    ],
    has(askedOther) && [left('Asked by'), (refund) => askedOther(refund) ?? '-'],
    has(({ approval }) => approval?.approved_by) && [
      left('Approved by'),
      (refund) => approvedWords(refund, source),
    ],
    has(({ approval }) => approval?.ticket) && [left('Ticket'), ({ approval }) => approval?.ticket ?? '-'],
    has(({ reference }) => reference) && [
      left('Reference'),
      ({ reference }) =>
        typeof reference === 'string' || typeof reference === 'number' ? `${reference}` : '-',
    ],
    names && [left('Buyer'), ({ buyer }) => buyer ?? notShown],
    names && [left('Note'), ({ note }) => note ?? '-'],
  ];
  const parts = byCurrency(largest, (word, _, refunds) => ({
    heading: word,
    table: tableOf(`Largest refunds, ${word}`, refunds, cells),
  }));
  return { title: 'Largest refunds', parts, empty: `No refunds${inCurrency(source)} in this period.` };
}

// Who asked, if somebody else sent it.
function askedOther({ operator, approval }: RefundFact): string | undefined {
  const by = approval?.asked_by ?? operator;
  return by === operator ? undefined : by;
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
  return {
    title: 'Waiting for capture',
    notes: [
      `All authorized orders${inCurrency(source)} that nobody has captured, whenever they were created. The service does not say when an authorization lapses.`,
    ],
    parts: byCurrency(waiting.buckets, (word, currency, lines) => ({
      heading: word,
      table: {
        ...tableOf(`Waiting for capture, ${word}`, lines, [
          [left('Age'), ({ bucket }) => bucket],
          [right('Orders'), ({ sums }) => String(sums.orders)],
          [right('Amount'), ({ sums }) => readableFigure(sums.amount, currency, style)],
        ]),
        bars: lines.map(({ sums }) => sums.amount),
      },
    })),
    empty: `None${inCurrency(source)}.`,
  };
}

// More rows would fill a page of their own, and nobody works through a list on paper.
const mostTwins = 10;

function twinsSection(
  { twins, settledTwins }: ReportFigures,
  { source, names, listTwins }: ReportHow,
): PageSection {
  const table = tableOf('Possible twins', twins.slice(0, mostTwins), [
    [left('First order'), ({ first }) => first.id],
    [left('Second order'), ({ second }) => second.id],
    [right('Amount'), ({ first }) => readableAmount(first.amount, first.currency, amountsOf(source))],
    [left('Created'), ({ first }) => source.days.show(first.createdAt, 'day')],
    [right('Seconds apart'), ({ apart }) => String(apart)],
    [left('Status'), ({ first, second }) => `${first.status ?? notShown}, ${second.status ?? notShown}`],
    names && [left('Buyer'), ({ first }) => first.buyer ?? notShown],
  ]);
  return {
    title: 'Possible twins',
    notes: [
      `Two payments${inCurrency(source)} of the same buyer and amount within ${twinSpan}, of which neither went back as a whole: somebody may have paid twice.`,
      ...(twins.length === 0
        ? []
        : [
            `${counted(twins.length, 'pair')}, ${twiceWords(twins, (amount, currency) => moneyWords(amount, currency, amountsOf(source)))}.`,
          ]),
      ...(twins.length > mostTwins ? [`The ${mostTwins} newest are listed; all of them: ${listTwins}`] : []),
      ...(settledTwins === 0
        ? []
        : [
            `${counted(settledTwins, 'pair')} more ${settledTwins === 1 ? 'is' : 'are'} settled: all of one payment went back.`,
          ]),
    ],
    parts: tableParts(table),
    empty: `None${inCurrency(source)}.`,
  };
}

function tableParts(table: PagePart['table']): readonly PagePart[] {
  return table.rows.length === 0 ? [] : [{ table }];
}

function byCurrency<T extends { readonly currency: string | undefined }>(
  lines: readonly T[],
  part: (word: string, currency: string | undefined, lines: readonly T[]) => PagePart,
): readonly PagePart[] {
  return [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, own]) =>
    part(currencyWord(currency), currency, own),
  );
}

export function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
