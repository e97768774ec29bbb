/** What the journal of this machine knows of the refunds that `refunds compare` finds: who sent them, and what is open. */

import { amountWords } from '../../amounts.ts';
import type { OpenService } from '../../api/api.ts';
import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import { probableRefunds, unshownRefunds } from '../../journal/journal.ts';
import { isUnconfirmed, refundFacts } from '../../orders/orders.ts';
import { rowKey } from '../../plans/plans.ts';
import { probableOrigin } from '../refund/known-refunds.ts';
import type { KnownOfOrder, Unshown } from './compare-rows.ts';

/** The journal, as far as a comparison asks it. */
export interface KnownRefunds {
  /** Asks for what was sent on these orders. Only of the orders that were asked for last `ofOrder` knows something. */
  lookUp(orderIds: Iterable<string>): Promise<void>;
  /** Remembers for `sentBy` which refunds of the order are probably ours. */
  ofOrder(orderId: string, order: JsonObject): KnownOfOrder;
  /** Who sent a refund; undefined if that was not this machine. */
  sentBy(refundId: string): string | undefined;
}

/** Asks about some orders at a time, since a file may name thousands. */
export async function knownRefunds(ctx: Context, service: OpenService): Promise<KnownRefunds> {
  const { journal } = ctx;
  const now = await journal.now();
  const senders = new Map<string, string>();
  let byOrder: ReadonlyMap<string, readonly AttemptRecord[]> = new Map();
  const { origin, mode } = service.profile;
  return {
    async lookUp(orderIds) {
      const attempts = await journal.attemptsOf(service, new Set(orderIds));
      byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId ?? '');
      for (const [id, { operator }] of refundFacts(attempts)) senders.set(id, operator);
    },
    ofOrder(orderId, order) {
      const keyOf: KnownOfOrder['keyOf'] = (row) => rowKey({ ...row, origin, mode, orderId });
      const known = byOrder.get(orderId);
      if (known === undefined) return { unshown: [], probable: new Map(), keyOf };
      const found = [...probableRefunds(known, order)];
      for (const [id, record] of found) if (!senders.has(id)) senders.set(id, probableOrigin(ctx, record).by);
      const shown = new Set(found.map(([, record]) => record));
      const unconfirmed = known.filter(
        (record) => isRefund(record) && isUnconfirmed(record) && !shown.has(record),
      );
      return {
        unshown: [
          ...unconfirmed.flatMap((record) =>
            unshownOf(record, 'unconfirmed', sentWords(record), journal.isOpen(record, now)),
          ),
          ...unshownRefunds(known, order).flatMap((record) =>
            unshownOf(record, 'by_hand', handWords(record, service), true),
          ),
        ],
        probable: new Map(
          found.filter(([, record]) => isUnconfirmed(record)).map(([id, { sent }]) => [id, sent.intent]),
        ),
        keyOf,
      };
    },
    sentBy: (refundId) => senders.get(refundId),
  };
}

function isRefund({ sent }: AttemptRecord): boolean {
  return sent.proof.kind === 'refund';
}

function unshownOf(
  { sent: { proof, given, asked } }: AttemptRecord,
  is: Unshown['is'],
  words: string,
  isOpen: boolean,
): readonly Unshown[] {
  const keys = [given, asked?.part_of].filter((key) => typeof key === 'string');
  const before = new Set(proof.before.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)));
  return proof.expected.map(({ chargeId, amount }) => ({
    is,
    chargeId,
    amount,
    words,
    keys,
    before,
    isOpen,
  }));
}

function sentWords({ sent }: AttemptRecord): string {
  return `a refund sent from here is unconfirmed: paydesk journal reconcile ${sent.intent}`;
}

function handWords({ sent, verdicts }: AttemptRecord, { profile }: OpenService): string {
  const who = verdicts.at(-1)?.operator ?? 'somebody';
  const sum = sent.proof.expected.reduce((all, { amount }) => all - amount, 0);
  return `${amountWords(sum, sent.currency, profile.settings)} recorded made by ${who}, and the order does not show it: paydesk journal show ${sent.intent}`;
}
