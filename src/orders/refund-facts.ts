/** What the journal knows about refunds that it made: who sent them, why, and the note. Pure. */

import { itemsOf, type JsonObject } from '../api/spec.ts';
import { type AttemptRecord, ownRefunds } from '../journal/journal.ts';

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
export function refundFacts(attempts: readonly AttemptRecord[]): ReadonlyMap<string, RefundFacts> {
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

/** The ids of those orders that may have refunds. Only of these the journal can know who made one. */
export function ordersWithRefunds(orders: readonly JsonObject[]): ReadonlySet<string> {
  const may = orders.filter(
    ({ amount_refunded: refunded, charges }) =>
      refunded !== 0 || itemsOf(charges).some(({ refunds }) => itemsOf(refunds).length > 0),
  );
  return new Set(may.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}
