/** Who applies a plan: one run at a time. */

import { CliError, refused } from '../errors.ts';
import type { Held, LockOwner, Locks } from '../locks/locks.ts';

interface PlanParts {
  readonly locks: Locks;
  readonly signal: AbortSignal;
  readonly shortTime: (ms: number) => string;
}

/**
 * Takes a plan for this run, with a lock of its own kind since a batch holds it for long. Throws CliError 'refused' while another
 * run applies it.
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
 * Who is applying a plan now; undefined if nobody is. Whoever only looks is not stopped by locks that do not work: the run that
 * sends is.
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
