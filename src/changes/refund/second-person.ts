/** What the limits of a team say to a refund before a person says yes, and how somebody else is asked to approve it. */

import type { AmountStyle } from '../../amounts.ts';
import type { OrderMoney } from '../../api/charges.ts';
import { livemodeOf } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalRequest,
  type AskedRefund,
  type Intent,
  type LimitFinding,
  LimitRefusal,
  secondWords,
} from '../../journal/journal.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
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
  return `${secondWords(finding.limit, style)}: your yes asks for the approval, and sends nothing`;
}

/**
 * A line about each other request of the same order that is not over: together they may pay back more than anybody wants.
 * `but`: the request that is looked at.
 */
export async function otherRequests(
  ctx: Context,
  { origin, orderId }: { readonly origin: string; readonly orderId: string },
  but?: string,
): Promise<readonly string[]> {
  const isOther = ({ id, state, asked: { origin: of, ...asked } }: ApprovalRequest) =>
    id !== but &&
    ['asked', 'approved'].includes(state) &&
    of === origin &&
    'request' in asked &&
    asked.proof.orderId === orderId;
  const others = ((await (await ctx.journal.rules())?.approvals()) ?? []).filter(isOther);
  return others.map((request) => {
    const title = requestTitle(request, ctx.profiles.amountStyle(request.asked.profile));
    return `besides: ${title}, asked for by ${request.asked.operator}: ${request.id} ${stateWords(ctx, request)}`;
  });
}

/** Asks somebody else of the team to approve a refund. Always throws CliError 'refused', which names the request. */
export async function askForApproval(ctx: Context, profile: Profile, refund: AskedRefund): Promise<never> {
  const send = (id: string) => commandLine(profile, 'orders', 'refund', '--approved', id);
  throw await asked(ctx, profile, refund, send);
}

/** Asks for an approval, and returns the error that says so. `send`: the command that comes after the approval. */
export async function asked(
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
  const parts = { opening: 'not sent:', certain: 'nothing was sent', approval, profile: profile.name };
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
      now: [
        'somebody else of the team looks at it and approves it:',
        `paydesk approvals approve ${approval}`,
        'then it can be sent:',
        send(approval),
      ],
    },
  );
}

/** A request by its id. Throws CliError 'not_found' if the team has none of that name, and 'refused' without a team. */
export async function findRequest(ctx: Context, id: string): Promise<ApprovalRequest> {
  const found = (await requestsOf(ctx)).find((request) => request.id === id);
  if (found !== undefined) return found;
  throw new CliError('not_found', `the journal of the team has no request ${id}`, {
    certain: 'nothing was sent',
    now: ['paydesk approvals list'],
    approval: id,
  });
}

/** The requests of the team, oldest first. Throws CliError 'refused' if the account has no team. */
export async function requestsOf(ctx: Context): Promise<readonly ApprovalRequest[]> {
  const rules = await ctx.journal.rules();
  if (rules !== undefined) return await rules.approvals();
  throw new CliError('refused', 'this account has no team, so nobody approves anything here', {
    certain: 'nothing was sent',
    now: ['paydesk team join --from FILE', 'or name a profile of an account with a team: -p NAME'],
  });
}
