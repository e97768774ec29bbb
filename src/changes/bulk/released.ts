/** What of a plan a person has released, for a run that a software agent started. */

import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import type { Released } from '../../journal/journal.ts';
import type { Plan } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { attemptsOfPlan, type Looked, reportPlan, sentNow } from './report-plan.ts';

/** Whether a plan is sent only if a person has released it. At a desk of a team a second person approves it instead. */
export function needsRelease({ agent, options }: Context, { mode, sender }: Profile): boolean {
  return agent !== undefined && mode === 'production' && sender === undefined && !options.dryRun;
}

/** Why a plan of a sandbox is sent without a release, and why the journal names none there. */
export const noneInSandbox =
  'this is a sandbox: an agent sends without a release there, and none is recorded';

/** The file of the release of a plan. */
export function releaseFile(path: string): string {
  return `${path}.release`;
}

const longest = 16 * 1024;

/**
 * Who released a plan; undefined if nobody needs to, or no row is left to send. Throws CliError 'refused' if nobody has, and for a release that was used before,
 * has expired, or is not one of this very plan by a key that is enrolled. Call it while this run has the plan.
 */
export async function releaseOf(
  ctx: Context,
  profile: Profile,
  plan: Plan,
  path: string,
  looked: Looked,
): Promise<Released | undefined> {
  if (!needsRelease(ctx, profile)) {
    if (ctx.agent !== undefined && profile.mode === 'sandbox') ctx.notes.note(noneInSandbox);
    return undefined;
  }
  if (sentNow(plan, await reportPlan(ctx, plan, looked)).length === 0) return undefined;
  const file = releaseFile(path);
  const now = [`a person releases it, at a terminal: ${commandLine(profile, 'release', path)}`];
  if (!(await ctx.plans.exists(file)))
    throw refused(
      `agent ${ctx.agent} started this run, and nobody has released ${path}`,
      now,
      'not_released',
    );
  const releases = await ctx.releases();
  const { time, wall, service } = await ctx.journal.now();
  const latest = Math.max(time, wall, service ?? 0);
  const released = await releases
    .check(await ctx.file(file, longest), plan.digest, latest)
    .catch(asRefused(now));
  for await (const { attempts } of attemptsOfPlan(ctx, plan))
    if (attempts.some(({ sent }) => sent.released?.id === released.id))
      throw refused(`the release of ${path} was used before: it is for one sending`, now, 'release_used');
  return releases.enrolled.weakness === undefined ? released : { ...released, isRail: true };
}

function asRefused(now: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    throw refused(error.message, [...now, ...(error.parts.now ?? [])], 'not_released');
  };
}
