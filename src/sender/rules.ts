/** The rules of a team at its sender: limits and approvals over the rows of the journal, checked right before a change is recorded. */

import type { AmountStyle } from '../amounts.ts';
import { CliError } from '../errors.ts';
import {
  type ApprovalRequest,
  type ApprovalRow,
  type AskedPlan,
  type AskedRefund,
  type AskedRow,
  type AttemptRecord,
  approvalMaxMs,
  approvalRefusal,
  countedAmount,
  isSameOrigin,
  type JournalStore,
  type LimitChanges,
  type LimitFinding,
  LimitRefusal,
  type LimitRow,
  type Moment,
  type PlanFinding,
  type PlannedRefunds,
  type SentRow,
  type TeamLimit,
  type TeamRules,
  teamLimitNames,
} from '../journal/journal.ts';
import { modeOfAccount } from '../profiles/profiles.ts';
import {
  approvalProblem,
  isPending,
  isSameRefund,
  listedMs,
  requestsIn,
  waitsMs,
} from './approval-requests.ts';
import { type ApprovablePlan, approvalOf, checkPlan } from './plan-limits.ts';
import { type Asker, needRoleOf, type SenderAccount } from './routes.ts';
import { findingFor, limitsFor, limitsIn, limitText, limitWindowMs } from './team-limits.ts';
import type { Role } from './wire.ts';

/** What the rules need of the sender. */
export interface RulesParts {
  /** Takes the rows of limits and requests. */
  readonly store: Pick<JournalStore, 'append'>;
  /** Answers what is asked. Not the store of a change: asking it counts as having seen. */
  readonly asking: Asking;
  /** The journal's time. `service`: its last `Date` is a clock too. */
  readonly now: (service?: Service) => Promise<Moment>;
  readonly isMember: (name: string, account: string) => Promise<boolean>;
  /** The role that somebody has now; undefined if the token no longer works. */
  readonly roleNow: (asker: RuledAsker) => Promise<Role | undefined>;
}

type Asking = Pick<JournalStore, 'attempts' | 'settings' | 'refunded' | 'approvals'>;

interface Service extends Pick<SenderAccount['service'], 'seenDate'> {
  readonly profile: Pick<SenderAccount['service']['profile'], 'name' | 'origin' | 'account'> & {
    readonly settings: AmountStyle;
  };
}
/** Who asks: a member at a desk, or whoever runs the sender, as a lead. */
export type RuledAsker = Pick<Asker, 'member' | 'role'> & Partial<Pick<Asker, 'desk' | 'token'>>;
/** The account that it is about. */
export interface RuledAccount {
  readonly service: Service;
}

/** The account whose limits are meant. */
export type LimitedAccount = Pick<Service['profile'], 'name' | 'account'>;

/** Of whom a change is, and for which account. `plan`: the plan that the sender has read, if the change is a row of it. */
export interface Ruled {
  readonly asker: RuledAsker;
  readonly account: RuledAccount;
  readonly plan?: ApprovablePlan | undefined;
}

/** The rules as a member sees them. A plan was read by the sender. */
export interface MemberRules extends Omit<TeamRules, 'checkPlan'> {
  checkPlan(plan: PlannedRefunds): Promise<PlanFinding>;
}

/** Who asked for the approval of a change, if that was somebody else, and who gave it. */
export type Approved = Pick<SentRow, 'askedBy' | 'approvedBy'>;

/** The rules of a sender. */
export interface Rules {
  /** As a member sees them, for one account. */
  of(asker: RuledAsker, account: RuledAccount): MemberRules;
  /** The limits of an account alone. */
  limitsOf(asker: RuledAsker, account: LimitedAccount): Pick<TeamRules, 'limits' | 'setLimits'>;
  /**
   * Checks what is about to be sent, and has it recorded (`append`) before any other change is checked: so twenty at once pass just
   * what is allowed. Throws CliError 'refused' when a rule forbids it; then nothing was recorded.
   */
  record(sent: SentRow, of: Ruled, append: (checked: Approved) => Promise<void>): Promise<void>;
}

/** Everything is derived from the rows with each question, so there is nothing that could differ from them. */
export function createRules(parts: RulesParts): Rules {
  const inTurn = oneAfterTheOther();
  const limitsOf: Rules['limitsOf'] = (asker, account) => ({
    limits: () => limitsSet(parts.asking, account),
    setLimits: (changes) => inTurn(async () => setLimits(parts, await asNow(parts, asker), account, changes)),
  });
  return {
    limitsOf,
    of(asker, account) {
      const run = { ...parts, asker, account };
      const runNow = async () => ({ ...run, asker: await asNow(parts, asker) });
      return {
        ...limitsOf(asker, account.service.profile),
        member: () => Promise.resolve(asker.member),
        checkRefund: async (refund) => findingOf(run, ofAccount(refund, run), await momentFor(run)),
        approvals: async () => {
          const { time } = await momentFor(run);
          return (await requestsSince(run, time - listedMs, time)).filter(
            ({ asked }) => isOf(asked, account) && isOfMode(asked, account),
          );
        },
        ask: (id, what) => inTurn(async () => ask(await runNow(), id, what)),
        decide: (id, step, how) => inTurn(async () => decide(await runNow(), id, step, how)),
        checkPlan: async (plan) => {
          const { time } = await momentFor(run);
          const held = limitsFor(await limitsSet(run.asking, account.service.profile), asker.member);
          const since = time - waitsMs - approvalMaxMs;
          const requests = await requestsSince(run, since, time);
          return checkPlan(run.asking, plan, { held, requests, isOf: (sent) => isOf(sent, account), time });
        },
      };
    },
    record: (sent, { asker, account, plan }, append) =>
      inTurn(async () => {
        const approved = await approvalFor({ ...parts, asker, account }, sent, plan);
        // It may have waited for long: for the service, for an order, for others.
        needRoleOf(await asNow(parts, asker), 'operator', 'send changes');
        await append(approved);
      }),
  };
}

// Whoever asks, with the role of this moment.
async function asNow({ roleNow }: RulesParts, asker: RuledAsker): Promise<RuledAsker> {
  const role = await roleNow(asker);
  if (role !== undefined) return { ...asker, role };
  throw new CliError('refused', `the token of ${asker.member} was revoked meanwhile`, {
    certain: 'nothing was sent',
    now: ['ask your lead for an invitation: paydesk sender invite NAME'],
  });
}

interface Run extends RulesParts {
  readonly asker: RuledAsker;
  readonly account: RuledAccount;
}

function oneAfterTheOther(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
}

// What went back in the last 24 hours is known only by clocks that agree.
async function momentFor({
  now,
  account,
}: Pick<Run, 'now'> & { readonly account?: RuledAccount }): Promise<Moment> {
  const moment = await now(account?.service);
  refuseSkewed(moment.skewed);
  return moment;
}

function refuseSkewed(skewed: boolean | undefined): void {
  if (skewed !== true) return;
  throw new CliError(
    'refused',
    'the clocks of the sender and of the service disagree, so no limit can be checked',
    {
      certain: 'nothing was sent',
      now: ['let whoever runs the sender look at its clock, then run the command again'],
    },
  );
}

function isOf({ origin, account }: Pick<SentRow, 'origin' | 'account'>, { service }: RuledAccount): boolean {
  return account === service.profile.account || isSameOrigin(origin, service.profile.origin);
}

// A sandbox may have the address of production. Who has a token for the one does not decide about the other.
function isOfMode({ account }: Pick<SentRow, 'account'>, { service }: RuledAccount): boolean {
  return modeOfAccount(account) === modeOfAccount(service.profile.account);
}

// A desk says what it wants; which account that is about, its token says.
function ofAccount<What extends Pick<SentRow, 'origin' | 'account' | 'profile'>>(
  what: What,
  { account }: Run,
): What {
  const { origin, account: line, name } = account.service.profile;
  return { ...what, origin, account: line, profile: name };
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

async function limitsSet(asking: Asking, { account }: LimitedAccount): Promise<readonly TeamLimit[]> {
  const rows = await Promise.all(teamLimitNames.map((name) => asking.settings(name)));
  return limitsIn(
    rows
      .flat()
      .filter((row) => row.type === 'limit')
      .filter((row) => row.account === account),
  );
}

async function setLimits(
  { store, asking, now, isMember }: RulesParts,
  asker: RuledAsker,
  of: LimitedAccount,
  { member, currency, values }: LimitChanges,
): Promise<readonly LimitRow[]> {
  needRoleOf(asker, 'lead', 'set limits');
  if (member !== '*' && !(await isMember(member, of.name)))
    throw new CliError('refused', `nobody of this team is called ${member}`, {
      certain: 'nothing was changed',
      now: ['paydesk sender members'],
    });
  const { time } = await momentFor({ now });
  const set = await limitsSet(asking, of);
  const rows = teamLimitNames.toSorted().flatMap((name): readonly LimitRow[] => {
    const wanted = values[name];
    const from = limitText(
      set.find((one) => one.member === member && one.currency === currency && one.name === name),
    );
    const to = wanted === undefined || wanted === null ? null : String(wanted);
    if (wanted === undefined || from === to) return [];
    return [
      { type: 'limit', time, operator: asker.member, account: of.account, member, currency, name, from, to },
    ];
  });
  for (const row of rows) await store.append(row);
  return rows;
}

type Asked = Pick<
  AskedRefund,
  'origin' | 'account' | 'request' | 'proof' | 'amount' | 'currency' | 'reason' | 'note'
>;

// Undefined if no limit holds for this member. Whoever proposes always needs somebody else.
async function findingOf(
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
  const ofOrder = onOrder
    .filter(({ sent }) => isOf(sent, account) && sent.proof.livemode === livemode && sent.time >= since)
    .reduce((sum, record) => sum + countedAmount(record), 0);
  const { origin } = account.service.profile;
  const ofMember = await asking.refunded({ origin, operator: asker.member, currency, livemode, since });
  const { reason, note } = refund;
  const finding = findingFor(held, { amount, currency, ofOrder, ofMember, reason, note });
  if (!isProposer || finding.problem !== undefined || finding.needsSecond) return finding;
  return { ...finding, limit: undefined, needsSecond: true };
}

// What a refund pays back. A request, a row and a proof that name different amounts, or that take money, are nobody's refund.
function amountOf({ request, proof, amount: said }: Asked): number {
  const { expected } = proof;
  const amount = -expected.reduce((sum, one) => sum + one.amount, 0);
  if (amount <= 0 || expected.some((one) => one.amount >= 0))
    throw new CliError('refused', 'this request takes money instead of paying it back', {
      certain: 'nothing was sent',
    });
  const inBody = request.body?.amount ?? amount;
  if (inBody !== amount || (said ?? amount) !== amount)
    throw new CliError('refused', 'the request, its row and its proof name different amounts', {
      certain: 'nothing was sent',
    });
  return amount;
}

// ── What is about to be sent ────────────────────────────────────────────────────────────────────

// Who approved it, if somebody did. What pays nothing back has no limit.
async function approvalFor(run: Run, sent: SentRow, plan: Ruled['plan']): Promise<Approved> {
  const { asker, account, asking } = run;
  needRoleOf(asker, 'operator', 'send changes');
  if (sent.proof.kind !== 'refund') return {};
  const style = account.service.profile.settings;
  const finding = await findingOf(run, sent, sent);
  if (finding?.problem !== undefined) throw new LimitRefusal(finding, style);
  if (sent.approval !== undefined) {
    refuseSkewed(sent.skewed);
    const [request] = requestsIn(
      await asking.approvals({ id: sent.approval }),
      await onOrderOf(asking, sent.proof.orderId),
      sent.time,
    );
    const why = approvalProblem(request, sent, asker.member);
    if (why !== undefined) throw approvalRefusal(sent.approval, { why, usedBy: request?.usedBy });
    return approvedIn(request, asker);
  }
  const since = sent.time - waitsMs - approvalMaxMs;
  const approved = plan && approvalOf(await requestsSince(run, since, sent.time), plan);
  if (finding?.needsSecond === true && approved === undefined) throw new LimitRefusal(finding, style);
  return approvedIn(approved, asker);
}

function approvedIn(request: ApprovalRequest | undefined, { member }: RuledAsker): Approved {
  const askedBy = request?.asked.operator;
  return {
    approvedBy: request?.decided?.operator,
    ...(askedBy === undefined || askedBy === member ? {} : { askedBy }),
  };
}

async function onOrderOf(asking: Asking, orderId: string | undefined): Promise<readonly AttemptRecord[]> {
  return orderId === undefined ? [] : await asking.attempts({ orderId });
}

// ── Approvals ───────────────────────────────────────────────────────────────────────────────────

// Those that were asked for from a time on. Only what was approved can be used.
async function requestsSince(
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

const idPattern = /^r_[a-z0-9]{1,32}$/;

async function ask(run: Run, id: string, what: AskedRefund | AskedPlan): Promise<ApprovalRow> {
  const { asker, account, store, asking } = run;
  needRoleOf(asker, 'proposer', 'ask for approvals');
  if (!idPattern.test(id))
    throw new CliError('refused', 'this cannot be the id of a request', { certain: 'nothing was asked for' });
  const moment = await momentFor(run);
  const { time } = moment;
  const wanted = ofAccount(what, run);
  const requests = await requestsSince(run, time - waitsMs - approvalMaxMs, time);
  const same = requests.findLast(
    (one) => one.asked.operator === asker.member && isPending(one) && isSame(one.asked, wanted),
  );
  if (same !== undefined) return same.asked;
  refuseMany(requests, asker, time);
  const [taken] = requestsIn(await asking.approvals({ id }), [], time);
  if (taken !== undefined) throw already(taken, 'nothing was asked for');
  if ('proof' in wanted) {
    const finding = await findingOf(run, wanted, moment);
    if (finding?.problem !== undefined) throw new LimitRefusal(finding, account.service.profile.settings);
  }
  const row: AskedRow = {
    type: 'approval',
    requestId: id,
    time,
    operator: asker.member,
    step: 'asked',
    ...(asker.role === 'proposer' ? { byProposer: true } : {}),
    ...wanted,
  };
  await store.append(row);
  return row;
}

// So many requests of one member are kept that wait or are new: others have to look at them, and the journal keeps them.
const requestsMax = 200;
const newMs = 60 * 60_000;

function refuseMany(requests: readonly ApprovalRequest[], { member }: RuledAsker, time: number): void {
  const own = requests.filter(
    (one) => one.asked.operator === member && (isPending(one) || one.asked.time > time - newMs),
  );
  if (own.length < requestsMax) return;
  throw new CliError(
    'refused',
    `${member} has ${requestsMax} requests for an approval that wait, or were made within the last hour, and there cannot be more`,
    {
      certain: 'nothing was asked for',
      now: [
        'paydesk approvals list',
        'wait until others have answered, or take back what is no longer needed: paydesk approvals reject REQUEST --note TEXT',
      ],
    },
  );
}

function isSame(asked: AskedRow, wanted: AskedRefund | AskedPlan): boolean {
  if ('proof' in asked) return 'proof' in wanted && isSameRefund(asked, wanted);
  return 'digest' in wanted && asked.digest === wanted.digest && asked.account === wanted.account;
}

async function decide(
  run: Run,
  id: string,
  step: 'approved' | 'rejected',
  { validMs, note }: { readonly validMs: number; readonly note: string | undefined },
): Promise<ApprovalRow> {
  const { asker, account, store, asking } = run;
  const rows = await asking.approvals({ id });
  const { time } = await momentFor(run);
  const [asked] = rows;
  const orderId = asked !== undefined && 'proof' in asked ? asked.proof.orderId : undefined;
  const [request] = requestsIn(rows, await onOrderOf(asking, orderId), time);
  if (request === undefined || !isOf(request.asked, account) || !isOfMode(request.asked, account))
    throw new CliError('not_found', `the journal of the team has no request ${id}`, {
      now: ['paydesk approvals list'],
    });
  const isOwn = request.asked.operator === asker.member;
  if (!isOwn || step === 'approved') needRoleOf(asker, 'operator', 'answer requests');
  if (isOwn && step === 'approved')
    throw new CliError('refused', `${id} is your own request: somebody else must approve it`, {
      certain: 'nothing was approved',
      approval: id,
    });
  const { state, decided } = request;
  // Whoever did not hear the answer says it again.
  if (state === step && decided?.operator === asker.member) return decided;
  if (state !== 'asked' && !(state === 'approved' && step === 'rejected'))
    throw already(request, 'nothing was approved');
  const until = step === 'approved' ? time + Math.min(Math.max(validMs, 0), approvalMaxMs) : null;
  const row: ApprovalRow = {
    type: 'approval',
    requestId: id,
    time,
    operator: asker.member,
    step,
    until,
    ...(note === undefined ? {} : { note }),
  };
  await store.append(row);
  return row;
}

function already({ id, state, decided }: ApprovalRequest, certain: string): CliError {
  const by = decided === undefined ? '' : ` by ${decided.operator}`;
  return new CliError('refused', `${id} is ${state} already${by}`, {
    certain,
    now: [`paydesk approvals show ${id}`],
    approval: id,
  });
}
