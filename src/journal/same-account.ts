/** Tells whether two changes may belong to one account, however its address is spelled or its profile is named. Pure. */

import type { Service } from '../api/api.ts';
import { livemodeOf } from '../api/spec.ts';
import type { AttemptRecord, SentRow } from './rows/journal-rows.ts';
import type { JournalStore } from './rows/journal-store.ts';

/** The facts that tell whether two changes may be of one account. */
export interface AccountMarks {
  readonly origin: string;
  readonly livemode: boolean;
  readonly keyFingerprint?: string | undefined;
}

/** The marks of the account that an attempt was sent to. */
export function marksOf({ origin, proof: { livemode }, keyFingerprint }: SentRow): AccountMarks {
  return { origin, livemode, keyFingerprint };
}

/** Whether an attempt was about real money, or about none. A row instead of a lost one may have been either. */
export function isOfLivemode({ lost, proof }: Pick<SentRow, 'lost' | 'proof'>, livemode: boolean): boolean {
  return lost !== undefined || proof.livemode === livemode;
}

/** The marks of the account that a service reaches. The key is hashed only when it is compared. */
export function marksOfService(service: Pick<Service, 'profile' | 'keyFingerprint'>): AccountMarks {
  const { origin, mode } = service.profile;
  return {
    origin,
    livemode: livemodeOf[mode],
    get keyFingerprint() {
      return service.keyFingerprint;
    },
  };
}

/**
 * True when both have the same address or the same key, or both move real money. A demo matches only itself, because
 * every demo has the same order ids. Two sandboxes with different addresses and keys are two accounts.
 */
export function mayBeSameAccount(one: AccountMarks, other: AccountMarks): boolean {
  if (isDemo(one) || isDemo(other)) return one.origin === other.origin;
  return isSameKey(one, other) || isSameAddress(one, other) || (one.livemode && other.livemode);
}

function isSameKey(one: AccountMarks, other: AccountMarks): boolean {
  return one.keyFingerprint !== undefined && one.keyFingerprint === other.keyFingerprint;
}

/**
 * Whether the limits of one account hold for the other: the same mode, and the same address or the same key. Guards and locks
 * take all of production for one account, so as to send too little rather than too much; but two shops have limits of their own.
 */
export function hasSameLimits(one: AccountMarks, other: AccountMarks): boolean {
  if (one.livemode !== other.livemode) return false;
  if (isDemo(one) || isDemo(other)) return one.origin === other.origin;
  return isSameAddress(one, other) || isSameKey(one, other);
}

/** Whether an attempt may be of the account that a service reaches, however its address is spelled. */
export function mayBeOf(
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  { sent }: Pick<AttemptRecord, 'sent'>,
): boolean {
  return mayBeSameAccount(marksOf(sent), marksOfService(service));
}

/** Whether both have the same address. Then it is one account, whatever its profiles are called. */
export function isSameAddress(one: AccountMarks, other: AccountMarks): boolean {
  return isSameOrigin(one.origin, other.origin);
}

/** Whether two origins are one address. */
export function isSameOrigin(one: string, other: string): boolean {
  return plainOrigin(one) === plainOrigin(other);
}

/**
 * The name of the lock on an order or on an idempotency key. The account is not part of it (except for a demo), so another
 * spelling of the address takes the same lock.
 */
export function lockName({ origin }: Pick<AccountMarks, 'origin'>, what: string): string {
  return isDemo({ origin }) ? `${origin} ${what}` : what;
}

function isDemo({ origin }: Pick<AccountMarks, 'origin'>): boolean {
  return origin.startsWith('demo:');
}

// The loopback addresses become one name. Upper case, a dot at the end and the scheme's own port do not count.
function plainOrigin(origin: string): string {
  if (!URL.canParse(origin)) return origin;
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/\.$/, '');
  const isLoopback =
    /^(localhost|.*\.localhost|127(\.[0-9]+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(host);
  return `${protocol}//${isLoopback ? 'localhost' : host}:${port}`;
}

/** The attempts that may be of this account, however its address is spelled; with orders, those on them. */
export async function attemptsOf(
  store: JournalStore,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  orders: string | ReadonlySet<string>,
): Promise<readonly AttemptRecord[]> {
  const all = await store.attempts({ orderIds: typeof orders === 'string' ? new Set([orders]) : orders });
  return all.filter((record) => mayBeOf(service, record));
}
