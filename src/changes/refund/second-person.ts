/** What the limits of a team say to a refund before a person says yes, and how somebody else is asked to approve it. */

import { type AmountStyle, figureWords } from '../../amounts.ts';
import type { OrderMoney } from '../../api/charges.ts';
import { livemodeOf } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalRequest,
  type AskedRefund,
  type Intent,
  isSameOrigin,
  type LimitFinding,
  LimitRefusal,
  type OthersProgress,
  secondWords,
  type TeamLimit,
  type TeamRules,
} from '../../journal/journal.ts';
import { commandLine, modeOfAccount, type Profile, profileNamed } from '../../profiles/profiles.ts';
import { isOfRefund } from './approved-refund.ts';
import { requestTitle, stateWords } from './request-record.ts';

/** A refund in the form in which the team compares it: what is sent must be just what was approved. */
export function askedRefund(
  profile: Profile,
  {
    orderId,
    request,
    expected = [],
    tolerated = [],
    amount,
    currency,
    reason,
    note,
    again,
  }: Pick<
    Intent,
    'orderId' | 'request' | 'expected' | 'tolerated' | 'amount' | 'currency' | 'reason' | 'note' | 'again'
  >,
  money: OrderMoney,
): AskedRefund {
  const { origin, account, name, mode } = profile;
  const livemode = livemodeOf[mode];
  const { body } = request;
  const proof = { kind: 'refund', orderId, livemode, body, expected, tolerated } as const;
  const about = { amount, currency, reason, note, ...(again.length === 0 ? {} : { again }) };
  return { origin, account, profile: name, request, proof, ...about, seen: seenOf(money) };
}

function seenOf({ status, amount, amountRefunded: refunded, charges }: OrderMoney): AskedRefund['seen'] {
  const money = charges.map(({ id, ...charge }) => ({
    id,
    status: charge.status,
    amount: charge.amount,
    refunded: charge.refunded,
  }));
  return { status, amount, refunded, charges: money };
}

/**
 * Throws CliError 'refused' when a limit of the team forbids a refund; `later`: but for a reason and a note, which may still be
 * asked for. Undefined if the team has no limits, or if there is no team.
 */
export async function refuseOverLimits(
  ctx: Context,
  refund: AskedRefund,
  style: AmountStyle,
  later: readonly LimitFinding['problem'][] = [],
): Promise<LimitFinding | undefined> {
  const finding = await (await ctx.journal.rules())?.checkRefund(refund);
  if (finding?.problem !== undefined && !later.includes(finding.problem))
    throw new LimitRefusal(finding, style);
  return finding;
}

/** The line of the preview, where a yes only asks for the approval. Undefined if nobody else is needed. */
export function secondLine(finding: LimitFinding | undefined, style: AmountStyle): string | undefined {
  if (finding?.limit === undefined || !finding.needsSecond) return undefined;
  const { limit, ofOrder, currency } = finding;
  const earlier =
    ofOrder === 0
      ? ''
      : `; ${figureWords(ofOrder, currency, style)} of this order went back in the last 24 hours`;
  return `${yesAsks(limit, style)}${earlier}`;
}

/** What a yes does where a limit wants a second person. */
export function yesAsks(limit: TeamLimit, style: AmountStyle): string {
  return `${secondWords(limit, style)}: your yes asks for the approval, and sends nothing`;
}

/**
 * A line about each other request of the same order that is not over: together they may pay back more than anybody wants.
 * `but`: the request that is looked at.
 */
export async function otherRequests(
  ctx: Context,
  { account, profile, proof }: Pick<AskedRefund, 'account' | 'profile' | 'proof'>,
  but?: string,
): Promise<readonly string[]> {
  const others = (await (await rulesOf(ctx)).approvals()).filter(
    (one) =>
      isOfRefund(one) &&
      one.id !== but &&
      (one.state === 'asked' || one.state === 'approved') &&
      one.asked.proof.orderId === proof.orderId &&
      one.asked.account === account,
  );
  const style = ctx.profiles.amountStyle(profile);
  return others.map(
    (one) =>
      `${one.asked.operator} asked for ${requestTitle(one, style)} too: ${one.id} ${stateWords(ctx, one)}`,
  );
}

/** Asks somebody else of the team to approve a refund. Always throws CliError 'refused', which names the request. */
export async function askForApproval(ctx: Context, profile: Profile, refund: AskedRefund): Promise<never> {
  const send = (id: string) => commandLine(profile, 'orders', 'refund', '--approved', id);
  throw await requestApproval(ctx, profile, refund, send);
}

/** Asks for an approval, and returns the error that says so. `send`: the command that comes after the approval. */
export async function requestApproval(
  ctx: Context,
  profile: Profile,
  what: Parameters<NonNullable<Awaited<ReturnType<Context['journal']['rules']>>>['ask']>[1],
  send: (id: string) => string,
): Promise<CliError> {
  const rules = await ctx.journal.rules();
  if (rules === undefined) throw new Error('there is no team to ask');
  const id = `r_${crypto.randomUUID().replaceAll('-', '').slice(0, 8)}`;
  const { intent: approval } = await rules.ask(id, what);
  const earlier = approval === id ? undefined : await findRequest(ctx, approval);
  const by = earlier?.decided?.operator;
  const approve = commandLine(profile, 'approvals', 'approve', approval);
  const parts = {
    opening: 'not sent:',
    certain: 'nothing was sent',
    approval,
    profile: profile.name,
    ownCode: 'approval_asked',
  } as const;
  if (earlier?.state === 'approved')
    return new CliError('refused', `approved already by ${by ?? 'somebody else'}: ${approval}`, {
      ...parts,
      now: ['to send it:', send(approval)],
    });
  return new CliError(
    'refused',
    `asked for approval${earlier === undefined ? '' : ' already'}: ${approval}`,
    {
      ...parts,
      // Nobody approves a request of their own.
      forOthers: [approve],
      now: [
        ...noteKept(earlier, what),
        'somebody else of the team looks at it and approves it:',
        approve,
        'then it can be sent:',
        send(approval),
      ],
    },
  );
}

// The request that is there already is not changed.
function noteKept(earlier: ApprovalRequest | undefined, what: object): readonly string[] {
  const note = 'note' in what && typeof what.note === 'string' ? what.note : '';
  const kept = earlier?.asked.note ?? '';
  if (earlier === undefined || note === kept) return [];
  return [
    kept === ''
      ? `the note "${note}" is not added: the request was made without one`
      : `it keeps its note "${kept}": "${note}" is not added`,
  ];
}

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
    const found = await withProgress(rules, known);
    await useAccountOf(ctx, found, verb);
    return found;
  }
  throw new CliError('not_found', `the journal of the team has no request ${id}`, {
    certain: 'nothing was sent',
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
    const requests = (await rules.approvals()).filter(
      (one) => isPending(one) && isOfAccount(one, profile) && fits(one),
    );
    return (await Promise.all(requests.map((one) => withProgress(rules, one)))).filter(isPending);
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
  const rules = await rulesOf(ctx);
  const requests = await rules.approvals();
  return await Promise.all(requests.map((request) => withProgress(rules, request)));
}

async function rulesOf(ctx: Context): Promise<TeamRules> {
  const rules = await ctx.journal.rules();
  if (rules !== undefined) return rules;
  // Without a profile there is no account, so that is what is missing.
  await ctx.profiles.open();
  throw new CliError('refused', 'this account has no team, so nobody approves anything here', {
    certain: 'nothing was sent',
    now: ['paydesk team join --from FILE', 'or name a profile of an account with a team: -p NAME'],
  });
}

function noProgress(error: unknown): OthersProgress {
  if (error instanceof CliError) return { ended: [], working: [] };
  throw error;
}

// A plan is approved for all its rows, so the server never calls that approval used. Once every row was made or refused, it is,
// and nobody needs to answer another request of the same plan any more. A row that is unconfirmed may have to be sent again.
async function withProgress(rules: TeamRules, request: ApprovalRequest): Promise<ApprovalRequest> {
  if (!isPending(request) || !('planned' in request.asked)) return request;
  const { planned, claim } = request.asked;
  const { ended } = await rules.planProgress(claim.plan).catch(noProgress);
  const done = rowsOf(ended.filter(({ how }) => how === 'applied' || how === 'refused'));
  return done < planned.rows ? request : { ...request, state: 'used', usedBy: planned.id };
}

/** How many rows of a plan were sent, whatever became of them. */
export function rowsSent({ ended }: OthersProgress): number {
  return rowsOf(ended.filter(({ how }) => how !== 'not_sent'));
}

function rowsOf(ended: OthersProgress['ended']): number {
  return ended.reduce((sum, { rows }) => sum + rows, 0);
}

/** The open request of somebody for the approval of a plan; undefined if nobody has asked, or without a team. */
export async function requestOfPlan(ctx: Context, digest: string): Promise<ApprovalRequest | undefined> {
  const requests = (await (await ctx.journal.rules())?.approvals()) ?? [];
  return requests.find(
    ({ state, asked }) => state === 'asked' && 'planned' in asked && asked.claim.plan === digest,
  );
}

/** What somebody reads who wants to ask for an approval that somebody else has asked for. */
export function askedByOther(profile: Profile, { id, asked }: ApprovalRequest, send: string): CliError {
  return new CliError('refused', `asked for approval already by ${asked.operator}: ${id}`, {
    opening: 'not sent:',
    certain: 'nothing was sent',
    approval: id,
    profile: profile.name,
    ownCode: 'approval_asked',
    now: [
      `somebody else than ${asked.operator} looks at it and approves it, you for example:`,
      commandLine(profile, 'approvals', 'approve', id),
      'then it can be sent:',
      send,
    ],
  });
}
