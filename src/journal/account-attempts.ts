/** What the journal knows about an account: its attempts, its unconfirmed changes, its refunds that were paid back twice. */

import type { Service } from '../api/api.ts';
import { isOpen } from './attempt-state.ts';
import type { Journal, PaidTwice, UnconfirmedChange } from './journal.ts';
import type { AttemptRecord, Moment } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { isPaidTwice, otherAlarms, refundsPaidTwice } from './paid-twice.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { paidTwiceRefund, unconfirmedChange } from './unconfirmed.ts';

/** The attempts that may be of this account, however its address is spelled; with orders, those on them. */
export async function attemptsOf(
  store: JournalStore,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  orders?: string | ReadonlySet<string>,
): Promise<readonly AttemptRecord[]> {
  const account = marksOfService(service);
  const all = await store.attempts(typeof orders === 'string' ? { orderId: orders } : { orderIds: orders });
  return all.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
}

/** The unconfirmed changes of an account, or of one order of it, by the id of the order. Of several, the oldest. */
export async function unconfirmedOf(
  { store, now }: { readonly store: JournalStore; readonly now: () => Promise<Moment> },
  service: Parameters<Journal['unconfirmed']>[0],
  orderId: string | undefined,
): Promise<ReadonlyMap<string, UnconfirmedChange>> {
  const account = marksOfService(service);
  const attempts = await store.attempts({ orderId, unconfirmed: true });
  const found = new Map<string, UnconfirmedChange>();
  if (attempts.length === 0) return found;
  const moment = await now();
  for (const record of attempts) {
    const { sent } = record;
    const { orderId: id } = sent.proof;
    if (id === undefined || found.has(id)) continue;
    if (!isOpen(record, moment) || !mayBeSameAccount(marksOf(sent), account)) continue;
    found.set(id, unconfirmedChange(record));
  }
  return found;
}

/** The refunds of an account that were paid back twice, by the id of the order. Of several, the oldest. */
export async function paidTwiceOf(
  store: JournalStore,
  service: Parameters<Journal['paidTwice']>[0],
  orderId: string | undefined,
): Promise<ReadonlyMap<string, PaidTwice>> {
  const account = marksOfService(service);
  const attempts = await store.attempts({ orderId, unconfirmed: true });
  const twice = attempts.filter(
    (record) => isPaidTwice(record) && mayBeSameAccount(marksOf(record.sent), account),
  );
  const found = new Map<string, PaidTwice>();
  if (twice.length === 0) return found;
  const orders = new Set(twice.flatMap(({ sent }) => sent.proof.orderId ?? []));
  const byOrder = Map.groupBy(await attemptsOf(store, service, orders), ({ sent }) => sent.proof.orderId);
  for (const record of twice) {
    const { orderId: id } = record.sent.proof;
    if (id === undefined || found.has(id)) continue;
    const known = byOrder.get(id) ?? [];
    found.set(id, {
      ...paidTwiceRefund(record, refundsPaidTwice(record, known), known),
      besides: otherAlarms(record, known).map(({ sent }) => sent.intent),
    });
  }
  return found;
}
