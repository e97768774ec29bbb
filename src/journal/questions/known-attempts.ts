/** Finds in the journal, however long it is, what a run must know before it sends and to judge what it reads, and what a read may still change. */

import type { ChangeRequest } from '../../api/api.ts';
import { isDue, needsPerson } from '../attempt-state.ts';
import type { Change } from '../change.ts';
import { unseenOrderMs } from '../guards.ts';
import { tolerableSkewMs } from '../journal-time.ts';
import { type AttemptFilter, pagesOf } from '../rows/attempt-query.ts';
import { type AttemptRecord, attemptKey, attemptName, type Moment } from '../rows/journal-rows.ts';
import type { JournalStore } from '../rows/journal-store.ts';
import { type AccountMarks, marksOf, mayBeSameAccount } from '../same-account.ts';
import { asksForSame } from '../same-request.ts';

/**
 * The attempts that a person must look at, for `journal list --open` and for everything else that counts open attempts. `filter`
 * may name the account, for example.
 */
export async function openAttempts(
  journal: Pick<JournalStore, 'attempts'> & { readonly now: () => Promise<Moment> },
  filter: AttemptFilter = {},
): Promise<readonly AttemptRecord[]> {
  const now = await journal.now();
  return (await journal.attempts({ ...filter, open: now })).filter((record) => needsPerson(record, now));
}

/** What a run is about. */
export interface SubjectOfLook {
  readonly kind: Change['kind'];
  readonly account: AccountMarks;
  readonly orderId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The journal's id. It names the lock when there is neither an order nor an idempotency key. */
  readonly change: string;
  /** The request that is to be sent. Without an order, open attempts at the same change are found by it. */
  readonly request?: ChangeRequest | undefined;
  /** What was typed for it. */
  readonly asked?: Change['asked'];
  /** When an order is created: what `--again` names, or the name of the creation that is looked at. */
  readonly again?: readonly string[] | undefined;
  /** When an order is created: which equal creations are looked up, whatever became of them. */
  readonly equal?: 'of a day' | 'all' | undefined;
}

/**
 * The attempts on the order, under the idempotency key and of the change. Without an order also the open ones that ask for the
 * same, and the creations of orders that the guards need.
 */
export async function knownAttempts(
  store: JournalStore,
  subject: SubjectOfLook,
  now: () => Promise<Moment>,
): Promise<readonly AttemptRecord[]> {
  const { kind, orderId, idempotencyKey, change, account } = subject;
  const found = [
    ...(await store.attempts({ change })),
    ...(orderId === undefined ? [] : await store.attempts({ orderId, beforeSending: true })),
    ...(idempotencyKey === undefined ? [] : await store.attempts({ idempotencyKey, beforeSending: true })),
    ...(orderId === undefined ? await openAlike(store, subject) : []),
    ...(kind === 'order' ? await creationsFor(store, subject, now) : []),
  ];
  const known = new Map(found.map((record) => [attemptKey(record.sent), record]));
  return [...known.values()].filter(
    ({ sent }) => sent.change === change || mayBeSameAccount(marksOf(sent), account),
  );
}

/**
 * The creations that made one of these orders, and the unconfirmed ones, which may have made one. Ask for them after the orders
 * were read: a creation that was not sent by then cannot have made one of them.
 */
export async function creationsIn(
  store: JournalStore,
  { account }: SubjectOfLook,
  orders: readonly string[],
): Promise<readonly AttemptRecord[]> {
  const kind = 'order';
  const found = [
    ...(await store.attempts({ kind, made: new Set(orders) })),
    ...(await store.attempts({ kind, unconfirmed: true })),
  ];
  return found.filter(({ sent }) => mayBeSameAccount(marksOf(sent), account));
}

async function openAlike(store: JournalStore, subject: SubjectOfLook): Promise<readonly AttemptRecord[]> {
  if (subject.request === undefined) return [];
  const open = await store.attempts({ withoutOrder: true, unconfirmed: true });
  return open.filter(({ sent }) => asksForSame(sent, subject));
}

async function creationsFor(
  store: JournalStore,
  subject: SubjectOfLook,
  now: () => Promise<Moment>,
): Promise<readonly AttemptRecord[]> {
  const found = [...(await named(store, subject)), ...(await equalOnes(store, subject, now))];
  return found.filter(({ sent }) => sent.proof.kind === 'order');
}

// The attempts that --again names, those that they named themselves, and those that have used up one of the names.
async function named(store: JournalStore, { again = [] }: SubjectOfLook): Promise<readonly AttemptRecord[]> {
  const names = new Set(again);
  const found = [...(await store.attempts({ again: names }))];
  // The loop also visits the names that it adds.
  for (const name of names)
    for (const record of await store.attempts({ change: changeIn(name) })) {
      found.push(record);
      if (attemptName(record) === name) for (const other of record.sent.again ?? []) names.add(other);
    }
  return found;
}

// The change in the name of an attempt.
function changeIn(name: string): string {
  return name.replace(/\.[0-9]+$/, '');
}

async function equalOnes(
  store: JournalStore,
  subject: SubjectOfLook,
  now: () => Promise<Moment>,
): Promise<readonly AttemptRecord[]> {
  const { equal } = subject;
  if (equal === undefined) return [];
  const since = equal === 'all' ? undefined : (await earliest(store, now)) - unseenOrderMs;
  const found: AttemptRecord[] = [];
  for await (const page of pagesOf(store, { kind: 'order', since }))
    found.push(...page.filter(({ sent }) => asksForSame(sent, subject)));
  return found.toReversed();
}

// No later moment of the run is earlier, even if the clocks turn out to disagree.
async function earliest(store: JournalStore, now: () => Promise<Moment>): Promise<number> {
  const newest = await store.newest();
  return Math.min(newest.time, (await now()).time);
}

// ── What a read may still change ────────────────────────────────────────────────────────────────

/** The most refunds that are looked at among those that were made and are due. */
const watchedMax = 20;

/**
 * The unconfirmed attempts, those with an alarm, those that a person recorded as not made, or as made not long ago, and the first
 * due ones of the refunds that were made and are watched. `isDue` says which of them are to be read now.
 */
export async function unfinished(
  journal: Pick<JournalStore, 'attempts'>,
  filter: AttemptFilter,
  now: Moment,
  limit = watchedMax,
): Promise<readonly AttemptRecord[]> {
  // All are asked at the same moment, so that a team's journal asks its server only once.
  const [madeByHand, ...found] = await Promise.all([
    journal.attempts({ ...filter, madeByHand: now }),
    journal.attempts({ ...filter, open: now }),
    journal.attempts({ ...filter, doubted: true }),
    ...watchedDue(journal, filter, now, limit),
  ]);
  const made = madeByHand.filter((record) => isDue(record, now));
  return [...new Map([...found.flat(), ...made].map((record) => [attemptKey(record.sent), record])).values()];
}

// While the clocks disagree no row tells whether it is due. Nor does one that a wrong clock wrote, if its time is still to come.
function watchedDue(
  journal: Pick<JournalStore, 'attempts'>,
  filter: AttemptFilter,
  { time, skewed }: Moment,
  limit: number,
): readonly Promise<readonly AttemptRecord[]>[] {
  const atAnyTime = { dueBy: Number.MAX_SAFE_INTEGER, limit };
  if (skewed) return [journal.attempts({ ...filter, watched: atAnyTime })];
  const since = Math.max(filter.since ?? 0, time + tolerableSkewMs);
  return [
    journal.attempts({ ...filter, watched: { dueBy: time, limit } }),
    journal.attempts({ ...filter, since, watched: atAnyTime }),
  ];
}
