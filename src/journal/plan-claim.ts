/** Who applies a plan: one run of this machine at a time, or several desks of a team. */

import { counted } from '../counted.ts';
import { CliError } from '../errors.ts';
import type { LockOwner, Locks } from '../locks/locks.ts';
import type { PlanClaim } from './journal.ts';
import type { JournalStore } from './journal-store.ts';
import { silentFromMs } from './team-rules.ts';

interface PlanParts {
  readonly store: JournalStore;
  readonly locks: Locks;
  readonly signal: AbortSignal;
  readonly shortTime: (ms: number) => string;
}

/**
 * Takes a plan for this run. On one machine that is a lock, of its own kind since a batch holds it for long. The desks of a team
 * claim its rows one by one. Throws CliError 'refused' while another run of this machine applies it.
 */
export async function claimPlan(
  { store, locks, signal, shortTime }: PlanParts,
  { id, digest }: { readonly id: string; readonly digest: string },
  text: () => Promise<string>,
): Promise<PlanClaim> {
  const rules = await store.rules?.();
  if (rules !== undefined) {
    const shared = await rules.plan(digest, text);
    // If the server does not hear it, it waits until the time of this run has run out.
    return { shared, release: () => shared.leave().catch(() => undefined) };
  }
  const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
  if (taken.held) return { shared: undefined, release: () => taken.release() };
  const { owner } = taken;
  throw new CliError(
    'refused',
    `another run is applying plan ${id}${owner === undefined ? '' : `: ${ownerWords(owner, shortTime)}`}`,
    {
      certain: 'nothing was sent by this run',
      now: ['wait until it has ended, then run the command again'],
    },
  );
}

function planLock(id: string): string {
  return `plan ${id}`;
}

function ownerWords({ operator, since }: LockOwner, shortTime: PlanParts['shortTime']): string {
  return `${operator}, since ${shortTime(since)}`;
}

/**
 * Who is applying a plan now; undefined if nobody is. Whoever only looks is not stopped by locks that do not work, or by a server
 * that is away: the run that sends is.
 */
export async function applying(
  { store, locks, signal, shortTime }: PlanParts,
  { id, digest }: { readonly id: string; readonly digest: string },
): Promise<string | undefined> {
  try {
    const rules = await store.rules?.();
    if (rules !== undefined) {
      const { working } = await rules.planProgress(digest);
      const members = working.map(({ member, orders, silentMs }) => {
        const silent = silentMs < silentFromMs ? '' : `, silent ${Math.floor(silentMs / 1000)} s`;
        return `${member} at ${counted(orders, 'order')}${silent}`;
      });
      return members.join(', ') || undefined;
    }
    const taken = await locks.take(planLock(id), { waitMs: 0, signal, alone: true });
    if (!taken.held) return taken.owner === undefined ? 'by another run' : ownerWords(taken.owner, shortTime);
    await taken.release();
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || signal.aborted === true) throw error;
    return undefined;
  }
}
