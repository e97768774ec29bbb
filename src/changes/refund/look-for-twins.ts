/** Looks for the twins of one order: on the two pages next to it, in what was read before, and in the journal of this machine. */

import type { Page, PageQuery, Service } from '../../api/api.ts';
import { moneyOf } from '../../api/charges.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { isTime } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import { attemptName } from '../../journal/journal.ts';
import {
  isNear,
  isPaidBack,
  type KnownTwin,
  knownOrder,
  knownTwin,
  knownTwins,
  nameForAgain,
  purchaseOf,
  type Twin,
  twinOf,
  twinSpan,
  twinsAmong,
} from '../../orders/orders.ts';
import type { OrderRead } from '../order-change.ts';
import type { RefundAsked } from './decide-refund.ts';

/** The twins that were found, and where nobody looked. */
export interface FoundTwins {
  readonly twins: readonly KnownTwin[];
  /** The order itself, with what this machine knows about it; undefined if there are no twins. */
  readonly own: KnownTwin | undefined;
  /** Sentences about orders that were not looked at, because a read failed or there are too many. */
  readonly gaps: readonly string[];
  readonly failed: boolean;
}

// Assumed: every service of this family gives pages of this length.
/** How many orders before and after an order are looked at. */
export const twinReach = 50;

/**
 * Looks for twins. Makes two requests at most, and none for an order that does not show its buyer. It never throws because
 * a read failed: `gaps` then says so. `seen`: a twin that was read before, such as in the picker.
 */
export async function lookForTwins(
  ctx: Context,
  service: Service,
  order: JsonObject,
  seen?: Twin,
): Promise<FoundTwins> {
  const { id, created_at: createdAt } = order;
  if (typeof id !== 'string' || purchaseOf(order) === undefined) return nothingFound;
  if (createdAt !== undefined && !isTime(createdAt))
    return {
      ...nothingFound,
      gaps: ['its created_at is no time in Unix seconds, so paydesk cannot look for a twin'],
    };
  const [newer, older] = await Promise.all([
    readPage(ctx, service, { limit: twinReach, previous: id }),
    readPage(ctx, service, { limit: twinReach, next: id }),
  ]);
  const found = twinsAmong(order, [...recordsOf(newer), ...recordsOf(older)]);
  const both = found.some((twin) => twin.id === seen?.id) || seen === undefined ? found : [...found, seen];
  const known = await lookUpKnown(ctx, service, order, both);
  return {
    twins: known.twins,
    own: known.own,
    gaps: [...readGaps(newer, older), ...reachGaps(order, newer, older), ...known.gaps],
    failed: newer instanceof CliError || older instanceof CliError,
  };
}

const nothingFound: FoundTwins = { twins: [], own: undefined, gaps: [], failed: false };

type Read = Page | CliError | undefined;

async function readPage({ signal }: Context, service: Service, query: PageQuery): Promise<Read> {
  try {
    for await (const page of service.pages('orders', query, { quick: true })) return page;
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    // A page that leads nowhere was read all the same; nothing after it matters here.
    return error;
  }
}

function recordsOf(read: Read): readonly JsonObject[] {
  return read === undefined || read instanceof CliError ? [] : read.records.map(({ value }) => value);
}

function readGaps(newer: Read, older: Read): readonly string[] {
  const [first, second] = [newer, older].filter((read) => read instanceof CliError);
  if (first === undefined) return [];
  const where = second !== undefined ? 'next to it' : first === newer ? 'made after it' : 'made before it';
  return [`the orders ${where} could not be read, so a twin may be missing here: ${first.message}`];
}

// If the order at the far end of a page is still within ten minutes, a twin may come after it.
function reachGaps({ created_at: createdAt }: JsonObject, newer: Read, older: Read): readonly string[] {
  const ends = [
    [newer, recordsOf(newer).at(0)],
    [older, recordsOf(older).at(-1)],
  ] as const;
  const isShort = ends.some(([read, end]) => {
    if (read === undefined || read instanceof CliError || !read.hasMore || end === undefined) return false;
    return isNear(Number(end.created_at), Number(createdAt));
  });
  if (!isShort) return [];
  return [
    `a twin may be missing here: paydesk looked at only ${twinReach} orders before and after this one, which is less than ${twinSpan}`,
  ];
}

async function lookUpKnown(
  ctx: Context,
  service: Service,
  order: JsonObject,
  twins: readonly Twin[],
): Promise<Pick<FoundTwins, 'twins' | 'own' | 'gaps'>> {
  const own = twinOf(order);
  if (twins.length === 0 || own === undefined) return nothingFound;
  try {
    const [known, ...others] = await knownTwins(ctx, service, [own, ...twins]);
    return { twins: others, own: known, gaps: [] };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const now = await ctx.journal.now();
    const bare = (twin: Twin) => knownTwin(twin, knownOrder(twin.order, [], now));
    return {
      twins: twins.map(bare),
      own: bare(own),
      gaps: [`paydesk cannot tell whether this machine refunded a twin: ${error.message}`],
    };
  }
}

/**
 * Splits the names of `--again`, which may be refunds of twins besides refunds and attempts of this order. The journal uses up
 * only names of this order. Throws CliError 'refused' for a name that is neither, if the twins could not be read: it may be a
 * refund of a twin.
 */
export async function splitAgain(
  ctx: Context,
  { service, id, order }: Pick<OrderRead, 'service' | 'id' | 'order'>,
  { again }: RefundAsked,
  { twins: found, gaps, failed }: FoundTwins,
): Promise<Pick<RefundAsked, 'again' | 'twins'>> {
  if (again.length === 0) return { again };
  const ofTwins = new Set(found.filter(isPaidBack).map(nameForAgain));
  const isTwins = (name: string) => ofTwins.has(name);
  const split = { again: again.filter((name) => !isTwins(name)), twins: again.filter(isTwins) };
  if (!failed) return split;
  const refunds = moneyOf(order)?.charges.flatMap((charge) => charge.refunds) ?? [];
  const ofOrder = new Set([
    ...refunds.map((refund) => refund.id),
    ...(await ctx.journal.attemptsOf(service, id)).map(attemptName),
  ]);
  const unknown = split.again.find((name) => !ofOrder.has(name));
  if (unknown === undefined) return split;
  throw refused(
    `--again ${unknown} cannot be checked: ${id} has no such refund, and ${gaps[0] ?? 'the orders next to it could not be read'}`,
    ['run the same command again when those orders can be read'],
    'again_unchecked',
  );
}
