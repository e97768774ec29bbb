/** Which change a typed id means: its own id, a script's name for it, or what it made. */

import { orderIdPattern } from '../../api/spec.ts';
import { idempotencyKeyPattern } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, type ErrorSubject, orElse } from '../../errors.ts';
import { type Completer, short, usage } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  attemptName,
  changeIdPattern,
  changeOf,
  namedRefunds,
  recordedState,
} from '../../journal/journal.ts';
import { mayNameOrder, orderByName } from '../../orders/orders.ts';
import { plainCommand } from '../../profiles/profiles.ts';
import { amountStyleOf, madeBy } from './attempt-record.ts';
import { isInScope, scopeOf } from './journal-scope.ts';

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

/** The same, for commands that send nothing: the id of an order means the only change of that order. */
export async function attemptOrOnly(
  ctx: Context,
  id: string,
  command?: readonly string[],
): Promise<AttemptRecord> {
  const [only, second] = await changesOn(ctx, id);
  return only === undefined || second !== undefined ? await findAttempt(ctx, id, command) : only;
}

/** Where to look for what the journal does not have. */
export function whereElse(id: string): readonly string[] {
  const verb = orderIdPattern.test(id) ? 'show' : 'find';
  const onOrder = `refunds from elsewhere are shown on their order: ${plainCommand('orders', verb, id)}`;
  return [...(changeIdPattern.test(id) ? [] : [onOrder]), 'paydesk journal list --all-profiles'];
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
