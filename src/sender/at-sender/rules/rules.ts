/**
 * A team's rules at its sender: limits and approvals, checked against the journal's rows right before a change is recorded, and
 * the route by which desks ask about them.
 */

import { refused } from '../../../errors.ts';
import {
  type ApprovalRequest,
  approvalMaxMs,
  approvalRefusal,
  approveCommand,
  type LimitChanges,
  LimitRefusal,
  type LimitRow,
  type OpenedOrder,
  type PlanFinding,
  type PlannedRefunds,
  type SentRow,
  type TeamRules,
  teamLimitNames,
} from '../../../journal/journal.ts';
import { type RuleAsked, type RuleQuestion, ruleForms } from '../../journal-wire.ts';
import { hopPaths, maxBytes } from '../../wire.ts';
import { badRequest, needRole, readBody, type SenderAccount, type SenderApp } from '../routes.ts';
import { approvalProblem, listedMs, requestsIn, waitsMs } from './approval-requests.ts';
import {
  findingOf,
  isOf,
  isOfMode,
  type LimitedAccount,
  limitsSet,
  momentFor,
  ofAccount,
  onOrderOf,
  type RuledAccount,
  type RuledAsker,
  type RulesParts,
  type Run,
  refuseSkewed,
  requestsSince,
  withRowsLeft,
} from './check-refund.ts';
import { ask, decide } from './requests.ts';
import { type ApprovablePlan, approvalOf, checkPlan, limitsFor, limitText } from './team-limits.ts';

/** Who makes a change, for which account. `plan`: the plan read by the sender, if the change is one of its rows. */
export interface Ruled {
  readonly asker: RuledAsker;
  readonly account: RuledAccount;
  readonly plan?: ApprovablePlan | undefined;
}

/** The rules as a member sees them. The sender has read the plan. */
export interface MemberRules extends Omit<TeamRules, 'checkPlan'> {
  checkPlan(plan: PlannedRefunds): Promise<PlanFinding>;
}

/** If somebody else asked for the change's approval: who; and who gave it, when, and its request. */
type Approved = Pick<SentRow, 'askedBy' | 'askedAt' | 'approvedBy' | 'approvedAt' | 'approval'>;

export interface Rules {
  of(asker: RuledAsker, account: RuledAccount): MemberRules;
  limitsOf(asker: RuledAsker, account: LimitedAccount): Pick<TeamRules, 'limits' | 'setLimits'>;
  /**
   * Checks a change and has it recorded (`append`) before another of its member or on its order is checked, so that simultaneous
   * changes cannot exceed a limit together. Throws CliError 'refused', and records nothing, if a rule forbids it.
   */
  record(sent: SentRow, of: Ruled, append: (checked: Approved) => Promise<void>): Promise<void>;
}

/** Derives everything from the rows with each question, so nothing can differ from them. */
export function createRules(parts: RulesParts): Rules {
  const inTurn = oneAfterTheOther(parts.store.alone);
  const alone = <T>(act: () => Promise<T>) => inTurn(undefined, act);
  const opened = new OpenedOrders();
  const used = new Set<string>();
  const limitsOf: Rules['limitsOf'] = (asker, account) => ({
    limits: () => limitsSet(parts.asking, account),
    setLimits: (changes) => alone(async () => setLimits(parts, await asNow(parts, asker), account, changes)),
  });
  return {
    limitsOf,
    of(asker, account) {
      const run = { ...parts, asker, account, used };
      const runNow = async () => ({ ...run, asker: await asNow(parts, asker) });
      return {
        ...limitsOf(asker, account.service.profile),
        member: () => Promise.resolve(asker.member),
        checkRefund: async (refund) => findingOf(run, ofAccount(refund, run), await momentFor(run)),
        opened: async (orderId) => opened.note(asker, account, orderId, (await parts.now()).wall),
        approvals: async () => {
          const { time } = await momentFor(run);
          const requests = await requestsSince(run, time - listedMs, time);
          return withRowsLeft(
            run,
            requests.filter(({ asked }) => isOf(asked, account) && isOfMode(asked, account)),
          );
        },
        ask: (id, what) => alone(async () => ask(await runNow(), id, what)),
        decide: (id, step, how) => alone(async () => decide(await runNow(), id, step, how)),
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
      // Every sum that a limit counts is of one member or of one order, and an approval is for one order.
      inTurn([`member ${asker.member}`, `order ${sent.proof.orderId}`], async () => {
        const approved = await approvalFor({ ...parts, asker, account, used }, sent, plan);
        // The change may have waited long: for the service, an order, or others.
        needRole(await asNow(parts, asker), 'operator', 'send changes');
        await append(approved);
        opened.end(asker);
      }),
  };
}

async function asNow({ roleNow }: RulesParts, asker: RuledAsker): Promise<RuledAsker> {
  const role = await roleNow(asker);
  if (role !== undefined) return { ...asker, role };
  throw refused(`the token of ${asker.member} has been revoked`, [
    'ask your lead for an invitation: paydesk sender invite NAME',
  ]);
}

interface Turn {
  readonly about: readonly string[] | undefined;
  readonly over: Promise<unknown>;
}
type Turns = <T>(about: Turn['about'], act: () => Promise<T>) => Promise<T>;

// Acts about the same thing run one after the other, and one about everything (undefined) runs alone. The rows of the others may
// share a commit, except in a journal of several senders: there each act keeps out all other rows.
function oneAfterTheOther(alone: RulesParts['store']['alone']): Turns {
  const turns = new Set<Turn>();
  return (about, act) => {
    const before = [...turns].filter(
      (one) => !about || !one.about || one.about.some((thing) => about.includes(thing)),
    );
    const mine = Promise.all(before.map(({ over }) => over)).then(() =>
      alone === undefined ? act() : alone(act),
    );
    const turn: Turn = { about, over: mine.catch(() => undefined).then(() => turns.delete(turn)) };
    turns.add(turn);
    return mine;
  };
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

async function setLimits(
  { store, asking, now, isMember }: RulesParts,
  asker: RuledAsker,
  of: LimitedAccount,
  { member, currency, values }: LimitChanges,
): Promise<readonly LimitRow[]> {
  needRole(asker, 'lead', 'set limits');
  if (member !== '*' && !(await isMember(member, of.name)))
    throw refused(`nobody in this team is called ${member}`, ['paydesk sender members'], {
      certain: 'nothing was changed',
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

// ── What is about to be sent ────────────────────────────────────────────────────────────────────

// Who approved it, if anybody. A change that pays nothing back has no limit.
async function approvalFor(run: Run, sent: SentRow, plan: Ruled['plan']): Promise<Approved> {
  const { asker, account, asking } = run;
  needRole(asker, 'operator', 'send changes');
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
    approval: request?.id,
    approvedBy: request?.decided?.operator,
    askedAt: request?.asked.time,
    approvedAt: request?.decided?.time,
    ...(askedBy === undefined || askedBy === member ? {} : { askedBy }),
  };
}

const answers: {
  readonly [Q in RuleQuestion]: (
    rules: MemberRules,
    asked: RuleAsked<Q>,
    account: SenderAccount,
  ) => Promise<unknown>;
} = {
  limits: (rules) => rules.limits(),
  async setLimits(rules, changes, account) {
    await account.refuseOff('sender limits');
    return await rules.setLimits(changes);
  },
  checkRefund: async (rules, refund) => (await rules.checkRefund(refund)) ?? null,
  opened: (rules, { orderId }) => rules.opened(orderId),
  approvals: (rules) => rules.approvals(),
  ask: (rules, { id, what }) => rules.ask(id, what),
  async decide(rules, { id, step, validMs, note }, account) {
    // Approving leads to sending, so it is allowed only when a change is. Rejecting is always allowed unless its command is off.
    if (step === 'approved') await account.profileNow(approveCommand);
    else await account.refuseOff('approvals reject');
    return await rules.decide(id, step, { validMs, note });
  },
};

/** Adds the route. The rules decide who may do what. */
export function addRules(app: SenderApp, rules: Rules): void {
  app.post(hopPaths.rules(':account', ':question'), async (context) => {
    needRole(context.var.asker, 'viewer', 'see the limits of the team');
    const name = context.req.param('question') ?? '';
    if (!isQuestion(name)) throw badRequest('the desk asks what no rule can answer');
    const { asker, account } = context.var;
    const answer = await answerTo(name, { rules: rules.of(asker, account), account }, (form) =>
      readBody(context, form, maxBytes.question),
    );
    return context.json({ answer });
  });
}

async function answerTo<Q extends RuleQuestion>(
  name: Q,
  { rules, account }: { readonly rules: MemberRules; readonly account: SenderAccount },
  read: (form: (typeof ruleForms)[Q]) => Promise<RuleAsked<Q>>,
): Promise<unknown> {
  return await answers[name](rules, await read(ruleForms[name]), account);
}

function isQuestion(name: string): name is RuleQuestion {
  return Object.hasOwn(ruleForms, name);
}

// ── Who has an order open ──────────────────────────────────────────────────────────────────────────

// After this time an open question no longer counts.
const openMs = 10 * 60_000;

interface Opened extends OpenedOrder {
  readonly orderId: string;
  readonly account: string;
}

/** Notes which order each desk has open, at most one. */
class OpenedOrders {
  readonly #opened = new Map<string, Opened>();

  /** Notes that somebody opened an order (now in Unix milliseconds), and returns who else has it open. */
  note(asker: RuledAsker, { service }: RuledAccount, orderId: string, now: number): readonly OpenedOrder[] {
    for (const [desk, { since }] of this.#opened) if (now - since > openMs) this.#opened.delete(desk);
    const { account } = service.profile;
    const others = [...this.#opened.values()].filter(
      (one) => one.orderId === orderId && one.account === account && one.member !== asker.member,
    );
    this.#opened.set(deskOf(asker), { member: asker.member, since: now, orderId, account });
    return others.map(({ member, since }) => ({ member, since }));
  }

  end(asker: RuledAsker): void {
    this.#opened.delete(deskOf(asker));
  }
}

function deskOf({ member, desk = '' }: RuledAsker): string {
  return `${member} ${desk}`;
}
