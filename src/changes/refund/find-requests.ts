/** Finds the requests for a second person: one by its id, those that wait, and the one of a plan. */

import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import type { ApprovalRequest, TeamRules } from '../../journal/journal.ts';
import { modeOfAccount } from '../../profiles/profiles.ts';

/**
 * A request by its id; the run then uses a profile of its account. Throws CliError 'not_found' if the account of this run has none of
 * that name, and 'refused' without a team.
 */
export async function findRequest(ctx: Context, id: string): Promise<ApprovalRequest> {
  const rules = await rulesOf(ctx);
  const known = (await rules.approvals()).find((request) => request.id === id);
  if (known !== undefined) {
    await ctx.useProfileOf(known.asked);
    return known;
  }
  throw new CliError('not_found', `the journal of the team has no request ${id}`, {
    now: ['paydesk approvals list'],
    approval: id,
  });
}

/**
 * The requests of an account that wait for an answer or to be sent, and fit. None without a team, or if its journal cannot be
 * read.
 */
export async function pendingRequests(
  ctx: Context,
  fits: (request: ApprovalRequest) => boolean = () => true,
): Promise<readonly ApprovalRequest[]> {
  try {
    const rules = await ctx.journal.rules();
    if (rules === undefined) return [];
    return (await rules.approvals()).filter((one) => isPending(one) && fits(one));
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** Whether a request waits for an answer, or to be sent. */
export function isPending({ state }: ApprovalRequest): boolean {
  return state === 'asked' || state === 'approved';
}

/** The account of a request: `production, profile live`. */
export function accountWords({ account, profile }: Pick<ApprovalRequest['asked'], 'account' | 'profile'>) {
  return `${modeOfAccount(account) ?? 'simulator'}, profile ${profile}`;
}

/** The requests of the account, oldest first. Throws CliError 'refused' if the account has no team. */
export async function requestsOf(ctx: Context): Promise<readonly ApprovalRequest[]> {
  return await (await rulesOf(ctx)).approvals();
}

/** The rules of the team. Throws CliError 'refused' if the account has no team. */
export async function rulesOf(ctx: Context): Promise<TeamRules> {
  const rules = await ctx.journal.rules();
  if (rules !== undefined) return rules;
  // Without a profile there is no account, so that is what is missing.
  await ctx.profiles.open();
  throw new CliError('refused', 'this account has no team, so nobody approves anything here', {
    now: ['name a profile of an account with a team: -p NAME'],
  });
}

/** The open request of somebody for the approval of a plan; undefined if nobody has asked, or without a team. */
export async function requestOfPlan(ctx: Context, digest: string): Promise<ApprovalRequest | undefined> {
  const requests = (await (await ctx.journal.rules())?.approvals()) ?? [];
  return requests.find(
    ({ state, asked }) => state === 'asked' && 'planned' in asked && asked.digest === digest,
  );
}
