/** The attempts of an account. */

import type { Service } from '../api/api.ts';
import type { AttemptRecord } from './journal-rows.ts';
import type { JournalStore } from './journal-store.ts';
import { marksOf, marksOfService, mayBeSameAccount } from './same-account.ts';

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
