/** Plans the rows of a file order by order: asks the journal and the neighbours of each order what they know of it. */

import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import type { AttemptRecord, Moment } from '../../journal/journal.ts';
import { knownOrder } from '../../orders/orders.ts';
import { type InputRow, leanRow, type PlanRow } from '../../plans/plans.ts';
import { notesOnSettled } from '../by-hand-words.ts';
import { madeWords, originsAmong } from '../refund/known-refunds.ts';
import type { NewRow, OrderOfRows, RowsAsked } from './order-of-rows.ts';
import { planRows } from './plan-rows.ts';
import { orderIdOf, type ReadOrders } from './read-orders.ts';
import { isOfTwins } from './row-doubts.ts';
import { lookUpTwins, type TwinsOfFile } from './row-twins.ts';
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
        isOfTwins: rows.some(({ reason }) => isOfTwins(reason)),
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
    isOpen: (record) => ctx.journal.isOpen(record, now),
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
