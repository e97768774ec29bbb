/** Finds the requests for a second person: one by its id, those that wait, and the one of a plan. */

import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import { type ApprovalRequest, isSameOrigin, type TeamRules } from '../../journal/journal.ts';
import { commandLine, modeOfAccount, type Profile, profileNamed } from '../../profiles/profiles.ts';

/**
 * A request by its id; the run then uses a profile of its account. Throws CliError 'not_found' if the team has none of that name,
 * and 'refused' without a team, or if the named profile is of another account. `verb`: of the command, as `approve`.
 */
export async function findRequest(
  ctx: Context,
  id: string,
  ...verb: readonly string[]
): Promise<ApprovalRequest> {
  const rules = await rulesOf(ctx);
  const known = (await rules.approvals()).find((request) => request.id === id);
  if (known !== undefined) {
    await useAccountOf(ctx, known, verb);
    return known;
  }
  throw new CliError('not_found', `the journal of the team has no request ${id}`, {
    now: ['paydesk approvals list'],
    approval: id,
  });
}

/** Whether a request is about the account of a profile, whatever the profile of whoever asked is called. */
export function isOfAccount({ asked }: ApprovalRequest, { account, origin, mode }: Profile): boolean {
  if (asked.account === account) return true;
  return isSameOrigin(asked.origin, origin) && modeOfAccount(asked.account) === mode;
}

// Nobody may approve a refund of one account on what an order of another account shows.
async function useAccountOf(ctx: Context, request: ApprovalRequest, verb: readonly string[]): Promise<void> {
  const { id, asked } = request;
  await ctx.useProfileOf(asked);
  const { profile } = await ctx.profiles.open();
  if (ctx.options.profile === undefined || isOfAccount(request, profile)) return;
  const names = await ctx.profiles.reaching(asked.account);
  const name = names.includes(asked.profile) ? asked.profile : names[0];
  throw new CliError(
    'refused',
    `${id} is about another account: ${accountWords(asked)}, not that of profile ${profile.name}`,
    {
      certain: 'nothing was read, approved or sent',
      now:
        name === undefined
          ? ['no profile here reaches that account: paydesk profile add NAME']
          : ['take the profile of that account:', commandLine(profileNamed(name), 'approvals', ...verb, id)],
      approval: id,
    },
  );
}

/**
 * The requests of an account that wait for an answer or to be sent, and fit. None without a team, or if its journal cannot be
 * read.
 */
export async function pendingRequests(
  ctx: Context,
  profile: Profile,
  fits: (request: ApprovalRequest) => boolean = () => true,
): Promise<readonly ApprovalRequest[]> {
  try {
    const rules = await ctx.journal.rules();
    if (rules === undefined) return [];
    return (await rules.approvals()).filter(
      (one) => isPending(one) && isOfAccount(one, profile) && fits(one),
    );
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

/** The requests of the team, oldest first. Throws CliError 'refused' if the account has no team. */
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
