/**
 * Refuses a change before its preview and its questions, when the journal or its final read would refuse it anyway; and a plan
 * that another run applies.
 */

import { valueAt } from '../api/json-values.ts';
import { CliError, refused } from '../errors.ts';
import type { Held, LockOwner, Locks } from '../locks/locks.ts';
import { isDue, isOpen, isUnsettled, mayAppear, verdictOf } from './attempt-state.ts';
import { decide, paidTwice, type Refusal, usedUp } from './guards.ts';
import type { Journal, Resolve } from './journal.ts';
import { preImage } from './judge-read.ts';
import { appearedOn, appearedRuling, sentAs, unshownRefunds } from './questions/by-hand.ts';
import { duplicateNow } from './questions/unconfirmed.ts';
import { oldRead, unshownRefund } from './read-guards.ts';
import type { AttemptRecord, Moment, VerdictRow } from './rows/journal-rows.ts';
import type { JournalStore } from './rows/journal-store.ts';
import { attemptsOf, marksOfService } from './same-account.ts';
import { rulingOf, verdictRow } from './verdict.ts';
import { refusalError } from './words/refusal-error.ts';

interface RefuseParts {
  readonly store: JournalStore;
  readonly shortTime: (ms: number) => string;
  readonly dryRun: boolean;
  readonly now: () => Promise<Moment>;
  /** The attempt after its order was read again; undefined when it cannot be read now. */
  readonly readAgain: (record: AttemptRecord) => Promise<AttemptRecord | undefined>;
}

/**
 * Reads an order again for its unconfirmed changes that are due, and refuses if a change is still unconfirmed. Returns those that
 * ended.
 */
export async function refuseOpen(
  { store, now, readAgain, shortTime, dryRun }: RefuseParts,
  { service, kind, orderId, again }: Parameters<Journal['refuseOpen']>[0],
): Promise<readonly AttemptRecord[]> {
  const closed: AttemptRecord[] = [];
  // Before the preview: nobody should decide on a change that the journal refuses anyway.
  if (!dryRun) await store.ready();
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, orderId).catch(() => []);
  const shown = { shortTime, amounts: service.profile.settings };
  const refuse = (refusal: Refusal | undefined) => {
    if (refusal !== undefined) throw refusalError(refusal, orderId, shown);
  };
  refuse(usedUp(again, own));
  for (const record of own.filter(isUnsettled)) {
    if (!isOpen(record, await now())) continue;
    // What a dry run reads is not recorded, so the order stays blocked.
    const after = !dryRun && isDue(record, await now()) ? await readAgain(record) : record;
    if (after === undefined) continue;
    if (isOpen(after, await now())) refuse({ why: 'open', attempt: after, account: marksOfService(service) });
    closed.push(after);
  }
  // The change itself tells what these reads have just found, with both refunds (exit 7).
  refuse(paidTwice({ kind, orderId }, own));
  return closed;
}

/** Before the preview: nobody should decide on a change that the final read stops anyway. */
export async function refuseDuplicate(
  { store, now, resolve, shortTime, dryRun }: Omit<RefuseParts, 'readAgain'> & { readonly resolve: Resolve },
  { service, orderId, order }: Parameters<Journal['refuseDuplicate']>[0],
): Promise<void> {
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, orderId).catch(() => []);
  const shown = { shortTime, amounts: service.profile.settings };
  for (const attempt of own) {
    const twice = duplicateNow(attempt, own, order);
    const late = appearedOn(attempt, own, order);
    const ruling = twice ? rulingOf(twice) : late && appearedRuling(late);
    if (ruling === undefined) continue;
    const verdict = dryRun
      ? verdictRow(attempt.sent, await now(), ruling)
      : await readForVerdict(resolve, attempt);
    if (verdict === undefined) continue;
    const again = late && sentAs(attempt, late);
    throw refusalError({ why: 'appeared', attempt, verdict, sentAs: again }, orderId, shown);
  }
}

// The verdict after the read under the lock, if it is news: the alarm of a duplicate, or that a refund which counted as not made
// has appeared. Undefined if it is neither.
async function readForVerdict(resolve: Resolve, attempt: AttemptRecord): Promise<VerdictRow | undefined> {
  const { record } = await resolve(attempt);
  const verdict = verdictOf(record);
  const isNews = mayAppear(attempt) ? !mayAppear(record) : verdict?.alarm === 'duplicate';
  return isNews ? verdict : undefined;
}

/** Before the last questions: nobody should write a note for a refund that the journal refuses anyway. */
export async function refusePlanned(
  { store, now, shortTime }: Omit<RefuseParts, 'readAgain'>,
  { service, change, order }: Parameters<Journal['refusePlanned']>[0],
): Promise<void> {
  // If the journal cannot be read now, the change itself says so.
  const own = await attemptsOf(store, service, change.orderId).catch(() => []);
  const { settings: amounts, name: profile } = service.profile;
  const { currency, request, note } = change;
  const shown = { shortTime, amounts, currency, profile, asked: { body: request.body, note } };
  const asked = { ...change, kind: 'refund', change: '', account: marksOfService(service) } as const;
  const decision = decide(asked, own, await now());
  // Another run may be sending just now. The change itself waits for the lock, and then says which run it is.
  if (decision.go === 'refuse' && decision.refusal.why === 'open') return;
  const refused = decision.go === 'refuse' ? decision.refusal : undefined;
  const unshown = refused === undefined ? unshownRefund(asked, unshownRefunds(own, order), own) : undefined;
  // Another run may have refunded it since it was read. An order that changed after a refund is not a copy from before that
  // refund.
  const changedAt = Number(valueAt(order, ['updated_at'])) * 1000;
  const earlier = own.filter(({ sent }) => sent.time < changedAt);
  const image = preImage('refund', order);
  const old =
    'before' in image
      ? oldRead({ orderId: change.orderId, livemode: valueAt(order, ['livemode']) }, image.before, earlier)
      : undefined;
  // The old copy comes first, as at the final read: the way out of one refusal must not end at the other.
  const refusal = refused ?? (old === undefined ? unshown : ({ why: 'unprovable', problem: old } as const));
  if (refusal !== undefined) throw refusalError(refusal, change.orderId, shown);
}

// ── Plans ──────────────────────────────────────────────────────────────────────────────────────────

interface PlanParts {
  readonly locks: Locks;
  readonly signal: AbortSignal;
  readonly shortTime: (ms: number) => string;
}

/**
 * Takes a plan for this run, with a lock that it shares with nothing else (`alone`), since a batch holds it for long. Throws
 * CliError 'refused' while another run applies it.
 */
export async function claimPlan(
  { locks, signal, shortTime }: PlanParts,
  { id }: { readonly id: string },
): Promise<Pick<Held, 'release'>> {
  const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
  if (taken.held) return taken;
  const { owner } = taken;
  throw refused(
    `another run is applying plan ${id}${owner === undefined ? '' : `: ${ownerWords(owner, shortTime)}`}`,
    ['wait until it has ended, then run the command again'],
    { ownCode: 'plan_busy', certain: 'nothing was sent by this run' },
  );
}

function planLock(id: string): string {
  return `plan ${id}`;
}

function ownerWords({ operator, since }: LockOwner, shortTime: PlanParts['shortTime']): string {
  return `${operator}, since ${shortTime(since)}`;
}

/**
 * Who is applying a plan now; undefined if nobody is. If the locks do not work, that stops the run that sends, but not one that
 * only looks.
 */
export async function applying(
  { locks, signal, shortTime }: PlanParts,
  { id }: { readonly id: string },
): Promise<string | undefined> {
  try {
    const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
    if (!taken.held) return taken.owner === undefined ? 'by another run' : ownerWords(taken.owner, shortTime);
    await taken.release();
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || signal.aborted === true) throw error;
    return undefined;
  }
}
