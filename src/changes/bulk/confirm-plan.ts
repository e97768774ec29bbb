/**
 * Gets the yes to a plan: shows what would be sent, asks a person or takes what a script gave instead, and asks for a second
 * person's approval if the team wants one. A run that a software agent started needs a release by a person.
 */

import type { OpenService } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { type Released, releasedWords } from '../../journal/journal.ts';
import {
  type ControlTotals,
  digestShown,
  missingTotals,
  namesDigest,
  type PlanRow,
} from '../../plans/plans.ts';
import { aboutMoney, commandLine, type Profile } from '../../profiles/profiles.ts';
import { byHandNote, settledByHand } from '../by-hand-words.ts';
import { watchedAfterCopy } from '../confirm-change.ts';
import { hold } from '../hold.ts';
import { buyerWords } from '../refund/refund-screens.ts';
import { askedByOther } from '../refund/second-person.ts';
import { applyPreview, shownRows } from './batch-words.ts';
import { ordersOf } from './found-orders.ts';
import { rowsAnew } from './plan/refresh-plan.ts';
import { askForPlan, type OpenedPlan, type SecondPerson } from './plan-checks.ts';
import { readOrders } from './read-orders.ts';
import { attemptsOfPlan, type Looked, reportPlan, sentNow } from './report-plan.ts';
import type { RowReport } from './row-verdicts.ts';

/** Which plan is confirmed, and what was typed for that. */
export interface Confirmation {
  readonly path: string;
  /** The first characters of the plan's digest. */
  readonly confirm: string | undefined;
  readonly noHold: boolean | undefined;
  readonly expected: ControlTotals;
}

/**
 * Throws CliError 'usage' if nobody can be asked and the flags that stand for a yes are missing. In production nobody may apply a
 * plan that they did not look at: the digest and the totals say which one was meant.
 */
export function checkAnswerable(
  { ctx, profile, plan, path }: OpenedPlan,
  { confirm, expected }: Confirmation,
): void {
  const { ask, options } = ctx;
  // A release takes the place of a person's yes.
  if (ask.interactive || options.dryRun || needsRelease(ctx, profile)) return;
  if (profile.mode !== 'production') {
    if (options.yes || confirm !== undefined) return;
    throw usage('missing --yes: no terminal to ask on', ['add it to the command: --yes']);
  }
  const missing = [...(confirm === undefined ? ['--confirm DIGEST'] : []), ...missingTotals(expected)];
  if (missing.length === 0) return;
  throw usage(`missing ${missing.join(', ')}: in production --yes alone is not enough`, [
    `the digest and the totals of this plan: ${commandLine(profile, 'refunds', 'status', path)}`,
    `its digest begins with ${plan.digest.slice(0, digestShown)}`,
  ]);
}

/**
 * Shows the rows that would be sent and gets a yes, unless no row is left to send. Throws CliError 'cancelled' without a yes, and
 * 'refused' if another plan was meant.
 */
export async function confirmPlan(
  opened: OpenedPlan,
  { confirm, noHold, expected }: Confirmation,
  looked: Looked,
  { second, released }: Readonly<{ second: SecondPerson | undefined; released: Released | undefined }>,
): Promise<void> {
  const { ctx, profile, plan, path } = opened;
  const reports = await reportPlan(ctx, plan, looked);
  const left = sentNow(plan, reports);
  const digest = plan.digest.slice(0, digestShown);
  if (confirm !== undefined && !namesDigest(confirm, plan.digest))
    throw refused(
      `--confirm ${confirm} is not the digest of ${path}, which begins with ${digest}`,
      ['look at the plan again, then confirm the one that you mean'],
      'wrong_confirm',
    );
  if (left.length === 0) return;
  await refuseAfterCopy(ctx, profile);
  if (ctx.options.dryRun) return;
  const needsSecond = second !== undefined;
  const send = await showSending(opened, { expected, left, reports, needsSecond });
  if (released !== undefined) ctx.notes.show([{ line: releasedWords(released), hang: 8 }]);
  if (second !== undefined)
    ctx.notes.show([
      { line: `second  ${second.line}`, hang: 8 },
      ...second.because.map((line) => ({ line: `${' '.repeat(8)}${line}`, hang: 10 })),
    ]);
  if (second?.asked !== undefined)
    throw askedByOther(profile, second.asked, commandLine(profile, 'refunds', 'apply', path));
  if (confirm === undefined && released === undefined) await askFor(opened, second?.asks === true);
  if (second?.asks !== true) await hold(ctx, profile, noHold);
  // Somebody may have replaced the file while the question was on the screen.
  const now = await ctx.plans.open(path);
  if (now.digest === plan.digest) {
    if (second?.asks === true) throw await askForPlan(opened, send);
    return;
  }
  throw refused(
    `${path} is no longer the plan that was confirmed`,
    ['look at the plan again, then apply it'],
    'plan_changed',
  );
}

/**
 * Shows what a plan would send, before somebody says yes, and returns the rows as they were shown. `left`: the rows that are not
 * sent yet.
 */
export async function showSending(
  opened: OpenedPlan,
  sending: Pick<Confirmation, 'expected'> & {
    readonly left: readonly PlanRow[];
    readonly reports: readonly RowReport[];
    readonly needsSecond: boolean;
  },
): Promise<readonly PlanRow[]> {
  const { ctx, service, profile, plan, path } = opened;
  const { left, reports, ...how } = sending;
  const { send, buyers } = await lookAgain(opened, left);
  ctx.redaction.learn(send.slice(0, shownRows).map(({ note }) => ({ note })));
  // Even with --quiet: whoever settled a row may have been wrong.
  for (const text of await byHandLines(ctx, service, send)) ctx.notes.warn({ text, style: 'warn' });
  const madeAt = ctx.days.full(plan.madeAt);
  ctx.notes.show(applyPreview(plan, path, send, reports, { ...how, profile, madeAt, buyers }));
  return send;
}

// The maker of the plan file may have removed the notes from its rows, and it names no buyers: a person sees both as the orders
// are now.
async function lookAgain({ ctx, service, profile, plan }: OpenedPlan, left: readonly PlanRow[]) {
  const buyers = new Map<string, string>();
  if (!ctx.ask.interactive) return { send: left, buyers };
  const orders = await readOrders(ctx, service, ordersOf(left));
  const anew = await rowsAnew(ctx, service, { ...plan, rows: left }, orders, {
    again: plan.again,
    allowed: [],
    allocation: undefined,
    saw: (id, order) => buyers.set(id, buyerWords(order, profile)),
  });
  const notes = new Map(
    anew.map(({ key, state, why, marks }) => [
      key,
      why === undefined || state === 'ready' ? marks : [why, ...marks],
    ]),
  );
  return { send: left.map((row) => ({ ...row, marks: notes.get(row.key) ?? row.marks })), buyers };
}

// What was sent before the copy was put back may not be known, so nobody sends many rows with one yes.
async function refuseAfterCopy(ctx: Context, profile: Profile): Promise<void> {
  const until = await watchedAfterCopy(ctx, profile);
  if (until === undefined) return;
  throw refused(
    `a copy of the journal was put back: until ${ctx.days.full(until)} refunds are sent one by one`,
    [
      'look at each order, and refund it by its id:',
      commandLine(profile, 'orders', 'refund', 'ID', '--confirm', 'ID'),
      'or apply the plan after that time',
    ],
    'copy_put_back',
  );
}

async function askFor(opened: OpenedPlan, asks: boolean): Promise<void> {
  const { ctx, profile } = opened;
  if (profile.mode !== 'production') {
    if (ctx.options.yes) return;
    const question = asks ? 'Ask for approval?' : 'Send them?';
    if (await ctx.ask.confirm({ message: aboutMoney(profile, question), flag: '--yes' })) return;
    throw cancelled(opened);
  }
  const to = asks ? 'ask for approval' : 'send them';
  if (!(await asksDigest(opened, { to, flag: '--confirm DIGEST', named: 'above' }))) throw cancelled(opened);
}

/** Asks for the digest of a plan, as a yes. Returns whether it was typed. `named`: what a wrong answer is told about the digest. */
export async function asksDigest(
  { ctx, profile, plan: { digest } }: OpenedPlan,
  { to, flag, named }: Readonly<Record<'to' | 'flag' | 'named', string>>,
): Promise<boolean> {
  const message = `Type the digest of the plan to ${to}, or press Enter to cancel:`;
  const isMeant = (text: string) => namesDigest(text, digest);
  const check = (text: string) =>
    text === '' || isMeant(text) ? undefined : `${text} is not the digest ${named}`;
  return isMeant(await ctx.ask.text({ message: aboutMoney(profile, message), flag, optional: true, check }));
}

function cancelled({ profile, path }: OpenedPlan): CliError {
  return new CliError('cancelled', 'not confirmed', {
    certain: 'nothing was sent',
    now: ['for later:', commandLine(profile, 'refunds', 'apply', path)],
  });
}

// The most lines that a person can read before a yes.
const byHandShown = 8;

// What somebody settled by hand at the orders of these rows, which is also said before a single refund.
async function byHandLines(
  ctx: Context,
  service: OpenService,
  send: readonly PlanRow[],
): Promise<readonly string[]> {
  const linesOf = Map.groupBy(send, ({ orderId }) => orderId);
  const settled = new Set<string>();
  for await (const { attempts } of attemptsOfPlan(ctx, { rows: send }))
    for (const { sent } of settledByHand(attempts)) settled.add(sent.proof.orderId ?? '');
  const all: string[] = [];
  for (const id of settled) {
    const lines = [...new Set(linesOf.get(id)?.map(({ line }) => line))].join(', ');
    for (const record of settledByHand(await ctx.journal.attemptsOf(service, id)))
      all.push(`line ${lines}, ${id}: ${byHandNote(ctx, record)}`);
  }
  const more = all.length - byHandShown;
  return [...all.slice(0, byHandShown), ...(more > 0 ? [`and ${more} more that were settled by hand`] : [])];
}

// ── The release for an agent ────────────────────────────────────────────────────────────────────

/** Whether a plan is sent only if a person has released it. At a desk of a team a second person approves it instead. */
export function needsRelease({ agent, options }: Context, { mode, sender }: Profile): boolean {
  return agent !== undefined && mode === 'production' && sender === undefined && !options.dryRun;
}

/** Why a plan for a sandbox is sent without a release, and why the journal names none there. */
export const noneInSandbox =
  'this is a sandbox: an agent sends without a release there, and none is recorded';

export function releaseFile(path: string): string {
  return `${path}.release`;
}

const longest = 16 * 1024;

/**
 * Who released a plan; undefined if nobody needs to, or no row is left to send. Throws CliError 'refused' if nobody has released
 * it, or if the release was used before, has expired, is not for this very plan, or is not signed with an enrolled key. Call it
 * while this run has claimed the plan.
 */
export async function releaseOf(
  { ctx, profile, plan, path }: OpenedPlan,
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
  const released = await releases.check(await ctx.file(file, longest), plan.digest, latest).catch((error) => {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    throw refused(error.message, [...now, ...(error.parts.now ?? [])], 'not_released');
  });
  for await (const { attempts } of attemptsOfPlan(ctx, plan))
    if (attempts.some(({ sent }) => sent.released?.id === released.id))
      throw refused(`the release of ${path} was used before: it is for one sending`, now, 'release_used');
  return releases.enrolled.weakness === undefined ? released : { ...released, isRail: true };
}
