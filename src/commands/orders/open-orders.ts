/** The orders of an account that need a person because money went back twice or appeared late, for `today`. */

import type { JsonObject } from '../../api/spec.ts';
import { attemptsByOrder, casesOf, openCasesOf, unrecordedLine } from '../../changes/changes.ts';
import { appearedVerdict } from '../../journal/journal.ts';
import type { Context } from '../command.ts';

/** The orders that were paid back twice, and those with a refund that appeared although somebody recorded it as not made. */
export interface OpenOrders {
  readonly twice: ReadonlySet<string>;
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
  return { twice, appeared, see };
}
