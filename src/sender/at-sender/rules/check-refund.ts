/** Finds what all rules of a sender use: the account, its limits, the requests, and what they say about a refund. */

import type { AmountStyle } from '../../../amounts.ts';
import { mayGoBackToo } from '../../../api/charges.ts';
import { dayMs } from '../../../api/spec.ts';
import { lettersIn } from '../../../changes/changes.ts';
import { refused } from '../../../errors.ts';
import {
  type ApprovalRequest,
  type ApprovalRow,
  type AskedPlanRow,
  type AskedRefund,
  type AttemptRecord,
  accountLimits,
  countedAmount,
  type DecidedRow,
  isSameOrigin,
  type JournalStore,
  type LimitFinding,
  limitPrefix,
  type Moment,
  pagesOf,
  type SentRow,
  type TeamLimit,
  teamLimitNames,
  textsOf,
} from '../../../journal/journal.ts';
import { modeOfAccount, usualNoteLength } from '../../../profiles/profiles.ts';
import type { Role } from '../../wire.ts';
import type { Asker, SenderAccount } from '../routes.ts';
import { listedMs, requestsIn } from './approval-requests.ts';
import { findingFor, limitsFor, limitsIn, limitWindowMs } from './team-limits.ts';

export interface RulesParts {
  /** Takes the rows of limits and requests. */
  readonly store: Pick<JournalStore, 'append' | 'alone'>;
  /** Answers questions. Not the store of a change, which counts everything that it was asked about as seen. */
  readonly asking: Asking;
  /** The journal's time. The `Date` of the service's last reply counts as a clock too. */
  readonly now: (service?: Service) => Promise<Moment>;
  readonly isMember: (name: string, account: string) => Promise<boolean>;
  /** Somebody's role now; undefined if the token no longer works. */
  readonly roleNow: (asker: RuledAsker) => Promise<Role | undefined>;
}

type Asking = Pick<JournalStore, 'attempts' | 'list' | 'settings' | 'refunded' | 'approvals'>;

interface Service extends Pick<SenderAccount['service'], 'seenDate'> {
  readonly profile: Pick<SenderAccount['service']['profile'], 'name' | 'origin' | 'account'> & {
    readonly settings: AmountStyle;
  };
}
/** Who asks: a member at a desk, or the person who runs the sender, as a lead. */
export type RuledAsker = Pick<Asker, 'member' | 'role'> & Partial<Pick<Asker, 'desk' | 'token'>>;
export interface RuledAccount {
  readonly service: Service;
}

export type LimitedAccount = Pick<Service['profile'], 'name' | 'account'>;

export interface Run extends RulesParts {
  readonly asker: RuledAsker;
  readonly account: RuledAccount;
  /** The ids of requests for plans whose rows may all have been sent. */
  readonly used: Set<string>;
}

/**
 * The moment, for counting what went back in the last 24 hours: that needs clocks that agree. Throws CliError 'refused' if they do
 * not.
 */
export async function momentFor({
  now,
  account,
}: Pick<Run, 'now'> & { readonly account?: RuledAccount }): Promise<Moment> {
  const moment = await now(account?.service);
  refuseSkewed(moment.skewed);
  return moment;
}

/** Throws CliError 'refused' while the clocks of sender and service disagree. */
export function refuseSkewed(skewed: boolean | undefined): void {
  if (skewed !== true) return;
  throw refused('the clocks of the sender and of the service disagree, so no limit can be checked', [
    'let whoever runs the sender look at its clock, then run the command again',
  ]);
}

/** Whether something belongs to the account, in either mode. */
export function isOf(
  { origin, account }: Pick<SentRow, 'origin' | 'account'>,
  { service }: RuledAccount,
): boolean {
  return account === service.profile.account || isSameOrigin(origin, service.profile.origin);
}

/**
 * Whether it has the account's mode. A sandbox may share production's address, and a token for one does not decide about the
 * other.
 */
export function isOfMode({ account }: Pick<SentRow, 'account'>, { service }: RuledAccount): boolean {
  return modeOfAccount(account) === modeOfAccount(service.profile.account);
}

/** The same request, with the account of the token, whatever the desk wrote. */
export function ofAccount<What extends Pick<SentRow, 'origin' | 'account' | 'profile'>>(
  what: What,
  { account }: Run,
): What {
  const { origin, account: line, name } = account.service.profile;
  return { ...what, origin, account: line, profile: name };
}

export async function limitsSet(asking: Asking, { account }: LimitedAccount): Promise<readonly TeamLimit[]> {
  const rows = await Promise.all(teamLimitNames.map((name) => asking.settings(name)));
  return limitsIn(
    rows
      .flat()
      .filter((row) => row.type === 'limit')
      .filter((row) => row.account === account),
  );
}

/** The requests made since a time, as of a time. Only approved ones can be used. */
export async function requestsSince(
  { asking }: Pick<Run, 'asking'>,
  since: number,
  now: number,
): Promise<readonly ApprovalRequest[]> {
  const rows = (await asking.approvals({ since })) satisfies readonly ApprovalRow[];
  const requests = requestsIn(rows, [], now);
  const orderIds = new Set(
    requests.flatMap(({ decided, asked }) =>
      decided?.step === 'approved' && 'proof' in asked ? (asked.proof.orderId ?? []) : [],
    ),
  );
  const users = orderIds.size === 0 ? [] : await asking.attempts({ orderIds });
  return requestsIn(rows, users, now).filter(({ asked }) => asked.time >= since);
}

/**
 * The same requests, with what became of the rows of approved plans. Only for whoever looks at requests or answers them, since it
 * reads all that was sent while they were approved. `used`: see `Run`; a request in it stays there, and new ones are added.
 */
export async function withRowsLeft(
  { asking, used }: Pick<Run, 'asking' | 'used'>,
  requests: readonly ApprovalRequest[],
): Promise<readonly ApprovalRequest[]> {
  return await Promise.all(
    requests.map(async (request) => {
      const { id, asked, decided } = request;
      if (decided?.step !== 'approved' || !('planned' in asked)) return request;
      const rowsLeft = used.has(id) ? 0 : asked.planned.rows - (await rowsSent(asking, asked, decided));
      if (rowsLeft > 0) return request.state === 'approved' ? { ...request, rowsLeft } : request;
      used.add(id);
      return { ...request, state: 'used', rowsLeft: 0 } as const;
    }),
  );
}

// How many rows of a plan may have been sent. A change that certainly was not sent has not used its approval.
async function rowsSent(
  asking: Asking,
  { planned, time }: AskedPlanRow,
  { until }: DecidedRow,
): Promise<number> {
  const rows = new Set<string>();
  // The clock of the desk that made the plan may be wrong.
  const since = Math.max(time - listedMs, Math.min(planned.madeAt, time));
  for await (const page of pagesOf(asking, { kind: 'refund', since, until: until ?? undefined }))
    for (const { sent, verdicts } of page)
      if (sent.plan === planned.id && verdicts.at(-1)?.verdict !== 'not_sent')
        rows.add(sent.idempotencyKey ?? sent.change);
  return rows.size;
}

/** The attempts on an order; none without one. */
export async function onOrderOf(
  asking: Asking,
  orderId: string | undefined,
): Promise<readonly AttemptRecord[]> {
  return orderId === undefined ? [] : await asking.attempts({ orderId });
}

// `before` is from the final read; `seen` is what the person who asked saw before that.
type Asked = Pick<
  AskedRefund,
  'origin' | 'account' | 'request' | 'amount' | 'currency' | 'reason' | 'note' | 'seen'
> & {
  readonly proof: AskedRefund['proof'] & {
    readonly before?: Pick<NonNullable<AskedRefund['seen']>, 'createdAt'> & {
      readonly charges?: readonly {
        readonly status?: string | undefined;
        readonly amount?: number | undefined;
      }[];
    };
  };
};
/** What the limits say about a refund; undefined if none applies to this member. A proposer always needs somebody else. */
export async function findingOf(
  { asking, asker, account }: Run,
  refund: Asked,
  { time, skewed }: Pick<SentRow, 'time' | 'skewed'> | Moment,
): Promise<LimitFinding | undefined> {
  const amount = amountOf(refund);
  const isProposer = asker.role === 'proposer';
  const held = limitsFor(await limitsSet(asking, account.service.profile), asker.member);
  if (held.length === 0 && !isProposer) return undefined;
  refuseSkewed(skewed);
  const { orderId, livemode } = refund.proof;
  const currency = (refund.currency ?? '').toUpperCase();
  const since = time - limitWindowMs + 1;
  const onOrder = orderId === undefined ? [] : await asking.attempts({ orderId });
  const ofOrderSince = async (from: number) =>
    onOrder
      .filter(({ sent }) => isOf(sent, account) && sent.proof.livemode === livemode && sent.time >= from)
      .reduce((sum, record) => sum + countedAmount(record), 0);
  const ofOrder = await ofOrderSince(since);
  const { origin } = account.service.profile;
  const ofMemberSince = (from: number) =>
    asking.refunded({ origin, operator: asker.member, currency, livemode, since: from });
  const ofMember = await ofMemberSince(since);
  const { reason, note, proof, seen } = refund;
  const { createdAt, charges = [] } = proof.before ?? seen ?? {};
  const isWhole = refund.request.body?.charge_id === undefined;
  const besides = isWhole ? charges.filter(mayGoBackToo).reduce((sum, one) => sum + (one.amount ?? 0), 0) : 0;
  const ageDays = createdAt === undefined ? undefined : (time - createdAt * 1000) / dayMs;
  const saysNote = held.some(({ name }) => name === 'note') && (await saysEnough(note, asking, account));
  const finding = findingFor(held, {
    amount,
    besides,
    currency,
    ofOrder,
    ofMember,
    reason,
    saysNote,
    ageDays,
  });
  if (finding.problem === 'max') return { ...finding, roomAt: await roomFor(finding, time, ofOrderSince) };
  if (finding.problem === 'day') return { ...finding, roomAt: await roomFor(finding, time, ofMemberSince) };
  if (!isProposer || finding.problem !== undefined || finding.needsSecond) return finding;
  return { ...finding, limit: undefined, needsSecond: true };
}

// When the limit next has room for a refund, if nothing more goes back: see `LimitFinding`. A window that begins later holds less.
async function roomFor(
  { amount: own, besides = 0, limit }: LimitFinding,
  time: number,
  backSince: (from: number) => Promise<number>,
): Promise<number | null> {
  const amount = own + besides;
  const most = limit === undefined || limit.value === 'none' ? 0 : limit.value;
  if (amount > most) return null;
  let [full, free] = [time - limitWindowMs + 1, time + 1];
  while (full < free) {
    const between = Math.floor((full + free) / 2);
    if ((await backSince(between)) + amount <= most) free = between;
    else full = between + 1;
  }
  return Math.ceil((free + limitWindowMs - 1) / 1000);
}

async function saysEnough(
  note: string | undefined,
  asking: Asking,
  { service }: RuledAccount,
): Promise<boolean> {
  const { origin, account } = service.profile;
  const of = { origin, livemode: modeOfAccount(account) === 'production' };
  const limits = textsOf(accountLimits(await asking.settings(limitPrefix), of));
  return lettersIn(note) >= Number(limits['refund.note_length'] ?? usualNoteLength);
}

// The amount of a refund. Throws CliError if request, row and proof disagree, or if it would take money.
function amountOf({ request, proof, amount: said }: Asked): number {
  const { expected } = proof;
  const amount = -expected.reduce((sum, one) => sum + one.amount, 0);
  if (amount <= 0 || expected.some((one) => one.amount >= 0))
    throw refused('this request takes money instead of paying it back');
  const inBody = request.body?.amount ?? amount;
  if (inBody !== amount || (said ?? amount) !== amount)
    throw refused('the request, its row and its proof name different amounts');
  return amount;
}
