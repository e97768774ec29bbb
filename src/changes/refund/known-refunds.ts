/** What the journal of this machine knows about an order's refunds: who sent them, why, and the note. */

import { readMoney } from '../../api/charges.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord, Journal } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';

/** What the journal knows about one refund record. */
export interface RefundFacts {
  readonly intent: string;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  /** The name of the person who ran paydesk, as this machine knows it. */
  readonly operator: string;
  /** With `read` the refund may be somebody else's, because a read cannot tell two equal refunds apart. */
  readonly knownBy: 'reply' | 'read' | 'person' | 'sender';
}

/** Maps the id of each refund to what the journal knows about it. Only attempts with the verdict `applied` count. */
export function refundFacts(
  attempts: readonly AttemptRecord[],
  { ownRefunds }: Pick<Journal, 'ownRefunds'>,
): ReadonlyMap<string, RefundFacts> {
  return new Map(
    attempts.flatMap((record) => {
      const { sent, verdicts } = record;
      const last = verdicts.at(-1);
      if (last?.verdict !== 'applied') return [];
      const { intent, reason, note, operator } = sent;
      const facts = { intent, reason, note, operator, knownBy: last.by };
      return ownRefunds(record).flatMap(({ id }): [string, RefundFacts][] =>
        id === undefined ? [] : [[id, facts]],
      );
    }),
  );
}

/** Who sent a refund, and why. */
interface RefundOrigin {
  /** The operator and the note: `op7: ticket 8812`. */
  readonly by: string;
  readonly reason: string | undefined;
}

/**
 * Who sent each refund, by refund id. A refund that is missing here was not sent from this machine. Undefined when the
 * journal cannot be read.
 */
export type RefundOrigins = ReadonlyMap<string, RefundOrigin> | undefined;

/** Looks up in the journal who sent the refunds of an order. If the journal cannot be read, it only warns. */
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

function refundOrigins(facts: ReadonlyMap<string, RefundFacts>): RefundOrigins {
  return new Map(
    [...facts].map(([id, { operator, note, knownBy, reason }]): [string, RefundOrigin] => {
      const by = note === undefined ? operator : `${operator}: ${note}`;
      return [id, { by: knownBy === 'read' ? `${by} (or identical)` : by, reason }];
    }),
  );
}

export function sentBy(origins: RefundOrigins, refundId: string): string {
  if (origins === undefined) return '-';
  return origins.get(refundId)?.by ?? 'not from this machine';
}
