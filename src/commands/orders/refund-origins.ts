/** Which refunds of an order this machine sent, by its journal: who, why, and the note. */

import { readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';
import { type RefundFacts, refundFacts } from './refund-facts.ts';

/** What the journal says of a refund record. */
export interface RefundOrigin {
  /** `op7: ticket 8812`; the operator as this machine stated it. */
  readonly by: string;
  readonly reason: string | undefined;
}

/** Refund id → origin: a refund that is not in it was not sent from this machine. Undefined: the journal cannot be read. */
export type RefundOrigins = ReadonlyMap<string, RefundOrigin> | undefined;

/** Looks into the journal when the order shows refunds at all; one that cannot be read is said and hides nothing else. */
export async function originsOf(ctx: Context, profile: Profile, order: JsonObject): Promise<RefundOrigins> {
  const reading = readMoney(order);
  if (!('money' in reading) || reading.money.charges.every(({ refunds }) => refunds.length === 0))
    return new Map();
  try {
    const { origin } = profile;
    const attempts = await ctx.journal.attempts({ origin, orderId: reading.money.id });
    return refundOrigins(refundFacts(attempts, ctx.journal));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`who sent the refunds is not shown: ${error.message}`);
    return undefined;
  }
}

// Puts what is known of each refund into words.
function refundOrigins(facts: ReadonlyMap<string, RefundFacts>): RefundOrigins {
  return new Map(
    [...facts].map(([id, { operator, note, knownBy, reason }]): [string, RefundOrigin] => {
      const by = note === undefined ? operator : `${operator}: ${note}`;
      return [id, { by: knownBy === 'read' ? `${by} (or identical)` : by, reason }];
    }),
  );
}

/** Whose a refund is, in words. */
export function sentBy(origins: RefundOrigins, refundId: string): string {
  if (origins === undefined) return '-';
  return origins.get(refundId)?.by ?? 'not from this machine';
}
