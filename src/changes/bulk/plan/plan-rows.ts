/** Plans the rows of a file order by order, from what the service, the journal and the orders next to it in the list show. */

import type { OpenService } from '../../../api/api.ts';
import { leftToRefund, moneyOf } from '../../../api/charges.ts';
import type { JsonObject } from '../../../api/json-values.ts';
import { livemodeOf } from '../../../api/spec.ts';
import type { Context } from '../../../context/context.ts';
import { counted } from '../../../counted.ts';
import { turn } from '../../../io.ts';
import { type AttemptRecord, isOpen, type Moment, unshownRefunds } from '../../../journal/journal.ts';
import {
  isPaidBack,
  type KnownTwin,
  knownOrder,
  knownTwins,
  nameForAgain,
  twinLine,
  twinWords,
} from '../../../orders/orders.ts';
import { anyWord, fullWord, type InputRow, leanRow, type PlanRow, rowKey } from '../../../plans/plans.ts';
import { notesOnSettled } from '../../by-hand-words.ts';
import { moneyBefore } from '../../money-changed.ts';
import { chargesNamed } from '../../refund/decide-refund.ts';
import { madeWords, originsAmong } from '../../refund/known-refunds.ts';
import { lookForTwins } from '../../refund/look-for-twins.ts';
import { isOfDuplicate } from '../../refund/refund-checks.ts';
import { orderIdOf, type ReadOrders } from '../found-orders.ts';
import { inOtherCurrency } from '../input-amounts.ts';
import { orderAfter } from '../own-rows.ts';
import {
  type NewRow,
  type OrderOfRow,
  type OrderOfRows,
  partsUnder,
  planRow,
  type RowsAsked,
  rowFromJournal,
  sentUnder,
  triedBefore,
} from './plan-row.ts';
import { needsAllocation, spreadRow } from './spread-row.ts';

// How many orders are planned between two turns of the event loop.
const ordersAtOnce = 50;
// For each of them the two pages next to it are read, which takes too long for thousands.
const mostLooks = 20;

/** The rows of a plan, in the order of the file. */
export async function rowsOfOrders(
  ctx: Context,
  service: OpenService,
  input: readonly InputRow[],
  orders: ReadOrders,
  asked: RowsAsked,
): Promise<readonly PlanRow[]> {
  const byOrder = Map.groupBy(input, (row) => orderIdOf(row, orders));
  const now = await ctx.journal.now();
  const planned: NewRow[] = [];
  // The orders with a row that will pay money back or may have done so, and the line of that row.
  const refunded = new Map<string, number>();
  const isUnseen = (id: string) => !orders.missing.has(id) && !orders.sawNeighbours(id);
  const looksAtAll = [...byOrder.keys()].filter(isUnseen).length <= mostLooks;
  let overlooked = 0;
  let done = 0;
  const end = ctx.notes.progress(() => `looking at the orders: ${done} of ${byOrder.size}`);
  try {
    for (const [id, rows] of byOrder) {
      if (done % ordersAtOnce === 0) await turn();
      ctx.signal.throwIfAborted();
      const looks = looksAtAll || rows.some(({ reason }) => isOfDuplicate(reason));
      if (!looks && isUnseen(id)) overlooked += 1;
      const file: TwinsOfFile = {
        looks,
        lineOf: (other) => byOrder.get(other)?.[0]?.line,
        refundedBefore: refunded,
      };
      const read = await knownOf(ctx, service, id, { orders, file, now });
      if (read.order !== undefined) asked.saw?.(id, read.order);
      const some = planRows(rows, read, asked);
      planned.push(...some.map(leanRow));
      const [first] = some.filter(({ state }) => state !== 'impossible');
      if (first !== undefined) refunded.set(id, first.line);
      done += 1;
    }
  } finally {
    end();
  }
  if (overlooked > 0)
    ctx.notes.note(
      `paydesk did not read the orders next to ${overlooked} of the ${counted(byOrder.size, 'order')}, so a twin that is not in the file may be missing`,
    );
  return planned
    .toSorted((one, other) => one.line - other.line)
    .map((row, index) => ({ ...row, number: index + 1 }));
}

interface Known {
  readonly orders: ReadOrders;
  readonly file: TwinsOfFile;
  readonly now: Moment;
}

// What the service, the journal and the file say about an order.
async function knownOf(
  ctx: Context,
  service: OpenService,
  id: string,
  { now, ...known }: Known,
): Promise<OrderOfRows> {
  const { missing } = known.orders;
  const found = known.orders.take(id);
  const attempts = await ctx.journal.attemptsOf(service, id);
  return {
    id,
    order: found?.order,
    missing: missing.get(id),
    neighbour: found?.neighbour,
    attempts,
    unshown: found && unshownRefunds(attempts, found.order),
    isOpen: (record) => isOpen(record, now),
    known: found && knownOrder(found.order, attempts, now),
    ...(await lookUpTwins(ctx, service, found?.order, known)),
    ...(await historyOf(ctx, found?.order, attempts)),
  };
}

async function historyOf(
  ctx: Context,
  order: JsonObject | undefined,
  attempts: readonly AttemptRecord[],
): Promise<Pick<OrderOfRows, 'madeWords' | 'byHandNotes'>> {
  if (order === undefined) return {};
  return {
    madeWords: madeWords(ctx, await originsAmong(ctx, order, async () => attempts)),
    byHandNotes: notesOnSettled(ctx, attempts, order),
  };
}

// What the file says about an order and its twins.
interface TwinsOfFile {
  /**
   * The orders next to it are read: the file has few orders, or a row says that this is one of two equal orders, and then
   * overlooking a twin would pay the buyer twice.
   */
  readonly looks: boolean;
  /** The line of the first row of another order. */
  readonly lineOf: (orderId: string) => number | undefined;
  /** The orders of earlier rows that pay something back, and the lines of those rows. */
  readonly refundedBefore: ReadonlyMap<string, number>;
}

// Makes two requests at most, and none if the orders next to this one were read before.
async function lookUpTwins(
  ctx: Context,
  service: OpenService,
  order: JsonObject | undefined,
  { orders, file }: Omit<Known, 'now'>,
): Promise<Pick<OrderOfRows, 'twins' | 'gaps'>> {
  if (order === undefined) return { twins: [] };
  // What the journal knows about a twin decides whether it was refunded, and by whom.
  const read = await knownTwins(ctx, service, orders.twinsOf(order));
  const needsLook = file.looks && !orders.sawNeighbours(String(order.id));
  const { twins: near, gaps } = needsLook ? await lookForTwins(ctx, service, order) : { twins: [], gaps: [] };
  const all = new Map([...read, ...near].map((twin) => [twin.id, twin]));
  const words = twinWords(ctx, service.profile, order);
  return {
    twins: [...all.values()].map((twin) => ({
      words: bothWords(twin, file) ?? twinLine(twin, words),
      name: nameOf(twin, file),
    })),
    gaps,
  };
}

function bothWords({ id }: KnownTwin, { lineOf }: TwinsOfFile): string | undefined {
  const line = lineOf(id);
  if (line === undefined) return undefined;
  return `${id}, same buyer and amount, is in this file too (line ${line}): the buyer gets both payments back`;
}

// If two twins are both in the file, the second is the one to look at.
function nameOf(twin: KnownTwin, { refundedBefore }: TwinsOfFile): string | undefined {
  if (isPaidBack(twin)) return nameForAgain(twin);
  return refundedBefore.has(twin.id) ? twin.id : undefined;
}

/** The rows of a plan for rows of one order, in the order of the file. */
export function planRows(rows: readonly InputRow[], read: OrderOfRows, asked: RowsAsked): readonly NewRow[] {
  const before = moneyBefore(read.order);
  const keys = new Set(rows.map((row) => baseOf(row, read, asked).key));
  const livemode = livemodeOf[asked.profile.mode];
  const taken = new Map<string, number>();
  const { attempts, known: { refunds = [] } = {} } = read;
  const ofOrder = { attempts, refunds, livemode, planId: asked.planId, keys, taken };
  const rowsBefore: NewRow[] = [];
  // The order as it will be when the rows before are applied.
  let order = read.order;
  return rows.flatMap((row) => {
    const known = { ...read, order, asRead: read.order, ofOrder, rowsBefore };
    const planned = rowsOf(row, known, asked).map((one) => {
      if (one.state === 'ready') for (const name of [...one.named, ...one.again]) taken.set(name, one.line);
      return { ...one, before, tried: triedBefore(one, read.attempts) };
    });
    const ready = planned.filter(({ state }) => state === 'ready');
    rowsBefore.push(...ready);
    for (const { expected } of ready) order = order && orderAfter(order, expected);
    return planned;
  });
}

function rowsOf(row: InputRow, read: OrderOfRow, asked: RowsAsked): readonly NewRow[] {
  const { order } = read;
  const base = baseOf(row, read, asked);
  const own = sentUnder(base.key, read.attempts);
  if (own !== undefined) return [rowFromJournal(base, own)];
  const parts = partsUnder(base.key, read.attempts);
  if (order === undefined && parts.length === 0)
    return [{ ...base, why: read.missing ?? `there is no order ${read.id}` }];
  const other = inOtherCurrency(row, base.currency, asked.profile.settings);
  // If the file says another currency, nobody knows how much that is in the currency of the order.
  if (other !== undefined && parts.length === 0) return [{ ...base, currency: undefined, why: other.why }];
  if (parts.length > 0 || needsAllocation(base, order, asked)) return spreadRow(base, parts, read, asked);
  return [planRow(base, read, asked)];
}

// Everything about a row that does not depend on whether it can be sent.
function baseOf(
  row: InputRow,
  { id, order, neighbour }: OrderOfRows,
  { profile, moreOf }: RowsAsked,
): NewRow {
  const { line, charge, amount = 'full', reason, ref, note, again, asks } = row;
  const chargeId = chargeNamed(charge, order);
  return {
    line,
    orderId: id,
    charge,
    chargeId,
    amount,
    reason,
    ref,
    note,
    more: moreOf(row),
    key: rowKey({ origin: profile.origin, mode: profile.mode, orderId: id, chargeId, amount, ref }),
    partOf: undefined,
    state: 'impossible',
    why: undefined,
    marks: [],
    sum: amount === fullWord ? fullSum(chargeId, order) : amount,
    currency: typeof order?.currency === 'string' ? order.currency : undefined,
    body: undefined,
    expected: [],
    tolerated: [],
    again: [],
    named: again,
    repeats: asks,
    before: undefined,
    neighbour,
  };
}

// A name that means no charge of the order stays as it is; decideRefund then refuses it.
function chargeNamed(name: string, order: JsonObject | undefined): string | undefined {
  if (name === anyWord || name === fullWord) return undefined;
  const money = order && moneyOf(order);
  const [charge, second] = money === undefined ? [] : chargesNamed(name, money);
  return charge === undefined || second !== undefined ? name : charge.id;
}

// What `full` asks for, also if the row cannot be sent: all that is left or, if nothing is left, all that was paid. 0 if nobody
// knows.
function fullSum(chargeId: string | undefined, order: JsonObject | undefined): number {
  const money = order && moneyOf(order);
  const charges = money?.charges.filter(({ id }) => chargeId === undefined || id === chargeId) ?? [];
  const left = leftToRefund({ charges });
  if (left > 0) return left;
  return (chargeId === undefined ? money?.amount : charges[0]?.amount) ?? 0;
}
