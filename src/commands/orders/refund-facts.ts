/** What the journal of this machine knows of refund records: who, why, the note. Pure. */

import type { AttemptRecord, Journal } from '../../journal/journal.ts';

/** Of one refund record. */
export interface RefundFacts {
  readonly intent: string;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  /** As this machine stated it. */
  readonly operator: string;
  /** A read cannot tell whose of two equal refunds it saw. */
  readonly knownBy: 'reply' | 'read' | 'person' | 'sender';
}

/** Refund id → what is known of it, out of the attempts that were applied. */
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
