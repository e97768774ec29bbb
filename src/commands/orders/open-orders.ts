/** What is open of an account, for `today`: what is unconfirmed, and the orders of which money went back twice or appeared late. */

import type { Service } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import { unrecordedLine } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, appearedVerdict, isFailedLate, isPaidTwice } from '../../journal/journal.ts';
import { shownOrders, unconfirmedOf } from '../../orders/orders.ts';
import type { Context } from '../command.ts';

export interface OpenOrders {
  /** How many changes are unconfirmed, also those without an order, such as payment links; and orders whose figures tell nothing. */
  readonly unconfirmed: number;
  /** The orders with a refund that was made twice. */
  readonly twice: ReadonlySet<string>;
  /** The orders with a refund that appeared although somebody recorded it as not made. */
  readonly appeared: ReadonlySet<string>;
  /** The orders with a refund that failed after it was made. */
  readonly failed: ReadonlySet<string>;
  /** The orders that no longer show a refund that was made. */
  readonly gone: ReadonlySet<string>;
  /** Adds what orders show and the journal does not know yet. */
  readonly see: (orders: readonly JsonObject[]) => Promise<void>;
}

/** What the journal knows by itself. `see` warns of what an order shows besides, with the command that records it. */
export async function startOpenOrders(ctx: Context): Promise<OpenOrders> {
  const service = await ctx.service();
  const alarmed = await unconfirmedOf(ctx, service).catch(noneIfUnreadable);
  const now = await ctx.journal.now();
  const ordersOf = (isOne: (record: AttemptRecord) => boolean) =>
    new Set(alarmed.filter(isOne).flatMap(({ sent }) => sent.proof.orderId ?? []));
  const open = ordersOf((record) => ctx.journal.isOpen(record, now));
  const twice = ordersOf(isPaidTwice);
  const appeared = ordersOf((record) => appearedVerdict(record) !== undefined);
  const failed = ordersOf(isFailedLate);
  const gone = new Set<string>();
  const see = async (orders: readonly JsonObject[]) => {
    for (const { order, cases, first } of await shownOrders(ctx, service, orders)) {
      const id = String(order.id);
      if (first === 'unconfirmed') open.add(id);
      for (const one of cases) {
        if (one.is === 'made twice') twice.add(id);
        if (one.is === 'appeared') appeared.add(id);
        if (one.is === 'failed') failed.add(id);
        if (one.is === 'gone') gone.add(id);
        const line = unrecordedLine(id, one);
        if (line !== undefined) ctx.notes.warn(line);
      }
    }
  };
  const others = await withoutOrder(ctx, service);
  return {
    get unconfirmed() {
      return open.size + others;
    },
    twice,
    appeared,
    failed,
    gone,
    see,
  };
}

function noneIfUnreadable(error: unknown): readonly AttemptRecord[] {
  if (error instanceof CliError) return [];
  throw error;
}

// How many unconfirmed changes are about no order.
async function withoutOrder({ journal }: Context, { profile }: Service): Promise<number> {
  const now = await journal.now();
  const { origin, account } = profile;
  const open = await journal.attempts({ origin, withoutOrder: true, unconfirmed: true });
  return open.filter((record) => record.sent.account === account && journal.isOpen(record, now)).length;
}
