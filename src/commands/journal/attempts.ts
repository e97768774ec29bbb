/** Finds attempts in the journal: by an id, by what they made, or by their account; and says which need a person. */

import { orderIdPattern, type TimeRange } from '../../api/spec.ts';
import { idempotencyKeyPattern } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { counted, namedUpTo } from '../../counted.ts';
import { CliError, type ErrorSubject, orElse } from '../../errors.ts';
import type { Completer } from '../../flags/flags.ts';
import { flag, short, usage } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  attemptName,
  changeIdPattern,
  changeKinds,
  changeOf,
  isOfLivemode,
  isOpen,
  isSameOrigin,
  type NamedChange,
  namedRefunds,
  openAttempts,
  pagesOf,
  recordedState,
  type SentRow,
} from '../../journal/journal.ts';
import { mayNameOrder, orderByName } from '../../orders/orders.ts';
import { commandLine, type Profile, plainCommand } from '../../profiles/profiles.ts';
import { closestNames } from '../../terminal/terminal.ts';
import { amountStyleOf, madeBy } from './attempt-record.ts';

/**
 * The typed name of an operator, as the journal spells it: capitals do not matter. Somebody who sent nothing with this account
 * may have sent with another one, or may be a member of the team. Throws CliError 'usage' if nobody has that name.
 */
export async function operatorMeant(
  ctx: Pick<Context, 'journal'>,
  typed: string | undefined,
  again?: (name: string) => readonly string[],
): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  return nameMeant(ctx, '--operator', typed, await ctx.journal.operators(undefined), again);
}

/** The same for the name after any option, among those that there are. */
export async function nameMeant(
  { journal }: Pick<Context, 'journal'>,
  option: string,
  typed: string,
  names: readonly string[],
  again: (name: string) => readonly string[] = () => [],
): Promise<string> {
  const meant = names.find((name) => name === typed) ?? names.find((name) => isSameName(name, typed));
  // If rows of the journal are lost, names may be lost too.
  if (meant !== undefined || names.length === 0 || (await journal.problem()) !== undefined)
    return meant ?? typed;
  const begun = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  throw usage(
    `${option} ${short(typed)}: nobody here has that name; there is ${names.toSorted().join(', ')}`,
    (begun.length > 0 ? begun : closestNames(typed, names)).toSorted().flatMap(again),
  );
}

/** Whether two names are the same apart from capitals. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The last attempt of a change: by its id in the journal, by a script's own name for it (`--idempotency-key`), by the id of a
 * refund that it made, or by the id or link of what it created. Throws CliError 'not_found', and 'usage' when an idempotency key
 * belongs to changes of several accounts, or when `id` is the id of an order: the order may get another change at any time.
 */
export async function findAttempt(
  ctx: Context,
  id: string,
  command: readonly string[] = ['journal', 'show'],
): Promise<AttemptRecord> {
  const record =
    (await ctx.journal.attempts({ change: id })).at(-1) ??
    (await attemptUnderKey(ctx, id)) ??
    (await ctx.journal.attempts({ made: new Set([id]) })).findLast(
      (one) => isCreatedBy(one, id) || namedRefunds(one).some((refund) => refund.id === id),
    );
  if (record !== undefined) return record;
  const onOrder = await changesOn(ctx, id);
  if (onOrder.length > 0)
    throw new CliError(
      'usage',
      `${id} is an order, with ${counted(onOrder.length, 'change')} in the journal: say which change`,
      {
        orderId: id,
        now: [
          ...onOrder
            .slice(-mostNamed)
            .flatMap((one) => [
              `${changeOf(one, amountStyleOf(ctx, one))}, ${ctx.days.full(one.sent.time)}, ${recordedState(one)}:`,
              plainCommand(...command, one.sent.change),
            ]),
          `paydesk journal list --all-profiles --order ${id}`,
        ],
      },
    );
  throw new CliError('not_found', `the journal of ${await whose(ctx)} has no ${id}`, {
    ...(changeIdPattern.test(id) ? { change: id } : { idempotencyKey: id }),
    now: whereElse(id),
  });
}

/** Where to look for what the journal does not have. */
export function whereElse(id: string): readonly string[] {
  const verb = orderIdPattern.test(id) ? 'show' : 'find';
  const onOrder = `refunds from elsewhere are shown on their order: ${plainCommand('orders', verb, id)}`;
  return [...(changeIdPattern.test(id) ? [] : [onOrder]), 'paydesk journal list --all-profiles'];
}

/** The same, for commands that send nothing: the id of an order means the only change of that order. */
export async function attemptOrOnly(
  ctx: Context,
  id: string,
  command?: readonly string[],
): Promise<AttemptRecord> {
  const [only, second] = await changesOn(ctx, id);
  return only === undefined || second !== undefined ? await findAttempt(ctx, id, command) : only;
}

const mostNamed = 3;

/** Whose journal a run asks: `the team`, `this machine`. */
async function whose({ journal }: Pick<Context, 'journal'>): Promise<'the team' | 'this machine'> {
  return (await journal.member()) === undefined ? 'this machine' : 'the team';
}

/**
 * The last attempt of each change of an order, oldest first; none if it is not the id of an order. If the account of the run has
 * changes of such an order, those of other accounts are left out.
 */
export async function changesOn(ctx: Context, orderId: string): Promise<readonly AttemptRecord[]> {
  if (!orderIdPattern.test(orderId)) return [];
  const attempts = await ctx.journal.attempts({ orderId });
  const changes = [...new Map(attempts.map((record) => [record.sent.change, record])).values()];
  const scope = await scopeOf(ctx, false);
  const own = changes.filter(({ sent }) => isInScope(sent, scope));
  return own.length > 0 ? own : changes;
}

/**
 * What `find` finds by a typed name. If it finds nothing, the name may be the shop's own number of an order; then `find` searches
 * for the id of that order.
 */
export async function orByNumber<T>(
  ctx: Context,
  typed: string,
  find: (id: string) => Promise<T>,
): Promise<T> {
  try {
    return await find(typed);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'not_found') throw error;
    if (!mayNameOrder(typed)) throw error;
    const order = ctx.service().then((service) => orderByName(ctx, service, typed));
    return await find(
      await order.catch(
        orElse(() => {
          throw error;
        }),
      ),
    );
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

async function attemptUnderKey(ctx: Context, idempotencyKey: string): Promise<AttemptRecord | undefined> {
  const origin = ctx.options.profile === undefined ? undefined : (await scopeOf(ctx, false))?.origin;
  const found = await ctx.journal.attempts({ idempotencyKey, origin });
  const changes = [...new Map(found.map(({ sent }) => [sent.change, sent.profile] as const))];
  if (changes.length < 2) return found.at(-1);
  throw new CliError('usage', `${idempotencyKey} was used for ${changes.length} changes: say which`, {
    idempotencyKey,
    now: changes.map(([change, profile]) => `${change} of profile ${profile}`),
  });
}

/** The attempt with this name (`i_7f3k2m9q`, `i_7f3k2m9q.2`), which marks a place in a list. Throws CliError 'not_found'. */
export async function attemptNamed(ctx: Context, name: string): Promise<AttemptRecord> {
  const attempts = await ctx.journal.attempts({ change: name.replace(/\.[0-9]+$/, '') });
  return attempts.find((one) => attemptName(one) === name) ?? (await findAttempt(ctx, name));
}

/** The ids and names in an error about an attempt, for scripts. */
export function subjectOf({ sent }: AttemptRecord): ErrorSubject {
  const { change, idempotencyKey, proof, profile } = sent;
  return { change, idempotencyKey, orderId: proof.orderId, profile };
}

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

function isCreatedBy({ verdicts }: AttemptRecord, id: string): boolean {
  const made = madeBy(verdicts);
  return made?.created === id || made?.link === id;
}

const offerChanges: Completer = ({ flags }, known) => known.changes(flags.get('profile'));

const linkPattern = /^https?:\/\/\S{1,2000}$/;

/** The flag for the page of changes that were sent before this one. */
export const nextFlag = {
  value: 'ID',
  summary: 'the page of the changes that were sent before this one',
  offers: offerChanges,
  parse(text: string, name: string): string {
    if (/^i_[A-Za-z0-9]{1,64}(\.[0-9]{1,9})?$/.test(text)) return text;
    throw usage(`${name} ${short(text)}: not the id of a change, which looks like i_7f3k2m9q`, [
      'paydesk journal list',
    ]);
  },
} as const;

/** The id of a change in the journal, or a script's own name for it, as an argument. */
export function changeArgument<const R extends boolean>(required: R) {
  return {
    name: 'change',
    summary:
      "the journal's id, such as i_7f3k2m9q, the id that a script gave with --idempotency-key, the id of a refund, or the id or link of what was created",
    required,
    offers: offerChanges,
    parse: (text: string): string => {
      if ([changeIdPattern, idempotencyKeyPattern, linkPattern].some((pattern) => pattern.test(text)))
        return text;
      throw new CliError(
        'usage',
        `CHANGE ${text}: not an id of the journal (such as i_7f3k2m9q), not an id that a script gave with --idempotency-key, and not the id or link of something created`,
        { certain: 'nothing was sent', now: ['paydesk journal list'] },
      );
    },
  } as const;
}
