/** What the journal of this machine knows about an order's refunds: who sent them, why, and the note. */

import type { Service } from '../../api/api.ts';
import { readMoney } from '../../api/charges.ts';
import { itemsOf, type JsonObject } from '../../api/spec.ts';
import type { Context } from '../../commands/command.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord, Journal, OpenCases } from '../../journal/journal.ts';
import type { MadeWords } from './refund-checks.ts';
import type { KnownTwin, Twin } from './twins.ts';

/** What the journal knows about one refund record. */
export interface RefundFacts {
  readonly intent: string;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  /** The name of the person who ran paydesk, as this machine knows it. */
  readonly operator: string;
  /** With `read` the refund may be somebody else's, because a read cannot tell two equal refunds apart. */
  readonly knownBy: 'reply' | 'read' | 'person' | 'sender';
}

/** Maps the id of each refund to what the journal knows about it. Only attempts with the verdict `applied` count. */
export function refundFacts(
  attempts: readonly AttemptRecord[],
  { ownRefunds }: Pick<Journal, 'ownRefunds'>,
): ReadonlyMap<string, RefundFacts> {
  return new Map(
    attempts.flatMap((record) => {
      const { sent, verdicts } = record;
      const last = verdicts.at(-1);
      if (last?.verdict !== 'applied') return [];
      const { intent, reason, note, operator } = sent;
      const facts = { intent, reason, note, operator, knownBy: last.by };
      return ownRefunds(record).flatMap(({ id }): [string, RefundFacts][] =>
        id === undefined ? [] : [[id, facts]],
      );
    }),
  );
}

/** The ids of those orders that may have refunds. Only of these the journal can know who made one. */
export function ordersWithRefunds(orders: readonly JsonObject[]): ReadonlySet<string> {
  const may = orders.filter(
    ({ amount_refunded: refunded, charges }) =>
      refunded !== 0 || itemsOf(charges).some(({ refunds }) => itemsOf(refunds).length > 0),
  );
  return new Set(may.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}

/**
 * A twin with what this machine knows of it. `attempts`: those on its order. The picker, `orders show` and the preview of a
 * refund all ask here, so that they say the same.
 */
export function knownTwin(
  twin: Twin,
  attempts: readonly AttemptRecord[],
  { unconfirmed, paidTwice }: OpenCases,
  journal: Pick<Journal, 'ownRefunds'>,
): KnownTwin {
  return {
    ...twin,
    fact: refundFacts(attempts, journal).get(twin.refund?.id ?? ''),
    unconfirmed: unconfirmed.get(twin.id),
    paidTwice: paidTwice.get(twin.id),
    isSentHere: attempts.some(mayHaveRefunded),
  };
}

/** Twins with what this machine knows of them, asked for once. */
export async function knownTwins(
  { journal }: Pick<Context, 'journal'>,
  service: Service,
  twins: readonly Twin[],
  open: OpenCases,
): Promise<readonly KnownTwin[]> {
  if (twins.length === 0) return [];
  const attempts = await journal.attemptsOf(service, new Set(twins.map(({ id }) => id)));
  const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId);
  return twins.map((twin) => knownTwin(twin, byOrder.get(twin.id) ?? [], open, journal));
}

function mayHaveRefunded({ sent, verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  const failed = last?.verdict === 'not_sent' || (last?.verdict === 'rejected' && last.confirmed === true);
  return sent.proof.kind === 'refund' && (!failed || last?.by === 'person');
}

/** Who sent a refund, and why. */
interface RefundOrigin {
  /** The operator and the note, `op7: ticket 8812`; or why this machine probably sent it. */
  readonly by: string;
  /** This machine probably sent it. Nothing confirms that yet. */
  readonly probable?: true;
  /** It is there beside an equal refund of this machine, so `by` is no name. */
  readonly beside?: true;
  /** The journal of the team does not know it, as `by` says. */
  readonly unknown?: true;
  readonly reason: string | undefined;
}

/**
 * Who sent each refund, by refund id. A refund that is missing here was not sent from this machine; in a team it is here as
 * `unknown`. Undefined when the journal cannot be read.
 */
export type RefundOrigins = ReadonlyMap<string, RefundOrigin> | undefined;

/** Looks up in the journal who sent the refunds of an order. If the journal cannot be read, it only warns. */
export function originsOf(ctx: Context, service: Service, order: JsonObject): Promise<RefundOrigins> {
  return originsAmong(ctx, order, () => ctx.journal.attemptsOf(service, String(order.id)));
}

/** The same among the attempts on the order, which are asked for only if it has refunds. */
export async function originsAmong(
  ctx: Context,
  order: JsonObject,
  attemptsOn: () => Promise<readonly AttemptRecord[]>,
): Promise<RefundOrigins> {
  const reading = readMoney(order);
  if (!('money' in reading) || reading.money.charges.every(({ refunds }) => refunds.length === 0))
    return new Map();
  try {
    const attempts = await attemptsOn();
    const probable = ctx.journal.probableRefunds(attempts, order);
    const doubled = [...probable.values()].filter(
      (record) => isDoubled(record) && ctx.journal.namedByReply(record).length === 0,
    );
    const ids = reading.money.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id));
    return new Map([
      ...(await strangersOf(ctx, ids)),
      ...[...probable].map(([id, record]) => [id, probableOrigin(ctx, record)] as const),
      ...refundOrigins(refundFacts(attempts, ctx.journal)),
      ...doubled.flatMap((record) =>
        ctx.journal.ownRefunds(record).map(({ id = '' }) => [id, besideOrigin(ctx, record)] as const),
      ),
    ]);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`who sent the refunds is not shown: ${error.message}`);
    return undefined;
  }
}

// In a team it may be of any desk, so it matters which journal does not know it. What the journal knows takes the place of this.
async function strangersOf(
  { journal }: Context,
  ids: readonly string[],
): Promise<readonly (readonly [string, RefundOrigin])[]> {
  if ((await journal.rules()) === undefined) return [];
  const isAway = (await journal.away()) !== undefined;
  const by = isAway ? "not known to this copy of the team's journal" : "not in the team's journal";
  return ids.map((id) => [id, { by, unknown: true, reason: undefined }] as const);
}

/** Whether the journal knows who sent a refund, surely or probably. */
export function isKnown(origins: RefundOrigins, refundId: string): boolean {
  const origin = origins?.get(refundId);
  return origin !== undefined && origin.unknown !== true;
}

// It was made, and the order shows it more than once.
function isDoubled({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return last?.verdict === 'applied' && last.by !== 'person';
}

// Who made a refund of which the order shows more than one. If no reply named ours, nobody can tell them apart.
function besideOrigin(ctx: Context, record: AttemptRecord): RefundOrigin {
  const { time, operator, reason } = record.sent;
  if (ctx.journal.namedByReply(record).length > 0)
    return { by: 'made twice, or sent from elsewhere', beside: true, reason: undefined };
  return { by: `one of these is ours, sent at ${ctx.shortTime(time)} by ${operator}`, beside: true, reason };
}

/** Who sent a refund that `probableRefunds` found for this attempt. */
export function probableOrigin(ctx: Context, record: AttemptRecord): RefundOrigin {
  if (isDoubled(record)) return besideOrigin(ctx, record);
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const state =
    last?.by === 'person'
      ? `recorded by ${last.operator ?? 'somebody'} as ${last.verdict === 'applied' ? 'made' : 'not made'}`
      : 'not confirmed yet';
  const by = `probably ours: sent at ${ctx.shortTime(sent.time)}, ${state}`;
  return { by, probable: true, reason: sent.reason };
}

function refundOrigins(facts: ReadonlyMap<string, RefundFacts>): ReadonlyMap<string, RefundOrigin> {
  return new Map(
    [...facts].map(([id, { operator, note, knownBy, reason }]): [string, RefundOrigin] => {
      const by = note === undefined ? operator : `${operator}: ${note}`;
      return [id, { by: knownBy === 'read' ? `${by} (its reply was lost)` : by, reason }];
    }),
  );
}

/** The cell BY of a refund. */
export function sentBy(origins: RefundOrigins, refundId: string): string {
  if (origins === undefined) return '-';
  return origins.get(refundId)?.by ?? 'not from this machine';
}

/**
 * Who sent a refund, for a sentence: `by op7: ticket 8812`, `not from this machine`. Undefined when the journal cannot be
 * read.
 */
export function sentByWords(origins: RefundOrigins, refundId: string): string | undefined {
  if (origins === undefined) return undefined;
  const origin = origins.get(refundId);
  const words = sentBy(origins, refundId);
  return origin === undefined || origin.probable || origin.beside || origin.unknown ? words : `by ${words}`;
}

/** Says of a refund when it was made and by whom: `, made at 05:05:12 by op7: ticket 8812`. */
export function madeWords(ctx: Context, origins: RefundOrigins): MadeWords {
  return ({ id, createdAt }) => {
    const when = createdAt === undefined ? '' : `, made at ${ctx.shortTime(createdAt * 1000)}`;
    const by = sentByWords(origins, id);
    return by === undefined ? when : `${when}${by.startsWith('by ') ? ' ' : ', '}${by}`;
  };
}
