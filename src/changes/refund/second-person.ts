/** Checks a refund against the limits of the team before a person says yes, and asks for the approval of a second person. */

import type { AmountStyle } from '../../amounts.ts';
import type { OrderMoney } from '../../api/charges.ts';
import { livemodeOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalRequest,
  type AskedRefund,
  type LimitFinding,
  LimitRefusal,
  secondWords,
  type TeamLimit,
  wentBackWords,
} from '../../journal/journal.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { DecidedRefund } from './decide-refund.ts';
import { findRequest, isOfRefund, requestTitle, stateWords } from './request-record.ts';

/**
 * A refund in the form in which the team compares it: what is sent must be just what was approved. Its `again` has the refunds of
 * twins too.
 */
export function askedRefund(
  profile: Profile,
  { change, money }: Pick<DecidedRefund, 'change' | 'money'>,
): AskedRefund {
  const { kind, orderId, request, expected, tolerated, amount, currency, reason, note, twins = [] } = change;
  const again = [...change.again, ...twins];
  const { origin, account, name, mode } = profile;
  const livemode = livemodeOf[mode];
  const { body } = request;
  const proof = { kind, orderId, livemode, body, expected, tolerated };
  const about = { amount, currency, reason, note, ...(again.length === 0 ? {} : { again }) };
  return { origin, account, profile: name, request, proof, ...about, seen: seenOf(money) };
}

function seenOf(order: OrderMoney): AskedRefund['seen'] {
  const { status, amount, amountRefunded: refunded, createdAt, charges } = order;
  const money = charges.map(({ id, ...charge }) => ({
    id,
    status: charge.status,
    amount: charge.amount,
    refunded: charge.refunded,
  }));
  return { status, amount, refunded, createdAt, charges: money };
}

/**
 * Throws CliError 'refused' when a limit of the team forbids a refund; `later`: problems that are not refused yet, such as a
 * reason or a note that may still be asked for. Undefined if the team has no limits, or if there is no team.
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

/** The line of the preview if a yes only asks for the approval; undefined if nobody else is needed. */
export function secondLine(finding: LimitFinding | undefined, style: AmountStyle): string | undefined {
  if (finding?.needsSecond !== true) return undefined;
  if (finding.limit === undefined)
    return 'you propose, and somebody else must approve and send it: your yes asks for that, and sends nothing';
  return `${yesAsks(finding.limit, style)}${wentBackWords(finding, style)}`;
}

export function yesAsks(limit: TeamLimit, style: AmountStyle): string {
  return `${secondWords(limit, style)}: your yes asks for the approval, and sends nothing`;
}

/**
 * A line about each other request of the same order that is not over: together they may pay back more than anybody wants.
 * `but`: the request that is looked at, which is left out.
 */
export async function otherRequests(
  ctx: Context,
  { account, profile, proof }: Pick<AskedRefund, 'account' | 'profile' | 'proof'>,
  but?: string,
): Promise<readonly string[]> {
  const others = ((await (await ctx.journal.rules())?.approvals()) ?? []).filter(
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
  const { requestId: approval } = await rules.ask(id, what);
  const earlier = approval === id ? undefined : await findRequest(ctx, approval);
  const by = earlier?.decided?.operator;
  const approve = commandLine(profile, 'approvals', 'approve', approval);
  const parts = {
    opening: 'not sent:',
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

/** The error for a person who asks for an approval that somebody else has already asked for. */
export function askedByOther(profile: Profile, { id, asked }: ApprovalRequest, send: string): CliError {
  return new CliError('refused', `asked for approval already by ${asked.operator}: ${id}`, {
    opening: 'not sent:',
    approval: id,
    profile: profile.name,
    ownCode: 'approval_asked',
    now: [
      `somebody other than ${asked.operator} looks at it and approves it, you for example:`,
      commandLine(profile, 'approvals', 'approve', id),
      'then it can be sent:',
      send,
    ],
  });
}

/** Who else of the team has the order of a refund open, in words, for the person who is about to be asked. Nothing stops a refund here. */
export async function othersAtOrder(ctx: Context, orderId: string): Promise<readonly string[]> {
  if (!ctx.ask.interactive || ctx.options.yes || ctx.options.dryRun) return [];
  try {
    const others = (await (await ctx.journal.rules())?.opened(orderId)) ?? [];
    return others.map(({ member, since }) => `${member} has this order open since ${ctx.shortTime(since)}`);
  } catch (error) {
    if (error instanceof CliError && !ctx.signal.aborted) return [];
    throw error;
  }
}
