/** `release`: a person looks at a plan, at a terminal of their own, and signs that an agent may send it; or enrols the key for that. */

import { secondsOf } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { digestShown } from '../../plans/plans.ts';
import { commandLine, type Profile, plainCommand } from '../../profiles/profiles.ts';
import { passphraseLeast, type Releases, releaseMs, type SignedWith } from '../../release/release.ts';
import { asksDigest, noneInSandbox, releaseFile, showSending } from './confirm-plan.ts';
import { checkPlanLimits, openPlan } from './plan-checks.ts';
import { readOrdersAgain, reportPlan, sentNow } from './report-plan.ts';

/** Shows what a plan would send, asks, and writes a release beside the plan. `keyFile`: the file of a security key. */
export async function releasePlan(ctx: Context, path: string, keyFile: string | undefined): Promise<void> {
  const opened = await openPlan(ctx, path);
  const { plan, profile } = opened;
  checkPlanLimits(plan.rows, profile);
  await refuseAtDesk(ctx, profile, path);
  const releases = await ctx.releases();
  const by = ctx.plans.operator;
  refuseUnenrolled(releases, by, keyFile);
  const reports = await reportPlan(ctx, plan, await readOrdersAgain(ctx, plan));
  const left = sentNow(plan, reports);
  if (left.length === 0)
    throw new CliError('refused', `no row of ${path} is left to send`, {
      ownCode: 'nothing_left',
      certain: 'nothing was released',
    });
  const expected = { count: undefined, totals: [] };
  await showSending(opened, { expected, left, reports, needsSecond: false });
  ctx.notes.show([{ line: `release ${strengthOf(releases)}`, hang: 8 }]);
  const named = plan.digest.slice(0, digestShown);
  if (!(await asksDigest(opened, { to: 'release it', flag: 'a terminal', named })))
    throw new CliError('cancelled', 'not released', { certain: 'nothing was released' });
  const signedWith = keyFile === undefined ? { passphrase: await passphraseOf(ctx, by) } : { keyFile };
  const { time, wall } = await ctx.journal.now();
  const until = Math.max(time, wall) + releaseMs;
  const { digest } = plan;
  const text = await releases.sign({ by, until, digest }, signedWith);
  const file = releaseFile(path);
  await ctx.plans.write(file, text, true);
  const apply = commandLine(profile, 'refunds', 'apply', path);
  const record = { object: 'release', plan: path, digest, by, file, until: secondsOf(until) };
  if (profile.mode === 'sandbox') ctx.notes.note(noneInSandbox);
  await ctx.out.own(record, () => [
    { line: `released by ${by}, for one sending until ${ctx.days.full(until)}: ${file}`, hang: 2 },
    { line: 'the agent can send it now:' },
    { line: apply, indent: 2 },
  ]);
}

/** Enrols the key of whoever runs this: a passphrase, or a security key. */
export async function enrolKey(ctx: Context, keyFile: string | undefined): Promise<void> {
  const releases = await ctx.releases();
  const by = ctx.plans.operator;
  const { line, added } = await releases.enrol(
    by,
    keyFile === undefined ? await newPassphrase(ctx, by) : { keyFile },
  );
  const { file } = releases.enrolled;
  const record = { object: 'enrolled_key', by, file, added, line };
  await ctx.out.own(record, () => [
    {
      line: added
        ? `enrolled the key of ${by} in ${file}`
        : `for whoever administers this machine, to add to ${file}:`,
      hang: 2,
    },
    ...(added ? [{ line: `a release by it: ${strengthOf(releases)}`, hang: 2 }] : [{ line }]),
  ]);
}

// At a desk the sender of the team has the key, and there a second person says yes.
async function refuseAtDesk(ctx: Context, profile: Profile, path: string): Promise<void> {
  if ((await ctx.planSender()) === undefined) return;
  throw new CliError('refused', 'at a desk of a team a second person releases a plan', {
    ownCode: 'second_person',
    certain: 'nothing was released',
    now: [
      `the agent asks for that: ${commandLine(profile, 'refunds', 'apply', path)}`,
      `then somebody else releases the request: ${commandLine(profile, 'release', 'REQUEST')}`,
    ],
  });
}

function refuseUnenrolled(releases: Releases, by: string, keyFile: string | undefined): void {
  const wanted = keyFile === undefined ? 'passphrase' : 'security key';
  if (releases.kindsOf(by).includes(wanted)) return;
  throw new CliError('refused', `no ${wanted} of ${by} is enrolled`, {
    ownCode: 'not_enrolled',
    certain: 'nothing was released',
    now: [plainCommand('release', '--enrol', ...(keyFile === undefined ? [] : ['--security-key', keyFile]))],
  });
}

// What a release proves, for whoever makes one.
function strengthOf({ enrolled: { weakness, file } }: Releases): string {
  return weakness === undefined
    ? `only you can make it: the enrolled keys are out of reach of this account (${file})`
    : `a rail, not a wall, since whatever runs as you can enrol a key of its own: ${weakness}`;
}

function passphraseOf(ctx: Context, by: string): Promise<string> {
  return ctx.ask.secret({ message: `Passphrase of ${by}:`, flag: 'a terminal' });
}

async function newPassphrase(ctx: Context, by: string): Promise<SignedWith> {
  const passphrase = await ctx.ask.secret({
    message: `New passphrase of ${by}, for releases:`,
    flag: 'a terminal',
    check: (text) =>
      text.length < passphraseLeast
        ? `it needs ${passphraseLeast} characters or more, such as four words`
        : undefined,
  });
  await ctx.ask.secret({
    message: 'The same again:',
    flag: 'a terminal',
    check: (text) => (text === passphrase ? undefined : 'that is not the same'),
  });
  return { passphrase };
}
