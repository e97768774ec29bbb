/** Plans the rows of a file order by order: asks the journal and the neighbours of each order what they know of it. */

import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { type AttemptRecord, isOpen, type Moment } from '../../journal/journal.ts';
import {
  isPaidBack,
  type KnownTwin,
  knownOrder,
  knownTwins,
  nameForAgain,
  twinLine,
  twinWords,
} from '../../orders/orders.ts';
import { type InputRow, leanRow, type PlanRow } from '../../plans/plans.ts';
import { notesOnSettled } from '../by-hand-words.ts';
import { madeWords, originsAmong } from '../refund/known-refunds.ts';
import { lookForTwins } from '../refund/look-for-twins.ts';
import { isOfDuplicate } from '../refund/refund-checks.ts';
import { orderIdOf, type ReadOrders } from './found-orders.ts';
import type { NewRow, OrderOfRows, RowsAsked } from './order-of-rows.ts';
import { planRows } from './plan-rows.ts';
import { turn } from './turn.ts';

// Orders between two turns of the event loop.
const ordersAtOnce = 50;

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
  // The orders of which a row will go back, or may have gone back.
  const refunded = new Map<string, number>();
  let done = 0;
  const end = ctx.notes.progress(() => `looking at the orders: ${done} of ${byOrder.size}`);
  try {
    for (const [id, rows] of byOrder) {
      if (done % ordersAtOnce === 0) await turn();
      ctx.signal.throwIfAborted();
      const file: TwinsOfFile = {
        isOfTwins: rows.some(({ reason }) => isOfDuplicate(reason)),
        lineOf: (other) => byOrder.get(other)?.[0]?.line,
        refundedBefore: refunded,
      };
      const read = await knownOf(ctx, service, id, { orders, file, now });
      const some = planRows(rows, read, asked);
      planned.push(...some.map(leanRow));
      const [first] = some.filter(({ state }) => state !== 'impossible');
      if (first !== undefined) refunded.set(id, first.line);
      done += 1;
    }
  } finally {
    end();
  }
  return planned
    .toSorted((one, other) => one.line - other.line)
    .map((row, index) => ({ ...row, number: index + 1 }));
}

interface Known {
  readonly orders: ReadOrders;
  readonly file: TwinsOfFile;
  readonly now: Moment;
}

// What the service, the journal and the file say of an order.
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

// What the file says of an order and its twins.
interface TwinsOfFile {
  /** A row of the order says that it is one of two equal orders. Then a twin that is missed pays the buyer twice. */
  readonly isOfTwins: boolean;
  /** The line of the first row of another order. */
  readonly lineOf: (orderId: string) => number | undefined;
  /** The orders of rows before, if something of them goes back, and their lines. */
  readonly refundedBefore: ReadonlyMap<string, number>;
}

// Makes two requests at most, and only if a row says that the order is one of two equal ones.
async function lookUpTwins(
  ctx: Context,
  service: OpenService,
  order: JsonObject | undefined,
  { orders, file }: Omit<Known, 'now'>,
): Promise<Pick<OrderOfRows, 'twins' | 'gaps'>> {
  if (order === undefined) return { twins: [] };
  // What the journal knows of a twin decides whether it was refunded, and by whom.
  const read = await knownTwins(ctx, service, orders.twinsOf(order));
  const needsLook = file.isOfTwins && !orders.sawNeighbours(String(order.id));
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

// Of two orders of the file the second is the one to look at.
function nameOf(twin: KnownTwin, { refundedBefore }: TwinsOfFile): string | undefined {
  if (isPaidBack(twin)) return nameForAgain(twin);
  return refundedBefore.has(twin.id) ? twin.id : undefined;
}
