/** The possible twins of an order of a file: among the orders that were read and, for one of two equal orders, next to it. */

import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import {
  isPaidBack,
  type KnownTwin,
  knownTwins,
  nameForAgain,
  twinLine,
  twinWords,
} from '../../orders/orders.ts';
import { lookForTwins } from '../refund/look-for-twins.ts';
import type { OrderOfRows } from './order-of-rows.ts';
import type { ReadOrders } from './read-orders.ts';

/** What the file says of an order and its twins. */
export interface TwinsOfFile {
  /** A row of the order says that it is one of two equal orders. Then a twin that is missed pays the buyer twice. */
  readonly isOfTwins: boolean;
  /** The line of the first row of another order. */
  readonly lineOf: (orderId: string) => number | undefined;
  /** The orders of rows before, if something of them goes back, and their lines. */
  readonly refundedBefore: ReadonlyMap<string, number>;
}

interface Known {
  readonly orders: ReadOrders;
  readonly file: TwinsOfFile;
}

/** Looks up the twins of an order. Makes two requests at most, and only if a row says that it is one of two equal orders. */
export async function lookUpTwins(
  ctx: Context,
  service: OpenService,
  order: JsonObject | undefined,
  { orders, file }: Known,
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
