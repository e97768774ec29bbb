/** What the journal of this machine knows of the refunds that `refunds compare` finds: who sent them, and what is open. */

import { amountWords } from '../../amounts.ts';
import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import { probableOrigin, refundFacts } from '../refund/known-refunds.ts';
import type { HandMade, KnownOfOrder } from './compare-rows.ts';

/** The journal, as far as a comparison asks it. */
export interface KnownRefunds {
  /** Remembers for `sentBy` which refunds of the order are probably ours. */
  ofOrder(orderId: string, order: JsonObject): KnownOfOrder;
  /** Who sent a refund; undefined if that was not this machine. */
  sentBy(refundId: string): string | undefined;
}

/** Reads all attempts of an account once, since a file may name thousands of orders. */
export async function knownRefunds(ctx: Context, service: OpenService): Promise<KnownRefunds> {
  const { journal } = ctx;
  const now = await journal.now();
  const attempts = await journal.attemptsOf(service);
  const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId ?? '');
  const facts = refundFacts(attempts, journal);
  const senders = new Map([...facts].map(([id, { operator }]) => [id, operator]));
  return {
    ofOrder(orderId, order) {
      const known = byOrder.get(orderId);
      if (known === undefined) return { unconfirmed: undefined, probable: new Map(), byHand: [] };
      const isOpen = (record: AttemptRecord) =>
        record.sent.proof.kind === 'refund' && journal.isOpen(record, now);
      const found = [...journal.probableRefunds(known, order)];
      for (const [id, record] of found) if (!senders.has(id)) senders.set(id, probableOrigin(ctx, record).by);
      const open = found.filter(([, record]) => isNotConfirmed(record));
      return {
        unconfirmed: known.find(isOpen)?.sent.intent,
        probable: new Map(open.map(([id, { sent }]) => [id, sent.intent])),
        byHand: journal.unshownRefunds(known, order).flatMap((record) => handMade(record, service)),
      };
    },
    sentBy: (refundId) => senders.get(refundId),
  };
}

// However old it is: what a person recorded, and what is there twice, is known.
function isNotConfirmed({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return last?.by !== 'person' && last?.verdict !== 'applied';
}

function handMade({ sent, verdicts }: AttemptRecord, { profile }: OpenService): readonly HandMade[] {
  const who = verdicts.at(-1)?.operator ?? 'somebody';
  return sent.proof.expected.map(({ chargeId, amount }) => ({
    chargeId,
    amount,
    words: `${amountWords(-amount, sent.currency, profile.settings)} recorded as made by hand by ${who}, and the order does not show it: paydesk journal show ${sent.intent}`,
  }));
}
