/** What the journal knows about an account: its attempts, its unconfirmed changes, its refunds that were paid back twice. */

import type { Service } from '../api/api.ts';
import { isOpen } from './attempt-state.ts';
import type { Journal, OpenCases, PaidTwice } from './journal.ts';
import type { AttemptRecord, Moment } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { isPaidTwice, otherAlarms, refundsPaidTwice } from './paid-twice.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';
import { paidTwiceRefund, unconfirmedChange } from './unconfirmed.ts';

/** The attempts that may be of this account, however its address is spelled; with orders, those on them. */
export async function attemptsOf(
  store: JournalStore,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  orders: string | ReadonlySet<string>,
): Promise<readonly AttemptRecord[]> {
  const account = marksOfService(service);
  const all = await store.attempts(typeof orders === 'string' ? { orderId: orders } : { orderIds: orders });
  return all.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
}

/** The open cases of an account, or of one order of it. */
export async function openCasesOf(
  { store, now }: { readonly store: JournalStore; readonly now: () => Promise<Moment> },
  service: Parameters<Journal['openCases']>[0],
  orderId: string | undefined,
): Promise<OpenCases> {
  const account = marksOfService(service);
  const attempts = await store.attempts({ orderId, unconfirmed: true });
  const own = attempts.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
  if (own.length === 0) return { unconfirmed: new Map(), paidTwice: new Map() };
  const moment = await now();
  const open = firstByOrder(own.filter((record) => isOpen(record, moment)));
  const twice = firstByOrder(own.filter(isPaidTwice));
  const all = twice.size === 0 ? [] : await attemptsOf(store, service, new Set(twice.keys()));
  const known = Map.groupBy(all, ({ sent }) => sent.proof.orderId);
  return {
    unconfirmed: new Map([...open].map(([id, record]) => [id, unconfirmedChange(record)])),
    paidTwice: new Map([...twice].map(([id, record]) => [id, paidTwiceCase(record, known.get(id) ?? [])])),
  };
}

// Of several attempts on one order, the oldest.
function firstByOrder(records: readonly AttemptRecord[]): ReadonlyMap<string, AttemptRecord> {
  const first = new Map<string, AttemptRecord>();
  for (const record of records) {
    const { orderId } = record.sent.proof;
    if (orderId !== undefined && !first.has(orderId)) first.set(orderId, record);
  }
  return first;
}

function paidTwiceCase(record: AttemptRecord, known: readonly AttemptRecord[]): PaidTwice {
  const besides = otherAlarms(record, known).map(({ sent }) => sent.intent);
  return { ...paidTwiceRefund(record, refundsPaidTwice(record, known), known), besides };
}
