/** `today`: one screen for the desk: what is unconfirmed, refunded, paid, waiting for capture, and possible twins. */

import { amountWords } from '../amounts.ts';
import { type JsonObject, statuses } from '../api/spec.ts';
import { pendingRequests, twinSeconds } from '../changes/changes.ts';
import { awayWords } from '../journal/journal.ts';
import { commandLine } from '../profiles/profiles.ts';
import {
  type Figure,
  hasCurrency,
  isInSpan,
  type Line,
  largestFirst,
  type OrderFact,
  type RefundFact,
  type RefundSum,
  summariseOrders,
  summariseRefunds,
} from '../reports/reports.ts';
import type { Block, Cell } from '../terminal/terminal.ts';
import { type Context, defineCommand } from './command.ts';
import { elsewhereLines } from './journal/attempts.ts';
import { openSource } from './open-report-source.ts';
import { type OpenOrders, startOpenOrders } from './orders/open-orders.ts';
import { isNear, pairsIn } from './orders/twins.ts';
import { liveFlag, sourceFlags, sourceHelp } from './report-flags.ts';
import { lastFields, rowColumn, showReport } from './report-rows.ts';
import { amountsOf, closingBlocks, inCurrency, isComplete, refuseGaps, titleLine } from './report-screen.ts';
import type { AsOfLine, Source } from './report-source.ts';
import { parsePeriod } from './typed-period.ts';

export const today = defineCommand({
  description: [
    'One screen for the start or the end of a shift: unconfirmed changes and double refunds of this account, out of the journal of this machine; refunds and payments of today, orders that wait for their capture, and possible twins. A note names unconfirmed changes of other profiles.',
    'Without an index, or with --live, every order is read.',
    ...sourceHelp,
    'More of each: paydesk journal list --open, paydesk refunds list, paydesk refunds summary --period today, paydesk orders waiting, paydesk orders twins.',
  ].join('\n'),
  arguments: [],
  flags: {
    currency: sourceFlags.currency,
    tz: sourceFlags.tz,
    live: liveFlag,
    'max-rps': sourceFlags['max-rps'],
  },
  examples: [
    'paydesk -p demo today',
    'paydesk -p demo today --live',
    'paydesk -p demo today --json --no-input',
  ],
  exits: [0, 1, 2, 3, 4, 6, 9],
  async run(ctx, { flags }) {
    ctx.out.checkColumns(columns);
    const period = parsePeriod('today', '--period');
    // Refunds of today may be of any old order, so all orders are read.
    const open = await startOpenOrders(ctx);
    const source = await openSource(ctx, {
      flags,
      period,
      see: open.see,
      needs: { kind: 'refunds', makers: false, waiting: 'too', marginSeconds: twinSeconds },
    });
    const found = await gather(ctx, source, flags.currency, open);
    const rows = found.lines.map((line) => ({
      object: 'today',
      ...line,
      ...lastFields(source, isComplete(found.gaps)),
      ...(isOfJournal(line) ? asOfTeam(found) : {}),
    }));
    await showReport(ctx, columns, rows, source, () => screen(ctx, source, found));
    await noteRequests(ctx);
    const { profile } = await ctx.service();
    for (const line of await elsewhereLines(ctx, profile)) ctx.notes.note(line);
    refuseGaps(found.gaps, 'refunds and payments');
    return undefined;
  },
});

function isOfJournal({ what }: TodayLine): boolean {
  return what === 'unconfirmed' || what === 'paid_back_twice';
}

// The orders are as the service shows them now, but these lines are as old as the copy of the journal.
function asOfTeam({ away }: Found): JsonObject {
  if (away === undefined) return {};
  return { complete: false, as_of: away.asOf === undefined ? null : Math.floor(away.asOf / 1000) };
}

// What waits for somebody else of the team is in no order yet.
async function noteRequests(ctx: Context): Promise<void> {
  const { profile } = await ctx.service();
  const requests = await pendingRequests(ctx, profile);
  if (requests.length === 0) return;
  const asked = requests.filter(({ state }) => state === 'asked').length;
  const counts = [
    ...(asked === 0 ? [] : [`${asked} asked for`]),
    ...(asked === requests.length ? [] : [`${requests.length - asked} approved and not sent`]),
  ];
  ctx.notes.note(`approvals: ${counts.join(', ')}: ${commandLine(profile, 'approvals', 'list')}`);
}

const columns = [
  rowColumn('what', 'text'),
  rowColumn('bucket', 'text'),
  rowColumn('currency', 'text'),
  rowColumn('count', 'integer'),
  rowColumn('amount', 'sum'),
  rowColumn('largest', 'sum'),
  rowColumn('largest_order', 'id'),
  rowColumn('source', 'text'),
  rowColumn('complete', 'flag'),
  rowColumn('as_of', 'time'),
  rowColumn('only_currency', 'text'),
];

/** One fact of the day: how many, and how much in one currency. */
interface TodayLine extends JsonObject {
  readonly what:
    | 'unconfirmed'
    | 'paid_back_twice'
    | 'has_appeared'
    | 'refunded'
    | 'paid'
    | 'waiting'
    | 'twins';
  readonly bucket: string | null;
  readonly currency: string | null;
  readonly count: Figure;
  readonly amount: Figure | null;
  readonly largest: Figure | null;
  readonly largest_order: string | null;
}

interface Found {
  readonly lines: readonly TodayLine[];
  /** Set while the server of the team cannot be used: as of when this machine has the rows of the team. */
  readonly away: Awaited<ReturnType<Context['journal']['away']>>;
  readonly gaps: Parameters<typeof isComplete>[0];
}

async function gather(
  ctx: Context,
  source: Source,
  currency: string | undefined,
  open: OpenOrders,
): Promise<Found> {
  const rules = { dayOf: (at: number) => source.days.day(at), now: source.reachesTo / 1000 };
  const shared = { currency, rules };
  const money = summariseRefunds({ ...shared, span: source.range, by: 'day' });
  const waiting = summariseOrders({
    ...shared,
    span: { since: undefined, until: undefined },
    by: 'age',
    counts: ({ status }) => status === statuses.preAuthorized,
  });
  const near: OrderFact[] = [];
  const largest = new Map<string, RefundFact>();
  for await (const facts of source.facts) {
    money.add(facts);
    waiting.add(facts);
    const { order } = facts;
    if (order !== undefined && isNear(source.range, order) && hasCurrency(currency, order.currency))
      near.push(order);
    for (const refund of facts.refunds) keepLargest(largest, refund, source);
  }
  const { totals, gaps } = money.result();
  return {
    gaps,
    away: await ctx.journal.away(),
    lines: [
      ...(await journalLines(ctx, open)),
      ...totals.filter(({ sums }) => sums.refunds > 0).map((line) => refundedLine(line, largest)),
      ...totals
        .filter(({ sums }) => sums.payments > 0)
        .map(({ currency: of, sums }) => lineOf('paid', null, of, sums.payments, sums.paid)),
      ...waiting
        .result()
        .buckets.map(({ bucket, currency: of, sums }) =>
          lineOf('waiting', bucket, of, sums.orders, sums.amount),
        ),
      lineOf('twins', null, undefined, pairsIn(near, source.range).length, null),
    ],
  };
}

function keepLargest(largest: Map<string, RefundFact>, refund: RefundFact, { range }: Source): void {
  if (refund.madeAt === undefined || !isInSpan(range, refund.madeAt)) return;
  const before = largest.get(refund.currency ?? '');
  if (before === undefined || largestFirst(before.amount ?? 0, refund.amount ?? 0) > 0)
    largest.set(refund.currency ?? '', refund);
}

// What this machine knows by itself.
async function journalLines(ctx: Context, { twice, appeared }: OpenOrders): Promise<readonly TodayLine[]> {
  const service = await ctx.service();
  const unconfirmed = await ctx.journal.unconfirmed(service);
  const now = await ctx.journal.now();
  // Payment links and other changes without an order.
  const others = (await ctx.journal.attempts({ origin: service.profile.origin, unsettled: true })).filter(
    (record) =>
      record.sent.account === service.profile.account &&
      record.sent.proof.orderId === undefined &&
      ctx.journal.isOpen(record, now),
  );
  return [
    lineOf('unconfirmed', null, undefined, unconfirmed.size + others.length, null),
    lineOf('paid_back_twice', null, undefined, twice.size, null),
    lineOf('has_appeared', null, undefined, appeared.size, null),
  ];
}

function refundedLine(
  { currency, sums }: Line<RefundSum>,
  largest: ReadonlyMap<string, RefundFact>,
): TodayLine {
  const most = largest.get(currency ?? '');
  return {
    ...lineOf('refunded', null, currency, sums.refunds, sums.refunded),
    largest: most?.amount ?? null,
    largest_order: most?.orderId ?? null,
  };
}

function lineOf(
  what: TodayLine['what'],
  bucket: string | null,
  currency: string | undefined,
  count: Figure,
  amount: Figure | null,
): TodayLine {
  return { what, bucket, currency: currency ?? null, count, amount, largest: null, largest_order: null };
}

const labels: Readonly<Record<TodayLine['what'], string>> = {
  unconfirmed: 'unconfirmed',
  paid_back_twice: 'paid back twice',
  has_appeared: 'HAS appeared',
  refunded: 'refunded today',
  paid: 'paid today',
  waiting: 'waiting',
  twins: 'twins today',
};

function screen(ctx: Context, source: Source, { lines, away }: Found): readonly Block[] {
  const style = amountsOf(source);
  const words = ({ amount, currency }: TodayLine): string =>
    amount === null ? '' : amountWords(amount, currency ?? undefined, style);
  const more = (line: TodayLine): string => {
    if (line.what === 'waiting') return line.bucket ?? '';
    return line.largest === null
      ? ''
      : `largest ${amountWords(line.largest, line.currency ?? undefined, style)}, ${line.largest_order}`;
  };
  const grid = (Object.keys(labels) as TodayLine['what'][]).flatMap((what): (readonly Cell[])[] => {
    const own = lines.filter((line) => line.what === what && line.count > 0);
    if (own.length === 0) return [[labels[what], noneOf(what, source), '', '']];
    return own.map((line, index) => [
      index === 0 ? emphasised(what) : '',
      String(line.count),
      words(line),
      more(line),
    ]);
  });
  // Where the columns do not fit, each line says what it is about.
  let label: Cell = '';
  const narrow = grid.map(([own = '', ...cells]): Block => {
    if (own !== '') label = own;
    const words = cells.filter((cell) => cell !== '').flatMap((cell): readonly Cell[] => ['  ', cell]);
    return { line: [label, ...words].flat(), hang: 2 };
  });
  const teamLines: readonly AsOfLine[] =
    away === undefined
      ? []
      : [
          [
            'team',
            `${awayWords(away, (ms) => ctx.shortTime(ms))}, and nothing can be sent now: its server cannot be used`,
          ],
        ];
  return [
    titleLine(ctx, 'TODAY', source),
    { grid, right: [1, 2], narrow },
    ...closingBlocks(source, teamLines),
  ];
}

// The journal is asked about every currency.
function noneOf(what: TodayLine['what'], source: Source): string {
  return needsPerson(what) ? 'none' : `none${inCurrency(source)}`;
}

// These need a person.
function emphasised(what: TodayLine['what']): Cell {
  return needsPerson(what) ? { text: labels[what], style: 'bad' } : labels[what];
}

// The journal says these, of every currency.
function needsPerson(what: TodayLine['what']): boolean {
  return what === 'unconfirmed' || what === 'paid_back_twice' || what === 'has_appeared';
}
