/** The routes that take plans from desks and apply them. Each plan runs once, however often it comes and from whom. */

import * as v from 'valibot';
import { checkPlanLimits, paidOnOrders, rowsToSend } from '../../changes/changes.ts';
import { CliError, refused } from '../../errors.ts';
import { isSameOrigin } from '../../journal/journal.ts';
import { type Plan, readPlan, sumsOf } from '../../plans/plans.ts';
import { type PlanRun, planRunForm, workedToWire } from '../change-wire.ts';
import { errorToWire, hopPaths, maxBytes } from '../wire.ts';
import { ChangeStream, endReply } from './change-stream.ts';
import { type ChangesParts, planCommand } from './known-change.ts';
import {
  type Asker,
  badRequest,
  bodyIn,
  type HopContext,
  needRole,
  type SenderAccount,
  type SenderApp,
  stopping,
  tooMany,
} from './routes.ts';
import type { Rules } from './rules/rules.ts';
import { recordStop, sendPlan, stoppedBy, type TakenPlan, type TakenPlans } from './send-plan.ts';
import { newPlaces } from './shares.ts';

interface PlansParts extends Omit<ChangesParts, 'rules'> {
  readonly rules: Pick<Rules, 'of' | 'record'>;
  readonly handed: TakenPlans;
  readonly accounts: ReadonlyMap<string, SenderAccount>;
}

export interface RunPlans {
  /** Resumes plans from before this sender started. */
  resume(plans: readonly TakenPlan[]): Promise<void>;
  /** Resolves when the running rows have ended. A stopping sender starts no others. */
  stop(): Promise<void>;
}

interface Running {
  readonly handed: TakenPlan;
  readonly stream: ChangeStream;
  readonly stop: AbortController;
  readonly over: Promise<void>;
  /** The ids of its hand-overs. */
  readonly runs: Set<string>;
}

// A plan may have 16 MB, so a member has few of them read at once, and few applied.
const readingSizes = { each: 2, wait: 16, all: 16 };
const plansMax = 4;

// The last plans to end: a desk that lost its connection asks for the end again, and must not restart a stopped plan.
const endedMax = 8;

export function addPlans(app: SenderApp, parts: PlansParts): RunPlans {
  const running = new Map<string, Running>();
  const ended: Running[] = [];
  const takeReading = newPlaces(readingSizes);
  const reading = async <T>({ member }: Asker, read: () => Promise<T>): Promise<T> => {
    const giveBack = await takeReading(member);
    if (giveBack === undefined) throw tooMany();
    return await read().finally(giveBack);
  };
  const keyOf = (account: string, digest: string) => `${account} ${digest}`;
  const start = (handed: TakenPlan, plan: Plan, account: SenderAccount): Running => {
    const key = keyOf(handed.account, handed.head.digest);
    const [stream, stop] = [new ChangeStream(parts.clock, maxBytes.plan), new AbortController()];
    const work = async () => {
      const end = await endOf(parts, { handed, plan, account, stream, stop });
      const isOver = !parts.stop.stopWaiting.aborted;
      // A plan that stopped with the sender resumes with it. If its file remains, the plan runs again, but sends nothing twice.
      if (isOver) reported(parts, () => parts.handed.remove(handed));
      running.delete(key);
      if (isOver && ended.push(entry) > endedMax) ended.shift();
      stream.end(end);
    };
    const entry: Running = {
      handed,
      stream,
      stop,
      runs: new Set([handed.head.run]),
      over: Promise.resolve(),
    };
    running.set(key, entry);
    return Object.assign(entry, { over: work() });
  };

  app.post(hopPaths.plans(':account'), async (context) => {
    needRole(context.var.asker, 'viewer', 'check plans');
    const { asker, account } = context.var;
    const plan = await reading(asker, () => readPlan('the plan', bodyIn(context, maxBytes.plan)));
    refuseOtherAccount(plan, account);
    const { id, digest } = plan;
    const orders = paidOnOrders(rowsToSend(plan.rows));
    return context.json({
      answer: await parts.rules.of(asker, account).checkPlan({ plan: id, digest, orders }),
    });
  });

  app.post(hopPaths.applyPlan(':account'), async (context) => {
    needRole(context.var.asker, 'operator', 'send refunds');
    const { asker, account } = context.var;
    const { head, text, plan } = await reading(asker, async () => {
      const given = await handedIn(context);
      return { ...given, plan: await readPlan('the plan', partsOf(given.text, parts.clock)) };
    });
    const before = ended.find(({ runs, handed }) => runs.has(head.run) && handed.account === account.name);
    if (before !== undefined) return before.stream.reply();
    refuseOtherAccount(plan, account);
    refuseOther(head, plan);
    checkPlanLimits(plan.rows, await account.profileNow(planCommand, head.policy));
    const known = running.get(keyOf(account.name, plan.digest));
    known?.runs.add(head.run);
    if (known !== undefined) return known.stream.reply();
    const own = [...running.values()].filter((one) => one.handed.asker.member === asker.member);
    if (own.length >= plansMax) throw tooManyPlans(asker.member);
    if (parts.stop.stopWaiting.aborted) throw stopping();
    const handed = { account: account.name, since: parts.clock.now(), asker, head, text };
    parts.handed.write(handed);
    return start(handed, plan, account).stream.reply();
  });

  app.get(hopPaths.plan(':account', ':digest'), (context) => {
    needRole(context.var.asker, 'viewer', 'see plans');
    const found = running.get(keyOf(context.var.account.name, context.req.param('digest') ?? ''));
    const answer =
      found === undefined ? null : { member: found.handed.asker.member, since: found.handed.since };
    return context.json({ answer });
  });

  app.post(hopPaths.stopPlan(':account', ':digest'), async (context) => {
    needRole(context.var.asker, 'operator', 'stop plans');
    const { asker, account } = context.var;
    const digest = context.req.param('digest') ?? '';
    if (!/^[0-9a-f]{64}$/.test(digest)) throw badRequest('not the digest of a plan');
    await recordStop(parts, account, digest, asker);
    const found = running.get(keyOf(account.name, digest));
    found?.stop.abort(stoppedBy(asker.member));
    return endReply({ closed: true });
  });

  return {
    async resume(plans) {
      for (const handed of plans) {
        const account = parts.accounts.get(handed.account);
        try {
          const plan = await readPlan('the plan', partsOf(handed.text, parts.clock));
          if (account !== undefined) start(handed, plan, account);
        } catch (error) {
          parts.report(error);
        }
      }
    },
    async stop() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ over }) => over));
    },
  };
}

function reported({ report }: Pick<PlansParts, 'report'>, act: () => void): void {
  try {
    act();
  } catch (error) {
    report(error);
  }
}

interface Started extends Pick<Running, 'handed' | 'stream' | 'stop'> {
  readonly plan: Plan;
  readonly account: SenderAccount;
}

// Without an end the desk asks again, and the journal knows.
async function endOf(parts: PlansParts, { stream, ...how }: Started) {
  try {
    const worked = await sendPlan(parts, {
      ...how,
      tell: (row) => stream.tell(row),
      wait: (words) => stream.tell({ waiting: words }),
    });
    if (parts.stop.stopWaiting.aborted) return undefined;
    return { worked: workedToWire(worked) };
  } catch (error) {
    if (parts.stop.stopWaiting.aborted) return undefined;
    if (!(error instanceof CliError)) parts.report(error);
    return { refused: errorToWire(error) };
  }
}

async function handedIn(context: HopContext): Promise<{ readonly head: PlanRun; readonly text: string }> {
  const chunks = await Array.fromAsync(bodyIn(context, maxBytes.plan + maxBytes.join));
  const body = Buffer.concat(chunks).toString('utf8');
  const end = body.indexOf('\n');
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), planRunForm), body.slice(0, Math.max(0, end)));
  if (!read.success) throw badRequest('the request is not of the form that this sender takes');
  return { head: read.output, text: body.slice(end + 1) };
}

const partBytes = 64 * 1024;

// Others are answered between two parts: a long plan takes seconds to read.
async function* partsOf(text: string, clock: ChangesParts['clock']): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += partBytes) {
    yield bytes.subarray(at, at + partBytes);
    await clock.sleep(0);
  }
}

function tooManyPlans(member: string): CliError {
  return refused(`${member} has ${plansMax} plans at this sender, and there cannot be more at once`, [
    'wait until one of them has ended, then run the same command again',
  ]);
}

// The plan must be the one that the person was shown.
function refuseOther({ digest, rows, sums }: PlanRun, plan: Plan): void {
  const own = rowsToSend(plan.rows);
  const sumsText = (of: Readonly<PlanRun['sums']>) =>
    of
      .map(({ currency, amount }) => `${currency} ${amount}`)
      .toSorted()
      .join(', ');
  if (digest === plan.digest && rows === own.length && sumsText(sums) === sumsText(sumsOf(own))) return;
  throw refused('this is not the plan that was confirmed');
}

function refuseOtherAccount({ origin, account, mode }: Plan, { service: { profile } }: SenderAccount): void {
  if (isSameOrigin(origin, profile.origin) && account === profile.account && mode === profile.mode) return;
  throw refused('the plan is for another account than that of this desk');
}
