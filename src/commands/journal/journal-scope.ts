/** Which journal and which account a run asks, and what it must say about the rest: other accounts, and records that were lost. */

import type { TimeRange } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted, namedUpTo } from '../../counted.ts';
import { CliError, orElse } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  attemptName,
  changeKinds,
  isOfLivemode,
  isOpen,
  isSameOrigin,
  type NamedChange,
  openAttempts,
  pagesOf,
  type SentRow,
} from '../../journal/journal.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';

/** `--from`: the file of a journal that is asked instead of the journal of this machine. */
export const fromFlag = flag.text(
  'FILE',
  'ask a file that journal archive or journal export --to wrote; no order is read again',
);

/** The context in which that file is the only journal, and nothing is read again or recorded; without a file, the same context. */
export async function askingFile(ctx: Context, file: string | undefined): Promise<Context> {
  if (file === undefined) return ctx;
  const journal = await ctx.journal.inFile(file);
  return { ...ctx, journal, options: { ...ctx.options, dryRun: true } };
}

/** The profile whose account a run is about. Undefined means every account: with `all`, or when there is no profile. */
export async function scopeOf(ctx: Context, all: boolean): Promise<Profile | undefined> {
  if (all) return undefined;
  try {
    return (await ctx.profiles.open()).profile;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'auth' && ctx.options.profile === undefined)
      return undefined;
    throw error;
  }
}

/** Whether a change belongs to the account of this profile. Always true without a profile. */
export function isInScope(sent: SentRow, scope: Profile | undefined): boolean {
  if (scope === undefined) return true;
  return isSameOrigin(sent.origin, scope.origin) && isOfLivemode(sent, scope.mode === 'production');
}

/**
 * Changes of a period that may be refunds and whose records were lost in a repair of the journal: no list of refunds has them,
 * and nobody knows who sent them.
 */
export async function lostRecords(
  { journal }: Pick<Context, 'journal'>,
  scope: Profile | undefined,
  range: TimeRange,
): Promise<readonly NamedChange[]> {
  const found: NamedChange[] = [];
  for await (const page of pagesOf(journal, { kind: 'api', ...range }))
    found.push(...lostAmong(page.filter(({ sent }) => sent.account === '' || isInScope(sent, scope))));
  return found;
}

/** Such changes among these attempts. */
export function lostAmong(attempts: readonly AttemptRecord[]): readonly NamedChange[] {
  return attempts
    .filter(({ sent: { lost } }) => lost === 'refund' || lost === 'unknown')
    .map(({ sent: { change, proof } }) => ({ change, orderId: proof.orderId }));
}

/** `1 change lost its record in a repair of the journal`, and what follows from that. */
export function lostWords(lost: readonly NamedChange[], so: string): string {
  const whose = lost.length === 1 ? 'its record' : 'their records';
  return `${counted(lost.length, 'change')} lost ${whose} in a repair of the journal, so ${so}: ${namesOf(lost)}`;
}

/** `i_7f3k2m9q on ord_1, i_8a1b2c3d on no known order and 3 more` */
export function namesOf(changes: readonly NamedChange[]): string {
  const names = changes.map(({ change, orderId }) => `${change} on ${orderId ?? 'no known order'}`);
  return namedUpTo(10, names);
}

/**
 * Says what needs a person in other accounts, and the command that shows it: `1 refund unconfirmed in another profile (live):
 * paydesk -p live journal list --open`. None if nothing does. `scope`: the profile whose account the run is about; a run about
 * every account has no others.
 */
export async function elsewhereLines(
  inScope: Context,
  scope: Profile | undefined,
): Promise<readonly string[]> {
  if (scope === undefined) return [];
  return linesAbout(inScope, scope).catch(
    orElse(({ message }) => [`other profiles could not be looked at: ${message}`]),
  );
}

async function linesAbout(ctx: Context, scope: Profile): Promise<readonly string[]> {
  const now = await ctx.journal.now();
  const inside = new Set((await openAttempts(ctx.journal, { origin: scope.origin })).map(attemptName));
  const others = (await openAttempts(ctx.journal)).filter((one) => !inside.has(attemptName(one)));
  const names = [...new Set(others.map(({ sent }) => sent.profile))];
  const [first, second] = names;
  if (first === undefined) return [];
  const kinds = [...new Set(others.map(({ sent }) => changeKinds[sent.proof.kind].noun))];
  const what = `${kinds.length === 1 ? kinds[0] : 'change'}${others.length === 1 ? '' : 's'}`;
  const open = others.filter((record) => isOpen(record, now));
  const state =
    open.length === others.length
      ? 'unconfirmed'
      : open.length === 0
        ? 'with an alarm'
        : 'unconfirmed or with an alarm';
  // A profile may be gone, and the one from the environment has no name for -p.
  const isReachable = second === undefined && (await reachesAll(ctx, first, others));
  const command = isReachable
    ? commandLine({ kind: 'stored', name: first }, 'journal', 'list', '--open')
    : 'paydesk journal list --all-profiles --open';
  const where = second === undefined ? `another profile (${first})` : `other profiles (${names.join(', ')})`;
  return [`${others.length} ${what} ${state} in ${where}: ${command}`];
}

async function reachesAll(ctx: Context, name: string, attempts: readonly AttemptRecord[]): Promise<boolean> {
  const accounts = [...new Set(attempts.map(({ sent }) => sent.account))];
  const reaching = await Promise.all(accounts.map((account) => ctx.profiles.reaching(account)));
  return name !== 'environment' && reaching.every((profiles) => profiles.includes(name));
}
