/** What is open of an account, for `today`: what is unconfirmed, and the orders of which money went back twice or appeared late. */

import type { Service } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import { attemptsByOrder, casesOf, openCasesOf, unrecordedLine } from '../../changes/changes.ts';
import { appearedVerdict } from '../../journal/journal.ts';
import type { Context } from '../command.ts';

export interface OpenOrders {
  /** How many changes are unconfirmed, also those without an order, such as payment links. */
  readonly unconfirmed: number;
  /** The orders that were paid back twice. */
  readonly twice: ReadonlySet<string>;
  /** The orders with a refund that appeared although somebody recorded it as not made. */
  readonly appeared: ReadonlySet<string>;
  /** Adds what an order shows and the journal does not know yet. */
  readonly see: (order: JsonObject) => void;
}

/** What the journal knows by itself. `see` warns of what an order shows besides, with the command that records it. */
export async function startOpenOrders(ctx: Context): Promise<OpenOrders> {
  const service = await ctx.service();
  const open = await openCasesOf(ctx, service);
  const attempts = await attemptsByOrder(ctx, service);
  const twice = new Set(open.paidTwice.keys());
  const late = [...attempts].filter(([, own]) => own.some((record) => appearedVerdict(record) !== undefined));
  const appeared = new Set(late.flatMap(([id]) => id ?? []));
  const see = (order: JsonObject) => {
    const id = String(order.id);
    const known = attempts.get(id);
    if (known === undefined) return;
    for (const one of casesOf(ctx, open, known, order)) {
      if (one.is === 'seen_twice') twice.add(id);
      if (one.is === 'appeared') appeared.add(id);
      const line = unrecordedLine(id, one);
      if (line !== undefined) ctx.notes.warn(line);
    }
  };
  const unconfirmed = open.unconfirmed.size + (await withoutOrder(ctx, service));
  return { unconfirmed, twice, appeared, see };
}

// How many unconfirmed changes are about no order.
async function withoutOrder({ journal }: Context, { profile }: Service): Promise<number> {
  const now = await journal.now();
  const unsettled = await journal.attempts({ origin: profile.origin, unsettled: true });
  return unsettled.filter(
    (record) =>
      record.sent.account === profile.account &&
      record.sent.proof.orderId === undefined &&
      journal.isOpen(record, now),
  ).length;
}
